"""CORE.md and REFLECTION.md: the two pages of a vault that every export writes anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cortex_core import text
from cortex_core.curation import core
from cortex_core.exchange import vault
from cortex_core.kinds import Kinds
from cortex_core.memory import Memory
from cortex_core.reports.practice import Reflection
from cortex_core.surface.ranking import Candidate

PREVIEW = 80
"""Characters of an insight that are shown."""


def core_page(
    found: Iterable[Candidate], memories: Sequence[Memory], paths: Mapping[str, str], kinds: Kinds
) -> str:
    """The memories that stand highest, each a link to its file."""
    known = {memory.id: memory for memory in memories}

    def told(candidate: Candidate) -> str:
        return _linked(known[candidate.row.id], paths)

    active = [memory for memory in memories if memory.status == "active"]
    newest = max((memory.updated for memory in memories), default=0.0)
    header = (
        f"# Memory Core {vault.DERIVED}",
        f"> Last updated: {vault.day(newest)} | Active memories: {len(active)}/{len(memories)}",
    )
    chosen = core.chosen((one for one in found if one.row.id in known), core.TOKENS, told)
    return core.markdown(header, chosen, kinds, told)


def reflection_page(seen: Reflection, memories: Sequence[Memory], paths: Mapping[str, str]) -> str:
    """Themes, what projects share, what is used most, insights and merges."""
    newest = max((memory.updated for memory in memories), default=0.0)
    parts = [
        (f"# Reflection Summary {vault.DERIVED}", [f"> Last updated: {vault.day(newest)}"]),
        ("## Themes", [
            f"- **{' + '.join(theme.tags)}**: {theme.count} memories "
            f"({', '.join(f'“{_words(title)}”' for title in theme.examples)})"
            for theme in seen.themes
        ]),
        ("## Cross-Project Patterns", _shared(seen)),
        ("## Most Accessed", [
            f"{place}. {_link(one, paths)} - {one.access_count} accesses"
            for place, one in enumerate((one for one in seen.most_used if one.id in paths), 1)
        ]),
        ("## Recent Insights", [
            f"- {_link(one, paths)} - {text.one_line(one.content)[:PREVIEW]}"
            for one in seen.insights if one.id in paths
        ]),
        ("## Consolidation History", [
            f"- Total merges performed: {seen.merges}",
            f"- Memories superseded: {seen.superseded}",
        ]),
    ]  # fmt: skip
    return "\n\n".join("\n".join([head, *lines]) for head, lines in parts if lines) + "\n"


def _shared(seen: Reflection) -> list[str]:
    told = [
        f"- **{tag}**: appears in "
        + ", ".join(f"{project} ({count})" for project, count in counts.items())
        for tag, counts in seen.shared_tags.items()
    ]
    return told + [
        f"- “{_words(one.memory.title)}”: also in {', '.join(one.projects)}"
        for one in seen.recurrences
    ]


def _linked(memory: Memory, paths: Mapping[str, str]) -> str:
    tags = f" ({', '.join(memory.tags)})" if memory.tags else ""
    return f"- {_link(memory, paths)}{tags}"


def _link(memory: Memory, paths: Mapping[str, str]) -> str:
    return f"[{_words(memory.title)}]({paths[memory.id]})"


def _words(title: str) -> str:
    """A title that cannot end the link it stands in."""
    return title.replace("[", "(").replace("]", ")")
