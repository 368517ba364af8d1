"""scripts/make_report.py: what a page of runs or of a comparison holds, what is refused, and that nothing of strangers
is more than text."""

import json
import re
import shutil
from unittest import mock

from support import PROGRAM, REPOSITORY, counted, record
import hostile
from pages import ReportTest, compared, comparison, two
from report import collect, numbers
from shared import program, records, which

LINES = {"name": "lines", "title": "Time of 2^24", "x": "n", "y": "time_ns", "series": ["variant"], "logx": True}


class Results(ReportTest):
    def test_each_number_of_a_table_is_that_of_its_record(self):
        made = self.make(self.write_run(two(), name="paper/fig1", plots=[LINES]))
        found = made.all("td", data_column=True)
        self.assertGreaterEqual(len(found), 3 * 4)
        links = iter(made.all("a"))
        for _, attributes, text in found:
            link = next(e for e in links if e[1].get("href", "").startswith("#record-") and e[2] == text)
            value = made.data["records"][int(link[1]["href"].removeprefix("#record-"))][attributes["data-column"]]
            self.assertEqual(float(attributes["data-v"]), value)
            scale = records.QUANTITIES[attributes["data-column"]].scale
            self.assertAlmostEqual(float(text.replace(numbers.THIN_SPACE, "")) * scale / value, 1, delta=0.06)

    def test_a_fraction_has_seven_digits_and_a_whole_number_all(self):
        made = self.make(self.write_run([record(queue_slot_ns=float(2**30), sm_clock_mhz=1980.12345678)]))
        (shown,) = made.data["records"]
        self.assertEqual((shown["queue_slot_ns"], shown["sm_clock_mhz"]), (2**30, 1980.123))

    def test_records_are_whole_but_for_their_samples(self):
        samples = [[2000.0, 2000.0], [2000.0]]
        original = record(samples_ns=samples, again_ns=samples, time_low_ns=None, time_high_ns=None)
        made = self.make(self.write_run([original]))
        (shown,) = made.data["records"]
        text = "3 samples of 2 processes: not in this page, in records.jsonl"
        source = {"source": "kernels/reduce/harris1.cu"}
        self.assertEqual(shown, original | {"samples_ns": text, "again_ns": text} | source)
        self.assertIn("The 3 single samples", made.text_of("reading"))

    def test_a_point_has_the_number_of_its_record_and_its_place_on_each_scale(self):
        made = self.make(self.write_run(two(), plots=[LINES]))
        (figure,) = made.data["figures"]
        self.assertEqual(figure["title"], "Time of 2²⁴")
        self.assertEqual([name for name, _, _ in figure["series"]], ["harris1", "harris2"])
        self.assertEqual(figure["scales"], [["logx", "n", True], ["logy", "time", False]])
        self.assertEqual(set(figure["states"]), {"", "logx", "logy", "logx logy"})
        records_of_points = [made.data["records"][int(link.removeprefix("record-"))] for _, _, link in figure["points"]]
        for (series, lines, _), shown in zip(figure["points"], records_of_points, strict=True):
            self.assertEqual(f"reduce/{figure['series'][series][0]}", shown["variant"])
            self.assertEqual(lines[0], f"n {shown['n'] // 1024} Ki")
            if lines[0] == "n 4 Ki" and series == 0:
                # The interval, from 0.9 to 1.2 times the time, is 3.6 µs wide: its first digit bears out tenths.
                self.assertEqual(lines[1:], ["12.0 µs", "10.8 to 14.4 µs"])
        for name, state in figure["states"].items():
            by_point = dict(zip(map(str, figure["points"]), state["at"], strict=True))
            (x1, y1), (x2, y2) = list(by_point.values())[:2]  # of harris1
            self.assertLess(x1, x2, name)
            self.assertGreater(y1, y2, name)
            self.assertEqual(len(re.findall(r'data-series="0"', state["svg"])), 2, "a line and its interval")

    def everything(self):
        """Runs with something in each part of a page."""
        launch = {"blocks": 8, "threads": 256, "shared_bytes": 1024, "cooperative": False, "resident_blocks": 8}
        launch |= {"occupancy": 1.0, "limiter": "warps", "bytes_read": 4096.0, "bytes_written": 64.0}
        launches = [{**launch, "kernel": "clear", "bytes_read": 0.0}, {**launch, "kernel": "first", "registers": 20}]
        trace = [{"access": "load", "lanes": 32}, {"access": "store", "level": 0, "lanes": 16, "cache_lines": 8}]
        reasons = ("takes m up to 256, not 512", "takes m up to 256, not 1024", "no such pair")
        slides = [
            record("reduce/harris1", n=1 << 24, time_ns=171_872.0, launches=launches, trace=trace),
            record("reduce/harris2", n=1 << 24, time_ns=108_000.0, clocks={"sm_mhz": 1500, "throttled_by": ["power"]}),
            record("reduce/harris3", n=1 << 24, time_ns=None, outcome="wrong", reason="off by 5"),
            *(record(n=2 << i, time_ns=None, outcome="unsupported", reason=why) for i, why in enumerate(reasons)),
        ]
        sessions = [
            {"started": "2026-11-22", "driver": driver, "commit": "abc", "dirty": True, "measure": {"forks": 5},
             "host": {"cpu": "A CPU", "cores": 12, "memory_bytes": 1 << 34}, "build": {"compiler": "GNU 12"}}
            for driver in ("1.0", "2.0")
        ]
        device = {"name": "cuda:0", "capability": 9.0, "shared_bytes": 233472, "l2_bytes": 60 << 20}
        plots = [{**LINES, "name": "../a"}, LINES]
        self.write_run(slides, name="slides/table", folder="a", plots=plots, sessions=sessions[:1], device=device)
        counter = counted("reduce/harris1", conflicts=5, barriers=12345)
        self.write_run([counter], name="other", folder="b", sessions=sessions[1:])
        self.write_run(["{\n"], folder="damaged")
        part = {"what": "ratio", "value": 0.667, "low": 0.6, "high": 0.7, "bound": "< 1", "verdict": "holds"}
        part["test"] = "by a third"
        part["records"] = [f"{self.folder}/a#{slides[1]['key']}", "elsewhere#x"]
        claim = {"id": "ladder", "paper": "slides", "sentence": "It is faster.", "why": "By a third."}
        claims = [
            {**claim, "verdict": "holds", "parts": [part]},
            {**claim, "id": "of a model", "verdict": "holds in part", "modelled": True},
            {**claim, "id": "other", "verdict": "not measured", "missing": ["configs/x.json"]},
            {**claim, "id": "of another paper", "paper": "another", "verdict": "does not hold"},
        ]
        (self.folder / "claims.json").write_text(json.dumps({"claims": claims}))
        line = {"file": "kernels/reduce/harris1.cu", "line": 19, "count": 5, "text": "if (t < 5)"}
        counter = {"name": "x", "what": "what is counted", "from": 5, "to": 6, "ratio": 1.2, "lines": [line]}
        reason = {"from": "harris1", "to": "harris2", "sentences": ["It counts more."], "counters": [counter]}
        (self.folder / "a" / "why.json").write_text(json.dumps([reason]))
        return self.make(self.folder, damaged=True)

    def test_what_a_page_says(self):
        made = self.everything()
        text = (self.folder / "page.html").read_text(encoding="utf-8").replace(str(self.folder), "FOLDER")
        sources = re.compile(r"^kernels/.*\n", re.MULTILINE)
        self.expect_golden("report.txt", sources.sub("", made.readable(text)))
        self.assertEqual(made.all("section")[0][1]["id"], "first")
        identities = [e[1]["id"] for e in made.elements if "id" in e[1]]
        self.assertEqual(len(identities), len(set(identities)))
        contents = [e[1]["href"][1:] for e in made.all("a") if e[1].get("href", "#")[1:] in identities]
        self.assertLess({"first", "claims", "run-slides-table", "run-other", "notes", "environment"}, set(contents))
        self.assertEqual(made.all("th"), made.all("th", scope=True))
        self.assertEqual(made.all("button"), made.all("button", type_="button"))
        (link,) = made.all("a", aria_label="record 1")
        linked = made.data["records"][int(link[1]["href"].removeprefix("#record-"))]
        self.assertEqual(linked["variant"], "reduce/harris2")

    def test_runs_of_one_config_are_told_apart_by_their_hardware(self):
        for device, hardware in (("cuda:0", "NVIDIA Test"), ("simt:gtx480", "gtx480")):
            lines = [record(time_ns=None, device=device, hardware=hardware)]
            self.write_run(lines, name="p/fig1", folder=hardware, sessions=[{"driver": hardware}])
        made = self.make(self.folder)
        contents = [e[2] for e in made.all("a") if e[1].get("href", "").startswith("#run-")]
        self.assertEqual(sorted(contents), ["fig1 on NVIDIA Test", "fig1 on simt:gtx480"])
        self.assertIn("NVIDIA Test 1 of 2 runs: p/fig1 on NVIDIA Test", made.text_of("environment"))

    def test_points_lead_to_the_records_of_their_own_run(self):
        for name in "ab":
            self.write_run(two(), name=name, plots=[LINES], folder=name)
        first, second = self.make(self.folder).data["figures"]
        links = [sorted(link for _, _, link in figure["points"]) for figure in (first, second)]
        self.assertEqual(links, [[f"record-{i}" for i in of_run] for of_run in (range(4), range(4, 8))])

    def test_a_page_of_more_records_than_a_browser_shows_leads_to_the_tables_of_its_runs(self):
        for name in "ab":
            self.write_run(two(), name=name, plots=[LINES], folder=name)
        with mock.patch.object(collect, "LARGEST", 0):
            made = self.make(self.folder)
        files = [link for _, attributes, _ in made.all("a") if "/" in (link := attributes["href"]) and link[0] != "#"]
        self.assertEqual(files, [f"{name}/tables/{name}.{ending}" for name in "ab" for ending in ("csv", "md")])
        self.assertEqual((made.data["records"], made.all("tr", data_record=True)), ([], []))
        self.assertEqual([link for figure in made.data["figures"] for _, _, link in figure["points"]], [""] * 8)
        self.assertIn("cases8passed8", "".join(made.all("dl", class_="tiles")[0][2].split()))

    def test_claims_that_cannot_be_read_hide_nothing_else(self):
        run = self.write_run(two())
        for text, message in (
            ("{", "not JSON"),
            ('{"claims": [5]}', "claims[0]: 5 is not of type"),
            ('{"claims": [{"verdict": "maybe"}]}', "claims[0].verdict: 'maybe' is not one of"),
        ):
            (self.folder / "claims.json").write_text(text)
            made = self.make(run)
            self.assertIn(message, made.text_of("first"))
            self.assertEqual(len(made.all("tr", data_record=True)), 4)
            self.assertIn(message, self.refusal(run, "--claims", self.folder / "claims.json"))

    def test_of_claims_of_several_gpus_the_pages_own_are_shown(self):
        run = self.write_run(two(), name="slides/table", folder="a")
        hardware = records.load_run(run).rows[0]["hardware"]

        def of(gpu, sentence):
            return {"gpu": gpu, "claims": [{"id": "x", "paper": "slides", "sentence": sentence, "verdict": "holds"}]}

        text = {**of("another", "Not this."), "others": [of(hardware, "This one.")]}
        (self.folder / "claims.json").write_text(json.dumps(text))
        self.assertIn("This one.", self.make(run).text_of("claims"))
        text["others"][0]["gpu"] = "a third"
        (self.folder / "claims.json").write_text(json.dumps(text))
        self.assertIn("of 2 GPUs, none of them the page's", self.refusal(run, "--claims", self.folder / "claims.json"))

    def test_stale_rows_are_marked(self):
        run = self.write_run(two())

        def all_stale(run, _):
            for row in run.rows:
                row["stale"] = "kernel changed"

        no_answer = mock.patch.object(which, "ask", return_value=[])
        with mock.patch.object(program, "add_staleness", all_stale), no_answer:
            made = self.make(run, redbench="some")
        self.assertIn("4 cases stale", made.text_of("notes"))
        self.assertEqual(made.all("section", id="first"), [])
        self.assertEqual(len(made.all("tr", class_="stale")), 4)
        self.assertEqual(made.data["records"][0]["stale"], "kernel changed")

    def test_the_page_begins_with_what_is_fastest_and_its_figure(self):
        run = self.write_run(two(), name="p/one", plots=[LINES])
        known = {"stale": "", "of_library": False, "tuned": False}
        ranked = [{**row, **known, "is_tied": row["variant"] == "reduce/harris2"} for row in two()[1::-1]]
        ranking = {"run": str(run), "hardware": "H", "date": "2026", "ranked": ranked, "not_measured": []}
        with mock.patch.object(which, "ask", return_value=[ranking]), mock.patch.object(program, "add_staleness"):
            made = self.make(run, redbench="some")
        self.assertEqual(made.all("section")[0][1]["id"], "answers")
        self.assertIn("i32 sum n 1 Kiharris222one", made.text_of("answers"))  # 2 µs, 2 variants
        (link,) = [e for e in made.all("a") if e[2] == "one" and e[1]["href"].startswith("#figure-")]
        self.assertIn(link[1]["href"][1:], [e[1].get("id") for e in made.elements])

    def test_a_long_tables_rows_are_among_the_compressed_data(self):
        lines = [record(n=1024 << i) for i in range(30)]
        made = self.make(self.write_run(lines))
        ((_, attributes, _),) = made.all("tbody", data_rows=True)
        rows = made.data["tables"][int(attributes["data-rows"])]
        self.assertEqual([re.search(r'data-record="(\d+)"', row)[1] for row in rows], [str(i) for i in range(30)])

    def test_repeated_sums_say_how_many_results_differ(self):
        line = record(type="f32", result_digests=[["a", "b"], ["a", "c"]])
        self.assertIn("harris1n 1 Ki, f32 sum34", self.make(self.write_run([line])).text_of("main"))

    def test_a_claim_leads_to_its_figure_and_a_chapter_has_a_heading(self):
        for name in ("eilers2014/fig5.9", "eilers2014/a1", "eilers2014/table2.1"):
            self.write_run(two(), name=name, folder=name.replace("/", "-"), plots=[LINES])
        claim = {"id": "eilers-multiscan", "paper": "eilers2014", "sentence": "It is.", "verdict": "holds"}
        (self.folder / "claims.json").write_text(json.dumps({"claims": [claim]}))
        made = self.make(self.folder)
        headings = [e[2] for e in made.all("h3", class_="chapter")]
        self.assertEqual([text.split(":")[0] for text in headings], ["Chapter 2", "Chapter 5", "Appendices A and B"])
        (link,) = [e for e in made.all("a") if e[2] == "fig5.9" and e[1]["href"].startswith("#figure-")]
        self.assertIn(link[1]["href"][1:], [e[1].get("id") for e in made.elements])

    def test_reasons_stand_with_the_run_that_has_both_variants(self):
        (self.folder / "why.json").write_text(json.dumps(hostile.reasons() + [{"from": "harris2", "to": "harris1"}]))
        self.write_run([record("reduce/cub")], name="p/other", folder="other")
        self.write_run(two(), name="p/one", folder="one")
        made = self.make(self.folder)
        order = [e for e in made.elements if e[1].get("class") in ("reason", "run")]
        self.assertEqual([e[1].get("id") for e in order], ["run-p-one", None, None, "run-p-other"])

    def test_predictions_stand_beside_what_is_measured(self):
        run = self.write_run(two(), name="eilers2014/fig2.7")
        machine = {"name": "host", "published_as": "Core2 Duo T7300", "machine": {"title": "A CPU"}}
        case = {"variant": "multireduce/cpu_sequential", "n": 1024, "machine": "host", "model": "serial"}
        cases = [{**case, "m": m, "ns_per_input": 2.5, "measured_ns_per_input": 4.5} for m in (1, 64)]
        predicted = {"name": "eilers2014/fig2.7", "machines": [machine], "errors": [], "cases": cases}
        path = run / "cachesim" / "predictions.json"
        path.parent.mkdir()
        path.write_text(json.dumps(predicted))
        made = self.make(run)
        (figure,) = made.data["figures"]
        names = [name for name, _, _ in figure["series"]]
        published_name = "cpu_sequential, measured (published)"
        self.assertEqual(names, ["cpu_sequential, serial", "cpu_sequential, measured", published_name])
        self.assertEqual(figure["points"][2], [1, ["m 1", "4.500 ns"], ""])
        self.assertEqual(figure["points"][4], [2, ["m 128 Mi", "63.00 ns"], "published-0"])
        self.assertEqual(made.data["published"][0]["value"], 63.0)
        path.write_text(json.dumps({**predicted, "cases": [{**cases[0], "model": hostile.SCRIPT}]}))
        self.assertIn("not as redbench cachesim writes it: cases[0].model", self.make(run).text_of("first"))

    def test_sources_are_of_this_repository_alone(self):
        lines = [record("reduce/harris3"), record("reduce/../../README", n=5)]
        lines.append(record("x/y", n=6, kernel_file="/etc/passwd"))
        sources = self.make(self.write_run(lines)).data["sources"]
        path = "kernels/reduce/harris3.cu"
        self.assertEqual(sources[path], (REPOSITORY / path).read_text(encoding="utf-8"))
        self.assertGreater(len(sources), 2, "what it includes, and the family's story")
        for path in sources:
            self.assertTrue((REPOSITORY / path).is_file() and path.startswith("kernels/"), path)

    def test_what_is_refused(self):
        run = self.write_run(two())
        self.assertIn("nowhere: no such folder", self.refusal(self.folder / "nowhere"))
        (self.folder / "empty").mkdir()
        self.assertIn("no run in or below it", self.refusal(self.folder / "empty"))
        self.assertIn("/dev/full: cannot be written: No space", self.refusal(run, "-o", "/dev/full"))
        self.assertIn("either RESULTS or --compare is needed", self.refusal())
        self.assertIn("either RESULTS or --compare is needed", self.refusal(run, "--compare", "a"))
        self.assertIn("one file or two folders", self.refusal("--compare", "a", "b", "c"))


