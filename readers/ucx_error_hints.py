"""Values that `ucx_error_rules` works out from a matched message: likely names, what is on offer, kinds of memory."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

_KNOWN = (
    "UCX_TLS",
    "UCX_NET_DEVICES",
    "UCX_SHM_DEVICES",
    "UCX_ACC_DEVICES",
    "UCX_PROTO_INFO",
    "UCX_PROTO_ENABLE",
    "UCX_LOG_LEVEL",
    "UCX_LOG_FILE",
    "UCX_IB_GID_INDEX",
    "UCX_IB_SL",
    "UCX_IB_TRAFFIC_CLASS",
    "UCX_IB_PCI_RELAXED_ORDERING",
    "UCX_RNDV_THRESH",
    "UCX_RNDV_SCHEME",
    "UCX_ZCOPY_THRESH",
    "UCX_BCOPY_THRESH",
    "UCX_MAX_RNDV_RAILS",
    "UCX_MAX_EAGER_RAILS",
    "UCX_MEMTYPE_CACHE",
    "UCX_MEM_EVENTS",
    "UCX_MM_ERROR_HANDLING",
    "UCX_SOCKADDR_TLS_PRIORITY",
    "UCX_UD_TIMEOUT",
    "UCX_RC_TIMEOUT",
    "UCX_RC_RETRY_COUNT",
    "UCX_TCP_CM_REUSEADDR",
    "UCX_KEEPALIVE_INTERVAL",
    "UCX_HANDLE_ERRORS",
    "UCX_WARN_UNUSED_ENV_VARS",
    "UCX_UNIFIED_MODE",
    "UCX_MODULE_DIR",
)


_MEMORY_BITS = {"0x2": "it is GPU memory (cuda)", "0x8": "it is GPU memory (rocm)"}


def likely_variables(values: Mapping[str, str]) -> Mapping[str, str]:
    """Names the unknown variables, and for each the one that was likely meant: UCX's own hint, or the nearest known."""
    names = list(dict.fromkeys(re.findall(r"\bUCX_[A-Z0-9_]+", values["names"].split("(set ")[0])))
    hints = dict(re.findall(r"(UCX_[A-Z0-9_]+) \(maybe: (UCX_[A-Z0-9_]+)", values["names"]))
    unknown = [name for name in names if name not in hints.values()]
    likely = {
        name: hints.get(name) or next(iter(difflib.get_close_matches(name, _KNOWN, 1, 0.8)), "") for name in unknown
    }
    told = ", ".join(f"{name} (likely {meant})" for name, meant in likely.items() if meant)
    listed = ", ".join(unknown) or values["names"]
    hint = f": {told}" if told else " (`ucx_info -c` lists all)"
    return {
        "variables": f"{listed} {'are' if len(unknown) > 1 else 'is'}",
        "advice": f"correct the spelling{hint}, then run again: neither pin nor table of this run counts",
    }


def offered_instead(values: Mapping[str, str]) -> Mapping[str, str]:
    """Advice by what is on offer: where it is tcp alone, no RDMA device is visible to this UCX at all."""
    kinds = set(re.findall(r"\(([a-z_]+)\)", values["offer"]))
    general = (
        "fix the device name (UCX_NET_DEVICES, the site's device map) or the node (`./rdmalab doctor` lists its ports)"
    )
    unseen = "; no RDMA device is visible here: in a container pass /dev/infiniband in, or use a UCX built with verbs"
    return {"advice": general + (unseen if kinds == {"tcp"} else "") + ". This is not a network fault"}


def memory_kind(values: Mapping[str, str]) -> Mapping[str, str]:
    """What the memory-type bit of a failed registration says about the buffer."""
    return {"kind": _MEMORY_BITS.get(values["bit"], "not host memory, or not mapped")}
