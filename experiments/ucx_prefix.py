"""Which UCX run time a run uses: RDMALAB_UCX_PREFIX, else the site's, else the lane's, else the default.

Used by experiments.binding. A prefix is a name of an embedded run time (`1.22.0`), an absolute path, or a $VARIABLE
of the node, which is resolved where it is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from experiments.places import UCX_RUN_TIMES
from store.errors import Exit, LabError

OVERRIDE: Final = "RDMALAB_UCX_PREFIX"
DEFAULT: Final = "1.22.0"


def chosen_prefix(site: str | None, lane: str | None, environ: Mapping[str, str]) -> str:
    """The prefix as written, and not yet resolved."""
    return environ.get(OVERRIDE) or site or lane or DEFAULT


def resolve_prefix(written: str, environ: Mapping[str, str], run_times: Path = UCX_RUN_TIMES) -> Path:
    """The folder whose `lib` holds libucp.so.0 on this host. LabError: exit 2 for a wrong word, 5 when not there."""
    word = _expand(written, environ)
    if "/" not in word:
        return _named(word, run_times)
    path = Path(word)
    if not path.is_absolute():
        raise LabError(f"ucx_prefix '{written}' is a relative path", advice="write /...", exit_code=Exit.USAGE)
    if not (path / "lib" / "libucp.so.0").exists():
        raise LabError(f"ucx_prefix {word}: no lib/libucp.so.0 there", exit_code=Exit.CANNOT_RUN)
    return path


def _expand(written: str, environ: Mapping[str, str]) -> str:
    if not written.startswith("$"):
        return written
    name = written[1:].strip("{}")
    if not environ.get(name):
        raise LabError(
            f"ucx_prefix {written}: {name} is not set here",
            advice="load the environment module that sets it, or write a path",
            exit_code=Exit.CANNOT_RUN,
        )
    return environ[name]


def _named(name: str, run_times: Path) -> Path:
    path = run_times / name
    if (path / "lib" / "libucp.so.0").exists():
        return path
    there = sorted(each.name for each in run_times.iterdir() if each.is_dir()) if run_times.is_dir() else []
    raise LabError(
        f"there is no UCX run time '{name}'",
        advice=f"there are: {', '.join(there)}" if there else "./rdmalab run sets the embedded ones up",
        exit_code=Exit.CANNOT_RUN,
    )
