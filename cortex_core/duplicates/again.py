"""When a sentence of the user says what another one, or a memory, said before.

What the user says again has other words around it: “I told you to …”, “why did you …”, “no, …”.
So the words that name a subject are compared, by their stems; those that are in no dictionary count
twice, verbs of every order half. A thing that one text asks for and the other refuses is no
repetition but a change of mind. A wrong “same” is worse than a missed one
(`benchmarks/again.py` measures both).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from cortex_core.duplicates.features import Token, features
from cortex_core.embeddings.pieces import Pieces
from cortex_core.language import negation, sentences
from cortex_core.language.stemming import stem
from cortex_core.language.verbs import COMMANDS

COVERED, COVERED_BACK = 0.75, 0.45
"""Share of the words of one text that the other has, and share of the other's that the first has,
from which they may say the same."""
LEAST = 2.0
"""Weight of what is shared: one name, or two words; less only where nearly all is shared."""
LEAST_OF_LONGER = 2.5
"""The same where the new sentence has most of the words that are not shared: it may be about
something else, unless it complains."""
ALL = 0.8
"""Share of both texts from which less is enough."""
COVERED_BY_ONE = 0.6
"""Share of the older text that a single word must have, where no other of weight is shared."""

_NAME, _WORD, _GENERAL = 2.0, 1.0, 0.5
_SAYING = frozenset(
    stem(word)
    for word in """
    told tell said say mention mentioned explain explained specify specified remind remember
    forget forgot keep kept stop again already always never please wrong instead before time times
    supposed should must need want wanted actually really just still yet now rule thing stuff way
    говорил сказал просил
    """.split()
)
"""Words by which something is said again; they are no part of it."""
_OF_ORDERS = frozenset(
    stem(word)
    for word in """
    use run make add adding do put write create change work take set go start fix get have be give
    let call code file project repo user new here there good right
    """.split()
)
"""Words of every order: they say little about which it is."""
_COMMANDS = frozenset(map(stem, COMMANDS))
_REFUSING = negation.NEGATIONS | negation.DENIALS
_TURNS = frozenset("but instead rather only".split())
"""Words that end what is refused: “not npm but pnpm”."""
_IN_PLACE_OF = re.compile(r"\b(?:instead of|rather than|in place of)\b", re.IGNORECASE)
_BEFORE = re.compile(
    r"\b(?:i|we)(?:'ve| have)? (?:\w+ )?(?:told|tell|telling|asked|asking|reminded|reminding) you\b"
    r"|\b(?:do not|don'?t) forget(?: to| that)?\b"
    r"|\b(?:that'?s |that is )?not what i (?:asked|said|wanted|meant)(?: for)?\b",
    re.IGNORECASE,
)
_COMPLAINS = re.compile(
    r"\bwhy\b"
    r"|\byou (?:keep|kept|still|again|always|forgot|just|did|\w+ed|ran|put|wrote|made)\b"
    r"|\byou(?:'re| are|'ve| have) (?!to\b|not\b)\w+|\?\W*$",
    re.IGNORECASE,
)
"""How a sentence names what was done, not what is to be done."""
_CLAUSE = re.compile(r"[,;:.!?](?=\s|$)|[()—–]|\s-\s")
LONGEST = 4_000
"""Characters of a memory that are compared."""


class Subject(NamedTuple):
    """What a text is about."""

    weights: dict[str, float]
    """By stem: how much a word says about the subject."""
    wanted: frozenset[str]
    refused: frozenset[str]
    complains: bool
    """Whether it names what was done wrong, so that what it names is neither wanted nor refused."""


def similarity(said: str, before: str) -> float:
    """How surely `said` says what `before` said, 0 to 1; 0 where it does not.

    Args:
        before: a sentence of the user, or a memory, of which the sentence that fits best counts.
    """
    before = before[:LONGEST]
    return max(_similarity(said, one) for one in {before, *sentences.in_lines(before)})


def _similarity(said: str, before: str) -> float:
    one, other = subject(said), subject(before)
    shared = one.weights.keys() & other.weights.keys()
    weight = sum(one.weights[key] for key in shared)
    numbers = [{key for key in each.weights if key[:1].isdigit()} for each in (one, other)]
    differ = all(numbers) and numbers[0] != numbers[1]
    if not weight or differ or _contradict(one, other, shared):
        return 0.0
    new = weight / sum(one.weights.values())
    old = min(1.0, weight / _weight_of_side(other, shared))
    if old < COVERED_BY_ONE and sum(one.weights[key] > _GENERAL for key in shared) < 2:
        return 0.0
    if new >= COVERED and old >= COVERED_BACK:
        is_enough = weight >= LEAST or min(new, old) >= ALL
    else:
        is_whole = old >= COVERED and new >= COVERED_BACK
        is_enough = is_whole and weight >= (LEAST if one.complains else LEAST_OF_LONGER)
    return (new + old) / 2 if is_enough else 0.0


def _weight_of_side(subject: Subject, shared: Iterable[str]) -> float:
    """How much a text says about what it wants, or what it refuses, whichever `shared` is of."""
    weighty = {key for key in shared if subject.weights[key] > _GENERAL}
    wants, refuses = weighty & subject.wanted, weighty & subject.refused
    side = frozenset(subject.weights)
    if not refuses and wants:
        side = subject.wanted
    elif not wants and refuses:
        side = subject.refused
    return sum(subject.weights[key] for key in side)


def _contradict(one: Subject, other: Subject, shared: Iterable[str]) -> bool:
    """Whether something that both name is wanted by one and refused by the other."""
    if one.complains or other.complains:
        return False
    weighty = [key for key in shared if one.weights[key] > _GENERAL]
    return any(
        (key in one.wanted) != (key in other.wanted)
        and (key in one.refused) != (key in other.refused)
        for key in weighty
    )


@lru_cache(maxsize=8192)
def subject(text: str) -> Subject:
    """What `text` is about; cached, since each is compared with many."""
    weights: dict[str, float] = {}
    wanted: set[str] = set()
    refused: set[str] = set()
    plain = _IN_PLACE_OF.sub(" not ", _BEFORE.sub(" ", text))
    named = {token.key for token in features(plain).content}
    for clause in _CLAUSE.split(plain):
        refuses = False
        for token in features(clause).tokens:
            refuses = token.lower in _REFUSING or (refuses and token.lower not in _TURNS)
            if token.key in named and token.key not in _SAYING:
                weights[token.key] = _weight(token)
                (refused if refuses else wanted).add(token.key)
    return Subject(weights, frozenset(wanted), frozenset(refused), bool(_COMPLAINS.search(text)))


def named(text: str) -> frozenset[str]:
    """The words of `text` by which others about the same can be found, as they are written."""
    weights = subject(text).weights
    return frozenset(
        token.lower for token in features(text).content if weights.get(token.key, 0.0) > _GENERAL
    )


def _weight(token: Token) -> float:
    if token.key in _OF_ORDERS:
        return _GENERAL
    is_plain = token.key in _COMMANDS or (token.kind == "word" and _is_word(token.lower))
    return _WORD if is_plain else _NAME


@lru_cache(maxsize=8192)
def _is_word(word: str) -> bool:
    with Pieces() as table:
        return table.is_word(word)
