"""Where and how runs were measured, from their run.json, a file of strangers: what is not there is left out."""

from dataclasses import dataclass

from report.numbers import spaced

MEBIBYTE = 1 << 20


@dataclass
class Fact:
    """What runs say of one thing: each text with the names of the runs that say it."""

    group: str
    name: str
    texts: dict


def environment_of(runs):
    """The facts of all the runs, those of a session once for each. Times and command lines are those of a run."""
    facts = {}
    for run in runs:
        for group, name, text in [*device_facts(run), *session_facts(run), *clock_facts(run)]:
            if text:
                fact = facts.setdefault((group, name), Fact(group, name, {}))
                names = fact.texts.setdefault(text, [])
                if run.name not in names:
                    names.append(run.name)
    return list(facts.values())


def device_facts(run):
    for name in dict.fromkeys(row["hardware"] for row in run.rows):
        yield "Device", "name", name
    device = run.facts.get("device")
    if of(device, "name") == "host":  # its CPU is among the host's facts
        return
    for key, name, show in (
        ("capability", "compute capability", text_of),
        ("multiprocessors", "multiprocessors", text_of),
        ("max_warps", "warps per multiprocessor", text_of),
        ("shared_bytes", "shared memory per multiprocessor", kibibytes),
        ("l2_bytes", "L2", mebibytes),
        ("memory_bytes", "memory", mebibytes),
    ):
        yield "Device", name, show(of(device, key))


def session_facts(run):
    for session in run.sessions:
        build, host, measure = (of(session, part) for part in ("build", "host", "measure"))
        yield "Device", "driver", text_of(of(session, "driver"))
        yield "Program", "commit", commit_of(session)
        yield "Program", "redbench", text_of(of(build, "version"))
        yield "Program", "build", text_of(of(build, "type"))
        yield "Program", "compiler", text_of(of(build, "compiler"))
        yield "Program", "flags", text_of(of(build, "flags"))
        yield "Program", "CUDA toolkit", text_of(of(build, "cuda_toolkit"))
        yield "Program", "CUDA flags", text_of(of(build, "cuda_flags"))
        yield "Program", "CUDA architectures", text_of(of(build, "cuda_architectures"))
        yield "Host", "CPU", text_of(of(host, "cpu"))
        yield "Host", "cores", text_of(of(host, "cores"))
        yield "Host", "last-level cache", mebibytes(of(host, "last_level_cache_bytes"))
        yield "Host", "memory", mebibytes(of(host, "memory_bytes"))
        yield "Host", "system", text_of(of(host, "system"))
        yield "Measuring", "date", str(of(session, "started") or "")[:10]
        yield "Measuring", "seed", text_of(run.config.get("seed"))
        for name, value in measure.items() if isinstance(measure, dict) else ():
            yield "Measuring", f"measure.{name}", text_of(value)


def clock_facts(run):
    """The span of what NVML said while the cells were sampled."""
    clocks = [row["clocks"] for row in run.rows if isinstance(row.get("clocks"), dict)]
    for key, name, unit in (
        ("sm_mhz", "SM clock", "MHz"),
        ("memory_mhz", "memory clock", "MHz"),
        ("temperature_c", "temperature", "°C"),
    ):
        values = [clock[key] for clock in clocks if isinstance(clock.get(key), int | float)]
        if values:
            ends = dict.fromkeys(spaced(f"{end:g}") for end in (min(values), max(values)))
            yield "Clocks", name, f"{' to '.join(ends)} {unit}"
    reasons = [clock["throttled_by"] for clock in clocks if isinstance(clock.get("throttled_by"), list)]
    if reasons:
        names = dict.fromkeys(str(reason) for row in reasons for reason in row)
        yield "Clocks", "throttled by", ", ".join(names) or "nothing"


def commit_of(session):
    commit = text_of(of(session, "commit"))
    return f"{commit}, with changes that are not in it" if commit and of(session, "dirty") is True else commit


def of(value, key):
    return value.get(key) if isinstance(value, dict) else None


def text_of(value):
    if value is None or value == "" or value == {}:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(text_of, value)) if isinstance(value, list) else " ".join(str(value).split())


def kibibytes(value):
    return f"{value / 1024:g} KiB" if is_size(value) else text_of(value)


def mebibytes(value):
    """60 MiB, 139.8 GiB."""
    if not is_size(value):
        return text_of(value)
    return f"{value / MEBIBYTE:.4g} MiB" if value < 1024 * MEBIBYTE else f"{value / MEBIBYTE / 1024:.4g} GiB"


def is_size(value):
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1 << 63
