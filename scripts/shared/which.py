"""Which variant is fastest where, as `redbench best --over all` answers from records.

A stale record is never an answer: where the fastest is one, its point waits to be measured again, and a stale rival is
not named.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
import json
import os
from pathlib import Path
import subprocess
import tempfile

from shared.records import RecordError, axis_value, format_axis, format_size, short_name

PROBLEMS = ("reduce", "segreduce", "triple_reduce", "histogram", "multireduce", "multiscan", "segscan", "scatter")
PROBLEMS += ("gather", "multisplit")
# An input whose points all have fewer variants than this share of its problem's fullest point is left out, and a point
# that has fewer than this share of its input's: of a sweep of two variants the faster one is no answer. Those of
# configs/fastest were chosen as the fastest, so they are compared with the fullest point of configs/fastest.
LEAST_SHARE = 1 / 3
WAITS = "waits to be measured again"
TUNED = {True: " (tuned)", False: "", None: " (tuned at some)"}
UNSAID = ("values", "uniform")  # the value of an axis that goes without saying


@dataclass
class Point:
    """A measured input and what is known of it."""

    run: str  # its folder
    n: int
    m: int | None
    tried: dict  # short name -> nanoseconds of the variants that were measured
    waiting: int  # of these the stale ones
    tied: dict  # short name -> whether it is tuned, of the variants that nothing tells from the fastest, it first;
    # empty where the fastest is stale
    library_ns: float | None  # of the fastest library's variant; None where it or the fastest is stale
    by_library: bool  # whether the fastest is a library's


@dataclass
class Input:
    """All axes of points but their sizes, and the points, by n and m."""

    type: str
    operator: str
    axes: dict
    points: list

    @property
    def text(self):
        said = [f"{name} {axis_value(value)}" for name, value in self.axes.items() if (name, value) != UNSAID]
        return ", ".join([f"{self.type} {self.operator}", *said])

    @property
    def swept(self):
        """The size that its points have most values of at one value of the other."""
        sizes = ("n", "m") if self.points[0].m is not None else ("n",)
        return max(sizes, key=lambda size: max(Counter(other(point, size) for point in self.points).values()))

    @property
    def sweeps(self):
        """Its points by the size that is not swept."""
        found, swept = {}, self.swept
        for point in self.points:
            found.setdefault(other(point, swept), []).append(point)
        return found


@dataclass
class Problem:
    """A problem's inputs, those over the widest range of sizes first, and what of it was never measured."""

    name: str
    hardware: str
    date: str
    inputs: list
    never: list  # variants for the device that no point has
    left_out: int  # points with too few variants, or without their neighbours' fastest


def prominence(each):
    """Inputs sort by it: those over the widest range of sizes first, of these many points, of these uniform labels."""
    sizes = [point.n * (point.m or 1) for point in each.points]
    return min(sizes) / max(sizes), -len(each.points), "uniform" not in each.text, each.text


def other(point, size):
    return point.m if size == "n" else point.n


def problem(name, folders, program, root="."):
    """What the runs in and below the folders, as they are called from the root, say of a problem: those of configs/best
    first, where these have no point those of configs/fastest, then others. None where none has a time."""
    places = [Path(folder) / below for folder in folders for below in ("", f"best/{name}", name)]
    best = [place for place in dict.fromkeys(places) if place.parts[-2:] == ("best", name) and (root / place).is_dir()]
    taken = {above for place in best for above in (place, place.parent)}
    rest = [folder for folder in folders if Path(folder) not in taken]
    fastest = [folder for folder in rest if Path(folder).name == "fastest"]
    others = [folder for folder in rest if folder not in fastest]
    groups = [ask(name, group, program, root) if group else [] for group in (best, fastest, others)]
    fullest = [max((len(one["ranked"]) for one in group), default=0) for group in groups]
    fullest[2] = max(fullest[1:])  # others may lack what is the fastest of configs/fastest
    enough = [one for group, most in zip(groups, fullest, strict=True) for one in with_enough_of(group, most)]
    # Where kernels are known, libraries alone are no answer.
    known = [one for one in enough if not all(each["of_library"] for each in one["ranked"])]
    kept = one_for_each_point(known or enough)
    inputs = []
    for (type_, operator, axes), group in by_input(kept).items():
        each = Input(type_, operator, json.loads(axes), sorted(map(point, group), key=lambda one: (one.n, one.m or 0)))
        each.points = [point for sweep in each.sweeps.values() for point in with_neighbours_best(sweep)]
        inputs += [each] if each.points else []
    if not inputs:
        return None
    days = sorted(ranking["date"] for ranking in kept)
    asked = {place_of(one) for group in groups for one in group}
    return Problem(
        name=name,
        hardware=kept[0]["hardware"],
        date=to([days[0][:10], days[-1][-10:]]),
        inputs=sorted(inputs, key=prominence),
        never=sorted(set.intersection(*(set(ranking["not_measured"]) for ranking in kept))),
        left_out=len(asked) - sum(len(each.points) for each in inputs),
    )


