"""Recognises texts of files that this user's Cortex wrote or read, by hashes on the global side.

A file can claim that the user said what is in it. The list of hashes is out of reach of a
repository, so only what was exported here and not changed since is taken at its word.
"""

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from cortex_core.base import hook_io

EXPORTED = "exported.hashes"
"""The file, on the global side, of the lines and pages that were exported."""
IMPORTED = "imported.hashes"
"""That of the pages of vaults that were imported: an export may overwrite them."""

SIZE = 16
"""Bytes of a hash."""


class KnownTexts:
    """The texts that one user exported, or imported."""

    def __init__(self, home: str, name: str = EXPORTED) -> None:
        """`home`: the folder of the global side; `name`: the file of the hashes there."""
        self._path = Path(home, name)
        self._known: set[bytes] | None = None

    def has(self, words: str) -> bool:
        """Whether exactly these words were noted."""
        return _hash(words) in self._hashes()

    def add(self, texts: Iterable[str]) -> None:
        """Note texts; where they cannot be written, they will not be recognised."""
        fresh = {_hash(words) for words in texts} - self._hashes()
        if not fresh:
            return
        with suppress(OSError):
            hook_io.private_folder(str(self._path.parent))
            with self._path.open("ab") as file:
                file.truncate(file.tell() - file.tell() % SIZE)  # what a torn write left
                file.write(b"".join(sorted(fresh)))
        self._known = None

    def _hashes(self) -> set[bytes]:
        if self._known is None:
            try:
                content = self._path.read_bytes()
            except OSError:
                content = b""
            self._known = {content[at : at + SIZE] for at in range(0, len(content), SIZE)}
        return self._known


def _hash(words: str) -> bytes:
    return hashlib.sha256(words.encode("utf-8", "replace")).digest()[:SIZE]