class Hostile(ReportTest):
    def test_nothing_of_strangers_is_markup_and_what_cannot_be_shown_is_listed(self):
        made = self.make(hostile.write_run(self), "--title", hostile.SCRIPT, damaged=True)
        self.assertEqual(len(made.all("script")), 2)
        self.assertEqual(made.all("img") + made.all("b", onerror=True), [])
        for tag, attributes, _ in made.elements:
            self.assertFalse([name for name in attributes if name.startswith("on")], tag)
            self.assertNotIn("style", attributes)
            if tag == "a":
                self.assertTrue(attributes["href"].startswith("#"), attributes)
        self.assertEqual(made.all("h1")[0][2], hostile.SCRIPT)
        page, text_of_data = (self.folder / "page.html").read_text(encoding="utf-8"), json.dumps(made.data)
        for unwanted in ("root:", "\u202e", ">49"):  # of /etc/passwd, a turned direction, the result of a template
            self.assertFalse(unwanted in page + text_of_data, unwanted)
        self.assertIn(hostile.TEMPLATE, made.text_of("claims"))
        first = made.text_of("first") + made.text_of("notes")
        self.assertEqual(len(made.all("figure")), 2)
        for text in ("time_ns: a number past all bounds", "200000 characters, cut here", "config.plots[2].name",
                     "evil/run: of_nothing", "config.plots[4]: an object"):
            self.assertIn(text, first)
        self.assertNotIn("Infinity", text_of_data)
        self.assertLess(len(page), 1_000_000)

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
        made = self.make(self.folder, damaged=True)
        self.assertEqual(len(made.all("section", class_="run")), 1)
        first = made.text_of("first")
        for text in ("not UTF-8", "deep/run.json: not JSON", "NaN is no number", "`config` is one",
                     "alone/run.json: no such", "why.json: not JSON"):
            self.assertIn(text, first)


