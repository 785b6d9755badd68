"""What a sentence wants of a thing that it names: forbids, limits, allows or only names it.

A negation reaches what is in its clause, and in English what follows it. What comes later is
about a thing too where it names no other: “nginx.conf is puppet's, don't change it”.
"""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from cortex_core.language import negation, programs
from cortex_core.triggers import rule_words

Stance = Literal["forbidden", "limited", "allowed", "named"]
"""`limited`: right after a question, under a condition, or where somebody else does it."""


@lru_cache(maxsize=64)
def folded(sentence: str) -> str:
    """A sentence of the same length in lower case, without accents."""
    return "".join(unicodedata.normalize("NFD", one)[0] for one in sentence.lower())


def _clauses(sentence: str) -> Iterator[tuple[int, int]]:
    """Where the clauses of a folded sentence are; marks within code end none."""
    bare = rule_words.SPAN.regex.sub(lambda match: "x" * len(match[0]), sentence)
    at = 0
    for match in rule_words.CLAUSE_ENDS.regex.finditer(bare):
        yield at, match.start()
        at = match.end()
    yield at, len(sentence)


def stance(sentence: str, at: int, end: int) -> Stance:
    """What a sentence wants of the thing between `at` and `end` in it."""
    plain = folded(sentence)
    if plain[:at].endswith(" (") and ")" in plain[end:]:
        # What is in brackets is what the words before them are about.
        return stance(sentence, at - 2, at - 2)
    (start, stop), *rest = [one for one in _clauses(plain) if one[1] > at] or [(at, end)]
    own, before = plain[start:stop], plain[min(start, at) : at]
    if rule_words.ALLOWS.is_in(own) or rule_words.ALLOWS.is_in(before):
        return "allowed"
    # A later clause is about the same thing where it refers to it and names no other.
    later = (plain[start:stop].strip() for start, stop in rest)
    is_forbidden = negation.FORBIDDEN_AFTER.is_in(sentence[end:]) or _is_forbidden(
        sentence[:at], own, before
    )
    if is_forbidden is None:
        is_forbidden = not rule_words.ASKS_FOR.is_in(before) and any(map(refers_back, later))
    if is_forbidden:
        return "limited" if rule_words.CONDITION.is_in(plain[end : max(end, stop)]) else "forbidden"
    return "limited" if rule_words.ASKS_FIRST.is_in(sentence) else "named"


def refers_back(sentence: str) -> bool:
    """Whether a sentence says of what the one before it named that it is not to be done."""
    plain = folded(sentence)
    return (
        "`" not in plain
        and programs.IN_RULES.isdisjoint(plain.split())
        and (
            rule_words.EDITED_THERE.is_in(plain)
            or (rule_words.OTHERS_DO.is_in(plain) and len(plain.split()) <= _SHORT)
            or (_forbids(plain) and _BARE.issuperset(word.strip(".,!") for word in plain.split()))
        )
    )


_SHORT = 9
"""Words of a sentence such as “The release workflow does that”, at most."""

_BARE = negation.NEGATIONS | frozenset(
    "please bitte por favor hands off finger weg ever do du you it there that ja so just lass"
    " das".split()
)
"""Words of a sentence that says nothing of its own: “Please don't.”"""


def _forbids(plain: str) -> bool:
    return negation.FORBIDS_ELSEWHERE.is_in(plain) or negation.FORBIDS.is_in(plain)


def _is_forbidden(ahead: str, own: str, before: str) -> bool | None:
    """Whether the words up to a thing, or those of its clause, forbid it; None: they do not say.

    Args:
        ahead: the sentence up to the thing, as it is written.
        own: the clause that the thing is in, folded.
        before: the part of it up to the thing.
    """
    if bare := rule_words.BARE_NO.regex.search(ahead):
        # “Never commit without `make test`” asks for it.
        is_lack = bare[0].lower().startswith(("s", "o", "w"))
        return not (is_lack and _forbids(folded(ahead[: bare.start()])))
    says_so = (negation.FORBIDS_ELSEWHERE, rule_words.OTHERS_DO)
    if rule_words.OTHERS_DO.is_in(before) or any(each.is_in(own) for each in says_so):
        return True
    *_, last = (None, *negation.FORBIDS.regex.finditer(ahead))
    between = ahead[last.end() :] if last else ""
    if last is None or rule_words.NO_FURTHER.is_in(between):
        return None
    turns = rule_words.ASKS_FOR.is_in(between) and rule_words.TURNS.is_in(between)
    # “don't rebase my branches, merge main into them”: an order of its own, and none of a list.
    follows = not before.strip() and ahead.rstrip().endswith(",")
    is_order = follows and len(between.split()) > 2 and _LISTS.isdisjoint(own.split())
    is_inner = last[0].lower() == "without" and negation.FORBIDS.is_in(ahead[: last.start()])
    return not (turns or is_order or is_inner)


_LISTS = frozenset("or and nor oder und y o ni ou et e no".split())
