"""The figure of one plot: a panel per quantity, of lines over a numeric axis, or of dots or bars over names, with
published points among them."""

from itertools import islice
import math
import re
import textwrap

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from shared import program, records, shown
from shared.category_panels import draw_bars, draw_dots, launches_text, name_rows
from shared.row_series import (
    fixed,
    is_level,
    is_numeric,
    keys_of_published,
    published_name,
    series_of,
    stacks_launches,
    with_value,
)
from shared.style import (
    COLOURS,
    FAINT,
    GRID,
    PUBLISHED_MARKERS,
    DrawnSeries,
    darker,
    interval,
    mark_zeros,
    spaced,
    styles,
)
from shared.visible import visible

LABEL_GAP = 0.052  # between the names of lines, as a share of the axes' height: one line of text
FARTHEST_LABEL = 2.5 * LABEL_GAP  # a name further than this from its line's end is hard to follow
MOST_SERIES = 128  # that colour, dash and marker tell apart
TITLE_HEIGHT = 0.3  # inches, of a line, with its distance from the panels
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def draw(plot, rows, published, run):
    """The whole figure: panels, title, names of the series, small print."""
    figure, panels = draw_panels(plot, rows, published, run)
    all_axes = [axes for axes, _, _ in panels]
    title = "\n".join(filter(None, (with_powers(plot["title"]), program.stale_summary(rows))))
    if len(panels) == 1:
        all_axes[0].set_title(title, pad=12)
    if is_numeric(plot, rows):
        for axes in all_axes:
            label_lines(figure, axes)
    elif len(panels[-1][2]) > 1:
        handles = [series.artists[0] for series in panels[-1][2]]
        all_axes[-1].legend(
            handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8
        )
    make_room(figure, all_axes)
    small_print = wrapped(footer(plot, rows, run), figure.get_figwidth())
    small = figure.text(0.012, 0.012, small_print, size=6.5, color=FAINT)
    bottom = max(0.06, small.get_window_extent().y1 / figure.bbox.height)
    if len(panels) == 1:
        figure.tight_layout(rect=(0, bottom, 1, 1))
    else:
        titles = TITLE_HEIGHT * len(title.split("\n"))
        figure.tight_layout(rect=(0, bottom, 1, 1 - titles / figure.get_figheight()))
        all_axes[0].set_title(title, pad=12)  # over all panels: in the layout, the first would be as wide
    return figure


def draw_panels(plot, rows, published, run):
    """The figure without its texts, and of each panel (axes, quantity, drawn series)."""
    series = dict(islice(series_of(plot, rows, run).items(), MOST_SERIES + 1))
    too_many = len(series) > MOST_SERIES
    if too_many:
        series.popitem()
        rows = [row for members in series.values() for row in members]
    numeric = is_numeric(plot, rows)
    figure, all_axes = frame(len(plot["y"]), numeric)
    panels = []
    for axes, y in zip(all_axes, plot["y"], strict=False):
        panel = {**plot, "y": y, "logy": plot["logy"] and any((row.get(y) or 0) > 0 for row in rows)}
        if numeric:
            drawn = draw_lines(axes, panel, with_value(series, y), published)
        else:
            heights = name_rows(axes, plot["x"], rows, run)
            bars = y in records.COUNTED
            panel["logy"] = panel["logy"] and not bars  # a bar's length counts from 0
            if bars:
                drawn = draw_bars(axes, panel, with_value(series, y), heights)
            else:
                drawn = draw_dots(axes, panel, with_value(series, y), published, heights)
        scale_axis(axes, panel, numeric)
        note_zeros(axes, y)
        if too_many:
            text = f"the first {MOST_SERIES} series; more would look alike"
            axes.annotate(text, (0.01, 0.93), xycoords="axes fraction", va="top", size=7.5, color=FAINT)
        if len(all_axes) > 1 and not numeric:
            shorten(axes)
        panels.append((axes, y, drawn))
    return figure, panels


