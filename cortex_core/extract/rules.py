"""The extractor that needs no model: `extract` passes a part of a session to every source.

What it hears is pending until the session ends; `settling` decides then what of it is kept.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from cortex_core.extract import (
    commands,
    commits,
    dead_ends,
    forge,
    hearing,
    questions,
    session_end,
    settling,
    summaries,
)
from cortex_core.extract.sources import LATER
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.records.captures import RuleTier
from cortex_core.records.events import Event, Extraction


def extract(
    events: Sequence[Event],
    carry: Mapping[str, Any] = {},
    *,
    final: bool,
    tiers: Mapping[str, RuleTier] = {},
) -> Extraction:
    """What the sources hear in a part of a session, in the order it was said.

    While the session goes on, only what the user asked to remember is returned. The rest is pending
    in `carry`, and settled when the session has ended.

    Args:
        events: the part, in file order.
        carry: the `carry` of the part before; that of the result goes to the next part.
        final: whether the session has ended, or has been quiet for so long that it counts as ended.
        tiers: sources whose candidates do not go where the source's own tier says.
    """
    state = SessionState.load(carry)
    findings = Findings(tiers, settling.loaded(carry.get("pending")))
    for event in events:
        state.count += 1
        _read_event(event, state, findings)
        state.trim()
    # What the session is called is written without a time, at any moment.
    if at := next(
        (each for each in reversed(events) if each.role != "title" and not each.sidechain), None
    ):
        state.last = source_of(at)
    # What waits for the end: a queue that no prompt repeated.
    if final:
        hearing.session_ended(state, findings)
        commits.on_answer(state, findings)
        session_end.session_ended(state, findings)
    # They are tried on what is stored at once, after all else that is stored now.
    later = tuple(each for each in findings.candidates if LATER in each.details)
    findings.candidates = [each for each in findings.candidates if LATER not in each.details]
    candidates = settling.take_outright(findings, state)
    if final:
        candidates += settling.settle(findings, state)
    state.pending = settling.dumped(findings.candidates)
    return Extraction(
        candidates=tuple(candidates),
        later=later,
        carry=state.dump(),
        refused=findings.refused,
        observations=tuple(findings.observations),
    )


def _read_event(event: Event, state: SessionState, findings: Findings) -> None:
    """Pass one event to the sources that read events of its role."""
    session_end.on_event(event, state)
    if event.interrupted:
        state.stopped = True
    elif event.role in ("assistant", "tool_use"):
        state.stopped = False
    if event.role == "assistant" and not event.sidechain:
        state.say(event)
    elif event.role == "tool_use":
        commits.on_tool_use(event, state)
        commands.on_tool_use(event, state)
        forge.on_tool_use(event, state)
        if not event.sidechain:
            questions.on_tool_use(event, state)
    elif event.role == "tool_result":
        # What a form or a forge answers is read by whoever waits for it, shell commands by all.
        if event.tool_id in state.waiting:
            forge.on_tool_result(event, state, findings)
            questions.on_tool_result(event, state, findings)
        commits.on_tool_result(event, state, findings)
        dead_ends.on_ran(commands.on_tool_result(event, state, findings), event, state, findings)
    elif event.role == "human" and not event.sidechain:
        commits.on_answer(state, findings)
        hearing.on_prompt(event, state, findings)
        state.acted.clear()
        state.said = {}
        state.stopped = False
    elif event.role == "queued":
        hearing.on_queued(event, state, findings)
    elif event.role == "title" and not event.sidechain:
        state.title = event.text
    elif event.role == "compaction" and not event.sidechain:
        summaries.on_summary(event, findings)
