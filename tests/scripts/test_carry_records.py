"""Records are carried over a refactoring where the same code is proven to run, and nowhere else."""

from contextlib import contextmanager
import json
import unittest

from support import RunTest
import carry_records
from carry_records import Carrier, NotProven, rewritten

LAUNCH = {"kernel": "f<int>", "blocks": 4, "threads": 256, "dynamic_shared_bytes": 0, "static_shared_bytes": 0}
LAUNCH |= {"cooperative": False, "bytes_read": 4096.0, "bytes_written": 16.0}
CASE = {"refusal": None, "chain": 3, "scratch_bytes": 256, "parameters": {"block": 256}, "launches": [LAUNCH]}
RECORD = {"key": "reduce/x n=1", "variant": "reduce/x", "device": "cuda:0", "library": False, "launches": [LAUNCH]}
RECORD |= {"source_hash": "old", "measured_by": "cuda 1", "measuring_hash": "m", "built_by": "nvcc 13"}


class File:
    def __init__(self, exists):
        self.is_file = lambda: exists


class FakeBuild:
    """What Build tells of a folder, without the folder."""

    def __init__(self, source_hash):
        self.variants = {"reduce/x": ("kernels/reduce/x.cu", source_hash, "bytes")}
        self.measured_by = {"cuda": "cuda 1", "host": "host 1"}
        self.built_by = {"cuda": "nvcc 13", "host": "GNU 12"}
        self.case, self.code, self.has_objects = CASE, {"f<int>": ("REG:16", "LDG")}, True
        self.tokens_, self.measuring = "tokens", "measuring"

    def source_hash(self, variant):
        return self.variants[variant][1]

    def tokens(self, variant):
        return self.tokens_

    def measuring_tokens(self, target):
        return self.measuring

    def object_of(self, variant, target):
        return File(self.has_objects)

    def kernels(self, variant):
        return self.code

    def host_code(self, variant):
        return self.code

    def planned(self, config, device):
        return {(RECORD["key"], False): self.case, (RECORD["key"], True): self.case}, ""


class Carrying(RunTest):
    def setUp(self):
        self.old, self.new = FakeBuild("old"), FakeBuild("new")

    def carried(self, **changed):
        return Carrier(self.old, self.new, "simt:h200").carried({**RECORD, **changed}, "{}")

    @contextmanager
    def not_proven(self, why):
        with self.assertRaisesRegex(NotProven, why):
            yield

    def test_the_same_machine_code_and_launches_carry_a_record(self):
        proof, fields = self.carried()
        self.assertEqual(proof, "same machine code")
        self.assertEqual(fields, {"source_hash": "new", "measured_by": "cuda 1"})

    def test_other_machine_code_does_not(self):
        for code in (("REG:16", "LDG.128"), ("REG:17", "LDG")):
            self.new.code = {"f<int>": code}
            with self.not_proven("other machine code: f<int>"):
                self.carried()

    def test_a_kernel_that_the_record_does_not_launch_may_differ(self):
        self.new.code = {**self.old.code, "g<int>": ("REG:9", "STG")}
        self.assertEqual(self.carried()[0], "same machine code")
        with self.not_proven("other machine code"):
            self.carried(library=True)

    def test_other_launches_do_not(self):
        for name in ("blocks", "threads", "dynamic_shared_bytes", "static_shared_bytes", "bytes_read"):
            self.new.case = {**CASE, "launches": [{**LAUNCH, name: 1}]}
            with self.subTest(name), self.not_proven("planned otherwise: launches"):
                self.carried()
        for name in ("chain", "scratch_bytes", "refusal"):
            self.new.case = {**CASE, name: 77}
            with self.subTest(name), self.not_proven(f"planned otherwise: {name}"):
                self.carried()

    def test_what_was_stale_before_stays_so(self):
        with self.not_proven("was stale before: kernel changed"):
            self.carried(source_hash="older")
        with self.not_proven("was stale before: measured otherwise"):
            self.carried(measured_by="cuda 0")

    def test_another_version_of_measuring_counts_unless_its_code_is_the_same(self):
        self.new.measured_by = {"cuda": "cuda 2"}
        self.assertEqual(self.carried()[1]["measured_by"], "cuda 2")
        self.new.measuring = "others"
        with self.not_proven("measured otherwise"):
            self.carried()

    def test_without_objects_of_its_build_the_tokens_prove_it(self):
        for why in ("objects", "compiler"):
            self.new.has_objects = why != "objects"
            changed = {"built_by": "nvcc 12"} if why == "compiler" else {}
            self.new.tokens_ = "tokens"
            self.assertEqual(self.carried(**changed)[0], "same tokens")
            self.new.tokens_ = "others"
            with self.not_proven("kernel changed"):
                self.carried(**changed)

    def test_a_renamed_kernel_is_told_by_its_new_name(self):
        self.new.case = {**CASE, "launches": [{**LAUNCH, "kernel": "g<int>"}]}
        self.new.code = {"g<int>": self.old.code["f<int>"]}
        self.assertEqual(self.carried()[1]["launches"][0]["kernel"], "g<int>")
        self.new.code = {"g<int>": ("REG:16", "other")}
        with self.not_proven("other machine code: f<int>"):
            self.carried()

    def test_a_cpu_algorithm_is_its_object(self):
        host = {"device": "host", "measured_by": "host 1", "built_by": "GNU 12"}
        self.assertEqual(self.carried(**host)[0], "same machine code")
        self.new.code = "others"
        with self.not_proven("other machine code"):
            self.carried(**host)

    def test_the_modelled_device_is_made_again(self):
        with self.not_proven("run --resume"):
            self.carried(device="simt:h200")

    def test_every_other_byte_of_a_line_stays(self):
        line = '{"source_hash":"old", "x": 1.50,"measured_by":"9d","built_by":"nvcc","samples":[1e3]}'
        record = json.loads(line)
        self.assertEqual(
            rewritten(line, record, {"source_hash": "new", "measured_by": "cuda 1", "measuring_hash": "9d"}),
            '{"source_hash":"new", "x": 1.50,"measured_by":"cuda 1","measuring_hash":"9d","built_by":"nvcc",'
            '"samples":[1e3]}',
        )
        with self.assertRaises(carry_records.NotProven):
            rewritten(line, {**record, "x": 2}, {"x": 3})


if __name__ == "__main__":
    unittest.main()
