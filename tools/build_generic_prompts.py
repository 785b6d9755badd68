"""Builds the vectors of the generic prompts, which show when a prompt needs no memory.

python -m tools.build_generic_prompts [OUT]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from cortex_core.embeddings.local import shipped
from cortex_core.surface.prompt_recall.meaning import TABLE

REQUESTS = Path(__file__).with_name("generic_prompts.txt")


def requests() -> list[str]:
    """The generic prompts, one per line."""
    return REQUESTS.read_text("utf-8").splitlines()


def build(out: Path) -> int:
    """Write the vectors to `out`; returns their number."""
    found = requests()
    np.save(out, np.stack([shipped().query(one).vector for one in found]).astype(np.float16))
    return len(found)


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE
    print(f"{build(place)} vectors written to {place}")
