"""`doctor`: every port, limit and version of a site's nodes, and what each lane lacks there. Starts no measurement."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.doctor_text import as_document, told
from cli.resolving import LaneOption, SiteOption
from experiments.config import load_defaults, load_site, load_site_file, names
from experiments.config_site import Site
from experiments.doctor import examine_site
from store.names import default_store


def doctor(
    site: SiteOption = None,
    lane: LaneOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Every check, port and fact as JSON.")] = False,
) -> int:
    """Say what each node of a site has, which lanes can run there, and what the others lack."""
    name = site or load_defaults().site
    return examine_and_tell(name, load_site(name), lane, as_json=as_json)


def examine_and_tell(name: str, site: Site, lane: str | None, *, as_json: bool) -> int:
    """Prints the examination of a site on stdout; returns the exit code: 0 where a lane can run (the one asked for)."""
    lanes = names("lane") if lane is None else [lane]
    found = examine_site(name, site, lanes, default_store(), lambda text: print(text, file=sys.stderr))
    print(json.dumps(as_document(found), indent=2) if as_json else told(found))
    return int(found.exit_code)


def site_of(name_or_file: str) -> tuple[str, Site]:
    """A site by name, or by the path of its YAML file."""
    if name_or_file.endswith((".yaml", ".yml")):
        return Path(name_or_file).stem, load_site_file(Path(name_or_file))
    return name_or_file, load_site(name_or_file)
