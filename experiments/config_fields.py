"""What the config models share: the strict base model, and field types that read sizes and names.

Used by config_experiment, config_lane and config_site. A model's `noun` is how a mistake inside it is told
("an arm takes: path, op, ...").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from experiments.sizes import SizeError, parse_size, parse_sizes

T = TypeVar("T")


class ConfigModel(BaseModel):
    """A part of a config file: unknown keys are errors, values are never converted from another type, frozen."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)
    noun: ClassVar[str] = "this part"


def mistake(message: str, hint: str | None = None) -> PydanticCustomError:
    """An error that a validator raises: the message stands in the first line, the hint under the caret."""
    return PydanticCustomError("lab", "{message}", {"message": message, "hint": hint or ""})


def _reader(read: Callable[[object], T]) -> Callable[[object], T]:
    def validate(value: object) -> T:
        try:
            return read(value)
        except SizeError as error:
            raise mistake(error.message, error.hint) from None

    return validate


_SIZE_SCHEMA: dict[str, Any] = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]"}]}

Size = Annotated[int, BeforeValidator(_reader(parse_size)), WithJsonSchema(_SIZE_SCHEMA)]
"""Bytes, at least 1; written as 512, 4KiB, 1MiB+4097."""

SizeOrZero = Annotated[
    int, BeforeValidator(_reader(lambda value: parse_size(value, least=0))), WithJsonSchema(_SIZE_SCHEMA)
]
"""Bytes, at least 0."""

SizeEntry = Annotated[tuple[int, ...], BeforeValidator(_reader(parse_sizes)), WithJsonSchema(_SIZE_SCHEMA)]
"""One entry of a list of sizes: a size or a range such as 4KiB..1MiB x2."""

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_+-]{0,39}$")]
"""A name that can stand in a file name and in a dotted path."""

LaneVariable = Annotated[str, StringConstraints(pattern=r"^(UCX_[A-Z0-9_]+|RDMALAB_CONNECT)$")]
EnvironmentVariable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
