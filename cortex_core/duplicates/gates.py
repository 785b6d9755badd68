"""The gates: differences because of which two similar texts do not say the same.

Each gate compares two texts and, when they differ in its respect, says so in one sentence that a
user can judge. One raised gate alone forbids merging; a proposal shows them all.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher

from cortex_core.duplicates import lexicon
from cortex_core.duplicates.features import Features, Token

Gate = Callable[[Features, Features], str]
"""Says what differs between two texts, or nothing."""

_NUMBERS_DIFFER = "Numbers differ"
_SHOWN = 4
"""Most words that a sentence lists of one side."""
_CLAUSE = 4
"""Fewest content words of a clause that may move as a whole."""
LONG = 400
"""Tokens from which texts are not compared word by word."""


def is_about_numbers(sentence: str) -> bool:
    """Whether `sentence` is that of the gate `numbers`; a stored proposal holds sentences alone."""
    return sentence.startswith(_NUMBERS_DIFFER)


def raised(a: Features, b: Features) -> dict[str, str]:
    """Every gate that the two texts raise, with what differs in its respect, for a user to read."""
    found = {name: sentence for name, gate in GATES.items() if (sentence := gate(a, b))}
    if "unmatched" not in found and (sentence := _replaced(a, b)):
        found["replaced"] = sentence
    return found


# --- the gates


def _names(a: Features, b: Features) -> str:
    """Names and identifiers that the other side does not have, or not as often."""
    count_a, count_b = (Counter(token.key for token in side.content) for side in (a, b))
    names = a.names | b.names
    spelled_a, spelled_b = ({token.key: token.text for token in side.content} for side in (a, b))
    only_a = [spelled_a[key] for key in names if count_a[key] > count_b[key]]
    only_b = [spelled_b[key] for key in names if count_b[key] > count_a[key]]
    if not only_a and not only_b:
        return ""
    return f"A name or identifier is on one side only: {_against(only_a, only_b)}."


def _negation(a: Features, b: Features) -> str:
    """How often the statement is negated, and what is denied."""
    if a.negations == b.negations:
        return ""
    if a.negations.total() == b.negations.total():
        return "What is denied differs."
    return "One side denies what the other does not."


def _antonyms(a: Features, b: Features) -> str:
    """A word on one side and its opposite, or its sibling, on the other."""
    keys_a, keys_b = {t.key for t in a.tokens}, {t.key for t in b.tokens}
    left = {t.lower for t in a.tokens if t.kind != "number" and t.key not in keys_b}
    right = {t.lower for t in b.tokens if t.kind != "number" and t.key not in keys_a}
    pairs = [
        (word, opposite)
        for word in sorted(left)
        for opposite in lexicon.OPPOSITES.get(word, frozenset()) & right
    ]
    return f"Opposites: “{pairs[0][0]}” against “{pairs[0][1]}”." if pairs else ""


def _scopes(a: Features, b: Features) -> str:
    """Words such as before, only, until, always, must."""
    left, right = (
        Counter({group: n for group, n in side.scopes.items() if group in lexicon.STRICT_SCOPES})
        for side in (a, b)
    )
    only_a, only_b = _scoping(a, left - right), _scoping(b, right - left)
    if not only_a and not only_b:
        return ""
    return f"Words of time, extent or certainty differ: {_against(only_a, only_b)}."


def _scoping(side: Features, groups: Iterable[str]) -> list[str]:
    """The words of `side` that are of these groups, as they are written."""
    words = {
        lexicon.SCOPES[token.lower]: token.lower
        for token in reversed(side.tokens)
        if token.lower in lexicon.SCOPES
    }
    return sorted(words[group] for group in groups)


def _directions(a: Features, b: Features) -> str:
    """Prepositions that lead to the same word from opposite sides."""
    for (axis, goal), sides in sorted(a.directions.items()):
        other = b.directions.get((axis, goal))
        if other and other != sides:
            written = next((t.text for t in (*a.tokens, *b.tokens) if t.key == goal), goal)
            return f"Directions differ ({axis} “{written}”)."
    return ""


def _order(a: Features, b: Features) -> str:
    """Words of both sides that swapped places."""
    first = [token.key for token in a.content if token.key in b.keys]
    second = [token.key for token in b.content if token.key in a.keys]
    if Counter(first) != Counter(second):
        first, second = list(dict.fromkeys(first)), list(dict.fromkeys(second))
    if first == second or _is_phrase_moved(a, b):
        return ""
    swapped = next((x, y) for x, y in zip(first, second, strict=True) if x != y)
    spelling = {token.key: token.text for token in (*b.content, *a.content)}
    return f"Words swapped places: “{spelling[swapped[0]]}” and “{spelling[swapped[1]]}”."


def _is_phrase_moved(a: Features, b: Features) -> bool:
    """Whether all that moved is one phrase with the preposition that leads to it, or a clause."""
    first = [(t.key, lead) for t, lead in zip(a.content, a.leads, strict=True)]
    second = [(t.key, lead) for t, lead in zip(b.content, b.leads, strict=True)]
    if Counter(first) != Counter(second):
        return False
    differ = [index for index, (x, y) in enumerate(zip(first, second, strict=True)) if x != y]
    moved_a, moved_b = (side[differ[0] : differ[-1] + 1] for side in (first, second))
    return any(
        moved_a[cut:] + moved_a[:cut] == moved_b
        and (moved_a[0][1] != moved_a[cut][1] or min(cut, len(moved_a) - cut) >= _CLAUSE)
        for cut in range(1, len(moved_a))
    )


def _unmatched(a: Features, b: Features) -> str:
    """Content words that the other side lacks, on both sides."""
    only_a, only_b = _lacking(a, b), _lacking(b, a)
    if not only_a or not only_b:
        return ""
    return f"Each side has words of its own: {_against(only_a, only_b)}."


def _lacking(a: Features, b: Features) -> list[str]:
    return [
        token.text
        for token in a.content
        if token.key not in b.keys and lexicon.SCOPES.get(token.lower) not in b.scopes
    ]


def _replaced(a: Features, b: Features) -> str:
    """A word at whose position the other side has another one."""
    if max(len(a.tokens), len(b.tokens)) > LONG:
        return "" if a.keys == b.keys else "Too long to be compared word by word."
    # Which of several matches is found depends on the side from which they are sought.
    for one, other in ((a, b), (b, a)):
        for left, right in replacements(one, other)[1]:
            subjects = [token.text for token in left if token in one.content]
            others = [token.text for token in right if token in other.content]
            if subjects and others:
                return f"One side has “{subjects[0]}”, the other “{others[0]}”."
    return ""


def replacements(
    a: Features, b: Features
) -> tuple[int, list[tuple[tuple[Token, ...], tuple[Token, ...]]]]:
    """How many words of `a` stand in `b` in their place, and what stands where others do."""
    keys_a, keys_b = [token.key for token in a.tokens], [token.key for token in b.tokens]
    codes = SequenceMatcher(None, keys_a, keys_b, autojunk=False).get_opcodes()
    return sum(a2 - a1 for tag, a1, a2, *_ in codes if tag == "equal"), [
        (a.tokens[a1:a2], b.tokens[b1:b2]) for tag, a1, a2, b1, b2 in codes if tag == "replace"
    ]


GATES: dict[str, Gate] = {
    "numbers": lambda a, b: _difference(_NUMBERS_DIFFER, a.numbers, b.numbers),
    "units": lambda a, b: _difference("Amounts differ", a.units, b.units),
    "operators": lambda a, b: _difference("Operators differ", a.operators, b.operators),
    "names": _names,
    "calendar": lambda a, b: _difference("Dates differ", Counter(a.calendar), Counter(b.calendar)),
    "negation": _negation,
    "antonyms": _antonyms,
    "scopes": _scopes,
    "persons": lambda a, b: _difference("Pronouns differ", Counter(a.persons), Counter(b.persons)),
    "questions": lambda a, b: "One side asks what the other states." if a.asks != b.asks else "",
    "directions": _directions,
    "order": _order,
    "unmatched": _unmatched,
}
"""The gates by name. `replaced`, the slowest, runs only where `unmatched` is not raised."""


def _difference(title: str, a: Counter[str], b: Counter[str]) -> str:
    only_a, only_b = sorted((a - b).elements()), sorted((b - a).elements())
    return f"{title}: {_against(only_a, only_b)}." if only_a or only_b else ""


def _against(a: Iterable[str], b: Iterable[str]) -> str:
    left, right = (
        (", ".join(words[:_SHOWN]) or "nothing")
        + (f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else "")
        for words in (list(a), list(b))
    )
    return f"{left} against {right}"
