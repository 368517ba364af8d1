"""Data of strangers in a page: JSON that no script can break out of, and that stays small."""

import json
import math
import re

from markupsafe import Markup

# What is kept of a string, of a list, and of how deep they lie in each other: a page stays readable.
LONGEST_TEXT, LONGEST_LIST, DEEPEST = 4000, 2000, 12


# Control characters, and those that turn the direction of all that follows: written out, as \n and \u202e.
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def cut(text, length):
    """A text that can be seen as it is; of a longer one its beginning and how long it is."""
    text = str(text)
    seen = UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text[: length + 1])
    return seen if len(text) <= length else f"{seen[:length]}… ({len(text)} characters, cut here)"


def clean(value, depth=0):
    """The value as JSON can hold it: no infinite number, nothing endless."""
    if isinstance(value, str):
        return cut(value, LONGEST_TEXT)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1 << 53:
        return str(value) if abs(value) < 1 << 256 else "a number past 2^256"
    if not isinstance(value, dict | list):
        return value
    if depth == DEEPEST:
        return "… (cut here: too deep)"
    if isinstance(value, dict):
        kept = list(value.items())[:LONGEST_LIST]
        return {cut(str(name), 200): clean(item, depth + 1) for name, item in kept}
    kept = [clean(item, depth + 1) for item in value[:LONGEST_LIST]]
    return kept if len(kept) == len(value) else [*kept, f"… ({len(value)} entries, cut here)"]


def clean_each(values):
    return [clean(value) for value in values]


class Shapes:
    """Objects without their names, which many have in common: an object becomes [number of its shape, values...], a
    list [-1, items...]. What unpacks them is report/data.js."""

    def __init__(self):
        self.names = []
        self._numbers = {}

    def pack(self, value):
        if isinstance(value, dict):
            names = tuple(value)
            if names not in self._numbers:
                self._numbers[names] = len(self.names)
                self.names.append(names)
            return [self._numbers[names], *map(self.pack, value.values())]
        if isinstance(value, list):
            return [-1, *map(self.pack, value)]
        return value


def script_json(value):
    """For a <script type="application/json">: nothing in it ends the element or begins a comment."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))
