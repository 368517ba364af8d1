"""Data of strangers in a page: texts and numbers that it can show, compressed JSON that no text can break out of."""

import base64
import functools
import gzip
import io
import json
import math

from markupsafe import Markup

from shared.visible import visible

# What is kept of a string, of a list, and of how deep they lie in each other: a page stays readable.
LONGEST_TEXT, LONGEST_LIST, DEEPEST = 4000, 2000, 12
DIGITS = 7  # of a number that is not whole: those behind them, of quotients, would be a tenth of a page


def cut(text, length):
    """A text whose every character is visible; of a longer one its beginning and its length."""
    text = str(text)
    if len(text) <= length and text.isascii() and text.isprintable():
        return text
    seen = visible(text[: length + 1])
    return seen if len(text) <= length else f"{seen[:length]}… ({len(text)} characters, cut here)"


def clean(value, depth=0):
    """The value as JSON can hold it: no infinite number, nothing endless."""
    if isinstance(value, str):
        return cut(value, LONGEST_TEXT)
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        return value if value.is_integer() else float(f"{value:.{DIGITS}g}")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1 << 53:
        return str(value) if abs(value) < 1 << 256 else "a number past 2^256"
    if not isinstance(value, dict | list):
        return value
    if depth == DEEPEST:
        return "… (cut here: too deep)"
    if isinstance(value, dict):
        kept = list(value.items())[:LONGEST_LIST]
        return {
            clean_name(name): item if is_clean(item) else clean(item, depth + 1) for name, item in kept
        }
    kept = [clean(item, depth + 1) for item in value[:LONGEST_LIST]]
    return kept if len(kept) == len(value) else [*kept, f"… ({len(value)} entries, cut here)"]


def is_clean(value):
    """Whether it is surely as clean() leaves it: most values are."""
    kind = type(value)
    if kind is str:
        return len(value) < LONGEST_TEXT and value.isascii() and value.isprintable()
    return value is None or kind is bool or kind is int and -(1 << 53) < value < 1 << 53


@functools.lru_cache(1000)
def clean_name(name):
    return cut(str(name), 200)


def json_of(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def compressed_json(value, records=(), tables=()):
    """Pieces for page/data.js: letters, digits, + and /, so that nothing in it ends its element. `records` are texts
    of JSON, `tables` lists of rows as HTML: the value's own lists of these names."""
    file = io.BytesIO()
    with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=9, mtime=0) as packed:
        packed.write(b'{"records":[')
        for number, record in enumerate(records):
            packed.write(b"," + record if number else record)
        packed.write(b'],"tables":[')
        for number, rows in enumerate(tables):
            packed.write(b",[" if number else b"[")
            for place, row in enumerate(rows):
                packed.write((b"," if place else b"") + json_of(row).encode("utf-8", "replace"))
            packed.write(b"]")
        packed.write(b"],")
        packed.write(json_of(value).encode("utf-8", "replace")[1:])
    file.seek(0)
    return (Markup(base64.b64encode(piece).decode()) for piece in iter(lambda: file.read(3 << 14), b""))
