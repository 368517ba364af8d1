#!/usr/bin/env python3
"""The hashes by which a record knows what made it (docs/decisions/0015-when-a-record-is-stale.md), as C++.

Of each variant: its file and every header that it includes, directly or not, from kernels/ or beside it. Once over
the tokens of their code, so that comments, white space and line breaks do not matter, and once over their bytes, as
records of the modelled device name source lines. Of what measures it, for each target: the tokens of all files that
decide the target's numbers, and the version in cmake/measuring.json.

usage: source_hashes.py SOURCE_DIR OUTPUT VARIANT_FILE...
"""

from functools import cache
import hashlib
import json
from pathlib import Path
import re
import sys

TARGETS = ("cuda", "simt", "host")
# The language of a device, which every kernel includes for all of them.
LANGUAGES = {target: f"kernels/contract/{target}_language.hpp" for target in ("cuda", "simt")}

TOKEN = re.compile(
    r"""
    (?P<newline>\n)
  | (?P<blank>[ \t\v\f\r]+)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^\s()\\]*)\(.*?\)(?P=delimiter)"(?:[A-Za-z_]\w*)?)
  | (?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"(?:[A-Za-z_]\w*)?)
  | (?:u8|[uUL])?'(?:[^'\\\n]|\\.)+'(?:[A-Za-z_]\w*)?
  | \.?\d(?:[eEpP][+-]|'?\w|\.)*
  | [A-Za-z_$\x80-\xff][\w$\x80-\xff]*
  | <<=|>>=|<=>|->\*|\.\.\.|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|->|::|\.\*|\#\#|[-+*/%&|^]=
  | .
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
# Of this escape the literal that follows would become a part.
OPEN_ESCAPE = re.compile(r'\\(?:x[0-9a-fA-F]+|[0-7]{1,2})"$')


def tokens_of(code):
    """The tokens of C++. Neighbouring literals are one; a line's end counts where it ends a directive, a blank where
    it tells a macro's value from its parameters."""
    tokens, line_begins, in_directive = [], True, False
    code = code.replace("\r\n", "\n").replace("\\\n", "")  # a line that goes on in the next is one
    for match in TOKEN.finditer(code):
        kind, token = match.lastgroup, match[0]
        if kind == "newline":
            if in_directive:
                tokens.append(token)
            line_begins, in_directive = True, False
        elif kind in ("blank", "comment"):
            if in_directive and tokens[-2:-1] == ["define"] and code[match.end() : match.end() + 1] == "(":
                tokens.append(" ")
        else:
            joins = kind == "text" and tokens and re.match(r'"|u8"|[uUL]"', tokens[-1]) and tokens[-1].endswith('"')
            if joins and token.startswith('"') and not OPEN_ESCAPE.search(tokens[-1]):
                tokens[-1] = tokens[-1][:-1] + token[1:]
            else:
                in_directive = in_directive or (line_begins and token == "#")
                tokens.append(token)
            line_begins = False
    return tokens


def digest(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode("latin-1")).hexdigest()


@cache
def hash_of_bytes(path):
    return digest(path.read_bytes())


@cache
def hash_of_code(path):
    return digest("\0".join(tokens_of(path.read_bytes().decode("latin-1"))))


def short_hash(files, hash_of_file):
    """Of several files, in 16 digits, as it stands in a record."""
    return digest("".join(map(hash_of_file, files)))[:16]


def included_headers(file, source, found):
    """Appends what the file includes, in the order of the includes: as the compiler does, looks beside the file
    first."""
    for name in re.findall(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)', file.read_bytes(), re.MULTILINE):
        name = name.decode("utf-8", "surrogateescape")
        if name in LANGUAGES.values():
            continue  # each counts with what measures its target
        places = [file.parent / name] + [source / name] * (not name.startswith("src/"))  # src/ is what measures
        header = next((place.resolve() for place in places if place.is_file()), None)
        if header and header not in found:
            found.append(header)
            included_headers(header, source, found)
    return found


def shown_path(file, source):
    """Relative to the tree below kernels/ and tests/wrong/, else absolute."""
    inside = any(file.is_relative_to(source / folder) for folder in ("kernels", "tests/wrong"))
    return str(file.relative_to(source)) if inside else str(file)


def parts_of_variant(file, source):
    """The file and its headers: those of the tree by their paths, others in the order of the includes, which a move
    of their folder does not change."""
    headers = included_headers(file, source, [])
    ours = sorted(header for header in headers if not Path(shown_path(header, source)).is_absolute())
    return [file, *ours, *(header for header in headers if header not in ours)]


def variant_names(file, path):
    """kernels/reduce/harris3.cu is reduce/harris3; tests/wrong/histogram.cu and histogram.SUBJECT.cu have a
    histogram/wrong_NAME for each NAME that they register."""
    if Path(path).parts[:2] != ("tests", "wrong"):
        return [f"{file.parent.name}/{file.stem}"]
    names = re.findall(r"^WRONG_(?:VARIANT\(\w+, |REDUCTION\()(\w+), ", file.read_text(), re.MULTILINE)
    return [f"{file.name.split('.')[0]}/wrong_{name}" for name in names]


# Folders of src/ in which every file counts, a new one too, unless its name says otherwise.
FOLDERS = {"simt": ("cell", "device", "inputs", "reference", "simt")}
FOLDERS["cuda"] = FOLDERS["host"] = ("cell", "device", "inputs", "instruments", "measure", "reference")
# What carries a variant's launches to the device, how many blocks are resident, and what follows from a time.
SINGLE = ("plan/queue.cpp", "records/derived.cpp", "simt/occupancy.cpp", "simt/occupancy.hpp")
# How a device is found decides no number, and what serves another target alone does not either.
OF_NO_TARGET = r"device/(gpu_diagnosis|open_device)\."
OF_OTHERS = {
    "cuda": r"device/(host[^/]*|simt)\.|measure/(host_stopwatch|movers|scattered)\.cpp$",
    "simt": r"device/(cuda|host)[^/]*$",
    "host": r"device/(cuda|simt)[^/]*$|measure/(nvml\.|.*\.cu$)",
}


def measuring_files(target, source):
    """The files that decide the numbers of a target's records, kernels aside."""
    src = source / "src"
    files = {src / name for name in SINGLE}
    for folder in FOLDERS[target]:
        files |= {file for file in (src / folder).glob("*") if file.suffix in (".cpp", ".cu", ".hpp")}
    left_out = re.compile(f"{OF_NO_TARGET}|{OF_OTHERS[target]}")
    files = {file for file in files if not left_out.match(str(file.relative_to(src)))}
    if target in LANGUAGES:
        files.add(source / LANGUAGES[target])
    if target == "simt":
        files |= set((source / "configs" / "devices").glob("*.json"))
    return sorted(files)


def measuring_hash(target, source):
    return short_hash(measuring_files(target, source), hash_of_code)


def watched_folders(source):
    """Whose lists of files decide the hashes."""
    folders = {f"src/{folder}" for target in TARGETS for folder in FOLDERS[target]} | {"configs/devices"}
    return [source / folder for folder in sorted(folders)]


def generated(source, variants):
    """(the C++ file, the files that it follows from)"""
    entries, files = [], []
    for variant in variants:
        parts = parts_of_variant(variant, source)
        path = shown_path(variant, source)
        of_code, of_bytes = short_hash(parts, hash_of_code), short_hash(parts, hash_of_bytes)
        for name in variant_names(variant, path):
            row = (name, path, of_code, of_bytes)
            entries.append(f"    {{{', '.join(json.dumps(cell, ensure_ascii=False) for cell in row)}}},\n")
        files += parts
    versions = json.loads((source / "cmake" / "measuring.json").read_text())["versions"]
    measured_by = ", ".join(f'"{target} {versions[target]}"' for target in TARGETS)
    contract = parts_of_variant(source / "kernels" / "variant.hpp", source)
    files += contract
    hashes = ", ".join(f'"{measuring_hash(target, source)}"' for target in TARGETS)
    files += (file for target in TARGETS for file in measuring_files(target, source))
    code = f"""namespace redbench {{
struct SourceHash {{ const char *name, *path, *code, *bytes; }};
extern const SourceHash source_hashes[] = {{
{"".join(entries)}    {{nullptr, nullptr, nullptr, nullptr}}}};
extern const char* const contract_hash = "{short_hash(contract, hash_of_bytes)}";
extern const char* const measured_by[] = {{{measured_by}}};
extern const char* const measuring_hash[] = {{{hashes}}};
}}  // namespace redbench
"""
    return code, [*files, *watched_folders(source)]


def main(source, output, *variants):
    source, output = Path(source).resolve(), Path(output)
    code, files = generated(source, sorted(Path(variant).resolve() for variant in variants))
    output.write_text(code, encoding="utf-8", errors="surrogateescape")
    follows = " ".join(re.sub(r"([ #])", r"\\\1", str(file)) for file in dict.fromkeys(files))
    Path(f"{output}.d").write_text(f"{output}: {follows}\n", errors="surrogateescape")


if __name__ == "__main__":
    main(*sys.argv[1:])
