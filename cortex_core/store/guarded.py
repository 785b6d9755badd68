"""The memories that keep tool calls from running, as they are and as the journal left them."""

import sqlite3

from cortex_core.store.reader import Reader
from cortex_core.store.surface_reader import STATED

_LEFT = """(SELECT json_extract(r.after, '$.{0}') FROM journal_row r
    WHERE r.memory = g.id AND r."table" = 'memory' AND json_extract(r.after, '$.{0}') IS NOT NULL
    ORDER BY r.entry DESC, r.place DESC LIMIT 1) AS left_{0}"""

# Guards are set by entries of this verb alone, which are few: no other row of the journal is read.
_STATES = f"""
WITH g AS (
    SELECT id FROM memory WHERE guard <> 'remind'
    UNION SELECT r.memory FROM journal j JOIN journal_row r ON r.entry = j.number
    WHERE j.verb = 'trigger' AND json_extract(r.after, '$.guard') IN ('ask', 'deny')
)
SELECT g.id, m.title, m.guard, m.status, {STATED}, {_LEFT.format("guard")},
    {_LEFT.format("triggers")}, {_LEFT.format("status")},
    (SELECT r.after IS NULL FROM journal_row r WHERE r.memory = g.id AND r."table" = 'memory'
    ORDER BY r.entry DESC, r.place DESC LIMIT 1) AS is_pruned
FROM g LEFT JOIN memory m ON m.id = g.id
"""


def states(store: Reader) -> list[sqlite3.Row]:
    """Each memory that guards, or did: its id, title, guard, triggers and status, what the journal
    left of the last three as `left_guard` and so on, `is_pruned`, and what `named` reads."""
    return store.rows(_STATES)
