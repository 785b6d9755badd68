"""Receipts: what was injected into a session, from the hooks' notes, and whether it was used.

A memory was used if something that it adds to the prompt (identifiers, files, rare words, its id)
appears in a reply or a tool call. Without such evidence use stays unknown.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from cortex_core.base import hook_io, text
from cortex_core.base.project import Project
from cortex_core.base.text import identifiers, texts_in
from cortex_core.store import ledger, queries
from cortex_core.store.ledger import Handed
from cortex_core.store.store import Store
from cortex_core.surface import given, wording
from cortex_core.transcripts.events import Event

KEPT_DAYS = 30
"""Days that a session's notes are kept, as long as Claude Code keeps transcripts."""

RARE = 2
"""Most memories that hold a rare word."""

WORDS_NEEDED = 2
"""Rare words that together are evidence of use; one identifier is enough."""

SHORTEST = 5
"""Fewest letters of a rare word."""


class UseSigns(NamedTuple):
    """What is evidence that a memory was used, casefolded."""

    names: frozenset[str]
    """Identifiers, files and the id as it was cited."""
    words: frozenset[str]
    """Rare words."""


def ingest(project: Project, store: Store) -> int:
    """Turn the notes of what was injected into receipts in `store`; returns how many are new.

    Running it again adds nothing. Notes older than `KEPT_DAYS` are removed.
    """
    folder = Path(project.data, given.FOLDER)
    stamp = folder / ".ingested"
    since = stamp.stat().st_mtime - 60 if stamp.exists() else 0.0
    began = time.time()
    added = 0
    for path in sorted(folder.glob("*.jsonl")):
        written = path.stat().st_mtime
        if written >= since:
            added += _ingest_file(store, path)
        if began - written > KEPT_DAYS * 86_400:
            path.unlink(missing_ok=True)
    if folder.exists():
        stamp.touch(mode=0o600)
        os.utime(stamp, (began, began))
    return added


def note_use(
    store: Store, session: str, events: Sequence[Event], stores: Sequence[Store]
) -> list[str]:
    """Mark the memories injected into `session` whose use `events` show; returns their ids.

    Args:
        store: the store of the receipts.
        events: a part of the session, in order.
        stores: the stores of the memories.
    """
    unknown = ledger.unknown_use(store, session)
    evidence_of = {}
    for owner in stores if unknown else ():
        for memory in owner.memories(list(unknown)):
            signs = signs_of(
                memory.id, f"{memory.title}\n{memory.content}",
                (*memory.context.files, *memory.globs),
                partial(queries.rare, owner, most=RARE),
            )  # fmt: skip
            after = [
                event
                for event in events
                if event.time is None or event.time >= unknown[memory.id] - 1
            ]
            if evidence := used(signs, after):
                evidence_of[memory.id] = evidence
    if evidence_of:
        with store.write():
            ledger.note_used(store, session, evidence_of)
    return list(evidence_of)


def signs_of(
    id: str,
    words: str,
    files: Iterable[str],
    rare: Callable[[list[str]], Iterable[str]] = lambda words: words,
) -> UseSigns:
    """The signs of use of the memory `id` with the text `words` about `files`.

    Args:
        rare: picks the rare ones among plain words.
    """
    names = identifiers(words)
    names.update(name.casefold() for name in files if "*" not in name)
    names.update([name.rsplit("/", 1)[-1] for name in names if "/" in name])
    names.add(f"[{id[: wording.ID_LENGTH]}")
    plain = {word for word in text.content_words(words) if len(word) >= SHORTEST and word.isalpha()}
    return UseSigns(
        frozenset(name for name in names if len(name) > 3), frozenset(rare(sorted(plain)))
    )


def used(signs: UseSigns, events: Sequence[Event]) -> str:
    """The words in `events` that are evidence of use; empty without evidence.

    What the user wrote is no evidence: the agent may repeat it without the memory.
    """
    asked = "\n".join(event.text for event in events if event.role == "human").casefold()
    said = "\n".join(_said(event) for event in events).casefold()
    names = sorted(name for name in signs.names if name not in asked and _holds(said, name))
    known = set(text.words(asked))
    words = sorted(signs.words & set(text.words(said)) - known)
    if names or len(words) >= WORDS_NEEDED:
        return ", ".join([*names, *words][:5])
    return ""


def _said(event: Event) -> str:
    """What the agent wrote in `event`: a reply, or the arguments of a tool."""
    if event.role == "assistant":
        return event.text
    return "\n".join(texts_in(event.input)) if event.role == "tool_use" else ""


def _holds(said: str, name: str) -> bool:
    """Whether `said` contains `name` as a whole word."""
    return bool(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", said))


def _ingest_file(store: Store, path: Path) -> int:
    """Add the new receipts of one session's notes; returns how many."""
    noted: list[tuple[Handed, int]] = []
    for line in hook_io.read(str(path), given.LARGEST).splitlines():
        try:
            entry = hook_io.loads(line)
            ids = [str(id) for id in entry["ids"]]
            if ids and entry["event"] not in (given.RESET, given.FORK):
                share = round(int(entry["tokens"]) / len(ids))
                session, event = (
                    store.clean(str(entry["session"])),
                    store.clean(str(entry["event"])),
                )
                moment = float(entry["time"])
                noted += [(Handed(session, event, id, moment), share) for id in ids]
        except (ValueError, TypeError, KeyError):
            continue
    if not noted:
        return 0
    known = ledger.of_sessions(store, {handed.session for handed, _ in noted})
    fresh = [(handed, tokens) for handed, tokens in noted if handed not in known]
    with store.write():
        ledger.add(store, fresh)
    return len(fresh)
