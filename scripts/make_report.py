#!/usr/bin/env python3
"""Writes runs as one HTML file that a browser opens from disk, without any network.

RESULTS... are folders of runs, or folders above them. The page has figures whose points show their numbers, tables that
sort, each record with all its fields, the sources of its kernels, and the environment. A claims.json in these folders
(redbench claims --json) adds verdicts, a why.json (redbench why --json) the differences between two steps of a ladder.
With --compare the page compares two runs: a file that redbench compare --json wrote, or two folders. Where a run, a
record or a folder cannot be read, the page names it and the exit code is 2. docs/report.md says more.
"""

import argparse
import os
from pathlib import Path
import sys

from report import collect, comparison, results
from shared import output, program, progress, records
from shared.visible import complain, visible

NAME, COMPARED = "report.html", "comparison.html"


def main(arguments):
    asked = parse(arguments)
    path = asked.output or default_path(asked)
    try:
        with progress.shown("make_report"):
            damaged = make(asked, path)
    except records.RecordError as error:
        complain("make_report", error)
        return 2
    except OSError as error:
        complain("make_report", f"{error.filename}: {error.strerror}")
        return 2
    print(visible(str(path)))
    for message in dict.fromkeys(damaged):
        complain("make_report", message)
    return 2 if damaged else 0


def make(asked, path):
    """Writes the page, and returns messages for what could not be read."""
    own = read_files(asked)
    output.check(path, own)
    if asked.compare:
        text, damaged = comparison.report(asked.compare, asked.redbench, asked.title, asked.across)
    else:
        text, damaged = results.report(
            asked.results, asked.redbench, asked.title, asked.claims, path.parent, asked.best
        )
    output.write(path, text, own)
    return damaged


def read_files(asked):
    """The files that the page is made of."""
    named = [Path(name) for name in (*asked.results, *(asked.compare or ()), asked.claims, asked.best) if name]
    folders = [folder for name in named if name.is_dir() for folder in collect.run_folders([name], none_is_wrong=False)]
    return [*(name for name in named if name.is_file()), *(file for run in folders for file in output.files_of(run))]


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="*", metavar="RESULTS", help="a run's folder, or one above runs")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=f"the page ({NAME} in RESULTS)")
    parser.add_argument("--title", default="", help="of the page (the paper's)")
    parser.add_argument("--claims", type=Path, metavar="FILE", help="verdicts (claims.json in or above RESULTS)")
    parser.add_argument("--best", metavar="FOLDER", help="runs that say what is fastest, too, and are not shown")
    parser.add_argument(
        "--compare", nargs="+", metavar="FILE", help="FILE.json, or two folders A B that redbench compares"
    )
    parser.add_argument("--across", action="store_true", help="compares runs of different GPUs or drivers, too")
    parser.add_argument(
        "--redbench",
        metavar="PROGRAM",
        default=program.find(),
        help="the program that says which rows are stale, and that compares (%(default)s)",
    )
    asked = parser.parse_args(arguments)
    if bool(asked.compare) == bool(asked.results):
        parser.error("either RESULTS or --compare is needed")
    if asked.compare and asked.best:
        parser.error("--best: a comparison does not say what is fastest")
    if asked.compare and len(asked.compare) > 2:
        parser.error("--compare: one file or two folders")
    return asked


def default_path(asked):
    """In the folder of the runs, or the one that all their folders are in; next to a comparison's file."""
    if not asked.compare and len(asked.results) == 1:
        return Path(asked.results[0]) / NAME
    if not asked.compare:
        return Path(os.path.commonpath([Path(folder).resolve() for folder in asked.results])) / NAME
    if len(asked.compare) == 1:
        return Path(asked.compare[0]).with_suffix(".html")
    return Path(COMPARED)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
