"""The tree is formatted as .clang-format says, and ruff has nothing to say of the Python."""

from pathlib import Path
import subprocess
import sys
import unittest

from support import REPOSITORY, tracked

TOOLS = Path(sys.executable).parent


class Style(unittest.TestCase):
    def test_c_plus_plus_is_formatted(self):
        files = tracked(".cpp", ".hpp", ".cu")
        self.assertGreater(len(files), 200)
        answer = subprocess.run(
            [TOOLS / "clang-format", "--dry-run", "--Werror", *files], cwd=REPOSITORY, capture_output=True, text=True
        )
        self.assertEqual(answer.returncode, 0, answer.stderr[:4000])

    def test_python_passes_the_linter(self):
        answer = subprocess.run(
            [TOOLS / "ruff", "check", "--no-cache", "cmake", "scripts", "tests"],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
        )
        self.assertEqual(answer.returncode, 0, answer.stdout[:4000])
        python = subprocess.run(
            [TOOLS / "ruff", "check", "--no-cache", "--show-files", "cmake", "scripts", "tests"],
            cwd=REPOSITORY, capture_output=True, text=True,
        )
        self.assertGreater(len(python.stdout.splitlines()), 10)


if __name__ == "__main__":
    unittest.main()
