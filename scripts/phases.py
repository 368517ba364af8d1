#!/usr/bin/env python3
"""Draws the samples of tests/gpu/test_phases.cpp (REDBENCH_PHASES=SAMPLES.csv redbench_gpu_tests): SAMPLES.csv ->
SAMPLES.svg and .png.

They show whether a time depends on the sample's place in the GPU's queue.
"""

import sys

import matplotlib.pyplot as plt
import numpy

from shared import file_figures, records, style

COLUMNS = ("n", "launches", "round", "before", "ns")


def read_samples(path):
    """A row for each sample, in the order taken; `before` is how many launches of others it follows, modulo 4."""
    with open(path, encoding="utf-8") as file:
        try:
            samples = numpy.loadtxt(file, delimiter=",", skiprows=1, dtype=[(name, float) for name in COLUMNS], ndmin=1)
        except ValueError as error:
            raise records.RecordError(f"{path}: columns {', '.join(COLUMNS)} are expected: {error}") from None
    if not samples.size:
        raise records.RecordError(f"{path}: no samples")
    return samples


def draw(samples):
    """A panel per number of launches: for each size the samples, less their median, by the launches before them."""
    panels, sizes = (numpy.unique(samples[name]).astype(int).tolist() for name in ("launches", "n"))
    figure, axes = plt.subplots(len(panels), 1, figsize=(7, 1 + 1.7 * len(panels)), sharex=True, squeeze=False)
    for panel, launches in zip(axes[:, 0], panels, strict=True):
        for place, n in enumerate(sizes):
            taken = samples[(samples["launches"] == launches) & (samples["n"] == n)]
            for before in numpy.unique(taken["before"]).astype(int):
                ns = taken["ns"][taken["before"] == before] - numpy.median(taken["ns"])
                x, colour = place + (before - 1.5) * 0.18, style.COLOURS[before]
                panel.plot([x] * len(ns), ns, ".", color=colour, alpha=0.15, markersize=3, rasterized=True)
                panel.plot([x - 0.07, x + 0.07], [numpy.median(ns)] * 2, color=colour, linewidth=2)
        panel.set_ylim(-700, 1300)
        panel.set_ylabel(f"{launches} launch{'es' if launches > 1 else ''}\nns from the median")
    axes[-1, 0].set_xticks(range(len(sizes)), [records.format_size(n) for n in sizes])
    axes[-1, 0].set_xlabel("words of the first launch; in a group, samples after 0, 1, 2 and 3 launches of others")
    axes[0, 0].set_title("Samples by their place in the queue")
    figure.tight_layout()
    return figure


def main(arguments):
    return file_figures.main("phases", __doc__, arguments, lambda file: draw(read_samples(file)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
