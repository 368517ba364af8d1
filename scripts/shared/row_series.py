"""Groups the rows of a plot into series, each with its name: the lines, dots and bars of a figure."""

from collections import Counter
import math

from shared import records
from shared.style import FALL_AS_TIME_RISES


def series_of(plot, rows, run):
    """Rows by the parts of their series' name. An axis that the plot does not name, but in which two rows of one point
    differ, becomes part of the name: a line never joins points of different experiments."""
    columns = list(plot["series"])
    some_are_level = len({is_level(plot, row) for row in rows}) > 1
    names = dict.fromkeys(("variant", "tuned", *run.axes, *run.parameters))
    for axis in (name for name in names if name == "variant" or records.varying(rows, [name])):
        differs = axis == "tuned" or axis == "variant" and some_are_level or splits(rows, [plot["x"], *columns], axis)
        if axis != plot["x"] and axis not in columns and differs:
            columns.append(axis)
    series = {}
    for row in rows:
        series.setdefault(tuple(part_of_name(c, row.get(c)) for c in columns), []).append(row)
    return series


def is_numeric(plot, rows):
    """Whether the plot's x are numbers, not names."""
    return all(isinstance(row[plot["x"]], int | float) for row in rows if not is_level(plot, row))


def stacks_launches(plot):
    """Whether a panel of names shows the times of launches behind its dots."""
    return plot["stacked"] and plot["y"] in ("time_ns", "ns_per_input")


def is_level(plot, row):
    """Whether the row has no x, as its variant does not take that parameter: its value is the same for every x."""
    return row.get(plot["x"]) is None


def part_of_name(axis, value):
    """The value, before a number the axis: `sets 8`, but `1 GPU`. Of tuned series the word alone."""
    if axis == "tuned":
        return "tuned" if value else ""
    if axis == "gpus" and value is not None:
        return f"{value} GPU" if value == 1 else f"{value} GPUs"
    text = records.format_axis(axis, value)
    return f"{axis} {text}" if isinstance(value, int | float) and not isinstance(value, bool) else text


def published_name(plot, entry):
    """The name of a published number's series: as that of the measured series, and the device."""
    columns = plot["series"] if {"problem", "variant"}.intersection(plot["series"]) else ["variant", *plot["series"]]
    known = {**entry, "problem": entry["variant"].split("/")[0]}
    parts = [part_of_name(column, known[column]) for column in columns if known.get(column) is not None]
    return ", ".join([*parts, f"{entry['device']} (published)"])


def keys_of_published(plot, entry, series):
    """The keys of the measured series that a published number belongs to: its variant's, those with its parameters
    where there are such; none where the variant is not drawn."""
    keys = [key for key, rows in series.items() if rows and rows[0]["variant"] == entry.get("variant")]
    exact = [key for key in keys if all(entry.get(c) in (None, series[key][0].get(c)) for c in plot["series"])]
    return exact or keys


def printed_form(plot, key, series):
    """The key of the series that a tuned one is a form of: with the parameters of the paper. None for others."""
    first = series[key][0]
    if not first.get("tuned"):
        return None
    printed = [other for other, rows in series.items() if rows and not rows[0].get("tuned")]
    of_variant = [other for other in printed if series[other][0]["variant"] == first["variant"]]
    columns = [column for column in plot["series"] if column != "tuned"]
    same = [other for other in of_variant if not records.varying([first, series[other][0]], columns)]
    return next(iter(same or of_variant), None)


def fastest(plot, series, run):
    """The keys of the series that are the best of some input along x, those first that are so most often."""
    sign = -1 if plot["y"] in FALL_AS_TIME_RISES else 1
    best = {}
    for key, rows in series.items():
        for row in (row for row in rows if not is_level(plot, row)):
            value, case = sign * row[plot["y"]], tuple(str(row.get(c)) for c in (plot["x"], "problem", *run.axes))
            if value < best.get(case, (math.inf, None))[0]:
                best[case] = value, key
    return [key for key, _ in Counter(key for _, key in best.values()).most_common()]


def own_parameters(rows, plot, run):
    """The parameters that the config gives and that differ between the points of a series: these are no line. A tuned
    series is one, of the best parameters at each point."""
    if any(row.get("tuned") for row in rows):
        return []
    experiments = run.config.get("experiments")
    experiments = experiments if isinstance(experiments, list) else []
    given = [each.get("axes") for each in experiments if isinstance(each, dict)]
    asked = [name for name in run.parameters if any(isinstance(axes, dict) and name in axes for axes in given)]
    return records.varying(rows, [name for name in asked if name != plot["x"]])


def with_value(series, y):
    return {key: [row for row in rows if row.get(y) is not None] for key, rows in series.items()}


def splits(rows, columns, axis):
    """Whether rows that agree in `columns` differ in `axis`."""
    points = {tuple(str(row.get(c)) for c in columns) for row in rows}
    return len({tuple(str(row.get(c)) for c in (*columns, axis)) for row in rows}) > len(points)


def fixed(rows, run):
    """What all rows have in common: ["n 16 Mi", "type i32", ...]."""
    names = [name for name in (*run.axes, *run.parameters) if name not in ("device", "mode")]
    shared = {name: rows[0].get(name) for name in names if not records.varying(rows, [name])}
    # As printed, which is not tuned, is what a reader expects.
    told = {name: value for name, value in shared.items() if value is not None and value is not False}
    return [f"{name} {records.format_axis(name, value)}" for name, value in told.items()]
