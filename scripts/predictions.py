"""What `redbench cachesim` predicted, as it writes it, and what a figure of it needs."""

import math

import records

PAPERS = records.REPOSITORY / "results" / "papers"
MODELS = ("serial", "translated", "overlapped")
TIME, MISSES = "ns_per_input", "tlb_load_miss_percent"
FIELDS = {
    "machines": {"name": str, "published_as": str, "machine": dict},
    "errors": {"machine": str, "model": str, "mean_absolute_percent": int | float},
    "cases": {"machine": str, "model": str, "variant": str},
}
HEADING = {TIME: "ns per input", MISSES: "loads without the page in the TLB (%)"}
PRINTED = {"time_per_input": TIME, "tlb_load_miss_rate": MISSES}


def load(path):
    """The file's predictions. RecordError where it holds none."""
    told = records.read_json(path)
    lists = ("machines", "errors", "cases")
    if not isinstance(told, dict) or not all(isinstance(told.get(name), list) for name in lists):
        raise records.RecordError(f"{path}: no predictions of schema 1, as redbench cachesim writes them")
    for group, fields in FIELDS.items():
        for number, entry in enumerate(told[group]):
            for name, kind in fields.items():
                value = entry.get(name) if isinstance(entry, dict) else None
                if not isinstance(value, kind):
                    raise records.RecordError(f"{path}: {group}[{number}].{name}: of another type")
    for number, case in enumerate(told["cases"]):
        if case["model"] not in MODELS:
            raise records.RecordError(f"{path}: cases[{number}].model: one of {', '.join(MODELS)}")
        for name in ("n", "m", TIME):
            value = case.get(name)
            if not isinstance(value, int | float) or not 0 < value < math.inf:
                raise records.RecordError(f"{path}: cases[{number}].{name}: a number above 0, not {value!r}")
    return told


def published(name):
    """What the paper of a config, as `eilers2014/fig2.7`, prints for its figure."""
    paper, _, figure = name.rpartition("/")
    path = PAPERS / f"{paper}.csv"
    if not paper or not path.is_file():
        return []
    rows = records.load_published(path, {"figure": figure})
    return [row for row in rows if row.get("quantity") in PRINTED and row.get("m")]


def panels_of(told, printed):
    """(machine, quantity): the time of each machine; where the paper prints how many loads miss the TLB, these, too."""
    panels = [(machine, TIME) for machine in told["machines"]]
    for machine in told["machines"]:
        if any(row["device"] == machine["published_as"] and PRINTED[row["quantity"]] == MISSES for row in printed):
            panels.append((machine, MISSES))
    return panels


def title_of(told, machine, y):
    """The machine, and of each model that was measured the mean absolute error."""
    errors = [
        f"{error['model']} {rounded(error['mean_absolute_percent'])} %"
        for error in told["errors"]
        if error["machine"] == machine["name"] and y == TIME
    ]
    title = machine["machine"].get("title") or machine["name"]
    return title + ("\nmean absolute error: " + ", ".join(errors) if errors else "")


def rounded(percent):
    """Two digits, three from 100 on."""
    return f"{percent:.2g}" if percent < 99.5 else f"{percent:.0f}"


def series_of(cases, columns):
    series = {}
    for case in sorted(cases, key=lambda case: case["m"]):
        series.setdefault(tuple(str(case.get(column)) for column in columns), []).append(case)
    return series
