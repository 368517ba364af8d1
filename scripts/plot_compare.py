#!/usr/bin/env python3
"""Draws what `redbench compare --json FILE` wrote: FILE -> FILE with .svg and .png in the place of .json.

A row for each case: the ratio of the times with its interval, coloured by verdict, over the band within which times
are the same. Cases without a ratio are named, and have none. The same file gives the same bytes.
"""

import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib.lines import Line2D  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402

import beside  # noqa: E402
from comparisons import VERDICTS, limits, load, names  # noqa: E402
from look import COLOURS, FAINT, GRID, INK, darker  # noqa: E402

COLOUR = dict(zip(VERDICTS, (*COLOURS[:3], COLOURS[-1]), strict=True))
ROW_HEIGHT = 0.17  # inches


def main(arguments):
    return beside.main(
        arguments,
        "plot_compare",
        __doc__,
        "FILE.json",
        "as --json of redbench compare wrote it",
        lambda path: draw(load(path)),
    )


def draw(comparison):
    cases = comparison["cases"]
    first, second = ("A", "B") if not comparison.get("of_variants") else (comparison["first"], comparison["second"])
    figure, axes = plt.subplots(figsize=(8, 1.6 + ROW_HEIGHT * max(len(cases), 3)))
    threshold = 1 + float(comparison.get("threshold_percent", 0)) / 100
    axes.axvspan(1 / threshold, threshold, color=GRID, zorder=0)
    axes.axvline(1, color=FAINT, linewidth=0.8)
    low, high = limits(cases, threshold)
    for row, case in enumerate(cases):
        if case.get("ratio") is None:
            continue
        colour = COLOUR[case["verdict"]]
        ends = [case["ratio_low"] or low, case["ratio_high"] or high]
        axes.plot(ends, [row, row], color=colour, linewidth=1.4)
        axes.plot([case["ratio"]], [row], color=colour, marker="o", linestyle="None")
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    ticks(axes, low, high)
    axes.set_ylim(len(cases) - 0.5, -0.5)
    axes.set_yticks(range(len(cases)), names(cases, comparison.get("of_variants")), fontsize=7)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(f"time of {second} / time of {first}")
    axes.set_title(f"{second} against {first}: {comparison.get('differing', 0)} of {len(cases)} differ", pad=12)
    shown = [verdict for verdict in COLOUR if any(case["verdict"] == verdict for case in cases)]
    axes.legend(
        handles=[Line2D([], [], color=COLOUR[v], marker="o", label=v) for v in shown],
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize=8,
        labelcolor=[darker(COLOUR[v]) for v in shown],
    )
    origin = [] if comparison.get("of_variants") else [f"A {comparison.get('first')}", f"B {comparison.get('second')}"]
    wider = any(case["verdict"] in ("faster", "slower") for case in cases)
    intervals = "95 % intervals" + ", wider where faster or slower: together 95 %" * wider
    origin.append(f"{intervals}; grey: within {comparison.get('threshold_percent')} %")
    figure.tight_layout(rect=(0, 0.25 / figure.get_figheight(), 1, 1))
    figure.text(0.012, 0.06 / figure.get_figheight(), "   ·   ".join(origin), size=6.5, color=FAINT)
    return figure


def ticks(axes, low, high):
    """At round numbers: a logarithmic axis over a few percent has none of its own."""
    axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    if high / low > 20:
        axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        return
    places = matplotlib.ticker.MaxNLocator(7).tick_values(low, high)
    axes.xaxis.set_major_locator(matplotlib.ticker.FixedLocator([p for p in places if low <= p <= high]))
    axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:.4g}"))
    axes.tick_params(axis="x", colors=INK)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
