"""Titles for memories, and what a sentence is: a question, a fragment, a guess, a one-off.

`title` finds the one line that names a memory. The rules decide with the predicates below whether
a sentence can be understood alone and will still be true later.
"""

import re

from cortex_core.base.text import one_line, units
from cortex_core.language import programs
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import cut, mask, split
from cortex_core.language.statements import is_complete

LONGEST_TITLE = 120
"""Most characters of a title: a whole statement up to here says more than a part of one, and fits
two lines of a terminal of 80 columns."""

_MARKS = Pattern(
    "marks at the beginning",
    r"^(?:[\s,;:!…。，；：！—–]|\.(?!\w))+",
    finds=", and",
    spares="and",
    flags=0,
)
_LONGEST_LINE = 4000
_SHORTEST = 24
"""Characters below which a clause says too little to be a title by itself."""
_BOLD = Pattern(
    "bold",
    r"\*\*(?=[\w`\"'“(\[<@.$-])([^*\n]{1,200}?)(?<=\S)\*\*(?![\w/])",
    finds="a **b** c",
    spares="a ** b",
    flags=0,
)
_ITALIC = Pattern(
    "italic",
    r"(?<![\w*/\\])\*(?=[\w`\"'“(])([^*\n]{1,120}?[\w`\"'”).!?])\*(?![\w*/.])",
    finds="a *word or two* c",
    spares="a * b",
    flags=0,
)
_LINK = Pattern(
    "link",
    r"!?\[([^\]\n]{1,160})\]\((?:[^()\n]{0,300})\)",
    finds="[a](b)",
    spares="[a] (b)",
    flags=0,
)
_EMOJI = Pattern(
    "picture",
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b50\u2b55\u231a\u231b\u23e9-\u23fa\ufe0f\u200d\u20e3]+",
    finds="✅ done",
    spares="done",
    flags=0,
)
_MARK = Pattern(
    "mark of a line",
    r"^\s*(?:#{1,6}\s+|>\s+|(?:[-*+•–▪]|[✅☑✔✓]\ufe0f?)\s+|\(?\d{1,3}[.)]\s+|\[[ xX]\]\s+)+",
    finds="- [ ] a",
    spares="a - b",
    flags=0,
)
_OPENER = Pattern(
    "word that only opens",
    r"^(?:(?:ok(?:ay)?|so|well|right|alright|all right|great|perfect|excellent|good|nice|yes|yeah"
    r"|yep|sure|ah+|oh|hmm+|wow|awesome|cool|thanks|thank you|got it|found it|done|fixed"
    r"|absolutely|indeed|actually|basically|additionally|however|therefore|finally|now|also|then|and|but"
    r"|please|pls|hey|hi|hello|btw|by the way|fyi|success"
    r"|i see(?: it| the (?:issue|problem))?|you'?re (?:absolutely )?right|good (?:catch|question)"
    r"|that'?s it|in short|tl;?dr|note(?: that)?|remember(?: that)?|for the record)"
    r"(?:\s*[!.,:;—–]+\s*|\s+-\s+|\s+(?=(?:so|now|then|and|also|please|well)\b)))+",
    finds="Okay, use it",
    spares="Use it",
)
_OPENER_WORD = Pattern(
    "word that opens without a mark",
    r"^(?:(?:so|now)(?!\s+(?:that|far|much|many|long)\b)|also|then|please|and|but(?!\s+for\b)),?\s+"
    r"(?=[\w`])",
    finds="also use it",
    spares="use it",
)
_CLAUSE = Pattern(
    "end of a clause that may stand alone",
    r"(?<!\s)\s+(?:[—–]|-{1,2}|→|->|⇒|\()(?=\S|\s)|[:;](?=\s)|[；：，。]"
    r"|,?\s(?:which|who|whose|so|because|since|due to|in order to|rather than|instead of|while"
    r"|whereas|where|although|though|otherwise|including|but)\s",
    finds="a, which is b",
    spares="a if b, c",
)
"""Where a statement may end although it goes on, for what follows only adds to it.

“if”, “unless”, “only”, “until”, “except” and their like are not among these: without what follows
them the rest would be another statement.
"""
_GENERIC = frozenset(
    """
    summary overview context background problem problems issue issues solution solutions fix fixes
    approach strategy plan goal goals description details changes key changes what changed notes
    note implementation results result conclusion recommendation recommendations next steps steps
    status final status root cause cause key findings findings decision decisions rationale testing
    test plan verification files to modify files task tasks todo why how what the issue the problem
    the fix the solution key insight key insights introduction architecture design proposal
    requirements scope analysis report answer fix applied final answer update updates done success
    bug bugs
    """.split()
) | {
    "key changes",
    "what changed",
    "next steps",
    "final status",
    "root cause",
    "key findings",
    "test plan",
    "files to modify",
    "the issue",
    "the problem",
    "the fix",
    "the solution",
    "key insight",
    "key insights",
    "fix applied",
    "fixes applied",
    "final answer",
    "what was done",
    "what i found",
    "what i did",
    "how it works",
    "the key question",
    "current state",
    "current status",
    "quick summary",
    "in summary",
    "executive summary",
    "problem solving",
}


