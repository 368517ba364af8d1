"""The table of a run's records: a row for each, its numbers with the record that they are of."""

from dataclasses import dataclass, field

import disturbances
import records
from report import numbers

# Above each other; of the others of a record those that a row has follow.
FIRST = ("time_ns", "bandwidth_gb_per_s", "ns_per_input", "percent_of_ceiling", "percent_of_scattered")
ERRORS = ("error", "error_bound")


@dataclass
class Cell:
    text: str
    value: object = ""  # what the column is sorted by
    number: bool = False
    detail: str = ""  # beside the number: its interval
    column: str = ""  # of the record


@dataclass
class Line:
    row: dict
    source: str  # of its kernel
    name: str
    cells: list
    notes: list = field(default_factory=list)


@dataclass
class Table:
    headings: list  # (text, whether of numbers)
    lines: list
    fixed: list  # what all rows have in common

    @property
    def first(self):
        """The first column of numbers: the tab key stops at its records alone, as the others' are the same."""
        return next((cell.column for line in self.lines for cell in line.cells if cell.column), "")

    @property
    def has_notes(self):
        return any(line.notes for line in self.lines)


def table_of(run, sources):
    """The run's table: the variant, what varies, all that was measured or counted, the outcome where one has not
    passed."""
    rows = run.rows
    mixed = len({row["problem"] for row in rows}) > 1
    axes = records.varying(rows, [axis for axis in (*run.axes, *run.parameters) if axis != "variant"])
    shown = [numbers.shown(column, values_of(rows, column)) for column in quantities(rows)]
    outcomes = any(row["outcome"] != "passed" for row in rows)
    headings = [(axis, axis_is_number(rows, axis)) for axis in axes] + [(how.heading, True) for how in shown]
    lines = []
    for row in rows:
        cells = [axis_cell(axis, row.get(axis)) for axis in axes]
        cells += [number_cell(row, how) for how in shown]
        if outcomes:
            cells.append(Cell(row["outcome"], row["outcome"]))
        name = row["variant"] if mixed else records.short_name(row["variant"])
        lines.append(Line(row, sources.of_variant(row["variant"]), name, cells, notes_of(row)))
    return Table(headings + [("outcome", False)] * outcomes, lines, fixed_of(run, rows, axes))


def quantities(rows):
    """The columns with numbers that any row has; errors only where rounding may explain one."""
    inexact = any(row.get("error_bound") for row in rows)
    columns = [*FIRST, *(column for column in records.QUANTITIES if column not in FIRST)]
    return [c for c in columns if values_of(rows, c) and (inexact or c not in ERRORS)]


def values_of(rows, column):
    return [row[column] for row in rows if row.get(column) is not None]


def axis_is_number(rows, axis):
    return all(isinstance(row.get(axis), int | float | None) for row in rows)


def axis_cell(axis, value):
    return Cell(records.format_axis(axis, value), "" if value is None else value, isinstance(value, int | float))


def number_cell(row, how):
    value = row.get(how.column)
    if value is None:
        return Cell("", "", True)
    detail = numbers.interval(row, how) if how.column == numbers.TIME else ""
    return Cell(numbers.text(row, how), value, True, detail, how.column)


def notes_of(row):
    notes = disturbances.of_row(row)
    if row.get("stale"):
        notes.insert(0, f"stale: {row['stale']}")
    if row["outcome"] != "passed" and row.get("reason"):
        notes.insert(0, row["reason"])
    return notes


def fixed_of(run, rows, varying):
    columns = ["problem", *run.axes, *run.parameters]
    told = []
    for column in columns:
        value = rows[0].get(column) if rows else None
        if value is not None and column not in varying and not records.varying(rows, [column]):
            told.append((column, records.format_axis(column, value)))
    return told
