"""A process for each modelled GPU, under mpirun, makes the records that one process makes; one that ends or is silent
ends the run."""

import json
import os
from pathlib import Path
import re
import shutil
import signal
import subprocess
import unittest

from support import PROGRAM, RunTest, call, executable, last_records, wait_until

MPIRUN = shutil.which("mpirun")
HAS_MPI = MPIRUN and re.search(r"ok +MPI", call(PROGRAM, "doctor").stdout)
LAUNCHER = [MPIRUN, "--oversubscribe", "--bind-to", "none", "-n"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
PATIENCE_S = 120


def experiment(problem, **axes):
    return {"problem": problem, "variants": ["host"], "axes": {"type": "i32", "operator": "sum", **axes}}


FEW = [experiment("reduce", n=[1, 20011], gpus=[1, 2, 3]), experiment("multireduce", n=5003, m=300, gpus=[2, 3])]
# A second for each cell: time enough to end a process within.
MANY = [experiment("reduce", n=[4_000_000 + i for i in range(20)], gpus=2)]


def commands_of(text):
    """Process -> environment, of those whose command line holds the text."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if text in folder.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode():
                found[int(folder.name)] = folder.joinpath("environ").read_bytes().decode().split("\0")
        except (OSError, UnicodeDecodeError):  # it has ended, or is somebody else's
            continue
    return found


@unittest.skipUnless(HAS_MPI, "mpirun is not installed, or the program has no MPI")
class Mpi(RunTest):
    def write_config(self, experiments, hang_s=100):
        config = {"title": "Sums", "measure": {"hang_s": hang_s}, "experiments": experiments}
        (self.folder / "config.json").write_text(json.dumps(config))

    def start(self, processes, experiments, out, *words, **options):
        self.write_config(experiments, **options)
        launcher = [*LAUNCHER, processes] if processes else []
        command = [*launcher, PROGRAM, "run", self.folder / "config.json", "-d", "simt:h200:3", "-o", self.folder / out]
        how = {"env": {**os.environ, **AS_ROOT}, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        run = subprocess.Popen([str(word) for word in [*command, *words]], **how)
        self.addCleanup(run.terminate)  # where it did not end
        return run

    def run_with(self, processes, experiments, out, *words, code=0):
        run = self.start(processes, experiments, out, *words)
        text = run.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(run.returncode, code, text)
        return text

    def rows(self, out):
        return last_records(self.folder / out)

    def begin_cells(self, out, **options):
        """A run of two processes that is within the cells of two GPUs, and its second process."""
        run = self.start(2, MANY, out, **options)
        records = self.folder / out / "records.jsonl"
        wait_until(lambda: records.exists() and records.read_text(), records, PATIENCE_S)
        processes = commands_of(f"{PROGRAM} run {self.folder}")
        return run, next(process for process, env in processes.items() if "OMPI_COMM_WORLD_RANK=1" in env)

    def expect_whole_when_resumed(self, out):
        self.run_with(2, MANY, out, "--resume")
        self.run_with(0, MANY, "alone")
        self.assertEqual(self.rows(out), self.rows("alone"))

    def test_records_are_those_of_one_process(self):
        self.run_with(0, FEW, "one")
        self.run_with(3, FEW, "three")
        self.assertEqual(self.rows("three"), self.rows("one"))
        session = json.loads((self.folder / "three" / "run.json").read_text())["sessions"][0]
        self.assertEqual(session["processes"], 3)

    def test_what_processes_cannot_do_is_a_row(self):
        sums = {**FEW[0], "variants": ["host", "peer"]}
        self.run_with(2, [sums], "two")
        reasons = {(row["variant"][7:], row["axes"].get("gpus", 1)): row["reason"] for row in self.rows("two").values()}
        refusals = {key: reason for key, reason in reasons.items() if reason}
        self.assertEqual(set(refusals), {("host", 3), ("peer", 2), ("peer", 3)})
        self.assertIn("run it without mpirun", refusals["peer", 2])
        self.assertEqual(refusals["host", 3], "takes 3 GPUs, this run has 2")

    def test_processes_that_no_cell_needs_end(self):
        self.run_with(2, FEW[:1], "one_gpu", "-a", "gpus=1")
        text = self.run_with(4, FEW, "four", code=2)
        self.assertIn("names 3 GPUs, and 4 processes share the run", text)

    def run_each(self, words, first="", code=0):
        """Two processes, with words and commands of a shell's."""
        script = executable(self.folder / "each", f"{first}\nexec {PROGRAM} run {self.folder}/config.json -q {words}\n")
        done = call(*LAUNCHER, 2, script, env={**os.environ, **AS_ROOT})
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_on_a_single_device_each_process_makes_a_run_of_its_own(self):
        self.write_config(FEW[:1])
        self.run_each(f"-d simt:h200 -a gpus=1 -o {self.folder}/out$OMPI_COMM_WORLD_RANK")
        self.assertEqual(self.rows("out0"), self.rows("out1"))

    def test_other_command_lines_are_refused(self):
        self.write_config(FEW[:1])
        text = self.run_each(f"-d simt:h200:2 -o {self.folder}/out$OMPI_COMM_WORLD_RANK", code=2)
        self.assertIn("processes that share a run have one command line", text)

    def test_memory_that_one_process_lacks_costs_its_cell_alone(self):
        self.write_config([experiment("reduce", n=[1000, 600_000_000, 5000], gpus=2)])
        limit = "[ $OMPI_COMM_WORLD_RANK = 0 ] || ulimit -v 1900000"  # KiB: 1 GiB of them for the modelled GPU
        self.run_each(f"-d simt:h200:2 -o {self.folder}/out", limit, code=1)
        reasons = [row["reason"] for row in self.rows("out").values()]
        self.assertEqual([bool(reason) for reason in reasons], [False, True, False], reasons)
        self.assertIn("no room for 1200006400 bytes", reasons[1])

    def test_a_process_that_is_silent_ends_the_run(self):
        run, second = self.begin_cells("silent", hang_s=2)
        os.kill(second, signal.SIGSTOP)
        text = run.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(run.returncode, 1, text)
        self.assertIn("no sign of life", text)
        self.assertIn("the processes that share the run ended with a case before", text)
        self.expect_whole_when_resumed("silent")

    def test_a_process_that_ends_ends_the_run(self):
        run, second = self.begin_cells("ended")
        os.kill(second, signal.SIGKILL)
        text = run.communicate(timeout=PATIENCE_S)[0]
        self.assertNotEqual(run.returncode, 0, text)
        self.assertIn("--resume", text)  # mpirun ends the first process, too, unless that was faster
        self.expect_whole_when_resumed("ended")
