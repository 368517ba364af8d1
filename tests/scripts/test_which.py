"""Which variant is fastest where: what a stale record, a tie and a sweep of few variants make of the map."""

import unittest
from unittest import mock

from support import REPOSITORY
from shared import which, which_map


def ranked(variant, time_ns, m, is_tied=False, stale="", **other):
    record = {"variant": f"multireduce/{variant}", "n": 1024, "type": "i32", "operator": "sum", "tuned": False}
    record |= {"axes": {"m": m, "values": "uniform"}, "of_library": variant.startswith("cub"), "time_ns": time_ns}
    return {**record, "is_tied": is_tied, "stale": stale, **other}


def ranking(*ranked, not_measured=("never",)):
    return {"run": "results/x", "hardware": "H", "date": "2026-01-02", "ranked": ranked, "not_measured": not_measured}


def problem(*rankings):
    with mock.patch.object(which, "ask", return_value=list(rankings)):
        return which.problem("multireduce", ["results"], "redbench")


class Which(unittest.TestCase):
    def test_a_range_has_what_is_fastest_at_each_of_its_sizes(self):
        found = problem(
            ranking(ranked("b", 10, 4, True), ranked("a", 11, 4, True), ranked("cub", 20, 4), not_measured=()),
            ranking(ranked("a", 10, 16, True, tuned=True), ranked("b", 20, 16), ranked("cub", 30, 16)),
            ranking(ranked("cub", 10, 64, True), ranked("a", 20, 64), ranked("b", 30, 64)),
            ranking(ranked("rare", 1, 256, True), ranked("cub", 2, 256), not_measured=()),
            ranking(ranked("alone", 1, 1024, True), not_measured=()),  # is no answer
            ranking(ranked("cub", 1, 4096, True), ranked("cub_2", 2, 4096), not_measured=()),  # nor are libraries alone
        )
        rows = [(row.input, row.place, row.range.text(), row.range.over_library) for row in which.answers(found)]
        first = ("i32 sum", "m 4 to 16, n 1 Ki", "a (tuned at some)", "1.82 to 3.00")  # over a, as its times
        self.assertEqual(
            rows, [first, ("i32 sum", "m 64, n 1 Ki", "cub", ""), ("i32 sum", "m 256, n 1 Ki", "rare", "2.00")]
        )
        self.assertEqual(which.answers(found)[0].range.times, "0.011 to 0.01")  # of a, not of b
        self.assertEqual(found.never, [])

    def test_a_point_of_configs_best_stands_before_one_of_configs_fastest_and_this_before_others(self):
        of_best = [ranking(ranked("a", 10, 4, True), ranked("b", 11, 4), ranked("cub", 20, 4))]
        fastest = [ranking(ranked("b", 9, m, True), ranked("cub", 20, m)) for m in (4, 16)]
        firsts = [(16, "c"), (64, "b")]
        others = [ranking(*(ranked(name, 10, m, name == first) for name in "cbdefghij")) for m, first in firsts]
        asked = {"results/h200/best/multireduce": of_best, "results/h200/fastest": fastest, "results/h200/x": others}
        with (
            mock.patch.object(which, "ask", lambda name, folders, *rest: asked[str(folders[0])]),
            mock.patch.object(which.Path, "is_dir", lambda path: "h200/best/m" in str(path)),
        ):
            folders = [f"results/h200/{below}" for below in ("x", "fastest", "best", "best/multireduce")]
            found = which.problem("multireduce", folders, "redbench")
        self.assertEqual(
            [(row.place, row.range.text()) for row in which.answers(found)],
            [("m 4, n 1 Ki", "a"), ("m 16 to 64, n 1 Ki", "b")],
        )
        self.assertEqual(found.left_out, 0)

    def test_a_sweep_of_two_is_no_answer_beside_many_of_configs_fastest(self):
        two = [ranked(name, 9, 4, name == "a", type="f32") for name in "ab"]
        many = [ranked(name, 10, 4, name == "a") for name in "abcdefg"]
        asked = {"r/fastest": [ranking(*many)], "r/x": [ranking(*two)]}
        with mock.patch.object(which, "ask", lambda name, folders, *rest: asked[str(folders[0])]):
            found = which.problem("multireduce", list(asked), "redbench")
        self.assertEqual([row.input for row in which.answers(found)], ["i32 sum"])

    def test_a_stale_point_of_configs_best_another_gpu_and_points_without_an_answer(self):
        of_best = [ranking(ranked("a", 8, 4, True, stale="kernel changed"), ranked("b", 11, 4))]
        others = [ranking(ranked("b", 9, 4, True), ranked("a", 10, 4))]
        others += [{**ranking(ranked("b", 1, 8, True), ranked("a", 2, 8)), "hardware": "another"}]
        asked = {"results/best/multireduce": of_best, "results/labels": others}
        with (
            mock.patch.object(which, "ask", lambda name, folders, *rest: asked[str(folders[0])]),
            mock.patch.object(which.Path, "is_dir", lambda path: "results/best/m" in str(path)),
        ):
            found = which.problem("multireduce", ["results/best", "results/labels"], "redbench")
        self.assertEqual([row.range.text() for row in which.answers(found)], ["b"])
        self.assertIsNone(problem(ranking(ranked("alone", 1, 4, True))))

    def test_few_variants_without_the_fastest_of_a_neighbour_with_many_are_no_answer(self):
        many = [ranked("new", 10, 16, True), *(ranked(name, 20, 16) for name in "abcdef")]
        few = [ranking(ranked("a", 9, m, True), ranked("b", 20, m)) for m in (4, 8)]
        with mock.patch.object(which, "with_enough", lambda rankings, most: rankings):
            found = problem(*few, ranking(*many))
        self.assertEqual([row.place for row in which.answers(found)], ["n 1 Ki, m 16"])

    def test_a_point_of_few_variants_is_no_answer(self):
        many = [ranked(name, 10, 4, name == "a") for name in "abcd"]
        found = problem(ranking(*many), ranking(ranked("alone", 1, 256, True)))
        self.assertEqual([row.place for row in which.answers(found)], ["n 1 Ki, m 4"])
        self.assertEqual((found.left_out, found.never), (1, ["never"]))

    def test_a_size_is_no_answer_at_which_its_neighbours_fastest_was_not_tried(self):
        sizes = [(4, "new"), (8, "old"), (16, "old"), (32, "new"), (64, "other")]
        found = problem(*(ranking(ranked(name, 10, m, True), ranked("cub", 20, m)) for m, name in sizes))
        self.assertEqual([row.place for row in which.answers(found)], ["m 4 to 32, n 1 Ki", "m 64, n 1 Ki"])
        self.assertEqual(found.left_out, 2)

    def test_a_size_is_no_answer_at_which_neither_sides_fastest_was_tried(self):
        sizes = [(4, "small"), (8, "other"), (16, "large")]
        found = problem(*(ranking(ranked(name, 10, m, True), ranked("cub", 20, m)) for m, name in sizes))
        self.assertEqual([row.range.text() for row in which.answers(found)], ["small", "large"])

    def test_what_would_be_faster_by_its_time_at_almost_as_many_inputs_was_tried(self):
        def one(n, *names):
            of_n = [{**ranked(name, 10 * (place + 1), 4, place == 0), "n": n} for place, name in enumerate(names)]
            return ranking(*of_n, not_measured=())

        found = problem(one(1000, "old", "cub"), one(1100, "new", "old", "cub"), one(2201, "old", "cub"))
        self.assertEqual(
            [(row.range.points[0].n, row.range.text()) for row in which.answers(found)], [(1100, "new"), (2201, "old")]
        )

    def test_a_stale_record_is_no_answer(self):
        old = "kernel changed"
        found = problem(
            ranking(ranked("a", 10, 4, True, old), ranked("b", 11, 4, True), ranked("cub", 20, 4)),
            ranking(ranked("a", 10, 16, True), ranked("b", 11, 16, True, old), ranked("cub", 20, 16, stale=old)),
        )
        (waiting, known) = which.answers(found)
        self.assertEqual((waiting.range.text(), waiting.range.times, waiting.range.over_library), (which.WAITS, "", ""))
        self.assertEqual((known.range.text(), known.range.times, known.range.over_library), ("a", "0.01", ""))
        self.assertEqual(known.range.points[0].waiting, 2)
        drawn = which_map.draw(found)
        self.assertEqual((drawn.count(">a<"), drawn.count(">b<"), drawn.count(">?<")), (1, 0, 2))

    def test_each_problem_has_a_config_that_measures_it(self):
        configs = {path.stem for path in (REPOSITORY / "configs" / "best").glob("*.json")}
        self.assertEqual(set(which.PROBLEMS), configs)
