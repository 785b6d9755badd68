"""Recall quality on public sets, through the product's own import and recall.

    CORTEX_DATA=DIR python -m benchmarks.recall [--sets locomo,beam] [--mode hybrid] [--record]

Prints R@1, R@5 and R@10 (share of the gold evidence among the first k, mean over the questions),
any@10 and the mean reciprocal rank; writes the same as JSON. Encodings are kept in `--cache`, so
that only the first run takes minutes.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks import data as sets, report
from benchmarks.report import Figure
from cortex_core.api import Cortex
from cortex_core.embeddings import stored
from cortex_core.embeddings.local import NAME, shipped
from cortex_core.embeddings.protocol import Embedder, Encoded, QueryEncoding
from cortex_core.records.hits import Hit
from cortex_core.search import fusion

SETS: dict[str, Callable[[Path], list[sets.Chat]]] = {
    "locomo": sets.locomo,
    "locomo-one": sets.locomo_one,
    "beam": sets.beam,
    "cosqa": sets.cosqa,
}

BOUNDS = {
    "locomo": (84.0, 87.0),
    "locomo-one": (82.0, 85.0),
    "beam": (70.0, 75.0),
    "cosqa": (78.5, 83.0),
}
"""What R@10 must and should reach, in percent."""

ABLATIONS: dict[str, dict[str, float]] = {
    "full": {},
    "no token bits": {"tokens": 0.0},
    "no cosine": {"cosine": 0.0, "lone_cosine": 0.0},
    "no words": {"keyword": 0.0, "lone_keyword": 0.0},
    "no session": {"session": 0.0},
    "no author": {"author": 0.0},
    "no neighbours": {"fade": 0.0, "keyword_fade": 0.0},
    "no manner": {"asks": 0.0, "instructs": 0.0},
}
"""What is left out of the formula, by the weights that are set to 0."""

FULL = dict(fusion.WEIGHTS)


class CachedModel:
    """The shipped model, with every encoding kept in a file for the next run."""

    name = NAME
    dimension = 384

    def __init__(self, folder: Path) -> None:
        self._path = folder / "encodings.pickle"
        self._model: Embedder = shipped()
        self._known: dict[tuple[str, ...], Any] = {}
        self._new = 0
        if self._path.exists():
            self._known = pickle.loads(self._path.read_bytes())

    def encode(self, text: str, before: str = "") -> Encoded:
        """As the model does."""
        key = ("text", text, before)
        encoded: Encoded = self._cached(key, lambda: self._model.encode(text, before))
        return encoded

    def query(self, text: str) -> QueryEncoding:
        """As the model does."""
        encoding: QueryEncoding = self._cached(("query", text), lambda: self._model.query(text))
        return encoding

    def save(self) -> None:
        """Write the new encodings to the file."""
        if self._new:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_bytes(pickle.dumps(self._known))
            self._new = 0

    def _cached(self, key: tuple[str, ...], make: Callable[[], Any]) -> Any:
        if key not in self._known:
            self._known[key] = make()
            self._new += 1
        return self._known[key]


@contextmanager
def store_of(chat: sets.Chat, model: CachedModel) -> Iterator[Cortex]:
    """Cortex with the rows of one chat imported and embedded."""
    with tempfile.TemporaryDirectory(prefix="cortex-recall-") as folder:
        project = Path(folder, "project")
        project.mkdir()
        with Cortex.open(project, Path(folder, "home")) as cortex:
            cortex.models.embedder = lambda: model  # type: ignore[method-assign]
            cortex.exchange.import_jsonl(json.dumps(row) for row in chat.rows)
            stored.embed(cortex.workspace.stores[0], model)
            yield cortex


def ranks(cortex: Cortex, question: sets.Question, mode: Any, depth: int = 10) -> list[int]:
    """The ranks (from 0) of the gold evidence among the first `depth`."""
    hits = cortex.recall(question.text, limit=depth, mode=mode, count=False).hits
    names = [named(hit, question.gold) for hit in hits]
    return [names.index(gold) for gold in question.gold if gold in names]


def named(hit: Hit, gold: frozenset[str]) -> str:
    """The hit's id, or its session if the gold names sessions."""
    session = hit.memory.source.session
    return session if session in gold else hit.memory.id


