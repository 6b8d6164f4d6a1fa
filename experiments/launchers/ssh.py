"""Runs processes on other machines over ssh: without questions, with exactly the given argv and environment.

The remote command is one word of base64 that the node's sh evaluates, so no login shell, whatever it is, can change a
quote. A guard on the node ends the process when the connection goes (node_guard.sh); `after` ends what even that left.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final, Literal

from experiments.launchers.base import Command, Launcher

CONNECTION_LOST: Final = 255
"""ssh's own exit code; no program of ours uses it."""

_GRACE_S = 5
_EVALUATE: Final = 'exec /bin/sh -c \'eval "$(printf %s "$0" | base64 -d)"\' '

# Each of them keeps ssh from asking, from doing more than it was told, or from waiting without an end.
_OPTIONS: Final = {
    "BatchMode": "yes",
    "ConnectTimeout": "20",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "4",
    "LogLevel": "ERROR",
    "RequestTTY": "no",
    "RemoteCommand": "none",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "PermitLocalCommand": "no",
    "ControlMaster": "auto",
    "ControlPersist": "60",
}


_REMEDIES: Final = (
    ("Host key verification failed", "it shows another host key than the known one: find out why before removing that"),
    ("REMOTE HOST IDENTIFICATION HAS CHANGED", "its host key has changed: find out why before removing the known one"),
    ("Permission denied", "no key opens it: ssh: {user, identity} in the site file, or ssh-copy-id"),
    ("Connection refused", "no sshd listens there: ssh: {host, port} in the site file, or start it"),
    ("Could not resolve hostname", "that name is not known here: ssh: {host: ...} in the site file"),
    ("No route to host", "it is off, or on a network that this machine does not reach"),
    ("timed out", "it is off, overloaded or behind a firewall"),
    ("not responding", "it stopped answering: it is off, overloaded or has lost its network"),
)


@dataclass(frozen=True)
class SshTarget:
    """How to reach one node; None leaves the matter to the user's ssh configuration."""

    host: str
    port: int = 22
    user: str | None = None
    identity: str | None = None
    known_hosts: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FolderMap:
    """Folders of this machine and their names on the nodes; the longest that contains a path decides."""

    pairs: tuple[tuple[Path, str], ...] = ()

    def there(self, path: Path) -> str:
        """The path's name on a node; its own name where no folder contains it."""
        inside = [(len(here.parts), here, name) for here, name in self.pairs if path.is_relative_to(here)]
        if not inside:
            return str(path)
        _, here, name = max(inside)
        rest = path.relative_to(here)
        return name if str(rest) == "." else f"{name.rstrip('/')}/{rest}"


