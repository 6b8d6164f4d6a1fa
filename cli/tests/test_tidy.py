"""Which engine files clang-tidy has to look at again."""

from __future__ import annotations

from pathlib import Path

import pytest

import cli.tidy
from cli.tidy import changed, digest_of, inputs_of, tidy
from store.errors import Exit

FILES = {
    "engine/a.cc": '#include "engine/a.h"\n#include <vector>\n',
    "engine/a.h": '#include "engine/deep.h"\n',
    "engine/deep.h": '#include "engine/a.h"\n',
    "engine/other.h": "",
    ".clang-tidy": "Checks: bugprone-*",
    "compile_flags.txt": "-std=c++20",
}


def test_the_inputs_of_a_file_are_its_own_headers_however_deep() -> None:
    assert inputs_of("engine/a.cc", FILES.__getitem__) == {"engine/a.cc", "engine/a.h", "engine/deep.h"}


@pytest.mark.parametrize(
    ("name", "again"),
    [("engine/a.cc", True), ("engine/deep.h", True), (".clang-tidy", True), ("engine/other.h", False)],
)
def test_a_file_is_looked_at_again_when_an_input_changes(name: str, again: bool) -> None:
    before = digest_of("engine/a.cc", FILES.__getitem__)
    after = digest_of("engine/a.cc", {**FILES, name: FILES[name] + "\n// more"}.__getitem__)
    assert (after != before) is again


def test_only_a_clean_file_is_not_looked_at_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.tidy, "ROOT", tmp_path)
    monkeypatch.setattr(cli.tidy, "STAMPS", tmp_path / "stamps")
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    tool = tmp_path / "bin" / "clang-tidy"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho 'a.cc:1: error: bad'\nexit 1\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tool.parent), prepend=":")
    assert tidy(["engine/a.cc"]) is Exit.FAILED
    assert list(changed(["engine/a.cc"])) == ["engine/a.cc"]
    tool.write_text("#!/bin/sh\nexit 0\n")
    assert tidy(["engine/a.cc"]) is Exit.DONE
    assert not changed(["engine/a.cc"])
