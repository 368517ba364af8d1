"""Asks redbench, which has the hashes of its sources, which rows of a run are stale, and for its tables."""

import contextlib
import json
from pathlib import Path
import shutil
import subprocess
import tempfile

from shared import progress, records


def find():
    """redbench: that of the build beside these scripts, the one they were installed with, or one in PATH."""
    places = (records.REPOSITORY / "build" / "redbench", records.REPOSITORY.parents[1] / "bin" / "redbench")
    return next((str(place) for place in places if place.is_file()), shutil.which("redbench"))


def write_missing_tables(directory, program):
    """Has the program write tables/report.json, which is not committed, for a run that lacks it, and nothing else
    there. Where it cannot, who reads the file says that it is missing."""
    report = directory / "tables" / "report.json"
    if not program or report.is_file():
        return
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(OSError):
        for path in (directory / "run.json", records.file_of(directory)):
            (Path(folder) / path.name).symlink_to(path.absolute())
        subprocess.run([program, "tables", folder], capture_output=True)
        report.parent.mkdir(exist_ok=True)
        shutil.move(Path(folder) / "tables" / "report.json", report)


def add_staleness(run, program):
    """Sets `stale` of each row of the run: why it is stale, or "". The program is asked about a row of each kernel and
    build, as all others are stale where it is. RecordError where it gives no answer."""
    progress.at("redbench looks for stale records")
    asked = {made_by(row): row for row in reversed(run.rows)}
    if not asked:
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "results", "--json", folder]
        try:
            (Path(folder) / "run.json").symlink_to((run.directory / "run.json").absolute())
            (Path(folder) / "records.jsonl").write_bytes(b"\n".join(records.lines_of(run, asked.values())))
            answer = subprocess.run(command, capture_output=True, text=True)
            answer.check_returncode()
            (answers,) = json.loads(answer.stdout).values() or [[]]
            known = {records.identity(row): row["stale"] for row in answers}
            stale = {made: records.shared_text(known[records.identity(row)]) for made, row in asked.items()}
        except subprocess.CalledProcessError as error:
            said = error.stderr.strip() or f"{program} ended with status {error.returncode}"
            raise records.RecordError(said.replace(folder, str(run.directory))) from None
        except (OSError, ValueError, KeyError) as error:
            raise records.RecordError(f"{program} results --json {run.directory}: {error!r}") from None
    for row in run.rows:
        row["stale"] = stale[made_by(row)]


def made_by(row):
    """What decides whether a row is stale."""
    return tuple(row.get(name) for name in ("variant", "device", "kernel_file", "source_hash", "measured_by"))


def stale_summary(rows):
    """"3 of 12 rows are stale: kernel changed", or nothing."""
    reasons = [row["stale"] for row in rows if row.get("stale")]
    if not reasons:
        return ""
    return f"{len(reasons)} of {len(rows)} rows are stale: {', '.join(dict.fromkeys(reasons))}"
