"""Caveats about how the bytes travelled: emulation, software devices, unproven lanes, several devices."""

from __future__ import annotations

import re

from analysis.caveats.caveat import Rule
from analysis.scope import emulated_get, emulated_nic, nodes, rows_used
from analysis.study import Study
from analysis.units import plural
from analysis.wording import join

# `rc_mlx5/mlx5_0:1` in a configuration cell, with or without `/path0` after it: transport, then device.
_DEVICE = re.compile(r"\b[a-z]\w*/([\w.-]+(?::\d+)?)")


def _emulated_get(study: Study) -> str | None:
    if not emulated_get(study):
        return None
    return (
        f"{study.lane().get('name')} has no one-sided read, the owner's CPU sends each GET; this is no RDMA measurement"
    )


def _emulated_nic(study: Study) -> str | None:
    if not emulated_nic(study):
        return None
    devices = sorted({str(node.get("device")) for node in nodes(study) if node.get("device")})
    return f"the RDMA device is software ({join(devices) or 'rxe or siw'}): ratios only, no statement about hardware"


def _unaccelerated(study: Study) -> str | None:
    devices = sorted({str(node.get("device")) for node in nodes(study) if str(node.get("device")).startswith("mlx5")})
    transports = [str(name) for name in study.lane().get("transports", [])]
    generic = [name for name in transports if name.endswith("_verbs")]
    if not devices or not generic or any(name.endswith("_mlx5") for name in transports):
        return None
    return f"{join(devices)} was driven over {join(generic)}, not its own transport: a floor, not the hardware's figure"


def _unproven_lane(study: Study) -> str | None:
    judged = [each.engines.lane_proof for each in study.runs if each.engines.lane_proof is not None]
    doubted = [proof for proof in judged if proof.get("verdict") in ("unproven", "refuted")]
    if doubted:
        return f"the lane is {doubted[0]['verdict']}: {doubted[0].get('reason')}"
    if judged or not _checks_expected(study):
        return None
    checks = [check for each in study.runs for check in each.engines.lane_checks()]
    if not checks:
        return "no process recorded which GET protocol it used"
    bad = [check for check in checks if check.get("verdict") != "accepted"]
    if not bad:
        return None
    told = str(bad[0].get("text") or bad[0].get("verdict"))
    return f"the lane is not proven in {len(bad)} of {plural(len(checks), 'check')}: {told}"


def _checks_expected(study: Study) -> bool:
    """Only an rdma arm over UCX makes a GET whose protocol can be checked; only a run with a folder has evidence."""
    has_rdma = any(arm.get("path") == "rdma" for arm in study.arms.values())
    return has_rdma and any(each.run is not None for each in study.runs) and bool(study.lane().get("accepts"))


def _several_devices(study: Study) -> str | None:
    """Two devices in one row are two rails: the figure is not that of the device that the lane names."""
    for row in rows_used(study):
        devices = set(_DEVICE.findall(str(row.get("config", ""))))
        if len(devices) > 1:
            return f"{join(sorted(devices))} carried one GET of {row.get('protocol')}, where one device is measured"
    return None


def _nic_not_registered(study: Study) -> str | None:
    count = total = 0
    for each in study.runs:
        frame = each.samples.samples
        if "nic_registered" not in frame:
            continue
        pinned = (frame["staging_asked"] == "pinned") & (frame["path_asked"] == "rdma")
        asked = frame[pinned.to_numpy(dtype=bool)]
        total += int(asked["nic_registered"].notna().sum())
        count += int(asked["nic_registered"].eq(False).sum())
    if not count:
        return None
    return (
        f"no NIC had registered the memory in {count} of {plural(total, 'sample')} of pinned arms, by the owner's key"
    )


RULES = (
    Rule(
        "emulated_get",
        _emulated_get,
        forbids="statements about RDMA",
        remedy="a lane with one-sided reads: shm on one host, rc_* between nodes",
    ),
    Rule(
        "emulated_nic",
        _emulated_nic,
        forbids="statements about hardware",
        remedy="the same experiment on nodes with RDMA NICs",
    ),
    Rule(
        "unaccelerated",
        _unaccelerated,
        forbids="statements about what the NIC can do",
        remedy="a lane over the device's own transport (rc_mlx5) and a UCX built with it",
    ),
    Rule(
        "unproven_lane",
        _unproven_lane,
        forbids="statements about the lane",
        remedy="a UCX of 1.16 or newer, whose protocol table names the GET's protocol for each size",
    ),
    Rule(
        "several_devices",
        _several_devices,
        forbids="figures per device",
        remedy="name one device in the lane or the site (UCX_NET_DEVICES)",
    ),
    Rule(
        "nic_not_registered",
        _nic_not_registered,
        forbids="calling the arm pinned",
        remedy="a memory domain of the NIC in the lane, and memory that it can register",
    ),
)
