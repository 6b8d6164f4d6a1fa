"""Tables as data: what each format shows of a cell, and units."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest

from analysis import units
from analysis.numbers import Ledger, Number, marked, plain
from analysis.tables import Column, Label, Span, Table, records, to_csv, to_json, to_markdown, to_parquet
from analysis.wording import join, size_list


def number(value: float, printed: str) -> Number:
    return Number(f"n/{printed}", value, printed, "us", "made up", 1, ())


TABLE = Table(
    "times",
    "Times",
    (
        Column("payload", "payload", data_unit="bytes"),
        Column("median", "median", "us"),
        Column("interval", "95 % interval", "us"),
        Column("remark", "remark", data=False),
    ),
    (
        {"payload": Label(4096, "4 KiB"), "median": number(12.3456, "12.35"), "remark": "fine",
         "interval": Span(number(11.111, "11.11"), number(13.5, "13.50"))},
        {"payload": Label(8192, "8 KiB"), "median": None, "remark": "no sample"},
    ),
)  # fmt: skip


def test_markdown_shows_what_is_printed_aligned() -> None:
    assert plain(to_markdown(TABLE)).split("\n")[:4] == [
        "| payload | median us | 95 % interval us | remark    |",
        "| ------- | --------: | ---------------: | --------- |",
        "| 4 KiB   |     12.35 |     11.11..13.50 | fine      |",
        "| 8 KiB   |         - |                - | no sample |",
    ]


def test_data_formats_have_full_precision_and_units_in_their_names() -> None:
    first, second = records(TABLE)
    assert first == {
        "payload_bytes": 4096, "median_us": 12.3456, "interval_low_us": 11.111, "interval_high_us": 13.5,
    }  # fmt: skip
    assert second["median_us"] is None
    read = pd.read_csv(io.StringIO(to_csv(TABLE)))
    assert read["median_us"].tolist()[0] == 12.3456
    assert pd.isna(read["interval_low_us"].iloc[1])
    value = json.loads(to_json([TABLE]))
    assert value["times"]["rows"][0]["payload_bytes"] == 4096
    parquet = pd.read_parquet(io.BytesIO(to_parquet(TABLE)))
    assert parquet["interval_high_us"].iloc[0] == 13.5


def test_marks_keep_the_place_of_each_number() -> None:
    text = f"a {number(1.0, '1.00')} b {number(2.0, '2.0')}"
    assert plain(text) == "a 1.00 b 2.0"
    assert [(printed, start, end) for _, printed, start, end in marked(text)] == [("1.00", 2, 6), ("2.0", 9, 12)]


def test_one_id_cannot_name_two_numbers() -> None:
    ledger = Ledger()
    ledger.add("x y", 1.0, "1", unit="", formula="f")
    assert ledger.add("x y", 1.0, "1", unit="", formula="f").id == "x_y"
    with pytest.raises(ValueError, match="two numbers"):
        ledger.add("x y", 2.0, "2", unit="", formula="f")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 3, "0"), (1234.5, 3, "1234"), (12.345, 3, "12.3"), (9.996, 3, "10.0"), (0.0012345, 3, "0.00123"),
        (99.96, 3, "100"), (-1.5, 2, "-1.5"), (None, 3, "-"), (0.09996, 3, "0.100"),
    ],
)  # fmt: skip
def test_significant_digits(value: float | None, digits: int, text: str) -> None:
    assert units.significant(value, digits) == text


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_no_number_is_printed_as_one(value: float) -> None:
    with pytest.raises(ValueError, match="no number"):
        units.significant(value)


@pytest.mark.parametrize(
    ("count", "text"),
    [(100, "100 B"), (1024, "1 KiB"), (65536, "64 KiB"), (1 << 20, "1 MiB"), ((1 << 20) + 4097, "1 MiB + 4097 B"),
     (1536, "1.5 KiB"), (1 << 30, "1 GiB"), (3 << 19, "1.5 MiB"), (4097, "4 KiB + 1 B")],
)  # fmt: skip
def test_sizes(count: int, text: str) -> None:
    assert units.size(count) == text


def test_durations_and_rates_and_p_values() -> None:
    assert [units.duration(ns) for ns in (0.5, 12.3, 4567.0, 2.5e6, 3e9)] == [
        "0.500 ns", "12.3 ns", "4.57 us", "2.50 ms", "3.00 s",
    ]  # fmt: skip
    assert units.gb_per_second(3e9, 1e9) == 3.0
    assert [units.p_value(p) for p in (0.5, 0.0123, 0.00001, None)] == ["0.50", "0.012", "<0.0001", "-"]
    assert units.level(0.95) == "95 %"


def test_sizes_in_words_join_neighbours() -> None:
    measured = [4096, 8192, 16384, 32768, 1 << 20]
    assert size_list([4096, 8192, 16384, 1 << 20], measured) == "4 KiB to 16 KiB and 1 MiB"
    assert size_list([4096, 8192], measured) == "4 KiB and 8 KiB"
    assert join([]) == ""
    assert join(["a", "b", "c"]) == "a, b and c"
