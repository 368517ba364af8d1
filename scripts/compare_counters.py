#!/usr/bin/env python3
"""Compares the counters of the modelled device with those of Nsight Compute on a GPU, for the same cases.

Without VARIANT: all of reduce and segreduce, the sum of 2^20 i32. OUT/counters.csv and OUT/counters.md have a row per
case, launch and counter; OUT/raw/ keeps what was measured. In two steps: --measure on a machine with a GPU fills
OUT/raw/, --compare makes the tables from it anywhere. Ends with 1 where a case could not be compared.
"""

import argparse
import csv
from dataclasses import dataclass
import io
import json
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
    **{
        f"global_{name}_{unit}": [f"l1tex__t_{unit}_pipe_lsu_mem_global_op_{op}.sum" for op in operations]
        for name, operations in (("load", ["ld"]), ("store", ["st"]), ("atomic", ["red", "atom"]))
        for unit in ("requests", "sectors")
    },
    **{
        f"shared_{name}_{counter}": [metric.format(operation)]
        for name, operation in (("load", "ld"), ("store", "st"))
        for counter, metric in (
            ("requests", "smsp__sass_inst_executed_op_shared_{}.sum"),
            ("wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"),
            ("conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"),
        )
    },
    # Lanes at work: of the model by basic block, of the GPU by instruction.
    "active_lanes": ["smsp__thread_inst_executed_per_inst_executed.ratio"],
}
COUNTERS = ("blocks", *METRICS)
AXES = {"n": "2^20", "type": "i32", "operator": "sum"}
# Cases of a problem; one that is not here is compared only where its variants are named, at its defaults.
CASES = {"reduce": [{}], "segreduce": [{"segments": "one"}, {"segments": "fixed:3"}]}
COLUMNS = (
    "variant",
    "case",
    "launch",
    "kernel",
    "counter",
    "modelled",
    "measured",
    "difference_percent",
    "note",
)
NUMBERS = ("launch", "modelled", "measured", "difference_percent")


class CounterError(Exception):
    """A case that cannot be measured or compared."""


@dataclass
class Case:
    variant: str
    axes: dict
    modelled: bool = True  # the modelled device has something to run

    @property
    def name(self):
        """The axes in which it differs from the default case of its variant."""
        return " ".join(f"{axis}={value}" for axis, value in self.axes.items() if AXES.get(axis) != value)

    def raw(self, out, ending):
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{self.variant} {self.name}".strip())
        return out / "raw" / (stem + ending)

    def command(self, program, device, folder):
        axes = [part for axis, value in self.axes.items() for part in ("-a", f"{axis}={value}")]
        return [program, "profile", self.variant, "-d", device, "--json", "-o", str(folder), *axes]


@dataclass
class Launch:
    kernel: str  # the function's name alone
    counters: dict  # with `blocks`; None where there is no number


def main(arguments):
    options = read_arguments(arguments)
    try:
        cases = cases_of(options)
        code = 0 if options.compare else measure(options, cases)
        return code if options.measure else compare(options, cases)
    except CounterError as error:
        print(f"compare_counters: {error}", file=sys.stderr)
        return 2


def read_arguments(arguments):
    title, _, more = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser("compare_counters.py", description=title, epilog=more)
    parser.add_argument("program", metavar="PROGRAM", help="build/redbench")
    parser.add_argument("out", metavar="OUT", type=Path, help="the folder for the tables and raw/")
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help="reduce/harris1 ...")
    parser.add_argument("--device", default="simt:h200", help="the modelled device (simt:h200)")
    parser.add_argument("-a", "--axis", action="append", default=[], metavar="AXIS=VALUE", help="n=2^24 ...")
    steps = parser.add_mutually_exclusive_group()
    steps.add_argument("--measure", action="store_true", help="measure alone: needs a GPU and ncu")
    steps.add_argument("--compare", action="store_true", help="compare alone: needs OUT/raw/")
    return parser.parse_intermixed_args(arguments)


