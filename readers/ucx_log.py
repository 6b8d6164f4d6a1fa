"""What a UCX process says about itself in its log: version, environment, lanes, memory domains. No fault among it."""

from __future__ import annotations

import re

from readers.reading import Format, Reading, Row, unread
from readers.text import lines
from readers.ucx_prefix import split_prefix

_VERSION = re.compile(r"^Version (\S+) \(loaded from ([^)]+)\)")
_ENVIRONMENT = re.compile(r"^UCX_\* env variables?: (.*)$")
_VARIABLE = re.compile(r"\b(UCX_[A-Z0-9_]+)=(\S*)")
_LANES = re.compile(
    r"^(?:(\S+) )?(?:(inter-node|intra-node|self) )?((?:ep_)?cfg[#\[][0-9]+\]?) ((?:[a-z_]+\([^)]*\)\s*)+)$"
)
_DOMAIN = re.compile(r"^(\S+): md open by '([^']+)' (is successful|failed\b.*)$")


def read(text: str) -> Reading:
    """Facts by kind; rows are the lane lines (`process`, `scope`, `config`, `lanes`).

    A memory domain that failed to open and was opened another way is no fault; the order of tries is not fixed.
    """
    version: dict[str, str] = {}
    environment: dict[str, str] = {}
    domains: dict[str, str] = {}
    rows, understood = list[Row](), set[int]()
    for line in lines(text):
        log = split_prefix(line.text)
        if found := _VERSION.match(log.message):
            version = {"version": found.group(1), "library_path": found.group(2)}
        elif found := _ENVIRONMENT.match(log.message):
            environment.update(_VARIABLE.findall(found.group(1)))
        elif found := _LANES.match(log.message):
            process = f"{log.host}:{log.pid}" if log.host else None
            rows.append(
                {"process": process, "scope": found.group(2), "config": found.group(3), "lanes": found.group(4).strip()}
            )
        elif found := _DOMAIN.match(log.message):
            if found.group(3) == "is successful":
                domains[found.group(1)] = found.group(2)
        else:
            continue
        understood.add(line.number)
    facts = {"ucx": version, "environment": environment, "memory_domains": domains}
    return Reading(
        kind=FORMAT.kind,
        rows=tuple(rows),
        facts={key: value for key, value in facts.items() if value},
        skipped=unread(text, understood),
    )


FORMAT = Format(
    kind="ucx_log",
    title="a log of UCX",
    sign=re.compile(r"\bUCX\s+INFO\s+(?:Version |UCX_\*|\s*\S* ?(?:inter-node|intra-node|self) cfg#)|: md open by '"),
    read=read,
    holds=("tables",),
)
