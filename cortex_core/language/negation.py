"""What denies, forbids or refuses, in words and in phrases: one list each, with named subsets.

No form sets such words apart from others, so they are listed. Standard library only: hooks load it.
"""

from __future__ import annotations

from cortex_core.language.patterns import Pattern

NEGATIONS = frozenset(
    """
    not no never none neither nor nothing nobody nowhere without cannot cant dont doesnt didnt isnt
    arent wasnt werent wont wouldnt shouldnt couldnt mustnt neednt hasnt havent hadnt aint non
    can't don't doesn't isn't won't aren't
    не ни нет никогда нельзя без nunca jamás sin nicht kein keine keinen nie niemals ohne ne jamais
    sans não nem sem
    """.split()
)
"""Words that only negate, in the languages with spaces that capture reads. A difference in their
number is a difference in meaning."""

DENYING = ("ない", "ません", *"不没沒别別勿未无無莫非않안못")
"""What denies a clause in Japanese, Chinese and Korean, where a clause is one word or nearly so."""

DENIALS = frozenset(
    """
    hardly scarcely barely rarely seldom lack lacks lacked lacking unable refuse refuses refused
    deny denies denied fail fails failed avoid avoids avoided stop stops stopped forbid forbids
    forbidden
    refrain prohibit prohibits prohibited minus except avoiding failing refusing denying
    """.split()
)
"""Content words that negate as well."""

LACKING = frozenset(
    "unavailable missing unable lacks lack absent inaccessible unreachable uninstalled".split()
)
"""Words that say of a thing that it is not there."""

FILLERS = frozenset(
    """
    a an the be been being is are was were to ever any do does did have has had really actually
    very
    """.split()
)
"""Words between a negation and what it denies."""

DO_NOT = r"(?:never|don['’]?t|do not|must(?: not|n['’]t))"
"""How an order forbids, to be part of a longer pattern."""

FORBIDS = Pattern(
    "a negation in front of what it forbids",
    r"\b(?:never|don['’]?t|do not|does not|doesn['’]t|must(?: |n['’])(?:not|t)|should(?: |n['’])"
    r"(?:not|t)|can(?:not|['’]t)|may not|avoid|no|not|without|stop|instead of|rather than|over"
    r"|forbidden|prohibited|banned|disallowed|against)\b",
    finds="Use pnpm rather than npm",
    spares="Use pnpm and nothing else",
)

FORBIDDEN_AFTER = Pattern(
    "what follows the thing that it forbids",
    r"^[\s`\"”)]*(?:(?:,|and|or)\s+`?[\w-]+`?\s+)*(?:(?:is|are) (?:forbidden|prohibited|banned"
    r"|not allowed|disallowed|off limits)"
    r"|must (?:not|never)|should (?:not|never)|never|(?:is|are) never)\b",
    finds="` and `yarn` are not allowed",
    spares=" is allowed, npm is not allowed",
)

LIMITS = Pattern(
    "a word without which a sentence says something else",
    r"\b(?:never|not|no|without|except|unless|only|must)\b|n['’]t\b",
    finds="Deploy only from main",
    spares="Deploy from main, notably on Mondays",
)
