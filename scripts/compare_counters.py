#!/usr/bin/env python3
"""Compares the counters of the modelled device with those of Nsight Compute on a GPU, for the same cases.

Without VARIANT: all of reduce and segreduce that the model runs, the sum of 2^20 i32. OUT/counters.csv and
OUT/counters.md have a row per case, launch and counter. OUT/raw/ keeps what was measured on a machine with a GPU and
ncu; --compare makes the tables from it anywhere. Ends with 1 where a case could not be compared.
"""

import argparse
import csv
from dataclasses import dataclass
import io
import json
import math
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile

from shared import output
from shared.visible import visible

# Counter of the modelled device -> the metrics of the GPU whose sum corresponds to it.
METRICS = {
    f"global_{name}_{unit}": [f"l1tex__t_{unit}_pipe_lsu_mem_global_op_{op}.sum" for op in operations]
    for name, operations in (("load", ["ld"]), ("store", ["st"]), ("atomic", ["red", "atom"]))
    for unit in ("requests", "sectors")
}
METRICS |= {
    f"shared_{name}_{counter}": [metric.format(operation)]
    for name, operation in (("load", "ld"), ("store", "st"))
    for counter, metric in (
        ("requests", "smsp__sass_inst_executed_op_shared_{}.sum"),
        ("wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"),
        ("conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"),
    )
}
# Lanes at work: of the model by basic block, of the GPU by instruction.
METRICS["active_lanes"] = ["smsp__thread_inst_executed_per_inst_executed.ratio"]
COUNTERS = ("blocks", *METRICS)
AXES = {"n": "2^20", "type": "i32", "operator": "sum"}
# Cases of a problem; one that is not here is compared only where its variants are named, at its defaults.
CASES = {"reduce": [{}], "segreduce": [{"segments": "one"}, {"segments": "fixed:3"}]}
NUMBERS = ("launch", "modelled", "measured", "difference_percent")
COLUMNS = ("variant", "case", "launch", "kernel", "counter", "modelled", "measured", "difference_percent", "note")


class CounterError(Exception):
    """A case that cannot be measured or compared."""


@dataclass
class Case:
    variant: str
    axes: dict

    @property
    def name(self):
        """The axes in which it differs from the default case of its variant."""
        return " ".join(f"{axis}={value}" for axis, value in self.axes.items() if AXES.get(axis) != value)

    def raw(self, out, ending):
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{self.variant} {self.name}".strip())
        return out / "raw" / (stem + ending)

    def profile(self, program, device, *under):
        """What `redbench profile` prints of it."""
        axes = [part for axis, value in self.axes.items() for part in ("-a", f"{axis}={value}")]
        with tempfile.TemporaryDirectory() as folder:
            return run([*under, program, "profile", self.variant, "-d", device, "--json", "-o", folder, *axes])


@dataclass
class Launch:
    kernel: str  # the function's name alone
    counters: dict  # with `blocks`; None where there is no number


def main(arguments):
    options = read_arguments(arguments)
    rows, hardware = [], set()
    try:
        if not options.compare and not shutil.which("ncu"):
            raise CounterError("ncu is not in PATH; it is Nsight Compute of the CUDA toolkit (--compare needs none)")
        for case in cases_of(options):
            try:
                record = only_record(case.profile(options.program, options.device), options.device)
                launches, gpu = measured_launches(options, case, record["key"])
                rows += compared(case, modelled_launches(record), launches)
                hardware.add(gpu)
            except CounterError as error:
                rows.append({"variant": case.variant, "case": case.name, "note": str(error)})
    except CounterError as error:
        print(f"compare_counters: {error}", file=sys.stderr)
        return 2
    write_csv(options.out / "counters.csv", rows)
    title = f"{options.device} and {', '.join(sorted(hardware)) or 'no GPU'}"
    output.write(options.out / "counters.md", markdown(title, asked_axes(options), rows))
    for name in ("csv", "md"):
        print(options.out / f"counters.{name}")
    return 1 if any(row.get("note") for row in rows) else 0


