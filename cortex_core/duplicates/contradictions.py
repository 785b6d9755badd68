"""Contradictions: differences because of which two similar texts are two statements.

The gates (`gates.py`) raise every difference, which is what merging without review needs. A user
who is asked wants to know less: what one text merely says in addition is no reason against merging,
what both say differently is. Where the texts share all words that carry a subject, there is nothing
else in which they could differ, so nearly every raised gate counts. `benchmarks/proposals.py`
measures what the bounds below speak against.
"""

from collections.abc import Iterable, Mapping, Set

from cortex_core.duplicates import gates, lexicon
from cortex_core.duplicates.features import Features, Token

Replaced = tuple[tuple[Token, ...], tuple[Token, ...]]
"""Words of the first text, and those that the second has at their position."""

EXCLUSIVE = (
    ("before", "after"),
    ("until", "after"),
    ("least", "limit"),
    ("more", "less"),
    ("first", "last"),
    ("always", "some"),
    ("must", "may"),
)
"""Groups of `lexicon.SCOPES` that exclude each other."""
SAME_FRAME = 0.6
"""Share of the shorter text's words in their place from which two texts are one sentence with some
words replaced, so that what was replaced is what they are about."""
SAME_LONG_FRAME = 0.75
"""The same for texts that are not brief, of the longer text's words: a paragraph in other words
shares many of them in their place; only in an all but literal copy is what was replaced the point.
"""
BRIEF = 8
"""Content words up to which a text is brief."""
EMPHASES = frozenset("always must should again same about".split())
"""Groups of `lexicon.SCOPES` that underline a statement which holds without them too."""
AUXILIARIES = frozenset("is are was were be been being".split())
"""What makes an English verb passive; in other languages words that swapped places count."""


def contradictions(
    a: Features, b: Features, raised: Mapping[str, str], strangers: Set[str]
) -> dict[str, str]:
    """What speaks against merging two texts: by gate, a sentence.

    Args:
        raised: every gate that they raise, as `gates.raised` finds them.
        strangers: the words of either text, in lower case, that have no partner in the other.
    """
    if _subjects(a) == _subjects(b):
        return {gate: sentence for gate, sentence in raised.items() if _is_decisive(gate, a, b)}
    replaced = _replaced(a, b)
    only_a, only_b = a.scopes.keys() - b.scopes.keys(), b.scopes.keys() - a.scopes.keys()
    # What one text merely says in addition is no contradiction, so most gates count only where
    # each side has something of its own.
    counts = {
        "numbers": _both(set(a.numbers), set(b.numbers)),
        "units": _both(set(a.units), set(b.units)),
        "operators": _both(set(a.operators), set(b.operators)),
        "names": True,
        "calendar": _both(a.calendar, b.calendar),
        "negation": _is_denied(a, b) or _is_denied(b, a),
        "antonyms": True,
        "scopes": any(
            (one in only_a and other in only_b) or (one in only_b and other in only_a)
            for one, other in EXCLUSIVE
        ),
        "persons": _both(a.persons, b.persons),
        "questions": a.asks != b.asks,
        "directions": any(
            not sides & b.directions.get(goal, sides) for goal, sides in a.directions.items()
        ),
    }
    has_names = _have_names_of_their_own(a, b)
    sentences = {**raised, "names": raised["names"] if has_names else _commands(a, b)}
    found = {gate: sentences.get(gate, "") for gate, is_decisive in counts.items() if is_decisive}
    found["replaced"] = _replacement(a, b, replaced, strangers)
    return {gate: sentence for gate, sentence in found.items() if sentence}


def _both(a: Set[str], b: Set[str]) -> bool:
    """Whether each side has something that the other lacks."""
    return bool(a - b and b - a)


def _replaced(a: Features, b: Features) -> list[Replaced]:
    """What was replaced, where the two texts are otherwise the same sentence.

    The words are matched from either side: which of several matches is found depends on it.
    """
    shorter, longer = sorted((len(a.tokens), len(b.tokens)))
    if longer > gates.LONG or not shorter:
        return []
    is_brief = min(len(a.content), len(b.content)) <= BRIEF
    least = SAME_FRAME * shorter if is_brief else SAME_LONG_FRAME * longer
    (equal, forth), (equal_back, back) = gates.replacements(a, b), gates.replacements(b, a)
    turned = [(left, right) for right, left in back]
    return (forth if equal >= least else []) + (turned if equal_back >= least else [])


def _have_names_of_their_own(a: Features, b: Features) -> bool:
    """Whether each side has identifiers, or names, instead of the other's."""
    shared = len(a.names.keys() & b.names.keys())
    for is_code in (True, False):
        only_a, only_b = _own_names(a, b, is_code=is_code), _own_names(b, a, is_code=is_code)
        if only_a and only_b and shared <= min(len(only_a), len(only_b)):
            return True
    return False


def _commands(a: Features, b: Features) -> str:
    """Commands of which each side has its own."""
    only_a, only_b = sorted(a.commands - b.commands), sorted(b.commands - a.commands)
    if not only_a or not only_b or len(a.commands & b.commands) > min(len(only_a), len(only_b)):
        return ""
    return f"Commands differ: {only_a[0]} against {only_b[0]}."


def _own_names(a: Features, b: Features, *, is_code: bool) -> set[str]:
    """The keys of the identifiers (or names) of `a` that `b` does not name."""
    return {
        token.key
        for token in a.content
        if token.key in a.names and token.key not in b.keys and (token.kind == "code") == is_code
    }


def _is_denied(a: Features, b: Features) -> bool:
    """Whether `a` denies what `b`, which denies nothing, states.

    Two negations in one text may cancel out: “never delete without asking”.
    """
    is_odd = a.negations.total() % 2 == 1
    return is_odd and not b.negations and any(key in b.keys for key in a.negations)


def _replacement(
    a: Features, b: Features, replaced: Iterable[Replaced], strangers: Set[str]
) -> str:
    """A word in whose place the other text has one that does not say the same.

    Where one side has more words than the other, something is said in other words, not exchanged.
    """
    for pair in replaced:
        left, right = (
            [t for t in tokens if t in side.content and t.kind != "number" and t.lower in strangers]
            for side, tokens in zip((a, b), pair, strict=True)
        )
        if left and right and len(pair[0]) == len(pair[1]):
            return f"One side has “{left[0].text}”, the other “{right[0].text}”."
    return ""


def _subjects(side: Features) -> set[str]:
    """The keys of the content words that do more than say when, how much or how sure."""
    return {
        token.key
        for token in side.content
        if token.kind != "number" and token.lower not in lexicon.SCOPES
    }


def _is_decisive(gate: str, a: Features, b: Features) -> bool:
    """Whether a gate that texts on the same subject raise makes them two statements."""
    if gate == "persons":
        return _both(a.persons, b.persons)
    if gate in ("numbers", "units"):
        return bool(a.numbers and b.numbers)
    if gate == "scopes":
        only_a = (a.scopes.keys() - b.scopes.keys()) & lexicon.STRICT_SCOPES
        only_b = (b.scopes.keys() - a.scopes.keys()) & lexicon.STRICT_SCOPES
        return bool(only_a and only_b) or bool((only_a | only_b) - EMPHASES)
    if gate not in ("order", "unmatched", "replaced"):
        return True
    # One side may be passive, so that its words stand in another order.
    passive = [sum(token.lower in AUXILIARIES for token in side.tokens) for side in (a, b)]
    is_turned = ("by" in a.leads) != ("by" in b.leads) or passive[0] != passive[1]
    return a.keys == b.keys and not is_turned
