"""Causes of failures that the agent named, joined to the commit that fixes them.

A cause waits: a later diagnosis of the same names replaces it, a fix commit takes it, an edit of
the very code it names outdates it. What still stands at the session's end is a gotcha.
"""

from __future__ import annotations

import re
from typing import Any

from cortex_core.capture.events import Candidate, Event
from cortex_core.capture.rules import wording
from cortex_core.capture.rules.language import is_english
from cortex_core.capture.rules.messages import Message
from cortex_core.capture.rules.state import Found, State, candidate, fingerprint, place
from cortex_core.capture.sentences import mask, sentences
from cortex_core.capture.titles import plain, without_opener
from cortex_core.identifiers import marked_identifiers
from cortex_core.similarity.features import stem

_SIGNAL = re.compile(
    r"\b(?:(?:root |real |actual |underlying |fundamental )?(?:cause|problem|issue|bug|culprit"
    r"|reason)(?: here| there)? (?:is|was)\b|turn(?:s|ed) out\b|caused by\b|because\b|due to\b"
    r"|known (?:bug|issue|limitation|conflict)|(?:doesn't|does not|didn't|did not|don't|do not"
    r"|isn't|never) (?:support|expose|recogni[sz]e|accept|allow|track|handle|propagate|include"
    r"|render|persist|read|load|honou?r)|returns? [^.]{3,60}?(?:,? not |\(not |rather than"
    r"|instead of)|unsupported|(?:only|always) (?:works|fires|runs|loads|applies|reads)|gotcha\b)",
)
"""Read in lower case: twice as fast as ignoring case, over every word the agent said."""
_MECHANISM = re.compile(
    r"\b(?:because|due to|no|no-op|doesn't|does not|don't|do not|isn't|can't|cannot|never|only"
    r"|always|requires?|expects?|returns?|treats?|ignores?|overrides?|resolves?|strips?|drops?"
    r"|reports?|blocks?|unsupported|known|reserved|by default|before|after|unless|instead of|when"
    r"|inside)\b",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:known (?:bug|issue|limitation|conflict)|doesn't support|does not support|unsupported"
    r"|reserved|by design|limitation|compiler bug|upstream|not exposed|isn't exposed|requires"
    r"|gotcha|doesn't (?:track|expose)|in (?:postgres|sqlite|windows|linux|macos|docker))\b",
    re.IGNORECASE,
)
_ACTIVITY = re.compile(
    r"\b(?:added|adding|i added|edit(?:s|ed)?|step \d|next|now|currently|again|pre-existing|old"
    r"|stale|intermediate|unused|unformatted|credo|eslint|rubocop|dialyzer|lint(?:er|ing)?"
    r"|false positive|the user|reviewer|feedback|pre-commit|commit (?:failed|hook))\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^the (?:root |real |actual |underlying |core )?(?:cause|issue|problem|bug|reason)"
    r" (?:(?:is|was|here is|here was) that |is (?:now )?(?:clear|simple)\W{1,4})",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^(?:problem|issue|cause|reason|bug|finding|error) ?#?\d*\s*:\s*", re.IGNORECASE
)
_TAKING = re.compile(
    r"\s*(?:[—–;]|,? so|,? and)\s+(?:let me|i'll|i will|i need|i'm going|let's)\b.*$", re.I
)
_OURS = re.compile(r"\b(?:we|our|us|you|your)\b", re.IGNORECASE)
_LONGEST_TEXT = 20_000
_SHORTEST, _LONGEST = 70, 420
_SAID_SHARE = 0.7
"""Share of a cause's words in a commit message from which the message says it already."""
_REPLACED_WITHIN = 14
"""Events within which a later diagnosis of the same names replaces an earlier one."""


def on_assistant(event: Event, state: State) -> None:
    """Hold the causes that this prose names."""
    if event.sidechain or len(event.text) > _LONGEST_TEXT:
        return
    if not _SIGNAL.search(event.text.lower()) or not is_english(event.text):
        return
    for sentence in sentences(event.text):
        if cause := _cause(sentence.text):
            _hold(cause, event, state)


def _cause(sentence: str) -> str:
    """The sentence as a cause that stands alone; empty when it is none."""
    if not (_SHORTEST - 20 <= len(sentence) <= _LONGEST) or not _SIGNAL.search(
        mask(sentence).lower()
    ):
        return ""
    text = without_opener(_TAKING.sub("", plain(sentence)))
    text = _LEAD.sub("", _LABEL.sub("", text))
    bare = mask(text)
    if len(text) < _SHORTEST or not marked_identifiers(text):
        return ""
    if wording.is_question(text) or wording.is_hedged(bare) or wording.in_first_person(text):
        return ""
    if wording.is_status(bare) or wording.is_one_off(bare) or _ACTIVITY.search(bare):
        return ""
    if not wording.has_verb(bare) or _OURS.search(bare):
        return ""
    if wording.starts_with_pronoun(text) or wording.points_away(bare) or wording.is_fragment(text):
        return ""
    return wording.finished(text) if _MECHANISM.search(bare) else ""


def _hold(cause: str, event: Event, state: State) -> None:
    names = marked_identifiers(cause)
    for held in list(state.causes):
        is_recent = state.count - int(held["at"]) <= _REPLACED_WITHIN
        if (is_recent and names.intersection(held["names"])) or held["text"] == cause:
            state.causes.remove(held)
    state.causes.append(
        {
            "text": cause,
            "names": sorted(names),
            "at": state.count,
            "turn": state.turn,
            "touched": False,
            "prompt": state.prompt,
            **place(event),
        }
    )


def on_edit(event: Event, state: State) -> None:
    """Mark causes outdated by an edit of the code they name."""
    if not state.causes:
        return
    texts = [value for value in event.input.values() if isinstance(value, str)]
    for edit in event.input.get("edits") or ():
        if isinstance(edit, dict):
            texts.extend(value for value in edit.values() if isinstance(value, str))
    changed = "\n".join(texts).casefold()
    for held in state.causes:
        if not held["touched"] and any(name in changed for name in held["names"]):
            held["touched"] = True


def take(message: Message, state: State) -> str:
    """The cause that a fix commit settles, if any; causes its message names are dropped."""
    text = f"{message.subject} {message.body}"
    words, names, taken = _stems(text), marked_identifiers(text), ""
    for held in list(reversed(state.causes)):
        of_cause = _stems(held["text"])
        shared = len(words & of_cause)
        lasts = bool(_LASTING.search(held["text"]))
        if message.is_fix() and not taken and shared >= 2 and held["turn"] == state.turn:
            taken = str(held["text"]) if shared < _SAID_SHARE * len(of_cause) else ""
            state.causes.remove(held)
        elif shared >= _SAID_SHARE * len(of_cause) or (
            not lasts and names.intersection(held["names"])
        ):
            state.causes.remove(held)
    return taken


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, fingerprint(text)))


def standing(state: State, found: Found) -> None:
    """At the session's end: what was not settled is a gotcha."""
    for held in state.causes:
        if held["touched"] and not _LASTING.search(held["text"]):
            found.refuse("cause outdated by an edit")
        else:
            found.add(_candidate(held))
    state.causes = []


def _candidate(held: dict[str, Any]) -> Candidate:
    return candidate(
        "cause",
        "gotcha",
        str(held["text"]),
        held,
        excerpt=held["prompt"],
        untrusted=wording.quotes_document(held["text"]),
    )
