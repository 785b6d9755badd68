"""What is known of a source file without running it, and the languages whose structure is read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from cortex_core.errors import UsageError

LANGUAGES = {
    ".py": "python", ".pyi": "python",
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript",
    ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx",
    ".go": "go", ".rs": "rust", ".java": "java",
}  # fmt: skip
"""The languages whose structure is read, by the file's suffix."""

NAMES = {
    "python": "Python", "javascript": "JavaScript", "typescript": "TypeScript",
    "tsx": "TypeScript", "go": "Go", "rust": "Rust", "java": "Java",
}  # fmt: skip


class Unparsable(UsageError):
    """The structure of a source file cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """One definition of a source file."""

    name: str
    """Qualified within the file: `Store.open`."""
    signature: str
    """As it is declared, on one line, without its body."""
    doc: str
    """Its docstring, or the comment right above it, without markers."""
    first: int
    """Line, from 1."""
    last: int
    """The last line, inclusive."""
    depth: int = 0
    """0 for what stands by itself, 1 for what belongs to a class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment, or several on consecutive lines."""

    text: str
    first: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A source file's structure."""

    language: str
    doc: str
    """What the file says of itself at its top."""
    symbols: tuple[Symbol, ...]
    """In the order of the file."""
    comments: tuple[Comment, ...]
    """Those that are no documentation of a symbol."""
    lines: int


def language_of(path: str) -> str:
    """The language of the file called `path`; empty where its structure cannot be read."""
    return LANGUAGES.get(PurePath(path).suffix.lower(), "")
