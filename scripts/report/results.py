"""The page of runs, section by section."""

from dataclasses import dataclass, field
import os
import re
from urllib.parse import quote

from report import answers as answers_module
from report import claims as claims_module
from report import embedding, extras, page, reasons
from report.collect import chapters, collect, papers, title_of_run, with_facts
from report.environment import environment_of
from report.figures import count_on, figures_of
from report.sources import Sources
from report.tables import tables_of
from report.troubles import troubles_of
from shared import records, shown


@dataclass
class Section:
    """A run as the page has it."""

    id: str
    short: str
    title: str
    facts: list
    footer: str
    figures: list  # (number among the page's figures, figure)
    tables: list
    extras: list
    reasons: list = field(default_factory=list)
    files: list = field(default_factory=list)  # (address, name) of its tables, where the page does not have them


@dataclass
class Chapter:
    id: str
    title: str  # nothing where the paper's runs are in none
    runs: list  # sections


def report(folders, program, title="", claims_path=None, place=".", best=None):
    """The page of all runs in and below the folders, and what of them could not be read. RecordError where there is
    none, and where `claims_path` holds no claims. `place`: the folder of the page; `best`: one of runs that
    say, too, what is fastest."""
    collection = collect(folders, program, figures_of)
    of_papers = papers(collection.runs)
    names, sources = page.Names(), Sources()
    published, figures, messages, empty, sections = [], [], [], [], {}
    for paper in of_papers:
        for run in paper.runs:
            drawn, failures, without_cases, shown_published = run.drawn
            count_on(drawn, record=run.rows[0]["number"] if run.rows else 0, published=len(published))
            published += shown_published
            messages += failures
            empty += without_cases
            numbered = list(enumerate(drawn, len(figures)))
            figures += drawn
            sections[id(run)] = section_of(run, paper, numbered, names, sources)
            if collection.is_large:
                sections[id(run)].files = files_of(run, place, sources)
    places = claims_module.RecordPlaces(collection.runs)
    why, failures = reasons.reasons_of(folders, collection.runs)
    messages += failures
    for index, run in enumerate(collection.runs):
        sections[id(run)].reasons = [with_places(reason, sources, places) for reason in why[index]]
    try:
        path = claims_path or claims_module.find(folders)
        hardware = {row["hardware"] for row in collection.rows}
        of_claims = claims_module.by_paper(claims_module.load(path, hardware) if path else [], of_papers)
    except records.RecordError as error:
        if claims_path:  # asked for by name
            raise
        of_claims = []
        messages.append(f"the claims cannot be read: {error}")
    claims = [claim for _, members in of_claims for claim in members]
    read = claims_module.configs() if claims else {}
    for claim in claims:
        claim.parts = [{**part, "numbers": numbers_of(part, places)} for part in claim.parts]
        of_configs = [sections[id(run)] for run in collection.runs if run.name in read.get(claim.id, ())]
        claim.figures = [(f"figure-{each.figures[0][0]}", each.short) for each in of_configs if each.figures]
    asked = None if collection.is_large else program
    asked_folders = [*folders, *filter(None, [best])]
    answers, failures = answers_module.of_folders(asked_folders, asked, collection.runs, sections)
    messages += failures

    data = {
        "figures": figures,
        "published": embedding.clean(published),
        "sources": sources.files,
    }
    sessions = [session for run in collection.runs for session in run.sessions_of(run.rows)]
    shown_papers = [
        {
            "id": names.of("paper", paper.name or "other"),
            "title": paper.title,
            "chapters": [
                Chapter(names.of("chapter", title), title, [sections[id(run)] for run in runs])
                for title, runs in chapters(paper)
            ],
            "stories": stories_of(paper, sources),
        }
        for paper in of_papers
    ]
    troubles = troubles_of(collection, messages, empty)
    packed = pack_tables(sections.values())
    text = page.render(
        "report.html",
        data,
        with_facts(collection, sources),
        (table.lines for table in packed),
        title=title or default_title(of_papers),
        kind="report",
        subtitle=[hardware_of(collection), dates_of(collection.runs)],
        tiles=tiles_of(collection, figures, claims, troubles),
        first_troubles=[trouble for trouble in troubles if trouble.comes_first],
        last_troubles=[trouble for trouble in troubles if not trouble.comes_first],
        all_well=all_well(collection),
        answers=answers,
        is_large=collection.is_large,
        claims=of_claims,
        claim_counts=claims_module.counts(claims),
        papers=shown_papers,
        environment=environment_of(collection.runs),
        run_count=len(collection.runs),
        source_paths=sorted(sources.files),
        samples=f"{sum(run.samples for run in collection.runs):,}".replace(",", "\u202f"),
        colophon=colophon(sessions),
    )
    return text, collection.damaged


