"""scripts/build_times.py: what a build cost, read from the log that ninja keeps."""

import subprocess
import sys
import unittest

from support import REPOSITORY, RunTest

CORE = "src/CMakeFiles/redbench_core.dir"
LOG = f"""# ninja log v5
0\t9000\t0\t{CORE}/cli/a.cpp.o\tabc
1000\t3500\t0\t{CORE}/cli/a.cpp.o\tabc
500\t1000\t0\t{CORE}/cli/b.cpp.o\tabc
0\t8000\t0\t{CORE}/cli/gone.cpp.o\tabc
2000\t9000\t0\tredbench\tabc
"""


class BuildTimes(RunTest):
    def test_the_seconds_of_each_part_are_added_up_the_dearest_first(self):
        (self.folder / ".ninja_log").write_text(LOG)
        (self.folder / CORE / "cli").mkdir(parents=True)
        for output in (f"{CORE}/cli/a.cpp.o", f"{CORE}/cli/b.cpp.o", "redbench"):  # gone.cpp.o is not there
            (self.folder / output).touch()
        command = [sys.executable, REPOSITORY / "scripts" / "build_times.py", self.folder]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        self.assertEqual(
            [line.split() for line in text.splitlines()],
            [
                ["part", "files", "seconds", "longest", "(s)", "which"],
                ["linking", "and", "the", "rest", "1", "7.0", "7.0", "redbench"],
                ["src/cli", "2", "3.0", "2.5", "a.cpp"],  # a.cpp was made again: 2.5 s count, not 9
                ["all", "3", "10.0"],
            ],
        )


if __name__ == "__main__":
    unittest.main()
