"""The key tables of docs/experiments.md, made from the models: every key with its meaning, values and default.

`python -m experiments.schemas` writes them between the marks in the page; a test fails when they are stale.
"""

from __future__ import annotations

import types
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import WithJsonSchema
from pydantic.fields import FieldInfo

from experiments.config_experiment import Arm, Experiment, Layout, Limits, Proof
from experiments.config_fields import ConfigModel
from experiments.config_lane import DeviceSelector, Lane
from experiments.config_operation import OperationArm, OperationsExperiment
from experiments.config_site import Node, Site, Ssh
from experiments.config_verdicts import Verdict
from experiments.sizes import format_size
from store.names import ROOT

PAGE: Final = ROOT / "docs" / "experiments.md"
TABLES: Final[dict[str, type[ConfigModel]]] = {
    "experiment": Experiment,
    "arm": Arm,
    "operations": OperationsExperiment,
    "operation_arm": OperationArm,
    "layout": Layout,
    "proof": Proof,
    "limits": Limits,
    "verdicts": Verdict,
    "lane": Lane,
    "device": DeviceSelector,
    "site": Site,
    "node": Node,
    "ssh": Ssh,
}
_BYTE_KEYS: Final = ("chunk", "piece", "registered_bytes", "arena_bytes", "working_set")


def table(model: type[ConfigModel]) -> str:
    """The table of a model's keys in markdown."""
    rows = ["| key | meaning | values | default |", "| --- | --- | --- | --- |"]
    for name, field in model.model_fields.items():
        key = field.alias or name
        meaning = " ".join((field.description or "").split()).rstrip(".")
        meaning = meaning[:1].lower() + meaning[1:]
        rows.append(f"| `{key}` | {meaning} | {_values(field)} | {_default(key, field)} |")
    return "\n".join(rows)


def updated(page: str) -> str:
    """The page with each table between its marks made anew; ValueError where a mark is missing."""
    for name, model in TABLES.items():
        begin, end = f"<!-- keys: {name} -->\n", "<!-- end -->"
        head, mark, rest = page.partition(begin)
        _, closing, tail = rest.partition(end)
        if not mark or not closing:
            raise ValueError(f"docs/experiments.md: no place for the keys of '{name}'")
        page = f"{head}{begin}{table(model)}\n{end}{tail}"
    return page


def is_stale(path: Path = PAGE) -> bool:
    """Whether the page's tables differ from the models."""
    page = path.read_text(encoding="utf-8")
    return page != updated(page)


def write(path: Path = PAGE) -> bool:
    """Brings the page up to date; whether it changed."""
    page = path.read_text(encoding="utf-8")
    new = updated(page)
    path.write_text(new, encoding="utf-8")
    return new != page


def _default(key: str, field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ((), {}):
        return "absent"
    if isinstance(value, ConfigModel):
        return "see below" if type(value) in TABLES.values() else "absent"
    if isinstance(value, tuple):
        return ", ".join(f"`{each}`" for each in value)
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{format_size(value) if key in _BYTE_KEYS else value}`"


def _values(field: FieldInfo) -> str:
    others = [each for each in get_args(field.annotation) if get_origin(each) is Literal]
    if _is_size([*field.metadata, *_metadata_of(field.annotation)]):
        return " or ".join(["list: size" if get_origin(field.annotation) is tuple else "size", *map(_told, others)])
    return _told(field.annotation)


def _metadata_of(annotation: Any) -> list[Any]:
    """The metadata of the annotated members of a union, in one list."""
    return [each for member in get_args(annotation) for each in getattr(member, "__metadata__", ())]


def _is_size(metadata: Any) -> bool:
    """Whether a type is one of those that read `4KiB`: they alone bring a JSON Schema of their own."""
    return any(isinstance(each, WithJsonSchema) for each in metadata)


def _told(annotation: Any) -> str:
    """The possible values of a type, for people."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return "size" if _is_size(arguments[1:]) else _told(arguments[0])
    if origin is None:
        return _told_plain(annotation)
    if origin is Literal:
        return ", ".join(f"`{each}`" for each in arguments)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(filter(None, (_told(each) for each in arguments))))
    return f"{'list' if origin is tuple else 'mapping'}: {_told(arguments[0 if origin is tuple else 1])}"


def _told_plain(annotation: Any) -> str:
    if isinstance(annotation, type) and issubclass(annotation, ConfigModel):
        keys = ", ".join(f"`{field.alias or name}`" for name, field in annotation.model_fields.items())
        return annotation.noun if annotation in TABLES.values() else keys
    return {bool: "`true`, `false`", int: "number", float: "number", str: "text"}.get(annotation, "")
