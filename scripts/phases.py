#!/usr/bin/env python3
"""Draws the samples of tests/gpu/test_phases.cpp: whether a time depends on the sample's place in the GPU's queue.

    scripts/phases.py SAMPLES.csv --out PHASES.svg
"""

import argparse
import csv
import os
from pathlib import Path
from statistics import median
import sys

os.environ["MPLBACKEND"] = "Agg"  # before Matplotlib is imported
import matplotlib.pyplot as plt

from shared import output, records, style
from shared.visible import complain

COLUMNS = ("n", "launches", "round", "before", "ns")


def main(arguments):
    options = read_arguments(arguments)
    try:
        output.check(options.out, [options.samples])
        if options.out.suffix not in (".svg", ".png"):
            raise records.RecordError(f"{options.out}: a figure is .svg or .png")
        with plt.rc_context(style.STYLE):
            figure = draw(read_samples(options.samples))
            output.save(figure, options.out, [options.samples])
    except (OSError, records.RecordError) as error:
        complain("phases", error)
        return 2
    return 0


def read_arguments(arguments):
    parser = argparse.ArgumentParser("phases.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("samples", type=Path, help="the file that REDBENCH_PHASES=FILE redbench_gpu_tests wrote")
    parser.add_argument("--out", type=Path, required=True, help="the figure, .svg or .png")
    return parser.parse_args(arguments)


def read_samples(path):
    """{(launches, n): [(launches before the sample, nanoseconds)]} in the order taken."""
    samples = {}
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise records.RecordError(f"{path}:1: the columns {', '.join(COLUMNS)} are expected")
        for line, row in enumerate(reader, 2):
            try:
                key = (int(row["launches"]), int(row["n"]))
                samples.setdefault(key, []).append((int(row["before"]), float(row["ns"])))
            except (TypeError, ValueError):
                raise records.RecordError(f"{path}:{line}: numbers are expected") from None
    if not samples:
        raise records.RecordError(f"{path}: no samples")
    return samples


def draw(samples):
    """A panel per number of launches: for each size the samples, less their median, by the launches before them."""
    panels = sorted({launches for launches, _ in samples})
    figure, axes = plt.subplots(len(panels), 1, figsize=(7, 1 + 1.7 * len(panels)), sharex=True, squeeze=False)
    sizes = sorted({n for _, n in samples})
    for panel, launches in zip(axes[:, 0], panels, strict=True):
        for place, n in enumerate(sizes):
            taken = samples.get((launches, n), [])
            whole = median(ns for _, ns in taken) if taken else 0
            for before in range(4):
                ns = [value - whole for number, value in taken if number == before]
                if not ns:
                    continue
                x = place + (before - 1.5) * 0.18
                colour = style.COLOURS[before]
                panel.plot([x] * len(ns), ns, ".", color=colour, alpha=0.15, markersize=3, rasterized=True)
                panel.plot([x - 0.07, x + 0.07], [median(ns)] * 2, color=colour, linewidth=2)
        panel.set_ylim(-700, 1300)
        panel.set_ylabel(f"{launches} launch{'es' if launches > 1 else ''}\nns from the median")
    axes[-1, 0].set_xticks(range(len(sizes)), [records.format_size(n) for n in sizes])
    axes[-1, 0].set_xlabel("words of the first launch; in a group, samples after 0, 1, 2 and 3 launches of others")
    axes[0, 0].set_title("Samples by their place in the queue")
    figure.tight_layout()
    return figure


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
