"""Resolves a UCX prefix that a site writes as $VARIABLE, on the node itself, after its environment modules are loaded.

Used by experiments.run_prepare and experiments.doctor before a node is read. Only the folder is taken from there: the
engine's environment stays the one that the lane and the site declare.
"""

from __future__ import annotations

from collections.abc import Callable

from experiments.binding import Binding
from experiments.config_site import Site
from experiments.setup_record import RunOnNode
from store.errors import Exit, LabError

# A login shell, because that is where `module` is defined; what it and the modules print is not the answer.
_SCRIPT = """
name=$1; shift
if [ $# -gt 0 ]; then module load "$@" >&2 || exit 3; fi
printf 'rdmalab-prefix %s\\n' "${!name}"
"""


def prefix_on_node(run_on_node: RunOnNode, node: str, site: Site, written: str) -> str:
    """The prefix as a path of the node. LabError (exit 5) where a module does not load or the variable is not set."""
    if not written.startswith("$"):
        return written
    name = written[1:].strip("{}")
    modules = site.ucx.modules if site.ucx is not None else ()
    rc, out, err = run_on_node(["bash", "-lc", _SCRIPT, "prefix", name, *modules], "")
    found = [line.removeprefix("rdmalab-prefix ") for line in out.splitlines() if line.startswith("rdmalab-prefix ")]
    if rc == 0 and found and found[-1].startswith("/"):
        return found[-1]
    last = (err.strip().splitlines() or [f"{name} is not set there"])[-1]
    loaded = f" after `module load {' '.join(modules)}`" if modules else ""
    raise LabError(
        f"ucx prefix {written} of node {node}{loaded}: {last}",
        advice="correct ucx: {modules: [...], prefix: ...} in the site file; a prefix may be a path too",
        exit_code=Exit.CANNOT_RUN,
    )


def with_prefixes(binding: Binding, site: Site, runner_of: Callable[[str], RunOnNode]) -> Binding:
    """The binding with each node's prefix resolved there; nothing is asked of a node that needs no answer."""
    nodes = []
    for node in binding.nodes:
        if node.ucx_prefix is not None and node.ucx_prefix.startswith("$"):
            prefix = prefix_on_node(runner_of(node.name), node.name, site, node.ucx_prefix)
            nodes.append(node.model_copy(update={"ucx_prefix": prefix}))
        else:
            nodes.append(node)
    return binding.model_copy(update={"nodes": tuple(nodes)})
