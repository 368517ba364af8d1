"""The figures of a page: panels that matplotlib draws, as SVG with the page's colours, on linear and logarithmic axes,
and their points, each with the text that is shown of it and the address that it links to."""

from collections.abc import Callable
from dataclasses import dataclass, field
import io
import math
import re

from matplotlib.artist import Artist
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.lines import Line2D
import matplotlib.pyplot as plt

from report import embedding, numbers
from shared import comparisons, figures, plot_entries, predictions, records, shown
from shared.row_series import is_numeric
from shared.style import COLOURS, FAINT, GRID, INK, MARKERS, STYLE, interval

TITLE_LENGTH, NAME_LENGTH = 200, 120
# Series differ in marker, too, as not every eye tells their colours apart. Published ones are hollow.
GLYPHS = {"o": "●", "s": "■", "^": "▲", "D": "◆", "v": "▼", "P": "✚", "<": "◀", ">": "▶"}
HOLLOW = {"*": "☆", "^": "△", "v": "▽"}
RELATIONS = {"~": "about ", "<": "under ", "<=": "at most ", ">": "over ", ">=": "at least "}
# The page's variables for the colours of figures: their values depend on its theme.
VARIABLES = {colour.lower(): f"var(--c{place})" for place, colour in enumerate(COLOURS)}
VARIABLES |= {INK: "var(--ink)", FAINT: "var(--soft)", GRID.lower(): "var(--grid)", "#ffffff": "var(--paper)"}
MOST_POINTS = 4000  # of a figure that can be pointed at: those of more are too close to each other
POINT = 72  # units of a matplotlib SVG in an inch


def figures_of(run, has_scales=True):
    """The figures that can be drawn, messages of those that cannot, the names of those whose quantity no case has, and
    the published numbers that they show. Records and published numbers are counted from the run's first."""
    found, troubles, empty, published_numbers = [], [], [], []
    try:
        entries = plot_entries.entries(run)
    except records.RecordError as error:
        return [], [str(error)], [], []
    for entry, place in entries:
        try:
            plot = plot_entries.complete(entry, place)
            rows = plot_entries.choose_rows(run, plot)
            published = plot_entries.load_published(plot)
            if rows:
                found.append(plot_figure(plot, rows, published, run, published_numbers, has_scales))
            else:
                empty.append(f"{run.label}: {plot['name']}")
        except (records.RecordError, RecursionError) as error:
            troubles.append(str(error))
        except (ValueError, ArithmeticError, RuntimeError) as error:  # of matplotlib
            troubles.append(f"{place}: cannot be drawn: {error}")
    simulated, unread = predicted_figures(run, published_numbers)
    return found + simulated, troubles + unread, empty, published_numbers


def count_on(figures, **before):
    """Has the points of a run's figures lead to what they show on a page that has so many records and published numbers
    before those of the run."""
    for figure in figures:
        for point in figure["points"]:
            kind, _, number = point[2].rpartition("-")
            point[2] = f"{kind}-{before[kind] + int(number)}" if kind else ""


def plot_figure(plot, rows, published, run, published_numbers, has_scales):
    """The figure of a plot, with each axis linear and logarithmic where its values are above 0."""
    numeric = is_numeric(plot, rows)
    xs = {row[plot["x"]] for row in rows if numeric and row.get(plot["x"]) is not None}
    scales = {}
    if numeric and len(xs) > 1 and min(xs) > 0:
        scales["logx"] = plot["x"]
    timed = [y for y in plot["y"] if numeric or y not in records.COUNTED]
    if timed and all(row[y] > 0 for y in timed for row in rows if row.get(y) is not None):
        scales["logy"] = records.QUANTITIES[timed[0]].label if len(plot["y"]) == 1 else "values"

    if not has_scales or len(rows) * len(plot["y"]) > MOST_POINTS:
        scales = {}  # as the plot has them: each is a drawing of its own

    def draw(**logs):
        return figures.draw_panels({**plot, **logs}, rows, published, run)

    def text(y, row, _):
        quantity = records.QUANTITIES[y]
        name, value = plot["x"], row.get(plot["x"])
        place = records.format_axis(name, value) if not numeric else f"{name} {records.format_axis(name, value)}"
        number = numbers.spaced(shown.text_of(row, y))
        lines = [place if value is not None else f"any {name}", with_unit(number, quantity.unit)]
        ends = shown.interval_of(row) if y == "time_ns" else interval_text(row, y, quantity.scale)
        return [*lines, with_unit(ends, quantity.unit)] if ends else lines

    def published_text(y, entry, _):
        quantity = records.QUANTITIES[y]
        value = entry.get(plot["x"])
        place = "" if value is None else f"{plot['x']} {records.format_axis(plot['x'], value)}"
        number = numbers.spaced(f"{entry['value'] / quantity.scale:.6g}")
        relation = RELATIONS.get(entry["relation"], "")
        return [place or f"any {plot['x']}", with_unit(f"{relation}{number}", quantity.unit)]

    return PageFigure(
        f"{run.label} {plot['name']}",
        figures.with_powers(embedding.cut(plot["title"], TITLE_LENGTH)),
        draw,
        text,
        published_text,
        scales,
        logs={axis: bool(plot[axis]) for axis in scales},
        along="x" if numeric else "y",
    ).embedded(published_numbers)


