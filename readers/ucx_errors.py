"""What UCX says when something is wrong, with cause and advice: the first WARN or ERROR is the cause, the rest follows.

`engine_pair` shows the first finding when an engine dies with one of these messages; `explain` shows all.
"""

from __future__ import annotations

import re
from dataclasses import replace

from readers.error_rules import any_of, apply
from readers.reading import CANNOT_RUN, Finding, Format, Reading, unread
from readers.text import lines, tidy
from readers.ucx_error_rules import RULES

# Lines that only repeat an error upwards, or belong to a crash report.
_ECHO = re.compile(
    r"ucp_ep_create\(\) failed: |Failed to setup endpoints: |Failed to run test: |Failed to create UCP context"
    r"|==== backtrace |^\s*[0-9]+ +\S*(?:\.so[.0-9]*|\()|^={4,}$|set UCX_WARN_UNUSED_ENV_VARS=n"
)
_SIGNAL = re.compile(r"(?:Caught signal |\(signal: )([0-9]{1,3})")


def read(text: str) -> Reading:
    """Findings in the order of the text; lines that only echo an error are understood but tell nothing new."""
    explained = apply(RULES, text)
    stopped = any(finding.exit_code == CANNOT_RUN for finding in explained.consequences)
    findings = tuple(_fate(finding, stopped) for finding in explained.told)
    echoes = {line.number for line in lines(text) if _ECHO.search(line.text)}
    signals = [int(number) for number in _SIGNAL.findall(tidy(text))]
    facts = {"crashed_by_signal": signals[0]} if signals else {}
    return Reading(FORMAT.kind, findings=findings, facts=facts, skipped=unread(text, explained.lines | echoes))


def _fate(finding: Finding, stopped: bool) -> Finding:
    """What became of a run whose device or transport is not there: nothing else was left, or a fall-back unasked."""
    if "not available" not in finding.cause:
        return finding
    if stopped:
        return replace(finding, cause=f"{finding.cause}. Nothing but `self` was left", exit_code=CANNOT_RUN)
    return replace(finding, cause=f"{finding.cause}. UCX goes on over what is left, and exits 0: wrong lane")


FORMAT = Format("ucx_errors", "messages of UCX about a fault", any_of(RULES), read)
