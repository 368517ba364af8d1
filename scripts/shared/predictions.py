"""Predictions as `redbench cachesim` writes them: read and drawn."""

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter

from shared import published, records, schema
from shared.schema import ABOVE_0, NUMBER, TEXT, list_of, object_of
from shared.style import DASHES, FAINT, MARKERS, OWN_COLOURS, PUBLISHED_MARKERS, DrawnSeries, darker, legend_beside
from shared.visible import visible

MODELS = ("serial", "translated", "overlapped")
TIME, MISSES, MEASURED = "ns_per_input", "tlb_load_miss_percent", "measured_ns_per_input"
NUMBERS = dict.fromkeys(("n", "m", TIME), ABOVE_0)
PREDICTIONS = object_of(
    machines=list_of(object_of(name=TEXT, published_as=TEXT, machine={"type": "object"})),
    errors=list_of(object_of(machine=TEXT, model=TEXT, mean_absolute_percent=NUMBER)),
    cases=list_of(object_of(machine=TEXT, model={"enum": MODELS}, variant=TEXT, **NUMBERS)),
)
HEADING = {TIME: "ns per input", MISSES: "loads without the page in the TLB (%)"}
PRINTED = {"time_per_input": TIME, "tlb_load_miss_rate": MISSES}


def load(path):
    """The file's predictions. RecordError where it holds none."""
    return schema.load(path, PREDICTIONS, "cachesim")


def printed_for(name):
    """What the paper of a config, such as eilers2014/fig2.7, prints for its figure."""
    return [row for row in published.of_config(name) if row.get("quantity") in PRINTED and row.get("m")]


def panels_of(predicted, printed):
    """(machine, quantity): the time of each machine; where the paper prints how many loads miss the TLB, these, too."""
    of_misses = {row["device"] for row in printed if PRINTED[row["quantity"]] == MISSES}
    panels = [(machine, TIME) for machine in predicted["machines"]]
    return panels + [(machine, MISSES) for machine, _ in panels if machine["published_as"] in of_misses]


def columns_of(cases):
    """What tells a panel's series apart: the variant, and what else differs between its cases."""
    return ["variant", *(c for c in ("labels", "n") if len({str(case.get(c)) for case in cases}) > 1)]


def parts_of(predicted, printed):
    """(predicted, printed) that share panels: all, or where colours would begin again one variant's."""
    cases = predicted["cases"]
    if len(series_of(cases, columns_of(cases))) <= len(OWN_COLOURS):
        return [(predicted, printed)]
    return [
        (of_variant(predicted, variant, own), [row for row in printed if row["variant"] == variant])
        for (variant,), own in series_of(cases, ["variant"]).items()
    ]


def of_variant(predicted, variant, cases):
    """Its cases alone. Machines are titled by it, and without the errors, which are of all variants."""
    machines = [{**m, "machine": {**m["machine"], "title": f"{variant}, {m['name']}"}} for m in predicted["machines"]]
    return {**predicted, "machines": machines, "errors": (), "cases": cases}


def title_of(predicted, machine, y):
    """The machine, and of each model that was measured the mean absolute error."""
    errors = [
        f"{error['model']} {rounded(error['mean_absolute_percent'])} %"
        for error in predicted["errors"]
        if error["machine"] == machine["name"] and y == TIME
    ]
    title = visible(str(machine["machine"].get("title") or machine["name"]))
    return title + ("\nmean absolute error: " + ", ".join(errors) if errors else "")


def rounded(percent):
    """Two digits, three from 100 on."""
    return f"{percent:.2g}" if percent < 99.5 else f"{percent:.0f}"


def series_of(cases, columns):
    series = {}
    for case in sorted(cases, key=lambda case: case["m"]):
        series.setdefault(tuple(str(case.get(column)) for column in columns), []).append(case)
    return series


def draw(predicted, printed):
    """The whole figure: a panel for each machine and quantity, its legend, small print."""
    figure, panels = draw_panels(predicted, printed)
    for axes in (axes for axes, _, drawn in panels if drawn):
        legend_beside(axes, fontsize=7)
    figure.suptitle(visible(str(predicted.get("title", ""))), x=0.012, ha="left", fontsize=11, fontweight="bold")
    figure.tight_layout(rect=(0, 0.03, 1, 0.98))
    figure.text(0.012, 0.008, footer(predicted), size=6.5, color=FAINT)
    return figure


