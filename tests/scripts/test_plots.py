import contextlib
import io
import json
import math
import re
import unittest

from support import RunTest, counted, record
import drawing
import look
import make_plots
import names
import records
import staleness

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


class Plots(RunTest):
    def draw(self, lines, plots, folder="run"):
        run = records.load_run(self.write_run(lines, plots=plots, folder=folder))
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            paths = make_plots.draw_run(run)
        return {path.name: path.read_bytes() for path in paths}, errors.getvalue()

    def test_the_same_records_give_the_same_bytes(self):
        first, _ = self.draw(ladder(), [LINES, DOTS], "first")
        second, _ = self.draw(ladder(), [LINES, DOTS], "second")
        self.assertEqual(set(first), {"lines.svg", "lines.png", "dots.svg", "dots.png"})
        self.assertEqual(first, second)

    def test_another_time_gives_another_picture(self):
        changed = ladder()
        changed[0] = record("reduce/harris1", n=1 << 14, time_ns=9000.0)
        first, _ = self.draw(ladder(), [LINES], "first")
        second, _ = self.draw(changed, [LINES], "second")
        self.assertNotEqual(first["lines.png"], second["lines.png"])

    def test_a_figure_names_the_rows_that_it_was_drawn_from(self):
        def digests(lines, folder):
            drawn, _ = self.draw(lines, [LINES], folder)
            return {re.search(rb"rows [0-9a-f]{16}", drawn[name])[0] for name in ("lines.svg", "lines.png")}

        first = digests(ladder(), "first")
        self.assertEqual(len(first), 1)
        for field, value in (("time_ns", 9.0), ("mode", "warm"), ("session", 1)):
            first_row, *others = ladder()
            changed = [{**first_row, field: value}, *others]
            self.assertNotEqual(digests(changed, field), first, field)

    def test_rows_without_a_time_are_not_drawn(self):
        paths, errors = self.draw([record(time_ns=None), record(n=4096, outcome="wrong")], [LINES])
        self.assertEqual(paths, {})
        self.assertIn("lines: no case has its y: nothing to draw", errors)

    def test_panels_of_counts(self):
        first, _ = self.draw(counts(), [PANELS], "first")
        second, _ = self.draw(counts(), [PANELS], "second")
        self.assertEqual(set(first), {"panels.svg", "panels.png"})
        self.assertEqual(first, second)

    def test_the_first_figure_that_was_drawn_is_named_last(self):
        directory = self.write_run(counts(), plots=[LINES, PANELS, {**PANELS, "name": "again"}])
        with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(make_plots.main([str(directory)]), 0)
        self.assertEqual(output.getvalue().splitlines()[-1], f"Figure: {directory}/plots/panels.png")

    def test_a_damaged_run_does_not_hide_the_next(self):
        bad = self.write_run(counts(), plots=[PANELS], folder="bad")
        whole = self.write_run(counts(), plots=[PANELS], folder="whole")
        records_path, facts_path = bad / "records.jsonl", bad / "run.json"
        text, facts = records_path.read_bytes(), facts_path.read_bytes()

        def with_plots(plots):
            return json.dumps({**json.loads(facts), "config": {"plots": plots}}).encode()

        for path, content, message in (
            (records_path, text + b"\xff\n", "records.jsonl: not UTF-8"),
            (records_path, b"[" * 100000 + b"\n", "records.jsonl:1: not JSON"),
            (facts_path, b'{"config": 5}', "run.json: an object is expected, and its `config` is one"),
            (facts_path, with_plots(5), "config.plots: a list is expected"),
            (facts_path, with_plots([5]), r"config.plots[0]: an object is expected"),
            (facts_path, with_plots([{"name": 5, "x": "n", "y": {}}]), "config.plots[0].y: "),
            (facts_path, with_plots([{"name": "a", "x": 5, "y": "n"}]), "config.plots[0].y: "),
        ):
            records_path.write_bytes(text)
            facts_path.write_bytes(facts)
            path.write_bytes(content)
            output, errors = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
                self.assertEqual(make_plots.main([str(bad), str(whole)]), 2)
            self.assertIn(message, errors.getvalue())
            self.assertTrue(errors.getvalue().startswith("make_plots: "), errors.getvalue())
            self.assertIn(f"{whole}/plots/panels.png", output.getvalue())

    def test_help(self):
        with contextlib.redirect_stdout(io.StringIO()) as output, self.assertRaises(SystemExit) as end:
            make_plots.main(["--help"])
        self.assertEqual(end.exception.code, 0)
        self.assertIn("DIR", output.getvalue())

    def test_what_cannot_be_drawn(self):
        for entry, message in (
            ({"name": "a", "x": "n"}, r"plots\[0\].y: missing"),
            ({**LINES, "y": ["time_ns", "n"]}, r"plots\[0\].y: 'n' is none of time_ns"),
            ({**LINES, "name": "../a"}, r"plots\[0\].name: a file's name"),
            ({**LINES, "name": ".a"}, r"plots\[0\].name: a file's name"),
        ):
            with self.assertRaisesRegex(records.RecordError, message):
                make_plots.complete(entry, "plots[0]")

    def test_defaults_are_those_of_the_schema(self):
        plot = make_plots.complete({"name": "a", "x": "n", "y": "time_ns"}, "plots[0]")
        self.assertEqual(plot["title"], "a")
        self.assertEqual((plot["series"], plot["logx"], plot["where"]), ([], False, {}))


