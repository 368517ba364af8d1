"""Texts of strangers without what a terminal, a page or a font takes for a command."""

from pathlib import Path
import re
import sys

# Control characters, and those that turn the direction of all that follows: the list of redbench's own tables.
LIST = Path(__file__).resolve().parents[2] / "src" / "text" / "unseen.inc"
RANGES = re.findall(r"^\{0x(\w+), 0x(\w+)\}", LIST.read_text(), re.MULTILINE)
UNSEEN = re.compile("[" + "".join(f"\\u{first}-\\u{last}" for first, last in RANGES) + "]")


def visible(text):
    """With what is unseen written out, as \\n and \\u202e."""
    return UNSEEN.sub(lambda found: written_out(found[0]), text)


def written_out(character):
    return character.encode("unicode_escape").decode() if character < "\x80" else f"\\u{ord(character):04x}"


def complain(program, error):
    """The message on standard error, where a file's own text gives the terminal no commands."""
    clear = "\r\x1b[2K" if sys.stderr.isatty() else ""  # of what shared/progress.py says
    print(f"{clear}{program}: " + "\n".join(map(visible, str(error).split("\n"))), file=sys.stderr)
