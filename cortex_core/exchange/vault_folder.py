"""Writing a vault to its folder, without losing what somebody else wrote there.

A file is written over only where that loses nothing: this Cortex wrote it, or the store holds the
same memory in a newer state. Nothing is ever written or read through a link.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core import lean
from cortex_core.errors import StoreError, UsageError
from cortex_core.exchange import vault
from cortex_core.exchange.vault_pages import digest

LARGEST = 4_000_000
"""Bytes of a file that are read."""

FILE_MODE = 0o644

Spare = Callable[[str, str], bool | None]
"""Whether the file at a path, which holds a text, may be written over or removed; None: it is
somebody else's, and none of ours."""


class Written(NamedTuple):
    """What became of the files."""

    written: int
    unchanged: int
    removed: tuple[str, ...]
    left: tuple[str, ...]


def write(
    folder: Path, pages: Mapping[str, str], derived: Mapping[str, str], spare: Spare,
    stores: Collection[str], *, force: bool,
) -> Written:  # fmt: skip
    """Bring the folder to hold `pages` and `derived`.

    Args:
        stores: the identities of the stores that are written.

    Raises:
        UsageError: files were edited that an import has not read; with `force` they go.
        StoreError: something cannot be written, or a link leads out of the folder.
    """
    known = _written_here(folder, stores)
    present = dict(_present(folder))
    stale: list[str] = []
    left: list[str] = []
    edited: list[str] = []
    for path, words in present.items():
        if pages.get(path) == words:
            continue
        may = True if known.get(path) == digest(words) else spare(path, words)
        if may is None and path not in pages:
            left.append(path)
        elif not may and not force:
            edited.append(path)
        elif path not in pages:
            stale.append(path)
    if edited:
        raise UsageError(
            f"Edited by hand in {folder}: {len(edited)}, such as {edited[0]}. Nothing was written. "
            "Take them in first (cortex import markdown), or write over them: --force"
        )
    written = sum(
        _put(folder, path, words, present) for path, words in {**pages, **derived}.items()
    )
    for path in stale:
        _remove(folder, path)
    _ignore(folder)
    unchanged = sum(1 for path in pages if present.get(path) == pages[path])
    return Written(written - len(derived), unchanged, tuple(stale), tuple(left))


def _written_here(folder: Path, stores: Collection[str]) -> dict[str, Any]:
    """The hashes of the pages as the last export wrote them, where it wrote these stores alone."""
    index = read_index(folder)
    names, pages = index.get("stores"), index.get("pages")
    if not isinstance(names, list) or not isinstance(pages, dict) or not set(names) <= set(stores):
        return {}
    return pages


def read_index(folder: Path) -> dict[str, Any]:
    """What the last export to the folder noted; empty where there was none."""
    return _read_json(folder / vault.INDEX)


def read_state(folder: Path) -> dict[str, Any]:
    """How memories had been used when they were exported, by id."""
    entries = _read_json(folder / vault.STATE).get("entries")
    return entries if isinstance(entries, dict) else {}


def files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The Markdown files below a folder, by path relative to it; links are not followed."""
    for place, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "node_modules")))
        for name in sorted(names):
            if name.lower().endswith((".md", ".markdown")) and not name.startswith("."):
                path = Path(place, name)
                yield path.relative_to(folder).as_posix(), path


def _present(folder: Path) -> Iterator[tuple[str, str]]:
    """The pages that lie where a vault has its own, with their texts."""
    for path, file in files(folder):
        managed = path.split("/")[0] in (vault.GRAPH, vault.PINNED, vault.EPISODES)
        if (managed or path in (vault.CORE, vault.REFLECTION)) and not file.is_symlink():
            yield path, lean.read(str(file), LARGEST)


def _read_json(path: Path) -> dict[str, Any]:
    if path.is_symlink():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _put(folder: Path, path: str, words: str, present: Mapping[str, str]) -> bool:
    if present.get(path) == words:
        return False
    target = folder / path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _inside(folder, target)
        lean.replace(str(target), words, FILE_MODE)
    except OSError as error:
        raise StoreError(
            f"{target} cannot be written: {error.strerror}. What was written before it is there; "
            "export again when that is mended."
        ) from error
    return True


def _inside(folder: Path, target: Path) -> None:
    if not target.parent.resolve().is_relative_to(folder.resolve()):
        raise StoreError(
            f"{target.parent} leads out of {folder}. Nothing was written there. "
            "Replace the link by a folder."
        )


def _remove(folder: Path, path: str) -> None:
    target = folder / path
    _inside(folder, target)
    target.unlink(missing_ok=True)


def _ignore(folder: Path) -> None:
    """Keep what is derived out of git, and leave the rest of the file as it is."""
    path = folder / ".gitignore"
    held = lean.read(str(path))
    missing = [name for name in vault.IGNORED if name not in held.split("\n")]
    if missing:
        start = held if not held or held.endswith("\n") else f"{held}\n"
        _put(folder, ".gitignore", start + "\n".join(missing) + "\n", {})
