"""The further tables of a run: its launches, the levels of its traces, what its paper prints."""

from dataclasses import dataclass

from report import numbers, tables
from report.tables import Cell, axis_cell
from shared import published, records

MOST_LAUNCHES = 64  # of a run whose launches are shown as a table; those of others are in their records
LAUNCH_FIELDS = records.quantities_of(records.SCHEMA["properties"]["launches"]["items"]["properties"])
LAUNCH_COLUMNS = {
    (unit["quantity"], unit["unit"]): (name, unit["factor"])
    for name, quantity in LAUNCH_FIELDS.items()
    for unit in quantity.published
}


@dataclass
class Extra:
    title: str
    headings: list
    rows: list


def of_run(run):
    printed = published.of_config(run.name)
    made = (launch_table(run, printed), level_table(run), published_table(run, printed))
    return [extra for extra in made if extra and extra.rows]


def launch_table(run, entries):
    total = sum(len(row["launches"]) for row in run.rows)
    if not 0 < total <= MOST_LAUNCHES:
        return None
    axes = records.varying(run.rows, [axis for axis in (*run.axes, *run.parameters) if axis != "variant"])
    launches = [launch for row in run.rows for launch in row["launches"]]
    columns = [name for name in LAUNCH_FIELDS if any(number_of(launch, name) is not None for launch in launches)]
    printed = {}
    for entry in entries:
        column, factor = LAUNCH_COLUMNS.get((entry["quantity"], entry.get("unit")), ("", 1))
        if column in columns:
            printed.setdefault((column, entry["device"]), []).append((entry, entry["value"] * factor))
    headings = [("variant", False), *((axis, tables.axis_is_number(run.rows, axis)) for axis in axes)]
    headings += [("launch", True), ("kernel", False)]
    for column in columns:
        headings.append((LAUNCH_FIELDS[column].heading, True))
        headings += [(f"{device} (published)", True) for of, device in printed if of == column]
    headings.append(("limited by", False))
    several = len({row["problem"] for row in run.rows}) > 1
    rows = []
    for row in run.rows:
        name = row["variant"] if several else records.short_name(row["variant"])
        for number, launch in numbered(row["launches"]):
            cells = [Cell(name, name)]
            cells += [axis_cell(axis, row.get(axis)) for axis in axes]
            cells.append(Cell(str(number), number, True, link=f"#record-{row['number']}"))
            cells.append(Cell(launch["kernel"], launch["kernel"]))
            for column in columns:
                cells.append(launch_cell(launch, column))
                for (of, _), entries in printed.items():
                    if of == column:
                        cells.append(printed_cell(row, number, column, entries))
            rows.append([*cells, Cell(launch["limiter"], launch["limiter"])])
    return Extra(f"Launches ({total})", headings, rows)


def numbered(launches):
    """Each launch with its number, from 1 among those that read; 0 for one that does not, as a fill."""
    number = 0
    for launch in launches:
        reads = launch["bytes_read"] > 0
        number += reads
        yield number if reads else 0, launch


def number_of(launch, name):
    value = launch.get(name)
    return value if isinstance(value, int | float) and abs(value) < 1e300 else None


def launch_cell(launch, column):
    value, quantity = number_of(launch, column), LAUNCH_FIELDS[column]
    if value is None:
        return Cell("", "", True)
    return Cell(value_text(value / quantity.scale, quantity), value, True)


def value_text(value, quantity):
    return numbers.spaced(numbers.rounded(value, 0)) if quantity.digits == "whole" else numbers.four(value)


def printed_cell(row, number, column, entries):
    for entry, value in entries:
        if entry.get("variant") == row["variant"] and entry.get("launch", number) == number > 0:
            quantity = LAUNCH_FIELDS[column]
            return Cell(numbers.spaced(f"{value / quantity.scale:.6g}"), value, True)
    return Cell("", "", True)


def level_table(run):
    """Of each access of a trace that has a level: lanes that access, cache lines that are transferred."""
    several = len({row["variant"] for row in run.rows}) < len(run.rows)
    rows = []
    for row in run.rows:
        for access in row.get("trace") or []:
            if isinstance(access, dict) and {"level", "lanes", "cache_lines"} <= set(access):
                name = row["key"] if several else row["variant"]
                counts = [access[field] for field in ("level", "lanes", "cache_lines")]
                cells = [Cell(str(count), count, True) for count in counts]
                cells[0].link = f"#record-{row['number']}"
                rows.append([Cell(name, name), *cells])
    return Extra("Levels", [("variant", False), ("level", True), ("accesses", True), ("transfers", True)], rows)


def published_table(run, entries):
    """What the paper prints, with the number of the record of the same case where there is one."""
    rows = []
    for entry in entries:
        place = " ".join(
            f"{axis} {records.format_axis(axis, value)}"
            for axis, value in entry.items()
            if axis not in published.REQUIRED and axis != "column" or axis == "n"
        )
        here = [row for row in run.rows if entry["column"] and is_of(row, entry)]
        cells = [Cell(records.short_name(entry["variant"]) if entry.get("variant") else ""), Cell(place, place)]
        unit = entry.get("unit", "")
        value = entry["value"] / factor_of(entry)
        relation = "" if entry["relation"] == "=" else f"{entry['relation']} "
        cells += [
            Cell(entry["quantity"].replace("_", " "), entry["quantity"]),
            Cell(f"{relation}{numbers.spaced(f'{value:.6g}')} {unit}", entry["value"], True),
            Cell(entry["device"], entry["device"]),
            here_cell(here[0], entry) if len(here) == 1 else Cell("", "", True),
            Cell(entry["source"], entry["source"]),
        ]
        rows.append(cells)
    names = ("variant", "case", "quantity", "published", "device", "measured here", "where in the paper")
    headings = [(name, name in ("published", "measured here")) for name in names]
    return Extra(f"What the paper prints ({len(rows)})", headings, rows)


def factor_of(entry):
    return published.COLUMNS.get((entry["quantity"], entry.get("unit")), (None, 1.0))[1]


def is_of(row, entry):
    """Whether a row is of the case that a printed number is of."""
    axes = (axis for axis in entry if axis not in published.REQUIRED and axis not in ("column", "launch"))
    named = [axis for axis in ("variant", "n", "type", "operator") if axis in entry]
    return row.get(entry["column"]) is not None and all(row.get(axis) == entry[axis] for axis in (*named, *axes))


def here_cell(row, entry):
    how = numbers.Shown(entry["column"], "", entry.get("unit", ""), factor_of(entry))
    return Cell(f"{numbers.text(row, how)} {how.unit}", row[entry["column"]], True, link=f"#record-{row['number']}")
