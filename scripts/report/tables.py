"""The tables of a run's records: those of redbench, whose numbers link to their records."""

from dataclasses import dataclass, field

from report import numbers
from shared import records

COLUMNS = {quantity.heading: name for name, quantity in records.QUANTITIES.items()}
LONG_TEXT = 44  # a longer one breaks over lines


@dataclass
class Cell:
    text: str
    value: object = ""  # what the column is sorted by
    number: bool = False
    column: str = ""  # of the record
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
    heading: str
    caption: str
    headings: list  # (text, whether of numbers)
    lines: list
    notes: list = field(default_factory=list)

    @property
    def first(self):
        """The first column of numbers: the tab key stops at its links only, as all of a row lead to one record."""
        return next((cell.column for line in self.lines for cell in line.cells if cell.column), "")


def tables_of(run, sources):
    """A table for each experiment and device."""
    return [table_of(section, sources) for section in run.sections]


def table_of(section, sources):
    columns, notes, lines = section.cases["columns"][1:], {}, []
    for row, (name, *texts) in zip(section.rows, section.cases["rows"], strict=True):
        cells = [cell_of(row, *column, text) for column, text in zip(columns, texts, strict=True)]
        numbered = [notes.setdefault(note, len(notes) + 1) for note in notes_of(row)]
        lines.append(Line(row, sources.of_variant(row["variant"]), name, cells, numbered))
    return Table(section.heading, section.caption, columns + [("notes", False)] * bool(notes), lines, list(notes))


def cell_of(row, heading, is_number, text):
    if heading == "outcome":
        return Cell(row["outcome"], row["outcome"])
    column = COLUMNS.get(heading, "") if text else ""
    value = row.get(column or heading)
    if text in ("", "-"):
        value = ""
    return Cell(numbers.spaced(text) if is_number else text, text if value is None else value, is_number, column)


def notes_of(row):
    notes = list(row["notes"])
    if row.get("stale"):
        notes.insert(0, f"stale: {row['stale']}")
    if row["outcome"] != "passed" and row.get("reason"):
        notes.insert(0, row["reason"])
    return notes
