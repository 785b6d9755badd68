"""Every column of text in a store: what it holds, and how it passes the redactor.

One declaration serves three: what is written passes it (`filtered`), what was stored before is
searched by it (`maintenance/scrub.py`), and a test holds that no column of text is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cortex_core.records import fields

if TYPE_CHECKING:
    from cortex_core.redaction.redactor import Form, Redactor

_FORMS: dict[str, Form] = {"text": "text", "texts": "texts", "mapping": "mapping"}

WORDS: dict[str, dict[str, Form]] = {
    "memory": {
        **{name: _FORMS[one.form] for name, one in fields.COLUMNS.items() if one.free_text},
        "context": "text",
    },
    "source": {
        "rule": "text",
        "author": "text",
        "session": "text",
        "message": "text",
        "transcript": "text",
    },
    "edge": {"context": "text"},
    "proposal": {"reasons": "texts", "conflicts": "texts", "text": "text"},
    "cursor": {"transcript": "text", "session": "text", "carry": "texts", "error": "text"},
    "observation": {
        "key": "text",
        "session": "text",
        "text": "text",
        "message": "text",
        "branch": "text",
    },
    "anchor": {
        "name": "text",
        "key": "text",
        "value": "text",
        "path": "text",
        "commit": "text",
        "now": "text",
    },
    "ledger": {
        "event": "text",
        "session": "text",
        "transcript": "text",
        "extractor": "text",
        "refused": "texts",
        "error": "text",
    },
    "receipt": {"session": "text", "event": "text", "evidence": "text"},
    "occasion": {"session": "text", "message": "text", "transcript": "text", "call": "text"},
    "verdict": {"rule": "text"},
    "forgotten": {"session": "text", "title": "text"},
    "trash": {"title": "text", "rows": "rows"},
    "journal": {"label": "text"},
    "journal_row": {"before": "row", "after": "row"},
    "synced": {"row": "row"},
    "meta": {"key": "text", "value": "texts"},
}
"""By table, the columns with words of users, tools or files, and ids and paths from outside."""

_JOURNALLED = ("memory", "source", "edge", "proposal", "verdict", "forgotten", "trash")

IN_ROWS: dict[str, Form] = {
    name: form for table in _JOURNALLED for name, form in WORDS[table].items()
}
"""The form of a column in the rows that journal and trash keep, whichever table they are of."""


def filtered(redactor: Redactor, table: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """`row`, all of it or some columns, as it may be written to `table`."""
    return redactor.row(row, WORDS.get(table, {}), IN_ROWS)