def make_room(figure, all_axes):
    """Makes the figure as large as the legend and the names beside its panels ask for, which would be cut."""
    legends = [axes.get_legend().get_window_extent() for axes in all_axes if axes.get_legend()]
    names = [(text.get_window_extent(), axes.bbox.x1) for axes in all_axes for text in axes.texts]
    wide = [extent.width for extent in legends] + [extent.x1 - end for extent, end in names]
    wide = max((beside / figure.dpi for beside in wide), default=0)
    high = max((extent.height for extent in legends), default=0) / figure.dpi
    width, height = figure.get_size_inches()
    figure.set_size_inches(width + max(0, wide - 0.35 * width), height + max(0, high - 0.7 * height / len(all_axes)))


def note_zeros(axes, y):
    """How many values a logarithmic axis has no place for."""
    count = getattr(axes, "redbench_zeros", 0)
    if count:
        text = f"hollow, at the edge: 0, which a logarithmic axis does not have ({count} times)"
        axes.annotate(text, (0.01, 0.985), xycoords="axes fraction", va="top", size=7.5, color=FAINT)


def with_powers(text):
    """2^24 as 2²⁴."""
    return re.sub(r"\^(\d+)", lambda power: power[1].translate(SUPERSCRIPTS), text)


def frame(count, numeric):
    """A figure of `count` panels: lines over numbers stand one above the other, names share their rows."""
    if numeric:
        figure, panels = plt.subplots(count, 1, figsize=(8, 4.5 * count), squeeze=False)
    else:
        width = 8 if count == 1 else 1.2 + 2 * count
        figure, panels = plt.subplots(1, count, figsize=(width, 4.5), squeeze=False, sharey=True)
    return figure, list(panels.flat)


def scale_axis(axes, plot, numeric):
    """The axis of the values, with its name: from 0 unless logarithmic."""
    value_axis = axes.yaxis if numeric else axes.xaxis
    value_axis.set_label_text(records.QUANTITIES[plot["y"]].heading)
    if plot["logy"]:
        (axes.set_yscale if numeric else axes.set_xscale)("log")
        low, high = value_axis.get_view_interval()
        value_axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 1000 * low else (1,)))
        value_axis.set_minor_locator(NullLocator())
    elif numeric:
        axes.set_ylim(bottom=0)
    else:
        axes.set_xlim(left=0)
    value_axis.set_major_formatter(FuncFormatter(lambda value, _: spaced(f"{value:,.6g}")))


def shorten(axes):
    """Makes a panel of several narrow: its label on two lines, few ticks."""
    axes.set_xlabel(axes.get_xlabel().replace(" (", "\n("))
    axes.xaxis.set_major_locator(
        MaxNLocator(3) if axes.get_xscale() == "linear" else LogLocator(numticks=4)
    )


def footer(plot, rows, run):
    origin = [run.hardware(rows), run.date, run.name]
    disturbed = []
    if any(records.QUANTITIES[y].follows_time for y in plot["y"]):
        disturbed.append(shown.disturbances(rows))
        modes = ", ".join(sorted({row["mode"] for row in rows}))
        origin.append(f"median and its 95 % interval, {modes}")
    if any(y in records.COUNTED for y in plot["y"]):
        origin.append("modelled device: counts, no times")
    origin.append(run.differences)
    stacked = not is_numeric(plot, rows) and any(stacks_launches({**plot, "y": y}) for y in plot["y"])
    launches = launches_text(rows) if stacked else []
    lines = [[part for part in parts if part] for parts in (origin, fixed(rows, run), disturbed, launches)]
    return "\n".join(visible("  ·  ".join(line)) for line in lines if line)


def wrapped(text, inches):
    """The small print with line breaks for a figure of this width."""
    lines = (textwrap.wrap(line, int(20 * inches)) for line in text.split("\n"))
    return "\n".join(part for line in lines for part in line)


