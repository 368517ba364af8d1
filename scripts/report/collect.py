"""Finds and reads the runs of a report, and groups them by paper. A run that cannot be read becomes a message and hides
no other."""

from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
import gc
from multiprocessing import get_context
import os
from pathlib import Path
import re
import zlib

from report import embedding, fields
from report.environment import facts_of
from shared import program as redbench
from shared import progress, records, shown

NO_PROGRAM = "no redbench was found to ask"
LARGEST = 100 << 20  # bytes of records of a page with a row for each: a reader's browser shows no more
COMPRESSED = 8  # bytes of records in one of records.jsonl.gz, by those of a GPU


@dataclass
class Collection:
    """The runs of a report. A row's `number` is its index among the records of the page."""

    runs: list = field(default_factory=list)
    damaged: list = field(default_factory=list)  # messages
    not_asked: list = field(default_factory=list)  # why redbench did not say which rows are stale
    rows: list = field(default_factory=list)
    records: list = field(default_factory=list)  # as embedded() gives them
    is_large: bool = False  # so it has no records, and links to the tables of runs in the place of their rows


@dataclass
class Paper:
    """Runs of one paper, in the order of their names: fig4, fig5a, table1."""

    name: str
    title: str
    runs: list


def collect(folders, program, draw):
    """Reads every run in and below the folders, asks the program which rows are stale, and has `draw` draw its figures.
    RecordError where a folder is none, or holds no run."""
    directories = run_folders(folders)
    collection = Collection(not_asked=[] if program else [NO_PROGRAM], damaged=unreadable(folders))
    files = [path for run in directories if (path := records.file_of(run)).is_file()]
    held = sum(path.stat().st_size * (COMPRESSED if path.suffix == ".gz" else 1) for path in files)
    collection.is_large = held > LARGEST
    names = Counter(map(name_in, directories))
    read = partial(read_run, program=program, names=names, is_large=collection.is_large, draw=draw)
    with held_for_good(), each_on_a_core(len(directories)) as do:
        for reading in do(read, directories):
            add(collection, *reading)
            progress.at(f"read {len(collection.runs)} of {len(directories)} runs")
    return collection


@contextmanager
def each_on_a_core(count):
    """map(), of whose calls as many are made at once as there are cores, each in a process."""
    cores = min(count, len(os.sched_getaffinity(0)))
    if cores < 2:
        yield map
        return
    with ProcessPoolExecutor(cores, mp_context=get_context("fork")) as pool:
        yield pool.map


def name_in(directory):
    """The name of the run in a folder; the folder's where it cannot be read, which is a message later."""
    try:
        return records.Run(directory, records.read_json(directory / "run.json")).name
    except (records.RecordError, AttributeError):
        return directory.name


