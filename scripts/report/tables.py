"""The tables of a run's records: those of redbench, whose numbers link to their records."""

from dataclasses import dataclass, field
import math

import markupsafe
from markupsafe import Markup

from report import embedding, numbers
from shared import records

COLUMNS = {quantity.heading: name for name, quantity in records.QUANTITIES.items()}
OUTCOMES = tuple(records.SCHEMA["properties"]["outcome"]["enum"])
LONG_TEXT = 44  # a longer one breaks over lines
MANY_ROWS = 14  # a longer table scrolls, is not printed, and has its rows among the page's compressed data


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
class Table:
    heading: str
    caption: str
    headings: list  # (text, whether of numbers)
    section: object
    sources: object
    notes: dict = field(default_factory=dict)  # text -> number, from 1
    packed: int | None = None  # its place among the tables of the page's data

    @property
    def length(self):
        return len(self.section.rows)

    @property
    def is_long(self):
        return self.length > MANY_ROWS

    @property
    def lines(self):
        """Its rows as HTML, one at a time: cells of 60 000 rows would not fit into memory, and a template takes three
        times as long."""
        columns, first = self.section.cases["columns"][1:], ""
        for row, (name, *texts) in zip(self.section.rows, self.section.cases["rows"], strict=True):
            cells = [cell_of(row, *column, text) for column, text in zip(columns, texts, strict=True)]
            # The tab key stops at the links of the first column of numbers only, as all of a row lead to one record.
            first = first or next((cell.column for cell in cells if cell.column), "")
            notes = [self.notes[note] for note in notes_of(row)] if self.notes else None
            yield line_of(row, self.sources.of_variant(row["variant"]), name, cells, notes, first)


def line_of(row, source, name, cells, notes, first):
    """A row of a table as HTML, every text escaped."""
    link, name = f'<a href="#record-{row["number"]}"', breakable(embedding.cut(name, 120))
    code = f'<a class="code" href="#{escape(source)}">{name}</a>' if source else f'<span class="code">{name}</span>'
    stale = ' class="stale"' if row.get("stale") else ""
    parts = [f'<tr data-record="{row["number"]}"{stale}><th scope="row">{code}</th>']
    for cell in cells:
        text = escape(embedding.cut(cell.text, 120))
        if cell.column:
            text = link + ("" if cell.column == first else ' tabindex="-1"') + f">{text}</a>"
        elif cell.text in OUTCOMES:
            text = f'{link} class="outcome {text}">{text}</a>'
        number = ' class="number"' if cell.number else ""
        column = f' data-column="{escape(cell.column)}"' if cell.column else ""
        parts.append(f'<td{number} data-v="{escape(sortable(cell.value))}"{column}>{text}</td>')
    if notes is not None:
        parts.append(f'<td class="marks">{", ".join(map(str, notes))}</td>')
    return Markup("".join([*parts, "</tr>\n"]))


def escape(text):
    return text if text.isalnum() else markupsafe.escape(text)


def breakable(text):
    """A name that may go on in the next line after each of its underscores."""
    return Markup("_<wbr>").join(str(text).split("_"))


def sortable(value):
    if isinstance(value, bool) or not isinstance(value, int | float):
        return embedding.cut(value, 200) if isinstance(value, str) else ""
    return str(embedding.clean(value)) if abs(value) < 1e300 and math.isfinite(value) else ""


def tables_of(run, sources):
    """A table for each experiment and device."""
    return [table_of(section, sources) for section in run.sections]


def table_of(section, sources):
    notes = {}
    for row in section.rows:
        sources.of_variant(row["variant"])  # embeds it
        for note in notes_of(row):
            notes.setdefault(note, len(notes) + 1)
    headings = section.cases["columns"][1:] + [("notes", False)] * bool(notes)
    return Table(section.heading, section.caption, headings, section, sources, notes)


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