def read_arguments(arguments):
    title, _, more = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser("compare_counters.py", description=title, epilog=more)
    parser.add_argument("program", metavar="PROGRAM", help="build/redbench")
    parser.add_argument("out", metavar="OUT", type=Path, help="the folder for the tables and raw/")
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help="reduce/harris1 ...")
    parser.add_argument("--device", default="simt:h200", help="the modelled device (simt:h200)")
    parser.add_argument("-a", "--axis", action="append", default=[], metavar="AXIS=VALUE", help="n=2^24 ...")
    parser.add_argument("--compare", action="store_true", help="measure nothing: needs OUT/raw/")
    return parser.parse_intermixed_args(arguments)


def asked_axes(options):
    for axis in options.axis:
        if not re.fullmatch(r"\w+=.+", axis):
            raise CounterError(f"-a {axis}: expected AXIS=VALUE")
    return dict(axis.split("=", 1) for axis in options.axis)


def cases_of(options):
    listed, asked = json.loads(run([options.program, "list", "--json"])), asked_axes(options)
    for name in options.variants:
        if name not in listed:
            raise CounterError(f"no variant `{name}`; `{options.program} list` names them")
    cases = []
    for name in options.variants or [name for name in listed if listed[name]["problem"] in CASES]:
        modelled = any(listed[name]["devices"].get("simt", {"takes": {}})["takes"].values())
        for own in CASES.get(listed[name]["problem"], [{}]):
            case = Case(name, {**AXES, **own, **asked})
            if case not in cases and (modelled or options.variants):
                cases.append(case)
    return cases


def run(command):
    """Standard output of a command, which must end with 0."""
    try:
        # Under ncu, and so that `profile` does not run ncu itself.
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "REDBENCH_UNDER_NCU": "1"})
    except OSError as error:
        raise CounterError(f"{command[0]}: {error.strerror}") from error
    if done.returncode == 0:
        return done.stdout
    lines = (done.stderr.strip() or done.stdout.strip() or f"ended with {done.returncode}").splitlines()
    raise CounterError(f"{Path(command[0]).name}: {lines[-1].removeprefix('redbench: ')}")


def measured_launches(options, case, key):
    """The launches of the case on the GPU, and the GPU's name, by OUT/raw/. `key` is that of the modelled case."""
    table, record = case.raw(options.out, ".csv"), case.raw(options.out, ".json")
    if not options.compare:
        measure(options.program, case, table, record)
    elif not (table.is_file() and record.is_file()):
        raise CounterError(f"{record}: there is no such file; without --compare a machine with a GPU makes it")
    measured = only_record(record.read_text(), record)
    if measured["key"] != key:
        raise CounterError(f"{record}: measured `{measured['key']}`, modelled `{key}`")
    try:
        return read_table(table.read_text()), measured["hardware"]
    except CounterError as error:
        raise CounterError(f"{table}: {error}") from error


def measure(program, case, table, record):
    """Writes ncu's CSV and the program's own record of a case, the record last."""
    print(f"measuring {case.variant} {case.name}".rstrip(), file=sys.stderr, flush=True)
    table.parent.mkdir(parents=True, exist_ok=True)
    record.unlink(missing_ok=True)
    metrics = ",".join(metric for metrics in METRICS.values() for metric in metrics)
    under = ["ncu", "--target-processes", "all", "--clock-control", "none", "--csv", "--page", "raw"]
    under += ["--print-units", "base", "--log-file", str(table), "--metrics", metrics]
    try:
        text = case.profile(program, "cuda", *under)
        read_table(table.read_text())
    except (CounterError, OSError) as error:
        log = table.read_text() if table.exists() else ""
        why = [line for line in log.splitlines() if line.startswith("==ERROR==")]
        raise CounterError("\n".join([str(error), *why])) from error
    record.write_text(text)


def read_table(text):
    """The launches of an ncu CSV of page `raw`: a row of names, a row of units, a row per launch. Lines before them
    are ncu's messages."""
    reader = csv.DictReader(line for line in text.splitlines() if line.startswith('"'))
    missing = {"Kernel Name", *sum(METRICS.values(), [])}.difference(reader.fieldnames or ())
    if missing:
        raise CounterError(f"no table of ncu's page `raw`, or one without {min(missing)}")
    launches = list(reader)[1:]
    if any(None in row or None in row.values() for row in launches):
        raise CounterError("a row of its table is not as long as the row of names")
    return [measured_launch(row) for row in launches]


