"""A run from its plan to its sealed folder: prepare, create, run the pairs, read the nodes again, seal. And its resume.

Called by cli.run and cli.resume. Everything that was finished is on disk at any time; an interrupt or a lost pair
seals what there is, and `resume` goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from experiments.binding import Binding, BoundNode
from experiments.engine_command import Side
from experiments.interrupts import Interrupts
from experiments.lane_proof import PROVEN, REFUTED
from experiments.node_setup import engine_saw, read_nodes
from experiments.pair_plan import samples_in
from experiments.progress import RunProgress
from experiments.run_evidence import NOT_APPLICABLE, REQUIREMENT, prove_run
from experiments.run_pairs import PairsEnd, PairsOrder, run_missing
from experiments.run_prepare import Planned, Ready, RunRequest, Say, make_ready, planned_again
from experiments.run_seal import seal
from experiments.tool_version import tool_version
from store.epochs import identity_changes
from store.errors import Exit, LabError
from store.integrity import check_integrity
from store.json_file import JsonObject
from store.records import Manifest, OriginRecord, SetupRecord
from store.run import Run, open_run
from store.write import RunWriter, utc_text

ALLOW_UNMET = "--allow-unmet"
"""The word of the command line that waives what a plan requires."""
SHOWN_CHANGES = 4


@dataclass(frozen=True)
class Begun:
    """A run whose folder exists and whose pairs may start: a new one, or one that is continued."""

    writer: RunWriter
    ready: Ready
    epoch: int
    retry: int
    allow_unmet: bool = False


def begin(planned: Planned, request: RunRequest, store: Path, say: Say) -> Begun:
    """Prepare what was planned and make its run folder. LabError when it cannot run; then nothing was written."""
    ready = make_ready(planned, store, say, allow_unmet=request.allow_unmet)
    started = datetime.now(UTC)
    origin = OriginRecord(
        started_utc=utc_text(started),
        command=list(request.command),
        tool=tool_version(),
        parent=request.parent,
        like=request.like.name if request.like else None,
    )
    writer = RunWriter.create(
        store,
        plan=ready.planned.plan_bytes,
        binding=ready.binding,
        origin=origin,
        experiment=str(planned.plan["experiment"]),
        started=started,
    )
    writer.put_preflight(ready.preflight)
    for record in _before(ready).values():
        writer.put_setup(record)
    return Begun(writer, ready, epoch=1, retry=request.retry, allow_unmet=request.allow_unmet)


def begin_again(
    path: Path, say: Say, *, retry: int = 0, allow_unmet: bool = False, lock: int | None = None
) -> Begun | None:
    """Prepare the rest of a run; None when nothing is missing. LabError for a run that was changed since it was sealed.

    The stored binding is kept, and a waiver that the run was started with (its origin has the command) still holds.
    Where the identity part of the setup has changed, a new epoch begins.
    """
    run = open_run(path)
    allow_unmet = allow_unmet or (run.origin is not None and ALLOW_UNMET in run.origin.command)
    if run.manifest is not None:
        integrity = check_integrity(path)
        if integrity.status != "ok":
            raise LabError(f"{path.name} cannot be continued: {integrity.text}")
        if run.manifest.kind == "published":
            raise LabError(f"{path.name} is a published result, there is nothing to resume", exit_code=Exit.USAGE)
        if run.state == "done":
            return None
    say("plan", f"{run.experiment}  {len(run.missing_blocks)} of {len(run.plan['blocks'])} blocks are missing")
    if not run.missing_blocks:
        if run.manifest is None or run.manifest.exit == Exit.PEER_LOST:
            _seal_complete(run, RunWriter.reopen(path, lock), allow_unmet)
        return None
    binding = Binding.model_validate(run.binding)
    ready = make_ready(planned_again(path), path.parent, say, allow_unmet=allow_unmet, binding=binding)
    writer = RunWriter.reopen(path, lock)
    return Begun(writer, ready, _epoch(run, writer, ready, say), retry, allow_unmet)


def carry_out(begun: Begun, stop: Interrupts, say: Say) -> Manifest:
    """Run every missing block and seal the run, however it went. LabError only when the disk takes no more."""
    stop.hold()
    writer, ready = begun.writer, begun.ready
    plan, binding = ready.planned.plan, ready.binding
    order = PairsOrder(
        plan=plan,
        owner=_side(binding.node("owner")),
        consumer=_side(binding.node("consumer")),
        exchange=binding.exchange,
        estimate_s=binding.estimate_s,
        epoch=begun.epoch,
        retry=begun.retry,
    )
    missing = open_run(writer.path).missing_blocks
    try:
        with RunProgress(plan, samples_in(plan, missing)) as progress:
            end = run_missing(writer, order, ready.launcher, stop, progress)
        if not stop.hurry:
            _read_again(begun, say)
        end, waived = _with_proof(writer, plan, binding, end, waived=ready.waived, allow_unmet=begun.allow_unmet)
    except LabError as error:
        try:
            seal(writer, PairsEnd(Exit(error.exit_code), error.message), ready.waived)
        except LabError:
            writer.close()  # the disk takes nothing more: the run stays unsealed and can be resumed
        raise
    return seal(writer, end, waived)


def _side(bound: BoundNode) -> Side:
    return Side(
        role=bound.role,
        node=bound.name,
        address=bound.address,
        env=bound.env,
        cpus=bound.cpus,
        ucx_prefix=bound.ucx_prefix,
    )


def _before(ready: Ready) -> dict[str, SetupRecord]:
    return {node: SetupRecord(node=node, before=facts) for node, facts in ready.facts.items()}


def _epoch(run: Run, writer: RunWriter, ready: Ready, say: Say) -> int:
    """The epoch in which a continued run goes on: the last one, or a new one where the setup is another."""
    now = _before(ready)
    last = max(run.setups, default=0)
    changed = identity_changes(run.setup, now) if last else []
    if last and not changed:
        return last
    for record in now.values():
        writer.put_setup(record, last + 1)
    if last:
        writer.put_preflight(ready.preflight, last + 1)
        more = f" and {len(changed) - SHOWN_CHANGES} more" if len(changed) > SHOWN_CHANGES else ""
        say("setup", f"a new epoch: {', '.join(changed[:SHOWN_CHANGES])}{more} changed since the run was interrupted")
    return last + 1


def _seal_complete(run: Run, writer: RunWriter, allow_unmet: bool) -> None:
    """Seal a run whose blocks are all there: its tool died before it could, or its last pair was lost after them."""
    former = run.manifest.waived if run.manifest else ()
    end, waived = PairsEnd(Exit.DONE), tuple(former)
    if run.binding is not None:
        binding = Binding.model_validate(run.binding)
        accepted = allow_unmet or REQUIREMENT in former
        end, waived = _with_proof(writer, run.plan, binding, end, waived=waived, allow_unmet=accepted)
    seal(writer, end, waived)


def _with_proof(
    writer: RunWriter,
    plan: JsonObject,
    binding: Binding,
    end: PairsEnd,
    *,
    waived: tuple[str, ...],
    allow_unmet: bool,
) -> tuple[PairsEnd, tuple[str, ...]]:
    """How the run ended once its lane's proof counts, and what is waived; the proof is written down either way."""
    proof = prove_run(open_run(writer.path), binding)
    writer.put_lane_proof(proof.as_json())
    if end.exit not in (Exit.DONE, Exit.FAILED) or proof.verdict in (PROVEN, NOT_APPLICABLE):
        return end, waived
    if proof.verdict == REFUTED:
        return PairsEnd(Exit.WRONG_LANE, f"lane {proof.lane} refuted: {proof.reason}"), waived
    if REQUIREMENT not in plan["require"]:
        return end, waived
    if allow_unmet:
        return end, tuple(dict.fromkeys((*waived, REQUIREMENT)))
    return PairsEnd(Exit.WRONG_LANE, f"lane {proof.lane} not proven: {proof.reason}"), waived


def _read_again(begun: Begun, say: Say) -> None:
    """Complete the setup records: the nodes as they are now, and what the engines of this epoch saw of themselves."""
    run = open_run(begun.writer.path)
    ready = begun.ready
    try:
        after = read_nodes(ready.binding, ready.planned.site, ready.launcher)
    except LabError as error:
        say("setup", f"not read after the run: {error.message}")
        after = {}
    pairs = [pair for pair in run.pairs if pair.epoch == begun.epoch]
    seen = engine_saw(ready.binding, pairs[-1].path) if pairs else {}
    for node, record in run.setups.get(begun.epoch, {}).items():
        facts = {**after.get(node, {}), **seen.get(node, {})}
        writer_record = SetupRecord(node=node, before=record.before, after=facts)
        begun.writer.put_setup(writer_record, begun.epoch)
