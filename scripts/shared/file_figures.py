"""Commands that draw one file: FILE -> FILE with .svg and .png in the place of its ending. The same file gives the same
bytes."""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt

from shared import output, records
from shared.style import STYLE
from shared.visible import complain


def main(program, documentation, arguments, draw_file):
    """Draws the file that the arguments name; draw_file(path) gives the figure, RecordError where there is none."""
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", type=Path)
    path = parser.parse_args(arguments).file
    try:
        with plt.rc_context(STYLE):
            figure = draw_file(path)
            for target in map(path.with_suffix, output.UNDATED):
                output.save(figure, target, [path])
                print(target)
    except records.RecordError as error:
        complain(program, error)
        return 2
    except OSError as error:
        complain(program, f"{error.filename}: {error.strerror}")
        return 2
    return 0
