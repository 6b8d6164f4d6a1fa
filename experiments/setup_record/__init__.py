"""What a node is, as facts: `collect` before and after a run, `engine_facts` for what the engine saw of itself."""

from experiments.setup_record.collect import collect, facts_of
from experiments.setup_record.engine_facts import engine_facts
from experiments.setup_record.snapshot import RunOnNode, Snapshot, take_snapshot
from experiments.setup_record.sources import Asked

__all__ = ["Asked", "RunOnNode", "Snapshot", "collect", "engine_facts", "facts_of", "take_snapshot"]
