"""The command group that imports a verb's module only when that verb is used, so that `--help` stays fast.

`cli.main` lists the verbs; this file turns one line of that list into a command. Nothing else uses it.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperArgument, TyperGroup
from typer.main import get_command as build_command

if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb: its name, the module and the attribute that hold it, and what `--help` says about it.

    The attribute is a function with typer's annotations, or a `typer.Typer` when the verb has verbs of its own.
    A verb returns None or an exit code, or raises LabError.
    """

    name: str
    module: str
    attribute: str
    help: str
    passes_options_on: bool = False  # unknown options are words of its last argument


def load(verb: Verb) -> Command:
    """The command behind a verb; imports its module."""
    target = getattr(importlib.import_module(verb.module), verb.attribute)
    if isinstance(target, typer.Typer):
        command = build_command(target)
        command.name = verb.name
        return _without_types(command)
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name=verb.name, context_settings={"ignore_unknown_options": verb.passes_options_on})(target)
    return _without_types(build_command(app))


def _without_types(command: Command) -> Command:
    """The help of an argument is its name and text: typer would put `<str>` between them, which says nothing here."""
    for each in (command, *getattr(command, "commands", {}).values()):
        for argument in (one for one in each.params if isinstance(one, TyperArgument)):
            setattr(argument, "display_type_rich", lambda ctx: "")  # noqa: B010 - a method, which mypy guards
    return command


def plain_group(text: str) -> typer.Typer:
    """A verb that has verbs of its own; its help looks like that of the others."""
    return typer.Typer(
        no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, help=text
    )


class VerbGroup(TyperGroup):
    """A group whose commands are imported on use. Subclassed by `group_of`, which fills in `verbs`."""

    verbs: Sequence[Verb] = ()

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._by_name = {verb.name: verb for verb in self.verbs}
        # Names only: the base class offers the nearest of them after a slip of the keyboard.
        self.commands = dict.fromkeys(self._by_name)  # type: ignore[assignment]

    def list_commands(self, ctx: Context) -> list[str]:
        return list(self._by_name)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        verb = self._by_name.get(cmd_name)
        return None if verb is None else load(verb)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(verb.name, verb.help) for verb in self.verbs])


def group_of(verbs: Sequence[Verb]) -> type[VerbGroup]:
    """A VerbGroup class bound to `verbs`; a name that stands twice is a ValueError."""
    names = [verb.name for verb in verbs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"verbs listed twice: {', '.join(twice)}")
    return type("BoundVerbGroup", (VerbGroup,), {"verbs": tuple(verbs)})
