"""clang-tidy over the engine's files that changed since it last found them clean: `./rdmalab check --tidy`.

A file is looked at again when it, a header of ours that it includes (however deeply) or the settings have changed; the
digest of all of these is kept in `.build/tidy`. Run as a module by `cli.check`; prints what clang-tidy says, exit 1.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from store.errors import Exit
from store.names import ROOT

STAMPS: Final = ROOT / ".build" / "tidy"
SETTINGS: Final = (".clang-tidy", "compile_flags.txt")
INCLUDE: Final = re.compile(r'^#include "(engine/[^"]+)"', re.MULTILINE)


def inputs_of(source: str, read: Callable[[str], str]) -> set[str]:
    """A source file and all headers of ours that it includes; `read` gives a file's text by its name."""
    found: set[str] = set()
    waiting = [source]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(INCLUDE.findall(read(name)))
    return found


def digest_of(source: str, read: Callable[[str], str]) -> str:
    """Changes with the file, its headers and the settings."""
    names = sorted(inputs_of(source, read)) + list(SETTINGS)
    return hashlib.sha256("".join(f"{name}\0{read(name)}\0" for name in names).encode()).hexdigest()


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _stamp(source: str) -> Path:
    return STAMPS / source.replace("/", "+")


def changed(sources: Sequence[str]) -> dict[str, str]:
    """The sources that have not been found clean as they are, with their digests."""
    digests = {source: digest_of(source, _read) for source in sources}
    return {
        source: digest
        for source, digest in digests.items()
        if not (_stamp(source).exists() and _stamp(source).read_text() == digest)
    }


def _look(source: str, digest: str) -> str:
    """What clang-tidy says about a file: nothing when it is clean, which is then remembered."""
    run = subprocess.run(("clang-tidy", "--quiet", source), cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return run.stdout + (run.stderr if "error:" not in run.stdout else "")
    _stamp(source).write_text(digest)
    return ""


def tidy(sources: Sequence[str]) -> Exit:
    """Looks at those of `sources` that changed, as many at once as there are cores; progress on stderr."""
    todo = changed(sources)
    STAMPS.mkdir(parents=True, exist_ok=True)
    failed = 0
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as workers:
        for number, said in enumerate(workers.map(_look, todo, todo.values()), start=1):
            failed += bool(said)
            print(said, end="", file=sys.stderr)
            print(f"tidy      {number} of {len(todo)} changed files", file=sys.stderr, flush=True)
    return Exit.FAILED if failed else Exit.DONE


if __name__ == "__main__":
    sys.exit(tidy(sys.argv[1:]))
