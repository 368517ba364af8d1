"""The folders of src/ include each other in the order of docs/architecture.md only."""

from pathlib import Path
import re
import unittest

ROOT = Path(__file__).resolve().parents[2]

DOCUMENT = ROOT / "docs" / "architecture.md"


def documented_order() -> list[str]:
    """Folders in the order of the document's table; the empty name stands for the files of src/ itself."""
    table = DOCUMENT.read_text().split("## The order")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([a-z_]+)/`( itself)? \|", table, re.MULTILINE)
    return ["" if itself else name for name, itself in rows]


# First those that know most. A folder includes from itself and from those after it.
ORDER = documented_order()


def folder_of(path: str) -> str:
    """The folder below src/ of a path there; empty for the files of src/ itself."""
    parts = Path(path).parts
    return parts[1] if len(parts) > 2 else ""


def includes_of(text: str) -> list[str]:
    return re.findall(r'^\s*#\s*include\s+"(src/[^"]+)"', text, re.MULTILINE)


def against_the_order(path: str, text: str) -> list[str]:
    """What a file of src/ includes from a folder that comes before its own."""
    here = ORDER.index(folder_of(path))
    return [f"{path} includes {to}" for to in includes_of(text) if ORDER.index(folder_of(to)) < here]


class Architecture(unittest.TestCase):
    def test_includes_follow_the_order(self):
        files = [f for ending in ("hpp", "cpp", "cu") for f in (ROOT / "src").rglob(f"*.{ending}")]
        self.assertGreater(len(files), 100)
        backward = []
        for file in files:
            path = str(file.relative_to(ROOT))
            if path != "src/main.cpp":
                backward += against_the_order(path, file.read_text())
        self.assertEqual(backward, [])

    def test_every_folder_has_its_place(self):
        folders = {p.name for p in (ROOT / "src").iterdir() if p.is_dir()}
        self.assertEqual(folders, set(ORDER) - {""})

    def test_no_folder_has_two_subjects(self):
        # simt/ is a whole device, in files of one mechanism each; cli/ has a file for each subcommand.
        for folder in (ROOT / "src").iterdir():
            if folder.is_dir() and folder.name not in ("simt", "cli"):
                units = {f.stem for f in folder.iterdir()}
                self.assertLessEqual(len(units), 16, folder.name)

    def test_the_cache_simulator_has_one_door(self):
        for folder in ("src", "tests"):
            for file in (ROOT / folder).rglob("*.[ch]pp"):
                if "cachesim" not in file.relative_to(ROOT).parts:
                    others = {i for i in includes_of(file.read_text()) if i.startswith("src/cachesim/")}
                    self.assertLessEqual(others, {"src/cachesim/cachesim.hpp"}, file)

    def test_kernels_include_nothing_of_the_harness(self):
        files = [file for ending in ("hpp", "cpp", "cu") for file in (ROOT / "kernels").rglob(f"*.{ending}")]
        self.assertGreater(len(files), 100)
        self.assertEqual([file for file in files if includes_of(file.read_text())], [])

    def test_each_file_that_asks_for_cuda_is_told(self):
        for folder in ("src", "tests/gpu"):
            lists = (ROOT / folder / "CMakeLists.txt").read_text()
            defined = re.search(r"SOURCE ([^)]*?) APPEND PROPERTY COMPILE_DEFINITIONS REDBENCH_WITH_CUDA=1", lists)
            files = [f for f in (ROOT / folder).rglob("*.[ch]pp") if "REDBENCH_WITH_CUDA" in f.read_text()]
            self.assertEqual(defined[1].split(), sorted(str(f.relative_to(ROOT / folder)) for f in files))


if __name__ == "__main__":
    unittest.main()
