"""The script of the build that hashes sources, on a small tree: what must change a hash, and what must not. And whether
somebody has said, of the code that measures as it is now, if its numbers may differ from those of its version."""

import json
import re
import sys
import unittest

from support import REPOSITORY, RunTest, call

sys.path.insert(0, str(REPOSITORY / "cmake"))
import source_hashes

TARGETS = ("cuda", "simt", "host")
# The targets whose numbers files of a small tree decide.
FILES = {
    TARGETS: """src/cell/cell.cpp src/cell/cell.hpp src/device/device.hpp src/inputs/values.cpp src/inputs/npy.cpp
        src/reference/oracle.cpp src/simt/occupancy.cpp src/plan/queue.cpp""",
    ("cuda", "host"): "src/instruments/clocks.cpp src/measure/sampling.cpp",
    ("cuda",): "src/measure/launch_gap.cu src/device/cuda.cpp kernels/contract/cuda_language.hpp",
    ("simt",): """src/device/simt.cpp src/simt/launch.cpp configs/devices/h200.json
        kernels/contract/simt_language.hpp""",
    ("host",): "src/device/host.cpp src/measure/host_stopwatch.cpp",
    (): "src/device/gpu_diagnosis.cpp src/cli/run.cpp",
}
DECIDES = {path: set(targets) for targets, paths in FILES.items() for path in paths.split()}
TREE = {
    **dict.fromkeys(DECIDES, "int here;\n"),
    "kernels/reduce/one.cu": '#include "parts/first.hpp"\nint one;\n',
    "kernels/reduce/two.cu": "#include <kernels/plain.hpp>\n#include <kernels/contract/simt_language.hpp>\nint two;\n",
    "kernels/reduce/parts/first.hpp": '#include "second.hpp"\n',
    "kernels/reduce/parts/second.hpp": "int second;\n",
    "kernels/plain.hpp": "int plain;\n",
    "kernels/variant.hpp": "int contract;\n",
    "src/simt/occupancy.hpp": "",
    "src/records/derived.cpp": "int derived;\n",
    "cmake/measuring.json": '{"versions": {"cuda": 1, "simt": 2, "host": 3}}',
}


class SourceHashes(RunTest):
    def setUp(self):
        super().setUp()
        for path in TREE:
            self.write(path, TREE[path])

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def generated(self):
        output = self.folder / "hashes.cpp"
        variants = [self.folder / "kernels" / "reduce" / name for name in ("one.cu", "two.cu")]
        script = REPOSITORY / "cmake" / "source_hashes.py"
        call(sys.executable, script, self.folder, output, *variants, check=True)
        return output.read_text()

    def hashes(self):
        """By variant, of its code and of its bytes; and by target, of what measures it."""
        text = self.generated()
        found = {}
        for name, code, bytes_ in re.findall(r'\{"reduce/(\w+)", "[^"]+", "([0-9a-f]{16})", "([0-9a-f]{16})"\}', text):
            found |= {name: code, f"{name}, bytes": bytes_}
        found |= zip(TARGETS, re.findall(r'"([0-9a-f]{16})"', text.split("measuring_hash[]")[1]), strict=True)
        return found

    def changed_by(self, path, text):
        before = self.hashes()
        self.write(path, text)
        after = self.hashes()
        self.write(path, TREE.get(path, ""))
        return {name for name in before if before[name] != after[name]}

    def test_a_kernel_is_its_file_and_all_that_it_includes(self):
        one, two = {"one", "one, bytes"}, {"two", "two, bytes"}
        for path in ("one.cu", "parts/first.hpp", "parts/second.hpp"):
            path = f"kernels/reduce/{path}"
            with self.subTest(path):
                self.assertEqual(self.changed_by(path, TREE[path] + "int changed;\n"), one)
                # Records of the modelled device name source lines.
                self.assertEqual(self.changed_by(path, "// changed\n" + TREE[path]), {"one, bytes"})
        self.assertEqual(self.changed_by("kernels/plain.hpp", "int changed;\n"), two)

    def test_a_target_has_the_version_that_was_set(self):
        self.assertIn('measured_by[] = {"cuda 1", "simt 2", "host 3"}', self.generated())

    def test_every_file_is_watched(self):
        self.generated()
        follows = (self.folder / "hashes.cpp.d").read_text().split()
        for path in ("kernels/plain.hpp", "kernels/reduce/parts/second.hpp", "src/cell/cell.cpp", "src/measure"):
            self.assertIn(str(self.folder.resolve() / path), follows)

    def test_each_target_has_what_decides_its_numbers(self):
        for path, targets in DECIDES.items():
            with self.subTest(path):
                self.assertEqual(self.changed_by(path, TREE[path].replace("\n", " int changed;\n")), targets)

    def test_a_new_file_counts(self):
        before = self.hashes()
        self.write("src/measure/another.hpp", "int another;\n")
        after = self.hashes()
        self.assertEqual({name for name in before if before[name] != after[name]}, {"cuda", "host"})


