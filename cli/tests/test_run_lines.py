"""The lines about a run, and which runs are worth a report."""

from typing import Any

import pytest

from cli.run_endings import worth_a_report
from cli.run_lines import ended_line, plan_line, preflight_line
from experiments.run_prepare import RunRequest, plan_of
from store.records import Counts, Manifest, PreflightCheck, PreflightRecord, ToolVersion


def manifest(exit_code: int, done: int, **more: Any) -> Manifest:
    return Manifest(
        run="r",
        experiment="e",
        status="done" if exit_code == 0 else "failed",
        exit=exit_code,
        plan_sha256="0" * 64,
        started_utc="2026-11-30T10:15:00.000Z",
        ended_utc="2026-11-30T10:15:00.000Z",
        counts=Counts(blocks_planned=20, blocks_done=done, samples_planned=40, samples=2 * done, failed=0),
        tool=ToolVersion(version="0"),
        files={},
        **more,
    )


def test_the_plan_in_one_line() -> None:
    line = plan_line(
        plan_of(RunRequest(experiment="quickstart", overrides=("pairs=1", "reps=3", "sizes=[4KiB, 8KiB]")))
    )
    assert line.startswith("quickstart  4 arms x 2 sizes x 3 reps = 24 samples in 3 blocks, 144 KiB, about ")
    assert "   digest " in line


def test_pairs_are_told_where_there_are_several() -> None:
    line = plan_line(plan_of(RunRequest(experiment="quickstart", overrides=("pairs=3", "reps=2", "sizes=[4KiB]"))))
    assert "2 reps x 3 pairs = 24 samples in 6 blocks" in line


def test_the_preflight_in_one_line() -> None:
    checks = [
        PreflightCheck(name="a", status="passed", result="fine"),
        PreflightCheck(name="b", status="warning", result="governor powersave"),
        PreflightCheck(name="c", status="not_applicable", result="no port"),
    ]
    line = preflight_line(PreflightRecord(checks=checks), "local", "tcp")
    assert line == "local/tcp   1 checks passed, 1 warning: governor powersave (doctor explains)"


def test_how_a_run_ended_names_the_cause_and_what_is_kept() -> None:
    line = ended_line(manifest(4, 12, cause="pair 0: the owner was killed by SIGKILL"))
    assert line == "pair 0: the owner was killed by SIGKILL; 12 of 20 blocks are kept"


@pytest.mark.parametrize(
    ("exit_code", "done", "worth"),
    [(0, 20, True), (1, 20, True), (4, 20, True), (3, 20, False), (4, 12, False), (130, 12, False), (1, 0, False)],
)
def test_a_complete_run_is_worth_a_report_and_a_wrong_lane_never(exit_code: int, done: int, worth: bool) -> None:
    assert worth_a_report(manifest(exit_code, done)) is worth
