"""make_plots.py: what its figures hold, and what is refused."""

import json
import math
import os
import re
import sys

from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
import matplotlib.pyplot as plt

from support import PROGRAM, REPOSITORY, RunTest, call, counted, executable, output_of, record
from figure_text import described
import make_plots
from shared import figures, footers, plot_entries, program, style
from shared.category_panels import launches_text
from shared.line_labels import named, with_way_to_name

LINES = {"name": "lines", "x": "n", "y": "time_ns", "series": ["variant"], "logx": True, "logy": True}
ALONE = {"name": "alone", "x": "variant", "y": "time_ns"}
OF_SLIDES = {"file": "results/papers/slides.csv", "where": {"figure": "table"}}
DOTS = {**ALONE, "name": "dots", "published": OF_SLIDES}
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

    def test_where_gpus_are_several_a_series_says_of_how_many_it_is(self):
        of_two = {"axes": {"values": "uniform", "gpus": 2}}
        rows = [record(n=n, time_ns=n + 0.5, **axes) for n in (1 << 14, 1 << 24) for axes in ({}, of_two)]
        drawn, _ = self.draw([*rows, record("reduce/cpu_serial", device="host")], [LINES])
        names = set(re.findall(r"cpu_serial[^<]*|harris1[^<]*", drawn["lines.svg"].decode()))
        self.assertLessEqual({"harris1, 1 GPU", "harris1, 2 GPUs", "cpu_serial"}, names)

    def test_a_run_without_its_tables_is_drawn_where_redbench_can_write_them(self):
        run = self.write_run(ladder(), plots=[LINES])
        (run / "tables" / "report.json").unlink()
        self.assertEqual(output_of(make_plots.main, run, "--redbench", "")[0], 2)
        self.assertEqual(output_of(make_plots.main, run, "--redbench", PROGRAM)[0], 0)
        self.assertTrue((run / "plots" / "lines.svg").is_file())

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
            (("", ""), "<svg"),
            (("kernel changed", ""), "2 of 4 rows are stale: kernel changed"),
            (("a", "b"), "4 of 4 rows are stale: a, b"),
        ):
            # What `redbench results --json` says of a row of each variant.
            stale = [{**row, "stale": why, "built_otherwise": False} for row, why in zip(rows, reasons, strict=False)]
            redbench = self.program(json.dumps({str(directory): stale}))
            self.assertEqual(output_of(make_plots.main, directory, "--redbench", redbench)[0], 0)
            drawn = (directory / "plots" / "lines.svg").read_text()
            self.assertIn(text, drawn)
            self.assertEqual("rows are stale" in drawn, any(reasons))

    def test_rows_that_the_same_kernel_made_are_stale_together(self):
        rows = [record(n=n, source_hash=made) for n, made in ((1024, "old"), (2048, "today's"), (4096, "old"))]
        run = self.load(rows)
        known = [{**row, "stale": why} for row, why in zip(rows, ("kernel changed", ""), strict=False)]
        program.add_staleness(run, self.program(json.dumps({"run": known})))
        self.assertEqual([row["stale"] for row in run.rows], ["kernel changed", "", "kernel changed"])

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
        [record(f"reduce/harris{i}", n=n, time_ns=2000.0 + (i * 5) % 7) for n in (64, 128) for i in range(1, 8)],
    ),
    "more series than colours: the fastest somewhere have one; a line that ends early has its name beside it": (
        {**LINES, "logy": False},
        [record(f"reduce/h{i}", n=n, time_ns=1e3 * abs(n - 16 * i) + i) for n in (16, 80) for i in range(1, 12)]
        + [record("reduce/early", n=n, time_ns=15e4) for n in (16, 32)],
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
    "published numbers of two problems, over the mean length of segments": (
        {**LINES, "x": "segments", "series": ["problem"]},
        [
            record(f"{problem}/cub", axes={"values": "uniform", "segments": segments})
            for problem in ("segreduce", "segscan")
            for segments in ("fixed:3", "uniform:1..15", "uniform:0..2048")
        ],
        [f"1,{problem}/cub,GPU,,i32,sum,,time,us,<=,{us},page 1" for problem, us in (("segreduce", 3), ("segscan", 4))],
    ),
    "dots with intervals": (
        {**DOTS, "where": {"type": "i32"}},
        [record("reduce/harris1", time_ns=8e4), record("reduce/cub", time_ns=2e4, time_low_ns=None, time_high_ns=None)],
    ),
    "stacked launches": (
        {**ALONE, "stacked": True},
        [record(f"reduce/harris{i}", time_ns=4000.0, launches=LAUNCHES) for i in (1, 2)]
        + [record("reduce/cub", time_ns=4000.0, launches=[launch("untimed")])],
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
            record(n=1 << 17, time_ns=2e6, launch_gap_hidden=True, forks=5),  # a launch that waits is little of it
        ],
    ),
}


