"""Records and published numbers as rows: the only place that knows what their columns are called.

A run is a folder results/<device>/<run>/ with run.json (the facts of the run and its resolved config) and
records.jsonl (a line per case and mode). A row is a dict: the record with its nested axes, parameters and
counters lifted to the top, so that each is a column, with the quantities that follow from the counters, and
with all its parameters as one text in `parameters`. Mistakes in the files are RecordError, by file and line.
"""

import csv
from dataclasses import dataclass, field
import json
import math
from pathlib import Path
import re

REPOSITORY = Path(__file__).resolve().parent.parent
OUTCOMES = ("passed", "wrong", "failed", "timeout", "unsupported")


class RecordError(Exception):
    """A file that does not hold what it should: the message says where."""


@dataclass(frozen=True)
class Quantity:
    """A column of numbers: how it is called for readers, and the unit it is shown in (value / scale). One
    that is counted is the sum of the counters `parts`, over that of the counters `whole` where it has any.
    """

    label: str
    unit: str
    scale: float = 1.0
    parts: tuple = ()
    whole: tuple = ()
    factor: int = 1  # of the ratio: 100 gives percent

    @property
    def heading(self):
        return f"{self.label} ({self.unit})"


def of_kinds(counter):
    """The counters of all kinds of access: "global_{}_sectors"."""
    return tuple(counter.format(kind) for kind in ("load", "store", "atomic"))


MEASURED = {
    "time_ns": Quantity("time", "µs", 1e3),
    "time_low_ns": Quantity("time, low", "µs", 1e3),
    "time_high_ns": Quantity("time, high", "µs", 1e3),
    "bandwidth_gb_per_s": Quantity("effective bandwidth", "GB/s"),
    "ns_per_input": Quantity("time per input", "ns"),
    "percent_of_ceiling": Quantity("share of the measured ceiling", "%"),
}
# What follows from a modelled device's counters; docs/simt.md says what each counter is.
COUNTED = {
    "sectors": Quantity("global memory", "sectors", parts=of_kinds("global_{}_sectors")),
    "sectors_per_ideal": Quantity(
        "sectors touched",
        "per ideal sector",
        parts=of_kinds("global_{}_sectors"),
        whole=of_kinds("global_{}_sectors_ideal"),
    ),
    "wavefronts": Quantity("shared memory", "wavefronts", parts=of_kinds("shared_{}_wavefronts")),
    "conflicts": Quantity("bank conflicts", "wavefronts", parts=of_kinds("shared_{}_conflicts")),
    "active_lanes": Quantity("active lanes", "of 32", parts=("warp_block_lanes",), whole=("warp_blocks",)),
    "divergent_percent": Quantity(
        "divergent branches", "%", parts=("divergent_branches",), whole=("branches",), factor=100
    ),
    "barriers": Quantity("barriers", "waits of warps", parts=("block_barriers", "named_barriers")),
}
QUANTITIES = MEASURED | COUNTED

# Axes that hold sizes, shown as 16 Mi.
SIZE_AXES = {"n", "m"}

# Everything of a record that is not an axis or a parameter. `required`: a record without it is refused.
REQUIRED = {
    "variant": str,
    "problem": str,
    "device": str,
    "outcome": str,
    "mode": str,
    "n": int,
    "type": str,
    "operator": str,
}
NUMBERS = (
    "time_ns",
    "time_low_ns",
    "time_high_ns",
    "bandwidth_gb_per_s",
    "ns_per_input",
    "percent_of_ceiling",
    "bytes_read",
    "bytes_written",
    "error",
    "error_bound",
)
AXES = ("device", "mode", "n", "type", "operator")  # of every record; a problem's own come after them

# Published quantity and unit -> column of a record, and the factor that turns one into the other.
PUBLISHED_COLUMNS = {
    ("time", "ms"): ("time_ns", 1e6),
    ("time", "us"): ("time_ns", 1e3),
    ("time", "ns"): ("time_ns", 1.0),
    ("bandwidth", "GB/s"): ("bandwidth_gb_per_s", 1.0),
    ("time_per_input", "ns"): ("ns_per_input", 1.0),
}
# The same for columns of a launch; `launch` counts from 1.
PUBLISHED_LAUNCH_COLUMNS = {
    ("blocks", "blocks"): ("blocks", 1.0),
    ("threads", "threads"): ("threads", 1.0),
    ("threads", "per block"): ("threads", 1.0),
    ("registers", "per thread"): ("registers", 1.0),
    ("shared_bytes", "bytes"): ("shared_bytes", 1.0),
    ("occupancy", "%"): ("occupancy", 0.01),
    ("read_throughput", "GB/s"): ("read_gb_per_s", 1.0),
}
PUBLISHED_REQUIRED = (
    "figure",
    "variant",
    "device",
    "n",
    "type",
    "operator",
    "quantity",
    "unit",
    "relation",
    "value",
    "source",
)
RELATIONS = ("=", "~", "<", "<=", ">", ">=")
PUBLISHED_FACTS = ("figure", "quantity", "unit", "relation", "value", "source", "device")


