"""What shells make of the Tab key: real ones on a terminal of their own, asked for the words that a line has then."""

import os
from pathlib import Path
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

from support import REPOSITORY

PROGRAM = REPOSITORY / "build" / "redbench"
SECONDS = 60


def answer(*words):
    return subprocess.run([PROGRAM, *words], text=True, capture_output=True, check=True).stdout


class Offers(unittest.TestCase):
    def test_commands_and_options_are_those_of_the_help(self):
        commands = re.findall(r"^  ([a-z][a-z-]*) ", answer("--help").split("Subcommands:")[1], re.MULTILINE)
        self.assertEqual(answer("completion", "--complete", "").splitlines()[1:], sorted(commands))
        for command in commands:
            options = set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", answer(command, "--help"), re.MULTILINE))
            self.assertLessEqual(options, set(answer("completion", "--complete", command, "--").splitlines()), command)


class NoTerminal(Exception):
    pass


class Terminal:
    """A shell that was typed to. It gets keys, and tells what the words of a line are by the program `args`."""

    def __init__(self, command, folder, setup, environment):
        try:
            self.process, self.descriptor = pty.fork()
        except OSError as error:  # a chroot without /dev/pts
            raise NoTerminal(str(error)) from error
        if self.process == 0:
            os.chdir(folder)
            os.environ.update(environment)
            os.execvp(command[0], command)
        self.output = ""
        for line in (*setup, "echo rea''dy"):
            self.send(line + "\r")
        self.wait(r"\bready\b")

    def send(self, keys):
        os.write(self.descriptor, keys.encode())

    def wait(self, pattern):
        deadline = time.monotonic() + SECONDS
        while not (found := re.search(pattern, self.output, re.DOTALL)):
            ready, _, _ = select.select([self.descriptor], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise AssertionError(f"no {pattern} in {self.output!r}")
            self.output += os.read(self.descriptor, 1 << 16).decode(errors="replace")
        return found

    def settle(self, pause):
        """Until nothing has come for so many seconds."""
        while select.select([self.descriptor], [], [], pause)[0]:
            self.output += os.read(self.descriptor, 1 << 16).decode(errors="replace")

    def words(self, line, pause):
        """What the line's words are after the Tab key."""
        self.send(line + "\t")
        self.settle(pause)
        self.output = ""
        self.send("\x01args \x05\r")  # to the line's begin, and to its end
        words = self.wait(r"<<(.*?)>>").group(1)
        self.settle(pause)
        return words.split("|")

    def close(self):
        os.close(self.descriptor)
        os.waitpid(self.process, 0)


class Shell:
    """What each shell must do."""

    name = None
    command = []
    setup = []

    @classmethod
    def setUpClass(cls):
        if not shutil.which(cls.name):
            raise unittest.SkipTest(f"no {cls.name} on this machine")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        programs = self.folder / "programs"
        programs.mkdir()
        (programs / "redbench").symlink_to(PROGRAM)
        args = programs / "args"
        args.write_text("#!/bin/sh\nprintf '<<'\nprintf '%s|' \"$@\"\nprintf '>>\\n'\n")
        args.chmod(0o755)
        self.work = self.folder / "work"
        self.work.mkdir()
        environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "TERM": "dumb",
            "HISTFILE": "/dev/null",
            "INPUTRC": "/dev/null",
            "PS1": "$ ",
        }
        try:
            self.terminal = Terminal(self.command, self.work, self.setup, environment)
        except NoTerminal as error:
            self.skipTest(f"this machine gives no terminal: {error}")
        self.addCleanup(self.terminal.close)

    def expect(self, line, *words, program="redbench"):
        """After a longer wait, too, where the answer did not come on a machine with much to do."""
        for pause in (0.3, 1, 5):
            found = self.terminal.words(line, pause)
            if found == [program, *words, ""]:
                return
        with self.subTest(line=line):
            self.assertEqual(found, [program, *words, ""])

    def test_the_tab_key(self):
        (self.work / "my configs").mkdir()
        (self.work / "my configs" / "a b.json").touch()
        (self.work / "$(touch made);`touch made`'.json").touch()
        self.expect("redbench reprod", "reproduce")
        self.expect("../programs/redbench reprod", "reproduce", program="../programs/redbench")
        self.expect("redbench describe --dev", "describe", "--device")
        self.expect("redbench list -b reduce/shuffle_two_pass_u", "list", "-b", "reduce/shuffle_two_pass_unrolled")
        self.expect("redbench run -d simt:gtx4", "run", "-d", "simt:gtx480")
        self.expect("redbench run --device=simt:gtx4", "run", "--device=simt:gtx480")
        self.expect("redbench reproduce all --precision pa", "reproduce", "all", "--precision", "paper")
        self.expect("redbench run x -a type=i32,f6", "run", "x", "-a", "type=i32,f64")
        self.expect("redbench run x -a operat", "run", "x", "-a", "operator=")
        self.expect("redbench run my\\ configs/a", "run", "my configs/a b.json")
        self.expect("redbench run 'my configs/a", "run", "my configs/a b.json")
        self.expect('redbench run "my configs/a', "run", "my configs/a b.json")
        self.expect("redbench run ~/work/my\\ configs/a", "run", f"{self.work}/my configs/a b.json")
        self.expect("redbench run \\$", "run", "$(touch made);`touch made`'.json")
        self.expect("redbench run nothing_like_it", "run", "nothing_like_it")
        self.expect("redbench nothing ", "nothing")
        self.assertFalse([*self.folder.rglob("made")])


class Bash(Shell, unittest.TestCase):
    name = "bash"
    command = ["bash", "--norc", "--noprofile", "-i"]
    setup = ["bind 'set enable-bracketed-paste off'", "source <(redbench completion bash)"]


class Zsh(Shell, unittest.TestCase):
    name = "zsh"
    command = ["zsh", "-f", "-i"]
    setup = ["bindkey -e; autoload -U compinit; compinit -u -D", "source <(redbench completion zsh)"]


class Fish(Shell, unittest.TestCase):
    name = "fish"
    command = ["fish", "--no-config", "-i"]
    setup = ["redbench completion fish | source"]


if __name__ == "__main__":
    unittest.main()
