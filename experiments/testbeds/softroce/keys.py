"""Keys made for one testbed: one to log in with, one host key per node, and the known_hosts file that pins them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from store.errors import Exit, LabError

LOGIN = "login"


def make_key(path: Path) -> Path:
    """Makes an ed25519 key (the cheapest handshake under emulation) at `path` unless there is one; returns it."""
    if not (path.is_file() and path.with_suffix(".pub").is_file()):
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "rdmalab testbed", "-f", str(path)]
        try:
            subprocess.run(argv, check=True, capture_output=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as error:
            raise LabError(
                f"ssh-keygen made no key at {path}: {error}",
                advice="package openssh-client is needed, and a writable state folder",
                exit_code=Exit.CANNOT_RUN,
            ) from error
    return path


def public_of(path: Path) -> str:
    """The public half of a key, as in an authorized_keys file."""
    return path.with_suffix(".pub").read_text(encoding="ascii").strip()


def known_hosts_text(host: str, keys_by_port: dict[int, Path]) -> str:
    """A known_hosts file that names exactly the given host key for each port."""
    lines = []
    for port, key in keys_by_port.items():
        kind, text = public_of(key).split()[:2]
        lines.append(f"[{host}]:{port} {kind} {text}\n")
    return "".join(lines)
