"""One node's setup record: takes a snapshot and reads every fact out of it. `run` calls it before and after a run."""

from __future__ import annotations

from experiments.setup_record.machine_facts import machine_facts
from experiments.setup_record.rdma_facts import control_facts, rdma_facts
from experiments.setup_record.snapshot import RunOnNode, Snapshot, take_snapshot
from experiments.setup_record.sources import Asked
from experiments.setup_record.ucx_facts import ucx_facts
from store.facts import Fact


def collect(run_on_node: RunOnNode, *, control: str | None = None, ucx_prefix: str | None = None) -> dict[str, Fact]:
    """Reads a node in one call and returns its facts, keys as in `store.setup_keys`.

    `control` is the interface of the control path, `ucx_prefix` the UCX that the lane will load there.
    LabError, exit 5, where the node cannot be read.
    """
    return facts_of(take_snapshot(run_on_node, Asked(() if ucx_prefix is None else (ucx_prefix,))), control=control)


def facts_of(node: Snapshot, *, control: str | None = None) -> dict[str, Fact]:
    """All facts of a snapshot, sorted by key."""
    facts = machine_facts(node) | rdma_facts(node) | control_facts(node, control) | ucx_facts(node)
    return dict(sorted(facts.items()))
