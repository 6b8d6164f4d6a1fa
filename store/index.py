"""A disposable index of a store: its runs and their setup facts in SQLite, so that thousands are listed in an instant.

Lives in the user's cache folder, never beside the runs (which may be on a network file system); delete it at any time.
`refresh` looks at each run's manifest by size and time and reads only what is new or has changed.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from fnmatch import fnmatchcase
from pathlib import Path

from store.errors import Exit, LabError
from store.figures import Figures, is_figures, open_figures
from store.names import run_names
from store.run import Run, open_run
from store.setup_keys import KeyClass, class_of

SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE runs (name TEXT PRIMARY KEY, stamp TEXT, experiment TEXT, lane TEXT, site TEXT, status TEXT,
                   exit INTEGER, started_utc TEXT, blocks_done INTEGER, blocks_planned INTEGER, samples INTEGER,
                   failed INTEGER);
CREATE TABLE facts (id INTEGER PRIMARY KEY, key TEXT, value TEXT, UNIQUE (key, value));
CREATE TABLE run_facts (run TEXT, fact INTEGER, PRIMARY KEY (run, fact)) WITHOUT ROWID;
CREATE INDEX by_fact ON run_facts (fact);
"""


@dataclass(frozen=True)
class IndexRow:
    """One run as lists show it. `status` is the manifest's, `unsealed` without one, `unreadable` where it is broken."""

    name: str
    stamp: str
    experiment: str
    lane: str
    site: str
    status: str
    exit: int | None = None
    started_utc: str | None = None
    blocks_done: int = 0
    blocks_planned: int = 0
    samples: int = 0
    failed: int = 0


@dataclass(frozen=True)
class Filter:
    """`key=value`: a column of the list, or a setup fact; `nic.firmware` also means the firmware of any nic."""

    key: str
    value: str

    @classmethod
    def parse(cls, text: str) -> Filter:
        """LabError (exit 2) for what is no `key=value`."""
        key, equals, value = text.partition("=")
        if not equals or not key or not value:
            raise LabError(f"{text!r} is no filter", advice="write key=value, such as lane=tcp", exit_code=Exit.USAGE)
        return cls(key.strip(), value.strip())

    def fits_key(self, key: str) -> bool:
        """Whether a setup key is meant: equal, a pattern, or with the filter's words in their order."""
        if key == self.key or fnmatchcase(key, self.key):
            return True
        return re.fullmatch(r"(?:.+\.)?" + r"\.(?:.+\.)?".join(map(re.escape, self.key.split("."))), key) is not None

    def fits_value(self, value: str) -> bool:
        """Whether a value is meant: equal without regard to case, or a pattern."""
        return fnmatchcase(value.casefold(), self.value.casefold())


