"""scripts/compare_counters.py over counters/: what ncu and redbench would say of a case of two launches, by hand."""

import contextlib
import csv
import io
import json
import os
from pathlib import Path
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

from support import REPOSITORY
import compare_counters as counters

FIXTURES = Path(__file__).resolve().parent / "counters"
LISTED = {
    "reduce/tree": {"problem": "reduce", "devices": {"simt": {"takes": {"i32": ["sum"]}}, "cuda": {}}},
    "reduce/library": {"problem": "reduce", "devices": {"simt": {"takes": {}}, "cuda": {}}},
    "segreduce/tree": {"problem": "segreduce", "devices": {"simt": {"takes": {"i32": ["sum"]}}}},
    "triple_reduce/tree": {"problem": "triple_reduce", "devices": {"simt": {"takes": {"i32": ["sum"]}}}},
    "reduce/serial": {"problem": "reduce", "devices": {"host": {"takes": {"i32": ["sum"]}}}},
}
# Lists the variants; reduce/tree has its record, all others are refused.
PROGRAM = """#!/bin/sh
case "$*" in
  "list --json") cat "$FAKE/list.json" ;;
  "profile reduce/tree -d simt:h200 "*) cat "$FAKE/modelled.json" ;;
  "profile reduce/tree -d cuda "*) cat "$FAKE/measured.json" ;;
  *) echo "redbench: $2: nothing to run" >&2; exit 2 ;;
esac
"""
# Runs what comes after its options, and writes the table where --log-file says.
NCU = """#!/bin/sh
echo "$@" >> "$FAKE/ncu_calls"
while [ "$1" != --metrics ]; do [ "$1" = --log-file ] && log=$2; shift; done
shift 2
cp "$FAKE/tree.csv" "$log"
exec "$@"
"""


def table():
    return (FIXTURES / "tree.csv").read_text()


def launches():
    [record] = json.loads((FIXTURES / "modelled.json").read_text())
    return counters.modelled_launches(record), counters.read_table(table())


class Table(unittest.TestCase):
    def test_a_row_per_launch_after_names_and_units(self):
        found = counters.read_table(table())
        self.assertEqual([launch.kernel for launch in found], ["poison", "tree", "tree"])
        self.assertEqual([launch.counters["blocks"] for launch in found], [64, 2048, 1])
        self.assertEqual(found[1].counters["global_load_sectors"], 65536)
        self.assertEqual(found[1].counters["active_lanes"], 27.5)

    def test_reductions_and_atomics_are_one_counter(self):
        tree = counters.read_table(table())[1].counters
        self.assertEqual((tree["global_atomic_requests"], tree["global_atomic_sectors"]), (8, 80))

    def test_what_is_no_number_is_none(self):
        self.assertIsNone(counters.read_table(table())[2].counters["shared_load_conflicts"])
        self.assertEqual(counters.number_of("1,234,567"), 1234567)
        self.assertEqual(counters.number_of("0.5"), 0.5)
        self.assertIsNone(counters.number_of(""))

    def test_tables_that_are_none(self):
        for text, message in (
            ("", "no table of ncu's page `raw`"),
            ("==ERROR== The user does not have permission\n", "no table of ncu's page `raw`"),
            (table().replace("shared_op_st.sum", "shared_op_x.sum"), "the table has no column l1tex__data_bank"),
            (table().replace(',"16"\n', "\n"), "a row of 25 fields under a header of 26"),
        ):
            with self.assertRaises(counters.CounterError) as caught:
                counters.read_table(text)
            self.assertIn(message, str(caught.exception))

    def test_names_of_functions(self):
        for kernel in (
            "tree",
            "tree<Sum<int>>",
            "void redbench::cuda::<unnamed>::tree<redbench::cuda::Sum<int>>(const T1::Value *, long)",
            "void redbench::(anonymous namespace)::tree<redbench::Sum<int>, 4>(int const*, long)",
            "redbench::tree(const int *)",
        ):
            self.assertEqual(counters.function_of(kernel), "tree")


