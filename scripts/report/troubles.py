"""What is the matter with records: cases that were wrong, failed, refused or stale, grouped by reason, and what of it
must be known before any number."""

from dataclasses import dataclass, field
import re

from report import environment

# Outcome -> how cases with it are described, the worst first.
OUTCOMES = {
    "wrong": "gave a wrong result, so they have no time",
    "failed": "failed",
    "timeout": "ran out of time",
    "unsupported": "refused",
}
MISSING = "Something is missing"
THROTTLED = "the GPU was throttled: "  # begins the note of such a row
MANY = 200  # records that a trouble links at most; the table has all


@dataclass
class Trouble:
    """Something that is wrong: how bad, what, why, in which runs and records."""

    severity: str  # "bad", "warning", "note"
    what: str
    why: str = ""
    rows: list = field(default_factory=list)
    runs: list = field(default_factory=list)

    @property
    def comes_first(self):
        """Whether a reader must know it before any number: what is wrong or absent, not what is refused or old."""
        return self.severity == "bad" or self.what == MISSING

    @property
    def linked(self):
        return self.rows[:MANY]


def troubles_of(collection, missing, empty):
    """All troubles of a report, the worst first. `missing` are messages for figures, claims and reasons that could not
    be read, `empty` the names of figures whose quantity no case has: a modelled device has no times."""
    found = [Trouble("bad", "A run could not be read", message) for message in collection.damaged]
    found += [Trouble("warning", MISSING, message) for message in missing]
    if empty:
        found.append(Trouble("note", "Figures without a case that has their quantity", ", ".join(empty)))
    for outcome, words in OUTCOMES.items():
        severity = "note" if outcome == "unsupported" else "bad"
        rows = [(run, row) for run in collection.runs for row in run.rows if row["outcome"] == outcome]
        found += grouped(rows, severity, f"{{}} {words}", lambda row: row.get("reason") or "no reason is recorded")
    stale = [(run, row) for run in collection.runs for row in run.rows if row.get("stale")]
    found += grouped(stale, "warning", "{} stale: today's sources would make them otherwise", lambda row: row["stale"])
    found += unknown_staleness(collection)
    dirty = [run for run in collection.runs if any(one.get("dirty") is True for one in run.sessions_of(run.rows))]
    if dirty:
        why = "measured by a program with changes that its commit does not have"
        found.append(Trouble("warning", "Uncommitted changes", why, runs=[run.label for run in dirty]))
    throttled = [(run, row) for run in collection.runs for row in run.rows if throttled_by(row)]
    found += grouped(throttled, "warning", "{} measured while the GPU was throttled", throttled_by)
    return sorted(found, key=lambda trouble: ("bad", "warning", "note").index(trouble.severity))


def throttled_by(row):
    _, _, reasons = next((n for n in row["notes"] if n.startswith(THROTTLED)), "").partition(THROTTLED)
    return reasons


def unknown_staleness(collection):
    """A trouble for each reason why redbench did not say whether records of the page are stale."""
    reasons = dict.fromkeys(collection.not_asked) if collection.runs else ()
    return [Trouble("warning", "Whether records are stale is not known", why) for why in reasons]


def grouped(rows, severity, what, reason_of):
    """A trouble for each reason, with its count of records. Reasons that differ in numbers alone are one."""
    members = {}
    for run, row in rows:
        members.setdefault(re.sub(r"\d+", "0", reason_of(row)), []).append((run, row))
    return [
        Trouble(
            severity,
            what.format(cases(len(of_reason))),
            with_count_of_others([environment.text_of(reason_of(row)) for _, row in of_reason]),
            [row for _, row in of_reason],
            list(dict.fromkeys(run.label for run, _ in of_reason)),
        )
        for of_reason in members.values()
    ]


def with_count_of_others(reasons):
    others = len(set(reasons)) - 1
    return reasons[0] + (f" (and {others} more with other numbers)" if others else "")


def cases(count):
    return f"{count} case{'s' if count != 1 else ''}"
