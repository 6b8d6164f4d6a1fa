"""What libibverbs and the rdma tools say when there are no devices or their drivers do not load."""

from __future__ import annotations

import re

from readers.error_rules import Rule, any_of, apply, rule
from readers.reading import CANNOT_RUN, Format, Reading, unread
from readers.text import lines

_NO_RDMA = "there is no RDMA on this node: the kernel has no RDMA support loaded, or no device is visible"
_NO_RDMA_ADVICE = (
    "lanes over tcp and shm run here; for RDMA use a node with a device, or `./rdmalab testbed softroce up`"
)
_SHELL = re.compile(r"^\s*(?:\$ .*|rc=-?[0-9]+|If device exists, check if driver is up)\s*$")

RULES: tuple[Rule, ...] = (
    rule(
        r"Failed to get IB devices list: Function not implemented|Failed to open NETLINK_RDMA socket",
        _NO_RDMA,
        _NO_RDMA_ADVICE,
        exit_code=CANNOT_RUN,
    ),
    rule(
        r"Did not detect devices|Unable to find the Infiniband/RoCE device",
        _NO_RDMA,
        _NO_RDMA_ADVICE,
        exit_code=CANNOT_RUN,
    ),
    rule(
        r"no userspace device-specific driver found for \S+",
        "RDMA hardware exists (the kernel shows it), but no user-space driver fits it",
        "install the matching provider: ibverbs-providers, of the same rdma-core version as libibverbs",
        exit_code=CANNOT_RUN,
    ),
    rule(
        r"couldn't open config directory '(?P<folder>[^']*)'",
        "no user-space driver is configured: {folder} is missing. Whether there is hardware is unknown",
        "install the providers (ibverbs-providers)",
        exit_code=CANNOT_RUN,
    ),
    rule(
        r"version `(?P<version>IBVERBS_PRIVATE_[0-9]+)' not found",
        "libibverbs and its drivers are of different versions ({version} is missing): an old or foreign "
        "libibverbs comes "
        "first on the library path. Which devices exist is unknown",
        "use library and drivers of one rdma-core; look at LD_LIBRARY_PATH",
        exit_code=CANNOT_RUN,
    ),
    rule(
        r"couldn't load driver '(?P<driver>[^']*)': (?![^\n]*IBVERBS_PRIVATE_)[^\n]*cannot open shared object file",
        "the driver {driver} is configured but not installed",
        "harmless where no device needs it",
        "note",
    ),
    rule(
        r"^[ \t]*No IB devices found[ \t]*$",
        "libibverbs found no device",
        "see the warnings before it; without any, this node has no RDMA device",
        exit_code=CANNOT_RUN,
        role="consequence",
    ),
)


def read(text: str) -> Reading:
    """Findings in the order of the text."""
    explained = apply(RULES, text)
    shell = {line.number for line in lines(text) if _SHELL.match(line.text)}
    return Reading(kind=FORMAT.kind, findings=explained.told, skipped=unread(text, explained.lines | shell))


FORMAT = Format("verbs_errors", "messages of libibverbs or the rdma tools", any_of(RULES), read, holds=("ports",))