def measure(chats: Sequence[sets.Chat], model: CachedModel, mode: str) -> list[dict[str, Any]]:
    """One record a question: group, size of the gold, ranks found, milliseconds."""
    records = []
    for chat in chats:
        with store_of(chat, model) as cortex:
            for question in chat.questions:
                start = time.perf_counter()
                found = ranks(cortex, question, mode)
                spent = 1000 * (time.perf_counter() - start)
                records.append(
                    {
                        "group": question.group,
                        "gold": len(question.gold),
                        "found": found,
                        "ms": spent,
                    }
                )
        model.save()
    return records


def summary(records: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The measures over `records`, in percent but for the times."""

    def recall(k: int) -> float:
        shares = [sum(r < k for r in one["found"]) / one["gold"] for one in records]
        return float(100 * mean(shares))

    times = sorted(one["ms"] for one in records)
    return {
        "R@1": recall(1),
        "R@5": recall(5),
        "R@10": recall(10),
        "any@10": 100 * mean(bool(one["found"]) for one in records),
        "MRR": 100 * mean(1 / (1 + min(one["found"])) if one["found"] else 0 for one in records),
        "questions": len(records),
        "p50 ms": times[len(times) // 2],
        "p95 ms": times[int(len(times) * 0.95)],
    }


def by_group(records: Sequence[dict[str, Any]]) -> dict[str, float]:
    """R@10 of each of the set's own categories."""
    groups = defaultdict(list)
    for one in records:
        groups[one["group"]].append(one)
    return {name: summary(found)["R@10"] for name, found in sorted(groups.items())}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 0 when every set was measured."""
    chosen = _arguments(arguments)
    model = CachedModel(chosen.cache)
    details: dict[str, Any] = {}
    told: list[Figure] = []
    print(f"{'set':28}", *(f"{name:>8}" for name in ("R@1", "R@5", "R@10", "any@10", "MRR", "p95")))
    for label, weights in (ABLATIONS if chosen.ablate else {"full": {}}).items():
        fusion.WEIGHTS.update(FULL | weights)
        for name, chats in _loaded(chosen):
            records = measure(chats, model, chosen.mode)
            found = summary(records)
            shown = [found[key] for key in ("R@1", "R@5", "R@10", "any@10", "MRR", "p95 ms")]
            print(f"{name + ': ' + label:28}", *(f"{value:8.1f}" for value in shown), flush=True)
            details[f"{name}: {label}"] = {**found, "groups": by_group(records)}
            told.append(_figure(name, label, chosen.mode, found["R@10"]))
    return report.finish("recall", chosen, told, {"mode": chosen.mode, "sets": details})


def _figure(name: str, label: str, mode: str, value: float) -> Figure:
    """A set's R@10, held to its bounds where the whole recipe was used."""
    whole = (label, mode) == ("full", "hybrid")
    must, goal = BOUNDS.get(name, (None, None)) if whole else (None, None)
    about = "" if whole else f" ({mode}, {label})"
    return Figure(f"recall R@10, {name}{about}", value, "%", must, goal, more=True)


def _loaded(chosen: argparse.Namespace) -> Iterator[tuple[str, list[sets.Chat]]]:
    for name in chosen.sets.split(","):
        yield name, SETS[name](chosen.data)
    if chosen.longmemeval:
        yield "longmemeval", sets.longmemeval(chosen.longmemeval)


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = report.options(__doc__, "recall")
    parser.add_argument("--sets", default=",".join(SETS), help=f"of {', '.join(SETS)}")
    parser.add_argument("--longmemeval", type=Path, help="a LongMemEval file, by session")
    parser.add_argument("--mode", default="hybrid", choices=("hybrid", "keyword", "semantic"))
    parser.add_argument("--ablate", action="store_true", help="leave out one part after another")
    chosen = parser.parse_args(arguments)
    chosen.data = report.data_folder(chosen)
    return chosen


if __name__ == "__main__":
    sys.exit(main())
