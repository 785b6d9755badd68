"""What denies, forbids or refuses, in words and in phrases: one list each, with named subsets.

No form sets such words apart from others, so they are listed. Standard library only: hooks load it.
"""

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

DENYING = ("ない", "ません", "지 마", *"不没沒别別勿未无無莫非않안못")
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

IN_READ_TEXT = (
    *(" not ", "n't ", "n’t ", " never", " no one", " nobody", " nothing", " no ", " cannot "),
    *(" nicht", " nie ", " niemals", " kein", " niemand", " ne ", " n'", " jamais", " nunca"),
    *(" nao ", " non ", " mai ", " не ", " никогда", " нельзя", "不", "别", "勿", "ない", "なく"),
    *("ません", "않", "말고", "마세요"),
)
"""Parts of a text between blanks, without accents and in small letters, that negate, in any of the
languages."""

WITHOUT = (
    *(" without ", " unasked", " ohne ", " sin ", " sans ", " senza ", " sem ", " без "),
    *("せずに", "なし", "没有", "无需", "无须", "없이"),
)
"""Parts of such a text for doing something and not another: “push without telling the user”."""

FILLERS = frozenset(
    """
    a an the be been being is are was were to ever any do does did have has had really actually
    very
    """.split()
)
"""Words between a negation and what it denies."""

DO_NOT = r"(?:never|don['’]?t|do not|must not)"
"""How an order forbids, to be part of a longer pattern."""

FORBIDS = Pattern(
    "a negation in front of what it forbids",
    r"\b(?:never|don['’]?t|do not|does not|doesn['’]t|must(?: |n['’])(?:not|t)|should(?: |n['’])"
    r"(?:not|t)|can(?:not|['’]t)|may not|avoid|no|not|nobody|without|stop|leave"
    r"|nothing (?:that|in|under|below|from|gets|is|goes)|(?:tired|sick) of|fed up|hate"
    r"|instead of|rather than|over|forbidden|prohibited"
    r"|banned|disallowed|against|hands off|(?:keep|stay) (?:[\w/.-]+ ){0,2}(?:out of|away from"
    r"|off)|refrain"
    r"|(?:does|do|is|are|was|wo)n['’]t|isnt|dont)\b",
    finds="Use pnpm rather than npm",
    spares="Use pnpm and nothing else",
)

LIMITS = Pattern(
    "a word without which a sentence says something else",
    r"\b(?:never|not|no|without|except|unless|only|must)\b|n['’]t\b",
    finds="Deploy only from main",
    spares="Deploy from main, notably on Mondays",
)

FORBIDS_ORDER = Pattern(
    "words before an order that forbid or report it",
    r"\b(?:never|not|cannot|no(?! (?:inicio|fim|final|comeco)\b)|avoid\w*|without|refus\w+"
    r"|reject\w*|forbid\w*|forbidden|block\w*|prevent\w*|prohibit\w*|disallow\w*|rather than"
    r"|instead of|stop\w*|detect\w*|filter\w*|strip\w*|escap\w+|warn\w*|flag\w*|against|deny"
    r"|denies|guard\w*|protect\w*|quarantin\w+|nor|neither|nobody|unless)\b|n['’]t\b",
    finds="the gateway must block",
    spares="you must always",
)
DOUBLE_NEGATIVE = Pattern(
    "a negation that forbids nothing",
    r"(?:never|not|n['’]t|no need to)\s+(?:hesitate|forget|fail|refuse|be afraid|worry|stop|bother"
    r"|be shy|object|decline|resist|ask|block|reject|wait|warn)\w*",
    finds="never hesitate to",
    spares="never merge",
)
ORDER_FORBIDDEN_AFTER = Pattern(
    "words after an order that forbid it",
    r"(?:(?!when|if |because|so ).){0,40}\b(?:is|are|was|were|must|should|will|gets?|stays?)"
    r"(?: be| always| strictly)? "
    r"(?:never|not|forbidden|blocked|banned|prohibited|rejected|disallowed|refused|off limits)\b",
    finds=" is never allowed here",
    spares=" when the build is green",
)

REFUSED_NAME = Pattern(
    "a name, or code, that a text speaks against",
    r"\b(?:never|not|no|without|avoid|instead of|rather than|don't use|replaces?|from)"
    r"\s+(?:use |using )?(?:`([^`\n]+)`|([\w./:-]+))",
    finds="Use pnpm, never use `npm`",
    spares="Use pnpm",
)
