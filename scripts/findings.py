#!/usr/bin/env python3
"""The tables of docs/findings.md, docs/which.md and README.md, made from the records in results/: the verdicts on the
papers' claims, on which two GPUs decide differently, the comparisons of docs/findings.json with their times, and which
variant is fastest where, with maps (docs/which/*.svg).

Without --write the tables are printed, with it they replace those in the pages, between the lines that name this
script.
"""

import argparse
from collections import Counter
import functools
import json
import math
import re
import subprocess
import sys

from shared import output, which, which_map
from shared.program import find
from shared.records import REPOSITORY, RecordError, format_axis, load_run
from shared.visible import complain

PAGE = REPOSITORY / "docs" / "findings.md"
README = REPOSITORY / "README.md"
DIFFERENCES = REPOSITORY / "docs" / "findings.json"
WHICH = REPOSITORY / "docs" / "which.md"
FOLDERS = ("results/h200", "results/h100", "results/simt-gtx480")
NO_SOURCES = ("selftest", "counters", "tests", "measuring")  # runs that repeat what others measure
MOST_NAMES = 2  # a selection of more variants is given by their number
COUNTED = {"holds": "hold", "holds in part": "hold in part", "does not hold": "do not hold"}
COUNTED |= {"undecided": "are undecided", "not measured": "not measured"}
OPEN = ("undecided", "not measured")


def lines_of(name):
    """Those that a table stands between."""
    return f"<!-- scripts/findings.py: {name} -->", f"<!-- end of {name} -->"


def answers(*options):
    """The claims that `redbench claims` reports of the first GPU."""
    return report(*options)["claims"]


def report(*options):
    """What `redbench claims` reports. RecordError with its message where it fails."""
    program = find()
    if program is None:
        raise RecordError("there is no build/redbench to ask: make")
    command = [program, "claims", *FOLDERS, "--json", *options]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    if done.returncode != 0:
        raise RecordError(done.stderr.strip())
    return json.loads(done.stdout)


def deciding(claim):
    """The part that decides the verdict of a claim or a test: of one that holds the part nearest to its bound, of one
    that does not hold or holds in part the furthest from it, of an undecided one the first with a number. None where
    no part has a number."""
    verdict = "does not hold" if claim["verdict"] == "holds in part" else claim["verdict"]
    parts = [part for part in claim["parts"] if part["decides"] and part["verdict"] == verdict]
    parts = [part for part in parts if part["value"] is not None]
    if claim["verdict"] == "undecided":
        return parts[0] if parts else None
    pick = min if claim["verdict"] == "holds" else max
    return pick(parts, key=distance, default=None)


def distance(part):
    """The distance to the nearest bound relative to it, as the parts of a claim may have bounds of different sizes."""
    bounds = [float(bound) for bound in re.findall(r"-?[\d.]+", part["bound"])]
    return min(abs(part["value"] - bound) / (abs(bound) or 1) for bound in bounds)


def short(what):
    """A part's description; where it chooses from many variants, with their number in place of their names."""

    def counted(match):
        names = match[2].split(" or ")
        return match[0] if len(names) <= MOST_NAMES else f"{match[1]} of {len(names)}"

    what = re.sub(r"(the (?:fastest|slowest)) of (?:problem \w+, )?(\w+(?: or \w+)*)", counted, what)
    return what.replace("problem ", "")


def with_interval(value, low, high):
    """ "1.298 (1.297 to 1.299)" with the digits that the interval supports, thousands spaced from 10 000 on; without an
    interval the number alone."""
    if low is None or high == low:
        return f"{value:.4g}"
    places = max(0, -math.floor(math.log10((high - low) / 4)))
    texts = [f"{number:,.{places}f}".replace(",", " " * (number >= 10000)) for number in (value, low, high)]
    return f"{texts[0]} ({texts[1]} to {texts[2]})"


def ratio_of(part):
    return with_interval(part["value"], part["low"], part["high"])


def sentence_of(claims):
    """ "16 hold, 2 hold in part, 13 do not hold, 3 are undecided, 2 not measured; by a model's counts 2 hold." The
    former by records of the GPU and its host."""
    counts = Counter((claim["modelled"], claim["verdict"]) for claim in claims)
    text = ", ".join(f"{counts[False, name]} {words}" for name, words in COUNTED.items())
    by_model = [f"{counts[True, name]} {words}" for name, words in COUNTED.items() if counts[True, name]]
    return text + (f"; by a model's counts {', '.join(by_model)}" if by_model else "") + "."


