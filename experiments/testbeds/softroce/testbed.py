"""Two emulated RDMA nodes: up, down, status, and the site that they make. Called by cli/testbed.py and by `ensure`.

Everything lies in one state folder (`.build/softroce` of the checkout): keys, the initial file system, consoles, the
record of what runs, and `share`, the folder that both nodes and this host see under the same path.
"""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.testbeds.recorded_process import RecordedProcess
from experiments.testbeds.softroce.initramfs import write_initramfs
from experiments.testbeds.softroce.kernel import kernel
from experiments.testbeds.softroce.keys import LOGIN, known_hosts_text, make_key, public_of
from experiments.testbeds.softroce.machine import Machine, qemu_argv
from experiments.testbeds.softroce.state import NodeState, read_state, write_state
from store.errors import Exit, LabError

NUMBERS = (1, 2)
READY_S = 180
"""Deadline of `up`; a boot takes about 10 s on two idle cores, a minute on ones that ten others want."""
GREETING_S = 20.0
"""How long a busy node's sshd may take to greet before it counts as silent."""
GRACE_S = 5.0
_POLL_S = 0.1
_READY, _FAILED = "rdmalab-node: ready", "rdmalab-node: FAILED"

Progress = Callable[[str], None]


@dataclass(frozen=True)
class NodeStatus:
    """One node as `status` tells it. `condition`: ready, booting, silent (it runs, its sshd does not), dead or down."""

    name: str
    condition: str
    detail: str
    ssh_port: int | None = None
    pid: int | None = None