def with_enough_of(rankings, most):
    """Of the rankings of runs that go together those that have enough variants."""
    return [ranking for group in by_input(rankings).values() for ranking in with_enough(group, most)]


def one_for_each_point(rankings):
    """Of the first one's GPU, for each point the first that is not stale, else the first."""
    found = {}
    for one in rankings:
        place = place_of(one)
        is_fresh = not one["ranked"][0]["stale"]
        if one["hardware"] == rankings[0]["hardware"] and (
            place not in found or (is_fresh and found[place]["ranked"][0]["stale"])
        ):
            found[place] = one
    return list(found.values())


def place_of(ranking):
    """What it is measured on: input, n and m."""
    first = ranking["ranked"][0]
    return input_of(first), first["n"], first["axes"].get("m")


def input_of(record):
    """Its type, operator and axes but m, these as JSON."""
    axes = {axis: value for axis, value in record["axes"].items() if axis != "m"}
    return record["type"], record["operator"], json.dumps(axes)


def by_input(rankings):
    """Rankings by the input of what they rank."""
    found = {}
    for ranking in rankings:
        found.setdefault(input_of(ranking["ranked"][0]), []).append(ranking)
    return found


def with_enough(rankings, most):
    """Those of an input's rankings that have enough variants. `most`: of the problem's fullest point."""
    here = max(len(ranking["ranked"]) for ranking in rankings)
    least = max(2, here * LEAST_SHARE)
    return [one for one in rankings if len(one["ranked"]) >= least] if here >= most * LEAST_SHARE else []


def with_neighbours_best(sweep):
    """The points of a sweep but those where a variant was not tried that is the fastest on both sides of them, or that
    would be by its time for an input at half to twice as many inputs (more labels may not fit a variant);
    of the rest, those where a side's fastest was tried."""
    unanswered = set()
    for variant in {name for point in sweep for name in point.tied}:
        tried = [index for index, point in enumerate(sweep) if variant in point.tried]
        for before, after in pairwise(tried):
            if variant in sweep[before].tied and variant in sweep[after].tied:
                unanswered.update(range(before + 1, after))
        fastest = [point for point in sweep if variant in point.tied]
        for index, point in enumerate(sweep):
            near = [one for one in fastest if one.m == point.m and one.n / 2 <= point.n <= one.n * 2]
            least = min(point.tried.values()) / point.n
            if variant not in point.tried and any(one.tried[variant] / one.n < least for one in near):
                unanswered.add(index)
    answered = with_fullers_best([point for index, point in enumerate(sweep) if index not in unanswered])
    return [
        point
        for before, point, after in zip([None, *answered], answered, [*answered[1:], None], strict=False)
        if None in (before, after) or any(name in point.tried for name in (*before.tied, *after.tied))
    ]


def with_fullers_best(points):
    """The points but those of few variants that lack the fastest of the nearest points with many, on both sides."""
    least = max((len(point.tried) for point in points), default=0) * LEAST_SHARE
    full = [index for index, point in enumerate(points) if len(point.tried) >= least]
    kept = []
    for index, point in enumerate(points):
        before = [points[one].tied for one in full if one <= index]
        after = [points[one].tied for one in full if one >= index]
        sides = before[-1:] + after[:1]
        if any(not tied or any(name in point.tried for name in tied) for tied in sides):
            kept.append(point)
    return kept


def ask(name, folders, program, root):
    """The rankings of a problem, none where no record has a time."""
    if program is None:
        raise RecordError("there is no build/redbench to ask: make")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "best.json")
        command = [program, "best", name, "--over", "all", "--json", path]
        command += [word for folder in folders for word in ("--from", str(folder))]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
        if done.returncode == 0:
            return json.loads(Path(path).read_text())["rankings"]
    if "no record of" in done.stderr:
        return []
    raise RecordError(done.stderr.strip())


