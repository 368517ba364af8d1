"""scripts/compare_counters.py over what ncu (counters/tree.csv) and redbench would say of two launches, by hand."""

import csv
import json
import os
from pathlib import Path
import shutil
import unittest
from unittest import mock

from support import PROGRAM, RunTest, executable, output_of
import compare_counters as counters

TABLE = Path(__file__).resolve().parent / "counters" / "tree.csv"
DEVICES = {
    "reduce/tree": {"simt": {"takes": {"i32": ["sum"]}}, "cuda": {}},
    "reduce/library": {"simt": {"takes": {}}, "cuda": {}},
    "segreduce/tree": {"simt": {"takes": {"i32": ["sum"]}}},
    "triple_reduce/tree": {"simt": {"takes": {"i32": ["sum"]}}},
    "reduce/serial": {"host": {"takes": {"i32": ["sum"]}}},
}
LISTED = {name: {"problem": name.split("/")[0], "devices": devices} for name, devices in DEVICES.items()}
# What the modelled device counts in the first and in the second launch.
MODELLED = {
    "global_load_requests": (16384, 8), "global_load_sectors": (73728, 32),
    "global_store_requests": (1024, 1), "global_store_sectors": (1024, 1),
    "global_atomic_requests": (8, 0), "global_atomic_sectors": (80, 0),
    "shared_load_requests": (40960, 40), "shared_load_wavefronts": (40960, 44), "shared_load_conflicts": (0, 4),
    "shared_store_requests": (20480, 20), "shared_store_wavefronts": (20480, 20), "shared_store_conflicts": (0, 0),
    "warp_basic_blocks": (1000, 0), "warp_basic_block_lanes": (28000, 0),
}
# Lists the variants; reduce/tree has its record, all others are refused.
REDBENCH = """case "$*" in
  "list --json") cat "$FAKE/list.json" ;;
  "profile reduce/tree -d simt:h200 "*) cat "$FAKE/modelled.json" ;;
  "profile reduce/tree -d cuda "*) [ "$REDBENCH_UNDER_NCU" ] && cat "$FAKE/measured.json" ;;
  *) echo "redbench: $2: nothing to run" >&2; exit 2 ;;
esac
"""
# Runs what comes after its options, and writes the table where --log-file says.
NCU = """while [ "$1" != --metrics ]; do [ "$1" = --log-file ] && log=$2; shift; done
shift 2
cp "$FAKE/tree.csv" "$log"
exec "$@"
"""


class Table(unittest.TestCase):
    def test_a_row_per_launch_after_names_and_units(self):
        launches = counters.read_table(TABLE.read_text())
        self.assertEqual([launch.kernel for launch in launches], ["poison", "tree", "tree"])
        self.assertEqual([launch.counters["blocks"] for launch in launches], [64, 2048, 1])
        _, tree, last = (launch.counters for launch in launches)
        self.assertEqual((tree["global_load_sectors"], tree["active_lanes"]), (65536, 27.5))
        # Reductions and atomics are one counter: 3 + 5 requests, 30 + 50 sectors.
        self.assertEqual((tree["global_atomic_requests"], tree["global_atomic_sectors"]), (8, 80))
        self.assertIsNone(last["shared_load_conflicts"])  # n/a

    def test_tables_that_are_none(self):
        table = TABLE.read_text()
        for text, message in (
            ("==ERROR== The user does not have permission\n", "no table of ncu's page `raw`"),
            (table.replace("shared_op_st.sum", "shared_op_x.sum"), "one without l1tex__data_bank_conflicts"),
            (table.replace(',"16"\n', "\n"), "a row of its table is not as long as"),
        ):
            with self.assertRaisesRegex(counters.CounterError, message):
                counters.read_table(text)


