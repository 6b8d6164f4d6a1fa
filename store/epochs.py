"""Whether two setups are the same where it matters: a resume that finds another identity starts a new epoch."""

from __future__ import annotations

from store.records import SetupRecord
from store.setup_keys import KeyClass, class_of


def identity_changes(before: dict[str, SetupRecord], after: dict[str, SetupRecord]) -> list[str]:
    """`node.key` of each identity fact that differs between two setups or stands in one of them only, sorted."""
    changed = sorted(before.keys() ^ after.keys())
    for node in sorted(before.keys() & after.keys()):
        one, other = before[node].before, after[node].before
        identity = [key for key in sorted(one.keys() | other.keys()) if class_of(key) is KeyClass.IDENTITY]
        for key in identity:
            if key not in one or key not in other or one[key].value != other[key].value:
                changed.append(f"{node}.{key}")
    return changed
