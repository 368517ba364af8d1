"""The tree is formatted as .clang-format says, and ruff has nothing to say of the Python."""

from pathlib import Path
import subprocess
import sys
import unittest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(sys.executable).parent


def tracked(*endings: str) -> list[str]:
    """Files of the repository that git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in listed.stdout.splitlines() if name.endswith(endings) and (ROOT / name).exists()]


class Style(unittest.TestCase):
    def test_c_plus_plus_is_formatted(self):
        files = tracked(".cpp", ".hpp", ".cu")
        self.assertGreater(len(files), 200)
        answer = subprocess.run(
            [TOOLS / "clang-format", "--dry-run", "--Werror", *files], cwd=ROOT, capture_output=True, text=True
        )
        self.assertEqual(answer.returncode, 0, answer.stderr[:4000])

    def test_python_passes_the_linter(self):
        answer = subprocess.run(
            [TOOLS / "ruff", "check", "--no-cache", "cmake", "scripts", "tests"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        self.assertEqual(answer.returncode, 0, answer.stdout[:4000])
        python = subprocess.run(
            [TOOLS / "ruff", "check", "--no-cache", "--show-files", "cmake", "scripts", "tests"],
            cwd=ROOT, capture_output=True, text=True,
        )
        self.assertGreater(len(python.stdout.splitlines()), 10)


if __name__ == "__main__":
    unittest.main()
