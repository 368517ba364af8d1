"""Panels whose x are numbers: a line with its interval for each series, published points among them."""

import math

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from shared import records
from shared.row_series import is_level, keys_of_published, published_name
from shared.style import COLOURS, FAINT, GRID, PUBLISHED_MARKERS, DrawnSeries, interval, mark_zeros, styles


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
