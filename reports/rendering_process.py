"""The process that computes and draws (`python -m reports.rendering_process`), started by `reports.process`.

stdin, one of:
  {"what": "report", "runs": [folder], "out": folder}   writes the report; tells answers and caveats
  {"what": "numbers", "runs": [folder]}                 draws nothing; tells numbers.json as text
  {"what": "tables", "runs": [folder], "formats": [..]} tells the tables' files, base64
stdout: what is told, or {"error": {"message", "advice", "exit_code"}} of a LabError.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

from store import durable
from store.errors import LabError


def main() -> int:
    """Answer one request."""
    asked = json.load(sys.stdin)
    try:
        told = answer(asked)
    except LabError as error:
        told = {"error": {"message": error.message, "advice": error.advice, "exit_code": int(error.exit_code)}}
    json.dump(told, sys.stdout)
    return 0


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """What is told for a request."""
    paths = [Path(path) for path in asked["runs"]]
    if asked["what"] == "tables":
        from reports.table_files import table_files

        files = table_files(paths, asked["formats"])
        return {"files": {name: base64.b64encode(data).decode() for name, data in files.items()}}
    from reports.build import build_report

    built = build_report(paths, draw=asked["what"] == "report")
    if asked["what"] == "numbers":
        return {"numbers": built.files["numbers.json"].decode()}
    write(built.files, Path(asked["out"]))
    return {"answers": built.answers, "caveats": built.caveats}


def write(files: dict[str, bytes], folder: Path) -> None:
    """Write the files, and remove pictures of an earlier rendering that this one has not."""
    durable.make_folder(folder)
    for old in folder.glob("*.png"):
        if old.name not in files:
            old.unlink()
    for name, data in files.items():
        durable.write_file(folder / name, data)


if __name__ == "__main__":
    sys.exit(main())
