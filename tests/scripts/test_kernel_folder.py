"""A folder of kernels outside the repository: built in, listed, verified, measured, known again by its hash."""

import json
from pathlib import Path
import re
import subprocess
import tempfile
import unittest

from support import REPOSITORY, RunTest
from builds import RebuildTest

CONFIG = {
    "experiments": [{"problem": "histogram", "variants": ["outside", "cpu_serial"], "axes": {"n": 4096}}],
}


class KernelFolder(RebuildTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        super().setUp()
        self.folder = Path(folder.name).resolve()
        self.kernels = self.folder / "my kernels"
        self.file = self.kernels / "histogram" / "outside.cu"

    def new_variant(self, name):
        return self.command(f"build/redbench new-variant {name} --kernels '{self.kernels}'")

    def listed(self):
        text = self.command("build/redbench list --json -b '^histogram/outside'")
        return json.loads(text)

    def test_from_the_first_command_to_the_tables(self):
        # As new-variant says it.
        said = self.new_variant("histogram/outside")
        configure = re.search(r"^  (cmake -B build .*)$", said, re.MULTILINE).group(1)
        self.command(f"{configure}\ncmake --build build --target redbench")

        first = self.listed()["histogram/outside"]
        self.assertEqual(first["file"], str(self.file))
        self.assertRegex(first["source_hash"]["simt"], "^[0-9a-f]{16}$")
        self.assertIn(f"({self.file})", self.command("build/redbench list -b '^histogram/outside$'"))
        self.assertNotIn("(/", self.command("build/redbench list -b '^histogram/global_atomic$'"))
        self.assertIn(str(self.file), self.command("build/redbench describe histogram/outside -d simt"))
        verify = "build/redbench verify -d simt --schedules 1 -b '^histogram/outside$'"
        for flags in ("", " --races"):
            self.assertRegex(self.command(verify + flags), r"\n[1-9][0-9]* passed, 0 failed\n")

        config, run = self.folder / "outside.json", self.folder / "run"
        config.write_text(json.dumps(CONFIG))
        measure = f"build/redbench run '{config}' -d simt --out '{run}'"
        self.command(measure)
        records = [json.loads(line) for line in (run / "records.jsonl").read_text().splitlines()]
        outcomes = {record["variant"]: (record["outcome"], record["kernel_file"]) for record in records}
        self.assertEqual(
            outcomes,
            {
                "histogram/outside": ("passed", str(self.file)),
                "histogram/cpu_serial": ("passed", None),
            },
        )
        for ending in ("csv", "md"):
            self.assertIn(str(self.file), (run / "tables" / f"outside.{ending}").read_text())

        # A header beside the file and a second variant: found by the build, without another configure.
        header = self.file.parent / "mine.hpp"
        header.write_text("#pragma once\n")
        self.file.write_text(f'#include "mine.hpp"\n{self.file.read_text()}')
        self.assertNotIn("cmake -B", self.new_variant("histogram/outside_too"))
        self.command("cmake --build build --target redbench")
        second = self.listed()
        self.assertEqual(set(second), {"histogram/outside", "histogram/outside_too"})
        self.assertNotEqual(second["histogram/outside"]["source_hash"], first["source_hash"])
        self.assertIn("2 records, 1 stale", self.command(f"build/redbench results '{run}'"))

        # A copy elsewhere would not find the header.
        self.assertIn(
            'includes "mine.hpp", which',
            self.command(
                f"build/redbench new-variant histogram/copy --from histogram/outside --kernels '{self.folder}'",
                exit_code=2,
            ),
        )

        # A change of the header counts for what includes it; another place is no other source.
        header.write_text("#pragma once\n// changed\n")
        moved = self.folder / "moved"
        self.kernels.rename(moved)
        self.build(str(moved))
        third = self.listed()
        outside, too = (f"histogram/outside{end}" for end in ("", "_too"))
        self.assertNotEqual(third[outside]["source_hash"], second[outside]["source_hash"])
        self.assertEqual(third[too]["source_hash"], second[too]["source_hash"])


class Refusals(RunTest):
    """What is refused when CMake configures, in a build folder of its own."""

    def configured(self, folders):
        options = ["-G", "Ninja", "-DREDBENCH_TESTS=OFF", "-DREDBENCH_CUDA=OFF"]
        answer = subprocess.run(
            ["cmake", "-S", REPOSITORY, "-B", "build", *options, f"-DREDBENCH_KERNELS={folders}"],
            cwd=self.folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return answer.returncode, answer.stdout

    def kernel(self, path):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()

    def test_each_is_a_sentence(self):
        here = self.folder
        for path in ("flat/mine.cu", "typo/redcue/mine.cu", "name/reduce/my-kernel.cu", "taken/reduce/harris3.cpp",
                     "one/reduce/mine.cu", "two/reduce/mine.cu"):
            self.kernel(path)
        for folders, message in (
            ("nowhere", f"there is no folder {here}/nowhere; a relative one begins where"),
            ("flat", f"{here}/flat holds no variant: <problem>/<name>.cu or .cpp, of gather, histogram,"),
            ("typo", f"{here}/typo/redcue/mine.cu: `redcue` is no problem"),
            ("name", "`my-kernel` cannot name a variant"),
            ("taken", f"{here}/taken/reduce/harris3.cpp: there is a reduce/harris3 already, {REPOSITORY}/kernels/"),
            ("one;two", f"there is a reduce/mine already, {here}/one/reduce/mine.cu"),
        ):
            code, text = self.configured(folders)
            self.assertNotEqual(code, 0, text)
            self.assertIn(message, " ".join(text.split()))  # CMake breaks lines
        # One folder twice is one folder.
        code, text = self.configured(f"one;{here}/one/")
        self.assertEqual(code, 0, text)


if __name__ == "__main__":
    unittest.main()
