"""Editing, tagging, moving and giving what is at hand: a dialog, then one step to undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import work

from cortex_core.memory import INJECTION_POLICIES, SCOPES, Key, Memory
from cortex_tui import draft
from cortex_tui.actions import memories as actions
from cortex_tui.draft import Draft
from cortex_tui.screens.changing import ChangingScreen
from cortex_tui.session import naming

STORES = (("global", "global    for all projects"), ("project", "project   for this one"))

Aimed = Callable[[Sequence[Key], Sequence[Memory]], object]
"""What is done with the memories that a key is for; those known already come with their keys."""


class EditingScreen(ChangingScreen):
    """What takes a dialog, for the memories that a key is for."""

    def current(self) -> tuple[Key | None, Memory | None]:
        """The memory that the user means."""
        raise NotImplementedError

    def aim(self, action: str, then: Aimed) -> None:
        """Call `then` with the memories that `action` is for, or say why there are none."""
        raise NotImplementedError

    def aim_at_one(self, action: str) -> tuple[Key, Memory] | None:
        """The one memory that `action` is for, None after having said why there is none."""
        raise NotImplementedError

    # --- one

    def action_edit(self) -> None:
        if (found := self.aim_at_one("memory.edit")) is not None:
            self._edit_memory(*found, by_editor=True)

    def action_edit_here(self) -> None:
        if (found := self.aim_at_one("memory.edit_here")) is not None:
            self._edit_memory(*found, by_editor=False)

    @work(exit_on_error=False, group="dialog", description="Editing")
    async def _edit_memory(self, key: Key, memory: Memory, *, by_editor: bool) -> None:
        old = draft.of(memory)
        new = await self._drafted("Edit", old, by_editor=by_editor)
        if new is None or not new.changes(old):
            self.say("Nothing was changed.")
        else:
            self.do(lambda stores: actions.edit(stores, key, old, new))

    @work(exit_on_error=False, group="dialog", description="Writing")
    async def write_new(self) -> None:
        """Ask for a new memory and store it."""
        scope = self.stores.cortex.workspace.default_scope() if self.stores is not None else None
        new = await self._drafted("New memory", Draft(scope=scope), by_editor=False)
        if new is not None:
            self.do(lambda stores: actions.remember(stores, new))

    async def _drafted(self, title: str, old: Draft, *, by_editor: bool) -> Draft | None:
        """What the user makes of `old`; asked again while something is wrong with it."""
        if self.stores is None:
            return None
        from cortex_tui.editor import edit_text
        from cortex_tui.screens.dialogs import Write

        kinds = self.stores.cortex.config.kinds
        text: str | None = draft.write(old)
        heading = title
        while text is not None:
            if by_editor:
                text = await edit_text(self.app, text, title=heading)
            else:
                text = await self.app.push_screen_wait(Write(heading, text))
            if text is None:
                return None
            if not (problem := draft.problem(text, old, kinds)):
                return draft.read(text, old, kinds)
            heading, by_editor = f"{title}: {problem}", False
        return None

    # --- one or many

    def action_change_tags(self) -> None:
        self.aim("memory.tag", self._tag_memories)

    @work(exit_on_error=False, group="dialog", description="Tagging")
    async def _tag_memories(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        from cortex_tui.screens.dialogs import Ask

        several = len(keys) > 1
        old = () if several else known[0].tags
        hint = "+tag adds, -tag removes" if several else "all its tags; or +tag adds, -tag removes"
        typed = await self.app.push_screen_wait(
            Ask(f"Tags of {_named(keys, known)}", " ".join(old), hint)
        )
        tags = None if typed is None else actions.tags_typed(typed, old, several=several)
        if tags is None or not any(tags):
            self.say("Nothing was changed.")
        else:
            self.do(lambda stores: actions.tag(stores, keys, tags))

    def action_change_injection(self) -> None:
        self.aim("memory.give", self._give_memories)

    @work(exit_on_error=False, group="dialog", description="Saying what is given")
    async def _give_memories(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        from cortex_tui.screens.dialogs import Choose

        current = known[0].inject if len(keys) == 1 else ""
        answer = await self.app.push_screen_wait(
            Choose(f"Give {_named(keys, known)}", actions.injection_policies(), current)
        )
        inject = next((one for one in INJECTION_POLICIES if one == answer), None)
        if inject is None or inject == current:
            self.say("Nothing was changed.")
        else:
            self.do(lambda stores: actions.give(stores, keys, inject))

    def action_change_store(self) -> None:
        self.aim("memory.move", self._move_memories)

    @work(exit_on_error=False, group="dialog", description="Moving")
    async def _move_memories(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        scopes = {scope for scope, _ in keys}
        if scopes == {"project"}:
            self.do(lambda stores: actions.move(stores, keys, "global"))
        elif scopes == {"global"}:
            self.do(lambda stores: actions.move(stores, keys, "project"))
        else:
            from cortex_tui.screens.dialogs import Choose

            title = f"Move {len(keys):,} memories"
            answer = await self.app.push_screen_wait(Choose(title, STORES))
            scope = next((one for one in SCOPES if one == answer), None)
            if scope is not None:
                self.do(lambda stores: actions.move(stores, keys, scope))


def _named(keys: Sequence[Key], known: Sequence[Memory]) -> str:
    """What a title calls the memories behind `keys`."""
    return f"“{naming(known)}”" if len(keys) == 1 else f"{len(keys):,} memories"
