"""What becomes of the memory when the machine fails it: the table of faults.

    python -m benchmarks.faults [--quick] [--seed N] [--record] [CAMPAIGN …]

Every campaign is seeded: two runs give the same table.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from benchmarks import campaign, hostile_clones, inputs
from benchmarks.campaign import Campaign
from benchmarks.faults import writes
from benchmarks.faults.scenes import SCENES


def campaigns() -> Mapping[str, Campaign]:
    """The campaigns by name, in the order in which they run."""
    scenes = {name: writes.scene(name) for name in SCENES}
    clone = {"clone": hostile_clones.campaign}
    return {"writes": writes.campaign, **scenes, **clone, **inputs.campaigns()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run campaigns; 1 if something was lost, doubled or broken."""
    return campaign.run("faults", __doc__, campaigns(), arguments)


if __name__ == "__main__":
    sys.exit(main())
