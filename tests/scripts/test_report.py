"""scripts/make_report.py: what the page holds, what it refuses, and that nothing of strangers is more than text."""

import contextlib
import io
import json
import re
import unittest

from support import REPOSITORY, RunTest, counted, record
import hostile
import make_report
from pages import TWO, Page, ReportTest, two, unpacked
import records
from report import embedding, numbers, tables
import staleness

LINES = {"name": "lines", "title": "Time of 2^24", "x": "n", "y": "time_ns", "series": ["variant"], "logx": True}


class Results(ReportTest):
    def test_each_number_of_a_table_is_that_of_its_record(self):
        run = self.write_run(two(), name="paper/fig1", plots=[LINES])
        page = self.make(run)
        found = page.all("td", data_column=True)
        self.assertGreaterEqual(len(found), 3 * 4)
        rows = {e[1]["data-record"] for e in page.all("tr", data_record=True)}
        self.assertEqual(rows, {"0", "1", "2", "3"})
        data = page.data
        packed = [unpacked(data, value) for value in data["records"]]
        links = iter(page.all("a"))
        for _, attributes, text in found:
            link = next(e for e in links if e[1].get("href", "").startswith("#record-") and e[2] == text)
            record_of = packed[int(link[1]["href"].removeprefix("#record-"))]
            value = record_of[attributes["data-column"]]
            self.assertEqual(float(attributes["data-v"]), value)
            scale = records.QUANTITIES[attributes["data-column"]].scale
            self.assertAlmostEqual(float(text.replace(numbers.THIN_SPACE, "")) * scale / value, 1, delta=0.06)

    def test_records_are_whole_but_for_their_samples(self):
        samples = [[1.0, 2.0], [3.0]]
        page = self.make(self.write_run([record(samples_ns=samples, again_ns=samples)]))
        packed = unpacked(page.data, page.data["records"][0])
        original = record(samples_ns=samples)
        told = "3 samples of 2 processes: not in this page, in records.jsonl"
        self.assertEqual((packed.pop("samples_ns"), packed.pop("again_ns")), (told, told))
        packed.pop("source")
        original.pop("samples_ns")
        self.assertEqual(packed, original)
        self.assertIn("The 3 single samples", page.text_of("reading"))

    def test_a_point_has_the_number_of_its_record(self):
        page = self.make(self.write_run(two(), plots=[LINES]))
        (figure,) = unpacked(page.data, page.data["figures"])
        self.assertEqual(figure["title"], "Time of 2²⁴")
        (panel,) = figure["panels"]
        self.assertEqual((panel["unit"], [s["name"] for s in panel["series"]]), ("µs", ["harris1", "harris2"]))
        for series, time in zip(panel["series"], TWO.values(), strict=True):
            for x, y, low, high, number, text, interval, _ in series["points"]:
                self.assertAlmostEqual(y, time * x / 1024 / 1000)
                self.assertAlmostEqual((low / y, high / y)[0], 0.9)
                packed = unpacked(page.data, page.data["records"][number])
                self.assertEqual((packed["n"], packed["time_ns"]), (x, time * x / 1024))
                self.assertAlmostEqual(float(text) / y, 1, delta=0.3)  # the interval bears out one digit
                self.assertIn(" to ", interval)

    def test_numbers_are_those_of_the_tables(self):
        """redbench's own table of the same run has the same texts."""
        folder = REPOSITORY / "results/h200/slides/table"
        told = (folder / "tables/table.md").read_text(encoding="utf-8")
        rows = [[re.sub(r" \[\d+\]", "", c) for c in line.strip("| ").split(" | ")] for line in told.splitlines()]
        page = self.make(folder)
        times = [e[2] for e in page.all("td", data_column="time_ns")]
        self.assertEqual(len(times), 6)
        for time, bandwidth in zip(times, page.all("td", data_column="bandwidth_gb_per_s"), strict=True):
            self.assertTrue(any(row[1:2] == [time] and row[3] == bandwidth[2] for row in rows if len(row) > 3), time)

    def test_what_went_wrong_stands_first(self):
        lines = [
            record("reduce/harris1", time_ns=None, outcome="wrong", reason="off by 5"),
            record("reduce/harris2", n=2048, time_ns=None, outcome="unsupported", reason="too large"),
            record("reduce/harris3", n=4096, clocks={"throttled_by": ["power"]}),
        ]
        damaged = self.write_run(["{\n"], folder="damaged")
        page = self.make(self.write_run(lines, plots=[{"name": "x", "x": "n", "y": "nothing"}]), damaged)
        first = page.text_of("first")
        for text in ("gave a wrong result", "off by 5", "1 case refused", "too large", "throttled"):
            self.assertIn(text, first)
        for text in ("records.jsonl:1: not JSON", "Something is missing", "Whether records are stale is not known"):
            self.assertIn(text, first)
        self.assertLess(first.index("off by 5"), first.index("too large"))
        identities = [e[1].get("id") for e in page.all("section")]
        self.assertEqual(identities[0], "first")

    def test_reasons_that_differ_in_numbers_are_told_once(self):
        """Of 64 refusals for 16 sizes a reader saw nothing else."""
        reasons = ("takes m up to 256, not 512", "takes m up to 256, not 1024", "no such pair")
        lines = [
            record(n=1024 << i, time_ns=None, outcome="unsupported", reason=reason) for i, reason in enumerate(reasons)
        ]
        first = self.make(self.write_run(lines)).text_of("first")
        self.assertIn("2 cases refused", first)
        self.assertIn("takes m up to 256, not 512 (and 1 more with other numbers)", first)
        self.assertNotIn("no such pair (and", first)

    def test_where_all_is_well_the_page_says_so(self):
        page = self.make(self.write_run(two()))
        self.assertNotIn("wrong", page.text_of("first"))

    def test_stale_rows_are_marked(self):
        run = self.write_run(two())
        told = staleness.add_staleness

        def all_stale(run, program):
            for row in run.rows:
                row["stale"] = "kernel changed"

        staleness.add_staleness = all_stale
        self.addCleanup(setattr, staleness, "add_staleness", told)
        path = self.folder / "page.html"
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(make_report.main([str(run), "-o", str(path), "--redbench", "some"]), 0)
        page = Page(path.read_text(encoding="utf-8"))
        self.assertIn("4 cases stale", page.text_of("first"))
        self.assertEqual(len(page.all("tr", class_="stale")), 4)
        self.assertEqual(unpacked(page.data, page.data["records"][0])["stale"], "kernel changed")

    def test_a_redbench_that_cannot_tell_hides_no_record(self):
        run, path = self.write_run(two()), self.folder / "page.html"
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(make_report.main([str(run), "-o", str(path), "--redbench", "/bin/false"]), 0)
        page = Page(path.read_text(encoding="utf-8"))
        self.assertEqual(len(page.all("tr", data_record=True)), 4)
        self.assertRegex(page.text_of("first"), "Whether records are stale is not known.*/bin/false")

    def test_the_environment_is_told_with_who_differs(self):
        def session(driver):
            return {"driver": driver, "commit": "abc", "dirty": True, "host": {"cpu": "A CPU", "memory_bytes": 1 << 34}}

        one = self.write_run(two(), name="p/one", folder="one", sessions=[session("1.0")])
        other = self.write_run(two(), name="p/other", folder="other", sessions=[session("2.0")])
        page = self.make(one, other)
        told = page.text_of("environment")
        for text in ("1.0 1 of 2 runs: p/one", "2.0 1 of 2 runs: p/other", "A CPU", "16 GiB", "abc, with changes"):
            self.assertIn(text, told)
        self.assertIn("Uncommitted changes", page.text_of("first"))

    def test_claims_lead_to_the_records(self):
        run = self.write_run(two(), name="paper/fig1")
        key = two()[1]["key"]
        part = {"what": "ratio", "value": 0.667, "low": 0.6, "high": 0.7, "bound": "< 1", "verdict": "holds"}
        told = {"id": "ladder", "paper": "paper", "sentence": "It is faster.", "why": "By a third."}
        claims = [
            {**told, "verdict": "holds", "parts": [{**part, "records": [f"{run}#{key}", "elsewhere#x"]}]},
            {**told, "id": "other", "verdict": "undecided", "missing": ["configs/x.json"]},
            {**told, "id": "of another paper", "paper": "another", "verdict": "does not hold"},
        ]
        (self.folder / "claims.json").write_text(json.dumps({"claims": claims}))
        page = self.make(run)
        section = page.text_of("claims")
        for text in ("holds 1", "does not hold 0", "undecided 1", "It is faster.", "0.6670", "0.6000 to 0.7000"):
            self.assertIn(text, section)
        self.assertIn("Missing: configs/x.json", section)
        self.assertNotIn("of another paper", section)
        (link,) = [e for e in page.all("a", aria_label="record 1")]
        number = int(link[1]["href"].removeprefix("#record-"))
        self.assertEqual(unpacked(page.data, page.data["records"][number])["key"], key)

    def test_reasons_stand_with_the_run_that_has_both_variants(self):
        (self.folder / "why.json").write_text(json.dumps(hostile.reasons() + [{"from": "harris2", "to": "harris1"}]))
        other = self.write_run([record("reduce/cub")], name="p/other", folder="other")
        run = self.write_run(two(), name="p/one", folder="one")
        page = self.make(self.folder)
        self.assertEqual(len(page.all("details", class_="reason")), 2)
        self.assertTrue(other.is_dir() and run.is_dir())
        order = [e for e in page.elements if e[1].get("class") in ("reason", "run")]
        self.assertEqual([e[1].get("id") for e in order if e[0] == "section"], ["run-p-one", "run-p-other"])
        self.assertEqual([e[0] for e in order], ["section", "details", "details", "section"])

    def test_a_case_without_the_parameter_of_the_axis_has_no_x(self):
        swept = [record(parameters={"blocks": blocks}) for blocks in (4, 2)]
        plot = {"name": "swept", "x": "blocks", "y": "time_ns", "series": ["variant"]}
        page = self.make(self.write_run([*swept, record("reduce/cub", parameters={})], plots=[plot]))
        (figure,) = unpacked(page.data, page.data["figures"])
        told = {s["name"]: [point[:2] for point in s["points"]] for s in figure["panels"][0]["series"]}
        self.assertEqual(told, {"harris1": [[2, 2.0], [4, 2.0]], "cub": [[None, 2.0]]})

    def test_predictions_stand_beside_what_is_measured(self):
        run = self.write_run(two(), name="eilers2014/fig2.7")
        machine = {"name": "host", "published_as": "Core2 Duo T7300", "machine": {"title": "A CPU"}}
        case = {"variant": "multireduce/cpu_sequential", "n": 1024, "machine": "host", "model": "serial"}
        cases = [{**case, "m": m, "ns_per_input": 2.5, "measured_ns_per_input": 4.5} for m in (1, 64)]
        error = {"machine": "host", "model": "serial", "mean_absolute_percent": 44.4}
        told = {"machines": [machine], "errors": [error], "cases": cases}
        path = run / "cachesim" / "predictions.json"
        path.parent.mkdir()
        path.write_text(json.dumps(told))
        page = self.make(run)
        (figure,) = unpacked(page.data, page.data["figures"])
        self.assertEqual(figure["title"], "Predicted: A CPU; mean absolute error: serial 44 %")
        series = figure["panels"][0]["series"]
        self.assertEqual([s["name"] for s in series[:2]], ["cpu_sequential, serial", "cpu_sequential, measured"])
        self.assertEqual([p[:2] for p in series[1]["points"]], [[1, 4.5], [64, 4.5]])
        self.assertTrue(series[2]["published"])
        odd = {**cases[0], "model": hostile.SCRIPT}
        for group, entry in (("machines", {"name": 5}), ("errors", 5), ("cases", odd)):
            path.write_text(json.dumps({**told, group: [entry]}))
            self.assertIn(f"predictions.json: {group}[0]", self.make(run).text_of("first"))

    def test_counted_runs_have_no_times(self):
        run = self.write_run([counted("reduce/harris1", conflicts=5, barriers=12345)])
        page = self.make(run)
        heads = [" ".join(e[2].split()) for e in page.all("th", scope="col")]
        self.assertIn("bank conflicts (wavefronts)", heads)
        self.assertFalse(any("time" in head for head in heads), heads)
        self.assertIn(f"12{numbers.THIN_SPACE}345", [e[2] for e in page.all("td", data_column="barriers")])

    def test_each_record_is_led_to(self):
        lines = [record(), record("reduce/cub", n=5, time_ns=None), counted("reduce/tb2", n=6)]
        page = self.make(self.write_run(lines))
        links = {e[1]["href"] for e in page.all("a") if "tabindex" not in e[1]}
        self.assertLessEqual({"#record-0", "#record-1", "#record-2"}, links)

    def test_sources_are_of_this_repository_alone(self):
        lines = [record("reduce/harris3"), record("reduce/../../README", n=5)]
        lines.append(record("x/y", n=6, kernel_file="/etc/passwd"))
        sources = self.make(self.write_run(lines)).data["sources"]
        text = (REPOSITORY / "kernels/reduce/harris3.cu").read_text(encoding="utf-8")
        self.assertEqual(sources["kernels/reduce/harris3.cu"], text)
        self.assertIn("kernels/parts/multi_pass.hpp", sources)  # what it includes
        self.assertIn("kernels/reduce/README.md", sources)
        for path in sources:
            self.assertTrue((REPOSITORY / path).is_file() and path.startswith("kernels/"), path)

    def test_what_is_refused(self):
        self.assertIn("nowhere: no such folder", self.refusal(self.folder / "nowhere"))
        self.assertIn("no run in or below it", self.refusal(self.folder))
        run = self.write_run(two())
        target = self.folder / "no" / "page.html"
        self.assertIn("No such file", self.refusal(run, "-o", target))
        self.assertIn("/dev/full: cannot be written: No space", self.refusal(run, "-o", "/dev/full"))
        for arguments in ([], [str(run), "--compare", "a"], ["--compare", "a", "b", "c"]):
            with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit) as end:
                make_report.main(arguments)
            self.assertEqual(end.exception.code, 2)

    def test_claims_that_cannot_be_read_hide_nothing_else(self):
        run = self.write_run(two())
        for text, message in (
            ("{", "not JSON"),
            ("[]", "no claims of schema 1"),
            ('{"claims": [5]}', "claims[0]: an object is expected"),
            ('{"claims": [{"verdict": "maybe"}]}', "claims[0].verdict: one of holds, does not hold, undecided"),
        ):
            (self.folder / "claims.json").write_text(text)
            page = self.make(run)
            self.assertIn(message, page.text_of("first"))
            self.assertEqual(len(page.all("tr", data_record=True)), 4)
        self.assertIn("nowhere.json: No such file", self.make(run, "--claims", "nowhere.json").text_of("first"))

    def test_the_page_stands_beside_its_runs(self):
        run = self.write_run(two())
        with contextlib.redirect_stdout(io.StringIO()) as output:
            self.assertEqual(make_report.main([str(run), "--redbench", ""]), 0)
        self.assertEqual(output.getvalue().strip(), f"{run}/report.html")
        self.assertTrue((run / "report.html").is_file())

    def test_the_page_of_several_runs_stands_in_the_folder_that_all_are_in(self):
        for name in ("a/one", "a/b/two"):
            (self.folder / name).parent.mkdir(exist_ok=True)
        runs = [self.write_run([record()], folder=name) for name in ("a/one", "a/b/two")]
        with contextlib.redirect_stdout(io.StringIO()) as output:
            self.assertEqual(make_report.main([*map(str, runs), "--redbench", ""]), 0)
        target = (self.folder / "a").resolve() / "report.html"
        self.assertEqual(output.getvalue(), f"{target}\n")
        self.assertTrue(target.is_file())

    def test_of_thousands_of_records_the_page_stays_small(self):
        lines = [record(n=1024 * i, samples_ns=[[1.0] * 200] * 5) for i in range(1, 2001)]
        self.make(self.write_run(lines, plots=[LINES]))
        self.assertLess((self.folder / "page.html").stat().st_size, 5_000_000)


