"""Proves a run's lane from its record, pair by pair, and writes it down as lane.json. Thin: `lane_proof` judges.

Called by experiments.run_experiment before a run is sealed. Fails closed: a refuted lane, or an unproven one where
the plan requires proof and nobody waived it, makes the run exit 3, and then it has no report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from experiments.binding import Binding
from experiments.lane_proof import PROVEN, REFUTED, UNPROVEN, LaneProof, PairRecord, prove_lane, rule_of
from experiments.lane_witnesses import CONTRADICTS, PortCounters, Witness, port_traffic
from experiments.operation_proof import DrivenPort, Moved, moved_by, port_witnesses, prove_ports, read_sizes
from store.run import Pair, Run

FORMAT: Final = "rdmalab.lane_proof"
NOT_APPLICABLE: Final = "not_applicable"
REQUIREMENT: Final = "lane_proven"
LOG_BYTES: Final = 4 << 20
_METRIC: Final = re.compile(r"^(?P<name>\w+)\{(?P<labels>[^}]*)\} (?P<value>[0-9.e+]+)$", re.MULTILINE)
_FELL_BACK: Final = ("decode_error", "pool_exhausted", "get_failed")  # the owner had offered a read
_LABEL: Final = re.compile(r'(\w+)="([^"]*)"')


@dataclass(frozen=True)
class RunProof:
    """The lane's verdict over all pairs, and what each pair and the ports' counters say."""

    lane: str
    verdict: str
    reason: str
    pairs: Mapping[int, LaneProof]
    ports: tuple[Witness, ...]

    def as_json(self) -> dict[str, Any]:
        """The content of lane.json."""
        caveats = dict.fromkeys(caveat for proof in self.pairs.values() for caveat in proof.caveats)
        return {
            "format": FORMAT,
            "version": 1,
            "lane": self.lane,
            "verdict": self.verdict,
            "reason": self.reason,
            "caveats": list(caveats),
            "pairs": [{"pair": number, **proof.as_dict()} for number, proof in self.pairs.items()],
            "ports": [witness.as_dict() for witness in self.ports],
        }


def prove_run(run: Run, binding: Binding) -> RunProof:
    """The proof of a run's lane, by whichever engine measured."""
    return _prove_operations(run, binding) if run.plan.get("engine") == "operations" else _prove_gets(run, binding)


def _prove_gets(run: Run, binding: Binding) -> RunProof:
    """The proof of a run's lane for the RDMA sizes that ran; not applicable where no arm took that path."""
    lane = run.plan["lane"]
    rule = rule_of(lane, binding.node("consumer").device)
    rdma = _rdma_cells(run.plan)
    proofs: dict[int, LaneProof] = {}
    for pair in run.pairs:
        sizes = {rdma[cell] for block in pair.source.blocks for cell in _cells(run.plan, block) if cell in rdma}
        if sizes:
            proofs[pair.number] = prove_lane(rule, sizes, _record(pair))
    counted = _ports(run, binding)
    ports = port_traffic(rule.transports, counted, _bytes_by_rdma(run) if counted else 0)
    return _over_all(str(lane["name"]), proofs, ports, "no transfer took the RDMA path")


def _prove_operations(run: Run, binding: Binding) -> RunProof:
    """Reads over UCX by the consumer's table; without UCX by ports, queue pairs and counters."""
    lane, name = run.plan["lane"], str(run.plan["lane"]["name"])
    ours = [pair for pair in run.pairs if not _is_peers(run.plan, pair)]
    if lane.get("backend") == "verbs":
        moved = {pair.number: moved_by(line.data for line in pair.source.samples()) for pair in run.pairs}
        every = {pair.number: prove_ports(name, _driven(pair, binding), moved[pair.number]) for pair in ours}
        # A pair of which every cell failed claims nothing, and its failure is told as such.
        proofs = {n: proof for n, proof in every.items() if moved[n].anything or proof.verdict == REFUTED}
        total = Moved(sum(each.to_consumer for each in moved.values()), sum(each.to_owner for each in moved.values()))
        return _over_all(
            name, proofs, port_witnesses(_ports(run, binding), total), "no sample of the engine's succeeded"
        )
    rule = rule_of(lane, binding.node("consumer").device)
    sizes = {pair.number: read_sizes(run.plan, pair.source.blocks) for pair in ours}
    proofs = {
        pair.number: prove_lane(rule, sizes[pair.number], replace(_record(pair), consumer_paths=None, owner_paths=None))
        for pair in ours
        if sizes[pair.number]
    }
    return _over_all(name, proofs, (), "a protocol table proves reads, and no read ran")


def _is_peers(plan: Mapping[str, Any], pair: Pair) -> bool:
    return any(plan["blocks"][block].get("peer") for block in pair.source.blocks)


