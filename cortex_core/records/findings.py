"""What a check of the doctor finds."""

from collections.abc import Iterable
from dataclasses import replace

from cortex_core.records.upkeep import CheckResult


def ok(sentence: str) -> CheckResult:
    """The check passed."""
    return CheckResult(state="ok", sentence=sentence)


def warning(sentence: str, next_step: str, *, fixable: bool = False) -> CheckResult:
    """Something works only partly, or will soon fail."""
    return CheckResult(state="warning", sentence=sentence, next_step=next_step, fixable=fixable)


def failed(sentence: str, next_step: str, *, fixable: bool = False) -> CheckResult:
    """Something does not work."""
    return CheckResult(state="failed", sentence=sentence, next_step=next_step, fixable=fixable)


def skipped(sentence: str) -> CheckResult:
    """There is nothing to check."""
    return CheckResult(state="skipped", sentence=sentence)


_RANK = ("failed", "warning", "ok", "skipped")


def together(findings: Iterable[CheckResult], fine: str) -> CheckResult:
    """Merge findings: the worst state wins, equal ones are joined; `fine` if none failed."""
    listed = [one for one in findings if one.state in ("failed", "warning")]
    if not listed:
        return ok(fine)
    worst = min(listed, key=lambda one: _RANK.index(one.state))
    same = [one for one in listed if one.state == worst.state]
    return replace(
        worst,
        sentence=" ".join(dict.fromkeys(one.sentence for one in same)),
        fixable=any(one.fixable for one in listed),
    )
