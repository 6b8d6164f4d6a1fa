"""YAML text as plain values plus the place of each: file, line and column, for mistakes that can be pointed at.

Used by experiments.config and by `--set` (each override is a small text of its own). Duplicate keys are told with
both lines; aliases and tags are refused, because a config file says what it means where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from experiments.config_mistakes import Mistake, Mistakes, Place, Source, place_at

Loc = tuple[str | int, ...]
_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


@dataclass(slots=True)
class ConfigText:
    """Values as read, and for each path into them the place of its value and of its key."""

    source: Source
    data: Any
    values: dict[Loc, Place] = field(default_factory=dict)
    keys: dict[Loc, Place] = field(default_factory=dict)

    def value_at(self, loc: Loc) -> Place:
        """The place of the value at `loc`, or of the nearest part around it that exists."""
        return next((self.values[part] for part in _outward(loc) if part in self.values), Place(self.source, 0, 0))

    def key_at(self, loc: Loc) -> Place:
        """The place of the key at `loc`, or of the nearest thing around it."""
        return self.keys.get(loc) or self.value_at(loc)


def read_config(path: Path, name: str | None = None) -> ConfigText:
    """Reads a YAML file; Mistakes when it is no YAML mapping, cannot be read, or has a key twice."""
    shown = name or str(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise Mistakes([Mistake(Place(Source(shown, ()), 0, 0), f"not UTF-8 text ({error.reason})")]) from None
    except OSError as error:
        raise Mistakes([Mistake(Place(Source(shown, ()), 0, 0), f"cannot be read: {error.strerror}")]) from None
    parsed = parse_config(text, shown)
    if not isinstance(parsed.data, dict):
        what = "empty" if parsed.data is None else "not a mapping"
        raise Mistakes([Mistake(Place(parsed.source, 0, 0), f"the file is {what}", "write key: value")])
    return parsed


def parse_config(text: str, name: str) -> ConfigText:
    """Parses YAML text; `name` stands where the file's name would. Mistakes on a syntax error or a key twice."""
    source = Source(name, tuple(_LINE_END.split(text)))
    try:
        node = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = place_at(source, mark) if mark is not None else Place(source, 0, 0)
        raise Mistakes([Mistake(place, f"not YAML: {_problem(error)}")]) from None
    except (YAMLError, ValueError) as error:
        raise Mistakes([Mistake(Place(source, 0, 0), f"not YAML: {str(error).splitlines()[0]}")]) from None
    except RecursionError:
        raise Mistakes([Mistake(Place(source, 0, 0), "nested too deeply")]) from None
    result = ConfigText(source, None)
    walk = _Walk(result)
    if node is not None:
        result.data = walk.value(node, ())
    if walk.mistakes:
        raise Mistakes(walk.mistakes)
    return result


class _Walk:
    """One pass over the node tree that builds the values and notes the places."""

    def __init__(self, result: ConfigText) -> None:
        self.result = result
        self.mistakes: list[Mistake] = []
        self._seen: set[int] = set()
        self._constructor = YAML(typ="safe", pure=True).constructor

    def value(self, node: Node, loc: Loc) -> Any:
        place = place_at(self.result.source, node.start_mark)
        if node.start_mark.index == node.end_mark.index:  # nothing written: YAML puts it where the next thing begins
            place = self.result.keys.get(loc, place)
        self.result.values[loc] = place
        if id(node) in self._seen:
            self.mistakes.append(Mistake(self.result.key_at(loc), "an alias (*name)", "write the value out"))
            return None
        self._seen.add(id(node))
        if isinstance(node, MappingNode):
            return self._mapping(node, loc)
        if isinstance(node, SequenceNode):
            return [self.value(item, (*loc, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, place)

    def _mapping(self, node: MappingNode, loc: Loc) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            place = place_at(self.result.source, key_node.start_mark)
            key = str(key_node.value) if isinstance(key_node, ScalarNode) else "?"
            here = (*loc, key)
            if key in values:
                first = self.result.keys[here]
                self.mistakes.append(
                    Mistake(place, f"'{key}' stands twice", f"first in line {first.line + 1}", also=first)
                )
                continue
            self.result.keys[here] = place
            values[key] = self.value(value_node, here)
        return values

    def _scalar(self, node: Node, place: Place) -> Any:
        try:
            value = self._constructor.construct_object(node)
        except YAMLError:
            value = self
        if isinstance(value, str | int | float | bool | None):
            return value
        self.mistakes.append(Mistake(place, f"'{node.value}' is neither text nor a number", "quote it to mean text"))
        return None


def _problem(error: MarkedYAMLError) -> str:
    problem = error.problem or error.context or "cannot be parsed"
    return f"{error.context}, {problem}" if error.context and problem.startswith("but ") else problem


def _outward(loc: Loc) -> Iterator[Loc]:
    for length in range(len(loc), -1, -1):
        yield loc[:length]