class Hostile(ReportTest):
    def page(self):
        run = self.write_run(hostile.records(), name="evil/run", plots=hostile.plots(), **hostile.facts())
        (self.folder / "claims.json").write_text(json.dumps(hostile.claims(run)))
        (run / "why.json").write_text(json.dumps(hostile.reasons()))
        return self.make(run, "--title", hostile.SCRIPT)

    def test_nothing_of_strangers_is_markup(self):
        page = self.page()
        self.assertEqual(len(page.all("script")), 2)
        self.assertEqual(page.all("img") + page.all("b", onerror=True), [])
        for tag, attributes, _ in page.elements:
            self.assertFalse([name for name in attributes if name.startswith("on")], tag)
            self.assertNotIn("style", attributes)
            if tag == "a":
                self.assertTrue(attributes["href"].startswith("#"), attributes)
        self.assertEqual(page.all("h1")[0][2], hostile.SCRIPT)
        text = (self.folder / "page.html").read_text(encoding="utf-8")
        for unwanted in ("root:", "\u202e", ">49"):  # of /etc/passwd, a turned direction, the result of a template
            self.assertFalse(unwanted in text, unwanted)
        self.assertIn(hostile.TEMPLATE, page.text_of("claims"))

    def test_what_is_past_all_bounds_is_told(self):
        page = self.page()
        self.assertIn("time_ns: a number past all bounds", page.text_of("first"))
        self.assertIn("200000 characters, cut here", page.text_of("first"))
        self.assertNotIn("Infinity", json.dumps(page.data))
        self.assertLess((self.folder / "page.html").stat().st_size, 2_000_000)

    def test_each_plot_that_cannot_be_drawn_is_told(self):
        page = self.page()
        self.assertEqual(len(page.all("figure")), 2)
        first = page.text_of("first")
        for place in ("config.plots[2].name", "evil/run: of_nothing", "config.plots[4]: an object"):
            self.assertIn(place, first)

    def test_broken_files_do_not_hide_whole_ones(self):
        whole = self.write_run(two(), folder="whole")
        for name, file, content in (
            ("bytes", "records.jsonl", b"\xff\n"),
            ("deep", "run.json", b"[" * 100_000),
            ("nan", "records.jsonl", json.dumps(record()).replace("2000.0", "NaN").encode()),
            ("no config", "run.json", b'{"config": 5}'),
        ):
            (self.write_run(two(), folder=name) / file).write_bytes(content)
        (self.folder / "alone").mkdir()
        (self.folder / "alone" / "records.jsonl").write_text("")
        (whole / "why.json").write_text("{")
        page = self.make(self.folder)
        self.assertEqual(len(page.all("section", class_="run")), 1)
        first = page.text_of("first")
        for text in ("not UTF-8", "deep/run.json: not JSON", "NaN is no number", "`config` is one"):
            self.assertIn(text, first)
        self.assertIn("alone/run.json: no such", first)
        self.assertIn("why.json: not JSON", first)

    def test_json_ends_no_script(self):
        text = embedding.script_json({"<": "</script><!--\u2028"})
        self.assertNotIn("<", text)
        self.assertEqual(json.loads(text), {"<": "</script><!--\u2028"})

    def test_packed_values_come_back(self):
        shapes = embedding.Shapes()
        value = {"a": [1, {"b": None}, [], {}], "c": {"b": "x"}}
        packed = shapes.pack(value)
        self.assertEqual(unpacked({"shapes": shapes.names}, json.loads(json.dumps(packed))), value)


