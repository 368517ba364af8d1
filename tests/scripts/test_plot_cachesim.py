"""scripts/plot_cachesim.py: what the figure of predictions shows, and what it refuses."""

import contextlib
import copy
import io
import json
import unittest

import matplotlib.pyplot as plt

from support import RunTest
import plot_cachesim


def case(m=1024, model="serial", ns=10.0, measured=None, machine="host", variant="multireduce/cpu_sequential", **more):
    return {
        "variant": variant,
        "n": 1 << 20,
        "m": m,
        "labels": "uniform",
        "machine": machine,
        "model": model,
        "ns_per_input": ns,
        "measured_ns_per_input": measured,
        "tlb_load_miss_percent": None,
        **more,
    }


def machine(name="host", published_as="", title="A CPU"):
    return {"name": name, "published_as": published_as, "machine": {"title": title, "unsure": ["one"]}}


def predictions(*cases, machines=None, errors=(), name="mine"):
    return {
        "name": name,
        "title": "Title",
        "steps": 64,
        "machines": machines or [machine()],
        "errors": list(errors),
        "cases": list(cases),
    }


class Figure(unittest.TestCase):
    def draw(self, told, printed=()):
        figure = plot_cachesim.draw(told, list(printed))
        self.addCleanup(plt.close, figure)
        return figure

    def lines(self, axes):
        return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines}

    def test_measured_and_each_model_are_lines_over_m(self):
        told = predictions(
            case(2048, ns=20.0, measured=15.0),
            case(1024, measured=12.0),
            case(1024, "overlapped", ns=3.0, measured=12.0),
            case(2048, "overlapped", ns=4.0, measured=15.0),
            errors=[{"machine": "host", "model": "serial", "mean_absolute_percent": 31.66},
                    {"machine": "host", "model": "overlapped", "mean_absolute_percent": 123.4}],
        )
        axes = self.draw(told).axes[0]
        self.assertEqual(
            self.lines(axes),
            {
                "cpu_sequential, serial": ([1024, 2048], [10.0, 20.0]),
                "cpu_sequential, overlapped": ([1024, 2048], [3.0, 4.0]),
                "cpu_sequential, measured": ([1024, 2048], [12.0, 15.0]),
            },
        )
        self.assertEqual(len({line.get_color() for line in axes.lines}), 1, "one variant, one colour")
        self.assertEqual(len({str(line._unscaled_dash_pattern) for line in axes.lines}), 3)
        title = axes.get_title(loc="left") or axes.get_title()
        self.assertEqual(title, "A CPU\nmean absolute error: serial 32 %, overlapped 123 %")

    def test_points_of_several_labels_are_no_line(self):
        told = predictions(case(1), case(2), case(1, labels="sorted"), case(2, labels="sorted"))
        self.assertEqual(
            set(self.lines(self.draw(told).axes[0])),
            {"cpu_sequential uniform, serial", "cpu_sequential sorted, serial"},
        )

    def test_a_paper_stands_at_its_own_machine(self):
        told = predictions(
            case(1 << 27, machine="core2"),
            case(1 << 27),
            machines=[machine("core2", "Core2 Duo T7300"), machine()],
        )
        printed = plot_cachesim.published("eilers2014/fig2.7")
        self.assertEqual([(row["m"], row["value"]) for row in printed], [(1 << 27, 63.0)])
        figure = self.draw(told, printed)
        self.assertIn("published, Core2 Duo T7300", self.lines(figure.axes[0]))
        self.assertEqual(list(self.lines(figure.axes[1])), ["cpu_sequential, serial"])

    def test_tlb_misses_have_a_panel_where_the_paper_prints_them(self):
        told = predictions(
            case(1 << 20, "translated", machine="core2", tlb_load_miss_percent=25.0),
            machines=[machine("core2", "Core2 Duo T7300")],
            errors=[{"machine": "core2", "model": "translated", "mean_absolute_percent": 12.0}],
        )
        figure = self.draw(told, plot_cachesim.published("eilers2014/table2.1"))
        self.assertEqual(len(figure.axes), 2)
        titles = [axes.get_title(loc="left") or axes.get_title() for axes in figure.axes]
        self.assertEqual(
            ["mean absolute error" in title for title in titles], [True, False], "the error is the time's alone"
        )
        self.assertEqual(self.lines(figure.axes[1])["cpu_sequential, translated"][1], [25.0])
        self.assertEqual(plot_cachesim.published("mine"), [])

    def test_nothing_leaves_the_figure_and_its_small_print_says_what_is_not_sure(self):
        told = predictions(case(1), case(1, machine="other"), machines=[machine(), machine("other")])
        figure = self.draw(told)
        figure.canvas.draw()
        legend, (*_, small) = figure.axes[0].get_legend(), figure.texts
        self.assertEqual(
            small.get_text(),
            "redbench cachesim, 64 steps of each loop counted   ·   "
            "2 facts of the machines are not sure: predictions.md",
        )
        one = predictions(case(1), machines=[machine()])
        self.assertIn("   ·   1 fact of the machines is not sure: ", plot_cachesim.footer(one))
        for part in (legend, small, figure.axes[0].xaxis.label):
            box = part.get_window_extent()
            self.assertGreater(min(box.x0, box.y0), 0)
            self.assertLess(box.x1, figure.bbox.x1)

    def test_misses_are_of_the_machine_that_the_paper_had(self):
        told = predictions(
            case(1 << 20, "translated", machine="core2", tlb_load_miss_percent=25.0),
            case(1 << 20, "translated", tlb_load_miss_percent=5.0),
            machines=[machine(), machine("core2", "Core2 Duo T7300")],
        )
        printed = plot_cachesim.published("eilers2014/table2.1")
        panels = [(one["name"], y) for one, y in plot_cachesim.panels_of(told, printed)]
        self.assertEqual(
            panels,
            [("host", "ns_per_input"), ("core2", "ns_per_input"), ("core2", "tlb_load_miss_percent")],
        )


class Files(RunTest):
    def main(self, told):
        path = self.folder / "predictions.json"
        path.write_text(told if isinstance(told, str) else json.dumps(told))
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = plot_cachesim.main([str(path)])
        return code, out.getvalue(), err.getvalue()

    def test_the_same_predictions_give_the_same_bytes(self):
        told = predictions(case(1), case(2))
        self.assertEqual(self.main(told)[0], 0)
        first = [(self.folder / f"predictions.{kind}").read_bytes() for kind in ("svg", "png")]
        self.assertEqual(self.main(copy.deepcopy(told))[1].count("\n"), 2)
        self.assertEqual(first, [(self.folder / f"predictions.{kind}").read_bytes() for kind in ("svg", "png")])

    def test_what_is_no_prediction_is_refused_by_its_place(self):
        for told, why in (
            ("{", "not JSON"),
            ({"cases": []}, "no predictions of schema 1"),
            (predictions(case(), case(ns=-1)), "cases[1].ns_per_input: a number above 0, not -1"),
            (predictions(case(m="x")), "cases[0].m: a number above 0, not 'x'"),
        ):
            code, _, error = self.main(told)
            self.assertEqual(code, 2)
            self.assertIn(why, error)

    def test_a_figure_that_cannot_be_written_is_named(self):
        (self.folder / "predictions.svg").mkdir()
        code, out, error = self.main(predictions(case(1), case(2)))
        self.assertEqual((code, out), (2, ""))
        # The last line: matplotlib may warn of what it uses itself.
        self.assertEqual(error.splitlines()[-1], f"plot_cachesim: {self.folder}/predictions.svg: Is a directory")


if __name__ == "__main__":
    unittest.main()
