"""What the capture screen asks of Cortex: one tuple of things a section."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cortex_core import Cortex
from cortex_core.reports import CheckResult, Fading, RuleRecord, SecretFind
from cortex_core.types import LedgerEntry, Memory
from cortex_tui.session import StoreSession

ROWS = 300
"""Most ledger rows shown."""
DAYS = 30.0
"""How far the forecast looks ahead."""


@dataclass(frozen=True, slots=True)
class WaitingMemory:
    """A suggestion or a memory held back, with the record of the rule that found it."""

    memory: Memory
    rule: RuleRecord | None


Progress = Callable[[int, int, str], None]
"""Called with the finished and total amount, and the current name."""
Thing = LedgerEntry | WaitingMemory | SecretFind | RuleRecord | Fading | CheckResult


def key(thing: Thing) -> str:
    """What a thing of these is known by."""
    match thing:
        case LedgerEntry():
            return f"{thing.time}/{thing.number}"
        case WaitingMemory() | Fading():
            return thing.memory.id
        case SecretFind():
            return thing.place
        case RuleRecord() | CheckResult():
            return thing.name


def examine_project(
    cortex: Cortex, *, fix: bool = False, progress: Progress | None = None
) -> tuple[CheckResult, ...]:
    """What the doctor finds in the project of `cortex`; with `fix` it mends what it safely can."""
    from cortex_core.doctor import examine

    here = cortex.project
    return examine.run(
        here.root, here.home, cwd=here.cwd, clock=cortex.workspace.clock, fix=fix,
        progress=progress,
    )  # fmt: skip


def read(stores: StoreSession, section: str, progress: Progress) -> tuple[Thing, ...]:
    """What `section` of the capture screen lists.

    The section `health` takes some seconds, because hooks are tested; `progress` is called with
    how far it has come. What is wrong comes first there.
    """
    cortex = stores.cortex
    if section == "ledger":
        return tuple(cortex.sessions.ledger(ROWS))
    if section == "rules":
        return tuple(cortex.rules.list())
    if section == "secrets":
        return cortex.secrets.scan().found
    if section == "fading":
        return tuple(cortex.lifecycle.forecast(DAYS))
    if section == "health":
        rank = ("failed", "warning", "ok", "skipped").index
        return tuple(
            sorted(examine_project(cortex, progress=progress), key=lambda one: rank(one.state))
        )
    waiting = cortex.suggestions.list() if section == "suggestions" else cortex.quarantine.list()
    rules = {f"rule:{record.name}": record for record in cortex.rules.list()}
    return tuple(WaitingMemory(memory, _rule(memory, rules)) for memory in waiting)


def _rule(memory: Memory, rules: Mapping[str, RuleRecord]) -> RuleRecord | None:
    return rules.get(memory.source.rule)
