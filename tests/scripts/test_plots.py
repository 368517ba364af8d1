"""make_plots.py, plot_compare.py and plot_cachesim.py: what their figures hold, and what is refused."""

import json
import math
import os
import re
import sys

from matplotlib.colors import to_hex
import matplotlib.pyplot as plt

from support import REPOSITORY, RunTest, call, counted, executable, output_of, record
import make_plots
import plot_cachesim
import plot_compare
from shared import comparisons, figures, plot_entries, predictions, style

LINES = {"name": "lines", "x": "n", "y": "time_ns", "series": ["variant"], "logx": True, "logy": True}
DOTS = {
    "name": "dots",
    "x": "variant",
    "y": "time_ns",
    "published": {"file": "results/papers/slides.csv", "where": {"figure": "table"}},
}
ALONE = {"name": "alone", "x": "variant", "y": "time_ns"}
PANELS = {"name": "panels", "x": "variant", "y": ["conflicts", "barriers"]}


def ladder():
    return [record(f"reduce/harris{i}", n=n, time_ns=2000.0 + n / i) for n in (1 << 14, 1 << 24) for i in (1, 2)]


def counts():
    return [counted("reduce/harris2", conflicts=431865, barriers=302), counted("reduce/harris1", barriers=296136)]


def launch(kernel="k", **changed):
    numbers = ("blocks", "threads", "shared_bytes", "resident_blocks", "occupancy", "bytes_read", "bytes_written")
    return {"kernel": kernel, "limiter": "blocks", "cooperative": False, **dict.fromkeys(numbers, 1), **changed}


