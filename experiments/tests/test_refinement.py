"""The sizes between which a child run looks for a crossover."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.refinement import STEP_BYTES, sizes_between


@pytest.mark.parametrize(
    ("brackets", "within", "sizes"),
    [
        ([(32768, 65536)], 2.0, []),
        ([(32768, 131072)], 2.0, [65536]),
        ([(4096, 8192)], 1.5, [5824]),
        ([], 1.5, []),
        ([(4096, 16384), (4096, 16384)], 2.0, [8192]),
    ],
)
def test_a_bracket_is_narrowed_to_the_factor_that_was_asked(
    brackets: list[tuple[int, int]], within: float, sizes: list[int]
) -> None:
    assert sizes_between(brackets, within) == sizes


@given(st.integers(12, 28), st.integers(1, 6), st.floats(1.2, 4.0))
def test_no_two_neighbours_are_wider_apart(exponent: int, doublings: int, within: float) -> None:
    low, high = 1 << exponent, 1 << (exponent + doublings)
    ends = [low, *sizes_between([(low, high)], within), high]
    for one, other in pairwise(ends):
        assert one < other
        assert other / one <= within * (1 + 2 * STEP_BYTES / one)


def test_a_factor_of_one_is_refused() -> None:
    with pytest.raises(ValueError, match="factor"):
        sizes_between([(1, 2)], 1.0)
