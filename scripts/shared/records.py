"""Runs and their records as rows.

A run is a folder results/<device>/<run>/ with run.json (the facts of the run and its resolved config) and
records.jsonl (a line per case and mode), or records.jsonl.gz. What the fields of a record are is in
results/record.schema.json, which redbench writes. A row is a dict: the record with its nested axes, parameters and
counters lifted to the top, so that each is a column, and with all its parameters as one text in `parameters`. Mistakes
in the files are RecordError, by file and line.
"""

import contextlib
from dataclasses import dataclass, field
import functools
import gzip
import json
import os
from pathlib import Path
import re
import sys
import zlib

from shared import progress
from shared.quick_schema import quick
from shared.visible import visible

REPOSITORY = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((REPOSITORY / "results" / "record.schema.json").read_text(encoding="utf-8"))
QUICK = quick(SCHEMA)
# Not of a row: what is lifted out of its group, and lists, of which thousands of rows could not be held.
NOT_OF_ROWS = ("schema", "axes", "counters", "launches", "passes", "samples_ns", "again_ns", "trace")
# Of a run's folder: its records, and the same as `gzip -n` compresses them.
FILES = ("records.jsonl", "records.jsonl.gz")


class RecordError(Exception):
    """A file with wrong contents; the message names the place."""


@dataclass(frozen=True)
class Quantity:
    """A column of numbers: its label, and the unit in which it is shown (value / scale)."""

    label: str
    unit: str
    scale: float
    digits: str
    published: tuple = ()  # how papers give it

    @property
    def heading(self):
        return f"{self.label} ({self.unit})" if self.unit else self.label

    @property
    def follows_time(self):
        """Whether it has a confidence interval, by that of the time."""
        return self.digits == "by_interval"


def quantities_of(properties):
    return {name: Quantity(**field["shown"]) for name, field in properties.items() if "shown" in field}


MEASURED = quantities_of(SCHEMA["properties"])
COUNTED = quantities_of(SCHEMA["properties"]["counters"]["properties"])
QUANTITIES = MEASURED | COUNTED
NUMBERS = {*QUANTITIES, "time_low_ns", "time_high_ns"}
# The axes of every record, those of measuring first; a problem's own come after them.
AXES = sorted(
    (name for name, field in SCHEMA["properties"].items() if field.get("axis")),
    key=lambda name: name not in ("device", "mode"),
)
# Axes that hold sizes, shown as 16 Mi.
SIZE_AXES = {"n", "m", "mean_segment"}


@dataclass
class Run:
    """A folder of results: its facts, its rows in the order of the plan, their axes and parameters."""

    directory: Path
    facts: dict
    rows: list = field(default_factory=list)
    axes: list = field(default_factory=list)
    parameters: list = field(default_factory=list)
    bad: list = field(default_factory=list)  # why lines of its file are no records
    kept: list = field(default_factory=list)  # of each row what `keep` of load_run gave of its record
    samples: int = 0  # of all its records
    places: dict = field(default_factory=dict)  # by identity: where a row's line begins in the file
    label: str = ""  # its name; in a report with several runs of this name, with the hardware (report/collect.py)
    # What redbench says of it (shared/shown.py): days of its rows, in what its sessions differ, that the last one did
    # not end, sections of its tables.
    date: str = ""
    differences: str = ""
    interruption: str = ""
    sections: list = field(default_factory=list)
    # Of a page (report/collect.py): facts of its environment, figures.
    environment: list = field(default_factory=list)
    drawn: tuple | None = None

    @property
    def config(self):
        return self.facts.get("config", {})

    @property
    def name(self):
        """The config's name: martin2012/fig4."""
        names = (self.facts.get("name"), self.config.get("name"))
        return next((name for name in names if name and isinstance(name, str)), self.directory.name)

    def hardware(self, rows):
        """The hardware of these rows, as "NVIDIA H200"; of a modelled GPU the name of its device."""
        names = [row["device"] if row["device"].startswith("simt") else row["hardware"] for row in rows]
        return ", ".join(dict.fromkeys(names))

    def sessions_of(self, rows):
        """The sessions that made these rows. A run.json without sessions is that of one, and has its facts itself."""
        sessions = self.facts.get("sessions")
        if not isinstance(sessions, list) or not all(isinstance(session, dict) for session in sessions):
            return [{**self.facts, "measure": self.config.get("measure", {})}]
        used = {row.get("session") or 0 for row in rows} or range(len(sessions))
        return [session for number, session in enumerate(sessions) if number in used]


def load_run(directory, keep=None):
    """Reads a run's folder. Of several records of one case (a resumed run), the last counts. `keep`: gives what the run
    is to keep of a record. A line that is no record costs its own case: `bad` of the run says why."""
    directory = Path(directory)
    facts_path, records_path = directory / "run.json", file_of(directory)
    for path in (facts_path, records_path):
        try:
            is_there = path.is_file()
        except OSError as error:  # a folder that must not be entered
            raise RecordError(f"{path}: {error.strerror}") from None
        if not is_there:
            raise RecordError(f"{path}: no such file; a run's folder holds run.json and records.jsonl")
    facts = read_json(facts_path)
    if not isinstance(facts, dict) or not isinstance(facts.get("config", {}), dict):
        raise RecordError(f"{facts_path}: an object is expected, and its `config` is one")

    run = Run(directory, facts)
    run.label = run.name
    found = {}  # by identity: row, number of samples, what is kept
    for number, at, line in _lines(records_path):
        try:
            record = _record(line, f"{records_path}:{number}")
        except RecordError as error:
            run.bad.append(str(error))
            continue
        row = _row(record)
        run.places[identity(row)] = at
        run.axes += [axis for axis in (*AXES, *record["axes"]) if axis not in run.axes]
        run.parameters += [name for name in record["parameters"] if name not in run.parameters]
        found[identity(row)] = row, count_of(record.get("samples_ns")), keep(record) if keep else None
        if number % 1000 == 0:
            progress.at(f"reading {records_path}: {number} records")
    in_order = sorted(found.values(), key=lambda of: of[0].get("case") or 0)
    run.rows, run.samples = [row for row, _, _ in in_order], sum(samples for _, samples, _ in in_order)
    run.kept = [kept for _, _, kept in in_order]
    for row in run.rows if "gpus" in run.axes else ():
        if not row["device"].startswith("host"):
            row.setdefault("gpus", 1)  # which a record leaves out
    return run


