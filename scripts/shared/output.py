"""The files that scripts write: never one of a run's own files, whatever it is called, and never half a file."""

import io
import os
from pathlib import Path
import stat
import tempfile

from shared import records

# Names of what redbench writes into the folder of a run or above it, and reads again.
RECORDS = ("run.json", *records.FILES, "records.unreadable.jsonl", "run.lock")
OWN = (*RECORDS, "claims.json", "why.json", "report.json", "predictions.json")
OWN_FOLDERS = ("tables", "cachesim")  # of a run's folder
OWN_SOURCES = (".git", "build", "cmake", "configs", "docs", "kernels", "results", "scripts", "src", "tests")
UNDATED = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}  # metadata of a figure's file
WRITTEN = (".html", ".png", ".svg")  # what scripts write among the sources: pages and figures


def files_of(run):
    """The files of a run's folder that redbench wrote."""
    run = Path(run)
    folders = [run, *(run / name for name in OWN_FOLDERS)]
    names = [path for folder in folders if folder.is_dir() for path in folder.iterdir() if path.is_file()]
    return [path for path in names if path.parent != run or path.name in OWN]


def why_refused(path, own=()):
    """Why a script does not write this file, or nothing. `own` are further files that it must not be, as those that
    it reads. Links are followed, and another name of the same file is that file."""
    path = Path(path)
    try:
        target = path.resolve()
        if target.is_dir():
            return "it is a folder"
        if target.exists() and not target.is_file():
            return ""  # a device or a FIFO
        if target.name in OWN:
            return f"`{target.name}` is the name of one of redbench's own files"
        run = target.parent.parent
        of_run = any((run / name).exists() for name in ("run.json", *records.FILES))
        if of_run and target.parent.name in OWN_FOLDERS and target.suffix not in WRITTEN:
            return f"it is in the folder {target.parent.name}/ of a run"
        same = [name for name in own if target.exists() and Path(name).exists() and target.samefile(name)]
        if same:
            return f"it is the same file as {same[0]}"
        place = target.relative_to(records.REPOSITORY) if target.is_relative_to(records.REPOSITORY) else Path()
        if target.exists() and target.suffix not in WRITTEN and place.parts[:1] and (
            place.parts[0] in OWN_SOURCES or len(place.parts) == 1
        ):
            return "it is one of the project's own files"
    except (OSError, RuntimeError, ValueError) as error:  # of a path too long, of links in a circle
        return getattr(error, "strerror", None) or str(error)
    return ""


def check(path, own=()):
    """RecordError where a script must not write this file."""
    why = why_refused(path, own)
    if why:
        raise records.RecordError(f"{path}: cannot be written: {why}")


def write(path, content, own=()):
    """Writes text, bytes or pieces of bytes beside the file and renames: a reader, and a full disk, leave the old file
    or the new one. RecordError where it must not or cannot be written."""
    check(path, own)
    replace(path, content)


def replace(path, content):
    """The same for a file that may be one of the project's own."""
    target = Path(path).resolve()
    content = content.encode("utf-8") if isinstance(content, str) else content
    content = [content] if isinstance(content, bytes) else content
    try:
        if target.exists() and not target.is_file():  # a device or a FIFO
            with open(target, "wb") as file:
                file.writelines(content)
            return
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(None, "Permission denied")
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~current_umask()
        handle, part = tempfile.mkstemp(prefix=f"{target.name[:200]}.", dir=target.parent)
        try:
            with open(handle, "wb") as file:
                file.writelines(content)
            os.chmod(part, mode)
            os.replace(part, target)
        except BaseException:
            os.unlink(part)
            raise
    except OSError as error:
        raise records.RecordError(f"{path}: cannot be written: {error.strerror}") from None


def with_tables(page, tables):
    """The text of a page with other tables, each by the two lines that it stands between: (begin, end) -> table.
    RecordError where the page does not have both once, in this order."""
    text = Path(page).read_text(encoding="utf-8")
    for (begin, end), table in tables.items():
        if (text.count(begin), text.count(end)) != (1, 1) or text.index(begin) > text.index(end):
            raise records.RecordError(f"{page}: not once the lines `{begin}` and `{end}` for a table to stand between")
        text = f"{text.partition(begin)[0]}{begin}\n{table}{end}{text.partition(end)[2]}"
    return text


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def save(figure, path, own=(), **metadata):
    """A figure as the file of the path's ending. The same figure gives the same bytes."""
    file, suffix = io.BytesIO(), Path(path).suffix
    figure.savefig(file, format=suffix[1:], dpi=160, metadata=metadata | UNDATED[suffix], facecolor="white")
    write(path, file.getvalue(), own)
