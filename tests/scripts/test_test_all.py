"""The sum at the end of `make test` is that of its parts, all of which run."""

from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
import io
import json
from pathlib import Path
import subprocess
import tempfile
import unittest
from unittest import mock

import support  # noqa: F401  it puts scripts/ on the path
import test_all

GTEST = """{"testsuites": [{"name": "A", "testsuite": [
  {"name": "Good", "status": "RUN", "result": "COMPLETED"},
  {"name": "Bad", "status": "RUN", "result": "COMPLETED", "failures": [{"failure": "x"}]},
  {"name": "Skipped", "status": "RUN", "result": "SKIPPED"},
  {"name": "Off", "status": "NOTRUN", "result": "SUPPRESSED"}]}]}"""
PYTHON = """
import unittest
class A(unittest.TestCase):
    def test_good(self): pass
    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i): self.assertEqual(i, 0)
    def test_a_skipped_part(self):
        with self.subTest(): self.skipTest("not here")
    def test_bad(self): self.fail()
    @unittest.skip("not now")
    def test_skipped(self): pass
    @unittest.expectedFailure
    def test_unexpectedly_good(self): pass
    @unittest.expectedFailure
    def test_expectedly_bad(self): self.fail()
class NoBegin(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise RuntimeError("x")
    def test_never(self): pass
class NotHere(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("x")
    def test_never(self): pass
"""
# As ctest reads it: what passes, fails, is skipped by its output, is switched off, cannot be started.
CTEST = """
add_test(good "true")
add_test(bad "false")
add_test(skipped "echo" "[  SKIPPED ]")
set_tests_properties(skipped PROPERTIES SKIP_REGULAR_EXPRESSION "\\\\[  SKIPPED \\\\]")
add_test(off "true")
set_tests_properties(off PROPERTIES DISABLED TRUE)
add_test(not_built "/nowhere/program")
"""


