"""Tests that rebuild build/redbench: one at a time, and what they find they leave."""

import pathlib
import re
import shlex

from support import REPOSITORY, RunTest, shell, wait_until


def builds_in_progress():
    """Ids of the ninja processes at work in build/: two of them at once spoil the build's log."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (process / "comm").read_text().strip() == "ninja":
                if (process / "cwd").samefile(REPOSITORY / "build"):
                    found.append(process.name)
        except OSError:  # ended meanwhile, or another user's
            pass
    return found


def kernel_folders():
    """Those that build/ is configured with."""
    cache = (REPOSITORY / "build" / "CMakeCache.txt").read_text()
    return re.search(r"^REDBENCH_KERNELS:\w+=(.*)$", cache, re.MULTILINE).group(1)


class RebuildTest(RunTest):
    def setUp(self):
        super().setUp()
        wait_until(lambda: not builds_in_progress(), lambda: f"ninja at work in build/: {builds_in_progress()}", 300)
        self.addCleanup(self.build, kernel_folders())
        self.build("")

    def command(self, command, exit_code=0):
        result = shell(command)
        self.assertEqual(result.returncode, exit_code, f"{command}\n{result.stdout[-4000:]}")
        return result.stdout

    def build(self, folders):
        """build/redbench with the variants of these folders, beside the repository's."""
        if folders != kernel_folders():
            self.command(f"cmake -B build -DREDBENCH_KERNELS={shlex.quote(folders)}")
        self.command("cmake --build build --target redbench")
