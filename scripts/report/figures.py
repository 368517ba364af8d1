"""The figures of a run's plots as data that report/chart.js draws: panels of points, each with its number as the table
has it and the number of its record."""

import math
import re

import look
import plots
import records
from report import embedding, numbers
import series as series_module

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
TITLE_LENGTH, NAME_LENGTH = 200, 120
HEADINGS = {"n": "n (elements)", "m": "m (labels)", "block": "block (threads)"}


def figures_of(run, published_numbers):
    """The figures that can be drawn, messages of those that cannot, and the names of those whose quantity no case has.
    Published points are added to `published_numbers`, whose places the points name."""
    figures, troubles, empty = [], [], []
    try:
        entries = plots.entries(run)
    except records.RecordError as error:
        return [], [str(error)], []
    for entry, place in entries:
        try:
            plot = plots.complete(entry, place)
            rows = plots.choose_rows(run, plot)
            published = plots.load_published(plot)
        except (records.RecordError, RecursionError) as error:
            troubles.append(str(error))
            continue
        if rows:
            figures.append(figure_of(plot, rows, published, run, published_numbers))
        else:
            empty.append(f"{run.name}: {plot['name']}")
    return figures, troubles, empty


def figure_of(plot, rows, published, run, published_numbers):
    series = series_module.series_of(plot, rows, run)
    numeric = series_module.is_numeric(plot, rows)
    names = {key: ", ".join(part for part in key if part) or "measured here" for key in series}
    looks = looks_of(plot, list(names.values()))
    categories = [] if numeric else list(dict.fromkeys(str(row[plot["x"]]) for row in run.rows if row in rows))
    panels = []
    for y in plot["y"]:
        panel = Panel(plot, y, series, numeric, categories)
        of_panel = [entry for entry in published if entry["column"] in (y, None)]
        panels.append(panel.data(names, looks, of_panel, published_numbers))
    return {
        "name": plot["name"],
        "title": with_powers(embedding.cut(plot["title"], TITLE_LENGTH)),
        "kind": "lines" if numeric else "names",
        "x": {
            "name": embedding.cut(plot["x"], NAME_LENGTH),
            "heading": HEADINGS.get(plot["x"], embedding.cut(plot["x"], NAME_LENGTH)),
            "sizes": plot["x"] in records.SIZE_AXES,
            "log": bool(plot["logx"]),
        },
        "logy": bool(plot["logy"]),
        "categories": [embedding.cut(records.format_axis(plot["x"], name), NAME_LENGTH) for name in categories],
        "panels": panels,
    }


