"""Machine code is read as the GPU runs it, and the papers' kernels have as many loads under way as their listings.

A pragma, a wider index or another compiler can change what a paper compares, and no result shows it.
"""

import json
import os
from pathlib import Path
import unittest
from unittest import mock

from support import REPOSITORY, RunTest
import machine_code

# A build with CUDA; another than make's for who has both.
BUILD = Path(os.environ.get("REDBENCH_BUILD", REPOSITORY / "build"))

# A form of the shuffles -> what a thread takes -> the numbers of LISTED.
SHUFFLED = {
    "": {"AsListed<1>": (1, 1, 4)},
    "_vec2": {"AsListed<2>": (1, 1, 8)},
    "_vec4": {"AsListed<4>": (1, 1, 16)},
    "_unrolled": {"Unrolled<4>": (4, 4, 16), "Unrolled<8>": (8, 8, 32)},
}
# The joining of sets (kernels/multireduce/bucket_sets.hpp).
JOINED = {"reduce_runs<Sum<int>, 1>": (None, 8, 32), "reduce_runs<Sum<int>, 4>": (None, 4, 64)}
# Variant -> kernel of the sum of i32 -> loads per iteration (0: no loop loads; None: those of results, too, which no
# listing numbers), the most under way, their bytes.
LISTED = {
    "reduce/harris1": {"interleaved_modulo<Sum<int>>": (0, 1, 4)},
    "reduce/harris2": {"interleaved_strided<Sum<int>>": (0, 1, 4)},
    "reduce/harris3": {"sequential_addressing<Sum<int>>": (0, 1, 4)},
    "reduce/harris4": {"first_add_while_loading<Sum<int>>": (0, 2, 8)},
    "reduce/harris5": {"last_warp_unrolled<Sum<int>>": (0, 2, 8)},
    "reduce/harris6": {"completely_unrolled<Sum<int>, 256>": (0, 2, 8)},
    "reduce/harris7": {f"many_per_thread<Sum<int>, 256, {loads}>": (loads, loads, 4 * loads) for loads in (2, 4, 8)},
    **{
        f"reduce/shuffle_two_pass{suffix}": {
            f"shuffle_partials<Sum<int>, {share}>": loads
            for share, loads in {"AsListed<1>": (1, 1, 4), **shares}.items()  # its second launch
        }
        for suffix, shares in SHUFFLED.items()
    },
    **{
        f"reduce/shuffle_{kind}_atomic{suffix}": {
            f"shuffle_{kind}_atomic_kernel<Sum<int>, {share}>": loads for share, loads in shares.items()
        }
        for kind in ("warp", "block")
        for suffix, shares in SHUFFLED.items()
    },
    "reduce/tb2": {"left_storing_tree<Sum<int>>": (0, 2, 8)},
    "reduce/tb4_warp": {"intra_warp_tree<Sum<int>>": (0, 4, 16)},
    "reduce/matrix": {"matrix_by_rows<Sum<int>>": (0, 4, 16)},
    "reduce/persistent_matrix": {"persistent_by_rows<Sum<int>>": (4, 4, 16)},
    "reduce/diffwarps": {"producers_and_consumer<Sum<int>>": (4, 4, 16)},
    # With an owner beside each value.
    "segreduce/tb2": {"segmented_tree<Sum<int>>": (None, 4, 16)},
    "segreduce/tb4_warp": {"segmented_intra_warp_tree<Sum<int>>": (None, 8, 32)},
    "segreduce/matrix": {"segmented_by_rows<Sum<int>>": (None, 8, 32)},
    "segreduce/persistent_matrix": {"persistent_segmented_by_rows<Sum<int>>": (None, 8, 32)},
    "segreduce/diffwarps": {"segmented_producers_and_consumer<Sum<int>, 32>": (None, 8, 32)},
    "segreduce/diffwarps16": {"segmented_producers_and_consumer<Sum<int>, 16>": (None, 4, 16)},
    **{
        f"multireduce/{variant}": {
            f"{kernel}<Sum<int>, {items}, {loads}>": (None, loads, 4 * loads)
            for items in (8, 16, 24, 32)
            for loads in (1, 4, 8)
        }
        | JOINED
        for variant, kernel in (
            ("global_transposed", "global_transposed_kernel"),
            ("global_transposed_sorted", "global_transposed_kernel"),
            ("shared_per_thread_transposed", "transposed_thread_buckets"),
        )
    },
    "triple_reduce/one_by_one": {"reduce_fields<Sum<int>, 1, 1>": (1, 1, 4)},
    "triple_reduce/interleaved": {"reduce_fields<Sum<int>, 3, 1>": (3, 3, 12)},
    "triple_reduce/one_by_one_unrolled": {
        f"reduce_fields<Sum<int>, 1, {loads}>": (loads, loads, 4 * loads) for loads in (1, 4, 8)
    },
    "triple_reduce/interleaved_unrolled": {
        "reduce_fields<Sum<int>, 3, 1>": (3, 3, 12),
        "reduce_fields<Sum<int>, 3, 4>": (12, 8, 32),
        "reduce_fields<Sum<int>, 3, 8>": (24, 10, 40),
    },
}


def listing(*lines, name="_Z1fPi"):
    """As cuobjdump -sass prints a function: an instruction every 16 bytes."""
    code = [f"\t\tFunction : {name}"]
    code += [f"        /*{16 * at:04x}*/   {line} ;   /* 0x0000000000000000 */" for at, line in enumerate(lines)]
    return "\n".join(code) + "\n"


def facts(*lines):
    return machine_code.facts_of("reduce/x", "f(int*)", 8, machine_code.functions_of(listing(*lines))["_Z1fPi"])


