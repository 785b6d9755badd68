"""Titles for memories, and what a sentence is: a question, a fragment, a guess, a one-off.

`title` finds the one line that names a memory. The rules decide with the predicates below whether
a sentence can be understood alone and will still be true later.
"""

from __future__ import annotations

import re

from cortex_core.base.text import one_line, units
from cortex_core.language import programs, statements, verbs
from cortex_core.language.detect import is_english
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import mask, split

LONGEST_TITLE = 80
"""Characters of a title, where its statement allows it."""
LONGEST_WHOLE = 120
"""Most characters of a title: a whole statement up to here is better than a part of one."""

_MARKS = Pattern(
    "marks at the beginning",
    r"^(?:[\s,;:!…。，；：！—–]|\.(?!\w))+",
    finds=", and",
    spares="and",
    flags=0,
)
_MOST_ROUNDS = 4
"""Times a title is shortened: what is left may have a part again that can go."""
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
_BRACKETS = Pattern(
    "brackets",
    r"\s+\([^()\n]{1,300}\)(?=\W|$)|（[^（）\n]{1,300}）",
    finds="a (b) c",
    spares="a b c",
    flags=0,
)
_INNER_LABEL = Pattern(
    "label within",
    r"(?<=[:;.]) ((?:[A-Z][a-z]+)(?: [a-z]{2,12}){0,2}):(?= \S)",
    finds="a. Next steps: b",
    spares="a: b",
    flags=0,
)
_TOPIC = Pattern(
    "topic", r"^[^:.;!?\n]{2,60}:\s+(?=\S)", finds="Tests: run them", spares="Run them", flags=0
)
_FULL_STOP = Pattern(
    "end of a sentence without a space",
    r"(?<=[。！？])(?=[^」』）”’])",
    finds="好。再",
    spares="好。",
    flags=0,
)
_STOP = Pattern(
    "end of a part", r"\s*[；。;](?=\s|[^\x00-\x7f])", finds="a; b", spares="a b", flags=0
)
"""Where a statement ends in any language."""
_ADDS = Pattern(
    "what adds to a statement",
    r"\s+(?:[—–]|-{1,2}|→|->|⇒)\s|:\s|,\s+(?:which|who|whose|so|because|since|as|while|whereas"
    r"|where|although|though|otherwise|including|instead of|rather than|and|\w+ing)\s",
    finds="a, which is b",
    spares="a is b",
)
"""Where an English statement may end although it goes on, for what follows only adds to it.

“if”, “unless”, “only”, “until”, “except” and their like are not among these: without what follows
them the rest would be another statement.
"""
_EXPLAINS = Pattern(
    "what explains a statement",
    r"\s(?:because|since|so that|due to|in order to|rather than|instead of|as well as|but"
    r"|while|where|which)\s",
    finds="a because b",
    spares="a is b",
)
"""Where it may end if enough is left: a bare “the test failed” names no cause."""
_TAKES_MORE = Pattern(
    "end that takes more",
    r"(?:\b(?:is|are|was|were|be|been|says?|means?|either|both|between|than|such|not|never"
    r"|always|with|for|of|in|on|by|from|at|as|use|uses|the|an?)|[:,;])$",
    finds="it is",
    spares="it works",
)
"""How no cut statement ends."""
_PAUSE = Pattern(
    "pause", r"[,;:，、；：—–](?=\s|[^\x00-\x7f])", finds="a, b", spares="a b", flags=0
)
_STEPS = Pattern(
    "numbered steps in a line",
    r"(?<=\w): 1[.)] (?=.{1,400}? 2[.)] )",
    finds="do: 1. a 2. b",
    spares="do: 1. a",
    flags=0,
)
_STEP = Pattern("numbered step", r",? \d{1,2}[.)] ", finds=", 2. b", spares="b", flags=0)
_ELISION = Pattern(
    "what was left out", r" (?:\.{3}|…) (?=\S)", finds="a ... b", spares="a.b", flags=0
)
_LEFT_OUT = "\u22ef"
"""In place of three dots in the middle of a statement, which end no sentence."""
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
    return re.sub(r"\s{2,}", " ", line).strip()


