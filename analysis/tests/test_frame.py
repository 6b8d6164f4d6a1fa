"""Reading samples: sound files, torn ones, lies in single lines, and where each sample stands."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from analysis import sample_reader
from analysis.frame import Samples, load_samples
from analysis.sample_cells import cut_lines, form_of
from analysis.sample_reader import Lines, read_lines
from analysis.sample_schema import SCHEMAS
from analysis.tests.synthetic import Recipe, Sample
from analysis.tests.synthetic_run import make_run
from store.run import open_run
from store.whole_lines import Piece, pieces_of

SMALL = Recipe(sizes=(4096, 65536), reps=4)


def load(tmp_path: Path, recipe: Recipe) -> Samples:
    return load_samples(open_run(make_run(tmp_path / "runs", recipe)))


def edit(at: int, old: str, new: str) -> Recipe:
    """SMALL with one replacement in one line of its file, which is counted from 1."""

    def lines(text: list[str]) -> list[str]:
        assert old in text[at - 1], text[at - 1]
        return [line.replace(old, new, 1) if number == at else line for number, line in enumerate(text, start=1)]

    return replace(SMALL, lines=lines)


def test_every_sample_knows_its_line(tmp_path: Path) -> None:
    run = open_run(make_run(tmp_path / "runs", replace(SMALL, pairs=2)))
    frame = load_samples(run).samples
    assert len(frame) == 2 * 4 * 4
    for row in frame.itertuples():
        text = (run.path / f"pairs/{row.launched}/samples.jsonl").read_text().splitlines()[int(str(row.line)) - 1]
        line = json.loads(text)
        assert (line["cell"], line["block"], line["total_ns"]) == (row.cell, row.block, row.total_ns)


def test_warm_up_is_flagged_and_kept(tmp_path: Path) -> None:
    uses = load(tmp_path, SMALL).samples["use"]
    assert uses.value_counts().to_dict() == {
        "warm": 12, "warmup": 4, "fell_back": 0, "unverified": 0, "failed": 0, "invalid": 0, "duplicate": 0,
    }  # fmt: skip


def test_cold_samples_all_count(tmp_path: Path) -> None:
    frame = load(tmp_path, replace(SMALL, pair="cold")).samples
    assert set(frame["use"]) == {"warm"}
    assert frame["launched"].nunique() == len(frame)


def test_samples_after_the_last_block_line_and_a_torn_line_do_not_count(tmp_path: Path) -> None:
    torn = replace(SMALL, lines=lambda lines: lines[:-2], tail='{"kind":"block","block":3,"pai')
    samples = load(tmp_path, torn)
    assert sorted(set(samples.samples["block"])) == [0, 1, 2]
    assert samples.bad_lines == ()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"transfer_ns":', '"transfer_ns":NaN,"x":', "transfer_ns is nan"),
        ('"transfer_ns":', '"transfer_ns":1e400,"x":', "transfer_ns is inf"),
        ('"size":', '"size":"big","x":', "size is 'big', not a whole number"),
        ('"verified":true', '"verified":"yes"', "verified is 'yes', not true or false"),
        ('"arm":"', '"arm":7,"x":"', "arm is 7, not a text"),
        ('"cell":', '"cell":99999999999,"x":', "cell is 99999999999, not a whole number"),
        ('"error":null', '"error":"bad"', "error is 'bad', not"),
        ("{", "{{", "not JSON"),
        ('{"kind":"sample"', '[{"kind":"sample"', "not JSON"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_and_the_others_are_used(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    samples = load(tmp_path, edit(8, old, new))
    assert len(samples.bad_lines) == 1
    assert str(samples.bad_lines[0]).startswith("pairs/0/samples.jsonl:8: ")
    assert problem in samples.bad_lines[0].problem
    assert len(samples.samples) == 15
    assert 8 not in set(samples.samples["line"])


def test_an_empty_line_does_not_shift_the_numbers(tmp_path: Path) -> None:
    def blank(lines: list[str]) -> list[str]:
        return [*lines[:5], "", *lines[5:]]

    samples = load(tmp_path, replace(SMALL, lines=blank))
    assert [str(bad) for bad in samples.bad_lines] == ["pairs/0/samples.jsonl:6: an empty line"]
    run = next((tmp_path / "runs").iterdir())
    text = (run / "pairs/0/samples.jsonl").read_text().splitlines()
    assert all(json.loads(text[row - 1])["kind"] == "sample" for row in samples.samples["line"])


@pytest.mark.parametrize(
    ("change", "kind", "use"),
    [
        ({"total_ns": None}, "missing_field", "invalid"),
        ({"arm": None}, "missing_field", "invalid"),
        ({"transfer_ns": -5}, "negative_time", "invalid"),
        ({"size": 777}, "unknown_cell", "invalid"),
        ({"cell": 99}, "unknown_cell", "invalid"),
        ({"arm": "chunked2"}, "unknown_cell", "invalid"),
        (
            {"total_ns": 0, "wireup_ns": 0, "acquire_ns": 0, "transfer_ns": 0, "copy_ns": 0},
            "zero_time",
            "invalid",
        ),
        ({"copy_ns": 5_000}, "phases_do_not_add_up", "warm"),
        ({"verified": False}, None, "unverified"),
        ({"path": "chunked"}, None, "fell_back"),
        ({"error": {"phase": "transfer", "code": "ETIMEDOUT", "text": "x"}, "total_ns": None}, None, "failed"),
    ],
)
def test_a_sample_that_cannot_be_is_left_out_by_kind(
    tmp_path: Path, change: Sample, kind: str | None, use: str
) -> None:
    def mutate(sample: Sample) -> None:
        if (sample["block"], sample["cell"]) == (2, 1):
            sample.update(change)

    samples = load(tmp_path, replace(SMALL, mutate=mutate))
    row = samples.samples[samples.samples["block"] == 2]
    assert sorted(row["use"]) == sorted([use, "warm", "warm", "warm"])
    assert kind is None or kind in [complaint.kind for complaint in samples.complaints]


def test_the_later_of_two_equal_samples_is_a_duplicate(tmp_path: Path) -> None:
    def twice(lines: list[str]) -> list[str]:
        return [*lines[:8], lines[7], *lines[8:]]

    samples = load(tmp_path, replace(SMALL, lines=twice)).samples
    assert samples.loc[samples["line"] == 8, "use"].tolist() != ["duplicate"]
    assert samples.loc[samples["line"] == 9, "use"].tolist() == ["duplicate"]


def odd_samples(sample: Sample) -> None:
    """Samples of every kind that a file may hold: failed ones with commas in their texts, gaps, a long arm name."""
    if sample["block"] == 2:
        sample["error"] = {"phase": "transfer", "code": "ETIMEDOUT", "text": 'a, "kind":"block", {b}'}
        sample["total_ns"] = sample["copy_ns"] = None
    if sample["block"] == 3:
        sample["refusal"] = "below_min, \u00e9"
    if sample["block"] == 4:
        sample |= {"transfer_ns": None, "md_map": None, "nic_registered": False, "unknown": [1, {"x": 2}]}


@pytest.mark.parametrize("piece_bytes", [100, 3000, 1 << 20])
def test_all_readers_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece_bytes: int) -> None:
    recipe = replace(SMALL, reps=8, mutate=odd_samples, tail='{"kind":"block","blo')
    path = make_run(tmp_path / "runs", recipe) / "pairs/0/samples.jsonl"
    monkeypatch.setattr(sample_reader, "_PIECE_BYTES", piece_bytes)
    whole = read_lines(path, "x", "rendezvous")
    assert (whole.samples.num_rows, whole.others.num_rows, whole.bad) == (32, 10, ())
    assert whole.samples["line"].to_pylist() == [
        number for number, line in enumerate(path.read_text().splitlines(), start=1) if '{"kind":"sample"' in line
    ]
    for only in ("_as_cells", "_as_json", "_line_by_line"):
        with path.open("rb") as file:
            parts = [read_as(only, piece) for piece in pieces_of(file, piece_bytes)]
        joined = sample_reader._joined(parts)
        assert joined.count == whole.count
        assert joined.samples.schema == whole.samples.schema, only
        for one, other in ((joined.samples, whole.samples), (joined.others, whole.others)):
            assert unnumbered(one) == unnumbered(other), only


def unnumbered(table: pa.Table) -> list[Sample]:
    """The rows without their line numbers, which are a piece's own until `read_lines` shifts them."""
    rows: list[Sample] = table.drop_columns(["line"]).to_pylist()
    return rows


