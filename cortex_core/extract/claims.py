"""What a sentence of the agent is worth: a claim about the project, or a report of its own work.

Most of it is structural: a finite verb in the present tense, a value, a name from the code. Only
the verb, and words that report work, depend on the language.
"""

from cortex_core.extract import wording
from cortex_core.language import verbs
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import mask
from cortex_core.language.statements import is_complete

PLACE = Pattern(
    "an address, a port or a variable of the environment with its value",
    r"\b\d{1,3}(?:\.\d{1,3}){3}\b|:\d{2,5}\b(?!:)|\bport \d{2,5}\b"  # an address
    r"|\b\w{2,10}://[^\s`]"
    r"|\b[A-Z][A-Z0-9_]{2,}=[^\s`=]",
    finds="on port 5432",
    spares="on a port",
    flags=0,
)
# Negation and duty have no form of their own in English.
_RULE = Pattern(
    "words of a rule",
    r"\b(?:no|not|\w+n't|cannot|never|no longer|without|must|should|required?|requires|mandatory"
    r"|forbidden|(?:has|have|needs?) to|always|only|instead of|rather than)\b",
    finds="must run first",
    spares="runs first",
)
# What holds in the project and what held while the agent worked have the same form.
_PASSING = Pattern(
    "what is so for now",
    r"\b(?:un(?:re)?solved|in progress|not (?:yet )?(?:addressed|fixed|committed|started|verified)"
    r"|under investigation|pending|todo|investigat\w+|remaining|still (?:needs?|fail\w*|open)"
    r"|hypothes\w+|debug logging|(?:this|prior|previous) session|now|may|current(?:ly)?)\b",
    finds="is in progress",
    spares="is done",
)
_STEP = Pattern(
    "verb that tells of a step",
    r"[^\W\d_]+(?:ing|ed(?! (?:on|by|at|in|to|from|via|per|as|for|with|when|only)\b))\b",
    finds="Running the tests",
    spares="run it",
)
_NO_VERB = Pattern(
    "word that only looks like a verb",
    r"(?<!\S)\S*?\w[./_]\w\S*+|\b\d\w*|\b(?!required)[\w-]{1,40}ed\b(?! (?:by|on|to)\b)|\x01+",
    finds="store.opened",
    spares="opens",
    flags=0,
)
"""Names, numbers and participles."""


def is_rule(text: str) -> bool:
    """Whether `text` denies or demands something."""
    return bool(_RULE.regex.search(mask(text)))


def asserts(text: str) -> bool:
    """Whether `text` is English with a finite verb in the present tense, or gives an order."""
    return verbs.has_verb(_NO_VERB.regex.sub(" `x` ", mask(text)))


def lasts(text: str) -> bool:
    """Whether `text` can still be true when the work is done: no report, guess or question."""
    bare = mask(text)
    return not (
        wording.is_question(text)
        or wording.ONE_OFF.is_in(bare)
        or wording.HEDGED.is_in(bare)
        or _PASSING.regex.search(bare)
        # It tells a step of the work: “added” or “adding”, also behind a label.
        or any(_STEP.regex.match(part) for part in (text, text.rpartition(": ")[2]))
    )


def stands_alone(text: str) -> bool:
    """Whether `text` can be understood without the sentences around it."""
    return is_complete(text) and not wording.is_thin(text, 4)


def labelled(label: str, text: str) -> str:
    """`text` after what it is about, unless the label fits any text."""
    label = label.rstrip(" :.")
    return text if not label or wording.is_generic(label) else f"{label}: {text}"
