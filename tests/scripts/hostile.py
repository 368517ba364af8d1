"""Runs whose every text, name and number wants to be more than it is: for the tests of what shows them."""

import json

from support import record

SCRIPT = "</script><script>window.hit = 1</script><img src=x onerror='window.hit = 1'>"
TEMPLATE = "{{ 7 * 7 }}{% for x in y %}"
TURNED = "abc\u202edef"
NAMES = ("__proto__", "constructor", "toString", "<b>bold</b>")


def write_run(test):
    """A run with all of it, and claims.json and why.json beside it."""
    run = test.write_run(records(), name="evil/run", plots=plots(), report=report(), **facts())
    (test.folder / "claims.json").write_text(json.dumps(claims(run)))
    (run / "why.json").write_text(json.dumps(reasons()))
    return run


def records():
    """Lines of records.jsonl: passed, stale or not, wrong and refused, with a case of each way to break out."""
    hostile = [
        record("reduce/harris1", n=1024, time_ns=2000.0),
        record(f"reduce/{SCRIPT}", n=2048, time_ns=1e-300),
        record("reduce/../../../etc/passwd", n=4096, kernel_file="/etc/passwd"),
        record("reduce/harris2", n=8192, axes={"values": SCRIPT, **dict.fromkeys(NAMES, TEMPLATE)}),
        record("reduce/harris3", n=16384, parameters={"block": TURNED, "__proto__": {"polluted": 1}}),
        record("reduce/harris4", n=32768, hardware=SCRIPT * 300),
        record("reduce/harris5", n=65536, time_ns=None, outcome="wrong", reason=SCRIPT),
        record("reduce/harris6", n=1 << 17, time_ns=None, outcome="unsupported", reason="x" * 200_000),
        record("reduce/harris7", n=1 << 18, clocks={"sm_mhz": SCRIPT, "throttled_by": [SCRIPT, 5, None]}),
    ]
    lines = [json.dumps(line) + "\n" for line in hostile]
    lines.append(json.dumps(record("reduce/cub", n=1 << 19)).replace("2000.0", "1e999") + "\n")
    lines.append(json.dumps(record("reduce/matrix", n=1 << 20, hardware="half \ud800 a pair")) + "\n")
    return lines


def report():
    """tables/report.json of these records."""
    shown = [json.loads(line) if isinstance(line, str) else line for line in records()]
    columns = [["variant", False], ["time (µs)", True], [SCRIPT, False], ["outcome", False]]
    cases = {"columns": columns, "rows": [[SCRIPT, TURNED, TEMPLATE + "x" * 5000, "passed"] for _ in shown]}
    empty = {"columns": [["launch", True]], "rows": []}
    section = {"heading": SCRIPT, "caption": TURNED, "cases": cases, "launches": empty, "levels": empty}
    section |= {"records": [[line["key"], line["mode"], line["device"]] for line in shown]}
    section |= {"notes": [[SCRIPT, TEMPLATE, TURNED] for _ in shown]}
    return {"date": SCRIPT, "differences": TURNED, "interruption": SCRIPT, "sections": [section]}


def plots():
    return [
        {"name": "time", "title": f"{SCRIPT}{TEMPLATE}", "x": "n", "y": "time_ns", "series": ["values"]},
        {"name": "names", "title": TURNED, "x": "variant", "y": "time_ns"},
        {"name": SCRIPT, "x": "n", "y": "time_ns"},
        {"name": "of_nothing", "x": SCRIPT, "y": "time_ns"},
        SCRIPT,
    ]


def facts():
    """Of run.json: what nobody promised to be of any type."""
    return {
        "title": SCRIPT,
        "device": [SCRIPT],
        "sessions": [
            {"started": SCRIPT, "driver": {"a": [SCRIPT]}, "build": SCRIPT, "host": 5, "measure": [1]},
            {"started": 5, "commit": SCRIPT, "build": {"compiler": SCRIPT, "flags": TURNED}, "host": {"cpu": SCRIPT}},
        ],
    }


def claims(run):
    part = {"what": SCRIPT, "value": 1.5, "low": "x", "high": None, "unit": SCRIPT, "records": [f"{run}#x", 5, None]}
    return {
        "schema": 1,
        "claims": [
            {
                "id": SCRIPT, "paper": "evil", "source": SCRIPT, "sentence": TEMPLATE + SCRIPT, "verdict": "undecided",
                "why": SCRIPT, "parts": [part, 5], "missing": [SCRIPT], "smallest_difference_percent": SCRIPT,
            }
        ],
    }


def reasons():
    line = {"file": "../../../../etc/passwd", "line": SCRIPT, "count": SCRIPT}
    counter = {"name": SCRIPT, "from": SCRIPT, "to": 5, "lines": [line, {"file": SCRIPT, "line": 1}, 5]}
    times = [{"variant": SCRIPT, "time_ns": SCRIPT}, 5]
    shown = {"sentences": [SCRIPT, 5], "counters": [counter, SCRIPT], "times": times}
    return [{"from": "reduce/harris1", "to": "reduce/harris2", **shown}]
