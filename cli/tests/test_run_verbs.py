"""run, resume, status and audit as a person meets them: the real command line, with a stand-in for the engine."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.names import ROOT
from store.write import set_writable

STAND_IN = ROOT / "experiments" / "tests" / "stand_in_engine.py"
DEADLINE_S = 90
EXPERIMENT = """
question: Does the tool say what it does?
lane: tcp
sizes: [4KiB, 8KiB]
reps: 3
pairs: 2
arms:
  chunked: {path: chunked, min_bytes: above_largest}
  rdma: {path: rdma}
"""


class Lab:
    """A store, a site with the stand-in, and the command line with nothing inherited."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = folder / "runs"
        self.script = folder / "script.json"
        self.file = folder / "tiny.yaml"
        self.file.write_text(EXPERIMENT)
        self.does({})
        sites = folder / "config" / "rdmalab" / "sites"
        sites.mkdir(parents=True)
        site = f"description: x\nlauncher: local\nenv: {{STAND_IN_SCRIPT: {self.script}}}\nnodes: [{{name: here}}]\n"
        (sites / "stand_in.yaml").write_text(site)

    def does(self, script: dict[int, dict[str, str]]) -> None:
        self.script.write_text(json.dumps(script))

    def start(self, *words: str, **environ: str) -> subprocess.Popen[str]:
        clean = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
        own = {"XDG_CONFIG_HOME": str(self.folder / "config"), "RDMALAB_ENGINE": str(STAND_IN)}
        return subprocess.Popen(
            [sys.executable, "-m", "cli.main", *words, "--store", str(self.store)],
            env={**clean, **own, **environ},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def do(self, *words: str, **environ: str) -> tuple[int, str, str]:
        with self.start(*words, **environ) as process:
            try:
                out, err = process.communicate(timeout=DEADLINE_S)
            finally:
                process.kill()
        assert "Traceback" not in err, err
        return process.returncode, out, err

    def run(self, *words: str, report: str = "--no-report", **environ: str) -> tuple[int, str, str]:
        return self.do("run", str(self.file), "--site", "stand_in", report, *words, **environ)

    def resume(self) -> None:
        """A resume that completes the run."""
        code, _, err = self.do("resume", "@last", "--no-report")
        assert code == 0, err

    def run_folder(self) -> Path:
        (path,) = [path for path in self.store.iterdir() if not path.name.startswith(".")]
        return path


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab(tmp_path)
    yield made
    if made.store.exists():
        set_writable(made.store, True)


def test_the_run_folder_is_the_last_line_of_stdout_and_the_log_is_on_stderr(lab: Lab) -> None:
    code, out, err = lab.run(report="--report")
    assert code == 0, err
    assert out == f"runs/{lab.run_folder().name}\n"
    labels = [line.split()[0] for line in err.splitlines()]
    assert labels[:3] == ["plan", "preflight", "verified"]
    assert "24 of 24 transfers byte for byte" in err
    report = lab.folder / "reports" / lab.run_folder().name / "report.md"
    assert err.endswith(f"report    reports/{lab.run_folder().name}/report.md\n")
    assert "Does the tool say what it does?" in report.read_text()


def test_json_is_the_manifest(lab: Lab) -> None:
    _, out, _ = lab.run("--json")
    manifest, folder = out.splitlines()
    assert json.loads(manifest)["status"] == "done"
    assert folder == f"runs/{lab.run_folder().name}"


def test_a_lost_pair_is_one_clear_line_and_says_how_to_go_on(lab: Lab) -> None:
    lab.does({1: {"consumer": "die:6"}})
    code, _, err = lab.run()
    assert code == 4
    assert "the consumer was killed by SIGKILL; 4 of 6 blocks are kept" in err
    assert f"./rdmalab resume {lab.run_folder().name}" in err
    code, _, err = lab.do("resume", "@last", "--no-report")
    assert (code, "2 of 6 blocks are missing" in err) == (0, True)
    lab.resume()


def test_a_wrong_lane_has_no_report(lab: Lab) -> None:
    lab.does({0: {"consumer": "exit:3|rdmalab_engine consumer: lane, get: software emulation; choose another"}})
    code, _, err = lab.run()
    assert code == 3
    assert "lane, get: software emulation; choose another" in err
    assert not (lab.folder / "reports").exists()


def test_an_inherited_variable_ends_before_anything_is_written(lab: Lab) -> None:
    code, out, err = lab.run(UCX_TLS="rc")
    assert (code, out) == (3, "")
    assert "UCX_TLS=rc" in err
    assert not lab.store.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_is_finished_and_ends_130(lab: Lab, number: signal.Signals) -> None:
    lab.does({0: {"consumer": "hang|hanging"}})
    with lab.start("run", str(lab.file), "--site", "stand_in", "--no-report") as tool:
        assert tool.stderr is not None
        _wait_for_samples(lab, 9)
        tool.send_signal(number)
        _, err = tool.communicate(timeout=DEADLINE_S)
    assert tool.returncode == 130, err
    assert f"interrupted by {number.name}; 2 of 6 blocks are kept" in err
    assert json.loads((lab.run_folder() / "manifest.json").read_text())["status"] == "interrupted"
    lab.does({})
    lab.resume()


def test_a_killed_tool_leaves_a_run_that_can_be_resumed(lab: Lab) -> None:
    lab.does({0: {"consumer": "hang"}})
    with lab.start("run", str(lab.file), "--site", "stand_in", "--no-report") as tool:
        _wait_for_samples(lab, 9)
        tool.kill()
    code, out, _ = lab.do("status", "@last", "--json")
    assert (code, json.loads(out)["state"], json.loads(out)["blocks_done"]) == (0, "abandoned", 2)
    code, _, err = lab.do("status", "@last")
    assert (code, "its tool died" in err) == (1, True)
    lab.does({})
    lab.resume()


def test_a_detached_run_is_followed_to_its_end(lab: Lab) -> None:
    code, out, _ = lab.run("--detach")
    assert (code, out) == (0, f"runs/{lab.run_folder().name}\n")
    code, out, err = lab.do("status", "@last")
    assert (code, out) == (0, f"runs/{lab.run_folder().name}\n")
    assert "6/6 blocks  done" in err
    assert "24 of 24 transfers" in err


def test_a_run_that_is_going_on_is_left_alone_by_resume(lab: Lab) -> None:
    lab.does({0: {"consumer": "hang"}})
    with lab.start("run", str(lab.file), "--site", "stand_in", "--no-report") as tool:
        _wait_for_samples(lab, 9)
        code, _, err = lab.do("resume", "@last")
        assert (code, "another rdmalab" in err) == (2, True)
        tool.send_signal(signal.SIGINT)
        tool.communicate(timeout=DEADLINE_S)


def test_audit_names_the_file_that_was_edited(lab: Lab) -> None:
    lab.run()
    assert lab.do("audit")[0] == 0
    set_writable(lab.run_folder(), True)
    samples = lab.run_folder() / "pairs" / "1" / "samples.jsonl"
    samples.write_text(samples.read_text().replace('"size":4096', '"size":4097', 1))
    for what in ([], ["@last"], [str(lab.store)]):
        code, out, err = lab.do("audit", *what)
        assert code == 1
        assert "BROKEN" in out
        assert "pairs/1/samples.jsonl changed after the run" in err
    code, out, _ = lab.do("audit", "--json")
    (row,) = json.loads(out)["runs"]
    assert row["findings"] == [{"file": "pairs/1/samples.jsonl", "problem": "changed after the run"}]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run"], "run what?"),
        (["run", "quickstrat"], "did you mean quickstart?"),
        (["run", "--like", "@last"], "holds no runs yet"),
        (["run", "--like", "@last", "--refine"], "--like repeats a run as it is"),
        (["resume", "@last"], "holds no runs yet"),
        (["status", "2026"], "no run is called '2026'"),
        (["audit", "."], "holds no runs"),
    ],
)
def test_what_names_nothing_is_exit_2_with_advice(lab: Lab, words: list[str], message: str) -> None:
    code, out, err = lab.do(*words)
    assert (code, out) == (2, "")
    assert message in err


