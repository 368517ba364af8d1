#!/usr/bin/env python3
"""Draws the plots that a run's config asks for: DIR... -> DIR/plots/<name>.svg and <name>.png.

configs/README.md describes a config's "plots". Rows without the plot's quantity are not drawn: wrong results have none,
a modelled GPU has no times. A figure with stale rows says so. The last line names the figure to look at first, that of
the first plot that could be drawn. The same records give the same bytes.
"""

import argparse
import hashlib
import json
import sys

from shared import figures, output, program, progress, records, shown
from shared.plot_entries import PlotError, choose_rows, complete, entries, load_published, why_empty
from shared.style import STYLE
from shared.visible import complain, visible


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="DIR", help="a run's folder: run.json and records.jsonl")
    says = "the program that says which rows are stale (%(default)s)"
    parser.add_argument("--redbench", metavar="PROGRAM", default=program.find(), help=says)
    asked = parser.parse_args(arguments)
    if not asked.redbench:
        print("make_plots: no redbench is found (--redbench), so that stale rows are not marked", file=sys.stderr)
    code = 0
    for directory in asked.runs:
        try:
            with progress.shown("make_plots"):
                run = records.load_run(directory)
                for sentence in run.bad:
                    complain("make_plots", sentence)
                    code = 2
                program.write_missing_tables(run.directory, asked.redbench)
                shown.add_to(run)
                if asked.redbench:
                    program.add_staleness(run, asked.redbench)
                paths = draw_run(run)
        except records.RecordError as error:
            complain("make_plots", error)
            code = 2
            continue
        for path in paths:
            print(visible(str(path)))
        if paths:
            print(f"\nFigure: {visible(str(paths[1]))}")
    return code


def draw_run(run):
    """Draws every plot of the run's config. Returns the paths written; a plot without points gives none."""
    folder = run.directory / "plots"
    paths = []
    for entry, place in entries(run):
        plot = complete(entry, place)
        rows = choose_rows(run, plot)
        if not rows:
            complain("make_plots", f"{run.name}: {plot['name']}: {why_empty(run, plot)}: nothing to draw")
            continue
        published = load_published(plot)
        with figures.plt.rc_context(STYLE):
            figure = figures.draw(plot, rows, published, run)
            for suffix in output.UNDATED:
                path = folder / f"{plot['name']}{suffix}"
                try:
                    folder.mkdir(exist_ok=True)
                except OSError as error:
                    raise PlotError(f"{path}: cannot be written: {error.strerror}") from None
                output.save(figure, path, output.files_of(run.directory), Description=digest_of(rows, plot))
                paths.append(path)
            figures.plt.close(figure)
    return paths


def digest_of(rows, plot):
    """A hash of the drawn values, "rows 0123456789abcdef", for the metadata of a figure's files. Hashes of sources are
    not in it, so that it stays when records are carried over (scripts/carry_records.py)."""
    columns = ("key", "mode", "device", "session", *plot["y"])
    values = [[row.get(column) for column in columns] for row in rows]
    return f"rows {hashlib.sha256(json.dumps(values).encode()).hexdigest()[:16]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
