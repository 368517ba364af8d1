"""plot_compare.py and plot_cachesim.py: what their figures hold, and what is refused."""

import json

import matplotlib.pyplot as plt

from support import RunTest, output_of
from figure_text import described
import plot_cachesim
import plot_compare
from shared import comparisons, predictions
from shared.style import OWN_COLOURS


class OfJson(RunTest):
    """A command that draws one JSON file."""

    def expect_files(self, main, content, *refused):
        """The content is drawn, twice as the same bytes; each of `refused` is not, with its reason."""
        path = self.folder / "c.json"
        path.write_text(json.dumps(content))
        drawn = []
        for _ in range(2):
            self.assertEqual(output_of(main, path)[:2], (0, f"{self.folder}/c.svg\n{self.folder}/c.png\n"))
            drawn.append([(self.folder / f"c.{kind}").read_bytes() for kind in ("svg", "png")])
        self.assertEqual(*drawn)
        for text, why in (("{", "not JSON"), *((json.dumps(wrong), why) for wrong, why in refused)):
            path.write_text(text)
            code, _, errors = output_of(main, path)
            self.assertEqual(code, 2, text)
            self.assertIn(why, errors)


class Compared(OfJson):
    def case(self, verdict="slower", ratio=1.05, low=1.03, high=1.07, **changed):
        axes = {"variant": "reduce/harris3", "problem": "reduce", "n": 1024, "type": "i32", "operator": "sum"}
        axes |= {"axes": {"values": "uniform"}, "mode": "cold", "device": "cuda:0"}
        return {**axes, "ratio": ratio, "ratio_low": low, "ratio_high": high, "verdict": verdict, **changed}

    def comparison(self, *cases, **changed):
        names = {"first": "a", "second": "b", "of_variants": False, "threshold_percent": 1.0, "differing": 1}
        return {**names, "cases": list(cases), **changed}

    def test_each_case_is_an_interval_and_a_point_over_the_band_of_the_threshold(self):
        cases = [
            self.case(),
            self.case("same", 1.001, 0.996, 1.005, n=2048),
            self.case("undecided", None, None, None, type="f32"),
            self.case("undecided", 1.01, None, None, axes={"values": {"file": "a.npy"}}),
        ]
        runs = comparisons.draw(self.comparison(*cases, threshold_percent=25.0))
        variants = comparisons.draw(self.comparison(*cases[:2], of_variants=True, first="x", second="y"))
        for figure in (runs, variants):
            self.addCleanup(plt.close, figure)
        self.expect_golden("comparison.txt", f"# runs\n{described(runs)}\n# variants\n{described(variants)}")
        # Of 25 %, as much beside the band as in it.
        self.assertAlmostEqual(runs.axes[0].get_xlim()[1], 1.25**2)

    def test_the_files_and_what_is_refused(self):
        self.expect_files(
            plot_compare.main,
            self.comparison(self.case()),
            ([], "not as redbench compare --json writes it: [] is not"),
            (self.comparison(3), "cases[0]: 3 is not"),
            (self.comparison(self.case("best")), "cases[0].verdict: 'best' is not one of"),
            (self.comparison(self.case(ratio=-1)), "cases[0].ratio: -1 is less than"),
        )


class Predicted(OfJson):
    def case(self, m=1024, model="serial", ns=10.0, measured=None, machine="host", **more):
        where = {"variant": "multireduce/cpu_sequential", "n": 1 << 20, "m": m, "labels": "uniform"}
        times = {"ns_per_input": ns, "measured_ns_per_input": measured, "tlb_load_miss_percent": None}
        return {**where, "machine": machine, "model": model, **times, **more}

    def predicted(self, *cases, machines=(("host", ""),), errors=(), name="mine"):
        cpu = {"machine": {"title": "A CPU", "unsure": ["one"]}}
        machines = [{"name": machine, "published_as": paper, **cpu} for machine, paper in machines]
        texts = {"name": name, "title": "Title", "steps": 64}
        return {**texts, "machines": machines, "errors": list(errors), "cases": list(cases)}

    def test_models_and_measurements_are_lines_and_a_paper_stands_at_its_own_machine(self):
        machines = (("host", ""), ("core2", "Core2 Duo T7300"))
        times = self.predicted(
            self.case(2048, ns=20.0, measured=15.0),
            self.case(1024, measured=12.0),
            self.case(1024, "overlapped", ns=3.0, measured=12.0),
            self.case(1 << 27, machine="core2"),
            machines=machines,
            errors=[{"machine": "host", "model": "serial", "mean_absolute_percent": 31.66},
                    {"machine": "host", "model": "overlapped", "mean_absolute_percent": 123.4}],
        )
        misses = self.case(1 << 20, "translated", machine="core2", tlb_load_miss_percent=25.0)
        misses = self.predicted(misses, machines=machines)
        texts = []
        for predicted, figure in ((times, "fig2.7"), (misses, "table2.1")):
            drawn = predictions.draw(predicted, predictions.printed_for(f"eilers2014/{figure}"))
            self.addCleanup(plt.close, drawn)
            texts.append(f"# {figure}\n{described(drawn)}")
        self.expect_golden("predictions.txt", "\n".join(texts))

    def test_eleven_variants_for_ten_colours_have_a_panel_each(self):
        cases = [self.case(m, variant=f"multireduce/{name}") for name in "abcdefghijk" for m in (1, 2)]
        drawn = predictions.draw(self.predicted(*cases), [])
        self.addCleanup(plt.close, drawn)
        self.assertEqual([[line.get_color() for line in axes.lines] for axes in drawn.axes], [[OWN_COLOURS[0]]] * 11)

    def test_the_files_and_what_is_refused(self):
        self.expect_files(
            plot_cachesim.main,
            self.predicted(self.case(1), self.case(2)),
            ({"cases": []}, "not as redbench cachesim writes it: 'machines' is a required"),
            (self.predicted(self.case(), self.case(ns=-1)), "cases[1].ns_per_input: -1 is less than"),
            (self.predicted(self.case(m="x")), "cases[0].m: 'x' is not"),
            (self.predicted(self.case(model="x")), "cases[0].model: 'x' is not one of"),
        )
