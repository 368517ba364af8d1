"""The Tab key in real shells, each on a terminal of its own: which words does a line have then?"""

import os
import pty
import re
import select
import shutil
import time
import unittest

from support import PROGRAM, RunTest, commands, executable, redbench

SECONDS = 60
# Values that are numbers, patterns or names of one's own: nothing is offered.
FREE = {"CASE", "CHARACTERS", "COUNT", "K/N", "NAME", "PERCENT", "SECONDS", "SEED", "SIZE", "TIME"}


def offers(*words):
    """Whether the shell adds files or folders, then the words that are offered."""
    return redbench("completion", "--complete", *words).splitlines()


class Offers(unittest.TestCase):
    def test_each_value_that_the_help_names_has_offers_or_is_free(self):
        for command in commands():
            text = redbench(command, "--help")
            options = r"^  (?:-\w,)?(--[\w-]+)(?:,--[\w-]+)? ([A-Z][A-Z=/,.]*)"
            for flag, value in re.findall(options, text, re.MULTILINE):
                if value.split("=")[0] not in FREE:
                    with self.subTest(command=command, flag=flag, value=value):
                        self.assertNotEqual(offers(command, flag, ""), ["words"])
            if "\nPositionals:\n  " in text:
                with self.subTest(command=command):
                    self.assertNotEqual(offers(command, ""), ["words"])
                    self.assertNotIn("--help", offers(command, ""))

    def test_of_what_is_not_known_nothing_is_said(self):
        for words in ([], ["nothing", ""], ["run", "--nothing=x"], ["\udcff", "\udcff"], ["list", "\udcff"]):
            with self.subTest(words=words):
                self.assertEqual(offers(*words), ["words"])

    def test_an_answer_takes_less_than_a_tenth_of_a_second(self):
        def seconds(*words):
            before = os.times()
            offers(*words)
            return sum(os.times()[2:4]) - sum(before[2:4])  # of the processor: other processes do not count

        for words in (["run", ""], ["profile", "reduce/"], ["run", "c", "-a", ""], ["claims", "-b", ""]):
            self.assertLess(min(seconds(*words) for _ in range(5)), 0.1, words)


class Shell:
    """What each shell must do. On its terminal the program `args` prints the words of a line."""

    command, setup = [], ()

    def setUp(self):
        super().setUp()
        if not shutil.which(self.command[0]):
            self.skipTest(f"no {self.command[0]} on this machine")
        self.work = self.folder / "work"
        self.work.mkdir()
        programs = self.folder / "programs"
        executable(programs / "args", "printf '<<'; printf '%s|' \"$@\"; printf '>>\\n'")
        (programs / "redbench").symlink_to(PROGRAM)
        own = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(self.folder), "TERM": "dumb", "PS1": "$ "}
        own |= dict.fromkeys(("HISTFILE", "INPUTRC"), "/dev/null")
        try:
            process, self.terminal = pty.fork()
        except OSError as error:  # a chroot without /dev/pts
            self.skipTest(f"this machine gives no terminal: {error}")
        if process == 0:
            os.chdir(self.work)
            os.execvpe(self.command[0], self.command, os.environ | own)
        self.addCleanup(os.waitpid, process, 0)
        self.addCleanup(os.close, self.terminal)
        self.output = ""
        for line in (*self.setup, "echo rea''dy"):
            self.send(line + "\r")
        self.wait(r"\bready\b")

    def send(self, keys):
        os.write(self.terminal, keys.encode())

    def has_more(self, seconds):
        """Whether the terminal writes something within so many seconds, which is added to the output."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        self.output += os.read(self.terminal, 1 << 16).decode(errors="replace")
        return True

    def settle(self, pause):
        while self.has_more(pause):
            pass

    def wait(self, pattern):
        deadline = time.monotonic() + SECONDS
        while not (found := re.search(pattern, self.output, re.DOTALL)):
            self.assertTrue(self.has_more(max(0, deadline - time.monotonic())), f"no {pattern} in {self.output!r}")
        return found

    def words(self, line, pause):
        """What the line's words are after the Tab key."""
        self.send(line + "\t")
        self.settle(pause)
        self.output = ""
        self.send("\x01args \x05\r")  # to the line's begin, and to its end
        words = self.wait(r"<<(.*?)>>").group(1)
        self.settle(pause)
        return words.split("|")

    def expect(self, line, *words, program="redbench"):
        """After a longer wait, too, where the answer did not come at once."""
        for pause in (0.05, 1, 5):
            found = self.words(line, pause)
            if found == [program, *words, ""]:
                return
        with self.subTest(line=line):
            self.assertEqual(found, [program, *words, ""])

    def test_the_tab_key(self):
        (self.work / "my configs").mkdir()
        for name in ("my configs/a b.json", "own_file", "$(touch made);`touch made`'.json"):
            (self.work / name).touch()
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


class Bash(Shell, RunTest):
    command = ["bash", "--norc", "--noprofile", "-i"]
    setup = ("bind 'set enable-bracketed-paste off'", "source <(redbench completion bash)")


class Zsh(Shell, RunTest):
    command = ["zsh", "-f", "-i"]
    setup = ("bindkey -e; autoload -U compinit; compinit -u -D", "source <(redbench completion zsh)")


class Fish(Shell, RunTest):
    command = ["fish", "--no-config", "-i"]
    setup = ("redbench completion fish | source",)
