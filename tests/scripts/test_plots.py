"""make_plots.py, plot_compare.py and plot_cachesim.py: what their figures hold, and what is refused."""

import contextlib
import io
import json
import math
import re
import unittest

import matplotlib.pyplot as plt

from support import RunTest, counted, record
import make_plots
import plot_cachesim
import plot_compare
from shared import category_panels, comparisons, figures, plot_entries, predictions, program, records, style

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
    return [
        record(f"reduce/harris{i}", n=n, time_ns=2000.0 + n / i) for n in (1 << 14, 1 << 24) for i in (1, 2)
    ]


def counts():
    return [
        counted("reduce/harris2", conflicts=431865, barriers=302),
        counted("reduce/harris1", barriers=296136),
    ]


def launch(kernel="k", **changed):
    numbers = ("blocks", "threads", "shared_bytes", "resident_blocks", "occupancy", "bytes_read", "bytes_written")
    return {"kernel": kernel, "limiter": "blocks", "cooperative": False, **dict.fromkeys(numbers, 1), **changed}


def output_of(main, *arguments):
    """The exit code, and what was written to standard output and error."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as errors:
        code = main(list(map(str, arguments)))
    return code, out.getvalue(), errors.getvalue()


class Files(RunTest):
    def draw(self, lines, plots, folder="run"):
        run = records.load_run(self.write_run(lines, plots=plots, folder=folder))
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            paths = make_plots.draw_run(run)
        return {path.name: path.read_bytes() for path in paths}, errors.getvalue()

    def test_the_same_records_give_the_same_bytes_and_others_another_digest(self):
        plots = [LINES, DOTS]
        first, _ = self.draw(ladder(), plots, "first")
        self.assertEqual(set(first), {"lines.svg", "lines.png", "dots.svg", "dots.png"})
        self.assertEqual(self.draw(ladder(), plots, "second")[0], first)
        digest = re.compile(rb"rows [0-9a-f]{16}")
        self.assertEqual(digest.findall(first["lines.svg"]), digest.findall(first["lines.png"]))
        for field, value in (("time_ns", 9.0), ("mode", "warm"), ("session", 1)):
            changed = [{**ladder()[0], field: value}, *ladder()[1:]]
            drawn, _ = self.draw(changed, [LINES], field)
            self.assertNotEqual(digest.findall(drawn["lines.svg"]), digest.findall(first["lines.svg"]), field)

    def test_rows_without_a_time_are_not_drawn(self):
        paths, errors = self.draw([record(time_ns=None), record(n=4096, outcome="wrong")], [LINES])
        self.assertEqual(paths, {})
        self.assertIn("lines: no case has its y: nothing to draw", errors)

    def test_a_damaged_run_does_not_hide_the_next_whose_first_figure_is_named_last(self):
        bad = self.write_run(counts(), plots=[PANELS], folder="bad")
        whole = self.write_run(counts(), plots=[LINES, PANELS, {**PANELS, "name": "again"}], folder="whole")
        lines, facts = bad / "records.jsonl", bad / "run.json"
        text, config = lines.read_bytes(), json.loads(facts.read_text())

        def with_plots(plots):
            return json.dumps({**config, "config": {"plots": plots}}).encode()

        for path, content, message in (
            (lines, text + b"\xff\n", "records.jsonl: not UTF-8"),
            (lines, b"[" * 100000 + b"\n", "records.jsonl:1: not JSON"),
            (facts, b'{"config": 5}', "run.json: an object is expected, and its `config` is one"),
            (facts, with_plots(5), "config.plots: a list is expected"),
            (facts, with_plots([5]), "config.plots[0]: an object is expected"),
            (facts, with_plots([{"name": "a", "x": "n"}]), "config.plots[0].y: missing"),
            (facts, with_plots([{"name": "a", "x": "n", "y": "n"}]), "config.plots[0].y: 'n' is none of time_ns"),
            (facts, with_plots([{**LINES, "name": "../a"}]), "config.plots[0].name: a file's name"),
        ):
            lines.write_bytes(text)
            facts.write_text(json.dumps(config))
            path.write_bytes(content)
            code, output, errors = output_of(make_plots.main, bad, whole, "--redbench", "")
            self.assertEqual(code, 2)
            self.assertIn(f"make_plots: {bad}/", errors)
            self.assertIn(message, errors)
            self.assertEqual(output.splitlines()[-1], f"Figure: {whole}/plots/panels.png")


class Staleness(RunTest):
    def program(self, text, exit_code=0):
        path = self.folder / "redbench"
        path.write_text(f"#!/bin/sh\ncat <<'EOF'\n{text}\nEOF\nexit {exit_code}\n")
        path.chmod(0o755)
        return str(path)

    def answer(self, directory, reasons):
        """What `redbench results --json` says where the first rows are stale for these reasons."""
        reasons = [*reasons, "", "", "", ""]
        rows = records.load_run(directory).rows
        identities = [{name: row[name] for name in ("key", "mode", "device")} for row in rows]
        stale = [{**row, "stale": why, "built_otherwise": False} for row, why in zip(identities, reasons, strict=False)]
        return json.dumps({str(directory): stale})

    def test_a_figure_with_stale_rows_says_so(self):
        directory = self.write_run(ladder(), plots=[LINES])
        for reasons, text in (
            ((), None),
            (("kernel changed",), "1 of 4 rows are stale: kernel changed"),
            (("a", "b", "a"), "3 of 4 rows are stale: a, b"),
        ):
            redbench = self.program(self.answer(directory, reasons))
            self.assertEqual(output_of(make_plots.main, directory, "--redbench", redbench)[0], 0)
            drawn = (directory / "plots" / "lines.svg").read_text()
            self.assertIn(text or "<svg", drawn)
            self.assertEqual("rows are stale" in drawn, bool(text))

    def test_a_program_that_gives_no_answer_is_refused(self):
        directory = self.write_run(ladder(), plots=[LINES])
        for text, exit_code, message in (("no JSON", 0, "JSONDecodeError"), ("{}", 0, "KeyError"), ("", 2, "status 2")):
            code, _, errors = output_of(make_plots.main, directory, "--redbench", self.program(text, exit_code))
            self.assertEqual(code, 2)
            self.assertIn(message, errors)
            self.assertFalse((directory / "plots").exists())
        self.assertEqual(program.stale_summary([{"stale": ""}]), "")


class Figure(RunTest):
    """What is in a figure, before it becomes a file."""

    def figure(self, lines, plot):
        run = records.load_run(self.write_run(lines, folder=f"run{len(list(self.folder.iterdir()))}"))
        plot = plot_entries.complete(plot, "plot")
        rows = plot_entries.choose_rows(run, plot)
        figure = figures.draw(plot, rows, plot_entries.load_published(plot), run)
        self.addCleanup(plt.close, figure)
        return figure

    def labels(self, axes):
        return {
            line.get_label(): (list(line.get_xdata()), list(line.get_ydata()))
            for line in axes.get_lines()
            if not line.get_label().startswith("_")
        }

    def bars(self, axes):
        return [(round(bar.get_y() + bar.get_height() / 2, 6), bar.get_width()) for bar in axes.patches]

    def texts(self, found):
        return [text.get_text() for text in found]

    def test_the_footer_counts_what_disturbed_the_points(self):
        cap, slow = {"throttled_by": ["power cap"]}, {"throttled_by": ["power cap", "slowdown"]}
        rows = [
            record(n=1 << 10, clocks=cap, stopped="max_samples", noise_percent=0.61, forks=5),
            record(n=1 << 11, clocks=slow, stopped="max_samples", noise_percent=2.14, forks=5),
            record(n=1 << 12, clocks={"missing": "no NVML"}, stopped="timeout", noise_percent=7.0, forks=1),
            record(n=1 << 13, launch_gap_hidden=False, queue_slot_ns=950, samples_slow=2, forks=5),
            record(n=1 << 15, launch_gap_hidden=True, mode="graph", graph_beyond_l2=False, forks=5),
            record(n=1 << 16, launch_gap_hidden=True, stopped="forks_differ", forks=5),
            record(n=1 << 17, percent_of_ceiling=101.0, above_ceiling=True, forks=5),
            record(n=1 << 18, time_low_ns=None, time_high_ns=None, noise_percent=None, forks=5),
            record(n=1 << 14, launch_gap_hidden=True, queue_slot_ns=950, samples_slow=0, stopped="precise", forks=5),
        ]
        (text,) = self.texts(self.figure(rows, LINES).texts)
        self.expect_golden("footer.txt", text + "\n")
        (text,) = self.texts(self.figure(rows[-1:], LINES).texts)
        self.assertNotIn("points", text)

    def test_a_panel_of_bars_per_counter_with_shared_names(self):
        figure = self.figure(counts(), PANELS)
        conflicts, barriers = figure.axes
        self.assertEqual(self.texts(conflicts.get_yticklabels()), ["harris2", "harris1"])
        self.assertFalse(any(text.get_visible() for text in barriers.get_yticklabels()))
        self.assertEqual(self.bars(conflicts), [(0, 431865), (-1, 0)])
        self.assertEqual(self.bars(barriers), [(0, 302), (-1, 296136)])
        self.assertEqual(self.texts(barriers.texts), ["302", "296 136"])
        self.assertIn("modelled device: counts, no times", figure.texts[0].get_text())

    def test_bars_without_a_count_have_an_axis_and_of_several_series_the_first_is_on_top(self):
        rows = [counted("reduce/harris1"), counted("reduce/harris2")]
        self.assertEqual(self.figure(rows, {**PANELS, "y": "conflicts"}).axes[0].get_xlim(), (0, 1))
        rows = [counted("reduce/harris1", n=n, barriers=n) for n in (64, 128)]
        axes = self.figure(rows, {**PANELS, "y": "barriers", "logy": True}).axes[0]
        (upper, small), (lower, large) = self.bars(axes)
        self.assertGreater(upper, lower)
        self.assertEqual((small, large), (64, 128))
        self.assertEqual(self.texts(axes.get_legend().get_texts()), ["n 64", "n 128"])
        self.assertEqual(axes.get_xscale(), "linear")

    def test_the_launches_of_a_case_are_stacked_in_the_unit_of_its_dot(self):
        launches = [launch(time_ns=1000.0), launch(time_ns=2000.0), launch(time_ns=500.0)]
        rows = [record(f"reduce/harris{i}", time_ns=4000.0, ns_per_input=2.0, launches=launches) for i in (1, 2)]
        for y, ends in (("time_ns", [(0, 1), (1, 2), (3, 0.5)]), ("ns_per_input", [(0, 0.5), (0.5, 1), (1.5, 0.25)])):
            axes = self.figure(rows, {**ALONE, "y": y, "stacked": True}).axes[0]
            self.assertEqual([(bar.get_x(), bar.get_width()) for bar in axes.patches], ends * 2)
        self.assertFalse(self.figure(rows, ALONE).axes[0].patches)

    def test_the_kernels_of_stacked_launches_are_named(self):
        def row(variant, *kernels):
            return {"variant": variant, "launches": [launch(kernel, time_ns=1.0) for kernel in kernels]}

        rows = [
            row("multireduce/a", "fill<int>", "add"),
            row("multireduce/a", "fill<int>", "add", "add", "join<int>"),
            row("multireduce/b", "fill<int>", "add<int>", "add<int>", "join"),
            row("multireduce/c", "count"),
        ]
        text = "launches from dark to light  ·  a, b: fill, 2 x add, join; c: count"
        self.assertEqual(category_panels.launches_text(rows), [text])

    def test_the_dots_of_many_series_stay_with_their_name(self):
        rows = [record(f"reduce/harris{i}", parameters={"blocks": b}) for i in (1, 2) for b in range(1, 15)]
        axes = self.figure(rows, {**ALONE, "series": ["blocks"]}).axes[0]
        dots = [list(map(float, line.get_ydata())) for line in axes.get_lines() if line.get_markersize() == 6.5]
        self.assertTrue(all(abs(upper) < 0.5 and abs(lower + 1) < 0.5 for upper, lower in dots), dots)
        self.assertEqual(len({upper for upper, _ in dots}), 14)

    def test_a_line_goes_through_its_points_in_order_with_its_interval_as_a_band(self):
        sizes = [1 << 12, 1 << 10]
        rows = [record(n=n, time_ns=1000.0 * n, time_low_ns=800.0 * n, time_high_ns=2000.0 * n) for n in sizes]
        axes = self.figure(rows, LINES).axes[0]
        self.assertEqual(self.labels(axes)["harris1"], ([1024, 4096], [1024.0, 4096.0]))
        corners = {(round(x), round(y)) for x, y in axes.collections[0].get_paths()[0].vertices}
        self.assertEqual(corners, {(1024, 819), (1024, 2048), (4096, 3277), (4096, 8192)})

    def test_a_dot_has_its_interval_as_a_bar(self):
        row = record(time_ns=1000.0, time_low_ns=800.0, time_high_ns=2000.0)
        axes = self.figure([row], ALONE).axes[0]
        bars = [path.vertices.tolist() for lines in axes.collections for path in lines.get_paths()]
        self.assertEqual([[[round(x, 9), y] for x, y in bar] for bar in bars], [[[0.8, 0.0], [2.0, 0.0]]])

    def test_rows_that_differ_in_an_unnamed_axis_are_not_joined(self):
        lines = self.labels(self.figure([record(), record(mode="warm", time_ns=1000.0)], LINES).axes[0])
        self.assertEqual(set(lines), {"harris1, cold", "harris1, warm"})
        lines = self.labels(self.figure([record(), record("reduce/cpu_serial", device="host")], LINES).axes[0])
        self.assertEqual(set(lines), {"harris1", "cpu_serial"}, "an axis in which no two rows of a point differ")

    def test_a_variant_without_the_parameter_is_a_level_line_of_its_own(self):
        swept = [record(time_ns=t, parameters={"blocks": b}) for b, t in ((2, 8000.0), (4, 4000.0), (8, 2000.0))]
        level = [
            record("reduce/cub", time_ns=3000.0, parameters={}),
            *(record("reduce/harris7", n=n, time_ns=n + 2e3, parameters={"block": 256}) for n in (1024, 4096)),
        ]
        plot = {**LINES, "x": "blocks", "series": []}
        axes = self.figure(swept + level, plot).axes[0]
        lines = self.labels(axes)
        self.assertEqual(lines["cub, n 1 Ki"], ([2, 8], [3.0, 3.0]))
        self.assertEqual(lines["harris7, n 4 Ki"], ([2, 8], [6.096, 6.096]))
        self.assertEqual(lines["harris1, n 1 Ki"], ([2, 4, 8], [8.0, 4.0, 2.0]))
        self.assertEqual(self.texts(axes.get_xticklabels()), ["2", "4", "8"])
        run = records.load_run(self.write_run([*level, swept[0]], folder="level"))
        alone = plot_entries.complete({**plot, "where": {"variant": "cub"}}, "plot")
        self.assertEqual(plot_entries.choose_rows(run, alone), [], "no axis to stand on")

    def test_published_points_stand_at_their_value_in_the_unit_of_the_figure(self):
        axes = self.figure([record("reduce/harris1", n=1 << 24, time_ns=8e4)], DOTS).axes[0]
        (line,) = [line for line in axes.get_lines() if line.get_label() == "Tesla C2070 (published)"]
        self.assertEqual((list(line.get_xdata()), line.get_marker()), ([5280.0], "*"))

    def beside_published(self, *lines, series=("variant",), blocks=(None,)):
        """A line of three sizes, with a paper's numbers: its axes."""
        file = self.folder / "paper.csv"
        header = "figure,variant,device,n,type,operator,block,quantity,unit,relation,value,source"
        file.write_text("\n".join([header, *lines]) + "\n")
        sizes = (1 << 14, 1 << 16, 1 << 24)
        rows = [record(n=n, time_ns=2000.0, parameters={"block": b} if b else {}) for n in sizes for b in blocks]
        published = {"file": str(file), "where": {"figure": "1"}}
        return self.figure(rows, {**LINES, "series": list(series), "published": published}).axes[0]

    def test_a_published_point_has_the_shape_of_its_relation_and_without_a_size_it_is_a_line(self):
        axes = self.beside_published(
            "1,reduce/harris1,GPU,16384,i32,sum,,time,us,<,4,page 1",
            "1,reduce/harris1,GPU,65536,i32,sum,,time,us,>=,5,page 1",
            "1,reduce/harris1,GPU,16777216,i32,sum,,time,us,=,6,page 1",
            "1,reduce/harris1,GPU,,i32,sum,,time,us,=,7,page 1",
        )
        found = [
            (line.get_marker(), list(line.get_xdata()), list(line.get_ydata()))
            for line in axes.get_lines()
            if "published" in line.get_label()
        ]
        across = ("None", [1 << 14, 1 << 24], [7.0, 7.0])
        points = [("*", [1 << 24], [6.0]), ("^", [1 << 16], [5.0]), ("v", [1 << 14], [4.0])]
        self.assertCountEqual(found, [across, *points])

    def test_published_numbers_of_a_parameter_have_the_colour_of_their_own_series(self):
        axes = self.beside_published(
            *(f"1,reduce/harris1,GPU,,i32,sum,{block},time,us,=,4,page 1" for block in (128, 256, "")),
            series=("variant", "block"),
            blocks=(128, 256),
        )
        drawn = {line.get_label(): line.get_color() for line in axes.get_lines()}
        for block in (128, 256):
            self.assertEqual(drawn[f"harris1, block {block}, GPU (published)"], drawn[f"harris1, block {block}"])
        self.assertEqual(drawn["harris1, GPU (published)"], style.COLOURS[-1])

    def test_a_papers_best_sizes_are_a_band(self):
        for best, width in (((32768, 131072), 98304), ((32768,), 0)):
            lines = [f"1,reduce/harris1,GPU,,i32,sum,,best_n,values,=,{n},page 1" for n in best]
            axes = self.beside_published(*lines)
            (band,) = axes.patches
            self.assertEqual((band.get_x(), band.get_width()), (32768, width))
            self.assertTrue(width or band.get_linewidth() > 0, "one size is seen, too")
            self.assertIn("best on GPU\n(published)", self.texts(axes.texts))

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

    def test_axes_are_logarithmic_where_the_plot_says_so_and_else_from_zero(self):
        logarithmic = self.figure(ladder(), LINES).axes[0]
        self.assertEqual((logarithmic.get_xscale(), logarithmic.get_yscale()), ("log", "log"))
        linear = self.figure(ladder(), {**LINES, "logx": False, "logy": False}).axes[0]
        self.assertEqual((linear.get_xscale(), linear.get_yscale(), linear.get_ylim()[0]), ("linear", "linear", 0))
        self.assertEqual(self.figure([record()], ALONE).axes[0].get_xlim()[0], 0)
        self.assertEqual(self.figure([record()], {**ALONE, "logy": True}).axes[0].get_xscale(), "log")

    def test_ticks_are_at_measured_sizes_the_last_among_them_and_do_not_touch(self):
        for sizes, ticks in (
            ([8, 15, 18, 19, 20, 21, 23, 27], [8, 15, 19, 21, 23, 27]),
            ([0, 2, 3, 10], [0, 2, 3, 10]),  # a tenth of the whole way apart
            (range(4, 14), [5, 7, 9, 11, 13]),  # nine at most
        ):
            axes = self.figure([record(n=1 << i, time_ns=float(1 << i)) for i in sizes], LINES).axes[0]
            self.assertEqual(list(axes.xaxis.get_major_locator().locs), [1 << i for i in ticks])
            self.assertEqual(axes.xaxis.get_major_formatter()(1 << 14, 0), "16 Ki")

    def test_names_that_would_crowd_become_a_legend_in_the_order_of_the_ends(self):
        crowd = [record(f"reduce/harris{i}", n=1 << 14, time_ns=2000.0 + (i * 5) % 7) for i in range(1, 8)]
        legend = self.figure(crowd, {**LINES, "logy": False}).axes[0].get_legend()
        order = sorted(range(1, 8), key=lambda i: -((i * 5) % 7))
        self.assertEqual(self.texts(legend.get_texts()), [f"harris{i}" for i in order])
        axes = self.figure(ladder(), LINES).axes[0]
        self.assertIsNone(axes.get_legend())
        self.assertEqual(set(self.texts(axes.texts)), {"harris1", "harris2"})
        close = figures.spread([0.5, 0.5, 0.9])
        self.assertAlmostEqual(close[1] - close[0], figures.LABEL_GAP)
        self.assertAlmostEqual(close[0] + close[1], 1.0, msg="moved as little as possible")

    def test_no_text_lies_on_another_or_leaves_the_figure(self):
        figure = self.figure([record(time_ns=5000.0)], ALONE)
        figure.canvas.draw()
        (small_print,), (axes,) = figure.texts, figure.axes
        box = small_print.get_window_extent()
        self.assertGreater(min(box.x0, box.y0), 0)
        self.assertLess(box.y1, axes.get_window_extent().y0, "below the panel")
        (number,) = axes.texts
        radius = 6.5 / 2 * figure.dpi / 72  # of the dot: 6.5 points wide
        self.assertGreater(number.get_window_extent().y0, axes.transData.transform((5.0, 0.0))[1] + radius)
        quantities = ["barriers", "conflicts", "wavefronts"]
        rows = [counted("reduce/harris1", **dict.fromkeys(quantities, 130_000_000))]
        figure = self.figure(rows, {"name": "bars", "x": "variant", "y": quantities})
        figure.canvas.draw()
        for axes in figure.axes:
            low, high = axes.get_xlim()
            shown = [tick for tick in axes.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
            boxes = [tick.label1.get_window_extent() for tick in shown]
            self.assertTrue(all(left.x1 < right.x0 for left, right in zip(boxes, boxes[1:], strict=False)))

    def test_members_of_a_group_share_its_colour(self):
        groups = [["a", "b"], *([name] for name in "cdefghi")]  # eight: as many as there are colours
        found = style.styles({"groups": groups}, [*"abcdefghi", "free"])
        self.assertEqual((found["a"], found["b"]), (("#0072B2", "-", "o"), ("#0072B2", (0, (4, 1.5)), "s")))
        # What is in no group takes the ninth place, the first colour of the palette in its second turn.
        self.assertEqual(found["free"], ("#0072B2", (0, (4, 1.5)), "s"))


class Compared(RunTest):
    def case(self, verdict="slower", ratio=1.05, low=1.03, high=1.07, **changed):
        axes = {"variant": "reduce/harris3", "problem": "reduce", "n": 1024, "type": "i32", "operator": "sum"}
        axes |= {"axes": {"values": "uniform"}, "mode": "cold", "device": "cuda:0"}
        return {**axes, "ratio": ratio, "ratio_low": low, "ratio_high": high, "verdict": verdict, **changed}

    def comparison(self, *cases, **changed):
        names = {"first": "a", "second": "b", "of_variants": False, "threshold_percent": 1.0, "differing": 1}
        return {**names, "cases": list(cases), **changed}

    def draw(self, *cases, **changed):
        figure = comparisons.draw(self.comparison(*cases, **changed))
        self.addCleanup(plt.close, figure)
        return figure.axes[0]

    def test_each_case_is_an_interval_and_a_point_over_the_band_of_the_threshold(self):
        without = self.case("undecided", None, None, None, n=4096)
        endless = self.case("undecided", 1.01, None, None, n=8192)
        cases = (self.case(), self.case("same", 1.001, 0.996, 1.005, n=2048), without, endless)
        axes = self.draw(*cases, threshold_percent=25.0)
        lines = [(list(map(float, line.get_xdata())), float(line.get_ydata()[0])) for line in axes.lines[1:]]
        self.assertEqual(lines[:4], [([1.03, 1.07], 0), ([1.05], 0), ([0.996, 1.005], 1), ([1.001], 1)])
        self.assertEqual(lines[4:], [(list(axes.get_xlim()), 3), ([1.01], 3)], "without a ratio there is no point")
        colours = [axes.lines[1].get_color(), axes.lines[3].get_color()]
        self.assertEqual(colours, [comparisons.COLOUR["slower"], comparisons.COLOUR["same"]])
        names = [f"harris3 {size}" for size in ("1 Ki", "2 Ki", "4 Ki", "8 Ki")]
        self.assertEqual([text.get_text() for text in axes.get_yticklabels()], names)
        self.assertAlmostEqual(axes.patches[0].get_x(), 0.8)
        low, high = axes.get_xlim()
        self.assertAlmostEqual(low, 1 / 1.25**2, msg="as much beside the band as in it")
        self.assertAlmostEqual(high, 1.25**2)

    def test_cases_are_named_by_all_in_which_they_differ(self):
        for field, value, named in (
            ("type", "f32", ("harris3 i32", "harris3 f32")),
            ("device", "cuda:1", ("harris3 cuda:0", "harris3 cuda:1")),
            ("axes", {"values": {"file": "a.npy"}}, ("harris3 uniform", "harris3 a.npy")),
            ("axes", {"values": "uniform", "labels": "one"}, ("harris3", "harris3 one")),
        ):
            cases = [self.case(), {**self.case(), field: value}]
            self.assertEqual(tuple(comparisons.names(cases, False)), named)
        axes = self.draw(self.case(), self.case(n=2), of_variants=True, first="x", second="y")
        self.assertEqual(axes.get_xlabel(), "time of y / time of x")
        self.assertEqual([text.get_text() for text in axes.get_yticklabels()], ["1 Ki", "2"])

    def test_the_files_and_what_is_refused(self):
        path = self.folder / "c.json"
        path.write_text(json.dumps(self.comparison(self.case())))
        drawn = []
        for _ in range(2):
            self.assertEqual(output_of(plot_compare.main, path)[:2], (0, f"{self.folder}/c.svg\n{self.folder}/c.png\n"))
            drawn.append([(self.folder / f"c.{kind}").read_bytes() for kind in ("svg", "png")])
        self.assertEqual(*drawn)
        for text, why in (
            ("{", "not JSON"),
            ("[]", "no comparison"),
            (json.dumps(self.comparison(3)), "cases[0]: not a case"),
            (json.dumps(self.comparison(self.case("best"))), "cases[0].verdict: one of"),
            (json.dumps(self.comparison(self.case(ratio=-1))), "cases[0].ratio: a number above 0"),
        ):
            path.write_text(text)
            code, _, errors = output_of(plot_compare.main, path)
            self.assertEqual(code, 2, text)
            self.assertIn(why, errors)


class Predicted(RunTest):
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

    def draw(self, predicted, printed=()):
        figure = predictions.draw(predicted, list(printed))
        self.addCleanup(plt.close, figure)
        return figure

    def lines(self, axes):
        return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines}

    def test_measured_and_each_model_are_lines_over_m(self):
        predicted = self.predicted(
            self.case(2048, ns=20.0, measured=15.0),
            self.case(1024, measured=12.0),
            self.case(1024, "overlapped", ns=3.0, measured=12.0),
            self.case(2048, "overlapped", ns=4.0, measured=15.0),
            errors=[{"machine": "host", "model": "serial", "mean_absolute_percent": 31.66},
                    {"machine": "host", "model": "overlapped", "mean_absolute_percent": 123.4}],
        )
        figure = self.draw(predicted)
        (axes,) = figure.axes
        self.assertEqual(
            self.lines(axes),
            {
                "cpu_sequential, serial": ([1024, 2048], [10.0, 20.0]),
                "cpu_sequential, overlapped": ([1024, 2048], [3.0, 4.0]),
                "cpu_sequential, measured": ([1024, 2048], [12.0, 15.0]),
            },
        )
        self.assertEqual(len({line.get_color() for line in axes.lines}), 1, "one variant, one colour")
        self.assertEqual(axes.get_title(), "A CPU\nmean absolute error: serial 32 %, overlapped 123 %")
        small_print = "redbench cachesim, 64 steps of each loop counted   ·   1 fact of the machines is not sure"
        self.assertIn(small_print, figure.texts[-1].get_text())

    def test_a_papers_times_and_tlb_misses_stand_at_its_own_machine(self):
        machines = (("host", ""), ("core2", "Core2 Duo T7300"))
        time = predictions.printed_for("eilers2014/fig2.7")
        self.assertEqual([(row["m"], row["value"]) for row in time], [(1 << 27, 63.0)])
        cases = [self.case(1 << 27, machine=name) for name, _ in machines]
        host, core2 = self.draw(self.predicted(*cases, machines=machines), time).axes
        self.assertEqual(set(self.lines(core2)) - set(self.lines(host)), {"published, Core2 Duo T7300"})
        misses = predictions.printed_for("eilers2014/table2.1")
        case = self.case(1 << 20, "translated", machine="core2", tlb_load_miss_percent=25.0)
        figure = self.draw(self.predicted(case, machines=machines), misses)
        self.assertEqual(len(figure.axes), 3, "of the host times alone")
        self.assertEqual(self.lines(figure.axes[2])["cpu_sequential, translated"][1], [25.0])
        self.assertEqual(predictions.printed_for("mine"), [])

    def test_the_files_and_what_is_refused(self):
        path = self.folder / "predictions.json"
        path.write_text(json.dumps(self.predicted(self.case(1), self.case(2))))
        self.assertEqual(output_of(plot_cachesim.main, path)[1].count("\n"), 2)
        for predicted, why in (
            ({"cases": []}, "no predictions of schema 1"),
            (self.predicted(self.case(), self.case(ns=-1)), "cases[1].ns_per_input: a number above 0, not -1"),
            (self.predicted(self.case(m="x")), "cases[0].m: a number above 0, not 'x'"),
            (self.predicted(self.case(model="x")), "cases[0].model: one of serial"),
        ):
            path.write_text(json.dumps(predicted))
            code, _, error = output_of(plot_cachesim.main, path)
            self.assertEqual(code, 2)
            self.assertIn(why, error)


if __name__ == "__main__":
    unittest.main()