def draw_lines(axes, plot, series, published):
    scale = records.QUANTITIES[plot["y"]].scale
    names = {key: ", ".join(part for part in key if part) or plot["y"] for key in series}
    look = styles(plot, list(names.values()))
    shown = sorted({row[plot["x"]] for rows in series.values() for row in rows if not is_level(plot, row)})
    drawn = {}
    for key, rows in series.items():
        if not rows:
            continue
        level = is_level(plot, rows[0])
        rows = rows * 2 if level else sorted(rows, key=lambda row: row[plot["x"]])
        x = [shown[0], shown[-1]] if level else [row[plot["x"]] for row in rows]
        y = [row[plot["y"]] / scale for row in rows]
        points = list(zip(x, y, rows, strict=True))
        zeros = [
            (None if plot["logx"] and a <= 0 else a, None if plot["logy"] and b <= 0 else b)
            for a, b in zip(x, y, strict=True)
        ]
        x, y = ([math.nan if v is None else v for v in values] for values in zip(*zeros, strict=True))
        below, above = interval(rows, plot["y"], scale)
        colour, dash, marker = look[names[key]]
        band = axes.fill_between(
            x,
            [v - d for v, d in zip(y, below, strict=False)],
            [v + d for v, d in zip(y, above, strict=False)],
            color=colour,
            alpha=0.18,
            linewidth=0,
        )
        (line,) = axes.plot(
            x,
            y,
            color=colour,
            linestyle=dash,
            marker="" if level else marker,
            label=names[key],
            markeredgecolor="white",
            markeredgewidth=0.5,
            clip_on=False,
            zorder=3,
        )
        zeros = mark_zeros(axes, [place for place in zeros if None in place], colour, marker)
        drawn[key] = DrawnSeries(names[key], colour, marker, [line, band, *zeros], points)

    own = {key: series[key] for key in drawn}
    entries = [(entry, {drawn[key].colour for key in keys_of_published(plot, entry, own)}) for entry in published]
    entries = [(entry, colours.pop() if len(colours) == 1 else COLOURS[-1]) for entry, colours in entries if colours]
    of_papers = draw_published(axes, plot, entries, shown)
    size_axis(axes, plot, shown)
    return [*drawn.values(), *of_papers]


def draw_published(axes, plot, published, shown):
    """Published points in the colours of the series that they belong to, grey where these differ: a hollow marker, a
    dotted line where the paper gives no x, a band where it gives a range of the best x. Returns the drawn series."""
    scale = records.QUANTITIES[plot["y"]].scale
    points = {}
    for entry, colour in published:
        if entry["column"] == plot["y"]:
            points.setdefault((published_name(plot, entry), entry["relation"], colour), []).append(entry)
    drawn = {}
    for (label, relation, colour), entries in points.items():
        marker = PUBLISHED_MARKERS[relation]
        series = drawn.setdefault(label, DrawnSeries(label, colour, marker, is_published=True))
        known = sorted(
            ((entry[plot["x"]], entry["value"] / scale, entry) for entry in entries if plot["x"] in entry),
            key=lambda point: point[:2],
        )
        if known:
            series.artists += axes.plot(
                [x for x, _, _ in known],
                [y for _, y, _ in known],
                linestyle="none",
                label=label,
                marker=marker,
                markersize=9,
                markerfacecolor="white",
                markeredgecolor=colour,
                zorder=4,
            )
        everywhere = {entry["value"] / scale: entry for entry in entries if plot["x"] not in entry}
        for value in set(everywhere):
            series.artists += axes.plot(
                [shown[0], shown[-1]],
                [value, value],
                color=colour,
                linewidth=1.2,
                linestyle=(0, (1, 2)),
                label=label,
                zorder=2,
            )
        series.points += known + [(x, y, entry) for y, entry in everywhere.items() for x in (shown[0], shown[-1])]
    best = [entry for entry, _ in published if entry["column"] is None]
    if best:
        devices = ", ".join(dict.fromkeys(entry["device"] for entry in best))
        values = sorted({entry["value"] for entry in best})
        width = 0 if len(values) > 1 else 4  # of the edge: a single value has no inside
        axes.axvspan(values[0], values[-1], color=GRID, alpha=0.6, linewidth=width, zorder=0)
        axes.annotate(
            f"best on {devices}\n(published)",
            (math.sqrt(values[0] * values[-1]), 0.03),
            ha="center",
            xycoords=("data", "axes fraction"),
            size=7.5,
            color=FAINT,
        )
    return list(drawn.values())


