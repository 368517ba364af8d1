"""What `cmake --install` puts under a prefix works from there, without the source and the build."""

import json
import os
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile

from support import PROGRAM, REPOSITORY, RunTest, call, redbench
from pages import Page

# The source and the build behind empty folders, for one command. .venv stays: it is no part of either.
UNSHARE = ["unshare", "--mount", "--map-root-user"]
HIDE = """
for folder in "$0"/* "$0"/.git; do [ ! -d "$folder" ] || mount -t tmpfs -o size=0 none "$folder"; done
exec "$@"
"""


def can_hide():
    try:
        return call(*UNSHARE, "mount", "-t", "tmpfs", "none", "/mnt").returncode == 0
    except OSError:
        return False


def files(folder):
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in folder.rglob("*")}


class Installed(RunTest):
    @classmethod
    def setUpClass(cls):
        cls.hide = [*UNSHARE, "sh", "-euc", HIDE, REPOSITORY] if can_hide() else []
        root = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        done = call("cmake", "--install", "build", "--prefix", root / "first prefix")
        assert done.returncode == 0, done.stderr
        cls.prefix = (root / "first prefix").rename(root / "another prefix")
        cls.configs = cls.prefix / "share" / "redbench" / "configs"

    def setUp(self):
        super().setUp()
        before = files(self.prefix)
        self.addCleanup(lambda: self.assertEqual(files(self.prefix), before, "the prefix was written to"))

    def hidden(self, *command, code=0):
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        done = call(*self.hide, *command, cwd=self.folder, env=environment, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def redbench(self, *arguments, code=0):
        return self.hidden(self.prefix / "bin" / "redbench", *arguments, code=code)

    def script(self, name, *arguments):
        return self.hidden(sys.executable, self.prefix / "share" / "redbench" / "scripts" / name, *arguments)

    def test_shells_and_man_find_theirs(self):
        for path, *command in (
            ("bash-completion/completions/redbench", "completion", "bash"),
            ("zsh/site-functions/_redbench", "completion", "zsh"),
            ("fish/vendor_completions.d/redbench.fish", "completion", "fish"),
            ("man/man1/redbench.1", "help", "--man"),
        ):
            self.assertEqual((self.prefix / "share" / path).read_text(), self.redbench(*command))
        self.assertIn(str(self.configs / "quick.json"), self.redbench("completion", "--complete", "run", ""))

    def test_every_config_is_planned(self):
        self.script("get_samples.py")
        configs = [path for path in self.configs.rglob("*.json") if not {"devices", "claims"} & set(path.parts)]
        self.assertGreater(len(configs), 10)
        for config in configs:
            if config.name != "schema.json":
                self.redbench("plan", config, "-d", "simt", "-a", "n=1Ki")

    def test_a_run_becomes_a_table_and_figures(self):
        self.script("get_samples.py")
        self.redbench("run", self.configs / "quick.json", "-d", "simt", "-b", "harris3", "-o", "quick", "-q")
        self.assertEqual(json.loads((self.folder / "quick" / "run.json").read_text())["name"], "quick")
        table = self.folder / "quick" / "tables" / "quick.md"
        table.unlink()
        self.redbench("tables", "quick")
        self.assertIn("| harris3 |", table.read_text())
        drawn = self.script("make_plots.py", "quick")
        self.assertIn("\nFigure: ", drawn)
        self.assertNotIn("no redbench is found", drawn)
        self.assertIn("report.html", self.script("make_report.py", "quick"))
        text = (self.folder / "quick" / "report.html").read_text()
        self.assertIn("__global__ void sequential_addressing", Page(text).data["sources"]["kernels/reduce/harris3.cu"])
        self.assertNotIn("Whether records are stale", text)

    def test_published_numbers_and_sources_of_kernels_are_found(self):
        run = REPOSITORY / "results" / "simt-gtx480" / "martin2012" / "table1"
        shutil.copytree(run, self.folder / "table1", ignore=shutil.ignore_patterns("tables"))
        self.redbench("tables", "table1")
        self.assertIn("GTX 480, published", (self.folder / "table1" / "tables" / "table1.md").read_text())
        text = self.redbench("profile", "reduce/harris1", "-d", "simt", "-a", "n=4Ki", "-o", "profile")
        self.assertRegex(text, r"kernels/\S+:\d+ .*\w\(|kernels/\S+:\d+ .*;")

    def test_it_says_which_variant_is_best_by_the_records_that_came_with_it(self):
        problems = ("reduce", "segreduce", "segscan", "triple_reduce", "histogram", "multireduce", "multiscan")
        for problem in (*problems, "gather"):
            self.assertIn("NVIDIA H200", self.redbench("best", problem))

    def test_a_kernel_of_ones_own_starts_from_an_installed_one(self):
        for name, *more in (("reduce/mine", "--from", "reduce/harris3"), ("reduce/other",)):
            self.redbench("new-variant", name, *more, "--kernels", "own")
            self.assertIn("REDBENCH_VARIANT", (self.folder / "own" / f"{name}.cu").read_text())
        if self.hide:
            text = self.redbench("new-variant", "reduce/mine", "--from", "reduce/harris3", code=2)
            self.assertIn("no redbench repository here", text)


class Stripped(RunTest):
    def test_it_looks_for_no_races_without_knowing_the_shared_variables(self):
        program = self.folder / "redbench"
        for flag in ("--strip-debug", "--strip-all"):
            with self.subTest(flag):
                call("strip", flag, "-o", program, PROGRAM, check=True)
                verify = (program, "verify", "-d", "simt", "-b", "^reduce/tb2$")
                races = call(*verify, "--races")
                self.assertEqual(races.returncode, 2, races.stdout)
                self.assertIn("--races: this program is stripped", races.stderr)
                self.assertIn("this program is stripped", call(program, "doctor").stdout)
        redbench(*verify[1:], "--small", program=program)
