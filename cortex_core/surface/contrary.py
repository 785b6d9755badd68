"""What a line says, compared with others: whether they are contrary, with another value of one
subject, another tool, or a denial.

Only what shares every other word is compared: a line that is left out by mistake costs more than
two that a reader has to weigh.
"""

from __future__ import annotations

from cortex_core.base import text
from cortex_core.language import negation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set

_EMPHASIS = frozenset({"always", "only"})
"""Words without which a line says the same."""

_CHOOSING = frozenset("use uses using prefer with".split())
"""Words after which a line names what was chosen."""

FEWEST_WORDS = 2
"""Words of a subject from which two lines can be about the same."""


class LineClaim:
    """What a line says of its subject."""

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

    def contradicts(self, other: LineClaim) -> bool:
        """Whether both cannot hold."""
        if len(self.subject) < FEWEST_WORDS or self.subject != other.subject:
            return False
        if self.denies is not other.denies:
            return self.value == other.value
        is_other = not (self.value <= other.value or other.value <= self.value)
        return is_other and not self.denies
