"""The gates: differences because of which two similar texts do not say the same.

Each gate compares two texts and, when they differ in its respect, says so in one sentence that a
user can judge. One raised gate alone forbids merging; a proposal shows them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Set
from difflib import SequenceMatcher
from typing import NamedTuple

from cortex_core.duplicates import lexicon
from cortex_core.duplicates.features import Features, Token
from cortex_core.duplicates.lexicon import OPPOSITES, PREFIXES


class Conflict(NamedTuple):
    """A gate that two texts raise."""

    gate: str
    """Which: `numbers`, `names`, `negation` …"""
    sentence: str
    """What differs, for a user to read."""


Gate = Callable[[Features, Features], str]
"""Says what differs between two texts, or nothing."""

_NUMBERS_DIFFER = "Numbers differ"
_SHOWN = 4
"""Most words that a sentence lists of one side."""
_CLAUSE = 4
"""Fewest content words of a clause that may move as a whole."""
LONG = 400
"""Tokens from which texts are not compared word by word."""


def numbers(a: Features, b: Features) -> str:
    """Numbers, as sets or as counts."""
    return _difference(_NUMBERS_DIFFER, a.numbers, b.numbers)


def is_about_numbers(sentence: str) -> bool:
    """Whether `sentence` is that of the gate `numbers`; a stored proposal holds sentences alone."""
    return sentence.startswith(_NUMBERS_DIFFER)


def units(a: Features, b: Features) -> str:
    """Units of numbers, and the numbers that belong to each."""
    is_amount = _names(a.units) == _names(b.units)
    return _difference("Amounts differ" if is_amount else "Units differ", a.units, b.units)


def _names(amounts: Iterable[str]) -> list[str]:
    return sorted(amount.rpartition(" ")[2] for amount in amounts)


def operators(a: Features, b: Features) -> str:
    """Signs of comparison and arithmetic."""
    return _difference("Operators differ", a.operators, b.operators)


def names(a: Features, b: Features) -> str:
    """Names and identifiers that the other side does not have, or not as often."""
    count_a, count_b = Counter(t.key for t in a.content), Counter(t.key for t in b.content)
    only_a = [key for key in (a.names | b.names) if count_a[key] > count_b[key]]
    only_b = [key for key in (a.names | b.names) if count_b[key] > count_a[key]]
    if not only_a and not only_b:
        return ""
    written = _against(_written(a, only_a), _written(b, only_b))
    return f"A name or identifier is on one side only: {written}."


def calendar(a: Features, b: Features) -> str:
    """Weekdays, months and other names of times."""
    only_a, only_b = sorted(a.calendar - b.calendar), sorted(b.calendar - a.calendar)
    return f"Dates differ: {_against(only_a, only_b)}." if only_a or only_b else ""


def negation(a: Features, b: Features) -> str:
    """How often the statement is negated."""
    if a.negations == b.negations:
        return ""
    left, right = a.negations.total(), b.negations.total()
    if left == right:
        return "What is denied differs."
    return f"One side says “not” {_times(left)}, the other {_times(right)}."


def antonyms(a: Features, b: Features) -> str:
    """A word on one side and its opposite, or its sibling, on the other."""
    keys_a, keys_b = {t.key for t in a.tokens}, {t.key for t in b.tokens}
    left = {t.lower for t in a.tokens if t.kind != "number" and t.key not in keys_b}
    right = {t.lower for t in b.tokens if t.kind != "number" and t.key not in keys_a}
    pairs = [(word, opposite) for word in sorted(left) for opposite in _opposites(word) & right]
    pairs += [(word, opposite) for opposite in sorted(right) for word in _prefixed(opposite) & left]
    return f"Opposites: “{pairs[0][0]}” against “{pairs[0][1]}”." if pairs else ""


def _opposites(word: str) -> Set[str]:
    return OPPOSITES.get(word, frozenset()) | _prefixed(word)


def _prefixed(word: str) -> frozenset[str]:
    """`word` with each prefix that turns it into another word."""
    return frozenset(prefix + word for prefix in PREFIXES if len(word) >= 4)


def scopes(a: Features, b: Features) -> str:
    """Words such as before, only, until, always, must."""
    left = Counter({g: n for g, n in a.scopes.items() if g in lexicon.STRICT_SCOPES})
    right = Counter({g: n for g, n in b.scopes.items() if g in lexicon.STRICT_SCOPES})
    only_a, only_b = _scoping(a, left - right), _scoping(b, right - left)
    if not only_a and not only_b:
        return ""
    return f"Words of time, extent or certainty differ: {_against(only_a, only_b)}."


def _scoping(side: Features, groups: Counter[str]) -> list[str]:
    """The words of `side` that are of these groups, as they are written."""
    words = {
        lexicon.SCOPES[token.lower]: token.lower
        for token in reversed(side.tokens)
        if token.lower in lexicon.SCOPES
    }
    return sorted(words[group] for group in groups)


def persons(a: Features, b: Features) -> str:
    """Who the pronouns mean."""
    only_a, only_b = sorted(a.persons - b.persons), sorted(b.persons - a.persons)
    return f"Pronouns differ: {_against(only_a, only_b)}." if only_a or only_b else ""


def questions(a: Features, b: Features) -> str:
    """Asking against stating."""
    return "One side asks what the other states." if a.questions != b.questions else ""


def directions(a: Features, b: Features) -> str:
    """Prepositions that lead to the same word from opposite sides."""
    for (axis, goal), sides in sorted(a.directions.items()):
        other = b.directions.get((axis, goal))
        if other and other != sides:
            written = next((t.text for t in (*a.tokens, *b.tokens) if t.key == goal), goal)
            return f"Directions differ ({axis} “{written}”)."
    return ""


def order(a: Features, b: Features) -> str:
    """Words of both sides that swapped places."""
    first, second = _shared(a, b), _shared(b, a)
    spelling = {token.key: token.text for token in (*b.content, *a.content)}
    if Counter(first) != Counter(second):
        first, second = list(dict.fromkeys(first)), list(dict.fromkeys(second))
    if first == second or _is_phrase_moved(a, b):
        return ""
    index = next(i for i, (x, y) in enumerate(zip(first, second, strict=True)) if x != y)
    return f"Words swapped places: “{spelling[first[index]]}” and “{spelling[second[index]]}”."


def unmatched(a: Features, b: Features) -> str:
    """Content words that the other side lacks, on both sides."""
    only_a, only_b = _lacking(a, b), _lacking(b, a)
    if not only_a or not only_b:
        return ""
    return f"Each side has words of its own: {_against(only_a, only_b)}."


def replaced(a: Features, b: Features) -> str:
    """A word at whose position the other side has another one."""
    if max(len(a.tokens), len(b.tokens)) > LONG:
        return "" if a.keys == b.keys else "Too long to be compared word by word."
    return _replacement(a, b) or _replacement(b, a)


GATES: dict[str, Gate] = {
    "numbers": numbers,
    "units": units,
    "operators": operators,
    "names": names,
    "calendar": calendar,
    "negation": negation,
    "antonyms": antonyms,
    "scopes": scopes,
    "persons": persons,
    "questions": questions,
    "directions": directions,
    "order": order,
    "unmatched": unmatched,
}
"""The gates by name. `replaced`, the slowest, runs only where `unmatched` is not raised."""


def raised(a: Features, b: Features) -> tuple[Conflict, ...]:
    """Every gate that the two texts raise."""
    sentences = {name: gate(a, b) for name, gate in GATES.items()}
    if not sentences["unmatched"]:
        sentences["replaced"] = replaced(a, b)
    return tuple(Conflict(name, sentence) for name, sentence in sentences.items() if sentence)


def _difference(title: str, a: Counter[str], b: Counter[str]) -> str:
    if a == b:
        return ""
    only_a, only_b = sorted((a - b).elements()), sorted((b - a).elements())
    return f"{title}: {_against(only_a, only_b)}." if only_a or only_b else ""


def _against(a: Iterable[str], b: Iterable[str]) -> str:
    return f"{_list(a)} against {_list(b)}"


def _list(words: Iterable[str]) -> str:
    listed = list(words)
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return (", ".join(listed[:_SHOWN]) + more) or "nothing"


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _written(side: Features, keys: Iterable[str]) -> list[str]:
    spelling = {token.key: token.text for token in side.content}
    return [spelling[key] for key in keys]


def _lacking(a: Features, b: Features) -> list[str]:
    return [
        token.text
        for token in a.content
        if token.key not in b.keys and lexicon.SCOPES.get(token.lower) not in b.scopes
    ]


def _shared(a: Features, b: Features) -> list[str]:
    """The keys of the content words of `a` that `b` has too, in their order."""
    return [token.key for token in a.content if token.key in b.keys]


def _is_phrase_moved(a: Features, b: Features) -> bool:
    """Whether all that moved is one phrase with the preposition that leads to it, or a clause."""
    first = [(t.key, lead) for t, lead in zip(a.content, a.leads, strict=True)]
    second = [(t.key, lead) for t, lead in zip(b.content, b.leads, strict=True)]
    if Counter(first) != Counter(second):
        return False
    start = next(i for i, (x, y) in enumerate(zip(first, second, strict=True)) if x != y)
    tail = next(i for i, (x, y) in enumerate(zip(first[::-1], second[::-1], strict=True)) if x != y)
    moved_a, moved_b = first[start : len(first) - tail], second[start : len(second) - tail]
    return any(
        moved_a[cut:] + moved_a[:cut] == moved_b
        and (moved_a[0][1] != moved_a[cut][1] or min(cut, len(moved_a) - cut) >= _CLAUSE)
        for cut in range(1, len(moved_a))
    )


def _replacement(a: Features, b: Features) -> str:
    matcher = SequenceMatcher(
        None, [t.key for t in a.tokens], [t.key for t in b.tokens], autojunk=False
    )
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag != "replace":
            continue
        left, right = _subjects(a, a.tokens[a1:a2]), _subjects(b, b.tokens[b1:b2])
        if left and right:
            return f"One side has “{left[0].text}”, the other “{right[0].text}”."
    return ""


def _subjects(side: Features, tokens: tuple[Token, ...]) -> list[Token]:
    content = set(side.content)
    return [token for token in tokens if token in content]