def apart(values, place, distance):
    """The last value, and before it each value that is at least `distance` from the next one kept."""
    kept = values[-1:]
    for value in values[-2::-1]:
        if place(kept[0]) - place(value) >= distance:
            kept = [value, *kept]
    return kept


def size_axis(axes, plot, values):
    """The axis of numbers: ticks at measured values, at most nine, with room for their labels."""
    if plot["logx"]:
        axes.set_xscale("log", base=2)
    step = -(-len(values) // 9)

    def place(value):
        return math.log2(max(value, 1)) if plot["logx"] else value

    ticks = apart(values[::-1][::step][::-1], place, (place(values[-1]) - place(values[0])) / 10)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: records.format_axis(plot["x"], round(value)))
    )
    units = {"n": "n (elements)", "block": "block (threads)"}
    axes.set_xlabel(units.get(plot["x"], plot["x"]))
    axes.margins(x=0.02)


def label_lines(figure, axes):
    """Writes the name of each line at its right end, in its colour. Where names would be far from these ends, there is
    a legend instead, in their order."""
    lines = [line for line in axes.get_lines() if not line.get_label().startswith("_")]
    figure.canvas.draw()
    to_axes = axes.transAxes.inverted()
    ends = []
    for line in lines:
        known = [(x, y) for x, y in zip(*line.get_data(), strict=True) if math.isfinite(x) and math.isfinite(y)]
        # A series of zeros alone has no end: its marks are at the axis.
        at_x, at_y = to_axes.transform(axes.transData.transform(known[-1])) if known else (1.0, 0.0)
        ends.append((at_y, at_x, line))
    ends.sort(key=lambda end: end[0])
    places = spread([end[0] for end in ends])
    if max(abs(place - end[0]) for place, end in zip(places, ends, strict=False)) > FARTHEST_LABEL:
        axes.legend(
            handles=[line for _, _, line in reversed(ends)],
            loc="center left",
            bbox_to_anchor=(1.01, 0.5),
            frameon=False,
            fontsize=8,
            handlelength=3.5,
        )
        return
    for place, (at_y, at_x, line) in zip(places, ends, strict=False):
        colour = line.get_markeredgecolor() if line.get_linestyle() == "None" else line.get_color()
        axes.annotate(
            line.get_label(),
            xy=(at_x, at_y),
            xycoords="axes fraction",
            xytext=(1.045, place),
            textcoords="axes fraction",
            va="center",
            size=8,
            color=darker(colour),
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.6,
                "relpos": (0, 0.5),
                "shrinkA": 0,
                "shrinkB": 4,
            },
        )


def spread(heights):
    """Least-squares shift of rising heights to at least LABEL_GAP between neighbours (pool adjacent violators)."""
    groups = []
    for index, height in enumerate(heights):
        groups.append([height - index * LABEL_GAP])
        while len(groups) > 1 and sum(groups[-2]) / len(groups[-2]) >= sum(groups[-1]) / len(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    flat = [sum(group) / len(group) for group in groups for _ in group]
    places = [height + index * LABEL_GAP for index, height in enumerate(flat)]
    raised = max(0.0, -places[0]) if places else 0.0
    return [place + raised for place in places]
