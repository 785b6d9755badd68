"""Pairs of prose and code: reading source files, describing them in words, storing the result.

The prose is written in the words that a user would search for; a new pair supersedes the old one.
"""

import hashlib
import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cortex_core.base import git, text
from cortex_core.base.authorship import CODE_STRUCTURE
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import CODE, CODE_DESCRIPTION
from cortex_core.code_index.outline import NAMES, Outline, Symbol, language_of
from cortex_core.language import sentences
from cortex_core.records.memory import Context, Memory, Source
from cortex_core.redaction import secrets
from cortex_core.redaction.values import parts
from cortex_core.store import edges, memory_lookup, rows
from cortex_core.store.journal import Change
from cortex_core.store.store import Store

LARGEST = 400_000
"""Bytes of a file that is read."""

LONGEST_LINE = 5_000
"""Characters of a line; files with longer ones are generated."""

SKIPPED = frozenset(
    {
        "node_modules",
        "__pycache__",
        "venv",
        "dist",
        "build",
        "target",
        "vendor",
        "site-packages",
    }
)
"""Folders without sources of the project itself, for folders outside of git."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A source file as it was read."""

    file: Path
    path: str
    """Its name in the store: the path relative to the project's root if it is below that."""
    text: str
    language: str
    """Empty where its structure cannot be read."""
    sha256: str
    size: int
    mtime: int
    """Nanoseconds."""

    @property
    def lines(self) -> int:
        """Number of lines."""
        return self.text.count("\n") + (not self.text.endswith("\n"))

    def excerpt(self, first: int, last: int) -> str:
        """The lines from `first` to `last`, both counted from 1 and included."""
        return "".join(self.text.splitlines(keepends=True)[first - 1 : last])


def name_of(file: Path, root: str | None) -> str:
    """The name of `file` in the store of the project at `root`."""
    real = Path(os.path.realpath(file))
    # A linked worktree, whose .git is a file, has the same store.
    top = next((folder for folder in real.parents if (folder / ".git").exists()), None)
    worktree = top if top and (top / ".git").is_file() else None
    for folder in (root, worktree):
        if folder and real.is_relative_to(folder):
            return real.relative_to(folder).as_posix()
    return str(real)


def read(file: Path, root: str | None) -> SourceFile:
    """The file as it is now.

    Raises:
        UsageError: it cannot be read, is not text, is empty or generated, or is too large.
    """
    try:
        data = file.read_bytes()
        state = file.stat()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}. It was not indexed.") from error
    if len(data) > LARGEST:
        raise UsageError(
            f"{file} has {len(data) / 1000:,.0f} kB; the maximum is {LARGEST // 1000} kB. It was "
            "not indexed."
        )
    if b"\0" in data:  # as for git
        raise UsageError(f"{file} is not a text file. It was not indexed.")
    words = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    if not words.strip():
        raise UsageError(f"{file} is empty. There is nothing to index.")
    if max(map(len, words.split("\n"))) > LONGEST_LINE:
        raise UsageError(f"{file} is generated (very long lines). It was not indexed.")
    return SourceFile(
        file=file,
        path=name_of(file, root),
        text=words,
        language=language_of(str(file)),
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        mtime=state.st_mtime_ns,
    )


def source_files(folder: Path, ignored: Sequence[str]) -> list[Path]:
    """The source files below `folder` that git does not ignore, in languages that can be read.

    Args:
        ignored: the setting `capture.ignore`.
    """
    top = folder.resolve()
    return [
        path
        for path in sorted(folder / name for name in listed(folder))
        if language_of(str(path))
        and path.is_file()
        and path.stat().st_size
        and path.resolve().is_relative_to(top)
        and not secrets.is_ignored(str(path), ignored)
    ]


def listed(folder: Path) -> Iterable[str]:
    """The files below `folder` that git does not ignore, relative to it, with `/`; where there is
    no git, those outside of hidden folders and of `SKIPPED`."""
    by_git = git.files(str(folder))
    return _by_walking(folder) if by_git is None else by_git