class Joined(unittest.TestCase):
    case = counters.Case("reduce/tree", counters.AXES)

    def rows(self):
        rows = counters.compared(self.case, *launches())
        return {(row["launch"], row["counter"]): row for row in rows}

    def test_each_launch_has_each_counter(self):
        rows = self.rows()
        self.assertEqual(len(rows), 2 * len(counters.COUNTERS))
        self.assertEqual({row["kernel"] for row in rows.values()}, {"tree"})

    def test_differences_are_in_percent_of_what_was_measured(self):
        rows = self.rows()
        self.assertEqual(rows[1, "global_load_sectors"]["difference_percent"], 12.5)  # 73728 and 65536
        self.assertEqual(rows[1, "shared_load_conflicts"]["difference_percent"], -100)  # 0 and 4096
        self.assertEqual(rows[1, "shared_store_conflicts"]["difference_percent"], 0)  # 0 and 0
        self.assertEqual(rows[1, "active_lanes"]["modelled"], 28)  # 28000 / 1000
        self.assertIsNone(rows[2, "shared_load_conflicts"]["difference_percent"])  # 4 and n/a
        self.assertIsNone(rows[2, "active_lanes"]["difference_percent"])  # no step and 16
        self.assertIsNone(counters.difference(4, 0))

    def test_other_launches_are_no_match(self):
        model, gpu = launches()
        for wrong, message in (
            (gpu[:2], "the model launches tree, tree, the GPU tree"),
            (gpu[:1], "the model launches tree, tree, the GPU none of these"),
        ):
            with self.assertRaisesRegex(counters.CounterError, f"^{message}$"):
                counters.compared(self.case, model, wrong)