def cases_of(options):
    listed = json.loads(run([options.program, "list", "--json"]))
    for name in options.variants:
        if name not in listed:
            raise CounterError(f"no variant `{name}`; `{options.program} list` names them")
    for axis in options.axis:
        if not re.fullmatch(r"\w+=.+", axis):
            raise CounterError(f"-a {axis}: expected AXIS=VALUE")
    asked = dict(axis.split("=", 1) for axis in options.axis)
    cases = []
    for name in options.variants or [name for name in listed if listed[name]["problem"] in CASES]:
        modelled = any(listed[name]["devices"].get("simt", {"takes": {}})["takes"].values())
        for own in CASES.get(listed[name]["problem"], [{}]):
            case = Case(name, {**AXES, **own, **asked}, modelled)
            if case not in cases:
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


def measure(options, cases):
    """Fills OUT/raw/: ncu's CSV and the program's own record of each case that can be compared. After a case that fails
    the next one is measured."""
    ncu = shutil.which("ncu")
    if not ncu:
        raise CounterError(
            "ncu is not in PATH; it is Nsight Compute of the CUDA toolkit. Where there is no GPU, take OUT/raw/ of a "
            "machine that has one (--measure there) and compare alone (--compare)"
        )
    (options.out / "raw").mkdir(parents=True, exist_ok=True)
    code = 0
    for case in cases:
        if not case.modelled:
            continue
        print(f"measuring {case.variant} {case.name}".rstrip(), file=sys.stderr, flush=True)
        try:
            measure_case(options, case, ncu)
        except CounterError as error:
            print(f"compare_counters: {error}", file=sys.stderr)
            code = 1
    return code


def measure_case(options, case, ncu):
    metrics = ",".join(metric for metrics in METRICS.values() for metric in metrics)
    table, record = case.raw(options.out, ".csv"), case.raw(options.out, ".json")
    for path in (table, record):
        path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        command = [ncu, "--target-processes", "all", "--clock-control", "none"]
        command += ["--csv", "--page", "raw", "--print-units", "base", "--log-file", str(table)]
        command += ["--metrics", metrics, *case.command(options.program, "cuda", folder)]
        try:
            text = run(command)
            read_table(table.read_text())
        except (CounterError, OSError) as error:
            log = table.read_text() if table.exists() else ""
            why = [line for line in log.splitlines() if line.startswith("==ERROR==")]
            raise CounterError("\n".join([str(error), *why])) from error
    record.write_text(text)


def read_table(text):
    """The launches of an ncu CSV of page `raw`: a row of names, a row of units, a row per launch. Lines before them
    are ncu's messages."""
    rows = list(csv.reader(line for line in text.splitlines() if line.startswith('"')))
    if not rows or "Kernel Name" not in rows[0]:
        raise CounterError("no table of ncu's page `raw`: it starts with a row that has a `Kernel Name`")
    header, launches = rows[0], rows[2:]
    metrics = {metric for metrics in METRICS.values() for metric in metrics}
    missing = sorted(metrics - set(header))
    if missing:
        raise CounterError(f"the table has no column {missing[0]}")
    for row in launches:
        if len(row) != len(header):
            raise CounterError(f"a row of {len(row)} fields under a header of {len(header)}")
    return [measured_launch(dict(zip(header, row, strict=False))) for row in launches]


def measured_launch(row):
    counters = {"blocks": 1}
    for size in re.findall(r"\d+", row["Grid Size"]):
        counters["blocks"] *= int(size)
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


