"""Reads and writes the run folder's JSON files; each names format and version, an unknown version is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from store import durable
from store.errors import LabError

JsonObject = dict[str, Any]
M = TypeVar("M", bound=BaseModel)
NEWER = "written by a newer rdmalab; read it with that one"


def read_object(path: Path, form: str, version: int) -> JsonObject:
    """The JSON object of `path`, after its `format` and `version` were found to be the ones asked for.

    Raises LabError (exit 1) for a missing, cut or foreign file, and for one of a newer version of the tool.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise LabError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"cannot read {path}: {error}") from error
    return parse_object(text, str(path), form, version)


def parse_object(text: str, where: str, form: str, version: int) -> JsonObject:
    """`text` as a JSON object of the format and version asked for; `where` names it in errors."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise LabError(f"{where}: not JSON, perhaps cut off: {error}") from error
    if not isinstance(value, dict):
        raise LabError(f"{where}: a JSON object was expected, not {type(value).__name__}")
    if value.get("format") != form:
        raise LabError(f"{where}: format {value.get('format')!r} where {form!r} was expected")
    found = value.get("version")
    if found != version:
        newer = isinstance(found, int) and found > version
        advice = NEWER if newer else None
        raise LabError(f"{where}: version {found!r} of {form}; this tool reads version {version}", advice=advice)
    return value


def read_model(path: Path, model: type[M]) -> M:
    """The record of `path`. `model` has `format` and `version` fields whose defaults say what it reads."""
    fields = model.model_fields
    value = read_object(path, fields["format"].default, fields["version"].default)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise LabError(f"{path}: {first_problem(error)}") from error


def first_problem(error: ValidationError) -> str:
    """A validation error in one line: the JSON path and what is wrong there; how many more there are."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    where = ".".join(str(part) for part in problems[0]["loc"]) or "the object"
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{where}: {problems[0]['msg'].lower()}{more}"


def to_bytes(value: BaseModel | JsonObject) -> bytes:
    """The file text of a record: indented, keys in the record's order, ASCII, one trailing newline, no NaN."""
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    return (json.dumps(plain, indent=1, ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")


def write_object(path: Path, value: BaseModel | JsonObject) -> None:
    """Write a record durably."""
    durable.write_file(path, to_bytes(value))
