#!/usr/bin/env python3
"""What nvcc made of the kernels: registers, instructions, loads in flight, shared accesses and barriers of each.

BUILD is a build folder with CUDA. For each variant the kernels for the sum of i32 are read, in a family without
operators all kernels that do more than fill; of kernels that are built for several block sizes the one for 256 threads.
--kernels takes others. Kernels of libraries are left out. Code for diverged warps (behind BRA.DIV) does not count.
--write puts the tables into kernels/<family>/README.md, between the lines that name this script.

--registers writes the registers of all kernels to kernels/targets/cuda/registers: the modelled device takes their
occupancy from there.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
import functools
import json
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import sysconfig

from shared import output
from shared.records import RecordError

REPOSITORY = Path(__file__).resolve().parent.parent
OBJECTS = "kernels/targets/cuda/CMakeFiles/redbench_kernels_cuda.dir/__/__"
DEFAULT_KERNELS = r"\bSum<int>"
# The first number of a template is its block size where there is the same kernel with 256 in its place.
OTHER_BLOCK = re.compile(r"(<[^<>]*<[^<>]*>, )(32|64|128|512|1024)\b")
REGISTERS = REPOSITORY / "kernels" / "targets" / "cuda" / "registers"
MARKS = ("<!-- scripts/machine_code.py -->", "<!-- end of scripts/machine_code.py -->")

INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:(@!?U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
USAGE = re.compile(r"Function (\S+):\s*\n\s*REG:(\d+).*?SHARED:(\d+)")
ENDS = ("EXIT", "RET", "BRX", "KILL")


class MachineCodeError(Exception):
    """The machine code cannot be read."""


@dataclass
class Instruction:
    address: int
    predicated: bool
    name: str  # with what follows its points: LDG.E.128
    operands: str

    @property
    def kind(self):
        return self.name.split(".")[0]

    def is_global_load(self):
        return self.kind in ("LDG", "LD")

    def words(self):
        """32-bit registers that a load fills."""
        return 4 if ".128" in self.name else 2 if ".64" in self.name else 1

    def bytes(self):
        """Bytes that a load reads: one or two where its name says so (LDG.E.U8, LDG.E.S16)."""
        narrow = re.search(r"\.[US](8|16)\b", self.name)
        return int(narrow[1]) // 8 if narrow else 4 * self.words()

    def target(self):
        """Where a branch goes, None for other instructions."""
        if self.kind != "BRA":
            return None
        return int(re.findall(r"0x([0-9a-f]+)", self.operands)[-1], 16)

    def falls_through(self):
        """Whether control may reach the next instruction."""
        if self.predicated:
            return True
        if self.kind == "BRA":
            return self.name == "BRA.DIV" or "," in self.operands  # a condition before the target
        return self.kind not in ENDS

    def registers(self):
        """Numbers of the general registers among its operands."""
        found = set()
        for number, wide in re.findall(r"\bR(\d+)((?:\.reuse)?\.64)?", self.operands):
            found.add(int(number))
            if wide:
                found.add(int(number) + 1)
        return found

    def loaded(self):
        first = int(re.match(r"R(\d+)", self.operands).group(1))
        return frozenset(range(first, first + self.words()))


@dataclass
class Kernel:
    """A kernel's machine code in numbers; loads are those of a thread from global memory."""

    variant: str
    name: str  # without namespaces and its arguments
    registers: int
    instructions: int
    loads_per_iteration: int  # of the loop that has most of them, 0 where no loop loads
    # The most bytes in flight before one is waited for: in that loop or ahead of it, else in the whole kernel.
    loads_in_flight: int
    bytes_in_flight: int
    shared_accesses: int
    barriers: int  # of the block


def tool_path():
    """PATH with the folders where cuobjdump and nvdisasm may be: the toolkit's, and those of their Python packages."""
    folders = [os.environ.get("PATH", "")]
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    folders.append(str(Path(nvcc).resolve().parent))
    packages = Path(sysconfig.get_paths()["purelib"]) / "nvidia"
    folders += [str(folder) for folder in sorted(packages.glob("*/bin"))]
    return os.pathsep.join(folders)


def missing_tools():
    """The tools that this machine lacks."""
    return [tool for tool in ("cuobjdump", "nvdisasm", "c++filt") if not shutil.which(tool, path=tool_path())]


