"""What a key does about something that the user had to say again: a repair that fits it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from cortex_core import Cortex
from cortex_core.records.kept_rules import Repair, Repeat
from cortex_core.records.memory import Memory
from cortex_tui.actions import memories_actions as actions
from cortex_tui.actions.memories_actions import Draft
from cortex_tui.actions.project_actions import LOWERED, PROMPT_FLOOR, lower_floor
from cortex_tui.screens.dialogs import Choose
from cortex_tui.screens.editing import edit_text

if TYPE_CHECKING:
    from cortex_tui.screens.base import StoreScreen

WORDS: dict[Repair, str] = {
    "remember": "remember it, in your words",
    "keep": "keep the suggestion",
    "release": "release it from quarantine",
    "restore": "restore it from the archive",
    "inject": "let it be injected again",
    "trigger": "recall it at the tool calls that it is about",
    "guard": "guard such a tool call",
    "pin": "pin it: every session gets it",
    "edit": "open it, to edit its words",
    "floor": f"inject more with prompts: {PROMPT_FLOOR} lower by {LOWERED:g}",
}
"""What each repair does."""


def _changed(cortex: Cortex, repair: Repair, name: str) -> Sequence[Memory]:
    """Carry out a repair that needs no more than the id of a memory."""
    match repair:
        case "keep":
            return cortex.suggestions.keep([name])
        case "release":
            return cortex.quarantine.release([name])
        case "restore":
            return cortex.restore([name])
        case "inject":
            return cortex.give([name], "normal")
        case _:
            return cortex.pin([name])


class CaseRepairs:
    """Asks which repair is to be made of a case, and makes it."""

    def __init__(self, screen: StoreScreen) -> None:
        self.screen = screen

    def choose(self, case: Repeat) -> None:
        """Ask which of the repairs that fit it is to be made."""
        self.screen.converse(self._choose(case), "Choosing a repair")

    async def _choose(self, case: Repeat) -> None:
        options = [(repair, WORDS[repair]) for repair in case.repairs]
        detail = f"“{case.said}”\n{case.outcome}: {case.why}"
        chosen = await self.screen.app.push_screen_wait(
            Choose("So that you need not say it again", options, detail=detail)
        )
        if chosen is not None:
            await self._make(cast("Repair", chosen), case)

    async def _make(self, repair: Repair, case: Repeat) -> None:
        changes, stores = self.screen.changes, self.screen.stores
        if repair == "remember":
            await self._remember(case)
        elif repair == "floor":
            changes.do(lower_floor)
        elif repair not in ("trigger", "guard", "edit"):
            sentence = f"{WORDS[repair].partition(',')[0].capitalize()}: {case.title}"
            changes.do(
                lambda stores: stores.change(
                    repair, lambda cortex: _changed(cortex, repair, case.memory), sentence
                )
            )
        elif stores is not None:
            key = stores.cortex.memories.keys_of([case.memory]).get(case.memory)
            if key is None:
                self.screen.say("This memory is no longer there.", warns=True)
            elif repair == "edit":
                self.screen.context.go("detail", key)
            else:
                from cortex_tui.screens.trigger_dialog import edit_triggers

                memory = stores.cortex.memories.get(case.memory)
                await edit_triggers(self.screen, stores.cortex, key, memory)

    async def _remember(self, case: Repeat) -> None:
        written = await edit_text(self.screen.app, case.rule, title="Remember")
        if written is None or not written.strip():
            self.screen.say("Nothing was changed.")
            return
        draft = Draft(content=written, kind="policy")
        self.screen.changes.do(lambda stores: actions.remember(stores, draft))
