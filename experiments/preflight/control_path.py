"""The network of the control messages and of the chunked path: there, up, and not far slower than the lane. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from experiments.preflight.checks import Check, failed, passed, warning
from readers.ports import Port
from store.facts import Fact

FAR_BELOW = 4.0
"""A control network this many times slower than the lane flatters the rdma arm: caveat slow_baseline."""


def control_path(node: str, facts: Mapping[str, Fact], port: Port | None) -> tuple[Check, ...]:
    """Checks of the interface that the site names under `control:`; none where it names none."""
    named = facts.get("control.interface")
    if named is None or named.value is None:
        return ()
    state = facts["control.state"].value
    if state is None:
        text = f"the control interface {named.value} is not there"
        return (failed("control", node, text, "correct control: {interface} in the site file"),)
    if state not in ("up", "unknown"):
        return (failed("control", node, f"the control interface {named.value} is {state}", "bring it up"),)
    rate = facts["control.rate"].value
    told = f"{rate} Mbit/s" if rate is not None else "rate not told by its driver"
    checks = [passed("control", node, f"{named.value} is up, {told}")]
    if isinstance(rate, int) and port is not None and port.rate_gbps and port.rate_gbps * 1000 > FAR_BELOW * rate:
        text = f"the chunked path has {rate / 1000:g} Gb/s, the lane {port.rate_gbps:g} Gb/s"
        checks.append(warning("slow_baseline", node, text, "compare with a baseline over an equally fast network"))
    return tuple(checks)
