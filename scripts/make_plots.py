#!/usr/bin/env python3
"""Draws the plots that a run's config asks for: DIR... -> DIR/plots/<name>.svg and <name>.png.

The format of a config's "plots" is in configs/README.md. Rows without the plot's quantity are not drawn: wrong
results have none, a modelled GPU has no time. A figure with rows that redbench calls stale says so. Last, the
figure to look at first is named: that of the first plot that could be drawn. The same records give the same
bytes.
"""

import argparse
import hashlib
import json
import re
import sys

from jsonschema import Draft202012Validator

import drawing
import look
import records
import staleness

# What a plot may say: its keys, their defaults, which of them it needs. `redbench` checks the rest with the config.
DEFINITIONS = json.loads((records.REPOSITORY / "configs" / "schema.json").read_text())["definitions"]
SCHEMA = DEFINITIONS["plot"]
PLOT = Draft202012Validator({**SCHEMA, "definitions": DEFINITIONS})


class PlotError(records.RecordError):
    """A plot entry of a config that cannot be drawn."""


def main(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", metavar="DIR", help="a run's folder: run.json and records.jsonl")
    parser.add_argument(
        "--redbench",
        metavar="PROGRAM",
        default=staleness.find_program(),
        help="the program that knows which rows are stale (%(default)s)",
    )
    asked = parser.parse_args(arguments)
    if not asked.redbench:
        print("make_plots: no redbench is found (--redbench): stale rows are not told", file=sys.stderr)
    code = 0
    for directory in asked.runs:
        try:
            run = records.load_run(directory)
            if asked.redbench:
                staleness.add_staleness(run, asked.redbench)
            paths = draw_run(run)
        except records.RecordError as error:
            print(f"make_plots: {error}", file=sys.stderr)
            code = 2
            continue
        for path in paths:
            print(path)
        if paths:
            print(f"\nFigure: {paths[1]}")
    return code


def draw_run(run):
    """Draws every plot of the run's config. Returns the paths written; a plot without points gives none."""
    folder = run.directory / "plots"
    paths = []
    plots = run.config.get("plots", [])
    if not isinstance(plots, list):
        raise PlotError(f"{run.directory}/run.json: config.plots: a list is expected")
    for index, entry in enumerate(plots):
        plot = complete(entry, f"{run.directory}/run.json: config.plots[{index}]")
        rows = choose_rows(run, plot)
        if not rows:
            print(
                f"make_plots: {run.name}: {plot['name']}: no case has its y: nothing to draw",
                file=sys.stderr,
            )
            continue
        published = load_published(plot)
        with drawing.plt.rc_context(look.STYLE):
            figure = drawing.draw(plot, rows, published, run)
            origin = {"Description": digest_of(rows, plot)}
            for kind, unwanted in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
                path = folder / f"{plot['name']}.{kind}"
                try:
                    folder.mkdir(exist_ok=True)
                    figure.savefig(path, dpi=160, metadata=origin | unwanted, facecolor="white")
                except OSError as error:
                    raise PlotError(f"{path}: cannot be written: {error.strerror}") from None
                paths.append(path)
            drawing.plt.close(figure)
    return paths


def choose_rows(run, plot):
    """The rows of a plot. Leaves to its `y` those that any of them has."""
    chosen = [
        row for row in run.rows if row.get(plot["x"]) is not None and records.matches(row, plot["where"])
    ]
    plot["y"] = [y for y in plot["y"] if any(row.get(y) is not None for row in chosen)]
    return [row for row in chosen if any(row.get(y) is not None for y in plot["y"])]


def digest_of(rows, plot):
    """What a figure is known by to be drawn from these rows: "rows 0123456789abcdef", in its files' metadata."""
    columns = ("key", "mode", "device", "session", "source_hash", "measured_by", "built_by", *plot["y"])
    values = [[row.get(column) for column in columns] for row in rows]
    return f"rows {hashlib.sha256(json.dumps(values).encode()).hexdigest()[:16]}"


def complete(entry, place):
    """A plot entry with its defaults. PlotError where it cannot be drawn, or not into the run's folder."""
    if not isinstance(entry, dict):
        raise PlotError(f"{place}: an object is expected")
    for key in SCHEMA["required"]:
        if key not in entry:
            raise PlotError(f"{place}.{key}: missing")
    keys = SCHEMA["properties"]
    if not re.fullmatch(keys["name"]["pattern"], str(entry["name"])):
        raise PlotError(f"{place}.name: a file's name is expected, not {entry['name']!r}")
    quantities = entry["y"] if isinstance(entry["y"], list) else [entry["y"]]
    for y in quantities:
        if not isinstance(y, str) or y not in records.QUANTITIES:
            raise PlotError(f"{place}.y: {y!r} is none of {', '.join(records.QUANTITIES)}")
    for error in PLOT.iter_errors(entry):
        raise PlotError(f"{place}{error.json_path[1:]}: {error.message}")
    defaults = {name: key["default"] for name, key in keys.items() if "default" in key}
    return {**defaults, "title": entry["name"], **entry, "y": quantities}


def load_published(plot):
    if "published" not in plot:
        return []
    entries = records.load_published(plot["published"]["file"], plot["published"].get("where"))
    return [
        entry
        for entry in entries
        if entry["column"] in plot["y"] or entry["quantity"] == f"best_{plot['x']}"
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