class Comparison(ReportTest):
    def write(self, cases, **more):
        path = self.folder / "compared.json"
        path.write_text(json.dumps(comparison(cases, **more)))
        return path

    def test_cases_with_the_records_of_both(self):
        one = self.write_run(two(), folder="one", sessions=[{"driver": "1.0"}])
        other = self.write_run(two(), folder="other", sessions=[{"driver": "2.0"}])
        without = compared(n=4096, verdict="undecided", notes=["other driver"], key=record(n=4096)["key"])
        without |= dict.fromkeys(("ratio", "ratio_low", "ratio_high"))
        made = self.make("--compare", self.write([compared(), without], first=str(one), second=str(other), gone=3))
        text = (self.folder / "page.html").read_text(encoding="utf-8").replace(str(self.folder), "FOLDER")
        self.expect_golden("report_of_a_comparison.txt", made.readable(text))
        self.assertEqual([e[1]["href"] for e in made.all("a") if e[2] == "3.000 µs"], ["#record-0", "#record-2"])
        self.assertEqual([e[1]["href"] for e in made.all("a") if e[2] == "2.000 µs"], ["#record-4", "#record-6"])
        (figure,) = made.data["figures"]
        self.assertEqual([name for name, _, _ in figure["series"]], ["faster"])
        # The ratio leads to the record of the second run.
        self.assertEqual(figure["points"], [[0, ["harris1 1 Ki", "0.6670", "0.6500 to 0.6800"], "record-4"]])

    def test_hostile_comparisons(self):
        case = compared(**dict.fromkeys(("variant", "key", "first_ns"), hostile.SCRIPT))
        case |= {"notes": [hostile.SCRIPT, 5], "axes": {"<b>": hostile.SCRIPT}}
        made = self.make("--compare", self.write([case, {**case, "ratio": None}], first=hostile.SCRIPT, second="\x00"))
        self.assertEqual((len(made.all("script")), made.all("img")), (2, []))

    def test_two_folders_are_compared_run_by_run(self):
        for side in ("a", "b"):
            for run in ("quick", "only" + side):
                shutil.copytree(REPOSITORY / "results/h200/slides/table", self.folder / side / run)
        # The CPU's case is of one machine, the GPU's have two drivers.
        for side, driver in (("a", "580.159.04"), ("b", "590.00")):
            path = self.folder / side / "quick/run.json"
            facts = json.loads(path.read_text().replace("580.159.04", driver))
            for session in facts["sessions"]:
                session["host"]["machine_hash"] = "aa"
            path.write_text(json.dumps(facts))
        folders = (self.folder / "a", self.folder / "b")
        first = self.make("--compare", *folders, redbench=str(PROGRAM)).text_of("first")
        self.assertRegex(first, "5 not compared.*other driver")
        self.assertTrue("onlya" in first and "onlyb" in first)
        made = self.make("--compare", *folders, "--across", redbench=str(PROGRAM))
        self.assertNotIn("5 not compared", made.text_of("first"))
        self.assertIn("590.00", made.text_of("environment"))
        message = self.refusal("--compare", folders[0] / "quick", folders[1])
        self.assertIn("no run that both have at the same place", message)
