import contextlib
import json
import unittest

from support import RunTest, counted, record
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
        self.assertIn("records.jsonl:1: $: [1, 2] is not of type 'object'", self.rejected("[1, 2]\n"))

    def test_a_missing_field(self):
        self.assertIn(
            "records.jsonl:2: $: 'operator' is a required property",
            self.rejected(record(), record(operator=None)),
        )

    def test_a_field_that_is_none(self):
        self.assertIn("records.jsonl:1: $: ", message := self.rejected(record(tme_ns=1)))
        self.assertIn("tme_ns", message)

    def test_n_as_text(self):
        self.assertIn("records.jsonl:1: $.n: '1024' is not of type", self.rejected(record(n=1024) | {"n": "1024"}))

    def test_an_unknown_outcome(self):
        self.assertIn("$.outcome: 'fine' is not one of ['passed',", self.rejected(record(outcome="fine")))

    def test_a_negative_time(self):
        self.assertIn("$.time_ns: -1.0 is less than", self.rejected(record(time_ns=-1.0)))

    def test_nan_is_not_a_time(self):
        self.assertIn(
            "NaN is no number",
            self.rejected('{"time_ns": NaN, ' + json.dumps(record(time_ns=None))[1:] + "\n"),
        )

    def test_counters_that_are_no_whole_numbers(self):
        for broken in ([1], {"branches": 1.5}, {"branches": -1}, {"branches": True}, {"branches": "1"}):
            self.folder = self.folder / "next"
            self.folder.mkdir()
            with self.subTest(counters=broken):
                self.assertIn("records.jsonl:1: $.counters", self.rejected(record(counters=broken)))

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

    def test_sessions_that_measured_otherwise_are_told_apart(self):
        sessions = [
            {"started": f"2026-11-2{day}T00:00:00Z", "commit": "abc", "measure": {"max_noise": noise, "mode": [mode]}}
            for day, noise, mode in ((1, 0.5, "cold"), (3, 1.0, "warm"), (4, 9.0, "warm"))
        ]
        run = records.load_run(self.write_run([record(), record(n=2048, session=1)], sessions=sessions))
        self.assertEqual(run.date, "2026-11-21 to 2026-11-23")
        self.assertEqual(run.differences, "max_noise 0.5, 1.0")
        rows = [record(), record(n=2048, session=1), record(n=4096, session=2)]
        run = records.load_run(self.write_run(rows, sessions=sessions, folder="three"))
        self.assertEqual(run.date, "2026-11-21 to 2026-11-24", "the first and the last")
        self.assertEqual(run.differences, "max_noise 0.5, 1.0, 9.0")

    def test_a_run_without_sessions_is_one(self):
        run = records.load_run(self.write_run([record()]))
        self.assertEqual((run.date, run.differences), ("2024-05-06", ""))

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
    def row(self, line):
        return records.load_run(self.write_run([line])).rows[0]

    def test_counters_and_what_follows_from_them_become_columns(self):
        row = self.row(counted("reduce/harris1", warp_barriers=7, active_lanes=26.5))
        self.assertEqual((row["warp_barriers"], row["global_load_requests"], row["active_lanes"]), (7, 0, 26.5))

    def test_a_wrong_case_has_no_counts(self):
        row = self.row({**counted("reduce/harris1", barriers=8), "outcome": "wrong"})
        self.assertIsNone(row["barriers"])

    def test_a_record_without_counters_gets_no_columns(self):
        for line in (record(), {**record(), "counters": None}):
            with self.subTest(line=line):
                self.folder = self.folder / "next"
                self.folder.mkdir()
                self.assertEqual(set(self.row(line)), {*record(), "values", "block"} - {"axes"})


class Quantities(unittest.TestCase):
    def test_units_and_what_the_interval_of_the_time_says_of_them(self):
        time, barriers = records.QUANTITIES["time_ns"], records.QUANTITIES["barriers"]
        self.assertEqual((time.heading, time.scale, time.follows_time), ("time (µs)", 1000, True))
        self.assertEqual(barriers.heading, "barriers (waits of warps)")
        self.assertEqual((barriers.scale, barriers.follows_time), (1, False))
        self.assertEqual(records.AXES, ["device", "mode", "n", "type", "operator"])


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

    def test_a_path_is_looked_for_in_the_working_directory_last(self):
        (self.folder / "results" / "papers").mkdir(parents=True)
        for name in ("slides", "mine"):
            (self.folder / "results" / "papers" / f"{name}.csv").write_text("broken\n")
        with contextlib.chdir(self.folder):
            self.assertTrue(records.load_published("results/papers/slides.csv"))
            with self.assertRaisesRegex(records.RecordError, "^results/papers/mine.csv:1: no column"):
                records.load_published("results/papers/mine.csv")

    def test_each_column_that_is_required_is_missed(self):
        path = self.folder / "paper.csv"
        for column in records.PUBLISHED_REQUIRED:
            path.write_text(",".join(name for name in records.PUBLISHED_REQUIRED if name != column) + "\n")
            with self.subTest(column), self.assertRaisesRegex(records.RecordError, f"paper.csv:1: no column {column}$"):
                records.load_published(path)
        path.write_text(",".join(records.PUBLISHED_REQUIRED) + "\n")
        self.assertEqual(records.load_published(path), [])

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
