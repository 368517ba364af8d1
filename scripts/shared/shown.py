"""What redbench says of a run for figures and pages (tables/report.json, which `redbench run` and `redbench tables`
write): the texts of its numbers, what disturbed its times, its dates."""

from collections import Counter
from dataclasses import dataclass

from shared import records
from shared.schema import TEXT, TRUTH, list_of, load, object_of

MOST_LAUNCHES = 64  # of a run whose launches are shown as a table; those of others are in their records
TEXTS = list_of(TEXT)
# Columns are (heading, whether of numbers).
TABLE = object_of(columns=list_of({"type": "array", "minItems": 2, "prefixItems": [TEXT, TRUTH]}), rows=list_of(TEXTS))
TABLES = dict.fromkeys(("cases", "launches", "levels"), TABLE)
SECTION = object_of(heading=TEXT, caption=TEXT, records=list_of(TEXTS), notes=list_of(TEXTS), **TABLES)
ABOUT = ("date", "differences", "interruption")
REPORT = object_of(sections=list_of(SECTION), **dict.fromkeys(ABOUT, TEXT))


@dataclass
class Section:
    """The rows of an experiment on a device, and their tables: columns (heading, whether of numbers), rows of texts."""

    heading: str
    caption: str
    rows: list
    cases: dict
    launches: dict
    levels: dict


def read(directory):
    """The file of a run, in which equal texts are held once, and long tables of launches are left out, as nobody shows
    them. RecordError where it is missing or not as redbench writes it."""
    path = directory / "tables" / "report.json"
    if not path.is_file():
        raise records.RecordError(f"{path}: no such file: `redbench tables {directory}` writes it")
    report = load(path, REPORT, "tables")
    if not all(map(fits, report["sections"])):
        raise of_other_records(directory)
    texts = {}
    for section in report["sections"]:
        for row in section["cases"]["rows"]:
            row[:] = [texts.setdefault(text, text) for text in row]
        if len(section["launches"]["rows"]) > MOST_LAUNCHES:
            section["launches"]["rows"] = None
    return report


def of_other_records(directory):
    path = directory / "tables" / "report.json"
    return records.RecordError(f"{path}: not of these records: `redbench tables {directory}` writes it again")


def add_to(run, report=None):
    """Sets ABOUT and `sections` of a run, and `texts` (heading -> text) and `notes` of its rows, by what read() gives.
    RecordError where that is missing or is not of these records."""
    report = report or read(run.directory)
    rows = {records.identity(row): row for row in run.rows}
    shown = [tuple(identity) for section in report["sections"] for identity in section["records"]]
    if sorted(shown) != sorted(rows):
        raise of_other_records(run.directory)
    for name in ABOUT:
        setattr(run, name, report[name])
    run.sections = []
    for section in report["sections"]:
        of_section = [rows[tuple(identity)] for identity in section["records"]]
        places = {heading: place for place, (heading, _) in enumerate(section["cases"]["columns"])}
        for row, texts, notes in zip(of_section, section["cases"]["rows"], section["notes"], strict=True):
            row["texts"] = places, texts
            row["notes"] = notes
        tables = {name: section[name] for name in TABLES}
        run.sections.append(Section(section["heading"], section["caption"], of_section, **tables))


def fits(section):
    """Whether its lists are of one length, and the rows of its tables as long as their columns."""
    tables = [section[name] for name in TABLES]
    lengths = {len(section["records"]), len(section["notes"]), len(section["cases"]["rows"])}
    return len(lengths) == 1 and all(len(row) == len(table["columns"]) for table in tables for row in table["rows"])


def text_under(row, heading):
    places, texts = row["texts"]
    return texts[places[heading]] if heading in places else ""


def text_of(row, column):
    """A row's number in the unit of its column, as the tables have it."""
    return text_under(row, records.QUANTITIES[column].heading)


def interval_of(row):
    """The interval of a row's time: "171.7 to 172.2", or nothing."""
    return text_under(row, f"interval ({records.QUANTITIES['time_ns'].unit})")


def disturbances(rows):
    """"3 of 12 points: the GPU was throttled; 1: no interval", or nothing."""
    timed = [row for row in rows if row.get("time_ns") is not None]
    counts = Counter(note for row in timed for note in row["notes"])
    parts = [f"{count}: {note}" for note, count in counts.items()]
    return "; ".join(parts).replace(":", f" of {len(timed)} points:", 1)
