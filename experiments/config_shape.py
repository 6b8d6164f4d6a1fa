"""The shape of the config models: which keys a part takes, and which model describes the part at a path.

Used by config_check to name what is possible, and by the tests that keep the documentation's key tables complete.
"""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from experiments.config_fields import ConfigModel
from experiments.config_text import Loc


def keys_of(model: type[BaseModel]) -> list[str]:
    """The keys that a model takes in YAML, in their order."""
    return [field.alias or name for name, field in model.model_fields.items()]


def model_at(root: type[ConfigModel], loc: Loc) -> type[ConfigModel] | None:
    """The model that describes the part at `loc`."""
    here: Any = root
    for part in loc:
        models = _models(here)
        if models:
            fields = {
                field.alias or name: field.annotation for model in models for name, field in model.model_fields.items()
            }
            here = fields.get(str(part))
        else:
            here = _item_type(here)
        if here is None:
            return None
    models = _models(here)
    return models[0] if models else None


def _models(annotation: Any) -> list[type[ConfigModel]]:
    if isinstance(annotation, type) and issubclass(annotation, ConfigModel):
        return [annotation]
    if get_origin(annotation) is Annotated:
        return _models(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [model for each in get_args(annotation) for model in _models(each)]
    return []


def _item_type(annotation: Any) -> Any:
    """The type of the items of a list or mapping, None for a plain value."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _item_type(arguments[0])
    if origin in (Union, UnionType):
        return next((item for each in arguments if (item := _item_type(each)) is not None), None)
    if origin is dict:
        return arguments[1]
    return arguments[0] if origin in (list, tuple) else None
