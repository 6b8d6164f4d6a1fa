"""Turns a parsed config text into its model, or into mistakes that point at the text.

Used by experiments.config. The words for pydantic's own errors are here, in one table; what a model cannot say about
a single field (an arm that a verdict names does not exist) is in config_rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from experiments.config_fields import ConfigModel
from experiments.config_mistakes import Mistake, Mistakes, did_you_mean
from experiments.config_shape import keys_of, model_at
from experiments.config_text import ConfigText, Loc

Model = TypeVar("Model", bound=ConfigModel)


def build(text: ConfigText, model: type[Model]) -> Model:
    """The validated model; raises every mistake of the text at once."""
    try:
        return model.model_validate(text.data, by_alias=True, by_name=False)
    except ValidationError as error:
        details = [detail for detail in error.errors(include_url=False) if not _follows(detail)]
        found = [_explain(detail, text, model) for detail in details]
        raise Mistakes(_one_per_place(found)) from None


def _follows(detail: ErrorDetails) -> bool:
    """Whether the error only follows from others: a list whose entries are all wrong is called too short as well."""
    return detail["type"] == "too_short" and len(detail["input"]) >= detail["ctx"]["min_length"]


def _explain(detail: ErrorDetails, text: ConfigText, root: type[ConfigModel]) -> Mistake:
    loc = _within(text.data, detail["loc"])
    parent, name = model_at(root, loc[:-1]), str(loc[-1]) if loc else ""
    if detail["type"] == "extra_forbidden":
        return _unknown_key(loc, text, parent)
    if detail["type"] == "missing":
        return _missing_key(detail["loc"], text, root)
    if loc and loc in text.keys and detail["loc"][-1:] == ("[key]",):
        return Mistake(text.keys[loc], f"'{name}' cannot be a name here", "small letters, digits, _ + -")
    context, value = detail.get("ctx", {}), detail["input"]
    if detail["type"] == "lab":
        hint = str(context["hint"]) or None
        return Mistake(text.value_at(loc), f"{_where(loc, root)}: {context['message']}", hint)
    wanted, hint = _wanted(detail, value)
    shown = "nothing" if value is None else _shown(value)
    possible = None
    if detail["type"] == "literal_error":
        possible = f"{name if isinstance(loc[-1], str) else _list_name(loc)} is one of: {', '.join(_expected(context))}"
    return Mistake(text.value_at(loc), f"{_where(loc, root)}: {shown} {wanted}", hint, possible=possible)


def _unknown_key(loc: Loc, text: ConfigText, parent: type[ConfigModel] | None) -> Mistake:
    known = keys_of(parent) if parent is not None else []
    noun = parent.noun if parent is not None else "this part"
    inside = _named(loc[:-1], noun)
    message = f"unknown key '{loc[-1]}'{f' in {inside}' if len(loc) > 1 else ''}"
    return Mistake(
        text.key_at(loc), message, did_you_mean(str(loc[-1]), known), possible=f"{noun} takes: {', '.join(known)}"
    )


def _missing_key(loc: Loc, text: ConfigText, root: type[ConfigModel]) -> Mistake:
    parent = model_at(root, loc[:-1])
    noun = parent.noun if parent is not None else "this part"
    place = text.key_at(loc[:-1]) if len(loc) > 1 else text.value_at(())
    return Mistake(place, f"{_named(loc[:-1], noun)} needs the key '{loc[-1]}'", _help_of(parent, str(loc[-1])))


def _help_of(parent: type[ConfigModel] | None, key: str) -> str | None:
    for name, field in (parent.model_fields if parent is not None else {}).items():
        if key in (name, field.alias) and field.description:
            return f"{key}: {field.description}"
    return None


_WANTED: dict[str, Callable[[dict[str, Any]], str]] = {
    "literal_error": lambda context: "is none of the possible values",
    "int_type": lambda context: "is not a whole number",
    "int_from_float": lambda context: "is not a whole number",
    "float_type": lambda context: "is not a number",
    "bool_type": lambda context: "is neither true nor false",
    "string_type": lambda context: "is not text",
    "dict_type": lambda context: "is not a mapping",
    "model_type": lambda context: "is not a mapping",
    "model_attributes_type": lambda context: "is not a mapping",
    "tuple_type": lambda context: "is not a list",
    "string_too_short": lambda context: "is empty",
    "greater_than_equal": lambda context: f"is too small, the least is {context['ge']}",
    "greater_than": lambda context: f"is too small, it must be above {context['gt']}",
    "less_than_equal": lambda context: f"is too large, the largest is {context['le']}",
    "less_than": lambda context: f"is too large, it must be below {context['lt']}",
    "too_short": lambda context: f"has too few entries, the least is {context['min_length']}",
    "string_pattern_mismatch": lambda context: "has characters that it cannot have",
}


def _wanted(detail: ErrorDetails, value: Any) -> tuple[str, str | None]:
    """What is wrong with a value in words, and the hint."""
    context: dict[str, Any] = detail.get("ctx", {})
    kind = detail["type"]
    say = _WANTED.get(kind)
    wanted = say(context) if say is not None else f"is not possible ({detail['msg']})"
    if kind == "literal_error":
        return wanted, did_you_mean(str(value), _expected(context))
    if kind == "tuple_type":
        return wanted, f"write [{value}]" if isinstance(value, str | int | float) else None
    if kind in ("int_type", "float_type", "bool_type") and isinstance(value, list):
        return wanted, "a list never means a sweep: only sizes are swept; make an arm for each value"
    if kind == "bool_type" and str(value).lower() in ("yes", "no", "on", "off"):
        return wanted, f"write {'true' if str(value).lower() in ('yes', 'on') else 'false'}"
    if kind == "string_type" and isinstance(value, int | float):
        return wanted, f"quote it: '{value}'"
    return wanted, None


def _expected(context: dict[str, Any]) -> list[str]:
    return re.findall(r"'([^']*)'", str(context.get("expected", "")))


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"'{text[:60]}...'" if len(text) > 60 else f"'{text}'"


def _where(loc: Loc, root: type[ConfigModel]) -> str:
    """`reps`, `chunk of arm 'rdma'`, `sizes[2]`: the field that a mistake is about."""
    own = model_at(root, loc)
    if own is not None:
        return _named(loc, own.noun)
    last = f"{_list_name(loc)}[{loc[-1]}]" if isinstance(loc[-1], int) else str(loc[-1])
    outer = loc[: -2 if isinstance(loc[-1], int) else -1]
    parent = model_at(root, outer)
    return last if not outer or parent is None else f"{last} of {_named(outer, parent.noun)}"


def _list_name(loc: Loc) -> str:
    return next((str(part) for part in reversed(loc) if isinstance(part, str)), "")


def _named(loc: Loc, noun: str) -> str:
    """`arm 'rdma'` for an arm, `verdict 2` for the second verdict, the noun for anything without a name."""
    bare = noun.removeprefix("an ").removeprefix("a ")
    if not loc or noun.rsplit(maxsplit=1)[-1] == str(loc[-1]) or bare == noun:
        return noun
    return f"{bare} {loc[-1] + 1}" if isinstance(loc[-1], int) else f"{bare} '{loc[-1]}'"


def _within(data: Any, loc: Loc) -> Loc:
    """The part of an error's location that exists in the text: union tags and [key] marks are left out."""
    kept: list[str | int] = []
    for part in loc:
        inside = data if isinstance(data, dict) else dict(enumerate(data)) if isinstance(data, list) else {}
        if part in inside:
            data = inside[part]
            kept.append(part)
    return tuple(kept)


def _one_per_place(found: list[Mistake]) -> list[Mistake]:
    """A union reports each of its members: the one with a near word is shown, else the first."""
    kept: dict[tuple[int, int], Mistake] = {}
    for each in found:
        place = (each.place.line, each.place.column)
        near = each.hint is not None and each.hint.startswith("did you mean")
        if place not in kept or near:
            kept[place] = each
    return list(kept.values())
