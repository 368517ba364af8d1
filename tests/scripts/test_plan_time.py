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
    def test_most_runs_of_a_gpu_took_between_half_and_twice_of_what_their_plan_said(self):
        ratios = {}
        for path in sorted((ROOT / "results" / "h200").rglob("run.json")):
            for session in json.loads(path.read_text(encoding="utf-8")).get("sessions", []):
                times = planned_and_taken(session)
                if times and max(times) >= SHORT_S:
                    ratios[str(path.relative_to(ROOT))] = times[1] / times[0]
        self.assertGreater(len(ratios), 10)
        far = {path: ratio for path, ratio in ratios.items() if not 0.5 <= ratio <= 2}
        self.assertLessEqual(len(far), len(ratios) / 5, far)
        self.assertTrue(all(0.25 <= ratio <= 4 for ratio in far.values()), far)


if __name__ == "__main__":
    unittest.main()
