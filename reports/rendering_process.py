"""The process that computes and draws a report (`python -m reports.rendering_process`), started by `reports.render`.

stdin: {"runs": [folder, ...], "out": folder or null}. With `out` it writes the report's files there, else it compares
nothing and writes nothing. stdout: {"answers", "caveats", "files": {name: sha256}} or {"error": {...}} of a LabError.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from reports.build import Built, build_report
from store import durable
from store.errors import LabError


def main() -> int:
    """One report, as asked on stdin."""
    asked = json.load(sys.stdin)
    try:
        built = build_report([Path(path) for path in asked["runs"]])
        if asked["out"] is not None:
            write(built, Path(asked["out"]))
    except LabError as error:
        failure = {"message": error.message, "advice": error.advice, "exit_code": int(error.exit_code)}
        json.dump({"error": failure}, sys.stdout)
        return 0
    json.dump(_told(built), sys.stdout)
    return 0


def write(built: Built, folder: Path) -> None:
    """Write the files, and remove pictures of an earlier rendering that this one has not."""
    durable.make_folder(folder)
    for old in folder.glob("*.png"):
        if old.name not in built.files:
            old.unlink()
    for name, data in built.files.items():
        durable.write_file(folder / name, data)


def _told(built: Built) -> dict[str, Any]:
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in built.files.items()}
    return {"answers": built.answers, "caveats": built.caveats, "files": digests}


if __name__ == "__main__":
    sys.exit(main())
