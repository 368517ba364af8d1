"""Assembles the page: templates of report/page/, whose every value is escaped, with its style, script and data inside.

Nothing is asked of any network, and the page's own policy refuses it: the style and the script are allowed by their
hashes, and nothing else is."""

import base64
from collections import Counter
import hashlib
from pathlib import Path
import re

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from report import embedding, fields, numbers
from report.tables import breakable, sortable
from shared import progress, records
from shared.figures import SUPERSCRIPTS, with_powers

HERE = Path(__file__).resolve().parent / "page"
SCRIPTS = ("data.js", "figure.js", "panel.js", "tables.js", "page.js")
TIME_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


def render(template, data, records_of_page, tables=(), **values):
    """The page as pieces of bytes. `data` is what its script reads, and the records, texts of JSON, and the rows of
    long tables."""
    progress.at("compressing the records")
    style = (HERE / "style.css").read_text(encoding="utf-8")
    script = "(() => {\n'use strict';\n" + "\n".join(read_script(name) for name in SCRIPTS) + "})();\n"
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True, auto_reload=False
    )
    environment.filters |= FILTERS
    pieces = environment.get_template(template).stream(
        style=Markup(style),
        style_hash=policy_hash(style),
        script=Markup(script),
        script_hash=policy_hash(script),
        data=embedding.compressed_json({**data, "fields": fields.meanings()}, records_of_page, tables),
        **values,
    )
    pieces.enable_buffering(50)
    progress.at("writing the page")
    return (piece.encode("utf-8", "replace") for piece in pieces)


def read_script(name):
    text = (HERE / name).read_text(encoding="utf-8")
    assert "</" not in text, f"{name}: would end the script element"
    return text


def policy_hash(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()


class Names:
    """Identifiers of a page, each given once."""

    def __init__(self):
        self.given = Counter()

    def of(self, kind, text):
        name = f"{kind}-{slug(text)}"
        self.given[name] += 1
        return name if self.given[name] == 1 else f"{name}-{self.given[name]}"


def slug(text):
    return re.sub(r"[^a-z0-9.]+", "-", str(text).lower()).strip("-")[:80] or "none"


def brief(value):
    """A number with four digits; text as it is; nothing for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return embedding.cut(value, 60) if isinstance(value, str) else ""
    if isinstance(value, int) and abs(value) < 1 << 63:
        return numbers.spaced(str(value))
    if abs(value) >= 1e300:
        return "past all bounds"
    return f"{value:.4g}" if abs(value) < 1e4 else numbers.four(value)


def four(value):
    """Of a ratio or what else a column has many of: four digits, also where the last are 0."""
    is_shown = isinstance(value, float) and abs(value) < 1e300
    return numbers.four(value) if is_shown else brief(value)


def nanoseconds(value):
    """172.0 µs."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e300:
        return ""
    scale, unit = next(((s, u) for s, u in TIME_UNITS if value >= s), TIME_UNITS[-1])
    return f"{numbers.four(value / scale)} {unit}"


def superscript(number):
    return str(number).translate(SUPERSCRIPTS)


def size(value):
    """16777216 -> 16 Mi."""
    return records.format_size(value) if isinstance(value, int) and 0 <= value < 1 << 63 else brief(value)


def basename(path):
    return embedding.cut(path, 300).rpartition("/")[2]


FILTERS = {
    "cut": embedding.cut,
    "slug": slug,
    "brief": brief,
    "four": four,
    "sortable": sortable,
    "nanoseconds": nanoseconds,
    "superscript": superscript,
    "size": size,
    "breakable": breakable,
    "basename": basename,
    "powers": with_powers,
}
