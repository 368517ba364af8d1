#!/usr/bin/env python3
"""Prints what a build cost, from the log that ninja keeps of it."""

import argparse
import collections
import pathlib
import sys

HEADINGS = ("part", "files", "seconds", "longest (s)", "which")


def steps(log):
    """Output -> (start, end) in seconds of the last time that it was made."""
    found = {}
    for number, line in enumerate(log.read_text().splitlines(), 1):
        if line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 5:
            raise SystemExit(f"build_times.py: {log}:{number}: five fields with tabs between them were expected")
        found[fields[3]] = (int(fields[0]) / 1000, int(fields[1]) / 1000)
    return found


def part_of(output):
    """The folder that a step's source is in, and what it was compiled for."""
    path = pathlib.PurePosixPath(output)
    if path.suffix not in (".o", ".gch"):
        return "linking and the rest"
    target = next((p.removesuffix(".dir") for p in path.parts if p.endswith(".dir")), "")
    if path.suffix == ".gch":
        return "precompiled headers"
    inner = path.parts[path.parts.index(target + ".dir") + 1 :]
    folder = "/".join(p for p in inner[:-1] if p != "__")
    if target.startswith("redbench_kernels_"):
        return f"kernels/{folder}, {target.removeprefix('redbench_kernels_')}"
    if target == "redbench_core":
        kind = ", cuda" if path.suffixes[-2:-1] == [".cu"] else ""
        return f"src/{folder}".rstrip("/") + kind
    return f"tests ({target})" if path.parts[0] == "tests" else target


def table(times, build):
    parts = collections.defaultdict(list)
    for output, (start, end) in times.items():
        # Outputs of one step share their times; a build's log also names outputs that are gone.
        if (build / output).exists():
            parts[part_of(output)].append((end - start, pathlib.PurePosixPath(output).name.removesuffix(".o")))
    rows = []
    for part, files in sorted(parts.items(), key=lambda item: -sum(f[0] for f in item[1])):
        longest, which = max(files)
        rows.append((part, len(files), sum(f[0] for f in files), longest, which))
    return rows


def main():
    parser = argparse.ArgumentParser(
        description="Prints the seconds that each part of a build took, from BUILD/.ninja_log. The seconds of files "
        "that were compiled at the same time on other cores are added up; they are true where nothing else ran."
    )
    parser.add_argument("build", metavar="BUILD", type=pathlib.Path, help="a build folder of ninja, as in build")
    arguments = parser.parse_args()
    log = arguments.build / ".ninja_log"
    if not log.is_file():
        raise SystemExit(f"build_times.py: there is no {log}: {arguments.build} is no folder that ninja has built in")
    rows = table(steps(log), arguments.build)
    widths = [max(len(HEADINGS[0]), *(len(r[0]) for r in rows)), 5, 7, 11]
    print(f"{HEADINGS[0]:{widths[0]}}  {HEADINGS[1]:>5}  {HEADINGS[2]:>7}  {HEADINGS[3]:>11}  {HEADINGS[4]}")
    for part, files, seconds, longest, which in rows:
        print(f"{part:{widths[0]}}  {files:5}  {seconds:7.1f}  {longest:11.1f}  {which}")
    print(f"{'all':{widths[0]}}  {sum(r[1] for r in rows):5}  {sum(r[2] for r in rows):7.1f}")


if __name__ == "__main__":
    sys.exit(main())
