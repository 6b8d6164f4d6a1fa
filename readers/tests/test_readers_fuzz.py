"""No text makes a reader raise, and noise between lines never makes a port usable or a GET proven."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readers.formats import FORMATS, matching, read_any
from readers.ports import usability
from readers.protocol_tables import get_evidence
from readers.reading import Reading
from readers.tests.fixture_text import all_fixtures, fixture

_TEXTS = all_fixtures()
_QUIET = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
_ODD = st.sampled_from(list("0123456789|+-:.[]()#=,%/ \t\n\x00\u0663\u00b2K\ufeff"))


def read_all(text: str) -> list[Reading]:
    readings = [format_.read(text) for format_ in FORMATS]
    merged = read_any(text)
    return readings if merged is None else [*readings, merged]


def check(readings: list[Reading]) -> None:
    for reading in readings:
        for port in reading.ports:
            usability(port)
        for size in (0, 64, 4096):
            get_evidence(reading.tables, size)
        assert all(finding.cause and finding.advice for finding in reading.findings)
        reading.notes()


@_QUIET
@given(st.text(alphabet=st.one_of(_ODD, st.characters()), max_size=400))
def test_arbitrary_text_is_read_without_an_error(text: str) -> None:
    check(read_all(text))


@_QUIET
@given(st.sampled_from(_TEXTS), st.data())
def test_cut_text_is_read_without_an_error(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    check(read_all(text[start : data.draw(st.integers(start, len(text)))]))


@_QUIET
@given(st.sampled_from(_TEXTS), st.lists(st.integers(0, 200), max_size=8))
def test_text_with_lost_lines_is_read_without_an_error(text: str, lost: list[int]) -> None:
    lines = text.splitlines()
    check(read_all("\n".join(line for number, line in enumerate(lines) if number not in lost)))


@_QUIET
@given(st.sampled_from(_TEXTS), st.sampled_from(_TEXTS), st.randoms())
def test_interleaved_texts_are_read_without_an_error(one: str, other: str, random: object) -> None:
    lines, rest = one.splitlines(), other.splitlines()
    woven: list[str] = []
    while lines or rest:
        source = lines if lines and (not rest or random.random() < 0.5) else rest  # type: ignore[attr-defined]
        woven.append(source.pop(0))
    check(read_all("\n".join(woven)))


@_QUIET
@given(st.sampled_from(_TEXTS), st.lists(st.tuples(st.integers(0, 5000), _ODD), min_size=1, max_size=12))
def test_damaged_text_is_read_without_an_error(text: str, damage: list[tuple[int, str]]) -> None:
    letters = list(text)
    for position, letter in damage:
        letters[position % len(letters)] = letter
    check(read_all("".join(letters)))


@pytest.mark.parametrize("form", ["\r\n", "\r", "quoted", "coloured", "fenced"])
def test_every_fixture_reads_alike_in_other_line_forms(form: str) -> None:
    for text in _TEXTS:
        lines = text.splitlines()
        other = {
            "\r\n": "\r\n".join(lines),
            "\r": "\r".join(lines),
            "quoted": "\n".join(f"> {line}" for line in lines),
            "coloured": "\n".join(f"\x1b[31m{line}\x1b[0m" for line in lines),
            "fenced": "\n".join(["```", *lines, "```"]),
        }[form]
        plain, read = read_any("\n".join(lines)), read_any(other)
        assert plain is not None
        assert read is not None
        assert (read.kind, read.ports, read.rows) == (plain.kind, plain.ports, plain.rows)
        assert [len(table.rows) for table in read.tables] == [len(table.rows) for table in plain.tables]


def test_every_format_has_its_own_kind_and_every_fixture_a_format() -> None:
    kinds = [format_.kind for format_ in FORMATS]
    assert len(set(kinds)) == len(kinds)
    assert all(matching(text) for text in _TEXTS)


def test_unknown_text_is_unknown() -> None:
    for text in ("", "\n\n", "hello", "dear all,\nthe meeting is at 10\n", "\x00\x01\x02", "{}", "a,b,c\n1,2,3\n"):
        assert read_any(text) is None


def test_what_another_format_understands_is_not_skipped() -> None:
    reading = read_any(fixture("proto_113_log.txt"))
    assert reading is not None
    assert (reading.kind, len(reading.tables), len(reading.rows), reading.skipped) == ("ucx_protocols", 2, 1, ())
    noisy = read_any("mpirun says hello\n" + fixture("proto_113_log.txt"))
    assert noisy is not None
    assert [line.text for line in noisy.skipped] == ["mpirun says hello"]


def test_a_very_long_line_ends_in_time() -> None:
    for piece in (" ", "| ", "a ", "1 ", "'a',", "#", "x/y "):
        read_all(piece * 20_000)


def test_lines_with_labels_are_read_label_by_label() -> None:
    one, other = fixture("ibstat_two_ports.txt"), fixture("ibstatus_mixed.txt")
    woven = [f"0: {line}" for line in one.splitlines()] + [f"1: {line}" for line in other.splitlines()]
    reading = read_any("\n".join(woven[::2] + woven[1::2]))
    assert reading is not None
    labelled = read_any("\n".join(woven))
    assert labelled is not None
    assert [port.name for port in labelled.ports] == ["mlx4_7:1", "mlx4_7:2", "mlx5_3:1", "mlx5_6:1", "mlx5_7:1"]
    assert "0, 1" in labelled.warnings[0]
    assert read_any("0: hello\n1: world\n") is None
