"""The names of lines, at their right ends."""

import math

import numpy as np

from shared.style import darker

LABEL_GAP = 0.052  # between the names of lines, as a share of the axes' height: one line of text
FARTHEST_LABEL = 2.5 * LABEL_GAP  # a name further than this from its line's end is hard to follow
EARLY = 0.9  # of the axes' width: a line that ends before it
INSIDE = "inside"  # the mark of names in the panel


def label_lines(figure, axes, has_legend=True):
    """Writes the name of each line at its right end, in its colour: beside the panel, or in it where the line ends
    early and has room. Where names would be far from these ends, there is a legend instead, in their order, unless
    lines look alike."""
    lines = [line for line in axes.get_lines() if not line.get_label().startswith("_")]
    figure.canvas.draw()
    to_axes = axes.transAxes.inverted()
    taken = [dense(axes, line) for line in lines]
    ends = []
    for line in lines:
        known = [(x, y) for x, y in zip(*line.get_data(), strict=True) if math.isfinite(x) and math.isfinite(y)]
        # A series of zeros alone has no end: its marks are at the axis.
        at_x, at_y = to_axes.transform(axes.transData.transform(known[-1])) if known else (1.0, 0.0)
        if at_x > EARLY or not label_inside(axes, line, known[-1], taken):
            ends.append((at_y, at_x, line))
    if not ends:
        return
    ends.sort(key=lambda end: end[0])
    places = spread([end[0] for end in ends])
    farthest = max(abs(place - end[0]) for place, end in zip(places, ends, strict=True))
    if farthest > FARTHEST_LABEL and has_legend:
        for text in [text for text in axes.texts if text.get_gid() == INSIDE]:
            text.remove()
        beside = [line for _, _, line in reversed(ends)]
        axes.legend(
            handles=[*beside, *(line for line in lines if line not in beside)],
            loc="center left",
            bbox_to_anchor=(1.01, 0.5),
            frameon=False,
            fontsize=8,
            handlelength=3.5,
        )
        return
    for place, (at_y, at_x, line) in zip(places, ends, strict=True):
        axes.annotate(
            line.get_label(),
            xy=(at_x, at_y),
            xycoords="axes fraction",
            xytext=(1.045, place),
            textcoords="axes fraction",
            va="center",
            size=8,
            color=darker(line.get_color()),
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": line.get_color(),
                "linewidth": 0.6,
                "linestyle": "-" if at_x > EARLY else (0, (1, 3)),
                "relpos": (0, 0.5),
                "shrinkA": 0,
                "shrinkB": 4,
            },
        )


def dense(axes, line):
    """Points of a line, or its marks alone, in pixels: not farther from each other than a text is high."""
    corners = axes.transData.transform(np.column_stack(line.get_data()).astype(float))
    if len(corners) < 2 or line.get_linestyle() == "None":
        return corners
    steps = np.linspace(0, 1, 60)[:, None, None]
    return (corners[:-1] * (1 - steps) + corners[1:] * steps).reshape(-1, 2)


def label_inside(axes, line, end, taken):
    """Writes the name right of the end, a little higher or lower, where there is no line or name. Returns whether there
    is such a place, which is `taken` then."""
    for up in (0, 7, -7, 13, -13):
        text = axes.annotate(
            line.get_label(),
            end,
            xytext=(7, up),
            textcoords="offset points",
            va="center",
            size=8,
            color=darker(line.get_color()),
            gid=INSIDE,
        )
        box = text.get_window_extent().padded(2)
        if box.x1 < axes.bbox.x1 and not any(box.count_contains(points) for points in taken):
            x, y = np.meshgrid(np.linspace(box.x0, box.x1, 60), [box.y0, (box.y0 + box.y1) / 2, box.y1])
            taken.append(np.column_stack((x.ravel(), y.ravel())))
            return True
        text.remove()
    return False


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
