"""Connecting with Claude Code from any screen: what would change, a confirmation, the change."""

from __future__ import annotations

import asyncio

from cortex_core.base.errors import CortexError
from cortex_tui.actions import project as actions
from cortex_tui.context import Failed
from cortex_tui.screens.base import StoreScreen
from cortex_tui.screens.dialogs import Confirm


async def connect(screen: StoreScreen) -> None:
    """Show what connecting changes, do it if the user wants it, and say what was done."""
    if screen.stores is None:
        return
    project = screen.stores.cortex.project
    screen.say("Reading the settings of Claude Code …")
    try:
        detail = await asyncio.to_thread(actions.connection_preview, project)
        if not detail:
            screen.say("Claude Code is connected already: the hooks are in its settings.")
            return
        question = "Connect Cortex with Claude Code?"
        if not await screen.app.push_screen_wait(Confirm(question, detail, "connect")):
            screen.say("Nothing was changed.")
            return
        screen.say("Connecting …")
        done = await asyncio.to_thread(actions.connect, project)
    except CortexError as error:
        screen.post_message(Failed(str(error)))
        return
    screen.say(done)
    screen.status_revision = None
    screen.pulse()
