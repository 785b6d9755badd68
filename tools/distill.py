"""What each wordpiece adds to the vector of a sentence, learned from the shipped model.

The table approximates the vector of a sentence without the model, as the sum of its content
wordpieces' vectors. These are found by least squares over sentences of the standard library's
documentation and the generic prompts, starting from each wordpiece's hidden state alone. The same
Python gives the same table.
"""

from __future__ import annotations

import ast
import random
import re
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cortex_core.embeddings.local import ShippedModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cortex_core.embeddings.protocol import Vector

SENTENCES = 20_000
STEPS = 12
"""Steps of the conjugate gradient."""
HOLD = 1.0
"""How strongly a wordpiece's vector is kept close to its starting point."""

_LITERAL = re.compile(r"``?([^`]*)``?")
_ROLE = re.compile(r":\w+:")
_END = re.compile(r"(?<=[.!?])\s+|; ")


def requests() -> list[str]:
    """The generic prompts, which show when a prompt needs no memory."""
    return Path(__file__).with_name("generic_prompts.txt").read_text("utf-8").splitlines()


def sentences() -> list[str]:
    """The sentences to learn from."""
    unique: set[str] = set()
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if "site-packages" in path.parts:
            continue
        try:
            unique.update(_of_source(path.read_text("utf-8")))
        except (SyntaxError, ValueError):
            continue
    listed = sorted(unique)
    random.Random(0).shuffle(listed)
    return [*requests(), *listed][:SENTENCES]


def learn(model: ShippedModel, texts: Sequence[str]) -> dict[int, Vector]:
    """For each wordpiece of `texts`, by id, what it adds; units are those of a unit vector."""
    encoded = [model.query(text) for text in texts]
    pairs = [(one.vector, one.pieces) for one in encoded if one.pieces]
    ids = sorted({piece for _, pieces in pairs for piece in pieces})
    bags = _Bags([pieces for _, pieces in pairs], ids)
    wanted = np.stack([vector for vector, _ in pairs])
    start = np.stack([model.piece(piece) for piece in ids])
    start -= start.mean(axis=0)
    start /= np.linalg.norm(start, axis=1, keepdims=True)
    made = bags.sums(start)
    start *= float((made * wanted).sum() / (made * made).sum())
    return dict(zip(ids, start + _correction(bags, wanted - bags.sums(start)), strict=True))


def _correction(bags: _Bags, missing: Vector) -> Vector:
    """The least change of the wordpieces that makes up for what is `missing` of the sentences."""
    rest = bags.shares(missing)
    change, way = np.zeros_like(rest), rest.copy()
    size = (rest * rest).sum(axis=0)
    for _ in range(STEPS):
        bent = bags.shares(bags.sums(way)) + HOLD * way
        step = size / np.maximum((way * bent).sum(axis=0), 1e-12)
        change += step * way
        rest -= step * bent
        new = (rest * rest).sum(axis=0)
        way = rest + (new / np.maximum(size, 1e-12)) * way
        size = new
    return change


class _Bags:
    """Which wordpieces each sentence has; a sentence of n counts each by 1/sqrt(n)."""

    def __init__(self, bags: Sequence[Sequence[int]], ids: Sequence[int]) -> None:
        place = {piece: number for number, piece in enumerate(ids)}
        lengths = np.array([len(bag) for bag in bags])
        self._columns = np.array([place[piece] for bag in bags for piece in bag])
        self._rows = np.repeat(np.arange(len(bags)), lengths)
        self._weights = np.repeat(1 / np.sqrt(lengths), lengths).astype(np.float32)[:, None]
        self._row_starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self._order = np.argsort(self._columns, kind="stable")
        self._column_starts = np.searchsorted(self._columns[self._order], np.arange(len(ids)))

    def sums(self, pieces: Vector) -> Vector:
        """For each sentence the weighted sum of its wordpieces' rows."""
        return _added(self._weights * pieces[self._columns], self._row_starts)

    def shares(self, sentences: Vector) -> Vector:
        """For each wordpiece the weighted sum of the rows of the sentences that have it."""
        rows = sentences[self._rows[self._order]]
        return _added(self._weights[self._order] * rows, self._column_starts)


def _added(rows: Vector, starts: NDArray[np.int64]) -> Vector:
    added: Vector = np.add.reduceat(rows, starts, axis=0)
    return added


def _of_source(source: str) -> Iterator[str]:
    """The sentences of a module's docstrings and comments."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, kinds) and (told := ast.get_docstring(node)):
            yield from _of_prose(told)
    comment: list[str] = []
    for line in source.splitlines():
        if line.lstrip().startswith("# "):
            comment.append(line.strip("# \t"))
        elif comment:
            yield from _of_prose(" ".join(comment))
            comment = []


def _of_prose(text: str) -> Iterator[str]:
    plain = _ROLE.sub("", _LITERAL.sub(r"\1", text))
    for paragraph in re.split(r"\n\s*\n", plain):
        for sentence in () if ">>>" in paragraph else _END.split(" ".join(paragraph.split())):
            letters = sum(char.isalpha() or char == " " for char in sentence)
            if 3 <= len(sentence.split()) <= 24 and letters > 0.75 * len(sentence):
                yield sentence.strip()
