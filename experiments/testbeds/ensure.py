"""Makes the nodes of a site exist. Called by `run`, `doctor` and whoever else is about to start something there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from experiments.config_site import Site, Ssh
from experiments.testbeds.softroce import Testbed
from store.errors import Exit, LabError
from store.names import ROOT

# A master connection under emulation answers late while the node works: cheap key exchange, no compression.
_SSH_OPTIONS = {"KexAlgorithms": "curve25519-sha256", "Ciphers": "aes128-ctr", "Compression": "no"}


def ensure(site: Site, progress: Callable[[str], None], *, project: Path = ROOT) -> Site:
    """The site itself where it names no testbed; else, with the testbed up, the site with reachable nodes.

    LabError, exit 5, where the testbed cannot be brought up on this machine.
    """
    if site.testbed is None:
        return site
    if site.testbed == "softroce":
        testbed = Testbed(project)
        testbed.up(progress)
        return softroce_site(site, testbed)
    raise LabError(f"this version makes no testbed {site.testbed!r}", exit_code=Exit.CANNOT_RUN)


def softroce_site(site: Site, testbed: Testbed) -> Site:
    """The site with the ports, keys and shared folder of a testbed that is up."""
    reached = {
        node.name: Ssh(
            host="127.0.0.1",
            port=node.ssh_port,
            user="root",
            identity=str(testbed.login_key),
            known_hosts=str(testbed.known_hosts),
            options=_SSH_OPTIONS,
        )
        for node in testbed.nodes()
    }
    unknown = [node.name for node in site.nodes if node.name not in reached]
    if unknown:
        raise LabError(
            f"testbed softroce makes {', '.join(reached)}, not {', '.join(unknown)}",
            advice="name the site's nodes as the testbed does",
            exit_code=Exit.USAGE,
        )
    nodes = tuple(node.model_copy(update={"ssh": reached[node.name]}) for node in site.nodes)
    return site.model_copy(update={"nodes": nodes, "shared_folder": str(testbed.share)})
