"""Receipts: what a session was given, taken from the hooks' notes, and whether it was used.

Use is recognised by what a memory adds to the prompt: its identifiers, files, rare words or
its id, turning up in a reply or an edit. Without any of these it stays unknown, not unused.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core.base import hook_io, text
from cortex_core.base.project import Project
from cortex_core.base.text import identifiers
from cortex_core.store import ledger, queries
from cortex_core.store.ledger import Handed
from cortex_core.store.store import Store
from cortex_core.surface import given, wording
from cortex_core.transcripts.events import Event

KEPT_DAYS = 30
"""Days that a session's notes are kept; as long as Claude Code keeps its transcripts."""

RARE = 2
"""Memories that may hold a word which still counts as rare."""

WORDS_NEEDED = 2
"""Rare words that together tell of use; one identifier is enough."""

SHORTEST = 5
"""Letters from which an ordinary word can be rare."""


class UseSigns(NamedTuple):
    """What betrays that a memory was used; all casefolded."""

    names: frozenset[str]
    """Identifiers, files and the id as it was cited."""
    words: frozenset[str]
    """Rare words."""


def ingest(project: Project, store: Store) -> int:
    """Turn the notes of what sessions were given into receipts in `store`; how many are new.

    Running it again adds nothing. Notes older than transcripts live are removed.
    """
    place = Path(project.data, given.FOLDER)
    stamp = place / ".ingested"
    since = stamp.stat().st_mtime - 60 if stamp.exists() else 0.0
    began = time.time()
    added = 0
    for path in sorted(place.glob("*.jsonl")):
        written = path.stat().st_mtime
        if written >= since:
            added += _ingest_file(store, path)
        if began - written > KEPT_DAYS * 86_400:
            path.unlink(missing_ok=True)
    if place.exists():
        stamp.touch(mode=0o600)
        os.utime(stamp, (began, began))
    return added


def note_use(
    store: Store, session: str, events: Sequence[Event], stores: Sequence[Store]
) -> list[str]:
    """Mark the memories given to `session` that `events` show to have been used; their ids.

    Args:
        store: where the receipts lie.
        events: a stretch of the session, in order.
        stores: where the memories lie.
    """
    unknown = ledger.unknown_use(store, session)
    found = {}
    for owner in stores if unknown else ():
        for memory in owner.memories(list(unknown)):
            signs = signs_of(
                memory.id, f"{memory.title}\n{memory.content}",
                (*memory.context.files, *memory.globs),
                lambda words, at=owner: queries.rare(at, words, RARE),
            )  # fmt: skip
            after = [
                one for one in events if one.time is None or one.time >= unknown[memory.id] - 1
            ]
            if evidence := used(signs, after):
                found[memory.id] = evidence
    if found:
        with store.write():
            ledger.note_used(store, session, found)
    return list(found)


def signs_of(
    id: str, words: str, files: Iterable[str], rare: Any = lambda words: words
) -> UseSigns:
    """The signs of the memory `id` that says `words` and is about `files`.

    Args:
        rare: picks the rare ones among ordinary words.
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
    """The words by which `events` show that a memory with these signs was used; empty for none."""
    asked = "\n".join(one.text for one in events if one.role == "human").casefold()
    said = "\n".join(_said(one) for one in events).casefold()
    names = sorted(name for name in signs.names if name not in asked and _holds(said, name))
    known = set(text.words(asked))
    words = sorted(signs.words & set(text.words(said)) - known)
    if names or len(words) >= WORDS_NEEDED:
        return ", ".join([*names, *words][:5])
    return ""


def _said(event: Event) -> str:
    """What the agent itself wrote in `event`: a reply, or the arguments of a tool."""
    if event.role == "assistant":
        return event.text
    return "\n".join(_strings(event.input)) if event.role == "tool_use" else ""


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)


def _holds(said: str, name: str) -> bool:
    """Whether `name` is in `said` as a name of its own."""
    return bool(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", said))


def _ingest_file(store: Store, path: Path) -> int:
    noted: list[tuple[Handed, int]] = []
    for line in hook_io.read(str(path), given.LARGEST).splitlines():
        try:
            entry = hook_io.loads(line)
            ids = [str(id) for id in entry["ids"]]
            if ids and entry["event"] not in (given.RESET, given.FORK):
                share = round(int(entry["tokens"]) / len(ids))
                session, event, moment = entry["session"], entry["event"], entry["time"]
                noted += [
                    (Handed(str(session), str(event), id, float(moment)), share) for id in ids
                ]
        except (ValueError, TypeError, KeyError):
            continue
    if not noted:
        return 0
    known = ledger.of_sessions(store, {handed.session for handed, _ in noted})
    fresh = [(handed, tokens) for handed, tokens in noted if handed not in known]
    with store.write():
        ledger.add(store, fresh)
    return len(fresh)
