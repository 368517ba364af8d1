"""Comparisons as `redbench compare --json` writes them: read and drawn."""

import math

import matplotlib
from matplotlib.lines import Line2D
import matplotlib.pyplot as plt

from shared import records, schema
from shared.schema import ABOVE_0, list_of, object_of
from shared.style import COLOURS, FAINT, GRID, INK, DrawnSeries, darker, legend_beside
from shared.visible import visible

VERDICTS = ("same", "slower", "faster", "undecided")
NUMBERS = ("ratio", "ratio_low", "ratio_high")
COLOUR = dict(zip(VERDICTS, (*COLOURS[:3], COLOURS[-1]), strict=True))
ROW_HEIGHT = 0.17  # inches
CASE = object_of(axes={"type": "object"}, verdict={"enum": VERDICTS})
CASE["properties"] |= dict.fromkeys(NUMBERS, {**ABOVE_0, "type": ["number", "null"]})  # where there are such
COMPARISON = object_of(cases=list_of(CASE))


def load(path):
    """The file's comparison. RecordError where it is none."""
    return schema.load(path, COMPARISON, "compare --json")


def limits(cases, threshold):
    """Both ends of the axis, as far from 1 in logarithms: all ratios, and the intervals that are not endless."""
    values = [case[name] for case in cases for name in NUMBERS if case.get(name)]
    farthest = max([2 * math.log(threshold), 0.01, *(1.1 * abs(math.log(value)) for value in values)])
    farthest = min(farthest, math.log(1e6))
    return math.exp(-farthest), math.exp(farthest)


def names(cases, of_variants):
    """Names of the cases: the variant, and each axis in which they differ."""
    rows = []
    for case in cases:
        axes = {
            name: records.axis_value(value)
            for name, value in case["axes"].items()
        }
        row = {name: case.get(name) for name in ("problem", "n", "type", "operator")}
        rows.append({**row, **axes, "mode": case.get("mode"), "device": case.get("device")})
    columns = records.varying(rows, list(dict.fromkeys(name for row in rows for name in row))) or ["n"]
    texts = []
    for case, row in zip(cases, rows, strict=True):
        parts = [] if of_variants else [records.format_axis("variant", str(case.get("variant")))]
        parts += [records.format_axis(c, row[c]) for c in columns if row.get(c) is not None]
        texts.append(" ".join(parts))
    return texts


def draw_panel(comparison):
    """The figure without its texts, its axes, and a drawn series for each verdict."""
    cases = comparison["cases"]
    figure, axes = plt.subplots(figsize=(8, 1.6 + ROW_HEIGHT * max(len(cases), 3)))
    threshold = 1 + float(comparison.get("threshold_percent", 0)) / 100
    axes.axvspan(1 / threshold, threshold, color=GRID, zorder=0)
    axes.axvline(1, color=FAINT, linewidth=0.8)
    low, high = limits(cases, threshold)
    drawn = {verdict: DrawnSeries(verdict, COLOUR[verdict], "o") for verdict in VERDICTS}
    for row, case in enumerate(cases):
        if case.get("ratio") is None:
            continue
        series = drawn[case["verdict"]]
        ends = [case["ratio_low"] or low, case["ratio_high"] or high]
        series.artists += axes.plot(ends, [row, row], color=series.colour, linewidth=1.4)
        series.artists += axes.plot([case["ratio"]], [row], color=series.colour, marker="o", linestyle="None")
        series.points.append((case["ratio"], row, case))
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    ticks(axes, low, high)
    axes.set_ylim(len(cases) - 0.5, -0.5)
    axes.set_yticks(range(len(cases)), names(cases, comparison.get("of_variants")), fontsize=7)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("time of {1} / time of {0}".format(*sides(comparison)))
    return figure, axes, [series for series in drawn.values() if any(case["verdict"] == series.name for case in cases)]


def sides(comparison):
    of_variants = comparison.get("of_variants")
    return tuple(visible(str(comparison[side])) for side in ("first", "second")) if of_variants else ("A", "B")


def draw(comparison):
    """The whole figure: a row for each case, the verdicts' colours, small print."""
    cases = comparison["cases"]
    figure, axes, drawn = draw_panel(comparison)
    first, second = sides(comparison)
    axes.set_title(f"{second} against {first}: {comparison.get('differing', 0)} of {len(cases)} differ", pad=12)
    handles = [Line2D([], [], color=series.colour, marker="o", label=series.name) for series in drawn]
    legend_beside(axes, handles=handles, labelcolor=[darker(series.colour) for series in drawn])
    origin = [] if comparison.get("of_variants") else [f"A {comparison.get('first')}", f"B {comparison.get('second')}"]
    wider = any(case["verdict"] in ("faster", "slower") for case in cases)
    intervals = "95 % intervals" + ", wider where faster or slower: together 95 %" * wider
    origin.append(f"{intervals}; grey: within {comparison.get('threshold_percent')} %")
    figure.tight_layout(rect=(0, 0.25 / figure.get_figheight(), 1, 1))
    figure.text(0.012, 0.06 / figure.get_figheight(), "   ·   ".join(map(visible, origin)), size=6.5, color=FAINT)
    return figure


def ticks(axes, low, high):
    """At round numbers: a logarithmic axis over a few percent has none of its own."""
    axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    if high / low > 20:
        axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        return
    places = matplotlib.ticker.MaxNLocator(7).tick_values(low, high)
    axes.xaxis.set_major_locator(matplotlib.ticker.FixedLocator([p for p in places if low <= p <= high]))
    axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:.4g}"))
    axes.tick_params(axis="x", colors=INK)
