"""The offline extractor: one pass over a stretch of a session, one source after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cortex_core.capture.events import EDITS, Event, Extraction
from cortex_core.capture.rules import (
    answers,
    causes,
    commits,
    compaction,
    finals,
    forge,
    notes,
    plans,
    prompts,
)
from cortex_core.capture.rules.folding import fold
from cortex_core.capture.rules.state import Found, State
from cortex_core.reports.curation import RuleTier


def extract(
    events: Sequence[Event],
    carry: Mapping[str, Any] = {},
    *,
    final: bool,
    tiers: Mapping[str, RuleTier] = {},
) -> Extraction:
    """What the rules find in a stretch of a session, in the order it was said.

    `carry` is what the extraction of the stretch before returned; the result's `carry` goes to the
    next one. `final` tells that the session has ended: only then its final answer and the causes
    that no commit settled are taken. `tiers` overrides the rules' own tiers.
    """
    state = State.load(carry)
    found = Found(tiers)
    for event in events:
        state.count += 1
        _take(event, state, found)
    if final:
        finals.turn_ended(state, found)
        causes.standing(state, found)
    candidates = fold(found, state)
    return Extraction(candidates=candidates, carry=state.dump(), refused=found.refused)


def _take(event: Event, state: State, found: Found) -> None:
    """Hand one event to the sources that read its kind."""
    if event.role == "assistant":
        if not event.sidechain:
            state.say(event)
            causes.on_assistant(event, state)
    elif event.role == "tool_use":
        _tool_use(event, state, found)
    elif event.role == "tool_result":
        _tool_result(event, state, found)
    elif event.role == "human" and not event.sidechain:
        said = state.said
        finals.turn_ended(state, found)
        state.said = said
        prompts.on_prompt(event, state, found)
        state.said = {}
    elif event.role == "compaction" and not event.sidechain:
        compaction.on_summary(event, state, found)


def _tool_use(event: Event, state: State, found: Found) -> None:
    commits.on_tool_use(event, state)
    forge.on_tool_use(event, state)
    if event.tool in EDITS:
        causes.on_edit(event, state)
    if not event.sidechain:
        answers.on_tool_use(event, state)
        plans.on_tool_use(event, state)
        notes.on_tool_use(event, state, found)


def _tool_result(event: Event, state: State, found: Found) -> None:
    if event.tool_id in state.waiting:
        forge.on_tool_result(event, state, found)
        answers.on_tool_result(event, state, found)
        plans.on_tool_result(event, state, found)
    commits.on_tool_result(event, state, found)
