"""The sources of kernels, and the stories of their families: from this repository's kernels/ alone, whatever path a
record names, as a report is handed on and must hold no file that a record picked."""

import re

from shared import records

KERNELS = records.REPOSITORY / "kernels"
ENDINGS = (".cu", ".cpp")
VARIANT = re.compile(r"[a-z0-9_]+/[a-z0-9_]+")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


class Sources:
    """Files by their path from the repository: "kernels/reduce/harris3.cu" -> text."""

    def __init__(self):
        self.files = {}
        self.of_variants = {}

    def of_variant(self, variant):
        """The path of a variant's file, embedded with all of kernels/ that it includes; empty where it is not of this
        repository."""
        if variant not in self.of_variants:
            found = (self.add(f"kernels/{variant}{ending}") for ending in ENDINGS if VARIANT.fullmatch(variant))
            self.of_variants[variant] = next((path for path in found if path), "")
        return self.of_variants[variant]

    def story_of(self, problem):
        """The path of the README of a problem's variants; empty where there is none."""
        return self.add(f"kernels/{problem}/README.md") if re.fullmatch(r"[a-z0-9_]+", problem) else ""

    def add(self, path):
        """Embeds a file of kernels/. Returns its path, or nothing where it is no such file."""
        file = (records.REPOSITORY / path).resolve()
        if not file.is_relative_to(KERNELS.resolve()) or not file.is_file():
            return ""
        path = str(file.relative_to(records.REPOSITORY.resolve()))
        if path not in self.files:
            self.files[path] = file.read_text(encoding="utf-8", errors="replace")
            for name in INCLUDE.findall(self.files[path]):
                self.add(str(file.parent.joinpath(name)) if not name.startswith("kernels/") else name)
        return path
