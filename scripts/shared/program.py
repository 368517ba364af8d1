"""Asks redbench, which has the hashes of its sources, which rows of a run are stale."""

import json
import shutil
import subprocess

from shared import records


def find():
    """redbench: that of the build beside these scripts, the one they were installed with, or one in PATH."""
    places = (records.REPOSITORY / "build" / "redbench", records.REPOSITORY.parents[1] / "bin" / "redbench")
    return next((str(place) for place in places if place.is_file()), shutil.which("redbench"))


def add_staleness(run, program):
    """Sets `stale` of each row of a run: why it is stale, or "". RecordError where the program gives no answer."""
    command = [program, "results", "--json", str(run.directory)]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        (answers,) = json.loads(answer.stdout).values() or [[]]
        stale = {records.identity(row): row["stale"] for row in answers}
        for row in run.rows:
            row["stale"] = stale[records.identity(row)]
    except subprocess.CalledProcessError as error:
        raise records.RecordError(f"{error}: {error.stderr.strip()}") from None
    except (OSError, ValueError, KeyError) as error:
        raise records.RecordError(f"{' '.join(command)}: {error!r}") from None


def stale_summary(rows):
    """"3 of 12 rows are stale: kernel changed", or nothing."""
    reasons = [row["stale"] for row in rows if row.get("stale")]
    if not reasons:
        return ""
    return f"{len(reasons)} of {len(rows)} rows are stale: {', '.join(dict.fromkeys(reasons))}"
