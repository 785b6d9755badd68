"""Memories and queries as the words that a hub finds them by, cut as a store's index cuts them.

PostgreSQL's own parser depends on the locale of the server, and cuts nothing where a script puts no
blanks; so members send what this module makes of a text.
"""

from collections.abc import Sequence

from cortex_core.base import scripts
from cortex_core.search.stems import stems

READ = 50_000
"""Characters of a memory whose words are found: they always fit into a tsvector."""

LONGEST = 200
"""Characters of a word that is found; PostgreSQL refuses very long ones."""


def vectors(texts: Sequence[str]) -> list[str]:
    """Each text as a tsvector without positions."""
    return [" ".join(_quoted(words)) for words in cut(texts)]


def cut(texts: Sequence[str]) -> list[list[str]]:
    """The words of each text."""
    read = [text[:READ] for text in texts]
    return stems([f"{text}\n{scripts.index_words(text)}" for text in read])


def queries(terms: Sequence[str]) -> dict[str, str]:
    """Each of `terms`, as `keyword.terms` gives them, as a tsquery for the memories that hold it.

    Terms without a letter or digit, and very long ones, are left out.
    """
    made = stems([scripts.tokens(term) if scripts.is_run(term) else term for term in terms])
    asked = ((term, " & ".join(_quoted(words))) for term, words in zip(terms, made, strict=True))
    # One letter of a script without blanks is the beginning of pairs.
    return {
        term: f"{query}:*" if len(term) == 1 and scripts.is_run(term) else query
        for term, query in asked
        if query
    }


def _quoted(words: Sequence[str]) -> list[str]:
    return [f"'{word}'" for word in words if len(word) <= LONGEST]
