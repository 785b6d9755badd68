"""What the log screen asks of Cortex: the changes of both stores, and what each of them did."""

from dataclasses import dataclass

from cortex_core.base import text
from cortex_core.records.changes import JournalEntry
from cortex_core.records.memory import Actor
from cortex_tui.session import StoreSession, label_of

MOST_CHANGES = 500
"""Most entries of the journals that are listed."""
MOST_SEARCHED = 50_000
"""Most entries among which those of an earlier moment are looked for."""
ASOF = "asof:"
"""How a moment is distinguished from words."""
MOST_OPENED = 200
"""Most memories of a change that are offered to open."""

SECTION_ACTORS: dict[str, tuple[Actor, ...]] = {
    "you": ("person",),
    "agent": ("agent",),
    "capture": ("worker",),
    "imports": ("import",),
}
"""Whose changes each section lists; the other sections list everybody's."""
ACTORS: dict[Actor, str] = {
    "person": "you",
    "agent": "agent",
    "worker": "capture",
    "import": "import",
    "team": "team",
}
"""Who makes changes, in a word."""


@dataclass(frozen=True, slots=True)
class LoggedChange:
    """One action of the log: its entries, of both stores where it changed both."""

    entries: tuple[JournalEntry, ...]

    @property
    def newest(self) -> JournalEntry:
        """The entry that represents it."""
        return self.entries[0]

    @property
    def key(self) -> str:
        """What it is known by."""
        return f"{self.newest.action}/{self.newest.scope}/{self.newest.number}"

    @property
    def is_undone(self) -> bool:
        """Whether nothing of it is in force any more."""
        return all(entry.is_undone for entry in self.entries)

    @property
    def sentence(self) -> str:
        """What was done."""
        first = self.newest
        label = label_of(self.entries)
        return f"{first.verb} of {label}" if first.sentence != first.label else label

    @property
    def by(self) -> str:
        """Who made it, in a word or a few: `you`, `agent`, `you on laptop`, `you in lighthouse`."""
        return " ".join(filter(None, (ACTORS[self.newest.actor], self.newest.elsewhere)))

    @property
    def memories(self) -> tuple[str, ...]:
        """The ids of what it changed, each once."""
        return tuple(dict.fromkeys(name for entry in self.entries for name in entry.memories))


def read_log(stores: StoreSession, section: str, words: str) -> tuple[LoggedChange, ...]:
    """What a section of the log lists, newest first: actions that have all of `words`; with
    `asof:` before a moment, those up to then."""
    actors = SECTION_ACTORS.get(section, ())
    words, _, moment = words.partition(ASOF)
    most = MOST_SEARCHED if moment else MOST_CHANGES
    entries = stores.cortex.log(most, words=words.strip(), actors=actors)
    if moment:
        until = text.parse_time(moment.strip(), stores.clock())
        entries = [entry for entry in entries if entry.time <= until][:MOST_CHANGES]
    actions: dict[str, list[JournalEntry]] = {}
    for entry in entries:
        if section != "session" or entry.here:
            actions.setdefault(entry.action or f"{entry.scope}/{entry.number}", []).append(entry)
    return tuple(LoggedChange(tuple(entries)) for entries in actions.values())
