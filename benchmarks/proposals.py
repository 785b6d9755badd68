"""How many of the merges that are proposed on real memories are right, by a reader's verdicts.

    CORTEX_DATA=DIR python -m benchmarks.proposals [--show] [--record]

What rules hear in the transcripts is said too seldom twice for any two of it to be alike. So the
memories are those of a model's recorded answers on real sessions, with the closing pass that words
them again, and those that a reader has labelled, all in one store. It does what the worker does and
what `cortex consolidate` does, and joins the proposals with `proposal_verdicts.json` by the hash of
the two contents: the verdicts hold no text of other people. A proposal without a verdict counts
neither way; `--show` prints it. Right is a merge whose members say the same, or one a part of the
other, and an update whose newer member states another value.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import report
from benchmarks.report import Figure
from cortex_core import Cortex, worker_run
from cortex_core.base.text import content_hash
from cortex_core.records.reviews import Review

VERDICTS = Path(__file__).with_name("proposal_verdicts.json")
AGAINST = "distinct"
"""The advice against a merge."""


def name_of(review: Review) -> str:
    """The name under which a proposal has its verdict: type, and hash of both contents."""
    contents = sorted(member.content for member in review.members)
    return f"{review.proposal.type} {content_hash(chr(0).join(contents))}"


def written(answers: Path, labels: Path) -> list[str]:
    """The memories of recorded answers and of a reader's labels, each as a line for an import."""
    found = [
        memory
        for path in sorted(answers.glob("*.json"))
        for answer in [json.loads(path.read_text("utf-8"))]
        for memory in (answer["memories"] if isinstance(answer, dict) else answer)
    ]
    found += map(json.loads, Path(labels, "verdicts.jsonl").read_text("utf-8").splitlines())
    fields = ("kind", "title", "content", "tags", "priority", "confidence")
    return [
        json.dumps({name: memory[name] for name in fields if name in memory})
        for memory in found
        if memory.get("content")
    ]


def proposed(lines: Sequence[str]) -> list[Review]:
    """What is proposed for these memories in one store."""
    with tempfile.TemporaryDirectory(prefix="cortex-proposals-") as scratch:
        root = Path(scratch, "project")
        (root / ".memory").mkdir(parents=True)
        with Cortex.open(root, Path(scratch, "home")) as cortex:
            cortex.exchange.import_jsonl(lines)
            worker_run.maintain(cortex)
            cortex.consolidate()
            return cortex.review.list()


def by_name(reviews: Sequence[Review]) -> dict[str, Review]:
    """Each proposal once."""
    return {name_of(review): review for review in reviews}


def figures(reviews: Mapping[str, Review], verdicts: Mapping[str, str]) -> list[Figure]:
    """The share of right ones, and of the right ones those that the advice speaks against."""
    counts = Counter(verdicts.get(name, "open") for name in reviews)
    right = [review for name, review in reviews.items() if verdicts.get(name) == "right"]
    judged = counts["right"] + counts["wrong"]
    against = sum(review.advice == AGAINST for review in right)
    share = 100 * counts["right"] / judged if judged else 0.0
    return [
        Figure(
            f"proposals on real memories that are right ({counts['right']} of {judged})",
            share,
            "%",
            60,
            80,
            more=True,
        ),
        Figure("right proposals that the advice speaks against", against, "", 0, 0),
        Figure("proposals without a verdict", counts["open"]),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write the run; 1 where a bound is missed."""
    parser = report.options(__doc__, "proposals")
    parser.add_argument("--show", action="store_true", help="print what has no verdict")
    chosen = parser.parse_args(arguments)
    folders = [report.data_folder(chosen, name) for name in ("model-answers", "labels")]
    reviews = by_name(proposed(written(*folders)))
    verdicts = json.loads(VERDICTS.read_text("utf-8"))["verdicts"]
    if chosen.show:
        _show({name: each for name, each in reviews.items() if name not in verdicts})
    counts = Counter(f"{review.proposal.type}: {review.advice}" for review in reviews.values())
    return report.finish("proposals", chosen, figures(reviews, verdicts), {"advice": counts})


def _show(reviews: Mapping[str, Review]) -> None:
    for name, review in reviews.items():
        print(f"\n{name} similarity {review.proposal.similarity:.2f} advice {review.advice}")
        for sentence in (*review.proposal.reasons, *review.proposal.conflicts):
            print(f"    {sentence}")
        for member in review.members:
            print(f"  {member.kind} {member.status} {member.source.rule}\n  {member.content}")


if __name__ == "__main__":
    sys.exit(main())
