"""scripts/slurm/ under a real slurmctld with two slurmd, which this test starts on the loopback for itself."""

import getpass
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import unittest

from support import PROGRAM, REPOSITORY, RunTest, call, last_records, redbench, wait_until
from test_mpi import FEW as SUMS
from test_mpi import HAS_MPI

NEEDED = ("slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "munged")
DAEMONS = os.environ["PATH"] + ":/usr/sbin:/sbin"
NODES = ("n1", "n2")
SLURMD = shutil.which("slurmd", path=DAEMONS)
HAS_NODES = SLURMD and " -N " in call(SLURMD, "-h", stderr=subprocess.STDOUT).stdout
# A quarter of a second a case on one core: time enough to end a task within.
AXES = {"n": [400000 + i for i in range(24)], "type": "i32", "operator": "sum"}
CONFIG = {
    "title": "Parts",
    "plots": [{"name": "sectors", "x": "n", "y": "sectors"}],
    "measure": {"counters": True},
    "experiments": [{"problem": "reduce", "variants": ["harris1", "harris3"], "axes": AXES}],
}
PATIENCE_S = 300
# A task that is requeued waits for its credential to expire.
SLURM_CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1
KillWait=20
GresTypes=gpu
PartitionName=main Nodes=ALL Default=YES
"""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [server.getsockname()[1] for server in sockets]
    for server in sockets:
        server.close()
    return ports


class Cluster:
    """Two nodes of two CPUs and two GPUs, as far as Slurm is told."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "state").mkdir()
        (folder / "munge.key").write_bytes(os.urandom(128))
        (folder / "munge.key").chmod(0o600)
        (folder / "gres.conf").write_text("".join(f"Name=gpu File={file}\n" for file in ("/dev/null", "/dev/zero")))
        (folder / "slurm.conf").write_text(self.configuration())
        self.environment = {**os.environ, "PATH": DAEMONS, "SLURM_CONF": str(folder / "slurm.conf")}
        self.daemons = []

    def begin(self):
        folder = self.folder
        files = {name: f"--{name}-file={folder}/munge.{name}" for name in ("key", "pid", "log", "seed")}
        self.start("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", *files.values())
        self.wait(lambda: (folder / "munge.socket").exists(), "munged")
        self.start("slurmctld", "-D")
        for node in NODES:
            self.start("slurmd", "-D", "-N", node)
        self.wait(lambda: self.ask("sinfo", "-h", "-o", "%t %D").split() == ["idle", "2"], "the nodes")

    def configuration(self):
        user, host, ports = getpass.getuser(), socket.gethostname().split(".")[0], free_ports(1 + len(NODES))
        text = SLURM_CONF.format(folder=self.folder, user=user, host=host, port=ports[0])
        for node, port in zip(NODES, ports[1:], strict=True):
            text += f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 Gres=gpu:2\n"
        return text

    def start(self, *command):
        """In a session of its own, where no Ctrl-C of a terminal reaches it before stop() does."""
        with (self.folder / f"daemon{len(self.daemons)}.log").open("wb") as log:
            how = {"env": self.environment, "stdout": log, "stderr": log, "start_new_session": True}
            self.daemons.append(subprocess.Popen(command, **how))

    def ask(self, *command, **environment):
        done = call(*command, cwd=self.folder, env={**self.environment, **environment}, stderr=subprocess.STDOUT)
        return done.stdout.strip()

    def wait(self, is_so, what):
        def all_that_is_known():
            logs = "\n".join(f"{log.name}: {log.read_text()[-1500:]}" for log in self.folder.glob("*.log"))
            return f"{what}\n{self.ask('squeue')}\n{logs}"

        wait_until(is_so, all_that_is_known, PATIENCE_S)

    def stop(self):
        try:
            if len(self.daemons) == 2 + len(NODES):
                self.ask("scancel", f"--user={getpass.getuser()}")
                self.wait(lambda: not self.ask("squeue", "-h"), "an empty queue")
        finally:
            for daemon in reversed(self.daemons):
                daemon.terminate()
                daemon.wait(timeout=60)


@unittest.skipUnless(all(shutil.which(name, path=DAEMONS) for name in NEEDED), "no Slurm on this machine")
@unittest.skipUnless(HAS_NODES, "a slurmd that is no node of another name (-N), so that there would be one node")
class Slurm(RunTest):
    def setUp(self):
        super().setUp()
        self.cluster = Cluster(self.folder)
        self.addCleanup(self.cluster.stop)
        self.cluster.begin()
        (self.folder / "disk").mkdir()
        (self.folder / "parts.json").write_text(json.dumps(CONFIG))
        self.variables = {"REDBENCH_HOME": str(REPOSITORY), "REDBENCH": str(PROGRAM), "PYTHON": sys.executable}
        self.variables |= {"TMPDIR": f"{self.folder}/disk", "REDBENCH_SIMT_THREADS": "1", "SBATCH_TIMELIMIT": "10"}

    def submit(self, *words):
        script = [REPOSITORY / "scripts" / "slurm" / word if word.endswith(".sbatch") else word for word in words]
        return self.cluster.ask("sbatch", "--parsable", "--cpus-per-task=1", *script, **self.variables)

    def tasks(self, job):
        """Number of the task -> (state, node)."""
        lines = self.cluster.ask("squeue", "-h", "-r", "-j", job, "-o", "%K %T %N").splitlines()
        return {words[0]: (*words[1:], "")[:2] for words in map(str.split, lines) if len(words) > 1}

    def records_under_way(self):
        return [file.read_text().count("\n") for file in (self.folder / "disk").glob("*/part/records.jsonl")]

    def records(self, folder):
        return last_records(self.folder / folder)

    def wait_for_the_end(self, *jobs):
        self.cluster.wait(lambda: not self.cluster.ask("squeue", "-h", "-j", ",".join(jobs)), "the jobs")

    def test_an_array_that_is_disturbed_makes_the_records_of_one_run(self):
        redbench("run", "parts.json", "-d", "simt", "-q", "-o", "whole", cwd=self.folder)
        job = self.submit("--array=1-4", "part.sbatch", "out", "run", "parts.json", "-d", "simt")
        self.assertRegex(job, r"^\d+$")
        merge = self.submit(f"--dependency=afterany:{job}", "merge.sbatch", "out")
        self.cluster.wait(lambda: len(found := self.records_under_way()) == 4 and min(found) > 1, job)
        tasks = self.tasks(job)
        self.assertEqual({state for state, _ in tasks.values()}, {"RUNNING"}, tasks)
        self.assertEqual({node for _, node in tasks.values()}, set(NODES))
        disturbed = next(number for number, (_, node) in tasks.items() if node == "n1")
        self.cluster.ask("scontrol", "requeue", f"{job}_{disturbed}")
        self.cluster.ask("scontrol", "update", "nodename=n2", "state=down", "reason=test")
        self.wait_for_the_end(job, merge)

        logs = {file.stem.rpartition("_")[2]: file.read_text() for file in self.folder.glob(f"redbench-{job}_*.log")}
        self.assertEqual(sorted(logs), ["1", "2", "3", "4"])
        resumed = [re.findall(r"(\d+) of 12 records are there", log) for log in logs.values()]
        self.assertRegex(logs[disturbed], r"\n?[1-9]\d* of 12 records are there", "it went on with what it had")
        self.assertEqual(sorted(len(times) for times in resumed), [1, 2, 2, 2], "two of n2, and the one requeued")
        self.assertEqual(self.records("out/merged"), self.records("whole"))
        self.assertEqual(len(self.records("whole")), 48)
        for made in ("out/report.html", "out/merged/plots/sectors.svg", "out/merged/tables/parts.md"):
            self.assertTrue((self.folder / made).exists(), f"{made}\n" + "".join(logs.values()))
        self.assertEqual(list((self.folder / "disk").iterdir()), [])

    @unittest.skipUnless(HAS_MPI, "no MPI")
    def test_processes_of_srun_share_a_run(self):
        (self.folder / "sums.json").write_text(json.dumps({"title": "Sums", "experiments": SUMS}))
        run = [PROGRAM, "run", "sums.json", "-d", "simt:h200:3", "-q", "-o"]
        redbench(*run[1:], "one", cwd=self.folder)
        how = ("-N1", "-n3", "--overcommit", "--mpi=pmix", "--kill-on-bad-exit=1")
        text = self.cluster.ask("srun", *how, *run, "three", **self.variables)
        self.assertEqual(self.records("three"), self.records("one"), text)
        self.assertEqual(json.loads((self.folder / "three" / "run.json").read_text())["sessions"][0]["processes"], 3)

    def test_a_paper_is_reproduced_in_parts(self):
        paper = self.folder / "configs" / "slides"
        paper.mkdir(parents=True)
        axes = {"n": [1000, 2000, 3000, 4000], "type": "i32", "operator": "sum"}
        experiment = {"problem": "reduce", "variants": ["harris1", "harris2"], "axes": axes}
        (paper / "fig.json").write_text(json.dumps(CONFIG | {"experiments": [experiment]}))
        arguments = ("slides", "-d", "simt", "--precision", "quick")
        job = self.submit("--array=1-2", "part.sbatch", "out", "reproduce", *arguments)
        merge = self.submit(f"--dependency=afterany:{job}", "merge.sbatch", "out", *arguments)
        self.wait_for_the_end(job, merge)
        log = (self.folder / f"redbench-merge-{merge}.log").read_text()
        self.assertEqual(len(self.records("out/merged/slides/fig")), 8, log)
        self.assertEqual(len(json.loads((self.folder / "out/merged/slides/fig/run.json").read_text())["sessions"]), 2)
        self.assertTrue((self.folder / "out/merged/slides/report.html").exists(), log)

    def test_tasks_that_are_no_parts_of_one_plan_are_refused(self):
        job = self.submit("--array=2-3", "part.sbatch", "out", "run", "parts.json", "-d", "simt")
        self.wait_for_the_end(job)
        self.assertIn("an array of N tasks is --array=1-N", (self.folder / f"redbench-{job}_2.log").read_text())
        self.assertFalse((self.folder / "out").exists())