class Program(unittest.TestCase):
    """The whole script, over a redbench and an ncu that hand out the fixtures."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out"
        self.program = self.script("redbench", PROGRAM)
        for name in ("tree.csv", "modelled.json", "measured.json"):
            shutil.copy(FIXTURES / name, self.folder)
        (self.folder / "list.json").write_text(json.dumps(LISTED))
        environment = mock.patch.dict(os.environ, FAKE=str(self.folder), PATH=f"{self.folder}/bin:/usr/bin:/bin")
        environment.start()
        self.addCleanup(environment.stop)

    def script(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def call(self, *arguments):
        """Exit code and what was said on standard error."""
        error = io.StringIO()
        with contextlib.redirect_stderr(error), contextlib.redirect_stdout(io.StringIO()):
            code = counters.main([self.program, str(self.out), *arguments])
        return code, error.getvalue()

    def rows(self):
        with (self.out / "counters.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    def test_both_steps_at_once(self):
        self.script("bin/ncu", NCU)
        self.assertEqual(self.call("reduce/tree"), (0, "measuring reduce/tree\n"))
        rows = self.rows()
        self.assertEqual(list(rows[0]), list(counters.COLUMNS))
        [sectors] = [row for row in rows if (row["launch"], row["counter"]) == ("1", "global_load_sectors")]
        self.assertEqual(
            [sectors[column] for column in ("kernel", "modelled", "measured", "difference_percent")],
            ["tree", "73728", "65536", "12.5"],
        )
        page = (self.out / "counters.md").read_text()
        self.assertTrue(page.startswith("# Counters of simt:h200 and NVIDIA Test\n"), page)
        self.assertIn("| reduce/tree |  | 1 | tree | global_load_sectors | 73728 | 65536 | 12.5 |  |", page)
        self.assertNotIn("| tree | shared_store_conflicts |", page)
        self.assertIn("| global_load_sectors | 2 | 1 | 1 | 12.5 |", page)

    def test_measured_there_compared_here(self):
        ncu = Path(self.script("bin/ncu", NCU))
        self.assertEqual(self.call("reduce/tree", "--measure")[0], 0)
        self.assertFalse((self.out / "counters.csv").exists())
        self.assertEqual(
            sorted(path.name for path in (self.out / "raw").iterdir()), ["reduce-tree.csv", "reduce-tree.json"]
        )
        ncu.unlink()
        self.assertEqual(self.call("--compare", "reduce/tree"), (0, ""))
        self.assertEqual(len(self.rows()), 2 * len(counters.COUNTERS))

    def test_what_is_measured(self):
        self.script("bin/ncu", NCU)
        self.call("--measure", "-a", "n=4096", "-a", "values=file:a=b.npy")
        asked = [line.split(self.program, 1)[1] for line in (self.folder / "ncu_calls").read_text().splitlines()]
        axes = "-a n=4096 -a type=i32 -a operator=sum"
        values = " -a values=file:a=b.npy"  # a value may have an equals sign, too
        self.assertEqual(
            [(line.split()[1], line[line.index("-a ") :]) for line in asked],
            [
                ("reduce/tree", axes + values),
                ("segreduce/tree", axes + " -a segments=one" + values),
                ("segreduce/tree", axes + " -a segments=fixed:3" + values),
            ],
        )

    def test_a_variant_that_the_model_cannot_run_has_its_row(self):
        self.script("bin/ncu", NCU)
        self.assertEqual(self.call("reduce/tree", "reduce/library", "reduce/serial")[0], 0)
        notes = {row["variant"]: row["note"] for row in self.rows() if row["note"]}
        self.assertEqual(
            notes,
            {
                "reduce/library": "redbench: reduce/library: nothing to run",
                "reduce/serial": "redbench: reduce/serial: nothing to run",
            },
        )

    def test_without_ncu(self):
        code, said = self.call("reduce/tree")
        self.assertEqual(code, 2)
        self.assertTrue(said.startswith("compare_counters: ncu is not in PATH; it is Nsight Compute"), said)

    def test_without_raw_data(self):
        self.assertEqual(self.call("reduce/tree", "--compare")[0], 1)
        self.assertIn("raw/reduce-tree.csv: there is no such file", self.rows()[0]["note"])

    def test_what_ncu_says_where_it_may_not_measure(self):
        refusal = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access GPU counters"
        (self.folder / "tree.csv").write_text(refusal + "\n==WARNING== No kernels were profiled.\n")
        self.script("bin/ncu", NCU)
        code, said = self.call("reduce/tree", "--measure")
        self.assertEqual(code, 1)
        self.assertIn(refusal, said)

    def test_another_case_was_measured(self):
        self.script("bin/ncu", NCU)
        measured = self.folder / "measured.json"
        measured.write_text(measured.read_text().replace("n=1048576", "n=4096"))
        self.assertEqual(self.call("reduce/tree")[0], 1)
        self.assertIn("measured `reduce/tree n=4096 type", self.rows()[0]["note"])

    def test_a_wrong_result_is_not_compared(self):
        self.script("bin/ncu", NCU)
        measured = self.folder / "measured.json"
        measured.write_text(measured.read_text().replace('"passed"', '"wrong"'))
        self.assertEqual(self.call("reduce/tree")[0], 1)
        self.assertIn("raw/reduce-tree.json: wrong: None", self.rows()[0]["note"])

    def test_an_unknown_variant(self):
        self.assertIn("no variant `reduce/trie`", self.call("reduce/trie", "--compare")[1])


class Redbench(unittest.TestCase):
    def test_the_model_has_every_counter(self):
        with tempfile.TemporaryDirectory() as folder:
            case = counters.Case("segreduce/tb2", {"n": "4096", "segments": "fixed:3"})
            text = subprocess.run(
                case.command(str(REPOSITORY / "build" / "redbench"), "simt:h200", folder),
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            ).stdout
        found = counters.modelled_launches(counters.only_record(text, "simt:h200"))
        # 4096 values in 1366 segments: 6 blocks of 256 set them to the identity; tiles of 512.
        self.assertEqual(
            [(launch.kernel, launch.counters["blocks"]) for launch in found],
            [("fill_kernel", 6), ("segmented_tree", 8), ("segmented_tree", 1)],
        )
        for launch in found:
            self.assertLessEqual(set(counters.COUNTERS), set(launch.counters))
        # A warp stores 32 of the 1366 i32: 43 requests, 171 sectors of 32 bytes.
        fill = found[0].counters
        self.assertEqual((fill["global_store_requests"], fill["global_store_sectors"]), (43, 171))


if __name__ == "__main__":
    unittest.main()
