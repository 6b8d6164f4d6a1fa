"""All samples of a run's finished blocks in one pandas frame, each with the file and line that it came from.

`load_samples(run)` is the way in; `analysis.study` calls it once per run. Columns are those of docs/formats.md plus
`line` (in pairs/<pair>/samples.jsonl), `launched` (the pair's folder), `value` (nanoseconds per operation: what the
statistics are about), the error's three fields flat, and `use`, which says what the sample counts for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from analysis.sample_checks import Complaint, check_samples
from analysis.sample_reader import BadLine, no_lines, read_lines
from analysis.sample_schema import BLOCK_NUMBERS, WAIT_FIELDS
from store.json_file import JsonObject
from store.plan_shape import check_plan
from store.run import Run
from store.sample_files import SampleSource

PHASES = ("wireup_ns", "acquire_ns", "transfer_ns", "copy_ns")
"""The parts of a get's total, in their order; release is outside it."""

USES = ("warm", "warmup", "fell_back", "unverified", "failed", "invalid", "duplicate")
"""What a sample counts for. Only `warm` ones stand in medians; the others are counted, shown apart, never dropped."""


@dataclass(frozen=True)
class Samples:
    """samples: one row per sample; blocks: one per finished block; clocks: by launched pair; what was found wrong."""

    samples: pd.DataFrame
    blocks: pd.DataFrame
    clocks: dict[int, JsonObject]
    bad_lines: tuple[BadLine, ...]
    complaints: tuple[Complaint, ...]


def load_samples(run: Run) -> Samples:
    """Read every samples.jsonl of `run`. Lines of unfinished blocks are left out; unreadable ones are `bad_lines`.

    LabError for a plan that has no sound arms and cells.
    """
    check_plan(run.plan, f"{run.name}/plan.json")
    engine = str(run.plan.get("engine", "rendezvous"))
    tables: list[pa.Table] = []
    blocks: list[pd.DataFrame] = []
    clocks: dict[int, JsonObject] = {}
    bad: list[BadLine] = []
    for source in run.sample_sources():
        lines = read_lines(source.path, source.relative, engine)
        bad += lines.bad
        kind = lines.others["kind"]
        blocks.append(_block_frame(lines.others.filter(pc.equal(kind, "block")), source.pair))
        starts = lines.others.filter(pc.equal(kind, "start"))
        if starts.num_rows and starts["clock"][0].is_valid:
            clocks[source.pair] = starts["clock"][0].as_py()
        tables.append(_finished(lines.samples, source))
        del lines
    frame = _sample_frame(tables or [_launched(no_lines(engine).samples, 0)])
    complaints = check_samples(frame, run.plan)
    frame["use"] = _use(frame, run.plan, complaints)
    block_frame = pd.concat(blocks, ignore_index=True) if blocks else _block_frame(no_lines(engine).others, 0)
    return Samples(frame, block_frame, clocks, tuple(bad), tuple(complaints))


def _finished(samples: pa.Table, source: SampleSource) -> pa.Table:
    """The samples of the blocks that the pair has finished, with the pair's number."""
    done = pc.is_in(samples["block"], pa.array(sorted(source.finished), pa.int32()))
    kept = samples if pc.all(done).as_py() else samples.filter(done)
    return _launched(kept, source.pair)


def _launched(samples: pa.Table, pair: int) -> pa.Table:
    return samples.append_column("launched", pa.array(np.full(samples.num_rows, pair, np.int32)))


def _sample_frame(tables: list[pa.Table]) -> pd.DataFrame:
    """One frame of all tables, which are emptied on the way: at a million samples each copy is 300 MB."""
    table = pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()
    tables.clear()
    columns: dict[str, object] = {}
    for name in table.schema.names:
        columns[name] = _as_pandas(table[name])
        table = table.drop_columns([name])
    frame = pd.DataFrame(columns, copy=False)
    frame["value"] = _value(frame)
    return frame


def _as_pandas(column: pa.ChunkedArray) -> object:
    """Whole numbers without gaps stay whole; with gaps they are floats, exact up to 2^53 (104 days in nanoseconds)."""
    if pa.types.is_integer(column.type):
        return (column.cast(pa.float64()) if column.null_count else column).to_numpy()
    return column.to_pandas()


def _value(frame: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Nanoseconds per operation: a get's total, or an operations sample's elapsed time through its messages."""
    if "total_ns" in frame:
        total: npt.NDArray[np.float64] = frame["total_ns"].to_numpy(dtype=np.float64)
        return total
    messages: npt.NDArray[np.float64] = frame["messages"].to_numpy(dtype=np.float64)
    elapsed: npt.NDArray[np.float64] = frame["elapsed_ns"].to_numpy(dtype=np.float64)
    per_message: npt.NDArray[np.float64] = np.full(elapsed.size, np.nan)
    np.divide(elapsed, messages, out=per_message, where=messages > 0)
    return per_message


def _block_frame(table: pa.Table, pair: int) -> pd.DataFrame:
    columns = {name: table[name].to_pandas() for name in ("block", "line", *BLOCK_NUMBERS)}
    for name in WAIT_FIELDS:
        columns[f"{name}_ns"] = pc.struct_field(table["wait_ns"], name).to_pandas()
    return pd.DataFrame(columns).assign(launched=pair)


def _use(frame: pd.DataFrame, plan: JsonObject, complaints: list[Complaint]) -> pd.Series:
    """The first of these that holds: a complaint that voids the sample, an error, unverified, fell back, warm-up.

    In a cold run each sample is its cell's first one by intention, so there warm-up separates nothing.
    """
    use = np.full(len(frame), USES.index("warm"), dtype=np.int8)
    if plan.get("pair") != "cold":
        use[frame["warmup"].to_numpy(dtype=bool)] = USES.index("warmup")
    if "path" in frame:
        use[_texts_differ(frame["path"], frame["path_asked"])] = USES.index("fell_back")
    if plan.get("verify", True):
        # A peer tool checks nothing and says so with null; the report says it too.
        by_peer = _by_peer(frame)
        use[~frame["verified"].eq(True).to_numpy(dtype=bool) & ~by_peer] = USES.index("unverified")
    use[frame["has_error"].to_numpy(dtype=bool)] = USES.index("failed")
    for complaint in complaints:
        if complaint.voids:
            use[complaint.rows] = USES.index("duplicate" if complaint.kind == "duplicate" else "invalid")
    return pd.Series(pd.Categorical.from_codes(use, dtype=pd.CategoricalDtype(list(USES))), index=frame.index)


def _by_peer(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Whether a tool that is not the engine measured the sample, row by row."""
    if "backend" not in frame:
        return np.zeros(len(frame), dtype=np.bool_)
    return np.asarray(frame["backend"].isin(("perftest", "ucx_perftest")).to_numpy(dtype=np.bool_))


def _texts_differ(one: pd.Series, other: pd.Series) -> npt.NDArray[np.bool_]:
    """Whether two columns of texts differ, row by row; a missing text differs from nothing."""
    differ = one.astype(object).to_numpy() != other.astype(object).to_numpy()
    return np.asarray(differ & one.notna().to_numpy() & other.notna().to_numpy(), dtype=np.bool_)
