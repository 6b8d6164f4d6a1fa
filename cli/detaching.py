"""Hands a run that was begun to a process in the background: `run --detach`. Its log lies beside the store's runs.

The background process is `resume` with the run's lock inherited, so at no instant does the run look abandoned.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cli.run_endings import shown
from experiments.progress import step
from experiments.run_experiment import Begun
from store.durable import make_folder


def log_of(run: Path) -> Path:
    """Where a detached run's log is: hidden beside the run, because the run itself is sealed at its end."""
    return run.parent / ".logs" / f"{run.name}.log"


def detach_run(begun: Begun, *, report: bool) -> int:
    """Start the background process, say how to follow it, print the run folder."""
    run = begun.writer.path
    log = log_of(run)
    make_folder(log.parent)
    words = [sys.executable, "-m", "cli.main", "resume", str(run), "--retry", str(begun.retry)]
    words += ["--lock", str(begun.writer.lock)]
    words += ["--report" if report else "--no-report"]
    words += ["--allow-unmet"] if begun.allow_unmet else []
    with log.open("ab") as out:
        subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            pass_fds=(begun.writer.lock,),
        )
    begun.writer.close()
    step("detached", f"./rdmalab status {run.name}   follows it; its log: {shown(log)}")
    print(shown(run), flush=True)
    return 0
