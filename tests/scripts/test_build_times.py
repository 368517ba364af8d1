"""scripts/build_times.py: what a build cost, read from the log that ninja keeps."""

import contextlib
import io
from pathlib import Path
import runpy
import tempfile
import unittest
from unittest import mock

from support import REPOSITORY

SCRIPT = REPOSITORY / "scripts" / "build_times.py"
CORE = "src/CMakeFiles/redbench_core.dir"


class BuildTimes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name)

    def run_on(self, *lines):
        """What the script prints of a build with this log, all of whose outputs are there but those called gone."""
        log = ["# ninja log v5", *lines]
        (self.build / ".ninja_log").write_text("\n".join(log) + "\n")
        for output in (line.split("\t")[3] for line in lines if line.count("\t") == 4):
            if "gone" not in output:
                (self.build / output).parent.mkdir(parents=True, exist_ok=True)
                (self.build / output).touch()
        with mock.patch("sys.argv", [str(SCRIPT), str(self.build)]), contextlib.redirect_stdout(io.StringIO()) as out:
            with self.assertRaises(SystemExit) as end:
                runpy.run_path(str(SCRIPT), run_name="__main__")
        return end.exception.code, out.getvalue()

    def test_the_seconds_of_each_part_are_added_up_the_dearest_first(self):
        code, told = self.run_on(
            f"0\t9000\t0\t{CORE}/cli/a.cpp.o\tabc",
            f"1000\t3500\t0\t{CORE}/cli/a.cpp.o\tabc",  # made again: 2.5 s count, not 9
            f"500\t1000\t0\t{CORE}/cli/b.cpp.o\tabc",
            f"0\t8000\t0\t{CORE}/cli/gone.cpp.o\tabc",
            "2000\t9000\t0\tredbench\tabc",
        )
        self.assertFalse(code)
        self.assertEqual(
            [line.split() for line in told.splitlines()],
            [
                ["part", "files", "seconds", "longest", "(s)", "which"],
                ["linking", "and", "the", "rest", "1", "7.0", "7.0", "redbench"],
                ["src/cli", "2", "3.0", "2.5", "a.cpp"],
                ["all", "3", "10.0"],
            ],
        )

    def test_a_line_that_is_no_step_is_named(self):
        code, told = self.run_on("0\t9000\t0\tredbench\tabc", "0\t9000\tredbench\tabc")
        self.assertEqual(told, "")
        log = self.build / ".ninja_log"
        self.assertEqual(code, f"build_times.py: {log}:3: five fields with tabs between them were expected")

    def test_a_folder_without_a_log_is_named(self):
        with mock.patch("sys.argv", [str(SCRIPT), str(self.build)]), self.assertRaises(SystemExit) as end:
            runpy.run_path(str(SCRIPT), run_name="__main__")
        self.assertRegex(str(end.exception.code), r"^build_times.py: there is no .*/\.ninja_log: ")


if __name__ == "__main__":
    unittest.main()
