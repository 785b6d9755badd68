"""Contradictions: differences because of which two similar texts are two statements.

The gates (`gates.py`) raise every difference, which is what merging without review needs. A user
who is asked wants to know less: what one text merely says in addition is no reason against merging,
what both say differently is. Where the texts share all words that carry a subject, there is nothing
else in which they could differ, so nearly every raised gate counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from difflib import SequenceMatcher
from typing import NamedTuple

from cortex_core.duplicates import gates, lexicon
from cortex_core.duplicates.features import Features, Token
from cortex_core.duplicates.gates import Conflict
from cortex_core.language import negation

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
SHORT = 12
"""Content words up to which a text makes one statement, so that no word is beside the point."""

EMPHASES = frozenset("always must should again same about".split())
"""Groups of `lexicon.SCOPES` that underline a statement which holds without them too."""
AUXILIARIES = frozenset("is are was were be been being".split())
"""What makes an English verb passive; in other languages words that swapped places count."""

_PARTS = re.compile(r"[^\W_]+")


class Replaced(NamedTuple):
    """Words at whose position the other text has other words."""

    a: tuple[Token, ...]
    b: tuple[Token, ...]


def contradictions(a: Features, b: Features, strangers: Set[str]) -> tuple[Conflict, ...]:
    """What speaks against merging two texts, one conflict a gate.

    Args:
        strangers: the words of either text, in lower case, that have no partner in the other.
    """
    if _subjects(a) == _subjects(b):
        return tuple(one for one in gates.raised(a, b) if _is_decisive(one.gate, a, b))
    replaced = _replaced(a, b)
    found = {
        "numbers": _both(gates.numbers(a, b), set(a.numbers), set(b.numbers)),
        "units": _both(gates.units(a, b), set(a.units), set(b.units)),
        "operators": _both(gates.operators(a, b), set(a.operators), set(b.operators)),
        "names": _names(a, b, replaced) or _commands(a, b),
        "calendar": _both(gates.calendar(a, b), a.calendar, b.calendar),
        "negation": gates.negation(a, b) if _is_denied(a, b) or _is_denied(b, a) else "",
        "antonyms": _antonyms(a, b, replaced),
        "scopes": _scopes(a, b),
        "persons": _persons(a, b) if min(len(a.content), len(b.content)) <= SHORT else "",
        "questions": gates.questions(a, b) if a.asks != b.asks else "",
        "directions": _directions(a, b),
        "replaced": _replacement(a, b, replaced, strangers),
    }
    if found["numbers"]:
        found["units"] = ""  # the amounts say the same once more
    return tuple(Conflict(gate, sentence) for gate, sentence in found.items() if sentence)


def _both(sentence: str, a: Set[str], b: Set[str]) -> str:
    """`sentence` where each side has something that the other lacks."""
    return sentence if a - b and b - a else ""


def _replaced(a: Features, b: Features) -> tuple[Replaced, ...]:
    """What was replaced, where the two texts are otherwise the same sentence.

    The words are matched from either side: which of several matches is found depends on it.
    """
    turned = (Replaced(one.b, one.a) for one in _replaced_in(b, a))
    return (*_replaced_in(a, b), *turned)


def _replaced_in(a: Features, b: Features) -> tuple[Replaced, ...]:
    keys_a, keys_b = [t.key for t in a.tokens], [t.key for t in b.tokens]
    shorter, longer = sorted((len(keys_a), len(keys_b)))
    if longer > gates.LONG or not shorter:
        return ()
    matcher = SequenceMatcher(None, keys_a, keys_b, autojunk=False)
    codes = matcher.get_opcodes()
    equal = sum(a2 - a1 for tag, a1, a2, *_ in codes if tag == "equal")
    is_brief = min(len(a.content), len(b.content)) <= BRIEF
    if equal < (SAME_FRAME * shorter if is_brief else SAME_LONG_FRAME * longer):
        return ()
    return tuple(
        Replaced(a.tokens[a1:a2], b.tokens[b1:b2])
        for tag, a1, a2, b1, b2 in codes
        if tag == "replace"
    )


def _names(a: Features, b: Features, replaced: Iterable[Replaced]) -> str:
    """Identifiers, or names, of which each side has its own, instead of the other's."""
    for is_code in (True, False):
        only_a, only_b = _own_names(a, b, is_code=is_code), _own_names(b, a, is_code=is_code)
        if not only_a or not only_b:
            continue
        shared = len(a.names.keys() & b.names.keys())
        in_place = any(
            only_a & {t.key for t in one.a} and only_b & {t.key for t in one.b} for one in replaced
        )
        if in_place or shared <= min(len(only_a), len(only_b)):
            return gates.names(a, b)
    return ""


def _commands(a: Features, b: Features) -> str:
    """Commands of which each side has its own."""
    only_a, only_b = sorted(a.commands - b.commands), sorted(b.commands - a.commands)
    if not only_a or not only_b or len(a.commands & b.commands) > min(len(only_a), len(only_b)):
        return ""
    return f"Commands differ: {only_a[0]} against {only_b[0]}."


