"""Refuses UCX_* variables that the tool inherited: they would say one thing and the lane another. Pure.

The engine gets the lane's declared set only, so an inherited variable has no effect; a person who set it believes
otherwise, and that is why it is an error and not a silence.
"""

from __future__ import annotations

from collections.abc import Mapping

from store.errors import Exit, LabError


def refuse_inherited(environ: Mapping[str, str], lane_name: str, declared: Mapping[str, str]) -> None:
    """LabError (exit 3) that names each inherited UCX_* variable which lane and site do not set to the same value.

    `declared` is what the engine will get: the lane's set, and the site's `env:` on top of it. A variable that the
    site names is the site's decision, whatever the inherited value is: pass it with that value.
    """
    inherited = {name: value for name, value in environ.items() if name.startswith("UCX_")}
    foreign = {name: value for name, value in sorted(inherited.items()) if declared.get(name) != value}
    if not foreign:
        return
    told = [f"{name}={value} ({_instead(name, lane_name, declared)})" for name, value in foreign.items()]
    raise LabError(
        f"the environment sets {', '.join(told)}",
        advice=f"unset {' '.join(foreign)}, or name it under env: in the site file to keep it",
        exit_code=Exit.WRONG_LANE,
    )


def kept_by_site(environ: Mapping[str, str], site_env: Mapping[str, str]) -> dict[str, str]:
    """The environment without the variables that the site's `env:` names: those are decided."""
    return {name: value for name, value in environ.items() if name not in site_env}


def _instead(name: str, lane_name: str, declared: Mapping[str, str]) -> str:
    return f"lane {lane_name} has {name}={declared[name]}" if name in declared else f"not part of lane {lane_name}"
