#!/usr/bin/env python3
"""Draws what `redbench cachesim` predicted: DIR/predictions.json -> predictions.svg and .png beside it.

A panel for each machine: ns per input over m, measured (full) and by each model (dashed), a colour for each variant,
with the mean absolute error of each model in its title, and the paper's points. Where the paper prints how many loads
the TLB misses, another panel of these. The same file gives the same bytes.
"""

from pathlib import Path
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import beside  # noqa: E402
from look import COLOURS, DASHES, FAINT, PUBLISHED_MARKERS, darker  # noqa: E402
import records  # noqa: E402

PAPERS = Path(__file__).resolve().parents[1] / "results" / "papers"
MODELS = ("serial", "translated", "overlapped")
TIME, MISSES = "ns_per_input", "tlb_load_miss_percent"
HEADING = {TIME: "ns per input", MISSES: "loads without the page in the TLB (%)"}
PRINTED = {"time_per_input": TIME, "tlb_load_miss_rate": MISSES}


def main(arguments):
    def draw_file(path):
        told = load(path)
        return draw(told, published(told["name"]))

    return beside.main(
        arguments, "plot_cachesim", __doc__, "DIR/predictions.json", "as redbench cachesim wrote it", draw_file
    )


def load(path):
    """The file's predictions. RecordError where it holds none."""
    told = records.read_json(path)
    lists = ("machines", "errors", "cases")
    if not isinstance(told, dict) or not all(isinstance(told.get(name), list) for name in lists):
        raise records.RecordError(f"{path}: no predictions of schema 1, as redbench cachesim writes them")
    for number, case in enumerate(told["cases"]):
        for name in ("n", "m", TIME):
            value = case.get(name) if isinstance(case, dict) else None
            if not isinstance(value, int | float) or value <= 0:
                raise records.RecordError(f"{path}: cases[{number}].{name}: a number above 0, not {value!r}")
    return told


def published(name):
    """What the paper of a config, as `eilers2014/fig2.7`, prints for its figure."""
    paper, _, figure = name.rpartition("/")
    path = PAPERS / f"{paper}.csv"
    if not paper or not path.is_file():
        return []
    rows = records.load_published(path, {"figure": figure})
    return [row for row in rows if row.get("quantity") in PRINTED and row.get("m")]


def draw(told, printed):
    panels = [(machine, TIME) for machine in told["machines"]]
    for machine in told["machines"]:
        if any(row["device"] == machine["published_as"] and PRINTED[row["quantity"]] == MISSES for row in printed):
            panels.append((machine, MISSES))
    figure, all_axes = plt.subplots(len(panels), 1, figsize=(8, 4.2 * len(panels)), squeeze=False)
    for axes, (machine, y) in zip(all_axes[:, 0], panels, strict=True):
        cases = [case for case in told["cases"] if case["machine"] == machine["name"] and case.get(y) is not None]
        draw_panel(axes, cases, y)
        of_paper = [row for row in printed if row["device"] == machine["published_as"]]
        draw_published(axes, [row for row in of_paper if PRINTED[row["quantity"]] == y], cases)
        axes.set_title(title_of(told, machine, y), fontsize=9)
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=7)
    figure.suptitle(told.get("title", ""), x=0.012, ha="left", fontsize=11, fontweight="bold")
    figure.tight_layout(rect=(0, 0.03, 1, 0.98))
    figure.text(0.012, 0.008, footer(told), size=6.5, color=FAINT)
    return figure


def title_of(told, machine, y):
    """The machine, and of each model that was measured the mean absolute error."""
    errors = [
        f"{error['model']} {rounded(error['mean_absolute_percent'])} %"
        for error in told["errors"]
        if error["machine"] == machine["name"] and y == TIME
    ]
    title = machine["machine"].get("title") or machine["name"]
    return title + ("\nmean absolute error: " + ", ".join(errors) if errors else "")


def rounded(percent):
    """Two digits, three from 100 on."""
    return f"{percent:.2g}" if percent < 99.5 else f"{percent:.0f}"


def series_of(cases, columns):
    series = {}
    for case in sorted(cases, key=lambda case: case["m"]):
        series.setdefault(tuple(str(case.get(column)) for column in columns), []).append(case)
    return series


def draw_panel(axes, cases, y):
    columns = ["variant", *(c for c in ("labels", "n") if len({case.get(c) for case in cases}) > 1)]
    names = list(series_of(cases, columns))
    for (*name, model), rows in series_of(cases, [*columns, "model"]).items():
        colour = COLOURS[names.index(tuple(name)) % len(COLOURS)]
        label = " ".join([records.short_name(name[0]), *name[1:]])
        axes.plot(
            [row["m"] for row in rows],
            [row[y] for row in rows],
            color=colour,
            linestyle=DASHES[1 + MODELS.index(model)],
            label=f"{label}, {model}",
        )
    for name, rows in series_of(cases, columns).items():
        points = {row["m"]: row["measured_ns_per_input"] for row in rows if row.get("measured_ns_per_input")}
        if y == TIME and len(points) > 1:
            colour = COLOURS[names.index(name) % len(COLOURS)]
            label = " ".join([records.short_name(name[0]), *name[1:]])
            axes.plot(list(points), list(points.values()), color=colour, marker="o", label=f"{label}, measured")
    axes.set_xscale("log", base=2)
    if y == TIME:
        axes.set_yscale("log")
    axes.set_xlabel("m (labels)")
    axes.set_ylabel(HEADING[y])


def draw_published(axes, rows, cases):
    names = list(dict.fromkeys(case["variant"] for case in cases))
    for row in rows:
        variant = row["variant"]
        colour = darker(COLOURS[names.index(variant) % len(COLOURS)]) if variant in names else FAINT
        axes.plot(
            [row["m"]],
            [row["value"]],
            color=colour,
            marker=PUBLISHED_MARKERS[row["relation"]],
            markersize=8,
            linestyle="None",
            label=None if row is not rows[0] else f"published, {row['device']}",
        )


def footer(told):
    unsure = sum(len(machine["machine"].get("unsure", [])) for machine in told["machines"])
    parts = [f"redbench cachesim, {told.get('steps')} steps of each loop counted"]
    if unsure:
        parts.append(f"{unsure} facts of the machines are not sure: predictions.md")
    return "   ·   ".join(parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
