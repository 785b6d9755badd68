"""What lasts of the agent's final answers: what was wrong and why, and what the user agreed to.

Heard are answers that the agent marks as final, because on the way it guesses.
"""

from __future__ import annotations

from cortex_core.extract import claims, hearing, messages, wording
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.language import signals
from cortex_core.language.detect import language
from cortex_core.language.markdown_parts import without_fences
from cortex_core.language.sentences import blocks, cut, mask, sentences
from cortex_core.records.events import Event


def on_answer(event: Event, state: SessionState, findings: Findings) -> None:
    """File the passage of a final answer that says what caused something, or what limits it."""
    code = language(event.text)
    if event.input.get("final") and code:
        said = _with_causes(event.text, code)
        told = messages.explanation(said, lambda bare: bool(signals.search("kind", bare, code)))
        # “I fixed that by …” says nothing without what it is about.
        if told and (told[1:] or signals.kind_of(told[0], code) != "solution"):
            content = cut(" ".join(told), messages.LONGEST_LESSON)
            findings.add("finding", "gotcha", content, {**source_of(event), "prompt": state.prompt})


def _with_causes(answer: str, code: str) -> str:
    """An answer in which “Cause:” and what is listed below it are one paragraph.

    Items of other lists are steps, or what a review found, which is mended next.
    """
    said: list[str] = []
    is_cause = False
    for block in blocks(without_fences(answer)):
        if block.kind != "bullet":
            is_cause = block.text.endswith(":") and bool(signals.search("kind", block.text, code))
            said.append(block.text)
        elif is_cause:
            said[-1] += f" {block.text.rstrip('.;')};"
    return "\n\n".join(said)


def on_prompt(event: Event, state: SessionState, findings: Findings) -> None:
    """File what the last answer proposed with its reason, if the prompt agrees to it."""
    code, said = language(event.text), str(state.said.get("text", ""))
    reply = signals.without_lead(event.text.strip(), code)
    agrees = signals.search("agrees", reply, code) and "?" not in reply
    if not (agrees and state.said.get("final")) or len(reply) > hearing.LONGEST_LATER:
        return
    # What says how something is to be, and why or over what: the last of it is the conclusion.
    proposed = [
        text
        for text in (wording.plain(one.text) for one in sentences(without_fences(said)))
        if all(signals.search(name, mask(text), code) for name in ("proposes", "choice"))
        and not signals.search("pointing", text.partition("because")[0], code)
        and claims.stands_alone(text)
    ]
    if proposed:
        content = wording.finished(proposed[-1])
        findings.add("agreed", "decision", content, {**state.said, "prompt": event.text})
