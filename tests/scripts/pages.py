"""Pages of scripts/make_report.py for tests: written, and read as HTML with their data."""

import base64
import gzip
import html
from html.parser import HTMLParser
import json
import re

from support import RunTest, output_of, record
import make_report

TWO = {"reduce/harris1": 3000.0, "reduce/harris2": 2000.0}


def two():
    """Records of two variants at two sizes."""
    return [record(name, n=n, time_ns=time * n / 1024) for n in (1024, 4096) for name, time in TWO.items()]


def compared(**changed):
    """A case of `redbench compare --json`: harris1 of two(), in 2/3 of its time."""
    first = record()
    axes = {name: first[name] for name in ("variant", "problem", "n", "type", "operator", "axes", "device", "mode")}
    numbers = {"first_ns": 3000.0, "second_ns": 2000.0, "ratio": 0.667, "ratio_low": 0.65, "ratio_high": 0.68}
    return {"key": record()["key"], **axes, **numbers, "verdict": "faster", "notes": [], **changed}


def comparison(cases, **more):
    """What `redbench compare --json` writes of these cases."""
    return {"schema": 1, "first": "A", "second": "B", "threshold_percent": 1.0, "cases": cases, "remarks": [], **more}


class Page(HTMLParser):
    """The elements of a page with their attributes and the text of each, in order."""

    VOID = {"wbr", "meta", "link", "br", "img", "input", "hr"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append([tag, dict(attributes), ""])
        if tag not in self.VOID:
            self.open.append(self.elements[-1])

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, f"</{tag}> ends {self.open[-1][:2] if self.open else 'nothing'}"
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element[2] += data

    def all(self, tag, **wanted):
        def has(attributes, name, value):
            return name in attributes and (value is True or attributes[name] == value)

        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in wanted.items()}
        return [e for e in self.elements if e[0] == tag and all(has(e[1], n, v) for n, v in wanted.items())]

    def text_of(self, identity):
        (found,) = [e for e in self.elements if e[1].get("id") == identity]
        return " ".join(found[2].split())

    @staticmethod
    def readable(text):
        """What a page says, a line for each paragraph and row: of its main part and its masthead."""
        text = re.sub(r"<(script|style|nav|noscript).*?</\1>", "", text, flags=re.DOTALL)
        text = re.sub(r"\s+", " ", text)
        text = re.sub(r"</(p|h\d|li|tr|summary|dt|dd)>", "\n", text)
        text = re.sub(r"</t[dh]>", " | ", text)
        lines = [html.unescape(re.sub(r"<[^>]*>", "", line)) for line in text.split("\n")]
        lines = [" ".join(line.split()).strip(" |") for line in lines]
        return "\n".join(line for line in lines if line) + "\n"

    @property
    def data(self):
        return json.loads(gzip.decompress(base64.b64decode(self.all("script", id="data")[0][2])))


class ReportTest(RunTest):
    def make(self, *arguments, redbench="", damaged=False):
        """The page that is written, also of damaged files."""
        path = self.folder / "page.html"
        code, _, errors = output_of(make_report.main, *arguments, "-o", path, "--redbench", redbench)
        self.assertEqual(code, 2 if damaged else 0, errors)
        return Page(path.read_text(encoding="utf-8"))

    def refusal(self, *arguments):
        code, _, errors = output_of(make_report.main, *arguments, "--redbench", "")
        self.assertEqual(code, 2)
        return errors
