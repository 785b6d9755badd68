"""Fills a team's replica as its hub would: by `Workspace.team_replica` and the actor `team`."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

from cortex_core import Cortex
from cortex_core.records.memory import Memory, Source
from cortex_core.store import rows

TEAM = {"team": "payments", "approved_by": "grace"}


def approve(cortex: Cortex, content: str, **fields: Any) -> Memory:
    """Let the team have a memory that ada said and grace approved; as the replica keeps it."""
    store, now = cortex.workspace.team_replica(), cortex.workspace.clock()
    made = Memory(
        id=str(uuid.uuid4()),
        content=content,
        title=content,
        kind="fact",
        scope="team",
        initial_confidence=0.9,
        source=Source(rule="person", author="ada", time=now),
        origin=TEAM,
        created=now,
        updated=now,
        reinforced=now,
    )
    memory = replace(made, **fields)
    with store.change("receive", f"receive “{memory.title}”", "team") as change:
        change.insert("memory", rows.to_row(memory))
        change.insert("source", rows.source_row(memory.id, memory.source))
    return store.memory(memory.id)
