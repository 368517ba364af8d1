"""Panels whose x are names, a row for each: dots with intervals for measured quantities, bars for counted ones."""

from itertools import groupby
import math

from shared import records
from shared.row_series import stacks_launches
from shared.style import HATCHES, OWN_COLOURS, DrawnSeries, darker, hollow, interval, mark_zeros, spaced, styles

# With more dots than this in a panel their values are not written beside them.
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


def names_of(series, default):
    return {key: ", ".join(part for part in key if part) or default for key in series}


def draw_dots(axes, plot, series, published, height):
    """Dots with intervals, their launches as bars behind them, and published numbers as stars. Returns the drawn
    series."""
    quantity = records.QUANTITIES[plot["y"]]
    unnamed = "as printed" if "tuned" in plot["series"] else "measured here" if len(series) == 1 else "others"
    names = names_of(series, unnamed)
    look = styles(plot, list(names.values()))
    gap = min(GAP, 0.9 / len(series))  # many series stay with their name
    has_room = len(height) * len(series) <= MOST_NUMBERS and gap == GAP
    with_library = {row["variant"] for members in series.values() for row in members if row.get("library_ns")}
    drawn = []
    for turn, (key, members) in enumerate(series.items()):
        shift = gap * (turn - (len(series) - 1) / 2)
        x = [row[plot["y"]] / quantity.scale for row in members]
        y = [height[str(row[plot["x"]])] + shift for row in members]
        colour, _, marker, _ = look[names[key]]
        bars = []
        if stacks_launches(plot):
            bars = draw_launches(axes, plot, members, y, colour, gap / 1.2, with_library)
        ends = interval(members, plot["y"], quantity.scale)
        shape = {"color": colour, "marker": marker, "linestyle": "none", "markersize": 6.5, "capsize": 3, "zorder": 3}
        dots, caps, lines = axes.errorbar(x, y, xerr=ends, **shape)
        dots.set_label(names[key])
        texts = []
        if has_room:
            ends = [end_of(row, plot["y"], quantity.scale) for row in members] if stacks_launches(plot) else None
            texts = write_values(axes, x, y, colour, ends)
        points = list(zip(x, y, members, strict=True))
        zeros = [height for value, height in zip(x, y, strict=True) if value <= 0] if plot["logy"] else []
        marked = mark_zeros(axes, [(None, height) for height in zeros], colour, marker)
        drawn.append(DrawnSeries(names[key], colour, marker, [dots, *caps, *lines, *bars, *texts, *marked], points))

    published = [each for each in published if each["column"] == plot["y"] and str(each.get(plot["x"])) in height]
    for turn, device in enumerate(dict.fromkeys(entry["device"] for entry in published)):
        colour = OWN_COLOURS[(len(series) + turn) % len(OWN_COLOURS)]
        entries = [entry for entry in published if entry["device"] == device]
        x = [entry["value"] / quantity.scale for entry in entries]
        y = [height[str(entry[plot["x"]])] for entry in entries]
        (stars,) = axes.plot(x, y, label=f"{device} (published)", markersize=9, zorder=3, **hollow("*", colour))
        artists = [stars, *write_values(axes, x, y, colour)]
        points = list(zip(x, y, entries, strict=True))
        drawn.append(DrawnSeries(stars.get_label(), colour, "*", artists, points, is_published=True))
    axes.margins(x=0.12)
    return drawn


def launches_of(row):
    """What a case's bar is made of: calls of a library, most of which sort before all else, then its own launches."""
    library = [{"kernel": "a library", "time_ns": time} for time in row.get("library_ns") or []]
    return [*library, *row["launches"]]


