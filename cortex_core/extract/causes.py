"""Causes that the agent names: they wait for the fix that settles them.

What a fix settles is told with it. Of the others only lasting limits become memories, when the
session ends: what was wrong with the project's own code is repaired or forgotten by then.
"""

from __future__ import annotations

import re

from cortex_core.base.text import marked_identifiers
from cortex_core.extract import claims, wording
from cortex_core.extract.grammar import Grammar, grammar_of
from cortex_core.extract.messages import CommitMessage
from cortex_core.extract.repetition import fingerprint
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.extract.wording import plain, without_opener
from cortex_core.language import verbs
from cortex_core.language.detect import language
from cortex_core.language.sentences import mask, sentences
from cortex_core.language.stemming import stem
from cortex_core.records.events import Event

_SIGNAL = re.compile(
    r"\b(?:(?:root |real |actual |underlying |fundamental )?(?:cause|problem|issue|bug|culprit"
    r"|reason)(?: here| there)? (?:is|was)\b|turn(?:s|ed) out\b|caused by\b|because\b|due to\b"
    r"|known (?:bug|issue|limitation|conflict)|(?:doesn't|does not|didn't|did not|don't|do not"
    r"|isn't|never) (?:support|expose|recogni[sz]e|accept|allow|track|handle|propagate|include"
    r"|render|persist|read|load|honou?r)|returns? [^.]{3,60}?(?:,? not |\(not |rather than"
    r"|instead of)|unsupported|(?:only|always) (?:works|fires|runs|loads|applies|reads)|gotcha\b)",
)
"""Searched in lower-case text: twice as fast as ignoring case, for every word the agent says."""
_MECHANISM = re.compile(
    r"\b(?:because|due to|no|no-op|doesn't|does not|don't|do not|isn't|can't|cannot|never|only"
    r"|always|requires?|expects?|returns?|treats?|ignores?|overrides?|resolves?|strips?|drops?"
    r"|reports?|blocks?|unsupported|known|reserved|by default|before|after|unless|instead of|when"
    r"|inside)\b",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:known (?:bug|issue|limitation|conflict)|unsupported|reserved|by design|limitation"
    r"|compiler bug|upstream|not exposed|isn['’]t exposed|requires|gotcha|(?:can['’]t|cannot) \w+"
    r"|(?:doesn['’]t|does not|don['’]t|do not) (?:support|track|expose|accept|allow|recogni[sz]e"
    r"|honou?r|persist|propagate)|(?:only|never) \w+s (?:when|if|in|inside|on|from|after|with)"
    r"|(?:ignores|expects|strips|treats) \S+|in (?:postgres|sqlite|windows|linux|macos|docker))\b",
    re.IGNORECASE,
)
"""Limits of a thing that nobody here will repair. A list, because a defect has the same form."""
_ACTIVITY = re.compile(
    r"\b(?:added|adding|i added|edit(?:s|ed)?|step \d|next|now|currently|again|pre-existing|old"
    r"|stale|intermediate|unused|unformatted|credo|eslint|rubocop|dialyzer|lint(?:er|ing)?"
    r"|false positive|the user|reviewer|feedback|pre-commit|commit (?:failed|hook))\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^the (?:root |real |actual |underlying |core )?(?:cause|issue|problem|bug|reason)"
    r" (?:(?:is|was|here is|here was) (?:that |(?=`))|is (?:now )?(?:clear|simple)\W{1,4})",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^(?:problem|issue|cause|reason|bug|finding|error) ?#?\d*\s*:\s*", re.IGNORECASE
)
_ANNOUNCEMENT = re.compile(
    r"\s*(?:[—–;]|,? so|,? and)\s+(?:let me|i'll|i will|i need|i'm going|let's)\b.*$", re.I
)
_SPEAKERS = re.compile(r"\b(?:we|our|us|you|your)\b", re.IGNORECASE)
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
    grammar = _grammar_of_causes(event.text)
    if grammar is None:
        return
    for sentence in sentences(event.text):
        in_english = grammar.code == "en"
        text = _cause(sentence.text) if in_english else _cause_by_table(sentence.text, grammar)
        if text:
            _hold_cause(text, event, state)


def _grammar_of_causes(text: str) -> Grammar | None:
    """The grammar by which `text` is read, if it may name a cause at all."""
    if text.isascii() and not _SIGNAL.search(text.lower()):
        return None
    grammar = grammar_of(language(text))
    if grammar is None or grammar.code == "en":
        return grammar if _SIGNAL.search(text.lower()) else None
    return grammar if grammar.names_cause(text) else None


def _cause_by_table(sentence: str, grammar: Grammar) -> str:
    """As `_cause`, in a language other than English."""
    text = plain(sentence)
    if len(text) > _LONGEST_CAUSE or grammar.is_thin(text, _FEWEST_WORDS):
        return ""
    if not grammar.names_cause(text) or not marked_identifiers(text) or grammar.is_question(text):
        return ""
    if grammar.is_hedged(text) or grammar.in_first_person(text) or grammar.is_one_off(text):
        return ""
    if grammar.starts_with_pronoun(text) or grammar.points_away(text):
        return ""
    return "" if wording.is_fragment(text) else wording.finished(text)


def _cause(sentence: str) -> str:
    """The sentence as a cause that can be understood alone; empty if it is none."""
    if not (_SHORTEST_CAUSE - 20 <= len(sentence) <= _LONGEST_CAUSE) or not _SIGNAL.search(
        mask(sentence).lower()
    ):
        return ""
    text = without_opener(_ANNOUNCEMENT.sub("", plain(sentence)))
    text = _LEAD.sub("", _LABEL.sub("", text))
    bare = mask(text)
    if len(text) < _SHORTEST_CAUSE or not marked_identifiers(text):
        return ""
    if wording.is_question(text) or wording.is_hedged(bare) or wording.in_first_person(text):
        return ""
    if wording.is_status(bare) or wording.is_one_off(bare) or _ACTIVITY.search(bare):
        return ""
    if not verbs.has_verb(bare) or _SPEAKERS.search(bare):
        return ""
    if wording.starts_with_pronoun(text) or wording.points_away(bare) or wording.is_fragment(text):
        return ""
    return wording.finished(text) if _MECHANISM.search(bare) else ""


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
        is_lasting = bool(_LASTING.search(cause["text"]))
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
        if not _lasts(text, touched=bool(cause["touched"])):
            findings.refuse("cause of what will be repaired")
        elif language(text) == "en" and not claims.holds(text):
            findings.refuse("cause of what has passed")
        else:
            untrusted = wording.quotes_document(text)
            findings.add("cause", "gotcha", text, cause, untrusted=untrusted)
    state.causes = []


def _lasts(text: str, *, touched: bool) -> bool:
    """Whether a cause will still hold: a limit, or, in languages without a table of limits, of code
    that was not touched after it was named."""
    if language(text) != "en":
        return not touched
    return bool(_LASTING.search(text)) and not verbs.is_order(text)
