"""What the built engine can do, in its own words (`--describe`), and the refusal of a plan that asks for more.

Used by `plan` and `run` where an engine is built. The lists come from the engine, so a new arm touches no Python.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from store.errors import Exit, LabError

FORMAT: Final = "rdmalab.capabilities"
_DEADLINE_S: Final = 10
_ARM_KEYS: Final = ("path", "op", "read", "via", "copy", "destination", "staging", "progress", "memory")

_OPERATION_KEYS: Final = ("op", "mode", "memory")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The engine's description as it printed it; see docs/formats.md."""

    described: Mapping[str, Any]


def ask_engine(engine: Path, environment: Mapping[str, str]) -> Capabilities:
    """Runs `ENGINE --describe`. LabError (exit 5) when it does not answer in its own format."""
    try:
        done = subprocess.run(
            [str(engine), "--describe"],
            env=dict(environment),
            capture_output=True,
            text=True,
            timeout=_DEADLINE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _unusable(engine, str(error)) from None
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise _unusable(engine, said[-1] if said else f"exit {done.returncode}")
    return parse_capabilities(done.stdout, engine)


def parse_capabilities(text: str, engine: Path) -> Capabilities:
    """The description in `text`; LabError (exit 5) when it is none, or of another version."""
    try:
        described = json.loads(text)
    except ValueError:
        raise _unusable(engine, "its description is not JSON") from None
    if not isinstance(described, dict) or described.get("format") != FORMAT or described.get("version") != 1:
        raise _unusable(engine, f"its description is not {FORMAT} version 1")
    return Capabilities(described)


def check_built(plan: Mapping[str, Any], capabilities: Capabilities) -> None:
    """LabError (exit 5) that names each value of the plan which the engine cannot do, and what it can."""
    missing = list(_missing(plan, capabilities.described))
    if missing:
        raise LabError(
            f"valid, but not built in this engine: {missing[0]}",
            advice="\n  ".join(missing[1:]) or "choose another value, or an engine that has it",
            exit_code=Exit.CANNOT_RUN,
        )


def _missing(plan: Mapping[str, Any], described: Mapping[str, Any]) -> Iterator[str]:
    yield from _unlisted("engine", plan["engine"], described.get("engines"))
    yield from _unlisted("pair", plan["pair"], described.get("pair"))
    yield from _unlisted("order", plan["order"], described.get("order"))
    if plan["engine"] == "operations":
        yield from _missing_operations(plan, described)
        return
    listed = described.get("arm")
    built: Mapping[str, Any] = listed if isinstance(listed, dict) else {}
    layout = described.get("layout")
    most = layout.get("max_blocks", 1) if isinstance(layout, dict) else 1
    for arm in plan["arms"]:
        for key in _ARM_KEYS:
            yield from _unlisted(f"{key} of arm '{arm['name']}'", arm[key], built.get(key))
        if arm["layout"]["blocks"] > most:
            yield f"layout of arm '{arm['name']}' has {arm['layout']['blocks']} blocks (it can: up to {most})"


def _missing_operations(plan: Mapping[str, Any], described: Mapping[str, Any]) -> Iterator[str]:
    yield from _unlisted("backend", plan["lane"]["backend"], described.get("backend"))
    listed = described.get("operation_arm")
    built: Mapping[str, Any] = listed if isinstance(listed, dict) else {}
    for arm in plan["arms"]:
        for key in _OPERATION_KEYS:
            yield from _unlisted(f"{key} of arm '{arm['name']}'", arm[key], built.get(key))


def _unlisted(what: str, value: str, can: Any) -> Iterator[str]:
    if not isinstance(can, list) or value not in can:
        known = ", ".join(map(str, can)) if isinstance(can, list) and can else "nothing listed"
        yield f"{what}: {value} (it can: {known})"


def _unusable(engine: Path, why: str) -> LabError:
    return LabError(f"{engine}: {why}", advice="./rdmalab builds the engine anew", exit_code=Exit.CANNOT_RUN)
