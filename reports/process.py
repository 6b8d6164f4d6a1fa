"""Starts `reports.rendering_process` in its pinned environment, asks it one thing, and gives back what it told."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from reports.pinned import pinned_environment
from store.errors import Exit, LabError

DEADLINE_S = 600.0


def run_rendering(asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to one request (see `reports.rendering_process`). Its LabError is raised here."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "reports.rendering_process"],
            input=json.dumps(asked),
            env=pinned_environment(),
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LabError(f"rendering took more than {DEADLINE_S:.0f} s", exit_code=Exit.PEER_LOST) from error
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise LabError(f"the rendering process ended with {done.returncode}: {last}")
    told: dict[str, Any] = json.loads(done.stdout)
    if "error" in told:
        failure = told["error"]
        raise LabError(failure["message"], advice=failure["advice"], exit_code=Exit(failure["exit_code"]))
    return told
