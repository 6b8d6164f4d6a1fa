"""A real sshd for tests: own keys, own port on loopback, ended with the test."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from experiments.launchers.ssh import FolderMap, SshLauncher, SshTarget
from experiments.testbeds.softroce.keys import known_hosts_text, make_key, public_of

DEADLINE_S = 20


@dataclass(frozen=True)
class RealSshd:
    """A running sshd and what a client needs to reach it as node `n1`."""

    target: SshTarget
    folder: Path
    pid: int

    def launcher(self, folders: FolderMap | None = None, **options: str) -> SshLauncher:
        """A launcher with one node, `n1`, behind this sshd."""
        control = self.folder / "c"
        control.mkdir(exist_ok=True)
        collect = options.get("collect", "shared")
        assert collect in ("shared", "copy")
        return SshLauncher({"n1": self.target}, control, folders, "copy" if collect == "copy" else "shared")


@contextlib.contextmanager
def real_sshd(folder: Path) -> Iterator[RealSshd]:
    """Starts sshd; skips the test where there is none."""
    program = shutil.which("sshd") or "/usr/sbin/sshd"
    if not Path(program).is_file() or shutil.which("ssh") is None:
        pytest.skip("no sshd here: package openssh-server of the development group")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    host_key, login = make_key(folder / "host"), make_key(folder / "login")
    (folder / "authorized").write_text(public_of(login) + "\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = {
        "ListenAddress": f"127.0.0.1:{port}",
        "HostKey": host_key,
        "AuthorizedKeysFile": folder / "authorized",
        "PasswordAuthentication": "no",
        "UsePAM": "no",
        "StrictModes": "no",
        "PidFile": "none",
        "MaxStartups": "50",
    }
    (folder / "config").write_text("".join(f"{name} {value}\n" for name, value in config.items()))
    log = (folder / "sshd.log").open("wb")
    server = subprocess.Popen([program, "-D", "-e", "-f", str(folder / "config")], stderr=log, start_new_session=True)
    try:
        _wait_for(port)
        (folder / "known_hosts").write_text(known_hosts_text("127.0.0.1", {port: host_key}))
        target = SshTarget(
            host="127.0.0.1",
            port=port,
            user=getpass.getuser(),
            identity=str(login),
            known_hosts=str(folder / "known_hosts"),
        )
        yield RealSshd(target, folder, server.pid)
    finally:
        server.terminate()
        server.wait(DEADLINE_S)
        log.close()


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < deadline, "sshd does not listen"
            time.sleep(0.02)