def interval_text(row, y, scale):
    """The ends of a quantity that follows the time, or nothing."""
    ((below,), (above,)) = interval([row], y, scale)
    if not math.isfinite(below) or not math.isfinite(above) or not below + above:
        return ""
    value = row[y] / scale
    return " to ".join(numbers.four(end) for end in (value - below, value + above))


def predicted_figures(run, published_numbers):
    """The figure of what `redbench cachesim` predicted for a run's cases, and messages where it cannot be read."""
    path = run.directory / "cachesim" / "predictions.json"
    if not path.is_file():
        return [], []
    try:
        predicted = predictions.load(path)
        printed = predictions.printed_for(run.name)
    except records.RecordError as error:
        return [], [str(error)]

    def text(y, case, value):
        unit = "ns" if y == predictions.TIME else "%"
        number = RELATIONS.get(case.get("relation"), "") + numbers.four(value)
        return [f"m {records.format_axis('m', case['m'])}", with_unit(number, unit)]

    def draw():
        return predictions.draw_panels(predicted, printed)

    figure = PageFigure(f"{run.label} predictions", "Predicted by the cache simulator", draw, text, text)
    return [figure.embedded(published_numbers)], []


def compared_figure(comparison, name):
    """The ratios of a comparison's cases, each with its interval."""

    def draw():
        figure, axes, drawn = comparisons.draw_panel(comparison)
        return figure, [(axes, "ratio", drawn)]

    def text(_, case, __):
        ends = [numbers.four(case[end]) if case.get(end) else "any" for end in ("ratio_low", "ratio_high")]
        return [embedding.cut(case["name"], NAME_LENGTH), numbers.four(case["ratio"]), " to ".join(ends)]

    title = "Ratio of the times, with its interval"
    return PageFigure(name, title, draw, text, text, along="rows").embedded([])


def with_unit(text, unit):
    return f"{text} {unit}" if unit else text