def draw_launches(axes, plot, members, y, colour, thickness, with_library):
    """The times of each case's launches as one bar, the first launch at 0 and darkest. Their sum is not the case's
    time, as each launch was timed by itself. The kernels of variants `with_library` have the same shade without it."""
    scale = records.QUANTITIES[plot["y"]].scale
    artists = []
    for row, height in zip(members, y, strict=True):
        start = 0
        first = 1 if row["variant"] in with_library and not row.get("library_ns") else 0
        for place, launch in enumerate(launches_of(row), start=first):
            width = (launch.get("time_ns") or 0) * row[plot["y"]] / row["time_ns"] / scale
            alpha = max(0.15, 0.6 - 0.2 * place)
            artists += axes.barh(height, width, thickness, left=start, color=colour, alpha=alpha, linewidth=0)
            if place > 1:  # as light as the one before
                edge = [height - thickness / 2, height + thickness / 2]
                artists += axes.plot([start, start], edge, color="white", linewidth=0.8, zorder=2)
            start += width
    return artists


def launches_text(rows):
    """Which launches the shades of the bars are: the kernels of each variant, one after the other, and of its forms
    with others. A case may lack a launch: one set, for example, is not joined."""
    variants = {}
    for row in rows:
        kernels = [launch["kernel"].split("<")[0] for launch in launches_of(row) if launch.get("time_ns")]
        forms = variants.setdefault(records.short_name(row["variant"]), {})
        names = frozenset(kernels)
        forms[names] = max(forms.get(names, []), kernels, key=len)
    kinds = {}
    for variant, forms in variants.items():
        whole = [in_order(kernels) for names, kernels in forms.items() if not any(names < other for other in forms)]
        kinds.setdefault(" or ".join(whole), []).append(variant)
    parts = [f"{', '.join(of)}: {text}" for text, of in kinds.items() if text]
    untimed = ", ".join(kinds.get("", []))
    texts = ["bars: launches, from dark to light", "; ".join(parts)] if parts else []
    return [*texts, f"launches not timed one by one: {untimed}"] if parts and untimed else texts


def in_order(kernels):
    """"fill, 3 x pass, join"."""
    runs = [(kernel, len(list(same))) for kernel, same in groupby(kernels)]
    return ", ".join(f"{count} x {kernel}" if count > 1 else kernel for kernel, count in runs)


def end_of(row, y, scale):
    """Where the bar of a row's launches and the interval of its dot are both over."""
    launches = sum(launch.get("time_ns") or 0 for launch in launches_of(row)) * row[y] / row["time_ns"]
    _, (above,) = interval([row], y, scale)
    return max(launches / scale, row[y] / scale + (above if math.isfinite(above) else 0))


def draw_bars(axes, plot, series, height):
    """Bars with their numbers; of several series, the first is on top. Returns the drawn series."""
    names = names_of(series, "counted")
    look = styles(plot, list(names.values()))
    thickness = 0.72 / len(series)
    drawn = []
    for turn, (key, members) in enumerate(series.items()):
        shift = thickness * ((len(series) - 1) / 2 - turn)
        x = [row[plot["y"]] for row in members]
        y = [height[str(row[plot["x"]])] + shift for row in members]
        colour = look[names[key]][0]
        hatch = HATCHES[turn // len(OWN_COLOURS) % len(HATCHES)]
        bars = axes.barh(y, x, thickness, color=colour, label=names[key], hatch=hatch, edgecolor="white", linewidth=0)
        texts = axes.bar_label(bars, [number(value) for value in x], padding=3, size=7.5)
        points = list(zip(x, y, members, strict=True))
        drawn.append(DrawnSeries(names[key], colour, "s", [bars, *bars, *texts], points))
    axes.margins(x=0.4)  # for the numbers
    if not any(row[plot["y"]] for members in series.values() for row in members):
        axes.set_xlim(right=1)
    return drawn


def number(value):
    return spaced(f"{value:,}") if isinstance(value, int) else f"{value:.4g}"


def write_values(axes, x, y, colour, ends=None):
    """The numbers above their dots, or right of `ends`."""
    above = {"xytext": (0, 6), "ha": "center", "va": "baseline"}
    look = {"xytext": (8, 0), "ha": "left", "va": "center"} if ends else above
    look |= {"textcoords": "offset points", "size": 7.5, "color": darker(colour)}
    places = zip(ends or x, y, strict=True)
    return [axes.annotate(f"{value:.4g}", at, **look) for value, at in zip(x, places, strict=True)]
