"""Whether the stores of a test are what their journals say."""

from __future__ import annotations

from cortex_core import Cortex
from cortex_core.store import verify


def unexplained(cortex: Cortex) -> list[str]:
    """What differs in any of the stores."""
    return [one for store in cortex.workspace.stores for one in verify.differences(store)]
