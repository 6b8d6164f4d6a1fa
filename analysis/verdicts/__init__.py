"""Computed answers to an experiment's question. `answer_all` gives one Verdict for each that the plan asks for."""

from analysis.verdicts.registry import answer_all
from analysis.verdicts.verdict import Verdict

__all__ = ["Verdict", "answer_all"]
