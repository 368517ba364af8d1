"""Where and how runs were measured, from their run.json, a file of strangers: what is missing there is left out."""

from dataclasses import dataclass

from report.numbers import spaced

# Group, name and place of what a run says of its device, and of what each of its sessions says.
OF_DEVICE = (
    ("Device", "compute capability", "capability"),
    ("Device", "multiprocessors", "multiprocessors"),
    ("Device", "warps per multiprocessor", "max_warps"),
    ("Device", "shared memory per multiprocessor", "shared_bytes"),
    ("Device", "L2", "l2_bytes"),
    ("Device", "memory", "memory_bytes"),
)
OF_SESSION = (
    ("Device", "driver", "driver"),
    ("Device", "VBIOS", "board.vbios"),
    ("Device", "power limit (mW)", "board.power_limit_mw"),
    ("Device", "NVLinks up", "board.nvlinks"),
    ("Program", "redbench", "build.version"),
    ("Program", "build", "build.type"),
    ("Program", "compiler", "build.compiler"),
    ("Program", "flags", "build.flags"),
    ("Program", "CUDA toolkit", "build.cuda_toolkit"),
    ("Program", "CUDA flags", "build.cuda_flags"),
    ("Program", "CUDA architectures", "build.cuda_architectures"),
    ("Host", "CPU", "host.cpu"),
    ("Host", "cores", "host.cores"),
    ("Host", "last-level cache", "host.last_level_cache_bytes"),
    ("Host", "memory", "host.memory_bytes"),
    ("Host", "system", "host.system"),
    ("Host", "hypervisor", "host.hypervisor"),
    ("Host", "GPUs", "host.gpus"),
)
GROUPS = ("Device", "Program", "Host", "Measuring", "Clocks")
CLOCKS = (("sm_mhz", "SM clock", "MHz"), ("memory_mhz", "memory clock", "MHz"), ("temperature_c", "temperature", "°C"))


@dataclass
class Fact:
    """A fact of runs: each of its texts with the names of the runs that have it, as the keys of a dict."""

    group: str
    name: str
    texts: dict


def environment_of(runs):
    """The facts of all the runs, by group."""
    facts = {}
    for run in runs:
        for group, name, text in run.environment:
            if text:
                fact = facts.setdefault((group, name), Fact(group, name, {}))
                fact.texts.setdefault(text, {})[run.label] = True
    return sorted(facts.values(), key=lambda fact: GROUPS.index(fact.group))


def facts_of(run):
    """(group, name, text) of a run."""
    for name in dict.fromkeys(row["hardware"] for row in run.rows):
        yield "Device", "name", name
    device = run.facts.get("device")
    if at(device, "name") != "host":  # else its CPU is among the host's facts
        for group, name, place in OF_DEVICE:
            yield group, name, text_at(device, place)
    for session in run.sessions_of(run.rows):
        commit = text_of(at(session, "commit"))
        has_changes = commit and at(session, "dirty") is True
        yield "Program", "commit", f"{commit}, with changes that are not in it" if has_changes else commit
        for group, name, place in OF_SESSION:
            yield group, name, text_at(session, place)
        yield "Measuring", "date", str(at(session, "started") or "")[:10]
        yield "Measuring", "seed", text_of(run.config.get("seed"))
        measure = at(session, "measure")
        for name, value in measure.items() if isinstance(measure, dict) else ():
            yield "Measuring", f"measure.{name}", text_of(value)
    # The range of what NVML read while the cells were sampled.
    clocks = [row["clocks"] for row in run.rows if isinstance(row.get("clocks"), dict)]
    for key, name, unit in CLOCKS:
        values = [clock[key] for clock in clocks if isinstance(clock.get(key), int | float)]
        if values:
            ends = dict.fromkeys(spaced(f"{end:g}") for end in (min(values), max(values)))
            yield "Clocks", name, f"{' to '.join(ends)} {unit}"
    reasons = [clock["throttled_by"] for clock in clocks if isinstance(clock.get("throttled_by"), list)]
    if reasons:
        names = dict.fromkeys(str(reason) for row in reasons for reason in row)
        yield "Clocks", "throttled by", ", ".join(names) or "nothing"


def at(value, place):
    """What is at a place, such as host.cpu, of nested objects; None where there is nothing."""
    for key in place.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text_at(value, place):
    value = at(value, place)
    is_size = place.endswith("_bytes") and isinstance(value, int | float) and not isinstance(value, bool)
    return size_text(value) if is_size and 0 <= value < 1 << 63 else text_of(value)


def text_of(value):
    if value is None or value == "" or value == {}:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(text_of, value)) if isinstance(value, list) else " ".join(str(value).split())


def size_text(size):
    """228 KiB, 60 MiB, 139.8 GiB."""
    for unit, shift in (("GiB", 30), ("MiB", 20)):
        if size >= 1 << shift:
            return f"{size / (1 << shift):.4g} {unit}"
    return f"{size / 1024:g} KiB"
