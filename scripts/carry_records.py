#!/usr/bin/env python3
"""Carries records over a refactoring that changed the sources of kernels, but no number.

OLD and NEW are build folders of the source before and after, by the same compilers. A record is carried over where all
of this holds, and then has the `source_hash` and the `measured_by` of NEW:
- its `source_hash` and its `measured_by` are those of OLD;
- the code that measures is the same token by token, or has the same version (cmake/measuring.json);
- both programs plan the same launches for it: grids, shared memory, bytes, scratch memory;
- the machine code is the same: of each kernel that it launches the SASS and its registers, of a variant that calls a
  library those of all kernels of its object, of a CPU algorithm the code of its object. Where a build has no object, or
  the record is of another compiler or other flags, the variant's sources must be the same token by token.
What is not proven is listed by reason, to be measured again; records of the modelled device always are.
docs/decisions/0015-when-a-record-is-stale.md says why.
"""

import argparse
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
import json
from pathlib import Path
import re
import subprocess
import sys
import tempfile

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "cmake"))

import machine_code  # noqa: E402
import source_hashes  # noqa: E402

OBJECTS = {"cuda": machine_code.OBJECTS, "host": "kernels/targets/host/CMakeFiles/redbench_kernels_host.dir/__/__"}
# nvcc's name of an unnamed namespace: it depends on the folder of the build.
UNNAMED = re.compile(r"(_GLOBAL__N__|_INTERNAL_)[0-9a-f]{8}_\d+_\w+?_cu_[0-9a-f]{8}(_\d+)?")
GRID = ("blocks", "threads", "dynamic_shared_bytes", "static_shared_bytes", "cooperative")
GRID += ("bytes_read", "bytes_written")


class NotProven(Exception):
    """Why a record has to be measured again."""


def table_in(text, name):
    return re.findall(r'"([^"]*)"', re.search(rf"{name}(?:\[\])? = \{{([^}}]*)\}}", text)[1])


