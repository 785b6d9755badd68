"""Messages of commits and pull requests: their parts, and what of them is worth a memory: the cause
of what a fix solved, or a decision with its reason.
"""

from dataclasses import dataclass
from itertools import groupby, islice
from typing import Literal, NamedTuple

from cortex_core.base.text import clean, content_words, one_line
from cortex_core.extract import claims, wording
from cortex_core.language import signals, verbs
from cortex_core.language.detect import language
from cortex_core.language.markdown_parts import unwrapped, without_fences
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import blocks, cut, mask, sentences, split

LONGEST = 900
"""Most characters of what a commit's message says."""

_TYPES = (
    "feat|feature|fix|bugfix|hotfix|docs?|style|refactor|perf|tests?|build|ci|chore|revert|security"
    "|deps?|release|wip|improvement|enhancement|infra|ops|config|ui|ux|types?|i18n|data"
)
_PREFIX = Pattern(
    "type and scope of a commit",
    rf"^({_TYPES})(?:\(([^()\n]{{1,60}})\))?(!?):\s+",
    finds="fix(auth): limit logins",
    spares="limit logins",
)
_TRAILER = Pattern(
    "trailer",
    r"^(?:[A-Z][a-z]+(?:-[A-Za-z]+)*-[Bb]y|Change-Id|Claude-Session|Cc|Refs?|References|Related"
    r"|Issues?|Closes?|Fixes|Resolves|Ticket|Jira|Bead|See-also|Task|Session-Id|[A-Z][a-z]+-"
    r"(?:Session|Checkpoint|Agent|Id|Link|Url|Metadata)(?:-\w+)?)\b:?\s+\S.{0,200}$"
    r"|^\W*(?:Generated|Created|Written|Made) (?:with|by|using) \[?.{0,120}$|^https://claude\.\S+$",
    finds="Co-Authored-By: Ann <a@b.test>",
    spares="It is so: done",
    flags=0,
)
_TRIVIAL = Pattern(
    "message that says nothing",
    r"^(?:wip\b|merge\b|bump\b|fixup!|squash!|release\b|initial commit|init\b|first commit"
    r"|v?\d+\.\d+|sync\b|checkpoint\b|save\b|tmp\b|temp\b|test$|update$|changes$|\.+$)",
    finds="wip",
    spares="Stop the leak",
)
"""Subjects that say nothing of what was done; nothing else in such a message does."""
_FIXES = ("fix", "bugfix", "hotfix", "security")
_FIX = Pattern(
    "verb of a fix",
    r"^(?:fix|repair|resolve|correct|prevent|avoid|handle|stop|guard|unbreak|work around|restore)"
    r"(?:es|ed|s)?\b",
    finds="Fixes the leak",
    spares="The leak",
)
_REVERT = Pattern(
    "revert",
    r"^revert\b(?: commit)?:?\s*[\"“']?(.*?)[\"”']?$",
    finds='Revert "Add it"',
    spares="Add it",
)
_REVERTED_HASH = Pattern(
    "commit that was reverted",
    r"\breverts commit ([0-9a-f]{7,40})\b",
    finds="This reverts commit 1a2b3c4.",
    spares="in commit 1a2b3c4",
)


class CommitLesson(NamedTuple):
    """What a message is worth remembering for."""

    kind: Literal["solution", "decision"]
    title: str
    """Empty where the content's first sentence is the title."""
    content: str


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """A message in its parts."""

    subject: str
    body: str
    """Unwrapped, without trailers."""
    type: str = ""
    """The type of a conventional commit, in lower case."""
    scope: str = ""

    def is_fix(self) -> bool:
        """Whether the commit solved something."""
        return self.type in _FIXES if self.type else bool(_FIX.regex.match(self.subject))

    def is_trivial(self) -> bool:
        """Whether it says nothing of what was done."""
        empty = _TRIVIAL.regex.match(self.subject) or self.type in ("wip", "release")
        return bool(empty) or (not self.body and len(set(content_words(self.subject))) < 2)

    def reverted(self) -> tuple[str, str]:
        """Subject and hash of the commit that this one takes back, each empty if it is not named.

        Git writes both; who takes a commit back by hand often names the subject alone.
        """
        found, hashed = _REVERT.regex.match(self.subject), _REVERTED_HASH.regex.search(self.body)
        named = parse(found[1] if found else self.subject if self.type == "revert" else "")
        return named.subject if named else "", hashed[1] if hashed else ""

    def tags(self) -> tuple[str, ...]:
        """The scope as a tag: the part of the project, or none where it is the number of a task."""
        return (self.scope,) if any(map(str.isalpha, self.scope)) else ()

    def content(self) -> str:
        """The message as one text: the subject as a sentence, then the body."""
        said = wording.finished(self.subject)
        return cut(f"{said}\n{self.body}" if self.body else said, LONGEST)


