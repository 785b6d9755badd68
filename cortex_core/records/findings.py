"""What a check of the doctor finds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cortex_core.records.upkeep import CheckState


class Finding(NamedTuple):
    """What one check found."""

    state: CheckState
    sentence: str
    next_step: str = ""
    """What the user can do about it; of a check that passed, about what it lists."""
    fixable: bool = False
    """Whether the fix of the check can repair it."""


def ok(sentence: str) -> Finding:
    """The check passed."""
    return Finding("ok", sentence)


def warning(sentence: str, next_step: str, *, fixable: bool = False) -> Finding:
    """Something works only partly, or will soon fail."""
    return Finding("warning", sentence, next_step, fixable)


def failed(sentence: str, next_step: str, *, fixable: bool = False) -> Finding:
    """Something does not work."""
    return Finding("failed", sentence, next_step, fixable)


def skipped(sentence: str) -> Finding:
    """There is nothing to check."""
    return Finding("skipped", sentence)


_RANK = ("failed", "warning", "ok", "skipped")


def together(findings: Iterable[Finding], fine: str) -> Finding:
    """Merge findings: the worst state wins, equal ones are joined; `fine` if none failed."""
    listed = [one for one in findings if one.state in ("failed", "warning")]
    if not listed:
        return ok(fine)
    worst = min(listed, key=lambda one: _RANK.index(one.state))
    same = [one for one in listed if one.state == worst.state]
    return worst._replace(
        sentence=" ".join(dict.fromkeys(one.sentence for one in same)),
        fixable=any(one.fixable for one in listed),
    )
