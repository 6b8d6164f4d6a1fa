"""UCX protocol tables as data, and what they prove about a GET. `ucx_protocols.py` reads them from text.

Only rows under the title "remote memory read by ucp_get*" count for a GET; rows of put, tag, active messages and
rendezvous never do, nor do estimates, marked (?). `get_evidence` is used by `explain` and by the lane proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

ZERO_COPY, COPY_OUT, EMULATION = "zero-copy", "copy-out", "software emulation"
_PROTOCOLS: dict[str, tuple[str, bool | None, str]] = {
    ZERO_COPY: ("one_sided", True, "zero-copy read"),
    COPY_OUT: ("one_sided", False, "one-sided read through a bounce buffer (copy-out)"),
    EMULATION: ("emulated", False, "software emulation: the owner's CPU sends the bytes"),
}


@dataclass(frozen=True, slots=True)
class Lane:
    """One transport and device of a row's configuration cell, with path and share where the cell has them."""

    transport: str
    device: str
    path: str | None = None
    share_percent: int | None = None

    @property
    def name(self) -> str:
        """`rc_mlx5/mlx5_0:1`, without the path."""
        return f"{self.transport}/{self.device}"


@dataclass(frozen=True, slots=True)
class ProtocolRow:
    """One row: sizes `first`..`last` in bytes, inclusive, `last` None is open; cells as printed, empty `config` None.

    `estimate` is the mark (?); `count` how often the row was used, where the table has that column; `truncated` means
    that a cell is cut, so that protocol or lanes may be incomplete.
    """

    first: int
    last: int | None
    protocol: str
    config: str | None
    lanes: tuple[Lane, ...]
    estimate: bool = False
    count: int | None = None
    truncated: bool = False
    line: int = 0

    def covers(self, size: int) -> bool:
        """Whether a message of `size` bytes falls into the row."""
        return self.first <= size and (self.last is None or size <= self.last)

    @property
    def lane_names(self) -> tuple[str, ...]:
        """Distinct `transport/device` names in the order of the cell."""
        return tuple(dict.fromkeys(lane.name for lane in self.lanes))

    @property
    def devices(self) -> tuple[str, ...]:
        """Distinct devices in the order of the cell."""
        return tuple(dict.fromkeys(lane.device for lane in self.lanes))


@dataclass(frozen=True, slots=True)
class ProtocolTable:
    """One table: who printed it (host and pid from the prefix), for which configuration and operation, and its rows.

    `scope` is inter-node, intra-node or self (None up to UCX 1.14, whose titles do not say); `operation` is the title
    up to the memory kinds ("remote memory read by ucp_get*(multi)"), None where the title is not in the text.
    """

    host: str | None
    pid: int | None
    context: str | None
    config_id: str | None
    scope: str | None
    title: str | None
    operation: str | None
    flags: str | None
    local_memory: str | None
    remote_memory: str | None
    rows: tuple[ProtocolRow, ...]
    line: int = 0

    @property
    def is_get(self) -> bool:
        """Whether the table is about `ucp_get*`, and thus can be evidence for a GET."""
        return self.operation is not None and self.operation.startswith("remote memory read by ucp_get")


@dataclass(frozen=True, slots=True)
class GetEvidence:
    """What the tables prove about a GET of one size: one_sided, emulated or unproven; the row that says so, and why."""

    size: int
    verdict: str
    zero_copy: bool | None
    row: ProtocolRow | None
    table: ProtocolTable | None
    reason: str


def get_evidence(
    tables: Iterable[ProtocolTable],
    size: int,
    *,
    scopes: Sequence[str | None] = ("inter-node", "intra-node", None),
    flags: Sequence[str | None] | None = None,
    memory: tuple[str, str] | None = ("host", "host"),
) -> GetEvidence:
    """The verdict for a GET of `size` bytes from those tables that are about GETs of these scopes, flags and memory.

    Args:
        tables: the tables of one process. Several that apply must agree, otherwise nothing is proven.
        size: bytes.
        scopes: accepted scopes; a table of scope `self` says nothing about another process.
        flags: accepted operation flags (None is no flag); all where None.
        memory: local and remote memory kind; any where None.

    A table whose configuration row or memory kinds are lost applies to nothing.
    """
    gets = [table for table in tables if table.is_get]
    able = [table for table in gets if _applies(table, scopes, flags, memory)]
    if not gets:
        return _unproven(size, "no table of 'remote memory read by ucp_get*' in this text")
    if not able:
        seen = ", ".join(sorted({_about(table) for table in gets}))
        return _unproven(size, f"the GET tables in this text are for another case ({seen})")
    verdicts = [_of_table(table, size) for table in able]
    first = verdicts[0]
    if len({(v.verdict, v.zero_copy) for v in verdicts}) == 1:
        return next((v for v in verdicts if v.row is not None and v.row.count), first)
    told = "; ".join(sorted({f"{_about(v.table)}: {_said(v)}" for v in verdicts if v.table is not None}))
    return _unproven(size, f"tables disagree ({told})")


def _applies(
    table: ProtocolTable,
    scopes: Sequence[str | None],
    flags: Sequence[str | None] | None,
    memory: tuple[str, str] | None,
) -> bool:
    whole = table.config_id is not None and table.local_memory is not None and table.remote_memory is not None
    kinds = memory is None or (table.local_memory, table.remote_memory) == memory
    return whole and table.scope in scopes and (flags is None or table.flags in flags) and kinds


def _of_table(table: ProtocolTable, size: int) -> GetEvidence:
    rows = [row for row in table.rows if row.covers(size)]
    if not rows:
        return GetEvidence(size, "unproven", None, None, table, "no row of the GET table covers this size")
    if len(rows) > 1:
        return GetEvidence(size, "unproven", None, rows[0], table, "several rows of the GET table cover this size")
    row = rows[0]
    if row.estimate or row.truncated:
        flaw = "an estimate, marked (?)" if row.estimate else "cut"
        return GetEvidence(size, "unproven", None, row, table, f"the row is {flaw}")
    unknown = ("unproven", None, f"protocol {row.protocol!r} is not known as a GET")
    verdict, zero_copy, reason = _PROTOCOLS.get(row.protocol, unknown)
    return GetEvidence(size, verdict, zero_copy, row, table, reason)


def _unproven(size: int, reason: str) -> GetEvidence:
    return GetEvidence(size, "unproven", None, None, None, reason)


def _said(evidence: GetEvidence) -> str:
    return evidence.row.protocol if evidence.row is not None else evidence.reason


def _about(table: ProtocolTable | None) -> str:
    if table is None:
        return "?"
    who = f"{table.host}:{table.pid} " if table.host else ""
    flags = f" ({table.flags})" if table.flags else ""
    memory = f"{table.local_memory or '?'} from {table.remote_memory or '?'}"
    return f"{who}{table.scope or 'scope unknown'}{flags}, {memory}"
