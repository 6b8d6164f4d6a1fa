"""Which port a lane uses on a node: the one that the site names, or the only one that the lane's selector fits.

A port is never taken because it came first. Pure: ports, lane and a name in, a choice and its checks out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from experiments.config_lane import DeviceSelector, Lane
from experiments.preflight.checks import Check, failed, not_applicable, passed, warning
from experiments.preflight.node_ports import driver_of, is_mlx5, ports_of
from experiments.setup_record.snapshot import Snapshot
from readers.ports import Port, usability
from store.errors import Exit

_KINDS = {"InfiniBand": "IB", "Ethernet": "RoCE"}


@dataclass(frozen=True)
class Choice:
    """The chosen port of one node, None where none may be used, with a check per port and one for the choice."""

    port: Port | None
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class PortSearch:
    """One lane looking for its port on one node. `named`: the site's device there, `mlx5_2:1` or `mlx5_2`, or None."""

    node: Snapshot
    node_name: str
    lane_name: str
    lane: Lane
    named: str | None = None

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """All ports of the node."""
        return ports_of(self.node)

    def choose(self) -> Choice:
        """The port that the site names, else the only one that the lane's selector fits."""
        if self.named is None:
            fitting = [port for port in self.ports if self.against(port) is None]
            chosen = fitting[0] if len(fitting) == 1 else None
            verdict = self._judge_selected(fitting)
        else:
            fitting = [port for port in self.ports if self.named in (port.name, port.device)]
            chosen = fitting[0] if len(fitting) == 1 and self.against(fitting[0]) is None else None
            verdict = self._judge_named(fitting)
        listed = tuple(self._port_check(port, chosen) for port in self.ports)
        return Choice(chosen, (*listed, verdict, *self._caveats(chosen)))

    def against(self, port: Port) -> str | None:
        """Why the lane may not use a port, or None."""
        selector = self.lane.device or DeviceSelector()
        verdict = usability(port, _KINDS.get(selector.link_layer or ""))
        reasons = [] if verdict.usable else [verdict.reason]
        if verdict.usable and verdict.serves == "iWARP":
            reasons.append("it is iWARP, which UCX's verbs transports do not drive")
        if selector.min_rate is not None and (port.rate_gbps or 0) < selector.min_rate:
            had = "rate not known" if port.rate_gbps is None else f"{port.rate_gbps:g} Gb/s"
            reasons.append(f"{had}, at least {selector.min_rate} Gb/s is wanted")
        driver = driver_of(self.node, port)
        if selector.driver is not None and not (driver or "").startswith(selector.driver):
            reasons.append(f"its driver is {driver or 'not known'}, {selector.driver} is wanted")
        elif "mlx5_port" in self.lane.needs and not is_mlx5(self.node, port):
            reasons.append("it is not an mlx5 adapter")
        return "; ".join(reasons) or None

    def _judge_named(self, fitting: list[Port]) -> Check:
        if not self.ports:
            return self._no_ports()
        here = f"here are: {_list(self.ports)}"
        if not fitting:
            text = f"the site names {self.named} for lane {self.lane_name}, and there is no such port"
            return failed("device", self.node_name, text, here, exit_code=Exit.WRONG_LANE)
        if len(fitting) > 1:
            names = ", ".join(port.name for port in fitting)
            return failed("device", self.node_name, f"{self.named} has {len(fitting)} ports", f"name one: {names}")
        reason = self.against(fitting[0])
        if reason is None:
            return passed("device", self.node_name, f"lane {self.lane_name} uses {fitting[0].name}, as the site says")
        others = [port for port in self.ports if self.against(port) is None]
        advice = f"lane {self.lane_name} could use {_list(others)}" if others else here
        # A port that works and is of another kind would carry another lane; one that does not work carries none.
        code = Exit.WRONG_LANE if usability(fitting[0]).usable else Exit.CANNOT_RUN
        text = f"{self.named} cannot carry lane {self.lane_name}: {reason}"
        return failed("device", self.node_name, text, advice, exit_code=code)

    def _judge_selected(self, fitting: list[Port]) -> Check:
        if not self.ports:
            return self._no_ports()
        what = f"lane {self.lane_name} ({_wanted(self.lane)})"
        if not fitting:
            return failed("device", self.node_name, f"no port fits {what}", f"here are: {_list(self.ports)}")
        if len(fitting) > 1:
            names = ", ".join(port.name for port in fitting)
            advice = f"name one in the site file: device: {{{self.lane_name}: '{fitting[0].name}'}}"
            text = f"{len(fitting)} ports fit {what}: {names}"
            return failed("device", self.node_name, text, advice, exit_code=Exit.WRONG_LANE)
        text = f"lane {self.lane_name} uses {fitting[0].name}, the only port that fits ({_wanted(self.lane)})"
        return passed("device", self.node_name, text)

    def _no_ports(self) -> Check:
        told = self.node.commands.get("ibv_devinfo")
        words = told.stderr + told.stdout if told is not None else ""
        if "uverbs" in words and "driver" in words.lower():
            advice = "the kernel has a device, user space no driver for it: install this rdma-core's ibverbs-providers"
        else:
            advice = "no adapter, no driver, or no /dev/infiniband in this container; --lane tcp runs everywhere"
        text = f"lane {self.lane_name} needs an RDMA port, and this node has none"
        return failed("device", self.node_name, text, advice)

    def _port_check(self, port: Port, chosen: Port | None) -> Check:
        what = f"{port.name} {describe(port)}"
        if port is chosen:
            return passed("port", self.node_name, f"{what}: usable, used by lane {self.lane_name}")
        reason = self.against(port)
        told = f"not used: {reason}" if reason else f"usable, not the one that lane {self.lane_name} means"
        return not_applicable("port", self.node_name, f"{what}: {told}")

    def _caveats(self, chosen: Port | None) -> Iterator[Check]:
        if chosen is not None and "rc_verbs" in self.lane.transports and is_mlx5(self.node, chosen):
            text = f"{chosen.name} is an mlx5 adapter driven over plain verbs: a floor, not the hardware's speed"
            advice = "lane rc_mlx5_ib or rc_mlx5_roce measures the hardware"
            yield warning("unaccelerated", self.node_name, text, advice)
        if chosen is not None and "emulated_nic" in chosen.caveats:
            text = f"{chosen.name} is emulated in software: ratios only, no statement about hardware"
            yield warning("emulated_nic", self.node_name, text, "absolute figures need an RDMA adapter")


def describe(port: Port) -> str:
    """`InfiniBand ACTIVE 400 Gb/s MTU 4096 LID 12 SM 3 fw 28.43.2566`, without what is not known."""
    return " ".join(
        part
        for part in (
            port.link_layer or "link layer not known",
            port.state or "state not known",
            f"{port.rate_gbps:g} Gb/s" if port.rate_gbps is not None else "",
            f"MTU {port.active_mtu}" if port.active_mtu is not None else "",
            f"LID {port.lid} SM {port.sm_lid}" if port.link_layer == "InfiniBand" and port.lid else "",
            f"fw {port.firmware}" if port.firmware else "",
        )
        if part
    )


def _wanted(lane: Lane) -> str:
    selector = lane.device or DeviceSelector()
    parts = [
        selector.link_layer or "",
        f"at least {selector.min_rate} Gb/s" if selector.min_rate else "",
        f"driver {selector.driver}" if selector.driver else "",
    ]
    return ", ".join(part for part in parts if part) or "any usable RDMA port"


def _list(ports: tuple[Port, ...] | list[Port]) -> str:
    return ", ".join(f"{port.name} ({describe(port)})" for port in ports) or "none"
