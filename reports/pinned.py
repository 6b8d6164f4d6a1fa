"""The environment of the process that computes and draws a report: the same bytes on every CPU, in any locale.

numpy, OpenBLAS, Arrow and the C library choose code by CPU, and one plot in a dozen then differs; here each is held
to its baseline. The names of numpy's features are asked of numpy itself, because naming one of its baseline is an
error. Used by `reports.render`, which starts the process; `is_pinned` is for that process and for tests.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MARK = "RDMALAB_PINNED"
_BLAS_BASELINE = {"x86_64": "Nehalem", "aarch64": "ARMV8"}
_MAPPED_BYTES = 7 << 19
"""Memory from this size on goes back to the system when it is dropped: a column of a million samples does (4 MB and
more), a piece of a file that is being read (`analysis.sample_reader`) does not, or half the time went into page faults.
"""
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "RDMALAB_STORE")


def pinned_environment(inherited: Mapping[str, str] | None = None) -> dict[str, str]:
    """The whole environment of the rendering process; of `inherited` (default: ours) only a few variables pass."""
    ours = os.environ if inherited is None else inherited
    kept = {name: ours[name] for name in _PASSED_ON if name in ours}
    tunables = f"glibc.malloc.mmap_threshold={_MAPPED_BYTES}"
    if platform.machine() == "x86_64":
        tunables += ":glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F,-FMA4"
    return kept | {
        MARK: "1",
        "NPY_DISABLE_CPU_FEATURES": " ".join(numpy_features()),
        "OPENBLAS_CORETYPE": _BLAS_BASELINE.get(platform.machine(), ""),
        "OPENBLAS_NUM_THREADS": "1",
        "ARROW_USER_SIMD_LEVEL": "NONE",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "GLIBC_TUNABLES": tunables,
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": ours.get("PYTHONDONTWRITEBYTECODE", ""),
        "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": str(_font_cache(ours)),
        "MATPLOTLIBRC": str(_own_settings()),
    }


def numpy_features() -> list[str]:
    """The CPU features for which this numpy has code beside its baseline, whether or not this CPU has them."""
    return list(_numpy_core().__cpu_dispatch__)


def is_pinned() -> bool:
    """Whether this process runs with numpy's dispatch off."""
    on = _numpy_core().__cpu_features__
    return not any(on.get(name, False) for name in numpy_features())


def _numpy_core() -> Any:
    """numpy's compiled core, the only place that tells its CPU features."""
    return importlib.import_module("numpy._core._multiarray_umath")


def _font_cache(ours: Mapping[str, str]) -> Path:
    """Where matplotlib keeps its list of fonts: it takes a second to make, so it is kept between reports."""
    home = ours.get("HOME")
    base = ours.get("XDG_CACHE_HOME") or (f"{home}/.cache" if home else "")
    folder = Path(base or tempfile.gettempdir()) / "rdmalab" / "matplotlib"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="rdmalab-fonts-"))


def _own_settings() -> Path:
    """matplotlib's own matplotlibrc, so that none of the user's or of the working folder is read."""
    for entry in sys.path:
        found = Path(entry) / "matplotlib" / "mpl-data" / "matplotlibrc"
        if found.is_file():
            return found
    return Path(os.devnull)
