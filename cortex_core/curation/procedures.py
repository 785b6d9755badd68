"""What a procedure is: its steps, how they read in a memory's content, how often it worked.

The content of a procedure is what people and agents are given; its `details` hold the same steps as
a list, and the counts of what came of following them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cortex_core import text
from cortex_core.memory import Memory

LISTS = ("steps", "preconditions", "postconditions")
"""The lists of a procedure's details."""

NEAR = 0.5
"""Share of the best fit that another procedure needs to be named beside it."""

LEAST_COSINE = 0.38
"""Cosine under which a task and a procedure have nothing to do with each other."""

LEAST_WORDS = 0.5
"""Share of a task's words that a procedure must hold to fit by words alone."""

_NUMBERED = re.compile(r"\d{1,3}\. (.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be done, in order, and what must hold before and after."""

    steps: tuple[str, ...]
    preconditions: tuple[str, ...] = ()
    postconditions: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The plan as it stands at the end of a content."""
        before = [f"Needs: {'; '.join(self.preconditions)}"] if self.preconditions else []
        after = [f"Leads to: {'; '.join(self.postconditions)}"] if self.postconditions else []
        numbered = [f"{number}. {step}" for number, step in enumerate(self.steps, 1)]
        return "\n".join([*before, *after, *numbered])

    @property
    def lists(self) -> dict[str, list[str]]:
        """The plan as details hold it; empty lists are left out."""
        return {name: list(found) for name in LISTS if (found := getattr(self, name))}


def plan(details: Mapping[str, Any]) -> Plan | None:
    """The plan in a memory's details; None where there is none of the usual form."""
    lists = {name: details.get(name, []) for name in LISTS}
    usable = all(
        isinstance(found, list) and all(isinstance(each, str) for each in found)
        for found in lists.values()
    )
    if not usable or not lists["steps"]:
        return None
    return Plan(**{name: tuple(found) for name, found in lists.items()})


def content(lead: str, made: Plan) -> str:
    """The content of a procedure: what it is for, then its plan."""
    return f"{lead}\n{made.words}" if lead else made.words


def lead(whole: str, made: Plan) -> str | None:
    """What stands before the plan in a content; None where the content does not end with it."""
    if whole == made.words:
        return ""
    return whole.removesuffix(f"\n{made.words}") if whole.endswith(f"\n{made.words}") else None


def reworded(details: Mapping[str, Any], whole: str) -> dict[str, Any]:
    """`details` after the content was edited: the steps are those that stand at its end."""
    if plan(details) is None:
        return dict(details)
    steps = steps_at_end(whole)
    return {**details, "steps": steps} if steps else dict(details)


def steps_at_end(whole: str) -> list[str]:
    """The items of the numbered list that a text ends with."""
    found: list[str] = []
    for line in reversed(whole.rstrip().split("\n")):
        match = _NUMBERED.fullmatch(line.strip())
        if match is None:
            break
        found.append(match[1])
    return found[::-1]


def outcomes(details: Mapping[str, Any]) -> tuple[int, int]:
    """How often following it succeeded and failed."""
    counts = (details.get(name) for name in ("successes", "failures"))
    first, second = (count if isinstance(count, int) and count > 0 else 0 for count in counts)
    return first, second


def reliability(successes: int, failures: int) -> float:
    """How likely it is to succeed the next time, 0 to 1.

    The mean of a Beta(1 + successes, 1 + failures) distribution, Laplace's rule of succession
    (E. T. Jaynes, Probability Theory, chapter 18): untried is 0.5, and one success does not
    outrank nine of ten.
    """
    return (successes + 1) / (successes + failures + 2)


def fit(task: str, memory: Memory, cosine: float | None) -> float:
    """How well a procedure fits a task, 0 to 1; 0: not at all.

    Args:
        cosine: of the task with the procedure, None where meaning cannot be looked at.
    """
    from cortex_core import similarity

    told = f"{memory.title}\n{memory.content}\n{' '.join(memory.tags)}"
    share = similarity.containment(task, told)
    shared = round(share * len(set(text.content_words(task))))
    by_words = share if share >= LEAST_WORDS and (shared > 1 or share == 1.0) else 0.0
    by_meaning = cosine if cosine is not None and cosine >= LEAST_COSINE else 0.0
    return min(1.0, max(by_words, by_meaning))


def ranked(found: Sequence[tuple[Memory, float]]) -> list[tuple[Memory, float, float]]:
    """The procedures that fit, the most promising first: memory, fit, reliability.

    One that fits far less than the best is left out, however well it has worked.
    """
    best = max((fits for _, fits in found), default=0.0)
    rated = [
        (memory, fits, reliability(*outcomes(memory.details)))
        for memory, fits in found
        if fits > 0 and fits >= NEAR * best
    ]
    return sorted(rated, key=lambda one: (-one[1] * one[2], one[0].id))