class Tokens(unittest.TestCase):
    def test_comments_blanks_and_line_breaks_do_not_count(self):
        code = "const char* path = \"a//b\";  // of the cell\nint cell = f(1'000, x);\n"
        for other in (
            code.replace("of the cell", "of another"),
            code.replace("  // of the cell", ""),
            "/* A\n * block ** with \"quotes\" and 'these' */\n\n" + code,
            "// It's a file; [of] ${names}\n" + code,
            "// It goes \\\non\n" + code,
            "// It goes \\\r\n/* on\r\n" + code,
            code.replace("int cell", "\t  int\ncell"),
            code.replace("f(1'000, x)", "f(\n    1'000,\n    x )"),
            code.replace("\n", "\r\n"),
            code.replace('"a//b"', '"a/"  // half\n    "/b"'),
            code + "\n// the end",
        ):
            with self.subTest(other):
                self.assertEqual(source_hashes.tokens_of(other), source_hashes.tokens_of(code))
        macro, otherwise = "#define F(x) \\\n  (x + 1)\nint a;", "#  define F(x)   (x + \\\n 1)  // one\nint a;"
        self.assertEqual(source_hashes.tokens_of(macro), source_hashes.tokens_of(otherwise))

    def test_code_counts(self):
        for code, other in (
            ('path = "a//b";', 'path = "a//c";'),
            ('path = R"(\"//a)";', 'path = R"(\"//b)";'),
            ('path = R"x()"//a)x";', 'path = R"x()"//b)x";'),
            ("char quote = '\"'; int a; // \"", "char quote = '\"'; int b; // \""),
            ('f("\\"//a");', 'f("\\"//b");'),
            ("f(1'000, \"it's //a\");", "f(1'000, \"it's //b\");"),
            ("int a = b / c;", "int a = b / d;"),
            ("/**/ int a; /**/", "/**/ int b; /**/"),
            ('f("a b");', 'f("ab");'),
            ('f("\\x1" "2");', 'f("\\x12");'),
            ("a = b - -c;", "a = b -- c;"),
            ("int ab;", "int a b;"),
            ("x = 1.e+3;", "x = 1.e + 3;"),
            ('f("a"_x);', 'f("a" _x);'),
            ("à - Å;", "Å - à;"),
            ("#define A\nint a;", "#define A int a;"),
            ("#define A (x)\n", "#define A(x)\n"),
        ):
            with self.subTest(code):
                self.assertNotEqual(source_hashes.tokens_of(code), source_hashes.tokens_of(other))


class Versions(unittest.TestCase):
    """cmake/measuring.json: the version of what measures each target, and the hash of its code when somebody last said
    whether a number may change."""

    def setUp(self):
        self.measuring = json.loads((REPOSITORY / "cmake" / "measuring.json").read_text())

    def test_somebody_has_said_whether_numbers_may_change(self):
        files = sorted({file for target in TARGETS for file in source_hashes.measuring_files(target, REPOSITORY)})
        code = source_hashes.short_hash(files, source_hashes.hash_of_code)
        names = "\n".join(f"  {file.relative_to(REPOSITORY)}" for file in files)
        self.assertEqual(
            code,
            self.measuring["code"],
            "The code that decides numbers has changed. May a number of a target change by it? If so, raise the "
            "target's version in cmake/measuring.json and add a row to docs/decisions/0015-when-a-record-is-stale.md: "
            f'its records are stale from then on. In any case set "code" to "{code}" there. It is of\n{names}',
        )

    def test_each_version_has_a_row(self):
        page = (REPOSITORY / "docs" / "decisions" / "0015-when-a-record-is-stale.md").read_text()
        for target, last in self.measuring["versions"].items():
            for version in range(1, last + 1):
                self.assertIn(f"\n| {target} {version} |", page)


class BuiltBy(RunTest):
    """What a record keeps of the build."""

    def built_by(self, compiler="GNU 12.2.0", flags="-O2;-DNDEBUG", standard="-std=c++20", sanitize=""):
        script = self.folder / "built_by.cmake"
        script.write_text(
            f'include("{REPOSITORY}/cmake/build_facts.cmake")\n'
            f"set(STANDARD_FLAG {standard})\nset(REDBENCH_SANITIZE {sanitize})\n"
            f'built_by("{compiler}" "{flags}" built_by)\nmessage("${{built_by}}")\n'
        )
        return call("cmake", "-P", script, check=True).stderr.strip()

    def test_compiler_and_every_flag_count(self):
        built_by = self.built_by()
        self.assertRegex(built_by, "^GNU 12.2.0, flags [0-9a-f]{8}$")
        self.assertEqual(self.built_by(flags="-O2  -DNDEBUG"), built_by, "a list or a text of them")
        others = {"compiler": "GNU 13.1.0", "flags": "-O3;-DNDEBUG", "standard": "-std=c++23", "sanitize": "address"}
        self.assertEqual(len({built_by, *(self.built_by(**{name: other}) for name, other in others.items())}), 5)
