"""What a reader has to know before any number: what was wrong, failed, was refused or is stale, grouped by reason."""

from dataclasses import dataclass, field
import re

from report import environment
from shared import disturbances

# From the worst on: outcome -> what is said of such cases.
OUTCOMES = {
    "wrong": "gave a wrong result, so they have no time",
    "failed": "failed",
    "timeout": "ran out of time",
    "unsupported": "refused",
}
MANY = 200  # records of a trouble that are linked; the table has all


@dataclass
class Trouble:
    """Something that is not as it should be: how bad, what, why, in which run, of which records."""

    severity: str  # "bad", "warning", "note"
    what: str
    why: str = ""
    rows: list = field(default_factory=list)
    runs: list = field(default_factory=list)

    @property
    def linked(self):
        return self.rows[:MANY]


def troubles_of(collection, missing, empty):
    """All of a report's, the worst first. `missing` are messages of figures, claims and reasons that are not there,
    `empty` the names of figures whose quantity no case has: a modelled device has no times."""
    found = [Trouble("bad", "A run could not be read", message) for message in collection.damaged]
    found += [Trouble("warning", "Something is missing", message) for message in missing]
    if empty:
        found.append(Trouble("note", "Figures without a case that has their quantity", ", ".join(empty)))
    for outcome, said in OUTCOMES.items():
        severity = "note" if outcome == "unsupported" else "bad"
        rows = [(run, row) for run in collection.runs for row in run.rows if row["outcome"] == outcome]
        found += grouped(rows, severity, f"{{}} {said}", lambda row: row.get("reason") or "no reason is recorded")
    stale = [(run, row) for run in collection.runs for row in run.rows if row.get("stale")]
    found += grouped(stale, "warning", "{} stale: today's sources would make them otherwise", lambda row: row["stale"])
    found += unknown_staleness(collection)
    dirty = [run for run in collection.runs if any(session.get("dirty") is True for session in run.sessions)]
    if dirty:
        why = "measured by a program with changes that its commit does not have"
        found.append(Trouble("warning", "Uncommitted changes", why, runs=[run.name for run in dirty]))
    throttled = [(run, row) for run in collection.runs for row in run.rows if disturbances.throttled_by(row)]
    what = "{} measured while the GPU was throttled"
    found += grouped(throttled, "warning", what, lambda row: ", ".join(disturbances.throttled_by(row)))
    return sorted(found, key=lambda trouble: ("bad", "warning", "note").index(trouble.severity))


def unknown_staleness(collection):
    """A trouble for each reason that no program could be asked about records that the page has."""
    reasons = dict.fromkeys(collection.not_asked) if collection.runs else ()
    return [Trouble("warning", "Whether records are stale is not known", why) for why in reasons]


def grouped(rows, severity, what, reason_of):
    """A trouble for each reason, with how many records it has; reasons that differ in numbers alone are one."""
    members = {}
    for run, row in rows:
        members.setdefault(re.sub(r"\d+", "0", reason_of(row)), []).append((run, row))
    return [
        Trouble(
            severity,
            what.format(cases(len(of_reason))),
            told_once([environment.text_of(reason_of(row)) for _, row in of_reason]),
            [row for _, row in of_reason],
            list(dict.fromkeys(run.name for run, _ in of_reason)),
        )
        for of_reason in members.values()
    ]


def told_once(reasons):
    others = len(set(reasons)) - 1
    return reasons[0] + (f" (and {others} more with other numbers)" if others else "")


def cases(count):
    return f"{count} case{'s' if count != 1 else ''}"
