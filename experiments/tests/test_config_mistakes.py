"""A mistake in a config file is told with file, line, column, the text around it, a caret, and what was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.config import load_experiment, load_site_file
from experiments.config_mistakes import Mistakes, nearest
from store.errors import Exit, LabError

GOOD = """\
question: Which is faster?
sizes: [4KiB..64KiB x2]
reps: 3
arms:
  rdma:    {path: rdma}
  chunked: {path: chunked}
verdicts:
  - advantage: {of: rdma, over: chunked}
"""


def written(folder: Path, text: str, name: str = "mine.yaml") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def mistakes_of(folder: Path, text: str) -> str:
    with pytest.raises(Mistakes) as caught:
        load_experiment(written(folder, text))
    assert caught.value.exit_code is Exit.USAGE
    return caught.value.message.replace(f"{folder}/", "")


def test_good_experiment_loads(tmp_path: Path) -> None:
    loaded = load_experiment(written(tmp_path, GOOD))
    assert loaded.name == "mine"
    assert loaded.experiment.payloads() == (4096, 8192, 16384, 32768, 65536)
    assert list(loaded.experiment.arms) == ["rdma", "chunked"]


def test_unknown_key_points_at_itself_and_names_the_nearest(tmp_path: Path) -> None:
    text = GOOD.replace("{path: rdma}", "{path: rdma, staging: pinned, read: get,\n            min_byte: 4KiB}")
    assert mistakes_of(tmp_path, text) == (
        "mine.yaml:6:13: unknown key 'min_byte' in arm 'rdma'\n"
        "    5 |   rdma:    {path: rdma, staging: pinned, read: get,\n"
        "    6 |             min_byte: 4KiB}\n"
        "      |             ^ did you mean 'min_bytes'?\n"
        "an arm takes: path, op, read, via, copy, destination, staging, min_bytes, chunk, depth, piece, kill_switch, "
        "eager_endpoint, progress, spin_us, memory, layout, proof"
    )


@pytest.mark.parametrize(
    ("was", "becomes", "head", "caret"),
    [
        ("reps: 3", "reps: 0", "mine.yaml:3:7: reps: '0' is too small, the least is 1", "^"),
        ("reps: 3", "reps: -1", "mine.yaml:3:7: reps: '-1' is too small", "^"),
        ("reps: 3", "reps: 3.5", "mine.yaml:3:7: reps: '3.5' is not a whole number", "^"),
        ("reps: 3", "reps: '3'", "mine.yaml:3:7: reps: '3' is not a whole number", "^"),
        ("reps: 3", "reps: true", "mine.yaml:3:7: reps: 'true' is not a whole number", "^"),
        ("reps: 3", "reps:", "mine.yaml:3:1: reps: nothing is not a whole number", "^"),
        ("reps: 3", "reps: [3, 5]", "reps: '[3, 5]' is not a whole number", "^ a list never means a sweep"),
        ("reps: 3", "reps: 3\npairs: 0", "mine.yaml:4:8: pairs: '0' is too small", "^"),
        ("reps: 3", "reps: 3\nrep: 4", "mine.yaml:4:1: unknown key 'rep'", "^ did you mean 'reps'?"),
        ("reps: 3\n", "", "mine.yaml:1:1: an experiment needs the key 'reps'", "^ reps: "),
        ("[4KiB..64KiB x2]", "[4KB]", "mine.yaml:2:9: sizes[0]: '4KB': unknown unit", "^ 'KB' can mean 1000 or 1024"),
        ("[4KiB..64KiB x2]", "[512, -1]", "mine.yaml:2:14: sizes[1]: size -1 is below 1", "^ the smallest is 1"),
        ("[4KiB..64KiB x2]", "[512, 0]", "mine.yaml:2:14: sizes[1]: size 0 is below 1", "^"),
        ("[4KiB..64KiB x2]", "[1e9GiB]", "mine.yaml:2:9: sizes[0]: size 1e9GiB is over the limit", "^ the largest"),
        ("[4KiB..64KiB x2]", "[4KiB..1MiB]", "mine.yaml:2:9: sizes[0]: range", "^ write 4KiB..1MiB x2"),
        ("[4KiB..64KiB x2]", "4KiB", "mine.yaml:2:8: sizes: '4KiB' is not a list", "^ write [4KiB]"),
        ("[4KiB..64KiB x2]", "[]", "mine.yaml:2:8: sizes: '[]' has too few entries", "^"),
        ("[4KiB..64KiB x2]", "[4KiB..64KiB x2, 8KiB]", "mine.yaml:2:25: 8KiB stands twice", "^ first in entry 1"),
        ("{path: chunked}", "{path: chunkd}", "path of arm 'chunked': 'chunkd' is none", "^ did you mean 'chunked'?"),
        ("{path: chunked}", "{}", "mine.yaml:6:3: arm 'chunked' needs the key 'path'", "^ path: "),
        ("{path: chunked}", "7", "mine.yaml:6:12: arm 'chunked': '7' is not a mapping", "^"),
        ("{path: chunked}", "{path: chunked, kill_switch: yes}", "neither true nor false", "^ write true"),
        ("{path: chunked}", "{path: chunked, min_bytes: above}", "none of the possible", "^ did you mean 'above_larg"),
        ("chunked: {", "Chunk.ed: {", "mine.yaml:6:3: 'Chunk.ed' cannot be a name here", "^ small letters"),
        ("over: chunked", "over: chunkt", "mine.yaml:8:33: advantage: there is no arm 'chunkt'", "^ did you mean"),
        ("over: chunked", "over: rdma", "mine.yaml:8:33: advantage compares 'rdma' with itself", "^"),
        ("over: chunked", "ovr: chunked", "mine.yaml:8:27: unknown key 'ovr' in advantage", "^ did you mean 'over'?"),
        ("advantage:", "advantages:", "mine.yaml:8:5: unknown key 'advantages' in verdict 1", "^ did you mean 'advan"),
        ("- advantage: {of: rdma, over: chunked}", "- {}", "mine.yaml:8:5: a verdict is one kind, not 0", "^"),
        ("question: Which is faster?", "question: ''", "mine.yaml:1:11: question: '' is empty", "^"),
    ],
)
def test_mistake_is_told_at_its_place(tmp_path: Path, was: str, becomes: str, head: str, caret: str) -> None:
    assert was in GOOD
    told = mistakes_of(tmp_path, GOOD.replace(was, becomes))
    assert head in told
    assert caret in told


def test_caret_stands_under_the_column_it_names(tmp_path: Path) -> None:
    told = mistakes_of(tmp_path, GOOD.replace("{path: chunked}", "{path: chunked, depth: many}"))
    head, *_, text, caret = told.splitlines()
    column = int(head.split(":")[2])
    assert text.split("| ", 1)[1][column - 1 :].startswith("many")
    assert caret.split("| ", 1)[1].index("^") == column - 1


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    told = mistakes_of(
        tmp_path, GOOD.replace("reps: 3", "reps: 0").replace("64KiB", "64KB").replace("path: c", "pth: c")
    )
    assert [line.split(": ")[0] for line in told.splitlines() if line.startswith("mine.yaml:")] == [
        "mine.yaml:2:9",
        "mine.yaml:3:7",
        "mine.yaml:6:3",
        "mine.yaml:6:13",
    ]


def test_arm_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    told = mistakes_of(
        tmp_path, GOOD.replace("  chunked: {path: chunked}", "  other: {path: rdma}\n  rdma: {path: rdma}")
    )
    assert told == (
        "mine.yaml:7:3: 'rdma' stands twice\n"
        "    5 |   rdma:    {path: rdma}\n"
        "    6 |   other: {path: rdma}\n"
        "    7 |   rdma: {path: rdma}\n"
        "      |   ^ first in line 5"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("- 1\n- 2\n", "the file is not a mapping"),
        ("just words\n", "the file is not a mapping"),
        ("a: [1,\nb: 2\n", "not YAML"),
        ("a:\tb: 1\n", "cannot start any token"),
        ("a: 1\n---\nb: 2\n", "another document"),
        ("a: &x 1\nb: *x\n", "an alias"),
        ("question: 2026-01-01\n", "neither text nor a number"),
        ("question: !!python/object:os.system x\n", "neither text nor a number"),
        ('a: "\\xZZ"\n', "not YAML"),
        ("{" * 3000, "nested too deeply"),
        ("a: \x00\n", "not YAML"),
    ],
)
def test_text_that_is_no_config_is_one_clear_mistake(tmp_path: Path, text: str, message: str) -> None:
    assert message in mistakes_of(tmp_path, text)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(b"question: \xff\xfe\n")
    with pytest.raises(Mistakes, match="not UTF-8"):
        load_experiment(str(path))


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    told = mistakes_of(tmp_path, 'question: "q"\nreps: \x1b[31m0\n')
    assert "\x1b" not in told


def test_windows_line_ends_and_byte_order_mark_are_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load_experiment(str(path)).experiment.reps == 3


def test_file_name_must_be_able_to_name_a_run(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="cannot name a run") as caught:
        load_experiment(written(tmp_path, GOOD, "My Experiment.yaml"))
    assert caught.value.exit_code is Exit.USAGE


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ("[{name: a}, {name: a}]", "node 'a' stands twice"),
        ("[{name: a}, {name: b}]", "node 'a' has no ssh"),
        ("[{name: a, ssh: {host: h, prt: 1}}]", "unknown key 'prt' in ssh"),
        (
            "[{name: a, ssh: {host: h}, roles: [owner]}, {name: b, ssh: {host: h}, roles: [owner]}]",
            "two nodes play the owner",
        ),
        ("[]", "too few entries"),
    ],
)
def test_site_mistakes(tmp_path: Path, nodes: str, message: str) -> None:
    path = tmp_path / "here.yaml"
    path.write_text(f"description: d\nlauncher: ssh\nnodes: {nodes}\n")
    with pytest.raises(Mistakes) as caught:
        load_site_file(path)
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("word", "found"), [("min_byte", "min_bytes"), ("REPS", "reps"), ("si", "sizes"), ("xyzzy", None), ("", None)]
)
def test_nearest(word: str, found: str | None) -> None:
    assert nearest(word, ["min_bytes", "reps", "sizes"]) == found