def parts_that_hold(claim):
    decisions = [part["verdict"] for part in claim["parts"] if part["decides"]]
    return f"{decisions.count('holds')} of {len(decisions)}"


@functools.cache
def problems():
    """What the records of the H200 say of each problem; None where none has a time."""
    folders = [path for path in sorted((REPOSITORY / FOLDERS[0]).iterdir()) if path.is_dir()]
    folders = [str(path.relative_to(REPOSITORY)) for path in folders if path.name not in NO_SOURCES]
    return {name: which.problem(name, folders, find(), REPOSITORY) for name in which.PROBLEMS}


def row_of(*cells):
    return f"| {' | '.join(cells)} |"


def fastest_table(found):
    """The small map: of each problem's first input the fastest, in a row for each range of its sizes."""
    lines = ["| problem | input | where | fastest | µs at its ends | library's time over it |"]
    lines.append("| --- | --- | --- | --- | ---: | ---: |")
    for name, problem in found.items():
        rows = which.rows_of(name, problem.inputs[0], small=True) if problem else []
        lines += [row_of(f"[{name}](docs/which.md#{name})", *cells_of(row)) for row in rows]
        lines += [] if rows else [f"| {name} | | | was never measured | | |"]
    return "\n".join([*lines, ""])


def section_of(name, problem):
    """Of a problem: its map, and a row for each of its inputs and ranges of sizes."""
    if problem is None:
        return f"## {name}\n\nNo record has a time.\n"
    never = f" Never measured: {', '.join(problem.never)}." if problem.never else ""
    scarce = "with few variants, or without what is the fastest at their neighbours, are left out"
    scarce = f" {problem.left_out} inputs {scarce}." if problem.left_out else ""
    lines = [f"## {name}", "", f"{problem.hardware}, {problem.date}.{never}{scarce}", ""]
    lines += [f"![{alt_of(name, problem)}](which/{name}.svg)", ""]
    lines.append("| input | where | fastest | µs at its ends | library's time over it | measured |")
    lines.append("| --- | --- | --- | ---: | ---: | --- |")
    for row in which.answers(problem):
        lines.append(row_of(*cells_of(row), f"{row.range.measured}: {links(row.range.runs)}"))
    return "\n".join([*lines, ""])


def alt_of(name, problem):
    (first, *_), text = which.answers(problem), f"{name}: the fastest variant by input and size"
    return f"{text}; {first.input}, {first.place}: {first.range.text()}"


def cells_of(row):
    return [row.input, row.place, row.range.text(), row.range.times, row.range.over_library]


def links(runs):
    """To the tables of runs, from docs/, by their paths behind the device's folder."""
    texts = [run.split("/", 2)[-1] for run in runs]
    tables = [f"../{run}/tables/{run.split('/')[-1]}.md" for run in runs]
    return ", ".join(f"[{text}]({table})" for text, table in zip(texts, tables, strict=True))


def pictures():
    """The map of each problem, by its path."""
    found = {name: problem for name, problem in problems().items() if problem}
    return {WHICH.with_suffix("") / f"{name}.svg": which_map.draw(problem) for name, problem in found.items()}


@functools.cache
def cold_rows(folder):
    return [row for row in load_run(REPOSITORY / folder).rows if row["mode"] == "cold"]


def microseconds(row):
    return with_interval(*(row[name] / 1000 for name in ("time_ns", "time_low_ns", "time_high_ns")))


def verdict_table(claims):
    lines = [sentence_of(claims), "", "| claim | its number | asked | of | parts that hold | verdict |"]
    lines.append("| --- | ---: | --- | --- | ---: | --- |")
    for claim in claims:
        part = deciding(claim)
        of = [": ".join(filter(None, (part["test"], part["what"])))] if part else []
        if claim["verdict"] in OPEN:
            why = (part or next(part for part in claim["parts"] if part["decides"] and part["why"]))["why"]
            of.append(re.split("[:;]", why)[0])  # without the name of its record
        number = [ratio_of(part), part["bound"]] if part else ["", ""]
        if claim["verdict"] == "holds in part":
            names = [test["name"] for test in claim["tests"] if test["decides"] and test["verdict"] == "holds"]
            of.append(f"holds: {', '.join(names)}")
        lines.append(row_of(claim["id"], *number, short("; ".join(of)), parts_that_hold(claim), claim["verdict"]))
    return "\n".join([*lines, ""])