def parse(text: str) -> CommitMessage | None:
    """The parts of the message `text`; None if it is empty."""
    lines = clean(text).strip().split("\n")
    subject = one_line(lines[0])
    if not subject:
        return None
    prefix = _PREFIX.regex.match(subject)
    kind, scope = (prefix[1].lower(), prefix[2] or "") if prefix else ("", "")
    subject = wording.capital(subject[prefix.end() :] if prefix else subject)
    # Without trailers and signatures, wrapped lines joined.
    body = "\n".join(line for line in lines[1:] if not _TRAILER.regex.match(line.strip()))
    return CommitMessage(subject, unwrapped(body), kind, scope.strip().lower())


# --- the lesson

_MOST_SENTENCES = 3
_SHORTEST = 30
"""Characters; a shorter sentence explains nothing by itself."""
_LONGEST_LESSON = 600
_OPENING = 3
"""Paragraphs, headings and list items in which an answer says first what was wrong."""

_SMALL = Pattern(
    "change of form",
    r"\b(?:typos?|formatt?(?:ing|ed)?|prettier|whitespace|lint(?:ing|er)?|unused|comments?"
    r"|docstrings?|\.?gitignore|changelog|stray|dead code|spelling|wording|snapshots?|lock ?files?"
    r"|version bump|review (?:feedback|comments)|nits?|clean ?up)\b",
    finds="Fix typos",
    spares="Fix the leak",
)
"""Chores, whose reasons nobody looks for later. A list, because their messages have the form of
any other."""
_INTERIM = Pattern(
    "what is meant for a time",
    r"\b(?:interim|temporar(?:y|ily)|for now|stop-?gap|will be (?:superseded|replaced|removed)"
    r"|until (?:then|we|the|a)|for the time being)\b",
    finds="for now",
    spares="now",
)
"""Words of a message that says itself that it will not hold."""
_FINITE = Pattern(
    "finite verb",
    r"\b(?:is|are|was|were|has|had|does|did|can|could|will|would|must|may|might|should|cannot"
    r"|won['’]t|(?:is|are|was|were|does|did|do|has|had|could|would|should|ca)n['’]t)\b",
    finds="it is slow",
    spares="slow start",
)
"""Verbs that cannot be a noun or a participle as well, which makes them safe to count on."""
_OF_THE_CHANGE = Pattern(
    "what is said of the change itself",
    r"^(?!(?:this|these) (?:is|are|was|were)\b)"
    r"(?:(?:this|these|that|those|it|also|together|additionally|furthermore|found|note)\b"
    r"|(?:the|all|both) (?:new|existing|change|fix|commit|test|suite|refactor|update)s?\b"
    r"|[\s\S]*\bnow\b)",
    finds=("This adds it", "Locks now leak"),
    spares=("Locks leak", "This is now a leak"),
)
"""Sentences that speak of the change, not of what was wrong or why it was chosen."""
_GOES_ON = Pattern(
    "sentence that goes on",
    r"^(?:this|that|these|it|so|then|thus|therefore|hence)\b",
    finds="So it is slow",
    spares="Locks leak",
)
"""How a sentence begins that needs the one before it."""
_WHY = Pattern(
    "reason",
    r"\b(?:because|since|so that|due to|instead of|rather than|otherwise|to avoid|to prevent"
    r"|without|would|no longer|never|must|cannot|can['’]t|won['’]t|doesn['’]t|by default"
    r"|even (?:if|when|though)|in favou?r of)\b"
    r"|потому что|так как|поскольку|из-за|чтобы|вместо"
    r"|\b(?:weil|denn|damit|statt|wegen|sonst|porque|para que|en lugar de|en vez de|debido a|ya que"
    r"|parce que|car|afin de|au lieu de|sinon|para evitar|em vez de|pois)\b"
    r"|因为|由于|以免|避免|而不是|ので|ため|代わりに|때문|대신|위해",
    finds="because it is slow",
    spares="it is slow",
)
"""Words that introduce a reason. A list, because a reason has no other form."""
_WRONG = Pattern(
    "what went wrong",
    r"\b(?:not|no|never|only|wrong\w*|fail\w*|broke\w*|break\w*|crash\w*|lost|los(?:e|es|ing)"
    r"|lack\w*|miss(?:es|ed|ing)|reject\w*|refus\w*|ignor\w*|overr[io]d\w*|overwr\w*|caus(?:e|es|ed|ing)"
    r"|stale|invalid|empty|duplicat\w*|leak\w*|hang\w*|hung|stuck|race|timeouts?"
    r"|time out|timed out|twice|was|were|so|unable|conflict\w*|mismatch\w*|instead|while|but"
    r"|\w+n['’]t)\b|\b(?:не|нет|ни|без|нельзя|ошибк\w*|пада\w*|теря\w*|nicht|kein\w*|ohne|aber"
    r"|nur|deshalb|no|nunca|sin|solo|pero|pas|jamais|sans|mais|não|sem|mas)\b|不|没|无|ない|せず|않|없",
    finds="it crashes",
    spares="it works",
)
"""Words of a sentence that says what was wrong: negation, contrast, failure, what it led to, or a
state that is over."""