class Files(RunTest):
    def draw(self, lines, plots, folder="run"):
        """The files that are written, and messages."""
        run = self.write_run(lines, plots=plots, folder=folder)
        code, _, errors = output_of(make_plots.main, run, "--redbench", "")
        self.assertEqual(code, 0, errors)
        return {path.name: path.read_bytes() for path in run.glob("plots/*")}, errors

    def test_the_same_records_give_the_same_bytes_and_others_another_digest(self):
        plots = [LINES, DOTS]
        first, _ = self.draw(ladder(), plots, "first")
        self.assertEqual(set(first), {"lines.svg", "lines.png", "dots.svg", "dots.png"})
        self.assertEqual(self.draw(ladder(), plots, "second")[0], first)
        digest = re.compile(rb"rows [0-9a-f]{16}")
        self.assertEqual(digest.findall(first["lines.svg"]), digest.findall(first["lines.png"]))
        other_time = record("reduce/harris1", n=1 << 14, time_ns=9.0)
        for name, changed in (("time", other_time), ("mode", {"mode": "warm"}), ("device", {"device": "cuda:1"})):
            drawn, _ = self.draw([ladder()[0] | changed, *ladder()[1:]], [LINES], name)
            self.assertNotEqual(digest.findall(drawn["lines.svg"]), digest.findall(first["lines.svg"]), name)

    def test_rows_without_a_time_are_not_drawn(self):
        paths, errors = self.draw([record(time_ns=None), record(n=4096, outcome="wrong")], [LINES])
        self.assertEqual(paths, {})
        self.assertIn("lines: no case on cuda has its y, time_ns: nothing to draw", errors)

    def test_a_plot_without_cases_says_which_condition_none_meets(self):
        lines = [record(n=1 << 16), record("reduce/harris2", n=1 << 17)]
        for folder, where, message in (
            ("a", {"n": 1 << 20}, "no case has n 1 Mi (`where`): there is 64 Ki or 128 Ki: nothing"),
            ("b", {"variant": "harris1", "n": [1 << 20, 5]}, "none of the 1 cases that meet the rest has n 1 Mi or 5"),
            ("c", {"labels": "uniform"}, "no case has labels uniform (`where`): none has a labels"),
        ):
            self.assertIn(message, self.draw(lines, [{**LINES, "where": where}], folder)[1])

    def test_titles_and_names_are_text(self):
        """Neither TeX nor commands to a terminal: nothing is printed, and the text stands in the figure."""
        lines = [record(axes={"values": name}, n=n) for name in (r"$\frac{$ $x$", "\x1b[31m<script>") for n in (1, 2)]
        run = self.write_run(lines, plots=[{**LINES, "title": "$\\frac{$ \x1b[31m \N{SNOWMAN} <script>", "series": []}])
        done = call(sys.executable, REPOSITORY / "scripts" / "make_plots.py", run, "--redbench", "",
                    env=os.environ | {"MPLBACKEND": "module://matplotlib_inline.backend_inline"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)  # that no redbench is there
        self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_a_damaged_run_does_not_hide_the_next_whose_first_figure_is_named_last(self):
        bad = self.write_run(counts(), plots=[PANELS], folder="bad")
        lines, facts = bad / "records.jsonl", bad / "run.json"
        text, config = lines.read_bytes(), json.loads(facts.read_text())

        def with_plots(plots):
            return json.dumps({**config, "config": {"plots": plots}}).encode()

        for path, content, message in (
            (lines, text + b"\xff\n", "records.jsonl:3: not UTF-8"),
            (lines, b"[" * 100000 + b"\n", "records.jsonl:1: not JSON"),
            (facts, b'{"config": 5}', "run.json: an object is expected, and its `config` is one"),
            (facts, with_plots(5), "config.plots: a list is expected"),
            (facts, with_plots([5]), "config.plots[0]: an object is expected"),
            (facts, with_plots([{"name": "a", "x": "n"}]), "config.plots[0].y: missing"),
            (facts, with_plots([{"name": "a", "x": "n", "y": "n"}]), "config.plots[0].y: 'n' is none of time_ns"),
            (facts, with_plots([{**LINES, "name": "a" * 101}]), "name: 101 characters: a file's name has 100 at most"),
            (facts, with_plots([{**LINES, "name": "../a"}]), "config.plots[0].name: a file's name"),
        ):
            lines.write_bytes(text)
            facts.write_text(json.dumps(config))
            path.write_bytes(content)
            code, _, errors = output_of(make_plots.main, bad, "--redbench", "")
            self.assertEqual(code, 2)
            self.assertIn(f"make_plots: {bad}/", errors)
            self.assertIn(message, errors)
        whole = self.write_run(counts(), plots=[LINES, PANELS, {**PANELS, "name": "again"}], folder="whole")
        code, output, _ = output_of(make_plots.main, bad, whole, "--redbench", "")
        self.assertEqual((code, output.splitlines()[-1]), (2, f"Figure: {whole}/plots/panels.png"))


class Staleness(RunTest):
    def program(self, text, exit_code=0):
        return executable(self.folder / "redbench", f"cat <<'EOF'\n{text}\nEOF\nexit {exit_code}\n")

    def test_a_figure_with_stale_rows_says_so(self):
        directory = self.write_run(ladder(), plots=[LINES])
        rows = [{name: row[name] for name in ("key", "mode", "device")} for row in ladder()]
        for reasons, text in (
            (("", "", "", ""), "<svg"),
            (("kernel changed", "", "", ""), "1 of 4 rows are stale: kernel changed"),
            (("a", "b", "a", ""), "3 of 4 rows are stale: a, b"),
        ):
            # What `redbench results --json` says.
            stale = [{**row, "stale": why, "built_otherwise": False} for row, why in zip(rows, reasons, strict=True)]
            redbench = self.program(json.dumps({str(directory): stale}))
            self.assertEqual(output_of(make_plots.main, directory, "--redbench", redbench)[0], 0)
            drawn = (directory / "plots" / "lines.svg").read_text()
            self.assertIn(text, drawn)
            self.assertEqual("rows are stale" in drawn, any(reasons))

    def test_a_program_that_gives_no_answer_is_refused(self):
        directory = self.write_run(ladder(), plots=[LINES])
        for text, exit_code, message in (("no JSON", 0, "JSONDecodeError"), ("{}", 0, "KeyError"), ("", 2, "status 2")):
            code, _, errors = output_of(make_plots.main, directory, "--redbench", self.program(text, exit_code))
            self.assertEqual(code, 2)
            self.assertIn(message, errors)
            self.assertFalse((directory / "plots").exists())


PAPER = "figure,variant,device,n,type,operator,block,quantity,unit,relation,value,source"
LAUNCHES = [launch("fill<int>", time_ns=1000.0), launch("add", time_ns=2000.0), launch("add", time_ns=500.0)]
# Name -> plot, records. A paper's numbers are those that come third.
DRAWN = {
    "lines with intervals": (LINES, ladder()),
    "linear axes from 0": ({**LINES, "logx": False, "logy": False}, ladder()),
    "names that would crowd, a colour for each group": (
        {**LINES, "logy": False, "groups": [["harris1", "harris2"], ["harris3"]]},
        [record(f"reduce/harris{i}", n=1 << 14, time_ns=2000.0 + (i * 5) % 7) for i in range(1, 8)],
    ),
    "rows that differ in an axis without a name": (LINES, [record(), record(mode="warm", time_ns=1000.0)]),
    "variants without the parameter of x are level": (
        {**LINES, "x": "blocks", "series": []},
        [record(time_ns=t, parameters={"blocks": b}) for b, t in ((2, 8000.0), (4, 4000.0), (8, 2000.0))]
        + [record("reduce/cub", time_ns=3000.0, parameters={}), record("reduce/cub", n=4096, parameters={})],
    ),
    "ticks of uneven sizes": (LINES, [record(n=1 << i, time_ns=2.0**i) for i in (8, 15, 18, 19, 20, 21, 23, 27)]),
    "published numbers": (
        {**LINES, "series": ["variant", "block"]},
        [record(n=n, parameters={"block": b}) for n in (1 << 14, 1 << 24) for b in (128, 256)],
        [
            "1,reduce/harris1,GPU,16384,i32,sum,128,time,us,<,4,page 1",
            "1,reduce/harris1,GPU,16384,i32,sum,256,time,us,>=,5,page 1",
            "1,reduce/harris1,GPU,,i32,sum,,time,ms,=,6,page 1",
            "1,reduce/harris1,GPU,,i32,sum,,best_n,values,=,32768,page 1",
            "1,reduce/harris1,GPU,,i32,sum,,best_n,values,=,131072,page 1",
            "1,reduce/harris2,GPU,,i32,sum,,time,us,=,7,page 1",
        ],
    ),
    "dots with intervals": (
        {**DOTS, "where": {"type": "i32"}},
        [record("reduce/harris1", time_ns=8e4), record("reduce/cub", time_ns=2e4, time_low_ns=None, time_high_ns=None)],
    ),
    "stacked launches": (
        {**ALONE, "stacked": True},
        [record(f"reduce/harris{i}", time_ns=4000.0, launches=LAUNCHES) for i in (1, 2)],
    ),
    "a panel of bars for each counter": (PANELS, counts()),
    "bars of two series": (
        {**PANELS, "y": "barriers"},
        [counted("reduce/harris1", n=n, barriers=n) for n in (64, 128)],
    ),
    "zeros, marked at the edge of logarithmic axes": (
        {**LINES, "y": "conflicts", "logx": True, "logy": True},
        [counted(f"reduce/harris{i}", n=n, conflicts=i * n) for n in (0, 1, 64, 128) for i in (0, 1)],
    ),
    "what disturbed the points": (
        LINES,
        [
            record(n=1 << 10, clocks={"throttled_by": ["power"]}, stopped="max_samples", noise_percent=0.61, forks=5),
            record(n=1 << 11, clocks={"missing": "no NVML"}, stopped="timeout", noise_percent=7.0, forks=1),
            record(n=1 << 12, launch_gap_hidden=False, queue_slot_ns=950, samples_slow=2, forks=5),
            record(n=1 << 13, launch_gap_hidden=True, mode="graph", graph_beyond_l2=False, forks=5),
            record(n=1 << 14, launch_gap_hidden=True, stopped="forks_differ", forks=5),
            record(n=1 << 15, percent_of_ceiling=101.0, above_ceiling=True, forks=5),
            record(n=1 << 16, launch_gap_hidden=True, queue_slot_ns=950, samples_slow=0, stopped="precise", forks=5),
        ],
    ),
}


def number(value):
    return f"{round(float(value), 9):.6g}"


def described(figure):
    """What a figure shows, as lines of text."""
    figure.canvas.draw()
    lines = []
    for axes in figure.axes:
        lines.append(f"panel {axes.get_title() or axes.get_title(loc='left')!r}".strip())
        for side, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
            low, high = sorted(axis.get_view_interval())
            ticks = [tick.label1.get_text() for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
            lines.append(f"  {side}: {axis.get_label_text()!r} {axis.get_scale()} {' '.join(ticks)}")
        for line in axes.get_lines():
            if line.get_marker() not in ("|", "_"):  # ends of intervals
                points = " ".join(f"{number(x)}:{number(y)}" for x, y in zip(*line.get_data(), strict=True))
                colour = to_hex(line.get_markeredgecolor() if line.get_linestyle() == "None" else line.get_color())
                lines.append(f"  {line.get_label()!r} {colour} {line.get_marker()} {points}")
        for collection in axes.collections:  # intervals
            corners = {tuple(map(number, corner)) for path in collection.get_paths() for corner in path.vertices}
            lines.append("  interval " + " ".join(sorted(f"{x}:{y}" for x, y in corners)))
        for bar in axes.patches:
            x, y, width, height = (number(value) for value in bar.get_bbox().bounds)
            lines.append(f"  bar from {x}:{y}, {width} wide, {height} high")
        lines += [f"  text {text.get_text()!r}" for text in axes.texts]
        if axes.get_legend():
            lines.append("  legend " + ", ".join(text.get_text() for text in axes.get_legend().get_texts()))
    return "\n".join([*lines, *(text.get_text() for text in figure.texts), ""])


class Figure(RunTest):
    """What is in a figure, before it becomes a file."""

    def figure(self, plot, lines, paper=()):
        if paper:
            file = self.folder / "paper.csv"
            file.write_text("\n".join([PAPER, *paper]) + "\n")
            plot = {**plot, "published": {"file": str(file), "where": {"figure": "1"}}}
        run = self.load(lines)
        plot = plot_entries.complete(plot, "plot")
        rows = plot_entries.choose_rows(run, plot)
        figure = figures.draw(plot, rows, plot_entries.load_published(plot), run)
        self.addCleanup(plt.close, figure)
        return figure

    def test_each_kind_of_plot(self):
        texts = [f"# {name}\n{described(self.figure(*drawn))}" for name, drawn in DRAWN.items()]
        self.expect_golden("plots.txt", "\n".join(texts))

    def test_of_many_series_no_two_look_alike_and_their_legend_and_footer_have_room(self):
        name = "a file of a long name that somebody gave to it.npy"
        bars = self.figure({**PANELS, "y": "barriers", "series": ["n"]}, [counted("a/b", n=n) for n in range(20)])
        lines = [record(n=n, axes={"values": f"{i} {name}"}) for n in (1, 2) for i in range(40)]
        lines = self.figure({**LINES, "series": ["values"]}, lines)
        looks = {(to_hex(bar.get_facecolor()), bar.get_hatch()) for bar in bars.axes[0].patches}
        self.assertEqual(len(looks), 20)
        drawn = [line for line in lines.axes[0].get_lines() if not line.get_label().startswith("_")]
        self.assertEqual(len({(line.get_color(), str(line._dash_pattern), line.get_marker()) for line in drawn}), 40)
        for figure in (bars, lines):
            figure.canvas.draw()
            legend = figure.axes[0].get_legend().get_window_extent()
            self.assertTrue(figure.bbox.contains(*legend.min) and figure.bbox.contains(*legend.max))
            below = figure.axes[0].xaxis.label.get_window_extent().y0
            self.assertLess(figure.texts[0].get_window_extent().y1, below)

    def test_a_line_that_has_no_axis_to_stand_on_is_not_drawn(self):
        run = self.load([record("reduce/cub", parameters={}), record(parameters={"blocks": 2})])
        plot = plot_entries.complete({**LINES, "x": "blocks", "where": {"variant": "cub"}}, "plot")
        self.assertEqual(plot_entries.choose_rows(run, plot), [])

    def test_the_interval_of_a_bandwidth_is_turned_round(self):
        # Ends that are not each other's inverse: turned round, 8 GB/s is between 4 and 10, else between 6.4 and 16.
        row = record(time_ns=1000.0, time_low_ns=800.0, time_high_ns=2000.0, bandwidth_gb_per_s=8.0)
        row |= {"percent_of_ceiling": 40.0, "percent_of_scattered": 80.0, "ns_per_input": 2.0, "barriers": 8}
        for y, scale, expected in (
            ("bandwidth_gb_per_s", 1.0, (4.0, 2.0)),
            ("percent_of_ceiling", 1.0, (20.0, 10.0)),
            ("percent_of_scattered", 1.0, (40.0, 20.0)),
            ("time_ns", 1e3, (0.2, 1.0)),
            ("ns_per_input", 1.0, (0.4, 2.0)),
            ("barriers", 1.0, (0.0, 0.0)),
        ):
            below, above = style.interval([row], y, scale)
            self.assertEqual((round(below[0], 9), round(above[0], 9)), expected, y)
        row = {**row, "time_low_ns": None, "time_high_ns": None}
        self.assertTrue(all(math.isnan(end) for (end,) in style.interval([row], "time_ns", 1.0)))


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
        machines = [
            {"name": machine, "published_as": paper, "machine": {"title": "A CPU", "unsure": ["one"]}}
            for machine, paper in machines
        ]
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

    def test_the_files_and_what_is_refused(self):
        self.expect_files(
            plot_cachesim.main,
            self.predicted(self.case(1), self.case(2)),
            ({"cases": []}, "not as redbench cachesim writes it: 'machines' is a required"),
            (self.predicted(self.case(), self.case(ns=-1)), "cases[1].ns_per_input: -1 is less than"),
            (self.predicted(self.case(m="x")), "cases[0].m: 'x' is not"),
            (self.predicted(self.case(model="x")), "cases[0].model: 'x' is not one of"),
        )