class Disturbances(RunTest):
    def footer(self, rows, y="time_ns"):
        run = records.load_run(self.write_run(rows, folder=y))
        figure = drawing.draw(make_plots.complete({**LINES, "y": [y]}, "plot"), run.rows, [], run)
        self.addCleanup(drawing.plt.close, figure)
        return figure.texts[0].get_text()

    def disturbed(self):
        cap, slow = {"throttled_by": ["power cap"]}, {"throttled_by": ["power cap", "slowdown"]}
        return [
            record(n=1 << 10, clocks=cap, stopped="max_samples", noise_percent=0.61, forks=5),
            record(n=1 << 11, clocks=slow, stopped="max_samples", noise_percent=2.14, forks=5),
            record(n=1 << 12, clocks={"missing": "no NVML"}, stopped="timeout", noise_percent=7.0, forks=1),
            record(
                n=1 << 13, launch_gap_hidden=False, queue_slot_ns=950, samples_slow=2, stopped="precise", forks=5
            ),
            record(n=1 << 15, launch_gap_hidden=True, mode="graph", graph_beyond_l2=False, forks=5),
            record(n=1 << 16, launch_gap_hidden=True, stopped="forks_differ", forks=5),
            record(n=1 << 17, percent_of_ceiling=101.0, above_ceiling=True, forks=5),
            record(n=1 << 18, time_low_ns=None, time_high_ns=None, noise_percent=None, forks=5),
            record(
                n=1 << 14, launch_gap_hidden=True, queue_slot_ns=950, samples_slow=0, stopped="precise", forks=5
            ),
        ]

    def test_the_footer_counts_them(self):
        _, points, told = self.footer(self.disturbed()).replace("\n", " ").partition("of 9 points")
        self.assertEqual(
            points + told,
            "of 9 points 2 throttled (power cap, slowdown), 1 in part below 97 % of the clock, "
            "1 with the host's launches, 1 at an unknown place of the GPU's queue, 1 out of time, "
            "1 of forks that differ, 1 of a graph whose copies the L2 may hold, 1 above the measured ceiling, "
            "1 without an interval, 2 stopped at max_samples (noise up to 2.1 %), 1 of one fork",
        )

    def test_it_is_silent_where_there_are_none(self):
        self.assertNotIn("points", self.footer(self.disturbed()[-1:]))


