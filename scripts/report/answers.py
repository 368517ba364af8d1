"""The first table of the page: which variant is fastest where, with links to the figures of its records."""

from dataclasses import dataclass
from pathlib import Path

from shared import progress, records, which

MOST_INPUTS = 3  # of a problem: those with most variants


@dataclass
class Row:
    input: str
    place: str
    fastest: str
    waits: bool
    times: str
    ratios: str
    counts: str
    link: str
    run: str


@dataclass
class Answers:
    """Of a problem."""

    name: str
    hardware: str
    date: str
    rows: list
    others: int  # inputs that the table does not have


def of_folders(folders, program, runs, sections):
    """The answers of each problem that has times, and messages where the program gives none."""
    timed = {row["problem"] for run in runs for row in run.rows if row.get("time_ns") is not None}
    places = {str(run.directory.resolve()): sections[id(run)] for run in runs}
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
            rows = [row_of(answer, places) for answer in which.answers(problem, MOST_INPUTS)]
            others = max(0, len(problem.inputs) - MOST_INPUTS)
            found.append(Answers(name, problem.hardware, problem.date, rows, others))
    return found, messages


def row_of(answer, places):
    part = answer.range
    sections = [places[place] for run in part.runs if (place := str(Path(run).resolve())) in places]
    section = next((section for section in sections if section.figures), None)
    link = f"figure-{section.figures[0][0]}" if section else ""
    name = section.short if section else ""
    return Row(
        answer.input, answer.place, part.text(), part.waits, part.times, part.over_library, part.measured, link, name
    )
