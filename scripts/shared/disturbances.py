"""What disturbed the times of a figure: counted, as tables mark it row by row (src/tables/marks.cpp)."""


def throttled_by(row):
    reasons = (row.get("clocks") or {}).get("throttled_by")
    return [str(reason) for reason in reasons] if isinstance(reasons, list) else []


def place_is_unknown(row):
    hidden, slot = row.get("launch_gap_hidden"), row.get("queue_slot_ns")
    return hidden is not None and row.get("mode") != "graph" and slot is None


THROTTLED, AT_MOST = "throttled", "stopped at max_samples"
# What may be said of a row's time -> whether it is so.
DISTURBANCES = {
    THROTTLED: lambda row: bool(throttled_by(row)),
    "in part below 97 % of the clock": lambda row: (row.get("samples_slow") or 0) > 0,
    "with the host's launches": lambda row: row.get("launch_gap_hidden") is False,
    "at an unknown place of the GPU's queue": place_is_unknown,
    "out of time": lambda row: row.get("stopped") == "timeout",
    "of forks that differ": lambda row: row.get("stopped") == "forks_differ",
    "of a graph whose copies the L2 may hold": lambda row: row.get("graph_beyond_l2") is False,
    "above the measured ceiling": lambda row: row.get("above_ceiling") is True,
    "without an interval": lambda row: row.get("time_low_ns") is None,
    AT_MOST: lambda row: row.get("stopped") == "max_samples",
    "of one fork": lambda row: row.get("forks") == 1,
}


def of_row(row):
    """What disturbed a row's time, one text each; nothing where it has none."""
    return [what for what, holds in DISTURBANCES.items() if row.get("time_ns") is not None and holds(row)]


def summary(rows):
    """"of 12 points 3 throttled (software power cap), 1 at a low clock", or nothing."""
    timed = [row for row in rows if row.get("time_ns") is not None]
    reasons = ", ".join(dict.fromkeys(reason for row in timed for reason in throttled_by(row)))
    noise = max((row.get("noise_percent") or 0 for row in timed if DISTURBANCES[AT_MOST](row)), default=0)
    details = {THROTTLED: f" ({reasons})", AT_MOST: f" (noise up to {noise:.2g} %)"}
    counts = {what: sum(map(holds, timed)) for what, holds in DISTURBANCES.items()}
    told = ", ".join(f"{count} {what}{details.get(what, '')}" for what, count in counts.items() if count)
    return told and f"of {len(timed)} points {told}"
