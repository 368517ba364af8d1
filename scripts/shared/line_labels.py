"""The names of lines, at their right ends."""

from collections import Counter
import math

import numpy as np

from shared.style import GREY, darker

LABEL_GAP = 0.052  # between the names of lines, as a share of the axes' height: one line of text
FARTHEST_LABEL = 2.5 * LABEL_GAP  # a name further than this from its line's end is hard to follow
EARLY = 0.9  # of the axes' width: a line that ends before it
BESIDE = 1.045  # where names beside the panel begin
NARROWER = 0.4  # a text in the panel is so much wider, as a share of it, once names beside have made the panel narrower


def label_lines(figure, axes, has_legend=True):
    """Writes the names of lines at their right ends, in their colours: beside the panel, or in it where a line ends
    early and has room. Where names would be far from these ends, there is a legend instead, in their order, unless
    lines look alike."""
    figure.canvas.draw()
    lines = named([line for line in axes.get_lines() if not line.get_label().startswith("_")])
    ends = {line: end_of(axes, line) for line in lines}
    inside = label_inside(axes, ends)
    with_way = with_way_to_name(lines, ends)
    while True:
        beside = sorted((line for line in lines if line not in inside), key=lambda line: ends[line][1])
        places = dict(zip(beside, spread([ends[line][1] for line in beside]), strict=True))
        ways = {line: place for line, place in places.items() if line in with_way}
        crossed = [line for line, text in inside.items() if is_crossed(axes, text, ends, ways)]
        if not crossed:
            break
        for line in crossed:
            inside.pop(line).remove()
    if has_legend and any(abs(place - ends[line][1]) > FARTHEST_LABEL for line, place in places.items()):
        for text in inside.values():
            text.remove()
        handles = sorted(lines, key=lambda line: -ends[line][1])
        place = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)}
        axes.legend(handles=handles, frameon=False, fontsize=8, handlelength=3.5, **place)
        return
    for line, place in places.items():
        write_beside(axes, line, ends[line], place, line in with_way)


def with_way_to_name(lines, ends):
    """A way from a line that ends early would look like data where its colour, or its being points, tells its name as
    well."""

    def kind(line):
        return line.get_color(), line.get_linestyle() == "None"

    kinds = Counter(map(kind, lines))
    is_told = {line for line in lines if kinds[kind(line)] == 1 and kind(line) != (GREY, False)}
    return {line for line in lines if ends[line][0] > EARLY or line not in is_told}


def named(lines):
    """Where not all names fit, those of tuned series are left out, which look as their printed forms, thinner."""
    names = {line.get_label() for line in lines}
    if len(lines) * LABEL_GAP <= 1:
        return lines
    return [line for line in lines if line.get_label().replace(", tuned", "") not in names - {line.get_label()}]


def end_of(axes, line):
    """As shares of the axes' width and height."""
    known = [(x, y) for x, y in zip(*line.get_data(), strict=True) if math.isfinite(x) and math.isfinite(y)]
    # A series of zeros alone has no end: its marks are at the axis.
    end = axes.transAxes.inverted().transform(axes.transData.transform(known[-1])) if known else (1.0, 0.0)
    return tuple(map(float, end))


def write_beside(axes, line, end, place, has_way):
    way = {"arrowstyle": "-", "relpos": (0, 0.5), "shrinkA": 0, "shrinkB": 4, "linewidth": 0.6}
    way |= {"color": line.get_color(), "alpha": 1 if end[0] > EARLY else 0.4}
    where = {"xy": end, "xytext": (BESIDE, place), "xycoords": "axes fraction", "textcoords": "axes fraction"}
    where |= {"annotation_clip": False, "arrowprops": way if has_way else None}
    axes.annotate(line.get_label(), **where, **look_of(line))


def look_of(line):
    """Of its name."""
    return {"va": "center", "size": 8, "color": darker(line.get_color())}


def label_inside(axes, ends):
    """Writes the names of lines that end early right of their ends, a little higher or lower, where there is no line or
    name. Returns line -> text."""
    taken = [dense(axes.transData.transform(np.column_stack(line.get_data()).astype(float)), line) for line in ends]
    inside = {}
    for line in (line for line, (at_x, _) in ends.items() if at_x <= EARLY):
        for up in (0, 7, -7, 13, -13):
            where = {"xycoords": "axes fraction", "xytext": (7, up), "textcoords": "offset points"}
            text = axes.annotate(line.get_label(), ends[line], **where, **look_of(line))
            box = text.get_window_extent().padded(2)
            box.x1 += NARROWER * box.width
            is_within = box.x1 < axes.bbox.x1 and box.y0 > axes.bbox.y0
            if is_within and not any(box.count_contains(points) for points in taken):
                x, y = np.meshgrid(np.linspace(box.x0, box.x1, 60), [box.y0, (box.y0 + box.y1) / 2, box.y1])
                taken.append(np.column_stack((x.ravel(), y.ravel())))
                inside[line] = text
                break
            text.remove()
    return inside


def is_crossed(axes, text, ends, places):
    """Whether the way from a line's end to its name beside the panel leads over the text."""
    ways = [axes.transAxes.transform([ends[line], (BESIDE, place)]) for line, place in places.items()]
    return any(text.get_window_extent().count_contains(dense(way)) for way in ways)


def dense(corners, line=None):
    """Points of a line, or its marks alone, in pixels: not farther from each other than a text is high."""
    if len(corners) < 2 or line and line.get_linestyle() == "None":
        return corners
    steps = np.linspace(0, 1, 60)[:, None, None]
    return (corners[:-1] * (1 - steps) + corners[1:] * steps).reshape(-1, 2)


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
