"""Payload sizes as people write them: `512`, `4KiB`, `1MiB+4097`, and ranges `4KiB..1MiB x2`.

Used by the config models, by `--set` and by whatever prints a size. All values are bytes. Only binary units exist
here: KB and MB mean 1000 to one reader and 1024 to the next, so they are refused with the spelling to use.
"""

from __future__ import annotations

import re
from typing import Final

UNITS: Final = {"TiB": 1 << 40, "GiB": 1 << 30, "MiB": 1 << 20, "KiB": 1 << 10, "B": 1}
LARGEST: Final = UNITS["TiB"]
"""No payload, chunk or budget is larger; it catches `1e9GiB` and sums that overflow."""

_TERM: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(?P<unit>[A-Za-z]*)")
_RANGE: Final = re.compile(r"(?P<first>.+?)\s*\.\.\s*(?P<last>[^x\s]+)(?:\s*x\s*(?P<factor>\S+))?")


class SizeError(ValueError):
    """A size that cannot be read: what is wrong, and the spelling to use instead where there is one."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def parse_size(value: object, *, least: int = 1) -> int:
    """Bytes of `512`, `"4KiB"` or `"1MiB+4097"`; SizeError below `least`, above LARGEST, or for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise SizeError(f"{value!r} is not a size", "a size is a whole number of bytes, such as 512 or 4KiB")
    if isinstance(value, str) and ".." in value:
        raise SizeError(f"'{value}' is a range where one size is wanted")
    size = value if isinstance(value, int) else _sum_of_terms(value)
    if size < least:
        raise SizeError(f"size {value} is below {least}", f"the smallest is {least} byte{'s' if least > 1 else ''}")
    if size > LARGEST:
        raise SizeError(f"size {value} is over the limit", f"the largest is {format_size(LARGEST)}")
    return size


def parse_sizes(value: object) -> tuple[int, ...]:
    """The sizes that one entry of a list stands for: one size, or each power of a range, in rising order."""
    if not isinstance(value, str) or ".." not in value:
        return (parse_size(value),)
    match = _RANGE.fullmatch(value.strip())
    if match is None:
        raise SizeError(f"'{value}' is not a range", "write 4KiB..1MiB x2")
    first, last = parse_size(match["first"]), parse_size(match["last"])
    ends = f"{format_size(first)}..{format_size(last)}"
    if match["factor"] is None:
        raise SizeError(f"range '{value}' does not say its step", f"write {ends} x2 for each doubling")
    if not match["factor"].isdecimal() or int(match["factor"]) < 2:
        raise SizeError(f"range '{value}': the factor is a whole number from 2", f"write {ends} x2")
    if last < first:
        raise SizeError(f"range '{value}' falls", f"write {format_size(last)}..{format_size(first)} x{match['factor']}")
    return _powers(value, first, last, int(match["factor"]))


def format_size(size: int) -> str:
    """The shortest spelling in binary units that `parse_size` reads back: 4096 -> `4KiB`, 1052673 -> `1MiB+4097`."""
    if size < UNITS["KiB"]:
        return str(size)
    unit = next(name for name, scale in UNITS.items() if size >= scale)
    whole, rest = divmod(size, UNITS[unit])
    if rest == 0:
        return f"{whole}{unit}"
    finer = format_size(rest)
    tail = finer if "+" not in finer else str(rest)
    return f"{whole}{unit}+{tail}"


def rough_size(size: int) -> str:
    """A sum of bytes for people, to three digits: `1.62 GiB`. Not meant to be read back."""
    for unit, scale in UNITS.items():
        if size >= scale > 1:
            return f"{size / scale:.3g} {unit}" if size < 1000 * scale else f"{size / scale:.0f} {unit}"
    return f"{size} B"


def _powers(text: str, first: int, last: int, factor: int) -> tuple[int, ...]:
    sizes = [first]
    while sizes[-1] * factor <= last:
        sizes.append(sizes[-1] * factor)
    if sizes[-1] != last:
        reached = f"{format_size(first)}..{format_size(sizes[-1])} x{factor}"
        raise SizeError(
            f"range '{text}' does not reach its end", f"write {reached}, and list {format_size(last)} alone"
        )
    return tuple(sizes)


def _sum_of_terms(text: str) -> int:
    if not text.strip():
        raise SizeError("an empty size", "write a number and a unit, such as 4KiB")
    if text.strip().startswith("-"):
        raise SizeError(f"'{text}' is negative", "a size is at least 1 byte")
    return sum(_term(part.strip(), text) for part in text.split("+"))


def _term(part: str, text: str) -> int:
    match = _TERM.fullmatch(part)
    if match is None:
        raise SizeError(f"'{text}' is not a size", "write a number and a unit, such as 4KiB or 1MiB+4097")
    number, unit = match["number"], match["unit"] or "B"
    if unit not in UNITS:
        raise SizeError(f"'{text}': unknown unit '{unit}'", _unit_advice(number, unit))
    if not number.isdecimal():
        value = float(number) * UNITS[unit]
        if value > LARGEST:
            raise SizeError(f"size {text} is over the limit", f"the largest is {format_size(LARGEST)}")
        spelled = f"write {format_size(int(value))}" if value.is_integer() and value >= 1 else "sizes are whole bytes"
        raise SizeError(f"'{text}' is not a whole number of {unit}", spelled)
    if len(number) > len(str(LARGEST)):
        raise SizeError(f"size {text} is over the limit", f"the largest is {format_size(LARGEST)}")
    return int(number) * UNITS[unit]


def _unit_advice(number: str, unit: str) -> str:
    first = unit[0].upper()
    binary = f"{first}iB"
    if binary not in UNITS or len(unit) > 3:
        return f"the units are {', '.join(reversed(UNITS))}"
    if unit.upper() == f"{first}B":
        return f"'{unit}' can mean 1000 or 1024: write {number}{binary}"
    return f"write {number}{binary}"
