"""Taking secrets out of what is stored already: texts, lists and mappings kept as JSON, blobs."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from cortex_core import text
from cortex_core.capture.secrets import Redaction
from cortex_core.storage import rows

Redact = Callable[[str], Redaction]

JSON_COLUMNS = frozenset({
    "tags", "files", "globs", "origin", "details", "members", "reasons", "conflicts", "refused",
    "carry", "before", "after",
})  # fmt: skip
"""Columns whose text is a list or a mapping."""

ROWS = frozenset({"before", "after"})
"""Those that hold a row: the names in it are columns."""


class Washer:
    """Takes secrets out of values, and remembers which sorts there were.

    The same value comes out the same wherever it stands, so that a row and what the journal says
    of it still agree afterwards.
    """

    def __init__(self, redact: Redact) -> None:
        self._redact = redact
        self._known: dict[str, Redaction] = {}
        self.found: list[str] = []
        """The sorts of everything taken out so far, one name for each."""

    def text(self, value: str) -> str:
        """A plain text without its secrets."""
        done = self._known.get(value)
        if done is None:
            done = self._known[value] = self._redact(value)
        self.found += done.found
        return done.text

    def column(self, name: str, value: Any) -> Any:
        """The cell of a column without its secrets."""
        if isinstance(value, bytes):
            return self._packed(value)
        if not isinstance(value, str):
            return value
        return self._json(name, value) if name in JSON_COLUMNS else self.text(value)

    def row(self, cells: Mapping[str, Any]) -> dict[str, Any]:
        """A row's cells without secrets; a content's hash goes with the content."""
        made = {name: self._cell(name, value) for name, value in cells.items()}
        if "content_hash" in made and made.get("content") != cells.get("content"):
            made["content_hash"] = text.content_hash(made["content"])
        return made

    def _cell(self, name: str, value: Any) -> Any:
        if isinstance(value, dict) and set(value) == {"hex"}:
            return {"hex": self._packed(bytes.fromhex(value["hex"])).hex()}
        return self.column(name, value)

    def _json(self, name: str, value: str) -> str:
        try:
            held = json.loads(value)
        except ValueError:
            return self.text(value)
        is_row = name in ROWS and isinstance(held, dict)
        made = self.row(held) if is_row else self._value(held)
        return value if made == held else rows.dumps(made)

    def _value(self, value: Any, name: str = "") -> Any:
        """A JSON value without secrets; a text is judged beside the name it stands under."""
        if isinstance(value, dict):
            return {self.text(key): self._value(each, key) for key, each in value.items()}
        if isinstance(value, list):
            return [self._value(each, name) for each in value]
        if not isinstance(value, str):
            return value
        bare = self.text(value)
        if bare != value or not name:
            return bare
        told = self.text(f"{name}: {value}")
        return told.removeprefix(f"{name}: ")

    def _packed(self, value: bytes) -> bytes:
        """A pruned memory's rows, as the trash keeps them; other blobs hold no text."""
        try:
            held = json.loads(zlib.decompress(value))
        except (zlib.error, ValueError):
            return value
        made = {
            table: [self.row(each) for each in listed] for table, listed in held.items()
        }  # fmt: skip
        return value if made == held else zlib.compress(rows.dumps(made).encode())
