"""Builds ports from device and port lines in the order a tool prints them; ibv_devinfo, ibstat and ibstatus use it.

Text may be cut, lines may be missing. A fact that repeats where it can stand only once therefore begins a new, unnamed
device or port: facts of one port are never added to another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from readers.gids import Gid
from readers.ports import Port
from readers.text import number, present, whole

_STATES = {0: "NOP", 1: "DOWN", 2: "INIT", 3: "ARMED", 4: "ACTIVE", 5: "ACTIVE_DEFER"}
_STATE_WORDS = {name: name for name in _STATES.values()} | {"INITIALIZING": "INIT"}
_PHYSICAL = {
    1: "SLEEP",
    2: "POLLING",
    3: "DISABLED",
    4: "PORT_CONFIGURATION_TRAINING",
    5: "LINK_UP",
    6: "LINK_ERROR_RECOVERY",
    7: "PHY_TEST",
}
_PHYSICAL_WORDS = {name.replace("_", ""): name for name in _PHYSICAL.values()}
_GUID = re.compile(r"(?:0x)?((?:[0-9a-fA-F]{4}:){3}[0-9a-fA-F]{4}|[0-9a-fA-F]{16})")
_RATE = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?: Gb/sec(?: \(([0-9]+X)(?: ([A-Z]+[0-9]*))?\))?)?")
_EMULATED_NAMES = ("rxe", "siw")
_EMULATED_VENDORS = {0x626D74: "siw", 0xFFFFFF: "rxe"}


@dataclass(slots=True)
class _PortDraft:
    number: int | None
    facts: dict[str, str] = field(default_factory=dict)
    gids: dict[int, Gid] = field(default_factory=dict)


@dataclass(slots=True)
class _DeviceDraft:
    name: str | None
    facts: dict[str, str] = field(default_factory=dict)
    ports: list[_PortDraft] = field(default_factory=list)


class PortDrafts:
    """Takes lines in the order of the text; `ports()` settles them. Facts are the tool's own strings by Port field."""

    def __init__(self) -> None:
        self._devices: list[_DeviceDraft] = []
        self.warnings: list[str] = []

    def device(self, name: str | None) -> None:
        """A line that begins a device."""
        self._devices.append(_DeviceDraft(name))

    def device_fact(self, key: str, value: str) -> None:
        """A fact of the device; one that comes twice, or after a port, belongs to a device whose first line is lost."""
        if not self._devices or self._devices[-1].ports or key in self._devices[-1].facts:
            self._lost("device")
        self._devices[-1].facts[key] = value

    def port(self, index: int | None) -> None:
        """A line that begins a port of the device."""
        if not self._devices or any(port.number == index for port in self._devices[-1].ports):
            self._lost("device")
        self._devices[-1].ports.append(_PortDraft(index))

    def port_fact(self, key: str, value: str) -> None:
        """A fact of the port; one that comes twice belongs to a port whose first line is lost."""
        draft = self._current()
        if key in draft.facts:
            draft = self._unnumbered()
        draft.facts[key] = value

    def gid(self, gid: Gid) -> None:
        """An entry of the port's GID table."""
        draft = self._current()
        if gid.index in draft.gids:
            draft = self._unnumbered()
        draft.gids[gid.index] = gid

    def ports(self) -> tuple[Port, ...]:
        """All ports; a device without a port line is one port whose number is None."""
        found: list[Port] = []
        for device in self._devices:
            drafts = device.ports or [_PortDraft(None)]
            told = whole(device.facts.get("port_count"))
            if told is not None and told != len(device.ports):
                self.warnings.append(
                    f"{device.name or 'a device'} has {told} ports, {len(device.ports)} are in this text"
                )
            found.extend(_settle(device, draft) for draft in drafts)
        return tuple(found)

    def _current(self) -> _PortDraft:
        if not self._devices:
            self._lost("device")
        if not self._devices[-1].ports:
            self._devices[-1].ports.append(_PortDraft(None))
        return self._devices[-1].ports[-1]

    def _unnumbered(self) -> _PortDraft:
        self.warnings.append("a port's first line is missing; what follows is kept as a port without a number")
        draft = _PortDraft(None)
        self._devices[-1].ports.append(draft)
        return draft

    def _lost(self, what: str) -> None:
        self.warnings.append(f"a {what}'s first line is missing; what follows is kept as a {what} without a name")
        self._devices.append(_DeviceDraft(None))


