"""Asks redbench, which has the hashes of its sources, which rows of a run are stale, and for its tables."""

from concurrent.futures import ThreadPoolExecutor
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


class Staleness:
    """A program that is asked which rows of a run are stale, while somebody else reads the run."""

    def __init__(self, directory, program):
        folder = str(directory)
        folder = f"./{folder}" if folder.startswith("-") else folder  # which is no option
        self.command = [program, "results", "--json", folder]
        self.answer = ThreadPoolExecutor(1).submit(subprocess.run, self.command, capture_output=True, text=True)

    def add_to(self, run):
        """Sets `stale` of each row of the run: why it is stale, or "". RecordError where the program gives no
        answer."""
        progress.at("redbench looks for stale records")
        try:
            answer = self.answer.result()
            if not run.bad:  # which the program reports, too, and ends with 2
                answer.check_returncode()
            (answers,) = json.loads(answer.stdout).values() or [[]]
            stale = {records.identity(row): row["stale"] for row in answers}
            for row in run.rows:
                row["stale"] = records.shared_text(stale[records.identity(row)])
        except subprocess.CalledProcessError as error:
            said = error.stderr.strip() or f"{self.command[0]} ended with status {error.returncode}"
            raise records.RecordError(said) from None
        except (OSError, ValueError, KeyError) as error:
            raise records.RecordError(f"{' '.join(self.command)}: {error!r}") from None


def stale_summary(rows):
    """"3 of 12 rows are stale: kernel changed", or nothing."""
    reasons = [row["stale"] for row in rows if row.get("stale")]
    if not reasons:
        return ""
    return f"{len(reasons)} of {len(rows)} rows are stale: {', '.join(dict.fromkeys(reasons))}"
