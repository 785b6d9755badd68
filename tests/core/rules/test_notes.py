"""What the agent noted through memory and journal tools."""

from __future__ import annotations

import pytest

from cortex_core.transcripts.events import Candidate
from tests.core.rules.session import Session


def notes(tool: str, **arguments: object) -> list[Candidate]:
    return Session().human("go on").uses(tool, arguments, "ok").found("note")


@pytest.mark.parametrize(
    "tool", ["mcp__memory__save_memory", "mcp__mem0__add_memory", "mcp__serena__write_memory"]
)
def test_a_memory_saved_is_suggested_whole(tool: str) -> None:
    (one,) = notes(tool, memory_name="db", content="The reporting database is read only by day.")
    assert (one.content, one.tier, one.kind) == (
        "The reporting database is read only by day.", "suggested", "insight"
    )  # fmt: skip


def test_our_own_tools_have_stored_it_already() -> None:
    assert notes("mcp__plugin_cortex_cortex__remember", content="The database is read only.") == []


def test_lists_and_objects_are_read() -> None:
    entities = [{"name": "db", "observations": ["The reporting database is read only by day."]}]
    assert len(notes("mcp__memory__create_entities", entities=entities)) == 1


JOURNAL = """Upload design - key decisions:

**Session renewal**:
- the worker renews it, NOT the router, because uploads outlive the page
- never more than once a minute

This could mean:

1. The router must always run first in every tab that is open
2. The worker never sees the cookie at all in private windows

I feel good about this one. Next steps: look at the proxy.
"""


def test_a_journal_entry_yields_its_lessons_only() -> None:
    (one,) = notes("mcp__journal__process_thoughts", technical_insights=JOURNAL)
    assert one.content == (
        "Session renewal: the worker renews it, NOT the router, because uploads outlive the page; "
        "never more than once a minute."
    )
    assert notes("mcp__journal__process_thoughts", feelings=JOURNAL) == []


def test_other_tools_are_no_notes() -> None:
    assert notes("mcp__browser__navigate", url="https://example.com/always/never/must") == []
