"""The examples of each --help work, each as it stands, in a copy of the tree; the manual page has all of it.

Those on a GPU (`cuda`) are checked without one: `run` and `reproduce` are planned on the modelled H200, `verify` runs
there, of `selftest` the config is planned. The others are checked in short (support.in_short)."""

import os
import re
import shutil
import subprocess
import unittest

from support import PROGRAM, REPOSITORY, RunTest, call, commands, in_short, redbench

COPIED = ("configs", "docs", "kernels", "results", "samples", "scripts")
ON_GPU = re.compile(r"(-d|--device) cuda\b")


def examples():
    """The example lines of all commands."""
    for command in commands():
        text = re.search(r"^Examples:\n(.*?)(?:^\S|\Z)", redbench(command, "--help"), re.MULTILINE | re.DOTALL)[1]
        yield from re.findall(r"^  (\S.*)\n(?=      \S)", text, re.MULTILINE)


def checkable(command):
    """The same, so that it can be checked where no GPU is."""
    if not ON_GPU.search(command):
        return in_short(command)
    command = ON_GPU.sub("--device simt:h200", command)
    if re.match(r"redbench (run|reproduce|tune)\b", command):
        return command + " --dry-run"
    return re.sub(r"^redbench selftest (\S+) (--device \S+).*", r"redbench plan \1 \2", command)


class Help(RunTest):
    @unittest.skipUnless(shutil.which("groff"), "no groff on this machine")
    def test_the_manual_page_has_all_of_it(self):
        page = redbench("help", "--man")
        done = call("groff", "-man", "-Tascii", "-ww", "-P-cbou", input=page)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        words = " ".join(done.stdout.split())
        for example in examples():
            self.assertIn(f"{' '.join(example.split())} ", words)
        self.assertIn("--schedules COUNT=3", words)
        for command in commands():
            name = re.escape(command.replace("-", "\\-"))
            self.assertRegex(page, rf"(?m)^\.SS {name}\n\.nf\nredbench {name}: ")

    def test_each_example_works(self):
        for name in COPIED:
            shutil.copytree(REPOSITORY / name, self.folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        # The kernel file of one's own that examples name.
        (self.folder / "my_kernels" / "reduce").mkdir(parents=True)
        for own in ("mine.cu", "my_kernels/reduce/mine.cu"):
            shutil.copy(REPOSITORY / "kernels" / "reduce" / "harris3.cu", self.folder / own)
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "redbench").symlink_to(PROGRAM)
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(self.folder)}
        environment.pop("XDG_CACHE_HOME", None)
        for example in examples():
            with self.subTest(example=example):
                command = ("bash", "-euc", checkable(example))
                done = call(*command, cwd=self.folder, env=environment, stderr=subprocess.STDOUT)
                self.assertEqual(done.returncode, 0, done.stdout[-4000:])
