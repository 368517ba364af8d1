"""What a plan says of its time, held against what the runs of a GPU then took."""

from datetime import datetime
import json
from pathlib import Path
import unittest

ROOT = Path(__file__).resolve().parents[2]
SHORT_S = 10  # a process more or less decides the shorter ones
# A plan is for a machine of its own. Runs that went on at a time, on GPUs of one host, shared its cores.
FAR_ALONE, FAR_BESIDE = 2, 4


def sessions():
    """Path -> (planned seconds, start, end) of those that were planned whole and came to their end."""
    found = {}
    for path in sorted((ROOT / "results" / "h200").rglob("run.json")):
        for session in json.loads(path.read_text(encoding="utf-8")).get("sessions", []):
            if session.get("planned_s") and session.get("ended"):
                start, end = (
                    datetime.fromisoformat(session[name].replace("Z", "+00:00")) for name in ("started", "ended")
                )
                found[f"{path.relative_to(ROOT)}, {session['started']}"] = (session["planned_s"], start, end)
    return found


def was_beside(name, all_sessions):
    _, start, end = all_sessions[name]
    return any(other != name and start < until and since < end for other, (_, since, until) in all_sessions.items())


class PlanTime(unittest.TestCase):
    def test_most_runs_of_a_gpu_took_what_their_plan_said(self):
        found = sessions()
        ratios = {
            name: (end - start).total_seconds() / planned
            for name, (planned, start, end) in found.items()
            if max(planned, (end - start).total_seconds()) >= SHORT_S
        }
        self.assertGreater(len(ratios), 10)
        far = {}
        for name, ratio in ratios.items():
            bound = FAR_BESIDE if was_beside(name, found) else FAR_ALONE
            if not 0.5 <= ratio <= bound:
                far[name] = ratio
        self.assertLessEqual(len(far), len(ratios) / 5, far)


if __name__ == "__main__":
    unittest.main()
