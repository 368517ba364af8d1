import csv
import unittest

from support import RunTest, counted, counters, record
import make_tables
import records

LAUNCHES = [
    {
        "kernel": "tree",
        "blocks": 61440,
        "threads": 256,
        "shared_bytes": 2112,
        "registers": 0,
        "occupancy": 1.0,
        "limiter": "warps",
        "bytes_read": 1.25e8,
        "time_ns": 5e4,
    },
    {
        "kernel": "tree",
        "blocks": 120,
        "threads": 256,
        "shared_bytes": 2112,
        "registers": 0,
        "occupancy": 1.0,
        "limiter": "warps",
    },
]


class Tables(RunTest):
    def tables(self, lines, **run):
        directory = self.write_run(lines, **run)
        make_tables.write_tables(records.load_run(directory))
        return {path.name: path.read_text() for path in (directory / "tables").iterdir()}

    def cells(self, text):
        lines = [line for line in text.splitlines() if line.startswith("|")]
        return [
            [cell.strip() for cell in line.strip("|").split("|")] for line in lines if "---" not in line
        ]

    def test_times_intervals_and_the_axes_that_vary(self):
        tables = self.tables(
            [record(time_ns=2000.0), record(n=4096, time_ns=3000.0, percent_of_ceiling=62.5)]
        )
        header, first, second = self.cells(tables["summary.md"])
        self.assertEqual(
            header,
            [
                "variant",
                "n",
                "time (µs)",
                "interval (µs)",
                "effective bandwidth (GB/s)",
                "time per input (ns)",
                "share of the measured ceiling (%)",
            ],
        )
        self.assertEqual(first, ["harris1", "1 Ki", "2.000", "1.800 to 2.400", "2.050", "1.953", "50.00"])
        self.assertEqual(second, ["harris1", "4 Ki", "3.000", "2.700 to 3.600", "5.463", "0.7324", "62.50"])
        self.assertIn("NVIDIA Test  ·  2024-05-06  ·  quick", tables["summary.md"])
        self.assertIn("type i32  ·  operator sum", tables["summary.md"])

    def test_a_wrong_case_is_listed_without_a_time(self):
        tables = self.tables(
            [record(), record("reduce/harris2", outcome="wrong", reason="got 3, expected 4")]
        )
        self.assertEqual(
            self.cells(tables["summary.md"])[2],
            ["harris2", "", "", "", "", "", "wrong", "got 3, expected 4"],
        )
        row = list(csv.DictReader(tables["summary.csv"].splitlines()))[1]
        self.assertEqual((row["variant"], row["time_ns"], row["outcome"]), ("reduce/harris2", "", "wrong"))

    def test_a_run_without_times_shows_outcomes_and_launches(self):
        tables = self.tables([record(time_ns=None, launches=LAUNCHES)])
        self.assertEqual(self.cells(tables["summary.md"]), [["variant", "outcome"], ["harris1", "passed"]])
        self.assertEqual(
            self.cells(tables["launches.md"])[1][:6], ["harris1", "1", "tree", "61440", "256", "2112"]
        )

    def test_counts_are_columns_where_any_case_has_them(self):
        tables = self.tables(
            [
                counted(
                    "reduce/harris2",
                    shared_load_wavefronts=616950,
                    shared_load_conflicts=431865,
                    block_barriers=296,
                    warp_blocks=4,
                    warp_block_lanes=105,
                ),
                record("reduce/cpu_serial", device="host"),
            ]
        )
        header, modelled, host = self.cells(tables["summary.md"])
        columns = header.index("global memory (sectors)"), header.index("outcome")
        self.assertEqual(
            list(zip(header[slice(*columns)], modelled[slice(*columns)], strict=False)),
            [
                ("global memory (sectors)", "0"),
                ("shared memory (wavefronts)", "616950"),
                ("bank conflicts (wavefronts)", "431865"),
                ("active lanes (of 32)", "26.25"),
                ("barriers (waits of warps)", "296"),
            ],
        )
        self.assertEqual(set(host[slice(*columns)]), {""})
        self.assertEqual(
            (modelled[header.index("time (µs)")], host[header.index("time (µs)")]), ("", "2.000")
        )
        row = next(csv.DictReader(tables["summary.csv"].splitlines()))
        self.assertEqual((row["conflicts"], row["active_lanes"]), ("431865", "26.25"))

    def test_counts_of_each_launch(self):
        launches = [
            {**launch, "counters": counters(block_barriers=barriers)}
            for launch, barriers in zip(LAUNCHES, (552960, 1080), strict=False)
        ]
        tables = self.tables(
            [record(time_ns=None, counters=counters(block_barriers=554040), launches=launches)]
        )
        header, *rows = self.cells(tables["launches.md"])
        column = header.index("barriers (waits of warps)")
        self.assertEqual([row[column] for row in rows], ["552960", "1080"])

    def test_more_than_the_ceiling_is_flagged(self):
        tables = self.tables([record(percent_of_ceiling=104.0)])
        self.assertEqual(self.cells(tables["summary.md"])[1][-1], "**104.0** above the ceiling")

    def test_published_numbers_stand_beside(self):
        tables = self.tables(
            [
                record("reduce/harris1", n=1 << 24, time_ns=8e4),
                record("reduce/harris2", n=1 << 25, time_ns=8e4),
            ],
            name="slides/table",
        )
        header, first, second = self.cells(tables["summary.md"])
        self.assertEqual((header[-1], first[-1], second[-1]), ("Tesla C2070, published (µs)", "5280", ""))
        rows = list(csv.DictReader(tables["summary.csv"].splitlines()))
        self.assertEqual(rows[0]["published_time_ns (Tesla C2070)"], "5.28e+06")

    def test_launches_have_the_papers_launches_beside(self):
        tables = self.tables(
            [record("reduce/tb2", n=30 << 20, type="f32", operator="min", launches=LAUNCHES)],
            name="martin2012/table1",
        )
        header, first, second = self.cells(tables["launches.md"])
        blocks = header.index("blocks, GTX 480, published")
        read = header.index("read (GB/s), GTX 480, published")
        self.assertEqual((first[blocks], first[read]), ("61440", "25.53"))
        self.assertEqual((second[blocks], second[read]), ("120", "17.58"))
        self.assertEqual(first[header.index("read (GB/s)")], "2500")
        self.assertEqual(second[header.index("read (GB/s)")], "")

    def test_a_launch_that_fills_the_result_is_not_one_of_the_papers(self):
        fill = {"kernel": "fill", "blocks": 1, "threads": 32, "shared_bytes": 0, "bytes_read": 0.0}
        case = record(
            "segreduce/tb2",
            n=30 << 20,
            type="f32",
            operator="min",
            launches=[fill, *LAUNCHES],
            axes={"segments": "one"},
        )
        header, *rows = self.cells(self.tables([case], name="martin2012/table3")["launches.md"])
        blocks = header.index("blocks, GTX 480, published")
        self.assertEqual(
            [(row[header.index("launch")], row[blocks]) for row in rows],
            [("0", ""), ("1", "61440"), ("2", "120")],
        )

    def test_text_cannot_break_a_table(self):
        tables = self.tables([record(outcome="failed", reason="a | b\nc")])
        self.assertIn("| failed | a \\| b c |", tables["summary.md"])

    def test_a_parameter_does_not_pass_for_a_column_of_the_launch(self):
        tables = self.tables(
            [
                record(parameters={"threads": 7}, launches=LAUNCHES[:1]),
                record(parameters={"threads": 8}, launches=LAUNCHES[:1]),
            ]
        )
        header, first, second = self.cells(tables["launches.md"])
        self.assertEqual(
            [row[header.index("parameters")] for row in (first, second)], ["threads=7", "threads=8"]
        )
        self.assertEqual([row[header.index("threads")] for row in (first, second)], ["256", "256"])

    def test_numbers(self):
        for value, text in (
            (1e-5, "0.00001"),
            (123456.0, "123456"),
            (0.5, "0.5"),
            (1234.5, "1234"),
            (0.0, "0"),
        ):
            self.assertEqual(make_tables.significant(value), text)


if __name__ == "__main__":
    unittest.main()
