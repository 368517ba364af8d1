"""scripts/make_report.py --compare: what the page of a comparison holds, and what it refuses."""

import contextlib
import io
import json
import shutil
import unittest

from support import REPOSITORY
import hostile
import make_report
from pages import Page, ReportTest, two, unpacked

PROGRAM = REPOSITORY / "build" / "redbench"


class Comparison(ReportTest):
    CASE = {
        "key": "reduce/harris1 n=1024 None None",
        "variant": "reduce/harris1",
        "problem": "reduce",
        "n": 1024,
        "type": "i32",
        "operator": "sum",
        "axes": {"values": "uniform"},
        "device": "cuda:0",
        "mode": "cold",
        "first_ns": 3000.0,
        "second_ns": 2000.0,
        "ratio": 0.667,
        "ratio_low": 0.65,
        "ratio_high": 0.68,
        "verdict": "faster",
        "notes": [],
    }

    def write(self, cases, **more):
        path = self.folder / "compared.json"
        told = {"schema": 1, "first": "A", "second": "B", "threshold_percent": 1.0, "cases": cases, "remarks": []}
        path.write_text(json.dumps(told | more))
        return path

    def test_cases_with_the_records_of_both(self):
        one = self.write_run(two(), folder="one", sessions=[{"driver": "1.0"}])
        other = self.write_run(two(), folder="other", sessions=[{"driver": "2.0"}])
        without = {**self.CASE, "n": 4096, "ratio": None, "ratio_low": None, "ratio_high": None, "verdict": "undecided"}
        without |= {"notes": ["other driver"], "key": "reduce/harris1 n=4096 None None"}
        page = self.make("--compare", self.write([self.CASE, without], first=str(one), second=str(other), gone=3))
        first = page.text_of("first")
        for text in ("1 not compared", "other driver", "3 cases of the first have no counterpart"):
            self.assertIn(text, first)
        self.assertEqual([e[1]["href"] for e in page.all("a") if e[2] == "3.000 µs"], ["#record-0", "#record-2"])
        self.assertEqual([e[1]["href"] for e in page.all("a") if e[2] == "2.000 µs"], ["#record-4", "#record-6"])
        differs = [" ".join(e[2].split()) for e in page.all("tr", class_="differs")]
        self.assertEqual(differs, ["driver differs 1.02.0"])
        (figure,) = unpacked(page.data, page.data["figures"])
        (series,) = figure["panels"][0]["series"]
        point = series["points"][0]
        self.assertEqual((series["name"], point[1:4]), ("faster", [0.667, 0.65, 0.68]))
        self.assertEqual(point[4], 4, "the record of the second run, which the ratio speaks of")
        self.assertEqual(first.count("Whether records are stale is not known"), 1, "of both runs at once")

    def test_times_within_the_threshold_are_in_the_band(self):
        page = self.make("--compare", self.write([self.CASE], threshold_percent=25.0))
        (figure,) = unpacked(page.data, page.data["figures"])
        self.assertEqual(figure["panels"][0]["ratio"]["band"], [0.8, 1.25])
        self.assertNotIn("Whether records are stale", page.text_of("first"), "it has none")

    def test_of_variants_and_without_the_runs(self):
        page = self.make("--compare", self.write([self.CASE], first="harris1", second="harris2", of_variants=True))
        self.assertIn("harris2 against harris1", page.all("h1")[0][2])
        self.assertIn("Two variants of one run", page.text_of("environment"))
        page = self.make("--compare", self.write([self.CASE]))
        self.assertIn("are not where the comparison names them", page.text_of("environment"))

    def test_hostile_comparisons(self):
        case = {**self.CASE, "variant": hostile.SCRIPT, "notes": [hostile.SCRIPT, 5], "axes": {"<b>": hostile.SCRIPT}}
        case |= {"key": hostile.SCRIPT, "first_ns": hostile.SCRIPT, "ratio": 0.5}
        page = self.make("--compare", self.write([case, {**case, "ratio": None}], first=hostile.SCRIPT, second="\x00"))
        self.assertEqual(len(page.all("script")), 2)
        self.assertEqual(page.all("img"), [])

    def test_what_is_no_comparison_is_refused(self):
        for text, message in (
            ("{", "not JSON"),
            ("[]", "no comparison of schema 1"),
            (json.dumps({"cases": [{**self.CASE, "verdict": "odd"}]}), "cases[0].verdict"),
            (json.dumps({"cases": [{**self.CASE, "ratio": -1}]}), "cases[0].ratio: a number above 0"),
            (json.dumps({"cases": [{**self.CASE, "ratio": 5}]}).replace(": 5,", ": 1e999,"), "cases[0].ratio: a"),
        ):
            path = self.folder / "compared.json"
            path.write_text(text)
            self.assertIn(message, self.refusal("--compare", path))
        self.assertIn("no such file", self.refusal("--compare", self.folder / "nowhere.json").lower())

    def test_two_folders_are_compared_run_by_run(self):
        for side in ("a", "b"):
            for run in ("quick", "only" + side):
                shutil.copytree(REPOSITORY / "results/h200/slides/table", self.folder / side / run)
        path = self.folder / "b/quick/run.json"
        path.write_text(path.read_text().replace("580.159.04", "590.00"))
        target = self.folder / "page.html"

        def make(*more):
            arguments = ["--compare", str(self.folder / "a"), str(self.folder / "b"), "-o", str(target), *more]
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(make_report.main([*arguments, "--redbench", str(PROGRAM)]), 0)
            return Page(target.read_text(encoding="utf-8"))

        page = make()
        first = page.text_of("first")
        self.assertIn("onlya", first)
        self.assertIn("onlyb", first)
        self.assertRegex(first, "5 not compared.*other driver")
        page = make("--across")
        self.assertNotIn("5 not compared", page.text_of("first"))
        self.assertEqual(len(page.all("section", class_="run")), 1)
        self.assertIn("590.00", page.text_of("environment"))

    def test_folders_without_a_run_in_common_are_refused(self):
        one, other = self.folder / "one", self.folder / "other"
        for folder, name in ((one, "x"), (other, "y")):
            shutil.copytree(self.write_run(two(), folder=name), folder / name)
        self.assertIn("no run that both have at the same place", self.refusal("--compare", one, other))


if __name__ == "__main__":
    unittest.main()
