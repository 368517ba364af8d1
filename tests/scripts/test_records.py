"""How the scripts read runs and published numbers: records as rows, and files that are refused by their line."""

import contextlib
import gzip
import json
import unittest

from jsonschema import Draft202012Validator

from support import RunTest, counted, record
from shared import published, records


class LoadRun(RunTest):
    def load(self, *lines, **facts):
        return records.load_run(self.write_run(lines, folder=f"run{len(list(self.folder.iterdir()))}", **facts))

    def test_axes_parameters_and_counters_become_columns(self):
        run = self.load(record(axes={"values": {"file": "x.npy"}, "layout": "structs"}))
        row = run.rows[0]
        self.assertEqual((row["values"], row["layout"], row["block"]), ("x.npy", "structs", 256))
        self.assertEqual(run.axes, ["device", "mode", "n", "type", "operator", "tuned", "values", "layout"])
        self.assertEqual((run.parameters, row["parameters"]), (["block"], "block=256"))
        (row,) = self.load(counted("reduce/harris1", warp_barriers=7, active_lanes=26.5)).rows
        self.assertEqual((row["warp_barriers"], row["global_load_requests"], row["active_lanes"]), (7, 0, 26.5))

    def test_a_line_that_does_not_fit_the_schema_costs_its_own_case_and_is_named_by_file_and_line(self):
        nan = '{"time_ns": NaN, ' + json.dumps(record(time_ns=None))[1:] + "\n"
        for lines, message in (
            ((record(), "\n", "{broken\n"), "records.jsonl:3: not JSON"),
            (('{"variant": "reduce/har\n', record()), "records.jsonl:1: not JSON"),
            ((record(), record(operator=None)), "records.jsonl:2: $: 'operator' is a required property"),
            ((record(tme_ns=1),), "tme_ns"),
            ((record() | {"n": "1024"},), "records.jsonl:1: $.n: '1024' is not of type"),
            ((record(time_ns=-1.0),), "$.time_ns: -1.0 is less than"),
            ((nan,), "NaN is no number"),
            ((record(counters={"branches": 1.5}),), "records.jsonl:1: $.counters"),
        ):
            with self.subTest(message):
                run = self.load(*lines, record(n=4096))
                self.assertIn(message, "".join(run.bad))
                self.assertEqual((len(run.bad), run.rows[-1]["n"]), (1, 4096))
        with self.assertRaisesRegex(records.RecordError, "run.json: no such file"):
            records.load_run(self.folder)

    def test_the_line_that_a_killed_run_left_unfinished_is_no_record(self):
        self.assertEqual(len(self.load(record(), '{"variant": "reduce/har').rows), 1)

    def test_compressed_records_are_read_as_their_text(self):
        plain = self.load(record(), record(n=2048))
        path = plain.directory / "records.jsonl"
        whole = gzip.compress(path.read_bytes())
        path.unlink()
        for compressed, rows in ((whole, plain.rows), (whole[:-9], None), (whole[:20] + b"xx" + whole[22:], None)):
            path.with_suffix(".jsonl.gz").write_bytes(compressed)
            if rows:
                self.assertEqual(records.load_run(plain.directory).rows, rows)
            else:
                self.assertRaisesRegex(records.RecordError, "records.jsonl.gz: ", records.load_run, plain.directory)

    def test_a_wrong_case_has_neither_time_nor_counts_whatever_its_record_says(self):
        for line in (record(outcome="wrong"), {**counted("reduce/harris1", barriers=8), "outcome": "wrong"}):
            (row,) = self.load(line).rows
            self.assertTrue(all(row[column] is None for column in records.QUANTITIES))

    def test_the_last_record_of_a_case_counts_and_rows_are_in_the_order_of_the_plan(self):
        run = self.load(record(time_ns=1.0), record(n=2048), record(time_ns=3.0))
        self.assertEqual([(row["n"], row["time_ns"]) for row in run.rows], [(1024, 3.0), (2048, 2000.0)])
        self.assertEqual(len(self.load(record(), record(parameters={"block": 128}), record(mode="warm")).rows), 3)
        run = self.load(record(n=4, case=1), record(n=2, case=0), record(n=8, case=2))
        self.assertEqual([row["n"] for row in run.rows], [2, 4, 8])

    def test_a_modelled_gpu_is_not_named_as_hardware(self):
        modelled = record(device="simt:h200", hardware="h200", time_ns=None)
        run = self.load(modelled, record("reduce/cpu_serial", device="host", hardware="Xeon"))
        self.assertEqual(run.hardware(run.rows), "simt:h200, Xeon")