def measured_launch(row):
    counters = {"blocks": math.prod(map(int, re.findall(r"\d+", row["Grid Size"])))}
    for counter, metrics in METRICS.items():
        numbers = [number_of(row[metric]) for metric in metrics]
        counters[counter] = None if None in numbers else sum(numbers)
    return Launch(function_of(row["Kernel Name"]), counters)


def number_of(text):
    """1,234 -> 1234; None for other texts, such as n/a."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return int(value) if value.is_integer() else value


def function_of(kernel):
    """void redbench::<unnamed>::tree<redbench::Sum<int>>(const int *, long) -> tree"""
    plain = re.sub(r"<unnamed>|\(anonymous namespace\)|\{anonymous\}", "", kernel).removeprefix("void ")
    return re.split(r"[<(]", plain)[0].split("::")[-1].strip()


def only_record(text, where):
    try:
        [record] = json.loads(text)
        outcome, reason = record["outcome"], record.get("reason")
    except (ValueError, TypeError, KeyError) as error:
        raise CounterError(f"{where}: not one record of `redbench profile --json`") from error
    if outcome != "passed":
        raise CounterError(f"{where}: {outcome}: {reason}")
    return record


def modelled_launches(record):
    launches = []
    for launch in record["launches"]:
        counters = {**launch["counters"], "blocks": launch["blocks"]}
        steps = counters["warp_basic_blocks"]
        counters["active_lanes"] = counters["warp_basic_block_lanes"] / steps if steps else None
        launches.append(Launch(function_of(launch["kernel"]), counters))
    return launches


def compared(case, modelled, measured):
    """A row per launch and counter. Kernels of the harness, which the model does not launch, are left out by name; the
    others must be those of the model, in its order."""
    kernels = [launch.kernel for launch in modelled]
    measured = [launch for launch in measured if launch.kernel in kernels]
    found = [launch.kernel for launch in measured]
    if kernels != found:
        by_gpu = ", ".join(found) or "none of these"
        raise CounterError(f"the model launches {', '.join(kernels) or 'nothing'}, the GPU {by_gpu}")
    rows = []
    for number, (model, gpu) in enumerate(zip(modelled, measured, strict=True), 1):
        of_launch = {"variant": case.variant, "case": case.name, "launch": number, "kernel": model.kernel}
        for counter in COUNTERS:
            both = {"modelled": model.counters[counter], "measured": gpu.counters[counter]}
            rows.append({**of_launch, "counter": counter, **both, "difference_percent": difference(**both)})
    return rows


def difference(modelled, measured):
    """The difference in percent of the measured value; None where either is missing or the measured one is 0."""
    if modelled is None or measured is None:
        return None
    if modelled == measured:
        return 0.0
    return 100 * (modelled - measured) / measured if measured else None


def write_csv(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: visible(value) if isinstance(value, str) else value for name, value in row.items()})
    output.write(path, file.getvalue())


def markdown(title, asked, rows):
    axes = [f"{axis} {value}" for axis, value in AXES.items() if asked.get(axis, value) == value]
    lines = [f"# Counters of {title}", "", "  ·  ".join(axes), ""]
    lines += ["A difference is in percent of what was measured. Rows of two zeros are in counters.csv alone.", ""]
    lines += summary(rows)
    lines += ["", "| " + " | ".join(column.replace("_", " ") for column in COLUMNS) + " |"]
    lines.append("|" + "|".join(" ---: " if column in NUMBERS else " --- " for column in COLUMNS) + "|")
    for row in rows:
        if row.get("note") or row["modelled"] or row["measured"]:
            lines.append("| " + " | ".join(shown(row.get(column)) for column in COLUMNS) + " |")
    return "\n".join(lines) + "\n"


def summary(rows):
    """A row per counter, over the launches where it is not zero on both sides."""
    lines = ["| counter | launches | equal | within 1 % | largest difference % |"]
    lines.append("| --- | ---: | ---: | ---: | ---: |")
    for counter in COUNTERS:
        own = [row for row in rows if row.get("counter") == counter and (row["modelled"] or row["measured"])]
        known = [abs(row["difference_percent"]) for row in own if row["difference_percent"] is not None]
        counts = (len(own), known.count(0), sum(value <= 1 for value in known))
        lines.append(f"| {counter} | {' | '.join(map(str, counts))} | {shown(max(known, default=None))} |")
    return lines


def shown(value):
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return visible(str(value).replace("|", "\\|").replace("\n", " ")).replace("<", "&lt;")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