class RunIndex:
    """The index of one store. A context manager."""

    def __init__(self, store: Path, database: sqlite3.Connection) -> None:
        self._store = store
        self._database = database
        self._fact_ids: dict[tuple[str, str], int] | None = None

    @classmethod
    def open(cls, store: Path, cache: Path | None = None) -> RunIndex:
        """Open or make the index; one of another version, or a damaged one, is made anew."""
        folder = cache or cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"runs-{hashlib.sha256(os.fsencode(store.resolve())).hexdigest()[:16]}.sqlite"
        try:
            return cls(store, _database(path))
        except sqlite3.DatabaseError:
            path.unlink(missing_ok=True)
            return cls(store, _database(path))

    def __enter__(self) -> RunIndex:
        return self

    def __exit__(self, *exception: object) -> None:
        self._database.close()

    def refresh(self) -> None:
        """Bring the index up to date with the store."""
        known = dict(self._database.execute("SELECT name, stamp FROM runs"))
        present = run_names(self._store)
        with self._database:
            for name in known.keys() - set(present):
                self._forget(name)
            for name in present:
                stamp = _stamp(self._store / name)
                if known.get(name) != stamp:
                    self._forget(name)
                    self._learn(name, stamp)

    def rows(self, filters: Sequence[Filter] = ()) -> list[IndexRow]:
        """The runs that fit every filter, oldest first. LabError (exit 2) for a key that no run has."""
        rows = [IndexRow(*row) for row in self._database.execute("SELECT * FROM runs ORDER BY name")]
        columns = {field.name for field in fields(IndexRow)}
        for each in filters:
            if each.key in columns:
                rows = [row for row in rows if each.fits_value(str(getattr(row, each.key)))]
            else:
                fitting = self._with_fact(each)
                rows = [row for row in rows if row.name in fitting]
        return rows

    def _with_fact(self, wanted: Filter) -> set[str]:
        keys = [key for (key,) in self._database.execute("SELECT DISTINCT key FROM facts") if wanted.fits_key(key)]
        if not keys:
            raise LabError(f"no run has a setup fact {wanted.key!r}", exit_code=Exit.USAGE)
        runs: set[str] = set()
        for key in keys:
            for fact, value in self._database.execute("SELECT id, value FROM facts WHERE key = ?", (key,)).fetchall():
                if wanted.fits_value(value):
                    runs |= {
                        run for (run,) in self._database.execute("SELECT run FROM run_facts WHERE fact = ?", (fact,))
                    }
        return runs

    def _forget(self, name: str) -> None:
        self._database.execute("DELETE FROM runs WHERE name = ?", (name,))
        self._database.execute("DELETE FROM run_facts WHERE run = ?", (name,))

    def _learn(self, name: str, stamp: str) -> None:
        path = self._store / name
        try:
            if is_figures(path):
                row, facts = _figures_row(name, stamp, open_figures(path)), []
            else:
                run = open_run(path)
                row, facts = _row(run, stamp), list(_facts(run))
        except LabError:
            experiment = name.split("-", 1)[1][:-9]
            row, facts = IndexRow(name, stamp, experiment, lane="?", site="?", status="unreadable"), []
        marks = ",".join("?" * len(fields(IndexRow)))
        self._database.execute(f"INSERT INTO runs VALUES ({marks})", astuple(row))
        pairs = {(name, self._fact_id(fact)) for fact in facts}
        self._database.executemany("INSERT INTO run_facts VALUES (?, ?)", pairs)

    def _fact_id(self, fact: tuple[str, str]) -> int:
        """The id of a (key, value); made where it is new. All are kept in memory: runs share nearly all of theirs."""
        if self._fact_ids is None:
            rows = self._database.execute("SELECT key, value, id FROM facts")
            self._fact_ids = {(key, value): number for key, value, number in rows}
        if fact not in self._fact_ids:
            made = self._database.execute("INSERT INTO facts (key, value) VALUES (?, ?)", fact).lastrowid
            assert made is not None, "sqlite gives every inserted row an id"
            self._fact_ids[fact] = made
        return self._fact_ids[fact]


def cache_folder() -> Path:
    """Where indexes live: `$XDG_CACHE_HOME/rdmalab` or `~/.cache/rdmalab`."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "rdmalab"


def _database(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=30.0)
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version == SCHEMA_VERSION:
        return database
    if version != 0:
        database.close()
        raise sqlite3.DatabaseError("an index of another version")
    database.executescript(SCHEMA)
    database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    return database


def _stamp(run: Path) -> str:
    """Changes when the run does: size and time of its manifest; while there is none, how many pairs it has."""
    try:
        seen = (run / "manifest.json").stat()
        return f"{seen.st_mtime_ns}:{seen.st_size}"
    except OSError:
        try:
            return f"unsealed:{sum(1 for _ in (run / 'pairs').iterdir())}"
        except OSError:
            return "unsealed"


def _row(run: Run, stamp: str) -> IndexRow:
    counts = run.manifest.counts if run.manifest else None
    lane, binding = run.plan.get("lane"), run.binding or {}
    return IndexRow(
        name=run.name,
        stamp=stamp,
        experiment=run.experiment,
        lane=str(lane.get("name")) if isinstance(lane, dict) else "?",
        site=str(binding.get("site", "?")),
        status=run.state,
        exit=run.manifest.exit if run.manifest else None,
        started_utc=run.manifest.started_utc if run.manifest else run.origin.started_utc if run.origin else None,
        blocks_done=counts.blocks_done if counts else len(run.finished_blocks),
        blocks_planned=counts.blocks_planned if counts else len(run.plan.get("blocks", [])),
        samples=counts.samples if counts else 0,
        failed=counts.failed if counts else 0,
    )


def _figures_row(name: str, stamp: str, figures: Figures) -> IndexRow:
    """An import: it has no plan, no site and no samples."""
    manifest = figures.manifest
    return IndexRow(
        name=name,
        stamp=stamp,
        experiment=manifest.experiment,
        lane="-",
        site=manifest.kind,
        status=manifest.status,
        exit=manifest.exit,
        started_utc=manifest.started_utc,
    )


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    """The setup facts that are not volatile, each once, whatever the node."""
    for nodes in run.setups.values():
        for record in nodes.values():
            for key, fact in {**record.before, **record.after}.items():
                try:
                    volatile = class_of(key) is KeyClass.VOLATILE
                except LabError:
                    volatile = False
                if fact.value is not None and not volatile:
                    yield key, str(fact.value)
