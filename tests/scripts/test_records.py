import json
import unittest

from support import RunTest, counted, counters, record
import records


class LoadRun(RunTest):
    def rejected(self, *lines):
        with self.assertRaises(records.RecordError) as caught:
            records.load_run(self.write_run(lines))
        return str(caught.exception)

    def test_axes_and_parameters_become_columns(self):
        run = records.load_run(
            self.write_run([record(axes={"values": {"file": "x.npy"}, "layout": "structs"})])
        )
        self.assertEqual(run.rows[0]["values"], "x.npy")
        self.assertEqual(run.rows[0]["layout"], "structs")
        self.assertEqual(run.rows[0]["block"], 256)
        self.assertEqual(run.axes, ["device", "mode", "n", "type", "operator", "values", "layout"])
        self.assertEqual((run.parameters, run.rows[0]["parameters"]), (["block"], "block=256"))

    def test_a_line_that_is_not_json_is_named_by_file_and_line(self):
        message = self.rejected(record(), "\n", "{broken\n")
        self.assertIn("records.jsonl:3: not JSON", message)

    def test_a_line_that_is_no_object(self):
        self.assertIn("records.jsonl:1: an object", self.rejected("[1, 2]\n"))

    def test_a_missing_column(self):
        self.assertIn(
            "records.jsonl:2: operator: str is expected", self.rejected(record(), record(operator=None))
        )

    def test_n_as_text(self):
        self.assertIn(
            "records.jsonl:1: n: int is expected, not '1024'", self.rejected(record(axes={"n": "1024"}))
        )

    def test_an_unknown_outcome(self):
        self.assertIn("records.jsonl:1: outcome: one of passed,", self.rejected(record(outcome="fine")))

    def test_a_negative_time_and_one_that_is_no_number(self):
        self.assertIn("time_ns: a finite number", self.rejected(record(time_ns=-1.0)))

    def test_nan_is_not_a_time(self):
        self.assertIn(
            "time_ns: a finite number",
            self.rejected('{"time_ns": NaN, ' + json.dumps(record(time_ns=None))[1:] + "\n"),
        )

    def test_a_wrong_case_has_no_time_whatever_its_record_says(self):
        run = records.load_run(self.write_run([record(outcome="wrong", reason="element 0: 3, not 4")]))
        self.assertTrue(all(run.rows[0][column] is None for column in records.QUANTITIES))

    def test_the_last_record_of_a_case_counts(self):
        run = records.load_run(self.write_run([record(time_ns=1.0), record(n=2048), record(time_ns=3.0)]))
        self.assertEqual([(row["n"], row["time_ns"]) for row in run.rows], [(1024, 3.0), (2048, 2000.0)])

    def test_cases_that_differ_in_a_parameter_or_the_mode_are_kept_apart(self):
        run = records.load_run(
            self.write_run([record(), record(parameters={"block": 128}), record(mode="warm")])
        )
        self.assertEqual(len(run.rows), 3)

    def test_a_modelled_gpu_is_not_named_as_hardware(self):
        run = records.load_run(
            self.write_run(
                [
                    record(device="simt:h200", hardware="h200", time_ns=None),
                    record("reduce/cpu_serial", device="host", hardware="Xeon"),
                ]
            )
        )
        self.assertEqual(run.hardware(run.rows), "simt:h200, Xeon")

    def test_rows_are_in_the_order_of_the_plan(self):
        run = records.load_run(
            self.write_run([record(n=4, case=1), record(n=2, case=0), record(n=8, case=2)])
        )
        self.assertEqual([row["n"] for row in run.rows], [2, 4, 8])

    def test_the_line_that_a_killed_run_left_unfinished_is_no_record(self):
        run = records.load_run(self.write_run([record(), '{"variant": "reduce/har']))
        self.assertEqual(len(run.rows), 1)

    def test_an_unfinished_line_in_the_middle_is_a_mistake(self):
        self.assertIn("records.jsonl:1: not JSON", self.rejected('{"variant": "reduce/har\n', record()))

    def test_a_folder_without_a_run(self):
        with self.assertRaisesRegex(records.RecordError, "run.json: no such file"):
            records.load_run(self.folder)