# What is read -> SASS, and facts of it.
READ = {
    "loads are in flight until one is used": (
        """LDG.E R2, desc[UR4][R4.64]
        LDG.E.64 R6, desc[UR4][R8.64]
        IADD3 R0, R2, R7, RZ
        EXIT""",
        {"loads_per_iteration": 0, "loads_in_flight": 2, "bytes_in_flight": 12},
    ),
    "the loop with most loads counts, not what is behind it": (
        """LDG.E R2, desc[UR4][R4.64]
        IADD3 R0, R2, R0, RZ
        @!P0 BRA 0x0
        LDG.E R2, desc[UR4][R4.64]
        LDG.E R3, desc[UR4][R4.64]
        IADD3 R0, R2, R3, RZ
        @!P0 BRA 0x30
        LDG.E R8, desc[UR4][R4.64]
        LDG.E R9, desc[UR4][R4.64]
        LDG.E R10, desc[UR4][R4.64]
        EXIT
        BRA 0xb0""",  # the last, to itself, is not reached
        {"loads_per_iteration": 2, "loads_in_flight": 2, "instructions": 11},
    ),
    "loads ahead of that loop count": (
        """LDG.E R2, desc[UR4][R4.64]
        LDG.E R3, desc[UR4][R4.64]
        LDG.E.64 R6, desc[UR4][R4.64]
        IADD3 R0, R2, R3, RZ
        IADD3 R0, R6, R7, RZ
        LDG.E R2, desc[UR4][R4.64]
        IADD3 R0, R2, R0, RZ
        @P0 BRA 0x50
        EXIT""",
        {"loads_per_iteration": 1, "loads_in_flight": 3, "bytes_in_flight": 16},
    ),
    "a load that is used an iteration later": (
        """LDG.E R2, desc[UR4][R4.64]
        IADD3 R0, R3, R0, RZ
        LDG.E R3, desc[UR4][R4.64]
        IADD3 R0, R2, R0, RZ
        @P0 BRA 0x0
        EXIT""",
        {"loads_per_iteration": 2, "loads_in_flight": 2},
    ),
    "detours of a diverged warp are neither code nor loop": (
        """LDS R2, [R3]
        BRA.DIV UR4, 0x50
        STS [R3], R2
        BAR.SYNC.DEFER_BLOCKING 0x0
        EXIT
        WARPSYNC.COLLECTIVE R5, 0x80
        LDG.E R2, desc[UR4][R4.64]
        STS [R3], R2
        BRA 0x20""",
        {"shared_accesses": 2, "barriers": 1, "instructions": 5, "loads_in_flight": 0, "loads_per_iteration": 0},
    ),
}


class MachineCode(RunTest):
    def test_loads_loops_and_detours(self):
        for name, (sass, expected) in READ.items():
            with self.subTest(name):
                kernel = facts(*(line.strip() for line in sass.splitlines()))
                self.assertEqual({fact: getattr(kernel, fact) for fact in expected}, expected)

    def test_a_kernel_is_a_row(self):
        table = machine_code.table_of([facts("LDG.E R2, desc[UR4][R4.64]", "EXIT")])
        self.assertEqual(table.splitlines()[2], "| x | `f` | 8 | 2 |  | 1 | 4 | 0 | 0 |")


class Registers(unittest.TestCase):
    def test_each_architecture_has_its_own(self):
        text = "".join(
            f"\nFatbin elf code:\n================\narch = {architecture}\ncode version = [1,8]\n"
            f" Function _Z1fPi:\n  REG:{registers} STACK:0 SHARED:1024 LOCAL:0\n"
            for architecture, registers in (("sm_80", 16), ("sm_90", 18))
        )
        name = "redbench::f(int*)"
        outputs = {"cuobjdump": text, "c++filt": name + "\n"}
        with mock.patch.object(machine_code, "output_of", lambda tool, *_, **__: outputs[tool]):
            usage = {"sm_80": {"_Z1fPi": (name, 16)}, "sm_90": {"_Z1fPi": (name, 18)}}
            self.assertEqual(machine_code.usage_of("x.o"), usage)

    def test_the_committed_table_is_that_of_the_build(self):
        tell_what_is_missing(self)
        for architecture, table in machine_code.registers_of(BUILD).items():
            file = machine_code.REGISTERS / f"{architecture}.json"
            if not file.exists():
                continue
            committed = json.loads(file.read_text())
            if committed["compiler"] != table["compiler"]:
                self.skipTest(f"{file} is of {committed['compiler']}, {BUILD} of {table['compiler']}")
            self.assertEqual(committed, table, f"scripts/machine_code.py {BUILD} --registers makes it again")


def tell_what_is_missing(test):
    """Skips the test where there is no machine code to read; fails it where there is, but no tool."""
    if not (BUILD / machine_code.OBJECTS).is_dir():
        test.skipTest(f"CUDA is not built in {BUILD}: nothing to read machine code from")
    test.assertEqual(machine_code.missing_tools(), [], "scripts/requirements.txt has cuobjdump and nvdisasm")


class PaperForms(unittest.TestCase):
    def test_loads_under_way_are_those_of_the_listings(self):
        tell_what_is_missing(self)
        for family in sorted({variant.split("/")[0] for variant in LISTED}):
            found = {}
            for kernel in machine_code.kernels_of(BUILD, family):
                if kernel.variant in LISTED:
                    listed = LISTED[kernel.variant].get(kernel.name, (0,))
                    per_iteration = kernel.loads_per_iteration if listed[0] is not None else None
                    loads = (per_iteration, kernel.loads_in_flight, kernel.bytes_in_flight)
                    found.setdefault(kernel.variant, {})[kernel.name] = loads
            for variant, kernels in LISTED.items():
                if variant.startswith(family + "/"):
                    with self.subTest(variant=variant):
                        self.assertEqual(found.get(variant), kernels)