def looks_of(plot, names):
    """By the name of a series: colour, dash and marker, as numbers. Members of the plot's groups share a colour."""
    looks = {}
    for group, members in enumerate(plot["groups"]):
        for place, name in enumerate(members):
            looks[name] = [group % len(look.COLOURS), place % len(look.DASHES), place]
    free = [name for name in names if name not in looks]
    for index, name in enumerate(free, len(plot["groups"])):
        looks[name] = [index % len(look.COLOURS), index // len(look.COLOURS) % len(look.DASHES), index]
    return looks


def with_powers(text):
    return re.sub(r"\^(\d+)", lambda power: power[1].translate(SUPERSCRIPTS), text)


class Panel:
    """One quantity of a figure."""

    def __init__(self, plot, y, series, numeric, categories):
        self.plot, self.y, self.numeric = plot, y, numeric
        self.series = series_module.with_value(series, y)
        values = [row[y] for rows in self.series.values() for row in rows]
        self.how = numbers.shown(y, values)
        self.places = {name: place for place, name in enumerate(categories)}
        self.counted = y in records.COUNTED

    def data(self, names, looks, published, published_numbers):
        drawn = [
            {"name": embedding.cut(names[key], NAME_LENGTH), "look": looks[names[key]], "points": self.points(rows)}
            for key, rows in self.series.items()
            if rows
        ]
        beside = {key: looks[names[key]][0] for key, rows in self.series.items() if rows}
        if self.numeric:
            published = [entry for entry in published if self.beside(entry) or entry["column"] is None]
        return {
            "heading": self.how.heading,
            "label": self.how.label,
            "unit": self.how.unit,
            "bars": self.counted and not self.numeric,
            "log": bool(self.plot["logy"]) and not (self.counted and not self.numeric),
            "series": drawn + self.published_series(published, beside, published_numbers),
            "band": self.band(published),
        }

    def points(self, rows):
        """[x, y, low, high, record, text, interval, shares of launches]: without x where y is that of all."""
        below, above = look.interval(rows, self.y, self.how.scale)
        points = []
        for row, down, up in zip(rows, below, above, strict=True):
            value = row[self.y] / self.how.scale
            ends = [value - down, value + up] if math.isfinite(down) and math.isfinite(up) and up + down else [None] * 2
            told = numbers.interval(row, self.how) if self.y == numbers.TIME else ends_text(ends)
            points.append(
                [self.x_of(row), value, *ends, row["number"], numbers.text(row, self.how), told, self.shares(row)]
            )
        return sorted(points, key=lambda point: point[0] or 0) if self.numeric else points

    def x_of(self, row):
        return row.get(self.plot["x"]) if self.numeric else self.places[str(row[self.plot["x"]])]

    def shares(self, row):
        """Of each launch in the unit of y, where the plot shows them."""
        if self.numeric or not series_module.stacks_launches({**self.plot, "y": self.y}):
            return None
        factor = row[self.y] / row["time_ns"] / self.how.scale if row.get("time_ns") else 0
        return [(launch.get("time_ns") or 0) * factor for launch in row["launches"]] or None

    def published_series(self, published, colours, published_numbers):
        """A series of hollow marks for each paper's device, and of lines for each variant too. A point without x
        is a line across."""
        members = {}
        for entry in published:
            if entry["column"] != self.y:
                continue
            name = f"{entry['device']} (published)"
            if self.numeric:
                name = series_module.published_name(self.plot, entry)
                x = entry.get(self.plot["x"])
                x = x if isinstance(x, int | float) else None
            else:
                x = self.places.get(str(entry.get(self.plot["x"])))
                if x is None:
                    continue
            members.setdefault(name, []).append((x, entry))
        series = []
        for turn, (name, entries) in enumerate(members.items()):
            colour = (len(self.series) + turn) % len(look.COLOURS)
            if self.numeric:
                of = {colours[key] for key in self.beside(entries[0][1])}
                colour = of.pop() if len(of) == 1 else len(look.COLOURS) - 1  # grey
            points = []
            for x, entry in entries:
                value = entry["value"] / self.how.scale
                text = f"{RELATIONS.get(entry['relation'], '')}{numbers.spaced(f'{value:.6g}')}"
                points.append([x, value, None, None, len(published_numbers), text, entry["relation"], None])
                published_numbers.append({key: told for key, told in entry.items() if key != "column"})
            name = embedding.cut(name, NAME_LENGTH)
            series.append({"name": name, "look": [colour, 0, 0], "published": True, "points": points})
        return series

    def beside(self, entry):
        return series_module.keys_beside_published(self.plot, entry, self.series)

    def band(self, published):
        """[from, to, text] of the x that a paper names as best."""
        best = [entry for entry in published if entry["column"] is None]
        if not best or not self.numeric:
            return None
        values = sorted(entry["value"] for entry in best)
        devices = ", ".join(dict.fromkeys(entry["device"] for entry in best))
        return [values[0], values[-1], embedding.cut(f"best on {devices} (published)", NAME_LENGTH)]


RELATIONS = {"~": "about ", "<": "under ", "<=": "at most ", ">": "over ", ">=": "at least "}


def ends_text(ends):
    if ends[0] is None:
        return ""
    return " to ".join(numbers.spaced(numbers.significant(end)) for end in ends)
