"""Compares the UCX_* environment that an engine was given with the one that it saw on its node. Pure.

Used by experiments.engine_pair. A login shell's profile, a wrapper or a library that is loaded first can change it on
the way; then the record would name one lane and the bytes take another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def seen_otherwise(given: Mapping[str, str], description: Mapping[str, Any] | None) -> list[str]:
    """What differs, one text per variable, sorted; nothing where the engine left no description to compare with."""
    ucx = (description or {}).get("ucx")
    seen = ucx.get("env") if isinstance(ucx, Mapping) else None
    if not isinstance(seen, Mapping):
        return []
    asked = {name: value for name, value in given.items() if name.startswith("UCX_")}
    told = []
    for name in sorted({*asked, *map(str, seen)}):
        was, is_now = asked.get(name), seen.get(name)
        if was is None:
            told.append(f"{name}={is_now} was not given")
        elif is_now is None:
            told.append(f"{name}={was} did not arrive")
        elif is_now != was:
            told.append(f"{name}={was} arrived as {is_now}")
    return told
