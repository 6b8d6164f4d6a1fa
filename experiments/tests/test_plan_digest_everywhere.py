"""The same digest from two clones in different folders, users' homes, locales, time zones and hash seeds."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from store.names import ROOT

PACKAGES = ("cli", "experiments", "store", "configs")


def plan_digest(checkout: Path, environ: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "cli.main", "plan", *(arguments or ("rendezvous_warm",)), "--json"],
        cwd=environ.pop("PWD", str(checkout)),
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(checkout), "PYTHONSAFEPATH": "1", **environ},
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.endswith(b"}\n")
    return hashlib.sha256(done.stdout).hexdigest()


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second checkout, elsewhere, under a name with a space and a letter that is not ASCII."""
    folder = tmp_path_factory.mktemp("elsewhere") / "zweite Kopié"
    folder.mkdir()
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_digest_depends_on_nothing_around_it(clone: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    around: list[tuple[Path, dict[str, str]]] = [
        (ROOT, {"HOME": os.environ.get("HOME", "/"), "PYTHONHASHSEED": "0"}),
        (clone, {"HOME": str(tmp_path / "home"), "PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "USER": "other"}),
        (clone, {"LC_ALL": "C", "TZ": "America/New_York", "PYTHONHASHSEED": "2", "PYTHONUTF8": "0"}),
        (clone, {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "COLUMNS": "20", "PWD": str(tmp_path)}),
        (ROOT, {"RDMALAB_UCX_PREFIX": "/nowhere", "UCX_TLS": "self", "PWD": "/"}),
    ]
    digests = {plan_digest(checkout, environ) for checkout, environ in around}
    assert len(digests) == 1


def test_own_file_has_one_digest_from_anywhere(clone: Path, tmp_path: Path) -> None:
    text = "question: Größe?\nsizes: [4KiB]\nreps: 2\narms: {a: {path: rdma}}\n"
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.yaml").write_text(text, encoding="utf-8")
    first = plan_digest(ROOT, {"LC_ALL": "C"}, str(tmp_path / "here" / "mine.yaml"))
    second = plan_digest(clone, {"PWD": str(tmp_path / "there")}, "mine.yaml")
    assert first == second


def test_what_is_asked_changes_the_digest() -> None:
    digests = {
        plan_digest(ROOT, {}),
        plan_digest(ROOT, {}, "rendezvous_warm", "--lane", "shm"),
        plan_digest(ROOT, {}, "rendezvous_warm", "--set", "reps=5"),
        plan_digest(ROOT, {}, "rendezvous_warm", "--set", "seed=5"),
    }
    assert len(digests) == 4
