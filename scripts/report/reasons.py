"""Why one kernel is faster than another, as `redbench why --json` writes it: shown between the steps of a ladder."""

from dataclasses import dataclass
from pathlib import Path

from shared import records, schema

NAME = "why.json"
REASONS = schema.list_of(schema.object_of(**{"from": schema.TEXT, "to": schema.TEXT}))


@dataclass
class Reason:
    """What differs between two variants: sentences, times, counters with the source lines that cause them, launches."""

    first: str
    second: str
    sentences: list
    times: list
    counters: list
    launches: list

    def is_of(self, run):
        variants = {row["variant"] for row in run.rows}
        return {self.first, self.second} <= variants | {records.short_name(variant) for variant in variants}


def reasons_of(folders, runs):
    """The reasons of each run, by its index: those in its own folder, and those in a folder above where it is the first
    run that has both variants. Also messages for files that hold no reasons."""
    found, messages = {}, []
    for index, run in enumerate(runs):
        found[index] = load_into(messages, Path(run.directory) / NAME)
    own = {(Path(run.directory) / NAME).resolve() for run in runs}
    above = {path.resolve(): path for folder in folders for path in sorted(Path(folder).rglob(NAME))}
    for path in (path for resolved, path in above.items() if resolved not in own):
        for reason in load_into(messages, path):
            place = next((index for index, run in enumerate(runs) if reason.is_of(run)), None)
            if place is not None:
                found[place].append(reason)
    return found, messages


def load_into(messages, path):
    try:
        return load(path) if path.is_file() else []
    except records.RecordError as error:
        messages.append(str(error))
        return []


def load(path):
    """The reasons in a file, one or a list. RecordError where it holds none."""
    read = records.read_json(path)
    entries = read if isinstance(read, list) else [read]
    schema.check(entries, REASONS, path, "why --json")
    return [reason(entry) for entry in entries]


def reason(entry):
    return Reason(
        entry["from"],
        entry["to"],
        [str(sentence) for sentence in of(entry, "sentences")],
        [time for time in of(entry, "times") if isinstance(time, dict)],
        [{**counter, "lines": lines_of(counter)} for counter in of(entry, "counters") if isinstance(counter, dict)],
        [launch for launch in of(entry, "launches") if isinstance(launch, dict)],
    )


def lines_of(counter):
    """The source lines of a counter, each with its file and counts."""
    return [line for line in of(counter, "lines") if isinstance(line, dict) and isinstance(line.get("file"), str)]


def of(entry, name):
    value = entry.get(name)
    return value if isinstance(value, list) else []