def plain(line: str, *, emoji: bool = False) -> str:
    """`line` without emphasis, links and list marks, and without emoji unless they are wanted; code
    spans and globs are kept."""
    line = _MARK.regex.sub("", one_line(line[:_LONGEST_LINE]))
    line = line if emoji else _EMOJI.regex.sub("", line)
    pieces = re.split(r"(`[^`]{1,400}`)", line) if "`" in line else [line]
    for number in range(0, len(pieces), 2):
        pieces[number] = _LINK.regex.sub(r"\1", pieces[number])
    line = "".join(pieces)
    if "*" in line:
        line = _ITALIC.regex.sub(r"\1", _BOLD.regex.sub(r"\1", line))
    return " ".join(line.split())


def is_generic(line: str) -> bool:
    """Whether `line` is a heading that fits any text, or has no words."""
    name = plain(line).strip(" .:;!?—–-*#").casefold()
    return not name or name in _GENERIC


def title(content: str, about: str = "") -> str:
    """One line that names what `content` says: a complete statement wherever there is one.

    It is the first sentence that says something, without openers and emphasis, in at most
    `LONGEST_TITLE` characters. `about`, the name of the section or task, is put before a sentence
    that is too short, and is the title if none says anything.
    """
    lines = [line for line in content.split("\n") if line.strip()]
    for number, line in enumerate(lines[:12]):
        text = without_opener(plain(line, emoji=True))
        is_last, is_lead = number + 1 == len(lines), text.endswith((":", "："))
        is_heading = (line.lstrip().startswith("#") or is_lead) and len(text) < _SHORTEST
        if is_generic(text) or (is_heading and not is_last):
            continue
        if is_lead and not is_last:
            text = f"{text} {plain(lines[number + 1], emoji=True)}"
        if head := headline(text):
            name = plain(about).strip(" .:")
            is_enough = len(head) >= _SHORTEST or name.casefold() in head.casefold()
            head = head if is_enough or is_generic(name) else shorten(f"{name}: {head}")
            return capital(head, programs.IN_TITLES)
    fallback = plain(about) or plain(one_line(content), emoji=True)
    return capital(shorten(fallback.strip(" :")), programs.IN_TITLES) or "Untitled"


def without_opener(text: str) -> str:
    """`text` without openers that say nothing: “OK so”, “Root cause:”."""
    for _ in range(4):
        shorter = _OPENER_WORD.regex.sub(
            "", _OPENER.regex.sub("", _MARKS.regex.sub("", text)), count=1
        )
        label, colon, rest = shorter.partition(": ")
        if colon and rest.strip() and is_generic(label):
            shorter = rest.strip()
        if shorter == text or not shorter:
            return text
        text = shorter
    return text


def headline(text: str) -> str:
    """The first sentence of `text` that has words, in a title's length; empty without words."""
    parts = (part for part in split(text[:_LONGEST_LINE]) if any(map(str.isalnum, part)))
    return shorten(_MARKS.regex.sub("", next(parts, "")).rstrip(" .!;:,。！；：，、"))


def shorten(text: str, limit: int = LONGEST_TITLE) -> str:
    """`text`, one line, in at most `limit` characters: all of it, up to the end of the last clause
    where it is a complete statement, or as many words, which an ellipsis follows."""
    if len(text) <= limit:
        return text
    stops = [stop.start() for stop in _CLAUSE.regex.finditer(mask(text[: limit + 1]))]
    for stop in reversed(stops):
        if stop >= _SHORTEST and is_complete(text[:stop], text):
            return text[:stop].rstrip(" .!;:,。！；：，、")
    return cut(text, limit)


def capital(text: str, names: frozenset[str] = frozenset()) -> str:
    """`text` with a capital first letter, unless it begins with a name: one of `names`, or a Latin
    word among letters of another script."""
    first = text.split(None, 1)[0].rstrip(",.;:!?") if text.strip() else ""
    is_word = first.replace("'", "").replace("’", "").isalpha() and first.islower()
    is_mixed = first.isascii() and any(one.isalpha() and one >= "\u0370" for one in text)
    is_name = first in names or is_mixed
    return text[:1].upper() + text[1:] if is_word and not is_name else text


