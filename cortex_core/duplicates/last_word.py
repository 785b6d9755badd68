"""Whether a text is a later word on what an earlier one says: it changes that, or withdraws it.

Two statements are compared by their subject and their values. What is no clear change leaves both
as they are: a memory that is retired by mistake costs more than two that a reader has to weigh.
Standard library only, since the hooks load this module.
"""

from __future__ import annotations

from cortex_core.base import text
from cortex_core.language import negation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set
    from typing import Literal

_EMPHASIS = frozenset({"always", "only"})
"""Words without which a line says the same."""

_CHOOSING = frozenset("use uses using prefer with".split())
"""Words after which a line names what was chosen."""

FEWEST_WORDS = 2
"""Words of a subject from which two lines can be about the same."""

WITHDRAWN_SHARE = 0.5
"""Share of the words of a withdrawal that the statement has which it withdraws: “we no longer use
Redux” has all but the words that withdraw in common with “we use Redux”."""


class Claim:
    """What a statement says of its subject."""

    __slots__ = ("denies", "subject", "value", "words")

    def __init__(self, words: str) -> None:
        said = [word.replace("’", "'") for word in text.words(words) if word]
        self.denies = not negation.NEGATIONS.isdisjoint(said)
        self.words = frozenset(said) - text.STOP_WORDS - negation.NEGATIONS
        """The words by which others say the same."""
        plain = [word for word in said if word not in negation.NEGATIONS | _EMPHASIS]
        # A number with words after it may name the subject: “cart 3 holds a book”.
        at = [place for place, word in enumerate(plain) if any(map(str.isdigit, word))]
        at = at if at and text.STOP_WORDS.issuperset(plain[at[-1] + 1 :]) else []
        choosing = [place for place, word in enumerate(plain) if word in _CHOOSING][-1:]
        for place in range(choosing[0] + 1, len(plain)) if choosing and not at else ():
            if plain[place] in text.STOP_WORDS:
                break
            at.append(place)
        self.value: Set[str] = frozenset(plain[place] for place in at)
        """The numbers at its end, or what it chooses where it has none."""
        self.subject: Set[str] = frozenset(
            word
            for place, word in enumerate(plain)
            if place not in at and (place in choosing or word not in text.STOP_WORDS)
        )

    def contradicts(self, other: Claim) -> bool:
        """Whether both cannot hold."""
        if len(self.subject) < FEWEST_WORDS or self.subject != other.subject:
            return False
        if self.denies is not other.denies:
            return self.value == other.value
        is_other = not (self.value <= other.value or other.value <= self.value)
        return is_other and not self.denies


class LaterWord:
    """What a later statement does to an earlier one. No named tuple: hooks load this module."""

    __slots__ = ("now", "subject", "verb", "was")

    def __init__(
        self, verb: Literal["change", "withdrawal"], subject: str, was: str = "", now: str = ""
    ) -> None:
        self.verb = verb
        self.subject = subject
        self.was = was
        """Its value before."""
        self.now = now
        """Its value after; empty where nothing is put in its place."""


def later_word(earlier: str, later: str, *, withdraws: bool = False) -> LaterWord | None:
    """What `later` does to what `earlier` says; None where both hold.

    Args:
        withdraws: whether `later` has words by which a speaker takes something back.
    """
    before, after = Claim(earlier), Claim(later)
    if withdraws:
        shared = before.words & after.words
        is_meant = len(shared) > WITHDRAWN_SHARE * len(after.words)
        return LaterWord("withdrawal", _listed(shared)) if is_meant else None
    if not after.contradicts(before):
        return None
    return LaterWord("change", _listed(after.subject), _listed(before.value), _listed(after.value))


def _listed(words: Set[str]) -> str:
    return ", ".join(sorted(words))