@dataclass
class Build:
    folder: Path
    variants: dict = field(init=False)  # name -> path, hash of its code, hash of its bytes
    measured_by: dict = field(init=False)  # by target
    built_by: dict = field(init=False)

    def __post_init__(self):
        hashes = (self.folder / "generated" / "source_hashes.cpp").read_text()
        facts = (self.folder / "generated" / "build_facts.cpp").read_text()
        rows = re.findall(r'\{"([^"]+)", "([^"]+)", "([^"]+)"(?:, "([^"]+)")?\}', hashes)
        self.variants = {name: (path, code, of_bytes or code) for name, path, code, of_bytes in rows}
        self.measured_by = dict(zip(source_hashes.TARGETS, table_in(hashes, "measured_by"), strict=True))
        self.built_by = dict(zip(source_hashes.TARGETS, table_in(facts, "built_by"), strict=True))
        cache_file = (self.folder / "CMakeCache.txt").read_text()
        self.source = Path(re.search(r"^CMAKE_HOME_DIRECTORY:\w+=(.*)$", cache_file, re.MULTILINE)[1])

    __hash__ = object.__hash__

    def source_hash(self, variant):
        """Of records with a time."""
        return self.variants[variant][1] if variant in self.variants else None

    @cache
    def tokens(self, variant):
        parts = source_hashes.parts_of_variant(self.source / self.variants[variant][0], self.source)
        return source_hashes.short_hash(parts, source_hashes.hash_of_code)

    @cache
    def measuring_tokens(self, target):
        return source_hashes.measuring_hash(target, self.source)

    def object_of(self, variant, target):
        path = Path(self.variants[variant][0]).relative_to("kernels")
        return self.folder / OBJECTS[target] / f"{path}.o"

    @cache
    def kernels(self, variant):
        """Name of each kernel, a library's too -> what it takes and its SASS, for each architecture and overload."""
        file = self.object_of(variant, "cuda")
        usage = re.findall(r"Function (\S+):\s*\n\s*(REG:.*)", machine_code.output_of("cuobjdump", "-res-usage", file))
        found = [(mangled, takes) for mangled, takes in usage]
        for listing in machine_code.output_of("cuobjdump", "-sass", file).split("Function : ")[1:]:
            mangled, _, lines = listing.partition("\n")
            code = "\n".join(re.findall(r"^\s+(/\*.*)$", lines, re.MULTILINE))
            found.append((mangled.strip(), UNNAMED.sub("unnamed", code)))
        kernels = {}
        names = machine_code.output_of("c++filt", text="\n".join(mangled for mangled, _ in found)).splitlines()
        for name, (_, fact) in zip(names, found, strict=True):
            kernels.setdefault(launched_name(name), []).append(fact)
        return {name: sorted(facts) for name, facts in kernels.items()}

    @cache
    def host_code(self, variant):
        """Code and constants of a CPU algorithm's object."""
        file = self.object_of(variant, "host")
        code = machine_code.output_of("objdump", "-drw", "--no-show-raw-insn", file)
        headers = machine_code.output_of("objdump", "-hw", file)
        constants = [arg for name in re.findall(r" (\.rodata\S*) ", headers) for arg in ("-j", name)]
        data = machine_code.output_of("objdump", "-s", *constants, file) if constants else ""
        return (code + data).replace(str(file), "")

    @cache
    def planned(self, config, device):
        """Key, and whether it is one of the CPU -> a case of the config, which is JSON; what was wrong, or ""."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(config)
            file.flush()
            command = [self.folder.resolve() / "redbench", "plan", file.name, "-d", device, "--json"]
            answer = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
        if answer.returncode != 0:
            return {}, answer.stderr.strip().replace(file.name, "the config")
        cells = json.loads(answer.stdout)["cells"]
        return {(case["key"], case["device"] == "host"): case for cell in cells for case in cell["cases"]}, ""


def launched_name(name):
    """As a record names a kernel, without blanks."""
    return re.sub(r"\s", "", machine_code.short_name(name))


@dataclass
class Carrier:
    old: Build
    new: Build
    device: str  # on which both programs plan the cases of cuda

    def carried(self, record, config):
        """What proves that NEW would measure the same, and the record's fields that it would write otherwise. NotProven
        where nothing does."""
        target, variant = record["device"].split(":")[0], record["variant"]
        if target == "simt":
            raise NotProven("of the modelled device: made again by run --resume")
        if variant not in self.new.variants or variant not in self.old.variants:
            raise NotProven("kernel gone")
        if record["source_hash"] != self.old.source_hash(variant):
            raise NotProven("was stale before: kernel changed")
        if record["measured_by"] != self.old.measured_by[target]:
            raise NotProven("was stale before: measured otherwise")
        if self.old.measured_by[target] != self.new.measured_by[target] and self.old.measuring_tokens(
            target
        ) != self.new.measuring_tokens(target):
            raise NotProven("measured otherwise")
        old, new = (self.case_of(build, record, config) for build in (self.old, self.new))
        proof = self.same_code(record, old, new, target)
        fields = {"source_hash": self.new.source_hash(variant), "measured_by": self.new.measured_by[target]}
        if "measuring_hash" not in record:  # of when measured_by was the hash
            fields["measuring_hash"] = record["measured_by"]
        names = [launch["kernel"] for launch in new["launches"]]
        if names != [launch["kernel"] for launch in old["launches"]]:
            fields["launches"] = [
                dict(launch, kernel=name) for launch, name in zip(record["launches"], names, strict=True)
            ]
        return proof, fields

    def case_of(self, build, record, config):
        cases, error = build.planned(config, self.device)
        case = cases.get((record["key"], record["device"] == "host"))
        if case is None:
            raise NotProven(error or "no case of its config")
        return case

    def same_code(self, record, old, new, target):
        """What proves that the case runs the same code. NotProven where nothing does."""
        for what in ("refusal", "chain", "scratch_bytes", "parameters"):
            if old[what] != new[what]:
                raise NotProven(f"planned otherwise: {what}")
        grids = [[[launch[name] for name in GRID] for launch in case["launches"]] for case in (old, new)]
        if grids[0] != grids[1]:
            raise NotProven("planned otherwise: launches")
        variant = record["variant"]
        names = [[launch["kernel"] for launch in case["launches"]] for case in (old, new)]
        objects = [build.object_of(variant, target).is_file() for build in (self.old, self.new)]
        if not all(objects) or record["built_by"] != self.old.built_by[target]:
            if self.old.tokens(variant) != self.new.tokens(variant) or names[0] != names[1]:
                raise NotProven("kernel changed, and there are no objects of the record's build to prove it by")
            return "same tokens"
        if self.old.built_by[target] != self.new.built_by[target]:
            raise NotProven("the two builds are not by the same compiler and flags")
        if target == "host":
            if self.old.host_code(variant) != self.new.host_code(variant):
                raise NotProven("other machine code")
            return "same machine code"
        first, second = (build.kernels(variant) for build in (self.old, self.new))
        if record["library"] or old["refusal"]:
            if first != second:
                raise NotProven("other machine code")
            return "same machine code"
        for one, other in zip(*names, strict=True):
            here, there = first.get(launched_name(one)), second.get(launched_name(other))
            if here is None or here != there:
                raise NotProven(f"other machine code: {one}")
        return "same machine code"


def rewritten(line, record, fields):
    """The line of a record with other values of these fields, every other byte as it was."""
    for name, value in fields.items():
        value = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        if name in record:
            pattern = rf'"{name}":{re.escape(json.dumps(record[name], separators=(",", ":"), ensure_ascii=False))}'
        else:
            pattern = '(?="built_by":)'
            value += ","
        line, count = re.subn(pattern, lambda _, text=f'"{name}":{value}': text, line)
        if count != 1:
            raise NotProven(f"the field {name} is not found in the record's line")
    return line


def carry_run(carrier, run, write):
    """Counts by proof, and by reason where there is none, of the records of a run's folder."""
    config = json.dumps(json.loads((run / "run.json").read_text())["config"])
    file = run / "records.jsonl"
    outcomes, lines = Counter(), []
    for line in file.read_text().splitlines():
        try:
            record = json.loads(line)
            proof, fields = carrier.carried(record, config)
            line = rewritten(line, record, fields)
            outcomes[proof] += 1
        except NotProven as reason:
            outcomes[f"NOT PROVEN: {reason}"] += 1
        lines.append(line)
    if write:
        beside = file.with_suffix(".jsonl.new")
        beside.write_text("".join(f"{line}\n" for line in lines))
        beside.replace(file)
    return outcomes


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, metavar="OLD")
    parser.add_argument("new", type=Path, metavar="NEW")
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="a run's folder, or one above")
    parser.add_argument("--device", default="simt:h200", help="on which cases of a GPU are planned (%(default)s)")
    parser.add_argument("--write", action="store_true", help="else nothing is written")
    options = parser.parse_args(arguments)
    try:
        carrier = Carrier(Build(options.old), Build(options.new), options.device)
        runs = sorted({file.parent for folder in options.folders for file in folder.rglob("records.jsonl")})
        total = Counter()
        for run in runs:
            outcomes = carry_run(carrier, run, options.write)
            total += outcomes
            print(f"{run}: " + "; ".join(f"{count} {what}" for what, count in outcomes.items()), flush=True)
    except (OSError, ValueError, machine_code.MachineCodeError) as error:
        print(f"carry_records: {error}", file=sys.stderr)
        return 2
    print("\n".join(f"{count:6} {what}" for what, count in sorted(total.items())))
    return 1 if any(what.startswith("NOT") for what in total) else 0


if __name__ == "__main__":
    sys.exit(main())
