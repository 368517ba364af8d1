"""The commands of the documentation work (what builds the program: test_docs_build.py); its links lead somewhere."""

import os
import pathlib
import re
import unittest

from support import REPOSITORY, tracked
from documents import DOCUMENTS, DocumentTest, builds


class Commands(DocumentTest):
    def test_every_command_works(self):
        self.run_commands(document for document in DOCUMENTS if not builds(document))


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
