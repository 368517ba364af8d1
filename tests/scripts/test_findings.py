"""The tables of docs/findings.md, of claims made up here. That the page has those of the records is held by
test_committed_results.py."""

import unittest
from unittest import mock

import support  # noqa: F401  it puts scripts/ on the path
import findings
from shared.records import RecordError


def part(value, verdict="holds", bound="> 1", **changed):
    fields = {"what": "a / b", "value": value, "low": None, "high": None, "bound": bound, "verdict": verdict, "why": ""}
    return {**fields, "decides": True, **changed}


def claim(*parts, verdict="holds"):
    return {"id": "a-claim", "verdict": verdict, "parts": list(parts)}


class Numbers(unittest.TestCase):
    def test_digits_are_those_that_the_interval_bears_out(self):
        self.assertEqual(findings.with_interval(1.29839, 1.29818, 1.29859), "1.2984 (1.2982 to 1.2986)")
        self.assertEqual(findings.with_interval(8.192, 8.065, 8.409), "8.19 (8.06 to 8.41)")
        self.assertEqual(findings.with_interval(5116.77, 5105.13, 5131.69), "5117 (5105 to 5132)")
        self.assertEqual(findings.with_interval(49281.6, 49278.9, 49284.0), "49 282 (49 279 to 49 284)")


class Deciding(unittest.TestCase):
    def test_of_a_claim_that_holds_the_nearest_to_its_bound(self):
        self.assertEqual(findings.deciding(claim(part(3.0), part(1.2), part(2.0)))["value"], 1.2)

    def test_of_one_that_does_not_the_furthest_of_those_that_fail(self):
        parts = [part(9.0), part(0.9, "does not hold"), part(0.5, "does not hold")]
        self.assertEqual(findings.deciding(claim(*parts, verdict="does not hold"))["value"], 0.5)

    def test_of_an_undecided_one_the_first_with_a_number(self):
        parts = [part(None, "undecided"), part(1.01, "undecided"), part(1.0, "undecided")]
        self.assertEqual(findings.deciding(claim(*parts, verdict="undecided"))["value"], 1.01)
        self.assertIsNone(findings.deciding(claim(part(None, "undecided"), verdict="undecided")))


class Tables(unittest.TestCase):
    def test_an_undecided_claim_says_why_and_not_by_which_record(self):
        parts = [part(2.0), part(None, "undecided", why="stale (kernel changed): reduce/x n=1")]
        table = findings.verdict_table([claim(*parts, verdict="undecided")])
        self.assertTrue(table.startswith("0 hold, 0 do not hold, 1 are undecided.\n"), table)
        self.assertIn("| a-claim | undecided | 1 of 2 |  |  | stale (kernel changed) |\n", table)

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


if __name__ == "__main__":
    unittest.main()
