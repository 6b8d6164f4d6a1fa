"""Replaces what names people's machines: host and user names, addresses, GUIDs, serial numbers, paths.

The same name becomes the same pseudonym throughout (`host1`, `address2`), numbered by first appearance, so that a
redacted run is the same bytes each time and still says which side was which. Where a text could be read both ways
(a version of four numbers, say) it is replaced. Used by `store.anonymous`, which redacts whole runs.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable

KEPT_FOLDERS = ("bin", "dev", "etc", "lib", "lib64", "proc", "sbin", "sys", "usr")
"""Paths below these are alike on every machine, and say where a fact was read."""

_COMMON = """localhost local localdomain host node owner consumer loopback both here self tcp shm rdma chunked get put
read write send verbs ucx pinned plain ok done failed interrupted measured declared inferred absent denied"""
COMMON_WORDS = frozenset(_COMMON.split())
"""Host names that name nobody's machine, and words of our own records: never replaced."""

_PATTERN = r"""
  (?P<run>   \b\d{8}T\d{6}Z-[\w.+-]+-[0-9a-f]{8}\b)
| (?P<path>  (?<![\w/.*])(?:~|\.\.?)?/(?:[^\s"'`,:;=()\[\]{}<>|])+)
| (?P<uuid>  \b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b)
| (?P<mac>   (?<![\w:])[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5}(?:(?:[:-][0-9a-fA-F]{2}){14})?(?![\w:]))
| (?P<guid>  (?<![\w:])(?:[0-9a-fA-F]{4}(?::[0-9a-fA-F]{4}){3}|0x[0-9a-fA-F]{16})(?![\w:]))
| (?P<ipv6>  (?<![\w:.])[0-9a-fA-F:]*:[0-9a-fA-F]*:[0-9a-fA-F:.]*[0-9a-fA-F:](?![\w:]))
| (?P<ipv4>  (?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d))
"""
_USER = re.compile(r"(?:/home/|/Users/|\b)(?P<name>[A-Za-z_][\w.-]*)(?=@)|/(?:home|Users)/(?P<home>[A-Za-z_][\w.-]*)")
_KIND = {"uuid": "uuid", "mac": "mac", "guid": "guid", "ipv6": "address", "ipv4": "address", "path": "path"}


class Redactor:
    """Redacts the texts of one run, one after the other. `hosts`, `guids`, `serials`: names known from its records."""

    def __init__(self, hosts: Iterable[str] = (), guids: Iterable[str] = (), serials: Iterable[str] = ()) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._known: dict[str, str] = {}
        for host in hosts:
            self._learn_host(host)
        for kind, names in (("guid", guids), ("serial", serials)):
            for name in names:
                self._known.setdefault(name.casefold(), self._pseudonym(kind, _plain(name)))
        self._compile()

    def learn_users(self, text: str) -> None:
        """Note the user names in home folders and `user@host` of a text, so that they are replaced everywhere."""
        names = {match["name"] or match["home"] for match in _USER.finditer(text)}
        new = sorted(name for name in names if name.casefold() not in self._known and name not in COMMON_WORDS)
        for name in new:
            self._known[name.casefold()] = self._pseudonym("user", name)
        if new:
            self._compile()

    def redact(self, text: str) -> str:
        """The text with pseudonyms."""
        return self._all.sub(self._replacement, text)

    @property
    def counts(self) -> dict[str, int]:
        """How many different names of each kind were replaced, or would be."""
        kinds = [kind for kind, _ in self._given]
        return {kind: kinds.count(kind) for kind in sorted(set(kinds))}

    def _learn_host(self, name: str) -> None:
        """A full name and its first part are the same host."""
        if _is_address(name) or name.casefold() in COMMON_WORDS or not name:
            return
        short = name.split(".", 1)[0]
        made = self._pseudonym("host", short.casefold())
        self._known.setdefault(name.casefold(), made)
        if short.casefold() not in COMMON_WORDS:
            self._known.setdefault(short.casefold(), made)

    def _compile(self) -> None:
        longest_first = sorted(self._known, key=lambda word: (-len(word), word))
        words = "|".join(map(re.escape, longest_first)) or r"(?!)"
        known = rf"(?<![A-Za-z0-9])(?i:{words})(?![A-Za-z0-9])"
        self._words = re.compile(known)
        self._all = re.compile(rf"{_PATTERN} | (?P<known>{known})", re.VERBOSE)

    def _replacement(self, match: re.Match[str]) -> str:
        kind, text = str(match.lastgroup), match.group()
        if kind == "run":
            return text
        if kind == "known":
            return self._known[text.casefold()]
        if kind == "path" and text.lstrip("~.").split("/")[1] in (*KEPT_FOLDERS, "") and text.startswith("/"):
            return self._words.sub(lambda word: self._known[word.group().casefold()], text)
        if kind in ("ipv4", "ipv6") and not _is_someones(text):
            return text
        return self._pseudonym(_KIND[kind], text if kind == "path" else _plain(text))

    def _pseudonym(self, kind: str, name: str) -> str:
        if (kind, name) not in self._given:
            self._given[kind, name] = f"{kind}{sum(1 for given, _ in self._given if given == kind) + 1}"
        return self._given[kind, name]


def _plain(text: str) -> str:
    """A GUID or MAC without its punctuation: `0x0c42...` and `0c42:...` are the same one."""
    return re.sub(r"[:\-]", "", text.casefold().removeprefix("0x"))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_someones(text: str) -> bool:
    """Whether a text is an address that belongs to a machine: not loopback, not `any`, and an address at all."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)
