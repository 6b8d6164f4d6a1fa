"""Whether a stored plan has what every reader of samples leans on: arms with names, cells of these arms, blocks.

The planner makes sound plans, and a sealed one cannot change unseen; this is for records that were edited or cut.
"""

from __future__ import annotations

from store.errors import LabError
from store.json_file import JsonObject


def check_plan(plan: JsonObject, where: str) -> None:
    """LabError, with the place in the plan, for one that samples cannot be read with."""
    problem = _problem(plan)
    if problem is not None:
        raise LabError(f"{where}: {problem}")


def _problem(plan: JsonObject) -> str | None:
    for name in ("arms", "cells", "blocks"):
        if not isinstance(plan.get(name), list) or not all(isinstance(each, dict) for each in plan[name]):
            return f"{name} must be a list of objects"
    for at, arm in enumerate(plan["arms"]):
        if not isinstance(arm.get("name"), str):
            return f"arms.{at}.name must be a text"
    for at, cell in enumerate(plan["cells"]):
        if not _whole(cell.get("arm")) or not 0 <= cell["arm"] < len(plan["arms"]):
            return f"cells.{at}.arm is none of the {len(plan['arms'])} arms"
        if not _whole(cell.get("size")) or cell["size"] < 0:
            return f"cells.{at}.size must be a number of bytes"
    return None


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
