"""Facts of the UCX that a node would load, as its own `ucx_info -v` tells them, and of inherited UCX_* variables."""

from __future__ import annotations

import re

from experiments.setup_record.snapshot import Snapshot
from store.facts import Fact, said


def ucx_facts(node: Snapshot) -> dict[str, Fact]:
    """Build configuration and inherited variables. The run time itself is told by the engine (`engine_facts`)."""
    text = node.output("ucx_info") or ""
    configure = re.search(r"^# Configured with: (.+)$", text, re.MULTILINE)
    facts = {"ucx.build_configuration": said(configure.group(1) if configure else None, "ucx_info -v")}
    inherited = [f"{name}={value}" for name, value in sorted(node.environment.items())]
    facts["environment.inherited"] = said(inherited, "environment of a process started like the engine")
    return facts
