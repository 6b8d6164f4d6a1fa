"""Whether a lane can run on the nodes of a site, why not, and what to do: checks, made before anything starts."""

from experiments.preflight.checks import Check
from experiments.preflight.preflight import NodeView, Preflight, examine

__all__ = ["Check", "NodeView", "Preflight", "examine"]
