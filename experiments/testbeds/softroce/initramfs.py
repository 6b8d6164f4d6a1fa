"""The nodes' initial file system: busybox, the modules, the keys and `node_init.sh`, as one cpio archive.

Both nodes boot from the same archive; the kernel command line tells each who it is.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from experiments.testbeds.softroce.kernel import Kernel
from store.errors import Exit, LabError


def write_initramfs(target: Path, kernel: Kernel, keys: dict[str, Path]) -> None:
    """Writes the archive. `keys` are the files of /keys by their name there. LabError, exit 5, without the tools."""
    busybox, cpio = shutil.which("busybox"), shutil.which("cpio")
    if busybox is None or cpio is None:
        raise LabError(
            "busybox or cpio is missing",
            advice="install the testbeds group of the packages: `./rdmalab testbed softroce up` does it as root",
            exit_code=Exit.CANNOT_RUN,
        )
    with tempfile.TemporaryDirectory(prefix="rdmalab-initramfs-") as name:
        root = Path(name)
        for folder in ("bin", "modules", "keys"):
            (root / folder).mkdir()
        shutil.copy(busybox, root / "bin/busybox")
        for path in kernel.modules:
            shutil.copyfile(path, root / "modules" / path.name)
        for key, path in keys.items():
            shutil.copyfile(path, root / "keys" / key)
        shutil.copyfile(Path(__file__).parent / "node_init.sh", root / "init")
        (root / "init").chmod(0o755)
        names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*"))) + "\n"
        partial = target.with_suffix(".partial")
        partial.touch(mode=0o600)
        with partial.open("wb") as archive:
            subprocess.run(
                [cpio, "--quiet", "-o", "-H", "newc", "-R", "0:0"],
                cwd=root,
                input=names.encode(),
                stdout=archive,
                check=True,
                timeout=60,
            )
        partial.replace(target)
