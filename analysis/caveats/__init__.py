"""Machine-found reasons why a number means less than it seems. `find_caveats` gives those that hold for a study."""

from analysis.caveats.caveat import Caveat, Rule
from analysis.caveats.registry import RULES, find_caveats

__all__ = ["RULES", "Caveat", "Rule", "find_caveats"]
