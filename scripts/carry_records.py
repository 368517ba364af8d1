#!/usr/bin/env python3
"""Updates the source_hash of records after a refactoring that changed the sources of kernels, but no machine code.

OLD and NEW are build folders of two source folders, before and after, by the same compilers. A record gets the
`source_hash` of NEW where all of this holds:
- its `source_hash`, `measured_by` and `built_by` are those of OLD, and the latter two those of NEW, too;
- both programs plan its case alike, and OLD plans the launches that the record has;
- its variant's object is the same in both builds: on a GPU the SASS, registers and constants of all kernels, and what
  the part on the CPU calls and the numbers in its instructions; for a CPU algorithm all code and constants.
Records without that proof are listed by reason, to be measured again; those of the modelled device always are. Nothing
is written before all records are judged. docs/decisions/0015-when-a-record-is-stale.md says why.
"""

import argparse
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
import gzip
import json
import os
from pathlib import Path
import re
import subprocess
import sys
import tempfile

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "cmake"))

import machine_code  # noqa: E402
from shared import output, records  # noqa: E402
import source_hashes  # noqa: E402

OBJECTS = {"cuda": machine_code.OBJECTS, "host": "kernels/targets/host/CMakeFiles/redbench_kernels_host.dir/__/__"}
# nvcc's names of an unnamed namespace, with their length where they are mangled, and of its own file: they depend on
# the folder of the source and on the process.
UNNAMED = re.compile(
    r"\d*(_GLOBAL__N__|_INTERNAL_|__nv_static_\d+__)[0-9a-f]{8}_\d+_\w+?_cu_[0-9a-f]{8}(_\d+)?"
    r"|tmpxft_[0-9a-f]{8}_[0-9a-f]{8}_\d+_"
)
# A place in a section, or the number of a constant: both follow the order in which the host's compiler met them.
PLACE = re.compile(r"^(\.(?:LC|text|bss|data|rodata)[^-+\d]*).*$")
# Of a refusal: other processes, of this program too, take some of it.
FREE_MEMORY = re.compile(r" has \d+ free")
# Sections of an object without code or constants of the CPU. Texts are names and sentences.
LEFT_OUT = re.compile(r"\.(nv_fatbin|nvFatBinSegment|note|eh_frame|comment|debug|rodata\S*\.str)|__nv_module_id")
PLANNED_GRID = ("blocks", "threads", "dynamic_shared_bytes", "static_shared_bytes", "cooperative")
PLANNED_GRID += ("bytes_read", "bytes_written")
RECORDED_GRID = ("kernel", "blocks", "threads", "shared_bytes", "cooperative")


class NotProven(Exception):
    """A record must be measured again, for this reason."""


class BuildError(Exception):
    """A build folder that cannot prove anything."""


def strings_of(text, name):
    found = re.search(rf"{name}(?:\[\])? = \{{([^}}]*)\}}", text)
    strings = re.findall(r'"([^"]*)"', found[1]) if found else []
    return dict(zip(source_hashes.TARGETS, strings, strict=True))


class Build:
    def __init__(self, folder):
        self.folder = folder
        hashes = (folder / "generated" / "source_hashes.cpp").read_text()
        facts = (folder / "generated" / "build_facts.cpp").read_text()
        rows = re.findall(r'\{"([^"]+)", "([^"]+)", "([^"]+)", "[^"]+"\}', hashes)
        self.variants = {name: (path, code) for name, path, code in rows}
        self.source = Path(re.search(r"_HOME_DIRECTORY:\w+=(.*)", (folder / "CMakeCache.txt").read_text())[1])
        try:
            self.measured_by = strings_of(hashes, "measured_by")
            self.built_by = strings_of(facts, "built_by")
        except ValueError:
            raise BuildError(f"{folder} is of a redbench whose records name no version of measuring") from None

    def source_hash(self, variant):
        return self.variants[variant][1] if variant in self.variants else None

    @cache
    def object_of(self, variant, target):
        """The object file. NotProven where it is not of the source that its build folder names."""
        path, code = self.variants[variant]
        parts = source_hashes.parts_of_variant((self.source / path).resolve(), self.source.resolve())
        if source_hashes.short_hash(parts, source_hashes.hash_of_code) != code:
            raise NotProven(f"the source in {self.source} is not what {self.folder} was built from")
        file = self.folder / OBJECTS[target] / f"{Path(path).relative_to('kernels')}.o"
        if not file.is_file():
            raise NotProven(f"{self.folder} has no object for {target}")
        if any(part.stat().st_mtime > file.stat().st_mtime for part in parts):
            raise NotProven(f"an object in {self.folder} is older than its source")
        return file

    @cache
    def machine_code(self, variant, target):
        """The variant's machine code on the CPU and, for a GPU's variant, on the GPU."""
        file = self.object_of(variant, target)
        return (calls_on_the_host(file), gpu_code(file)) if target == "cuda" else host_code(file)

    @cache
    def planned(self, config, device):
        """({(key, whether it runs on the CPU): case} of a config as JSON, the error message or "")"""
        config = json.loads(config)
        with tempfile.TemporaryDirectory() as folder:
            file, tuned = Path(folder) / "config.json", Path(folder) / "tuned.json"
            command = [self.folder.resolve() / "redbench", "plan", file, "-d", device, "--json"]
            if "tuned" in config:
                tuned.write_text(json.dumps(config.pop("tuned")))
                command += ["--tuned", tuned]
            file.write_text(json.dumps(config))
            answer = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
        if answer.returncode != 0:
            return {}, answer.stderr.strip().replace(str(file), "the config")
        cells = json.loads(answer.stdout)["cells"]
        return {(case["key"], case["device"] == "host"): case for cell in cells for case in cell["cases"]}, ""


