"""`ibdev2netdev`: which network device belongs to which RDMA port. Its (Up)/(Down) is the network device's state."""

from __future__ import annotations

import re

from readers.port_drafts import emulation_caveat
from readers.ports import Port
from readers.reading import Format, Reading, unread
from readers.text import lines, natural_key

_ROW = re.compile(
    r"^\s*(?:\S+ )?([A-Za-z][A-Za-z0-9_.-]*)\s+port\s+([0-9]{1,3})\s+==>\s+([^\s()]+)\s*(?:\((Up|Down)\))?\s*(?:#.*)?$"
)


def read(text: str) -> Reading:
    """Device, port and netdev, in natural order (mlx5_2 before mlx5_10); the RDMA port's own state is not in it."""
    ports, states, understood = list[Port](), dict[str, str | None](), set[int]()
    for line in lines(text):
        if row := _ROW.match(line.text):
            name = row.group(1)
            ports.append(Port(device=name, port=int(row.group(2)), netdev=row.group(3), caveats=emulation_caveat(name)))
            states[row.group(3)] = row.group(4)
            understood.add(line.number)
    ports.sort(key=lambda port: (natural_key(port.device or ""), port.port or 0))
    return Reading(
        kind=FORMAT.kind,
        ports=tuple(ports),
        facts={"netdev_states": states},
        warnings=("(Up) and (Down) are states of the network devices, not of the RDMA ports",) if ports else (),
        skipped=unread(text, understood),
    )


FORMAT = Format(
    kind="ibdev2netdev",
    title="the output of ibdev2netdev",
    sign=re.compile(r"\sport\s+[0-9]+\s+==>\s+\S", re.MULTILINE),
    read=read,
    holds=("ports",),
)
