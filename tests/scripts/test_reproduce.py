"""redbench reproduce: which configs of a paper a device answers, what is measured once, and how it ends."""

import json
import signal
import subprocess

from support import PROGRAM, REPOSITORY, RunTest, call, wait_until


def config(variants, n="4Ki", problem="reduce", **measure):
    axes = {"n": n, "type": "i32", "operator": "sum"}
    measure = {"mode": "warm", **measure}  # without the flushes, which take longest
    return {"experiments": [{"problem": problem, "variants": variants, "axes": axes}], "measure": measure}


class Reproduce(RunTest):
    """Papers are folders of configs/ in the working directory, which come before those of the program."""

    def write(self, paper="slides", **configs):
        folder = self.folder / "configs" / paper
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in configs.items():
            (folder / f"{name}.json").write_text(content if isinstance(content, str) else json.dumps(content))

    def reproduce(self, *arguments, paper="slides"):
        return call(PROGRAM, "reproduce", paper, "--out", self.folder / "out", *arguments, cwd=self.folder)

    def run_json(self, name, paper="slides"):
        return json.loads((self.folder / "out" / paper / name / "run.json").read_text())

    def rows(self, name, paper="slides"):
        lines = (self.folder / "out" / paper / name / "records.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def is_there(self, name, paper="slides"):
        return (self.folder / "out" / paper / name).exists()

    def test_its_parts_join_to_the_whole_and_what_figures_share_is_in_one_part(self):
        wide = config(["harris1", "harris2"], n=[1000, 2000, 3000, 4000], counters=True)
        self.write(wide=wide, narrow=config("harris1", n=[4000, 1000], counters=True))
        self.assertEqual(self.reproduce("-d", "simt", "--no-report").returncode, 0)
        whole = {name: self.rows(name) for name in ("wide", "narrow")}
        for part in ("1/2", "2/2"):
            out = self.folder / "parts" / part[0]
            done = call(PROGRAM, "reproduce", "slides", "-d", "simt", "--shard", part, "--out", out, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "out").rename(self.folder / "whole")
        done = call(PROGRAM, "merge", *(self.folder / "parts").iterdir(), "--out", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, rows in whole.items():
            for row in (joined := self.rows(name)) + rows:
                del row["session"]
            self.assertEqual(joined, sorted(rows, key=lambda row: row["case"]), name)
        for session in self.run_json("narrow")["sessions"]:
            self.assertEqual(session.get("shared_from"), "slides/wide")

    def test_without_a_gpu_counts_launches_and_the_cpu_are_answered_and_the_rest_is_named(self):
        self.write(
            counts=config("harris[12]", counters=True),
            launches=config("harris3", per_launch=True),
            both=config(["harris1", "cpu_serial"], max_samples=3, min_samples=3),
            times=config("harris4"),
            wide=config(["cpu_serial", "cpu_openmp"], n="8Ki", forks=3, max_samples=7, min_samples=5),
            narrow=config("cpu_serial", n="8Ki", forks=3, max_samples=7, min_samples=5),
            longer=config("cpu_serial", n="8Ki", forks=3, max_samples=8, min_samples=5),
            broken="{",
        )
        done = self.reproduce("-d", "simt:gtx480", "--width", "0", "--no-report")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stdout, r"times +0 +left out: it has times alone, which take a GPU")
        self.assertRegex(done.stdout, r"broken.* 2 +configs/slides/broken.json: ")
        self.assertFalse(self.is_there("times") or self.is_there("broken"))
        self.assertNotIn("the claims", done.stdout + done.stderr, "--no-report")
        for name in ("counts", "launches"):
            self.assertEqual(self.run_json(name)["name"], f"slides/{name}", "not that of a profile")
            for row in self.rows(name):
                self.assertEqual((row["outcome"], row["device"]), ("passed", "simt:gtx480"))
                self.assertGreater(row["counters"]["sectors"], 0, "a modelled device has nothing else to tell")
        (row,) = self.rows("both")
        self.assertEqual((row["variant"], row["device"]), ("reduce/cpu_serial", "host"))
        self.assertIsNotNone(row["time_ns"])

        # A cell that was measured alike in another figure is taken from there, with its session.
        wide = {row["variant"]: row for row in self.rows("wide")}
        (narrow,), (longer,) = self.rows("narrow"), self.rows("longer")
        self.assertEqual(narrow["samples_ns"], wide["reduce/cpu_serial"]["samples_ns"])
        self.assertNotEqual(longer["samples_ns"], wide["reduce/cpu_serial"]["samples_ns"])
        (session,), (first,) = self.run_json("narrow")["sessions"], self.run_json("wide")["sessions"]
        self.assertEqual((session["shared_from"], session["started"]), ("slides/wide", first["started"]))
        self.assertEqual((first["measure"]["forks"], first["measure"]["max_samples"]), (1, 7), "bounds: less stays")
        self.assertIn("reproduce", first["command_line"])

        before = {name: (self.run_json(name), self.rows(name)) for name in ("wide", "narrow", "counts")}
        self.assertEqual(self.reproduce("-d", "simt:gtx480", "--no-report").returncode, 2)
        after = {name: (self.run_json(name), self.rows(name)) for name in before}
        self.assertEqual(after, before, "nothing is made twice")

    def test_an_interrupted_reproduction_goes_on(self):
        sizes = [200_000 + i for i in range(24)]
        self.write(a=config("harris1", n=sizes, counters=True), b=config("harris2", n="1Ki", counters=True))
        words = [PROGRAM, "reproduce", "slides", "-d", "simt:gtx480", "--out", self.folder / "out", "-q"]
        for sent, code in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
            process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.wait_for_records("a", 3 if sent == signal.SIGINT else len(self.rows("a")) + 3)
            process.send_signal(sent)
            self.assertEqual(process.wait(timeout=60), code)
            self.assertFalse(self.is_there("b"), "it ends at once")
        made = {row["key"]: row["session"] for row in self.rows("a")}
        self.assertLess(len(made), len(sizes))
        self.reproduce("-d", "simt:gtx480", "--no-report")
        after = {row["key"]: row["session"] for row in self.rows("a")}
        self.assertEqual({key: after[key] for key in made}, made, "what was made is kept")
        self.assertEqual((len(after), len(self.rows("b"))), (len(sizes), 1))

    def test_a_plot_that_fails_is_told_with_its_command_and_stops_nothing(self):
        content = config("harris1", n=["1Ki", "2Ki"], counters=True)
        content["plots"] = [{"name": "p", "x": "n", "y": "sectors"}]
        self.write(a=content, b=content)
        self.assertEqual(self.reproduce("-d", "simt:gtx480", "--no-report").returncode, 0)
        (self.folder / "out" / "slides" / "a" / "plots").write_text("not a folder")
        done = self.reproduce("-d", "simt:gtx480")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the plots of slides/a failed with exit code", done.stderr)
        self.assertTrue((self.folder / "out" / "slides" / "b" / "plots" / "p.svg").is_file())
        self.assertTrue((self.folder / "out" / "slides" / "report.html").is_file())

    def wait_for_records(self, name, count):
        path = self.folder / "out" / "slides" / name / "records.jsonl"
        wait_until(lambda: path.exists() and path.read_text().count("\n") >= count, f"{count} records of {path}")

    def test_the_caches_are_predicted_for_what_was_measured(self):
        content = json.loads((REPOSITORY / "configs" / "eilers2014" / "fig2.2.json").read_text())
        content["experiments"][0]["axes"]["m"] = [1, 4096]
        content["caches"]["machines"] = ["core2_t7300"]
        content["caches"]["steps"] = 4096
        self.write("eilers2014", fig=content)
        done = self.reproduce("-d", "host", "--precision", "quick", paper="eilers2014")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({row["n"] for row in self.rows("fig", "eilers2014")}, {1 << 18})
        folder = self.folder / "out" / "eilers2014" / "fig"
        predicted = json.loads((folder / "cachesim" / "predictions.json").read_text())
        self.assertEqual({case["n"] for case in predicted["cases"]}, {1 << 18})
        self.assertTrue((folder / "plots" / "time.svg").is_file())

    def test_a_paper_ends_in_a_report_on_the_modelled_device(self):
        done = self.reproduce("-d", "simt:gtx480", "--precision", "quick", paper="martin2012")
        self.assertEqual(done.returncode, 0, done.stderr)
        for table in ("table1", "table2", "table3", "table4"):
            self.assertTrue((self.folder / "out" / "martin2012" / table / "tables" / f"{table}.md").is_file())
        self.assertEqual({row["n"] for row in self.rows("table1", "martin2012")}, {1 << 18})
        self.assertEqual({row["n"] for row in self.rows("table4", "martin2012")}, {30 * 1024})
        report = (self.folder / "out" / "martin2012" / "report.html").read_text()
        self.assertIn("martin2012/table3", report)
        claims = json.loads((self.folder / "out" / "claims.json").read_text())["claims"]
        self.assertIn("martin2012", {claim["paper"] for claim in claims})
