"""Capture and health: what was read, what waits for a verdict, what fades, and whether all is well.

The screen decides what a key does in each section; `tabbed` holds the frame and the workers.
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
from cortex_tui.actions.capture import Thing, Waiting
from cortex_tui.editor import edit_text
from cortex_tui.messages import Changed
from cortex_tui.screens import capture_lines as lines
from cortex_tui.screens.capture_jobs import CaptureJobs
from cortex_tui.session import StoreSession
from cortex_tui.widgets.item_list import Item, ItemList
from cortex_tui.widgets.tab_line import Tab

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


class CaptureScreen(CaptureJobs):
    """What capture did and what it wants to know."""

    PLACE = NAME = "capture"
    BINDINGS = [*keymap.bindings("capture")]
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

    # --- what is listed

    def read(self, stores: StoreSession, section: str) -> Sequence[Thing]:
        return actions.read(stores, section, self.job_line.tell)

    def keeps(self, section: str) -> bool:
        return section in ("health", "secrets")

    def key_of(self, thing: Thing) -> str:
        return actions.key(thing)

    def item(self, thing: Thing, section: str) -> Item:
        memory = thing.memory if isinstance(thing, Waiting | Fading) else None
        gone = memory is not None and memory.id in self.gone
        sign = self.glyphs.signs.status[memory.status] if memory is not None and gone else ""
        cells = lines.cells(thing, self.glyphs, self.app.now)
        return Item(actions.key(thing), cells, is_gone=gone, sign=sign)

    def about(self, thing: Thing, section: str) -> list[Content]:
        return lines.about(thing, self.glyphs, self.app.now)

    def empty(self, section: str) -> Sequence[str]:
        key = self.app.keymap.first("capture.import")
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
        bad = [one for one in self.checks() if one.state in ("warning", "failed")]
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
        self.do(lambda stores: stores.change(verb, lambda cortex: task(cortex, ids), sentence))
        self.rows.cursor += len(ids) == 1

    def _naming(self, ids: Sequence[str]) -> str:
        thing = self.things[self.shown].get(ids[0])
        if len(ids) == 1 and isinstance(thing, Waiting | Fading):
            return thing.memory.title
        return f"{len(ids)} memories"

    @on(Changed)
    def _decided(self, event: Changed) -> None:
        """Let what was decided on stay in its place."""
        for memory in event.done.rows.values():
            thing = self.things.get(self.shown, {}).get(memory.id)
            if isinstance(thing, Waiting):
                self.mark_gone(memory.id, Waiting(memory, thing.rule))
            elif isinstance(thing, Fading):
                self.mark_gone(memory.id, Fading(memory=memory, fades=thing.fades,
                                                 archives=thing.archives))  # fmt: skip
        if not event.done.rows:
            self.gone.clear()

    @work(group="edit")
    async def action_edit(self) -> None:
        thing = self.current()
        if self.refuses("capture.edit"):
            return
        if not isinstance(thing, Waiting) or thing.memory.id in self.gone:
            self.say("There is nothing to decide under the cursor.", warns=True)
            return
        memory, (verb, said) = thing.memory, VERDICTS[self.shown]
        written = await edit_text(self.app, memory.content, title=f"Edit and {verb}")
        if written is None:
            self.say("Nothing was changed.")
            return
        self.do(
            lambda stores: stores.change(
                verb,
                lambda cortex: let_in(cortex, verb, [memory.id], written),
                f"{said} in other words: {memory.title}",
            )
        )

    # --- enter: what fits the section

    @on(ItemList.Entered)
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
            case Waiting(memory) | Fading(memory=memory):
                self._open(memory)

    def _open(self, memory: Memory) -> None:
        def located(stores: StoreSession) -> Message:
            return Located(stores.cortex.memories.keys_of([memory.id]).get(memory.id))

        self.fetch(located, group="open-memory", what="Opening the memory")

    @on(Located)
    def _located(self, event: Located) -> None:
        from cortex_tui.screens.detail import DetailScreen

        if event.key is None:
            self.say("This memory is no longer there.", warns=True)
        else:
            self.app.push_screen(DetailScreen(self.glyphs, event.key))


def _number(count: int) -> str:
    return f"{count:,}" if count else ""
