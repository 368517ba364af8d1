#!/usr/bin/env python3
"""Writes the records of runs as Parquet, in columns: DIR... -> records.parquet beside each records.jsonl.

A column is a field of a record: numbers, texts and flags as such, samples as lists, and other lists and objects, as
axes and parameters, as JSON. --back writes the lines again, the same to the byte: a line that the columns alone do not
give is kept whole in a column of its own, `line`. What a killed run left of a last line is left out, as by all who read
records; a whole one gets its end. records.jsonl stays the source. docs/cluster.md has queries.
"""

import argparse
import itertools
import json
from pathlib import Path
import sys

from report.collect import run_folders
from shared import output, progress, records
from shared.visible import complain, visible

NAME, LINE, KEYS = "records.parquet", "line", b"redbench.keys"
JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
AT_ONCE = 10_000  # records; those of a GPU take 3 kB each
HOW_TO_GET = "needs pyarrow, which this Python lacks: {} -m pip install pyarrow"


def main(arguments):
    asked = parse(arguments)
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        complain("records_to_parquet", HOW_TO_GET.format(sys.executable))
        return 2
    try:
        with progress.shown("records_to_parquet"):
            if asked.back:
                written = asked.output or asked.back.with_suffix(".jsonl")
                output.write(written, lines_of(asked.back), [asked.back])
                print(visible(str(written)))
            else:
                for folder in run_folders(asked.runs):
                    path = folder / NAME
                    write_columns(records.file_of(folder), path)
                    print(visible(str(path)))
    except (records.RecordError, OSError, pyarrow.ArrowException) as error:
        complain("records_to_parquet", error)
        return 2
    return 0


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", metavar="DIR", help="a run's folder, or one above runs")
    parser.add_argument("--back", type=Path, metavar="FILE", help="the Parquet file whose lines are written")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="these lines (FILE.jsonl)")
    asked = parser.parse_args(arguments)
    if bool(asked.runs) == bool(asked.back):
        parser.error("either DIR or --back is needed")
    if asked.output and asked.runs:
        parser.error(f"-o goes with --back: each run gets its own {NAME}")
    return asked


def write_columns(source, path):
    """All lines of a file of records, as a Parquet file."""
    import pyarrow
    from pyarrow import parquet

    output.check(path, [source])
    lines = read_lines(source)
    first = next(lines, None)
    keys = list(parsed(first) or {}) if first else []
    lines = itertools.chain([first] if first else [], lines)
    schema = schema_of(pyarrow).with_metadata({KEYS: json.dumps(keys)})
    part = path.with_name(f"{path.name}.part")
    try:
        with parquet.ParquetWriter(part, schema, compression="zstd") as file:
            count = 0
            while rows := [row_of(line, keys) for line in itertools.islice(lines, AT_ONCE)]:
                file.write_table(pyarrow.Table.from_pylist(rows, schema))
                count += len(rows)
                progress.at(f"writing {path}: {count} records")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def read_lines(path):
    """Lines without their ends; of what a killed run left without one, only a whole record."""
    with records.opened(path) as file:
        for line in file:
            if line.endswith(b"\n") or parsed(line):
                yield line.removesuffix(b"\n")


def lines_of(path):
    """The lines that a Parquet file was made of, as bytes."""
    import pyarrow
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(path)
    except (OSError, pyarrow.ArrowException) as error:
        raise records.RecordError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    with file:
        metadata = file.schema_arrow.metadata or {}
        if KEYS not in metadata:
            raise records.RecordError(f"{path}: not written by records_to_parquet.py")
        keys = json.loads(metadata[KEYS])
        for batch in file.iter_batches(AT_ONCE):
            for row in batch.to_pylist():
                yield (line_of(row, keys) if row[LINE] is None else row[LINE]) + b"\n"


def row_of(line, keys):
    """A line as a row of columns, with the line itself where these do not give it."""
    record = parsed(line) or {}
    row = {name: stored(kind, record[name]) for name, kind in KINDS.items() if name in record}
    if line_of(row, keys) != line:
        row[LINE] = line
    return row


def line_of(row, keys):
    members = (f"{json.dumps(name)}:{as_json(KINDS[name], row.get(name))}" for name in keys if name in KINDS)
    return f"{{{','.join(members)}}}".encode()


def parsed(line):
    """The object of a line; nothing where it is none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def kind_of(name, field):
    """Of a field by its type in the schema."""
    kind = field["type"][0] if isinstance(field["type"], list) else field["type"]
    return "samples" if name == "samples_ns" else "json" if kind in ("array", "object") else kind


def stored(kind, value):
    """Nothing for what the type cannot hold: the line is kept then."""
    try:
        return None if value is None else STORED[kind](value)
    except (TypeError, ValueError, OverflowError):
        return None


def as_json(kind, value):
    return "null" if value is None else value if kind == "json" else JSON.encode(value)


def of_type(*types):
    def checked(value):
        if type(value) not in types:
            raise TypeError
        return value

    return checked


def whole(value):
    of_type(int)(value).to_bytes(8)  # OverflowError for what 64 bits do not hold
    return value


def text_of(value):
    of_type(str)(value).encode()
    return value


STORED = {
    "string": text_of,
    "integer": whole,
    "number": lambda value: float(of_type(int, float)(value)),
    "boolean": of_type(bool),
    "samples": lambda forks: [[of_type(float)(sample) for sample in of_type(list)(fork)] for fork in forks],
    "json": lambda value: text_of(JSON.encode(value)),
}
KINDS = {name: kind_of(name, field) for name, field in records.SCHEMA["properties"].items()}
TYPES = {"string": "string", "integer": "uint64", "number": "float64", "boolean": "bool_", "json": "string"}


def schema_of(pyarrow):
    samples = pyarrow.list_(pyarrow.list_(pyarrow.float64()))
    columns = [(name, getattr(pyarrow, TYPES[kind])() if kind in TYPES else samples) for name, kind in KINDS.items()]
    return pyarrow.schema([*columns, (LINE, pyarrow.binary())])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
