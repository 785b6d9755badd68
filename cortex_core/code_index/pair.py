"""Prose-code pairs: what is stored of a source file, and how a new pair takes an old one's place.

A file of moderate length is one pair; a longer one is a pair for the whole and one for each of its
larger definitions, so that a question finds the place and not five hundred lines.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cortex_core import text
from cortex_core.code_index import prose
from cortex_core.code_index.files import Source
from cortex_core.code_index.outline import Outline, Symbol
from cortex_core.kinds import CODE, CODE_DESCRIPTION
from cortex_core.memory import Context, Memory, Scope
from cortex_core.memory import Source as Origin
from cortex_core.storage import edges, queries, rows
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store

SHORT = 250
"""Lines up to which a file is one pair."""

LEAST = 8
"""Lines from which a definition of a longer file is a pair of its own."""

STRUCTURE = "code:structure"
"""The rule of a description made from the source's own structure."""

CONFIDENCE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a source file, and what it is for."""

    prose: str
    title: str
    first: int
    last: int
    symbol: str = ""
    """The definition's name; empty for a whole file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """What is to be stored of one file."""

    source: Source
    pieces: tuple[Piece, ...]
    rule: str
    """Who wrote the prose."""


def pieces(source: Source, outline: Outline) -> tuple[Piece, ...]:
    """The stretches of a file, described by its own structure."""
    symbols = outline.symbols
    outer = [symbol for symbol in symbols if symbol.depth == 0]
    long = outline.lines > SHORT
    whole = Piece(
        prose=prose.description(source.path, outline, outer if long else symbols),
        title=prose.title(source.path, outline.doc), first=1, last=outline.lines,
    )  # fmt: skip
    if not long:
        return (whole,)
    return whole, *(
        _piece(source.path, outline, symbol)
        for symbol in outer
        if symbol.last - symbol.first + 1 >= LEAST
    )


def _piece(path: str, outline: Outline, symbol: Symbol) -> Piece:
    inner = [
        each for each in outline.symbols
        if each.depth > symbol.depth and symbol.first <= each.first <= symbol.last
    ]  # fmt: skip
    return Piece(
        prose=prose.of_symbol(path, outline, symbol, inner),
        title=prose.title(f"{symbol.name} in {path}", symbol.doc),
        first=symbol.first, last=symbol.last, symbol=symbol.name,
    )  # fmt: skip


def described(source: Source, told: str) -> tuple[Piece, ...]:
    """The file as one piece, in the words of a person, the agent or a model."""
    return (
        Piece(prose=told, title=prose.title(source.path, told), first=1, last=source.lines),
    )  # fmt: skip


def known(store: Store, path: str) -> list[Memory]:
    """The descriptions in force of the file called `path`."""
    return queries.descriptions_of(store, CODE_DESCRIPTION, path)


def indexed(store: Store) -> dict[str, list[Memory]]:
    """Every description in force, by the file's path."""
    found: dict[str, list[Memory]] = {}
    for memory in queries.descriptions(store, CODE_DESCRIPTION):
        found.setdefault(str(memory.details["path"]), []).append(memory)
    return found


def write(
    store: Store,
    change: Change,
    pairing: Pairing,
    old: Sequence[Memory],
    clean: Callable[[str], str],
    branch: str,
) -> list[str]:
    """Store the pairs of a file in place of `old`; the ids of the new descriptions.

    Args:
        clean: takes secrets and private text out of whatever is stored.
    """
    made = []
    for piece in pairing.pieces:
        described, code = _memories(store, change, pairing, piece, branch)
        described = replace(
            described, content=clean(described.content),
            title=text.one_line(clean(described.title)),
        )  # fmt: skip
        code = replace(code, content=clean(code.content), title=described.title)
        for memory in (described, code):
            change.insert("memory", rows.to_row(memory))
            change.insert("source", rows.source_row(memory.id, memory.source))
        _link(change, described.id, code.id, "source_of")
        made.append(described.id)
    retire(store, change, old)
    for memory in old:
        _link(change, made[0], memory.id, "supersedes")
    return made


def retire(store: Store, change: Change, old: Sequence[Memory]) -> None:
    """Put descriptions and their code out of force."""
    names = [memory.id for memory in old]
    for name in (*names, *edges.code_of(store, names, CODE)):
        change.update("memory", name, {"status": "superseded", "updated": change.time})


def _memories(
    store: Store, change: Change, pairing: Pairing, piece: Piece, branch: str
) -> tuple[Memory, Memory]:
    source, now = pairing.source, change.time
    details: dict[str, Any] = {
        "path": source.path, "lines": [piece.first, piece.last], "language": source.language,
        "sha256": source.sha256, "size": source.size, "mtime": source.mtime,
    } | ({"symbol": piece.symbol} if piece.symbol else {})  # fmt: skip
    scope: Scope = store.scope
    prose = Memory(
        id=str(uuid.uuid4()), content=piece.prose, title=piece.title, kind=CODE_DESCRIPTION,
        scope=scope, tags=(source.language,) if source.language else (),
        initial_confidence=CONFIDENCE, source=Origin(rule=pairing.rule, time=now),
        context=Context(branch=branch, files=(source.path,)), created=now, updated=now,
        reinforced=now, details=details,
    )  # fmt: skip
    code = replace(
        prose, id=str(uuid.uuid4()), content=source.stretch(piece.first, piece.last), kind=CODE,
        tags=(),
    )  # fmt: skip
    return prose, code


def _link(change: Change, source: str, target: str, type: str) -> None:
    change.insert(
        "edge",
        {"source": source, "target": target, "type": type, "strength": 1.0, "directed": True,
         "context": "", "created": change.time},
    )  # fmt: skip
