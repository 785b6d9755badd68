"""The core of a memory: what stands highest, grouped by kind, within a number of tokens. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cortex_core import text
from cortex_core.kinds import CODE, EPISODE, Kinds
from cortex_core.surface import wording
from cortex_core.surface.ranking import Candidate, best_first

TOKENS = 3_000
"""What it may cost where nobody says otherwise: about a page."""

MOST_OF_A_KIND = 15

PLURALS = {
    "policy": "Policies", "preference": "Preferences", "architecture": "Architecture",
    "progress": "Progress", "context": "Context", "summary": "Summaries", "gotcha": "Gotchas",
    "code_description": "Code",
}  # fmt: skip
"""Headings of kinds whose plural is not made by an s."""


def heading(kind: str) -> str:
    """What stands above the memories of a kind."""
    return PLURALS.get(kind, f"{kind.replace('_', ' ').capitalize()}s")


def line(candidate: Candidate) -> str:
    """One memory as a line of the core."""
    row = candidate.row
    return wording.line(row.id, row.title, row.content)


def chosen(
    found: Iterable[Candidate], tokens: int, told: Callable[[Candidate], str] = line
) -> list[Candidate]:
    """The memories that fit into `tokens`, pinned ones and those of high standing first."""
    ordered = sorted(best_first(list(found)), key=lambda one: not one.row.pinned)
    taken: list[Candidate] = []
    kinds: dict[str, int] = {}
    seen: set[str] = set()
    for one in ordered:
        kind = one.row.kind
        full = kinds.get(kind, 0) >= MOST_OF_A_KIND and not one.row.pinned
        if kind in (CODE, EPISODE) or full or one.row.content_hash in seen:
            continue
        above = "" if kind in kinds else f"\n\n## {heading(kind)}"
        cost = text.tokens(f"{above}\n{told(one)}")
        if cost > tokens:
            continue
        tokens -= cost
        kinds[kind] = kinds.get(kind, 0) + 1
        seen.add(one.row.content_hash)
        taken.append(one)
    return taken


def by_kind(taken: Sequence[Candidate], kinds: Kinds) -> list[tuple[str, list[Candidate]]]:
    """The memories under their kinds, these in the registry's order, unknown ones at the end."""
    order = {kind.name: place for place, kind in enumerate(kinds)}
    names = sorted({one.row.kind for one in taken}, key=lambda name: (order.get(name, 99), name))
    return [(name, [one for one in taken if one.row.kind == name]) for name in names]


def markdown(
    header: Sequence[str],
    taken: Sequence[Candidate],
    kinds: Kinds,
    told: Callable[[Candidate], str] = line,
) -> str:
    """The core as a Markdown page under `header`."""
    lines = list(header)
    for kind, members in by_kind(taken, kinds):
        lines += ["", f"## {heading(kind)}", *(told(one) for one in members)]
    return "\n".join(lines) + "\n"