class Values(unittest.TestCase):
    def test_a_row_is_chosen_by_values_lists_and_short_names(self):
        row = {"variant": "reduce/harris1", "n": 1 << 24, "type": "i32"}
        for where in ({}, {"n": [1 << 24, 1]}, {"variant": ["harris1", "harris2"]}):
            self.assertTrue(records.matches(row, where), where)
        for where in ({"n": 1 << 23}, {"variant": "reduce/harris2"}, {"type": "i32", "n": 1}):
            self.assertFalse(records.matches(row, where), where)

    def test_sizes_are_read_and_written(self):
        for text, value in (("4096", 4096), ("16Mi", 1 << 24), ("2^20", 1 << 20)):
            self.assertEqual(published.parse_size(text), value)
        for text in ("16M", "", "2^", "-1"):
            with self.assertRaises(ValueError):
                published.parse_size(text)
        shown = {1 << 24: "16 Mi", 3 << 30: "3 Gi", 1000: "1000", 1536: "1536", 1024: "1 Ki"}
        self.assertEqual({value: records.format_size(value) for value in shown}, shown)


class Published(RunTest):
    header = "figure,variant,device,n,type,operator,block,quantity,unit,relation,value,source\n"

    def load(self, text, **where):
        path = self.folder / "paper.csv"
        path.write_text(self.header + text)
        return published.load(path, where)

    def test_units_become_those_of_the_records(self):
        times = "t,reduce/a,G,16Mi,i32,sum,,time,ms,=,5.28,T1\n"
        rows = self.load(times + "t,reduce/a,G,,i32,sum,,bandwidth,GB/s,~,104,T1\n")
        values = [(row["column"], row["value"], row.get("n")) for row in rows]
        self.assertEqual(values, [("time_ns", 5.28e6, 1 << 24), ("bandwidth_gb_per_s", 104.0, None)])

    def test_a_path_is_looked_for_in_the_working_directory_last(self):
        (self.folder / "results" / "papers").mkdir(parents=True)
        for name in ("slides", "mine"):
            (self.folder / "results" / "papers" / f"{name}.csv").write_text("broken\n1\n")
        with contextlib.chdir(self.folder):
            self.assertTrue(published.load("results/papers/slides.csv"))
            with self.assertRaisesRegex(records.RecordError, "^results/papers/mine.csv:2: no published number"):
                published.load("results/papers/mine.csv")

    def test_mistakes_are_named_by_line(self):
        for text, message in (
            ("t,reduce/a,G,16Mi,i32,sum,,time,ms,=,fast,T1\n", ":2: no published number: could not convert"),
            ("t,reduce/a,G,16Mi,i32,sum,,time,ms,=,1\n", ":2: no published number"),
            ("t,reduce/a,G,16Mi,i32,sum,,time,ms,is,1,T1\n", ":2: no published number: relation: one of"),
            ("t,reduce/a,G,16M,i32,sum,,time,ms,=,1,T1\n", ":2: no published number: a size"),
        ):
            with self.assertRaises(records.RecordError) as caught:
                self.load(text)
            self.assertIn(message, str(caught.exception))


class Quick(RunTest):
    """The fast check never accepts what the schema refuses, and accepts committed records."""

    def test_it_agrees_with_jsonschema(self):
        values = (None, True, 1, -1, 0, 1.0, -0.5, "x", "", [], {}, [1], {"a": 1}, 1e308, float("inf"))
        schema = Draft202012Validator(records.SCHEMA)
        for name in [*records.SCHEMA["properties"], "unknown"]:
            for value in values:
                changed = record() | {name: value}
                if records.QUICK(changed):
                    self.assertTrue(schema.is_valid(changed), (name, value))
        launch = {"kernel": "k", "blocks": 1}
        for changed in (record(launches=[launch]), {k: v for k, v in record().items() if k != "key"}, [], 5):
            self.assertFalse(records.QUICK(changed))
        path = records.REPOSITORY / "results" / "h200" / "quick" / "records.jsonl"
        self.assertTrue(all(records.QUICK(json.loads(line)) for line in path.read_text().splitlines()))
