"""What the rules keep of real sessions, and how much of it is worth keeping, by a reader's labels.

    CORTEX_DATA=DIR python -m benchmarks.extraction [--draw 100] [--show] [--record]

Imports the development transcripts into a new store, draws from what was kept at once, and joins it
with `extraction_labels.json` by the hash of the content: the labels hold no text of other people.
What no label covers is reported, and printed with `--show`; it counts neither way. The rules
were tuned on these transcripts: unseen projects do worse.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.report import Figure
from cortex_core import Cortex
from cortex_core.base.text import content_hash
from cortex_core.types import Memory, Status

LABELS = Path(__file__).with_name("extraction_labels.json")
WORTH = ("good", "borderline")
"""Labels of what is worth keeping; strictly, the first alone."""


def imported(data: Path) -> tuple[list[Memory], list[Memory]]:
    """What an import of every transcript keeps at once, and what it suggests."""
    with tempfile.TemporaryDirectory(prefix="cortex-extraction-") as scratch:
        root = Path(scratch, "project")
        (root / ".memory").mkdir(parents=True)
        with Cortex.open(root, Path(scratch, "home")) as cortex:
            cortex.exchange.import_transcripts([data])
            statuses: tuple[Status, Status] = ("active", "suggested")
            kept, suggested = (cortex.list(statuses=(status,)) for status in statuses)
    return kept, suggested


def drawn(found: Sequence[Memory], count: int, seed: int) -> list[Memory]:
    """`count` of `found` at random; all of them where there are no more."""
    ordered = sorted(found, key=lambda memory: content_hash(memory.content))
    return random.Random(seed).sample(ordered, min(count, len(ordered)))


def judged(found: Sequence[Memory], labels: Mapping[str, str]) -> Counter[str]:
    """How many of `found` have which label; `unlabelled` for none."""
    return Counter(labels.get(content_hash(memory.content), "unlabelled") for memory in found)


def by_rule(found: Sequence[Memory], labels: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """For each rule: how many it found, and how many have which label."""
    groups: dict[str, list[Memory]] = defaultdict(list)
    for memory in found:
        groups[memory.source.rule.removeprefix("rule:")].append(memory)
    for rule, ones in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        counts = judged(ones, labels)
        columns = (counts[name] for name in ("good", "borderline", "junk", "unlabelled"))
        yield (rule, str(len(ones)), *map(str, columns))


def recalled(
    sessions: Mapping[str, Sequence[Mapping[str, Any]]], found: Sequence[Memory]
) -> dict[str, tuple[int, int]]:
    """For each session read in full: how much of what the reader would keep is there, of how much.

    Found is what a memory carries that the reader named for it.
    """
    kept = {content_hash(memory.content) for memory in found}
    return {
        session: (sum(bool(kept.intersection(one["memories"])) for one in wanted), len(wanted))
        for session, wanted in sessions.items()
    }


def figures(
    kept: Counter[str], suggested: Counter[str], sessions: Mapping[str, tuple[int, int]]
) -> Iterator[Figure]:
    """How much of what is kept is worth it, and how much is found, with their bounds."""
    for name, counts, must, goal in (
        ("kept at once", kept, 85, 95), ("suggested", suggested, None, None),
    ):  # fmt: skip
        read = sum(counts[label] for label in (*WORTH, "junk"))
        worth = 100 * sum(counts[label] for label in WORTH) / read
        strictly = 100 * counts["good"] / read
        yield Figure(f"{name}: worth keeping", worth, "%", must, goal, more=True)
        yield Figure(f"{name}: worth keeping, strictly", strictly, "%", more=True)
        yield Figure(f"{name}: not labelled", counts["unlabelled"])
    found, wanted = map(sum, zip(*sessions.values(), strict=True))
    share = 100 * found / wanted
    yield Figure("of what a reader would keep, found", share, "%", 60, 80, more=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "extraction")
    parser.add_argument("--draw", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print what no label knows")
    chosen = parser.parse_args(arguments)
    known = json.loads(LABELS.read_text("utf-8"))
    labels: dict[str, str] = known["memories"]
    kept, suggested = imported(report.data_folder(chosen, "transcripts"))
    sample = drawn(kept, chosen.draw, chosen.seed)
    rows = list(by_rule([*sample, *suggested], labels))
    print(report.table(("rule", "found", "good", "borderline", "junk", "unlabelled"), rows))
    if chosen.show:
        _show([*sample, *suggested], labels)
    sessions = recalled(known["sessions"], [*kept, *suggested])
    measured = list(figures(judged(sample, labels), judged(suggested, labels), sessions))
    details = {"rules": rows, "sessions": sessions, "kept": len(kept), "drawn": len(sample)}
    return report.finish("extraction", chosen, measured, details)


def _show(found: Sequence[Memory], labels: Mapping[str, str]) -> None:
    for memory in found:
        if (name := content_hash(memory.content)) not in labels:
            print(f"\n{name} {memory.status} {memory.source.rule} {memory.source.message}")
            print(f"  {memory.title}\n  {memory.content}")


if __name__ == "__main__":
    sys.exit(main())