def draw_panels(predicted, printed):
    """The figure without its texts, and of each panel (axes, quantity, drawn series)."""
    parts = parts_of(predicted, printed)
    panels = [(*part, machine, y) for part in parts for machine, y in panels_of(*part)]
    height = 4.2 if len(parts) == 1 else 2.8
    figure, all_axes = plt.subplots(len(panels), 1, figsize=(8, height * len(panels)), squeeze=False)
    places = zip(all_axes[:, 0], panels, strict=True)
    return figure, [(axes, panel[-1], draw_panel(axes, *panel)) for axes, panel in places]


def draw_panel(axes, predicted, printed, machine, y):
    cases = [case for case in predicted["cases"] if case["machine"] == machine["name"] and case.get(y) is not None]
    of_machine = [row for row in printed if row["device"] == machine["published_as"]]
    drawn = draw_lines(axes, cases, y)
    drawn += draw_published(axes, [row for row in of_machine if PRINTED[row["quantity"]] == y], cases)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda m, _: records.format_axis("m", round(m))))
    if y == TIME:
        axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("m (labels)")
    axes.set_ylabel(HEADING[y])
    axes.set_title(title_of(predicted, machine, y), fontsize=9)
    return drawn


def draw_lines(axes, cases, y):
    """A line for each variant and model; in a panel of times one for what was measured, too."""
    columns = columns_of(cases)
    names = list(series_of(cases, columns))
    variants = {name[0] for name in names}
    is_short = len({records.short_name(variant) for variant in variants}) == len(variants)
    lines = [
        (tuple(name), model, rows, y, {"linestyle": DASHES[1 + MODELS.index(model)]}, MARKERS[1 + MODELS.index(model)])
        for (*name, model), rows in series_of(cases, [*columns, "model"]).items()
    ]
    for name, rows in series_of(cases, columns).items():
        rows = {row["m"]: row for row in rows if row.get(MEASURED)}
        if y == TIME and len(rows) > 1:
            lines.append((name, "measured", list(rows.values()), MEASURED, {"marker": "o"}, MARKERS[0]))
    drawn = []
    for name, kind, rows, column, look, marker in lines:
        colour = OWN_COLOURS[names.index(name) % len(OWN_COLOURS)]
        label = visible(f"{' '.join([records.short_name(name[0]) if is_short else name[0], *name[1:]])}, {kind}")
        turn = names.index(name) // len(OWN_COLOURS)  # colours begin again
        look = look if turn == 0 else {**look, "marker": MARKERS[turn % len(MARKERS)], "markerfacecolor": "white"}
        points = [(row["m"], row[column], row) for row in rows]
        artists = axes.plot([m for m, _, _ in points], [v for _, v, _ in points], color=colour, label=label, **look)
        drawn.append(DrawnSeries(label, colour, marker, artists, points))
    return drawn


def draw_published(axes, rows, cases):
    """The paper's points, which it measured: a series for each variant, in its colour."""
    names = list(dict.fromkeys(case["variant"] for case in cases))
    drawn = {}
    for row in rows:
        variant, marker = row["variant"], PUBLISHED_MARKERS[row["relation"]]
        colour = darker(OWN_COLOURS[names.index(variant) % len(OWN_COLOURS)]) if variant in names else FAINT
        name = f"{records.short_name(variant)}, measured (published)"
        series = drawn.setdefault(variant, DrawnSeries(name, colour, "*", is_published=True))
        series.artists += axes.plot(row["m"], row["value"], color=colour, marker=marker, markersize=8, linestyle="None")
        series.points.append((row["m"], row["value"], row))
    for series in drawn.values():
        series.artists[-1].set_label(series.name)
    return list(drawn.values())


def footer(predicted):
    unsure = sum(len(machine["machine"].get("unsure", [])) for machine in predicted["machines"])
    parts = [f"simulated: {predicted.get('steps')} steps of each loop; the rest is taken to be alike"]
    if unsure:
        facts = "1 property of the machines is" if unsure == 1 else f"{unsure} properties of the machines are"
        parts.append(f"{facts} assumed (predictions.md)")
    return "   ·   ".join(parts)
