"""The plots that a run's config asks for: their entries, checked and with defaults, and the rows that they show.

The format of a config's "plots" is in configs/README.md.
"""

import json
import re

from jsonschema import Draft202012Validator

from shared import published, records
from shared.visible import visible

# What a plot may say: its keys, their defaults, which of them it needs. `redbench` checks the rest with the config.
DEFINITIONS = json.loads((records.REPOSITORY / "configs" / "schema.json").read_text())["definitions"]
SCHEMA = DEFINITIONS["plot"]
LONGEST_NAME = 100  # as the pattern has it
PLOT = Draft202012Validator({**SCHEMA, "definitions": DEFINITIONS})


class PlotError(records.RecordError):
    """A plot entry of a config that cannot be drawn."""


def entries(run):
    """The unchecked plots of a run's config, each with its place for error messages."""
    plots = run.config.get("plots", [])
    if not isinstance(plots, list):
        raise PlotError(f"{run.directory}/run.json: config.plots: a list is expected")
    return [(entry, f"{run.directory}/run.json: config.plots[{index}]") for index, entry in enumerate(plots)]


def why_empty(run, plot):
    """Which condition of a plot no case meets: "no case has n 1 Mi (`where`): there is 64 Ki"."""
    rows = run.rows
    if not rows:
        return "the run has no case"
    for column, allowed in plot["where"].items():
        met = [row for row in rows if records.matches(row, {column: allowed})]
        if not met:
            wanted = allowed if isinstance(allowed, list) else [allowed]
            there = dict.fromkeys(named(column, row.get(column)) for row in rows if row.get(column) is not None)
            found = f"there is {listed(list(there))}" if there else f"none has a {column}"
            of = "no case" if len(rows) == len(run.rows) else f"none of the {len(rows)} cases that meet the rest"
            return f"{of} has {column} {listed([named(column, value) for value in wanted])} (`where`): {found}"
        rows = met
    if not any(row.get(plot["x"]) is not None for row in rows):
        return f"no case has its x, {plot['x']}"
    if not any(row["outcome"] == "passed" for row in rows):
        return "no case passed"
    device = dict.fromkeys(row["device"].split(":")[0] for row in rows)
    return f"no case on {listed(list(device))} has its y, {listed(plot['asked'])}"


def named(column, value):
    return records.format_axis(column, records.axis_value(value))


def listed(texts, most=6):
    more = f" or {len(texts) - most} more" if len(texts) > most else ""
    return " or ".join(texts[:most]) + more


def choose_rows(run, plot):
    """The rows of a plot, whose `y` keeps the quantities that any of them has. Where `x` is a parameter, rows of
    variants without it are shown among those of variants with it: one value for every x. Segments of several mean
    lengths become an axis of these."""
    chosen = [row for row in run.rows if records.matches(row, plot["where"])]
    means = {row.get("mean_segment") for row in chosen}
    if plot["x"] == "segments" and len(means) > 1 and None not in means:
        plot["x"] = "mean_segment"
    placed = [row for row in chosen if row.get(plot["x"]) is not None]
    if plot["x"] not in run.parameters or not placed:
        chosen = placed
    plot["y"] = [y for y in plot["y"] if any(row.get(y) is not None for row in chosen)]
    return [row for row in chosen if any(row.get(y) is not None for y in plot["y"])]


def complete(entry, place):
    """A plot entry with its defaults. PlotError where it cannot be drawn or its name is no file's."""
    if not isinstance(entry, dict):
        raise PlotError(f"{place}: an object is expected")
    for key in SCHEMA["required"]:
        if key not in entry:
            raise PlotError(f"{place}.{key}: missing")
    keys = SCHEMA["properties"]
    if len(str(entry["name"])) > LONGEST_NAME:
        raise PlotError(f"{place}.name: {len(str(entry['name']))} characters: a file's name has {LONGEST_NAME} at most")
    if not re.fullmatch(keys["name"]["pattern"], str(entry["name"])):
        raise PlotError(f"{place}.name: a file's name is expected, not {entry['name']!r}")
    quantities = entry["y"] if isinstance(entry["y"], list) else [entry["y"]]
    for y in quantities:
        if not isinstance(y, str) or y not in records.QUANTITIES:
            raise PlotError(f"{place}.y: {y!r} is none of {', '.join(records.QUANTITIES)}")
    for error in PLOT.iter_errors(entry):
        raise PlotError(f"{place}{error.json_path[1:]}: {error.message}")
    defaults = {name: key["default"] for name, key in keys.items() if "default" in key}
    title = visible(entry.get("title", entry["name"]))
    return {**defaults, **entry, "title": title, "y": quantities, "asked": quantities}


def load_published(plot):
    """The paper's numbers for a plot, without those that its `where` excludes by an axis that the paper gives."""
    if "published" not in plot:
        return []
    entries = published.load(plot["published"]["file"], plot["published"].get("where"))
    shown = [each for each in entries if each["column"] in plot["y"] or each["quantity"] == f"best_{plot['x']}"]
    return [each for each in shown if records.matches(each, {a: v for a, v in plot["where"].items() if a in each})]
