"""The tree is formatted as .clang-format says, and ruff has nothing to say of the Python."""

from pathlib import Path
import sys
import unittest

from support import call, tracked

TOOLS = Path(sys.executable).parent
PYTHON = ("cmake", "scripts", "tests")


class Style(unittest.TestCase):
    def test_c_plus_plus_is_formatted(self):
        files = tracked(".cpp", ".hpp", ".cu")
        self.assertGreater(len(files), 200)
        answer = call(TOOLS / "clang-format", "--dry-run", "--Werror", *files)
        self.assertEqual(answer.returncode, 0, answer.stderr[:4000])

    def test_python_passes_the_linter(self):
        answer = call(TOOLS / "ruff", "check", "--no-cache", *PYTHON)
        self.assertEqual(answer.returncode, 0, answer.stdout[:4000])
        checked = call(TOOLS / "ruff", "check", "--no-cache", "--show-files", *PYTHON)
        self.assertGreater(len(checked.stdout.splitlines()), 10)
