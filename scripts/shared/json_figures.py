"""Commands that draw one JSON file: FILE.json -> FILE.svg and FILE.png. The same file gives the same bytes."""

import argparse
from pathlib import Path
import sys

import matplotlib.pyplot as plt

from shared import records
from shared.style import STYLE


def main(arguments, program, documentation, metavar, written_by, draw_file):
    """Draws the file that the arguments name; draw_file(path) gives the figure, RecordError where there is none."""
    parser = argparse.ArgumentParser(
        description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", metavar=metavar, type=Path, help=written_by)
    path = parser.parse_args(arguments).file
    try:
        with plt.rc_context(STYLE):
            figure = draw_file(path)
            for kind, metadata in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
                target = path.with_suffix(f".{kind}")
                figure.savefig(target, dpi=160, metadata=metadata, facecolor="white")
                print(target)
    except records.RecordError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{program}: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return 0
