"""What two events cost is taken off older records once, and all that follows from a time with it."""

import fcntl
import json
from pathlib import Path
import sys
import tempfile
import unittest

from support import REPOSITORY, call, redbench
import net_of_empty_samples

OLD = {
    "outcome": "passed",
    "mode": "cold",
    "measured_by": "cuda 1",
    "n": 1000,
    "empty_sample_ns": 3000.0,
    "launch_gap_hidden": True,
    "bytes_read": 4000.0,
    "bytes_written": 1000.0,
    "samples_ns": [[7000.0, 8000.0, 9000.0], [8500.0]],
    "time_ns": 8250.0,
    "time_low_ns": 7250.0,
    "time_high_ns": 9250.0,
    "noise_percent": 12.1,
    "bandwidth_gb_per_s": 5000 / 8250,
    "ns_per_input": 8.25,
    "ceiling_read_gb_per_s": 0.8,  # 4000 bytes in 5000 ns
    "ceiling_mix_gb_per_s": 1.0,  # 5000 bytes
    "percent_of_ceiling": 60.0,
    "scattered_atomics_per_ns": 0.2,  # 1000 in 5000 ns
    "percent_of_scattered": 60.0,
    "launches": [{"time_ns": 4000.0, "bytes_read": 3000.0, "read_gb_per_s": 0.75}, {"time_ns": None}],
}


def converted(**other):
    record = json.loads(json.dumps({**OLD, **other}))
    net_of_empty_samples.correct_times(record)
    return record


class Net(unittest.TestCase):
    def test_everything_follows_from_the_time(self):
        record = converted()
        self.assertEqual(record["samples_ns"], [[4000.0, 5000.0, 6000.0], [5500.0]])
        self.assertEqual([record[f"time{end}_ns"] for end in ("_low", "", "_high")], [4250, 5250, 6250])
        self.assertAlmostEqual(record["noise_percent"], 100 * 1000 / 5250)
        self.assertEqual((record["taken_off_ns"], record["ns_per_input"]), (3000, 5.25))
        self.assertAlmostEqual(record["taken_off_percent"], 100 * 3000 / 8250)
        self.assertAlmostEqual(record["bandwidth_gb_per_s"], 5000 / 5250)
        self.assertAlmostEqual(record["ceiling_read_gb_per_s"], 4000 / 2000)
        self.assertAlmostEqual(record["ceiling_mix_gb_per_s"], 5000 / 2000)
        self.assertAlmostEqual(record["percent_of_ceiling"], 60 * 8250 / 5250 * 2000 / 5000)
        self.assertAlmostEqual(record["scattered_atomics_per_ns"], 1000 / 2000)
        self.assertAlmostEqual(record["percent_of_scattered"], 60 * 8250 / 5250 * 2000 / 5000)
        self.assertEqual(record["launches"][0]["time_ns"], 1000)
        self.assertEqual(record["launches"][0]["read_gb_per_s"], 3)

    def test_one_fork_has_the_error_of_what_was_taken_off(self):
        record = converted(samples_ns=[[8250.0]])
        self.assertEqual((record["time_low_ns"], record["time_high_ns"]), (4250 - 64, 6250 + 64))
        record = converted(samples_ns=[[8250.0]], launch_gap_hidden=None, empty_sample_ns=50.0)
        self.assertEqual((record["time_low_ns"], record["time_high_ns"]), (7150, 9250), "a host's is not known")

    def test_nothing_is_taken_off_the_hosts_launches(self):
        record = converted(launch_gap_hidden=False)
        self.assertEqual((record["samples_ns"], record["taken_off_ns"]), (OLD["samples_ns"], 0))
        self.assertAlmostEqual(record["ceiling_read_gb_per_s"], 2, msg="a ceiling is held behind a kernel")

    def test_a_run_is_converted_once_and_is_a_run(self):
        source = REPOSITORY / "results/h200/quick"
        lines = (source / "records.jsonl").read_text().splitlines()
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run"
            run.mkdir()
            (run / "run.json").write_bytes((source / "run.json").read_bytes())
            old = [{**json.loads(line), "taken_off_ns": None} for line in lines]
            for record in old:
                record["measured_by"] = record["measured_by"].replace(" 2", " 1")
            (run / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in old))
            command = [sys.executable, REPOSITORY / "scripts/net_of_empty_samples.py", run]
            first = call(*command)
            self.assertEqual(first.stdout, f"{run}: {len(old)} converted\n", first.stderr)
            once = (run / "records.jsonl").read_text()
            self.assertNotIn("converted", call(*command).stdout)
            self.assertEqual((run / "records.jsonl").read_text(), once)
            # The program checks that time, bandwidth and share are those of the samples.
            redbench("tables", run)

    def test_what_is_no_record_or_net_already_or_being_written_stays(self):
        line = json.dumps({**OLD, "taken_off_ns": 3000.0})
        twice = json.dumps(OLD)[:-1] + ', "n": 5}'
        huge = json.dumps({**OLD, "samples_ns": [[1e308, 1e308]]})
        with tempfile.TemporaryDirectory() as folder:
            file, lock = Path(folder) / "records.jsonl", Path(folder) / "run.lock"
            for text, said, code in ((line, "1 is net already", 0), (twice, ":1: no record", 2), (huge, ":1: ", 2)):
                file.write_text(text + "\n")
                done = call(sys.executable, REPOSITORY / "scripts/net_of_empty_samples.py", folder)
                self.assertEqual((done.returncode, file.read_text()), (code, text + "\n"))
                self.assertIn(said, done.stdout + done.stderr)
                self.assertFalse(lock.exists())
            with open(lock, "w") as writer:
                fcntl.flock(writer, fcntl.LOCK_EX)
                done = call(sys.executable, REPOSITORY / "scripts/net_of_empty_samples.py", folder)
            self.assertIn("a process is writing to it", done.stderr)
            self.assertTrue(lock.exists())


if __name__ == "__main__":
    unittest.main()
