"""What the screens of sessions ask of Cortex: which conversations there are, and what was said."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cortex_core import Cortex
from cortex_core.base import text
from cortex_core.records.conversation import Conversation, ConversationText, Message
from cortex_core.records.memory import Key, Memory, Source
from cortex_tui.queries import Chip, Done, ListQuery
from cortex_tui.session import StoreSession

PAGE = 100
"""Conversations of a first result, which comes sooner than all."""
MOST_HITS = 100
"""Most conversations of a search."""
MOST_RECEIPTS = 2_000
"""Receipts from which it is counted what sessions were given."""
MOST_READINGS = 300
"""Readings in which failures are looked for."""
MOST_BRANCHES = 200
"""Most branches that are offered as filters."""
FORGET = "forget session"
"""The verb that forgets a conversation."""
SPANS = ("1d", "1w", "1mo")
"""How far back one can choose to look."""


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """A conversation of a list, and the message that fits where words are searched for."""

    conversation: Conversation
    message: Message | None = None
    given: int = 0
    """How many memories the session was given."""
    problem: str = ""
    """Why its last reading failed; empty where it did not."""


@dataclass(frozen=True, slots=True)
class FoundConversations:
    """What a query finds."""

    query: ListQuery
    rows: Sequence[ListedConversation]
    total: int
    """How many conversations there are, whatever is asked for."""
    branches: Mapping[str, int]
    """How many of the rows began on each branch; the most frequent first."""
    partial: bool = False
    """Only the newest ones, which take less long to read than all."""
    is_unfinished: bool = False
    """Whether words that were still being typed were searched for, and not by meaning."""


@dataclass(frozen=True, slots=True)
class ReadConversation:
    """A conversation to be read, with the memories that were learned in it."""

    text: ConversationText
    memories: Mapping[str, Mapping[Key, Memory]]
    """The memories of a message, by the message's uuid."""


def find(
    stores: StoreSession, query: ListQuery, *, whole: bool = False, unfinished: bool = False
) -> FoundConversations:
    """The conversations of `query`: those with its words best first, else the newest first.

    Args:
        whole: all of them, however many there are.
        unfinished: whether the words are still being typed.
    """
    stores.check()
    archive, filters = stores.cortex.sessions.archive, _filters(query)
    # Both are counted once for all rows: a question for each would take as long as the list.
    given, problems = _given(stores.cortex), _problems(stores.cortex)

    def row(one: Conversation, message: Message | None = None) -> ListedConversation:
        name = one.session
        return ListedConversation(one, message, given[name], problems.get(name, ""))

    if query.is_search:
        hits = archive.search(query.words, **filters, limit=MOST_HITS, unfinished=unfinished)
        rows = [row(hit.conversation, hit.message) for hit in hits]
        return FoundConversations(
            query, rows, archive.count(), _branches(rows), is_unfinished=unfinished
        )
    limit = None if whole else PAGE
    rows = [row(one) for one in archive.list(**filters, limit=limit)]
    partial = not whole and len(rows) == PAGE
    return FoundConversations(query, rows, archive.count(), _branches(rows), partial)


def _given(cortex: Cortex) -> Counter[str]:
    """How many memories each of the last sessions was given."""
    receipts = cortex.sessions.receipts(limit=MOST_RECEIPTS)
    return Counter(session for session, _ in {(one.session, one.memory) for one in receipts})


def _problems(cortex: Cortex) -> dict[str, str]:
    """Why the newest reading of each of the last sessions failed; empty where it did not."""
    readings = [one for one in cortex.sessions.ledger(MOST_READINGS) if one.extractor]
    return {one.session: one.error for one in reversed(readings)}


def _filters(query: ListQuery) -> dict[str, Any]:
    """What `query` asks of a conversation, as the archive takes it."""
    texts = {field: query.value(field) or "" for field in ("branch", "file", "commit")}
    return {**texts, "since": query.value("since"), "until": query.value("until")}


def _branches(rows: Sequence[ListedConversation]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.conversation.branch] = counts.get(row.conversation.branch, 0) + 1
    return dict(sorted(counts.items(), key=lambda one: -one[1]))


def choices(found: FoundConversations) -> list[tuple[str, str]]:
    """What can be chosen as a filter: (chip as typed, its line in the dialog)."""
    lines = [(str(chip), f"remove      {chip}") for chip in found.query.chips]
    offered = [("branch", name, f"{number:>7,}") for name, number in found.branches.items() if name]
    offered = offered[:MOST_BRANCHES] + [("since", span, "") for span in SPANS]
    for field, value, count in offered:
        chip = Chip("branch" if field == "branch" else "since", value)
        if chip not in found.query.chips:
            lines.append((str(chip), f"{field:<8}{value:<24} {count}".rstrip()))
    return lines


def words_to_mark(query: ListQuery) -> list[str]:
    """The words of a search that are marked: those that carry a subject, if there are any."""
    return list(dict.fromkeys(text.content_words(query.words) or text.words(query.words)))


def read(stores: StoreSession, session: str) -> ReadConversation:
    """One conversation, whole.

    Raises:
        CortexError: it is not in the archive.
    """
    stores.check()
    found = stores.cortex.sessions.archive.read(session)
    names = {name for ids in found.learned.values() for name in ids}
    keys = stores.cortex.memories.keys_of(names)
    rows = stores.rows(list(keys.values()))
    return ReadConversation(
        found,
        {
            uuid: {keys[name]: rows[keys[name]] for name in ids if keys.get(name) in rows}
            for uuid, ids in found.learned.items()
        },
    )


def forget(stores: StoreSession, conversation: Conversation, *, memories: bool) -> Done:
    """Forget a conversation, and what was learned in no other session where that is wanted."""
    too = " and its memories" if memories else ""
    name = conversation.title or conversation.session[:8]
    return stores.note(
        FORGET,
        lambda cortex: cortex.sessions.archive.forget(conversation.session, memories=memories),
        f"Forgot the session{too}: {name[:60]}",
    )


def source_of(conversation: Conversation, message: Message) -> Source:
    """A message as the source of a memory."""
    return Source(
        session=conversation.session,
        message=message.uuid,
        offset=message.offset,
        transcript=conversation.transcript,
        time=message.time,
    )
