"""`ucx_info -v` in the forms of UCX 1.9 to 1.23: version, library path, header version, revision, build options."""

from __future__ import annotations

import re
from typing import Any

from readers.reading import Format, Reading, unread
from readers.text import lines, present

_UCT = re.compile(r"^#\s*UCT version=(\S+) revision (\S+)\s*$")
_VERSION = re.compile(r"^#\s*(?:Library version:|Version) (\S+)\s*$")
_PATH = re.compile(r"^#\s*Library path: (\S+)\s*$")
_HEADERS = re.compile(r"^#\s*API headers version: (\S+)\s*$")
_GIT = re.compile(r"^#\s*Git branch '([^']*)', revision (\S+)\s*$")
_OPTIONS = re.compile(r"^#\s*[Cc]onfigured with: (.*?)\s*$")


def read(text: str) -> Reading:
    """One row per version block; what a form does not print, `<unknown>` and revision 0000000 are None."""
    rows, understood = list[dict[str, Any]](), set[int]()
    for line in lines(text):
        if found := _UCT.match(line.text):
            rows.append(_block(found.group(1)))
            rows[-1]["revision"] = _revision(found.group(2))
        elif found := _VERSION.match(line.text):
            rows.append(_block(found.group(1)))
        elif not _add(rows, line.text):
            continue
        understood.add(line.number)
    quiet = [row["version"] for row in rows if row["logging"] is False]
    warning = f"built with --disable-logging ({', '.join(map(str, quiet))}): absent debug lines mean nothing there"
    return Reading(
        FORMAT.kind, rows=tuple(rows), warnings=(warning,) if quiet else (), skipped=unread(text, understood)
    )


def _block(version: str | None) -> dict[str, Any]:
    unknown = dict.fromkeys(("library_path", "header_version", "branch", "revision", "options", "verbs", "logging"))
    return {"version": version, **unknown}


def _add(rows: list[dict[str, Any]], text: str) -> bool:
    """Adds a line to the last block; a fact that comes twice begins a block without a version."""
    facts: dict[str, Any] = {}
    if found := _PATH.match(text):
        facts = {"library_path": found.group(1)}
    elif found := _HEADERS.match(text):
        facts = {"header_version": found.group(1)}
    elif found := _GIT.match(text):
        facts = {"branch": present(found.group(1)), "revision": _revision(found.group(2))}
    elif found := _OPTIONS.match(text):
        options = found.group(1).split()
        verbs = (
            True
            if any(o.startswith("--with-verbs") for o in options)
            else False
            if "--without-verbs" in options
            else None
        )
        facts = {"options": options, "verbs": verbs, "logging": "--disable-logging" not in options}
    if not facts:
        return text.strip() == "----"
    if not rows or any(rows[-1][key] is not None for key in facts):
        rows.append(_block(None))
    rows[-1].update(facts)
    return True


def _revision(text: str) -> str | None:
    return None if set(text) == {"0"} else present(text)


FORMAT = Format(
    kind="ucx_info_version",
    title="the output of ucx_info -v",
    sign=re.compile(r"^#\s*(?:UCT version=|Library version: |Version [0-9]+\.[0-9]+|Git branch ')", re.MULTILINE),
    read=read,
    holds=("rows",),
)
