"""The first table of the page: which variant is fastest where, with links to the figures of its records."""

from dataclasses import dataclass
from pathlib import Path

from shared import progress, records, which

MOST_INPUTS = 3  # of a problem: those with most variants


@dataclass
class Answers:
    """Of a problem: rows of which.answers(), each with the address of its figure on the page and the run's name."""

    problem: which.Problem
    rows: list

    @property
    def others(self):
        """Inputs that the table does not have."""
        return max(0, len(self.problem.inputs) - MOST_INPUTS)


def of_folders(folders, program, runs, sections):
    """The answers of each problem that has times, and messages where the program gives none."""
    timed = {row["problem"] for run in runs for row in run.rows if row.get("time_ns") is not None}
    figures = {
        str(run.directory.resolve()): (f"figure-{section.figures[0][0]}", section.short)
        for run in runs
        if (section := sections[id(run)]).figures
    }
    found, messages = [], []
    for name in which.PROBLEMS if program else ():
        if name not in timed:
            continue
        progress.at(f"redbench looks for the fastest {name}")
        try:
            problem = which.problem(name, folders, program)
        except (records.RecordError, OSError) as error:
            messages.append(f"the fastest {name} is not known: {error}")
            continue
        if problem:
            rows = which.answers(problem, MOST_INPUTS)
            found.append(Answers(problem, [(row, *figure_of(row, figures)) for row in rows]))
    return found, messages


def figure_of(row, figures):
    places = [str(Path(run).resolve()) for run in row.range.runs]
    return next((figures[place] for place in places if place in figures), ("", ""))
