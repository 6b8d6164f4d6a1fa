"""Sizes as people write them: what is read, and what is refused with which advice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.sizes import LARGEST, UNITS, SizeError, format_size, parse_size, parse_sizes


@pytest.mark.parametrize(
    ("written", "size"),
    [
        (512, 512),
        ("512", 512),
        ("512B", 512),
        ("4KiB", 4096),
        ("1 MiB", 1 << 20),
        ("1MiB+4097", (1 << 20) + 4097),
        ("1GiB+1MiB+1", (1 << 30) + (1 << 20) + 1),
        ("1TiB", LARGEST),
    ],
)
def test_reads_sizes(written: object, size: int) -> None:
    assert parse_size(written) == size


@pytest.mark.parametrize(
    ("written", "message", "hint"),
    [
        ("4KB", "unknown unit 'KB'", "write 4KiB"),
        ("4K", "unknown unit 'K'", "write 4KiB"),
        ("4kib", "unknown unit 'kib'", "write 4KiB"),
        ("8Mb", "unknown unit 'Mb'", "1000 or 1024: write 8MiB"),
        ("4parsec", "unknown unit 'parsec'", "B, KiB, MiB, GiB, TiB"),
        (-1, "below 1", "smallest is 1 byte"),
        ("-1", "negative", "at least 1 byte"),
        (0, "below 1", "smallest is 1 byte"),
        ("0KiB", "below 1", "smallest is 1 byte"),
        ("1e9GiB", "over the limit", "1TiB"),
        ("9" * 400 + "GiB", "over the limit", "1TiB"),
        (LARGEST + 1, "over the limit", "1TiB"),
        ("1TiB+1", "over the limit", "1TiB"),
        ("4.5KiB", "not a whole number of KiB", "write 4KiB+512"),
        ("0.3B", "not a whole number of B", "whole bytes"),
        ("1e3", "not a whole number of B", "write 1000"),
        (4096.0, "is not a size", "whole number"),
        (True, "is not a size", "whole number"),
        (None, "is not a size", "whole number"),
        ([4096], "is not a size", "whole number"),
        ("", "empty", "4KiB"),
        ("KiB", "is not a size", "4KiB"),
        ("1MiB+", "is not a size", "1MiB+4097"),
        ("4KiB,8KiB", "is not a size", "4KiB"),
        ("4KiB..8KiB x2", "a range where one size is wanted", None),
    ],
)
def test_refuses_what_is_no_size(written: object, message: str, hint: str | None) -> None:
    with pytest.raises(SizeError) as caught:
        parse_size(written)
    assert message in caught.value.message
    assert caught.value.hint is None if hint is None else hint in (caught.value.hint or "")


def test_least_may_be_zero() -> None:
    assert parse_size(0, least=0) == 0


@pytest.mark.parametrize(
    ("written", "sizes"),
    [
        ("4KiB..32KiB x2", (4096, 8192, 16384, 32768)),
        ("1..1000 x10", (1, 10, 100, 1000)),
        ("4KiB .. 16KiB x 4", (4096, 16384)),
        ("4KiB..4KiB x2", (4096,)),
        ("64KiB", (65536,)),
    ],
)
def test_expands_ranges(written: object, sizes: tuple[int, ...]) -> None:
    assert parse_sizes(written) == sizes


@pytest.mark.parametrize(
    ("written", "message", "hint"),
    [
        ("4KiB..1MiB", "does not say its step", "4KiB..1MiB x2"),
        ("4KiB..1MiB x1", "whole number from 2", "x2"),
        ("4KiB..1MiB xyz", "whole number from 2", "x2"),
        ("1MiB..4KiB x2", "falls", "4KiB..1MiB x2"),
        ("4KiB..1MiB+1 x2", "does not reach its end", "write 4KiB..1MiB x2, and list 1MiB+1 alone"),
        ("4KB..1MiB x2", "unknown unit", "4KiB"),
        ("..1MiB x2", "not a range", "4KiB..1MiB x2"),
    ],
)
def test_refuses_ranges_that_say_too_little(written: str, message: str, hint: str) -> None:
    with pytest.raises(SizeError) as caught:
        parse_sizes(written)
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


@given(st.integers(min_value=1, max_value=LARGEST))
def test_formatted_sizes_read_back(size: int) -> None:
    assert parse_size(format_size(size)) == size


@given(st.sampled_from(sorted(UNITS)), st.integers(min_value=1, max_value=1023))
def test_whole_units_stay_short(unit: str, count: int) -> None:
    assert len(format_size(count * UNITS[unit])) <= 8


@given(st.text(max_size=30))
def test_any_text_is_a_size_or_a_size_error(text: str) -> None:
    try:
        assert 1 <= parse_size(text) <= LARGEST
    except SizeError as error:
        assert error.message