def _own_names(a: Features, b: Features, *, is_code: bool) -> set[str]:
    """The keys of the identifiers (or names) of `a` that are not part of what `b` names."""
    known = [_parts(token) for token in b.content]
    return {
        token.key
        for token in a.content
        if token.key in a.names
        and token.key not in b.keys
        and (token.kind == "code") == is_code
        and not any(_is_part(_parts(token), other) for other in known)
    }


def _parts(token: Token) -> tuple[str, ...]:
    return tuple(_PARTS.findall(token.lower))


def _is_part(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one identifier is the other with a folder, module or line more."""
    short, long = sorted((one, other), key=len)
    return bool(short) and any(
        long[start : start + len(short)] == short for start in range(len(long) - len(short) + 1)
    )


def _is_denied(a: Features, b: Features) -> bool:
    """Whether `a` denies what `b`, which denies nothing, states.

    Two negations in one text may cancel out: “never delete without asking”.
    """
    denied = {key for key in a.negations if key in b.keys}
    return bool(denied) and not b.negations and a.negations.total() % 2 == 1


def _antonyms(a: Features, b: Features, replaced: Iterable[Replaced]) -> str:
    """Opposites, in place of each other or in texts that make one statement."""
    sentence = gates.antonyms(a, b)
    if not sentence:
        return ""
    is_short = min(len(a.content), len(b.content)) <= SHORT
    words = {token.lower for one in replaced for token in (*one.a, *one.b)}
    return sentence if is_short or any(f"“{word}”" in sentence for word in words) else ""


def _scopes(a: Features, b: Features) -> str:
    for pair in EXCLUSIVE:
        for one, other in (pair, pair[::-1]):
            if (
                one in a.scopes.keys() - b.scopes.keys()
                and other in b.scopes.keys() - a.scopes.keys()
            ):
                return gates.scopes(a, b)
    return ""


def _directions(a: Features, b: Features) -> str:
    """Prepositions that lead to the same word from opposite sides, and from no other."""
    is_opposed = any(
        not sides & b.directions.get(goal, sides) for goal, sides in a.directions.items()
    )
    return gates.directions(a, b) if is_opposed else ""


def _replacement(
    a: Features, b: Features, replaced: Iterable[Replaced], strangers: Set[str]
) -> str:
    """A word in whose place the other text has one that does not say the same.

    Where one side has more words than the other, something is said in other words, not exchanged.
    """
    for one in replaced:
        left, right = _strangers(a, one.a, strangers), _strangers(b, one.b, strangers)
        if left and right and len(one.a) == len(one.b) and not _is_more_of(left[0], right[0]):
            return f"One side has “{left[0].text}”, the other “{right[0].text}”."
    return ""


def _is_more_of(one: Token, other: Token) -> bool:
    return _is_part(_parts(one), _parts(other)) or _is_extended(one.text, other.text)


def _strangers(side: Features, tokens: Iterable[Token], strangers: Set[str]) -> list[Token]:
    content = set(side.content)
    return [
        token
        for token in tokens
        if token in content and token.kind != "number" and token.lower in strangers
    ]


def _is_extended(one: str, other: str) -> bool:
    """Whether one of two clauses that are written without spaces is the other and more."""
    short, long = sorted((one, other), key=len)
    if short.isascii():
        return False
    codes = SequenceMatcher(None, short, long, autojunk=False).get_opcodes()
    added = "".join(long[start:end] for tag, _, _, start, end in codes if tag != "equal")
    denies = any(denial in added for denial in negation.DENYING)
    is_kept = all(tag in ("equal", "insert") for tag, *_ in codes)
    return is_kept and not denies


def _persons(a: Features, b: Features) -> str:
    """Two statements by or about different persons: “I” against “you”."""
    return _both(gates.persons(a, b), a.persons, b.persons)


def _is_limited(a: Features, b: Features) -> bool:
    """Whether words of time, extent or certainty make one subject two statements."""
    only_a = (a.scopes.keys() - b.scopes.keys()) & lexicon.STRICT_SCOPES
    only_b = (b.scopes.keys() - a.scopes.keys()) & lexicon.STRICT_SCOPES
    return bool(only_a and only_b) or bool((only_a | only_b) - EMPHASES)


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
        return bool(_persons(a, b))
    if gate in ("numbers", "units"):
        return bool(a.numbers and b.numbers)
    if gate == "scopes":
        return _is_limited(a, b)
    is_about_words = gate in ("order", "unmatched", "replaced")
    return not is_about_words or (a.keys == b.keys and not _is_turned(a, b))


def _is_turned(a: Features, b: Features) -> bool:
    """Whether one side is passive, so that its words stand in another order."""
    return ("by" in a.leads) != ("by" in b.leads) or _auxiliaries(a) != _auxiliaries(b)


def _auxiliaries(side: Features) -> int:
    return sum(token.lower in AUXILIARIES for token in side.tokens)
