"""What a sentence wants of a thing that it names: forbids, limits, allows or only names it.

A negation reaches what is in its clause, and in English what follows it. What comes later is
about a thing too where it names no other: “nginx.conf is puppet's, don't change it”.
"""

import re
from collections.abc import Iterator
from typing import Literal

from cortex_core.language import negation, programs
from cortex_core.triggers import rule_words
from cortex_core.triggers.vocabulary import folded, spot

Stance = Literal["forbidden", "limited", "allowed", "named"]
"""`limited`: right after a question, under a condition, or where somebody else does it."""


def _clauses(sentence: str) -> Iterator[tuple[int, int]]:
    """Where the clauses of a folded sentence are; marks within code end none.

    What names a thing and says nothing of it belongs to what follows: “`npm`, `yarn` are banned”.
    """
    bare = rule_words.SPAN.regex.sub(lambda match: "x" * len(match[0]), sentence)
    at = 0
    for match in rule_words.CLAUSE_ENDS.regex.finditer(bare):
        is_list = len(bare[at : match.start()].split()) == 1 and match[0] == ","
        # “drop volumes, no”
        is_answered = re.match(r" (?:no|yes|nein|ja|non|oui|si)(?:[,.;]|$)", bare[match.end() :])
        if not is_answered and (not is_list or negation.FORBIDS.regex.match(bare, match.end() + 1)):
            yield at, match.start()
            at = match.end()
    yield at, len(sentence)


def stance(sentence: str, at: int, end: int) -> Stance:
    """What a sentence wants of the thing between `at` and `end` in it."""
    plain = folded(sentence)
    opened = plain.rfind(" (", 0, at)
    if opened > 0 and ")" not in plain[opened:at] and ")" in plain[end:]:
        # What is in brackets is what the words before them are about: “(scripts/ is fine)” is not.
        is_right = spot(plain[opened:].partition(")")[0], "ALLOWS, EXCEPTS")
        return "allowed" if is_right else stance(sentence, opened - 1, opened - 1)
    (start, stop), *rest = [one for one in _clauses(plain) if one[1] > at] or [(at, end)]
    own, before, behind = plain[start:stop], plain[min(start, at) : at], plain[end : max(end, stop)]
    is_banned = bool(spot(own, "BANS, FORBIDS")) or own.rstrip(" .!").endswith(" no")
    if before.rstrip().endswith(
        ("nur", "solo", "seulement", "soltanto", "apenas", "you only", "you may only")
    ) or (spot(own, "ALLOWS") and not is_banned and not spot(own, "ASKS_FIRST")):
        return "allowed"
    is_forbidden = _is_forbidden(sentence[:at], own, before, behind)
    is_asked_for = spot(before, "ASKS_FOR, PUTS") and not spot(before, "BANS, FORBIDS")
    if is_forbidden is None:
        # A later clause is about the same thing where it refers to it and names no other.
        later = [plain[slice(*one)].strip() for one in rest]
        is_forbidden = not is_asked_for and (is_banned or any(map(refers_back, later)))
    if is_forbidden:
        return "limited" if spot(behind, "CONDITIONS") else "forbidden"
    if (not is_asked_for and spot(behind, "DENIES")) or spot(plain, "ASKS_FIRST"):
        return "limited"
    return "named"


def refers_back(sentence: str) -> bool:
    """Whether a sentence says of what the one before it named that it is not to be done."""
    plain = folded(sentence)
    words = {word.strip(".,!") for word in plain.split()}
    if not {*"`/^~"}.isdisjoint(plain) or not programs.IN_RULES.isdisjoint(words):
        return False
    if len(plain.split()) <= _SHORT and (spot(plain, "MINE") or spot(plain, "BANS")):
        return True
    # “…, so don't edit or delete”
    # “…, never change old ones” is about others.
    is_order = (
        len(plain.split()) <= _SHORT // 2 + 2
        and spot(plain, "don't, do not, never, nie, nicht")
        and not spot(plain, "ones, old, older, other*")
    )
    is_change = (is_order or spot(plain, "REFERS")) and spot(
        plain, "CHANGE, DELETE, RUN, STOP, SEND, PUBLISH, UPDATE, INSTALL, MERGE, PRINT"
    )
    return _forbids(plain) and (bool(is_change) or words <= _BARE)


_SHORT = 9
"""Words of a sentence such as “The release workflow does that”, at most."""

_BARE = negation.NEGATIONS | frozenset(
    "please bitte por favor hands off finger weg ever do du you it there that ja so just lass"
    " das is are limits".split()
)
"""Words of a sentence that says nothing of its own: “Please don't.”"""


def _forbids(plain: str) -> bool:
    return spot(plain, "BANS, FORBIDS") is not None or negation.FORBIDS.is_in(plain)


def _is_forbidden(ahead: str, own: str, before: str, behind: str) -> bool | None:
    """Whether the words up to a thing, or those of its clause, forbid it; None: they do not say.

    Args:
        ahead: the sentence up to the thing, as it is written.
        own: the clause that the thing is in, folded.
        before: the part of it up to the thing.
        behind: the part of it from there on.
    """
    if bare := rule_words.BARE_NO.regex.search(ahead):
        # “Never commit without `make test`” asks for it.
        is_lack = bare[0].lower().startswith(("s", "o", "w"))
        return not (is_lack and _forbids(folded(ahead[: bare.start()])))
    # The thing itself says not whose it is: `npm ci` is no CI.
    if spot(f"{before} x {behind}", "MINE") or (
        {"i"} <= set(before.split()) <= {"i", "only", "will", "always"}
    ):
        return True
    *_, last = (None, *negation.FORBIDS.regex.finditer(ahead))
    between = folded(ahead[last.end() :]) if last else ""
    if (
        last is None
        or any(mark in between for mark in (": ", "—", "–"))
        or spot(between, "NO_FURTHER")
    ):
        return None
    asks = spot(between, "ASKS_FOR")
    # “Instead of npm use pnpm” forbids the one alone.
    turns = asks and (
        last[0].lower() in ("instead of", "rather than")
        or not {",", ";"}.isdisjoint(between)
        or spot(between, "but, and")
    )
    # “don't rebase my branches, merge main into them”: an order of its own, and none of a list, as
    # in “never push to main; open a pull request”; “no npm here, pnpm” names what is right.
    said, comma, _ = between.replace(";", ",").rpartition(",")
    is_long = (
        len(said.split()) > 2
        or ("," not in said and (" " in said.strip() or len(own.split()) > 2))
        or spot(before, "them, it")
    )
    starts = (own.split()[0].isalpha() and not before.strip()) or spot(
        own.split()[0], "CHANGE, RUN, DELETE, STARTS"
    )
    is_order = (
        comma
        and not spot(own, "or, nor, oder, o, ni, ou, no")
        and (own.strip(" .!") in programs.IN_RULES or (is_long and starts))
    )
    return not (
        turns
        or is_order
        or (last[0].lower() == "without" and negation.FORBIDS.is_in(ahead[: last.start()]))
    )
