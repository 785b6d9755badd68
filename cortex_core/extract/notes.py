"""What the agent notes for itself through memory and journal tools of others.

Cortex's own tools are left out: what they are given is stored already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from cortex_core.base.languages import language
from cortex_core.base.text import clean
from cortex_core.extract import wording
from cortex_core.extract.sentences import cut, items, mask, without_fences
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.extract.wording import is_generic, plain
from cortex_core.transcripts.events import Event

_MEMORY_TOOL = re.compile(
    r"(?:^|_)(?:remember|memori[sz]e|(?:save|add|store|create|write)_memor(?:y|ies)|memory_(?:add"
    r"|save|store|write|create)|add_observations?|create_entities|write_note|store_fact|learn)$",
    re.IGNORECASE,
)
_JOURNAL_TOOL = re.compile(
    r"(?:^|_)(?:process_thoughts|journal_(?:add|write|entry)|write_journal|add_entry)$",
    re.IGNORECASE,
)
_CORTEX_TOOL = re.compile(r"cortex", re.IGNORECASE)
_PRIVATE_KEYS = re.compile(
    r"feeling|emotion|mood|name$|^id$|type|tag|key|path|project$", re.IGNORECASE
)
_DURABLE = re.compile(
    r"\b(?:must(?:-haves?)?|never|always|prefer\w*|wants?|hates?|likes?|values?|required?|requires"
    r"|essential|non-negotiable|critical|decid\w+|decision|chose|not \w+ing|instead of|rather than"
    r"|because|separable|constraint|remember|avoid|key (?:insight|architectural)|only|don't|doesn't"
    r"|cannot|can't|table stakes|fully|important|gotcha|lesson|convention)\b",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"\b(?:let me|i need to|i should|i'll|i was|i've been|i missed|i feel|need to (?:check|evaluate"
    r"|look|explore)|next steps?|open question|to explore|could mean|confus\w+|strange|weird"
    r"|uncommitted|current state|undecided|research phase|unclear|excited|is (?:cool|great)"
    r"|looking for)\b",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(r"^[^.:\n]{10,90}:\s*$")
_MOST_NOTES = 6


def on_tool_use(event: Event, state: SessionState, findings: Findings) -> None:
    """File the parts of a note that are worth keeping."""
    if not event.tool or _CORTEX_TOOL.search(event.tool) or event.tool == "Bash":
        return
    is_memory = bool(_MEMORY_TOOL.search(event.tool))
    if not is_memory and not _JOURNAL_TOOL.search(event.tool):
        return
    taken = 0
    for passage in filter(language, _prose_arguments(event.input)):
        parts = [_joined(passage)] if is_memory else list(_passages(passage))
        for about, text in parts:
            if taken < _MOST_NOTES and _is_worth(text, is_memory):
                content = wording.finished(cut(text, 600))
                findings.add(
                    "note",
                    "insight",
                    content,
                    source_of(event),
                    about=about,
                    excerpt=state.prompt,
                    untrusted=wording.quotes_document(content),
                )
                taken += 1
            elif text:
                findings.refuse("note without a lesson")


def _prose_arguments(arguments: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    """The prose among a tool's arguments, also inside lists and objects."""
    for key, value in arguments.items():
        if _PRIVATE_KEYS.search(key):
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str) and len(item) > 20:
                yield clean(item)[:12_000]
            elif isinstance(item, dict) and depth < 2:
                yield from _prose_arguments(item, depth + 1)


def _joined(passage: str) -> tuple[str, str]:
    return "", " ".join(plain(line) for line in without_fences(passage).split("\n") if line.strip())


def _passages(passage: str) -> Iterator[tuple[str, str]]:
    """The passages of a journal entry, each after the heading above it.

    A heading and the list below it are one passage; so is a numbered item with its own list.
    """
    about, is_doubtful = "", False
    for block in re.split(r"\n\s*\n", without_fences(passage)):
        lines = [line for line in block.split("\n") if line.strip()]
        if not lines:
            continue
        if lines[-1].rstrip().endswith(":") and not items(lines[-1]):
            about = plain(lines[-1]).rstrip(": ") if _LEAD_IN.match(plain(lines[-1])) else ""
            is_doubtful = wording.is_hedged(lines[-1]) or bool(_PASSING.search(lines[-1]))
            continue
        if is_doubtful and items(block):
            continue
        listed = items("\n".join(lines[1:]))
        if listed and not items(lines[0]):
            head = plain(lines[0]).rstrip(": ")
            name = about if is_generic(head) else head
            parts = "; ".join(plain(item.whole()).rstrip(" .;") for item in listed[:6])
            yield name, f"{name}: {parts}"
        else:
            for item in items(block) or []:
                yield about, plain(item.whole())
            if not items(block):
                yield about, plain(" ".join(lines))


def _is_worth(text: str, is_memory: bool) -> bool:
    bare = mask(text)
    if wording.is_fragment(text) or wording.is_thin(text, 3 if is_memory else 6):
        return False
    if is_memory:
        return len(text) >= 20
    if len(text) < 60 or _PASSING.search(bare) or wording.is_question(text):
        return False
    return bool(_DURABLE.search(bare)) and not wording.starts_with_pronoun(text)
