"""One figure of one plot: lines over a numeric axis, or dots over names, with published points beside."""

import math
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import to_rgb  # noqa: E402
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator  # noqa: E402

import records  # noqa: E402

# Okabe and Ito's palette, told apart with any colour vision, in the order in which series take it.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8A8A8A")
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.2, 1, 1.2)))
MARKERS = ("o", "s", "^", "D")
PUBLISHED_MARKERS = {"=": "*", "~": "*", "<": "v", "<=": "v", ">": "^", ">=": "^"}
INK, FAINT, GRID = "#222222", "#707070", "#E4E4E4"
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
LABEL_GAP = 0.052  # between the names of lines, as a share of the axes' height: one line of text
FARTHEST_LABEL = 2.5 * LABEL_GAP  # a name further than this from its line's end is hard to follow

STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "svg.hashsalt": "redbench",
    "svg.fonttype": "path",
    "lines.linewidth": 1.6,
    "lines.markersize": 4,
}


def draw(plot, rows, published, run):
    """One figure, in matplotlib. An axis that the plot does not name, but that tells two rows of one point
    apart, becomes part of a series' name: a line never joins points of different experiments."""
    columns = list(plot["series"])
    for axis in ("variant", *run.axes, *run.parameters):
        if axis != plot["x"] and axis not in columns and splits(rows, [plot["x"], *columns], axis):
            columns.append(axis)

    series = {}
    for row in rows:
        series.setdefault(tuple(records.format_axis(c, row.get(c)) for c in columns), []).append(row)
    numeric = all(isinstance(row[plot["x"]], (int, float)) for row in rows)

    figure, axes = plt.subplots(figsize=(8, 4.5))
    quantity = records.QUANTITIES[plot["y"]]
    if numeric:
        draw_lines(axes, plot, series, published)
    else:
        draw_dots(axes, plot, series, published, run)
    value_axis = axes.yaxis if numeric else axes.xaxis
    value_axis.set_label_text(f"{quantity.label} ({quantity.unit})")
    logarithmic = plot["logy"]
    if logarithmic:
        (axes.set_yscale if numeric else axes.set_xscale)("log")
        low, high = value_axis.get_view_interval()
        value_axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 1000 * low else (1,)))
        value_axis.set_minor_locator(NullLocator())
    elif numeric:
        axes.set_ylim(bottom=0)
    else:
        axes.set_xlim(left=0)
    value_axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}".replace(",", " ")))
    title = re.sub(r"\^(\d+)", lambda power: power[1].translate(SUPERSCRIPTS), plot["title"])
    axes.set_title(title, pad=12)
    if numeric:
        label_lines(figure, axes)
    figure.text(0.012, 0.012, footer(rows, run), size=6.5, color=FAINT)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    return figure


def splits(rows, columns, axis):
    """Whether rows that agree in `columns` differ in `axis`."""
    seen = {}
    return any(
        seen.setdefault(tuple(str(row.get(c)) for c in columns), str(row.get(axis))) != str(row.get(axis))
        for row in rows
    )


def footer(rows, run):
    modes = ", ".join(sorted({row["mode"] for row in rows}))
    shared = [
        axis
        for axis in (*run.axes, *run.parameters)
        if axis not in ("device", "mode")
        and not records.varying(rows, [axis])
        and rows[0].get(axis) is not None
    ]
    fixed = [f"{axis} {records.format_axis(axis, rows[0][axis])}" for axis in shared]
    origin = [run.hardware(rows), run.date, run.name, f"median and its 95 % interval, {modes}"]
    return "\n".join("  ·  ".join(part for part in parts if part) for parts in (origin, fixed))


def styles(plot, names):
    """Colour, dash and marker of each series: one colour each, or one for each of the plot's groups, whose
    members differ in dash and marker."""
    look = {}
    for group, members in enumerate(plot["groups"]):
        for place, name in enumerate(members):
            look[name] = (
                COLOURS[group % len(COLOURS)],
                DASHES[place % len(DASHES)],
                MARKERS[place % len(MARKERS)],
            )
    free = [name for name in names if name not in look]
    for index, name in enumerate(free, len(plot["groups"])):
        turn = index // len(COLOURS)
        look[name] = (
            COLOURS[index % len(COLOURS)],
            DASHES[turn % len(DASHES)],
            MARKERS[turn % len(MARKERS)],
        )
    return look


