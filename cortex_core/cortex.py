"""Cortex: the memory of a coding agent, one method for every verb of the product.

Every interface (command line, terminal app, hooks, MCP) calls these methods and formats what they
return. The verbs live in `verbs/`, grouped by what they are for.
"""

from __future__ import annotations

from cortex_core.verbs.exchanging import Exchanging
from cortex_core.verbs.history import History
from cortex_core.verbs.importing import Importing
from cortex_core.verbs.reading import Reading
from cortex_core.verbs.working import Working
from cortex_core.verbs.writing import Writing


class Cortex(Reading, Writing, History, Importing, Exchanging, Working):
    """A project's memory and the user's global one, together.

    >>> with Cortex.open() as cortex:
    ...     cortex.remember("Use pnpm, never npm", kind="preference", priority=8)
    ...     for hit in cortex.recall("package manager", limit=10):
    ...         print(hit.memory.title, hit.score, hit.parts)
    """
