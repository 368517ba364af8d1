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

from support import REPOSITORY, RunTest
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


class Table(unittest.TestCase):
    def test_a_row_per_launch_after_names_and_units(self):
        poison, tree, last = counters.read_table(table())
        self.assertEqual([launch.kernel for launch in (poison, tree, last)], ["poison", "tree", "tree"])
        self.assertEqual([launch.counters["blocks"] for launch in (poison, tree, last)], [64, 2048, 1])
        self.assertEqual((tree.counters["global_load_sectors"], tree.counters["active_lanes"]), (65536, 27.5))
        # Reductions and atomics are one counter: 3 + 5 requests, 30 + 50 sectors.
        self.assertEqual((tree.counters["global_atomic_requests"], tree.counters["global_atomic_sectors"]), (8, 80))
        self.assertIsNone(last.counters["shared_load_conflicts"])  # n/a

    def test_tables_that_are_none(self):
        for text, message in (
            ("==ERROR== The user does not have permission\n", "no table of ncu's page `raw`"),
            (table().replace("shared_op_st.sum", "shared_op_x.sum"), "the table has no column l1tex__data_bank"),
            (table().replace(',"16"\n', "\n"), "a row of 25 fields under a header of 26"),
        ):
            with self.assertRaisesRegex(counters.CounterError, message):
                counters.read_table(text)


class Program(RunTest):
    """The whole script, over a redbench and an ncu that hand out the fixtures."""

    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        self.program = self.script("redbench", PROGRAM)
        self.ncu = Path(self.script("bin/ncu", NCU))
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

    def test_measured_there_compared_here_or_both_at_once(self):
        self.assertEqual(self.call("reduce/tree"), (0, "measuring reduce/tree\n"))
        page = (self.out / "counters.md").read_text()
        self.expect_golden("counters.md", page)
        shutil.rmtree(self.out)
        self.assertEqual(self.call("reduce/tree", "--measure")[0], 0)
        self.assertEqual([path.name for path in self.out.iterdir()], ["raw"])
        self.ncu.unlink()
        self.assertEqual(self.call("--compare", "reduce/tree"), (0, ""))
        self.assertEqual((self.out / "counters.md").read_text(), page)
        self.assertEqual(len(self.rows()), 2 * len(counters.COUNTERS))

    def test_what_cannot_be_compared_has_a_row_that_says_why(self):
        self.assertEqual(self.call("reduce/tree", "reduce/library")[0], 0)
        notes = {row["variant"]: row["note"] for row in self.rows() if row["note"]}
        self.assertEqual(notes, {"reduce/library": "redbench: reduce/library: nothing to run"})
        measured = self.folder / "measured.json"
        text = measured.read_text()
        for here, other, why in (
            ("n=1048576", "n=4096", "measured `reduce/tree n=4096 type"),
            ('"passed"', '"wrong"', "raw/reduce-tree.json: wrong: None"),
        ):
            measured.write_text(text.replace(here, other))
            self.assertEqual(self.call("reduce/tree")[0], 1)
            self.assertIn(why, self.rows()[0]["note"])


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
