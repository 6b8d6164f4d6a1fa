"""A rule turns one known message of a foreign tool into cause and advice; `apply` runs a list of them over a text.

Used by `ucx_errors`, `verbs_errors` and `perftest_errors`, whose rules are data in the same shape.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from readers.reading import Finding
from readers.text import line_at, tidy


@dataclass(frozen=True, slots=True)
class Rule:
    """`pattern` may match over a line break (messages wrap); its named groups fill `{name}` in cause and advice.

    `role` is cause, or consequence: a consequence is told only where no cause stands in the text.
    """

    pattern: re.Pattern[str]
    cause: str
    advice: str
    level: str = "error"
    exit_code: int | None = None
    role: str = "cause"
    derive: Callable[[Mapping[str, str]], Mapping[str, str]] | None = None
    """More values for cause and advice, worked out from the matched ones."""


@dataclass(frozen=True, slots=True)
class Explained:
    """Causes and consequences, each in the order of the text and equal ones once; the numbers of their lines."""

    causes: tuple[Finding, ...]
    consequences: tuple[Finding, ...]
    lines: frozenset[int]

    @property
    def told(self) -> tuple[Finding, ...]:
        """What a person should read: the causes, or where there is none, the consequences."""
        return self.causes or self.consequences


def rule(  # noqa: PLR0917
    pattern: str,
    cause: str,
    advice: str,
    level: str = "error",
    exit_code: int | None = None,
    role: str = "cause",
    derive: Callable[[Mapping[str, str]], Mapping[str, str]] | None = None,
) -> Rule:
    """A rule whose pattern is compiled here."""
    return Rule(re.compile(pattern, re.MULTILINE), cause, advice, level, exit_code, role, derive)


def apply(rules: Sequence[Rule], text: str) -> Explained:
    """All rules over a text."""
    plain = tidy(text)
    found: list[tuple[int, str, Finding]] = []
    explained: set[int] = set()
    for one in rules:
        for match in one.pattern.finditer(plain):
            first, last = line_at(plain, match.start()), line_at(plain, max(match.start(), match.end() - 1))
            explained.update(range(first, last + 1))
            values = {name: _clean(value) for name, value in match.groupdict().items()}
            values |= one.derive(values) if one.derive else {}
            finding = Finding(
                one.cause.format_map(values), one.advice.format_map(values), one.level, first, one.exit_code
            )
            found.append((match.start(), one.role, finding))
    found.sort(key=lambda item: item[0])
    by_role = {role: _once(f for _, own, f in found if own == role) for role in ("cause", "consequence")}
    return Explained(by_role["cause"], by_role["consequence"], frozenset(explained))


def any_of(rules: Iterable[Rule]) -> re.Pattern[str]:
    """One pattern that finds any of the rules' messages; the sign by which a text is known."""
    bare = (re.sub(r"\(\?P<[a-z_]+>", "(?:", one.pattern.pattern) for one in rules)
    return re.compile("|".join(f"(?:{pattern})" for pattern in bare), re.MULTILINE)


def _clean(value: str | None) -> str:
    return re.sub(r"\s+", " ", (value or "?").replace("'", "")).strip()


def _once(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    seen: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        seen.setdefault((finding.cause, finding.advice), finding)
    return tuple(seen.values())
