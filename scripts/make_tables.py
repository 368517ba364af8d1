#!/usr/bin/env python3
"""Writes the tables of runs, with the paper's numbers beside: DIR... -> DIR/tables/summary.md and
summary.csv, and, where the launches of a case are known, launches.md and launches.csv. Counts of a modelled
device are columns where any case has them.

The paper and the figure are the config's name: martin2012/table1 takes those rows of
results/papers/martin2012.csv whose figure is table1. A case that is not right has no time.
"""

import csv
import io
import sys

import records

SHOWN = ("time_ns", "interval", "bandwidth_gb_per_s", "ns_per_input", "percent_of_ceiling")
LAUNCH_COLUMNS = (
    "launch",
    "kernel",
    "blocks",
    "threads",
    "shared_bytes",
    "registers",
    "occupancy",
    "limiter",
    "time_ns",
    "read_gb_per_s",
    *records.COUNTED,
)
LAUNCH_LABELS = {
    "shared_bytes": "shared memory (bytes)",
    "registers": "registers per thread",
    "occupancy": "occupancy (%)",
    "limiter": "limited by",
    "time_ns": "time (µs)",
    "read_gb_per_s": "read (GB/s)",
    **{column: quantity.heading for column, quantity in records.COUNTED.items()},
}
LAUNCH_SCALES = {"occupancy": 0.01, "time_ns": 1e3}


def main(arguments):
    if not arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        for directory in arguments:
            for path in write_tables(records.load_run(directory)):
                print(path)
    except records.RecordError as error:
        print(f"make_tables: {error}", file=sys.stderr)
        return 2
    return 0


def write_tables(run):
    published = load_published(run.name)
    folder = run.directory / "tables"
    folder.mkdir(exist_ok=True)
    paths = []
    for name, header, rows in (
        ("summary", *summary(run, published)),
        ("launches", *launches(run, published)),
    ):
        if not rows:
            continue
        for kind, write in (("md", markdown), ("csv", comma_separated)):
            path = folder / f"{name}.{kind}"
            path.write_text(write(run, header, rows), encoding="utf-8")
            paths.append(path)
    return paths


def load_published(name):
    """The published numbers of a config that is named after a paper's figure; none for any other."""
    paper, _, figure = name.partition("/")
    path = records.REPOSITORY / "results" / "papers" / f"{paper}.csv"
    return records.load_published(path, {"figure": figure}) if figure and path.is_file() else []


def summary(run, published):
    """Header and rows of all cases. A header entry is (column, label, scale)."""
    published = [entry for entry in published if entry["column"] in records.QUANTITIES]
    header = case_columns(run)
    if any(row.get("time_ns") is not None for row in run.rows):
        for column in SHOWN:
            if column == "interval":
                header.append((column, "interval (µs)", None))
            else:
                quantity = records.QUANTITIES[column]
                header.append((column, quantity.heading, quantity.scale))
    header += [
        (column, quantity.heading, None)
        for column, quantity in records.COUNTED.items()
        if any(row.get(column) is not None for row in run.rows)
    ]
    columns = {}
    rows = []
    for row in run.rows:
        row = dict(row)
        for entry in records.published_for(row, published):
            quantity = records.QUANTITIES[entry["column"]]
            key = (entry["column"], entry["device"])
            columns[key] = (key, f"{entry['device']}, published ({quantity.unit})", quantity.scale)
            row[key] = (entry["relation"], entry["value"])
        rows.append(row)
    header += columns.values()
    if not all(row["outcome"] == "passed" and row.get("time_ns") is not None for row in rows):
        header.append(("outcome", "outcome", None))
    if any(row.get("reason") for row in rows):
        header.append(("reason", "reason", None))
    return header, rows


def case_columns(run):
    """What tells the cases of a run apart: the variant, and each axis that varies."""
    return [
        (column, column, None)
        for column in ("variant", *records.varying(run.rows, [*run.axes, "parameters"]))
    ]


