"""A copy of a run without the names of machines and people, sealed again. Used by `export --anonymous`.

`anonymous.json` (`rdmalab.anonymous`, version 1) in the copy names the digest of the original's manifest, so that who
has the original can show that it is the same run. Samples, figures and digests of programs stay as they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from store.errors import Exit, LabError
from store.figures import FIGURES
from store.json_file import read_model, to_bytes
from store.records import Manifest
from store.redaction import Redactor
from store.write import digest, digests, files_of

ANONYMOUS = "anonymous.json"
_HOST_KEYS = frozenset({"hostname", "node"})
_PLAIN_SAMPLE = '"error":null}'


def anonymous_copy(run: Path, folder: Path) -> Path:
    """Write the copy below `folder`, under the run's own name; returns it. LabError (exit 2) for an unsealed run."""
    if not (run / "manifest.json").is_file():
        raise LabError(f"{run.name} is not sealed; it can change while it is read", exit_code=Exit.USAGE)
    names = files_of(run)
    redactor = _redactor(run, names)
    copy = folder / run.name
    for name in names:
        place = copy / "/".join(redactor.redact(part) for part in name.split("/"))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(_redacted(run / name, redactor))
    manifest = read_model(run / "manifest.json", Manifest)
    told = {"format": "rdmalab.anonymous", "version": 1, "of_manifest_sha256": _sha256(run / "manifest.json")}
    (copy / ANONYMOUS).write_bytes(to_bytes({**told, "replaced": redactor.counts}))
    asked = copy / ("plan.json" if (copy / "plan.json").is_file() else FIGURES)
    cause = None if manifest.cause is None else redactor.redact(manifest.cause)
    sealed = manifest.model_copy(
        update={"cause": cause, "plan_sha256": digest(asked).sha256, "files": digests(copy)},
    )
    (copy / "manifest.json").write_bytes(to_bytes(sealed))
    return copy


def _redactor(run: Path, names: list[str]) -> Redactor:
    """Knows the run's hosts (the binding's in their order, then all others), its GUIDs and serial numbers."""
    hosts: list[str] = []
    guids: list[str] = []
    serials: list[str] = []
    first = [name for name in ("binding.json",) if name in names]
    for name in first + [each for each in names if each.endswith(".json") and each not in first]:
        value = _json(run / name)
        for node in value.get("nodes") or [] if isinstance(value, dict) else []:
            if isinstance(node, dict):
                hosts += [str(node[key]) for key in ("name", "address") if node.get(key)]
        for key, text in _named_texts(value):
            if key in _HOST_KEYS or key == "host.name":
                hosts.append(text)
            elif key.endswith("guid"):
                guids.append(text)
            elif key.endswith(("serial", "serial_number")):
                serials.append(text)
    redactor = Redactor(hosts, guids, serials)
    for name in names:
        if not name.endswith(".jsonl"):
            redactor.learn_users((run / name).read_text(encoding="utf-8", errors="replace"))
    return redactor


def _named_texts(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """(key, text) of every text in a JSON value; the value of a setup fact goes by the fact's key."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _named_texts(inner, key if name == "value" else str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _named_texts(inner, key)
    elif isinstance(value, str):
        yield key, value


def _redacted(file: Path, redactor: Redactor) -> bytes:
    """A file's bytes, redacted. Records keep their keys and their form; other texts are redacted as a whole."""
    if file.suffix == ".jsonl":
        with file.open(encoding="utf-8", errors="surrogateescape") as lines:
            return "".join(_line(line, redactor) for line in lines).encode("utf-8", "surrogateescape")
    if file.suffix == ".json":
        value = _json(file)
        if value is not None:
            indent = 1 if b"\n " in file.read_bytes() else None
            separators = None if indent else (",", ":")
            text = json.dumps(_within(value, redactor.redact), indent=indent, separators=separators)
            return f"{text}\n".encode()
    try:
        return redactor.redact(file.read_text(encoding="utf-8")).encode()
    except UnicodeDecodeError as error:
        raise LabError(f"{file} is no text, so what it names cannot be found", exit_code=Exit.USAGE) from error


def _line(line: str, redactor: Redactor) -> str:
    """A sample without an error holds no name of anything; a million of them are not parsed."""
    if line.endswith(_PLAIN_SAMPLE + "\n") and '"kind":"sample"' in line:
        return line
    try:
        value = json.loads(line)
    except ValueError:
        return redactor.redact(line)
    end = "\n" if line.endswith("\n") else ""
    return json.dumps(_within(value, redactor.redact), separators=(",", ":")) + end


def _within(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with every text in it changed; keys stay."""
    if isinstance(value, dict):
        return {key: _within(inner, change) for key, inner in value.items()}
    if isinstance(value, list):
        return [_within(inner, change) for inner in value]
    return change(value) if isinstance(value, str) else value


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_bytes())
    except (ValueError, OSError):
        return None


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
