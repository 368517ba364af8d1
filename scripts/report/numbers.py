"""Numbers of claims, comparisons and figures for readers. Those of records have the texts of redbench's tables."""

THIN_SPACE = "\u202f"


def four(value):
    """Four significant digits, all of those before the point; powers of ten for what is very small or large."""
    if not 1e-4 <= abs(value) < 1e15:
        return f"{value:.3g}"
    place = int(f"{value:.3e}".partition("e")[2])
    return spaced(f"{value:.{max(0, 3 - place)}f}")


def spaced(text):
    """1234567.8 -> 1 234 567.8, from five digits on."""
    whole, point, rest = text.partition(".")
    digits = whole.lstrip("-")
    if not digits.isdecimal() or len(digits) < 5:
        return text
    return whole[: len(whole) - len(digits)] + f"{int(digits):,}".replace(",", THIN_SPACE) + point + rest
