"""Finds and loads experiments, lanes, sites and the user's defaults: name or file -> validated model.

Called by the command line, the planner's tests and the testbeds. An experiment is a name or any YAML file; lanes and
sites are names; the user's own lie in the user's configuration folder, in the same subfolders as in `configs/`.
Whatever is wrong is a LabError with exit code 2 that points at the text.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

from pydantic import Field

from experiments.config_check import build
from experiments.config_experiment import Experiment
from experiments.config_fields import ConfigModel, Name
from experiments.config_lane import Lane
from experiments.config_mistakes import Mistake, Mistakes
from experiments.config_operation import OperationsExperiment, with_arms_beside
from experiments.config_operation_rules import OPERATION_RULES
from experiments.config_overrides import apply_overrides
from experiments.config_rules import EXPERIMENT_RULES, LANE_RULES, SITE_RULES, Broken
from experiments.config_site import Site
from experiments.config_text import ConfigText, read_config
from experiments.places import CONFIGS, shown, user_configs
from store.errors import Exit, LabError

Model = TypeVar("Model", bound=ConfigModel)
_EXPERIMENT_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
_SEED_BITS: Final = 53
"""A derived seed stays below 2^53, so that every JSON reader keeps it exactly."""


class Defaults(ConfigModel):
    """The user's `defaults.yaml`; none of it can change a plan."""

    noun: ClassVar[str] = "defaults"
    site: Name = Field(default="local", description="the site when --site is not given")


@dataclass(frozen=True, slots=True)
class LoadedExperiment:
    """An experiment with its name, its file and the seed of its plans."""

    name: str
    path: Path
    experiment: Experiment | OperationsExperiment
    seed: int


def load_experiment(name_or_file: str, overrides: Sequence[str] = ()) -> LoadedExperiment:
    """The experiment of that name, or in that YAML file, with `key=value` overrides applied and checked like YAML.

    The seed is the experiment's own, else it is derived from the values in the file before any override: two clones
    agree, comments do not matter, and `--set reps=3` keeps the order of what stays.
    """
    path = _experiment_path(name_or_file)
    if not _EXPERIMENT_NAME.fullmatch(path.stem):
        raise LabError(
            f"{shown(path)}: '{path.stem}' cannot name a run",
            advice="rename the file: small letters, digits, _ and -, at most 60",
            exit_code=Exit.USAGE,
        )
    text = read_config(path, shown(path))
    derived = _derived_seed(text.data)
    apply_overrides(text, overrides)
    experiment: Experiment | OperationsExperiment
    if isinstance(text.data, dict) and text.data.get("engine") == "operations":
        experiment = _checked(text, OperationsExperiment, OPERATION_RULES, with_arms_beside)
    else:
        experiment = _checked(text, Experiment, EXPERIMENT_RULES)
    return LoadedExperiment(path.stem, path, experiment, derived if experiment.seed is None else experiment.seed)


def load_lane(name: str) -> Lane:
    """The lane of that name."""
    return _checked(_named("lane", name), Lane, LANE_RULES)


def load_site(name: str) -> Site:
    """The site of that name; a site of a testbed may have no nodes up yet, that is the testbed's matter."""
    return _checked(_named("site", name), Site, SITE_RULES)


def load_site_file(path: Path) -> Site:
    """The site in that file, for a testbed or `site check` on a file that lies elsewhere."""
    return _checked(read_config(path, shown(path)), Site, SITE_RULES)


def load_defaults() -> Defaults:
    """The user's defaults; those of the tool where there is no file."""
    path = user_configs() / "defaults.yaml"
    return _checked(read_config(path, shown(path)), Defaults, ()) if path.is_file() else Defaults()


def names(kind: str) -> list[str]:
    """All names of a kind (experiment, lane, site), shipped and the user's own, in alphabetical order."""
    return sorted(_files(kind))


def _experiment_path(name_or_file: str) -> Path:
    if name_or_file.endswith((".yaml", ".yml")) or "/" in name_or_file:
        path = Path(name_or_file)
        if not path.is_file():
            raise LabError(f"{name_or_file}: no such file", exit_code=Exit.USAGE)
        return path
    return _path_of("experiment", name_or_file)


def _named(kind: str, name: str) -> ConfigText:
    path = _path_of(kind, name)
    return read_config(path, shown(path))


def _path_of(kind: str, name: str) -> Path:
    files = _files(kind)
    if name in files:
        return files[name]
    near = difflib.get_close_matches(name, files, n=3, cutoff=0.5)
    advice = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(sorted(files))}"
    raise LabError(f"there is no {kind} '{name}'", advice=advice, exit_code=Exit.USAGE)


def _files(kind: str) -> dict[str, Path]:
    """Name -> file. The same name shipped and own is refused: a name must not mean two things."""
    shipped = {path.stem: path for path in _yaml_files(CONFIGS / f"{kind}s")}
    own = {path.stem: path for path in _yaml_files(user_configs() / f"{kind}s")}
    for name in sorted(shipped.keys() & own.keys()):
        raise LabError(
            f"{kind} '{name}' is in {shown(own[name])} and ships with the tool",
            advice="rename your file: a name must not mean two things",
            exit_code=Exit.USAGE,
        )
    return shipped | own


def _yaml_files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.glob("*.yaml")) if path.is_file())


def _as_it_is(model: Model) -> Model:
    return model


def _checked(
    text: ConfigText,
    model: type[Model],
    rules: Sequence[Callable[[Model], Iterator[Broken]]],
    spell_out: Callable[[Model], Model] = _as_it_is,
) -> Model:
    built = spell_out(build(text, model))
    broken = [each for rule in rules for each in rule(built)]
    if broken:
        raise Mistakes([Mistake(text.value_at(each.loc), each.message, each.hint) for each in broken])
    return built


def _derived_seed(data: Any) -> int:
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return int.from_bytes(hashlib.sha256(canonical.encode()).digest()[:8], "big") >> (64 - _SEED_BITS)
