"""The keys of a setup record and what a difference in each means. A key's class is the first pattern that matches.

identity: another value is another setup; a resumed run starts a new epoch and `compare` says so.
tolerant: a number that moves a little by itself; a difference above `TOLERANCE` counts.
volatile: changes from minute to minute (load, counters); shown, never compared.

Keys are dotted words; a device or port stands as one word (`port.mlx5_2:1.state`). `*` stands for one or more words.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from store.errors import LabError


class KeyClass(StrEnum):
    """What a difference in a setup fact means."""

    IDENTITY = "identity"
    TOLERANT = "tolerant"
    VOLATILE = "volatile"


TOLERANCE = 0.01
"""Relative difference up to which two values of a tolerant key are the same."""

_I, _T, _V = KeyClass.IDENTITY, KeyClass.TOLERANT, KeyClass.VOLATILE

PATTERNS: tuple[tuple[str, KeyClass], ...] = (
    # The machine.
    ("host.name", _V),
    ("host.boot_id", _V),
    ("host.uptime", _V),
    ("host.arch", _I),
    ("host.virtualisation", _I),
    ("host.product", _I),
    ("cpu.mhz", _T),
    ("cpu.throttle.*", _V),
    ("cpu.load", _V),
    ("cpu.*", _I),
    ("numa.*", _I),
    ("memory.total", _T),
    ("memory.huge.free.*", _V),
    ("memory.huge.*", _I),
    ("memory.transparent_huge", _I),
    ("memory.page_size", _I),
    ("memory.available", _V),
    ("memory.copy_rate", _V),
    ("memory.swap.*", _V),
    ("memory.pressure.*", _V),
    ("kernel.*", _I),
    ("os.*", _I),
    ("clock.source", _I),
    ("clock.*", _V),
    ("limit.*", _I),
    ("cgroup.path", _V),
    ("cgroup.*", _I),
    ("control.counter.*", _V),
    ("control.*", _I),
    # RDMA devices and their ports.
    ("rdma.*", _I),
    ("nic.*.node_guid", _V),
    ("nic.*.sys_image_guid", _V),
    ("nic.*.pcie.errors.*", _V),
    ("nic.*", _I),
    ("port.*.counter.*", _V),
    ("port.*.gids", _V),
    ("port.*.lid", _V),
    ("port.*.sm_lid", _V),
    ("port.*", _I),
    # Software that takes part.
    ("ucx.library_path", _V),
    ("ucx.conf_path", _V),
    ("ucx.setting.UCX_LOG_FILE", _V),
    ("ucx.setting.UCX_DYNAMIC_TL_PROGRESS_FACTOR", _V),  # printed through a calibration of each process's own
    ("ucx.*", _I),
    ("verbs.gid", _V),
    ("verbs.lid", _V),
    ("verbs.*", _I),  # the port that an engine without UCX drives, and who connects its queue pairs
    ("environment.*", _I),
    ("engine.pid", _V),
    ("engine.*", _I),
    ("arena.*", _I),
    ("tool.*", _V),
)


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], KeyClass], ...]:
    return tuple((re.compile(re.escape(text).replace(r"\*", ".+")), kind) for text, kind in PATTERNS)


@cache
def class_of(key: str) -> KeyClass:
    """The class of `key`; LabError for a key that no pattern knows, so that a new fact is classed when it is added."""
    for pattern, kind in _compiled():
        if pattern.fullmatch(key):
            return kind
    raise LabError(f"no class for the setup key {key!r}", advice="add it to store/setup_keys.py")


def same(key: str, before: object, after: object) -> bool:
    """Whether two values of `key` count as the same setup. Volatile keys always do."""
    kind = class_of(key)
    if kind is KeyClass.VOLATILE or before == after:
        return True
    numbers = isinstance(before, (int, float)) and isinstance(after, (int, float))
    if kind is KeyClass.IDENTITY or not numbers:
        return False
    assert isinstance(before, (int, float)) and isinstance(after, (int, float))
    return abs(before - after) <= TOLERANCE * max(abs(before), abs(after))
