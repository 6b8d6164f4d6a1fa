"""The prefix of a UCX log line, `[seconds.microseconds] [host:pid:tid]`, and what may stand before the message."""

from __future__ import annotations

import re
from dataclasses import dataclass

# UCX pads a pid of fewer than five digits with blanks: `[node2:168  :0]`.
_PREFIX = re.compile(r"\[([0-9]+\.[0-9]+)\]\s*\[([^\]\s:]+):([0-9]+)\s*:([0-9]+)\s*(?::[0-9]+)?\]\s*")
_SOURCE = re.compile(r"(?:\S+\.(?:c|cc|h|inl):[0-9]+)?\s*(?:UCX\s+(DEBUG|INFO|WARN|ERROR|FATAL|TRACE|DIAG)\s*)?")


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line without its prefix: the thread that wrote it (None where there is no prefix), its level, its message."""

    host: str | None
    pid: int | None
    thread: int | None
    level: str | None
    message: str


def split_prefix(text: str) -> LogLine:
    """The parts of a log line; what stands before the prefix (launcher labels) is dropped."""
    found = _PREFIX.search(text)
    rest = text[found.end() :] if found else text.strip()
    source = _SOURCE.match(rest)
    level = source.group(1) if source else None
    message = rest[source.end() :] if source and level else rest
    if not found:
        return LogLine(None, None, None, level, message.strip())
    return LogLine(found.group(2), int(found.group(3)), int(found.group(4)), level, message.strip())