def point(ranking):
    ranked = ranking["ranked"]
    first, library = ranked[0], next((one for one in ranked if one["of_library"]), None)
    is_known = library and not library["stale"] and not first["stale"]
    tied = [one for one in ranked if one["is_tied"] and not one["stale"] and not first["stale"]]
    return Point(
        run=ranking["run"],
        n=first["n"],
        m=first["axes"].get("m"),
        tried={short_name(one["variant"]): one["time_ns"] for one in ranked},
        waiting=sum(bool(one["stale"]) for one in ranked),
        tied={short_name(one["variant"]): bool(one["tuned"]) for one in tied},
        library_ns=library["time_ns"] if is_known else None,
        by_library=bool(first["of_library"]),
    )


@dataclass
class Range:
    """Neighbouring points of a sweep at all of which the same variants are fastest; none where they wait."""

    tied: dict  # as that of a point; None: tuned at some of them
    points: list

    @property
    def waits(self):
        return not self.tied

    @property
    def names(self):
        """Of the variants, those that are fastest at most of its points first."""
        first = [next(iter(point.tied), None) for point in self.points]
        return sorted(self.tied, key=first.count, reverse=True)

    def text(self, most=2):
        shown = [name + TUNED[self.tied[name]] for name in self.names]
        more = [f"{len(shown) - most} more"] if len(shown) > most else []
        return " or ".join([*shown[:most], *more]) or WAITS

    def place(self, size):
        """ "16 to 1 Ki" of the size that is swept."""
        return to([format_size(getattr(point, size)) for point in (self.points[0], self.points[-1])])

    @property
    def times(self):
        """In µs, of the variant named first: at the first point and at the last."""
        ends = [] if self.waits else [point.tried[self.names[0]] / 1000 for point in (self.points[0], self.points[-1])]
        return to([f"{time:.4g}" for time in ends])

    @property
    def over_library(self):
        """The library's time over that of the variant named first: the least and the greatest that are known; nothing
        where the library is the fastest."""
        known = [point for point in self.points if point.library_ns is not None]  # none where it waits
        ratios = [point.library_ns / point.tried[self.names[0]] for point in known]
        if not ratios or any(point.by_library for point in self.points):
            return ""
        return to([f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}" for ratio in (min(ratios), max(ratios))])

    @property
    def measured(self):
        """ "10 to 12, 3 wait" of the variants."""
        counts = [len(point.tried) for point in self.points]
        waiting = max(point.waiting for point in self.points)
        return to([str(min(counts)), str(max(counts))]) + (f", {waiting} wait" if waiting else "")

    @property
    def runs(self):
        """The folders of its records."""
        return list(dict.fromkeys(point.run for point in self.points))


def to(ends):
    return " to ".join(dict.fromkeys(ends))


def ranges(points):
    found = []
    for each in points:
        last = found[-1] if found else None
        names = [name for name in each.tied if name in last.tied] if last else []
        common = {name: each.tied[name] if each.tied[name] == last.tied[name] else None for name in names}
        if last and (common or (last.waits and not each.tied)):
            last.tied = common
            last.points.append(each)
        else:
            found.append(Range(dict(each.tied), [each]))
    return found


@dataclass
class Answer:
    """A row of the map: a problem's input, where in its sizes, and what is fastest there."""

    problem: str
    input: str
    size: str  # that is swept: n or m
    fixed: str  # "n 64 Mi", or nothing
    range: Range

    @property
    def place(self):
        swept = f"{self.size} {self.range.place(self.size)}"
        return f"{swept}, {self.fixed}" if self.fixed else swept


def answers(found, most_inputs=None):
    """The rows of a problem's map, of its first inputs."""
    return [row for each in found.inputs[:most_inputs] for row in rows_of(found.name, each)]


def rows_of(name, each, small=False):
    """The rows of an input; of a small map those at the greatest value of the size that is not swept."""
    fixed = "m" if each.swept == "n" else "n"
    sweeps = sorted(each.sweeps.items(), key=lambda sweep: sweep[0] or 0)
    rows = []
    for value, points in sweeps[-1:] if small else sweeps:
        at = "" if value is None else f"{fixed} {format_axis(fixed, value)}"
        rows += [Answer(name, each.text, each.swept, at, one) for one in ranges(points)]
    return rows
