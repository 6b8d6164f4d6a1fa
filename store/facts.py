"""A fact of a setup record: what was seen, in which unit, where it was read, and how sure the record is of it.

`experiments.setup_record` makes facts, the run folder keeps them, `analysis` compares them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from store.errors import LabError

_KINDS = (bool, int, float, str, list)
Value = bool | int | float | str | list[str] | None

# Words with which tools say that they know nothing. A fact must never carry one as its value.
EMPTY_WORDS = frozenset({"", "null", "none", "n/a", "(null)", "nan", "unknown", "<unknown>"})


class Status(StrEnum):
    """How a fact came to be known."""

    MEASURED = "measured"
    """Read on the node."""
    DECLARED = "declared"
    """Said by a file that a person wrote."""
    INFERRED = "inferred"
    """Computed from other facts."""
    ABSENT = "absent"
    """Looked for, and the node has none."""
    DENIED = "denied"
    """The node has it and did not let us read it."""


@dataclass(frozen=True)
class Fact:
    """One fact. `value` is None exactly when `status` is absent or denied."""

    value: Value
    unit: str | None
    source: str
    status: Status = Status.MEASURED

    def __post_init__(self) -> None:
        empty = self.status in (Status.ABSENT, Status.DENIED)
        if empty != (self.value is None):
            raise LabError(f"a fact from {self.source} is {self.status.value} and has the value {self.value!r}")
        if isinstance(self.value, str) and self.value.strip().lower() in EMPTY_WORDS:
            raise LabError(f"a fact from {self.source} has the empty word {self.value!r} as its value")

    def to_json(self) -> dict[str, Value]:
        """The fact as it stands in a setup file."""
        return {"value": self.value, "unit": self.unit, "source": self.source, "status": self.status.value}

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Fact:
        """The fact of one entry of a setup file; LabError when it is not one."""
        try:
            value, unit, source, status = (data[key] for key in ("value", "unit", "source", "status"))
            known = Status(str(status))
        except (KeyError, ValueError) as error:
            raise LabError(f"not a setup fact: {dict(data)!r} ({error})") from error
        if not (value is None or isinstance(value, _KINDS)) or not (unit is None or isinstance(unit, str)):
            raise LabError(f"not a setup fact: {dict(data)!r}")
        return cls(value=value, unit=unit, source=str(source), status=known)


def absent(source: str, unit: str | None = None) -> Fact:
    """What was looked for at `source` and is not there."""
    return Fact(None, unit, source, Status.ABSENT)


def denied(source: str, unit: str | None = None) -> Fact:
    """What is at `source` and may not be read."""
    return Fact(None, unit, source, Status.DENIED)


def said(value: Value, source: str, unit: str | None = None, status: Status = Status.MEASURED) -> Fact:
    """`value` as a fact, or an absent one where the value is empty or one of the words for nothing."""
    empty_word = isinstance(value, str) and value.strip().lower() in EMPTY_WORDS
    if value is None or empty_word or (isinstance(value, float) and not math.isfinite(value)):
        return absent(source, unit)
    return Fact(value.strip() if isinstance(value, str) else value, unit, source, status)
