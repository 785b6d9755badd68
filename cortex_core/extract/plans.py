"""Plans that the user approved: what they decide and leave out, not their steps.

A plan is approved by the result of the tool that shows it, or by a prompt that hands it to a new
session (“Implement the following plan:”).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from cortex_core.base.text import clean
from cortex_core.base.tools import PLAN
from cortex_core.extract import claims, kinds, wording
from cortex_core.extract.grammar import Grammar, grammar_of
from cortex_core.extract.kinds import Kind
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.extract.wording import plain
from cortex_core.language import verbs
from cortex_core.language.detect import language
from cortex_core.language.markdown_parts import sections, unwrapped, without_fences
from cortex_core.language.sentences import split
from cortex_core.records.events import Event

MOST_CLAIMS = 6
"""Memories of one plan."""

_SHORTEST = 40
"""Characters below which a sentence of a plan says too little."""
_HANDED_OVER = re.compile(r"\W*implement the following plan:?\s*\n", re.IGNORECASE)
"""How Claude Code begins a session with a plan that was approved in another one."""
_LEFT_OUT = re.compile(
    r"\b(?:out of|not in|outside)\b.{0,12}\bscope\b|\bnon-?goals?\b|\bno-?gos?\b", re.IGNORECASE
)
# What is checked or was so before the plan has the form of a decision.
_NOT_DECIDED = re.compile(
    r"\b(?:verif\w+|test\w*|checklist|risks?|open questions|references|background|context|problem"
    r"|current state|timeline|estimate)\b",
    re.IGNORECASE,
)
# What a section says of the plan, and not of its steps, stands in its name alone.
_DECIDED = re.compile(
    r"\b(?:approach|strategy|decisions?|decided|design|architecture|trade-?offs?|constraints?"
    r"|rationale|principles|why)\b",
    re.IGNORECASE,
)
_STEP = re.compile(r"\s*\d{1,3}[.)]\s")
_TITLE = re.compile(
    r"^(?:implementation |the |my )?plan\s*(?:for|of|to)?\s*[:\-–—]*\s+", re.IGNORECASE
)
_TICKET = re.compile(r"\s*\([\w#./-]{2,40}\)\s*$")


def on_tool_use(event: Event, state: SessionState) -> None:
    """Keep a plan until the user approves it."""
    if event.tool == PLAN:
        plan = event.input.get("plan")
        state.await_result(event, "plan", text=plan[:30_000] if isinstance(plan, str) else "")


def on_tool_result(event: Event, state: SessionState, findings: Findings) -> None:
    """File what the plan decides if this result approves it."""
    call = state.take_awaited(event, "plan")
    if call is None:
        return
    if event.failed or not event.input.get("approved"):
        findings.refuse("plan not approved")
        return
    _file(str(call["text"] or event.input.get("plan", "")), call, findings)


def is_handed_over(prompt: str) -> bool:
    """Whether a prompt is a plan that was approved in another session."""
    return bool(_HANDED_OVER.match(prompt))


def on_prompt(event: Event, findings: Findings) -> None:
    """File what the plan in a prompt decides."""
    if handed := _HANDED_OVER.match(event.text):
        _file(event.text[handed.end() :], source_of(event), findings)


def _file(text: str, where: Mapping[str, Any], findings: Findings) -> None:
    found = decisions(text)
    for decision in found[:MOST_CLAIMS]:
        findings.add("plan", decision.kind, decision.text, where, about=decision.name)
    if not found:
        findings.refuse("plan that decides nothing")


class Decision(NamedTuple):
    """A claim of a plan."""

    kind: Kind
    text: str
    name: str
    """The name of the plan."""


def decisions(plan: str) -> list[Decision]:
    """What a plan demands, denies and leaves out."""
    text = without_fences(clean(plan))
    grammar = grammar_of(language(text))
    if grammar is None:
        return []
    parts = list(sections(text))
    named = next((part.name for part in parts if part.level and part.level <= 2), "")
    name = _TICKET.sub("", _TITLE.sub("", plain(named)))
    found: list[Decision] = []
    for part in parts:
        if _LEFT_OUT.search(part.name):
            told = [f"{plain(part.name)}: {each}" for each in _lines(part.body)]
            found += [Decision("decision", wording.finished(each), name) for each in told]
        elif not _NOT_DECIDED.search(part.name):
            is_decided = bool(_DECIDED.search(part.name))
            said = _sentences(part.body, is_decided)
            found += [_labelled(each, name) for each in said if _decides(each, is_decided, grammar)]
    return found


def _lines(body: str) -> list[str]:
    """The paragraphs and list items of a section as they are, without what is nested below."""
    lines = unwrapped(body).split("\n")
    return [plain(line) for line in lines if line.strip() and not line.startswith(("  ", "\t"))]


def _sentences(body: str, is_decided: bool) -> Iterator[str]:
    """The sentences of a section; a numbered item is a step, unless it is a decision."""
    for line in unwrapped(body).split("\n"):
        if is_decided or not _STEP.match(line):
            yield from split(wording.without_opener(plain(line)))


def _decides(sentence: str, is_decided: bool, grammar: Grammar) -> bool:
    """Whether a sentence demands or denies something; an order outside the decisions is a step."""
    if len(sentence) < _SHORTEST or not claims.stands_alone(sentence):
        return False
    if grammar.code != "en":
        is_passing = grammar.is_one_off(sentence) or grammar.is_hedged(sentence)
        return grammar.states_duty(sentence) and not is_passing
    is_step = verbs.is_order(sentence) and not is_decided
    is_claim = claims.asserts(sentence) and claims.is_rule(sentence)
    return not is_step and is_claim and claims.lasts(sentence)


def _labelled(sentence: str, name: str) -> Decision:
    text = sentence if claims.is_specific(sentence) else claims.labelled(name, sentence)
    kind = kinds.kind_of(sentence)
    return Decision("decision" if kind == "policy" else kind, wording.finished(text), name)
