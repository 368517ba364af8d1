"""scripts/plot_compare.py: what a comparison's figure shows, and what it refuses."""

import contextlib
import io
import json
import math
import unittest

import matplotlib.pyplot as plt

from support import RunTest
import plot_compare


def case(verdict="slower", ratio=1.05, low=1.03, high=1.07, n=1024, variant="reduce/harris3", **changed):
    return {
        "variant": variant,
        "problem": "reduce",
        "n": n,
        "type": "i32",
        "operator": "sum",
        "axes": {"values": "uniform"},
        "mode": "cold",
        "device": "cuda:0",
        "ratio": ratio,
        "ratio_low": low,
        "ratio_high": high,
        "verdict": verdict,
        **changed,
    }


def comparison(*cases, **changed):
    told = {"first": "a", "second": "b", "of_variants": False, "threshold_percent": 1.0, "differing": 1}
    return {**told, "cases": list(cases), **changed}


class Figure(unittest.TestCase):
    def draw(self, told):
        figure = plot_compare.draw(told)
        self.addCleanup(plt.close, figure)
        return figure.axes[0]

    def test_each_case_is_an_interval_and_a_point(self):
        axes = self.draw(comparison(case(), case("same", 1.001, 0.996, 1.005, n=2048)))
        lines = [(list(map(float, line.get_xdata())), float(line.get_ydata()[0])) for line in axes.lines[1:]]
        self.assertEqual(lines, [([1.03, 1.07], 0), ([1.05], 0), ([0.996, 1.005], 1), ([1.001], 1)])
        colours = [axes.lines[1].get_color(), axes.lines[3].get_color()]
        self.assertEqual(colours, [plot_compare.COLOUR["slower"], plot_compare.COLOUR["same"]])
        self.assertEqual([text.get_text() for text in axes.get_yticklabels()], ["harris3 1 Ki", "harris3 2 Ki"])
        low, high = axes.get_xlim()
        self.assertAlmostEqual(low * high, 1, msg="1 is in the middle")
        self.assertGreater(high, 1.07)
        self.assertGreater(axes.get_ylim()[0], axes.get_ylim()[1], "the first is on top")

    def test_cases_are_named_by_all_that_tells_them_apart(self):
        for field, value, named in (
            ("n", 2048, ("harris3 1 Ki", "harris3 2 Ki")),
            ("type", "f32", ("harris3 i32", "harris3 f32")),
            ("operator", "max", ("harris3 sum", "harris3 max")),
            ("mode", "warm", ("harris3 cold", "harris3 warm")),
            ("device", "cuda:1", ("harris3 cuda:0", "harris3 cuda:1")),
            ("problem", "segreduce", ("harris3 reduce", "harris3 segreduce")),
            ("axes", {"values": {"file": "a.npy"}}, ("harris3 uniform", "harris3 a.npy")),
            ("axes", {"values": "uniform", "labels": "one"}, ("harris3", "harris3 one")),
        ):
            with self.subTest(field):
                told = [case(), {**case(), field: value}]
                self.assertEqual(tuple(plot_compare.names(told, False)), named)
                without = [name.removeprefix("harris3").strip() for name in named]
                self.assertEqual(plot_compare.names(told, True), without)

    def test_the_band_is_the_threshold(self):
        axes = self.draw(comparison(case(), threshold_percent=25.0))
        self.assertAlmostEqual(axes.patches[0].get_x(), 0.8)
        self.assertAlmostEqual(axes.patches[0].get_x() + axes.patches[0].get_width(), 1.25)
        low, high = axes.get_xlim()
        self.assertAlmostEqual(low, 1 / 1.25**2, msg="as much beside the band as in it")
        self.assertAlmostEqual(high, 1.25**2)

    def test_the_footer_says_which_intervals_are_wider(self):
        for verdict, said in (("slower", True), ("faster", True), ("same", False), ("undecided", False)):
            text = self.draw(comparison(case(verdict))).figure.texts[-1].get_text()
            self.assertIn("95 % intervals", text)
            self.assertEqual("wider where faster or slower" in text, said, verdict)

    def test_an_endless_interval_ends_with_the_axis_and_no_ratio_is_no_point(self):
        axes = self.draw(comparison(case("undecided", 1.01, None, None), case("undecided", None, None, None, n=2)))
        self.assertEqual(tuple(axes.lines[1].get_xdata()), axes.get_xlim())
        self.assertEqual(len(axes.lines), 3)
        self.assertTrue(math.isfinite(axes.get_xlim()[1]))

    def test_variants_are_named_on_the_axis(self):
        axes = self.draw(comparison(case(), case(n=2), of_variants=True, first="x", second="y"))
        self.assertEqual(axes.get_xlabel(), "time of y / time of x")
        self.assertEqual([text.get_text() for text in axes.get_yticklabels()], ["1 Ki", "2"])


class Program(RunTest):
    def run_on(self, text):
        path = self.folder / "c.json"
        path.write_text(text)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = plot_compare.main([str(path)])
        return code, out.getvalue(), err.getvalue()

    def test_two_files_the_same_each_time(self):
        text = json.dumps(comparison(case()))
        code, out, _ = self.run_on(text)
        self.assertEqual((code, out), (0, f"{self.folder}/c.svg\n{self.folder}/c.png\n"))
        first = (self.folder / "c.svg").read_bytes(), (self.folder / "c.png").read_bytes()
        self.run_on(text)
        self.assertEqual(first, ((self.folder / "c.svg").read_bytes(), (self.folder / "c.png").read_bytes()))

    def test_refusals(self):
        for text, why in (
            ("{", "not JSON"),
            ("[]", "no comparison"),
            (json.dumps(comparison(3)), "cases[0]: not a case"),
            (json.dumps(comparison(case("best"))), "cases[0].verdict: one of"),
            (json.dumps(comparison(case(ratio=-1))), "cases[0].ratio: a number above 0"),
        ):
            code, _, err = self.run_on(text)
            self.assertEqual(code, 2, text)
            self.assertIn(why, err)
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(plot_compare.main([str(self.folder / "nowhere.json")]), 2)


if __name__ == "__main__":
    unittest.main()
