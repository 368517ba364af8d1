"""What a script is doing, on the last line of a terminal, from the second second on."""

from contextlib import contextmanager
import sys
import threading
import time

FIRST, EACH = 1.0, 0.2  # seconds
MOST = 78  # characters
CLEAR = "\r\x1b[2K"

_now = ""


def at(text):
    """Says what is being done."""
    global _now
    _now = text


@contextmanager
def shown(program):
    """Shows it on standard error while the block runs; nothing where that is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    ended, file, start = threading.Event(), sys.stderr, time.monotonic()

    def show():
        wait = FIRST
        while not ended.wait(wait):
            wait = EACH
            text = f"{program}: {time.monotonic() - start:.0f} s  {_now}"
            file.write(CLEAR + "".join(letter for letter in text if letter.isprintable())[:MOST])
            file.flush()
        if wait == EACH:
            file.write(CLEAR)
            file.flush()

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
