"""Panels over names, a row for each: dots with intervals for what is measured, bars for what is counted."""

from itertools import groupby
import math

from look import COLOURS, darker, interval, spaced, styles
import records
from series import stacks_launches

# Dots above each other in a panel whose numbers are still apart.
MOST_NUMBERS = 24
# Between the dots of one name, where it has room for all.
GAP = 0.12


def name_rows(axes, x, rows, run):
    """A row per name, from the top in the order of the records. Returns name -> height."""
    names = list(dict.fromkeys(str(row[x]) for row in run.rows if row in rows))
    heights = {name: -place for place, name in enumerate(names)}
    axes.set_yticks(list(heights.values()), [records.format_axis(x, name) for name in names])
    axes.set_ylim(-len(names) + 0.5, 0.6)
    axes.grid(visible=False, axis="y")
    return heights


def gap_of(count):
    """Between the dots of one name, so that those of so many series stay with it."""
    return min(GAP, 0.9 / count)


def shift_of(turn, count):
    """From the height of a name to the dot of its series."""
    return gap_of(count) * (turn - (count - 1) / 2)


def draw_dots(axes, plot, series, published, height):
    """Dots with intervals, published points beside. Returns what a legend would name."""
    scale = records.QUANTITIES[plot["y"]].scale
    names = {key: ", ".join(part for part in key if part) or "measured here" for key in series}
    look = styles(plot, list(names.values()))
    handles = []
    has_room = len(height) * len(series) <= MOST_NUMBERS and gap_of(len(series)) == GAP
    for turn, (key, members) in enumerate(series.items()):
        x = [row[plot["y"]] / scale for row in members]
        y = [height[str(row[plot["x"]])] + shift_of(turn, len(series)) for row in members]
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
        if has_room and stacks_launches(plot):
            name_values(axes, [ends_of(row, plot["y"], scale) for row in members], y, colour, x)
        elif has_room:
            name_values(axes, x, y, colour)

    published = [
        entry for entry in published if entry["column"] == plot["y"] and str(entry.get(plot["x"])) in height
    ]
    for turn, device in enumerate(dict.fromkeys(entry["device"] for entry in published)):
        colour = COLOURS[(len(series) + turn) % len(COLOURS)]
        entries = [entry for entry in published if entry["device"] == device]
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
    axes.margins(x=0.12)
    return handles


def draw_launches(axes, plot, series, height):
    """Behind the dots: the times of each case's launches as a bar, the first launch at 0 and darkest. Their sum is not
    the whole's time, as each was taken by itself."""
    scale = records.QUANTITIES[plot["y"]].scale
    look = styles(plot, [", ".join(part for part in key if part) or "measured here" for key in series])
    thickness = gap_of(len(series)) / 1.2
    for turn, (members, (colour, _, _)) in enumerate(zip(series.values(), look.values(), strict=True)):
        for row in members:
            y = height[str(row[plot["x"]])] + shift_of(turn, len(series))
            start = 0
            for place, launch in enumerate(row["launches"]):
                width = (launch.get("time_ns") or 0) * row[plot["y"]] / row["time_ns"] / scale
                alpha = max(0.15, 0.6 - 0.2 * place)
                axes.barh(y, width, thickness, left=start, color=colour, alpha=alpha, linewidth=0)
                if place > 1:  # as light as the one before
                    edge = [y - thickness / 2, y + thickness / 2]
                    axes.plot([start, start], edge, color="white", linewidth=0.8, zorder=2)
                start += width


def told_launches(rows):
    """What the shades of the bars stand for: the kernels of each variant, one after the other."""
    variants = {}
    for row in rows:
        kernels = [launch["kernel"].split("<")[0] for launch in row["launches"] if launch.get("time_ns")]
        runs = [(kernel, len(list(same))) for kernel, same in groupby(kernels)]
        told = ", ".join(f"{count} x {kernel}" if count > 1 else kernel for kernel, count in runs)
        known = variants.setdefault(records.short_name(row["variant"]), told)
        if len(told) > len(known):  # one set, for example, is not joined by a launch
            variants[records.short_name(row["variant"])] = told
    kinds = {}
    for variant, told in variants.items():
        kinds.setdefault(told, []).append(variant)
    parts = [f"{', '.join(of)}: {told}" for told, of in kinds.items() if told]
    return [f"launches from dark to light  ·  {'; '.join(parts)}"] if parts else []


def ends_of(row, y, scale):
    """Where the bar of a row's launches and the interval of its dot are both over."""
    launches = sum(launch.get("time_ns") or 0 for launch in row["launches"]) * row[y] / row["time_ns"]
    _, (above,) = interval([row], y, scale)
    return max(launches / scale, row[y] / scale + (above if math.isfinite(above) else 0))


def draw_bars(axes, plot, series, published, height):
    """Bars with their numbers; of several series, the first is on top. Returns what a legend would name."""
    names = {key: ", ".join(part for part in key if part) or "counted" for key in series}
    look = styles(plot, list(names.values()))
    thickness = 0.72 / len(series)
    handles = []
    for turn, (key, members) in enumerate(series.items()):
        shift = thickness * ((len(series) - 1) / 2 - turn)
        y = [height[str(row[plot["x"]])] + shift for row in members]
        colour = look[names[key]][0]
        bars = axes.barh(y, [row[plot["y"]] for row in members], thickness, color=colour, label=names[key])
        handles.append(bars)
        axes.bar_label(bars, [number(row[plot["y"]]) for row in members], padding=3, size=7.5)
    axes.margins(x=0.4)  # for the numbers
    if not any(row[plot["y"]] for members in series.values() for row in members):
        axes.set_xlim(right=1)
    return handles


def number(value):
    return spaced(f"{value:,}") if isinstance(value, int) else f"{value:.4g}"


def name_values(axes, x, y, colour, values=None):
    """The numbers above their dots; other `values` right of x."""
    for value, at in zip(values or x, zip(x, y, strict=True), strict=True):
        axes.annotate(
            f"{value:.4g}",
            at,
            xytext=(8, 0) if values else (0, 6),
            textcoords="offset points",
            ha="left" if values else "center",
            va="center" if values else "baseline",
            size=7.5,
            color=darker(colour),
        )