def _by_walking(folder: Path) -> Iterator[str]:
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in SKIPPED and not name.startswith(".")]
        yield from (Path(at, name).relative_to(folder).as_posix() for name in files)


LONGEST = 4_000
"""Characters of a description. More makes it no easier to find, and slower to embed."""

LONGEST_DOC = 600
"""Characters of one definition's documentation."""

LONGEST_SUMMARY = 110
"""Characters of the sentence that becomes part of a title."""

MOST_COMMENTS = 12

_TAGS = (
    ":param",
    ":return",
    "Args:",
    "Returns:",
    "Raises:",
    "Parameters",
    "---",
    ">>>",
)
"""What the lines of a docstring begin with from which on it describes no longer what is done."""


def entry(symbol: Symbol) -> str:
    """One definition: its words, its documentation, its signature and lines."""
    apart = " ".join(parts(symbol.name.rpartition(".")[2]))
    doc = paragraph(symbol.doc)
    lines = (
        f"line {symbol.first}"
        if symbol.first == symbol.last
        else f"lines {symbol.first}-{symbol.last}"
    )
    sentence = f"{apart}: {doc}" if doc else apart
    end = "" if sentence.endswith((".", "!", "?")) else "."
    return f"- {sentence}{end} `{symbol.signature}` ({lines})"


def comments(texts: Iterable[str]) -> list[str]:
    """The longest comments, in the order of the file: short ones seldom say why."""
    listed = [text for text in texts if len(text.split()) >= 4]
    kept = sorted(range(len(listed)), key=lambda index: -len(listed[index]))[:MOST_COMMENTS]
    return [f"Comment: {paragraph(listed[index])}" for index in sorted(kept)]


def paragraph(doc: str) -> str:
    """The prose of a docstring up to its parameters, on one line."""
    kept: list[str] = []
    for line in doc.splitlines():
        mark = line.lstrip()
        if mark.startswith(_TAGS) or (mark[:1] == "@" and mark[1:2].isidentifier()):
            break
        kept.append(line.strip())
    text = " ".join(" ".join(kept).split())
    return text if len(text) <= LONGEST_DOC else text[:LONGEST_DOC].rsplit(" ", 1)[0] + " …"


def title(subject: str, doc: str) -> str:
    """A title: the subject, and the first sentence of its documentation."""
    sentence = next(iter(sentences.split(paragraph(doc))), "")
    if len(sentence) > LONGEST_SUMMARY:
        sentence = sentence[: LONGEST_SUMMARY - 1].rstrip() + "…"
    return f"{subject}: {sentence}" if sentence else subject


def _cut(parts: Iterable[str]) -> str:
    """The parts that fit into `LONGEST`, each whole."""
    kept: list[str] = []
    room = LONGEST
    for part in filter(None, parts):
        room -= len(part) + 1
        if room < 0 and kept:
            kept.append("…")
            break
        kept.append(part[:LONGEST])
    return "\n".join(kept)


LONGEST_WHOLE = 250
"""Lines up to which a file is one pair."""

SHORTEST_PART = 8
"""Lines from which a definition of a longer file is a pair of its own."""

CONFIDENCE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class CodePiece:
    """Consecutive lines of a source file, and their description."""

    prose: str
    title: str
    first: int
    last: int
    rule: str
    """Who wrote the description."""
    symbol: str = ""
    """The definition's name; empty for a whole file."""


def pieces(source: SourceFile, outline: Outline) -> Iterator[CodePiece]:
    """The pieces of a file, described from its own structure."""
    path, language = source.path, NAMES[outline.language]
    outer = [symbol for symbol in outline.symbols if symbol.depth == 0]
    is_long = outline.lines > LONGEST_WHOLE
    parts = [f"{path}, {language}, {outline.lines} lines.", paragraph(outline.doc)]
    parts += map(entry, outer if is_long else outline.symbols)
    yield CodePiece(
        prose=_cut([*parts, *comments(comment.text for comment in outline.comments)]),
        title=title(path, outline.doc),
        first=1,
        last=outline.lines,
        rule=CODE_STRUCTURE,
    )
    # Of a long file each larger definition is a piece too, with the definitions inside of it.
    for symbol in outer if is_long else ():
        lines = range(symbol.first, symbol.last + 1)
        if len(lines) >= SHORTEST_PART:
            parts = [f"{entry(symbol)} In {path}, {language}."]
            parts += [entry(one) for one in outline.symbols if one.depth and one.first in lines]
            parts += comments(one.text for one in outline.comments if one.first in lines)
            yield CodePiece(
                prose=_cut(parts),
                title=title(f"{symbol.name} in {path}", symbol.doc),
                first=symbol.first,
                last=symbol.last,
                rule=CODE_STRUCTURE,
                symbol=symbol.name,
            )


