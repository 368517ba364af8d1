"""The tables of a run's records: a row for each, whose numbers link to it."""

from dataclasses import dataclass, field

from report import numbers
from shared import disturbances, records

# The first columns of numbers, in this order; all other quantities that a row has follow.
FIRST = ("time_ns", "bandwidth_gb_per_s", "ns_per_input", "percent_of_ceiling", "percent_of_scattered")
ERRORS = ("error", "error_bound")


LONG_TEXT = 44  # a longer one breaks over lines


@dataclass
class Cell:
    text: str
    value: object = ""  # what the column is sorted by
    number: bool = False
    column: str = ""  # of the record
    faint: bool = False
    link: str = ""

    @property
    def long(self):
        return len(self.text) > LONG_TEXT


@dataclass
class Line:
    row: dict
    source: str  # of its kernel
    name: str
    cells: list
    notes: list = field(default_factory=list)  # their numbers, from 1


@dataclass
class Table:
    headings: list  # (text, whether of numbers)
    lines: list
    fixed: list  # what all rows have in common
    notes: list = field(default_factory=list)

    @property
    def first(self):
        """The first column of numbers: the tab key stops at its links only, as all of a row lead to one record."""
        return next((cell.column for line in self.lines for cell in line.cells if cell.column), "")


def tables_of(run, sources):
    """The run's tables: one of the modelled device's counters, one of the times of all other devices."""
    counted = [row for row in run.rows if row["device"].startswith("simt")]
    timed = [row for row in run.rows if not row["device"].startswith("simt")]
    return [table_of(run, rows, sources) for rows in (counted, timed) if rows]


def table_of(run, rows, sources):
    """A table of these rows: the variant, axes and parameters that vary, all quantities, and the outcome where a row
    has not passed or has no number that would link to its record. Parameters of some variants only share a column."""
    mixed = len({row["problem"] for row in rows}) > 1
    varying = records.varying(rows, [axis for axis in (*run.axes, *run.parameters) if axis != "variant"])
    own = [name for name in varying if name in run.parameters and any(row.get(name) is None for row in rows)]
    axes = [name for name in varying if name not in own]
    shown = [numbers.shown(column, values_of(rows, column)) for column in quantities(rows)]
    has_number = [any(row.get(how.column) is not None for how in shown) for row in rows]
    outcomes = not all(has_number) or any(row["outcome"] != "passed" for row in rows)
    headings = [(axis, axis_is_number(rows, axis)) for axis in axes] + [("parameters", False)] * bool(own)
    for how in shown:
        headings += [(how.heading, True), *[("95 % interval", True)] * (how.column == numbers.TIME)]
    lines, notes = [], {}
    for row in rows:
        cells = [axis_cell(axis, row.get(axis)) for axis in axes]
        if own:
            cells.append(parameters_cell(row, own))
        for how in shown:
            cells += number_cells(row, how)
        if outcomes:
            cells.append(Cell(row["outcome"], row["outcome"]))
        name = row["variant"] if mixed else records.short_name(row["variant"])
        numbered = [notes.setdefault(note, len(notes) + 1) for note in notes_of(row)]
        lines.append(Line(row, sources.of_variant(row["variant"]), name, cells, numbered))
    headings += [("outcome", False)] * outcomes + [("notes", False)] * bool(notes)
    return Table(headings, lines, fixed_of(run, rows, varying), list(notes))


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


def parameters_cell(row, names):
    text = ", ".join(f"{name} {row[name]}" for name in names if row.get(name) is not None)
    return Cell(text, text)


def number_cells(row, how):
    """The cell of a number, and of a time that of its interval, which is sorted by its width."""
    value = row.get(how.column)
    cell = Cell("", "", True) if value is None else Cell(numbers.text(row, how), value, True, how.column)
    if how.column != numbers.TIME:
        return [cell]
    width = row.get("noise_percent")
    return [cell, Cell(numbers.interval(row, how), "" if width is None else width, True, faint=True)]


def notes_of(row):
    notes = disturbances.of_row(row)
    if row.get("stale"):
        notes.insert(0, f"stale: {row['stale']}")
    if row["outcome"] != "passed" and row.get("reason"):
        notes.insert(0, row["reason"])
    return notes


def fixed_of(run, rows, varying):
    columns = ["problem", *run.axes, *run.parameters]
    found = []
    for column in columns:
        value = rows[0].get(column) if rows else None
        if value is not None and column not in varying and not records.varying(rows, [column]):
            found.append((column, records.format_axis(column, value)))
    return found
