"""The page of a comparison of two runs, or of two folders of runs, by `redbench compare`."""

from dataclasses import dataclass, field
from pathlib import Path
import subprocess
import tempfile

from report import collect, embedding, page
from report.environment import environment_of
from report.figures import compared_figure
from report.sources import Sources
from report.troubles import Trouble, unknown_staleness
from shared import comparisons, records


@dataclass
class Pair:
    """Two runs of one name, and their comparison or why there is none."""

    name: str
    folders: tuple
    comparison: dict = field(default_factory=dict)
    why_not: str = ""
    runs: tuple = (None, None)


def report(compared, program, title="", across=False):
    """The page of one file that `redbench compare --json` wrote, or of two folders, and what could not be read."""
    pairs, alone = ([pair_of_file(Path(compared[0]))], []) if len(compared) == 1 else pairs_of(*map(Path, compared))
    if len(compared) == 2:
        for pair in pairs:
            compare(pair, program, across)
    collection = collect.Collection(not_asked=[] if program else [collect.NO_PROGRAM])
    for pair in pairs:
        if pair.folders:
            pair.runs = tuple(run_of(collection, folder, program) for folder in pair.folders)
    names, sources = page.Names(), Sources()
    figures, shown = [], []
    for pair in (pair for pair in pairs if pair.comparison):
        shown.append(section_of(pair, names, sources, figures))
    sides = [[pair.runs[side] for pair in pairs if pair.runs[side]] for side in (0, 1)]
    first, second = sides_of(pairs, compared)
    data = {
        "figures": figures,
        "published": [],
        "sources": sources.files,
    }
    counts = {v: sum(c["verdict"] == v for p in shown for c in p["cases"]) for v in comparisons.VERDICTS}
    text = page.render(
        "compare.html",
        data,
        collect.with_facts(collection, sources),
        title=title or f"{second} against {first}",
        kind="comparison",
        first=first,
        second=second,
        of_variants=any(pair.comparison.get("of_variants") for pair in pairs),
        counts=counts,
        sections=shown,
        troubles=troubles_of(pairs, alone, collection),
        environment=side_by_side(*map(environment_of, sides)) if any(sides) else [],
    )
    return text, collection.damaged


def sides_of(pairs, compared):
    """The names of the two sides."""
    if len(compared) == 2:
        return tuple(compared)
    comparison = pairs[0].comparison
    return tuple(embedding.cut(comparison.get(side) or side, 120) for side in ("first", "second"))


def pair_of_file(path):
    comparison = comparisons.load(path)
    named = [comparison.get(side) for side in ("first", "second")]
    of_runs = not comparison.get("of_variants") and all(isinstance(name, str) and name for name in named)
    folders = tuple(Path(name) for name in named) if of_runs else ()
    return Pair(".", folders if all(map(is_run, folders)) else (), comparison)


def is_run(folder):
    try:
        return (folder / "run.json").is_file()
    except OSError:
        return False


def pairs_of(first, second):
    """Runs that both folders have at the same place, and (place, folder) of those that one has alone."""
    places = []
    for folder in (first, second):
        found = collect.run_folders([folder])
        places.append({str(run.relative_to(folder)): run for run in found})
    both = [name for name in places[0] if name in places[1]]
    if list(places[0]) == ["."] or list(places[1]) == ["."]:
        both = ["."] if both == ["."] else []
    sides = zip(places, (first, second), strict=True)
    alone = [(name, folder) for here, folder in sides for name in here if name not in both]
    if not both:
        raise records.RecordError(f"{first} and {second}: no run that both have at the same place")
    return [Pair(name, (places[0][name], places[1][name])) for name in both], alone


