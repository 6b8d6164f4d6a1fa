"""Who may use whom (docs/tour.md): Python imports, C++ includes, file sizes, words that must not be committed."""

from __future__ import annotations

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

MAY_USE = {
    "readers": {"readers"},
    "store": {"store"},
    "analysis": {"analysis", "store"},
    "reports": {"reports", "analysis", "store"},
    "experiments": {"experiments", "store", "readers"},
    "cli": {"cli", "experiments", "reports", "analysis", "store", "readers"},
}
ENGINE_MAY_USE = {
    "base": set(),
    "plan": {"base"},
    "exchange": {"base"},
    "memory": {"base"},
    "verification": {"base"},
    "ucx": {"base"},
    "verbs": {"base", "memory"},  # a region registers memory of each kind
    "results": {"base", "plan"},
    "sampling": {"base", "plan"},
}
FOREIGN_HEADERS = {"ucx": r"<uc[pst]/", "verbs": r"<(infiniband|rdma)/"}
LARGEST_FILE_LINES = 300


@cache
def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ("git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns),
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [ROOT / name for name in listed.stdout.split("\n") if name and (ROOT / name).exists()]


def imported_packages(source: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source}: relative import"
            names.add((node.module or "").split(".")[0])
    return names & set(MAY_USE)


@pytest.mark.parametrize("package", MAY_USE)
def test_python_package_uses_only_the_layers_below(package: str) -> None:
    wrong = {
        str(source.relative_to(ROOT)): extra
        for source in tracked(f"{package}/*.py")
        if "tests" not in source.parts and (extra := imported_packages(source) - MAY_USE[package])
    }
    assert not wrong


@pytest.mark.parametrize("room", ENGINE_MAY_USE)
def test_engine_room_includes_only_the_rooms_below(room: str) -> None:
    wrong = {}
    for source in tracked(f"engine/{room}/*.cc", f"engine/{room}/*.h"):
        if source.stem.endswith(("_test", "_benchmark")):
            continue
        used = set(re.findall(r'#include "engine/(\w+)/', source.read_text()))
        if extra := used - ENGINE_MAY_USE[room] - {room}:
            wrong[str(source.relative_to(ROOT))] = extra
    assert not wrong


@pytest.mark.parametrize("room", FOREIGN_HEADERS)
def test_foreign_headers_are_included_in_their_one_room_only(room: str) -> None:
    pattern = re.compile(rf"#include {FOREIGN_HEADERS[room]}")
    users = {
        s.relative_to(ROOT / "engine").parts[0]
        for s in tracked("engine/*.cc", "engine/*.h")
        if pattern.search(s.read_text())
    }
    assert users <= {room}


def test_no_source_file_is_larger_than_a_reader_can_hold() -> None:
    sizes = {
        str(s.relative_to(ROOT)): s.read_text().count("\n") for s in tracked("*.py", "*.cc", "*.h", "*.bzl", "rdmalab")
    }
    assert not {name: lines for name, lines in sizes.items() if lines > LARGEST_FILE_LINES}


def test_no_file_names_a_machine_path_or_a_registry() -> None:
    places = re.compile(
        "|".join(("/" + "work/", "/" + "root/", "pythonhosted" + r"\.org", "pypi" + r"\.org", "deb" + r"\.debian"))
    )
    wrong = []
    for source in tracked():
        if source.suffix in {".png", ".parquet", ".gz"}:
            continue
        wrong += [
            f"{source.relative_to(ROOT)}: {m.group()}" for m in places.finditer(source.read_text(errors="replace"))
        ]
    assert not wrong
