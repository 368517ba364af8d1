"""The folders of src/ include each other in the order of docs/architecture.md only."""

import re
import unittest

from support import REPOSITORY

# The folders of the document's table, first those that know most; the empty name stands for the files of src/ itself.
TABLE = (REPOSITORY / "docs" / "architecture.md").read_text().split("## The order")[1].split("\n## ")[0]
ROWS = re.findall(r"^\| `([a-z_]+)/`( itself)? \|", TABLE, re.MULTILINE)
ORDER = ["" if itself else name for name, itself in ROWS]


def files_of(*folders):
    """Path from the repository -> text."""
    files = [file for folder in folders for ending in ("hpp", "cpp", "cu") for file in folder_of(folder, ending)]
    assert len(files) > 100, folders
    return {file.relative_to(REPOSITORY): file.read_text() for file in files}


def folder_of(folder, ending):
    return (REPOSITORY / folder).rglob(f"*.{ending}")


def includes_of(text):
    return re.findall(r'^\s*#\s*include\s+"(src/[^"]+)"', text, re.MULTILINE)


def place_of(path):
    """That of a file's folder in the order."""
    parts = str(path).split("/")
    return ORDER.index(parts[1] if len(parts) > 2 else "")


class Architecture(unittest.TestCase):
    def test_a_folder_includes_from_itself_and_from_those_after_it(self):
        for path, text in files_of("src").items():
            if str(path) != "src/main.cpp":
                self.assertEqual([to for to in includes_of(text) if place_of(to) < place_of(path)], [], path)

    def test_every_folder_has_its_place_and_one_subject(self):
        folders = {path.name: path for path in (REPOSITORY / "src").iterdir() if path.is_dir()}
        self.assertEqual(folders.keys(), set(ORDER) - {""})
        # simt/ is a whole device, in files of one mechanism each; cli/ has a file for each subcommand.
        for name in folders.keys() - {"simt", "cli"}:
            self.assertLessEqual(len({file.stem for file in folders[name].iterdir()}), 16, name)

    def test_the_cache_simulator_has_one_door(self):
        for path, text in files_of("src", "tests").items():
            if "cachesim" not in path.parts:
                others = {name for name in includes_of(text) if name.startswith("src/cachesim/")}
                self.assertLessEqual(others, {"src/cachesim/cachesim.hpp"}, path)

    def test_kernels_include_nothing_of_the_harness(self):
        self.assertEqual([path for path, text in files_of("kernels").items() if includes_of(text)], [])

    def test_each_file_that_asks_for_cuda_is_told(self):
        for folder in ("src", "tests/gpu"):
            lists = (REPOSITORY / folder / "CMakeLists.txt").read_text()
            defined = re.search(r"SOURCE ([^)]*?) APPEND PROPERTY COMPILE_DEFINITIONS REDBENCH_WITH_CUDA=1", lists)
            files = [file for ending in ("hpp", "cpp") for file in folder_of(folder, ending)]
            asking = [str(f.relative_to(REPOSITORY / folder)) for f in files if "REDBENCH_WITH_CUDA" in f.read_text()]
            self.assertEqual(defined[1].split(), sorted(asking))