class Staleness(RunTest):
    """Rows that the program calls stale: a figure with one of them says so."""

    def program(self, text, exit_code=0):
        path = self.folder / "redbench"
        path.write_text(f"#!/bin/sh\ncat <<'EOF'\n{text}\nEOF\nexit {exit_code}\n")
        path.chmod(0o755)
        return str(path)

    def told(self, directory, reasons):
        """What `redbench results --json` says where the first rows are stale for these reasons."""
        rows = [
            {name: row[name] for name in ("key", "mode", "device")} | {"stale": "", "built_otherwise": False}
            for row in records.load_run(directory).rows
        ]
        for row, reason in zip(rows, reasons, strict=False):
            row["stale"] = reason
        return json.dumps({str(directory): rows})

    def drawn(self, reasons):
        directory = self.write_run(ladder(), plots=[LINES], folder="-".join(["run", *reasons]))
        program = self.program(self.told(directory, reasons))
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(make_plots.main([str(directory), "--redbench", program]), 0)
        return (directory / "plots" / "lines.svg").read_bytes()

    def test_a_figure_says_what_is_stale(self):
        directory = self.write_run(ladder())
        run = records.load_run(directory)
        told = self.told(directory, ["kernel changed", "measured otherwise", "kernel changed"])
        staleness.add_staleness(run, self.program(told))
        figure = drawing.draw(make_plots.complete(LINES, "plot"), run.rows, [], run)
        self.addCleanup(drawing.plt.close, figure)
        self.assertEqual(
            figure.axes[0].get_title(), "lines\n3 of 4 rows are stale: kernel changed, measured otherwise"
        )
        self.assertEqual(staleness.summary(run.rows[3:]), "", "a figure of rows that are not")

    def test_the_file_has_it_too(self):
        fresh, stale = self.drawn([]), self.drawn(["kernel changed"])
        self.assertNotIn(b"stale", fresh)
        self.assertIn(b"1 of 4 rows are stale: kernel changed", stale)

    def test_a_program_that_cannot_tell_is_no_program(self):
        directory = self.write_run(ladder(), plots=[LINES])
        for text, exit_code, message in (
            ("no JSON", 0, "JSONDecodeError"),
            ("{}", 0, "KeyError"),
            ("", 2, "exit status 2"),
            (None, 0, "No such file"),
        ):
            program = str(self.folder / "nowhere") if text is None else self.program(text, exit_code)
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                self.assertEqual(make_plots.main([str(directory), "--redbench", program]), 2)
            self.assertIn(message, errors.getvalue())
            self.assertFalse((directory / "plots").exists())


