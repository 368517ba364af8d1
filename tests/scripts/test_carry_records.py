"""Records are carried over a refactoring where the same code is proven to run, and nowhere else."""

import json
import os

from support import RunTest, call
import carry_records
from carry_records import Build, Carrier, NotProven

GRID = {"kernel": "f<int>", "blocks": 4, "threads": 256, "cooperative": False}
PLANNED = {**GRID, "dynamic_shared_bytes": 64, "static_shared_bytes": 8, "bytes_read": 4096.0, "bytes_written": 16.0}
CASE = {"key": "k", "variant": "reduce/x", "device": "simt:h200", "refusal": None, "chain": 3, "scratch_bytes": 256}
CASE |= {"parameters": {"block": 256}, "launches": [PLANNED]}
RECORD = {"key": "reduce/x n=1", "variant": "reduce/x", "device": "cuda:0", "outcome": "passed"}
RECORD |= {"launches": [{**GRID, "shared_bytes": 72}], "built_by": "nvcc 13", "measured_by": "cuda 1"}
RECORD |= {"source_hash": "0" * 16}


class FakeBuild:
    """What Build tells of a folder, without the folder."""

    def __init__(self, source_hash):
        self.variants = {"reduce/x": ("kernels/reduce/x.cu", source_hash)}
        self.measured_by, self.built_by = {"cuda": "cuda 1"}, {"cuda": "nvcc 13"}
        self.case, self.code = CASE, "code"

    def source_hash(self, variant):
        return self.variants[variant][1]

    def machine_code(self, variant, target):
        return self.code

    def planned(self, config, device):
        return {(RECORD["key"], False): self.case}, ""


class Proof(RunTest):
    def setUp(self):
        super().setUp()
        self.old, self.new = FakeBuild("0" * 16), FakeBuild("1" * 16)

    def proof(self, **changed):
        return Carrier(self.old, self.new, "simt:h200").proof({**RECORD, **changed}, "{}")

    def test_the_same_machine_code_and_launches(self):
        self.assertEqual(self.proof(), "same machine code")
        self.assertEqual(self.proof(source_hash="1" * 16), "current already")

    def test_whatever_else_differs_proves_nothing(self):
        """Rows: why there is no proof, and what differs in the record, in the old build, in the new one."""
        none, grid = {}, RECORD["launches"][0]
        refused = {"case": {**CASE, "refusal": "only a library call", "launches": []}}
        other_compiler = {"built_by": {"cuda": "nvcc 12"}}
        rows = [("other machine code", none, none, {"code": "other"})]
        for name in (*carry_records.PLANNED_GRID, "kernel"):
            planned = {"case": {**CASE, "launches": [{**PLANNED, name: 1}]}}
            rows.append(("planned otherwise: launches", none, none, planned))
        for name in ("chain", "scratch_bytes", "refusal", "parameters"):
            rows.append((f"planned otherwise: {name}", none, none, {"case": {**CASE, name: 77}}))
        for name, other in (("blocks", 5), ("threads", 32), ("shared_bytes", 0), ("kernel", "g")):
            rows.append(("its launches are not those", {"launches": [{**grid, name: other}]}, none, none))
        for other in ("2" * 16, None):
            rows.append(("was stale before", {"source_hash": other}, none, none))
            rows.append(("measured otherwise", {"measured_by": other}, none, none))
        rows += [
            ("not planned on simt:h200 as the record was made: only a library call", none, refused, refused),
            ("measured otherwise", none, {"measured_by": {"cuda": "cuda 0"}}, none),
            ("not by the same compiler", none, other_compiler, other_compiler),
            ("run --replace", {"device": "simt:h200"}, none, none),
        ]
        for why, *changed in rows:
            record, old, new = changed
            self.old, self.new = FakeBuild("0" * 16), FakeBuild("1" * 16)
            vars(self.old).update(old)
            vars(self.new).update(new)
            with self.subTest(why, changed=changed), self.assertRaisesRegex(NotProven, why):
                self.proof(**record)

    def test_every_other_byte_of_a_run_stays(self):
        run = self.folder / "run"
        run.mkdir()
        (run / "run.json").write_text('{"config": {}}')
        line = json.dumps(RECORD, separators=(",", ":"))
        torn = line[:40]
        lines = [line.replace('"passed"', '"passed",  "x":1.50'), line.replace("cuda 1", "cuda 0"), torn]
        (run / "records.jsonl").write_text("\n".join(lines))
        outcomes, text = carry_records.judged(Carrier(self.old, self.new, "simt:h200"), run)
        self.assertEqual(text, "\n".join([lines[0].replace("0" * 16, "1" * 16), lines[1], torn]))
        self.assertEqual(sorted(outcomes.values()), [1, 1, 1])


