"""Writes what is generated from the models: `configs/schemas/*.json`, and the key tables of docs/experiments.md.

Run as `python -m experiments.schemas` after a model has changed (`./rdmalab format` does); with `--check` it only
says which file is stale. Editors read the experiment, site and lane schemas to complete and check YAML.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from experiments import key_tables
from experiments.binding import Binding
from experiments.config import Defaults
from experiments.config_experiment import Experiment
from experiments.config_lane import Lane
from experiments.config_operation import OperationsExperiment
from experiments.config_site import Site
from experiments.places import CONFIGS
from experiments.plan_model import OperationsPlan, Plan
from store.records import Manifest, PairRecord, PreflightRecord, SetupRecord
from store.sample_lines import BlockLine, EndLine, OperationsSample, RendezvousSample, StartLine

FOLDER: Final = CONFIGS / "schemas"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

SCHEMAS: Final[Mapping[str, tuple[str, Any]]] = {
    "experiment": ("an experiment file", Experiment | OperationsExperiment),
    "site": ("a site file", Site),
    "lane": ("a lane file", Lane),
    "defaults": ("the user's defaults.yaml", Defaults),
    "plan": ("plan.json", Plan | OperationsPlan),
    "binding": ("binding.json", Binding),
    "setup": ("setup/NODE.json", SetupRecord),
    "preflight": ("preflight.json", PreflightRecord),
    "pair": ("pairs/N/pair.json", PairRecord),
    "manifest": ("manifest.json", Manifest),
    "sample": (
        "a line of samples.jsonl",
        StartLine | RendezvousSample | OperationsSample | BlockLine | EndLine,
    ),
}
"""Schema name -> what it describes, and the model."""


def schema_text(name: str) -> str:
    """The JSON Schema of that name, as its file holds it."""
    title, model = SCHEMAS[name]
    schema = TypeAdapter(model).json_schema(by_alias=True, mode="validation")
    described = {"$schema": _DIALECT, **schema, "title": f"rdmalab: {title}"}
    return json.dumps(described, indent=2, sort_keys=True, ensure_ascii=True) + "\n"


def stale(folder: Path = FOLDER) -> list[str]:
    """The names of the files in `folder` that are absent, differ from their model, or have no model."""
    wrong = [name for name in SCHEMAS if _read(folder / f"{name}.json") != schema_text(name)]
    return sorted(wrong + [path.stem for path in folder.glob("*.json") if path.stem not in SCHEMAS])


def write(folder: Path = FOLDER) -> list[str]:
    """Brings `folder` up to date; returns the names that changed."""
    changed = stale(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in changed:
        path = folder / f"{name}.json"
        if name in SCHEMAS:
            path.write_text(schema_text(name), encoding="ascii")
        else:
            path.unlink()
    return changed


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def main(arguments: list[str]) -> int:
    """0; with `--check` 1 where a file is stale. Prints the names of what was stale."""
    checking = arguments == ["--check"]
    files = [f"configs/schemas/{name}.json" for name in (stale() if checking else write())]
    if key_tables.is_stale() if checking else key_tables.write():
        files.append("docs/experiments.md")
    print("\n".join(files), end="\n" if files else "")
    return 1 if files and checking else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
