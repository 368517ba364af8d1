"""What disturbed the times of a figure: counted, as tables mark it row by row (src/tables/marks.cpp)."""


def throttled_by(row):
    reasons = (row.get("clocks") or {}).get("throttled_by")
    return [str(reason) for reason in reasons] if isinstance(reasons, list) else []


def place_is_unknown(row):
    hidden, slot = row.get("launch_gap_hidden"), row.get("queue_slot_ns")
    return hidden is not None and row.get("mode") != "graph" and slot is None


def summary(rows):
    """"of 12 points 3 throttled (software power cap), 1 at a low clock", or nothing."""
    timed = [row for row in rows if row.get("time_ns") is not None]
    reasons = ", ".join(dict.fromkeys(reason for row in timed for reason in throttled_by(row)))
    at_most = [row for row in timed if row.get("stopped") == "max_samples"]
    noise = max((row.get("noise_percent") or 0 for row in at_most), default=0)
    counts = {
        f"throttled ({reasons})": sum(bool(throttled_by(row)) for row in timed),
        "in part below 97 % of the clock": sum((row.get("samples_slow") or 0) > 0 for row in timed),
        "with the host's launches": sum(row.get("launch_gap_hidden") is False for row in timed),
        "at an unknown place of the GPU's queue": sum(place_is_unknown(row) for row in timed),
        "out of time": sum(row.get("stopped") == "timeout" for row in timed),
        "of forks that differ": sum(row.get("stopped") == "forks_differ" for row in timed),
        "of a graph whose copies the L2 may hold": sum(row.get("graph_beyond_l2") is False for row in timed),
        "above the measured ceiling": sum(row.get("above_ceiling") is True for row in timed),
        "without an interval": sum(row.get("time_low_ns") is None for row in timed),
        f"stopped at max_samples (noise up to {noise:.2g} %)": len(at_most),
        "of one fork": sum(row.get("forks") == 1 for row in timed),
    }
    told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return told and f"of {len(timed)} points {told}"
