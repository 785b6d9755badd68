"""A regular expression as the row of a table: its name, a text that it finds, and one it leaves.

Standard library only and compiled at the first use: hooks load such tables.
"""

import re


class Pattern:
    """One regular expression with the sentences that it is for.

    `tests/core/language/test_patterns.py` finds every pattern of the package that a module, or a
    tuple, list or dictionary in it, holds, and checks all texts.
    """

    __slots__ = ("_regex", "finds", "flags", "name", "source", "spares")

    def __init__(
        self,
        name: str,
        source: str,
        *,
        finds: str | tuple[str, ...],
        spares: str | tuple[str, ...],
        flags: int = re.IGNORECASE,
    ) -> None:
        """Args:
        name: what the pattern recognises, in a few words.
        source: the regular expression; with `re.VERBOSE` where it is long.
        finds: a text in which it is found; one for each thing that it recognises.
        spares: a similar text in which it is not, or some.
        flags: those of `re`; by default case is ignored.
        """
        self.name = name
        self.source = source
        self.finds = (finds,) if isinstance(finds, str) else finds
        self.spares = (spares,) if isinstance(spares, str) else spares
        self.flags = flags
        self._regex: re.Pattern[str] | None = None

    @property
    def regex(self) -> re.Pattern[str]:
        """The compiled expression."""
        if self._regex is None:
            self._regex = re.compile(self.source, self.flags)
        return self._regex

    def is_in(self, text: str) -> bool:
        """Whether the expression finds something in `text`."""
        return self.regex.search(text) is not None

    def __repr__(self) -> str:
        return f"Pattern({self.name!r})"
