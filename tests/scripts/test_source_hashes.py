"""The script of the build that hashes sources, on a small tree: what must change a hash, and what must not."""

import re
import subprocess
import unittest

from support import REPOSITORY, RunTest

# What the script reads of a tree.
TREE = {
    "kernels/reduce/one.cu": '#include "parts/first.hpp"\nint one;\n',
    "kernels/reduce/two.cu": '#include "kernels/plain.hpp"\nint two;\n',
    "kernels/reduce/parts/first.hpp": '#include "second.hpp"\n',
    "kernels/reduce/parts/second.hpp": "int second;\n",
    "kernels/plain.hpp": "int plain;\n",
    "src/cell/cell.cpp": 'const char* path = "a//b";  // of the cell\nint cell = 1\'000;\n',
    "src/cell/cell.hpp": "#pragma once\nint cell();\n",
    "src/device/cuda.cpp": "int cuda;\n",
    "src/device/host.cpp": "int host;\n",
    "src/device/simt.cpp": "int simt;\n",
    "src/device/device.hpp": "int device;\n",
    "src/device/gpu_diagnosis.cpp": "int diagnosis;\n",
    "src/instruments/clocks.cpp": "int clocks;\n",
    "src/measure/launch_gap.cu": "int gap;\n",
    "src/measure/host_stopwatch.cpp": "int watch;\n",
    "src/measure/sampling.cpp": "int sampling;\n",
    "src/simt/launch.cpp": "int launch;\n",
    "src/inputs/values.cpp": "int values;\n",
    "src/inputs/npy.cpp": "int npy;\n",
    "src/plan/queue.cpp": "int queue;\n",
    "src/cli/run.cpp": "int run;\n",
    "configs/devices/h200.json": '{"banks": 32}\n',
    **{f"src/inputs/{name}": "" for name in ("distributions.hpp", "labels.cpp", "segments.cpp", "words.hpp")},
    "src/inputs/zipf.hpp": "",
}
TARGETS = ("cuda", "simt", "host")


