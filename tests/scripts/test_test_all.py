"""The sum at the end of `make test` is that of its parts, all of which run."""

from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
import io
import json
from unittest import mock

from support import RunTest, call
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


class Sum(RunTest):
    def quietly(self, function, *arguments):
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()):
            return function(*arguments), out.getvalue()

    def test_of_ctest_and_gtest(self):
        (self.folder / "CTestTestfile.cmake").write_text(CTEST)
        path = self.folder / "ctest.xml"
        call("ctest", "--test-dir", self.folder, "--output-junit", path)
        expected = {"good": "passed", "bad": "failed", "skipped": "skipped", "off": "skipped", "not_built": "failed"}
        self.assertEqual(test_all.outcomes_of_ctest(path), expected)
        path = self.folder / "gtest.json"
        path.write_text(GTEST)
        expected = {"A.Good": "passed", "A.Bad": "failed", "A.Skipped": "skipped", "A.Off": "skipped"}
        self.assertEqual(test_all.outcomes_of_gtest(path), expected)

    def test_of_python(self):
        (self.folder / "test_made_up_here.py").write_text(PYTHON)
        path = self.folder / "unittest.json"
        run_before = ["test_made_up_here.A.test_good"]
        code, _ = self.quietly(test_all.run_python_tests, str(self.folder), "test_made_*.py", path, run_before)
        self.assertEqual(code, 1)
        # A skipped part, expectedly bad; parts, bad, unexpectedly good, no begin; skipped, not here.
        outcomes = test_all.outcomes_of_python(path)
        self.assertEqual(Counter(outcomes.values()), Counter(passed=2, failed=4, skipped=2))

    def test_a_part_that_leaves_no_counts_or_ends_badly_without_a_word_has_failed(self):
        path = self.folder / "counts"
        part = (["sh", "-c", f'echo \'{{"a": "passed"}}\' > {path}; exit 7'], path, test_all.outcomes_of_python)
        outcomes, said = self.quietly(test_all.outcomes_of, *part)
        self.assertEqual((outcomes, said), ({"a": "passed", "ended with 7": "failed"}, "sh ended with 7\n"))
        for command, text, read in (
            ("true", "<testsuite><testcase name='a' status='run'/>", test_all.outcomes_of_ctest),
            ("true", '{"testsuites": [', test_all.outcomes_of_gtest),
            ("/nowhere/ctest", "{}", test_all.outcomes_of_python),
        ):
            with self.subTest(command=command, text=text):
                path.write_text(text)
                outcomes, _ = self.quietly(test_all.outcomes_of, [command], path, read)
                self.assertEqual(list(outcomes.values()), ["failed"])

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
        self.assertEqual(self.sum_of(ctest=good, gpu=({}, 3)), (1, "sh ended with 3\n1 passed, 1 failed, 2 skipped\n"))

    # Of ctest c is there no more, of gpu d has come; python has skipped nothing, and would fail if it ran again.
    def test_what_was_skipped_runs_again_and_the_sum_is_of_both(self):
        ctest, gpu, python = {"a": "passed", "b": "skipped", "c": "skipped"}, {"a": "skipped"}, {"a": "passed"}
        first = self.sum_of(ctest=(ctest, 0), gpu=(gpu, 0), python=(python, 0))
        self.assertEqual(first, (0, "2 passed, 0 failed, 3 skipped\n"))
        ctest, gpu, python = {"b": "passed"}, {"a": "skipped", "d": "passed"}, {"a": "failed"}
        second = self.sum_of("--skipped", ctest=(ctest, 0), gpu=(gpu, 0), python=(python, 1))
        self.assertEqual(second, (0, "4 passed, 0 failed, 1 skipped\n"))
        self.assertEqual(self.sum_of("--skipped", gpu=({"a": "failed"}, 1))[1], "4 passed, 1 failed\n")
        self.assertEqual(self.sum_of("--skipped")[0], 1, "a failure of the first is one of both")
