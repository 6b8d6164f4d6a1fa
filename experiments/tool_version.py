"""Which rdmalab this is: the version of pyproject.toml, and the git revision with its dirty flag where there is one."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

from store.names import ROOT
from store.records import ToolVersion

GIT_TIMEOUT_S = 10.0


def tool_version(root: Path = ROOT) -> ToolVersion:
    """The version for records; `git` and `dirty` are null outside a checkout or without git."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    revision = _git(root, "rev-parse", "HEAD")
    changes = _git(root, "status", "--porcelain", "--untracked-files=no") if revision else None
    return ToolVersion(version=project["version"], git=revision, dirty=None if changes is None else bool(changes))


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=GIT_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
