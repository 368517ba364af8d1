"""Runs the commands of the documentation: every fenced block that says ```sh, in the repository's root.

sh        is run as it stands, but for what takes long (support.in_short), and must end with 0
sh gpu    needs a GPU: each `redbench run` is planned on the modelled H200 instead (--dry-run); a script is read alone
          (sh -n): test_gpu_tests.py runs it with tools of its own
sh make   is what runs this test: make only says what it would do (-n)
"""

import os
import pathlib
import re
import unittest

from support import REPOSITORY, in_short, tracked
from builds import RebuildTest, shell

DOCUMENTS = sorted(
    [
        REPOSITORY / "README.md",
        REPOSITORY / "CONTRIBUTING.md",
        REPOSITORY / "configs" / "README.md",
        *(REPOSITORY / "docs").rglob("*.md"),
        *(REPOSITORY / "kernels").rglob("*.md"),
    ]
)


def without_gpu(line):
    if line.startswith("scripts/"):
        return f"sh -n {line.split()[0]}"
    line = re.sub(r"--device cuda:all\b", "--device simt:h200:4", line)
    return re.sub(r"--device cuda\b", "--device simt:h200", line) + " --dry-run"


KINDS = {
    "sh": in_short,
    "sh gpu": without_gpu,
    "sh make": lambda line: re.sub(r"^make\b", "make -n", line),
}
# What the documents' commands write among the sources. It must not be there before, and is removed after.
WRITTEN = ("kernels/reduce/nearly_harris3.cu",)


def blocks(text):
    """(kind, lines) of the fenced blocks whose kind starts with sh."""
    for kind, body in re.findall(r"^```(sh\b[^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield kind.strip(), body.splitlines()


def command_of(kind, lines):
    if kind not in KINDS:
        raise AssertionError(f"a block of kind `{kind}`: {', '.join(KINDS)} are known")
    return "\n".join(KINDS[kind](line) for line in lines)


class Commands(RebuildTest):
    def test_every_command_works(self):
        for path in WRITTEN:
            self.assertFalse((REPOSITORY / path).exists(), f"{path} is in the way of this test")
        self.addCleanup(self.build, "")
        for path in WRITTEN:
            self.addCleanup((REPOSITORY / path).unlink, missing_ok=True)
        for document in DOCUMENTS:
            for kind, lines in blocks(document.read_text(encoding="utf-8")):
                # A reader who followed the README has files of his own there.
                command = command_of(kind, lines).replace("build/my_kernels", "$HOME/readers_kernels")
                with self.subTest(document=document.name, command=command):
                    result = shell(command, HOME=str(self.folder))
                    self.assertEqual(result.returncode, 0, result.stdout[-4000:])


class Texts(unittest.TestCase):
    def test_every_relative_link_leads_to_a_file_that_git_has(self):
        # A picture or a table that git ignores is there where it was made alone.
        files = [REPOSITORY / name for name in tracked()]
        there = {*files, *(folder for path in files for folder in path.parents)}
        documents = [path for path in files if path.suffix == ".md"]
        self.assertLess(set(DOCUMENTS), set(documents))
        for document in documents:
            prose = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
                if "://" not in target:
                    with self.subTest(document=document.relative_to(REPOSITORY), target=target):
                        self.assertIn(pathlib.Path(os.path.normpath(document.parent / target)), there)

    def test_the_readme_of_scripts_lists_every_command(self):
        text = (REPOSITORY / "scripts" / "README.md").read_text()
        listed = set(re.findall(r"`(\w+\.(?:py|sh))", text))
        commands = {name.split("/")[1] for name in tracked(".py", ".sh") if re.fullmatch(r"scripts/[^/]+", name)}
        self.assertEqual(listed, commands)

    def test_the_citation_has_the_version_of_the_program(self):
        build = (REPOSITORY / "CMakeLists.txt").read_text()
        version = re.search(r"^project\(redbench VERSION (\S+)", build, re.MULTILINE)
        self.assertIn(f"\nversion: {version[1]}\n", (REPOSITORY / "CITATION.cff").read_text())
