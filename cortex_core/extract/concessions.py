"""Turns in which the agent concedes: the user was right, and what it said before was wrong.

What the agent states right after the concession is how it is; its own words name what the user only
pointed at. What it had concluded before is withdrawn.
"""

from __future__ import annotations

import re

from cortex_core.base.text import content_words, facts
from cortex_core.extract import claims, kinds, wording
from cortex_core.extract.grammar import Grammar, grammar_of
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.extract.wording import plain
from cortex_core.language import statements
from cortex_core.language.detect import language
from cortex_core.language.markdown_parts import without_fences
from cortex_core.language.sentences import sentences
from cortex_core.records.events import Event

_LONGEST_HEARD = 1500
_LONGEST_CLAIM = 3000
_OPENING = 2
"""Sentences of a reply in which a concession may be: further on it is a figure of speech."""
_FOLLOWING = 3
"""Sentences after the concession among which the one is that says how it is."""
_SHARED = 2
"""Content words of the user's that an earlier claim has if the user spoke about it."""
_NEGATION = re.compile(r"\b(?:not|never|no|cannot|only|\w+n't)\b", re.IGNORECASE)
_LOOKING = re.compile(r"\w+ing\b", re.IGNORECASE)
"""How a sentence begins that says what the agent is about: “Looking at …”."""
_AFTER_DASH = re.compile(r"^[^—–:;,]{0,60}?(?:\s[—–-]+|[,;])\s+(?=\S)")


def on_prompt(text: str, state: SessionState) -> None:
    """Keep what the user says, and what the agent said before, until the agent answers."""
    state.heard = {
        "text": text[:_LONGEST_HEARD],
        "claims": str(state.said.get("text", ""))[-_LONGEST_CLAIM:],
    }


def on_assistant(event: Event, state: SessionState, findings: Findings) -> None:
    """File how it is, where the agent's first words after the user's concede; withdraw the rest."""
    heard, state.heard = state.heard, {}
    if not heard or "?" in event.text[-3:]:
        return
    prose = sentences(without_fences(event.text[:2000]))
    said = [one.text for one in prose if not one.bullet]
    grammar = grammar_of(language(" ".join(said[:6])))
    at = next(
        (i for i, one in enumerate(said[:_OPENING]) if grammar and grammar.concedes_in(one)), None
    )
    if grammar is None or at is None:
        return
    user = str(heard["text"])
    _withdraw(str(heard["claims"]), user, findings)
    rest = _AFTER_DASH.sub("", plain(said[at]), count=1)
    following = [rest] if rest != plain(said[at]) else []
    following += [plain(one) for one in said[at + 1 : at + 1 + _FOLLOWING]]
    truth = next((one for one in following if _says_how_it_is(one, grammar)), "")
    if truth:
        findings.add(
            "conceded",
            kinds.kind_of(truth),
            wording.finished(truth),
            source_of(event),
            excerpt=user,
        )


def _withdraw(claims: str, user: str, findings: Findings) -> None:
    """Withdraw those of the agent's earlier claims that the user spoke about."""
    words = set(content_words(user))
    for claim in sentences(without_fences(claims)):
        if len(words.intersection(content_words(claim.text))) >= _SHARED:
            findings.withdraw(claim.text)


def _says_how_it_is(sentence: str, grammar: Grammar) -> bool:
    """Whether a sentence states something of the project that can be understood alone."""
    if not statements.is_complete(sentence) or grammar.is_question(sentence):
        return False
    if grammar.starts_with_pronoun(sentence) or grammar.is_hedged(sentence):
        return False
    if _LOOKING.match(sentence):
        return False
    is_passing = grammar.in_first_person(sentence) or grammar.is_one_off(sentence)
    if is_passing or wording.is_status(sentence) or grammar.is_thin(sentence, 4):
        return False
    if grammar.code == "en" and not (claims.holds(sentence) and claims.stands_alone(sentence)):
        return False
    return bool(facts(sentence) or "`" in sentence or _NEGATION.search(sentence))
