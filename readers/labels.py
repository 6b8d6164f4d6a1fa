"""Output of several processes with a label before each line (`srun -l`, `pdsh`, `mpirun -tag-output`), taken apart."""

from __future__ import annotations

import re

from readers.text import lines

_LABEL = re.compile(
    r"^\s*(\[[0-9,]{1,32}\]<std(?:out|err)>:?|\[[A-Za-z0-9_.,-]{1,64}\]:?|[A-Za-z0-9_.-]{1,64}:)(?: (.*)|)$"
)
_MOST = 1024


def apart(text: str) -> dict[str, str]:
    """Label -> that process's text without labels; empty where not every line has a label, or there are too many."""
    parts: dict[str, list[str]] = {}
    for line in lines(text):
        if not line.text.strip():
            continue
        found = _LABEL.match(line.text)
        if not found:
            return {}
        parts.setdefault(found.group(1).strip("[]: "), []).append(found.group(2) or "")
    return {label: "\n".join(part) for label, part in parts.items()} if len(parts) <= _MOST else {}