@dataclass
class Run:
    """A folder of results: its facts, its rows in the order of the plan, their axes and parameters."""

    directory: Path
    facts: dict
    rows: list = field(default_factory=list)
    axes: list = field(default_factory=list)
    parameters: list = field(default_factory=list)

    @property
    def config(self):
        return self.facts.get("config", {})

    @property
    def name(self):
        """The config's name: martin2012/fig4."""
        return self.facts.get("name") or self.config.get("name") or self.directory.name

    def hardware(self, rows):
        """What these rows were measured on: "NVIDIA H200"; a modelled GPU by its device's name."""
        names = [
            row["device"] if row["device"].startswith("simt") else row.get("hardware") or row["device"]
            for row in rows
        ]
        return ", ".join(dict.fromkeys(names))

    @property
    def date(self):
        return str(self.facts.get("started", ""))[:10]


def load_run(directory):
    """Reads a run's folder. Of several records of one case (a resumed run), the last counts."""
    directory = Path(directory)
    facts_path, records_path = directory / "run.json", directory / "records.jsonl"
    for path in (facts_path, records_path):
        if not path.is_file():
            raise RecordError(f"{path}: no such file; a run's folder holds run.json and records.jsonl")
    try:
        facts = json.loads(facts_path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RecordError(f"{facts_path}: not JSON: {error}") from None
    if not isinstance(facts, dict):
        raise RecordError(f"{facts_path}: an object is expected")

    run = Run(directory, facts)
    rows = {}
    for number, line in _lines(records_path):
        row, axes, parameters = _row(line, f"{records_path}:{number}")
        run.axes += [axis for axis in axes if axis not in run.axes]
        run.parameters += [name for name in parameters if name not in run.parameters]
        rows[tuple(f"{column}={row[column]}" for column in ("variant", *sorted(axes), "parameters"))] = row
    run.rows = sorted(rows.values(), key=lambda row: row.get("case", 0))
    return run


def _lines(path):
    """Lines with their numbers. A killed run may leave a last line without its end, which is no record."""
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    for number, line in enumerate(lines[:-1], 1):
        if line.strip():
            yield number, line
    unfinished = lines[-1]
    if unfinished.strip():
        try:
            json.loads(unfinished)
        except ValueError:
            return
        yield len(lines), unfinished


def _row(line, place):
    try:
        record = json.loads(line)
    except ValueError as error:
        raise RecordError(f"{place}: not JSON: {error}") from None
    if not isinstance(record, dict):
        raise RecordError(f"{place}: an object is expected, not {type(record).__name__}")

    row = dict(record)
    for group in ("axes", "parameters"):
        values = record.get(group, {})
        if not isinstance(values, dict):
            raise RecordError(f"{place}: {group}: an object is expected")
        row.update((key, _axis_value(value)) for key, value in values.items())
    counters = record.get("counters") or {}
    if not isinstance(counters, dict) or not all(map(_is_count, counters.values())):
        raise RecordError(f"{place}: counters: an object of whole numbers from 0 is expected")
    row.update(counters, **counted(counters))
    for column, kind in REQUIRED.items():
        if not isinstance(row.get(column), kind) or isinstance(row[column], bool):
            raise RecordError(f"{place}: {column}: {kind.__name__} is expected, not {row.get(column)!r}")
    if row["outcome"] not in OUTCOMES:
        raise RecordError(f"{place}: outcome: one of {', '.join(OUTCOMES)}, not {row['outcome']!r}")
    for column in NUMBERS:
        value = row.get(column)
        if value is not None and (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
            or value < 0
        ):
            raise RecordError(f"{place}: {column}: a finite number from 0 is expected, not {value!r}")
    if row["outcome"] != "passed":
        # A result that is not right has neither times nor counts, whatever the record says.
        row.update((column, None) for column in QUANTITIES)
    axes, parameters = list(record.get("axes", {})), list(record.get("parameters", {}))
    row["parameters"] = " ".join(f"{name}={row[name]}" for name in parameters)
    return (
        row,
        [axis for axis in AXES if axis in row] + [axis for axis in axes if axis not in AXES],
        parameters,
    )


def _axis_value(value):
    """Axis values are compared and printed: {"file": "x.npy"} counts as its path."""
    if isinstance(value, dict):
        return value["file"] if set(value) == {"file"} else json.dumps(value, sort_keys=True)
    return value


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def counted(counters):
    """The counted quantities of these counters; none that needs a counter that is not there, or whose whole
    is 0."""
    quantities = {}
    for column, quantity in COUNTED.items():
        if not all(counter in counters for counter in quantity.parts + quantity.whole):
            continue
        part = sum(counters[counter] for counter in quantity.parts)
        whole = sum(counters[counter] for counter in quantity.whole)
        if not quantity.whole:
            quantities[column] = part
        elif whole:
            quantities[column] = quantity.factor * part / whole
    return quantities


def launches(row):
    """The launches of a row as rows: blocks, threads, ..., read_gb_per_s where it was timed. `launch` counts
    from 1, as papers do: one that reads nothing (it fills the result) is launch 0."""
    number = 0
    for launch in row.get("launches") or []:
        time, read = launch.get("time_ns"), launch.get("bytes_read")
        number += read != 0
        launch = dict(launch, launch=number if read != 0 else 0, **counted(launch.get("counters") or {}))
        if row["outcome"] == "passed" and time and read:
            launch["read_gb_per_s"] = read / time
        yield launch


def matches(row, where):
    """Whether a row meets a plot's `where`: column -> value or list of values. A variant may go without its
    problem; sizes may be written 16Mi."""
    for column, allowed in where.items():
        value = row.get(column)
        allowed = allowed if isinstance(allowed, list) else [allowed]
        if column in SIZE_AXES:
            allowed = [parse_size(item) for item in allowed]
        if value not in map(_axis_value, allowed) and not (
            column == "variant" and short_name(value) in allowed
        ):
            return False
    return True


def short_name(variant):
    return variant.split("/", 1)[-1]


def varying(rows, columns):
    """Those of `columns` that take more than one value among the rows."""
    return [column for column in columns if len({str(row.get(column)) for row in rows}) > 1]


def load_published(path, where=None):
    """Published numbers that meet `where`, as rows. Each names its column of a record as `column` (None where
    a record has none such) and its value there as `value`; an axis that the paper does not give is left out.
    """
    path = Path(path)
    path = path if path.is_absolute() else REPOSITORY / path
    try:
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, restkey="too many", restval=None)
            missing = [column for column in PUBLISHED_REQUIRED if column not in (reader.fieldnames or [])]
            if missing:
                raise RecordError(f"{path}:1: no column {', '.join(missing)}")
            rows = [_published_row(line, f"{path}:{reader.line_num}") for line in reader]
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from None
    return [row for row in rows if matches(row, where or {})]


