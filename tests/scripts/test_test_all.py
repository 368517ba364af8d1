"""The sum at the end of `make test` is that of its parts, all of which run."""

from contextlib import redirect_stderr, redirect_stdout
import io
from pathlib import Path
import subprocess
import tempfile
import unittest

import support  # noqa: F401  it puts scripts/ on the path
import test_all
from test_all import Counts

GTEST = """{"testsuites": [{"testsuite": [
  {"status": "RUN", "result": "COMPLETED"},
  {"status": "RUN", "result": "COMPLETED", "failures": [{"failure": "x"}]},
  {"status": "RUN", "result": "SKIPPED"},
  {"status": "NOTRUN", "result": "SUPPRESSED"}]}]}"""
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
        self.assertEqual(test_all.counts_of_ctest(path), Counts(passed=1, failed=2, skipped=2))

    def test_of_gtest(self):
        path = self.folder / "gtest.json"
        path.write_text(GTEST)
        self.assertEqual(test_all.counts_of_gtest(path), Counts(passed=1, failed=1, skipped=2))

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
        self.assertEqual(test_all.counts_of_python(path), Counts(passed=3, failed=4, skipped=2))
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
        self.assertEqual(test_all.counts_of_python(path), Counts(failed=1))

    def test_each_part_is_read_from_the_file_that_it_is_told_to_leave(self):
        build, folder = Path("/a/build"), Path("/a/folder")
        found = [(list(map(str, command)), str(path), read) for command, path, read in test_all.parts(build, folder)]
        ctest, gpu, python = (command for command, _, _ in found)
        self.assertEqual(
            [(path, read) for _, path, read in found],
            [
                ("/a/folder/ctest.xml", test_all.counts_of_ctest),
                ("/a/folder/gtest.json", test_all.counts_of_gtest),
                ("/a/folder/unittest.json", test_all.counts_of_python),
            ],
        )
        self.assertEqual(ctest[:3] + ctest[-2:], ["ctest", "--test-dir", "/a/build", "--output-junit", found[0][1]])
        self.assertEqual((gpu[0], gpu[-1]), ("/a/build/tests/redbench_gpu_tests", "--gtest_output=json:" + found[1][1]))
        self.assertEqual(python[2:], ["/a/build", "--python-counts", found[2][1]])

    def test_a_part_that_ends_badly_without_a_word_has_failed(self):
        path = self.folder / "counts.json"
        part = (["sh", "-c", f'echo \'{{"passed": 3}}\' > {path}; exit 7'], path, test_all.counts_of_python)
        counts, said = self.quietly(test_all.counts_of, *part)
        self.assertEqual(counts, Counts(passed=3, failed=1))
        self.assertEqual(said, "sh ended with 7\n")
        silent = (["true"], self.folder / "nothing", test_all.counts_of_python)
        self.assertEqual(self.quietly(test_all.counts_of, *silent)[0], Counts(failed=1))

    def test_a_part_that_says_nothing_that_can_be_read_has_failed(self):
        for text, read in (
            ("<testsuite><testcase status='run'/>", test_all.counts_of_ctest),
            ("", test_all.counts_of_ctest),
            ("<testsuite/>", test_all.counts_of_ctest),
            ('{"testsuites": [', test_all.counts_of_gtest),
            ("[]", test_all.counts_of_gtest),
            ('{"testsuites": []}', test_all.counts_of_gtest),
            ('{"some": "thing"}', test_all.counts_of_python),
        ):
            with self.subTest(text):
                path = self.folder / "counts"
                path.write_text(text)
                counts, said = self.quietly(test_all.counts_of, ["true"], path, read)
                self.assertEqual(counts, Counts(failed=1))
                self.assertRegex(said, "^true (ended with 0 and left no counts: .+|ran no test)\n$")
        for program in ("/nowhere/ctest", str(self.folder)):
            counts, said = self.quietly(test_all.counts_of, [program], self.folder / "none", test_all.counts_of_ctest)
            self.assertEqual(counts, Counts(failed=1))
            self.assertIn(" cannot be started: ", said)

    def test_all_parts_run_and_the_last_line_is_the_sum(self):
        def part(counts, code=0):
            path = self.folder / f"{len(list(self.folder.iterdir()))}.json"
            path.write_text(counts)
            return ["sh", "-c", f"exit {code}"], path, test_all.counts_of_python

        def main_of(*parts):
            saved, test_all.parts = test_all.parts, lambda build, folder: parts
            try:
                return self.quietly(test_all.main, ["build"])
            finally:
                test_all.parts = saved

        failed, good = part('{"failed": 1, "passed": 5}', 1), part('{"passed": 7, "skipped": 2}')
        self.assertEqual(main_of(failed, good), (1, "12 passed, 1 failed, 2 skipped\n"))
        self.assertEqual(main_of(part('{"passed": 7}')), (0, "7 passed, 0 failed\n"))
        self.assertEqual(main_of(good, part("{}", 3)), (1, "sh ended with 3\n7 passed, 1 failed, 2 skipped\n"))


if __name__ == "__main__":
    unittest.main()