def lesson(message: CommitMessage) -> CommitLesson | None:
    """What the message is worth remembering for; None where it only says what was done.

    A fix is worth its cause, anything else the reason of a choice, each as the message says it in
    full sentences.
    """
    if _SMALL.is_in(message.subject) or _INTERIM.is_in(f"{message.subject}. {message.body}"):
        return None
    # Of a fix one wants to know what was wrong, of anything else why it was chosen.
    is_fix = message.is_fix()
    told = _explanation(message.body, _WRONG if is_fix else _WHY)
    explained = cut(" ".join(told), _LONGEST_LESSON)
    if len(explained) < _SHORTEST:
        return None
    done, code = message.subject.rstrip("."), language(explained)
    if is_fix:
        # It is known by its cause: the subject alone would read as an order.
        return CommitLesson("solution", "", f"{explained}\n{signals.said('fix', code, text=done)}.")
    is_choice = code != "en" or signals.search("choice", explained, "en")
    return (
        None
        if (not is_choice or signals.search("chore_commit", done, "en"))
        else CommitLesson("decision", done, f"{done}: {explained}")
    )


def cause(answer: str) -> CommitLesson | None:
    """What the answer at the end of a turn says was wrong, if it opens with that; else None."""
    for block in islice(blocks(without_fences(answer)), _OPENING):
        said = [wording.finished(wording.plain(each)) for each in split(block.text)]
        named = [
            at
            for at, text in enumerate(said)
            if signals.search("cause", text, "en") and claims.stands_alone(text)
        ]
        if named:
            told = said[named[0] :][:_MOST_SENTENCES]
            return CommitLesson("solution", "", cut(" ".join(told), _LONGEST_LESSON))
    return None


def _explanation(body: str, wanted: Pattern) -> list[str]:
    """The sentences of the first passage of `body` that says how something is or was.

    A passage is a paragraph with one of the `wanted` words, without orders and reports of work; a
    list item counts only if it is one full sentence.
    """
    in_english = language(body) == "en"
    for _, block in groupby(sentences(body), key=lambda sentence: sentence.block):
        told: list[str] = []
        explains = False
        for sentence in block:
            text = wording.plain(sentence.text)
            bare = mask(text)
            goes_on = bool(told) and _goes_on(bare)
            states = not in_english or _says_how_it_is(text, bare, sentence.bullet)
            if goes_on or (states and not (sentence.bullet and not in_english)):
                told.append(wording.finished(text))
                explains |= wanted.is_in(bare) and not wording.is_thin(text, 4)
        if explains:
            return told[:_MOST_SENTENCES]
    return []


def _goes_on(bare: str) -> bool:
    """Whether a sentence goes on about what was wrong: “This caused …”, not “This ensures …”."""
    lead = _GOES_ON.regex.match(bare)
    verb = bare[lead.end() :].strip().partition(" ")[0].casefold() if lead else ""
    is_present = verb.endswith("s") and bool(verbs.base(verb))
    return bool(verb) and not is_present and bool(verbs.base(verb) or _FINITE.regex.search(bare))


def _says_how_it_is(text: str, bare: str, is_item: bool) -> bool:
    """Whether a sentence of a message states something, and is no order and no report of work."""
    is_of_the_change = _OF_THE_CHANGE.is_in(bare)
    is_open = wording.is_question(text) or wording.is_fragment(text) or wording.HEDGED.is_in(bare)
    first = bare.partition(" ")[0].casefold()
    if is_of_the_change or is_open or verbs.is_verb(first) or verbs.base(first):
        return False
    return bool(_FINITE.regex.search(bare)) if is_item else verbs.has_verb(text)