def _driven(pair: Pair, binding: Binding) -> list[DrivenPort]:
    return [
        DrivenPort(bound.role, _json(pair.path / f"{bound.role}.json").get("verbs"), bound.device)
        for bound in binding.nodes
    ]


def _over_all(name: str, proofs: dict[int, LaneProof], ports: tuple[Witness, ...], nothing: str) -> RunProof:
    """The verdict over all pairs: the worst one; contradicting counters refute what the pairs say."""
    if not proofs:
        return RunProof(name, NOT_APPLICABLE, nothing, {}, ports)
    contradicting = next((witness for witness in ports if witness.says == CONTRADICTS), None)
    if contradicting is not None:
        return RunProof(name, REFUTED, f"{contradicting.name}: {contradicting.text}", proofs, ports)
    for verdict in (REFUTED, UNPROVEN):
        for number, proof in proofs.items():
            if proof.verdict == verdict:
                return RunProof(name, verdict, f"pair {number}: {proof.reason}", proofs, ports)
    return RunProof(name, PROVEN, next(iter(proofs.values())).reason, proofs, ports)


def _cells(plan: Mapping[str, Any], block: int) -> list[int]:
    blocks = plan["blocks"]
    return list(blocks[block]["cells"]) if block < len(blocks) else []


def _rdma_cells(plan: Mapping[str, Any]) -> dict[int, int]:
    """Cell id -> size of the cells whose bytes a GET carries."""
    arms = plan["arms"]
    return {
        index: int(cell["size"])
        for index, cell in enumerate(plan["cells"])
        if arms[cell["arm"]].get("path") == "rdma" and int(cell["size"]) >= int(arms[cell["arm"]].get("min_bytes", 0))
    }


def _bytes_by_rdma(run: Run) -> int:
    """What GETs brought in finished blocks, by the samples: one that fell back or failed went another way, or none."""
    return sum(int(line.data.get("bytes") or 0) for line in run.samples() if line.data.get("path") == "rdma")


def _record(pair: Pair) -> PairRecord:
    owner = _json(pair.path / "owner.json")
    return PairRecord(
        consumer_log=_text(pair.path / "consumer.ucx.log"),
        consumer=_json(pair.path / "consumer.json"),
        owner_domains=tuple((owner.get("ucx") or {}).get("memory_domains") or ()),
        md_maps=_md_maps(pair),
        consumer_paths=_paths(_text(pair.path / "consumer.metrics"), "rdmalab_gets_total", _consumer_path),
        owner_paths=_paths(_text(pair.path / "owner.metrics"), "rdmalab_offers_total", _owner_path),
    )


def _md_maps(pair: Pair) -> tuple[str, ...]:
    """The distinct domain maps of the packed keys that the pair's samples used."""
    found: dict[str, None] = {}
    with pair.source.path.open("rb") as lines:
        for line in lines:
            match = re.search(rb'"md_map":"([^"]*)"', line)
            if match:
                found[match.group(1).decode()] = None
    return tuple(found)


def _paths(text: str | None, metric: str, path_of: Callable[[Mapping[str, str]], str]) -> dict[str, int] | None:
    if text is None:
        return None
    counts = {"rdma": 0, "chunked": 0}
    for found in _METRIC.finditer(text):
        if found["name"] == metric:
            path = path_of(dict(_LABEL.findall(found["labels"])))
            counts[path] = counts.get(path, 0) + int(float(found["value"]))
    return counts


def _consumer_path(labels: Mapping[str, str]) -> str:
    if labels.get("path") == "rdma":
        return "rdma"
    if labels.get("reason") in _FELL_BACK:
        return "fell_back"
    return "chunked" if labels.get("result") == "ok" else "failed"


def _owner_path(labels: Mapping[str, str]) -> str:
    return "rdma" if labels.get("refusal") == "none" else "chunked"


def _ports(run: Run, binding: Binding) -> list[PortCounters]:
    ports = []
    for bound in binding.nodes:
        record = run.setup.get(bound.name)
        if record is None or bound.device is None:
            continue
        prefix = f"port.{bound.device}.counter."
        before, after = (
            {
                key.removeprefix(prefix): int(fact.value)
                for key, fact in facts.items()
                if key.startswith(prefix) and isinstance(fact.value, int)
            }
            for facts in (record.before, record.after)
        )
        mtu = record.before.get(f"port.{bound.device}.mtu")
        size = int(mtu.value) if mtu is not None and isinstance(mtu.value, int) else None
        ports.append(PortCounters(bound.name, bound.role, bound.device, size, before or None, after or None))
    return ports


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(path: Path) -> str | None:
    try:
        with path.open("rb") as source:
            return source.read(LOG_BYTES).decode("utf-8", errors="replace")
    except OSError:
        return None
