"""Where an answer holds, in few words: the lane and how its GETs are carried. Every answer line starts with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analysis.study import Study

SOFTWARE = "software emulation"


def scope_of(study: Study) -> str:
    """`tcp, emulated GET`; `shm`; `rc_verbs, emulated NIC`; `published figures` where nothing was measured here."""
    lane = study.lane()
    words = [str(lane.get("name", "an unnamed lane"))]
    if emulated_get(study):
        words.append("emulated GET")
    if emulated_nic(study):
        words.append("emulated NIC")
    return ", ".join(words)


def emulated_get(study: Study) -> bool:
    """Whether GETs of this lane are software emulation: all that its GETs may be, or what a process saw."""
    accepted = study.lane().get("accepts", {}).get("get", [])
    used = [str(row.get("protocol")) for row in rows_used(study)]
    return (bool(accepted) and set(accepted) == {SOFTWARE}) or any(SOFTWARE in protocol for protocol in used)


def rows_used(study: Study) -> Iterator[dict[str, Any]]:
    """The rows of the processes' protocol tables that cover a measured size; a row marked (?) is an estimate and none.

    A row: {"from_bytes", "to_bytes" (None: no end), "protocol", "config", "estimate"}.
    """
    for each in study.runs:
        for check in each.engines.lane_checks():
            for row in check.get("rows") or []:
                low, high = row.get("from_bytes") or 0, row.get("to_bytes")
                if not row.get("estimate") and any(low <= s and (high is None or s <= high) for s in study.sizes):
                    yield row


def emulated_nic(study: Study) -> bool:
    """Whether the device is a software one (rxe, siw): named so by its device, or by its driver in the setup."""
    devices = [str(node.get("device") or "") for node in nodes(study)]
    drivers = [str(fact) for fact in setup_values(study, suffix=".driver")]
    return any(name.startswith(("rxe", "siw")) for name in (*devices, *drivers))


def nodes(study: Study) -> list[dict[str, object]]:
    """The nodes of the first run's binding; empty where there is none."""
    run = study.runs[0].run
    binding = run.binding if run is not None else None
    return list(binding.get("nodes", [])) if binding else []


def setup_values(study: Study, suffix: str) -> list[object]:
    """The values of every setup fact whose key ends with `suffix`, over nodes, of the first run's last epoch."""
    run = study.runs[0].run
    if run is None:
        return []
    records = run.setup.values()
    found = (fact.value for record in records for key, fact in record.before.items() if key.endswith(suffix))
    return [value for value in found if value is not None]