def _settle(device: _DeviceDraft, draft: _PortDraft) -> Port:
    facts, warnings = draft.facts, list[str]()
    state = state_word(facts.get("state"))
    layer = layer_word(facts.get("link_layer"))
    for key, read in (("state", state), ("link_layer", layer)):
        if read is None and present(facts.get(key)):
            warnings.append(f"{key} {facts[key]!r} is cut or unknown")
    transport = _transport(device.facts.get("transport"))
    ethernet = layer == "Ethernet" or transport == "iWARP"
    lid, sm_lid = lid_of(facts.get("lid")), lid_of(facts.get("sm_lid"))
    if ethernet:
        lid = sm_lid = None
    rate, width, speed = _rate(facts)
    if state == "DOWN":
        stale = {"rate": rate, "LID": lid, "SM LID": sm_lid or None}
        warnings += [
            f"{what} {value:g} is stale or a placeholder: the port is down" for what, value in stale.items() if value
        ]
        rate = lid = sm_lid = None
    vendor = whole(device.facts.get("vendor_id"))
    return Port(
        device=device.name,
        port=draft.number,
        state=state,
        physical_state=physical_word(facts.get("physical_state")),
        link_layer=layer,
        transport=transport,
        rate_gbps=rate,
        width=width,
        speed=speed,
        active_mtu=whole((facts.get("active_mtu") or "").partition(" ")[0]),
        lid=lid,
        sm_lid=sm_lid,
        gids=tuple(draft.gids[index] for index in sorted(draft.gids)),
        firmware=present(device.facts.get("firmware")),
        part_id=whole(device.facts.get("part_id")),
        vendor_id=vendor,
        board_id=present(device.facts.get("board_id")),
        node_guid=guid(device.facts.get("node_guid")),
        sys_image_guid=guid(device.facts.get("sys_image_guid")),
        netdev=present(facts.get("netdev")),
        caveats=emulation_caveat(device.name, vendor),
        warnings=tuple(warnings),
    )


def emulation_caveat(device: str | None, vendor: int | None = None) -> tuple[str, ...]:
    """`emulated_nic` for rxe and siw, by name or by the vendor id that their kernel modules report."""
    emulated = (device or "").startswith(_EMULATED_NAMES) or vendor in _EMULATED_VENDORS
    return ("emulated_nic",) if emulated else ()


def state_word(value: str | None) -> str | None:
    """`PORT_ACTIVE (4)`, `4: ACTIVE`, `Active` or `ACTIVE` as ACTIVE; None where it is cut or contradicts itself."""
    text = (value or "").strip()
    named = re.fullmatch(r"PORT_([A-Z_]+) \(([0-9])\)|([0-9]): ([A-Za-z_]+)|([A-Za-z_]+)", text)
    if not named or (text.startswith("PORT_") and named.group(1) is None):
        return None
    word = _STATE_WORDS.get((named.group(1) or named.group(4) or named.group(5)).upper())
    code = named.group(2) or named.group(3)
    return word if word is not None and (code is None or _STATES.get(int(code)) == word) else None


def physical_word(value: str | None) -> str | None:
    """`LINK_UP (5)`, `5: LinkUp` or `LinkUp` as LINK_UP; None where it is unknown or contradicts itself."""
    named = re.fullmatch(r"([A-Za-z_]+)(?: \(([0-9])\))?|([0-9]): ([A-Za-z_]+)", (value or "").strip())
    if not named:
        return None
    word = _PHYSICAL_WORDS.get((named.group(1) or named.group(4)).upper().replace("_", ""))
    code = named.group(2) or named.group(3)
    return word if word is not None and (code is None or _PHYSICAL.get(int(code)) == word) else None


def layer_word(value: str | None) -> str | None:
    """InfiniBand or Ethernet, or None."""
    text = (value or "").strip()
    return text if text in ("InfiniBand", "Ethernet") else None


def lid_of(value: str | None) -> int | None:
    """A LID; 65535 (0xffff) stands for none."""
    lid = whole(value)
    return None if lid is None or not 0 <= lid < 0xFFFF else lid


def guid(value: str | None) -> str | None:
    """A GUID as four groups of four digits; None where it is cut. All zero is legal (virtual functions, rxe, EFA)."""
    found = _GUID.fullmatch((value or "").strip())
    if not found:
        return None
    digits = found.group(1).replace(":", "").lower()
    return ":".join(digits[i : i + 4] for i in range(0, 16, 4))


def rate_string(value: str | None) -> tuple[float | None, str | None, str | None]:
    """`200 Gb/sec (4X HDR)` or `200` as (200.0, "4X", "HDR"): 10^9 bit/s, width, name of the speed."""
    found = _RATE.fullmatch((value or "").strip())
    return (number(found.group(1)), found.group(2), found.group(3)) if found else (None, None, None)


def _rate(facts: dict[str, str]) -> tuple[float | None, str | None, str | None]:
    if "rate" in facts:
        return rate_string(facts["rate"])
    width = re.fullmatch(r"([0-9]+)X \([0-9]+\)", facts.get("active_width", "").strip())
    speed = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) Gbps \([0-9]+\)", facts.get("active_speed", "").strip())
    rate = int(width.group(1)) * float(speed.group(1)) if width and speed else None
    return rate, f"{width.group(1)}X" if width else None, f"{speed.group(1)} Gbps" if speed else None


def _transport(value: str | None) -> str | None:
    found = re.fullmatch(r"([A-Za-z][A-Za-z ]*?) \((-?[0-9]+)\)", (value or "").strip())
    return found.group(1) if found and found.group(1) != "invalid transport" else None
