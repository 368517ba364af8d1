"""What disturbed the times of rows: notes of a row, and counts for the footer of a figure. The tables of redbench mark
the same (src/tables/marks.cpp)."""


def throttled_by(row):
    reasons = (row.get("clocks") or {}).get("throttled_by")
    return [str(reason) for reason in reasons] if isinstance(reasons, list) else []


def has_unknown_slot(row):
    hidden, slot = row.get("launch_gap_hidden"), row.get("queue_slot_ns")
    return hidden is not None and row.get("mode") != "graph" and slot is None


THROTTLED, MOST_SAMPLES = "throttled", "stopped at max_samples"
# Note of a row -> whether it is true.
DISTURBANCES = {
    THROTTLED: lambda row: bool(throttled_by(row)),
    "some samples below 97 % of the clock": lambda row: (row.get("samples_slow") or 0) > 0,
    "the host's launches are in the time": lambda row: row.get("launch_gap_hidden") is False,
    "launch-slot cost not corrected (up to 1 µs)": has_unknown_slot,
    "stopped by the time limit": lambda row: row.get("stopped") == "timeout",
    "processes differ by more than max_noise": lambda row: row.get("stopped") == "forks_differ",
    "copies of the graph may fit the L2": lambda row: row.get("graph_beyond_l2") is False,
    "above the measured ceiling": lambda row: row.get("above_ceiling") is True,
    "no interval": lambda row: row.get("time_low_ns") is None,
    MOST_SAMPLES: lambda row: row.get("stopped") == "max_samples",
    "measured in one process": lambda row: row.get("forks") == 1,
}


def of_row(row):
    """The notes of a row's time, none where it has no time."""
    return [note for note, is_true in DISTURBANCES.items() if row.get("time_ns") is not None and is_true(row)]


def summary(rows):
    """"3 of 12 points: throttled (software power cap); 1: no interval", or nothing."""
    timed = [row for row in rows if row.get("time_ns") is not None]
    reasons = ", ".join(dict.fromkeys(reason for row in timed for reason in throttled_by(row)))
    noise = max((row.get("noise_percent") or 0 for row in timed if DISTURBANCES[MOST_SAMPLES](row)), default=0)
    details = {THROTTLED: f" ({reasons})", MOST_SAMPLES: f" (noise up to {noise:.2g} %)"}
    counts = {note: sum(map(is_true, timed)) for note, is_true in DISTURBANCES.items()}
    parts = [f"{count}: {note}{details.get(note, '')}" for note, count in counts.items() if count]
    return "; ".join(parts).replace(":", f" of {len(timed)} points:", 1)
