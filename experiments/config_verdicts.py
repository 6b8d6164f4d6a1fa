"""The model of an experiment's `verdicts:`: which answers to compute, over which arms.

Part of config_experiment. The plan carries them resolved; analysis computes them. A kind is one line in Verdict.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from experiments.config_fields import ConfigModel, Name

Of = Annotated[Name, Field(description="the arm that the answer is about")]
Over = Annotated[Name, Field(description="the arm that it is compared with")]
Confidence = Annotated[float, Field(gt=0.5, lt=1.0, description="level of the interval")]


class Advantage(ConfigModel):
    """How many times faster one arm is than another, per size."""

    noun: ClassVar[str] = "advantage"
    of: Of
    over: Over
    confidence: Confidence = 0.95


class Crossover(ConfigModel):
    """From which size one arm beats another."""

    noun: ClassVar[str] = "crossover"
    of: Of
    over: Over
    within: Annotated[float, Field(gt=1.0, description="the factor from which a bracket is called wide")] = 2.0
    confidence: Confidence = 0.95


class FixedPlusMarginal(ConfigModel):
    """A fixed cost and a cost per byte."""

    noun: ClassVar[str] = "fixed_plus_marginal"
    arm: Of
    confidence: Confidence = 0.95


class Knee(ConfigModel):
    """The size from which the rate is saturated."""

    noun: ClassVar[str] = "knee"
    arm: Of
    within: Annotated[float, Field(gt=0.0, lt=1.0, description="share below the best rate that still counts")] = 0.05
    confidence: Confidence = 0.95


class Equivalence(ConfigModel):
    """Whether two arms are the same within a margin."""

    noun: ClassVar[str] = "equivalence"
    of: Of
    over: Over
    margin: Annotated[float, Field(gt=0.0, lt=1.0, description="relative difference that does not matter")] = 0.05
    confidence: Confidence = 0.95


class LineRateFraction(ConfigModel):
    """The share of the bound that an arm reaches."""

    noun: ClassVar[str] = "line_rate_fraction"
    arm: Of
    confidence: Confidence = 0.95


class WireupCost(ConfigModel):
    """What the first transfer pays, and after how many transfers the advantage has paid it back."""

    noun: ClassVar[str] = "wireup_cost"
    of: Of
    over: Annotated[Name | None, Field(description="the arm over which it is paid back; absent: not computed")] = None
    confidence: Confidence = 0.95


class ThresholdAdvice(ConfigModel):
    """What min_bytes should be, or that the threshold is not the lever."""

    noun: ClassVar[str] = "threshold_advice"
    of: Of
    over: Over
    confidence: Confidence = 0.95


class CopyShare(ConfigModel):
    """The share of a get that is its copy."""

    noun: ClassVar[str] = "copy_share"
    arm: Of
    confidence: Confidence = 0.95


class Verdict(ConfigModel):
    """One answer to compute: exactly one of the kinds."""

    noun: ClassVar[str] = "a verdict"
    advantage: Annotated[Advantage | None, Field(description=Advantage.__doc__)] = None
    crossover: Annotated[Crossover | None, Field(description=Crossover.__doc__)] = None
    fixed_plus_marginal: Annotated[FixedPlusMarginal | None, Field(description=FixedPlusMarginal.__doc__)] = None
    knee: Annotated[Knee | None, Field(description=Knee.__doc__)] = None
    equivalence: Annotated[Equivalence | None, Field(description=Equivalence.__doc__)] = None
    line_rate_fraction: Annotated[LineRateFraction | None, Field(description=LineRateFraction.__doc__)] = None
    wireup_cost: Annotated[WireupCost | None, Field(description=WireupCost.__doc__)] = None
    threshold_advice: Annotated[ThresholdAdvice | None, Field(description=ThresholdAdvice.__doc__)] = None
    copy_share: Annotated[CopyShare | None, Field(description=CopyShare.__doc__)] = None

    def asked(self) -> dict[str, ConfigModel]:
        """The kinds that are set; a valid verdict has exactly one."""
        return {name: getattr(self, name) for name in type(self).model_fields if getattr(self, name) is not None}