class Figure(RunTest):
    """What is in a figure, before it becomes a file."""

    def figure(self, lines, plot):
        folder = f"run{len(list(self.folder.iterdir()))}"
        run = records.load_run(self.write_run(lines, folder=folder))
        plot = make_plots.complete(plot, "plot")
        figure = drawing.draw(plot, run.rows, make_plots.load_published(plot), run)
        self.addCleanup(drawing.plt.close, figure)
        return figure

    def labels(self, figure):
        return {
            line.get_label(): (list(line.get_xdata()), list(line.get_ydata()))
            for line in figure.axes[0].get_lines()
            if not line.get_label().startswith("_")
        }

    def bars(self, axes):
        return [(round(bar.get_y() + bar.get_height() / 2, 6), bar.get_width()) for bar in axes.patches]

    def test_a_panel_of_bars_per_quantity_with_shared_names(self):
        figure = self.figure(counts(), PANELS)
        conflicts, barriers = figure.axes
        self.assertEqual([text.get_text() for text in conflicts.get_yticklabels()], ["harris2", "harris1"])
        self.assertFalse(any(text.get_visible() for text in barriers.get_yticklabels()))
        self.assertEqual(self.bars(conflicts), [(0, 431865), (-1, 0)])
        self.assertEqual(self.bars(barriers), [(0, 302), (-1, 296136)])
        self.assertEqual([text.get_text() for text in barriers.texts], ["302", "296 136"])
        self.assertEqual(barriers.get_xlabel(), "barriers\n(waits of warps)")
        self.assertIn("modelled device: counts, no times", figure.texts[0].get_text())
        self.assertNotIn("median", figure.texts[0].get_text())

    def test_bars_without_a_count_have_an_axis(self):
        rows = [counted("reduce/harris1"), counted("reduce/harris2")]
        axes = self.figure(rows, {**PANELS, "y": "conflicts"}).axes[0]
        self.assertEqual(axes.get_xlim(), (0, 1))
        rows[1]["counters"]["conflicts"] = 5000
        axes = self.figure(rows, {**PANELS, "y": "conflicts"}).axes[0]
        self.assertGreater(axes.get_xlim()[1], 5000)
        self.assertEqual([text.get_text() for text in axes.texts], ["0", "5 000"])

    def test_a_bar_per_series_the_first_on_top(self):
        rows = [counted("reduce/harris1", n=n, barriers=n) for n in (64, 128)]
        axes = self.figure(rows, {**PANELS, "y": "barriers", "logy": True}).axes[0]
        (upper, small), (lower, large) = self.bars(axes)
        self.assertGreater(upper, lower)
        self.assertEqual((small, large), (64, 128))
        self.assertEqual([text.get_text() for text in axes.get_legend().get_texts()], ["n 64", "n 128"])
        self.assertEqual(axes.get_xscale(), "linear")

    def test_a_measured_panel_beside_a_counted_one_has_dots_in_the_same_rows(self):
        rows = [*counts(), record("reduce/cpu_serial", device="host", time_ns=5000.0)]
        barriers, time = self.figure(rows, {**PANELS, "y": ["barriers", "time_ns"]}).axes
        self.assertEqual(self.bars(barriers), [(0, 302), (-1, 296136)])
        dots = [line for line in time.get_lines() if line.get_marker() == "o"]
        self.assertEqual([list(map(float, dots[0].get_data()[axis])) for axis in (0, 1)], [[5.0], [-2.0]])

    def test_the_launches_of_a_case_are_stacked_in_the_unit_of_its_dot(self):
        counts = ("blocks", "threads", "shared_bytes", "resident_blocks", "occupancy", "bytes_read", "bytes_written")
        launch = {"kernel": "k", "limiter": "blocks", "cooperative": False, **dict.fromkeys(counts, 1)}
        launches = [{**launch, "time_ns": 1000.0}, {**launch, "time_ns": 2000.0}, {**launch, "time_ns": 500.0}]
        times = {"time_ns": 4000.0, "ns_per_input": 2.0, "launches": launches}
        rows = [record("reduce/harris1", **times), record("reduce/harris2", **times)]
        axes = self.figure(rows, {**DOTS, "stacked": True, "y": "ns_per_input"}).axes[0]
        bars = [(bar.get_y() + bar.get_height() / 2, bar.get_x(), bar.get_width()) for bar in axes.patches]
        self.assertEqual(
            [tuple(round(part, 9) for part in bar) for bar in bars],
            [(y, *bar) for y in (0, -1) for bar in ((0, 0.5), (0.5, 1.0), (1.5, 0.25))],
        )
        numbers = [text for text in axes.texts if text.get_text() == "2"]
        self.assertEqual([text.xy for text in numbers], [(2.4, 0.0), (2.4, -1.0)])  # right of the interval
        self.assertTrue(all(text.get_ha() == "left" for text in numbers))
        slower = [record("reduce/harris1", **{**times, "time_ns": 2000.0, "ns_per_input": 1.0})]
        (number,) = self.figure(slower, {**DOTS, "stacked": True, "y": "ns_per_input"}).axes[0].texts
        self.assertEqual((number.get_text(), number.xy), ("1", (1.75, 0.0)))
        unmeasured = [record("reduce/harris1", time_ns=4000.0, launches=[launch])]
        self.assertEqual(
            [bar.get_width() for bar in self.figure(unmeasured, {**DOTS, "stacked": True}).axes[0].patches], [0]
        )

    def test_a_footer_names_the_launches_behind_the_dots(self):
        def row(variant, *kernels):
            launches = [{"kernel": kernel, "time_ns": 1.0} for kernel in kernels]
            return {"variant": variant, "launches": launches}

        told = names.told_launches(
            [
                row("multireduce/a", "fill<int>", "add"),
                row("multireduce/a", "fill<int>", "add", "add", "join<int>"),
                row("multireduce/b", "fill<int>", "add<int>", "add<int>", "join"),
                row("multireduce/c", "count"),
                {"variant": "multireduce/library", "launches": [{"kernel": "sort"}]},
            ]
        )
        self.assertEqual(told, ["launches from dark to light  ·  a, b: fill, 2 x add, join; c: count"])
        self.assertEqual(names.told_launches([row("multireduce/a")]), [])

    def test_the_dots_of_many_series_stay_with_their_name(self):
        rows = [record(f"reduce/harris{i}", parameters={"blocks": b}) for i in (1, 2) for b in range(1, 15)]
        axes = self.figure(rows, {**ALONE, "series": ["blocks"]}).axes[0]
        dots = [list(map(float, line.get_ydata())) for line in axes.get_lines() if line.get_markersize() == 6.5]
        self.assertEqual(len(dots), 14)
        self.assertTrue(all(abs(upper) < 0.5 and abs(lower + 1) < 0.5 for upper, lower in dots), dots)
        self.assertEqual(len({upper for upper, _ in dots}), 14)

    def test_counts_over_sizes_are_lines_without_an_interval(self):
        rows = [counted("reduce/harris1", n=n, time_ns=100.0, barriers=n // 2) for n in (64, 128)]
        lines = self.labels(self.figure(rows, {**LINES, "y": ["barriers", "time_ns"]}))
        self.assertEqual(lines["harris1"], ([64, 128], [32, 64]))
        row = {"barriers": 8, "time_ns": 100.0, "time_low_ns": 50.0, "time_high_ns": 200.0}
        self.assertEqual(look.interval([row], "barriers", 1.0), ([0.0], [0.0]))

    def test_a_line_per_series_in_the_unit_of_the_axis(self):
        lines = self.labels(self.figure(ladder(), LINES))
        self.assertEqual(lines["harris2"], ([1 << 14, 1 << 24], [2 + (1 << 13) / 1e3, 2 + (1 << 23) / 1e3]))
        self.assertEqual(set(lines), {"harris1", "harris2"})

    def test_rows_that_differ_in_an_unnamed_axis_are_not_joined(self):
        lines = self.labels(self.figure([record(), record(mode="warm", time_ns=1000.0)], LINES))
        self.assertEqual(set(lines), {"harris1, cold", "harris1, warm"})

    def over_blocks(self, *more):
        """A plot over a parameter, of a variant that takes it and of others that do not."""
        swept = [record(time_ns=t, parameters={"blocks": b}) for b, t in ((2, 8000.0), (4, 4000.0), (8, 2000.0))]
        run = records.load_run(self.write_run([*swept, *more]))
        plot = make_plots.complete({**LINES, "x": "blocks", "series": []}, "plot")
        rows = make_plots.choose_rows(run, plot)
        figure = drawing.draw(plot, rows, [], run)
        self.addCleanup(drawing.plt.close, figure)
        return figure

    def test_a_variant_without_the_parameter_is_a_level_line_of_its_own(self):
        block = {"block": 256}
        figure = self.over_blocks(
            record("reduce/cub", time_ns=3000.0, parameters={}),
            record("reduce/harris7", time_ns=5000.0, parameters=block),
            record("reduce/harris7", n=4096, time_ns=6000.0, parameters=block),
        )
        lines = self.labels(figure)
        self.assertEqual(lines["cub, n 1 Ki"], ([2, 8], [3.0, 3.0]))
        self.assertEqual(lines["harris7, n 1 Ki"], ([2, 8], [5.0, 5.0]))
        self.assertEqual(lines["harris7, n 4 Ki"], ([2, 8], [6.0, 6.0]))
        self.assertEqual(lines["harris1, n 1 Ki"], ([2, 4, 8], [8.0, 4.0, 2.0]))
        self.assertEqual([text.get_text() for text in figure.axes[0].get_xticklabels()], ["2", "4", "8"])

    def test_a_level_line_is_not_joined_to_the_points_of_another_variant(self):
        lines = self.labels(self.over_blocks(record("reduce/cub", time_ns=3000.0, parameters={})))
        self.assertEqual(lines, {"cub": ([2, 8], [3.0, 3.0]), "harris1": ([2, 4, 8], [8.0, 4.0, 2.0])})

    def test_level_lines_alone_have_no_axis_to_stand_on(self):
        run = records.load_run(self.write_run([record(parameters={}), record("reduce/cub", parameters={"blocks": 2})]))
        plot = make_plots.complete({**LINES, "x": "blocks", "where": {"variant": "harris1"}}, "plot")
        self.assertEqual(make_plots.choose_rows(run, plot), [])

    def test_a_case_without_an_axis_that_is_no_parameter_is_not_drawn(self):
        run = records.load_run(self.write_run([record(axes={"m": 4}), record("reduce/cub", axes={})]))
        plot = make_plots.complete({**LINES, "x": "m"}, "plot")
        self.assertEqual([row["variant"] for row in make_plots.choose_rows(run, plot)], ["reduce/harris1"])

    def test_an_axis_that_tells_no_rows_apart_is_not_in_the_name(self):
        lines = self.labels(self.figure([record(), record("reduce/cpu_serial", device="host")], LINES))
        self.assertEqual(set(lines), {"harris1", "cpu_serial"})

    def test_published_points_are_drawn_in_the_figures_unit(self):
        figure = self.figure([record("reduce/harris1", n=1 << 24, time_ns=8e4)], DOTS)
        lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
        self.assertEqual(list(lines["Tesla C2070 (published)"].get_xdata()), [5280.0])
        self.assertEqual(lines["Tesla C2070 (published)"].get_marker(), "*")

    def test_the_interval_of_a_bandwidth_is_turned_round(self):
        # Ends that are not each other's inverse: turned round, 8 GB/s is between 4 and 10, else between 6.4 and 16.
        row = record(time_ns=1000.0, time_low_ns=800.0, time_high_ns=2000.0, bandwidth_gb_per_s=8.0)
        row |= {"percent_of_ceiling": 40.0, "percent_of_scattered": 80.0, "ns_per_input": 2.0}
        self.assertEqual(look.interval([row], "bandwidth_gb_per_s", 1.0), ([4.0], [2.0]))
        self.assertEqual(look.interval([row], "percent_of_ceiling", 1.0), ([20.0], [10.0]))
        self.assertEqual(look.interval([row], "percent_of_scattered", 1.0), ([40.0], [20.0]))
        self.assertEqual([round(end[0], 9) for end in look.interval([row], "time_ns", 1e3)], [0.2, 1.0])
        self.assertEqual([round(end[0], 9) for end in look.interval([row], "ns_per_input", 1.0)], [0.4, 2.0])

    def test_a_time_without_an_interval_has_no_band(self):
        row = record(time_ns=1000.0, time_low_ns=None, time_high_ns=None, noise_percent=None)
        self.assertTrue(all(math.isnan(end) for (end,) in look.interval([row], "time_ns", 1.0)))
        for plot in (LINES, DOTS):
            self.figure([row], plot)

    def test_axes_are_logarithmic_where_the_plot_says_so_and_else_from_zero(self):
        logarithmic = self.figure(ladder(), LINES).axes[0]
        self.assertEqual((logarithmic.get_xscale(), logarithmic.get_yscale()), ("log", "log"))
        self.assertEqual(logarithmic.xaxis.get_transform().base, 2)
        linear = self.figure(ladder(), {**LINES, "logx": False, "logy": False}).axes[0]
        self.assertEqual((linear.get_xscale(), linear.get_yscale()), ("linear", "linear"))
        self.assertEqual(linear.get_ylim()[0], 0)
        dots = self.figure([record("reduce/harris1", time_ns=8e4)], ALONE).axes[0]
        self.assertEqual(dots.get_xlim()[0], 0)
        logarithmic = self.figure([record("reduce/harris1", time_ns=8e4)], {**ALONE, "logy": True})
        self.assertEqual(logarithmic.axes[0].get_xscale(), "log")

    def test_ticks_of_uneven_sizes_do_not_touch(self):
        for sizes, expected in (
            ([2**i for i in (8, 15, 18, 19, 20, 21, 23, 27)], [2**8, 2**15, 2**19, 2**21, 2**23, 2**27]),
            ([2**i for i in (0, 2, 3, 10)], [2**0, 2**2, 2**3, 2**10]),  # a tenth of the whole way
            ([2**i for i in (0, 1, 11)], [2**1, 2**11]),
            ([2**i for i in (0, 8, 12, 15, 18, 19, 20, 21, 22, 23, 25, 27)], [2**8, 2**15, 2**19, 2**23, 2**27]),
        ):
            axes = self.figure([record(n=n, time_ns=float(n)) for n in sizes], LINES).axes[0]
            self.assertEqual(list(axes.xaxis.get_major_locator().locs), expected)
        rows = [record(parameters={"block": block}, time_ns=float(block)) for block in (32, 64, 512, 1024)]
        axes = self.figure(rows, {**LINES, "x": "block", "logx": False}).axes[0]
        self.assertEqual(list(axes.xaxis.get_major_locator().locs), [64, 512, 1024])

    def test_ticks_are_at_measured_sizes_the_last_among_them(self):
        for count, step in ((2, 1), (9, 1), (10, 2), (18, 2), (19, 3)):
            sizes = [1 << (4 + i) for i in range(count)]
            axes = self.figure([record(n=n, time_ns=float(n)) for n in sizes], LINES).axes[0]
            ticks = list(axes.xaxis.get_major_locator().locs)
            self.assertEqual(ticks, sorted(sizes[::-1][::step]), count)
            self.assertEqual(axes.xaxis.get_major_formatter()(1 << 14, 0), "16 Ki")
            self.assertEqual(axes.get_xlabel(), "n (elements)")
        rows = [record(parameters={"block": block}, time_ns=float(block)) for block in (512, 1024)]
        axes = self.figure(rows, {**LINES, "x": "block"}).axes[0]
        self.assertEqual(axes.xaxis.get_major_formatter()(1024, 0), "1024", "sizes of inputs alone have units")
        self.assertEqual(axes.get_xlabel(), "block (threads)")

    def test_a_line_goes_through_its_points_in_order(self):
        sizes = [1 << 20, 1 << 14, 1 << 24, 1 << 17]
        lines = self.labels(self.figure([record(n=n, time_ns=float(n)) for n in sizes], LINES))
        self.assertEqual(lines["harris1"], (sorted(sizes), [n / 1e3 for n in sorted(sizes)]))

    def test_a_line_has_its_interval_as_a_band(self):
        rows = [
            record(n=n, time_ns=1000.0 * n, time_low_ns=800.0 * n, time_high_ns=2000.0 * n) for n in (1 << 10, 1 << 12)
        ]
        axes = self.figure(rows, LINES).axes[0]
        (band,) = axes.collections
        corners = {(round(x), round(y)) for x, y in band.get_paths()[0].vertices}
        self.assertEqual(corners, {(1024, 819), (1024, 2048), (4096, 3277), (4096, 8192)})

    def test_a_dot_has_its_interval_as_a_bar(self):
        row = record(time_ns=1000.0, time_low_ns=800.0, time_high_ns=2000.0)
        axes = self.figure([row], ALONE).axes[0]
        bars = [path.vertices.tolist() for lines in axes.collections for path in lines.get_paths()]
        self.assertEqual([[[round(x, 9), y] for x, y in bar] for bar in bars], [[[0.8, 0.0], [2.0, 0.0]]])

    def beside_published(self, *lines):
        """A line of three sizes, with a paper's numbers: its axes."""
        file = self.folder / "paper.csv"
        header = "figure,variant,device,n,type,operator,quantity,unit,relation,value,source"
        file.write_text("\n".join([header, *lines]) + "\n")
        rows = [record(n=n, time_ns=2000.0) for n in (1 << 14, 1 << 16, 1 << 24)]
        plot = {**LINES, "published": {"file": str(file), "where": {"figure": "1"}}}
        return self.figure(rows, plot).axes[0]

    def test_a_published_point_has_the_shape_of_its_relation(self):
        axes = self.beside_published(
            "1,reduce/harris1,GPU,16384,i32,sum,time,us,<,4,page 1",
            "1,reduce/harris1,GPU,65536,i32,sum,time,us,>=,5,page 1",
            "1,reduce/harris1,GPU,16777216,i32,sum,time,us,=,6,page 1",
        )
        published = [
            (line.get_marker(), list(line.get_xdata()), list(line.get_ydata()))
            for line in axes.get_lines()
            if "published" in line.get_label()
        ]
        self.assertEqual(
            sorted(published), [("*", [1 << 24], [6.0]), ("^", [1 << 16], [5.0]), ("v", [1 << 14], [4.0])]
        )

    def test_a_published_number_without_a_size_is_a_line_over_all(self):
        axes = self.beside_published("1,reduce/harris1,GPU,,i32,sum,time,us,=,4,page 1")
        (line,) = [line for line in axes.get_lines() if "published" in line.get_label()]
        self.assertEqual((list(line.get_xdata()), list(line.get_ydata())), ([1 << 14, 1 << 24], [4.0, 4.0]))
        self.assertEqual(line._unscaled_dash_pattern, (0, (1, 2)), "dots: as long as the line is wide")

    def test_published_numbers_of_a_parameter_stand_beside_their_own_series(self):
        file = self.folder / "paper.csv"
        file.write_text(
            "figure,variant,device,n,type,operator,block,quantity,unit,relation,value,source\n"
            "1,reduce/harris1,GPU,,i32,sum,128,time,us,=,4,page 1\n"
            "1,reduce/harris1,GPU,,i32,sum,256,time,us,=,5,page 1\n"
            "1,reduce/harris1,GPU,,i32,sum,,time,us,=,6,page 1\n"
        )
        rows = [
            record(n=n, time_ns=2000.0, parameters={"block": block}) for n in (1 << 14, 1 << 16) for block in (128, 256)
        ]
        plot = {**LINES, "series": ["variant", "block"], "published": {"file": str(file), "where": {"figure": "1"}}}
        drawn = {line.get_label(): line.get_color() for line in self.figure(rows, plot).axes[0].get_lines()}
        self.assertEqual(drawn["harris1, block 128, GPU (published)"], drawn["harris1, block 128"])
        self.assertEqual(drawn["harris1, block 256, GPU (published)"], drawn["harris1, block 256"])
        self.assertEqual(drawn["harris1, GPU (published)"], look.COLOURS[-1])

    def test_a_papers_best_sizes_are_a_band(self):
        axes = self.beside_published(
            "1,reduce/harris1,GPU,,i32,sum,best_n,values,=,32768,page 1",
            "1,reduce/harris1,GPU,,i32,sum,best_n,values,=,131072,page 1",
        )
        (band,) = axes.patches
        self.assertEqual((band.get_x(), band.get_width()), (32768, 98304))
        self.assertIn("best on GPU\n(published)", [text.get_text() for text in axes.texts])

    def test_a_papers_one_best_size_is_seen_too(self):
        axes = self.beside_published("1,reduce/harris1,GPU,,i32,sum,best_n,values,=,32768,page 1")
        (band,) = axes.patches
        self.assertEqual((band.get_x(), band.get_width()), (32768, 0))
        self.assertGreater(band.get_linewidth(), 0)

    def test_names_that_would_crowd_become_a_legend_in_the_order_of_the_ends(self):
        crowd = [record(f"reduce/harris{i}", n=1 << 14, time_ns=2000.0 + (i * 5) % 7) for i in range(1, 8)]
        legend = self.figure(crowd, {**LINES, "logy": False}).axes[0].get_legend()
        self.assertEqual(
            [text.get_text() for text in legend.get_texts()],
            [f"harris{i}" for i in sorted(range(1, 8), key=lambda i: -((i * 5) % 7))],
        )

    def test_names_with_room_stand_beside_their_lines(self):
        axes = self.figure(ladder(), LINES).axes[0]
        self.assertIsNone(axes.get_legend())
        self.assertEqual({text.get_text() for text in axes.texts}, {"harris1", "harris2"})

    def test_labels_keep_their_distance_and_order(self):
        gap = drawing.LABEL_GAP
        self.assertEqual(drawing.spread([0.1, 0.5]), [0.1, 0.5])
        close = drawing.spread([0.5, 0.5, 0.9])
        self.assertAlmostEqual(close[1] - close[0], gap)
        self.assertAlmostEqual(close[0] + close[1], 1.0)
        self.assertAlmostEqual(close[2], 0.9)
        self.assertGreaterEqual(min(drawing.spread([0.0, 0.0, 0.0])), 0.0)


if __name__ == "__main__":
    unittest.main()
