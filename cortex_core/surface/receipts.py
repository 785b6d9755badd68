"""Receipts: what was injected into a session, from the hooks' notes, and whether it was used.

A memory was used if the agent wrote something of it that the session had from nowhere else: a name,
a number, its id, or several of its rare words in one sentence. What a prompt, the output of a tool,
another injected memory or a file of rules said before is no evidence. A memory that has such words,
none of which the agent wrote until the session ended, was not used. Of others that cannot be known,
nor if the agent wrote a name of it that it had from elsewhere as well.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from cortex_core import agents
from cortex_core.archive.quotes import QUOTATION
from cortex_core.base import hook_io, text
from cortex_core.base.project import Project
from cortex_core.embeddings.pieces import Pieces
from cortex_core.language import negation, sentences
from cortex_core.language.generic_words import GENERIC
from cortex_core.records.events import Event
from cortex_core.records.memory import Memory
from cortex_core.records.surfaces import Receipt
from cortex_core.store import receipt_rows, word_index
from cortex_core.store.store import Store
from cortex_core.surface import given, wording

KEPT_DAYS = 30
"""Days that a session's notes are kept, as long as Claude Code keeps transcripts."""

RARE = 2
"""Most memories that hold a rare word."""

WORDS_NEEDED = 3
"""Rare words that together, in one sentence, are evidence of use; one name is enough."""

SHORTEST, SHORTEST_NAME = 5, 3
"""Fewest letters of a rare word, and of a name or a number."""

AGENTS = ("assistant", "tool_use")
"""Whose words show a use."""

CANNOT_KNOW = "cannot be known"
"""Evidence of a memory that has no word by which its use could be noticed."""

LONGEST_RULES = 200_000
"""Characters of such a file that are read."""

_IDENTITY = attrgetter("session", "event", "memory", "time")
"""What two receipts of the same share."""

_CITED = "["
"""How the sign begins that is the memory's id."""
_NUMBER = re.compile(r"(?<![\w.])(?:\d{3,}|\d+(?:\.\d+)+)(?![\w.]*\d)")
_YEARS = range(1900, 2100)
_COMMAND = re.compile(r"`([^`\n]{3,80})`")
_WORD = re.compile(r"[A-Za-z][\w'’-]*|[.!?:;“—–\n]")
_COMMON = frozenset(
    """
    api apis arg args async auth backend bool branch cli cmd codebase config configs const cpu css
    csv deps dev dir dirs docs endpoint endpoints enum env frontend git github gui html http https
    ide impl init int json junit lib libs linter linting lookup metadata middleware monorepo
    namespace param params plugin plugins pre readme refactor refactored
    refactoring regex repo repos runtime
    sdk sql src ssh stderr stdin stdout str struct submodule subset sync timestamp timestamps tmp
    e.g i.e readme.md linux macos windows
    todo todos toml typecheck ui url urls util utils ux workflow workflows worktree yaml yml
    monday tuesday wednesday thursday friday saturday sunday january february march april june july
    august september october november december english claude anthropic
    """.split()
)
"""Words of every project, and capitalised ones that name no subject."""


class UseSigns(NamedTuple):
    """What is evidence that a memory was used, casefolded."""

    names: frozenset[str]
    """Names, numbers, files, and the id as it was cited: one is enough."""
    words: frozenset[str]
    """Rare words."""

    def without(self, others: set[str]) -> UseSigns:
        """The signs that are not among `others`."""
        return UseSigns(self.names - others, self.words - others)

    @property
    def are_enough(self) -> bool:
        """Whether a use could be noticed by them, had the agent not cited the memory."""
        own = any(not name.startswith(_CITED) for name in self.names)
        return own or len(self.words) >= WORDS_NEEDED


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
    store: Store, session: str, events: Sequence[Event], stores: Sequence[Store], known: str = ""
) -> list[str]:
    """Mark the memories injected into `session` whose use `events` show; returns their ids.

    What the session had from elsewhere is noted for the parts that are read later.

    Args:
        store: the store of the receipts.
        events: a part of the session, in order.
        stores: the stores of the memories.
        known: what the agent knows without them, such as the project's file of rules.
    """
    watched = _watched(store, session, stores)
    if not watched:
        return []
    _look(watched, events, known)
    found = {name: one.evidence for name, one in watched.items() if one.evidence}
    seen = {name: (one.spoke, one.echoed, sorted(one.spent)) for name, one in watched.items()}
    with store.write():
        receipt_rows.note_use(store, session, found)
        # A session is read in parts; what this part has shown is needed to judge the next one.
        store.set_meta(_key(session), json.dumps(seen))
    return list(found)