def described(source: SourceFile, prose: str, rule: str) -> list[CodePiece]:
    """The file as one piece, described by a user, the agent or a model."""
    return [
        CodePiece(
            prose=prose, title=title(source.path, prose), first=1, last=source.lines, rule=rule
        )
    ]


def descriptions(store: Store) -> dict[str, list[Memory]]:
    """Every current description, by the path of its file."""
    by_path: dict[str, list[Memory]] = {}
    for memory in memory_lookup.descriptions(store, CODE_DESCRIPTION):
        by_path.setdefault(str(memory.details["path"]), []).append(memory)
    return by_path


def write(
    store: Store,
    change: Change,
    source: SourceFile,
    found: Iterable[CodePiece],
    old: Sequence[Memory],
    clean: Callable[[str], str],
    branch: str,
) -> list[str]:
    """Store the pairs of a file in place of `old`; returns the ids of the new descriptions.

    Args:
        found: its pieces.
        clean: removes secrets and private text from everything that is stored.
    """
    names = []
    for piece in found:
        described, code = _memories(store, change, source, piece, branch)
        # A title is made of the prose, so it may hold a secret too; the code takes the clean one.
        described = replace(
            described,
            content=clean(described.content),
            title=text.one_line(clean(described.title)),
        )
        code = replace(code, content=clean(code.content), title=described.title)
        for memory in (described, code):
            change.insert("memory", rows.to_row(memory))
            change.insert("source", rows.source_row(memory.id, memory.source))
        _link(change, described.id, code.id, "source_of")
        names.append(described.id)
    retire(store, change, old)
    for memory in old:
        _link(change, names[0], memory.id, "supersedes")
    return names


def retire(store: Store, change: Change, old: Sequence[Memory]) -> None:
    """Mark descriptions and their code as superseded."""
    names = [memory.id for memory in old]
    for name in (*names, *edges.code_of(store, names, CODE)):
        change.update("memory", name, {"status": "superseded", "updated": change.time})


def _memories(
    store: Store, change: Change, source: SourceFile, piece: CodePiece, branch: str
) -> tuple[Memory, Memory]:
    now = change.time
    details: dict[str, Any] = {
        "path": source.path,
        "lines": [piece.first, piece.last],
        "language": source.language,
        "sha256": source.sha256,
        "size": source.size,
        "mtime": source.mtime,
    } | ({"symbol": piece.symbol} if piece.symbol else {})
    prose = Memory(
        id=str(uuid.uuid4()),
        content=piece.prose,
        title=piece.title,
        kind=CODE_DESCRIPTION,
        scope=store.scope,
        tags=(source.language,) if source.language else (),
        initial_confidence=CONFIDENCE,
        source=Source(rule=piece.rule, time=now),
        context=Context(branch=branch, files=(source.path,)),
        created=now,
        updated=now,
        reinforced=now,
        details=details,
    )
    # The code is the same memory but for its text and kind, so both have one source.
    return prose, replace(
        prose,
        id=str(uuid.uuid4()),
        content=source.excerpt(piece.first, piece.last),
        kind=CODE,
        tags=(),
    )


def _link(change: Change, source: str, target: str, type: str) -> None:
    change.insert(
        "edge",
        {
            "source": source,
            "target": target,
            "type": type,
            "strength": 1.0,
            "directed": True,
            "context": "",
            "created": change.time,
        },
    )
