"""A folder of kernels outside the repository: built in, listed, verified, measured, known again by its hash."""

import json

from support import REPOSITORY, RunTest, call
from builds import RebuildTest

CONFIG = {
    "experiments": [{"problem": "histogram", "variants": ["outside", "cpu_serial"], "axes": {"n": 4096}}],
    "measure": {"mode": "warm", "max_samples": 10},  # the times do not matter
}


class KernelFolder(RebuildTest):
    def new_variant(self, name):
        return self.command(f"build/redbench new-variant {name} --kernels '{self.kernels}'")

    def listed(self):
        return json.loads(self.command("build/redbench list --json -b '^histogram/outside'"))

    def test_from_the_first_command_to_the_tables(self):
        self.folder = self.folder.resolve()
        self.kernels = self.folder / "my kernels"
        source = self.kernels / "histogram" / "outside.cu"
        self.new_variant("histogram/outside")
        self.build(str(self.kernels))

        first = self.listed()["histogram/outside"]
        self.assertEqual(first["file"], str(source))
        self.assertRegex(first["source_hash"]["simt"], "^[0-9a-f]{16}$")
        self.assertIn(f"({source})", self.command("build/redbench list -b '^histogram/outside$'"))
        self.assertNotIn("(/", self.command("build/redbench list -b '^histogram/global_atomic$'"))
        self.assertIn(str(source), self.command("build/redbench describe histogram/outside -d simt"))
        verify = "build/redbench verify -d simt --schedules 1 --races -b '^histogram/outside$'"
        self.assertRegex(self.command(verify), r"\n[1-9][0-9]* passed, 0 failed\n")

        config, run = self.folder / "outside.json", self.folder / "run"
        config.write_text(json.dumps(CONFIG))
        self.command(f"build/redbench run '{config}' -d simt --out '{run}'")
        records = map(json.loads, (run / "records.jsonl").read_text().splitlines())
        outcomes = {record["variant"]: (record["outcome"], record["kernel_file"]) for record in records}
        expected = {"histogram/outside": ("passed", str(source)), "histogram/cpu_serial": ("passed", None)}
        self.assertEqual(outcomes, expected)
        for ending in ("csv", "md"):
            self.assertIn(str(source), (run / "tables" / f"outside.{ending}").read_text())

        # A header beside the file and a second variant: found by the build, without another configure.
        header = source.parent / "mine.hpp"
        header.write_text("#pragma once\n")
        source.write_text(f'#include "mine.hpp"\n{source.read_text()}')
        self.new_variant("histogram/outside_too")
        self.command("cmake --build build --target redbench")
        second = self.listed()
        self.assertEqual(set(second), {"histogram/outside", "histogram/outside_too"})
        self.assertNotEqual(second["histogram/outside"]["source_hash"], first["source_hash"])
        self.assertIn("2 records, 1 stale", self.command(f"build/redbench results '{run}'"))

        # A copy elsewhere would not find the header.
        copy = f"build/redbench new-variant histogram/copy --from histogram/outside --kernels '{self.folder}'"
        self.assertIn('includes "mine.hpp", which', self.command(copy, exit_code=2))

        # A change of the header counts for what includes it; another place is no other source.
        header.write_text("#pragma once\n// changed\n")
        moved = self.kernels.rename(self.folder / "moved")
        self.build(str(moved))
        third = self.listed()
        for name, changed in (("histogram/outside", True), ("histogram/outside_too", False)):
            self.assertEqual(third[name]["source_hash"] != second[name]["source_hash"], changed, name)


class Refusals(RunTest):
    """What is refused when CMake configures, in a build folder of its own."""

    def configured(self, folders):
        options = ["-G", "Ninja", "-DREDBENCH_TESTS=OFF", "-DREDBENCH_CUDA=OFF", f"-DREDBENCH_KERNELS={folders}"]
        answer = call("cmake", "-S", REPOSITORY, "-B", "build", *options, cwd=self.folder)
        return answer.returncode, " ".join((answer.stdout + answer.stderr).split())  # CMake breaks lines

    def test_each_is_a_sentence(self):
        here = self.folder
        for path in ("flat/mine.cu", "typo/redcue/mine.cu", "name/reduce/my-kernel.cu", "taken/reduce/harris3.cpp",
                     "one/reduce/mine.cu", "two/reduce/mine.cu"):
            (here / path).parent.mkdir(parents=True, exist_ok=True)
            (here / path).touch()
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
            self.assertIn(message, text)
        # One folder twice is one folder.
        code, text = self.configured(f"one;{here}/one/")
        self.assertEqual(code, 0, text)
