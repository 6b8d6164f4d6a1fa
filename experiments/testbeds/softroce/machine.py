"""One emulated node as a QEMU command line. Pure: values in, argv out; `softroce.testbed` starts it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

LINK_MTU = 4500
"""Frames of the nodes' link: above 4096 plus headers, so that the emulated port reaches its largest RDMA MTU."""
MEMORY_MIB = 2048


@dataclass(frozen=True)
class Machine:
    """What one node is started with. All files it makes lie in `folder`, which is also its working directory."""

    number: int
    peer: int
    folder: Path
    kernel: Path
    initramfs: Path
    project: Path
    share: Path
    ssh_port: int
    accelerator: str = "tcg"

    @property
    def name(self) -> str:
        """The node's name, on both sides of the emulation."""
        return f"node{self.number}"

    @property
    def console(self) -> Path:
        """What the node prints while it boots."""
        return self.folder / f"{self.name}.console"


def qemu_argv(machine: Machine) -> list[str]:
    """The command line. Sockets have relative names: their paths are limited to 107 characters."""
    append = " ".join(
        (
            "console=ttyS0 quiet panic=1 random.trust_cpu=1 mitigations=off",
            f"rdmalab.node={machine.number}",
            f"rdmalab.project={machine.project}",
            f"rdmalab.share={machine.share}",
        )
    )
    local, peer = f"{machine.name}.net", f"node{machine.peer}.net"
    mac = f"52:54:00:77:00:0{machine.number}"
    return [
        "qemu-system-x86_64",
        *(
            "-nodefaults",
            "-no-user-config",
            "-no-reboot",
            "-display",
            "none",
            "-serial",
            f"file:{machine.console.name}",
        ),
        *("-name", f"rdmalab-{machine.name}", "-machine", f"q35,accel={machine.accelerator}", "-cpu", "max"),
        *("-smp", "1", "-m", str(MEMORY_MIB)),
        *("-kernel", str(machine.kernel), "-initrd", str(machine.initramfs), "-append", append),
        # The nodes' own link: datagrams between two sockets, so that either node can come and go.
        *("-netdev", f"dgram,id=link,local.type=unix,local.path={local},remote.type=unix,remote.path={peer}"),
        *("-device", f"virtio-net-pci,netdev=link,mac={mac},host_mtu={LINK_MTU},romfile="),
        # The way in for ssh, from this host's loopback only; nothing leads out of the node.
        *("-netdev", f"user,id=door,restrict=on,hostfwd=tcp:127.0.0.1:{machine.ssh_port}-:22"),
        *("-device", "virtio-net-pci,netdev=door,romfile="),
        *_share("system", Path("/"), read_only=True),
        *_share("project", machine.project, read_only=True),
        *_share("share", machine.share, read_only=False),
        *("-qmp", f"unix:{machine.name}.qmp,server=on,wait=off"),
    ]


def _share(tag: str, path: Path, *, read_only: bool) -> list[str]:
    options = f"local,id={tag},path={path},security_model=none,multidevs=remap"
    return [
        *("-fsdev", options.replace(",multidevs", ",readonly=on,multidevs") if read_only else options),
        *("-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"),
    ]