def came_to_use(
    handed: Iterable[tuple[float, Memory]],
    events: Iterable[Event],
    known: str,
    rare: Callable[[list[str]], Iterable[str]],
    is_usual: Callable[[str], bool],
) -> set[str]:
    """Of memories that a session could have been given, the ids of those whose signs it came to
    write without having them from elsewhere. Nothing is noted.

    Args:
        handed: each memory with the moment from which the session would have had it.
        known: as for `note_use`.
        rare: as for `signs_of`.
        is_usual: whether a sign is no evidence, because sessions write it whatever they are given.
    """
    watched = {memory.id: _Watched(since, signs_of(memory, rare)) for since, memory in handed}
    _spend_shared(watched)
    for one in watched.values():
        one.spent |= set(filter(is_usual, one.signs.names | one.signs.words))
    _look(watched, events, known)
    return {id for id, one in watched.items() if one.evidence}


def settle_use(store: Store, session: str, stores: Sequence[Store]) -> None:
    """Note at the end of `session` which memories were not used, and of which it is unknowable."""
    watched = _watched(store, session, stores)
    unused = [
        name
        for name, one in watched.items()
        if one.spoke and not one.echoed and one.signs.without(one.spent).are_enough
    ]
    with store.write():
        receipt_rows.note_use(store, session, dict.fromkeys(unused, ""))
        receipt_rows.note_unknowable(store, session, CANNOT_KNOW)
        store.drop_meta(_key(session))


def leave_word(project: Project, store: Store, session: str) -> None:
    """Have the next start say what `session` was given and what it used.

    Raises:
        OSError: it cannot be written.
    """
    handed = receipt_rows.listed(store, session=session, limit=-1)
    if handed:
        memories = text.memories(len({one.memory for one in handed}))
        tokens = text.counted(sum(one.tokens for one in handed), "token")
        used = len({one.memory for one in handed if one.used})
        line = f"Cortex: the last session was given {memories} in {tokens}, and used {used:,}."
        hook_io.replace(os.path.join(project.data, given.FOLDER, given.RECEIPT), line)


def project_rules(project: Project) -> str:
    """What the project's files of rules, and the names of its folder and branch, say."""
    if project.root is None:
        return ""
    shown = dict.fromkeys(
        name for agent in agents.having("own_files") for name in agent.own_files.SHOWN
    )
    files = (hook_io.read(os.path.join(project.root, name), LONGEST_RULES) for name in shown)
    return "\n".join([project.root, project.cwd, project.branch, *files])


@dataclass(slots=True)
class _Watched:
    """A memory that a session was given, while its use is looked for."""

    since: float
    """When it was first given, Unix seconds."""
    signs: UseSigns
    spent: set[str] = field(default_factory=set)
    """Signs that the session had from elsewhere, or before."""
    spoke: bool = False
    """Whether the agent wrote anything since."""
    echoed: bool = False
    """Whether the agent wrote one of the names it had from elsewhere: then nobody knows."""
    evidence: str = ""


def _key(session: str) -> str:
    return f"use {session}"


def _watched(store: Store, session: str, stores: Sequence[Store]) -> dict[str, _Watched]:
    """The memories that `session` was given whose use is not known, with their own signs."""
    unknown = receipt_rows.unknown_use(store, session)
    watched: dict[str, _Watched] = {}
    for owner in stores if unknown else ():
        rare = partial(word_index.rare, owner, most=RARE)
        for memory in owner.memories(list(unknown)):
            watched[memory.id] = _Watched(unknown[memory.id], signs_of(memory, rare))
    _spend_shared(watched)
    seen = json.loads(store.meta(_key(session)) or "{}")
    for name in watched.keys() & seen.keys():
        watched[name].spoke, watched[name].echoed, spent = seen[name]
        watched[name].spent.update(spent)
    return watched


def _spend_shared(watched: Mapping[str, _Watched]) -> None:
    """Take away the signs that several memories have: they do not say which one was used."""
    counts = Counter(
        sign for one in watched.values() for sign in {*one.signs.names, *one.signs.words}
    )
    shared = {sign for sign, count in counts.items() if count > 1}
    for one in watched.values():
        one.spent = shared & (one.signs.names | one.signs.words)


def _look(watched: Mapping[str, _Watched], events: Iterable[Event], known: str) -> None:
    """Look for signs in `events`: evidence in what the agent wrote, spent in all else."""
    folded = known.casefold()
    for one in watched.values():
        one.spent |= _held(one.signs, folded)
    for event in events:
        said = words_of(event)
        is_agents = event.role in AGENTS
        for one in watched.values():
            if one.evidence:
                continue
            is_before = event.time is not None and event.time < one.since - 1
            if is_before or not is_agents:
                one.spent |= _held(one.signs, said)
                continue
            one.spoke = one.spoke or bool(said.strip())
            one.evidence = used(one.signs.without(one.spent), said)
            spent = UseSigns(one.signs.names & one.spent, frozenset())
            one.echoed = one.echoed or bool(_held(spent, said))


