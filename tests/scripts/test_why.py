"""redbench why: what is counted of two kernels, by hand."""

import json

from support import REPOSITORY, RunTest, redbench

# Threads that add in the steps of a tree over 256 values, and the warps that they are in where they are neighbours.
ADDING = [128, 64, 32, 16, 8, 4, 2, 1]
WARPS = [4, 2, 1, 1, 1, 1, 1, 1]


def why(*arguments):
    # Not in the repository's root, whose results/ it would read.
    return json.loads(redbench("why", *arguments, "--json", cwd=REPOSITORY / "tests"))


def step(first, second, *arguments):
    return why(f"reduce/{first}", f"reduce/{second}", *arguments)


def counts(answer):
    return {counter["name"]: (counter["from"], counter["to"]) for counter in answer["counters"]}


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
        case = {"device": "simt:h200", "n": 256, "type": "i32", "operator": "sum", "values": "uniform"}
        self.assertEqual(answer["case"], case)
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
        first, second = 8 + 3 * (harris1 - 1) + 1, 8 + 3 * sum(WARPS) + 1
        self.assertEqual(counts(answer)["shared_requests"], (first, second))
        (ratio,) = (counter["ratio"] for counter in answer["counters"] if counter["name"] == "shared_requests")
        self.assertAlmostEqual(ratio, second / first)

    def test_a_kernel_does_what_it_does(self):
        answer = step("harris3", "harris3", "--n", "4Ki")
        self.assertEqual((answer["counters"], answer["launches"], answer["sentences"]), ([], [], []))

    def test_the_steps_of_a_config_are_its_kernels_in_their_order(self):
        answer = why(REPOSITORY / "configs" / "slides" / "table.json", "-a", "n=4Ki")
        steps = [(entry["from"][-1], entry["to"][-1]) for entry in answer]
        self.assertEqual(steps, [("1", "2"), ("2", "3"), ("3", "4"), ("4", "5")], "cpu_openmp has no kernel")