def launches(run, published):
    """Header and rows of all launches, of the cases that tell them."""
    published = [
        entry for entry in published if entry["column"] and entry["column"] not in records.QUANTITIES
    ]
    header = case_columns(run)
    rows, columns = [], {}
    for case in run.rows:
        entries = records.published_for(case, published)
        for launch in records.launches(case):
            row = {
                **{column: case.get(column) for column in ("variant", *run.axes, "parameters")},
                **launch,
            }
            for entry in entries:
                if launch["launch"] == 0 or entry.get("launch", launch["launch"]) != launch["launch"]:
                    continue
                column = entry["column"]
                key = (column, entry["device"])
                label = LAUNCH_LABELS.get(column, column)
                columns[key] = (key, f"{label}, {entry['device']}, published", LAUNCH_SCALES.get(column))
                row[key] = (entry["relation"], entry["value"])
            rows.append(row)
    header += [
        (column, LAUNCH_LABELS.get(column, column), LAUNCH_SCALES.get(column))
        for column in LAUNCH_COLUMNS
        if any(row.get(column) not in (None, "") for row in rows)
    ]
    return header + list(columns.values()), rows


def markdown(run, header, rows):
    """A GitHub table under the run's facts; axes that all rows share are said once."""
    shared = [
        axis
        for axis in (*run.axes, "parameters")
        if axis != "device"
        and run.rows
        and not records.varying(run.rows, [axis])
        and run.rows[0].get(axis) not in (None, "")
    ]
    fixed = [f"{axis} {records.format_axis(axis, run.rows[0][axis])}" for axis in shared]
    lines = [
        f"# {run.config.get('title', run.name)}",
        "",
        "  ·  ".join(part for part in (run.hardware(run.rows), run.date, run.name, *fixed) if part),
        "",
    ]
    lines.append("| " + " | ".join(label for _, label, _ in header) + " |")
    lines.append(
        "|" + "|".join(" --- " if is_text(rows, column) else " ---: " for column, _, _ in header) + "|"
    )
    for row in rows:
        lines.append("| " + " | ".join(cell(row, column, scale) for column, _, scale in header) + " |")
    return "\n".join(lines) + "\n"


def is_text(rows, column):
    return column != "interval" and all(
        isinstance(row.get(column), str) or row.get(column) is None for row in rows
    )


def cell(row, column, scale):
    if column == "interval":
        low, high = row.get("time_low_ns"), row.get("time_high_ns")
        return (
            ""
            if low is None or high is None
            else f"{significant(low / 1e3, '#')} to {significant(high / 1e3, '#')}"
        )
    value = row.get(column)
    if isinstance(value, tuple):
        relation, number = value
        return ("" if relation == "=" else relation + " ") + significant(number / (scale or 1))
    if value is None:
        return ""
    if column == "percent_of_ceiling" and value > 100:
        return f"**{significant(value, '#')}** above the ceiling"
    if scale is not None or isinstance(value, float):
        return significant(value / (scale or 1), "#")
    return records.format_axis(column, value).replace("|", "\\|").replace("\n", " ")


def significant(value, zeros=""):
    """Four significant digits, never in powers of ten; zeros="#" keeps those at the end."""
    text = f"{value:{zeros}.4g}"
    if "e" in text:
        text = f"{value:.0f}" if abs(value) >= 1 else f"{value:.10f}".rstrip("0")
    return text.rstrip(".")


def comma_separated(run, header, rows):
    """The same columns in the units of the records, times with their interval, and every axis."""
    columns = [column for column, _, _ in header if column != "interval"]
    columns += [column for column in (*run.axes, "parameters") if column not in columns]
    if "time_ns" in columns and any(row.get("time_low_ns") is not None for row in rows):
        columns[columns.index("time_ns") + 1 : columns.index("time_ns") + 1] = [
            "time_low_ns",
            "time_high_ns",
        ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        [
            f"published_{column[0]} ({column[1]})" if isinstance(column, tuple) else column
            for column in columns
        ]
    )
    for row in rows:
        values = (row.get(column) for column in columns)
        writer.writerow(
            [
                "".join((value[0].strip("="), f"{value[1]:g}")) if isinstance(value, tuple) else value
                for value in values
            ]
        )
    return text.getvalue()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
