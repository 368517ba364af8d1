"""Simulated curves in the figures in which the paper draws its simulation: of the measured machine among the measured
lines, of the paper's machine in a panel of their own (Eilers 2014, Fig. 2.7, 2.8, Table 2.1)."""

from dataclasses import dataclass

from shared import predictions, published
from shared.predictions import MISSES, PRINTED, TIME
from shared.style import DASHES, DrawnSeries


@dataclass
class Simulated:
    """Predictions of a run, the paper's numbers for them, and the panels of the paper's machines."""

    predicted: dict
    printed: list
    panels: list  # (machine, quantity)

    @property
    def devices(self):
        return {machine["published_as"] for machine, _ in self.panels}

    def footer(self):
        return predictions.footer(self.predicted)

    def draw_panels(self, all_axes):
        """Of each (axes, quantity, drawn series). Their points are told in the figure of the predictions alone."""
        panels = []
        for axes, (machine, y) in zip(all_axes, self.panels, strict=True):
            drawn = predictions.draw_panel(axes, self.predicted, self.printed, machine, y)
            for series in drawn:
                series.points = []
            axes.set_title(f"{machine['published_as']}, simulated", fontsize=9)
            panels.append((axes, y, drawn))
        return panels

    def draw_lines(self, axes, drawn):
        """What is simulated of the measured machine, in the colours of the measured series."""
        if any(y == MISSES for _, y in self.panels):
            return []
        measured = [series for series in drawn if not series.is_published]
        colours = {row["variant"]: series.colour for series in measured for _, _, row in series.points[:1]}
        cases = [case for case in self.predicted["cases"] if case["machine"] == "host" and case["variant"] in colours]
        drawn = []
        for (variant, model), rows in predictions.series_of(cases, ["variant", "model"]).items():
            if model != "translated":  # which differs little from serial
                label = f"{variant.split('/')[-1]}, simulated ({model})"
                dash = DASHES[1 + predictions.MODELS.index(model)]
                look = {"color": colours[variant], "linestyle": dash, "linewidth": 1.1, "label": label}
                line = axes.plot([row["m"] for row in rows], [row[TIME] for row in rows], **look)
                drawn.append(DrawnSeries(label, colours[variant], "", line))
        return drawn


def of_plot(plot, run):
    """The simulation of a run, where the paper draws one in the figure of this plot; else None."""
    if plot["x"] != "m" or TIME not in plot["y"]:
        return None
    facts = {row["quantity"] for row in published.of_config(run.name)}
    is_of_misses = any(PRINTED.get(fact) == MISSES for fact in facts)
    path = run.directory / "cachesim" / "predictions.json"
    if not (is_of_misses or any(fact.startswith("simulated") for fact in facts)) or not path.is_file():
        return None
    predicted, printed = predictions.load(path), predictions.printed_for(run.name)
    y = MISSES if is_of_misses else TIME
    return Simulated(predicted, printed, [(each, y) for each in predicted["machines"] if each["published_as"]])
