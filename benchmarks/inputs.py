"""What input can do: broken files and payloads of every type, crowds, large stores, random keys.

    python -m benchmarks.inputs [CAMPAIGN…] [--quick] [--seed N] [--record]

Prints a row for each fault: how it was made, how often, what was lost, doubled or otherwise broken,
which hooks failed or spoke out of turn, and what was said. `python -m benchmarks.faults` runs these
campaigns together with its own.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from benchmarks import (
    broken_files,
    broken_hooks,
    broken_requests,
    broken_sync,
    broken_transcripts,
    campaign,
    crowds,
    growth,
    random_keys,
)
from benchmarks.campaign import Campaign


def campaigns() -> Mapping[str, Campaign]:
    """Every campaign of this module by its name, in the order in which they run."""
    return {
        "transcripts": broken_transcripts.campaign,
        "hook-input": broken_hooks.campaign,
        "files": broken_files.campaign,
        "sync": broken_sync.campaign,
        "growth": growth.campaign,
        "mcp": broken_requests.mcp,
        "http": broken_requests.http,
        "crowd-hooks": crowds.hooks,
        "crowd-writers": crowds.writers,
        "crowd-scrubs": crowds.rewriting,
        "big": crowds.big,
        "keys": random_keys.campaign,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaigns that are named, or all; 1 if one of them failed."""
    return campaign.run("inputs", __doc__, campaigns(), arguments)


if __name__ == "__main__":
    sys.exit(main())