@dataclass
class PageFigure:
    """A figure for page/figure.js: how it is drawn, and what is shown of its points."""

    name: str  # unique on the page
    title: str
    draw: Callable  # of `logs`: gives the figure and of each panel (axes, quantity, drawn series)
    text: Callable  # of the quantity, a row or case, and its value there: lines of text
    published_text: Callable  # the same of a published number
    scales: dict = field(default_factory=dict)  # axes that may be linear or logarithmic -> their names
    logs: dict = field(default_factory=dict)  # whether these are logarithmic at first
    along: str = "x"  # the direction of a series for arrow keys; "rows" where each row is a case

    def embedded(self, published_numbers):
        series, points, states = {}, [], {}
        for state in states_of(self.scales):
            with plt.rc_context({**STYLE, "svg.fonttype": "none", "svg.hashsalt": f"{self.name} {state_name(state)}"}):
                figure, panels = self.draw(**state)
                for _, _, drawn in panels:
                    for each in drawn:
                        series.setdefault(each.name, each)
                names = list(series)
                step = -(-sum(len(each.points) for _, _, drawn in panels for each in drawn) // MOST_POINTS)
                for _, _, drawn in panels:
                    for each in drawn:
                        mark(each, names.index(each.name))
                        if step > 1:
                            thin(each, step)
                figure.tight_layout()
                states[state_name(state)] = {"svg": svg_of(figure), "at": places_of(figure, panels)}
                if not points:
                    points = [
                        self.point(names.index(each.name), each, y, point, published_numbers)
                        for _, y, drawn in panels
                        for each in drawn
                        for point in each.points
                    ]
                plt.close(figure)
        return {
            "title": self.title,
            "along": self.along,
            "scales": [[axis, embedding.cut(name, NAME_LENGTH), self.logs[axis]] for axis, name in self.scales.items()],
            "series": [
                [embedding.cut(name, NAME_LENGTH), colour_of(each), glyph_of(number, each)]
                for number, (name, each) in enumerate(series.items())
            ],
            "points": points,
            "states": states,
        }

    def point(self, number, series, y, point, published_numbers):
        """[number of its series, lines of text, the address that it links to]"""
        _, value, source = point
        if not series.is_published:
            link = f"record-{source['number']}" if source.get("number") is not None else ""
            return [number, self.text(y, source, value), link]
        published_numbers.append({key: value for key, value in source.items() if key != "column"})
        return [number, self.published_text(y, source, value), f"published-{len(published_numbers) - 1}"]


def states_of(scales):
    """Each combination of linear and logarithmic axes."""
    states = [{}]
    for axis in scales:
        states = [{**state, axis: log} for state in states for log in (False, True)]
    return states


def state_name(logs):
    """As figure.js calls it: the axes that are logarithmic."""
    return " ".join(axis for axis in ("logx", "logy") if logs.get(axis))


def colour_of(series):
    return COLOURS.index(series.colour) if series.colour in COLOURS else len(COLOURS) - 1


def glyph_of(number, series):
    return HOLLOW[series.marker] if series.is_published else GLYPHS[marker_of(number)]


def marker_of(number):
    """Another from the ninth on, where colours begin again."""
    return list(GLYPHS)[(number + number // len(COLOURS)) % len(GLYPHS)]


def mark(series, number):
    """Names the groups of a series in the SVG, and gives its points their marker."""
    for artist in series.artists:
        if not isinstance(artist, Artist):
            continue
        artist.set_gid(f"series-{number}")
        if isinstance(artist, Line2D) and series.is_published:
            artist.set_markerfacecolor("white")
        elif isinstance(artist, Line2D) and artist.get_marker() in MARKERS:
            artist.set_marker(marker_of(number))


def thin(series, step):
    """Leaves each so many-th point of a series its mark and its text; the line is drawn through all."""
    series.points = series.points[::step]
    for artist in series.artists:
        if isinstance(artist, Line2D) and artist.get_linestyle() != "None":
            artist.set_markevery(step)


def places_of(figure, panels):
    """The place of each point in the SVG; None outside of it, as that of 0 on a logarithmic axis."""
    places = []
    width, height = figure.get_size_inches() * POINT
    for axes, _, drawn in panels:
        for series in drawn:
            points = [(x, y) for x, y, _ in series.points]
            for right, up in axes.transData.transform(points) * POINT / figure.dpi if points else ():
                seen = 0 <= right <= width and 0 <= up <= height
                places.append([round(right, 1), round(height - up, 1)] if seen else None)
    return places


def svg_of(figure):
    """The figure as SVG without what the page's policy refuses: style attributes become presentation attributes, with
    the page's variables for colours; texts take the page's font and colour."""
    figure.patch.set_visible(False)
    for axes in figure.axes:
        axes.patch.set_visible(False)
    file = io.StringIO()
    FigureCanvasSVG(figure).print_svg(file, metadata={"Date": None, "Creator": None})
    svg = file.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg\b[^>]*?) width="[^"]*" height="[^"]*"|(<svg\b[^>]*?) height="[^"]*"', r"\1\2", svg)
    svg = re.sub(r"(\.\d\d)\d+", r"\1", svg)  # hundredths of a point are finer than any screen
    svg = re.sub(r'<g id="series-(\d+)"', r'<g data-series="\1"', svg)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r' style="([^"]*)"', lambda found: presentation(found[1]), svg)
    svg = re.sub(r'(<text[^>]*) fill="[^"]*"', r"\1", svg)
    return embedding.visible(re.sub(r"\s*\n\s*", " ", svg))


def presentation(style):
    """fill: none; stroke: #0072b2 -> fill="none" stroke="var(--c0)"."""
    attributes = []
    for declaration in style.split("; "):
        name, _, value = declaration.strip("; ").partition(": ")
        if name and not name.startswith("font-family"):
            attributes.append(f' {name}="{VARIABLES.get(value, value)}"')
    return "".join(attributes)
