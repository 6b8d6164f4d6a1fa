"""`diff A B`: what differs in the records of two runs: identity facts first, then tolerant, volatile, plan, binding."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.stored import AfterArgument, BeforeArgument, StoreOption
from store.archive import run_folder
from store.errors import Exit
from store.names import default_store

if TYPE_CHECKING:
    from analysis.run_difference import Difference, RunDifference

_WIDEST = 60


def diff(
    before: BeforeArgument,
    after: AfterArgument,
    *,
    store: StoreOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, with whole values.")] = False,
) -> int:
    """Show what differs in setup, plan and binding of two runs. For their figures there is `compare`."""
    from analysis.run_difference import run_difference

    folder = default_store(store)
    found = run_difference(*(run_folder(run, folder) for run in (before, after)))
    print(json.dumps(asdict(found), indent=1) if as_json else "\n".join(_text(found)))
    return int(Exit.DONE)


def _text(found: RunDifference) -> Iterator[str]:
    yield f"A          {found.before}"
    yield f"B          {found.after}"
    shown = [each for group in found.groups.values() for each in group]
    width = max((len(each.key) for each in shown), default=0)
    for name, group in found.groups.items():
        for at, each in enumerate(group):
            yield f"{name if at == 0 else '':<9}  {each.key:<{width}}  {_change(each)}"
    lacking = Counter(why for _, why in found.not_comparable)
    told = ", ".join(f"{count} ({why})" for why, count in sorted(lacking.items()))
    yield f"same       {found.same} facts" + (f"     not comparable: {told}" if told else "")


def _change(each: Difference) -> str:
    from store.setup_keys import TOLERANCE

    within = f" (within {TOLERANCE:.0%})".replace("%", " %") if each.within else ""
    return f"{_value(each.before)} -> {_value(each.after)}{within}"


def _value(value: Any) -> str:
    """One line; long values are cut, since `--json` has them whole."""
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value)
    text = " ".join(text.split())
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."
