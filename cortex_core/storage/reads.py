"""What searching asks of a store: to be read by SQL. The store itself can be, and so can the hooks'
light reader."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    class Reads(Protocol):
        """Whatever reads a store by SQL."""

        def rows(self, sql: str, parameters: Sequence[Any] = ...) -> list[tuple[Any, ...]]:
            """The rows of one short read."""
