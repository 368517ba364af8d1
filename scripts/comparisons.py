"""Comparisons as `redbench compare --json` writes them: read, and what a figure of one needs of them."""

import math

import records

VERDICTS = ("same", "slower", "faster", "undecided")
NUMBERS = ("ratio", "ratio_low", "ratio_high")


def load(path):
    """The file's comparison. RecordError where it is none."""
    comparison = records.read_json(path)
    if not isinstance(comparison, dict) or not isinstance(comparison.get("cases"), list):
        raise records.RecordError(f"{path}: no comparison of schema 1, as redbench compare --json writes it")
    for number, case in enumerate(comparison["cases"]):
        place = f"{path}: cases[{number}]"
        if not isinstance(case, dict) or not isinstance(case.get("axes"), dict):
            raise records.RecordError(f"{place}: not a case")
        if case.get("verdict") not in VERDICTS:
            raise records.RecordError(f"{place}.verdict: one of {', '.join(VERDICTS)}, not {case.get('verdict')!r}")
        for name in NUMBERS:
            value = case.get(name)
            if value is not None and not (isinstance(value, int | float) and 0 < value < math.inf):
                raise records.RecordError(f"{place}.{name}: a number above 0 or null, not {value!r}")
    return comparison


def limits(cases, threshold):
    """Both ends of the axis, as far from 1 in logarithms: all ratios, and the intervals that are not endless."""
    values = [case[name] for case in cases for name in NUMBERS if case.get(name)]
    farthest = max([2 * math.log(threshold), 0.01, *(1.1 * abs(math.log(value)) for value in values)])
    farthest = min(farthest, math.log(1e6))
    return math.exp(-farthest), math.exp(farthest)


def names(cases, of_variants):
    """What tells the cases apart: the variant, and each axis that varies."""
    rows = []
    for case in cases:
        axes = {
            name: value.get("file", "") if isinstance(value, dict) else value
            for name, value in case["axes"].items()
        }
        row = {name: case.get(name) for name in ("problem", "n", "type", "operator")}
        rows.append({**row, **axes, "mode": case.get("mode"), "device": case.get("device")})
    columns = records.varying(rows, list(dict.fromkeys(name for row in rows for name in row))) or ["n"]
    texts = []
    for case, row in zip(cases, rows, strict=True):
        parts = [] if of_variants else [records.short_name(str(case.get("variant")))]
        parts += [records.format_axis(c, row[c]) for c in columns if row.get(c) is not None]
        texts.append(" ".join(parts))
    return texts
