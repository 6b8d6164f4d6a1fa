"""Did a run of operations go where its lane says? Reads over UCX are proven by the consumer's protocol table, as GETs
are; without UCX both engines say which port they drive and each sample which queue pair, and the ports' counters must
hold the bytes.

Pure. Called by experiments.run_evidence, which reads the record and writes lane.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from experiments.lane_proof import PROVEN, REFUTED, UNPROVEN, LaneProof
from experiments.lane_witnesses import ABSENT, CONTRADICTS, SUPPORTS, PortCounters, Witness, port_traffic

_OVER_A_NIC: Final = ("rc_verbs",)
"""What the counters' rule is asked with: queue pairs of the engine's own are such a transport."""


@dataclass(frozen=True, slots=True)
class DrivenPort:
    """The port that one engine says it drives, and the one that the binding names (None: it names none)."""

    role: str
    says: Mapping[str, Any] | None
    bound: str | None


@dataclass(frozen=True, slots=True)
class Moved:
    """Bytes of finished samples by direction, and the queue pairs that carried them."""

    to_consumer: int = 0
    to_owner: int = 0
    queue_pairs: frozenset[int] = field(default_factory=frozenset)

    @property
    def anything(self) -> bool:
        """Whether any sample succeeded."""
        return self.to_consumer > 0 or self.to_owner > 0


def read_sizes(plan: Mapping[str, Any], blocks: Iterable[int]) -> set[int]:
    """The sizes of the reads that the engine ran in these blocks."""
    sizes = set()
    for block in (plan["blocks"][number] for number in blocks):
        for cell in (plan["cells"][number] for number in block["cells"]):
            arm = plan["arms"][cell["arm"]]
            if arm["op"] == "read" and arm["peer"] is None:
                sizes.add(int(cell["size"]))
    return sizes


def moved_by(samples: Iterable[Mapping[str, Any]]) -> Moved:
    """What the sample lines of the engine say was moved; those of peer tools tell no queue pair and count too."""
    to_consumer, to_owner, pairs = 0, 0, set()
    for sample in samples:
        if sample.get("error") is not None:
            continue
        if sample["op"] == "read":
            to_consumer += int(sample["bytes"])
        else:
            to_owner += int(sample["bytes"])
        number = (sample.get("counters") or {}).get("queue_pair")
        if isinstance(number, int) and number > 0:
            pairs.add(number)
    return Moved(to_consumer, to_owner, frozenset(pairs))


def prove_ports(lane: str, ports: Sequence[DrivenPort], moved: Moved) -> LaneProof:
    """The proof of one pair without UCX."""
    witnesses = [_device(port) for port in ports]
    told = f"{len(moved.queue_pairs)} queue pairs of the consumer's" if moved.queue_pairs else "no sample names one"
    witnesses.append(Witness("queue pairs", SUPPORTS if moved.queue_pairs else ABSENT, told))
    for verdict, says in ((REFUTED, CONTRADICTS), (UNPROVEN, ABSENT)):
        found = next((witness for witness in witnesses if witness.says == says), None)
        if found is not None:
            return LaneProof(lane, verdict, f"{found.name}: {found.text}", (), tuple(witnesses), ())
    reason = "; ".join(witness.text for witness in witnesses)
    return LaneProof(lane, PROVEN, reason, (), tuple(witnesses), ())


def port_witnesses(counters: Sequence[PortCounters], moved: Moved) -> tuple[Witness, ...]:
    """Each port's counters against the bytes of both directions."""
    swapped = {"owner": "consumer", "consumer": "owner"}
    found: list[Witness] = []
    if moved.to_consumer:
        found += port_traffic(_OVER_A_NIC, counters, moved.to_consumer)
    if moved.to_owner:
        back = [replace(port, role=swapped[port.role]) for port in counters]
        found += port_traffic(_OVER_A_NIC, back, moved.to_owner)
    return tuple(found)


def _device(port: DrivenPort) -> Witness:
    name = f"port of the {port.role}"
    if port.says is None:
        return Witness(name, ABSENT, "its engine did not say which port it drives")
    drives = f"{port.says.get('device')}:{port.says.get('port')}"
    wanted = port.bound if port.bound is None or ":" in port.bound else f"{port.bound}:1"
    if wanted is not None and drives != wanted:
        return Witness(name, CONTRADICTS, f"it drives {drives}, the binding names {wanted}")
    told = f"{port.role} drives {drives}, {port.says.get('link_layer')}, GID index {port.says.get('gid_index')}"
    return Witness(name, SUPPORTS, told, dict(port.says))