def _published_row(line, place):
    if "too many" in line or None in line.values():
        raise RecordError(f"{place}: not as many fields as the header has")
    row = {column: text for column, text in line.items() if text != ""}
    if row.get("relation") not in RELATIONS:
        raise RecordError(f"{place}: relation: one of {' '.join(RELATIONS)}, not {row.get('relation')!r}")
    if "source" not in row:
        raise RecordError(f"{place}: source: where in the paper is the number?")
    try:
        number = float(row["value"])
    except (KeyError, ValueError):
        raise RecordError(f"{place}: value: a number is expected, not {row.get('value')!r}") from None
    try:
        for axis in set(row) - set(PUBLISHED_FACTS) - {"variant", "type", "operator"}:
            row[axis] = (
                int(row[axis])
                if row[axis].isdigit()
                else (parse_size(row[axis]) if axis in SIZE_AXES else row[axis])
            )
    except ValueError as error:
        raise RecordError(f"{place}: {axis}: {error}") from None
    kind = (row["quantity"], row.get("unit"))
    table = PUBLISHED_LAUNCH_COLUMNS if kind in PUBLISHED_LAUNCH_COLUMNS else PUBLISHED_COLUMNS
    row["column"], factor = table.get(kind, (None, 1.0))
    row["value"] = number * factor
    row["axes"] = [axis for axis in row if axis not in (*PUBLISHED_FACTS, "variant", "column", "axes")]
    return row


def published_for(row, published, ignore=("launch",)):
    """The published numbers of a row's case: same variant, and every axis that the paper gives is equal."""
    return [
        entry
        for entry in published
        if entry.get("variant") == row["variant"]
        and all(entry[axis] == row.get(axis) for axis in entry["axes"] if axis not in ignore)
    ]


def parse_size(text):
    """16777216, "16Mi", "2^24" -> 16777216. ValueError for anything else."""
    if isinstance(text, int) and not isinstance(text, bool):
        return text
    match = re.fullmatch(r"(\d+)(?:\^(\d+)|(Ki|Mi|Gi))?", str(text))
    if not match:
        raise ValueError(f"a size such as 4096, 16Mi or 2^20 is expected, not {text!r}")
    number, power, suffix = match.groups()
    if power:
        return int(number) ** int(power)
    return int(number) << {None: 0, "Ki": 10, "Mi": 20, "Gi": 30}[suffix]


def format_size(value):
    """16777216 -> "16 Mi", 1000 -> "1000"."""
    for suffix, shift in (("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if value >= 1 << shift and value % (1 << shift) == 0:
            return f"{value >> shift} {suffix}"
    return str(value)


def format_axis(axis, value):
    if axis in SIZE_AXES and isinstance(value, int):
        return format_size(value)
    if axis == "variant":
        return short_name(value)
    return "" if value is None else str(value)
