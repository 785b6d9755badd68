"""The tier of each rule: its finds are kept or suggested, or it is off. Verdicts can change it."""

from collections.abc import Iterable, Mapping
from math import sqrt
from typing import get_args

from cortex_core.base.config import Config
from cortex_core.base.errors import NotFound
from cortex_core.records.captures import RuleRecord, RuleSetting, RuleTier
from cortex_core.store import memory_counts
from cortex_core.store.project_settings import ProjectSettings
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace

TIERS: tuple[RuleTier, ...] = get_args(RuleTier)

KEEP_FROM = 0.8
"""Lower bound of a rule's acceptance from which its finds are kept at once."""

OFF_UNDER = 0.3
"""Upper bound of a rule's acceptance below which it is off."""

Z80 = 1.2815515594600038
"""Standard normal quantile of a two-sided 80 % interval."""


def bounds(kept: int, discarded: int) -> tuple[float, float]:
    """The 80 % Wilson interval of a rule's acceptance; (0, 1) without a verdict."""
    n = kept + discarded
    if n == 0:
        return 0.0, 1.0
    share, square = kept / n, Z80 * Z80
    middle = (share + square / (2 * n)) / (1 + square / n)
    spread = Z80 * sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return max(0.0, middle - spread), min(1.0, middle + spread)


def tier(default: RuleTier, setting: str, kept: int, discarded: int) -> RuleTier:
    """The tier in effect: what the user set, else what the verdicts show, else the default."""
    for chosen in TIERS:
        if setting == chosen:
            return chosen
    lower, upper = bounds(kept, discarded)
    rest = "off" if upper < OFF_UNDER else default
    return "kept" if lower >= KEEP_FROM else rest


def records(stores: Iterable[Store], config: Config) -> list[RuleRecord]:
    """Every rule with its tier and its verdicts, over all `stores`."""
    from cortex_core.extract.sources import SOURCES

    counts = verdicts(stores)
    listed = []
    for rule in SOURCES:
        kept, discarded = counts.get(rule.name, (0, 0))
        lower, upper = bounds(kept, discarded)
        setting = config.get(f"rules.{rule.name}")
        listed.append(
            RuleRecord(
                name=rule.name,
                help=rule.help,
                setting=setting,
                default=rule.tier,
                tier=tier(rule.tier, setting, kept, discarded),
                kept=kept,
                discarded=discarded,
                lower=lower,
                upper=upper,
            )
        )
    return listed


def verdicts(stores: Iterable[Store]) -> Mapping[str, tuple[int, int]]:
    """By rule, how many finds the user kept and discarded."""
    counts: dict[str, tuple[int, int]] = {}
    for store in stores:
        for rule, kept, total in memory_counts.verdicts_by_rule(store):
            name = rule.removeprefix("rule:")
            before = counts.get(name, (0, 0))
            counts[name] = (before[0] + kept, before[1] + total - kept)
    return counts


class ExtractionRules:
    """The extraction rules, their tiers, and the verdicts on their finds."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def list(self) -> list[RuleRecord]:
        """Every extraction rule with its tier and its verdicts."""
        return records(self._workspace.stores, self._workspace.config)

    def set(self, name: str, setting: RuleSetting) -> RuleRecord:
        """Set the tier of a rule; `auto` follows the verdicts.

        Raises:
            NotFound: there is no such rule.
            UsageError: there is no such tier.
        """
        if name not in {record.name for record in self.list()}:
            raise NotFound(
                f"There is no rule “{name}”. Nothing was changed. See: cortex rules list"
            )
        ProjectSettings(self._workspace).set(f"rules.{name}", setting, "global")
        return next(record for record in self.list() if record.name == name)
