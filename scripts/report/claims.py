"""Verdicts on the claims of papers, as `redbench claims --json` writes them, and the records on this page that they
follow from."""

from dataclasses import dataclass, field
import json
from pathlib import Path

from shared import records, schema

NAME = "claims.json"
VERDICTS = ("holds", "holds in part", "does not hold", "undecided", "not measured")
CLAIMS = schema.object_of(claims=schema.list_of(schema.object_of(verdict={"enum": VERDICTS})))


@dataclass
class Claim:
    id: str
    paper: str
    source: str
    sentence: str
    kind: str
    verdict: str
    modelled: bool
    why: str
    parts: list
    missing: list
    smallest_difference: object
    figures: list = field(default_factory=list)  # (address on the page, name)


def find(folders):
    """The claims.json in or above the folders of a report; nothing where there is none."""
    for folder in map(Path, folders):
        for place in (folder, folder.resolve().parent):
            if (place / NAME).is_file():
                return place / NAME
    return None


def load(path, hardware=()):
    """The claims of a file; where it has several GPUs, of the first that is one of `hardware`. RecordError where there
    are none."""
    found = schema.load(path, CLAIMS, "claims --json")
    others = listed(found.get("others"))
    for other in others:
        schema.check(other, CLAIMS, f"{path}: others", "claims --json")
    of_gpus = [each for each in (found, *others) if not others or each.get("gpu") in hardware]
    if not of_gpus:
        raise records.RecordError(f"{path}: of {len(others) + 1} GPUs, none of them the page's")
    return [claim(entry) for entry in of_gpus[0]["claims"]]


def claim(entry):
    texts = {name: str(entry.get(name) or "") for name in ("id", "paper", "source", "sentence", "kind", "why")}
    parts = [part for part in listed(entry.get("parts")) if isinstance(part, dict)]
    return Claim(
        **texts,
        verdict=entry["verdict"],
        modelled=entry.get("modelled") is True,
        parts=parts,
        missing=[str(name) for name in listed(entry.get("missing"))],
        smallest_difference=entry.get("smallest_difference_percent"),
    )


def configs():
    """The names of the configs that each claim of configs/claims reads, by its name."""
    read = {}
    for path in (records.REPOSITORY / "configs" / "claims").glob("*.json"):
        for entry in json.loads(path.read_text(encoding="utf-8")).get("claims", []):
            read[entry["id"]] = list(dict.fromkeys(name for test in entry["tests"] for name in test["configs"]))
    return read


def by_paper(claims, papers):
    """(title, claims) of each of a report's papers that has any."""
    members = [(paper.title, [claim for claim in claims if claim.paper == paper.name]) for paper in papers]
    return [(title, of_paper) for title, of_paper in members if of_paper]


def counts(claims):
    return {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in VERDICTS}


def listed(value):
    return value if isinstance(value, list) else []


class RecordPlaces:
    """Finds a record on the page by `<run folder>#<key>`."""

    def __init__(self, runs):
        self.runs = runs
        self.of_run = {}

    def places(self, run):
        """The numbers of a run's records by their key."""
        if id(run) not in self.of_run:
            self.of_run[id(run)] = places = {}
            for row in (row for row in run.rows if row["number"] is not None):
                places.setdefault(row["key"], []).append(row["number"])
        return self.of_run[id(run)]

    def of(self, name):
        """The numbers of the records; nothing where the page does not have them."""
        if not isinstance(name, str):
            return []
        folder, _, key = name.partition("#")
        for tail in tails(Path(folder)):
            found = [number for run in self.named(tail) for number in self.places(run).get(key, [])]
            if found:
                return found
        return []

    def named(self, tail):
        return [run for run in self.runs if tail in tails(run.directory)]


def tails(folder):
    """The names by which a folder may be called from elsewhere: its last three parts, two, one."""
    parts = folder.resolve().parts
    return ["/".join(parts[-count:]) for count in (3, 2, 1)]
