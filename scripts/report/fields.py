"""What the fields of a record mean, for the panel that shows one: documentation from the schema of records, units from
the ends of their names."""

from shared import records

# The end of a field's name -> its unit.
UNITS = (
    ("gb_per_s", "GB/s"),
    ("nj_per_input", "nJ"),
    ("per_ns", "10⁹/s"),
    ("_ns", "ns"),
    ("_percent", "%"),
    ("percent_of_ceiling", "%"),
    ("percent_of_scattered", "%"),
    ("ns_per_input", "ns"),
    ("_bytes", "bytes"),
    ("bytes_read", "bytes"),
    ("bytes_written", "bytes"),
    ("_mhz", "MHz"),
    ("_mhz_low", "MHz"),
    ("_mhz_high", "MHz"),
    ("_mhz_most", "MHz"),
    ("temperature_c", "°C"),
    ("_w", "W"),
    ("_mj", "mJ"),
)
LEFT_OUT = ("samples_ns", "again_ns")  # a page of thousands of records cannot hold each single sample


def meanings():
    """[meaning, where it is null, unit] of each field of records, launches and counters, by name."""
    properties = records.SCHEMA["properties"]
    launch = properties["launches"]["items"]["properties"]
    found = {}
    for group in (properties["counters"]["properties"], launch, properties):
        for name, field in group.items():
            found[name] = [plain(field.get("description", "")), plain(field.get("null", "")), unit_of(name, field)]
    for name in ("sm_mhz", "sm_mhz_low", "sm_mhz_high", "sm_mhz_most", "memory_mhz", "temperature_c", "power_w"):
        found.setdefault(name, ["", "", unit_of(name, {})])
    return found


def plain(text):
    """A sentence of the documentation without references to the page that it is on."""
    return "" if text == "docs/simt.md" else text.replace(" (below)", "").replace("`", "")


def unit_of(name, field):
    unit = next((unit for end, unit in UNITS if name.endswith(end)), "")
    shown = field.get("shown", {})
    return unit or (shown.get("unit", "") if shown.get("scale") == 1.0 else "")


def without_samples(record):
    """The record with how many samples it has in the place of the samples."""
    return {name: text_of_count(value) if name in LEFT_OUT else value for name, value in record.items()}


def text_of_count(samples):
    if not isinstance(samples, list):
        return None
    forks = [fork for fork in samples if isinstance(fork, list)]
    return f"{records.count_of(samples)} samples of {len(forks)} processes: not in this page, in records.jsonl"
