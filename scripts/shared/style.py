"""Shared by the panels of all figures: colours, dashes, markers, the drawn series, intervals, numbers."""

from dataclasses import dataclass, field
import math
from typing import NamedTuple
import warnings

from matplotlib.colors import to_rgb

from shared import records

# Of letters that the font lacks and of texts wider than a figure: what is drawn, a reader sees.
warnings.filterwarnings("ignore", category=UserWarning)

# Okabe and Ito's palette, told apart with any colour vision, then wine and olive of Tol's, in the order in which series
# take them. The last is for what has no colour of its own.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255", "#7A7A1E", "#8A8A8A")
GREY = COLOURS[-1]
OWN_COLOURS = COLOURS[:-1]
WIDTH, THIN = 1.6, 0.9  # of lines
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.2, 1, 1.2)))
MARKERS = ("o", "s", "^", "D")
HATCHES = ("", "////", "....", "xxxx", "----", "oooo", "++++", "\\\\\\\\")  # of bars, which have neither
FALL_AS_TIME_RISES = ("bandwidth_gb_per_s", "percent_of_ceiling", "percent_of_scattered")
PUBLISHED_MARKERS = {"=": "*", "~": "*", "<": "v", "<=": "v", ">": "^", ">=": "^"}
INK, FAINT, GRID = "#222222", "#707070", "#E4E4E4"

STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],  # the first draws; a reader without it sees the next
    "font.size": 9, "axes.titlesize": 11, "axes.titleweight": "bold", "axes.titlelocation": "left",
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), FAINT),
    **dict.fromkeys(("axes.labelcolor", "text.color", "xtick.labelcolor", "ytick.labelcolor"), INK),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
    "axes.grid": True, "grid.color": GRID, "grid.linewidth": 0.7, "axes.axisbelow": True,
    "svg.hashsalt": "redbench", "svg.fonttype": "none",
    "text.usetex": False, "text.parse_math": False,  # a `$` in a name is a `$`
    "lines.linewidth": WIDTH, "lines.markersize": 4,
}


@dataclass
class DrawnSeries:
    """A series as a panel shows it, for pages that hide series and show the values of points."""

    name: str
    colour: str
    marker: str
    artists: list = field(default_factory=list)  # the first is what a legend shows
    points: list = field(default_factory=list)  # (x, y, the row, case or published number), in units of the axes
    is_published: bool = False


class Look(NamedTuple):
    """How a series is drawn."""

    colour: str
    dash: str | tuple
    marker: str
    width: float = WIDTH

    @property
    def is_grey(self):
        return self.colour == GREY


def styles(plot, names, best=(), printed=None):
    """The look of each series: one colour each, or one for each of the plot's groups, whose members differ in dash and
    marker. Where there are more than colours, those that are not among the `best` are grey and thin, if dashes and
    markers tell them apart. A tuned series has the look of its printed form, thinner (`printed`: name -> its name)."""
    printed = printed or {}
    teams = [list(members) for members in plot["groups"]]
    grouped = {name for members in teams for name in members}
    teams += [[name] for name in names if name not in grouped and name not in printed]
    best = {printed.get(name, name) for name in best}
    others = []
    if best and len(teams) > len(OWN_COLOURS):
        others = [name for members in teams if not best.intersection(members) for name in members]
    if len(others) > len(DASHES) * len(MARKERS):
        others = []
    colours = COLOURS if len(teams) == len(COLOURS) and not others else OWN_COLOURS
    look = {}
    for number, members in enumerate(members for members in teams if not set(others).intersection(members)):
        turn = number // len(colours)  # colours begin again
        for place, name in enumerate(members, turn):
            look[name] = Look(colours[number % len(colours)], dash_of(place), MARKERS[place % len(MARKERS)])
    for number, name in enumerate(others):
        look[name] = Look(GREY, dash_of(number), MARKERS[number % len(MARKERS)], THIN)
    return look | {tuned: look[name]._replace(width=look[name].width * THIN / WIDTH) for tuned, name in printed.items()}


def dash_of(place):
    return DASHES[(place + place // len(MARKERS)) % len(DASHES)]  # 128 series differ


def mark_zeros(axes, places, colour, marker):
    """Hollow marks at the edge of logarithmic axes, where 0 has no place: of (x, y) what is None is 0 there. Returns
    what is drawn."""
    edges = {
        (False, True): axes.get_xaxis_transform(),
        (True, False): axes.get_yaxis_transform(),
        (True, True): axes.transAxes,
    }
    artists = []
    for zero, transform in edges.items():
        of_edge = [place for place in places if tuple(value is None for value in place) == zero]
        if of_edge:
            x, y = zip(*((x or 0, y or 0) for x, y in of_edge), strict=True)
            look = {"markersize": 6.5, "label": "_zero", "clip_on": False, "zorder": 5, **hollow(marker, colour)}
            artists += axes.plot(x, y, transform=transform, **look)
    if artists:
        axes.redbench_zeros = getattr(axes, "redbench_zeros", 0) + len(places)
    return artists


def legend_beside(axes, fontsize=8, **more):
    """Right of the panel, from its top."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=fontsize, **more)


def hollow(marker, colour):
    return {"linestyle": "none", "marker": marker, "markerfacecolor": "white", "markeredgecolor": colour}


def interval(rows, y, scale):
    """The confidence interval of the median in the unit of y, as distances below and above each point; NaN where the
    record has none."""
    below, above = [], []
    for row in rows:
        value, time, low, high = (row.get(c) for c in (y, "time_ns", "time_low_ns", "time_high_ns"))
        if not records.QUANTITIES[y].follows_time:
            ends = (value, value)
        elif not time or low is None or high is None:
            ends = (math.nan, math.nan)
        elif y in FALL_AS_TIME_RISES:
            ends = (value * time / high, value * time / low)
        else:
            ends = (value * low / time, value * high / time)
        below.append(max((value - ends[0]) / scale, 0.0))  # NaN stays
        above.append(max((ends[1] - value) / scale, 0.0))
    return below, above


def darker(colour):
    """The colour for text in the colour of a line, as light text is hard to read."""
    return tuple(0.72 * part for part in to_rgb(colour))


def spaced(text):
    """1,234,567 -> 1 234 567."""
    return text.replace(",", " ")
