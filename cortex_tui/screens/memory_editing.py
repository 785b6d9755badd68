"""Editing, tagging, moving and giving memories: a dialog, then one step to undo."""

from __future__ import annotations

from collections.abc import Sequence

from cortex_core.types import INJECTION_POLICIES, SCOPES, Key, Memory
from cortex_tui import editing
from cortex_tui.actions import memories as actions
from cortex_tui.editing import Draft, edit_text
from cortex_tui.screens.base import StoreScreen
from cortex_tui.screens.dialogs import Ask, Choose, Write
from cortex_tui.session import naming

STORES = (("global", "global    for all projects"), ("project", "project   for this one"))
"""What is answered and what is shown, where it is asked to which store."""


class MemoryEditing:
    """Edits, tags, moves and gives memories for a screen: a dialog, then one step to undo."""

    def __init__(self, screen: StoreScreen) -> None:
        self.screen = screen

    # --- one

    def edit(self, key: Key, memory: Memory, *, by_editor: bool) -> None:
        """Let the user edit a memory, in the editor or in a dialog."""
        self.screen.converse(
            self._edit(key, memory, by_editor=by_editor), "Editing", exclusive=False
        )

    async def _edit(self, key: Key, memory: Memory, *, by_editor: bool) -> None:
        old = editing.draft_of(memory)
        new = await self._drafted("Edit", old, by_editor=by_editor)
        if new is None or not new.changes(old):
            self.screen.say("Nothing was changed.")
        else:
            self.screen.changes.do(lambda stores: actions.edit(stores, key, old, new))

    def write_new(self) -> None:
        """Ask for a new memory and store it."""
        self.screen.converse(self._write_new(), "Writing", exclusive=False)

    async def _write_new(self) -> None:
        stores = self.screen.stores
        scope = stores.cortex.workspace.default_scope() if stores is not None else None
        new = await self._drafted("New memory", Draft(scope=scope), by_editor=False)
        if new is not None:
            self.screen.changes.do(lambda stores: actions.remember(stores, new))

    async def _drafted(self, title: str, old: Draft, *, by_editor: bool) -> Draft | None:
        """What the user makes of `old`; asked again while something is wrong with it."""
        screen = self.screen
        if screen.stores is None:
            return None
        kinds = screen.stores.cortex.config.kinds
        written: str | None = editing.write(old)
        heading = title
        while written is not None:
            if by_editor:
                written = await edit_text(screen.app, written, title=heading)
            else:
                written = await screen.app.push_screen_wait(Write(heading, written))
            if written is None:
                return None
            if not (problem := editing.problem(written, old, kinds)):
                return editing.read(written, old, kinds)
            heading, by_editor = f"{title}: {problem}", False
        return None

    # --- one or many

    def tag(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        """Ask for the tags of memories and change them."""
        self.screen.converse(self._tag(keys, known), "Tagging", exclusive=False)

    async def _tag(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        several = len(keys) > 1
        old = () if several else known[0].tags
        hint = "+tag adds, -tag removes" if several else "all its tags; or +tag adds, -tag removes"
        typed = await self.screen.app.push_screen_wait(
            Ask(f"Tags of {_named(keys, known)}", " ".join(old), hint)
        )
        tags = None if typed is None else actions.tags_typed(typed, old, several=several)
        if tags is None or not any(tags):
            self.screen.say("Nothing was changed.")
        else:
            self.screen.changes.do(lambda stores: actions.tag(stores, keys, tags))

    def give(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        """Ask whether memories may be given unasked."""
        self.screen.converse(
            self._give(keys, known), "Setting the injection policy", exclusive=False
        )

    async def _give(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        current = known[0].inject if len(keys) == 1 else ""
        answer = await self.screen.app.push_screen_wait(
            Choose(f"Give {_named(keys, known)}", actions.injection_policies(), current)
        )
        inject = next((one for one in INJECTION_POLICIES if one == answer), None)
        if inject is None or inject == current:
            self.screen.say("Nothing was changed.")
        else:
            self.screen.changes.do(lambda stores: actions.give(stores, keys, inject))

    def move(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        """Move memories to the other store; asked where they lie in both."""
        self.screen.converse(self._move(keys), "Moving", exclusive=False)

    async def _move(self, keys: Sequence[Key]) -> None:
        changes, scopes = self.screen.changes, {scope for scope, _ in keys}
        if scopes == {"project"}:
            changes.do(lambda stores: actions.move(stores, keys, "global"))
        elif scopes == {"global"}:
            changes.do(lambda stores: actions.move(stores, keys, "project"))
        else:
            title = f"Move {len(keys):,} memories"
            answer = await self.screen.app.push_screen_wait(Choose(title, STORES))
            scope = next((one for one in SCOPES if one == answer), None)
            if scope is not None:
                changes.do(lambda stores: actions.move(stores, keys, scope))


def _named(keys: Sequence[Key], known: Sequence[Memory]) -> str:
    """What a title calls the memories behind `keys`."""
    return f"“{naming(known)}”" if len(keys) == 1 else f"{len(keys):,} memories"
