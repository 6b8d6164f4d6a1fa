"""Each lie, made on purpose, and the caveat that tells it. The numbers are those of the list of thirty lies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analysis.caveats import RULES, Caveat, find_caveats
from analysis.factors import differing_factors
from analysis.study import Study
from analysis.tests.synthetic import CHUNKED, RDMA, STARTED, Arm, Recipe, Sample, plan_of
from analysis.tests.synthetic_run import make_run
from analysis.verdicts import answer_all
from store.annotations import annotate
from store.facts import Fact

QUIET = Recipe(sizes=(4096, 65536, 1048576), reps=11, pairs=3, lane="shm", noise=0.02)
COMPARED: tuple[dict[str, Any], ...] = ({"advantage": {"of": "rdma", "over": "chunked"}},)


def caveats(tmp_path: Path, recipe: Recipe) -> dict[str, Caveat]:
    study = Study.of_runs([make_run(tmp_path / "runs", recipe)])
    return {caveat.id: caveat for caveat in find_caveats(study)}


def every(cell: int, **change: Any) -> Any:
    """A mutation of all samples of one cell after the first block."""

    def mutate(sample: Sample) -> None:
        if sample["cell"] == cell and sample["rep"] > 0:
            sample.update(change)

    return mutate


def rate(value: float) -> Fact:
    return Fact(value, "Gb/s", "/sys/class/infiniband/mlx5_0/ports/1/rate")


def test_a_sound_run_on_a_lane_with_one_sided_reads_has_no_caveat(tmp_path: Path) -> None:
    assert caveats(tmp_path, replace(QUIET, verdicts=COMPARED)) == {}


CASES: dict[str, tuple[Recipe, str]] = {
    "emulated_get": (replace(QUIET, lane="tcp"), "no RDMA measurement"),
    "emulated_nic": (replace(QUIET, lane="rc_verbs", device="rxe0:1"), "ratios only"),
    "unaccelerated": (replace(QUIET, lane="rc_verbs", device="mlx5_0:1"), "a floor"),  # lie 12
    "unproven_lane": (  # lies 5 to 7
        replace(QUIET, lane_check={"operation": "get", "rows": [], "verdict": "unproven", "text": "only (?) rows"}),
        "only (?) rows",
    ),
    "several_devices": (  # lie 9
        replace(
            QUIET,
            lane="rc_verbs",
            device="mlx4_0:1",
            lane_check={
                "operation": "get",
                "rows": [
                    {
                        "from_bytes": 0,
                        "to_bytes": None,
                        "protocol": "zero-copy",
                        "config": "50% on rc_mlx5/mlx5_0:1/path0 and 50% on rc_mlx5/mlx5_1:1/path0",
                        "estimate": False,
                    }
                ],
                "verdict": "accepted",
                "text": "two",
            },
        ),
        "mlx5_0:1 and mlx5_1:1",
    ),
    "nic_not_registered": (replace(QUIET, mutate=every(1, nic_registered=False)), "30 of 30 samples"),  # lie 11
    "two_factors": (  # lie 13
        replace(QUIET, arms=(replace(CHUNKED, extra={"kill_switch": True}), RDMA), verdicts=COMPARED),
        "path and staging (kill switch)",
    ),
    "too_few_reps": (replace(QUIET, reps=2), "fewer than 6 samples (fewest 3)"),
    "rep_0_only": (replace(QUIET, reps=1, pairs=1), "6 cells have a warm-up repetition"),  # lie 20
    "one_pair": (replace(QUIET, pairs=1), "one pair of processes"),
    "not_interleaved": (replace(QUIET, order="sequential"), "fixed order"),
    "verification_off": (replace(QUIET, plan={"verify": False}), "nobody looked"),
    "staging_not_as_asked": (  # lie 14
        replace(QUIET, mutate=every(0, staging="plain", staging_reason="budget")),
        "chunked was staged plain in 30 samples (budget)",
    ),
    "fell_back": (  # lie 16
        replace(QUIET, mutate=every(1, path="chunked", reason="get_failed")),
        "30 of rdma (get_failed)",
    ),
    "failed_samples": (
        replace(QUIET, mutate=every(1, error={"phase": "transfer", "code": "ETIMEDOUT", "text": "late"}, total_ns=0)),
        "30 in transfer ETIMEDOUT",
    ),
    "registration_in_timed_part": (replace(QUIET, mutate=every(1, registrations=2)), "60 registrations"),  # lie 17
    "unverified": (replace(QUIET, mutate=every(1, verified=False)), "30 samples were not verified"),  # lies 18, 19
    "phases_do_not_add_up": (replace(QUIET, mutate=every(1, copy_ns=90_000)), "30 samples"),  # lie 22
    "invalid_samples": (replace(QUIET, mutate=every(1, transfer_ns=-1)), "transfer_ns is negative in 30 samples"),
    "drift": (replace(QUIET, drift=0.3), "slower"),
    "requirement_waived": (replace(QUIET, waived=("memlock_for_plan",)), "memlock_for_plan"),
    "incomplete": (replace(QUIET, lines=lambda lines: lines[: len(lines) // 2]), "blocks are finished"),
    "above_line_rate": (  # lie 30
        replace(QUIET, lane="rc_verbs", device="mlx5_0:1", facts={"port.mlx5_0:1.rate": rate(10.0)}),
        "rdma at 1 MiB",
    ),
    "disturbed": (
        replace(
            QUIET,
            facts={"cpu.throttle.core": Fact(3, "events", "sysfs")},
            facts_after={"cpu.throttle.core": Fact(8, "events", "sysfs")},
        ),
        "cpu.throttle.core of node1 rose by 5",
    ),
    "busy_machine": (replace(QUIET, facts={"cpu.load": Fact(9.5, "processes", "/proc/loadavg")}), "load of 9.5"),
    "sides_differ": (
        replace(QUIET, owner={"binary_sha256": "ff" * 32, "ucx": {"runtime": "1.20.1"}}),
        "binary_sha256, ucx.header, ucx.library_sha256 and ucx.runtime",
    ),
    "odp": (replace(QUIET, facts={"arena.0.registration": Fact("odp", None, "engine")}), "on demand"),
    "slow_baseline": (
        replace(
            QUIET,
            lane="rc_verbs",
            device="mlx5_0:1",
            facts={"port.mlx5_0:1.rate": rate(400.0), "control.rate": Fact(1000, "Mbit/s", "sysfs")},
        ),
        "1000 Mbit/s",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_lie_is_told(tmp_path: Path, name: str) -> None:
    recipe, words = CASES[name]
    found = caveats(tmp_path, recipe)
    assert name in found, sorted(found)
    assert words in found[name].line
    assert found[name].forbids
    assert found[name].remedy


def test_a_clock_that_steps_is_seen_beside_the_wall_clock(tmp_path: Path) -> None:  # lie 23
    def step(sample: Sample) -> None:
        if sample["block"] > 5:
            sample["start_utc_ns"] += 3_600_000_000_000

    assert "clocks_apart" in caveats(tmp_path, replace(QUIET, pairs=1, mutate=step))


def test_a_clock_whose_step_is_a_percent_of_the_sample_is_too_coarse(tmp_path: Path) -> None:  # lie 24
    def coarse(lines: list[str]) -> list[str]:
        return [lines[0].replace('"resolution_ns":1.0', '"resolution_ns":1000.0'), *lines[1:]]

    assert "1.00 us" in caveats(tmp_path, replace(QUIET, lines=coarse))["resolution"].text


def test_blocks_shorter_than_their_transfers_contradict_themselves(tmp_path: Path) -> None:
    def short(lines: list[str]) -> list[str]:
        import re

        return [re.sub(r'"wall_ns":\d+', '"wall_ns":1000', line) for line in lines]

    assert "wall_time" in caveats(tmp_path, replace(QUIET, lines=short))


def test_a_block_line_that_counts_other_samples_is_told(tmp_path: Path) -> None:
    def fewer(lines: list[str]) -> list[str]:
        return lines[:9] + lines[10:]

    assert "counts_differ" in caveats(tmp_path, replace(QUIET, pairs=1, lines=fewer))


def test_the_tools_own_proof_of_the_lane_is_told_when_it_doubts(tmp_path: Path) -> None:
    doubt = {"verdict": "refuted", "reason": "GET is software emulation", "pairs": [], "ports": []}
    found = caveats(tmp_path / "a", replace(QUIET, lane_proof=doubt))
    assert found["unproven_lane"].text == "the lane is refuted: GET is software emulation"
    proven = caveats(tmp_path / "b", replace(QUIET, lane_proof={**doubt, "verdict": "proven"}))
    assert "unproven_lane" not in proven


def test_a_withdrawn_run_says_so(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", QUIET)
    annotate(run, "withdrawn", "the cable was loose", STARTED)
    found = {caveat.id: caveat.text for caveat in find_caveats(Study.of_runs([run]))}
    assert "the cable was loose" in found["withdrawn"]


def test_counters_that_count_other_transfers_than_there_are_samples_are_told(tmp_path: Path) -> None:
    recipe = replace(QUIET, metrics=lambda text: text.replace("} 33", "} 32", 1))
    assert "chunked in pair 0: 32 counted, 33 samples" in caveats(tmp_path, recipe)["counters_differ"].text


def test_duplicates_and_unreadable_lines_are_told_with_their_place(tmp_path: Path) -> None:
    def damage(lines: list[str]) -> list[str]:
        return [*lines[:9], lines[8], "{", *lines[9:]]

    found = caveats(tmp_path, replace(QUIET, pairs=1, lines=damage))
    assert "first pairs/0/samples.jsonl:10" in found["duplicates"].text
    assert "pairs/0/samples.jsonl:11: not JSON" in found["unreadable_lines"].text


def test_an_edited_file_is_named(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", QUIET)
    path = run / "pairs/1/samples.jsonl"
    path.chmod(0o644)
    path.write_text(path.read_text().replace('"total_ns":1', '"total_ns":2', 1))
    study = Study.of_runs([run])
    found = {caveat.id: caveat.text for caveat in find_caveats(study)}
    assert "pairs/1/samples.jsonl changed after the run" in found["changed_after_the_run"]


def test_a_run_that_was_not_sealed_is_incomplete(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", QUIET)
    run.chmod(0o755)
    (run / "manifest.json").unlink()
    found = {caveat.id: caveat.text for caveat in find_caveats(Study.of_runs([run]))}
    assert "is not sealed" in found["incomplete"]


def test_runs_on_different_setups_are_mixed(tmp_path: Path) -> None:
    one = make_run(tmp_path / "runs", QUIET)
    other = make_run(tmp_path / "runs", replace(QUIET, facts={"kernel.release": Fact("6.2.0", None, "uname")}))
    found = {caveat.id: caveat.text for caveat in find_caveats(Study.of_runs([one, other]))}
    assert "node1.kernel.release" in found["mixed_setups"]


def test_rows_above_the_bound_are_void_for_verdicts(tmp_path: Path) -> None:
    recipe = CASES["above_line_rate"][0]
    study = Study.of_runs([make_run(tmp_path / "runs", replace(recipe, verdicts=COMPARED))])
    assert [key.size for key in study.keys("rdma")] == [4096, 65536]


def test_a_copied_get_faster_than_the_memory_copies_is_void(tmp_path: Path) -> None:  # lie 30
    recipe = replace(QUIET, facts={"memory.copy_rate": Fact(0.5, "GB/s", "the node")})
    told = caveats(tmp_path, recipe)["above_line_rate"].text
    assert "rdma at 64 KiB" in told
    assert "the 0.500 GB/s memory copy rate of node1" in told


def test_with_every_row_void_no_verdict_claims_anything(tmp_path: Path) -> None:
    rdma = {"arm": "rdma"}
    asked = (
        {"line_rate_fraction": rdma},
        {"copy_share": rdma},
        {"knee": rdma},
        {"fixed_plus_marginal": rdma},
        *COMPARED,
    )
    recipe = replace(QUIET, verdicts=asked, facts={"memory.copy_rate": Fact(1e-6, "GB/s", "the node")})
    answers = answer_all(Study.of_runs([make_run(tmp_path / "runs", recipe)]))
    assert len(answers) == len(asked)
    assert all(answer.inconclusive_because for answer in answers)


def test_every_rule_has_a_case_and_an_id_of_its_own() -> None:
    apart = {
        "clocks_apart", "resolution", "wall_time", "counts_differ", "duplicates", "unreadable_lines",
        "changed_after_the_run", "mixed_setups", "unreadable_record", "counters_differ", "withdrawn",
        "receiver_not_ready", "done_means_something_else",  # test_caveats_of_operations
    }  # fmt: skip
    ids = [rule.id for rule in RULES]
    assert len(set(ids)) == len(ids)
    assert set(ids) == set(CASES) | apart


def arms(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    base = Arm("a", 1.0, 1.0, path="rdma", read="get")
    recipe = Recipe(arms=(replace(base, extra=one), replace(base, name="b", extra=other)))
    return differing_factors(*plan_of(recipe)["arms"])


def test_factors_are_told_as_a_reader_of_the_experiment_would() -> None:
    assert arms({}, {}) == []
    assert arms({}, {"path": "chunked", "min_bytes": 99, "chunk": 5}) == ["path"]
    assert arms({}, {"chunk": 5}) == []
    assert arms({"path": "chunked"}, {"path": "chunked", "depth": 4}) == ["depth"]
    assert arms({}, {"copy": "overlapped", "piece": 7}) == ["copy"]
    assert arms({}, {"read": "get_into", "destination": "fresh"}) == ["read"]
    assert arms({}, {"staging": "plain", "via": "tcp"}) == ["staging", "via"]
    assert arms({}, {"path": "chunked", "kill_switch": True}) == ["path", "staging (kill switch)"]
