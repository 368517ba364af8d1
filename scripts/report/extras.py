"""The further tables of a run: how many results differ of those that were repeated, its launches, the levels of its
traces, what its paper prints."""

from dataclasses import dataclass

from report import numbers
from report.tables import Cell
from shared import published, records, shown


@dataclass
class Extra:
    title: str
    headings: list
    rows: list
    is_open: bool = False


def of_run(run):
    launches = [section.launches["rows"] for section in run.sections]
    is_short = None not in launches and sum(map(len, launches)) <= shown.MOST_LAUNCHES
    found = [launch_table(section) for section in run.sections if is_short]
    found += [plain_table(f"Levels, {section.heading}", section.levels) for section in run.sections]
    found.insert(0, result_table(run))
    return [extra for extra in (*found, published_table(published.of_config(run.name))) if extra.rows]


def result_table(run):
    """Of each case that was repeated for it, how many of its results differ in a bit."""
    rows = []
    for row in run.rows:
        digests = [digest for fork in row.get("result_digests") or [] for digest in fork]
        if digests:
            name = records.short_name(row["variant"]) + (" (stale)" if row.get("stale") else "")
            place = f"n {records.format_axis('n', row['n'])}, {row['type']} {row['operator']}"
            link = f"#record-{row['number']}"
            counts = [Cell(str(count), count, True, link=link) for count in (len(set(digests)), len(digests))]
            rows.append([Cell(name), Cell(place, row["n"]), *counts])
    headings = [("variant", False), ("case", False), ("different results", True), ("runs", True)]
    return Extra("Results that differ in a bit, of repeated runs on the same input", headings, rows, is_open=True)


def plain_table(title, table):
    rows = [
        [Cell(numbers.spaced(text) if is_number else text, text, is_number) for text, (_, is_number) in cells]
        for cells in (zip(row, table["columns"], strict=True) for row in table["rows"])
    ]
    return Extra(title, table["columns"], rows)


def launch_table(section):
    """Launches, each with a link to the record of its case."""
    extra = plain_table(f"Launches, {section.heading} ({len(section.launches['rows'])})", section.launches)
    number = [heading for heading, _ in extra.headings].index("launch")
    of_launches = [row for row in section.rows for _ in row["launches"]]
    for row, cells in zip(of_launches, extra.rows, strict=False):
        cells[number].link = f"#record-{row['number']}"
    return extra


def published_table(entries):
    """What the paper prints, in its units."""
    rows = []
    for entry in entries:
        axes = (axis for axis in published.axes_of(entry) if axis not in ("type", "operator"))
        place = " ".join(f"{axis} {records.format_axis(axis, entry[axis])}" for axis in axes)
        variant = records.short_name(entry.get("variant", ""))
        texts = [variant, place, entry["quantity"].replace("_", " ")]
        number = Cell(entry["text"], entry["value"], True)
        rows.append([*(Cell(text, text) for text in texts), number, Cell(entry["device"]), Cell(entry["source"])])
    names = ("variant", "case", "quantity", "published", "device", "where in the paper")
    return Extra(f"What the paper prints ({len(rows)})", [(name, name == "published") for name in names], rows)
