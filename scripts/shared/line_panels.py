"""Panels whose x are numbers: a line with its interval for each series, published points among them."""

import math

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from shared import records
from shared.row_series import fastest, is_level, keys_of_published, own_parameters, printed_form, published_name
from shared.style import (
    DASHES,
    FAINT,
    GREY,
    GRID,
    OWN_COLOURS,
    PUBLISHED_MARKERS,
    WIDTH,
    DrawnSeries,
    hollow,
    interval,
    mark_zeros,
    styles,
)


def draw_lines(axes, plot, series, published, run):
    names = {key: ", ".join(part for part in key if part) or plot["y"] for key in series}
    series = {key: rows for key, rows in series.items() if rows}
    look = looks(plot, series, names, run)
    shown = sorted({row[plot["x"]] for rows in series.values() for row in rows if not is_level(plot, row)})
    told_by_colour = not plot["groups"] and len(series) <= len(OWN_COLOURS)
    drawn, lines, dashed = {}, [], set()
    for key, rows in series.items():
        apart = own_parameters(rows, plot, run)
        of_series = look[names[key]]
        is_dashed = printed_form(plot, key, series) in dashed or any(covers(plot, rows, others) for others in lines)
        if told_by_colour and is_dashed:
            dashed.add(key)
            of_series = of_series._replace(dash=DASHES[1])
        lines += [] if apart else [rows]
        drawn[key] = draw_series(axes, plot, rows, shown, names[key], of_series, apart)

    entries = [(entry, {drawn[key].colour for key in keys_of_published(plot, entry, series)}) for entry in published]
    entries = [(entry, colours.pop() if len(colours) == 1 else GREY) for entry, colours in entries if colours]
    of_papers = draw_published(axes, plot, entries, shown)
    size_axis(axes, plot, shown)
    return [*drawn.values(), *of_papers]


def looks(plot, series, names, run):
    """The look of each name. Of more series than colours those have one that are the fastest somewhere."""
    best = [names[key] for key in fastest(plot, series, run)[: len(OWN_COLOURS)]]
    forms = {key: printed_form(plot, key, series) for key in series}
    printed = {names[key]: names[form] for key, form in forms.items() if form is not None}
    return styles(plot, [names[key] for key in series], best, printed)


def covers(plot, rows, others):
    """Whether the line of `rows` would hide most of that of `others`: 2 of 3 of its points are less than 2 % away."""
    values = {row.get(plot["x"]): row[plot["y"]] for row in rows}
    ratios = [values.get(row.get(plot["x"]), math.inf) / (row[plot["y"]] or math.nan) for row in others]
    return sum(0.98 < ratio < 1.02 for ratio in ratios) >= 2 / 3 * len(ratios)


def draw_series(axes, plot, rows, shown, name, look, apart):
    """A line with the band of its intervals; points, each with its interval, where parameters set them `apart`."""
    scale = records.QUANTITIES[plot["y"]].scale
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
    low = [v - d for v, d in zip(y, below, strict=True)]
    high = [v + d for v, d in zip(y, above, strict=True)]
    if apart:
        band = axes.vlines(x, low, high, color=look.colour, alpha=0.3, linewidth=3)
    else:
        band = axes.fill_between(x, low, high, color=look.colour, alpha=0.08 if look.is_grey else 0.18, linewidth=0)
    label = f"{name} ({', '.join(apart)} differ)" if apart else name
    shape = {"linestyle": "none" if apart else look.dash, "linewidth": look.width, "color": look.colour}
    shape |= {"marker": "" if level else look.marker, "markersize": 4 if look.width == WIDTH else 2.5}
    shape |= {"markeredgecolor": "white", "markeredgewidth": 0.5, "zorder": 2.5 if look.is_grey else 3}
    (line,) = axes.plot(x, y, label=label, clip_on=False, **shape)
    zeros = mark_zeros(axes, [place for place in zeros if None in place], look.colour, look.marker)
    return DrawnSeries(name, look.colour, look.marker, [line, band, *zeros], points)


def draw_published(axes, plot, published, shown):
    """Published points in the colours of the series that they belong to, grey where these differ: a hollow marker, with
    the value of a bound in its name, a dotted line where the paper gives no x, a band where it gives a range of the
    best x. Returns the drawn series."""
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
            bounds = ", ".join(dict.fromkeys(entry["text"] for _, _, entry in known if marker != "*"))
            look = {"color": colour, "markersize": 9, "zorder": 4, **hollow(marker, colour)}
            x, y, _ = zip(*known, strict=True)
            series.artists += axes.plot(x, y, label=f"{label}: {bounds}" if bounds else label, **look)
        everywhere = {entry["value"] / scale: entry for entry in entries if plot["x"] not in entry}
        for value, entry in everywhere.items():
            look = {"color": colour, "linewidth": 1.2, "linestyle": (0, (1, 2)), "zorder": 2}
            series.artists += axes.plot([shown[0], shown[-1]], [value] * 2, label=f"{label}: {entry['text']}", **look)
        series.points += known + [(x, y, entry) for y, entry in everywhere.items() for x in (shown[0], shown[-1])]
    best = [entry for entry, _ in published if entry["column"] is None]
    if best:
        devices = ", ".join(dict.fromkeys(entry["device"] for entry in best))
        values = sorted({entry["value"] for entry in best})
        width = 0 if len(values) > 1 else 4  # of the edge: a single value has no inside
        axes.axvspan(values[0], values[-1], color=GRID, alpha=0.6, linewidth=width, zorder=0)
        middle, place = math.sqrt(values[0] * values[-1]), {"xycoords": ("data", "axes fraction"), "ha": "center"}
        axes.annotate(f"best on {devices}\n(published)", (middle, 0.03), size=7.5, color=FAINT, **place)
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
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: records.format_axis(plot["x"], round(value))))
    units = {"n": "n (elements)", "block": "block (threads)", "mean_segment": "mean length of a segment (elements)"}
    axes.set_xlabel(units.get(plot["x"], plot["x"]))
    axes.margins(x=0.02)
