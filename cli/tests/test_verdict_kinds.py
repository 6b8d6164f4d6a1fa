"""What an experiment may ask for is what the analysis answers, kind by kind and key by key."""

from __future__ import annotations

import inspect
import re

import pytest

from analysis.verdicts.registry import KINDS
from experiments.config_shape import keys_of
from experiments.config_verdicts import Verdict


def test_every_kind_that_can_be_asked_is_answered() -> None:
    assert set(Verdict.model_fields) == set(KINDS)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_keys_that_the_analysis_needs_can_be_asked(kind: str) -> None:
    module = inspect.getmodule(KINDS[kind])
    assert module is not None
    needed = set(re.findall(r'asked(?:\[|\.get\()"(\w+)"', inspect.getsource(module)))
    annotation = Verdict.model_fields[kind].annotation
    model = next(each for each in annotation.__args__ if each is not type(None))  # type: ignore[union-attr]
    assert needed <= set(keys_of(model))