def read_as(only: str, piece: Piece) -> Lines:
    """One piece by one of the readers; by cells only where that is possible."""
    schema = SCHEMAS["rendezvous"]
    try:
        read: Lines = getattr(sample_reader, only)(piece, "x", schema)
    except pa.ArrowInvalid:
        assert only == "_as_cells", only
        return sample_reader._line_by_line(piece, "x", schema)
    return read


def test_sound_samples_are_read_as_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_run(tmp_path / "runs", SMALL) / "pairs/0/samples.jsonl"
    monkeypatch.setattr(sample_reader, "_line_by_line", None)
    monkeypatch.setattr(sample_reader, "_as_json", None)
    assert read_lines(path, "x", "rendezvous").samples.num_rows == 16


@pytest.mark.parametrize(
    "line",
    [
        '{"kind":"sample","pair":0,"block":1,"arm":"a,\\"size\\":4","size":8}',
        '{"kind":"sample","pair":0,"arm":"a","block":1,"size":8}',
        '{"kind":"sample","pair":0,"block":{"block":1,"arm":"a","size":8}',
        '{"kind":"sample","pair":0,"block":1,"arm":"a","size":8',
        '{"kind":"sample","pair":0,"block":1.5,"arm":"a","size":8}',
        '{"kind":"sample","pair":0,"block":1,"arm":7,"size":8}',
        '{"kind":"block","pair":0,"block":1,"arm":"a","size":8}',
    ],
)
def test_a_line_that_is_not_like_the_others_is_never_taken_as_cells(line: str) -> None:
    sound = b'{"kind":"sample","pair":0,"block":1,"arm":"a","size":8}\n'
    form = form_of(sound)
    assert form is not None
    text = sound + line.encode() + b"\n"
    try:
        cut = cut_lines(pa.py_buffer(text), form, SCHEMAS["rendezvous"])
    except pa.ArrowInvalid:
        return
    assert (cut.rows, list(cut.odd)) == (1, [2])


def test_an_empty_file_and_a_run_without_pairs_have_no_samples(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_bytes(b"")
    assert read_lines(path, "x", "rendezvous").samples.num_rows == 0
    run = make_run(tmp_path / "runs", replace(SMALL, lines=lambda lines: []))
    samples = load_samples(open_run(run))
    assert samples.samples.empty
    assert "use" in samples.samples


def test_whole_numbers_stay_exact(tmp_path: Path) -> None:
    frame = load(tmp_path, SMALL).samples
    assert frame["start_utc_ns"].dtype == np.int64
    assert int(frame["start_utc_ns"].iloc[0]) % 1000 != 0
