"""The way into the terminal app: `run` opens the stores while Textual is being imported.

Nothing heavy is imported here, so that both can begin at once; `CortexApp` is fetched when it is
first asked for.
"""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_tui.session import Opening

if TYPE_CHECKING:
    from cortex_tui.application import CortexApp

__all__ = ["CortexApp", "run"]


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
        from cortex_tui.application import CortexApp

        app = CortexApp(project, home, opening=opening, first="today")
        app.run()
    finally:
        gc.enable()
    return app.return_code or 0


def __getattr__(name: str) -> object:
    if name != "CortexApp":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cortex_tui.application import CortexApp

    return CortexApp