def file_of(directory):
    """The records of a run's folder: compressed where only that is there."""
    plain, compressed = (Path(directory) / name for name in FILES)
    return compressed if os.path.exists(compressed) and not os.path.exists(plain) else plain


@contextlib.contextmanager
def opened(path):
    """The bytes of a file of records, whether or not it is compressed. RecordError where they cannot be read."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as file:
            yield file
    except (OSError, EOFError, zlib.error) as error:
        raise RecordError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def identity(row):
    """The fields that identify a row within its run."""
    return row["key"], row["mode"], row["device"]


def _lines(path):
    """Lines with their numbers and where they begin. A killed run may leave a last line without its end, which is no
    record."""
    end = 0
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            at, end = end, end + len(line)
            text = line.decode(errors="surrogateescape").rstrip("\r\n")
            if not line.endswith(b"\n"):
                try:
                    json.loads(text)
                except ValueError:
                    return
            if text.strip():
                yield number, at, text


def lines_of(run, rows):
    """The lines that these rows were read from."""
    with opened(file_of(run.directory)) as file:
        for row in rows:
            file.seek(run.places[identity(row)])
            yield file.readline().rstrip(b"\r\n")


def read_json(path):
    """The contents of a JSON file. RecordError where it cannot be read or is not JSON."""
    return _parsed(_text(path), path)


def _text(path):
    try:
        return path.read_text(encoding="utf-8")
    except ValueError as error:
        raise RecordError(f"{path}: not UTF-8: {error}") from None
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from None


def _parsed(text, place):
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{place}: not JSON: {error}") from None


def _no_number(text):
    raise ValueError(f"{text} is no number")


DECODER = json.JSONDecoder(parse_constant=_no_number)


def _record(line, place):
    try:
        line.encode()
    except UnicodeEncodeError:
        raise RecordError(f"{place}: not UTF-8") from None
    record = _parsed(line, place)
    if QUICK(record):
        return record
    # Imported for a sentence alone: a machine where somebody only measures has no jsonschema.
    from jsonschema import Draft202012Validator

    for error in Draft202012Validator(SCHEMA).iter_errors(record):
        raise RecordError(f"{place}: {error.json_path}: {error.message}")
    return record


def _row(record):
    row = {
        sys.intern(name): shared_text(value)
        for name, value in record.items()
        if name not in NOT_OF_ROWS and (value is not None or name in NUMBERS)
    }
    if not all(isinstance(launch, dict) for launch in record["launches"]):
        raise RecordError("launches: a list of objects is expected")
    row["launches"] = shared_launches(*((launch.get("kernel"), launch.get("time_ns")) for launch in record["launches"]))
    row.update((sys.intern(name), value) for name, value in (record.get("counters") or {}).items())
    for group in ("axes", "parameters"):
        row.update((sys.intern(name), shared_text(axis_value(value))) for name, value in record[group].items())
    if "segments" in row:
        row["mean_segment"] = mean_segment(row["segments"])
    row["parameters"] = shared_text(" ".join(f"{name}={row[name]}" for name in record["parameters"]))
    if row["outcome"] != "passed":
        # A result that is not right has neither times nor counts, whatever the record says.
        row.update((column, None) for column in QUANTITIES)
    return row


@functools.lru_cache(1000)
def shared_launches(*launches):
    """The same launches of many rows, which have no times, are held once."""
    return [{"kernel": kernel, "time_ns": time} for kernel, time in launches]


def mean_segment(segments):
    """The mean length of what the axis asks for, `fixed:3` or `uniform:1..3`; None for others."""
    sizes = re.fullmatch(r"(?:fixed|uniform):(\d{1,15})(?:\.\.(\d{1,15}))?", str(segments))
    return (int(sizes[1]) + int(sizes[2] or sizes[1])) / 2 if sizes else None


def shared_text(value):
    """The same text of many rows is held once; its key is of one row alone."""
    return sys.intern(value) if type(value) is str and len(value) < 60 else value


def count_of(samples):
    """How many there are, of all processes."""
    return sum(len(fork) for fork in samples if isinstance(fork, list)) if isinstance(samples, list) else 0


def axis_value(value):
    """Axis values are compared and printed: {"file": "x.npy"} as its path, {"repeat": "x.pgm"} as repeat:x.pgm."""
    if isinstance(value, dict):
        ((key, path),) = value.items()
        return path if key == "file" else f"{key}:{path}"
    return value


def matches(row, where):
    """Whether a row meets a plot's `where`: column -> value or list of values, sizes as the numbers that run.json has.
    A variant may be written without its problem."""
    for column, allowed in where.items():
        value = row.get(column)
        allowed = allowed if isinstance(allowed, list) else [allowed]
        if value not in map(axis_value, allowed) and not (
            column == "variant" and short_name(value) in allowed
        ):
            return False
    return True


def short_name(variant):
    return variant.split("/", 1)[-1]


def varying(rows, columns):
    """Those of `columns` that take more than one value among the rows."""
    return [column for column in columns if len({str(row.get(column)) for row in rows}) > 1]


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
        return visible(short_name(value))
    return "" if value is None else visible(str(value))
