"""Plans a person approved: their approach and decisions, which outlast the steps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cortex_core.capture.events import Event
from cortex_core.capture.rules.markdown import Section, is_item, sections, unwrapped, without_fences
from cortex_core.capture.rules.state import Found, State, candidate, place
from cortex_core.capture.sentences import cut
from cortex_core.capture.titles import plain
from cortex_core.text import clean

LONGEST = 900
"""Most characters of a plan's memory."""

_SHORTEST = 60
_APPROVED = re.compile(r"^\W*(?:user has approved|plan approved|the user approved)", re.IGNORECASE)
_IN_RESULT = re.compile(r"^#{1,6}[ \t]*Approved Plan.*$", re.IGNORECASE | re.MULTILINE)
_FIRST_CHOICE = re.compile(
    r"\b(?:approach|strategy|decisions?|design|architecture|solution|trade-?offs?|constraints?"
    r"|rationale|principles|why|non-goals|no-gos|out of scope|key (?:points|ideas?|insights?)"
    r"|recommend\w*)\b",
    re.IGNORECASE,
)
_SECOND_CHOICE = re.compile(
    r"\b(?:goal|summary|overview|what (?:to|we)|proposal|objective|implementation|components?"
    r"|changes)\b",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"\b(?:files?|verif\w+|test\w*|steps?|checklist|rollout|risks?|open questions|references"
    r"|critical files|background|context|problem|current state|execution order|tasks?|timeline"
    r"|estimate|phase)\b",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"^(?:implementation |the |my )?plan\s*(?:for|of|to)?\s*[:\-–—]*\s+", re.IGNORECASE
)
_TICKET = re.compile(r"\s*\([\w#./-]{2,40}\)\s*$")


def on_tool_use(event: Event, state: State) -> None:
    """Hold a plan until the person has approved it."""
    if event.tool != "ExitPlanMode":
        return
    plan = event.input.get("plan")
    text = plan[:30_000] if isinstance(plan, str) else ""
    state.waiting[event.tool_id] = {
        "kind": "plan", "text": text, "prompt": state.prompt, **place(event)
    }  # fmt: skip


def on_tool_result(event: Event, state: State, found: Found) -> None:
    """File the plan if this result approves it."""
    held = state.waiting.get(event.tool_id)
    if held is None or held.get("kind") != "plan":
        return
    del state.waiting[event.tool_id]
    if event.failed or not _APPROVED.match(event.text):
        found.refuse("plan not approved")
        return
    text = str(held["text"])
    if not text and (mark := _IN_RESULT.search(event.text)):
        text = event.text[mark.end() :]
    name, content = digest(text)
    if len(content) < _SHORTEST:
        found.refuse("plan without an approach")
        return
    found.add(candidate("plan", "decision", content, held, name=name, excerpt=held["prompt"]))


def digest(plan: str) -> tuple[str, str]:
    """A plan's name and its lasting part: approach and decisions, else its goal."""
    parts = list(sections(without_fences(clean(plan))))
    named = next((part.name for part in parts if part.level and part.level <= 2), "")
    name = _TICKET.sub("", _TITLE.sub("", plain(named)))
    for wanted in (_FIRST_CHOICE, _SECOND_CHOICE):
        text = "\n".join(filter(None, _passages(parts, wanted)))
        if len(text) >= _SHORTEST:
            lead = f"{name}.\n" if name else ""
            return name, cut(lead + text, LONGEST)
    return name, ""


def _passages(parts: list[Section], wanted: re.Pattern[str]) -> Iterator[str]:
    """The text of the sections whose names are `wanted`, and of those below them."""
    inside = 0
    for part in parts:
        if inside and part.level > inside and not _NEVER.search(part.name):
            yield _passage(part, part.name)
            continue
        inside = 0
        if part.level >= 2 and wanted.search(part.name) and not _NEVER.search(part.name):
            inside = part.level
            yield _passage(part, "")


def _passage(part: Section, name: str) -> str:
    """A section as prose and list items, without the detail below the items."""
    lines: list[str] = []
    for line in unwrapped(part.body).split("\n"):
        if line.strip() and not line.startswith(("  ", "\t", "|")):
            lines.append(plain(line) if not is_item(line) else f"- {plain(line)}")
    text = "\n".join(lines).strip()
    label = plain(name).strip(" :")
    return f"{label}: {text}" if label and text else text
