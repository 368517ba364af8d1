"""What `cmake --install` puts under a prefix works from there, without the source and the build."""

import json
import os
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import REPOSITORY
from pages import Page

# The source and the build behind empty folders, for one command. .venv stays: it is no part of either.
UNSHARE = ["unshare", "--mount", "--map-root-user"]
HIDE = """
for folder in "$0"/* "$0"/.git; do [ ! -d "$folder" ] || mount -t tmpfs -o size=0 none "$folder"; done
exec "$@"
"""


def can_hide():
    try:
        mounts = [*UNSHARE, "mount", "-t", "tmpfs", "none", "/mnt"]
        return subprocess.run(mounts, capture_output=True).returncode == 0
    except OSError:
        return False


def answer(command, folder, environment=None):
    return subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})},
        text=True,
        timeout=300,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def install(prefix, **environment):
    done = answer(["cmake", "--install", "build", "--prefix", prefix], REPOSITORY, environment)
    assert done.returncode == 0, done.stdout


def files(folder):
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in folder.rglob("*")}


class Installed(unittest.TestCase):
    hidden = can_hide()

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        root = Path(folder.name)
        install(root / "first prefix")
        cls.prefix = (root / "first prefix").rename(root / "another prefix")
        cls.program = cls.prefix / "bin" / "redbench"
        cls.data = cls.prefix / "share" / "redbench"
        cls.configs = cls.data / "configs"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        before = files(self.prefix)
        self.addCleanup(lambda: self.assertEqual(files(self.prefix), before, "the prefix was written to"))

    def run_hidden(self, *command, code=0):
        hide = [*UNSHARE, "sh", "-euc", HIDE, REPOSITORY] if self.hidden else []
        done = answer([*hide, *command], self.folder)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def redbench(self, *arguments, code=0):
        return self.run_hidden(self.program, *arguments, code=code)

    def script(self, name, *arguments):
        return self.run_hidden(sys.executable, self.data / "scripts" / name, *arguments)

    def test_shells_and_man_find_theirs(self):
        share = self.prefix / "share"
        for shell, path in (
            ("bash", "bash-completion/completions/redbench"),
            ("zsh", "zsh/site-functions/_redbench"),
            ("fish", "fish/vendor_completions.d/redbench.fish"),
        ):
            self.assertEqual((share / path).read_text(), self.redbench("completion", shell))
        self.assertEqual((share / "man" / "man1" / "redbench.1").read_text(), self.redbench("help", "--man"))
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
        quick = self.configs / "quick.json"
        self.redbench("run", quick, "-d", "simt", "-b", "harris", "-o", "quick", "-q")
        self.assertEqual(json.loads((self.folder / "quick" / "run.json").read_text())["name"], "quick")
        table = self.folder / "quick" / "tables" / "quick.md"
        table.unlink()
        self.redbench("tables", "quick")
        self.assertIn("| harris3 |", table.read_text())
        drawn = self.script("make_plots.py", "quick")
        self.assertIn("\nFigure: ", drawn)
        self.assertNotIn("no redbench is found", drawn)
        self.assertIn("report.html", self.script("make_report.py", "quick"))
        page = Page((self.folder / "quick" / "report.html").read_text())
        self.assertIn("__global__ void sequential_addressing", page.data["sources"]["kernels/reduce/harris3.cu"])
        self.assertNotIn("Whether records are stale", page.text_of("first"))

    def test_published_numbers_stand_beside(self):
        run = REPOSITORY / "results" / "simt-gtx480" / "martin2012" / "table1"
        shutil.copytree(run, self.folder / "table1", ignore=shutil.ignore_patterns("tables"))
        self.redbench("tables", "table1")
        self.assertIn("GTX 480, published", (self.folder / "table1" / "tables" / "table1.md").read_text())

    def test_profile_shows_lines_of_the_kernels(self):
        text = self.redbench("profile", "reduce/harris1", "-d", "simt", "-a", "n=4Ki", "-o", "profile")
        self.assertRegex(text, r"kernels/\S+:\d+ .*\w\(|kernels/\S+:\d+ .*;")

    def test_a_kernel_of_ones_own_starts_from_an_installed_one(self):
        self.redbench("new-variant", "reduce/mine", "--from", "reduce/harris3", "--kernels", "own")
        self.assertIn("REDBENCH_VARIANT", (self.folder / "own" / "reduce" / "mine.cu").read_text())
        self.redbench("new-variant", "reduce/other", "--kernels", "own")
        if self.hidden:
            text = self.redbench("new-variant", "reduce/mine", "--from", "reduce/harris3", code=2)
            self.assertIn("no redbench repository here", text)


class Stripped(unittest.TestCase):
    def test_it_looks_for_no_races_without_knowing_the_shared_variables(self):
        with tempfile.TemporaryDirectory() as folder:
            for flag in ("--strip-debug", "--strip-all"):
                with self.subTest(flag):
                    program = Path(folder) / "redbench"
                    subprocess.run(["strip", flag, "-o", program, REPOSITORY / "build" / "redbench"], check=True)
                    races = answer([program, "verify", "-d", "simt", "--races", "-b", "^reduce/tb2$"], folder)
                    self.assertEqual(races.returncode, 2, races.stdout)
                    self.assertIn("--races: this program is stripped", races.stdout)
                    self.assertIn("this program is stripped", answer([program, "doctor"], folder).stdout)
                    values = answer([program, "verify", "-d", "simt", "--small", "-b", "^reduce/tb2$"], folder)
                    self.assertEqual(values.returncode, 0, values.stdout)


if __name__ == "__main__":
    unittest.main()
