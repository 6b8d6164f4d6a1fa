"""Whatever the text, loading it gives an experiment or a LabError with exit 2; never another error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from experiments.config import load_experiment
from experiments.config_check import build
from experiments.config_experiment import Experiment
from experiments.config_lane import Lane
from experiments.config_mistakes import Mistakes
from experiments.config_site import Site
from experiments.config_text import ConfigText, parse_config
from experiments.places import CONFIGS
from store.errors import Exit, LabError

SHIPPED = sorted(path.read_text(encoding="utf-8") for path in (CONFIGS / "experiments").glob("*.yaml"))
PIECES = [
    "",
    " ",
    "\n",
    "\t",
    ":",
    ",",
    "{",
    "}",
    "[",
    "]",
    "- ",
    "'",
    '"',
    "#",
    "*",
    "&a",
    "!x",
    "null",
    "0",
    "-1",
    "é",
    "\x00",
]
QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["4KiB", "rdma", "get"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def must_load_or_explain(path: Path, overrides: list[str]) -> None:
    try:
        assert load_experiment(str(path), overrides).experiment.arms
    except LabError as error:
        assert error.exit_code is Exit.USAGE
        assert error.message
        assert "\x00" not in str(error)


@QUICK
@given(
    text=st.sampled_from(SHIPPED),
    edits=st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 6), st.sampled_from(PIECES)), min_size=1, max_size=4),
)
def test_edited_experiments(tmp_path: Path, text: str, edits: list[tuple[int, int, str]]) -> None:
    for place, cut, piece in edits:
        at = place % (len(text) + 1)
        text = text[:at] + piece + text[at + cut :]
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    must_load_or_explain(path, [])


@QUICK
@given(key=st.sampled_from(sorted(Experiment.model_fields)) | st.text(max_size=12), value=VALUES)
def test_any_value_of_any_key(key: str, value: Any) -> None:
    data = {"question": "q", "sizes": [512], "reps": 1, "arms": {"a": {"path": "rdma"}}, key: value}
    text = parse_config("x: 1\n", "mine.yaml")
    try:
        assert build(ConfigText(text.source, data, text.values, text.keys), Experiment).arms
    except Mistakes as mistakes:
        assert mistakes.message.startswith("mine.yaml:1:1: ")


@QUICK
@given(model=st.sampled_from([Experiment, Lane, Site]), value=VALUES)
def test_any_value_as_a_whole_file(model: type[Experiment] | type[Lane] | type[Site], value: Any) -> None:
    text = parse_config("x: 1\n", "mine.yaml")
    try:
        build(ConfigText(text.source, value, text.values, text.keys), model)
    except Mistakes as mistakes:
        assert mistakes.exit_code is Exit.USAGE


@QUICK
@given(
    overrides=st.lists(
        st.builds(
            "{}{}{}".format,
            st.sampled_from(
                ["reps", "sizes", "arms.a", "arms.a.chunk", "arms.b.chunk", "verdicts.0", "limits.lease_ms", "x"]
            )
            | st.text(max_size=8),
            st.sampled_from(["=", "", ".="]),
            st.text(max_size=12) | st.sampled_from(["3", "[4KiB]", "{", "{path: rdma}", "null"]),
        ),
        max_size=3,
    )
)
def test_any_override(tmp_path: Path, overrides: list[str]) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("question: q\nsizes: [512]\nreps: 1\narms: {a: {path: rdma}}\n")
    must_load_or_explain(path, overrides)
