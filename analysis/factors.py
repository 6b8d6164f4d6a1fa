"""In which factors two arms differ, told as a reader of the experiment would.

The path implies what only one path has (chunk and depth, or the threshold that makes the chunked arm), and a kill
switch changes two things at once: path and staging.
"""

from __future__ import annotations

from typing import Any

from store.json_file import JsonObject

_NOT_FACTORS = frozenset({"name", "proof"})
_OF_CHUNKED = ("chunk", "depth")
_OF_GET = ("copy", "destination", "piece")


def differing_factors(one: JsonObject, other: JsonObject) -> list[str]:
    """The names of the factors that differ, sorted; `staging (kill switch)` where that is how it came about."""
    differ = {key for key in one.keys() | other.keys() if _differs(key, one, other)} - _NOT_FACTORS
    if "path" in differ:
        # The threshold is how a chunked arm is made, and chunk and depth mean nothing to the rdma arm.
        differ -= {"min_bytes", *_OF_CHUNKED}
    if one.get("path") == other.get("path") == "rdma":
        differ -= set(_OF_CHUNKED)
    if one.get("read") != "get" or other.get("read") != "get":
        differ -= set(_OF_GET)
    elif "copy" in differ:
        differ.discard("piece")
    if "op" in differ:
        differ.discard("recv_depth")  # only a send has receives
    if "kill_switch" in differ:
        differ.discard("kill_switch")
        differ |= {"path", "staging (kill switch)"}
        differ.discard("staging")
    if "spin_us" in differ and one.get("progress") != "thread" and other.get("progress") != "thread":
        differ.discard("spin_us")
    return sorted(differ)


def _differs(key: str, one: JsonObject, other: JsonObject) -> bool:
    missing: Any = object()
    return bool(one.get(key, missing) != other.get(key, missing))
