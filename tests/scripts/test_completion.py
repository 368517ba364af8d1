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
# Values that are numbers, patterns or names of one's own: nothing is offered.
FREE = {"CHARACTERS", "COUNT", "NAME", "PERCENT", "SECONDS", "SEED", "SIZE"}


def offers(*words, folder=REPOSITORY, **environment):
    answer = subprocess.run(
        [PROGRAM, "completion", "--complete", *words],
        cwd=folder,
        env={**os.environ, **environment},
        text=True,
        errors="surrogateescape",
        capture_output=True,
    )
    assert (answer.returncode, answer.stderr) == (0, ""), answer
    return answer.stdout.splitlines()[1:]


def commands():
    text = subprocess.run([PROGRAM, "--help"], text=True, capture_output=True, check=True).stdout
    return re.findall(r"^  ([a-z][a-z-]*) ", text.split("Subcommands:")[1], re.MULTILINE)


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Offers(FolderTest):
    def test_commands_and_options_are_those_of_the_help(self):
        self.assertEqual(offers(""), sorted(commands()))
        self.assertNotIn("worker", offers("w"))
        for command in commands():
            text = subprocess.run([PROGRAM, command, "--help"], text=True, capture_output=True).stdout
            told = set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", text, re.MULTILINE))
            self.assertLessEqual(told, set(offers(command, "--")), command)

    def test_each_value_that_the_help_names_has_offers_or_is_free(self):
        for command in commands():
            text = subprocess.run([PROGRAM, command, "--help"], text=True, capture_output=True).stdout
            options = r"^  (?:-\w,)?(--[\w-]+)(?:,--[\w-]+)? ([A-Z][A-Z=/,.]*)"
            for flag, value in re.findall(options, text, re.MULTILINE):
                if value.split("=")[0] not in FREE:
                    with self.subTest(command=command, flag=flag, value=value):
                        self.assertTrue(offers(command, flag, ""))
            arguments = re.search(r"^Positionals:\n((?:  .*\n)+)", text, re.MULTILINE)
            if arguments and command not in ("tables", "results", "claims", "compare"):
                with self.subTest(command=command):
                    self.assertTrue(set(offers(command, "")) - set(offers(command, "--")))

    def test_values(self):
        self.assertIn("simt:gtx480", offers("run", "configs/quick.json", "-d", ""))
        self.assertEqual(offers("run", "--device=ho"), ["--device=host"])
        self.assertEqual(offers("describe", "reduce/harris"), [f"reduce/harris{i}" for i in range(1, 8)])
        self.assertIn("segreduce", offers("describe", "seg"))
        self.assertIn("reduce/harris3", offers("why", "reduce/harris2", "reduce/"))
        self.assertIn("reduce/harris3", offers("list", "-b", "reduce/har"))
        self.assertIn("configs/martin2012/fig4.json", offers("plan", "configs/martin2012/"))
        self.assertEqual(offers("reproduce", "m"), ["martin2012"])
        self.assertEqual(offers("reproduce", "all", "--precision", "p"), ["paper"])
        self.assertEqual(offers("claims", "-b", "slides/"), ["slides/harris-ladder"])
        self.assertEqual(offers("run", "c.json", "--set", "measure.max_n"), ["measure.max_noise="])
        self.assertEqual(offers("run", "c.json", "--mode", "cold,w"), ["cold,warm"])
        self.assertEqual(offers("run", "c.json", "-a", "oper"), ["operator="])
        self.assertEqual(offers("run", "c.json", "-a", "type=i32,f6"), ["type=i32,f64"])
        self.assertIn("reduce/", offers("new-variant", ""))
        self.assertEqual(offers("completion", ""), ["bash", "fish", "zsh"])
        self.assertEqual(offers("help", "run"), ["run"])

    def test_an_argument_is_offered_as_often_as_it_is_taken(self):
        self.assertEqual(offers("plan", "configs/quick.json", "configs/"), [])
        self.assertIn("--device", offers("plan", "configs/quick.json", ""))
        self.assertEqual(offers("plan", "configs/quick.json", "--", ""), [])

    def test_a_value_is_not_taken_for_an_argument(self):
        self.assertIn("configs/quick.json", offers("plan", "-d", "simt", "configs/"))
        self.assertIn("configs/quick.json", offers("plan", "-d=simt", "--set", "seed=1", "configs/"))
        self.assertIn("reduce/cub", offers("compare", "a", "--variants", "reduce/harris3", "reduce/"))
        self.assertIn("--width", offers("claims", "--json", "--wi"))

    def test_of_files_those_that_fit(self):
        for name in ("a b.json", "a.txt", ".hidden.json", "two\nlines.json", "esc\x1b.json"):
            (self.folder / name).touch()
        (self.folder / "a folder").mkdir()
        self.assertEqual(offers("run", "a", folder=self.folder), ["a b.json", "a folder/"])
        self.assertEqual(offers("run", "a\\ b", folder=self.folder), ["a b.json"])
        self.assertEqual(offers("run", "'a b", folder=self.folder), ["a b.json"])
        self.assertEqual(offers("results", "a", folder=self.folder), ["a folder/"])
        self.assertEqual(offers("run", "x", "--csv", "a", folder=self.folder), ["a b.json", "a folder/", "a.txt"])
        self.assertEqual(offers("run", ".h", folder=self.folder), [".hidden.json"])
        self.assertEqual(offers("run", "t", folder=self.folder), [])
        self.assertEqual(offers("run", "e", folder=self.folder), [])
        self.assertEqual(offers("run", "~/a", folder="/", HOME=str(self.folder)), ["~/a b.json", "~/a folder/"])

    def test_of_what_is_not_known_nothing_is_said(self):
        for words in ([], ["nothing", ""], ["run", "--nothing=x"], ["\xff", "\xff"], ["-"]):
            with self.subTest(words=words):
                self.assertFalse([offer for offer in offers(*words) if not offer.startswith("-")])
        answer = subprocess.run([PROGRAM, "completion", "--complete", b"run", b"\xff"], capture_output=True)
        self.assertEqual((answer.returncode, answer.stdout, answer.stderr), (0, b"words\n", b""))

    def test_an_answer_takes_less_than_a_tenth_of_a_second(self):
        def seconds(*words):
            began = time.perf_counter()
            offers(*words)
            return time.perf_counter() - began

        for words in (["run", ""], ["profile", "reduce/"], ["run", "c", "-a", ""], ["claims", "-b", ""]):
            self.assertLess(min(seconds(*words) for _ in range(5)), 0.1, words)


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


class Scripts(unittest.TestCase):
    def test_another_shell_gets_those_that_there_are(self):
        answer = subprocess.run([PROGRAM, "completion", "bsh"], text=True, capture_output=True)
        self.assertEqual(answer.returncode, 2)
        self.assertIn("did you mean `bash`?", answer.stderr)

    def test_what_is_printed_is_the_file(self):
        for shell in ("bash", "fish", "zsh"):
            answer = subprocess.run([PROGRAM, "completion", shell], text=True, capture_output=True, check=True)
            self.assertEqual(answer.stdout, (REPOSITORY / "scripts" / "completion" / f"redbench.{shell}").read_text())


if __name__ == "__main__":
    unittest.main()
