"""Did the bytes go where the lane says? Per size: one_sided, emulated or unproven; for the lane: proven or refuted.

Pure. The run verb and `audit` call `prove_lane` with the record of a pair; `explain --lane` and the preflight use
`judge` on tables alone. Only the consumer's own protocol table is evidence for a GET (the owner's log has none), for
the scope, the operation flags and the memory of the run, and only a row that is no estimate. Fails closed: what is not
shown is unproven, and an unproven size leaves the lane unproven.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from experiments.lane_witnesses import (
    ABSENT,
    CONTRADICTS,
    SUPPORTS,
    PortCounters,
    Witness,
    owner_key,
    paths_taken,
    port_traffic,
)
from readers import ucx_protocols
from readers.protocol_tables import GetEvidence, ProtocolRow, ProtocolTable, get_evidence

PROVEN: Final = "proven"
REFUTED: Final = "refuted"
UNPROVEN: Final = "unproven"

_EMULATED_DEVICES = ("rxe", "siw")


@dataclass(frozen=True, slots=True)
class LaneRule:
    """What a lane promises of its GETs: transports and protocols, the device where one is named, the tables' scopes."""

    name: str
    transports: tuple[str, ...]
    protocols: tuple[str, ...]
    device: str | None = None
    scopes: tuple[str | None, ...] = ("inter-node", "intra-node", None)
    flags: tuple[str | None, ...] | None = (None,)
    """Operation flags of the tables that count: the engine's GETs carry none. None takes all."""


@dataclass(frozen=True, slots=True)
class SizeProof:
    """What is proven of one size. `holds`: proven (as the lane promises), refuted (otherwise), or unproven."""

    size: int
    verdict: str
    zero_copy: bool | None
    holds: str
    reason: str
    row: ProtocolRow | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "size": self.size,
            "verdict": self.verdict,
            "zero_copy": self.zero_copy,
            "holds": self.holds,
            "reason": self.reason,
            "row": None if self.row is None else row_dict(self.row),
        }


@dataclass(frozen=True, slots=True)
class LaneProof:
    """The lane's verdict with its reason, each size, the witnesses, and the caveats that its numbers carry."""

    lane: str
    verdict: str
    reason: str
    sizes: tuple[SizeProof, ...]
    witnesses: tuple[Witness, ...]
    caveats: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON and the report."""
        return {
            "lane": self.lane,
            "verdict": self.verdict,
            "reason": self.reason,
            "sizes": [size.as_dict() for size in self.sizes],
            "witnesses": [witness.as_dict() for witness in self.witnesses],
            "caveats": list(self.caveats),
        }


@dataclass(frozen=True, slots=True)
class PairRecord:
    """What a run's record holds of one pair; what is missing is None or empty."""

    consumer_log: str | None
    consumer: Mapping[str, Any] | None = None
    """The consumer's self-description: its pid and host name the tables that are its own; `lane_check` is its word."""
    owner_domains: Sequence[str] = ()
    md_maps: Sequence[str | int | None] = ()
    consumer_paths: Mapping[str, int] | None = None
    owner_paths: Mapping[str, int] | None = None
    ports: Sequence[PortCounters] = ()
    bytes_moved: int = 0


def rule_of(lane: Mapping[str, Any], device: str | None = None, same_host: bool | None = None) -> LaneRule:
    """The rule of a plan's `lane` object on the device that the binding names.

    `same_host`: True expects intra-node tables, False inter-node ones; None takes both. A table whose title has no
    scope (UCX up to 1.14) counts either way.
    """
    scopes: dict[bool | None, tuple[str | None, ...]] = {True: ("intra-node", None), False: ("inter-node", None)}
    accepts = lane.get("accepts", {})
    return LaneRule(
        name=str(lane.get("name", "?")),
        transports=tuple(lane.get("transports", ())),
        protocols=tuple(accepts.get("get", ())),
        device=device,
        scopes=scopes.get(same_host, ("inter-node", "intra-node", None)),
    )


def judge(tables: Iterable[ProtocolTable], size: int, rule: LaneRule) -> SizeProof:
    """What the tables of one process prove of a GET of `size` bytes on a lane."""
    evidence = get_evidence(tables, size, scopes=rule.scopes, flags=rule.flags)
    if evidence.verdict == "unproven" or evidence.row is None:
        return SizeProof(size, "unproven", None, UNPROVEN, evidence.reason, evidence.row)
    against = _against(evidence, rule)
    holds, reason = (REFUTED, against) if against else (PROVEN, f"{evidence.reason} over {_over(evidence.row)}")
    return SizeProof(size, evidence.verdict, evidence.zero_copy, holds, reason, evidence.row)


def prove_lane(rule: LaneRule, sizes: Iterable[int], record: PairRecord) -> LaneProof:
    """The lane's proof for the sizes that ran, from one pair's record."""
    tables, table_witness = _own_tables(record)
    proofs = tuple(judge(tables, size, rule) for size in sorted(set(sizes)))
    engine = _engine_word(record.consumer)
    if engine.says == CONTRADICTS:
        proofs = tuple(replace(p, holds=REFUTED) if p.holds != PROVEN else p for p in proofs)
    witnesses = (
        table_witness,
        engine,
        owner_key(rule.transports, record.md_maps, record.owner_domains, rule.device),
        paths_taken(record.consumer_paths, record.owner_paths),
        *port_traffic(rule.transports, record.ports, record.bytes_moved),
    )
    verdict, reason = _verdict(proofs, witnesses)
    return LaneProof(rule.name, verdict, reason, proofs, witnesses, caveats_of(proofs, rule, verdict))


