"""The launcher that a site names: the one list of ways to start a process on a node."""

from __future__ import annotations

import getpass
import os
import stat
from pathlib import Path

from experiments.config_site import Site, Ssh
from experiments.launchers.base import Launcher
from experiments.launchers.local import LocalLauncher
from experiments.launchers.ssh import FolderMap, SshLauncher, SshTarget
from store.errors import Exit, LabError
from store.names import ROOT


def launcher_of(site: Site, store: Path) -> Launcher:
    """The launcher of a site whose nodes exist; runs are kept in `store`. LabError (exit 5) for one not built."""
    if site.launcher == "local":
        return LocalLauncher()
    if site.launcher == "ssh":
        targets = {node.name: _target(node.ssh) for node in site.nodes if node.ssh is not None}
        return SshLauncher(targets, connections_folder(), _folders(site, store), site.collect)
    raise LabError(f"launcher {site.launcher} is not built in this version", exit_code=Exit.CANNOT_RUN)


def connections_folder() -> Path:
    """The folder of kept ssh connections: short, because sockets lie there, and the user's own. LabError otherwise."""
    folder = Path("/tmp") / f"rdmalab-ssh-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise LabError(f"{folder} belongs to another user", advice="remove it", exit_code=Exit.CANNOT_RUN)
    return folder


def _target(ssh: Ssh) -> SshTarget:
    return SshTarget(
        host=ssh.host,
        port=ssh.port,
        user=ssh.user,
        identity=ssh.identity,
        known_hosts=ssh.known_hosts,
        options=ssh.options,
    )


def _folders(site: Site, store: Path) -> FolderMap:
    """The checkout by `workdir`; run folders by `shared_folder`, or for `collect: copy` in the node's own /var/tmp."""
    pairs = [] if site.workdir is None else [(ROOT, site.workdir)]
    if site.shared_folder is not None:
        pairs.append((store, site.shared_folder))
    elif site.collect == "copy":
        pairs.append((store, f"/var/tmp/rdmalab-{getpass.getuser()}"))
    return FolderMap(tuple(pairs))
