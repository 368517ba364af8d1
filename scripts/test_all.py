#!/usr/bin/env python3
"""`make test`, once all is built: runs ctest, the GPU tests and the tests of scripts/, all three even where one fails.
The last line adds up their outcomes, as "1234 passed, 0 failed, 5 skipped"; the exit code is 1 where a test failed.
BUILD/outcomes.json keeps the outcome of each test: --skipped runs only those that were skipped, and adds up both.
"""

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
import io
import json
from multiprocessing import get_context
from pathlib import Path
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

REPOSITORY = Path(__file__).resolve().parent.parent
LONG = ("test_docs.py", "test_help.py", "test_kills.py", "test_slurm.py")  # begin first: else one is left in the end


def outcomes_of_ctest(path):
    """Test -> outcome, from a file of `ctest --output-junit`, where "notrun" stands for a test that was skipped and for
    one that could not be started."""
    outcomes = {}
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        skipped = [node.get("message", "") for node in case.iter("skipped")]
        is_skipped = case.get("status") == "disabled" or any(why.startswith("SKIP_") for why in skipped)
        outcomes[case.attrib["name"]] = (
            "passed" if case.get("status") == "run" else "skipped" if is_skipped else "failed"
        )
    return outcomes


def outcomes_of_gtest(path):
    """Test -> outcome, from a file of --gtest_output=json."""
    outcomes = {}
    for suite in json.loads(path.read_text())["testsuites"]:
        for test in suite["testsuite"]:
            is_skipped = test["status"] == "NOTRUN" or test["result"] == "SKIPPED"
            outcome = "failed" if test.get("failures") else "skipped" if is_skipped else "passed"
            outcomes[f"{suite['name']}.{test['name']}"] = outcome
    return outcomes


def outcomes_of_python(path):
    return dict(json.loads(path.read_text()))


class CountedResult(unittest.TextTestResult):
    """Keeps which tests have begun."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.begun = []

    def startTest(self, test):
        super().startTest(test)
        self.begun.append(test.id())

    def outcomes(self):
        """Of each test, and of what fails before one. A test with parts (subTest) fails where one of them does."""
        skipped = [test for test, _ in self.skipped if not hasattr(test, "test_case")]
        failed = [test for test, _ in (*self.failures, *self.errors)] + self.unexpectedSuccesses
        outcomes = dict.fromkeys(self.begun, "passed") | {test.id(): "skipped" for test in skipped}
        return outcomes | {getattr(test, "test_case", test).id(): "failed" for test in failed}


def tests_of(suite):
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from tests_of(part)
        else:
            yield part


def run_file(folder, name, run_before):
    """(outcomes, what it printed, whether all is well) of a file's tests but those of `run_before`."""
    tests = tests_of(unittest.TestLoader().discover(folder, name))
    printed = io.StringIO()
    suite = unittest.TestSuite(test for test in tests if test.id() not in run_before)
    result = unittest.TextTestRunner(printed, resultclass=CountedResult).run(suite)
    return result.outcomes(), f"{name}: {printed.getvalue()}", result.wasSuccessful()


def run_python_tests(folder, pattern, path, run_before=()):
    """Runs all tests but those of `run_before`, and writes their outcomes to the path. Files that build the program
    anew, by the helper `builds`, run first and alone, the others by two processes, each of which reads a file anew."""
    files = sorted(Path(folder).glob(pattern), key=lambda file: (file.name not in LONG, file.name))
    alone = [file for file in files if "from builds import" in file.read_text(encoding="utf-8")]
    outcomes, good = {}, True
    for part, processes in ((alone, 1), ([file for file in files if file not in alone], 2)):
        with ProcessPoolExecutor(processes, max_tasks_per_child=1, mp_context=get_context("spawn")) as pool:
            runs = [pool.submit(run_file, folder, file.name, run_before) for file in part]
            for run in as_completed(runs):
                of_file, printed, is_good = run.result()
                outcomes |= of_file
                good = good and is_good
                print(printed, file=sys.stderr, flush=True)
    path.write_text(json.dumps(outcomes))
    return 0 if good else 1


def run_part(command, path, read):
    """(the outcomes in the file that the command leaves, what went wrong or "")"""
    try:
        code = subprocess.run(command, cwd=REPOSITORY).returncode
    except OSError as error:
        return {}, f"cannot be started: {error.strerror}"
    try:
        outcomes = read(path)
    except (OSError, SyntaxError, ValueError, LookupError, TypeError, AttributeError) as error:  # one cut off, too
        return {}, f"ended with {code} and left no counts: {error}"
    if code != 0:
        return outcomes, f"ended with {code}"
    return outcomes, "" if outcomes else "ran no test"


def outcomes_of(command, path, read):
    """The outcomes of one part. A part that cannot be started, leaves no outcomes, runs no test, or ends badly without
    a failed test counts as a failure."""
    outcomes, trouble = run_part(command, path, read)
    if trouble and "failed" not in outcomes.values():
        print(f"{Path(command[0]).name} {trouble}", flush=True)
        outcomes[trouble] = "failed"
    return outcomes


def that_ran(outcomes):
    return {name: outcome for name, outcome in outcomes.items() if outcome != "skipped"}


def parts(build, folder, before):
    """Name -> (command, the file that it leaves, its reader). `before` are the outcomes of an earlier run."""
    ctest = ["ctest", "--test-dir", build, "--output-on-failure", "--timeout", "900", "-j", "2"]
    gpu = [build / "tests" / "redbench_gpu_tests", "--gtest_brief=1"]
    python = [sys.executable, Path(__file__).resolve(), build]
    if before:
        skipped = before["ctest"].keys() - that_ran(before["ctest"]).keys()
        ctest += ["-R", f"^({'|'.join(map(re.escape, sorted(skipped)))})$"]
        gpu += ["--gtest_filter=*-" + ":".join(that_ran(before["gpu"]))]
        python += ["--skipped"]
    junit, gtest, unit = (folder / name for name in ("ctest.xml", "gtest.json", "unittest.json"))
    return {
        "ctest": ([*ctest, "--output-junit", junit], junit, outcomes_of_ctest),
        "gpu": ([*gpu, f"--gtest_output=json:{gtest}"], gtest, outcomes_of_gtest),
        "python": ([*python, "--python-outcomes", unit], unit, outcomes_of_python),
    }


def summary(outcomes):
    counts = Counter(outcome for of_part in outcomes.values() for outcome in of_part.values())
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    return f"{counts['passed']} passed, {counts['failed']} failed{skipped}"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="the build's folder")
    parser.add_argument("--skipped", action="store_true", help="run what the last run skipped; the sum is of both")
    parser.add_argument("--python-outcomes", type=Path, metavar="FILE", help="run the tests of scripts/ only, for FILE")
    options = parser.parse_args(arguments)
    kept = options.build.resolve() / "outcomes.json"
    outcomes = json.loads(kept.read_text()) if options.skipped and kept.exists() else {}
    if options.python_outcomes:
        run_before = that_ran(outcomes.get("python", {}))
        return run_python_tests(REPOSITORY / "tests" / "scripts", "test_*.py", options.python_outcomes, run_before)
    with tempfile.TemporaryDirectory() as folder:
        for name, part in parts(options.build.resolve(), Path(folder), outcomes).items():
            before = outcomes.get(name)
            if before is None or "skipped" in before.values():
                outcomes[name] = that_ran(before or {}) | outcomes_of(*part)
    kept.write_text(json.dumps(outcomes, indent=1))
    print(summary(outcomes))
    return 1 if any("failed" in of_part.values() for of_part in outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
