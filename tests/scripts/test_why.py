"""redbench why: what is counted of two kernels, by hand, and what records say of their times."""

import json
import subprocess
import unittest

from support import PROGRAM, REPOSITORY, RunTest

QUICK = REPOSITORY / "results" / "h200" / "quick"
# Threads that add in the steps of a tree over 256 values, and the warps that they are in where they are neighbours.
ADDING = [128, 64, 32, 16, 8, 4, 2, 1]
WARPS = [4, 2, 1, 1, 1, 1, 1, 1]


def why(*arguments, results=()):
    """Standard output; AssertionError with what was said instead."""
    words = [PROGRAM, "why", *arguments]
    for folder in results:
        words += ["--results", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=REPOSITORY / "tests")
    if done.returncode:
        raise AssertionError(f"exit code {done.returncode}: {done.stderr}")
    return done.stdout


def step(first, second, *arguments, results=()):
    return json.loads(why(f"reduce/{first}", f"reduce/{second}", "--json", *arguments, results=results))


def counts(answer):
    return {one["name"]: (one["from"], one["to"]) for one in answer["counters"]}


def conflicts_of_a_step(adding):
    """Of harris2's threads, whose words are 256 / adding apart: turns beyond the first, of each warp's access."""
    words_apart, lanes = 256 // adding, min(adding, 32)
    banks = [lane * words_apart % 32 for lane in range(lanes)]
    return max(banks.count(bank) for bank in banks) - 1


class Why(RunTest):
    def test_the_conflicts_that_harris3_saves_are_those_of_a_hand_count(self):
        answer = step("harris2", "harris3", "--n", "256")
        # Two loads and a store of each warp that adds.
        by_hand = 3 * sum(warps * conflicts_of_a_step(adding) for adding, warps in zip(ADDING, WARPS, strict=True))
        self.assertEqual(by_hand, 105)
        self.assertEqual(counts(answer), {"shared_conflicts": (by_hand, 0)})
        self.assertEqual(
            answer["case"],
            {"device": "simt:h200", "n": 256, "type": "i32", "operator": "sum", "values": "uniform"},
        )
        (line,) = answer["counters"][0]["lines"]
        source = (REPOSITORY / line["file"]).read_text().splitlines()[line["line"] - 1]
        self.assertIn("s[k + stride]", source)
        self.assertEqual(line["text"], source.strip())
        self.assertEqual((line["variant"], line["count"]), ("reduce/harris2", by_hand))
        self.assertIn(f"{line['file']}:{line['line']}", answer["sentences"][0])

    def test_the_branches_that_harris2_saves_are_those_of_a_hand_count(self):
        answer = step("harris1", "harris2", "--n", "256")
        # The last step of both is thread 0's alone. harris1: every warp that adds, in all steps but those where
        # each of a warp's lanes would; its lanes are 256 / adding apart.
        harris1 = sum(min(8, adding) for adding in ADDING) + 1
        harris2 = sum(adding < 32 for adding in ADDING) + 1
        self.assertEqual(counts(answer)["divergent_branches"], (harris1, harris2))
        accesses = 8 + 3 * sum(WARPS) + 1
        self.assertEqual(counts(answer)["shared_requests"], (8 + 3 * (harris1 - 1) + 1, accesses))
        ratio = next(one["ratio"] for one in answer["counters"] if one["name"] == "shared_requests")
        self.assertAlmostEqual(ratio, accesses / (8 + 3 * (harris1 - 1) + 1))

    def test_a_kernel_does_what_it_does(self):
        answer = step("harris3", "harris3", "--n", "4Ki")
        self.assertEqual((answer["counters"], answer["launches"], answer["sentences"]), ([], [], []))

    def test_the_steps_of_a_config_are_its_kernels_in_their_order(self):
        answer = json.loads(why(REPOSITORY / "configs" / "slides" / "table.json", "--json", "-a", "n=4Ki"))
        steps = [(one["from"][-1], one["to"][-1]) for one in answer]
        self.assertEqual(steps, [("1", "2"), ("2", "3"), ("3", "4"), ("4", "5")], "cpu_openmp has no kernel")

    def test_times_are_of_the_largest_n_that_both_have(self):
        answer = step("harris2", "harris3", results=[QUICK])
        rows = [json.loads(line) for line in (QUICK / "records.jsonl").read_text().splitlines()]
        largest = max(row["n"] for row in rows if row["variant"] == "reduce/harris2" and row["time_ns"])
        for time, variant in zip(answer["times"], ("reduce/harris2", "reduce/harris3"), strict=True):
            (row,) = (
                row
                for row in rows
                if row["n"] == largest and row["variant"] == variant and row["type"] == "i32" and row["mode"] == "cold"
            )
            self.assertEqual(
                time,
                {
                    "device": "cuda:0",
                    "hardware": "NVIDIA H200",
                    "variant": variant,
                    "n": largest,
                    "mode": "cold",
                    "time_ns": row["time_ns"],
                    "low": row["time_low_ns"],
                    "high": row["time_high_ns"],
                    "record": f"{QUICK}#{row['key']}",
                },
            )
        first, second = (time["time_ns"] for time in answer["times"])
        self.assertIn(f"{100 * second / first:.1f} %", answer["sentences"][0])

    def test_records_of_another_kernel_or_another_n_tell_nothing(self):
        self.assertEqual(step("harris2", "harris3", "--n", "1000", results=[QUICK])["times"], [])
        stale = self.folder / "stale"
        stale.mkdir()
        (stale / "run.json").write_bytes((QUICK / "run.json").read_bytes())
        rows = [json.loads(line) for line in (QUICK / "records.jsonl").read_text().splitlines()]
        for row in rows:
            if row["variant"] == "reduce/harris2":
                row["source_hash"] = "0" * 16
        (stale / "records.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.assertEqual(step("harris2", "harris3", results=[stale])["times"], [])


if __name__ == "__main__":
    unittest.main()