class Counters(RunTest):
    def row(self, *lines):
        return records.load_run(self.write_run(lines)).rows[0]

    def test_counters_become_columns(self):
        row = self.row(counted("reduce/harris1", warp_barriers=7))
        self.assertEqual((row["warp_barriers"], row["global_load_requests"]), (7, 0))

    def test_what_follows_from_them(self):
        row = self.row(
            counted(
                "reduce/harris1",
                global_load_sectors=8,
                global_store_sectors=3,
                global_atomic_sectors=1,  # 8 + 3 + 1 = 12 sectors
                global_load_sectors_ideal=4,
                global_store_sectors_ideal=3,
                global_atomic_sectors_ideal=1,  # 12 / 8
                shared_load_wavefronts=20,
                shared_store_wavefronts=10,
                shared_atomic_wavefronts=4,
                shared_load_conflicts=5,
                shared_store_conflicts=2,
                shared_atomic_conflicts=1,
                warp_blocks=10,
                warp_block_lanes=265,
                branches=40,
                divergent_branches=3,  # 3 / 40 = 7.5 %
                block_barriers=16,
                named_barriers=2,
                warp_barriers=100,  # of a warp alone: no barrier of a block
            )
        )
        self.assertEqual(
            {column: row[column] for column in records.COUNTED},
            {
                "sectors": 12,
                "sectors_per_ideal": 1.5,
                "wavefronts": 34,
                "conflicts": 8,
                "active_lanes": 26.5,
                "divergent_percent": 7.5,
                "barriers": 18,
            },
        )

    def test_a_ratio_over_nothing_is_left_out(self):
        row = self.row(counted("reduce/harris1", warp_blocks=1, warp_block_lanes=32))
        self.assertEqual((row["active_lanes"], row["barriers"]), (32, 0))
        self.assertNotIn("divergent_percent", row)
        self.assertNotIn("sectors_per_ideal", row)

    def test_a_record_without_counters_gets_no_columns(self):
        for line in (record(), json.dumps({**record(), "counters": None}) + "\n"):
            with self.subTest(line=line):
                self.folder = self.folder / "next"
                self.folder.mkdir()
                row = self.row(line)
                self.assertEqual(set(row) - {"counters"}, {*record(), "values", "block"})

    def test_a_wrong_case_has_no_counts(self):
        row = self.row({**counted("reduce/harris1", block_barriers=8), "outcome": "wrong"})
        self.assertIsNone(row["barriers"])

    def test_counters_that_are_no_whole_numbers(self):
        for broken in ([1], {"branches": 1.5}, {"branches": -1}, {"branches": True}, {"branches": "1"}):
            self.folder = self.folder / "next"
            self.folder.mkdir()
            with self.subTest(counters=broken):
                with self.assertRaisesRegex(records.RecordError, "records.jsonl:1: counters: an object"):
                    self.row(record(counters=broken))

    def test_counts_of_a_launch(self):
        launch = {"blocks": 2, "counters": counters(shared_load_wavefronts=3, shared_store_wavefronts=4)}
        first, second = records.launches(self.row(record(launches=[launch, {"blocks": 1}])))
        self.assertEqual(first["wavefronts"], 7)
        self.assertNotIn("wavefronts", second)


class Where(unittest.TestCase):
    row = {"variant": "reduce/harris1", "n": 1 << 24, "type": "i32"}

    def test_values_lists_sizes_and_short_names(self):
        self.assertTrue(records.matches(self.row, {"n": "16Mi", "variant": ["harris1", "harris2"]}))
        self.assertTrue(records.matches(self.row, {"variant": "reduce/harris1", "n": ["2^10", "2^24"]}))
        self.assertFalse(records.matches(self.row, {"n": "2^25"}))
        self.assertFalse(records.matches(self.row, {"layout": "structs"}))
        self.assertFalse(records.matches(self.row, {"variant": "harris"}))


