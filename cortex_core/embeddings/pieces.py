"""The table of the model's wordpieces, for matching by meaning without loading the model.

Each wordpiece has constant sign bits and, if it is common, what it adds to a sentence's vector. The
table also serves as a list of common English words. It holds the generic prompts as well, which no
memory answers. tools/build_pieces.py builds it. Standard library only: the prompt hook loads this.
"""

from __future__ import annotations

import os
import sqlite3

from cortex_core.base import hook_io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

TABLE = os.path.join(os.path.dirname(__file__), "pieces.db")

WIDTH = 48
"""Bytes of one wordpiece's bits."""

LONGEST = 100
"""Letters beyond which the model knows no word either."""

# Removed to find a word in the table: the prompt hook has no time to load a stemmer.
_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "r", "ers", "rs", "est", "st", "ly", "y", "able")

_BEHIND_E = frozenset({"d", "r", "rs", "st"})
"""Those that only follow an e: “numbrs” is not “numb” with an ending."""


class Pieces(hook_io.Closing):
    """The table, open for reading. If the file is missing or damaged, it contains nothing."""

    def __init__(self, path: str = TABLE) -> None:
        self._connection: sqlite3.Connection | None = None
        if os.path.exists(path):
            address = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
            self._connection = sqlite3.connect(f"file:{address}?mode=ro&immutable=1", uri=True)

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()

    def parts(self, word: str) -> list[tuple[str, bytes]]:
        """The longest wordpieces that make up `word`, each with its bits; none when they do not."""
        if len(word) > LONGEST:
            return []
        pieces: list[tuple[str, bytes]] = []
        start = 0
        while start < len(word):
            lead = "##" if start else ""
            known = self._known(lead + word[start:end] for end in range(start + 1, len(word) + 1))
            if not known:
                return []
            longest = max(known, key=len)
            pieces.append((longest, known[longest]))
            start += len(longest) - len(lead)
        return pieces

    def added(self, texts: Iterable[str]) -> dict[str, bytes]:
        """What each of these wordpieces adds to a sentence's vector, where that is known.

        One signed byte a dimension; the sum of a sentence's is nearly the direction of its vector.
        """
        asked = "SELECT text, added FROM meaning WHERE text IN (SELECT value FROM json_each(?))"
        return dict(self._rows(asked, hook_io.dumps(list(texts))))

    def generic_prompts(self) -> list[bytes]:
        """The sign bits of the generic prompts' vectors."""
        return [bits for (bits,) in self._rows("SELECT bits FROM ordinary")]

    def is_word(self, word: str) -> bool:
        """Whether `word`, or its base form, is common enough to be one wordpiece."""
        return bool(self.positions([word]))

    def positions(self, words: Iterable[str]) -> dict[str, int]:
        """Where each word, or its most common base form, stands in the model's vocabulary.

        The vocabulary is in the order of how common its words are; those it lacks are left out.
        """
        forms = {word: [word, *_base_forms(word)] for word in words}
        asked = "SELECT text, id FROM piece WHERE text IN (SELECT value FROM json_each(?))"
        every = list(dict.fromkeys(form for each in forms.values() for form in each))
        known = dict(self._rows(asked, hook_io.dumps(every)))
        found = {
            word: [known[form] for form in each if form in known] for word, each in forms.items()
        }
        return {word: min(positions) for word, positions in found.items() if positions}

    def _known(self, texts: Iterable[str]) -> dict[str, bytes]:
        asked = "SELECT text, bits FROM piece WHERE text IN (SELECT value FROM json_each(?))"
        return dict(self._rows(asked, hook_io.dumps(list(texts))))

    def _rows(self, sql: str, *values: str) -> list[Any]:
        if self._connection is None:
            return []
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error:
            return []


def _base_forms(word: str) -> list[str]:
    """The forms that `word` may be an inflection of."""
    ends = [(word.removesuffix(end), end) for end in _ENDINGS if word.endswith(end)]
    stems = [stem for stem, end in ends if end not in _BEHIND_E or stem.endswith("e")]
    stems += [stem + "e" for stem in stems]
    stems += [stem[:-1] for stem in stems if len(stem) > 2 and stem[-1] == stem[-2]]
    stems += [stem[:-1] + "y" for stem, end in ends if stem.endswith("i") and end != "s"]
    return [stem for stem in stems if len(stem) > 2]
