"""The small print of figures: where the numbers are from, what they share, what to know before believing them."""

from shared import records
from shared.category_panels import launches_text
from shared.row_series import fixed, is_numeric, stacks_launches
from shared.visible import visible

MODES = {"cold": "cold caches", "warm": "warm caches", "graph": "a replayed graph"}
# Most that a launch waits in the GPU's queue (docs/reference/timing.md), and the share of a time from which it matters.
SLOT_NS, SLOT_SHARE = 1000, 0.01
# What a note of redbench's tables says to who sees a figure; None: its interval says it. Others stand as they are.
PLAIN = {
    "no interval": "too few samples for an interval",
    "stopped at max_samples": None,
    "the time limit came before the precision that was asked for": None,
    "measured in one process": "measured in one process; another run may differ",
    "includes the host's launch overhead, which could not be hidden": "the CPU's work for the launches is in the time",
    "launch-slot cost not corrected (up to 1 µs for each launch)": "too long by up to 1 µs for each launch, over 1 %",
}


def footer(plot, rows, run, simulation=None):
    origin = [run.hardware(rows), days_of(rows, run), run.name]
    is_timed = any(records.QUANTITIES[y].follows_time for y in plot["y"])
    if is_timed:
        modes = dict.fromkeys(MODES.get(row["mode"], row["mode"]) for row in rows)
        origin.append(f"median and its 95 % interval, {', '.join(sorted(modes))}")
    if any(y in records.COUNTED for y in plot["y"]):
        origin.append("modelled device: counts, no times")
    warnings = [run.interruption, doubts(rows, plot, run) if is_timed else ""]
    if differences := differences_of(rows, run):
        warnings.append(f"measured in sessions that differ in {', '.join(differences)}")
    stacked = not is_numeric(plot, rows) and any(stacks_launches({**plot, "y": y}) for y in plot["y"])
    launches = launches_text(rows) if stacked else []
    simulated = [simulation.footer()] if simulation else []
    lines = [[part for part in parts if part] for parts in (origin, fixed(rows, run), warnings, launches, simulated)]
    return "\n".join(visible("  ·  ".join(line)) for line in lines if line)


def differences_of(rows, run):
    """In what the sessions of the rows of one kind of device differ, whose values are in the tables."""
    found = {}
    for kind in dict.fromkeys(kind_of(row) for row in rows):
        values = {}
        for session in run.sessions_of([row for row in rows if kind_of(row) == kind]):
            measure = session.get("measure")
            facts = {name: session.get(name) for name in ("driver", "commit")}
            for name, value in (facts | (measure if isinstance(measure, dict) else {})).items():
                values.setdefault(name, set()).add(str(value))
        found |= {name: None for name, of in values.items() if len(of) > 1 and name != "mode"}  # a field of each row
    return list(found)


def kind_of(row):
    return row["device"].split(":")[0]


def days_of(rows, run):
    """The day or days that these rows are of."""
    days = sorted({str(session.get("started") or "")[:10] for session in run.sessions_of(rows)} - {""})
    return " to ".join(dict.fromkeys((days[0], days[-1]))) if days else ""


def doubts(rows, plot, run):
    """"3 of 12 points: the GPU was throttled; 1 (cub): too few samples for an interval", or nothing."""
    timed = [row for row in rows if row.get("time_ns") is not None]
    found = {}
    for row in timed:
        for text in filter(None, (doubt(note, row, plot, run) for note in row["notes"])):
            found.setdefault(text, []).append(records.short_name(row["variant"]))
    one_variant = len({row["variant"] for row in timed}) == 1
    parts = []
    for text, variants in sorted(found.items(), key=lambda item: -len(item[1])):
        count = "all" if len(variants) == len(timed) else str(len(variants))
        points = "" if parts else " points" if count == "all" else f" of {len(timed)} points"
        of = "" if one_variant or len(set(variants)) > 1 else f" ({variants[0]})"
        parts.append(f"{count}{points}{of}: {text}")
    return "; ".join(parts)


def doubt(note, row, plot, run):
    """A note in plain words; None where it does not matter in this figure."""
    if note.startswith("no energy") and "energy_nj_per_input" not in plot["y"]:
        return None
    if note.startswith("launch-slot") and SLOT_NS * max(1, len(row["launches"])) < SLOT_SHARE * row["time_ns"]:
        return None
    if note.startswith("processes differ"):
        return f"processes differ by more than {precision(row, run)}"
    return PLAIN.get(note, note)


def precision(row, run):
    """What the row's session asked for (configs/README.md)."""
    (session,) = run.sessions_of([row])[:1] or [{}]
    measure = session.get("measure")
    return f"{measure.get('max_noise', 0.5) if isinstance(measure, dict) else 0.5} %"
