"""The steps of a procedure: as lists in its details, and as the end of its content."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cortex_core.language.patterns import Pattern

LISTS = ("steps", "preconditions", "postconditions")
"""The lists of a procedure's details."""

_NUMBERED = Pattern(
    "numbered step", r"\d{1,3}\. (.+)", finds="1. Build it", spares="- Build it", flags=0
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedurePlan:
    """The steps of a procedure in order, and what must hold before and after them."""

    steps: tuple[str, ...]
    preconditions: tuple[str, ...] = ()
    postconditions: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The plan as text, for the end of a content."""
        before = [f"Needs: {'; '.join(self.preconditions)}"] if self.preconditions else []
        after = [f"Leads to: {'; '.join(self.postconditions)}"] if self.postconditions else []
        numbered = [f"{number}. {step}" for number, step in enumerate(self.steps, 1)]
        return "\n".join([*before, *after, *numbered])

    @property
    def lists(self) -> dict[str, list[str]]:
        """The plan as it is stored in details, without empty lists."""
        return {name: list(items) for name in LISTS if (items := getattr(self, name))}


def plan(details: Mapping[str, Any]) -> ProcedurePlan | None:
    """The plan in a memory's details; None where there is no valid one."""
    lists = {name: details.get(name, []) for name in LISTS}
    usable = all(
        isinstance(entries, list) and all(isinstance(each, str) for each in entries)
        for entries in lists.values()
    )
    if not usable or not lists["steps"]:
        return None
    return ProcedurePlan(**{name: tuple(entries) for name, entries in lists.items()})


def content(lead: str, plan: ProcedurePlan) -> str:
    """The content of a procedure: what it is for, then its plan."""
    return f"{lead}\n{plan.words}" if lead else plan.words


def lead(content: str, plan: ProcedurePlan) -> str | None:
    """The content before its plan; None where the content does not end with the plan."""
    if content == plan.words:
        return ""
    end = f"\n{plan.words}"
    return content.removesuffix(end) if content.endswith(end) else None


def reworded(details: Mapping[str, Any], content: str) -> dict[str, Any]:
    """`details` for an edited content: the steps become those at its end."""
    steps = steps_at_end(content) if plan(details) is not None else []
    return {**details, "steps": steps} if steps else dict(details)


def steps_at_end(content: str) -> list[str]:
    """The items of the numbered list that a text ends with."""
    steps: list[str] = []
    for line in reversed(content.rstrip().split("\n")):
        match = _NUMBERED.regex.fullmatch(line.strip())
        if match is None:
            break
        steps.append(match[1])
    return steps[::-1]