class Objects(RunTest):
    """Of a build folder with one CPU algorithm."""

    SOURCE = "static const int table[] = {1, 2};\nint f(int i) { return table[i] * 3; }\n"

    def build(self, name, source, compiled=None):
        """A build folder of `source`, with an object of what was compiled."""
        tree, build = self.folder / name / "tree", self.folder / name / "build"
        file = tree / "kernels" / "reduce" / "x.cpp"
        made = build / carry_records.OBJECTS["host"] / "reduce" / "x.cpp.o"
        for path in (file, made, build / "generated" / "x"):
            path.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(compiled or source)
        call("g++", "-O2", "-c", "-o", made, file, check=True)
        made = made.stat().st_mtime
        file.write_text(source)
        os.utime(file, (made - 1, made - 1))
        code = carry_records.source_hashes.short_hash([file], carry_records.source_hashes.hash_of_code)
        (build / "generated" / "source_hashes.cpp").write_text(
            f'{{"reduce/x", "kernels/reduce/x.cpp", "{code}", "bytes"}}\n'
            'measured_by[] = {"cuda 1", "simt 1", "host 1"}'
        )
        (build / "generated" / "build_facts.cpp").write_text('.built_by = {"", "GNU", "GNU"}')
        (build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={tree}\n")
        return Build(build)

    def code(self, name, source):
        return self.build(name, source).machine_code("reduce/x", "host")

    def test_names_and_comments_make_the_same_object_and_constants_another(self):
        code = self.code("one", self.SOURCE)
        renamed = self.SOURCE.replace("int i", "int at").replace("[i]", "[at]") + "// end\n"
        self.assertEqual(self.code("two", renamed), code)
        self.assertNotEqual(self.code("three", self.SOURCE.replace("2}", "5}")), code)
        self.assertNotEqual(self.code("four", self.SOURCE.replace("* 3", "* 5")), code)

    def test_where_a_build_stands_is_no_code(self):
        """The names that nvcc 13 gives the same kernel in /tmp/old and in /tmp/rb."""
        names = [
            f"_ZN8redbench{length}_GLOBAL__N__{hashes}5countEPj"
            for length, hashes in ((37, "3ea1d2c8_9_naive_cu_ad0e6c2b_2148"), (36, "77b0a1f2_8_naive_cu_1c9d3b5e_977"))
        ]
        self.assertEqual(*(carry_records.UNNAMED.sub("unnamed", name) for name in names))

    def test_an_object_of_another_source_proves_nothing(self):
        build = self.build("one", self.SOURCE)
        file = build.source / "kernels" / "reduce" / "x.cpp"
        os.utime(file)
        with self.assertRaisesRegex(NotProven, "older than its source"):
            build.machine_code("reduce/x", "host")
        file.write_text(self.SOURCE + "int g;\n")
        carry_records.source_hashes.hash_of_code.cache_clear()
        with self.assertRaisesRegex(NotProven, "is not what .* was built from"):
            Build(build.folder).machine_code("reduce/x", "host")
