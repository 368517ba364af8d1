#!/usr/bin/env python3
"""`make test`, once all is built: ctest, the GPU tests and the tests of scripts/, each though one before it failed. The
last line is the sum of what they themselves say, as "1234 passed, 0 failed, 5 skipped"; the exit code is 1 where one
failed.
"""

import argparse
from dataclasses import dataclass
import json
from pathlib import Path
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

REPOSITORY = Path(__file__).resolve().parent.parent


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def counts_of_ctest(path):
    """Of a file of `ctest --output-junit`, which says "notrun" of a test that was skipped and of one that could not be
    started."""
    counts = Counts()
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        skipped = case.find("skipped")
        if case.get("status") == "run":
            counts.passed += 1
        elif case.get("status") == "disabled" or (
            skipped is not None and skipped.get("message", "").startswith("SKIP_")
        ):
            counts.skipped += 1
        else:
            counts.failed += 1
    return counts


def counts_of_gtest(path):
    """Of a file of --gtest_output=json."""
    counts = Counts()
    for suite in json.loads(Path(path).read_text())["testsuites"]:
        for test in suite["testsuite"]:
            if test.get("failures"):
                counts.failed += 1
            elif test["status"] == "NOTRUN" or test["result"] == "SKIPPED":
                counts.skipped += 1
            else:
                counts.passed += 1
    return counts


class CountedResult(unittest.TextTestResult):
    """What became of each test. One with several parts (subTest) fails where one of them does."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.outcomes = {}

    def startTest(self, test):
        super().startTest(test)
        self.outcomes[test.id()] = "passed"

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        is_part = hasattr(test, "test_case")
        if not is_part and self.outcomes.get(test.id()) != "failed":
            self.outcomes[test.id()] = "skipped"

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.outcomes[test.id()] = "failed"

    def addError(self, test, error):
        super().addError(test, error)
        self.outcomes[test.id()] = "failed"

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.outcomes[test.id()] = "failed"

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.outcomes[test.id()] = "failed"

    def counts(self):
        outcomes = list(self.outcomes.values())
        return Counts(*(outcomes.count(name) for name in ("passed", "failed", "skipped")))


def run_python_tests(folder, pattern, path):
    """Writes the counts to the path."""
    suite = unittest.TestLoader().discover(folder, pattern)
    result = unittest.TextTestRunner(resultclass=CountedResult).run(suite)
    path.write_text(json.dumps(vars(result.counts())))
    return 0 if result.wasSuccessful() else 1


def counts_of_python(path):
    return Counts(**json.loads(path.read_text()))


def run_part(command, path, read):
    """(the counts of the file that it leaves, what went wrong or "")"""
    try:
        code = subprocess.run(command, cwd=REPOSITORY).returncode
    except OSError as error:
        return Counts(), f"cannot be started: {error.strerror}"
    try:
        counts = read(path)
    except (OSError, SyntaxError, ValueError, LookupError, TypeError, AttributeError) as error:  # one cut off, too
        return Counts(), f"ended with {code} and left no counts: {error}"
    if code != 0:
        return counts, f"ended with {code}"
    return counts, "" if counts != Counts() else "ran no test"


def counts_of(command, path, read):
    """Of one part. One that cannot be started, leaves no counts, runs no test or ends badly without saying why is a
    failure."""
    counts, trouble = run_part(command, path, read)
    if counts.failed == 0 and trouble:
        print(f"{Path(command[0]).name} {trouble}", flush=True)
        counts += Counts(failed=1)
    return counts


def parts(build, folder):
    """(command, the file that it leaves, what reads that)."""
    ctest = ["ctest", "--test-dir", build, "--output-on-failure", "--timeout", "900", "-j", "2"]
    gpu = [build / "tests" / "redbench_gpu_tests", "--gtest_brief=1"]
    python = [sys.executable, Path(__file__).resolve(), build]
    junit, gtest, unit = (folder / name for name in ("ctest.xml", "gtest.json", "unittest.json"))
    return [
        ([*ctest, "--output-junit", junit], junit, counts_of_ctest),
        ([*gpu, f"--gtest_output=json:{gtest}"], gtest, counts_of_gtest),
        ([*python, "--python-counts", unit], unit, counts_of_python),
    ]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="the build's folder")
    parser.add_argument("--python-counts", type=Path, metavar="FILE", help="the tests of scripts/ alone, counted here")
    options = parser.parse_args(arguments)
    if options.python_counts:
        return run_python_tests(REPOSITORY / "tests" / "scripts", "test_*.py", options.python_counts)
    with tempfile.TemporaryDirectory() as folder:
        all_parts = parts(options.build.resolve(), Path(folder))
        counts = sum((counts_of(*part) for part in all_parts), Counts())
    print(counts)
    return 1 if counts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