def host_code(file):
    """Code, constants and tables of an object on the CPU, with their relocations."""
    sections = re.findall(r"^ +\d+ (\S+) .*\bALLOC\b", machine_code.output_of("objdump", "-hw", file), re.MULTILINE)
    wanted = [word for name in sections if not LEFT_OUT.search(name) for word in ("-j", name)]
    code = machine_code.output_of("objdump", "-drw", "--no-show-raw-insn", *wanted, file)
    data = [word for name in wanted if name != "-j" and not name.startswith(".text") for word in ("-j", name)]
    tables = machine_code.output_of("objdump", "-srw", *data, file) if data else ""
    if "<" not in code:
        raise NotProven(f"{file} has no code")
    return UNNAMED.sub("unnamed", code + tables).replace(str(file), "")


def calls_on_the_host(file):
    """How often the CPU's part of a GPU's object names which function or section, and which number.

    nvcc puts the number of its process into the names that the host's compiler sees, by which g++ 12 assigns
    registers, orders instructions and chooses what it inlines: the same source, compiled twice, differs in 18 of 120
    functions, but not in what they call, nor in their constants. Launches are compared by the plan, and results were
    checked.
    """
    code = UNNAMED.sub("unnamed", machine_code.output_of("objdump", "-drwC", "--no-show-raw-insn", file))
    symbols = re.findall(r"R_X86_64_\w+\s+(.*)$", code, re.MULTILINE)
    if not symbols:
        raise NotProven(f"{file} has no code")
    return Counter([PLACE.sub(r"\1", symbol) for symbol in symbols] + re.findall(r"\$0x[0-9a-f]+", code))


def gpu_code(file):
    """Resources, SASS and constants of each kernel in an object, for each architecture."""
    listings = re.split(r"\n\s*Function : ", machine_code.output_of("cuobjdump", "-sass", file))[1:]
    sass = [[text.split("\n")[0], *re.findall(r"^\s+/\*.*$", text, re.MULTILINE)] for text in listings]
    takes = re.findall(r"Function (\S+):\s*\n\s*(REG:.*)", machine_code.output_of("cuobjdump", "-res-usage", file))
    if not sass or len(sass) != len(takes):
        raise NotProven(f"{file} does not have the SASS of each of its kernels")
    elf = machine_code.output_of("cuobjdump", "-elf", file)
    constants = re.findall(r"^(\.nv\.(?:constant[1-9]|global\.init).*?)(?=^\.\S|\Z)", elf, re.MULTILINE | re.DOTALL)
    return sorted(UNNAMED.sub("unnamed", str(fact)) for fact in (*sass, *takes, *constants))