class Numbers(RunTest):
    def test_thin_spaces_from_five_digits_on(self):
        cases = {"1234": "1234", "12345": "12 345", "-1234567.25": "-1 234 567.25", "1e5": "1e5", "inf": "inf"}
        for text, expected in cases.items():
            self.assertEqual(numbers.spaced(text), expected.replace(" ", numbers.THIN_SPACE))

    def test_a_time_has_the_digits_that_its_interval_bears_out(self):
        how = numbers.Shown("time_ns", "time", "µs", 1000.0)
        for low, high, expected in ((171680.0, 172210.0, "172.0"), (100000.0, 240000.0, "170"), (None, None, "172")):
            row = {"time_ns": 172032.0, "time_low_ns": low, "time_high_ns": high}
            self.assertEqual(numbers.text(row, how), expected, (low, high))

    def test_intervals_are_sorted_by_their_width(self):
        how = numbers.Shown("time_ns", "time", "µs", 1000.0)
        row = {"time_ns": 172032.0, "time_low_ns": 171680.0, "time_high_ns": 172210.0, "noise_percent": 0.15}
        self.assertEqual([cell.value for cell in tables.number_cells(row, how)], [172032.0, 0.15])
        self.assertEqual([cell.value for cell in tables.number_cells({"time_ns": 5.0}, how)], [5.0, ""])

    def test_why_a_case_failed_is_told_before_that_it_is_stale(self):
        row = {"outcome": "wrong", "reason": "off by 5", "stale": "kernel changed"}
        self.assertEqual(tables.notes_of(row), ["off by 5", "stale: kernel changed"])

    def test_a_column_has_the_unit_of_its_middle(self):
        unsorted = [2e3, 9e9, 5.0]
        cases = ([5.0], "ns"), ([1e3, 2e3, 9e9], "µs"), (unsorted, "µs"), ([1e6], "ms"), ([2e9], "s"), ([0.0], "ns")
        for values, unit in cases:
            self.assertEqual(numbers.shown("time_ns", values).unit, unit)


if __name__ == "__main__":
    unittest.main()
