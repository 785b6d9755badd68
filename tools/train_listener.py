"""Trains the listener from sentences, and writes its weights into the package.

    .venv/bin/python tools/train_listener.py [--others FILE] [--without N/M]

Reads `tools/listening/prompts.jsonl`: one object a line with a sentence and what it is, made up by
several writers for this. `--others` names a file of JSON strings that say nothing which lasts, such
as the prompts of one's own past sessions; the shipped weights were trained with 834 of eight open
projects, which are not part of this repository. `--without 0/5` leaves out each fifth sentence and
prints how well the rest hears it; nothing is written then.

Multinomial logistic regression by full gradients with Adam (Kingma and Ba, 2015), so that each run
gives the same weights.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from cortex_core.language.listener import BUCKETS, LABELS, LASTS, WEIGHTS, judged, pieces  # noqa: E402

SENTENCES = ROOT / "tools" / "listening" / "prompts.jsonl"
FEWEST = 2
"""Sentences that have a piece before it counts: what one has alone is learned by heart."""
DECAY = 3e-5
STEPS = 150
RATE = 0.15
OTHERS = 0.1
"""Weight of a sentence of `--others`: they outnumber those that are English here."""

Rows = list[tuple[str, str, float]]
"""Label, text and weight."""


def read(path: Path, others: Path | None) -> Rows:
    """The sentences to learn from."""
    lines = path.read_text("utf-8").splitlines()
    rows = [(row["label"], row["text"], 1.0) for row in map(json.loads, lines)]
    said = others.read_text("utf-8").splitlines() if others else []
    return rows + [("task", json.loads(line), OTHERS) for line in said]


def train(rows: Rows) -> tuple[Any, Any]:
    """The weights of each bucket for each label, and the bias of each label."""
    found = [pieces(text) for _, text, _ in rows]
    count = Counter(bucket for each in found for bucket in each)
    known = np.array([count[bucket] >= FEWEST for bucket in range(BUCKETS)])
    row = np.repeat(np.arange(len(rows)), [len(each) for each in found])
    bucket = np.concatenate([np.array(each) for each in found])
    value = np.repeat([len(each) ** -0.5 for each in found], [len(each) for each in found])
    row, bucket, value = (each[known[bucket]] for each in (row, bucket, value))
    order = np.argsort(bucket, kind="stable")
    wanted = np.eye(len(LABELS))[[LABELS.index(label) for label, _, _ in rows]]
    share = np.array([weight for _, _, weight in rows])
    share /= share.sum()
    weights, bias = np.zeros((BUCKETS, len(LABELS))), np.zeros(len(LABELS))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(STEPS):
        logits = summed(row, weights[bucket] * value[:, None], len(rows)) + bias
        likely = np.exp(logits - logits.max(axis=1, keepdims=True))
        error = (likely / likely.sum(axis=1, keepdims=True) - wanted) * share[:, None]
        pulls = (error[row] * value[:, None])[order]
        gradient = summed(bucket[order], pulls, BUCKETS) + DECAY * weights
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        moved = first / (1 - 0.9 ** (step + 1))
        spread = np.sqrt(second / (1 - 0.99 ** (step + 1))) + 1e-8
        weights -= RATE * (1 - step / STEPS) * moved / spread
        bias -= 0.5 * error.sum(axis=0)
    return weights, bias


def summed(at: Any, values: Any, size: int) -> Any:
    """The sum of the rows of `values` for each number of `at`, which are in order."""
    total = np.zeros((size, values.shape[1]))
    starts = np.flatnonzero(np.diff(at, prepend=-1))
    total[at[starts]] = np.add.reduceat(values, starts, axis=0)
    return total


def main() -> None:
    """Train, and write the weights or say how well the rest is heard."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--others", type=Path)
    parser.add_argument("--without", metavar="N/M")
    chosen = parser.parse_args()
    rows = read(SENTENCES, chosen.others)
    if chosen.without:
        part, parts = map(int, chosen.without.split("/"))
        apart = [row for number, row in enumerate(rows) if number % parts == part]
        learned = train([row for number, row in enumerate(rows) if number % parts != part])
        for label in LABELS:
            scores = [
                judged(text, *learned).score
                for each, text, weight in apart
                if each == label and weight == 1
            ]
            heard = sum(each >= LASTS for each in scores)
            print(f"{label:10} {heard} of {len(scores)} heard")
        return
    weights, bias = train(rows)
    scale = np.abs(weights).max(axis=0) / 127
    stored = np.round(weights / scale).astype(np.int8)
    np.savez_compressed(
        ROOT / "cortex_core" / "language" / WEIGHTS,
        weights=stored,
        scale=scale.astype(np.float32),
        bias=bias.astype(np.float32),
    )
    print(f"{len(rows):,} sentences, {np.count_nonzero(stored.any(axis=1)):,} buckets")


if __name__ == "__main__":
    main()
