"""Where configs lie: the ones that ship, the user's own, and how their paths are shown.

Used by experiments.config. The environment is read at the time of the call; nothing is cached.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from store.names import ROOT

CONFIGS: Final = ROOT / "configs"
UCX_RUN_TIMES: Final = ROOT / ".deps" / "ucx"


def user_configs(environ: Mapping[str, str] | None = None) -> Path:
    """The user's configuration folder: `$XDG_CONFIG_HOME/rdmalab`, or `~/.config/rdmalab`; it need not exist."""
    base = (os.environ if environ is None else environ).get("XDG_CONFIG_HOME", "")
    root = Path(base) if base and Path(base).is_absolute() else Path("~/.config").expanduser()
    return root / "rdmalab"


def shown(path: Path) -> str:
    """A path as messages show it: relative where it lies below the working folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)
