"""The report's wording and layout: jinja2 templates beside this file. `render_template` fills one in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from analysis import units


def render_template(name: str, context: Mapping[str, Any]) -> str:
    """The filled template; a name that the context lacks is an error. Marked numbers pass through as they are."""
    environment = Environment(
        loader=PackageLoader("reports"),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["cell"] = table_cell
    environment.filters["plural"] = units.plural
    return environment.get_template(name).render(context)


def table_cell(text: object) -> str:
    """A text inside a markdown table: no line breaks, no bars."""
    return str(text).replace("|", "\\|").replace("\n", " ")
