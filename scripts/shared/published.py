"""Numbers that papers print (results/papers/*.csv), as rows. `redbench` checks these files when it makes tables."""

import csv
from pathlib import Path
import re

from shared import records

PAPERS = records.REPOSITORY / "results" / "papers"

# Published quantity and unit -> column of a record, and the factor that turns one into the other.
COLUMNS = {
    (unit["quantity"], unit["unit"]): (name, unit["factor"])
    for name, quantity in records.QUANTITIES.items()
    for unit in quantity.published
}
FACTS = ("figure", "variant", "device", "quantity", "unit", "relation", "value", "source")
RELATIONS = ("=", "~", "<", "<=", ">", ">=")


def of_config(name):
    """What a paper prints for the figure or table of a config, such as eilers2014/fig2.7."""
    paper, _, figure = name.partition("/")
    path = PAPERS / f"{paper}.csv"
    return load(path, {"figure": figure}) if figure and paper.isalnum() and path.is_file() else []


def load(path, where=None):
    """Published numbers that meet `where`, as rows. Each names its column of a record as `column` (None where a record
    has none such), its value there as `value`, its text in the paper as `text`; an axis that the paper does not give is
    left out."""
    own = records.REPOSITORY / path  # `path` itself where that is absolute
    path = own if own.exists() else Path(path)
    rows = []
    try:
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            for line in reader:
                rows.append(_row(line))
    except OSError as error:
        raise records.RecordError(f"{path}: {error.strerror}") from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise records.RecordError(f"{path}:{reader.line_num}: no published number: {error}") from None
    return [row for row in rows if records.matches(row, where or {})]


def _row(line):
    row = {column: text for column, text in line.items() if text.strip()}
    if row["relation"] not in RELATIONS:
        raise ValueError(f"relation: one of {' '.join(RELATIONS)}, not {row['relation']!r}")
    relation = "" if row["relation"] == "=" else row["relation"]
    row["text"] = " ".join(filter(None, (relation, row["value"], row.get("unit"))))
    for axis in axes_of(row):
        row[axis] = parse_size(row[axis]) if row[axis].isdigit() or axis in records.SIZE_AXES else row[axis]
    row["column"], factor = COLUMNS.get((row["quantity"], row.get("unit")), (None, 1.0))
    row["value"] = float(row["value"]) * factor
    return row


def axes_of(row):
    return [name for name in row if name not in (*FACTS, "column", "text")]


def parse_size(text):
    """16777216, "16Mi", "2^24" -> 16777216. ValueError for anything else."""
    match = re.fullmatch(r"(\d+)(?:\^(\d+)|(Ki|Mi|Gi))?", text)
    if not match:
        raise ValueError(f"a size such as 4096, 16Mi or 2^20 is expected, not {text!r}")
    number, power, suffix = match.groups()
    if power:
        return int(number) ** int(power)
    return int(number) << {None: 0, "Ki": 10, "Mi": 20, "Gi": 30}[suffix]
