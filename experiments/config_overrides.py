"""`--set key=value`: dotted paths into an experiment, values in YAML, checked like the file itself.

Used by experiments.config. The override is written into the parsed text together with its place, so a mistake in it
is told as one in the file, pointing at the `--set`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from experiments.config_mistakes import Mistake, Mistakes, Place, Source, did_you_mean
from experiments.config_text import ConfigText, Loc, parse_config

NAME = "--set"


def apply_overrides(text: ConfigText, overrides: Sequence[str]) -> None:
    """Changes `text` by each `key=value`, in order; raises every mistake in the overrides' form at once."""
    mistakes: list[Mistake] = []
    seen: dict[str, str] = {}
    for override in overrides:
        try:
            key = _apply(text, override)
        except Mistakes as found:
            mistakes += found.mistakes
            continue
        if key in seen:
            place = Place(Source(NAME, (override,), numbered=False), 0, 0)
            mistakes.append(Mistake(place, f"'{key}' is set twice", f"also by {NAME} {seen[key]}"))
        seen[key] = override
    if mistakes:
        raise Mistakes(mistakes)


def _apply(text: ConfigText, override: str) -> str:
    source = Source(NAME, (override,), numbered=False)
    key, equals, written = override.partition("=")
    if not equals or not key.strip():
        raise Mistakes([Mistake(Place(source, 0, 0), "write key=value", "such as reps=3 or arms.rdma.chunk=1MiB")])
    value = _parse(written, Place(source, 0, len(key) + 1))
    loc = _resolve(text.data, key.strip(), source)
    _forget(text, loc)
    _write(text.data, loc, value.data)
    text.keys[loc] = Place(source, 0, 0)
    for part, place in value.values.items():
        text.values[loc + part] = _shift(place, source, len(key) + 1)
    for part, place in value.keys.items():
        text.keys[loc + part] = _shift(place, source, len(key) + 1)
    return key.strip()


def _parse(written: str, start: Place) -> ConfigText:
    """The value as YAML; `4KiB..1MiB x2` and `[4KiB, 64KiB]` read as they do in a file."""
    try:
        return parse_config(written, NAME)
    except Mistakes as found:
        moved = [
            Mistake(_shift(each.place, start.source, start.column), each.message, each.hint) for each in found.mistakes
        ]
        raise Mistakes(moved) from None


def _resolve(data: Any, key: str, source: Source) -> Loc:
    """The path of a dotted key. Parts must exist, but for the last one and for a mapping that the file left out."""
    loc: list[str | int] = []
    column = 0
    parts = key.split(".")
    for index, part in enumerate(parts):
        place = Place(source, 0, column)
        column += len(part) + 1
        step: str | int = part
        if isinstance(data, list):
            if not part.isdecimal() or int(part) >= len(data):
                raise Mistakes([Mistake(place, f"'{part}' is no entry of {_joined(loc)}", f"0 to {len(data) - 1}")])
            step = int(part)
            data = data[step]
        elif isinstance(data, dict):
            if part not in data and loc == ["arms"] and index + 1 < len(parts):
                hint = did_you_mean(part, data) or f"the arms are: {', '.join(data)}"
                raise Mistakes([Mistake(place, f"there is no arm '{part}'", hint)])
            data = data.get(part, {})
        else:
            raise Mistakes([Mistake(place, f"{_joined(loc)} has no parts", f"set {_joined(loc)} itself")])
        loc.append(step)
    return tuple(loc)


def _write(data: Any, loc: Loc, value: Any) -> None:
    for part in loc[:-1]:
        data = data.setdefault(part, {}) if isinstance(data, dict) else data[part]
    data[loc[-1]] = value


def _forget(text: ConfigText, loc: Loc) -> None:
    """The places of what is replaced: a mistake in the new value must not point into the old one."""
    for places in (text.values, text.keys):
        for known in [known for known in places if known[: len(loc)] == loc]:
            del places[known]


def _joined(loc: Sequence[str | int]) -> str:
    return ".".join(str(part) for part in loc)


def _shift(place: Place, source: Source, columns: int) -> Place:
    """The place in the override's text of a place in its value; a value of several lines points at its start."""
    return Place(source, 0, columns + (place.column if place.line == 0 else 0))