def interval(rows, y, scale):
    """The interval of the median in the unit of y, as distances below and above each point."""
    below, above = [], []
    for row in rows:
        value, time, low, high = row[y], row["time_ns"], row.get("time_low_ns"), row.get("time_high_ns")
        if not time or low is None or high is None:
            ends = (value, value)
        elif y in ("bandwidth_gb_per_s", "percent_of_ceiling"):
            ends = (value * time / high, value * time / low)
        else:
            ends = (value * low / time, value * high / time)
        below.append((value - ends[0]) / scale)
        above.append((ends[1] - value) / scale)
    return below, above


def draw_lines(axes, plot, series, published):
    scale = records.QUANTITIES[plot["y"]].scale
    names = {key: ", ".join(part for part in key if part) or plot["y"] for key in series}
    look = styles(plot, list(names.values()))
    for key, rows in series.items():
        rows = sorted(rows, key=lambda row: row[plot["x"]])
        x = [row[plot["x"]] for row in rows]
        y = [row[plot["y"]] / scale for row in rows]
        below, above = interval(rows, plot["y"], scale)
        colour, dash, marker = look[names[key]]
        axes.fill_between(
            x,
            [v - d for v, d in zip(y, below)],
            [v + d for v, d in zip(y, above)],
            color=colour,
            alpha=0.18,
            linewidth=0,
        )
        axes.plot(
            x,
            y,
            color=colour,
            linestyle=dash,
            marker=marker,
            label=names[key],
            markeredgecolor="white",
            markeredgewidth=0.5,
            clip_on=False,
            zorder=3,
        )

    shown = sorted({row[plot["x"]] for rows in series.values() for row in rows})
    colours = {rows[0]["variant"]: look[names[key]][0] for key, rows in series.items()}
    draw_published(
        axes, plot, [entry for entry in published if entry.get("variant") in colours], colours, shown
    )
    size_axis(axes, plot, shown)


def draw_published(axes, plot, published, colours, shown):
    """Published points in their variant's colour: a hollow marker, a dotted line where the paper does not
    give x, a band where it gives a range of the best x."""
    scale = records.QUANTITIES[plot["y"]].scale
    points = {}
    for entry in published:
        if entry["column"] != plot["y"]:
            continue
        label = f"{records.short_name(entry['variant'])}, {entry['device']} (published)"
        points.setdefault((label, entry["relation"]), []).append(entry)
    for (label, relation), entries in points.items():
        colour = colours[entries[0]["variant"]]
        known = sorted(
            (entry[plot["x"]], entry["value"] / scale) for entry in entries if plot["x"] in entry
        )
        if known:
            axes.plot(
                *zip(*known),
                linestyle="none",
                label=label,
                marker=PUBLISHED_MARKERS[relation],
                markersize=9,
                markerfacecolor="white",
                markeredgecolor=colour,
                zorder=4,
            )
        for value in {entry["value"] / scale for entry in entries if plot["x"] not in entry}:
            axes.plot(
                [shown[0], shown[-1]],
                [value, value],
                color=colour,
                linewidth=1.2,
                linestyle=(0, (1, 2)),
                label=label,
                zorder=2,
            )
    best = [entry for entry in published if entry["column"] is None]
    if best:
        devices = ", ".join(dict.fromkeys(entry["device"] for entry in best))
        values = sorted({entry["value"] for entry in best})
        axes.axvspan(values[0], values[-1], color=GRID, alpha=0.6, linewidth=0, zorder=0)
        axes.annotate(
            f"best on {devices}\n(published)",
            (math.sqrt(values[0] * values[-1]), 0.03),
            ha="center",
            xycoords=("data", "axes fraction"),
            size=7.5,
            color=FAINT,
        )


def size_axis(axes, plot, values):
    """Ticks on measured values, at most nine: 16 Mi and the like for sizes, plain numbers otherwise."""
    if plot["logx"]:
        axes.set_xscale("log", base=2)
    step = -(-len(values) // 9)
    ticks = values[::-1][::step][::-1]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: records.format_axis(plot["x"], round(value)))
    )
    units = {"n": "n (elements)", "block": "block (threads)"}
    axes.set_xlabel(units.get(plot["x"], plot["x"]))
    axes.margins(x=0.02)