_THING = (
    r"(?:you|i|we|it|this|that|these|those|there|they|he|she|anyone|someone|everyone|the|a|an|my"
    r"|our|your|any|all|some)"
)
_AUXILIARY = (
    r"(?:can|could|would|will|should|shall|may|might|is|are|am|was|were|have|has|had|isn'?t|aren'?t"
    r"|wasn'?t|can'?t|couldn'?t|shouldn'?t|won'?t|wouldn'?t|doesn'?t|didn'?t|haven'?t|hasn'?t)"
)
_QUESTION_START = Pattern(
    "beginning of a question",
    rf"^(?:(?:ok(?:ay)?|so|and|but|well|hmm+|also|now|then|or|btw|hey|wait|actually),?\s+)*(?:"
    rf"{_AUXILIARY}\s+{_THING}\b|(?:do|does|did)\s+{_THING}\b|don'?t\s+(?:you|we|i|they)\b"
    r"|(?:what|why|who|whom|whose|how)(?:'s|'re|\s)|(?:which|where)\s+(?!means|is why)"
    r"|any (?:idea|reason|chance|thoughts)|is\s+\w+\s+(?:ok|possible|needed|necessary)\b)",
    finds="How does it work",
    spares="It works",
)
# A moment is named by its words alone. Those that also belong to what lasts (“the tests that
# run currently”, “simple yet robust”, “an earlier version”) count only where they mean now.
ONE_OFF = Pattern(
    "what is meant for this time",
    r"\b(?:not\s+(?:\w+\s+){0,3}yet|yet(?=\s+to\b|\W*$)|for now|right now|just now|today"
    r"|tonight|tomorrow|this time|this once|just once|at the moment"
    r"|for the moment|for the time being|temporarily|meanwhile"
    r"|let me (?:look|see|check|know|think|try)|lemme|in a (?:moment|minute|sec)|first thing|(?:in"
    r"|for|on|with) th(?:is|ese) (?:pr|commit|change|session|case|task|file|branch|round|iteration"
    r"|run|conversation|exercise|step|fix|patch|refactor|feature|story|ticket|issue|phase|one|part"
    r"|bit)|until\s+(?:i|we|you|it|the|all|they|that|everything|this)|(?:when|once|after"
    r"|as soon as)\s+(?:you|it|that|this|they|everything|i|we)(?:'re|'s|'ve|\s+(?:is|are|have"
    r"|has))?\s*(?:all\s+)?(?:done|finished|finish|complete|completed|ready|back|merged|passed"
    r"|passes|works|worked|green)|before\s+(?:you\s+|we\s+)?(?:start(?:ing)?|continu(?:e|ing)"
    r"|proceed(?:ing)?|mov(?:e|ing) on|go(?:ing)? on|begin(?:ning)?)|and then stop|then stop"
    r"|while you'?re at it|one more time|just (?:analy[sz]e|read|look|plan|tell|explain|answer"
    r"|report|research|check)|(?:do not|don'?t) (?:implement|code|fix|change) (?:anything|any code)"
    r"|this morning|this week|last (?:week|night|time)|yesterday|earlier(?=\W*$)"
    r"|next (?:week|step|up))\b",
    finds="not for now",
    spares="always",
)
# A guess has no form of its own in English; what may also be advice (“I think we should”), a
# thing that shows itself (“a dialog appears”) or a prohibition (“may not”) is none.
HEDGED = Pattern(
    "guess",
    r"\b(?:maybe|perhaps|might|may be|possibly|probably|likely|unlikely|seems?|seemed"
    r"|appear(?:s|ed)? (?:to|that|as)|(?:it|this|that) looks like|(?<!\w )looks like"
    r"|i (?:think|guess|believe|feel)"
    r"(?! (?:that )?(?:we|you|it'?s|it is|it would be|that'?s) (?:really |always )?(?:should|must"
    r"|need|better|best|important|safer|cleaner))|i (?:suspect|assume|wonder)|not sure|unsure"
    r"|unclear|could be|would be|should (?:work|be fine|fix|pass)|presumably|suspect|hopefully"
    r"|i'?d guess|kinda|sorta|(?:is|are|it's|i'm) (?:kind|sort) of|apparently|wondering"
    r"|if i recall|potentially|or something)\b",
    finds="maybe it leaks",
    spares="it leaks",
)


def is_question(sentence: str) -> bool:
    """Whether `sentence` asks something."""
    return sentence.rstrip(" \"'”’)*_").endswith("?") or bool(_QUESTION_START.regex.match(sentence))


def is_thin(sentence: str, least: int = 3) -> bool:
    """Whether `sentence` has fewer than `least` different content words."""
    return len(set(units(sentence))) < least


def is_fragment(text: str) -> bool:
    """Whether `text` is not a sentence.

    It has no word of two letters outside code and URLs, begins with a conjunction that needs
    something before it, or ends where more must follow.
    """
    bare = mask(text).replace("\x01", " ")
    ends = (":", ",", "(", "—", " and", " or", " the", " a", " to", " of")
    return (
        not re.search(r"[^\W\d_]{2}", bare)
        or text.rstrip().endswith(ends)
        or bool(re.match(r"(?:and|or|nor|which|who|whose|whom|than|as well as)\b", text, re.I))
    )


def finished(sentence: str) -> str:
    """`sentence` without an opener (“so”, “also”), with a capital first letter and a full stop."""
    text = capital(without_opener(sentence.strip()).rstrip(",;:—–- "))
    return (
        text
        if (not text or text[-1] in ".!?…)`\"”'。！？」）")
        else text + ("。" if "\u3041" <= text[-1] <= "\u9fff" else ".")
    )
