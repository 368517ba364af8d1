"""The examples of each --help work, each as it stands, in a copy of the tree; the manual page has all of it.

Those on a GPU (`cuda`) are checked without one: `run` and `reproduce` are planned on the modelled H200, `verify` runs
there, of `selftest` the config is planned."""

import os
from pathlib import Path
import re
import shutil
import subprocess
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, commands

COPIED = ("configs", "docs", "kernels", "results", "samples", "scripts")
ON_GPU = re.compile(r"(-d|--device) cuda\b")


def answer(*arguments):
    done = subprocess.run([PROGRAM, *arguments], text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, ""), (arguments, done)
    return done.stdout


def part(text, heading):
    """What stands under a heading, up to the next one."""
    return re.search(rf"^{heading}:\n(.*?)(?:^\S|\Z)", text, re.MULTILINE | re.DOTALL).group(1)


def examples(text):
    """(command line, what it does)."""
    found = re.findall(r"^  (\S.*)\n((?:      \S.*\n)+)", part(text, "Examples"), re.MULTILINE)
    return [(command, " ".join(what.split())) for command, what in found]


def without_gpu(command):
    """The same, so that it can be checked where no GPU is."""
    if not ON_GPU.search(command):
        return command
    command = ON_GPU.sub("--device simt:h200", command)
    if re.match(r"redbench (run|reproduce)\b", command):
        return command + " --dry-run"
    return re.sub(r"^redbench selftest (\S+) (--device \S+).*", r"redbench plan \1 \2", command)


class Help(unittest.TestCase):
    @unittest.skipUnless(shutil.which("groff"), "no groff on this machine")
    def test_the_manual_page_has_all_of_it(self):
        page = answer("help", "--man")
        groff = ["groff", "-man", "-Tascii", "-ww", "-P-cbou"]
        done = subprocess.run(groff, input=page, text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        words = " ".join(done.stdout.split())
        for command in commands():
            for example, _ in examples(answer(command, "--help")):
                self.assertIn(f"{' '.join(example.split())} ", words)
        self.assertIn("--schedules COUNT=3", words)
        for command in commands():
            name = re.escape(command.replace("-", "\\-"))
            self.assertRegex(page, rf"(?m)^\.SS {name}\n\.nf\nredbench {name}: ")


class Examples(unittest.TestCase):
    def test_each_works(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            for name in COPIED:
                shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            (folder / "bin").mkdir()
            (folder / "bin" / "redbench").symlink_to(PROGRAM)
            path = f"{folder / 'bin'}:{os.environ['PATH']}"
            for command in commands():
                for example, _ in examples(answer(command, "--help")):
                    with self.subTest(example=example):
                        done = subprocess.run(
                            ["bash", "-euc", without_gpu(example)],
                            cwd=folder,
                            env={**os.environ, "PATH": path, "HOME": str(folder)},
                            text=True,
                            timeout=900,
                            stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT,
                        )
                        self.assertEqual(done.returncode, 0, done.stdout[-4000:])


if __name__ == "__main__":
    unittest.main()
