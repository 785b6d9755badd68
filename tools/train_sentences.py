"""Trains what reads sentences, and writes its weights into the package.

    .venv/bin/python tools/train_sentences.py listener|orders [--others FILE] [--without N/M]

Reads sentences that were made up for this, and what each of them is:
`tools/listening/prompts.jsonl` by several writers, `tools/orders/sentences.tsv` by one. `--others`
names a file of more in the form of the first, such as what one typed in past sessions: the shipped
weights of the listener were trained with 1,717 sentences of eight open projects, which are not part
of this repository. Without them, or with a tenth of their weight, four times as many sentences of
other projects are taken for what lasts where as many rules are heard. The weights of the orders
were trained without. `--without 0/5` leaves out each fifth sentence and prints how well the rest
finds it; nothing is written then.

Multinomial logistic regression by full gradients with Adam (Kingma and Ba, 2015), so that each run
gives the same weights.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from cortex_core.language import listener, sentence_model  # noqa: E402
from cortex_core.language.sentence_model import SentenceModel  # noqa: E402
from cortex_core.redaction import orders, quarantine  # noqa: E402

FEWEST = 2
"""Sentences that have a piece before it counts: what one has alone is learned by heart."""
STEPS = 150
RATE = 0.15
LEVELS = 63
"""Size of the largest weight: with twice as many the files are a fifth larger."""


class Row(NamedTuple):
    """A sentence to learn from."""

    label: str
    text: str


class Subject(NamedTuple):
    """What is learned."""

    labels: tuple[str, ...]
    wanted: frozenset[str]
    """The labels of what is looked for."""
    least: float
    """How likely those must be together for a sentence to be found."""
    rows: Callable[[], list[Row]]
    """Reads the sentences that the repository has."""
    weights: Path
    buckets: int
    """Buckets of the pieces. For the listener, twice as many bring half a point of area under the
    curve, for 260 kB; orders that are not in English are found a tenth more often."""
    decay: float
    """How much the weights are pulled to nothing at each step."""


def prompts() -> list[Row]:
    """What users say."""
    return read(ROOT / "tools" / "listening" / "prompts.jsonl")


def texts_with_orders() -> list[Row]:
    """What orders an agent about and what does not, as the quarantine reads it.

    Each third prompt is an innocent one: all of them outnumber the sentences made up for this.
    """
    lines = (ROOT / "tools" / "orders" / "sentences.tsv").read_text("utf-8").splitlines()
    written = [Row(label, words) for label, words in (line.split("\t") for line in lines)]
    said = [Row(orders.INNOCENT, row.text) for row in prompts()[::3]]
    return [
        Row(row.label, orders.ADDRESS.regex.sub(" url ", quarantine.as_read(row.text)))
        for row in written + said
    ]


def read(path: Path) -> list[Row]:
    """The sentences of a file, one object a line."""
    return [Row(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


SUBJECTS = {
    "listener": Subject(
        listener.LABELS,
        frozenset(listener.LASTING),
        listener.LASTS,
        prompts,
        listener.WEIGHTS,
        1 << 15,
        3e-5,
    ),
    "orders": Subject(
        orders.LABELS,
        frozenset(orders.REASONS),
        quarantine.HELD,
        texts_with_orders,
        Path(orders.WEIGHTS),
        1 << 16,
        4e-6,
    ),
}


def train(subject: Subject, rows: Sequence[Row]) -> SentenceModel:
    """The model that tells the labels of the rows best."""
    labels, buckets = subject.labels, subject.buckets
    found = [sentence_model.pieces(row.text, buckets) for row in rows]
    count = Counter(bucket for each in found for bucket in each)
    known = np.array([count[bucket] >= FEWEST for bucket in range(buckets)])
    row = np.repeat(np.arange(len(rows)), [len(each) for each in found])
    bucket = np.concatenate([np.array(each) for each in found])
    value = np.repeat([len(each) ** -0.5 for each in found], [len(each) for each in found])
    row, bucket, value = (each[known[bucket]] for each in (row, bucket, value))
    order = np.argsort(bucket, kind="stable")
    wanted = np.eye(len(labels))[[labels.index(each.label) for each in rows]]
    weights, bias = np.zeros((buckets, len(labels))), np.zeros(len(labels))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(STEPS):
        logits = summed(row, weights[bucket] * value[:, None], len(rows)) + bias
        likely = np.exp(logits - logits.max(axis=1, keepdims=True))
        error = (likely / likely.sum(axis=1, keepdims=True) - wanted) / len(rows)
        pulls = (error[row] * value[:, None])[order]
        gradient = summed(bucket[order], pulls, buckets) + subject.decay * weights
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        moved = first / (1 - 0.9 ** (step + 1))
        spread = np.sqrt(second / (1 - 0.99 ** (step + 1))) + 1e-8
        weights -= RATE * (1 - step / STEPS) * moved / spread
        bias -= 0.5 * error.sum(axis=0)
    scale = np.abs(weights).max(axis=0) / LEVELS
    stored = np.round(weights / scale).astype(np.int8)
    return SentenceModel(
        labels, tuple(scale.tolist()), tuple(bias.tolist()), memoryview(stored.tobytes()).cast("b")
    )


def summed(at: Any, values: Any, size: int) -> Any:
    """The sum of the rows of `values` for each number of `at`, which are in order."""
    total = np.zeros((size, values.shape[1]))
    starts = np.flatnonzero(np.diff(at, prepend=-1))
    total[at[starts]] = np.add.reduceat(values, starts, axis=0)
    return total


def main() -> None:
    """Train, and write the weights or say how well the rest is found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("subject", choices=SUBJECTS)
    parser.add_argument("--others", type=Path)
    parser.add_argument("--without", metavar="N/M")
    chosen = parser.parse_args()
    subject = SUBJECTS[chosen.subject]
    rows = subject.rows()
    others = read(chosen.others) if chosen.others else []
    if chosen.without:
        part, parts = map(int, chosen.without.split("/"))
        rest = [row for number, row in enumerate(rows) if number % parts != part]
        model = train(subject, rest + others)
        count, found = Counter[str](), Counter[str]()
        for row in rows[part::parts]:
            shares = model.shares(row.text)
            count[row.label] += 1
            found[row.label] += sum(map(shares.__getitem__, subject.wanted)) >= subject.least
        for label in subject.labels:
            print(f"{label:10} {found[label]} of {count[label]} found")
        return
    model = train(subject, rows + others)
    # As `sentence_model.load` reads it.
    known = {name: value for name, value in vars(model).items() if name != "weights"}
    written = json.dumps(known).encode() + b"\n" + bytes(model.weights)
    subject.weights.write_bytes(written)
    print(f"{len(rows) + len(others):,} sentences, {len(written):,} bytes")


if __name__ == "__main__":
    main()
