"""What needs a GPU is never silently absent: skipped with a count and the reason, or failed where it must run."""

from glob import glob
import os
from pathlib import Path
import subprocess
import unittest

from support import REPOSITORY, RunTest

PROGRAM = REPOSITORY / "build" / "tests" / "redbench_gpu_tests"


def output_of(*command, **environment):
    answer = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, **environment},
        text=True,
        timeout=120,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return answer.returncode, answer.stdout


@unittest.skipIf(glob("/dev/nvidia[0-9]*") or Path("/dev/dxg").exists(), "a GPU is here: make test runs its tests")
class WithoutGpu(unittest.TestCase):
    def test_each_is_skipped_and_counted_with_the_reason(self):
        code, text = output_of(PROGRAM)
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"\nGPU tests: 0 passed, 0 failed, [1-9][0-9]+ skipped\n")
        self.assertRegex(text, r"\n  [1-9][0-9]+ skipped: device `cuda`: ")

    def test_each_fails_where_a_gpu_must_be(self):
        code, text = output_of(PROGRAM, REDBENCH_NEEDS_GPU="1")
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"\nGPU tests: 0 passed, [1-9][0-9]+ failed, 0 skipped\n")


class Script(RunTest):
    def program(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def test_all_run_and_one_failure_is_the_answer(self):
        good = self.program("good", 'echo "good $REDBENCH_NEEDS_GPU"\n')
        bad = self.program("bad", "echo bad\nexit 1\n")
        script = REPOSITORY / "scripts" / "test_gpu.sh"
        code, text = output_of(script, bad, good)
        self.assertEqual(code, 1)
        self.assertIn("\nbad\ngood 1\n", text)
        self.assertEqual(output_of(script, good)[0], 0)


if __name__ == "__main__":
    unittest.main()