def section_of(run, paper, figures, names, sources):
    rows = run.rows
    short = run.label.partition("/")[2] or run.label
    timed = any(row.get("time_ns") is not None for row in rows)
    modes = ", ".join(sorted({row["mode"] for row in rows})) if timed else ""
    facts = [run.name, run.hardware(rows), run.date, run.interruption]
    facts += [f"mode {modes}" if modes else "", passed(rows)]
    footer = [shown.disturbances(rows), run.differences and f"sessions differ: {run.differences}"]
    return Section(
        names.of("run", run.name),
        short,
        heading_of(title_of_run(run), paper.title),
        facts,
        "  ·  ".join(text[:1].upper() + text[1:] for text in footer if text),
        figures,
        tables_of(run, sources),
        extras.of_run(run),
    )


def files_of(run, place, sources):
    """The tables that redbench wrote beside a run's records, as a page in the folder `place` leads to them."""
    for variant in dict.fromkeys(row["variant"] for row in run.rows):
        sources.of_variant(variant)  # embeds it, as their rows would
    files = sorted(file for ending in ("md", "csv") for file in (run.directory / "tables").glob(f"*.{ending}"))
    return [(quote(os.path.relpath(file, place)), file.name) for file in files]


def pack_tables(sections):
    """The long tables, each with its place among the page's compressed ones."""
    packed = [table for section in sections for table in section.tables if table.is_long]
    for place, table in enumerate(packed):
        table.packed = place
    return packed


def heading_of(title, paper_title):
    """The run's title without that of its paper, above which it stands."""
    rest = re.sub(r"^[,: ]+", "", title.removeprefix(paper_title)) if title.startswith(paper_title) else title
    return rest[:1].upper() + rest[1:] if rest else title


def passed(rows):
    count = sum(row["outcome"] == "passed" for row in rows)
    return f"all {len(rows)} cases passed" if count == len(rows) else f"{count} of {len(rows)} cases passed"


def stories_of(paper, sources):
    problems = dict.fromkeys(row["problem"] for run in paper.runs for row in run.rows)
    stories = [(sources.story_of(problem), problem) for problem in problems]
    return [(path, problem) for path, problem in stories if path]


def with_places(reason, sources, places):
    """The reason, with links from its lines and times to their sources and records."""
    for counter in reason.counters:
        for line in counter["lines"]:
            line["path"] = sources.add(line["file"])
    for time in reason.times:
        time["numbers"] = places.of(time.get("record"))
    return reason


def numbers_of(part, places):
    """The records on the page that a part of a claim names, a dozen at most."""
    found = [number for name in claims_module.listed(part.get("records")) for number in places.of(name)]
    return list(dict.fromkeys(found))[:12]


def hardware_of(collection):
    names = dict.fromkeys(row["hardware"] for row in collection.rows)
    return ", ".join(names)


def dates_of(runs):
    days = sorted({day for run in runs for day in run.date.split(" to ") if day})
    return " to ".join(dict.fromkeys([*days[:1], *days[-1:]]))


def default_title(of_papers):
    if len(of_papers) == 1:
        return of_papers[0].title
    return f"{len(of_papers)} papers measured again" if of_papers and all(p.name for p in of_papers) else "Results"


def tiles_of(collection, figures, claims, troubles):
    rows = collection.rows
    passed_count = sum(row["outcome"] == "passed" for row in rows)
    stale = sum(bool(row.get("stale")) for row in rows)
    bad = any(trouble.severity == "bad" for trouble in troubles)
    tiles = [
        tile("cases", len(rows)),
        tile("passed", passed_count, "bad" if bad and passed_count < len(rows) else "", "#first" if bad else "#notes"),
        tile("stale", "not known" if collection.not_asked else stale, "warning" if stale else "", "#notes"),
        tile("figures", len(figures)),
    ]
    if claims:
        measured = [claim for claim in claims if not claim.modelled]
        held = claims_module.counts(measured)["holds"]
        tiles.append(tile("claims that hold", f"{held} of {len(measured)}", "", "#claims"))
    return tiles


def tile(name, value, tone="", link=""):
    text = f"{value:,}".replace(",", "\u202f") if isinstance(value, int) else value
    return {"name": name, "value": text, "tone": tone, "link": link}


def all_well(collection):
    stale = "" if collection.not_asked else "none is stale"
    return ", ".join(filter(None, (f"All {len(collection.rows)} cases passed", stale))) + "."


def colophon(sessions):
    commits = dict.fromkeys(str(session.get("commit") or "") for session in sessions)
    return ["Written by scripts/make_report.py from records alone", *(f"commit {name}" for name in commits if name)]
