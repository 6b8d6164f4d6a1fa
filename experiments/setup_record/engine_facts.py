"""Facts that only the engine can tell: the UCX that it loaded or the port that it drives, its environment and limits.

Read from `<role>.json` (docs/formats.md) after a pair has run. What the engine saw replaces what was seen from outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from store.facts import Fact, absent, said


def engine_facts(description: Mapping[str, Any]) -> dict[str, Fact]:
    """Facts of one engine's self-description; keys that it lacks are absent, never guessed."""
    role = str(description.get("role") or "engine")
    source = f"{role}.json"
    ucx = _mapping(description.get("ucx"))
    facts = {
        "engine.version": _of(description, "engine_version", source),
        "engine.binary_sha256": _of(description, "binary_sha256", source),
        "engine.pid": _of(description, "pid", source),
        "engine.cpus_allowed": _text(description.get("cpus_allowed"), source),
        "memory.page_size": _of(description, "kernel_page_bytes", source, "bytes"),
        "limit.cap_ipc_lock": _of(description, "cap_ipc_lock", source),
        "ucx.header_version": _of(ucx, "header", source),
        "ucx.runtime_version": _of(ucx, "runtime", source),
        "ucx.library_path": _of(ucx, "library_path", source),
        "ucx.library_sha256": _of(ucx, "library_sha256", source),
        "ucx.conf_path": _of(ucx, "conf_path", source),
        "ucx.conf_sha256": _of(ucx, "conf_sha256", source),
        "ucx.memory_domains": _text(ucx.get("memory_domains"), source),
    }
    if "memlock_bytes" in description:
        limit = description["memlock_bytes"]
        facts["limit.memlock"] = said("unlimited" if limit is None else limit, source, "bytes")
    for name, value in sorted(_mapping(ucx.get("settings")).items()):
        facts[f"ucx.setting.{name}"] = said(str(value), source)
    for name, value in sorted(_mapping(ucx.get("env")).items()):
        facts[f"environment.{name}"] = said(str(value), source)
    for name, value in sorted(_mapping(description.get("verbs")).items()):
        facts[f"verbs.{name}"] = _of({name: value}, name, source, "bytes" if name.endswith("_bytes") else None)
    for number, arena in enumerate(description.get("arenas") or []):
        facts[f"arena.{number}.registration"] = _of(_mapping(arena), "registration", source)
        facts[f"arena.{number}.bytes"] = _of(_mapping(arena), "bytes", source, "bytes")
    return facts


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _of(data: Mapping[str, Any], key: str, source: str, unit: str | None = None) -> Fact:
    value = data.get(key)
    return said(value, source, unit) if isinstance(value, (bool, int, float, str)) else absent(source, unit)


def _text(value: object, source: str) -> Fact:
    if isinstance(value, list):
        return said(", ".join(str(item) for item in value) or None, source)
    return said(value, source) if isinstance(value, str) else absent(source)
