"""Commit messages as memories: prefix, ticket and trailers off, trivial ones refused."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cortex_core.base.text import clean
from cortex_core.extract.markdown import unwrapped
from cortex_core.extract.sentences import cut
from cortex_core.extract.wording import is_thin

LONGEST = 900
"""Most characters of a commit's memory."""

_SHORTEST_BODY = 60
"""A body below this explains nothing."""
_TYPES = (
    "feat|feature|fix|bugfix|hotfix|docs?|style|refactor|perf|tests?|build|ci|chore|revert|security"
    "|deps?|release|wip|improvement|enhancement|infra|ops|config|ui|ux|types?|i18n|data"
)
_PREFIX = re.compile(rf"^({_TYPES})(?:\(([^()\n]{{1,60}})\))?(!?):\s+", re.IGNORECASE)
_GITMOJI = re.compile(r"^(?::[a-z0-9_+-]{2,40}:|[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f])+\s*")
_TICKET_FIRST = re.compile(r"^(?:\[?[A-Z][A-Z0-9]{1,9}-\d+\]?|\[?#\d+\]?|GH-\d+)\s*[:\-–]?\s+")
_TICKET_LAST = re.compile(r"\s*[(\[](#?[\w./-]{2,40})[)\]]\s*$")
_TRAILER = re.compile(
    r"^(?:[A-Z][a-z]+(?:-[A-Za-z]+)*-[Bb]y|Change-Id|Claude-Session|Cc|Refs?|References|Related"
    r"|Issues?|Closes?|Fixes|Resolves|Ticket|Jira|Bead|See-also|Task|Session-Id|[A-Z][a-z]+-"
    r"(?:Session|Checkpoint|Agent|Id|Link|Url|Metadata)(?:-\w+)?)\b:?\s+\S.{0,200}$"
    r"|^\W*(?:Generated|Created|Written|Made) (?:with|by|using) \[?.{0,120}$|^https://claude\.\S+$"
)
_TRIVIAL = re.compile(
    r"^(?:wip\b|merge\b|revert\b|bump\b|fixup!|squash!|release\b|initial commit|init\b|first commit"
    r"|v?\d+\.\d+|sync\b|checkpoint\b|save\b|tmp\b|temp\b|test$|update$|changes$|\.+$)",
    re.IGNORECASE,
)
_SMALL = re.compile(
    r"\b(?:typos?|formatt?(?:ing|ed)?|prettier|whitespace|lint(?:ing|er)?|unused|comments?"
    r"|docstrings?|\.?gitignore|changelog|stray|dead code|spelling|wording|snapshots?|lock ?files?"
    r"|version bump|(?:restore|remove|rename|move|update|modify) (?:\w+ )?[\w.-]+\.(?:txt|md)\b"
    r"|review (?:feedback|comments)|nits?|clean ?up)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since|so that|so the|to avoid|avoids?|to prevent|prevent(?:s|ed|ing)?|instead of"
    r"|rather than|otherwise|without (?:this|it|which|the)|never|always|must|requires?|required"
    r"|needs?|needed|cannot|can't|only|not subject to|fails?|failed|broke|breaks?|due to|caused? by"
    r"|workaround|limit(?:ation|ed|s)?|unsupported|doesn't|does not|don't|do not|no longer"
    r"|until)\b",
    re.IGNORECASE,
)
_FIX = re.compile(
    r"^(?:fix|repair|resolve|correct|prevent|avoid|handle|stop|guard|unbreak|work around|restore)"
    r"(?:es|ed|s)?\b",
    re.IGNORECASE,
)
_MINOR = frozenset({"test", "tests", "docs", "doc", "style", "wip", "release", "revert"})


@dataclass(frozen=True, slots=True)
class Message:
    """A commit message, taken apart."""

    subject: str
    body: str
    """Unwrapped, without trailers; empty where it explains nothing."""
    type: str = ""
    """The conventional type, lower case."""
    scope: str = ""

    def is_fix(self) -> bool:
        """Whether the commit solved something."""
        if self.type:
            return self.type in ("fix", "bugfix", "hotfix", "security")
        return bool(_FIX.match(self.subject))

    def refusal(self) -> str:
        """Why the commit is not worth a memory; empty when it is."""
        if _TRIVIAL.match(self.subject) or self.type in ("wip", "release", "revert"):
            return "trivial commit"
        if self.type not in ("feat", "feature", "perf") and _SMALL.search(self.subject):
            return "trivial commit"
        if is_thin(self.subject, 2):
            return "trivial commit"
        reasoned = _REASON.search(f"{self.subject} {self.body}")
        if self.type in _MINOR and not (self.body and reasoned):
            return "minor commit"
        if not self.body and not (reasoned or (self.type and not is_thin(self.subject, 4))):
            return "commit without a body"
        return ""

    def content(self) -> str:
        """The message as one text: the subject as a sentence, then the body."""
        subject = self.subject if self.subject.endswith((".", "!", "?")) else f"{self.subject}."
        return cut(f"{subject}\n{self.body}" if self.body else subject, LONGEST)


def parse(text: str, *names: str) -> Message | None:
    """The parts of a commit message; None without one.

    `names` are texts, such as the branch and the prompt, whose words tell a ticket's name from
    an ordinary bracket at the end of the subject.
    """
    lines = clean(text).strip().split("\n")
    subject = " ".join(_GITMOJI.sub("", lines[0].strip()).split())
    if not subject:
        return None
    prefix = _PREFIX.match(subject)
    kind, scope = (prefix[1].lower(), prefix[2] or "") if prefix else ("", "")
    subject = subject[prefix.end() :] if prefix else subject
    subject = _without_ticket(_GITMOJI.sub("", subject), names)
    body = _body(lines[1:])
    return Message(
        subject=_capital(subject),
        body=body if len(body) >= _SHORTEST_BODY else "",
        type=kind,
        scope=scope.strip().lower(),
    )


def _capital(subject: str) -> str:
    first = subject.split(None, 1)[0] if subject else ""
    return subject[:1].upper() + subject[1:] if first.isalpha() and first.islower() else subject


def _without_ticket(subject: str, names: tuple[str, ...]) -> str:
    subject = _TICKET_FIRST.sub("", subject)
    last = _TICKET_LAST.search(subject)
    if last is None:
        return subject
    word = last[1]
    is_ticket = word.startswith("#") or re.fullmatch(r"[A-Za-z]+-[\w.]*\d[\w.]*|\d+", word)
    is_named = "-" in word and any(word.split(".")[0] in name for name in names)
    return subject[: last.start()] if is_ticket or is_named else subject


def _body(lines: list[str]) -> str:
    """The body without trailers and signatures, wrapped lines joined."""
    kept = [line for line in lines if not _TRAILER.match(line.strip())]
    return unwrapped("\n".join(kept))