class SourceHashes(RunTest):
    def setUp(self):
        super().setUp()
        for path in TREE:
            self.write(path, TREE[path])

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def hashes(self):
        """By variant, and by target of what measures it."""
        output = self.folder / "hashes.cpp"
        variants = ";".join(str(self.folder / "kernels" / "reduce" / name) for name in ("one.cu", "two.cu"))
        script = REPOSITORY / "cmake" / "source_hashes.cmake"
        subprocess.run(
            ["cmake", f"-DSOURCE_DIR={self.folder}", f"-DOUTPUT={output}", f"-DVARIANTS={variants}", "-P", script],
            check=True,
        )
        text = output.read_text()
        found = dict(re.findall(r'\{"reduce/(\w+)", "[^"]+", "([0-9a-f]{16})"\}', text))
        found |= zip(TARGETS, re.findall(r'"([0-9a-f]{16})"', text.split("measured_by[]")[1]), strict=True)
        return found

    def changed_by(self, path, text):
        before = self.hashes()
        self.write(path, text)
        after = self.hashes()
        self.write(path, TREE.get(path, ""))
        return {name for name in before if before[name] != after[name]}

    def test_all_differ(self):
        self.assertEqual(len(set(self.hashes().values())), 5)

    def test_a_kernel_is_its_file_and_all_that_it_includes(self):
        for path in ("one.cu", "parts/first.hpp", "parts/second.hpp"):
            path = f"kernels/reduce/{path}"
            with self.subTest(path):
                self.assertEqual(self.changed_by(path, TREE[path] + "int changed;\n"), {"one"})
                # Records name source lines.
                self.assertEqual(self.changed_by(path, "// changed\n" + TREE[path]), {"one"})
        self.assertEqual(self.changed_by("kernels/plain.hpp", "int changed;\n"), {"two"})

    def test_each_target_has_what_decides_its_numbers(self):
        timed = {"cuda", "host"}
        for path, targets in {
            "src/cell/cell.cpp": {*TARGETS},
            "src/cell/cell.hpp": {*TARGETS},
            "src/device/device.hpp": {*TARGETS},
            "src/inputs/values.cpp": {*TARGETS},
            "src/plan/queue.cpp": {*TARGETS},
            "src/instruments/clocks.cpp": timed,
            "src/measure/sampling.cpp": timed,
            "src/measure/launch_gap.cu": {"cuda"},
            "src/device/cuda.cpp": {"cuda"},
            "src/measure/host_stopwatch.cpp": {"host"},
            "src/device/host.cpp": {"host"},
            "src/device/simt.cpp": {"simt"},
            "src/simt/launch.cpp": {"simt"},
            "configs/devices/h200.json": {"simt"},
            "src/device/gpu_diagnosis.cpp": set(),
            "src/inputs/npy.cpp": set(),
            "src/cli/run.cpp": set(),
        }.items():
            with self.subTest(path):
                self.assertEqual(self.changed_by(path, TREE[path].replace("\n", " int changed;\n")), targets)

    def test_a_new_file_counts(self):
        before = self.hashes()
        self.write("src/measure/another.hpp", "int another;\n")
        after = self.hashes()
        self.assertEqual({name for name in before if before[name] != after[name]}, {"cuda", "host"})

    def test_comments_and_blanks_do_not_count(self):
        code = TREE["src/cell/cell.cpp"]
        for other in (
            code.replace("of the cell", "of another"),
            code.replace("  // of the cell", ""),
            "/* A\n * block ** with \"quotes\" and 'these' */\n\n" + code,
            "// It's a file; [of] ${names}\n" + code,
            code.replace("int cell", "\t  int cell"),
            code.replace("\n", "\r\n"),
            code + "\n// the end",
        ):
            with self.subTest(other):
                self.assertEqual(self.changed_by("src/cell/cell.cpp", other), set())

    def test_no_code_is_taken_for_a_comment(self):
        for code, other in (
            ('const char* path = "a//b";', 'const char* path = "a//c";'),
            ("const char* path = R\"(\"//a)\";", "const char* path = R\"(\"//b)\";"),
            ("char quote = '\"'; int a; // \"", "char quote = '\"'; int b; // \""),
            ('f("\\"//a");', 'f("\\"//b");'),
            ('f(1\'000, "it\'s //a");', 'f(1\'000, "it\'s //b");'),
            ("int a = b / c;", "int a = b / d;"),
            ("/**/ int a; /**/", "/**/ int b; /**/"),
            ("int a;\nint b;", "int a, b;"),
            ("#define A\nint a;", "#define A int a;"),
        ):
            with self.subTest(code):
                self.write("src/cell/cell.cpp", code)
                self.assertEqual(self.changed_by("src/cell/cell.cpp", other), {*TARGETS})

class BuiltBy(RunTest):
    """What a record keeps of the build."""

    def told(self, compiler="GNU 12.2.0", flags="-O2;-DNDEBUG", standard="-std=c++20", sanitize=""):
        script = self.folder / "told.cmake"
        script.write_text(
            f'include("{REPOSITORY}/cmake/build_facts.cmake")\n'
            f"set(STANDARD_FLAG {standard})\nset(REDBENCH_SANITIZE {sanitize})\n"
            f'built_by("{compiler}" "{flags}" told)\nmessage("${{told}}")\n'
        )
        answer = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, check=True)
        return answer.stderr.strip()

    def test_compiler_and_every_flag_count(self):
        told = self.told()
        self.assertRegex(told, "^GNU 12.2.0, flags [0-9a-f]{8}$")
        self.assertEqual(self.told(flags="-O2  -DNDEBUG"), told, "a list or a text of them")
        others = [
            self.told(compiler="GNU 13.1.0"),
            self.told(flags="-O3;-DNDEBUG"),
            self.told(standard="-std=c++23"),
            self.told(sanitize="address"),
        ]
        self.assertEqual(len({told, *others}), 5)


if __name__ == "__main__":
    unittest.main()