class Program(RunTest):
    """The whole script, over a redbench and an ncu that hand out the fixtures."""

    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        self.program = executable(self.folder / "redbench", REDBENCH)
        self.ncu = executable(self.folder / "bin" / "ncu", NCU)
        shutil.copy(TABLE, self.folder)
        launches = [{"kernel": "tree<Sum<int>>", "blocks": blocks} for blocks in (2048, 1)]
        self.write_record("measured", "NVIDIA Test", launches)
        counts = [{"counters": {name: of_both[i] for name, of_both in MODELLED.items()}} for i in range(2)]
        self.write_record("modelled", "h200", [launch | own for launch, own in zip(launches, counts, strict=True)])
        (self.folder / "list.json").write_text(json.dumps(LISTED))
        environment = mock.patch.dict(os.environ, FAKE=str(self.folder), PATH=f"{self.folder}/bin:/usr/bin:/bin")
        environment.start()
        self.addCleanup(environment.stop)

    def write_record(self, name, hardware, launches, n=1048576, outcome="passed"):
        key = f"reduce/tree n={n} type=i32 operator=sum values=uniform"
        record = {"key": key, "hardware": hardware, "outcome": outcome, "reason": None, "launches": launches}
        (self.folder / f"{name}.json").write_text(json.dumps([record]))

    def call(self, *arguments):
        """Exit code and what was said on standard error."""
        code, _, errors = output_of(counters.main, self.program, self.out, *arguments)
        return code, errors

    def rows(self):
        with (self.out / "counters.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    def test_what_was_measured_is_compared_without_a_gpu(self):
        self.assertEqual(self.call("reduce/tree"), (0, "measuring reduce/tree\n"))
        page = (self.out / "counters.md").read_text()
        self.expect_golden("counters.md", page)
        self.assertEqual(len(self.rows()), 2 * len(counters.COUNTERS))
        self.ncu.unlink()
        self.assertEqual(self.call("--compare", "reduce/tree"), (0, ""))
        self.assertEqual((self.out / "counters.md").read_text(), page)

    def test_what_cannot_be_compared_has_a_row_that_says_why(self):
        self.assertEqual(self.call("reduce/tree", "reduce/library")[0], 1)
        notes = {row["variant"]: row["note"] for row in self.rows() if row["note"]}
        self.assertEqual(notes, {"reduce/library": "redbench: reduce/library: nothing to run"})
        for changed, why in (
            ({"n": 4096}, "measured `reduce/tree n=4096 type"),
            ({"outcome": "wrong"}, "raw/reduce-tree.json: wrong: None"),
        ):
            self.write_record("measured", "NVIDIA Test", [], **changed)
            self.assertEqual(self.call("reduce/tree")[0], 1)
            self.assertIn(why, self.rows()[0]["note"])

    def test_without_names_the_variants_of_two_problems_that_the_model_runs(self):
        self.assertEqual(self.call()[0], 1)
        cases = dict.fromkeys((row["variant"], row["case"]) for row in self.rows())
        segments = [("segreduce/tree", f"segments={lengths}") for lengths in ("one", "fixed:3")]
        self.assertEqual(list(cases), [("reduce/tree", ""), *segments])

    def test_the_model_has_every_counter(self):
        case = counters.Case("segreduce/tb2", {"n": "4096", "segments": "fixed:3"})
        record = counters.only_record(case.profile(str(PROGRAM), "simt:h200"), "simt:h200")
        found = counters.modelled_launches(record)
        # 4096 values in 1366 segments: 2 blocks of 256 set them to the identity, four in a store; tiles of 512.
        kernels = [("fill_kernel", 2), ("segmented_tree", 8), ("segmented_tree", 1)]
        self.assertEqual([(launch.kernel, launch.counters["blocks"]) for launch in found], kernels)
        for launch in found:
            self.assertLessEqual(set(counters.COUNTERS), set(launch.counters))
        # A warp stores 32 x 4 of the first 1364 i32: 11 requests, 171 sectors of 32 bytes; the last 2: one more each.
        fill = found[0].counters
        self.assertEqual((fill["global_store_requests"], fill["global_store_sectors"]), (12, 172))
