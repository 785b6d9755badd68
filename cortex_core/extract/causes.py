"""Causes that the agent names: they wait for the fix that settles them.

What a fix settles is told with it. Of the others only lasting limits become memories, when the
session ends: what was wrong with the project's own code is repaired or forgotten by then.
"""

from __future__ import annotations

from cortex_core.base.text import marked_identifiers
from cortex_core.extract import claims, wording
from cortex_core.extract.messages import CommitMessage
from cortex_core.extract.repetition import fingerprint
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.extract.wording import plain, without_opener
from cortex_core.language import signals, verbs
from cortex_core.language.detect import LANGUAGES, language
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import mask, sentences
from cortex_core.language.stemming import stem
from cortex_core.records.events import Event

_ACTIVITY = Pattern(
    "words of the work, not of the thing",
    r"\b(?:added|adding|i added|edit(?:s|ed)?|step \d|next|now|currently|again|pre-existing|old"
    r"|stale|intermediate|unused|unformatted|credo|eslint|rubocop|dialyzer|lint(?:er|ing)?"
    r"|false positive|the user|reviewer|feedback|pre-commit|commit (?:failed|hook))\b",
    finds="now edits the file",
    spares="the cache grows",
)
_LEAD = Pattern(
    "how a cause is led in",
    r"^the (?:root |real |actual |underlying |core )?(?:cause|issue|problem|bug|reason)"
    r" (?:(?:is|was|here is|here was) (?:that |(?=`))|is (?:now )?(?:clear|simple)\W{1,4})",
    finds="The root cause is that the lock is held",
    spares="The lock is held",
)
_LABEL = Pattern(
    "label of a cause",
    r"^(?:problem|issue|cause|reason|bug|finding|error) ?#?\d*\s*:\s*",
    finds="Problem #2: the lock",
    spares="The problem of locks",
)
_ANNOUNCEMENT = Pattern(
    "what the agent will do about it",
    r"\s*(?:[—–;]|,? so|,? and)\s+(?:let me|i'll|i will|i need|i'm going|let's)\b.*$",
    finds="The lock leaks, so let me fix it",
    spares="The lock leaks",
)
_SPEAKERS = Pattern(
    "whoever speaks", r"\b(?:we|our|us|you|your)\b", finds="we use it", spares="they use it"
)
_LONGEST_TEXT = 20_000
_SHORTEST_CAUSE, _LONGEST_CAUSE = 70, 420
_FEWEST_WORDS = 6
"""Content words of a cause that can be understood alone."""
_SAID_SHARE = 0.7
"""Share of a cause's words, from which a commit message that has them says it already."""
_REPLACED_WITHIN = 14
"""Events within which a later diagnosis of the same names replaces an earlier one."""


def on_assistant(event: Event, state: SessionState) -> None:
    """Keep the causes that this prose names until a commit settles them."""
    if event.sidechain or len(event.text) > _LONGEST_TEXT:
        return
    code = "en" if event.text.isascii() else language(event.text)
    if code not in LANGUAGES or not signals.search("cause", event.text.lower(), code):
        return
    for sentence in sentences(event.text):
        if text := _cause(sentence.text, code):
            _hold_cause(text, event, state)


def _cause(sentence: str, code: str) -> str:
    """The sentence as a cause that can be understood alone; empty if it is none."""
    if len(sentence) > _LONGEST_CAUSE or not signals.search("cause", mask(sentence).lower(), code):
        return ""
    text = without_opener(_ANNOUNCEMENT.regex.sub("", plain(sentence)))
    text = _LEAD.regex.sub("", _LABEL.regex.sub("", text))
    if len(text) < _SHORTEST_CAUSE * (code == "en") or not marked_identifiers(text):
        return ""
    is_of_now = any(signals.search(name, text, code) for name in ("question", "passing", "goes_on"))
    if is_of_now or wording.is_fragment(text) or wording.is_thin(text, _FEWEST_WORDS):
        return ""
    if code == "en" and not claims.holds(text):
        return ""
    bare = mask(text)
    return (
        ""
        if _ACTIVITY.regex.search(bare) or _SPEAKERS.regex.search(bare)
        else wording.finished(text)
    )


def _hold_cause(text: str, event: Event, state: SessionState) -> None:
    names = marked_identifiers(text)
    for earlier in list(state.causes):
        is_recent = state.count - int(earlier["at"]) <= _REPLACED_WITHIN
        if (is_recent and names.intersection(earlier["names"])) or earlier["text"] == text:
            state.causes.remove(earlier)
    state.causes.append(
        {
            "text": text,
            "names": sorted(names),
            "at": state.count,
            "turn": state.turn,
            "touched": False,
            "prompt": state.prompt,
            **source_of(event),
        }
    )


def on_edit(event: Event, state: SessionState) -> None:
    """Mark the causes that name edited code: they may be outdated."""
    if not state.causes:
        return
    texts = [value for value in event.input.values() if isinstance(value, str)]
    for edit in event.input.get("edits") or ():
        if isinstance(edit, dict):
            texts.extend(value for value in edit.values() if isinstance(value, str))
    changed = "\n".join(texts).casefold()
    for cause in state.causes:
        if not cause["touched"] and any(name in changed for name in cause["names"]):
            cause["touched"] = True


def settled_cause(message: CommitMessage, state: SessionState) -> str:
    """The cause that a fix settles, to be stored with it; empty without one.

    It is the newest of this turn that shares two words with the message. Dropped are causes that
    the message says already, and those about names it touches, unless they are lasting limits.
    """
    text = f"{message.subject} {message.body}"
    words, names, settled = _stems(text), marked_identifiers(text), ""
    for cause in list(reversed(state.causes)):
        cause_words = _stems(cause["text"])
        shared = len(words & cause_words)
        is_lasting = _is_limit(str(cause["text"]))
        if message.is_fix() and not settled and shared >= 2 and cause["turn"] == state.turn:
            settled = str(cause["text"]) if shared < _SAID_SHARE * len(cause_words) else ""
            state.causes.remove(cause)
        elif shared >= _SAID_SHARE * len(cause_words) or (
            not is_lasting and names.intersection(cause["names"])
        ):
            state.causes.remove(cause)
    return settled


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, fingerprint(text)))


def session_ended(state: SessionState, findings: Findings) -> None:
    """File the lasting limits among the causes that no commit settled, as gotchas."""
    for cause in state.causes:
        text = str(cause["text"])
        # Languages without a table of limits: of code that was not touched after it was named.
        lasts = _is_limit(text) if language(text) == "en" else not cause["touched"]
        if not lasts or verbs.is_order(text):
            findings.refuse("cause of what will be repaired")
        else:
            untrusted = wording.quotes_document(text)
            findings.add("cause", "gotcha", text, cause, untrusted=untrusted)
    state.causes = []


def _is_limit(text: str) -> bool:
    """Whether the English `text` names a limit of a thing that nobody here will repair."""
    return signals.search("limit", text, "en") is not None