def words_of(event: Event) -> str:
    """What was said, called or answered, casefolded."""
    # Redacted arguments are a mapping of their own.
    arguments = () if event.role == "tool_result" else text.texts_in(dict(event.input))
    return "\n".join((event.text, *arguments)).casefold()


def signs_of(
    memory: Memory, rare: Callable[[list[str]], Iterable[str]] = lambda words: words
) -> UseSigns:
    """The signs by which a use of `memory` would be noticed.

    Args:
        rare: picks the rare ones among plain words.
    """
    words = f"{memory.title}\n{memory.content}"
    named = text.identifiers(words) | {span.casefold().strip() for span in _COMMAND.findall(words)}
    named.update([name.rsplit("/", 1)[-1] for name in named if "/" in name and " " not in name])
    plain = {word for word in text.content_words(words) if word.isalpha()}
    unusual = _unusual(words, plain)
    kept = set(rare(sorted(plain | {name for name in unusual if name.isalpha()})))
    names = {name for name in named | unusual if not name.isalpha() or name in unusual & kept}
    names.add(f"{_CITED}{memory.id[: wording.ID_LENGTH]}")
    refused = negation.REFUSED_NAME.regex.findall(words)  # who writes it does not follow the memory
    names -= {said.casefold().strip(".") for pair in refused for said in pair if said}
    return UseSigns(
        frozenset(one for one in names - _COMMON if sum(map(str.isalnum, one)) >= SHORTEST_NAME),
        frozenset(word for word in kept if len(word) >= SHORTEST) - names,
    )


def _unusual(words: str, plain: Iterable[str]) -> set[str]:
    """The numbers in `words`, its capitalised names, and what is no common English word."""
    numbers = {
        found
        for found in _NUMBER.findall(words.casefold())
        if not (len(found) == 4 and found.isdigit() and int(found) in _YEARS)
    }
    pieces = _WORD.findall(words)
    names = (
        {
            word.casefold()
            for before, word in pairwise(pieces)
            if len(word) > 1 and word[0].isupper() and before[:1].islower()
        }
        - GENERIC
        - text.STOP_WORDS
    )
    with Pieces() as table:
        odd = {
            word
            for word in plain
            if word.isascii() and len(word) >= SHORTEST_NAME and not table.is_word(word)
        }
    return numbers | names | odd


def used(signs: UseSigns, said: str) -> str:
    """The words in `said`, casefolded, that are evidence of use; empty without evidence."""
    names = _held(UseSigns(signs.names, frozenset()), said)
    if names:
        whole = [name for name in names if not any(name in other for other in names - {name})]
        return ", ".join(sorted(whole)[:5])
    there = [word for word in signs.words if word in said]
    if len(there) < WORDS_NEEDED:
        return ""
    for sentence in sentences.in_lines(said):
        found = sorted(word for word in there if _holds(sentence, word))
        if len(found) >= WORDS_NEEDED:
            return ", ".join(found[:5])
    return ""


def _held(signs: UseSigns, said: str) -> set[str]:
    """The signs that `said`, casefolded, contains as whole words."""
    return {sign for sign in (*signs.names, *signs.words) if sign in said and _holds(said, sign)}


def _holds(said: str, name: str) -> bool:
    """Whether `said` contains `name` as a whole word."""
    return bool(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", said))


def _noted_in(path: Path) -> Iterator[Receipt]:
    """What a file of notes says was injected: each memory with its share of the tokens; damaged
    lines are left out."""
    for line in hook_io.read(str(path), given.LARGEST).splitlines():
        try:
            entry = hook_io.loads(line)
            ids, event = [str(id) for id in entry["ids"]], str(entry["event"])
            if not ids or event in (given.RESET, given.FORK):
                continue
            evenly = [round(int(entry["tokens"]) / len(ids))] * len(ids)
            shares = [int(share) for share in entry.get("shares") or evenly]
            session, moment = str(entry["session"]), float(entry["time"])
        except (ValueError, TypeError, KeyError):
            continue
        # Quotations have no memory to be a receipt of; they share the tokens.
        for id, share in zip(ids, shares, strict=False):
            if not id.startswith(QUOTATION):
                yield Receipt(session=session, event=event, memory=id, time=moment, tokens=share)


def _ingest_file(store: Store, path: Path) -> int:
    """Add the new receipts of one session's notes; returns how many."""
    notes = [
        replace(raw, session=store.clean(raw.session), event=store.clean(raw.event))
        for raw in _noted_in(path)
    ]
    if not notes:
        return 0
    known = set(map(_IDENTITY, receipt_rows.of_sessions(store, [one.session for one in notes])))
    fresh = [one for one in notes if _IDENTITY(one) not in known]
    with store.write():
        receipt_rows.add(store, fresh)
    return len(fresh)