class Sizes(unittest.TestCase):
    def test_spellings(self):
        for text, value in (("16Mi", 16777216), ("2^31", 2147483648), ("3Ki", 3072), ("7", 7), (7, 7)):
            self.assertEqual(records.parse_size(text), value)
        for text in ("16M", "2^", "1.5Mi", "-1", "", True, 1.0):
            with self.assertRaises(ValueError):
                records.parse_size(text)
        self.assertEqual(
            [records.format_size(v) for v in (31 << 20, 1000, 1 << 30, 1536)],
            ["31 Mi", "1000", "1 Gi", "1536"],
        )


class Published(RunTest):
    header = "figure,variant,device,n,type,operator,block,quantity,unit,relation,value,source\n"

    def load(self, text, **where):
        path = self.folder / "paper.csv"
        path.write_text(self.header + text)
        return records.load_published(path, where)

    def test_units_become_those_of_the_records(self):
        rows = self.load(
            "t,reduce/a,G,16Mi,i32,sum,,time,ms,=,5.28,T1\n"
            "t,reduce/a,G,,i32,sum,,bandwidth,GB/s,~,104,T1\n"
        )
        self.assertEqual(
            [(row["column"], row["value"]) for row in rows],
            [("time_ns", 5.28e6), ("bandwidth_gb_per_s", 104.0)],
        )
        self.assertEqual(rows[0]["n"], 16777216)
        self.assertNotIn("n", rows[1])

    def test_a_number_belongs_to_a_case_that_agrees_in_every_axis_given(self):
        rows = self.load(
            "t,reduce/a,G,1024,i32,sum,128,time,ms,=,1,T1\nt,reduce/a,G,,i32,sum,,time,ms,=,2,T1\n"
            "t,reduce/b,G,1024,i32,sum,,time,ms,=,3,T1\nt,reduce/a,G,1024,f32,sum,,time,ms,=,4,T1\n"
        )
        case = {"variant": "reduce/a", "n": 1024, "type": "i32", "operator": "sum", "block": 128}
        self.assertEqual([row["value"] for row in records.published_for(case, rows)], [1e6, 2e6])
        case["block"] = 256
        self.assertEqual([row["value"] for row in records.published_for(case, rows)], [2e6])

    def test_mistakes_are_named_by_line(self):
        for text, message in (
            ("t,reduce/a,G,16Mi,i32,sum,,time,ms,=,fast,T1\n", ":2: value: a number"),
            ("t,reduce/a,G,16Mi,i32,sum,,time,ms,=,1\n", ":2: not as many fields"),
            ("t,reduce/a,G,16Mi,i32,sum,,time,ms,=,1,T1,x\n", ":2: not as many fields"),
            ("t,reduce/a,G,16Mi,i32,sum,,time,ms,is,1,T1\n", ":2: relation: one of"),
            ("t,reduce/a,G,16M,i32,sum,,time,ms,=,1,T1\n", ":2: n: a size"),
            ("t,reduce/a,G,1,i32,sum,,time,ms,=,1,\n", ":2: source"),
        ):
            with self.assertRaises(records.RecordError) as caught:
                self.load(text)
            self.assertIn(message, str(caught.exception))

    def test_every_committed_file_can_be_read(self):
        folder = records.REPOSITORY / "results" / "papers"
        counts = {path.stem: len(records.load_published(path)) for path in folder.glob("*.csv")}
        self.assertEqual(set(counts), {"martin2012", "slides", "sizmann2023", "luitjens2014", "eilers2014"})
        self.assertTrue(all(counts.values()))

    def test_the_slides_numbers_as_printed(self):
        rows = records.load_published("results/papers/slides.csv", {"figure": "table"})
        self.assertEqual(
            [(row["variant"], row["value"] / 1e6) for row in rows],
            [
                ("reduce/harris1", 5.28),
                ("reduce/harris2", 2.52),
                ("reduce/harris3", 1.88),
                ("reduce/harris4", 0.99),
                ("reduce/harris5", 0.65),
                ("reduce/cpu_openmp", 2.34),
            ],
        )


if __name__ == "__main__":
    unittest.main()
