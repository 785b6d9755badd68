"""The way into the terminal app: `run` opens the stores while Textual is being imported.

Nothing heavy is imported here, so that both can begin at once.
"""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path

from cortex_tui.session import Opening


def themes(home: str) -> list[str]:
    """The names of the themes that can be chosen, the user's own among them.

    Args:
        home: the global side.
    """
    from textual.theme import BUILTIN_THEMES

    from cortex_tui.themes import THEMES, read_themes

    own, _ = read_themes(Path(home, "themes"), ())
    return sorted({*BUILTIN_THEMES, *(theme.name for theme in (*THEMES, *own))})


def run(project: str | Path | None = None, home: str | Path | None = None) -> int:
    """Run the app until the user leaves it; the exit code.

    Args:
        project: the project's folder; None finds it from the working directory.
        home: the global side; None is the user's.
    """
    # Textual lets a change wait for up to two of its frames, of which 60 a second are its default.
    os.environ.setdefault("TEXTUAL_FPS", "120")
    # Collecting garbage during the many imports finds none and costs a tenth of the start.
    gc.disable()
    try:
        opening = Opening(project, home, time.time)
        import asyncio
        import signal

        from cortex_tui.application import CortexApp

        app = CortexApp(project, home, opening=opening, first="today")

        async def until_left() -> None:
            try:
                await app.run_async()
            finally:
                # What is still closing may be ended at any moment, without a word: it has written
                # what it was asked to, or its store undoes it.
                signal.signal(signal.SIGINT, signal.SIG_DFL)

        # The terminal sends ctrl+c as a signal again while it is given back: that must not end
        # half-way. A function, since programs that are started would inherit `SIG_IGN`.
        signal.signal(signal.SIGINT, lambda *_: None)
        asyncio.run(until_left())
    finally:
        gc.enable()
    return app.return_code or 0
