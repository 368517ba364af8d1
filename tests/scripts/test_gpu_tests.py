"""What needs a GPU is never silently absent: skipped with a count and the reason, or failed where it must run."""

from glob import glob
import json
import os
from pathlib import Path
import re
import subprocess
import unittest

from support import REPOSITORY, RunTest, call, executable, redbench

SCRIPTS = REPOSITORY / "scripts"
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# What did not end within the 200 s of a lease: its line is missing in the committed log.
NOT_ENDED = ("racecheck", "multiscan/by_turns")


def output_of(*command, **environment):
    answer = call(*command, env={**os.environ, **environment}, stderr=subprocess.STDOUT)
    return answer.returncode, answer.stdout


@unittest.skipIf(glob("/dev/nvidia[0-9]*") or Path("/dev/dxg").exists(), "a GPU is here: make test runs its tests")
class WithoutGpu(unittest.TestCase):
    def test_each_is_skipped_with_the_reason_or_fails_where_a_gpu_must_be(self):
        program = REPOSITORY / "build" / "tests" / "redbench_gpu_tests"
        code, text = output_of(program)
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"\nGPU tests: 0 passed, 0 failed, [1-9][0-9]+ skipped\n")
        self.assertRegex(text, r"\n  [1-9][0-9]+ skipped: device `cuda`: ")
        code, text = output_of(program, REDBENCH_NEEDS_GPU="1")
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"\nGPU tests: 0 passed, [1-9][0-9]+ failed, 0 skipped\n")


class Script(RunTest):
    def test_all_run_and_one_failure_is_the_answer(self):
        good = executable(self.folder / "good", 'echo "good $REDBENCH_NEEDS_GPU"\n')
        bad = executable(self.folder / "bad", "echo bad\nexit 1\n")
        code, text = output_of(SCRIPTS / "test_gpu.sh", bad, good)
        self.assertEqual(code, 1)
        self.assertIn("\nbad\ngood 1\n", text)
        self.assertEqual(output_of(SCRIPTS / "test_gpu.sh", good)[0], 0)

    def sanitized(self, finding, cases="7 passed, 0 failed"):
        """scripts/sanitize_gpu.sh with a tool that finds so much in each process, and what it printed."""
        executable(
            self.folder / "compute-sanitizer",
            'while [ "$1" != --log-file ]; do shift; done\nlog=$2; shift 2\n'
            f'echo "========= {finding}" > "$(echo "$log" | sed "s/%p/$$/")"\nexec "$@"\n',
        )
        program = executable(self.folder / "redbench", f'echo "$@"; echo "{cases}"\n')
        path = f"{self.folder}:{os.environ['PATH']}"
        return output_of(SCRIPTS / "sanitize_gpu.sh", program, self.folder / "out", "^reduce/", "^minimal/", PATH=path)

    def race(self, one, other):
        return (
            f"Error: Race reported between Write access at void {one}(T1 *)+0x1560 in cuda_language.hpp:65\n"
            f"=========     and Read access at void {other}(T1 *)+0x1560 in a.cu:65 [2 hazards]\n"
            "========= \n========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)"
        )

    def test_all_four_tools_see_all_kernels(self):
        code, text = self.sanitized("ERROR SUMMARY: 0 errors")
        self.assertEqual(code, 0, text)
        self.assertEqual(len(text.splitlines()), 9)
        self.assertTrue(text.endswith("8 of 8 processes are clean\n"), text)
        for tool in TOOLS:
            self.assertIn(f"{tool} ^minimal/: exit code 0, 0 findings, 7 passed, 0 failed", text)
        self.assertIn("--small --variants ^reduce/", (self.folder / "out" / "racecheck_1.txt").read_text())

    def test_a_finding_a_failure_and_no_case_are_told(self):
        none, stores = "ERROR SUMMARY: 0 errors", self.race("relaxed_store<int>", "relaxed_store<int>")
        for code, said, *of_run in (
            (1, "2 findings, 7 passed", "RACECHECK SUMMARY: 2 hazards displayed (2 errors)"),
            (0, "0 findings, 1 pairs of relaxed stores, 7 passed", stores),
            (1, "1 findings, 7 passed", self.race("relaxed_store<int>", "tb2")),
            (0, "0 findings, 1 of turns, 7 passed", self.race("tb2", "tb2").replace("a.cu", "turns.hpp")),
            (1, "0 findings, 6 passed, 1 failed", none, "6 passed, 1 failed"),
            (1, "no cases", none, "no device"),
        ):
            found, text = self.sanitized(*of_run)
            self.assertEqual(found, code, text)
            self.assertRegex(text, rf"racecheck \^reduce/: exit code 0, .*{said}")

    def test_the_committed_log_is_of_all_kernels_and_clean(self):
        log = (REPOSITORY / "results" / "h200" / "tests" / "compute_sanitizer.txt").read_text().splitlines()[2:]
        listed = json.loads(redbench("list", "--json"))
        names = [name for name, card in listed.items() if set(card["devices"]) - {"host"}]
        self.assertGreater(len(names), 60)
        for tool in TOOLS:
            clean = rf"{tool} (\S+): exit code 0, 0 findings,.* [1-9]\d* passed, 0 failed, .*"
            patterns = [found[1] for line in log if (found := re.fullmatch(clean, line))]
            for name in names:
                if (tool, name) != NOT_ENDED:
                    self.assertTrue(any(re.search(pattern, name) for pattern in patterns), f"{tool}: {name}")