def label_lines(figure, axes):
    """Names each line at its right end, in its colour. Names that would have to move far from their lines'
    ends become a legend instead, in the order of the ends."""
    lines = [line for line in axes.get_lines() if not line.get_label().startswith("_")]
    figure.canvas.draw()
    to_axes = axes.transAxes.inverted()
    ends = []
    for line in lines:
        x, y = line.get_xdata()[-1], line.get_ydata()[-1]
        at_x, at_y = to_axes.transform(axes.transData.transform((x, y)))
        ends.append((at_y, at_x, line))
    ends.sort(key=lambda end: end[0])
    places = spread([end[0] for end in ends])
    if max(abs(place - end[0]) for place, end in zip(places, ends)) > FARTHEST_LABEL:
        axes.legend(
            handles=[line for _, _, line in reversed(ends)],
            loc="center left",
            bbox_to_anchor=(1.01, 0.5),
            frameon=False,
            fontsize=8,
            handlelength=3.5,
        )
        return
    for place, (at_y, at_x, line) in zip(places, ends):
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
    """Rising heights moved as little as possible (in squares) so that neighbours are LABEL_GAP apart."""
    groups = []
    for index, height in enumerate(heights):
        groups.append([height - index * LABEL_GAP])
        while len(groups) > 1 and sum(groups[-2]) / len(groups[-2]) >= sum(groups[-1]) / len(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    flat = [sum(group) / len(group) for group in groups for _ in group]
    places = [height + index * LABEL_GAP for index, height in enumerate(flat)]
    raised = max(0.0, -places[0]) if places else 0.0
    return [place + raised for place in places]


def darker(colour):
    """The colour of text beside a line: light colours are hard to read."""
    return tuple(0.72 * part for part in to_rgb(colour))


def draw_dots(axes, plot, series, published, run):
    """A category per line, in the order of the records: dots with intervals, published points beside."""
    scale = records.QUANTITIES[plot["y"]].scale
    drawn = [row for members in series.values() for row in members]
    categories = list(dict.fromkeys(str(row[plot["x"]]) for row in run.rows if row in drawn))
    height = {category: -place for place, category in enumerate(categories)}
    names = {key: ", ".join(part for part in key if part) or "measured here" for key in series}
    look = styles(plot, list(names.values()))
    handles = []
    for turn, (key, members) in enumerate(series.items()):
        x = [row[plot["y"]] / scale for row in members]
        y = [height[str(row[plot["x"]])] + 0.12 * (turn - (len(series) - 1) / 2) for row in members]
        colour, _, marker = look[names[key]]
        dots, *_ = axes.errorbar(
            x,
            y,
            xerr=interval(members, plot["y"], scale),
            color=colour,
            marker=marker,
            linestyle="none",
            markersize=6.5,
            capsize=3,
            zorder=3,
        )
        dots.set_label(names[key])
        handles.append(dots)
        name_values(axes, x, y, colour)

    devices = list(
        dict.fromkeys(entry["device"] for entry in published if str(entry.get(plot["x"])) in height)
    )
    for turn, device in enumerate(devices):
        colour = COLOURS[(len(series) + turn) % len(COLOURS)]
        entries = [
            entry
            for entry in published
            if entry["device"] == device and str(entry.get(plot["x"])) in height
        ]
        x = [entry["value"] / scale for entry in entries]
        y = [height[str(entry[plot["x"]])] for entry in entries]
        handles += axes.plot(
            x,
            y,
            linestyle="none",
            marker="*",
            markersize=9,
            markerfacecolor="white",
            markeredgecolor=colour,
            label=f"{device} (published)",
            zorder=3,
        )
        name_values(axes, x, y, colour)
    axes.set_yticks(list(height.values()), [records.format_axis(plot["x"], c) for c in categories])
    axes.set_ylim(-len(categories) + 0.5, 0.6)
    axes.grid(visible=False, axis="y")
    axes.margins(x=0.12)
    if len(handles) > 1:
        axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)


def name_values(axes, x, y, colour):
    for at in zip(x, y):
        axes.annotate(
            f"{at[0]:.4g}",
            at,
            xytext=(0, 6),
            textcoords="offset points",
            ha="center",
            size=7.5,
            color=darker(colour),
        )