class Testbed:
    """The two nodes of one checkout. Starting and ending them excludes other commands by a lock."""

    __test__ = False  # not a test class, whatever pytest thinks of its name

    def __init__(self, project: Path, state_folder: Path | None = None) -> None:
        self.project = project
        self.folder = state_folder if state_folder is not None else project / ".build" / "softroce"
        self.share = self.folder / "share"
        self._record = self.folder / "nodes.json"

    def up(self, progress: Progress, accelerator: str = "tcg") -> None:
        """Brings up what is not up; returns when both nodes answer. LabError, exit 5, where that fails."""
        self._refuse_odd_paths()
        with self._lock(progress):
            started = time.monotonic()
            nodes = self._forget_dead(progress)
            missing = [number for number in NUMBERS if number not in nodes]
            if missing:
                nodes |= self._start(missing, progress, accelerator)
            deadline = started + READY_S
            for node in nodes.values():
                self._wait_ready(node, deadline)
                progress(
                    f"{node.name}     ready, ssh on 127.0.0.1:{node.ssh_port}   {time.monotonic() - started:.0f} s"
                )

    def down(self, progress: Progress) -> None:
        """Ends exactly the processes that `up` started and recorded. Nothing recorded: nothing to do."""
        with self._lock(progress):
            for node in read_state(self._record).values():
                ended = node.process.end(GRACE_S)
                progress(f"{node.name}     {'ended' if ended else 'was gone already'} (pid {node.process.pid})")
            self._record.unlink(missing_ok=True)
            shutil.rmtree(self.share, ignore_errors=True)  # files of runs in passing; the runs themselves lie elsewhere
            for name in ("net", "qmp"):
                for path in self.folder.glob(f"node*.{name}"):
                    path.unlink(missing_ok=True)

    def status(self) -> list[NodeStatus]:
        """Each node's condition, without changing anything."""
        recorded = read_state(self._record)
        return [self._status_of(number, recorded.get(number)) for number in NUMBERS]

    def nodes(self) -> list[NodeState]:
        """The recorded nodes, for the site that they make. LabError, exit 5, where one is not ready."""
        # A silent one may just be busy; whoever logs in next is told with the right deadline.
        bad = [state for state in self.status() if state.condition not in ("ready", "silent")]
        if bad:
            raise LabError(
                "; ".join(f"{state.name} is {state.condition}: {state.detail}" for state in bad),
                advice="`./rdmalab testbed softroce up` starts it",
                exit_code=Exit.CANNOT_RUN,
            )
        recorded = read_state(self._record)
        return [recorded[number] for number in NUMBERS]

    @property
    def login_key(self) -> Path:
        """The private key that opens both nodes."""
        return self.folder / "keys" / LOGIN

    @property
    def known_hosts(self) -> Path:
        """The file that pins both nodes' host keys."""
        return self.folder / "known_hosts"

    def _status_of(self, number: int, node: NodeState | None) -> NodeStatus:
        if node is None:
            return NodeStatus(f"node{number}", "down", "not started")
        pid, port = node.process.pid, node.ssh_port
        if not node.process.alive():
            detail = f"its process {pid} is gone; last console line: {self._last_console_line(number)}"
            return NodeStatus(node.name, "dead", detail, port, pid)
        if _READY not in self._console(number):
            return NodeStatus(node.name, "booting", self._last_console_line(number), port, pid)
        if not _answers(port, timeout_s=GREETING_S):
            return NodeStatus(node.name, "silent", f"its sshd on 127.0.0.1:{port} says nothing", port, pid)
        return NodeStatus(node.name, "ready", f"ssh on 127.0.0.1:{port}", port, pid)

    def _forget_dead(self, progress: Progress) -> dict[int, NodeState]:
        alive = {}
        for number, node in read_state(self._record).items():
            if node.process.alive():
                alive[number] = node
            else:
                progress(f"{node.name}     its process {node.process.pid} is gone (crashed, ended or before a reboot)")
        return alive

    def _start(self, numbers: list[int], progress: Progress, accelerator: str) -> dict[int, NodeState]:
        image = kernel(self.project / ".deps" / "kernel", progress)
        keys = {number: make_key(self.folder / "keys" / f"host{number}") for number in NUMBERS}
        authorized = self.folder / "keys" / "authorized"
        authorized.write_text(public_of(make_key(self.login_key)) + "\n", encoding="ascii")
        self.share.mkdir(parents=True, exist_ok=True)
        archive = self.folder / "initramfs.cpio"
        write_initramfs(archive, image, {"authorized": authorized} | {f"host{n}": key for n, key in keys.items()})
        nodes = read_state(self._record)
        for number in numbers:
            (self.folder / f"node{number}.net").unlink(missing_ok=True)
            machine = Machine(
                number=number,
                peer=3 - number,
                folder=self.folder,
                kernel=image.image,
                initramfs=archive,
                project=self.project,
                share=self.share,
                ssh_port=_free_port(),
                accelerator=accelerator,
            )
            nodes[number] = NodeState(number, machine.ssh_port, _launch(machine))
            write_state(self._record, nodes)
            progress(f"{machine.name}     booting Debian's {image.release} under QEMU ({accelerator})")
        ports = {node.ssh_port: keys[number] for number, node in nodes.items()}
        self.known_hosts.write_text(known_hosts_text("127.0.0.1", ports), encoding="ascii")
        return {number: nodes[number] for number in numbers}

    def _wait_ready(self, node: NodeState, deadline: float) -> None:
        while True:
            console = self._console(node.number)
            if _FAILED in console or not node.process.alive():
                self._give_up(node, f"{node.name} did not boot: {self._last_console_line(node.number)}")
            if _READY in console and _answers(node.ssh_port, timeout_s=GREETING_S):
                return
            if time.monotonic() > deadline:
                self._give_up(
                    node, f"{node.name} is not ready after {READY_S} s: {self._last_console_line(node.number)}"
                )
            time.sleep(_POLL_S)

    def _give_up(self, node: NodeState, message: str) -> None:
        raise LabError(
            message,
            advice=f"the whole boot: {self.folder / (node.name + '.console')} and {node.name}.qemu.log beside it",
            exit_code=Exit.CANNOT_RUN,
        )

    def _console(self, number: int) -> str:
        try:
            return (self.folder / f"node{number}.console").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def _last_console_line(self, number: int) -> str:
        log = self.folder / f"node{number}.qemu.log"
        text = self._console(number) or (log.read_text(errors="replace") if log.is_file() else "")
        return (text.strip().splitlines() or ["it printed nothing"])[-1].strip()

    def _refuse_odd_paths(self) -> None:
        if any(mark in str(self.folder) + str(self.project) for mark in ", \t\n"):
            raise LabError(
                f"a testbed cannot run in {self.folder}: QEMU and the kernel's command line take no comma or blank",
                exit_code=Exit.CANNOT_RUN,
            )

    @contextlib.contextmanager
    def _lock(self, progress: Progress) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.folder / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                progress("testbed   waiting for another command on it")
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _launch(machine: Machine) -> RecordedProcess:
    machine.console.unlink(missing_ok=True)
    with (machine.folder / f"{machine.name}.qemu.log").open("wb") as log:
        try:
            child = subprocess.Popen(
                qemu_argv(machine),
                cwd=machine.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        except OSError as error:
            raise LabError(
                f"qemu-system-x86_64 does not start: {error}",
                advice="install the testbeds group of packages.txt",
                exit_code=Exit.CANNOT_RUN,
            ) from error
    record = RecordedProcess.of(child.pid)
    assert record is not None  # our own child: at least a zombie until we wait for it
    return record


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(port: int, timeout_s: float) -> bool:
    """Whether an ssh server greets on a loopback port."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=timeout_s) as connection:
            connection.settimeout(timeout_s)
            return connection.recv(4).startswith(b"SSH-")
    except OSError:
        return False
