"""Cortex: the memory of a coding agent, one method for every verb of the product.

Every interface (command line, terminal app, hooks, MCP) calls these methods and formats what they
return. The verbs live in `verbs/`, grouped by what they are for.
"""

from __future__ import annotations

from cortex_core.verbs.carrying import Carrying
from cortex_core.verbs.checking import Checking
from cortex_core.verbs.exchanging import Exchanging
from cortex_core.verbs.gathering import Gathering
from cortex_core.verbs.history import History
from cortex_core.verbs.importing import Importing
from cortex_core.verbs.indexing import Indexing
from cortex_core.verbs.practising import Practising
from cortex_core.verbs.reading import Reading
from cortex_core.verbs.reflecting import Reflecting
from cortex_core.verbs.scrubbing import Scrubbing
from cortex_core.verbs.tracing import Tracing
from cortex_core.verbs.working import Working
from cortex_core.verbs.writing import Writing


class Cortex(
    Carrying, Gathering, Practising, Reflecting, Writing, Reading, History, Importing, Indexing,
    Exchanging, Working, Checking, Scrubbing, Tracing,
):  # fmt: skip
    """A project's memory and the user's global one, together.

    >>> with Cortex.open() as cortex:
    ...     cortex.remember("Use pnpm, never npm", kind="preference", priority=8)
    ...     for hit in cortex.recall("package manager", limit=10):
    ...         print(hit.memory.title, hit.score, hit.parts)
    """
