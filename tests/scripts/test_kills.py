"""A run that is killed again and again, its worker or the run itself, and resumed each time, ends with the records of
one that nobody disturbs.

REDBENCH_KILLS=100 python -m unittest discover -s tests/scripts -p test_kills.py kills more often than `make test` does.
"""

import contextlib
from functools import partial
import json
import os
from pathlib import Path
import random
import signal
import subprocess
import time
import unittest

from support import PROGRAM, RunTest, last_records, wait_until

KILLS = int(os.environ.get("REDBENCH_KILLS", "10"))
SEED = int(os.environ.get("REDBENCH_KILLS_SEED", "1"))
# Long enough to be killed in: 6 variants on 12 sizes, some tens of milliseconds each.
VARIANTS = ["harris1", "harris2", "harris3", "harris4", "tb2", "diffwarps"]
SIZES = [200_000 + i for i in range(12)]


def children(process):
    try:
        return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:  # it has ended
        return []


def is_stopped(process):
    state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    assert state != "Z", f"{process} has ended"
    return state == "T"


def end(process):
    with contextlib.suppress(ProcessLookupError):  # it has ended
        os.kill(process, signal.SIGKILL)


class Kills(RunTest):
    def write_config(self, variants, n, **measure):
        axes = {"n": n, "type": "i32", "operator": "sum"}
        config = {"measure": measure, "experiments": [{"problem": "reduce", "variants": variants, "axes": axes}]}
        (self.folder / "config.json").write_text(json.dumps(config))

    def start(self, out, device="simt:gtx480", how="--resume"):
        words = [PROGRAM, "run", self.folder / "config.json", "-q", how, "-d", device, "-o", out]
        return subprocess.Popen(words, stderr=subprocess.DEVNULL)

    def finish(self, out):
        self.assertEqual(self.start(out).wait(timeout=300), 0)
        self.assertFalse((out / "run.lock").exists())

    def disturb(self, out, seconds, chance):
        """Kills the run or its worker at a moment of its `seconds`; whether it was still there."""
        run = self.start(out)
        time.sleep(chance.uniform(0, seconds))
        workers = children(run.pid)
        by_worker = workers and chance.random() < 0.5
        killed = run.poll() is None
        end(workers[0] if by_worker else run.pid)
        if by_worker and chance.random() < 0.5:
            time.sleep(chance.uniform(0, 0.2))
            end(run.pid)
        run.wait(timeout=300)
        return killed

    def test_a_killed_run_ends_as_one_that_nobody_disturbs(self):
        self.write_config(VARIANTS, SIZES)
        started = time.monotonic()
        self.finish(self.folder / "undisturbed")
        seconds = time.monotonic() - started
        expected = last_records(self.folder / "undisturbed")
        self.assertEqual(len(expected), 72)
        self.assertEqual({record["outcome"] for record in expected.values()}, {"passed"})

        chance = random.Random(SEED)
        kills = runs = 0
        while kills < KILLS:
            runs += 1
            out = self.folder / f"killed{runs}"
            # Parts of the whole, so that a run is killed several times before it is done.
            while kills < KILLS and not self.is_complete(out, expected):
                kills += self.disturb(out, seconds / 3, chance)
            self.finish(out)
            self.assertEqual(last_records(out), expected, f"run {runs}, seed {SEED}")

    def test_one_that_replaces_another_leaves_one_of_the_two_whole(self):
        self.write_config(VARIANTS[:2], SIZES)
        out, chance = self.folder / "out", random.Random(SEED)
        self.finish(out)
        self.write_config(VARIANTS[2:4], SIZES)
        started = time.monotonic()
        self.finish(self.folder / "new")
        seconds = time.monotonic() - started
        old, new = last_records(out), last_records(self.folder / "new")
        for number in range(KILLS // 2):
            run = self.start(out, how="--replace")
            time.sleep(chance.uniform(0, seconds))
            end(run.pid)
            run.wait(timeout=300)
            aside = out / "replaced"
            whole = aside if (aside / "run.json").exists() else out
            self.assertIn(last_records(whole), (old, new), f"kill {number}, seed {SEED}")
        self.start(out, how="--replace").wait(timeout=300)
        self.assertEqual(last_records(out), new)
        self.assertFalse((out / "replaced").exists())

    def test_one_that_is_stopped_for_longer_than_a_case_may_be_silent_goes_on(self):
        self.write_config(VARIANTS[:3], [1_000_000 + i for i in range(12)], hang_s=1)  # 3 s: stopped before it is done
        self.finish(self.folder / "undisturbed")
        for by_terminal in (True, False):  # Ctrl-Z, which reaches the parent alone, and a batch system's stop of both
            out = self.folder / f"stopped{by_terminal}"
            run = self.start(out)
            wait_until((out / "records.jsonl").exists, "a record")
            worker = wait_until(partial(children, run.pid), "a worker")[0]
            if by_terminal:
                run.send_signal(signal.SIGTSTP)
            else:
                os.kill(worker, signal.SIGSTOP)
                os.kill(run.pid, signal.SIGSTOP)
            # A process that waits for a disk stops after that.
            for process in (run.pid, worker):
                wait_until(partial(is_stopped, process), f"{process} stops")
            time.sleep(3)
            os.kill(run.pid, signal.SIGCONT)
            if not by_terminal:
                os.kill(worker, signal.SIGCONT)
            self.assertEqual(run.wait(timeout=300), 0)
            self.assertEqual(last_records(out), last_records(self.folder / "undisturbed"))

    def test_an_interrupted_search_says_so_and_goes_on(self):
        words = [PROGRAM, "tune", "gather/cpu_sorted", "-d", "host", "-a", "n=1Ki", "--set", "measure.mode=warm"]
        words += ["--set", "measure.timeout_s=0.01", "-o", self.folder / "tuned.json"]
        home = {**os.environ, "XDG_CACHE_HOME": str(self.folder)}
        for seconds in (0.5, 1.5):
            search = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=home)
            time.sleep(seconds)
            search.send_signal(signal.SIGINT)
            _, said = search.communicate(timeout=60)
            self.assertEqual(search.returncode, 130, said)
            self.assertIn("interrupted; the same command goes on", said)
        self.assertEqual(subprocess.run(words, capture_output=True, timeout=300, env=home, check=False).returncode, 0)

    def test_what_another_process_measured_anew_is_another_pass(self):
        # Too small for a ceiling, which would take longest.
        self.write_config(["cpu_serial", "cpu_openmp"], 512, mode=["warm", "cold"], min_samples=5, max_samples=5)
        out = self.folder / "killed"
        run = self.start(out, "host")
        records = out / "records.jsonl"
        # The warm ones are written; the cold ones, each after a flush of all caches, are being measured.
        while run.poll() is None and not (records.exists() and records.read_text().count("\n") >= 2):
            time.sleep(0.005)
        for worker in children(run.pid):
            end(worker)
        run.wait(timeout=300)
        rows = last_records(out)
        passed = {key: row["passes"] for key, row in rows.items() if row["outcome"] == "passed"}
        self.assertEqual({value[0] for (_, mode, _), value in passed.items() if mode == "warm"}, {0})
        self.assertEqual({value[0] for (_, mode, _), value in passed.items() if mode == "cold"}, {1})

    def is_complete(self, out, expected):
        """Whether each case has passed."""
        if not (out / "records.jsonl").exists():
            return False
        whole = (out / "records.jsonl").read_text().rpartition("\n")[0]
        passed = {record["key"] for record in map(json.loads, whole.splitlines()) if record["outcome"] == "passed"}
        return len(passed) == len(expected)


class InterruptedBattery(unittest.TestCase):
    def test_it_says_what_it_has_found_until_then(self):
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        how["preexec_fn"] = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # where make runs in the background
        process = subprocess.Popen([PROGRAM, "verify", "-d", "simt", "-b", "^reduce/"], **how)
        for line in process.stderr:  # of its progress, the first after some seconds
            if "cases" in line:
                break
        process.send_signal(signal.SIGINT)
        text, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, text)
        self.assertRegex(text, r"\nreduce/harris3 +[1-9]\d* passed")
        self.assertRegex(text, r"\ninterrupted: [1-9]\d* passed, 0 failed\n$")
