#!/usr/bin/env python3
"""What nvcc made of the kernels: registers, instructions, loads under way, shared accesses and barriers of each.

BUILD is a build folder with CUDA. Of each variant the kernels for the sum of i32 are read, and of those that are built
for several block sizes the one for 256 threads; --kernels takes others. The code is that for lanes which are
together: the detours of a warp whose lanes have parted (BRA.DIV) do not count. --write puts the tables into
kernels/<family>/README.md, between the lines that name this script.
"""

import argparse
from dataclasses import dataclass
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import sysconfig

REPOSITORY = Path(__file__).resolve().parent.parent
OBJECTS = "kernels/targets/cuda/CMakeFiles/redbench_kernels_cuda.dir/__/__"
DEFAULT_KERNELS = r"\bSum<int>"
# The first number of a template is its block size where it is one of these.
OTHER_BLOCKS = re.compile(r"<[^<>]*<[^<>]*>, (32|64|128|512|1024)\b")
BEGIN, END = "<!-- scripts/machine_code.py -->", "<!-- end of scripts/machine_code.py -->"

INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:(@!?U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
USAGE = re.compile(r"Function (\S+):\s*\n\s*REG:(\d+).*?SHARED:(\d+)")
ENDS = ("EXIT", "RET", "BRX", "KILL")


class MachineCodeError(Exception):
    """What keeps the machine code from being read."""


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

    def target(self):
        """Where a branch goes, None for other instructions."""
        if self.kind != "BRA":
            return None
        return int(re.findall(r"0x([0-9a-f]+)", self.operands)[-1], 16)

    def goes_on(self):
        """Whether the instruction behind it may follow."""
        if self.predicated:
            return True
        if self.kind == "BRA":
            return self.name == "BRA.DIV" or "," in self.operands  # a condition before the target
        return self.kind not in ENDS

    def registers(self):
        """Numbers of the general registers that it names."""
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
    """Facts of one kernel; loads are those of a thread from global memory."""

    variant: str
    name: str  # without namespaces and its arguments
    registers: int
    instructions: int
    loads_per_iteration: int  # of the loop that has most of them, 0 where no loop loads
    loads_in_flight: int  # in that loop, else in the kernel: the most under way before one of them is waited for
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
    """The names of those that this machine lacks."""
    return [tool for tool in ("cuobjdump", "nvdisasm", "c++filt") if not shutil.which(tool, path=tool_path())]


def output_of(*command, text=None):
    program = shutil.which(command[0], path=tool_path())
    if program is None:
        raise MachineCodeError(f"{command[0]} is not on this machine: it comes with the CUDA toolkit")
    done = subprocess.run(
        [program, *command[1:]],
        input=text,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": tool_path()},
    )
    if done.returncode != 0:
        raise MachineCodeError(f"{' '.join(map(str, command))}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def functions_of(listing):
    """Name -> instructions, of what cuobjdump -sass prints."""
    functions, code = {}, None
    for line in listing.splitlines():
        if "Function :" in line:
            code = functions.setdefault(line.split("Function :")[1].strip(), [])
        elif code is not None and (match := INSTRUCTION.match(line)):
            address, predicate, name, operands = match.groups()
            code.append(Instruction(int(address, 16), predicate is not None, name, operands))
    return functions


def followers(code, detours=True):
    """Address -> addresses that may come next; without detours, for lanes that are together."""
    result = {}
    for here, behind in zip(code, [*code[1:], None], strict=True):
        next_ones = []
        if behind is not None and here.goes_on():
            next_ones.append(behind.address)
        if (target := here.target()) is not None and (detours or here.name != "BRA.DIV"):
            next_ones.append(target)
        result[here.address] = next_ones
    return result


def reached(start, edges, first=0, last=sys.maxsize):
    """Addresses from first to last that are reached from start, itself among them, without leaving these."""
    seen, waiting = {start}, [start]
    while waiting:
        for address in edges.get(waiting.pop(), ()):
            if first <= address <= last and address not in seen:
                seen.add(address)
                waiting.append(address)
    return seen


def loops_of(code):
    """Instructions of each loop: from the target of a branch backwards to it, those from which it is reached."""
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
    """The most loads, and the most of their bytes, under way at a time, where each is waited for when it is used."""
    under_way, most, most_bytes = {}, 0, 0
    for instruction in code:
        named = instruction.registers()
        under_way = {at: load for at, load in under_way.items() if not load.loaded() & named}
        if instruction.is_global_load():
            under_way[instruction.address] = instruction
            most = max(most, len(under_way))
            most_bytes = max(most_bytes, 4 * sum(load.words() for load in under_way.values()))
    return most, most_bytes


def short_name(demangled):
    """redbench::on_cuda::f<Sum<int>, 256>(int const*, ...) is f<Sum<int>, 256>."""
    name = re.sub(r"^void |\(anonymous namespace\)::|redbench::|on_cuda::", "", demangled)
    name = name[: name.index("(")] if "(" in name else name
    return re.sub(r" >", ">", name)


def facts_of(variant, name, registers, code):
    together = reached(code[0].address, followers(code, detours=False))
    code = [instruction for instruction in code if instruction.address in together]
    loop = max(loops_of(code), key=loads_of, default=[])
    # Twice, as a loop may use what it has loaded one iteration before.
    loads, size = in_flight(loop + loop if loads_of(loop) else code)
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


def kernels_of(build, family, kernels=DEFAULT_KERNELS):
    """Kernels of a family's variants whose demangled name matches, in the order of the names."""
    wanted = re.compile(kernels)
    found = []
    for file in sorted((Path(build) / OBJECTS / family).glob("*.cu.o")):
        usage = output_of("cuobjdump", "-res-usage", file)
        mangled = {name: int(registers) for name, registers, _ in USAGE.findall(usage)}
        names = dict(zip(mangled, output_of("c++filt", text="\n".join(mangled)).splitlines(), strict=True))
        taken = [
            one for one, name in names.items() if wanted.search(name) and not OTHER_BLOCKS.search(short_name(name))
        ]
        if not taken:
            continue
        functions = functions_of(output_of("cuobjdump", "-sass", "-fun", ",".join(taken), file))
        variant = f"{family}/{file.name.removesuffix('.cu.o')}"
        found += sorted(
            (facts_of(variant, names[one], mangled[one], functions[one]) for one in taken),
            key=lambda kernel: kernel.name,
        )
    return found


COLUMNS = (
    ("variant", lambda kernel: kernel.variant.split("/")[1]),
    ("kernel", lambda kernel: f"`{re.sub(r'(, )?Sum<int>(, )?', '', kernel.name).replace('<>', '')}`"),
    ("registers", lambda kernel: kernel.registers),
    ("instructions", lambda kernel: kernel.instructions),
    ("loads per iteration", lambda kernel: kernel.loads_per_iteration or ""),
    ("loads in flight", lambda kernel: kernel.loads_in_flight),
    ("bytes in flight", lambda kernel: kernel.bytes_in_flight),
    ("shared accesses", lambda kernel: kernel.shared_accesses),
    ("barriers", lambda kernel: kernel.barriers),
)


def table_of(kernels):
    """A Markdown table, a row per kernel; one that several variants share stands at each."""
    lines = [
        "| " + " | ".join(name for name, _ in COLUMNS) + " |",
        "| --- | --- |" + " ---: |" * (len(COLUMNS) - 2),
    ]
    lines += ["| " + " | ".join(str(value(kernel)) for _, value in COLUMNS) + " |" for kernel in kernels]
    return "\n".join(lines) + "\n"


def write_table(file, table):
    text = file.read_text()
    if BEGIN not in text or END not in text:
        raise MachineCodeError(f"{file} has no lines `{BEGIN}` and `{END}` for the table to stand between")
    head, rest = text.split(BEGIN, 1)
    file.write_text(f"{head}{BEGIN}\n{table}{END}{rest.split(END, 1)[1]}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("families", nargs="*", metavar="FAMILY", help="folders of kernels/; all by default")
    parser.add_argument("--kernels", default=DEFAULT_KERNELS, metavar="REGEX", help="of their demangled names")
    parser.add_argument("--write", action="store_true", help="the tables into kernels/<family>/README.md")
    options = parser.parse_args(arguments)
    objects = options.build / OBJECTS
    if not objects.is_dir():
        print(f"{options.build} has no CUDA kernels: configure it with -DREDBENCH_CUDA=ON", file=sys.stderr)
        return 2
    families = options.families or sorted(folder.name for folder in objects.iterdir() if folder.is_dir())
    try:
        for family in families:
            kernels = kernels_of(options.build, family, options.kernels)
            if not kernels:
                raise MachineCodeError(f"{objects / family} holds no kernel that matches {options.kernels}")
            table = table_of(kernels)
            if options.write:
                write_table(REPOSITORY / "kernels" / family / "README.md", table)
            else:
                print(f"{family}\n\n{table}")
    except MachineCodeError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
