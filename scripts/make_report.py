#!/usr/bin/env python3
"""Writes runs as one HTML file that a browser opens from disk, without any network.

RESULTS... are folders of runs, or folders above them. The page has figures whose points show their numbers, tables that
sort, each record with all its fields, the sources of its kernels, and the environment. A claims.json in these folders
(redbench claims --json) adds verdicts, a why.json (redbench why --json) the differences between two steps of a ladder.
With --compare the page compares two runs: a file that redbench compare --json wrote, or two folders. docs/report.md
says more.
"""

import argparse
import os
from pathlib import Path
import sys

from report import comparison, results
from shared import program, records

NAME, COMPARED = "report.html", "comparison.html"


def main(arguments):
    asked = parse(arguments)
    try:
        if asked.compare:
            text = comparison.report(asked.compare, asked.redbench, asked.title, asked.across)
        else:
            text = results.report(asked.results, asked.redbench, asked.title, asked.claims)
        path = asked.output or default_path(asked)
        write(path, text)
    except records.RecordError as error:
        print(f"make_report: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"make_report: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    print(path)
    return 0


def write(path, text):
    try:
        path.write_bytes(text)
    except OSError as error:  # which names no file where the disk is full
        raise records.RecordError(f"{path}: cannot be written: {error.strerror}") from None


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="*", metavar="RESULTS", help="a run's folder, or one above runs")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=f"the page ({NAME} in RESULTS)")
    parser.add_argument("--title", default="", help="of the page (the paper's)")
    parser.add_argument("--claims", type=Path, metavar="FILE", help="verdicts (claims.json in or above RESULTS)")
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
