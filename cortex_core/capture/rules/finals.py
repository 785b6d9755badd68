"""The final answer of a turn, where nothing was committed that would say it better.

In a session with commits only the answers to a person's questions are read.
"""

from __future__ import annotations

import re

from cortex_core.capture.rules import wording
from cortex_core.capture.rules.language import is_english
from cortex_core.capture.rules.markdown import sections, without_fences
from cortex_core.capture.rules.state import Found, State, candidate
from cortex_core.capture.sentences import cut, mask, sentences
from cortex_core.capture.titles import is_generic, plain, without_opener
from cortex_core.identifiers import marked_identifiers
from cortex_core.text import clean

LONGEST = 700
"""Most characters of an answer's memory."""

_SHORTEST = 160
_MOST = 4
"""Answers taken from one session."""
_BOAST = re.compile(
    r"\b(?:successfully|production[- ]ready|ready (?:to|for)|all (?:done|tests|checks)"
    r"|complete[d!]?|done[.!]|let me know|feel free|would you like|want me to|try (?:it|again"
    r"|running|restarting)|published|here'?s what|created the following|poem"
    r"|summary of (?:the )?(?:changes|work))\b|[🎉🚀🏆🎯✅]",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"\b(?:because|since|so that|due to|which is why|means|caused?|reason|instead of|rather than"
    r"|only|requires?|must|doesn't|does not|can't|cannot|isn't|never|always|by default|unless"
    r"|expects?|reserved|bypass\w*|resolves?|irrelevant|no built-in|not quite"
    r"|for future reference)\b",
    re.IGNORECASE,
)
_LOCATED = re.compile(
    r"\blines? \d|:\d+(?:-\d+)?\b|\b(?:rule|step|finding|item|option) \d", re.IGNORECASE
)
_DOING = re.compile(
    r"^(?:\W*(?:i(?:'ve|'ll| have| will| am|'m)?|let me|now|next|first|done|added|created|updated"
    r"|fixed|removed|changed|wrote|ran|verified|committed|pushed|gone|restored|step \d|to (?:test"
    r"|run|use|try) )\b)",
    re.IGNORECASE,
)


def turn_ended(state: State, found: Found) -> None:
    """Take the answer that ends a turn, if it explains something and nothing was committed."""
    said = state.said
    state.said = {}
    told, state.turn_committed = state.turn_committed, False
    if state.committed and (told or not state.prompt.rstrip().endswith("?")):
        return
    if not said or state.finals >= _MOST or not state.prompt:
        return
    text = clean(str(said["text"]))
    if len(text) < _SHORTEST or not is_english(text):
        return
    name, content = digest(text)
    if not content:
        found.refuse("final answer explains nothing")
        return
    state.finals += 1
    about = name or state.prompt
    found.add(
        candidate(
            "final",
            "summary",
            content,
            said,
            about=about,
            excerpt=state.prompt,
            untrusted=wording.quotes_document(content),
        )
    )


def digest(text: str) -> tuple[str, str]:
    """A heading and the sentences of an answer that explain; empty where too few do."""
    prose = without_fences(text)
    if prose.rstrip().endswith("?") or len(_BOAST.findall(prose)) >= 2:
        return "", ""
    name = next(
        (part.name for part in sections(prose) if part.name and not is_generic(part.name)), ""
    )  # fmt: skip
    kept = [line for one in sentences(prose) if (line := _lasting(one.text))]
    explaining = [line for line in kept if _EXPLAINS.search(mask(line))]
    if len(explaining) < 2 and sum(map(len, explaining)) < _SHORTEST:
        return "", ""
    if not any(marked_identifiers(line) for line in explaining):
        return "", ""
    content = cut(" ".join(explaining), LONGEST)
    return plain(name), content if len(content) >= _SHORTEST else ""


def _lasting(sentence: str) -> str:
    """The sentence if it says how things are; empty if it reports doing, asks or guesses."""
    text = without_opener(plain(sentence))
    bare = mask(text)
    if wording.is_question(text) or _DOING.match(text) or _BOAST.search(bare):
        return ""
    if wording.is_hedged(bare) or wording.is_status(bare) or wording.in_first_person(text):
        return ""
    if wording.is_fragment(text) or wording.is_thin(text, 4) or not wording.has_verb(bare):
        return ""
    if wording.starts_with_pronoun(text) or wording.points_away(bare) or _LOCATED.search(text):
        return ""
    return wording.finished(text)
