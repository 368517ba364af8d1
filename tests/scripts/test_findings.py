"""What goes into the tables of docs/findings.md and README.md, and where they stand. That the pages have those of the
records, with the deciding parts of the claims and their digits, is tested in test_committed_results.py."""

import unittest
from unittest import mock

import support  # noqa: F401  it puts scripts/ on the path
import findings
from shared.records import RecordError


class Tables(unittest.TestCase):
    def test_the_fastest_of_a_cell_is_of_a_gpu_cold_and_right(self):
        def row(variant, time_ns, **other):
            measured = {"time_ns": time_ns, "time_low_ns": time_ns - 40, "time_high_ns": time_ns + 40}
            known = {"problem": "reduce", "n": 65536, "device": "cuda:0", "mode": "cold", "outcome": "passed"}
            return {"variant": f"reduce/{variant}", "percent_of_ceiling": 80.2, **known, **measured, **other}

        rows = [row("cub", 7700), row("mine", 7000), row("slow", 9000)]
        rows += [row("on_cpu", 10, device="host"), row("in_cache", 10, mode="warm")]
        rows += [row("of_less", 10, n=1024), row("bad", 10, outcome="wrong")]
        cell = {"run": "paper/fig1", "input": "i32 sum", "where": {"n": 65536}}
        with mock.patch.object(findings, "load_run", return_value=mock.Mock(rows=rows)):
            table = findings.fastest_table([cell])
            with self.assertRaisesRegex(RecordError, "paper/fig1: no record has"):
                findings.fastest_table([{**cell, "where": {"n": 7}}])
        link = "[mine](results/h200/paper/fig1/tables/fig1.md)"
        times = "7.00 (6.96 to 7.04) | 80 | 7.70 (7.66 to 7.74)"
        self.assertEqual(table.splitlines()[2:], [f"| reduce | i32 sum, n 64 Ki | {link} | {times} |"])

    def test_a_table_replaces_the_one_between_its_lines(self):
        begin, end = findings.NUMBERS
        text = findings.with_tables("page", f"before\n{begin}\nold\n{end}\nafter\n", {findings.NUMBERS: "new\n"})
        self.assertEqual(text, f"before\n{begin}\nnew\n{end}\nafter\n")
        for damaged in ("before\n", f"{begin}\n", f"{end}\n{begin}\n", f"{begin}\n{begin}\n{end}\n"):
            with self.subTest(damaged), self.assertRaisesRegex(RecordError, "has not once the lines"):
                findings.with_tables("page", damaged, {findings.NUMBERS: ""})
