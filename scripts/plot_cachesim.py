#!/usr/bin/env python3
"""Draws what `redbench cachesim` predicted: DIR/predictions.json -> predictions.svg and .png beside it.

A panel for each machine: ns per input over m, measured (full) and by each model (dashed), a colour for each variant,
with the mean absolute error of each model in its title, and the paper's points. Where the paper prints how many loads
the TLB misses, another panel of these. The same file gives the same bytes.
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import beside  # noqa: E402
from look import COLOURS, DASHES, FAINT, PUBLISHED_MARKERS, darker  # noqa: E402
from predictions import HEADING, MODELS, PRINTED, TIME, load, panels_of, published, series_of, title_of  # noqa: E402
import records  # noqa: E402


def main(arguments):
    def draw_file(path):
        told = load(path)
        return draw(told, published(told["name"]))

    return beside.main(
        arguments, "plot_cachesim", __doc__, "DIR/predictions.json", "as redbench cachesim wrote it", draw_file
    )


def draw(told, printed):
    panels = panels_of(told, printed)
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
        facts = "1 fact of the machines is" if unsure == 1 else f"{unsure} facts of the machines are"
        parts.append(f"{facts} not sure: predictions.md")
    return "   ·   ".join(parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
