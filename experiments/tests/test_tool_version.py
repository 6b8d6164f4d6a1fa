"""Which rdmalab wrote a run: in a checkout, in a changed one, and outside of one."""

import subprocess
from pathlib import Path

from experiments.tool_version import tool_version


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True, timeout=30)


def test_a_checkout_tells_its_revision_and_whether_it_was_changed(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1.2"\n')
    assert tool_version(tmp_path).model_dump() == {"version": "1.2", "git": None, "dirty": None}
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "pyproject.toml")
    git(tmp_path, "commit", "-q", "-m", "first")
    clean = tool_version(tmp_path)
    assert clean.git is not None and len(clean.git) == 40
    assert clean.dirty is False
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1.3"\n')
    assert (tool_version(tmp_path).version, tool_version(tmp_path).dirty) == ("1.3", True)
