"""The figure of one plot: a panel per quantity, of lines over a numeric axis, or of dots or bars over names, with
published points among them."""

from itertools import islice
import re
import textwrap

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from shared import predictions, program, records, simulated
from shared.category_panels import draw_bars, draw_dots, name_rows
from shared.footers import footer
from shared.line_labels import label_lines
from shared.line_panels import draw_lines
from shared.row_series import is_numeric, series_of, with_value
from shared.style import FAINT, GREY, legend_beside, spaced

MOST_SERIES = 128  # that colour, dash and marker tell apart
TITLE_LETTERS = 10.5  # an inch
TITLE_HEIGHT = 0.3  # inches, of a line, with its distance from the panels
ROW_HEIGHT = 0.17  # inches, of a name beside an axis
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def draw(plot, rows, published, run):
    """The whole figure: panels, title, names of the series, small print."""
    figure, panels = draw_panels(plot, rows, published, run)
    all_axes = [axes for axes, _, _ in panels]
    title = "\n".join(filter(None, (with_powers(plot["title"]), program.stale_summary(rows))))
    if is_numeric(plot, rows):
        for axes, _, drawn in panels:
            some_look_alike = any(each.colour == GREY and not each.is_published for each in drawn)
            label_lines(figure, axes, has_legend=not some_look_alike)
    elif len(panels[-1][2]) > 1:
        legend_beside(all_axes[-1], handles=[series.artists[0] for series in panels[-1][2]])
    names = 0 if is_numeric(plot, rows) else len({str(row[plot["x"]]) for row in rows})
    make_room(figure, all_axes, names)
    small_print = wrapped(footer(plot, rows, run, simulated.of_plot(plot, run)), figure.get_figwidth())
    small = figure.text(0.012, 0.012, small_print, size=6.5, color=FAINT)
    bottom = max(0.06, small.get_window_extent().y1 / figure.bbox.height)
    for _ in range(2):  # how wide the title may be is known with the layout
        lay_out(figure, all_axes, wrapped(title, inches_right_of_axis(figure, all_axes[0]), TITLE_LETTERS), bottom)
    return figure


def lay_out(figure, all_axes, title, bottom):
    """Panels above the small print, which ends at `bottom`, with one title."""
    if len(all_axes) == 1:
        all_axes[0].set_title(title, pad=12)
        figure.tight_layout(rect=(0, bottom, 1, 1))
        return
    all_axes[0].set_title("")
    titles = TITLE_HEIGHT * len(title.split("\n"))
    figure.tight_layout(rect=(0, bottom, 1, 1 - titles / figure.get_figheight()))
    all_axes[0].set_title(title, pad=12)  # over all panels: in the layout, the first would be as wide


def inches_right_of_axis(figure, axes):
    return figure.get_figwidth() * (1 - axes.get_position().x0)


def draw_panels(plot, rows, published, run):
    """The figure without its texts, and of each panel (axes, quantity, drawn series)."""
    series = dict(islice(series_of(plot, rows, run).items(), MOST_SERIES + 1))
    too_many = len(series) > MOST_SERIES
    if too_many:
        series.popitem()
        rows = [row for members in series.values() for row in members]
    numeric = is_numeric(plot, rows)
    simulation = simulated.of_plot(plot, run) if numeric else None
    if simulation:
        published = [entry for entry in published if entry["device"] not in simulation.devices]
    figure, all_axes = frame(len(plot["y"]) + (len(simulation.panels) if simulation else 0), numeric)
    panels = []
    for axes, y in zip(all_axes, plot["y"], strict=False):
        panel = {**plot, "y": y, "logy": plot["logy"] and any((row.get(y) or 0) > 0 for row in rows)}
        if numeric:
            drawn = draw_lines(axes, panel, with_value(series, y), published, run)
            if simulation and y == predictions.TIME:
                drawn += simulation.draw_lines(axes, drawn)
        else:
            drawn = draw_names(axes, panel, rows, with_value(series, y), published, run)
        scale_axis(axes, panel, numeric)
        note_zeros(axes, y)
        if too_many:
            text = f"the first {MOST_SERIES} series; more would look alike"
            axes.annotate(text, (0.01, 0.93), xycoords="axes fraction", va="top", size=7.5, color=FAINT)
        if len(all_axes) > 1 and not numeric:
            shorten(axes)
        panels.append((axes, y, drawn))
    if simulation:
        panels += simulation.draw_panels(all_axes[len(panels) :])
    return figure, panels


def draw_names(axes, panel, rows, series, published, run):
    """A dot, or of counts a bar, for each name of any panel's rows. A bar's length counts from 0."""
    heights = name_rows(axes, panel["x"], rows, run)
    if panel["y"] not in records.COUNTED:
        return draw_dots(axes, panel, series, published, heights)
    panel["logy"] = False
    return draw_bars(axes, panel, series, heights)


def make_room(figure, all_axes, rows=0):
    """Makes the figure as large as the legend, the names beside its panels, which would be cut, and its rows of names
    ask for."""
    legends = [axes.get_legend().get_window_extent() for axes in all_axes if axes.get_legend()]
    names = [(text.get_window_extent(), axes.bbox.x1) for axes in all_axes for text in axes.texts]
    wide = [extent.width for extent in legends] + [extent.x1 - end for extent, end in names]
    wide = max((beside / figure.dpi for beside in wide), default=0)
    high = max((extent.height for extent in legends), default=0) / figure.dpi
    width, height = figure.get_size_inches()
    higher = max(0, high - 0.7 * height / len(all_axes), ROW_HEIGHT * rows - 0.7 * height)
    figure.set_size_inches(width + max(0, wide - 0.35 * width), height + higher)


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
    axes.xaxis.set_major_locator(MaxNLocator(3) if axes.get_xscale() == "linear" else LogLocator(numticks=4))


def wrapped(text, inches, a_inch=20):
    """The small print, or the title, with line breaks for a figure of this width."""
    lines = (textwrap.wrap(line, int(a_inch * inches)) for line in text.split("\n"))
    return "\n".join(part for line in lines for part in line)
