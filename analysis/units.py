"""Numbers to text, in one place: significant digits, durations, sizes, rates. Used by tables, verdicts, plots, reports.

KiB, MiB and GiB are powers of 1024; GB/s is 10^9 bytes a second and Gb/s is 10^9 bits a second, and each is named so.
"""

from __future__ import annotations

import math

KIB = 1024
SIZE_UNITS = ((KIB**3, "GiB"), (KIB**2, "MiB"), (KIB, "KiB"))
DURATION_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))
MISSING = "-"


def significant(value: float | None, digits: int = 3) -> str:
    """`value` with `digits` significant digits, never with an exponent; whole digits stay (1234, not 1230).

    None gives "-"; nan and infinities are ValueErrors, because no table of ours may hold them.
    """
    if value is None:
        return MISSING
    if not math.isfinite(value):
        raise ValueError(f"{value} is no number to print")
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    decimals = max(0, digits - 1 - exponent)
    text = f"{value:.{decimals}f}"
    # 9.996 rounds up to 10.00: one digit more than asked, so print again with one decimal less.
    if decimals and abs(float(text)) >= 10 ** (exponent + 1):
        text = f"{value:.{decimals - 1}f}"
    return text


def duration_unit(ns: float) -> tuple[float, str]:
    """The unit in which `ns` reads best, as (nanoseconds in it, name)."""
    for scale, name in DURATION_UNITS:
        if abs(ns) >= scale:
            return scale, name
    return DURATION_UNITS[-1]


def duration(ns: float | None, digits: int = 3) -> str:
    """A duration with its unit: `12.3 us`."""
    if ns is None:
        return MISSING
    scale, name = duration_unit(ns)
    return f"{significant(ns / scale, digits)} {name}"


def size(count: int) -> str:
    """A size in bytes as people write it: `64 KiB`, `1 MiB`, `1 MiB + 4097 B`, `100 B`."""
    for scale, name in SIZE_UNITS:
        if count >= scale:
            whole, rest = divmod(count, scale)
            if rest == 0:
                return f"{whole} {name}"
            if (count * 2) % scale == 0:
                return f"{count / scale:.1f} {name}"
            smaller = size(rest)
            return (
                f"{whole} {name} + {smaller}" if rest >= KIB and " + " not in smaller else f"{whole} {name} + {rest} B"
            )
    return f"{count} B"


def gb_per_second(byte_count: float, ns: float) -> float:
    """Bytes in a time as GB/s, 10^9 bytes a second: one byte a nanosecond is 1 GB/s."""
    return byte_count / ns


def percent(fraction: float | None, digits: int = 3) -> str:
    """A fraction as a percentage without the sign's blank: 0.256 gives `25.6 %`."""
    return MISSING if fraction is None else f"{significant(100 * fraction, digits)} %"


def level(fraction: float) -> str:
    """The level of an interval, or a stated margin: 0.95 gives `95 %`."""
    return f"{100 * fraction:g} %"


def p_value(p: float | None) -> str:
    """A p-value to two significant digits; below 0.0001 only that is said."""
    if p is None:
        return MISSING
    return "<0.0001" if p < 1e-4 else significant(p, 2)


def plural(count: int, noun: str) -> str:
    """`1 sample`, `2 samples`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