class Figure(RunTest):
    """What is in a figure, before it becomes a file."""

    def figure(self, plot, lines, paper=(), **facts):
        if paper:
            file = self.folder / "paper.csv"
            file.write_text("\n".join([PAPER, *paper]) + "\n")
            plot = {**plot, "published": {"file": str(file), "where": {"figure": "1"}}}
        run = self.load(lines, **facts)
        plot = plot_entries.complete(plot, "plot")
        rows = plot_entries.choose_rows(run, plot)
        figure = figures.draw(plot, rows, plot_entries.load_published(plot), run)
        self.addCleanup(plt.close, figure)
        return figure

    def test_each_kind_of_plot(self):
        texts = [f"# {name}\n{described(self.figure(*drawn))}" for name, drawn in DRAWN.items()]
        self.expect_golden("plots.txt", "\n".join(texts))

    def test_a_published_number_is_drawn_unless_the_plots_where_excludes_it(self):
        types = (("i32", 4), ("f32", 5), ("", 6))
        paper = [f"1,reduce/harris1,GPU,16384,{name},sum,,time,us,=,{us},page 1" for name, us in types]
        figure = self.figure({**LINES, "where": {"type": "i32"}}, [record()], paper)
        (stars,) = (line for line in figure.axes[0].get_lines() if "published" in line.get_label())
        self.assertEqual(list(stars.get_ydata()), [4, 6])

    def test_a_footer_tells_in_what_sessions_of_one_kind_of_device_differ(self):
        sessions = [{"started": f"2026-11-0{day}T10:00:00Z", "commit": commit, "measure": {"forks": forks, "mode": day}}
                    for day, (commit, forks) in enumerate((("a", 3), ("b", 5), ("b", 5), ("c", 5)))]
        rows = [record(n=512, session=0, device="host"), *(record(n=n, session=n) for n in (1, 2, 3))]
        run = self.load(rows, sessions=sessions)
        plot = plot_entries.complete(LINES, "plot")
        told = {len(of): footers.footer(plot, of, run) for of in (run.rows, run.rows[:3])}
        self.assertIn("2026-11-00 to 2026-11-03", told[4])
        self.assertIn("sessions that differ in commit", told[4])
        self.assertIn("2026-11-00 to 2026-11-02", told[3])
        self.assertNotIn("differ", told[3])

    def test_a_footer_says_what_precision_the_session_of_a_row_asked_for(self):
        sessions = [{"measure": {"max_noise": asked}} for asked in (1.0, 0.5, 3.0)]
        rows = [record(n=n, stopped="forks_differ", session=session) for session, n in enumerate((1024, 2048))]
        run = self.load(rows, sessions=sessions)
        plot = plot_entries.complete(LINES, "plot")
        text = footers.footer(plot, run.rows, run)
        told = "1 of 2 points: processes differ by more than 1.0 %; 1: processes differ by more than 0.5 %"
        self.assertIn(told, text)

    def test_a_line_that_ends_early_has_no_way_to_its_name_where_its_colour_tells(self):
        _, axes = figures.plt.subplots()
        looks = [("red", "-"), ("red", "none"), ("blue", "-"), ("blue", "-"), (style.GREY, "-"), ("green", "-")]
        lines = [axes.plot([0], [0], color=colour, linestyle=dash)[0] for colour, dash in looks]
        ends = dict(zip(lines, [(0.5, 0)] * 5 + [(1, 0)], strict=True))
        self.assertEqual([line in with_way_to_name(lines, ends) for line in lines], [False] * 2 + [True] * 4)
        figures.plt.close()

    def test_launches_of_a_variant_with_several_forms_are_each_named(self):
        forms = (["fill", "a"], ["fill", "b"], ["b"])
        rows = [{"variant": "p", "launches": [{"kernel": name, "time_ns": 1} for name in form]} for form in forms]
        self.assertIn("p: fill, a or fill, b", launches_text(rows))

    def test_launches_have_their_shade_with_and_without_a_library(self):
        rows = [record(n=n, launches=LAUNCHES[:1], library_ns=library) for n, library in ((1, [500.0]), (2, None))]
        plot = {**LINES, "x": "variant", "series": ["n"], "y": "time_ns", "stacked": True}
        shades = [round(bar.get_alpha(), 2) for bar in self.figure(plot, rows).axes[0].patches]
        self.assertEqual(shades, [0.6, 0.4, 0.4])

    def test_a_title_has_lines_as_wide_as_there_is_room(self):
        axes = self.figure({**LINES, "title": "wide words " * 12}, [record()]).axes[0]
        axes.figure.canvas.draw()
        self.assertIn("\n", axes.get_title())
        self.assertLess(axes.title.get_window_extent().width, axes.figure.bbox.width)

    def test_a_footer_says_that_cases_may_be_missing(self):
        run = self.load([record()])
        run.interruption = "interrupted: cases may be missing"
        plot = plot_entries.complete(LINES, "plot")
        self.assertIn(run.interruption, footers.footer(plot, run.rows, run))

    def test_a_line_on_another_is_dashed_so_that_both_are_seen(self):
        times = (("a", 1), ("b", 1.01), ("c", 1.1))
        lines = [record(f"reduce/{name}", n=n, time_ns=n * of) for name, of in times for n in (64, 128)]
        drawn = {line.get_label(): line.get_linestyle() for line in self.figure(LINES, lines).axes[0].get_lines()}
        self.assertEqual(drawn, {"a": "-", "b": "--", "c": "-"})

    def test_so_is_one_that_lies_on_two_of_three_points_of_another(self):
        for at, dash in ((2, "--"), (1, "-")):
            with self.subTest(at):
                rows = [record(f"reduce/{name}", n=n, time_ns=n * (3 if name == "b" and place >= at else 1))
                        for name in "ab" for place, n in enumerate((64, 128, 256))]
                line = self.figure(LINES, rows).axes[0].get_lines()[1]
                self.assertEqual(line.get_linestyle(), dash)

    def test_a_name_in_the_panel_stays_above_its_axis(self):
        times = (("reduce/a", (16, 64, 256), 9e4), ("reduce/early", (16, 32), 5.0))
        lines = [record(name, n=n, time_ns=time) for name, sizes, time in times for n in sizes]
        axes = self.figure({**LINES, "logy": False}, lines).axes[0]
        (name,) = (text for text in axes.texts if text.get_text() == "early")
        self.assertGreater(name.get_window_extent().y0, axes.bbox.y0)

    def test_a_name_that_would_cover_a_line_once_the_panel_is_narrower_stands_beside_it(self):
        times = {4: 10, 10: 10, 11: 1e6, 16: 1e6}
        steep = [record(f"reduce/{'b' * 40}", n=1 << at, time_ns=time) for at, time in times.items()]
        early = [record(f"reduce/{'a' * 30}", n=n, time_ns=1e3) for n in (16, 64)]
        axes = self.figure(LINES, [*steep, *early]).axes[0]
        (name,) = (text for text in axes.texts if text.get_text().startswith("a"))
        self.assertGreater(name.get_window_extent().x1, axes.bbox.x1)

    def test_ten_series_of_dots_have_a_colour_each(self):
        bars = self.figure({**PANELS, "y": "barriers", "series": ["n"]}, [counted("a/b", n=n) for n in range(10)])
        self.assertEqual(len({to_hex(bar.get_facecolor()) for bar in bars.axes[0].patches}), 10)

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

    def test_a_tuned_series_is_a_thinner_line_of_the_colour_of_its_printed_form(self):
        lines = [
            record(f"reduce/{name}", n=n, time_ns=9.0 + tuned, tuned=tuned, key=f"{name} {n} {tuned}")
            for n in (64, 128)
            for name, tuned in (("a", True), ("b", False), ("b", True), ("a", False))
        ]
        drawn = {line.get_label(): line for line in self.figure(LINES, lines).axes[0].get_lines()}
        self.assertEqual(set(drawn), {"a", "b", "a, tuned", "b, tuned"})
        for name in ("a", "b"):
            self.assertEqual(drawn[name].get_color(), drawn[f"{name}, tuned"].get_color())
            self.assertGreater(drawn[name].get_linewidth(), drawn[f"{name}, tuned"].get_linewidth())
        self.assertNotEqual(drawn["a"].get_color(), drawn["b"].get_color())

    def test_tuned_series_have_no_names_where_not_all_names_fit(self):
        for count, of_tuned in ((9, 9), (12, 0)):
            lines = [Line2D([], [], label=f"v{i}{form}") for i in range(count) for form in ("", ", tuned")]
            names = [line.get_label() for line in named([*lines, Line2D([], [], label="alone, tuned")])]
            self.assertEqual(sum(name.endswith(", tuned") for name in names), of_tuned + 1)
            self.assertEqual(len(names), count + of_tuned + 1)

    def test_points_whose_parameters_the_config_gives_one_by_one_are_not_joined(self):
        lines = [
            record(f"reduce/{name}", n=n, parameters={"sets": sets, "block": n})
            for name, n, sets in (("a", 64, 4), ("a", 128, 2), ("b", 64, 4), ("b", 128, 4))
        ]
        experiments = [{"axes": {"n": 64, "sets": 4}}, {"axes": {"n": 128, "sets": [2, 4]}}]
        drawn = self.figure(LINES, lines, config={"experiments": experiments}).axes[0].get_lines()
        # The blocks are of the variant's own choice: they do not part the line of b.
        dashes = {line.get_label(): line.get_linestyle() for line in drawn}
        self.assertEqual(dashes, {"a (sets differ)": "None", "b": "-"})

    def test_a_simulation_that_the_paper_draws_is_in_the_figure(self):
        lines = [record("multireduce/cpu_sequential", n=64, axes={"m": m}, device="host") for m in (1, 2)]
        run = self.load(lines, name="eilers2014/fig2.7")
        (run.directory / "cachesim").mkdir()
        case, known = {"variant": "multireduce/cpu_sequential", "n": 64}, ("machine", "model", "ns_per_input")
        times = (("host", "serial", 9.0), ("host", "translated", 9.1), ("core2", "serial", 99.0))
        cases = [{**case, **dict(zip(known, time, strict=True)), "m": m} for time in times for m in (1, 2)]
        papers = {"host": "", "core2": "Core2 Duo T7300"}
        machines = [{"name": name, "published_as": paper, "machine": {}} for name, paper in papers.items()]
        predicted = {"machines": machines, "errors": [], "cases": cases, "steps": 64}
        (run.directory / "cachesim" / "predictions.json").write_text(json.dumps(predicted))
        plot = plot_entries.complete({**LINES, "x": "m", "y": "ns_per_input"}, "plot")
        figure = figures.draw(plot, run.rows, [], run)
        self.addCleanup(plt.close, figure)
        self.expect_golden("simulated.txt", described(figure))

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
