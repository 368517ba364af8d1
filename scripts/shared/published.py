"""Numbers that papers print (results/papers/*.csv), as rows."""

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
REQUIRED = (
    "figure",
    "variant",
    "device",
    "n",
    "type",
    "operator",
    "quantity",
    "unit",
    "relation",
    "value",
    "source",
)
RELATIONS = ("=", "~", "<", "<=", ">", ">=")


def of_config(name):
    """What a paper prints for the figure or table of a config, such as eilers2014/fig2.7."""
    paper, _, figure = name.partition("/")
    path = PAPERS / f"{paper}.csv"
    return load(path, {"figure": figure}) if figure and paper.isalnum() and path.is_file() else []


def load(path, where=None):
    """Published numbers that meet `where`, as rows. Each names its column of a record as `column` (None where
    a record has none such) and its value there as `value`; an axis that the paper does not give is left out.
    """
    own = records.REPOSITORY / path  # `path` itself where that is absolute
    path = own if own.exists() else Path(path)
    try:
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, restkey="too many", restval=None)
            missing = [column for column in REQUIRED if column not in (reader.fieldnames or [])]
            if missing:
                raise records.RecordError(f"{path}:1: no column {', '.join(missing)}")
            rows = [_row(line, f"{path}:{reader.line_num}") for line in reader]
    except OSError as error:
        raise records.RecordError(f"{path}: {error.strerror}") from None
    return [row for row in rows if records.matches(row, where or {})]


def _row(line, place):
    if "too many" in line or None in line.values():
        raise records.RecordError(f"{place}: not as many fields as the header has")
    row = {column: text for column, text in line.items() if text != ""}
    if row.get("relation") not in RELATIONS:
        raise records.RecordError(f"{place}: relation: one of {' '.join(RELATIONS)}, not {row.get('relation')!r}")
    if "source" not in row:
        raise records.RecordError(f"{place}: source: where in the paper is the number?")
    try:
        number = float(row["value"])
    except (KeyError, ValueError):
        raise records.RecordError(f"{place}: value: a number is expected, not {row.get('value')!r}") from None
    try:
        for axis in (name for name in row if name == "n" or name not in REQUIRED):
            row[axis] = (
                int(row[axis])
                if row[axis].isdigit()
                else (parse_size(row[axis]) if axis in records.SIZE_AXES else row[axis])
            )
    except ValueError as error:
        raise records.RecordError(f"{place}: {axis}: {error}") from None
    row["column"], factor = COLUMNS.get((row["quantity"], row.get("unit")), (None, 1.0))
    row["value"] = number * factor
    return row


def parse_size(text):
    """16777216, "16Mi", "2^24" -> 16777216. ValueError for anything else."""
    if isinstance(text, int) and not isinstance(text, bool):
        return text
    match = re.fullmatch(r"(\d+)(?:\^(\d+)|(Ki|Mi|Gi))?", str(text))
    if not match:
        raise ValueError(f"a size such as 4096, 16Mi or 2^20 is expected, not {text!r}")
    number, power, suffix = match.groups()
    if power:
        return int(number) ** int(power)
    return int(number) << {None: 0, "Ki": 10, "Mi": 20, "Gi": 30}[suffix]
