"""Published figures, computed again: what holds, what does not, what nobody can decide; changed ones are caught."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from analysis.numbers import Number, plain
from analysis.published import Review, reviewed
from analysis.published.printed import column_places, overlap, printed, ratio_range, same_digits
from store.figures import open_figures
from store.names import PUBLISHED


def review(name: str) -> Review:
    return reviewed(open_figures(PUBLISHED / name))


def changed(tmp_path: Path, name: str, table: str, *change: str) -> Review:
    """The review after one printed cell is another."""
    copy = tmp_path / name
    shutil.copytree(PUBLISHED / name, copy)
    file = copy / "tables" / f"{table}.csv"
    text = file.read_text()
    old, new = change
    assert old in text
    file.write_text(text.replace(old, new, 1))
    return reviewed(open_figures(copy))


def judged(found: Review) -> dict[tuple[str, str], str]:
    return {(part.claim, part.says): part.judgement for part in found.claims}


def test_velo_s_claims_in_their_parts() -> None:
    assert judged(review("velo_rdma")) == {
        ("warm_faster", "warm RDMA is faster at every measured size"): "holds",
        ("warm_faster", "no crossover above 4 KiB"): "holds",
        ("warm_model", "about 105 us plus a size term of about 9 GB/s"): "holds",
        ("cold_crossover", "between 16 MiB and 256 MiB"): "holds",
        ("cold_crossover", "near the low end"): "not decidable",
        ("cold_ratios", "chunked wins by 41x at 64 KiB"): "holds",
        ("cold_ratios", "chunked wins by 11x at 1 MiB"): "holds",
        ("cold_ratios", "chunked wins by 1.1x at 16 MiB"): "holds",
        ("cold_ratios", "rdma wins by 3.4x at 256 MiB"): "holds",
        ("registration", "registration is not the bottleneck of a warm transfer"): "not decidable",
        ("copy_bound", "the rate is far below that of the link"): "holds",
        ("copy_bound", "because get() copies"): "not decidable",
    }


def test_velo_s_own_contradictions_are_listed() -> None:
    found = review("velo_rdma")
    assert [one.where for one in found.contradictions] == ["get_latency, row 1", "registration, header"]
    # 65536 B / 24.93 us and / 19.71 us are 2.448 and 3.097 GiB/s, not 2.5 and 3.2.
    assert "2.4..3.1" in plain(found.contradictions[0].text)
    assert {caveat.id for caveat in found.caveats} >= {
        "two_factors",
        "unaccelerated",
        "no_raw_samples",
        "lane_unproven",
    }
    assert {"kernel.release", "cpu.governor", "ucx.build_configuration"} <= set(found.lacking())


def test_every_printed_advantage_follows_from_its_medians() -> None:
    table = next(table for table in review("velo_rdma").tables if table.id == "warm_pair")
    assert {row["agrees"] for row in table.rows} == {"yes"}
    again = [row["again"] for row in table.rows]
    assert all(isinstance(cell, Number) for cell in again)
    assert [cell.printed for cell in again if isinstance(cell, Number)] == [
        "1.4", "1.38", "1.38", "1.61", "1.58", "1.76", "2.14", "2.52", "3.13", "4.98",
    ]  # fmt: skip


def test_tables_keep_every_printed_digit() -> None:
    for name in ("velo_rdma", "one_vs_two_sided"):
        found = review(name)
        for table in found.tables:
            for stored, row in zip(found.figures.rows[table.id], table.rows, strict=True):
                for column, text in stored.items():
                    cell = row[column]
                    shown = "" if cell is None else cell if isinstance(cell, str) else getattr(cell, "printed", "?")
                    assert shown == text


@pytest.mark.parametrize(
    ("table", "change", "says"),
    [
        ("warm_pair", ("65536,123,194", "65536,223,194"), "warm RDMA is faster at every measured size"),
        ("warm_pair", ("4194304,566,", "4194304,866,"), "about 105 us plus a size term of about 9 GB/s"),
        ("cold_pair", ("16777216,16.11,14.597", "16777216,14.11,14.597"), "between 16 MiB and 256 MiB"),
        ("cold_pair", ("65536,14.21,", "65536,15.21,"), "chunked wins by 41x at 64 KiB"),
        ("warm_pair", ("4194304,566,", "4194304,99,"), "the rate is far below that of the link"),
    ],
)
def test_another_figure_makes_a_claim_fail(tmp_path: Path, table: str, change: tuple[str, str], says: str) -> None:
    found = changed(tmp_path, "velo_rdma", table, *change)
    assert {part.says: part.judgement for part in found.claims}[says] == "does not hold"
    assert f"does not hold: {says}" in found.audit_notes()


def test_a_wrong_derived_cell_is_a_contradiction(tmp_path: Path) -> None:
    found = changed(tmp_path, "velo_rdma", "warm_pair", "131072,129,227,1.76", "131072,129,227,1.9")
    assert "warm_pair, row 6" in [one.where for one in found.contradictions]
    sweep = changed(tmp_path, "one_vs_two_sided", "cuda", "3.84,0.92", "3.84,0.99")
    assert any("not message rate x size" in plain(one.text) for one in sweep.contradictions)


def test_one_run_per_cell_decides_no_difference() -> None:
    found = review("one_vs_two_sided")
    words = judged(found)
    assert words["no_significance", "send and write show no statistically significant difference"] == "not decidable"
    assert words["no_difference", "one-sided and two-sided operations show no observable difference"] == "not decidable"
    assert words["window", "a window beyond a sufficient size does not matter"] == "not decidable"
    assert words["best", "the best rate is 30 GiB/s, 0.64 of the line rate"] == "holds"
    assert sum(word == "holds" for word in words.values()) == 4
    largest = found.ledger.entries["claim.no_difference"].value
    assert largest == pytest.approx(100 * (15.16 / 14.36 - 1))


def test_nan_cells_and_sentences_against_the_tables_are_listed() -> None:
    texts = [plain(one.text) for one in review("one_vs_two_sided").contradictions]
    assert sum("printed as nan" in text for text in texts) == 3
    assert any("the tables go to 1 MiB" in text for text in texts)
    assert any("windows 64, 256" in text for text in texts)


def test_every_rate_of_the_sweep_follows_from_its_message_rate() -> None:
    for table in review("one_vs_two_sided").tables:
        assert {row["agrees"] for row in table.rows} <= {"yes", "not recorded"}


def test_printed_decimals_know_their_rounding() -> None:
    one = printed("1.38")
    assert one is not None
    assert (one.low, one.high) == pytest.approx((1.375, 1.385))
    assert [printed(text) for text in ("", "nan", "2.5..3.2", "1e5", "-")] == [None] * 5
    wide = printed("3.9", 2)
    assert wide is not None
    assert wide.high == pytest.approx(3.905)
    assert column_places(["3.9", "3.92", "nan"]) == 2
    assert same_digits(1.3982, "1.4") == "1.4"
    a, b = printed("151"), printed("108")
    assert a is not None and b is not None
    assert ratio_range(a, b) == pytest.approx((150.5 / 108.5, 151.5 / 107.5))
    assert overlap(1.385, 1.4, one) and not overlap(1.3851, 1.4, one)
