"""What no transfer can exceed: the port's data rate after encoding, PCIe, the memory's own copy rate.

Read from the setup record; a record that does not know them bounds nothing. Used by the verdict line_rate_fraction,
by the caveat above_line_rate, by tables and plots.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analysis import units
from analysis.numbers import Source
from store.facts import Fact
from store.json_file import JsonObject
from store.run import Run

COPY_RATE = "memory.copy_rate"

# Share of the signalled rate that is data. sysfs tells InfiniBand's SDR, DDR and QDR (2.5, 5, 10 Gb/s a lane) and FDR
# (14) as signalled; from EDR on, and for Ethernet, it tells data. PCIe is 8b/10b up to 5 GT/s, 128b/130b from 8.
_INFINIBAND = {2.5: 8 / 10, 5.0: 8 / 10, 10.0: 8 / 10, 14.0: 64 / 66}


@dataclass(frozen=True)
class Bound:
    """One limit: its name, bytes a second, words for a sentence, and the facts it was read from."""

    name: str
    bytes_per_second: float
    text: str
    sources: tuple[Source, ...]


def bounds(run: Run | None, arm: JsonObject) -> list[Bound]:
    """Every bound of an arm that the run's setup record knows, the lowest first.

    Port and PCIe bound what goes over the lane's device; the copy rate bounds an arm whose bytes are copied: a get,
    plain staging, or a lane without a device.
    """
    if run is None:
        return []
    devices = {str(node.get("device") or "") for node in (run.binding or {}).get("nodes", [])} - {""}
    copied = arm.get("read") == "get" or arm.get("staging") == "plain" or not devices
    found: list[Bound] = []
    for node, record in run.setup.items():
        facts = record.before
        for device in sorted(devices):
            found += _port(run.name, node, device, facts)
            found += _pcie(run.name, node, device, facts)
        rate = _number(facts, COPY_RATE)
        if copied and rate is not None:
            text = f"the {units.significant(rate)} GB/s memory copy rate of {node}"
            found.append(Bound("memory copy rate", rate * 1e9, text, (_source(run.name, node, COPY_RATE),)))
    return sorted(found, key=lambda bound: (bound.bytes_per_second, bound.text))


def lowest_bound(run: Run | None, arm: JsonObject) -> Bound | None:
    """The bound that binds, or None where the record knows none."""
    found = bounds(run, arm)
    return found[0] if found else None


def _port(run: str, node: str, device: str, facts: Mapping[str, Fact]) -> Iterator[Bound]:
    """The data rate of `port.<device>:<port>.rate`; without a port in the device's name, that of its first port."""
    key = f"port.{device if ':' in device else f'{device}:1'}"
    rate = _number(facts, f"{key}.rate")
    if rate is None:
        return
    layer, width = facts.get(f"{key}.link_layer"), facts.get(f"{key}.width")
    share = 1.0
    if layer is not None and layer.value == "InfiniBand" and width is not None and isinstance(width.value, str):
        share = _INFINIBAND.get(rate / int(width.value.rstrip("X")), 1.0)
    text = f"the {units.significant(rate * share)} Gb/s data rate of {node}'s port"
    yield Bound("port data rate", rate * share * 1e9 / 8, text, (_source(run, node, f"{key}.rate"),))


def _pcie(run: str, node: str, device: str, facts: Mapping[str, Fact]) -> Iterator[Bound]:
    """The slowest hop between the device and the root port: transfers a second x lanes x encoding."""
    key = f"nic.{device.partition(':')[0]}.pcie"
    hops = []
    for hop in range(int(_number(facts, f"{key}.hops") or 0)):
        speed, lanes = _number(facts, f"{key}.hop{hop}.speed"), _number(facts, f"{key}.hop{hop}.width")
        if speed and lanes:
            hops.append((speed * lanes * (8 / 10 if speed <= 5 else 128 / 130), hop))
    if hops:
        rate, hop = min(hops)
        text = f"the {units.significant(rate)} Gb/s of {node}'s PCIe"
        yield Bound("PCIe rate", rate * 1e9 / 8, text, (_source(run, node, f"{key}.hop{hop}.speed"),))


def _source(run: str, node: str, key: str) -> Source:
    return Source(run, file=f"setup/{node}.json", key=key)


def _number(facts: Mapping[str, Fact], key: str) -> float | None:
    fact = facts.get(key)
    if fact is None or isinstance(fact.value, bool) or not isinstance(fact.value, (int, float)):
        return None
    return float(fact.value)