@dataclass
class Carrier:
    old: Build
    new: Build
    device: str  # on which both programs plan the cases of a GPU

    def proof(self, record, config):
        """The proof that NEW would run the same machine code as the record's program. NotProven where there is none."""
        target, variant = record["device"].split(":")[0], record["variant"]
        if target == "simt":
            raise NotProven("of the modelled device: made again by run --replace")
        if variant not in self.new.variants or variant not in self.old.variants:
            raise NotProven("kernel gone")
        hashes = [build.source_hash(variant) for build in (self.old, self.new)]
        if record.get("measured_by") != self.new.measured_by[target]:
            raise NotProven("measured otherwise")
        if record["source_hash"] == hashes[1]:
            return "current already"
        if record["source_hash"] != hashes[0]:
            raise NotProven("was stale before: kernel changed")
        if self.old.measured_by[target] != self.new.measured_by[target]:
            raise NotProven("measured otherwise")
        builds = {record.get("built_by"), self.old.built_by[target], self.new.built_by[target]}
        if len(builds) != 1:
            raise NotProven("the record and the two builds are not by the same compiler and flags")
        self.compare_plans(record, config)
        if self.old.machine_code(variant, target) != self.new.machine_code(variant, target):
            raise NotProven(f"other machine code: {variant}")
        return "same machine code"

    def compare_plans(self, record, config):
        old, new = (self.planned_by(build, record, config) for build in (self.old, self.new))
        for what in old:
            if old[what] != new[what]:
                raise NotProven(f"planned otherwise: {what}")
        if (old["refusal"] == "") != (record["outcome"] != "unsupported"):
            raise NotProven(f"not planned on {self.device} as the record was made: {old['refusal']}")
        launches = [[launch[name] for name in RECORDED_GRID] for launch in record["launches"]]
        if launches != [
            [kernel, blocks, threads, dynamic + static, cooperative]
            for kernel, (blocks, threads, dynamic, static, cooperative, *_) in old["launches"]
        ]:
            raise NotProven(f"its launches are not those that are planned on {self.device}")

    def planned_by(self, build, record, config):
        """The record's case, as far as it must be the same in both builds."""
        planned, error = build.planned(config, self.device)
        case = planned.get((record["key"], record["device"] == "host"))
        if case is None:
            raise NotProven(error or "no case of its config")
        grids = [(launch["kernel"], [launch[name] for name in PLANNED_GRID]) for launch in case["launches"]]
        return {**case, "device": None, "launches": grids, "refusal": FREE_MEMORY.sub("", str(case["refusal"] or ""))}


def rewritten(line, source_hash):
    """The line of a record with another source_hash; every other byte stays."""
    line, count = re.subn(r'"source_hash":"[0-9a-f]{16}"', f'"source_hash":"{source_hash}"', line)
    if count != 1:
        raise NotProven("its line has no source_hash, or two")
    return line


def judged(carrier, run):
    """Counts of a run's records by proof or by the reason why there is none, and the new text of its records."""
    config = json.dumps(json.loads((run / "run.json").read_text())["config"])
    outcomes, lines = Counter(), []
    with records.opened(records.file_of(run)) as file:
        text = file.read().decode()
    for line in text.split("\n"):
        try:
            if line:
                record = json.loads(line)
                outcomes[carrier.proof(record, config)] += 1
                line = rewritten(line, carrier.new.source_hash(record["variant"]))
        except NotProven as reason:
            outcomes[f"NOT PROVEN: {reason}"] += 1
        except (ValueError, KeyError, TypeError):
            outcomes["NOT PROVEN: no record"] += 1
        lines.append(line)
    return outcomes, "\n".join(lines)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, metavar="OLD")
    parser.add_argument("new", type=Path, metavar="NEW")
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="a run's folder, or one above")
    parser.add_argument("--device", default="simt:h200", help="where a GPU's cases are planned (%(default)s)")
    parser.add_argument("--write", action="store_true", help="writes the records; without it they are only judged")
    options = parser.parse_args(arguments)
    try:
        carrier = Carrier(Build(options.old), Build(options.new), options.device)
        runs = sorted({file.parent for folder in options.folders for file in folder.rglob("records.jsonl*")})
        if not runs:
            raise BuildError(f"there is no records.jsonl in or below {', '.join(map(str, options.folders))}")
        total, texts = Counter(), {}
        # A thread for each run: they wait for `redbench plan` and the disassemblers.
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as threads:
            for run, (outcomes, text) in zip(runs, threads.map(lambda run: judged(carrier, run), runs), strict=True):
                texts[run] = text
                total += outcomes
                print(f"{run}: " + "; ".join(f"{count} {what}" for what, count in outcomes.items()), flush=True)
        for run, text in texts.items() if options.write else ():
            path = records.file_of(run)
            output.replace(path, gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text)
    except (
        *(OSError, ValueError, LookupError, TypeError),
        *(BuildError, records.RecordError, machine_code.MachineCodeError),
    ) as error:
        print(f"carry_records: {error!r}", file=sys.stderr)
        return 2
    print("\n".join(f"{count:6} {what}" for what, count in sorted(total.items())))
    return 1 if any(what.startswith("NOT") for what in total) else 0


if __name__ == "__main__":
    sys.exit(main())