def is_generic(line: str) -> bool:
    """Whether `line` is a heading that fits any text, or has no words."""
    name = plain(line).strip(" .:;!?—–-*#").casefold()
    return not name or name in _GENERIC


def title(content: str, about: str = "") -> str:
    """One line that names what `content` says: a complete statement wherever there is one.

    It is the first sentence that says something, without openers and emphasis. A sentence of
    more than `LONGEST_TITLE` characters loses what is in brackets and what only explains it; it is
    kept whole up to `LONGEST_WHOLE` characters where nothing can go. `about`, the name of the
    section or task, is put before a sentence that is too short, and is the title if none says
    anything.
    """
    lines = [line for line in content.split("\n") if line.strip()]
    for number, line in enumerate(lines[:12]):
        text = _opened(plain(line, emoji=True))
        is_heading = line.lstrip().startswith("#") or text.endswith((":", "："))
        if is_generic(text) or (is_heading and len(text) < _SHORTEST and number + 1 < len(lines)):
            continue
        if text.endswith((":", "：")) and number + 1 < len(lines):
            text = f"{text} {plain(lines[number + 1], emoji=True)}"
        if head := headline(text, content):
            # Where something is left out, another opener may have come to the front.
            head = headline(_opened(head), content) if " ... " in head else head
            return _led_by(about, head)
    fallback = plain(about) or plain(one_line(content), emoji=True)
    return _capital(shorten(fallback.strip(" :"))) or "Untitled"


def _led_by(about: str, head: str) -> str:
    """`head`, after the section's name if it is too short to be a title alone."""
    name = plain(about).strip(" .:")
    if len(head) >= _SHORTEST or not name or is_generic(name) or name.casefold() in head.casefold():
        return _capital(head)
    return _capital(shorten(f"{name}: {head}"))


def _opened(text: str) -> str:
    """`text` without openers; the emoji before an opener goes with it, another one stays."""
    lead = _EMOJI.regex.match(text)
    rest = text[lead.end() :].lstrip() if lead else text
    bare = without_opener(rest)
    return text if bare == rest else bare


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


def headline(text: str, context: str = "") -> str:
    """The first sentence of `text` in at most `LONGEST_WHOLE` characters; empty without words."""
    text = _ELISION.regex.sub(f" {_LEFT_OUT} ", _without_step_numbers(text[:_LONGEST_LINE]))
    parts = [part for part in split(text) if any(map(str.isalnum, part))]
    if not parts:
        return ""
    first = _FULL_STOP.regex.split(parts[0], maxsplit=1)[0].replace(_LEFT_OUT, "...")
    for _ in range(_MOST_ROUNDS):
        shorter = shorten(_bare_end(_without_inner_labels(first)), context=context)
        if shorter == first:
            break
        first = shorter
    return first


def _without_step_numbers(text: str) -> str:
    """`text` with the numbers of steps in a line as commas: “Release: 1. bump it 2. tag it”."""
    start = _STEPS.regex.search(text)
    return text if start is None else _STEP.regex.sub(", ", _STEPS.regex.sub(": ", text, count=1))


