#!/usr/bin/env python3
"""Draws the plots that a run's config asks for: DIR... -> DIR/plots/<name>.svg and <name>.png.

The format of a config's "plots" is in configs/README.md. Rows without a time (the modelled GPU, wrong
results) are not drawn. The same records give the same bytes.
"""

import re
import sys

import drawing
import records

KEYS = {
    "name": str,
    "title": str,
    "x": str,
    "y": str,
    "series": list,
    "logx": bool,
    "logy": bool,
    "where": dict,
    "published": dict,
    "groups": list,
}


class PlotError(records.RecordError):
    """A plot entry of a config that cannot be drawn."""


def main(arguments):
    if not arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        for directory in arguments:
            for path in draw_run(records.load_run(directory)):
                print(path)
    except records.RecordError as error:
        print(f"make_plots: {error}", file=sys.stderr)
        return 2
    return 0


def draw_run(run):
    """Draws every plot of the run's config. Returns the paths written; a plot without points gives none."""
    folder = run.directory / "plots"
    paths = []
    for index, entry in enumerate(run.config.get("plots", [])):
        plot = check(entry, f"{run.directory}/run.json: config.plots[{index}]")
        rows = [
            row
            for row in run.rows
            if row.get(plot["y"]) is not None
            and row.get(plot["x"]) is not None
            and records.matches(row, plot["where"])
        ]
        if not rows:
            print(f"make_plots: {run.name}: {plot['name']}: no case has a time to draw", file=sys.stderr)
            continue
        published = load_published(plot)
        with drawing.plt.rc_context(drawing.STYLE):
            figure = drawing.draw(plot, rows, published, run)
            folder.mkdir(exist_ok=True)
            for kind, metadata in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
                path = folder / f"{plot['name']}.{kind}"
                figure.savefig(path, dpi=160, metadata=metadata, facecolor="white")
                paths.append(path)
            drawing.plt.close(figure)
    return paths


def check(entry, place):
    """A plot entry with its defaults. PlotError names what is wrong with it."""
    if not isinstance(entry, dict):
        raise PlotError(f"{place}: an object is expected")
    for key, value in entry.items():
        if key not in KEYS:
            raise PlotError(f"{place}.{key}: unknown key; {', '.join(KEYS)} are allowed")
        if not isinstance(value, KEYS[key]):
            raise PlotError(f"{place}.{key}: {KEYS[key].__name__} is expected")
    for key in ("name", "x", "y"):
        if key not in entry:
            raise PlotError(f"{place}.{key}: missing")
    if not re.fullmatch(r"[\w.-]+", entry["name"]) or entry["name"].startswith("."):
        raise PlotError(f"{place}.name: a file's name is expected, not {entry['name']!r}")
    if entry["y"] not in records.QUANTITIES:
        raise PlotError(f"{place}.y: one of {', '.join(records.QUANTITIES)}")
    return {
        "title": entry["name"],
        "series": [],
        "logx": False,
        "logy": False,
        "where": {},
        "published": {},
        "groups": [],
        **entry,
    }


def load_published(plot):
    if "file" not in plot["published"]:
        return []
    entries = records.load_published(plot["published"]["file"], plot["published"].get("where"))
    return [
        entry
        for entry in entries
        if entry["column"] == plot["y"] or entry["quantity"] == f"best_{plot['x']}"
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
