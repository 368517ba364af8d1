"""Numbers for readers: digits that their confidence interval supports, as in the tables of redbench
(src/tables/numbers.cpp), with thin spaces between thousands."""

from dataclasses import dataclass
import math

from shared import records

MOST_DIGITS, DIGITS_WITHOUT_INTERVAL = 4, 3
THIN_SPACE = "\u202f"
# Units of times, as (ns, name): a column has the one in which its median is below a thousand.
TIME_UNITS = ((1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s"))
TIME = "time_ns"


@dataclass(frozen=True)
class Shown:
    """How a column of numbers is shown: its name, its unit, and the divisor of its values."""

    column: str
    label: str
    unit: str
    scale: float

    @property
    def heading(self):
        return f"{self.label} ({self.unit})" if self.unit else self.label


def magnitude(value, digits=15):
    """The decimal exponent of a value that is rounded to so many digits: 0 for 1 to 9."""
    return int(f"{value:.{digits - 1}e}".partition("e")[2])


def rounded(value, place):
    if place <= 0:
        return f"{value:.{-place}f}"
    return f"{round(value / 10.0**place) * 10.0**place:.0f}"


def significant(value, digits=MOST_DIGITS):
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    first = magnitude(value, digits)
    if first < -4 or first > 14:
        return f"{value:.2e}"
    place = first - digits + 1
    return rounded(value, min(0, place) if digits == MOST_DIGITS else place)


def four(value):
    return spaced(significant(value))


def last_place(value, low, high):
    """The place of a value's last significant digit: one below the first digit of its interval's width."""
    if value == 0:
        return 0
    first = magnitude(value, MOST_DIGITS)
    four = min(0, first - MOST_DIGITS + 1)
    if low is None or high is None or not high > low:
        return first - DIGITS_WITHOUT_INTERVAL + 1
    return max(four, min(first, magnitude(high - low, 2) - 1))


def spaced(text):
    """1234567.8 -> 1 234 567.8, from five digits on."""
    whole, point, rest = text.partition(".")
    digits = whole.lstrip("-")
    if not digits.isdecimal() or len(digits) < 5:
        return text
    return whole[: len(whole) - len(digits)] + f"{int(digits):,}".replace(",", THIN_SPACE) + point + rest


def shown(column, values):
    """How a column with these values is shown. Times have the unit that fits their median."""
    quantity = records.QUANTITIES[column]
    if column != TIME or not values:
        return Shown(column, quantity.label, quantity.unit, quantity.scale)
    middle = sorted(values)[len(values) // 2]
    scale, unit = next(((s, u) for s, u in reversed(TIME_UNITS) if middle >= s), TIME_UNITS[0])
    return Shown(column, quantity.label, unit, scale)


def text(row, how):
    """A row's number in the unit of its column."""
    value, quantity = row[how.column] / how.scale, records.QUANTITIES[how.column]
    if not math.isfinite(value):
        return f"{value:g}"
    if quantity.digits == "whole":
        return spaced(rounded(value, 0))
    if quantity.digits == "four" or not row.get(TIME):
        return four(value)
    of_time = how.scale if how.column == TIME else records.QUANTITIES[TIME].scale
    time, low, high = ends(row, of_time)
    place = last_place(time, low, high)
    if how.column == TIME:
        return spaced(rounded(value, place))
    return spaced(significant(value, min(MOST_DIGITS, max(1, magnitude(time, MOST_DIGITS) - place + 1))))


def ends(row, scale):
    """A row's time and both ends of its interval; None where the record has none."""
    return [value and value / scale for value in map(row.get, (TIME, "time_low_ns", "time_high_ns"))]


def interval(row, how):
    """The interval of a time in the unit of its column: "171.7 to 172.2", or nothing."""
    time, low, high = ends(row, how.scale)
    if not time or low is None or high is None:
        return ""
    place = last_place(time, low, high)
    return " to ".join(spaced(rounded(end, place)) for end in (low, high))