def gpus_table(of_first):
    """The statements, tests of claims, on which the records of two GPUs decide oppositely, with the deciding number of
    each. A claim that one GPU leaves open in part is no such statement."""
    gpus = [of_first, *of_first.get("others", [])]
    decided = [tests for tests in zip(*map(tests_of, gpus), strict=True) if len(verdicts_of(tests)) > 1]
    differing = [tests for tests in decided if len(set(verdicts_of(tests))) > 1]
    if not decided:
        return "None yet: one GPU has decided them.\n"
    turn = f"{len(differing)} {'turns' if len(differing) == 1 else 'turn'} round"
    lines = [f"Of {len(decided)} statements that more than one GPU decides, {turn}.", ""]
    if differing:
        lines += [row_of("statement", *(gpu["gpu"] for gpu in gpus)), f"| --- |{' --- |' * len(gpus)}"]
    for tests in differing:
        lines.append(row_of(tests[0]["name"], *map(verdict_with_number, tests)))
    return "\n".join([*lines, ""])


def tests_of(gpu):
    """The tests that decide a GPU's claims, each with its parts; none of a claim that the modelled device decides."""
    return [
        test
        | {"name": f"{claim['id']}: {test['name']}"}
        | {"parts": [part for part in claim["parts"] if part["test"] == test["name"]]}
        for claim in gpu["claims"]
        if not claim["modelled"]
        for test in claim["tests"]
        if test["decides"]
    ]


def verdicts_of(tests):
    return [test["verdict"] for test in tests if test["verdict"] not in OPEN]


def verdict_with_number(test):
    part = deciding(test)
    number = f": {ratio_of(part)}, asked {part['bound']}; {short(part['what'])}" if part else ""
    return test["verdict"] + number


def time_of(record):
    """The time of a record "<folder>#<key>" in µs, with its interval. Of several records of a key the last counts."""
    folder, key = record.split("#", 1)
    return microseconds([row for row in cold_rows(folder) if row["key"] == key][-1])


def is_stale(part):
    """Whether a part is undecided because a kernel has changed since its records were made."""
    return "stale (" in part["why"]


def number_table(claims, asked):
    """The comparisons with the times of their records; `asked` are the claims as docs/findings.json has them."""
    lines = ["| | | time (µs) | over | time (µs) | is |", "| ---: | --- | ---: | --- | ---: | ---: |"]
    for place, (claim, tests) in enumerate(zip(claims, (entry["tests"] for entry in asked), strict=True), 1):
        for turn, (part, test) in enumerate(zip(claim["parts"], tests, strict=True)):
            if part["value"] is None and not is_stale(part):
                raise RecordError(f"{claim['id']}: {part['why']}")
            at = ", ".join(f"{axis} {format_axis(axis, value)}" for axis, value in test.get("where", {}).items())
            first, second = part["what"].split(" / ")
            if part["value"] is None:
                lines.append(f"| {'' if turn else place} | {first}; {at} | | {second} | | waits to be measured again |")
                continue
            slow, fast = (time_of(record) for record in part["records"])
            lines.append(f"| {'' if turn else place} | {first}; {at} | {slow} | {second} | {fast} | {ratio_of(part)} |")
    return "\n".join([*lines, ""])


def tables():
    """The tables of each page, by the lines between which they stand."""
    from_file = answers("--from", str(DIFFERENCES))  # which checks that file
    differences = json.loads(DIFFERENCES.read_text())["claims"]
    of_claims = report()
    claims = of_claims["claims"]
    return {
        PAGE: {
            lines_of("verdicts"): verdict_table(claims),
            lines_of("by_gpu"): gpus_table(of_claims),
            lines_of("numbers"): number_table(from_file, differences),
        },
        README: {
            lines_of("fastest"): fastest_table(problems()),
            lines_of("summary"): f"Of {len(claims)}, {sentence_of(claims)}\n",
        },
        WHICH: {lines_of("maps"): "\n".join(section_of(name, problem) for name, problem in problems().items())},
    }


def write(made):
    """Writes all pages, or none where one lacks the lines for a table."""
    pages = {page: output.with_tables(page, of_page) for page, of_page in made.items()}
    for page, text in (pages | pictures()).items():
        page.parent.mkdir(exist_ok=True)
        output.replace(page, text)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="puts the tables into the pages")
    options = parser.parse_args(arguments)
    try:
        made = tables()
        if options.write:
            write(made)
        else:
            print("\n".join(table for of_page in made.values() for table in of_page.values()))
    except (RecordError, OSError, UnicodeDecodeError) as error:
        complain("findings", error)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
