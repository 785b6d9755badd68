"""Whether the stores of a test are what their journals say."""

from __future__ import annotations

from benchmarks import journal_replay
from cortex_core import Cortex


def unexplained(cortex: Cortex) -> list[str]:
    """What differs in any of the stores."""
    return [one for store in cortex.workspace.stores for one in journal_replay.differences(store)]
