"""The Tab key in real shells, each on a terminal of its own: which words does a line have then?"""

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

from support import PROGRAM, REPOSITORY, commands

SECONDS = 60
# Values that are numbers, patterns or names of one's own: nothing is offered.
FREE = {"CHARACTERS", "COUNT", "NAME", "PERCENT", "SECONDS", "SEED", "SIZE"}


def offers(*words):
    """Whether the shell adds files or folders, then the words that are offered."""
    answer = subprocess.run(
        [PROGRAM, "completion", "--complete", *words], cwd=REPOSITORY, text=True, capture_output=True
    )
    assert (answer.returncode, answer.stderr) == (0, ""), answer
    return answer.stdout.splitlines()


class Offers(unittest.TestCase):
    def test_each_value_that_the_help_names_has_offers_or_is_free(self):
        for command in commands():
            text = subprocess.run([PROGRAM, command, "--help"], text=True, capture_output=True).stdout
            options = r"^  (?:-\w,)?(--[\w-]+)(?:,--[\w-]+)? ([A-Z][A-Z=/,.]*)"
            for flag, value in re.findall(options, text, re.MULTILINE):
                if value.split("=")[0] not in FREE:
                    with self.subTest(command=command, flag=flag, value=value):
                        self.assertNotEqual(offers(command, flag, ""), ["words"])
            arguments = re.search(r"^Positionals:\n((?:  .*\n)+)", text, re.MULTILINE)
            if arguments:
                with self.subTest(command=command):
                    self.assertNotEqual(offers(command, ""), ["words"])
                    self.assertNotIn("--help", offers(command, ""))

    def test_of_what_is_not_known_nothing_is_said(self):
        for words in ([], ["nothing", ""], ["run", "--nothing=x"], ["\xff", "\xff"], ["list", b"\xff"]):
            with self.subTest(words=words):
                self.assertEqual(offers(*words), ["words"])

    def test_an_answer_takes_less_than_a_tenth_of_a_second(self):
        def seconds(*words):
            before = os.times()
            offers(*words)
            after = os.times()  # of the processor: other processes do not count
            return sum(after[2:4]) - sum(before[2:4])

        for words in (["run", ""], ["profile", "reduce/"], ["run", "c", "-a", ""], ["claims", "-b", ""]):
            self.assertLess(min(seconds(*words) for _ in range(5)), 0.1, words)


class NoTerminal(Exception):
    pass


class Terminal:
    """A shell that gets keys. The program `args` prints the words of a line."""

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
        """After a longer wait, too, where the answer did not come at once."""
        for pause in (0.05, 1, 5):
            found = self.terminal.words(line, pause)
            if found == [program, *words, ""]:
                return
        with self.subTest(line=line):
            self.assertEqual(found, [program, *words, ""])

    def test_the_tab_key(self):
        (self.work / "my configs").mkdir()
        (self.work / "my configs" / "a b.json").touch()
        (self.work / "own_file").touch()
        (self.work / "$(touch made);`touch made`'.json").touch()
        file = "my configs/a b.json"
        for line, *words in (
            ("reprod", "reproduce"),
            ("describe --dev", "describe", "--device"),
            ("list -b reduce/shuffle_two_pass_u", "list", "-b", "reduce/shuffle_two_pass_unrolled"),
            ("run -d simt:gtx4", "run", "-d", "simt:gtx480"),
            ("run --device=simt:gtx4", "run", "--device=simt:gtx480"),
            ("run x -a type=i32,f6", "run", "x", "-a", "type=i32,f64"),
            ("run x -a operat", "run", "x", "-a", "operator="),
            ("run my\\ configs/a", "run", file),
            ("run 'my configs/a", "run", file),
            ('run "my configs/a', "run", file),
            ("run ~/work/my\\ configs/a", "run", f"{self.work}/{file}"),
            ("run \\$", "run", "$(touch made);`touch made`'.json"),
            ("run --csv=my\\ configs/a", "run", f"--csv={file}"),
            ("run own_", "run", "own_file"),
            ("run --seed own_", "run", "--seed", "own_"),
            ("run nothing_like_it", "run", "nothing_like_it"),
        ):
            self.expect(f"redbench {line}", *words)
        self.expect("../programs/redbench reprod", "reproduce", program="../programs/redbench")
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