@contextmanager
def held_for_good():
    """Spares the collector of cycles what the block makes, millions of objects that stay: it takes a third less."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def unreadable(folders):
    """Messages for the folders in or below these that must not be read or entered."""
    found = []
    for folder in folders:
        for path, names, _ in os.walk(folder):
            closed = [name for name in names if not os.access(os.path.join(path, name), os.R_OK | os.X_OK)]
            found += [f"{os.path.join(path, name)}: Permission denied" for name in closed]
            names[:] = [name for name in names if name not in closed]
    return found


def read_run(directory, program, names=None, is_large=False, draw=None):
    """A run with its figures, nothing where it cannot be read; messages of what cannot be read; why redbench did not
    say which rows are stale. `names`: how often each name is on the page."""
    damaged, not_asked = [], []
    try:
        redbench.write_missing_tables(directory, program)
        with held_for_good():
            report = tables_of(directory)
            run = records.load_run(directory, keep=None if is_large else embedded)
            damaged += run.bad
            if run.bad and not run.rows:
                return None, damaged, not_asked
            shown.add_to(run, report)
    except records.RecordError as error:
        return None, [*damaged, str(error)], not_asked
    try:
        if program:
            redbench.add_staleness(run, program)
    except records.RecordError as error:
        not_asked.append(str(error))
    for number, row in enumerate(run.rows):
        damaged += clean_row(row, run)
        row["number"] = None if is_large else number
    if names and names[run.name] > 1:
        run.label = f"{run.name} on {run.hardware(run.rows)}"
    run.environment = list(facts_of(run))
    run.drawn = draw(run, has_scales=not is_large) if draw else None
    if is_large:
        shorten(run)
    return run, damaged, not_asked


def shorten(run):
    """Leaves of a run what a page without its rows needs: 10^6 of them would take 10 GB."""
    names = ("key", "variant", "problem", "device", "hardware", "mode", "session", "outcome", "reason", "time_ns")
    run.rows = [{name: row.get(name) for name in (*names, "stale", "notes", "number")} for row in run.rows]
    run.sections, run.kept = [], []


def add(collection, run, damaged, not_asked):
    """Adds what read_run() gave."""
    collection.damaged += damaged
    collection.not_asked += not_asked
    if not run:
        return
    for row in run.rows if run.kept else ():
        row["number"] += len(collection.rows)
    collection.runs.append(run)
    collection.rows += run.rows
    collection.records += run.kept
    run.kept = []


def tables_of(directory):
    """What redbench says of a run; nothing where it cannot be read, which is a message once the run has been read. It
    is read first, as reading takes several times the memory of what is kept."""
    try:
        return shown.read(directory)
    except records.RecordError:
        return None


def embedded(record):
    """A record as a page embeds it, as compressed JSON: without samples."""
    text = embedding.json_of(embedding.clean(fields.without_samples(record)))
    return zlib.compress(text.encode("utf-8", "replace"), 1)


def with_facts(collection, sources):
    """The records as JSON, with the reason why they are stale and the path of their source, one after the other. Each
    is let go then."""
    for number, record in enumerate(collection.records):
        collection.records[number], row = None, collection.rows[number]
        more = {"stale": row.get("stale"), "source": sources.of_variant(row["variant"])}
        more = {name: embedding.clean(value) for name, value in more.items() if value}
        text = zlib.decompress(record)
        yield text[:-1] + b"," + embedding.json_of(more).encode()[1:] if more else text


def clean_row(row, run):
    """Takes numbers past all bounds, as 1e999, out of a row, as they can be neither shown nor drawn, and cuts the texts
    that figures show. Returns a message for each such number."""
    for name in ("variant", *run.axes, *run.parameters):
        if isinstance(row.get(name), str):
            row[name] = embedding.cut(row[name], 120)
    messages = []
    for name, value in row.items():
        if type(value) in (int, float) and not abs(value) < (1e300 if name in records.NUMBERS else 1 << 63):
            row[name] = None if name in records.NUMBERS else "past all bounds"
            messages.append(f"{records.file_of(run.directory)}: {row['key']}: {name}: a number past all bounds")
    return messages


def run_folders(folders, none_is_wrong=True):
    """Folders in or below these that have a run.json or a records.jsonl, each once."""
    found = {}
    for folder in map(Path, folders):
        if not folder.is_dir():
            raise records.RecordError(f"{folder}: no such folder")
        if not os.access(folder, os.R_OK | os.X_OK):
            raise records.RecordError(f"{folder}: Permission denied")
        here = {path.parent for name in ("run.json", *records.FILES) for path in folder.rglob(name)}
        here = {run for run in here if not (run.name == "replaced" and run.parent in here)}
        if not here and none_is_wrong:
            raise records.RecordError(f"{folder}: no run in or below it: no run.json and records.jsonl")
        found |= {path.resolve(): path for path in sorted(here, key=natural)}
    return list(found.values())


def natural(path):
    """Sorts fig4.9 before fig4.10."""
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", str(path))]


def papers(runs):
    """Runs grouped by the paper that their config's name begins with, in their order; those of no paper are last."""
    members = {}
    for run in runs:
        members.setdefault(paper_of(run), []).append(run)
    names = sorted(members, key=lambda name: name == "")
    return [Paper(name, title_of(name, members[name]), members[name]) for name in names]


def paper_of(run):
    paper, slash, _ = run.name.partition("/")
    return paper if slash else ""


# What the chapters of a long paper are about, by what its figures and tables are called.
CHAPTERS = {
    "eilers2014": (
        (r"[a-z]{3,}2\b.*", "Chapter 2: one core of a CPU"),
        (r"[a-z]{3,}3\b.*", "Chapter 3: reduction and scan by key"),
        (r"[a-z]{3,}4\b.*", "Chapter 4: histograms, multireduce and scatter"),
        (r"[a-z]{3,}5\b.*", "Chapter 5: multiscan"),
        (r"[a-z]\d+", "Appendices A and B: further measurements"),
    )
}


def chapters(paper):
    """(title, runs) of each chapter of a paper, in order; all runs without a title where it has none."""
    found, rest = [], list(paper.runs)
    for pattern, title in CHAPTERS.get(paper.name, ()):
        members = [run for run in rest if re.fullmatch(pattern, run.name.partition("/")[2])]
        rest = [run for run in rest if run not in members]
        found += [(title, members)] if members else []
    return found + ([("", rest)] if rest else [])


def title_of(name, runs):
    """The common beginning of its configs' titles: "Martín et al. 2012"."""
    if name in ("", "best"):  # configs/best is no paper
        return "Every variant on the GPU" if name else "Other runs"
    begins = {re.split(r"[,:]", title_of_run(run))[0] for run in runs}
    return begins.pop() if len(begins) == 1 else name


def title_of_run(run):
    """The config's title, else its name."""
    titles = (run.facts.get("title"), run.config.get("title"), run.name)
    return next(title for title in titles if isinstance(title, str) and title)
