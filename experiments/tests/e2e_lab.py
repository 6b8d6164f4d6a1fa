"""What the end-to-end tests share: the command line with the real engine, a store of the test's own, deadlines."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from store.names import ROOT
from store.run import Run, open_run

DEADLINE_S = 90.0
T = TypeVar("T")


def engine() -> Path | None:
    """The real engine: RDMALAB_ENGINE, else the one that the entry script built; None where there is none."""
    path = Path(os.environ.get("RDMALAB_ENGINE") or ROOT / ".build" / "rdmalab_engine")
    return path if path.is_file() else None


class Lab:
    """One test's store and command line. `start` gives a running tool; `do` waits for its end."""

    def __init__(self, folder: Path, store: Path | None = None) -> None:
        self.folder = folder
        self.store = store or folder / "runs"

    def argv(self, *words: str) -> list[str]:
        """The command line."""
        return [sys.executable, "-m", "cli.main", *words]

    def environment(self) -> dict[str, str]:
        """All that the tool inherits."""
        clean = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
        return {**clean, "RDMALAB_ENGINE": str(engine())}

    def start(self, *words: str, **environ: str) -> subprocess.Popen[str]:
        """The tool, in a session of its own, with nothing inherited but the engine's place."""
        return subprocess.Popen(
            self.argv(*words, "--store", str(self.store)),
            env={**self.environment(), **environ},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def do(self, *words: str, **environ: str) -> tuple[int, str, str]:
        """(exit code, stdout, stderr) of a command; it ends in time and without a traceback."""
        return self.end(self.start(*words, **environ))

    def end(self, tool: subprocess.Popen[str], deadline_s: float = DEADLINE_S) -> tuple[int, str, str]:
        """Wait for a started tool."""
        with tool:
            try:
                out, err = tool.communicate(timeout=deadline_s)
            finally:
                tool.kill()
        assert "Traceback" not in err, err
        return tool.returncode, out, err

    def run(self) -> Run:
        """The only run of the store."""
        (path,) = [path for path in self.store.iterdir() if not path.name.startswith(".")]
        return open_run(path)

    def experiment(self, text: str, name: str = "fault") -> str:
        """An experiment file of the test's own."""
        path = self.folder / f"{name}.yaml"
        path.write_text(text)
        return str(path)

    def engines(self, role: str | None = None) -> list[int]:
        """The pids of this lab's engines, by their --out folder; of one role or of both."""
        return [pid for pid, arguments in _processes() if self._is_ours(arguments, role)]

    def wait_for_engine(self, role: str) -> int:
        """The pid of the running engine of a role, once it has begun its own work (past env, setpriv and taskset)."""
        pids = until(lambda: [pid for pid in self.engines(role) if _is_engine(pid)], f"no {role} was started")
        return pids[0]

    def wait_for_blocks(self, count: int, tool: subprocess.Popen[str]) -> None:
        """Until `count` blocks are finished; a tool that ends before that fails the test with what it said."""

        def finished() -> bool:
            ended = tool.poll() is not None
            if self._count('"kind":"block"') >= count:
                return True
            assert not ended, f"the tool ended with {tool.returncode}: {tool.stderr.read() if tool.stderr else ''}"
            return False

        until(finished, f"never {count} finished blocks")

    def kill_left_overs(self) -> list[int]:
        """Kill what a failed test left; the list is empty after a good one."""
        left = self.engines()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        return left

    def _count(self, mark: str) -> int:
        return sum(text.read_text().count(mark) for text in self.store.glob("*/pairs/*/samples.jsonl"))

    def _is_ours(self, arguments: list[str], role: str | None) -> bool:
        out = next((word for word in arguments if word.startswith("--out=")), "")
        return out.startswith(f"--out={self.store}/") and (role is None or f"--role={role}" in arguments)


def until(look: Callable[[], T], complaint: str, deadline_s: float = DEADLINE_S) -> T:
    """What `look` returns, once it is true."""
    deadline = time.monotonic() + deadline_s
    while time.monotonic() < deadline:
        seen = look()
        if seen:
            return seen
        time.sleep(0.005)
    raise AssertionError(complaint)


def _is_engine(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/exe").readlink() == Path(str(engine())).resolve()
    except OSError:
        return False


def _processes() -> list[tuple[int, list[str]]]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found.append((int(entry.name), (entry / "cmdline").read_bytes().decode().split("\0")))
            except OSError:
                continue
    return found


def manifest(run: Run) -> dict[str, object]:
    """The manifest as plain JSON."""
    value: dict[str, object] = json.loads((run.path / "manifest.json").read_text())
    return value
