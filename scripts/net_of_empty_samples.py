#!/usr/bin/env python3
"""Takes `empty_sample_ns` off the times of older records, which still hold it (`cuda 1`, `host 1`).

Of each record in the runs in or below FOLDER that has times and no `taken_off_ns`: every sample, the time with its
interval, the ceilings, the rates of scattered accesses and the times of launches are made shorter by what two events
cost in its cell, and what follows from them is computed anew. `stopped` stays: it says why sampling ended. Records of
mode `graph`, or without `empty_sample_ns`, stay as they are and are counted; so do those of other versions. A record
without times is brought up to date: nothing of it depends on the events.
`docs/decisions/0017-a-time-is-net-of-its-events.md` says what is approximate.
"""

import argparse
from collections import Counter
import fcntl
import json
import os
from pathlib import Path
from statistics import median
import sys

from shared import output
from shared.records import RecordError
from shared.visible import complain

# By target: the version of measuring whose records are converted, and the one that they have then.
VERSIONS = {"cuda 1": "cuda 2", "host 1": "host 2"}
LEAST_NS = 0.1  # as src/measure/stopwatch.cpp keeps of a sample
# Of a median of five: on a GPU two ticks, as a quarter of all empty samples is more than one from their median
# (results/h100/measuring). On a host it is not known, and less than the whole.
GPU_ERROR_NS = 64.0
RATES = ("read_gb_per_s", "mix_gb_per_s", "copy_gb_per_s", "write_gb_per_s")


def why_not(record):
    """Why a record is left as it is, or nothing."""
    if record.get("measured_by") not in VERSIONS:
        return f"was measured by {record.get('measured_by')}"
    if record.get("taken_off_ns") is not None:
        return "is net already"
    if record.get("time_ns") is None:
        return ""
    if record.get("empty_sample_ns") is None or record["mode"] == "graph":
        return "does not say what to take off"
    return ""


def rate_of_less(rate, amount, off):
    """The rate at which `amount` was moved, once its time is shorter by `off`."""
    return amount / max(amount / rate - off, LEAST_NS)


def correct_ceilings(record, empty):
    """In the same rounds as the case, one launch each."""
    read, written = record["bytes_read"], record["bytes_written"]
    amounts = dict(zip(RATES, (read, read + written, 2 * read, read), strict=True))
    own = "mix" if record.get("ceiling_mix_gb_per_s") else "read"
    for rate, amount in amounts.items():
        field = f"ceiling_{rate}"
        before = record.get(field)
        if before:
            record[field] = rate_of_less(before, amount, empty)
            if rate.startswith(own) and record.get("percent_of_ceiling") is not None:
                record["percent_of_ceiling"] *= before / record[field]
    if record.get("percent_of_ceiling") is not None:
        record["above_ceiling"] = record["percent_of_ceiling"] > 100


def correct_scattered(record, empty):
    for field in ("scattered_reads_per_ns", "scattered_atomics_per_ns"):
        before = record.get(field)
        if before:
            record[field] = rate_of_less(before, record["n"], empty)
            if "atomics" in field and record.get("percent_of_scattered") is not None:
                record["percent_of_scattered"] *= before / record[field]


def correct_times(record):
    empty = record["empty_sample_ns"]
    error = GPU_ERROR_NS if record["launch_gap_hidden"] is not None else empty
    off = 0.0 if record.get("launch_gap_hidden") is False else empty
    before = record["time_ns"]
    for field in ("samples_ns", "again_ns"):
        if record.get(field):
            record[field] = [[round(max(ns - off, LEAST_NS), 1) for ns in fork] for fork in record[field]]
    record["time_ns"] = time = median(median(fork) for fork in record["samples_ns"])
    widened = error if off and len(record["samples_ns"]) == 1 else 0.0
    if record.get("time_low_ns") is not None:
        record["time_low_ns"] = min(time, max(record["time_low_ns"] - off - widened, 0.0))
        record["time_high_ns"] = max(time, record["time_high_ns"] - off + widened)
        record["noise_percent"] = 50 * (record["time_high_ns"] - record["time_low_ns"]) / time
    record["taken_off_ns"], record["taken_off_error_ns"] = off, error if off else 0.0
    record["taken_off_percent"] = 100 * off / (time + off)
    record["bandwidth_gb_per_s"] = (record["bytes_read"] + record["bytes_written"]) / time
    if record.get("ns_per_input") is not None:
        record["ns_per_input"] = time / record["n"]
    for share in ("percent_of_ceiling", "percent_of_scattered"):
        if record.get(share) is not None:
            record[share] *= before / time
    correct_ceilings(record, empty)
    correct_scattered(record, empty)
    for launch in record["launches"]:
        if launch.get("time_ns") is not None:
            launch["time_ns"] = max(launch["time_ns"] - empty, LEAST_NS)
            if launch.get("read_gb_per_s") is not None:
                launch["read_gb_per_s"] = launch["bytes_read"] / launch["time_ns"]


def unique(pairs):
    """A JSON object; ValueError where it has a key twice, as the program has it."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def converted(path):
    """The file's new text, and how many records were converted or why not. RecordError with the line of one that is no
    record. A last line without its end is of a run that was killed: it stays."""
    lines, outcomes = path.read_text(encoding="utf-8").split("\n"), Counter()
    for place, line in enumerate(lines[:-1]):
        if not line.strip(" \t\r"):
            continue
        try:
            record = json.loads(line, object_pairs_hook=unique)
            why = why_not(record)
            outcomes[why or "converted"] += 1
            if why:
                continue
            if record.get("time_ns") is not None:
                correct_times(record)
            record["measured_by"] = VERSIONS[record["measured_by"]]
            lines[place] = json.dumps(record, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            raise RecordError(f"{path}:{place + 1}: no record ({error!r}): nothing is converted") from None
    return "\n".join(lines), outcomes


def locked(run):
    """The lock of a run's folder, as redbench itself takes it (src/records/folder_lock.cpp)."""
    lock = os.open(run / "run.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise RecordError(f"{run}: a process is writing to it (run.lock); wait for its end") from None
    return lock


def convert(files):
    """Converts all files, or none where one has a line that is no record."""
    locks = {}
    try:
        for path in files:
            locks[path.parent / "run.lock"] = locked(path.parent)
        texts = {path: converted(path) for path in files}
        for path, (text, outcomes) in texts.items():
            if outcomes["converted"]:
                output.replace(path, text)
            print(f"{path.parent}: " + "; ".join(f"{count} {what}" for what, count in sorted(outcomes.items())))
    finally:
        for path, lock in locks.items():
            path.unlink()
            os.close(lock)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    try:
        found = sorted({path for folder in options.folders for path in folder.rglob("records.jsonl")})
        files = [path for path in found if path.is_file()]
        if not files:
            raise RecordError(f"{', '.join(map(str, options.folders))}: no run there or below (records.jsonl)")
        convert(files)
    except (OSError, UnicodeError, RecordError) as error:
        complain("net_of_empty_samples", error)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