class SshLauncher(Launcher):
    """`collect` shared: run files pass through a folder that this machine sees under the same name as the nodes.

    copy: they are sent to the node before a pair and fetched after it. Either way `folders` says where they are there.
    """

    ends_by: ClassVar[Literal["signal", "stdin"]] = "stdin"
    allowance_s: ClassVar[float] = 45.0

    def __init__(
        self,
        targets: Mapping[str, SshTarget],
        control_folder: Path,
        folders: FolderMap | None = None,
        collect: Literal["shared", "copy"] = "shared",
    ) -> None:
        self._targets = targets
        self._control_folder = control_folder
        self._folders = folders or FolderMap()
        self._collect = collect

    def start(self, command: Command, node: str) -> list[str]:
        """An ssh argv whose remote side is the guard around the command."""
        if "=" in command.argv[0]:
            raise ValueError(f"env would take the program {command.argv[0]!r} for a variable")
        variables = [f"{name}={value}" for name, value in sorted(command.env.items())]
        cpus = ",".join(map(str, command.cpus)) or "-"
        words = [_key(command.folder), str(_GRACE_S), command.folder, cpus, *variables, *command.argv]
        return self._ssh(node, remote_script(_script("node_guard.sh"), words))

    def tool(self, argv: Sequence[str], node: str) -> list[str]:
        """A short command on the node in its login environment, with our standard input."""
        return self._ssh(node, remote_script("exec " + shlex.join(argv), ()))

    def path_on(self, node: str, path: Path) -> str:
        """As `folders` says."""
        return self._folders.there(path)

    def before(self, node: str, folder: Path, files: Sequence[Path]) -> list[list[str]]:
        """Makes the pair's folder where the nodes see it and puts the files there."""
        there = self.path_on(node, folder)
        if self._collect == "copy":
            make = self.tool(["mkdir", "-p", f"{there}/exchange"], node)
            return [make, *(self._send(node, path) for path in files)]
        if there == str(folder):
            return []
        copies = [["cp", "--", str(path), self.path_on(node, path)] for path in files]
        return [["mkdir", "-p", f"{there}/exchange"], *copies]

    def after(self, node: str, folder: Path) -> list[list[str]]:
        """Ends what a lost connection left on the node, then brings the pair's files here; removes them there after."""
        there = self.path_on(node, folder)
        end = self._ssh(node, remote_script(_script("leftovers.sh"), [_key(there)]))
        if self._collect == "copy":
            pack = self.tool(["tar", "-C", there, "--exclude=./exchange", "-cf", "-", "."], node)
            unpack = ["tar", "-C", str(folder), "--no-same-owner", "-xf", "-"]
            remove = self.tool(["rm", "-rf", "--", there], node)
            return [end, ["sh", "-c", f"{shlex.join(_pipe(pack, unpack))} && {shlex.join(remove)}"]]
        if there == str(folder):
            return [end]
        # Both nodes' files lie there: whoever comes second finds the rest of them, or nothing more.
        fetch = 'if [ -d "$1" ]; then rm -rf "$1/exchange"; cp -a "$1/." "$2/" && rm -rf "$1"; fi'
        return [end, ["sh", "-c", fetch, "fetch", there, str(folder)]]

    def lost(self, node: str, exit_code: int) -> str | None:
        """ssh's own exit code means that the way to the node is gone or never was."""
        if exit_code != CONNECTION_LOST:
            return None
        target = self._targets[node]
        return f"the connection to {node} ({target.host} port {target.port}) was lost or could not be made"

    def advice(self, stderr: str) -> str | None:
        """The remedy for a text of ssh, or None for one that is not known."""
        return next((remedy for word, remedy in _REMEDIES if word in stderr), None)

    def forget(self, node: str) -> list[str]:
        """The argv that closes the kept connection to a node."""
        return [*self._ssh_options(node), "-O", "exit", self._targets[node].host]

    def _send(self, node: str, path: Path) -> list[str]:
        write = remote_script('mkdir -p "${1%/*}" && exec cat >"$1"', [self.path_on(node, path)])
        return _pipe(["cat", "--", str(path)], self._ssh(node, write))

    def _ssh(self, node: str, remote: str) -> list[str]:
        return [*self._ssh_options(node), "--", self._targets[node].host, remote]

    def _ssh_options(self, node: str) -> list[str]:
        target = self._targets[node]
        options = _OPTIONS | {"ControlPath": str(self._control_folder / "%C")}
        if target.known_hosts is not None:
            pinned = {"UserKnownHostsFile": target.known_hosts, "GlobalKnownHostsFile": "/dev/null"}
            options |= pinned | {"StrictHostKeyChecking": "yes"}
        argv = ["ssh", "-p", str(target.port)]
        if target.user is not None:
            argv += ["-l", target.user]
        if target.identity is not None:
            argv += ["-i", target.identity]
            options |= {"IdentitiesOnly": "yes", "IdentityAgent": "none"}
        for name, value in (options | dict(target.options)).items():
            argv += ["-o", f"{name}={value}"]
        return argv


def remote_script(script: str, words: Sequence[str]) -> str:
    """One command line for any login shell that makes sh run `script` with `words` as its arguments, byte for byte."""
    whole = "set -- " + " ".join(map(shlex.quote, words)) + "\n" + script if words else script
    return _EVALUATE + base64.b64encode(os.fsencode(whole)).decode("ascii")


def _script(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def _key(folder: str) -> str:
    return hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]


def _pipe(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """One argv that runs `first | second` and fails when either does."""
    # The status of the first goes through a descriptor, because sh has no pipefail.
    line = f"{{ {{ {shlex.join(first)}; echo $? >&3; }} | {shlex.join(second)} >&2 || exit 1; }} 3>&1"
    return ["sh", "-c", f'status=$({line}) && exit "$status"']
