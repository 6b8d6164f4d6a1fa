"""Debian's stock kernel for the emulated nodes: fetched as a package, only unpacked, never installed.

Kept under `.deps/kernel/<release>/`: `vmlinuz`, the modules that a node needs in the order in which they load, and
`kernel.json`, written last, which marks the folder as complete.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from store.errors import Exit, LabError

META_PACKAGE = "linux-image-amd64"

MODULES = (
    "virtio_pci",
    "virtio_net",
    "9pnet_virtio",
    "9p",
    "overlay",
    "crc32_generic",
    "ib_uverbs",
    "rdma_ucm",
    "rdma_rxe",
)
"""What a node loads, dependencies aside. crc32_generic: rxe asks for "crc32" by name and finds no other here."""


@dataclass(frozen=True)
class Kernel:
    """An unpacked kernel: its release, its image and its modules in load order."""

    release: str
    image: Path
    modules: tuple[Path, ...]


def kernel(folder: Path, progress: Callable[[str], None]) -> Kernel:
    """The unpacked kernel under `folder`, fetched first where there is none. LabError, exit 5, where it cannot be."""
    found = sorted(folder.glob("*/kernel.json"))
    if not found:
        progress(f"kernel    fetching Debian's {META_PACKAGE}")
        _fetch(folder)
        found = sorted(folder.glob("*/kernel.json"))
    data = json.loads(found[-1].read_text(encoding="utf-8"))
    home = found[-1].parent
    return Kernel(data["release"], home / "vmlinuz", tuple(home / name for name in data["modules"]))


def load_order(wanted: tuple[str, ...], depends_on: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The wanted modules and all they depend on, each after its dependencies. LabError for an unknown one."""
    order: list[str] = []

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in order:
            return
        if name not in depends_on or name in path:
            raise LabError(f"kernel module {name} is missing or depends on itself", exit_code=Exit.CANNOT_RUN)
        for other in depends_on[name]:
            visit(other, (*path, name))
        order.append(name)

    for name in wanted:
        visit(name, ())
    return order


def _fetch(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".unpack-") as name:
        work = Path(name)
        package = _newest_image_package()
        _run(["apt-get", "download", package], cwd=work, advice="`apt-get update` refreshes a stale package list")
        _run(["dpkg-deb", "-x", str(next(work.glob("*.deb"))), "tree"], cwd=work, advice="the download may be damaged")
        tree = work / "tree"
        release = next((tree / "lib/modules").iterdir()).name
        ready = work / "ready"
        ready.mkdir()
        shutil.copyfile(tree / "boot" / f"vmlinuz-{release}", ready / "vmlinuz")
        names = _copy_modules(tree / "lib/modules" / release, ready)
        text = json.dumps({"release": release, "package": package, "modules": names}, indent=1)
        (ready / "kernel.json").write_text(text + "\n", encoding="utf-8")
        home = folder / release
        if home.exists():
            shutil.rmtree(home)
        ready.rename(home)


def _copy_modules(tree: Path, target: Path) -> list[str]:
    paths = {_module_name(path): path for path in tree.rglob("*.ko")}
    depends: dict[str, tuple[str, ...]] = {}
    pending = [name.replace("-", "_") for name in MODULES]
    wanted = tuple(pending)
    while pending:
        name = pending.pop()
        if name in depends:
            continue
        if name not in paths:
            raise LabError(f"Debian's kernel has no module {name}", exit_code=Exit.CANNOT_RUN)
        text = _run(["modinfo", "-F", "depends", str(paths[name])], advice="package kmod is needed")
        depends[name] = tuple(word.replace("-", "_") for word in text.strip().split(",") if word)
        pending.extend(depends[name])
    names = []
    for number, name in enumerate(load_order(wanted, depends)):
        names.append(f"{number:02d}-{name}.ko")
        shutil.copyfile(paths[name], target / names[-1])
    return names


def _module_name(path: Path) -> str:
    return path.stem.replace("-", "_")


def _newest_image_package() -> str:
    text = _run(["apt-cache", "depends", META_PACKAGE], advice="this testbed needs Debian's package lists")
    for line in text.splitlines():
        kind, _, name = line.strip().partition(": ")
        if kind == "Depends" and name.startswith("linux-image-"):
            return name
    raise LabError(f"{META_PACKAGE} names no kernel image", exit_code=Exit.CANNOT_RUN)


def _run(argv: list[str], *, advice: str, cwd: Path | None = None) -> str:
    try:
        done = subprocess.run(argv, cwd=cwd, capture_output=True, text=True, timeout=600, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LabError(f"{argv[0]}: {error}", advice=advice, exit_code=Exit.CANNOT_RUN) from error
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise LabError(f"{' '.join(argv)}: {last}", advice=advice, exit_code=Exit.CANNOT_RUN)
    return done.stdout
