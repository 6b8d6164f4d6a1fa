"""Whether two nodes have the same engine, the same UCX (by hashes taken there) and the same time. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from experiments.preflight.checks import Check, failed, passed, warning
from experiments.setup_record.snapshot import Snapshot

SAME_UCX = "same_ucx"
_CLOCK_WARNING_S, _CLOCK_FAILED_S = 1.0, 300.0


def same_engine(nodes: Mapping[str, tuple[Snapshot, str]]) -> Check:
    """`nodes`: snapshot and engine path by node name."""
    digests = {name: node.hashes.get(path) for name, (node, path) in nodes.items()}
    missing = [name for name, digest in digests.items() if digest is None]
    if missing:
        where = ", ".join(f"{nodes[name][1]} of {name}" for name in missing)
        return failed("engine", None, f"the engine is not there or not readable: {where}", "copy the checkout there")
    if len(set(digests.values())) > 1:
        told = ", ".join(f"{name} {str(digest)[:12]}" for name, digest in digests.items())
        return failed("engine", None, f"the nodes have different engines: {told}", "copy the same build to all nodes")
    return passed("engine", None, f"engine {next(iter(digests.values()), '')!s:.12}, the same on all nodes")


def same_ucx(nodes: Mapping[str, tuple[Snapshot, str | None]]) -> Check:
    """`nodes`: snapshot and UCX prefix by node name. Compares the libraries and an ucx.conf beside them, by hash."""
    found: dict[str, dict[str, str | None]] = {}
    for name, (node, prefix) in nodes.items():
        found[name] = {_short(path, prefix): digest for path, digest in node.hashes.items() if _of_ucx(path, prefix)}
    without = [name for name, files in found.items() if not any("libucp" in file for file in files)]
    if without:
        where = ", ".join(f"{nodes[name][1]} of {name}" for name in without)
        advice = "install that UCX on all nodes, or name another one: ucx: {prefix: ...} in the site file"
        return failed("ucx", None, f"no libucp under {where}", advice, requirement=SAME_UCX)
    names = sorted({file for files in found.values() for file in files})
    differing = [file for file in names if len({files.get(file) for files in found.values()}) > 1]
    if differing:
        text = f"the nodes have different UCX files: {', '.join(differing)}"
        return failed("ucx", None, text, "use the same UCX on all nodes", requirement=SAME_UCX)
    prefixes = {str(prefix) for _, prefix in nodes.values()}
    return passed("ucx", None, f"UCX of {', '.join(sorted(prefixes))}, the same on all nodes", SAME_UCX)


def clocks(nodes: Mapping[str, Snapshot]) -> tuple[Check, ...]:
    """The nodes' clocks against this machine's; what the reading itself cannot tell apart is no difference."""
    checks = []
    for name, node in nodes.items():
        if node.clock_offset_s is None:
            continue
        beyond = max(0.0, abs(node.clock_offset_s) - (node.clock_uncertainty_s or 0.0))
        text = f"its clock is {beyond:.0f} s {'ahead of' if node.clock_offset_s > 0 else 'behind'} this machine's"
        advice = "start a time service (chrony, systemd-timesyncd); times of samples would not fit together"
        if beyond > _CLOCK_FAILED_S:
            checks.append(failed("clock", name, text, advice))
        elif beyond > _CLOCK_WARNING_S:
            checks.append(warning("clock", name, text, advice))
    return tuple(checks)


def _of_ucx(path: str, prefix: str | None) -> bool:
    return path == "/etc/ucx/ucx.conf" or (prefix is not None and path.startswith(prefix.rstrip("/") + "/"))


def _short(path: str, prefix: str | None) -> str:
    inside = prefix is not None and path.startswith(prefix.rstrip("/") + "/")
    return str(PurePosixPath(path).relative_to(str(prefix))) if inside else path
