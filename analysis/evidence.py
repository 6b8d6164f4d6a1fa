"""What shows that the figures are what they claim: verification, the lane's protocol, the owner's key. For reports."""

from __future__ import annotations

from collections import Counter

import pandas as pd

from analysis.study import Study


def evidence_lines(study: Study) -> list[str]:
    """One marked line per kind of evidence; a kind that the record has not is not invented, the caveats name it."""
    return [line for line in (_verified(study), *_lane(study), _keys(study), _registered(study)) if line]


def _verified(study: Study) -> str:
    total = good = 0
    for each in study.runs:
        verified = each.samples.samples["verified"]
        total += len(verified)
        good += int(verified.eq(True).sum())
    if not total:
        return ""

    def number(name: str, value: int, formula: str) -> str:
        return str(study.ledger.add(f"evidence/{name}", value, str(value), unit="samples", formula=formula, n=total))

    return (
        f"{number('verified', good, 'count of samples whose bytes were verified')} of "
        f"{number('samples', total, 'count of samples of finished blocks')} samples verified byte for byte"
    )


def _lane(study: Study) -> list[str]:
    """The tool's proof of the lane with its witnesses, run by run; where there is none, what the processes say."""
    proofs = [each.engines.lane_proof for each in study.runs if each.engines.lane_proof is not None]
    if not proofs:
        return _tables(study)
    lines = []
    for proof in proofs:
        lines.append(f"lane {proof.get('lane')} {proof.get('verdict')}: {proof.get('reason')}")
        pairs = [pair.get("witnesses") or [] for pair in proof.get("pairs") or []]
        witnesses = [witness for group in [*pairs, proof.get("ports") or []] for witness in group]
        lines += [f"{each.get('name')}: {each.get('text')}" for each in witnesses if each.get("says") != "absent"]
    return list(dict.fromkeys(lines))


def _tables(study: Study) -> list[str]:
    """What the measuring processes' protocol tables say, each text once with how many processes said it."""
    texts = Counter(
        f"{check.get('operation', 'get')}: {check.get('text') or check.get('verdict')} ({check.get('verdict')})"
        for each in study.runs
        for check in each.engines.lane_checks()
    )
    return [
        f"consumer's protocol table: {text}" + (f", in {count} processes" if count > 1 else "")
        for text, count in sorted(texts.items())
    ]


def _keys(study: Study) -> str:
    """The memory domains in the owner's packed keys, as the consumers decoded them."""
    maps = sorted({value for each in study.runs for value in _seen(each.samples.samples, "md_map")})
    domains = sorted(
        {
            str(name)
            for each in study.runs
            for _, role, data in each.engines.all()
            if role == "owner"
            for name in (data.get("ucx") or {}).get("memory_domains") or []
        }
    )
    if not maps:
        return ""
    named = f"; the owner's memory domains: {', '.join(domains)}" if domains else ""
    return f"owner's key: memory-domain map {', '.join(maps)}{named}"


def _seen(frame: pd.DataFrame, column: str) -> list[str]:
    if column not in frame:
        return []
    return [str(value) for value in frame[column].dropna().unique()]


def _registered(study: Study) -> str:
    """Whether a NIC had registered the memory; silent on lanes without one."""
    answers = {value for each in study.runs for value in _seen(each.samples.samples, "nic_registered")}
    if answers == {"True"}:
        return "a NIC had registered the memory of every sample"
    return ""
