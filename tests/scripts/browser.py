"""A browser for tests: Chromium without a window, driven over a pipe by its own protocol (DevTools), so that neither a
driver nor a package is needed beside it.

Where no Chromium is found, tests that need it are skipped, and say so; with REDBENCH_NEEDS_BROWSER=1, as in CI, they
fail instead.
"""

import fcntl
import json
import os
from pathlib import Path
import select
import shutil
import subprocess
import tempfile
import time
import unittest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")
OPTIONS += ("--no-first-run", "--disable-background-networking", "--remote-debugging-pipe")
PATIENCE_S = 60
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "Home": 36}
KEYS |= {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


def find():
    named = os.environ.get("REDBENCH_BROWSER")
    return named or next((path for path in map(shutil.which, NAMES) if path), None)


def needed(test_class):
    """For a class of tests that need the browser."""
    if find() or os.environ.get("REDBENCH_NEEDS_BROWSER") == "1":
        return test_class
    reason = "no Chromium is found (scripts/install_tools.sh chromium; REDBENCH_BROWSER names one)"
    return unittest.skip(reason)(test_class)


class Browser:
    """A page at a time. What it writes to its console and what it asks the network for is kept."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.commands = os.pipe()
        self.answers, from_browser = os.pipe()
        program = find()
        assert program, "no Chromium is found, and REDBENCH_NEEDS_BROWSER asks for one"

        def take_pipes():
            # The protocol's own descriptors: it reads commands from 3 and writes answers to 4, of which either may be
            # one of these pipes now.
            command, answer = (fcntl.fcntl(pipe, fcntl.F_DUPFD, 10) for pipe in (to_browser, from_browser))
            os.dup2(command, 3)
            os.dup2(answer, 4)

        words = [program, *OPTIONS, f"--user-data-dir={self.folder.name}", "about:blank"]
        silent = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        self.process = subprocess.Popen(words, close_fds=False, preexec_fn=take_pipes, **silent)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.read, self.session = 0, b"", None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.folder.cleanup()

    def call(self, method, **parameters):
        """Sends a command and waits for its answer."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE_S
        while True:
            answer = self.next_message(end)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def next_message(self, end):
        while b"\0" not in self.read:
            ready, _, _ = select.select([self.answers], [], [], max(0, end - time.monotonic()))
            part = os.read(self.answers, 1 << 20) if ready else b""
            if not part:
                raise TimeoutError(f"the browser said nothing for {PATIENCE_S} s, or is gone")
            self.read += part
        text, _, self.read = self.read.partition(b"\0")
        return json.loads(text)

    def open(self, path, width=1280, height=900, scheme="light"):
        """Opens a file, and waits until its script says that it is ready."""
        window = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **window)
        self.call("Emulation.setTouchEmulationEnabled", enabled=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url="about:blank")
        self.point(0, 0)
        self.events = []
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        self.wait("document.documentElement?.dataset.ready === 'true'")

    def run(self, script):
        """The value of a JavaScript expression; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", str(answer)))
        return answer["result"].get("value")

    def wait(self, condition):
        """Until a JavaScript expression is true."""
        end = time.monotonic() + PATIENCE_S
        while not self.run(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.05)

    def press(self, key):
        down = {"type": "keyDown", "text": "\r"} if key == "Enter" else {"type": "rawKeyDown"}
        for kind in (down, {"type": "keyUp"}):
            self.call("Input.dispatchKeyEvent", key=key, code=key, windowsVirtualKeyCode=KEYS[key], **kind)

    def point(self, x, y, click=False):
        """Moves the mouse to a place of the window; clicks there."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased") if click else ():
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def complaints(self):
        """What the page wrote to the console, and errors that nobody caught."""
        self.run("0")
        messages = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                messages.append(str(parameters["exceptionDetails"]))
            elif event.get("method") == "Runtime.consoleAPICalled":
                messages.append(str(parameters["args"]))
            elif event.get("method") == "Log.entryAdded":
                messages.append(parameters["entry"]["text"])
        return messages

    def requests(self):
        """The addresses that were asked for since the page was opened, but for its own and data within it."""
        self.run("0")
        urls = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        own = self.run("location.href.split('#')[0]")
        return [url for url in urls if url.split("#")[0] not in (own, "about:blank") and not url.startswith("data:")]
