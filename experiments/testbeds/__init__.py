"""Nodes where there are none. `ensure` turns a site that names a testbed into one whose nodes can be reached."""

from experiments.testbeds.ensure import ensure

__all__ = ["ensure"]