def shorten(text: str, limit: int = LONGEST_TITLE, context: str = "") -> str:
    """`text` in at most `limit` characters, or in half as many more where that keeps it whole.

    The first of these that fits: all of it; without brackets; without the topic before a colon; up
    to where only an addition is lost. What remains is cut at a comma or after a word, and says so
    by an ellipsis.

    Args:
        context: the longer text that it is from, by which its language is recognised.
    """
    if len(text) <= limit:
        return text
    # A whole statement of half as many characters more reads better than a part of it.
    longest = limit + limit // 2
    bare = _bare_end(_without_brackets(text)) or text
    if not is_english(context or text):
        cuts = (_cut_at(_STOP.regex, bare, limit, 1), _fitting(longest, text, bare))
        return next(filter(None, (_fitting(limit, bare), *cuts)), "") or _cut(text, limit)
    topic = _TOPIC.regex.match(mask(bare))
    rest = without_opener(bare[topic.end() :]) if topic else ""
    told = rest if _has_subject(rest) else ""
    return (
        _fitting(limit, bare)
        or _cut_at(_ADDS.regex, bare, limit, limit // 2)
        or _fitting(limit, told)
        or _cut_at(_ADDS.regex, told, limit, limit // 2)
        or _cut_at(_EXPLAINS.regex, bare, limit, limit * 3 // 4)
        or _fitting(longest, text, bare, told)
        or max(
            (_cut_at(ends, bare, longest, _SHORTEST) for ends in (_ADDS.regex, _EXPLAINS.regex)),
            key=len,
        )
        or _cut_at(_EXPLAINS.regex, told, longest, _SHORTEST)
        or (_fitting(longest, rest) if statements.is_complete(rest) else "")
        or _cut(text, limit)
    )


def _fitting(limit: int, *texts: str) -> str:
    """The first of `texts` of at most `limit` characters; empty if all are longer."""
    return next((text for text in texts if text and len(text) <= limit), "")


def _cut_at(ends: re.Pattern[str], text: str, limit: int, least: int) -> str:
    """`text` up to the last of `ends`, or the last full stop, where a complete statement ends.

    Empty if none has between `least` and `limit` characters.
    """
    masked = mask(text[: limit + 40])
    stops = {stop.start() for one in (ends, _STOP.regex) for stop in one.finditer(masked)}
    for stop in sorted((stop for stop in stops if stop <= limit), reverse=True):
        head = text[:stop].rstrip(" ,;:—–-")
        if len(head) < least or _takes_more(head) or _is_within_list(text, stop):
            continue
        if statements.is_complete(head, text):
            return head
    return ""


def _takes_more(head: str) -> bool:
    """Whether `head` ends where more must follow: in a preposition, or in “to handle”."""
    infinitive = re.search(r"\bto ([a-z]+)$", head)
    is_open = infinitive is not None and infinitive[1] in verbs.VERBS
    return is_open or _TAKES_MORE.regex.search(head) is not None


def _is_within_list(text: str, stop: int) -> bool:
    """Whether the comma or colon at `stop` separates what is listed, not clauses."""
    head = text[:stop]
    if text.startswith(":", stop):
        return ": " in head and not verbs.has_verb(re.split("[:;] ", head)[-1])
    return text.startswith(", and", stop) and "," in head


def _without_brackets(text: str) -> str:
    """`text` without what is in round brackets, those in code excepted."""
    kept, start = [], 0
    for bracket in _BRACKETS.regex.finditer(mask(text)):
        kept.append(text[start : bracket.start()])
        start = bracket.end()
    return "".join(kept) + text[start:]


def _has_subject(rest: str) -> bool:
    """Whether what an English text says after “topic: ” can be told without the topic.

    It then has a verb behind its first word, and begins neither with a verb nor with an article.
    """
    word, _, others = rest.split(",", 1)[0].partition(" ")
    if not others or rest[0].islower() or word.lower() in ("the", "a", "an"):
        return False
    is_subject = verbs.has_verb(others) and not verbs.base(word.lower())
    return is_subject and not verbs.is_order(rest) and statements.is_complete(rest)


def _cut(text: str, limit: int) -> str:
    """`text` cut at the last comma or else after a word, with an ellipsis."""
    masked = mask(text[:limit])
    stops = [stop.start() for stop in _PAUSE.regex.finditer(masked) if stop.start() >= limit // 2]
    stops = stops or [space.start() for space in re.finditer(r"\s", masked)] or [limit - 1]
    return text[: stops[-1]].rstrip(" ,;:，、；：—–-([{") + "…"


def _without_inner_labels(text: str) -> str:
    """`text` without “Cause:” and the like where it has them behind a colon, semicolon or stop."""
    bare = _INNER_LABEL.regex.sub(lambda label: "" if is_generic(label[1]) else label[0], text)
    # Two marks of what is left out meet where a label stood between them.
    while " ... ... " in bare:
        bare = bare.replace(" ... ... ", " ... ")
    return bare


def _bare_end(text: str) -> str:
    """`text` without the marks around a sentence."""
    return _MARKS.regex.sub("", text).rstrip(" .!;:,。！；：，、")


def _capital(text: str) -> str:
    """`text` with a capital first letter, unless it begins with a name or a command."""
    first = text.split(None, 1)[0].rstrip(",.:;!?") if text.strip() else ""
    is_word = first.replace("'", "").replace("’", "").isalpha() and first.islower()
    return text[:1].upper() + text[1:] if is_word and first not in programs.IN_TITLES else text


_PRONOUN = r"(?:you|i|we|it|this|that|these|those|there|they|he|she|anyone|someone|everyone)"
_THING = rf"(?:{_PRONOUN}|the|a|an|my|our|your|any|all|some)"
_AUXILIARY = (
    r"(?:can|could|would|will|should|shall|may|might|is|are|am|was|were|have|has|had|isn'?t|aren'?t"
    r"|wasn'?t|can'?t|couldn'?t|shouldn'?t|won'?t|wouldn'?t|doesn'?t|didn'?t|haven'?t|hasn'?t)"
)
QUESTION_START = Pattern(
    "beginning of a question",
    rf"^(?:(?:ok(?:ay)?|so|and|but|well|hmm+|also|now|then|or|btw|hey|wait|actually),?\s+)*(?:"
    rf"{_AUXILIARY}\s+{_THING}\b|(?:do|does|did)\s+{_THING}\b|don'?t\s+(?:you|we|i|they)\b"
    r"|(?:what|why|who|whom|whose|how)(?:'s|'re|\s)|(?:which|where)\s+(?!means|is why)"
    r"|any (?:idea|reason|chance|thoughts)|is\s+\w+\s+(?:ok|possible|needed|necessary)\b)",
    finds="How does it work",
    spares="It works",
)
PRONOUN_START = Pattern(
    "pronoun for something outside",
    r"^(?!th(?:is|at|e) (?:repo(?:sitory)?|project|codebase|app(?:lication)?|service|package"
    r"|library|monorepo|team|site|product|cli|tool|api|server|database|db)\b)(?:(?:and|but|so|also"
    r"|then|or|because|otherwise|however|instead|plus|though|although)\b,?\s+)*(?:it|its|it's|that"
    r"|that's|this|these|those|they|they're|them|their|he|she|his|her|such|both|neither|either|same"
    r"|the same|one|ones|another|the (?:former|latter|other|above))\b(?!\s+(?:is|'s)\s+(?:important"
    r"|essential|critical|vital|crucial|necessary|forbidden|required|mandatory)\s+(?:to|that))",
    finds="It is slow",
    spares="The lock is slow",
)
DEICTIC = Pattern(
    "what points at something outside",
    r"\b(?:this|that|these|those)\s+(?:one|ones|way|option|approach|version|idea|line|lines|part"
    r"|change|changes|bug|error|issue|problem|thing|plan|message|output|screenshot|image|test|file"
    r"|function|method|case|time|step|section|page|comment|branch|pr|commit|task|ticket|session|tests)\b"
    r"|\b(?:the\s+)?(?:first|second|third|last|latter|former|other|left|right|top|bottom|above"
    r"|below|previous|next|current|following)\s+(?:one|ones|option|approach|version|idea|suggestion"
    r"|way|solution|choice|line|part|plan|step|column|row|button)\b"
    r"(?! (?:of|that|in|after|before)\b)|\boption\s+\w\b|\b(?:as|like) above\b|\b(?:for|in|with"
    r"|about|like|to|on|of) (?:this|that|these|those)\W*$",
    finds="use this one",
    spares="use one lock",
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
FIRST_PERSON = Pattern(
    "whoever speaks",
    r"\b(?:i|i'm|i'll|i've|i'd|me|my|mine|let me|let's|we'll|we're|we've|myself)\b",
    finds="let me see",
    spares="see it",
)
_WHEN = r"(?!\w*\s+(?:when|if|on|unless|without|with|for|in|after|until)\b)"
# Reports of the work are told from statements about a tool by what is reported: “the tests
# pass”, “is pushed now”. With its condition (“the hook fails when …”) it is a statement.
_STATUS = Pattern(
    "report of the work",
    r"\b(?:commit(?:ted|s)? (?:and )?push|(?:is|are|was|were|been|now|already|successfully|all)"
    r" (?:now )?(?:pushed|merged|rebased|staged|committed|deployed|green)|uncommitted|unstaged"
    r"|working (?:tree|directory) (?:is )?(?:clean|dirty)|up to date"
    rf"|(?:all |the )?\d* ?tests? (?:now )?(?:pass|fail){_WHEN}"
    r"|(?:build|ci|lint|check|hook|job|pipeline|run)s? (?:is |are |has |have )?(?:now )?"
    rf"(?:pass|fail|succeed|green|running|clean){_WHEN}|ready (?:for|to)|git status|in progress"
    r"|compiles? clean|not (?:yet )?committed|still (?:fail|running)|background task"
    r"|(?:this|current|previous) session|already (?:done|fixed|exists?))",
    finds="is pushed now and up to date",
    spares="the hook fails when it rains",
)
_QUOTING = Pattern(
    "quotation",
    r"\b(?:according to|the (?:docs?|documentation|readme|manual|issue|article|page|changelog|spec)"
    r" (?:say|state|mention|note|recommend|explain)s?|per the (?:docs?|readme|spec))\b",
    finds="according to the docs",
    spares="the docs",
)


def is_question(sentence: str) -> bool:
    """Whether `sentence` asks something."""
    return sentence.rstrip(" \"'”’)*_").endswith("?") or bool(QUESTION_START.regex.match(sentence))


def starts_with_pronoun(sentence: str) -> bool:
    """Whether `sentence` begins with a pronoun for something in the sentence before it."""
    return bool(PRONOUN_START.regex.match(sentence))


def points_away(sentence: str) -> bool:
    """Whether `sentence` refers to something outside it: “the second option”, “this line”."""
    return bool(DEICTIC.regex.search(sentence))


def is_one_off(sentence: str) -> bool:
    """Whether `sentence` is only about this moment or task."""
    return bool(ONE_OFF.regex.search(sentence))


def is_hedged(sentence: str) -> bool:
    """Whether `sentence` guesses: “maybe”, “I think”."""
    return bool(HEDGED.regex.search(sentence))


def is_status(sentence: str) -> bool:
    """Whether `sentence` reports the state of the work: commits, branches, tests, hooks."""
    return bool(_STATUS.regex.search(sentence))


def in_first_person(sentence: str) -> bool:
    """Whether the speakers talk about themselves or what they are doing."""
    return bool(FIRST_PERSON.regex.search(mask(sentence)))


def is_thin(sentence: str, least: int = 3) -> bool:
    """Whether `sentence` has fewer than `least` different content words."""
    return len(set(units(sentence))) < least


def quotes_document(text: str) -> bool:
    """Whether `text` repeats what a document says, so that its words come from elsewhere."""
    return bool(_QUOTING.regex.search(text))


def is_fragment(text: str) -> bool:
    """Whether `text` is not a sentence.

    It has no word of two letters outside code and URLs, begins with a conjunction that needs
    something before it, or ends where more must follow.
    """
    bare = mask(text).replace("\x01", " ")
    if not re.search(r"[^\W\d_]{2}", bare):
        return True
    if text.rstrip().endswith((":", ",", "(", "—", " and", " or", " the", " a", " to", " of")):
        return True
    return bool(re.match(r"(?:and|or|nor|which|who|whose|whom|than|as well as)\b", text, re.I))


_OTHER_SCRIPT = Pattern(
    "letter of another script", r"[\u0370-\u1fff\u2e80-\ud7ff]", finds="да", spares="a", flags=0
)
"""Letters of a script that is not Latin: a Latin word among them is a name, as it is."""
_HAN_OR_KANA = Pattern(
    "letter of Chinese or Japanese",
    r"[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]",
    finds="好",
    spares="a",
    flags=0,
)


def finished(sentence: str) -> str:
    """`sentence` without an opener (“so”, “also”), with a capital first letter and a full stop."""
    text = without_opener(sentence.strip()).rstrip(",;:—–- ")
    first = text.split(None, 1)[0] if text else ""
    is_word = first.rstrip(",:").replace("'", "").replace("’", "").isalpha() and first.islower()
    is_name = first.isascii() and bool(_OTHER_SCRIPT.regex.search(text))
    if is_word and not is_name:
        text = text[0].upper() + text[1:]
    if not text or text[-1] in ".!?…)`\"”'。！？」）":
        return text
    return text + ("。" if _HAN_OR_KANA.regex.match(text[-1]) else ".")
