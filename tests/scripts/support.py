"""What the tests of scripts/ share: commands that they run, records and runs that they make."""

from contextlib import redirect_stderr, redirect_stdout
import io
import json
import os
from pathlib import Path
import re
import subprocess
import sys
import tempfile
import time
import unittest

REPOSITORY = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(REPOSITORY / "scripts"))

from shared import records, shown  # noqa: E402

PROGRAM = REPOSITORY / "build" / "redbench"


def call(*command, **options):
    """A command that has ended, with what it printed: standard error apart, or within as by stderr=STDOUT."""
    options = {"cwd": REPOSITORY, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 900, **options}
    return subprocess.run([str(word) for word in command], text=True, **options)


def shell(command, **environment):
    """Runs a shell's commands in the repository's root, up to the first that fails."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    return call("sh", "-euc", command, env={**inherited, **environment}, stderr=subprocess.STDOUT)


def redbench(*arguments, code=0, program=PROGRAM, **options):
    """The standard output of redbench, which must end with this exit code."""
    done = call(program, *arguments, **options)
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def output_of(main, *arguments):
    """The exit code of a script's main(), and what it wrote to standard output and error."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as errors:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as end:  # of argparse
            code = end.code
    return code, out.getvalue(), errors.getvalue()


def commands():
    """The subcommands of redbench."""
    return re.findall(r"^  ([a-z][a-z-]*) ", redbench("--help").split("Subcommands:")[1], re.MULTILINE)


def in_short(command):
    """A command without what takes long: `reproduce`, which test_reproduce.py runs, is planned; the CPU is measured for
    a second a case, its caches left as they are; `try` tries once; 64Ki inputs are 4Ki; `verify` takes the least of its
    battery, of which C++'s tests run all; caches are a known machine's, not probed; no package is compressed."""
    command = re.sub(r"(-a|--axis) n=64Ki", r"\1 n=4Ki", command.replace(" --watch", ""))
    if re.search(r"redbench reproduce\b", command):
        return command.replace(" --dry-run", "") + " --dry-run"
    if re.search(r"redbench verify\b", command) and "--small" not in command and "cpu_" not in command:
        return command + " --small"
    if re.search(r"redbench cachesim\b", command) and "--machine" not in command:
        return re.sub(r"(caches.steps)=\d+", r"\1=4096", command) + " --machine core2_t7300"
    if re.search(r"\bselftest\b.* (-d|--device) host\b|\brun\b.*( (-d|--device) host\b|/quick.json)", command):
        return re.sub(r"--mode \S+", "", command) + " --set measure.mode=warm --set measure.timeout_s=1"
    return re.sub(r"^cpack\b.*", r"\g<0> -D CPACK_DEBIAN_COMPRESSION_TYPE=none", command)


def wait_until(is_so, what, seconds=60):
    """Waits for a condition, whose value is returned; `what`, or what it gives, says in the end what did not come."""
    end = time.monotonic() + seconds
    while not (value := is_so()):
        assert time.monotonic() < end, f"not within {seconds} s: {what() if callable(what) else what}"
        time.sleep(0.02)
    return value


def last_records(run):
    """(key, mode, device) -> the last record of a case, without the session that made it."""
    lines = map(json.loads, (run / "records.jsonl").read_text().splitlines())
    found = {(record["key"], record["mode"], record["device"]): record for record in lines}
    return {case: {name: record[name] for name in record if name != "session"} for case, record in found.items()}


def tracked(*endings):
    """Files of the repository that git knows or would add, all without an ending."""
    listed = call("git", "ls-files", "--cached", "--others", "--exclude-standard").stdout.splitlines()
    return [name for name in listed if name.endswith(endings or "") and (REPOSITORY / name).exists()]


def executable(path, text):
    """A shell script."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)
    return path


def record(variant="reduce/harris1", n=1024, time_ns=2000.0, **changed):
    """A passed record of the sum of n i32: 4 n bytes read. A key changed to None is left out."""
    key = f"{variant} n={n} {changed.get('axes')} {changed.get('parameters')}"
    values = {"schema": 1, "key": key, "variant": variant, "problem": variant.split("/")[0], "n": n, "seed": 1}
    values |= {"type": "i32", "operator": "sum", "axes": {"values": "uniform"}, "parameters": {"block": 256}}
    values |= {"device": "cuda:0", "hardware": "NVIDIA Test", "mode": "cold", "outcome": "passed", "launches": []}
    values |= {"bytes_read": 4.0 * n, "bytes_written": 4.0, "scratch_bytes": 0}
    values |= {"library": False, "source_hash": "0123"}
    if time_ns is not None:
        values |= {"time_ns": time_ns, "time_low_ns": 0.9 * time_ns, "time_high_ns": 1.2 * time_ns}
        values |= {"bandwidth_gb_per_s": (4.0 * n + 4) / time_ns, "ns_per_input": time_ns / n}
        values |= {"percent_of_ceiling": 50.0}
    return {key: value for key, value in (values | changed).items() if value is not None}


def counters(**changed):
    """Counters as the modelled device writes them: all of them, 0 but for those named."""
    names = records.SCHEMA["properties"]["counters"]["properties"]
    assert set(changed) <= set(names), set(changed) - set(names)
    return {**dict.fromkeys(names, 0), **changed}


def counted(variant, n=1024, time_ns=None, **changed):
    """A record of a case that the modelled device counted."""
    return record(variant, n=n, time_ns=time_ns, device="simt:h200", counters=counters(**changed))


class RunTest(unittest.TestCase):
    """A test with a folder of its own, in which it writes runs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def expect_golden(self, name, text):
        """Compares a text with tests/golden/scripts/NAME, which REDBENCH_WRITE_GOLDEN=1 in the environment writes."""
        path = REPOSITORY / "tests" / "golden" / "scripts" / name
        if os.environ.get("REDBENCH_WRITE_GOLDEN") == "1":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.maxDiff = None
        self.assertEqual(text, path.read_text(encoding="utf-8"))

    def write_run(self, records, name="quick", plots=(), folder="run", report=None, **facts):
        """Records are dicts, or text that is written as it is."""
        directory = self.folder / folder
        directory.mkdir()
        config = {"title": "A run", "plots": list(plots)}
        own = {"schema": 1, "name": name, "title": "A run", "config_path": f"configs/{name}.json", "config": config}
        own |= {"started": "2024-05-06T07:08:09Z", "device": {}, "inputs": {}}
        (directory / "run.json").write_text(json.dumps(own | facts))
        lines = [line if isinstance(line, str) else json.dumps(line) + "\n" for line in records]
        (directory / "records.jsonl").write_text("".join(lines))
        if report is None:  # as the program has it, which refuses some of these runs
            call(PROGRAM, "tables", directory)
        else:
            (directory / "tables").mkdir()
            (directory / "tables" / "report.json").write_text(json.dumps(report))
        return directory

    def load(self, records_of_run, **facts):
        """The run that is written of these records, read again."""
        count = len(list(self.folder.iterdir()))
        loaded = records.load_run(self.write_run(records_of_run, **{"folder": f"run{count}", **facts}))
        shown.add_to(loaded)
        return loaded