def output_of(*command, text=None):
    program = shutil.which(command[0], path=tool_path())
    if program is None:
        raise MachineCodeError(f"{command[0]} is not on this machine: it comes with the CUDA toolkit")
    environment = {**os.environ, "PATH": tool_path()}
    done = subprocess.run([program, *command[1:]], input=text, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise MachineCodeError(f"{' '.join(map(str, command))}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def functions_of(listing):
    """Name -> instructions, from the output of cuobjdump -sass."""
    functions, code = {}, None
    for line in listing.splitlines():
        if "Function :" in line:
            code = functions.setdefault(line.split("Function :")[1].strip(), [])
        elif code is not None and (match := INSTRUCTION.match(line)):
            address, predicate, name, operands = match.groups()
            code.append(Instruction(int(address, 16), predicate is not None, name, operands))
    return functions


def followers(code, detours=True):
    """The control-flow graph: address -> addresses of possible successors; without detours that of converged warps."""
    result = {}
    for here, behind in zip(code, [*code[1:], None], strict=True):
        next_ones = []
        if behind is not None and here.falls_through():
            next_ones.append(behind.address)
        if (target := here.target()) is not None and (detours or here.name != "BRA.DIV"):
            next_ones.append(target)
        result[here.address] = next_ones
    return result


def reached(start, edges, first=0, last=sys.maxsize):
    """Addresses that are reachable from start, itself among them, by paths within first to last."""
    seen, waiting = {start}, [start]
    while waiting:
        for address in edges.get(waiting.pop(), ()):
            if first <= address <= last and address not in seen:
                seen.add(address)
                waiting.append(address)
    return seen


def loops_of(code):
    """Instructions of each natural loop: those between the target of a backward branch and it, on a path to it."""
    edges = followers(code, detours=False)
    backwards = {}
    for address, next_ones in edges.items():
        for follower in next_ones:
            backwards.setdefault(follower, []).append(address)
    loops = []
    for branch in code:
        start = branch.target()
        if start is None or start >= branch.address or branch.name == "BRA.DIV":
            continue
        body = reached(start, edges, start, branch.address)
        if branch.address in body:
            body &= reached(branch.address, backwards, start, branch.address)
            loops.append([instruction for instruction in code if instruction.address in body])
    return loops


def loads_of(code):
    return sum(instruction.is_global_load() for instruction in code)


def in_flight(code):
    """The most bytes in flight, and their loads, where each load is waited for at its first use."""
    flying, most = {}, (0, 0)
    for instruction in code:
        named = instruction.registers()
        flying = {at: load for at, load in flying.items() if not load.loaded() & named}
        if instruction.is_global_load():
            flying[instruction.address] = instruction
            most = max(most, (sum(load.bytes() for load in flying.values()), len(flying)))
    return most


def short_name(demangled):
    """redbench::on_cuda::f<Sum<int>, 256>(int const*, ...) is f<Sum<int>, 256>."""
    name = re.sub(r"^void |\(anonymous namespace\)::|redbench::|on_cuda::", "", demangled)
    name = name[: name.index("(")] if "(" in name else name
    return re.sub(r" >", ">", name)


def facts_of(variant, name, registers, code):
    together = reached(code[0].address, followers(code, detours=False))
    code = [instruction for instruction in code if instruction.address in together]
    loop = max(loops_of(code), key=lambda loop: (loads_of(loop), in_flight(loop)), default=[])
    if not loads_of(loop):
        loop = []
    ahead = [instruction for instruction in code if not loop or instruction.address < loop[0].address]
    # The loop twice, as it may use what it has loaded one iteration before.
    size, loads = max(in_flight(ahead), in_flight(loop + loop))

    def count(*kinds):
        return sum(instruction.kind in kinds for instruction in code)

    return Kernel(
        variant=variant,
        name=short_name(name),
        registers=registers,
        instructions=len(code) - count("NOP"),
        loads_per_iteration=loads_of(loop),
        loads_in_flight=loads,
        bytes_in_flight=size,
        shared_accesses=count("LDS", "STS", "ATOMS", "LDSM", "STSM"),
        barriers=count("BAR"),
    )


@functools.cache
def usage_of(file):
    """Architecture -> mangled name -> (demangled name, registers) of an object's kernels that are not a library's."""
    usage = {}
    for listing in output_of("cuobjdump", "-res-usage", file).split("\narch = ")[1:]:
        found = USAGE.findall(listing)
        names = output_of("c++filt", text="\n".join(mangled for mangled, _, _ in found)).splitlines()
        kernels = usage.setdefault(listing.split()[0], {})
        for (mangled, registers, _), name in zip(found, names, strict=True):
            if name.removeprefix("void ").startswith("redbench::"):
                kernels[mangled] = (name, int(registers))
    return usage


def at_once(function, *arguments):
    """The results of a function that waits for tools, in the order of its arguments."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, *arguments))


def kernels_of_file(file, usage, pattern):
    """Those whose demangled name matches, in the order of the names."""
    names = {short_name(name) for name, _ in usage.values()}
    matching = [mangled for mangled, (name, _) in usage.items() if re.search(pattern, name)]
    taken = [at for at in matching if of_256(usage[at][0]) not in names - {short_name(usage[at][0])}]
    if not taken:
        return []
    functions = functions_of(output_of("cuobjdump", "-sass", "-fun", ",".join(taken), file))
    variant = f"{file.parent.name}/{file.name.removesuffix('.cu.o')}"
    found = (facts_of(variant, *usage[mangled], functions[mangled]) for mangled in taken)
    return sorted(found, key=lambda kernel: kernel.name)


def kernels_of(build, family, kernels=None):
    """Kernels of a family's variants whose demangled name matches, in the order of variants and names."""
    files = sorted((Path(build) / OBJECTS / family).glob("*.cu.o"))
    usages = [functools.reduce(dict.__or__, of_file.values(), {}) for of_file in at_once(usage_of, files)]
    if kernels is None:
        has_operators = any(re.search(DEFAULT_KERNELS, name) for usage in usages for name, _ in usage.values())
        kernels = DEFAULT_KERNELS if has_operators else r"^(?!.*\bfill_kernel\b)"
    found = at_once(kernels_of_file, files, usages, [kernels] * len(files))
    return [kernel for of_file in found for kernel in of_file]


def of_256(name):
    """The short name of the same kernel for blocks of 256 threads, if its first number is a block size."""
    return OTHER_BLOCK.sub(r"\g<1>256", short_name(name))


def compiler_of(build):
    """nvcc with the version that CMake found."""
    for file in sorted(Path(build).glob("CMakeFiles/*/CMakeCUDACompiler.cmake")):
        if match := re.search(r'CMAKE_CUDA_COMPILER_VERSION "([\d.]+)"', file.read_text()):
            return f"nvcc {match[1]}"
    raise MachineCodeError(f"{build} does not say which nvcc it is built with")


def registers_of(build):
    """Architecture -> registers of the kernels in this tree, those of one file by its name and those of headers."""
    tables = {}
    sources = sorted(REPOSITORY.glob("kernels/*/*.cu"))
    files = [Path(build) / OBJECTS / source.parent.name / f"{source.name}.o" for source in sources]
    for file in files:
        if not file.is_file():
            raise MachineCodeError(f"{file} is not built, but the table needs the kernels of all files")
    for source, file, of_file in zip(sources, files, at_once(usage_of, files), strict=True):
        for architecture, usage in of_file.items():
            table = tables.setdefault(architecture, {"compiler": compiler_of(build), "files": {}, "headers": {}})
            for name, registers in sorted(usage.values()):
                kernels = table["headers"]
                if "(anonymous namespace)" in name:
                    kernels = table["files"].setdefault(str(source.relative_to(REPOSITORY)), {})
                kernel = short_name(name)
                if kernels.setdefault(kernel, registers) != registers:
                    raise MachineCodeError(f"{kernel} has {kernels[kernel]} registers, but {registers} in {file}")
    for table in tables.values():
        table["headers"] = dict(sorted(table["headers"].items()))
    return tables


def write_registers(build):
    for architecture, table in registers_of(build).items():
        (REGISTERS / f"{architecture}.json").write_text(json.dumps(table, indent=1) + "\n")


def table_of(kernels):
    """A Markdown table with a row per kernel. Variants with equal kernels share it."""
    columns = [field.name for field in fields(Kernel)][2:]  # behind the variant and the kernel
    variants = {}
    for kernel in kernels:
        name = re.sub(r"(, )?Sum<int>(, )?", "", kernel.name).replace("<>", "")
        facts = {column: str(getattr(kernel, column)) for column in columns}
        facts["loads_per_iteration"] = str(kernel.loads_per_iteration or "")
        variants.setdefault((f"`{name}`", *facts.values()), []).append(kernel.variant.split("/")[1])
    lines = ["| " + " | ".join(["variant", "kernel", *columns]).replace("_", " ") + " |"]
    lines.append("| --- | --- |" + " ---: |" * len(columns))
    lines += ["| " + " | ".join((", ".join(names), *facts)) + " |" for facts, names in variants.items()]
    return "\n".join(lines) + "\n"


def readme_of(family):
    return REPOSITORY / "kernels" / family / "README.md"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("families", nargs="*", metavar="FAMILY", help="folders of kernels/; all, with a table to write")
    parser.add_argument("--kernels", metavar="REGEX", help="which kernels, by their demangled names")
    parser.add_argument("--write", action="store_true", help="the tables into kernels/<family>/README.md")
    parser.add_argument("--registers", action="store_true", help="writes all registers for the modelled device")
    options = parser.parse_args(arguments)
    objects = options.build / OBJECTS
    if not objects.is_dir():
        print(f"{options.build} has no CUDA kernels: configure it with -DREDBENCH_CUDA=ON", file=sys.stderr)
        return 2
    families = options.families or [
        folder.name
        for folder in sorted(objects.iterdir())
        if folder.is_dir() and not (options.write and MARKS[0] not in readme_of(folder.name).read_text())
    ]
    try:
        if options.registers:
            write_registers(options.build)
            return 0
        for family in families:
            kernels = kernels_of(options.build, family, options.kernels)
            if not kernels:
                raise MachineCodeError(f"{objects / family} holds no kernel that matches {options.kernels}")
            table = table_of(kernels)
            if options.write:
                output.replace(readme_of(family), output.with_tables(readme_of(family), {MARKS: table}))
            else:
                print(f"{family}\n\n{table}")
    except (MachineCodeError, RecordError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
