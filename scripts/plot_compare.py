#!/usr/bin/env python3
"""Draws what `redbench compare --json FILE` wrote: FILE -> FILE with .svg and .png in the place of .json.

A row for each case shows the ratio of the times with its interval, coloured by verdict, over the band of ratios that
count as the same. Cases without a ratio have a name only. The same file gives the same bytes.
"""

import sys

from shared import comparisons, file_figures


def main(arguments):
    return file_figures.main("plot_compare", __doc__, arguments, lambda file: comparisons.draw(comparisons.load(file)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