def caveats_of(proofs: Iterable[SizeProof], rule: LaneRule, verdict: str) -> tuple[str, ...]:
    """emulated_get, emulated_nic, unaccelerated, multi_rail, lane_unproven: what the numbers of this lane mean less."""
    rows = [proof.row for proof in proofs if proof.row is not None]
    devices = {device for row in rows for device in row.devices} | ({rule.device} if rule.device else set())
    verbs = any(lane.transport.endswith("_verbs") and lane.device.startswith("mlx5") for r in rows for lane in r.lanes)
    asked_verbs = (rule.device or "").startswith("mlx5") and any(t.endswith("_verbs") for t in rule.transports)
    found = {
        "emulated_get": any(proof.verdict == "emulated" for proof in proofs),
        "emulated_nic": any(device.startswith(_EMULATED_DEVICES) for device in devices),
        "unaccelerated": verbs or asked_verbs,
        "multi_rail": any(len(row.devices) > 1 for row in rows),
        "lane_unproven": verdict != PROVEN,
    }
    return tuple(name for name, holds in found.items() if holds)


def row_dict(row: ProtocolRow) -> dict[str, Any]:
    """A row as plain data; `to` None is open, `shares` the percentage of each lane where the row has them."""
    shares = [{"lane": lane.name, "path": lane.path, "percent": lane.share_percent} for lane in row.lanes]
    return {
        "from": row.first,
        "to": row.last,
        "protocol": row.protocol,
        "lanes": list(row.lane_names),
        "estimate": row.estimate,
        "config": row.config,
        "shares": shares if any(share["percent"] is not None for share in shares) else [],
        "count": row.count,
        "truncated": row.truncated,
        "line": row.line,
    }


def _own_tables(record: PairRecord) -> tuple[tuple[ProtocolTable, ...], Witness]:
    """The GET tables that the consumer itself printed: those of its pid, and none of a second process in the file."""
    name = "consumer's table"
    if record.consumer_log is None:
        return (), Witness(name, ABSENT, "the consumer's UCX log is not in the record")
    gets = [table for table in ucx_protocols.read(record.consumer_log).tables if table.is_get]
    pid = None if record.consumer is None else record.consumer.get("pid")
    own = tuple(table for table in gets if pid is None or table.pid == pid)
    others = sorted({f"{table.host}:{table.pid}" for table in gets if table not in own})
    if not own:
        told = f"; those of {', '.join(others)} are another process's and no evidence" if others else ""
        return (), Witness(name, ABSENT, f"no GET table of the consumer (pid {pid}) in its log{told}")
    if pid is None and len({(table.host, table.pid) for table in own}) > 1:
        return (), Witness(
            name, ABSENT, "several processes wrote this log, and the consumer's pid is not in the record"
        )
    told = f"; {len(gets) - len(own)} of {', '.join(others)} left out" if others else ""
    data = {"tables": len(own), "titles": sorted({table.title or "?" for table in own})}
    return own, Witness(
        name, SUPPORTS, f"{len(own)} GET table{'s' if len(own) > 1 else ''} of the consumer{told}", data
    )


def _engine_word(consumer: Mapping[str, Any] | None) -> Witness:
    """What the engine itself concluded after its first GET."""
    check = None if consumer is None else consumer.get("lane_check")
    if not isinstance(check, Mapping):
        return Witness("engine's check", ABSENT, "the engine's own lane check is not in the record")
    says = {"accepted": SUPPORTS, "refused": CONTRADICTS}.get(str(check.get("verdict")), ABSENT)
    return Witness("engine's check", says, str(check.get("text", "")), {"verdict": check.get("verdict")})


def _verdict(proofs: Sequence[SizeProof], witnesses: Sequence[Witness]) -> tuple[str, str]:
    refuted = next((proof for proof in proofs if proof.holds == REFUTED), None)
    if refuted is not None:
        return REFUTED, f"{refuted.size} B: {refuted.reason}"
    contra = next((witness for witness in witnesses if witness.says == CONTRADICTS), None)
    if contra is not None:
        return REFUTED, f"{contra.name}: {contra.text}"
    unproven = next((proof for proof in proofs if proof.holds == UNPROVEN), None)
    if unproven is not None:
        return UNPROVEN, f"{unproven.size} B: {unproven.reason}"
    if not proofs:
        return UNPROVEN, "no size ran"
    return PROVEN, f"each of {len(proofs)} sizes: {', '.join(sorted({proof.reason for proof in proofs}))}"


def _against(evidence: GetEvidence, rule: LaneRule) -> str | None:
    """Why a row is not what the lane promises, or None."""
    row = evidence.row
    if row is None or not row.lanes:
        return "the row names no transport"
    foreign = [lane.name for lane in row.lanes if lane.transport not in rule.transports]
    if foreign:
        return f"{row.protocol} over {', '.join(dict.fromkeys(foreign))}: not a transport of lane {rule.name}"
    if rule.device is not None and rule.device not in row.devices and row.devices != ("memory",):
        return f"{row.protocol} over {_over(row)}, but the lane names device {rule.device}"
    if row.protocol not in rule.protocols:
        accepted = ", ".join(rule.protocols) or "none"
        return f"{row.protocol} over {_over(row)}; lane {rule.name} accepts {accepted}"
    return None


def _over(row: ProtocolRow) -> str:
    """`rc_mlx5/mlx5_0:1`, or with several devices the share of each."""
    if len(row.devices) < 2:
        return ", ".join(row.lane_names) or "?"
    shares: dict[str, int] = {}
    for lane in row.lanes:
        shares[lane.name] = shares.get(lane.name, 0) + (lane.share_percent or 0)
    return " and ".join(f"{share} % on {name}" if share else name for name, share in shares.items())
