"""What differs between a stored report and a fresh rendering of the same runs: figures, wording, drawing, or an edit.

Across versions of the renderer, changed wording or drawing is expected; changed figures never are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

_SHOWN = 3


@dataclass(frozen=True)
class Difference:
    """One file that differs, of which kind, and the first places."""

    file: str
    kind: Literal["figures", "wording", "drawing", "missing", "extra"]
    text: str

    def __str__(self) -> str:
        return f"{self.file}: {self.text}"


def differences(stored: Path, fresh: Path) -> list[Difference]:
    """Compare two report folders, byte for byte; README-like files that no rendering makes are not looked at."""
    old, new = _read(stored / "numbers.json"), _read(fresh / "numbers.json")
    versions = _versions(old, new)
    found = []
    names = sorted({path.name for path in fresh.iterdir()} | {path.name for path in stored.glob("*.png")})
    for name in names:
        mine, theirs = stored / name, fresh / name
        if not mine.is_file():
            found.append(Difference(name, "missing", f"is missing{versions}"))
        elif not theirs.is_file():
            found.append(Difference(name, "extra", f"is not part of this report{versions}"))
        elif mine.read_bytes() != theirs.read_bytes():
            found.append(_difference(name, mine, theirs, old, new))
    return found


def _versions(old: dict[str, Any], new: dict[str, Any]) -> str:
    before, now = old.get("rendered_by", "an unknown renderer"), new.get("rendered_by")
    return "" if before == now else f" (rendered by {before}, checked with {now})"


def _difference(name: str, mine: Path, theirs: Path, old: dict[str, Any], new: dict[str, Any]) -> Difference:
    versions = _versions(old, new)
    if name.endswith(".png"):
        return Difference(name, "drawing", f"is drawn differently{versions}")
    if name == "numbers.json":
        changed = list(_changed_figures(old, new))
        if changed:
            more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
            return Difference(name, "figures", f"other figures: {'; '.join(changed[:_SHOWN])}{more}{versions}")
        place, was, now = _first_entry(old, new)
        return Difference(name, "wording", f"{place} is {_cut(was)}, and would be {_cut(now)}{versions}")
    line, was, now = _first_line(mine, theirs)
    kind: Literal["figures", "wording"] = "figures" if _printed_at(old, new, line, was, now) else "wording"
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(was, now, strict=False)))
    return Difference(name, kind, f"line {line} is {_cut(was, same)!r}, and would be {_cut(now, same)!r}{versions}")


def _changed_figures(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    before, after = old.get("numbers", {}), new.get("numbers", {})
    for name in sorted(before.keys() & after.keys()):
        if before[name].get("value") != after[name].get("value"):
            yield f"{name} was {before[name].get('value')}, is {after[name].get('value')}"


def _first_line(mine: Path, theirs: Path) -> tuple[int, str, str]:
    one = mine.read_text(encoding="utf-8", errors="replace").split("\n")
    other = theirs.read_text(encoding="utf-8").split("\n")
    for number, (was, now) in enumerate(zip(one, other, strict=False), start=1):
        if was != now:
            return number, was, now
    shorter = min(len(one), len(other))
    return shorter + 1, "\n".join(one[shorter:]), "\n".join(other[shorter:])


def _printed_at(old: dict[str, Any], new: dict[str, Any], line: int, was: str, now: str) -> bool:
    """Whether a printed number of that line is not in it any more, in the same version of the renderer."""
    if old.get("rendered_by") != new.get("rendered_by"):
        return bool(list(_changed_figures(old, new)))
    for entry in new.get("numbers", {}).values():
        for at, column in entry.get("places", []):
            if at == line and was[column - 1 : column - 1 + len(entry["printed"])] != entry["printed"]:
                return True
    return False


def _first_entry(old: Any, new: Any, place: str = "") -> tuple[str, str, str]:
    """Where two JSON values differ first, as `numbers / latency/rdma/4096/n / n`, and what stands there."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [key for key in [*new, *(key for key in old if key not in new)] if old.get(key) != new.get(key)]
        if keys:
            return _first_entry(old.get(keys[0]), new.get(keys[0]), f"{place} / {keys[0]}" if place else str(keys[0]))
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        at = next((number for number, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]), None)
        if at is not None:
            return _first_entry(old[at], new[at], f"{place} / {at}")
    return place or "its form", json.dumps(old), json.dumps(new)


def _cut(text: str, same: int = 0) -> str:
    """At most 100 characters of a text, so that the one after the `same` first ones is among them."""
    start = max(0, same - 40) if len(text) > 100 else 0
    shown = text[start : start + 97]
    return f"{'...' if start else ''}{shown}{'...' if start + 97 < len(text) else ''}"


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
