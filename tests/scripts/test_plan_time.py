"""What a plan says of its time, held against what the runs of a GPU then took."""

from datetime import datetime
import json
from pathlib import Path
import unittest

ROOT = Path(__file__).resolve().parents[2]
SHORT_S = 10  # a process more or less decides the shorter ones


def planned_and_taken(session):
    """Seconds, where the session was planned whole and came to its end; None else."""
    if not session.get("planned_s") or not session.get("ended"):
        return None
    started, ended = (datetime.fromisoformat(session[name].replace("Z", "+00:00")) for name in ("started", "ended"))
    return session["planned_s"], (ended - started).total_seconds()


class PlanTime(unittest.TestCase):
    def test_runs_of_a_gpu_took_between_half_and_twice_of_what_their_plan_said(self):
        seen = 0
        for path in sorted((ROOT / "results" / "h200").rglob("run.json")):
            for session in json.loads(path.read_text(encoding="utf-8")).get("sessions", []):
                times = planned_and_taken(session)
                if times is None or max(times) < SHORT_S:
                    continue
                seen += 1
                planned, taken = times
                self.assertLess(planned, 2 * taken, path)
                self.assertGreater(planned, taken / 2, path)
        self.assertGreater(seen, 5)


if __name__ == "__main__":
    unittest.main()
