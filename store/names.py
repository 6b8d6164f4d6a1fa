"""Names of runs and how a person's text finds one: a folder, a unique prefix, `@last`, `@last-1`, `published/NAME`.

A run's name is `<UTC>-<experiment>-<8 hex>`, so names sort by start; runs of the same second sort by their plan file.
"""

from __future__ import annotations

import difflib
import os
import re
import secrets
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from store.errors import Exit, LabError

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ROOT / "store" / "published"
RUN_NAME = re.compile(r"^(?P<utc>\d{8}T\d{6}Z)-(?P<experiment>[A-Za-z0-9_.+-]+)-(?P<id>[0-9a-f]{8})$")
LAST = re.compile(r"^@last(?:-(\d+))?$")
ARCHIVE_SUFFIX = ".tar.gz"
SHOWN_CANDIDATES = 8


def default_store(asked: Path | None = None) -> Path:
    """The folder that holds runs: `--store`, else RDMALAB_STORE, else runs/ in the checkout."""
    if asked is not None:
        return asked.absolute()
    named = os.environ.get("RDMALAB_STORE")
    return Path(named).absolute() if named else ROOT / "runs"


def reports_folder(store: Path) -> Path:
    """Where reports of this store's runs go: beside the runs, never into them."""
    return store.parent / "reports"


def new_name(experiment: str, started: datetime) -> str:
    """A fresh run name. Characters of `experiment` that make poor folder names become `_`."""
    safe = re.sub(r"[^A-Za-z0-9_.+-]", "_", experiment) or "experiment"
    return f"{started.astimezone(UTC):%Y%m%dT%H%M%SZ}-{safe}-{secrets.token_hex(4)}"


def is_run(path: Path) -> bool:
    """Whether a folder is a run, finished or not, or at least was meant to be one."""
    return path.is_dir() and any((path / name).is_file() for name in ("plan.json", "manifest.json"))


def is_archive(path: Path) -> bool:
    """Whether a file is named as an archive of a run is; what is in it shows when it is opened (`store.archive`)."""
    return path.name.endswith(ARCHIVE_SUFFIX) and path.is_file()


def run_names(store: Path) -> list[str]:
    """The names of all runs in a store, oldest first; an absent store holds none."""
    try:
        with os.scandir(store) as entries:
            names = [entry.name for entry in entries if RUN_NAME.match(entry.name)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    names.sort(key=lambda name: name.split("-", 1)[0])
    stamps = [name.split("-", 1)[0] for name in names]
    if len(set(stamps)) == len(stamps):
        return names
    shared = {stamp for before, stamp in pairwise(stamps) if before == stamp}
    return sorted(names, key=lambda name: _order(store, name, shared))


def find_run(text: str, store: Path) -> Path:
    """The folder of the run that `text` names. LabError (exit 2) with the candidates when none or several fit."""
    last = LAST.match(text)
    if last:
        return _nth_last(int(last.group(1) or 0), store)
    folder = Path(text)
    if text and is_run(folder):
        return folder.absolute()
    if text.startswith("published/") and is_run(PUBLISHED / text.removeprefix("published/")):
        return PUBLISHED / text.removeprefix("published/")
    if is_archive(folder):
        advice = "report, audit, tables, diff, compare and export read it as it is; unpack it for anything else"
        raise LabError(f"{text} is the archive of a run", advice=advice, exit_code=Exit.USAGE)
    if "/" in text and folder.is_dir():
        raise LabError(f"{text} is a folder, but no run: it has no plan.json", exit_code=Exit.USAGE)
    return _by_prefix(text, store)


def _by_prefix(text: str, store: Path) -> Path:
    names = run_names(store)
    fitting = [name for name in names if name.startswith(text)] if text else []
    if text in fitting:
        return store / text
    if len(fitting) == 1:
        return store / fitting[0]
    if fitting:
        raise LabError(f"{text!r} fits {len(fitting)} runs", advice=_listed(fitting), exit_code=Exit.USAGE)
    near = difflib.get_close_matches(text, names, n=3, cutoff=0.5) or names[-3:]
    advice = f"in {store}: {_listed(near)}" if near else f"{store} holds no runs yet"
    raise LabError(f"no run is called {text!r}", advice=advice, exit_code=Exit.USAGE)


def _nth_last(back: int, store: Path) -> Path:
    names = run_names(store)
    if back >= len(names):
        held = (
            f"{store} holds {len(names)} run{'s' if len(names) > 1 else ''}" if names else f"{store} holds no runs yet"
        )
        raise LabError(f"there is no run @last{f'-{back}' if back else ''}: {held}", exit_code=Exit.USAGE)
    return store / names[-1 - back]


def _order(store: Path, name: str, shared: set[str]) -> tuple[str, int, str]:
    stamp = name.split("-", 1)[0]
    if stamp not in shared:
        return (stamp, 0, name)
    try:
        return (stamp, (store / name / "plan.json").stat().st_mtime_ns, name)
    except OSError:
        return (stamp, 0, name)


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[-SHOWN_CANDIDATES:])
    return shown if len(names) <= SHOWN_CANDIDATES else f"{shown}, and {len(names) - SHOWN_CANDIDATES} older ones"
