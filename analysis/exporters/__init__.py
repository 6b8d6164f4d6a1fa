"""A run in the formats of other tools: `export_run` writes one; FORMATS lists them."""

from analysis.exporters.registry import FORMATS, export_run

__all__ = ["FORMATS", "export_run"]
