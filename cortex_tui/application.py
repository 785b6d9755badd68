"""The terminal app: themes, keys, signs, and the screen it opens on.

It owns the open stores; screens own what they show of them.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App, SystemCommand
from textual.command import CommandPalette
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender

from cortex_core import config as configuration
from cortex_core import project as projects
from cortex_core.config import Config
from cortex_core.errors import ConfigError
from cortex_tui import keymap
from cortex_tui.answers import Question
from cortex_tui.glyphs import Look, prefers_ascii
from cortex_tui.keymap import Keymap
from cortex_tui.library import Library, Opened, Opening
from cortex_tui.themes import DEFAULT, THEMES, with_greys

if TYPE_CHECKING:
    from textual.command import Provider

_HERE = Path(__file__).parent
STYLES = next(path for path in (_HERE / "styles", _HERE.parent / "styles") if path.is_dir())
"""The style sheets: the wheel's copy, else the checkout's."""
STARTED = 2.0
"""Seconds after which the start is over."""


def _commands() -> type[Provider]:
    from cortex_tui.commands import KeyCommands

    return KeyCommands


class PlainBar(ScrollBarRender):
    """A scroll bar of blanks alone, told by its colour or reversed."""

    VERTICAL_BARS = [" "] * 8
    HORIZONTAL_BARS = [" "] * 8


class CortexApp(App[None], inherit_bindings=False):
    """The app."""

    TITLE = "Cortex"
    CSS_PATH = [STYLES / name for name in ("app.tcss", "memories.tcss", "help.tcss")]
    BINDINGS = [*keymap.bindings("app")]
    COMMANDS = {_commands}
    COMMAND_PALETTE_BINDING = "ctrl+p"
    PAUSE_GC_ON_SCROLL = True

    def __init__(
        self,
        project: str | Path | None = None,
        home: str | Path | None = None,
        *,
        clock: Callable[[], float] = time.time,
        ascii_only: bool | None = None,
        opening: Opening | None = None,
    ) -> None:
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self._where = (project, home)
        self.clock = clock
        self.opening = opening
        """Stores that are on their way already; None once they were asked for."""
        self.library: Library | None = None
        self.look = Look(ascii_only=prefers_ascii() if ascii_only is None else ascii_only)
        self.config = self._configured()
        self.keymap: Keymap = keymap.resolve(self.config.keys)
        self._dress(self.config.get("theme"))

    @property
    def now(self) -> float:
        """The present moment, Unix seconds."""
        return self.clock()

    def open_stores(self, question: Question) -> Opened:
        """Open the stores, or open them again, and answer `question`; slow, for a worker."""
        opening, self.opening = self.opening, None
        if opening is None or opening.question != question:
            opening = Opening(*self._where, self.clock, question)
        return opening.result()

    def _configured(self) -> Config:
        """The settings; the defaults where a file has a mistake: opening the stores tells it."""
        project, home = (None if path is None else str(path) for path in self._where)
        try:
            return configuration.load(projects.find(explicit=project, home=home))
        except ConfigError:
            return Config()

    def get_default_screen(self) -> Screen[None]:
        from cortex_tui.screens.memories import MemoriesScreen

        return MemoriesScreen(self.look)

    def _dress(self, theme: str) -> None:
        """Put on `theme` before any style is read: a change of theme reads them all again."""
        for one in THEMES:
            self.register_theme(one)
        self.set_reactive(App.theme, theme if theme in self.available_themes else DEFAULT)
        self.stylesheet.set_variables(self.get_css_variables())
        self.set_class(self.look.ascii_only, "-ascii")
        ScrollBar.renderer = PlainBar if self.look.ascii_only else ScrollBarRender

    def get_css_variables(self) -> dict[str, str]:
        return with_greys(super().get_css_variables())

    def on_mount(self) -> None:
        self.set_keymap(self.keymap.overrides())
        self.call_after_refresh(self._tell_problems)
        self.set_timer(STARTED, self._started)

    def _started(self) -> None:
        """Collect garbage again, but never what the start made: it stays for good."""
        gc.freeze()
        gc.enable()

    def _tell_problems(self) -> None:
        """Say what of the configuration is not as the person wrote it."""
        problems = list(self.keymap.problems)
        if (name := self.config.get("theme")) not in self.available_themes:
            known = ", ".join(sorted(self.available_themes))
            problems.append(f"theme: there is none called “{name}”. There are: {known}.")
        for problem in problems:
            self.notify(self.look.line(problem), severity="warning", timeout=10, markup=False)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        yield SystemCommand("Theme", "Choose colours for this session.", self.search_themes)

    def action_command_palette(self) -> None:
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(CommandPalette(placeholder="find a command", id="--command-palette"))

    def action_help(self) -> None:
        from cortex_tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.keymap))
