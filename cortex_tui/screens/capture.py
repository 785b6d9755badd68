"""Capture and health: what was read, what waits for a verdict, what fades, and whether all is well.

The screen decides what a key does in each section; `CaptureJobs` does what takes its time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from textual import on, work
from textual.content import Content
from textual.message import Message

from cortex_core import Cortex
from cortex_core.memory import Key, Memory
from cortex_core.records import LedgerEntry
from cortex_core.reports.care import CheckResult
from cortex_core.reports.curation import Fading, RuleRecord
from cortex_tui import keymap
from cortex_tui.actions import capture as actions
from cortex_tui.actions.capture import Thing, WaitingMemory
from cortex_tui.editing import edit_text
from cortex_tui.lists.item_list import ItemList, ListItem
from cortex_tui.queries import Done
from cortex_tui.screens import capture_lines as lines
from cortex_tui.screens.capture_jobs import CaptureJobs
from cortex_tui.screens.tabbed import Tab, TabbedScreen
from cortex_tui.session import StoreSession

VERDICTS = {
    "suggestions": ("keep", "Kept"), "quarantine": ("release", "Released"),
    "fading": ("reinforce", "Kept from fading"),
}  # fmt: skip
"""What letting a memory in is called in each section, and said when it is done."""


def let_in(
    cortex: Cortex, verb: str, ids: list[str], content: str | None = None
) -> Iterable[Memory]:
    """Carry out a verdict of `VERDICTS`; one memory may get other words with it."""
    if verb == "keep":
        return cortex.suggestions.keep(ids, content=content)
    if verb == "release":
        return cortex.quarantine.release(ids, content=content)
    return cortex.reinforce(ids)


@dataclass
class Located(Message):
    """Where a memory lies is known."""

    key: Key | None
    """None: it is gone."""


class CaptureScreen(TabbedScreen[Thing]):
    """What capture did and what it wants to know."""

    PLACE = NAME = "capture"
    BINDINGS = [*keymap.bindings("page"), *keymap.bindings("capture")]
    COLUMNS = lines.COLUMNS
    TABS = tuple(
        Tab(name, name.capitalize(), f"capture.{name}")
        for name in ("ledger", "suggestions", "quarantine", "secrets", "rules", "fading", "health")
    )
    ACTS = {
        "ledger": frozenset({"capture.replay"}),
        "suggestions": frozenset(
            {"capture.keep", "capture.discard", "capture.edit", "capture.mark"}
        ),
        "quarantine": frozenset(
            {"capture.keep", "capture.discard", "capture.edit", "capture.mark"}
        ),
        "secrets": frozenset({"capture.scrub"}),
        "rules": frozenset({"capture.rule"}),
        "fading": frozenset({"capture.keep", "capture.discard", "capture.mark"}),
        "health": frozenset({"capture.fix"}),
    }

    def __init__(self, section: str = "") -> None:
        super().__init__(section)
        self.work = CaptureJobs(self)

    # --- what is listed

    def read(self, stores: StoreSession, section: str) -> Sequence[Thing]:
        return actions.read(stores, section, self.job_line.tell)

    def keeps(self, section: str) -> bool:
        return section in ("health", "secrets")

    def key_of(self, thing: Thing) -> str:
        return actions.key(thing)

    def item(self, thing: Thing, section: str) -> ListItem:
        memory = thing.memory if isinstance(thing, WaitingMemory | Fading) else None
        gone = memory is not None and memory.id in self.gone
        sign = self.glyphs.signs.status[memory.status] if memory is not None and gone else ""
        cells = lines.cells(thing, self.glyphs, self.context.now)
        return ListItem(actions.key(thing), cells, is_gone=gone, sign=sign)

    def about(self, thing: Thing, section: str) -> list[Content]:
        return lines.about(thing, self.glyphs, self.context.now)

    def empty(self, section: str) -> Sequence[str]:
        key = self.context.keymap.first("capture.import")
        return [line.replace("{import}", key) for line in lines.EMPTY[section]]

    def counts(self) -> Mapping[str, str]:
        status, signs = self.strip.status, self.glyphs.signs.status
        found = {} if status is None else {
            "ledger": f"{signs['quarantined']}{status.failures}" if status.failures else "",
            "suggestions": _number(status.counts.get("suggested", 0)),
            "quarantine": _number(status.counts.get("quarantined", 0)),
        }  # fmt: skip
        if (fading := self.things.get("fading")) is not None:
            found["fading"] = _number(len(fading.keys() - self.gone.keys()))
        bad = [one for one in self.work.checks() if one.state in ("warning", "failed")]
        found["health"] = f"{signs['quarantined']}{len(bad)}" if bad else ""
        return found

    # --- verdicts

    def action_mark(self) -> None:
        if not self.refuses("capture.mark"):
            self.rows.toggle_mark()

    def action_keep(self) -> None:
        if self.refuses("capture.keep"):
            return
        verb, said = VERDICTS[self.shown]
        self._decide(verb, said, lambda cortex, ids: let_in(cortex, verb, ids))

    def action_discard(self) -> None:
        if self.refuses("capture.discard"):
            return
        if self.shown == "fading":
            self._decide("forget", "Forgotten", lambda cortex, ids: cortex.forget(ids))
        else:
            self._decide(
                "discard", "Discarded", lambda cortex, ids: cortex.suggestions.discard(ids)
            )

    def _decide(
        self, verb: str, said: str, task: Callable[[Cortex, list[str]], Iterable[Memory]]
    ) -> None:
        """Carry out a verdict on the marked memories, else on the one under the cursor."""
        ids = [name for name in self.rows.chosen() if name not in self.gone]
        if not ids:
            nothing = not self.rows.chosen()
            why = "There is nothing under the cursor." if nothing else "It is decided already."
            self.say(why, warns=True)
            return
        sentence = f"{said}: {self._naming(ids)}"
        self.rows.marked.clear()
        self.changes.do(
            lambda stores: stores.change(verb, lambda cortex: task(cortex, ids), sentence)
        )
        self.rows.cursor += len(ids) == 1

    def _naming(self, ids: Sequence[str]) -> str:
        thing = self.things[self.shown].get(ids[0])
        if len(ids) == 1 and isinstance(thing, WaitingMemory | Fading):
            return thing.memory.title
        return f"{len(ids)} memories"

    def changed(self, done: Done) -> None:
        """Let what was decided on stay in its place."""
        self.work.forget_rule()
        for memory in done.rows.values():
            thing = self.things.get(self.shown, {}).get(memory.id)
            if isinstance(thing, WaitingMemory):
                self.mark_gone(memory.id, WaitingMemory(memory, thing.rule))
            elif isinstance(thing, Fading):
                self.mark_gone(memory.id, Fading(memory=memory, fades=thing.fades,
                                                 archives=thing.archives))  # fmt: skip
        if not done.rows:
            self.gone.clear()
        super().changed(done)

    def action_undo(self) -> None:
        """Take back the setting of a rule if that was last, else the last change of a memory."""
        if not self.work.undo_rule():
            super().action_undo()

    @work(group="edit")
    async def action_edit(self) -> None:
        thing = self.current()
        if self.refuses("capture.edit"):
            return
        if not isinstance(thing, WaitingMemory) or thing.memory.id in self.gone:
            self.say("There is nothing to decide under the cursor.", warns=True)
            return
        memory, (verb, said) = thing.memory, VERDICTS[self.shown]
        written = await edit_text(self.app, memory.content, title=f"Edit and {verb}")
        if written is None:
            self.say("Nothing was changed.")
            return
        self.changes.do(
            lambda stores: stores.change(
                verb,
                lambda cortex: let_in(cortex, verb, [memory.id], written),
                f"{said} in other words: {memory.title}",
            )
        )

    # --- what takes its time

    def action_replay(self) -> None:
        self.work.replay()

    def action_rule(self) -> None:
        self.work.set_rule()

    def action_fix(self) -> None:
        self.work.fix()

    def action_scrub(self) -> None:
        self.work.scrub()

    def action_import(self) -> None:
        self.work.import_sessions()

    def action_embed(self) -> None:
        self.work.embed()

    def action_pause(self) -> None:
        self.work.switch_pause()

    # --- enter: what fits the section

    @on(ItemList.Picked)
    def _enter(self) -> None:
        thing = self.current()
        match thing:
            case None:
                self.say("There is nothing under the cursor.", warns=True)
            case LedgerEntry():
                self.action_replay()
            case RuleRecord():
                self.action_rule()
            case CheckResult():
                self.action_fix()
            case WaitingMemory(memory) | Fading(memory=memory):
                self._open(memory)

    def _open(self, memory: Memory) -> None:
        def located(stores: StoreSession) -> Message:
            return Located(stores.cortex.memories.keys_of([memory.id]).get(memory.id))

        self.fetch(located, group="open-memory", what="Opening the memory")

    @on(Located)
    def _located(self, event: Located) -> None:
        if event.key is None:
            self.say("This memory is no longer there.", warns=True)
        else:
            self.context.go("detail", event.key)


def _number(count: int) -> str:
    return f"{count:,}" if count else ""
