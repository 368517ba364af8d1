"""The names of lines, at their right ends."""

import math

from shared.style import darker

LABEL_GAP = 0.052  # between the names of lines, as a share of the axes' height: one line of text
FARTHEST_LABEL = 2.5 * LABEL_GAP  # a name further than this from its line's end is hard to follow


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
