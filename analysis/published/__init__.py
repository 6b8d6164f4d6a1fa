"""Results of others: their tables regenerated, their derived columns and claims computed again from what is printed.

`review` is the way in for reports and audit. What was printed is all there is: no raw samples, so no interval and no
test of significance can come out of it, and a claim that needs one is "not decidable".
"""

from __future__ import annotations

from analysis.published.review import Review, reviewed

__all__ = ["Review", "reviewed"]