class Sum(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def quietly(self, function, *arguments):
        out = io.StringIO()
        with redirect_stdout(out):
            return function(*arguments), out.getvalue()

    def test_of_ctest(self):
        (self.folder / "CTestTestfile.cmake").write_text(CTEST)
        path = self.folder / "ctest.xml"
        done = subprocess.run(["ctest", "--test-dir", self.folder, "--output-junit", path], capture_output=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(
            test_all.outcomes_of_ctest(path),
            {"good": "passed", "bad": "failed", "skipped": "skipped", "off": "skipped", "not_built": "failed"},
        )

    def test_of_gtest(self):
        path = self.folder / "gtest.json"
        path.write_text(GTEST)
        self.assertEqual(
            test_all.outcomes_of_gtest(path),
            {"A.Good": "passed", "A.Bad": "failed", "A.Skipped": "skipped", "A.Off": "skipped"},
        )

    def test_of_python(self):
        (self.folder / "test_made_up_here.py").write_text(PYTHON)
        code = (
            "import pathlib, sys, test_all; "
            "sys.exit(test_all.run_python_tests(sys.argv[1], 'test_*.py', pathlib.Path(sys.argv[2])))"
        )
        path = self.folder / "unittest.json"
        command = [test_all.sys.executable, "-c", code, self.folder, path]
        done = subprocess.run(command, cwd=test_all.REPOSITORY / "scripts", capture_output=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        # Good, a skipped part, expectedly bad; parts, bad, unexpectedly good, no begin; skipped, not here.
        outcomes = test_all.outcomes_of_python(path)
        self.assertEqual(Counter(outcomes.values()), Counter(passed=3, failed=4, skipped=2))
        # unittest's own words are there, too: two parts of a test fail, and a part of another is skipped.
        self.assertEqual(
            done.stderr.decode().splitlines()[-1],
            "FAILED (failures=3, errors=1, skipped=3, expected failures=1, unexpected successes=1)",
        )

    def test_a_failure_alone_is_told_by_the_exit_code(self):
        (self.folder / "test_bad_alone.py").write_text(
            "import unittest\nclass A(unittest.TestCase):\n    def test_bad(self): self.fail()\n"
        )
        path = self.folder / "unittest.json"
        with redirect_stderr(io.StringIO()):
            self.assertEqual(test_all.run_python_tests(str(self.folder), "test_bad_*.py", path), 1)
        self.assertEqual(test_all.outcomes_of_python(path), {"test_bad_alone.A.test_bad": "failed"})

    def test_each_part_is_read_from_the_file_that_it_is_told_to_leave(self):
        build, folder = Path("/a/build"), Path("/a/folder")
        parts = test_all.parts(build, folder, {})
        ctest, gpu, python = (list(map(str, command)) for command, _, _ in parts.values())
        self.assertEqual(
            [(str(path), read) for _, path, read in parts.values()],
            [
                ("/a/folder/ctest.xml", test_all.outcomes_of_ctest),
                ("/a/folder/gtest.json", test_all.outcomes_of_gtest),
                ("/a/folder/unittest.json", test_all.outcomes_of_python),
            ],
        )
        self.assertEqual(ctest[:3], ["ctest", "--test-dir", "/a/build"])
        self.assertEqual(ctest[-2:], ["--output-junit", "/a/folder/ctest.xml"])
        self.assertEqual(
            (gpu[0], gpu[-1]), ("/a/build/tests/redbench_gpu_tests", "--gtest_output=json:/a/folder/gtest.json")
        )
        self.assertEqual(python[2:], ["/a/build", "--python-outcomes", "/a/folder/unittest.json"])

    def test_a_part_that_ends_badly_without_a_word_has_failed(self):
        path = self.folder / "counts.json"
        part = (["sh", "-c", f'echo \'{{"a": "passed"}}\' > {path}; exit 7'], path, test_all.outcomes_of_python)
        outcomes, said = self.quietly(test_all.outcomes_of, *part)
        self.assertEqual(outcomes, {"a": "passed", "ended with 7": "failed"})
        self.assertEqual(said, "sh ended with 7\n")
        silent = (["true"], self.folder / "nothing", test_all.outcomes_of_python)
        self.assertEqual(list(self.quietly(test_all.outcomes_of, *silent)[0].values()), ["failed"])

    def test_a_part_that_says_nothing_that_can_be_read_has_failed(self):
        for text, read in (
            ("<testsuite><testcase name='a' status='run'/>", test_all.outcomes_of_ctest),
            ("", test_all.outcomes_of_ctest),
            ("<testsuite/>", test_all.outcomes_of_ctest),
            ('{"testsuites": [', test_all.outcomes_of_gtest),
            ("[]", test_all.outcomes_of_gtest),
            ('{"testsuites": []}', test_all.outcomes_of_gtest),
            ("{}", test_all.outcomes_of_python),
            ("3", test_all.outcomes_of_python),
        ):
            with self.subTest(text):
                path = self.folder / "counts"
                path.write_text(text)
                outcomes, said = self.quietly(test_all.outcomes_of, ["true"], path, read)
                self.assertEqual(list(outcomes.values()), ["failed"])
                self.assertRegex(said, "^true (ended with 0 and left no counts: .+|ran no test)\n$")
        for program in ("/nowhere/ctest", str(self.folder)):
            part = ([program], self.folder / "none", test_all.outcomes_of_ctest)
            outcomes, said = self.quietly(test_all.outcomes_of, *part)
            self.assertEqual(list(outcomes.values()), ["failed"])
            self.assertIn(" cannot be started: ", said)

    def sum_of(self, *words, **outcomes):
        """What main() says where the parts have these outcomes."""

        def parts(build, folder, before):
            made = {}
            for name, (of_part, code) in outcomes.items():
                path = folder / name
                path.write_text(json.dumps(of_part))
                made[name] = (["sh", "-c", f"exit {code}"], path, test_all.outcomes_of_python)
            return made

        with mock.patch.object(test_all, "parts", parts):
            return self.quietly(test_all.main, [str(self.folder), *words])

    def test_all_parts_run_and_the_last_line_is_the_sum(self):
        failed = ({"a": "failed", "b": "passed"}, 1)
        good = ({"a": "passed", "b": "skipped", "c": "skipped"}, 0)
        self.assertEqual(self.sum_of(ctest=failed, gpu=good), (1, "2 passed, 1 failed, 2 skipped\n"))
        self.assertEqual(self.sum_of(ctest=({"a": "passed"}, 0)), (0, "1 passed, 0 failed\n"))
        self.assertEqual(self.sum_of(ctest=good, gpu=({}, 3)), (1, "sh ended with 3\n1 passed, 1 failed, 2 skipped\n"))

    # Of ctest c is there no more, of gpu d has come; python has skipped nothing, and would fail if it ran again.
    def test_what_was_skipped_runs_again_and_the_sum_is_of_both(self):
        first = {
            "ctest": ({"a": "passed", "b": "skipped", "c": "skipped"}, 0),
            "gpu": ({"a": "skipped"}, 0),
            "python": ({"a": "passed"}, 0),
        }
        second = {
            "ctest": ({"b": "passed"}, 0),
            "gpu": ({"a": "skipped", "d": "passed"}, 0),
            "python": ({"a": "failed"}, 1),
        }
        self.assertEqual(self.sum_of(**first), (0, "2 passed, 0 failed, 3 skipped\n"))
        self.assertEqual(self.sum_of("--skipped", **second), (0, "4 passed, 0 failed, 1 skipped\n"))
        self.assertEqual(self.sum_of("--skipped", gpu=({"a": "failed"}, 1))[1], "4 passed, 1 failed\n")
        self.assertEqual(self.sum_of("--skipped")[0], 1, "a failure of the first is one of both")

    def test_each_part_is_told_what_to_run_again(self):
        before = {"ctest": {"a": "passed", "A.b/0": "skipped", "c": "skipped"}, "gpu": {"a": "passed"}, "python": {}}
        ctest, gpu, python = (command for command, _, _ in test_all.parts(Path("b"), Path("f"), before).values())
        self.assertEqual(ctest[ctest.index("-R") + 1], r"^(A\.b/0|c)$")
        self.assertIn("--gtest_filter=*-a", gpu)
        self.assertIn("--skipped", python)

    def test_of_python_those_that_ran_are_left_out(self):
        (self.folder / "test_two_of_it.py").write_text(
            "import unittest\nclass A(unittest.TestCase):\n"
            "    def test_bad(self): self.fail()\n    def test_good(self): pass\n"
        )
        path = self.folder / "unittest.json"
        with redirect_stderr(io.StringIO()):
            arguments = (str(self.folder), "test_two_*.py", path, ["test_two_of_it.A.test_bad"])
            self.assertEqual(test_all.run_python_tests(*arguments), 0)
        self.assertEqual(test_all.outcomes_of_python(path), {"test_two_of_it.A.test_good": "passed"})


if __name__ == "__main__":
    unittest.main()
