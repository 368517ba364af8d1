#!/usr/bin/env python3
"""Draws what `redbench cachesim` predicted: DIR/predictions.json -> predictions.svg and .png in DIR.

A panel for each machine shows ns per input over m, measured (solid) and by each model (dashed), a colour for each
variant, the paper's points, and in its title the mean absolute error of each model. Where colours would begin again,
each variant has a panel, without that error. Where the paper prints TLB misses, they have a panel, too. The same file
gives the same bytes.
"""

import sys

from shared import file_figures, predictions


def draw_file(path):
    predicted = predictions.load(path)
    return predictions.draw(predicted, predictions.printed_for(predicted["name"]))


def main(arguments):
    return file_figures.main("plot_cachesim", __doc__, arguments, draw_file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