def compare(pair, program, across):
    """Has redbench compare the two runs. Its refusal is kept, not raised."""
    if not program:
        raise records.RecordError("no redbench is found to compare with (--redbench)")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "compared.json"
        command = [program, "compare", *map(str, pair.folders), "--json", str(path), *["--across"] * across]
        try:
            answer = subprocess.run(command, capture_output=True, text=True, errors="replace")
        except OSError as error:
            raise records.RecordError(f"{program}: {error.strerror}") from None
        if path.is_file():
            pair.comparison = comparisons.load(path)
        else:
            pair.why_not = answer.stderr.strip() or f"redbench compare ended with {answer.returncode}"


def run_of(collection, folder, program):
    """The run, its rows added to the collection; nothing where it cannot be read."""
    before = len(collection.runs)
    collect.add(collection, *collect.read_run(folder, program))
    return collection.runs[before] if len(collection.runs) > before else None


def section_of(pair, names, sources, figures):
    comparison = pair.comparison
    compared = comparison["cases"]
    texts = [embedding.cut(name, 120) for name in comparisons.names(compared, comparison.get("of_variants"))]
    found = [{records.identity(row): row for row in run.rows} if run else {} for run in pair.runs]
    cases = [case_of(case, text, found, sources) for case, text in zip(compared, texts, strict=True)]
    numbered = []
    if any(case["ratio"] is not None for case in cases):
        shown = [{**case, **of} for case, of in zip(compared, cases, strict=True) if of["ratio"] is not None]
        numbered.append((len(figures), compared_figure({**comparison, "cases": shown}, f"comparison {len(figures)}")))
        figures.append(numbered[0][1])
    return {
        "id": names.of("pair", pair.name),
        "title": pair.name if pair.name != "." else "",
        "cases": cases,
        "figures": numbered,
        "threshold": comparison.get("threshold_percent"),
        "remarks": [str(remark) for remark in comparison.get("remarks") or []],
    }


def case_of(case, text, found, sources):
    identity = tuple(case.get(name) for name in ("key", "mode", "device"))
    rows = [of.get(identity) for of in found]
    notes = case.get("notes") if isinstance(case.get("notes"), list) else []
    variant = str(case.get("variant"))
    return {
        "name": text,
        "source": sources.of_variant(variant),
        "times": [case.get("first_ns"), case.get("second_ns")],
        "numbers": [row["number"] if row else None for row in rows],
        "number": next((row["number"] for row in reversed(rows) if row), None),
        **{name: case.get(name) for name in comparisons.NUMBERS},
        "verdict": case["verdict"],
        "notes": [str(note) for note in notes],
    }


def troubles_of(pairs, alone, collection):
    """What could not be compared, before all that could."""
    found = [Trouble("bad", "A run could not be read", message) for message in dict.fromkeys(collection.damaged)]
    found += [Trouble("bad", f"Not compared: {pair.name}", pair.why_not) for pair in pairs if pair.why_not]
    found += [Trouble("warning", f"Only in {folder}", name) for name, folder in alone]
    for pair in pairs:
        found += [Trouble("warning", "Of all cases", str(remark)) for remark in pair.comparison.get("remarks") or []]
        if pair.comparison.get("gone"):
            found.append(Trouble("bad", "Gone", f"{pair.comparison['gone']} cases of the first have no counterpart"))
    reasons = {}
    for pair in pairs:
        for case in pair.comparison.get("cases", []):
            if case.get("ratio") is None:
                for note in case.get("notes") or ["no reason is given"]:
                    reasons.setdefault(str(note), []).append(case)
    found += [Trouble("warning", f"{len(of)} not compared", note) for note, of in reasons.items()]
    stale = sum(bool(row.get("stale")) for row in collection.rows)
    if stale:
        found.append(Trouble("warning", f"{stale} records are stale", "today's sources would make them otherwise"))
    return found + unknown_staleness(collection)


def side_by_side(first, second):
    """(group, name, texts of the first, texts of the second, whether they differ)"""
    facts = {}
    for side, of_side in enumerate((first, second)):
        for fact in of_side:
            facts.setdefault((fact.group, fact.name), [[], []])[side] = list(fact.texts)
    return [(group, name, *texts, texts[0] != texts[1]) for (group, name), texts in facts.items()]
