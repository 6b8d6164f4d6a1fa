"""What the perftest programs say when they fail or distrust their own clock."""

from __future__ import annotations

import re

from readers.error_rules import Rule, any_of, apply, rule
from readers.reading import PEER_LOST, Format, Reading, unread
from readers.text import lines

_ECHO = re.compile(
    r"Unable to open file descriptor for socket|Unable to init the socket|Unable to Connect the HCA's through the link"
    r"|Unable to read to socket/rdma_cm|Failed to exchange data between server and clients|^\s*----\s*$"
)
_ZERO = r"GID: 00(?::00){15}"

RULES: tuple[Rule, ...] = (
    rule(
        r"Couldn't connect to (?P<where>\S+)",
        "no listener at {where}: not started, another address, or a firewall",
        "start the server side first and name the address on which it listens",
        exit_code=PEER_LOST,
    ),
    rule(
        r"Failed to modify QP(?: (?P<qp>[0-9]+))? to RTS",
        "the queue pair could not go to RTS: path or attributes of the queue pair",
        "check the path between the ports (subnet, MTU, GID type) and the attributes on both sides",
    ),
    rule(
        r"ethernet_read_keys: Couldn't read remote address",
        "the other side ended during the exchange of keys",
        "read its log; same perftest version and same flags on both sides",
        exit_code=PEER_LOST,
    ),
    rule(
        rf"local address: LID 0000 [^\n]*\n\s*{_ZERO}\s*\n\s*remote address: LID 0000 [^\n]*\n\s*{_ZERO}\s*\n"
        r"Failed to modify QP (?P<qp>[0-9]+) to RTR",
        "queue pair {qp} could not go to RTR: both sides have LID 0 and an all-zero GID, so this is "
        "RoCE without a GID index",
        "choose a GID index per node (-x; show_gids, `./rdmalab doctor`)",
    ),
    rule(
        rf"(?<!{_ZERO.replace('(?::00){15}', ':00' * 15)}\n)Failed to modify QP(?: (?P<qp>[0-9]+))? to RTR",
        "queue pair {qp} could not go to RTR: the address of the other side does not fit",
        "check LIDs, GID index and MTU of both sides",
    ),
    rule(
        r"Conflicting CPU frequency values detected: (?P<one>[0-9.]+) != (?P<other>[0-9.]+)",
        "the CPU frequency is not fixed ({one} against {other} MHz): cycle-based times are suspect",
        "use the performance governor (cpupower frequency-set -g performance) and measure again",
        "warning",
    ),
)


def read(text: str) -> Reading:
    """Findings in the order of the text."""
    explained = apply(RULES, text)
    echoes = {line.number for line in lines(text) if _ECHO.search(line.text)}
    return Reading(kind=FORMAT.kind, findings=explained.told, skipped=unread(text, explained.lines | echoes))


FORMAT = Format(kind="perftest_errors", title="a failure of a perftest program", sign=any_of(RULES), read=read)