def _wait_for_samples(lab: Lab, count: int) -> None:
    """Until the running pair has written `count` samples, which is when the stand-in hangs; no longer than a minute."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        written = sum(text.read_text().count('"kind":"sample"') for text in lab.store.glob("*/pairs/*/samples.jsonl"))
        if written >= count:
            return
        time.sleep(0.01)
    raise AssertionError("no samples were written")


REFINED = """
question: From which size is one arm faster?
lane: tcp
sizes: [4KiB, 64KiB]
reps: 14
pairs: 2
arms:
  chunked: {path: chunked, min_bytes: above_largest}
  rdma: {path: rdma}
verdicts:
  - crossover: {of: rdma, over: chunked, within: 2.0}
"""


def test_refine_makes_a_child_run_that_names_its_parent_and_narrows_the_bracket(lab: Lab) -> None:
    """The stand-in's arms cross at 14000 B, so the child measures between 4 and 64 KiB in steps of two."""
    lab.file.write_text(REFINED)
    code, out, err = lab.run("--refine")
    assert code == 0, err
    assert "a child run with 8KiB, 16KiB, 32KiB" in err
    parent, child = sorted(path for path in lab.store.iterdir() if not path.name.startswith("."))
    if json.loads((parent / "manifest.json").read_text())["parent"] is not None:
        parent, child = child, parent  # both began within one second
    assert out == f"runs/{child.name}\n"
    assert json.loads((child / "manifest.json").read_text())["parent"] == parent.name