def compare(options, cases):
    rows, hardware = [], set()
    for case in cases:
        try:
            record = modelled_record(options, case)
            launches, gpu = measured_launches(options, case, record)
            rows += compared(case, modelled_launches(record), launches)
            hardware.add(gpu)
        except CounterError as error:
            rows.append({"variant": case.variant, "case": case.name, "note": str(error)})
    title = f"{options.device} and {', '.join(sorted(hardware)) or 'no GPU'}"
    write_csv(options.out / "counters.csv", rows)
    output.write(options.out / "counters.md", markdown(title, cases, rows))
    for name in ("csv", "md"):
        print(options.out / f"counters.{name}")
    modelled = {(case.variant, case.name) for case in cases if case.modelled}
    return 1 if any(row.get("note") and (row["variant"], row["case"]) in modelled for row in rows) else 0


def only_record(text, where):
    try:
        [record] = json.loads(text)
        outcome, reason = record["outcome"], record.get("reason")
    except (ValueError, TypeError, KeyError) as error:
        raise CounterError(f"{where}: not one record of `redbench profile --json`") from error
    if outcome != "passed":
        raise CounterError(f"{where}: {outcome}: {reason}")
    return record


def modelled_record(options, case):
    with tempfile.TemporaryDirectory() as folder:
        return only_record(run(case.command(options.program, options.device, folder)), options.device)


def modelled_launches(record):
    launches = []
    for launch in record["launches"]:
        counters = {**launch["counters"], "blocks": launch["blocks"]}
        steps = counters["warp_basic_blocks"]
        counters["active_lanes"] = counters["warp_basic_block_lanes"] / steps if steps else None
        launches.append(Launch(function_of(launch["kernel"]), counters))
    return launches


def measured_launches(options, case, modelled):
    """The launches of the case on the GPU, and the GPU's name, from OUT/raw/."""
    texts = []
    for ending in (".csv", ".json"):
        path = case.raw(options.out, ending)
        if not path.is_file():
            raise CounterError(f"{path}: there is no such file; --measure on a machine with a GPU writes it")
        texts.append(path.read_text())
    record = only_record(texts[1], path)
    if record["key"] != modelled["key"]:
        raise CounterError(f"{path}: measured `{record['key']}`, modelled `{modelled['key']}`")
    try:
        return read_table(texts[0]), record["hardware"]
    except CounterError as error:
        raise CounterError(f"{case.raw(options.out, '.csv')}: {error}") from error


def compared(case, modelled, measured):
    """A row per launch and counter. Kernels of the harness, which the model does not launch, are left out by name; the
    others must be those of the model, in its order."""
    kernels = [launch.kernel for launch in modelled]
    measured = [launch for launch in measured if launch.kernel in kernels]
    found = [launch.kernel for launch in measured]
    if kernels != found:
        raise CounterError(
            f"the model launches {', '.join(kernels) or 'nothing'}, the GPU {', '.join(found) or 'none of these'}"
        )
    return [
        {
            "variant": case.variant,
            "case": case.name,
            "launch": number,
            "kernel": model.kernel,
            "counter": counter,
            "modelled": model.counters[counter],
            "measured": gpu.counters[counter],
            "difference_percent": difference(model.counters[counter], gpu.counters[counter]),
        }
        for number, (model, gpu) in enumerate(zip(modelled, measured, strict=False), 1)
        for counter in COUNTERS
    ]


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


def markdown(title, cases, rows):
    axes = [f"{axis} {value}" for axis, value in AXES.items() if all(c.axes[axis] == value for c in cases)]
    lines = [f"# Counters of {title}", "", *(["  ·  ".join(axes), ""] if axes else [])]
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
    lines = [
        "| counter | launches | equal | within 1 % | largest difference % |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for counter in COUNTERS:
        own = [row for row in rows if row.get("counter") == counter and (row["modelled"] or row["measured"])]
        known = [abs(row["difference_percent"]) for row in own if row["difference_percent"] is not None]
        counts = (len(own), known.count(0), sum(value <= 1 for value in known))
        largest = max(known, default=None)
        lines.append(f"| {counter} | " + " | ".join(map(str, counts)) + f" | {shown(largest)} |")
    return lines


def shown(value):
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return visible(str(value).replace("|", "\\|").replace("\n", " ")).replace("<", "&lt;")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
