"""The figures of what `redbench cachesim` predicted for a run's cases, beside what it measured and the paper prints."""

import look
import predictions
import records
from report import embedding, numbers
from report.figures import RELATIONS


def figures_of(run, published_numbers):
    """(figures, messages): one for each machine and quantity; nothing where the run has no predictions."""
    path = run.directory / "cachesim" / "predictions.json"
    if not path.is_file():
        return [], []
    try:
        told = predictions.load(path)
        printed = predictions.published(run.name)
    except records.RecordError as error:
        return [], [str(error)]
    panels = predictions.panels_of(told, printed)
    return [figure_of(told, machine, y, printed, published_numbers) for machine, y in panels], []


def figure_of(told, machine, y, printed, published_numbers):
    cases = [case for case in told["cases"] if case["machine"] == machine["name"] and numeric(case.get(y))]
    columns = ["variant", *(c for c in ("labels", "n") if len({str(case.get(c)) for case in cases}) > 1)]
    names = list(predictions.series_of(cases, columns))
    series = []
    for (*name, model), rows in predictions.series_of(cases, [*columns, "model"]).items():
        at = look_of(names, tuple(name), 1 + predictions.MODELS.index(model))
        series.append(line(f"{called(name)}, {model}", at, [(row["m"], row[y]) for row in rows]))
    if y == predictions.TIME:
        for name, rows in predictions.series_of(cases, columns).items():
            points = {row["m"]: row.get("measured_ns_per_input") for row in rows}
            points = [(m, value) for m, value in points.items() if numeric(value)]
            if len(points) > 1:
                series.append(line(f"{called(name)}, measured", look_of(names, name, 0), points))
    of_machine = [row for row in printed if row["device"] == machine["published_as"]]
    of_quantity = [row for row in of_machine if predictions.PRINTED[row["quantity"]] == y]
    series += published_of(of_quantity, names, published_numbers)
    return {
        "name": "predictions",
        "title": embedding.cut("Predicted: " + predictions.title_of(told, machine, y).replace("\n", "; "), 200),
        "kind": "lines",
        "x": {"name": "m", "heading": "m (labels)", "sizes": True, "log": True},
        "logy": y == predictions.TIME,
        "categories": [],
        "panels": [
            {
                "heading": predictions.HEADING[y],
                "label": predictions.HEADING[y].partition(" (")[0],
                "unit": "ns" if y == predictions.TIME else "%",
                "bars": False,
                "log": y == predictions.TIME,
                "series": [each for each in series if each["points"]],
                "band": None,
            }
        ],
    }


def numeric(value):
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e300


def called(name):
    return embedding.cut(" ".join([records.short_name(name[0]), *name[1:]]), 80)


def look_of(names, name, place):
    return [names.index(name) % len(look.COLOURS), place, place]


def line(name, at, points):
    """A series of points that are of no record."""
    told = [[m, value, None, None, None, numbers.spaced(numbers.significant(value)), "", None] for m, value in points]
    return {"name": name, "look": at, "points": sorted(told, key=lambda point: point[0])}


def published_of(rows, names, published_numbers):
    series = {}
    for row in rows:
        name = next((place for place, each in enumerate(names) if each[0] == row.get("variant")), len(look.COLOURS) - 1)
        told = series.setdefault(
            row.get("variant"),
            {
                "name": f"{records.short_name(row.get('variant') or '')}, {row['device']} (published)",
                "look": [name, 0, 0],
                "published": True,
                "points": [],
            },
        )
        value = f"{RELATIONS.get(row['relation'], '')}{numbers.spaced(numbers.significant(row['value']))}"
        point = [row["m"], row["value"], None, None, len(published_numbers), value, row["relation"], None]
        told["points"].append(point)
        published_numbers.append({key: value for key, value in row.items() if key != "column"})
    return list(series.values())
