#!/usr/bin/env python3
"""Draws what `redbench compare --json FILE` wrote: FILE -> FILE with .svg and .png in the place of .json.

A row for each case shows the ratio of the times with its interval, coloured by verdict, over the band of ratios that
count as the same. Cases without a ratio have a name only. The same file gives the same bytes.
"""

import sys

from shared import comparisons, json_figures


def main(arguments):
    return json_figures.main(
        arguments,
        "plot_compare",
        __doc__,
        "FILE.json",
        "as --json of redbench compare wrote it",
        lambda path: comparisons.draw(comparisons.load(path)),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
