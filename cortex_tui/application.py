"""The terminal app: themes, keys, signs, and the first screen.

It owns the open stores; screens own what they show of them.
"""

from __future__ import annotations

import gc
import os
import signal
import time
from asyncio import CancelledError, get_running_loop
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textual import on
from textual.actions import ActionParseResult
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.command import CommandPalette
from textual.dom import DOMNode
from textual.events import Event, Key as KeyPress
from textual.screen import ModalScreen, Screen
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.theme import Theme
from textual.widgets import Input
from textual.worker import WorkerError, get_current_worker

from cortex_core.base import config as configuration, project as projects
from cortex_core.base.config import Config
from cortex_core.base.errors import ConfigError
from cortex_tui import keymap, screens
from cortex_tui.context import AppContext, context_of
from cortex_tui.glyphs import Glyphs, prefers_ascii
from cortex_tui.keymap import TABLE, Keymap
from cortex_tui.session import Opening, StoreSession
from cortex_tui.themes import DEFAULT, STYLES, THEMES, read_themes, with_greys
from cortex_tui.widgets.frame import CaptureStrip, KeyHints

if TYPE_CHECKING:
    from textual.command import Provider
    from textual.timer import Timer

    from cortex_tui.screens.base import StoreScreen


NEED_STORES = frozenset(
    key.action
    for key in TABLE
    if key.id.startswith("go.")
    or (key.places.split()[0] in ("store", "memory", "memories") and not key.at_once)
)
"""Actions that do nothing before the stores are open."""
GC_THRESHOLD = 50_000
"""New objects after which garbage is collected: a result of 100,000 rows makes as many at once."""
START_SECONDS = 2.0
"""Seconds after which the start is over."""
REST = 2.0
"""Seconds after the last closed screen when the memory of closed screens is given back."""
MOST_CLOSED = 32
"""Closed screens after which it is given back without a rest; they hold about 20 MB."""
THREADS = 6
"""Threads that read and change the stores. Each keeps a connection to both, so they are few on a
machine with many processors too."""


def _commands() -> type[Provider]:
    from cortex_tui.screens.help_screen import KeyCommands

    return KeyCommands


class Palette(CommandPalette):
    """Textual's palette, which gets what is typed while it opens, and runs what the words find.

    It closes once: a second enter would close the screen below it.
    """

    def on_screen_resume(self) -> None:
        self.call_after_refresh(context_of(self.app).hold_keys, False)

    @on(Input.Submitted)
    async def _let_enter_wait(self, event: Input.Submitted) -> None:
        """Until it is found what the words mean, the list shows what was there before."""
        for one in list(self.workers):
            if one.group == self._GATHER_COMMANDS_GROUP and not one.is_finished:
                with suppress(WorkerError):
                    await one.wait()
        if not self.is_active:  # escape was quicker
            event.prevent_default()

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close it, unless it is closed already."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def _action_command_list(self, action: str) -> None:
        """Move in the list, once it is laid out: before that Textual does not find its lines."""
        with suppress(KeyError):
            super()._action_command_list(action)


class PlainBar(ScrollBarRender):
    """A scroll bar of blanks, visible by its colour or reversed."""

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
        first: str = "memories",
    ) -> None:
        """Args:
        first: the screen that is shown at first, below all others.
        """
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self._where = (project, home)
        self.first = first
        self.clock = clock
        self.opening = opening
        """Stores that are being opened already; None once they were asked for."""
        self.stores: StoreSession | None = None
        self._waiting: list[tuple[str, DOMNode | None]] | None = None if opening is None else []
        """Actions that wait until the stores are open; None when nothing is being opened."""
        self.glyphs = Glyphs(ascii_only=prefers_ascii() if ascii_only is None else ascii_only)
        self.themes_folder = Path()
        """The folder of the user's own themes; it need not exist."""
        self._own_themes: list[Theme] = []
        self.theme_problems: list[str] = []
        """What is wrong with theme files, one sentence each."""
        self._is_shut = False
        """Whether the stores could not be opened."""
        self._opens_dialog = False
        self._typed_ahead: list[KeyPress] = []
        """Keys for a dialog that is being opened."""
        self._memories: StoreScreen | None = None
        """The memories, which keep their marks and their search while others are shown."""
        self._drafts: dict[str | None, dict[tuple[str, Hashable], str]] = {}
        """What was typed and not saved, by the root of each project."""
        self._drafts_named = 0
        """How many of them the user was reminded of when leaving."""
        self._popped = 0
        """How many screens were closed."""
        self._tidying: Timer | None = None
        # Settings come last: what they say of theme and keys goes into the attributes above.
        self.config = self._configured()
        self.keymap: Keymap = keymap.resolve(self.config.keys)
        self._set_theme(self.config.get("theme"))

    @property
    def now(self) -> float:
        """The present moment, Unix seconds."""
        return self.clock()

    async def on_event(self, event: Event) -> None:
        """Handle an event; what is typed while a dialog is opened waits for the dialog."""
        if isinstance(event, KeyPress):
            front = self.screen_stack[-1:]
            if self._opens_dialog or any(getattr(screen, "opens", False) for screen in front):
                # Whoever presses escape does not want to wait.
                if event.key != "escape":
                    # A key that was on its way already comes back from the screen below.
                    self._typed_ahead.append(KeyPress(event.key, event.character))
                    return
                self.hold_keys(False)
        await super().on_event(event)

    def hold_keys(self, hold: bool) -> None:
        """Let keys wait for the dialog that is being opened, or handle those that waited."""
        self._opens_dialog = hold
        if not hold:
            typed, self._typed_ahead = self._typed_ahead, []
            for key in typed:
                self.post_message(key)

    def open_stores(self) -> Opening:
        """Stores that are being opened, or opened again."""
        opening, self.opening = self.opening or Opening(*self._where, self.clock), None
        return opening

    def stores_came(self, stores: StoreSession) -> None:
        """Let the screens read from `stores`, and run the actions that waited for them."""
        waiting, self._waiting = self._waiting, None
        self.stores, self._is_shut = stores, False
        stores.drafts = self._drafts.setdefault(stores.cortex.project.root, stores.drafts)
        for screen in {*self.screen_stack, self._memories}:
            if (begin := getattr(screen, "stores_came", None)) is not None:
                begin()
        for action, namespace in waiting or ():
            self.call_later(self.run_action, action, namespace)

    def stores_failed(self) -> None:
        """Drop the actions that wait for stores which cannot be read."""
        self._waiting = None
        self._is_shut = self.stores is None
        if self._is_shut:
            self.go(self.first)  # which says why, and opens them again

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Perform an action; one that needs the stores waits until they are open."""
        if self._waiting is not None and isinstance(action, str) and action in NEED_STORES:
            self._waiting.append((action, default_namespace))
            return True
        return await super().run_action(action, default_namespace, namespaces)

    def _configured(self) -> Config:
        """The settings; the defaults if a file has a mistake, which opening the stores reports."""
        project, home = (None if path is None else str(path) for path in self._where)
        where = projects.find(explicit=project, home=home)
        self.themes_folder = Path(where.home, "themes")
        try:
            return configuration.load(where)
        except ConfigError:
            return Config()

    def configure(self, config: Config) -> None:
        """Use the keys and the theme of `config` from now on."""
        self.config = config
        self.keymap = keymap.resolve(config.keys)
        self.set_keymap(self.keymap.overrides())
        for screen in self.screen_stack:
            for around in (*screen.query(KeyHints), *screen.query(CaptureStrip)):
                around.keymap = self.keymap
        name = config.get("theme")
        self.theme = name if name in self.available_themes else DEFAULT

    def theme_choices(self) -> dict[str, str]:
        """The themes to choose from, ours and the user's own first, and where each comes from."""
        ours = dict.fromkeys((theme.name for theme in THEMES), "Cortex")
        own = dict.fromkeys((theme.name for theme in self._own_themes), "your own")
        rest = sorted(self.available_themes.keys() - ours.keys() - own.keys())
        return {**ours, **own, **dict.fromkeys(rest, "Textual")}

    def get_default_screen(self) -> Screen[None]:
        screen = screens.make_screen(self.first)
        # Textual reads the styles only of screens that are pushed.
        self.stylesheet.read_all(screen.css_path)
        return screen

    def _set_theme(self, theme: str) -> None:
        """Set `theme` before any style is read: a change of theme reads them all again."""
        for one in THEMES:
            self.register_theme(one)
        if self.themes_folder.is_dir():
            self._own_themes, self.theme_problems = read_themes(
                self.themes_folder, self.available_themes
            )
        for one in self._own_themes:
            self.register_theme(one)
        self.set_reactive(App.theme, theme if theme in self.available_themes else DEFAULT)
        self.stylesheet.set_variables(self.get_css_variables())
        self.set_class(self.glyphs.ascii_only, "-ascii")
        ScrollBar.renderer = PlainBar if self.glyphs.ascii_only else ScrollBarRender

    def get_css_variables(self) -> dict[str, str]:
        return with_greys(super().get_css_variables())

    def on_mount(self) -> None:
        get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "stores"))
        self.set_keymap(self.keymap.overrides())
        # After `fg` the terminal shows nothing of what was there, so every cell is painted.
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))
        # Textual stops and goes on inside the signal's handler. Where that interrupts a write to
        # the terminal, the next one waits for ever, so both wait for the loop's turn.
        # Windows has neither signal.
        for number in (signal.SIGTSTP, signal.SIGCONT) if os.name == "posix" else ():
            if callable(handler := signal.getsignal(number)):
                get_running_loop().add_signal_handler(number, handler, number, None)
        self.call_after_refresh(self._show_problems)
        self.set_timer(START_SECONDS, self._started)

    def _started(self) -> None:
        """Collect garbage again, but rarely, and never what the start made, which stays."""
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD, 20, 50)
        gc.enable()

    async def push_screen_wait(self, screen: Any, *, mode: str | None = None) -> Any:
        """Open a dialog and wait for its answer, unless the screen that asks was left meanwhile.

        Textual first does what waits for the app in the worker that asks. Where that removes the
        screen of this worker, it cancels the removal and with it the app.
        """
        if get_current_worker().node not in self.screen_stack:
            raise CancelledError
        return await super().push_screen_wait(screen, mode=mode)

    def pop_screen(self) -> AwaitComplete:
        """Close the screen in front; its memory is given back once the user rests."""
        closing = super().pop_screen()
        self._popped += 1
        if self._tidying is not None:
            self._tidying.stop()
        self._tidying = self.set_timer(REST, self._tidy)
        if self._popped % MOST_CLOSED == 0:
            self.call_after_refresh(self._tidy)
        return closing

    def _tidy(self) -> None:
        """Give back the memory of closed screens, whose widgets refer to each other.

        Python's own collection of old garbage is as good as switched off (`_started`), and
        Textual keeps the painted lines of its last 1,024 widgets as keys of a cache of colours. It
        has no public way to clear that; a Textual without it gives back only what is garbage.
        """
        with suppress(ImportError, AttributeError):
            from textual._styles_cache import StylesCache

            StylesCache.get_inner_outer.cache_clear()
        gc.collect()

    def _show_problems(self) -> None:
        """Report what is wrong in the configuration."""
        problems = [*self.keymap.problems, *self.theme_problems]
        if (name := self.config.get("theme")) not in self.available_themes:
            known = ", ".join(sorted(self.available_themes))
            problems.append(f"theme: there is none called “{name}”. There are: {known}.")
        for problem in problems:
            self.notify(self.glyphs.line(problem), severity="warning", timeout=10, markup=False)

    def action_command_palette(self) -> None:
        if not any(isinstance(screen, CommandPalette) for screen in self.screen_stack):
            self.hold_keys(True)
            self.push_screen(
                Palette(
                    placeholder="find a command, a memory, a session or a setting",
                    id="--command-palette",
                )
            )

    def action_go(self, name: str, part: Hashable = "") -> None:
        """Show the screen called `name`, and of it the section or line `part`."""
        if isinstance(self.screen, ModalScreen):
            return
        if getattr(self.screen, "NAME", "") != name:
            self.go(name)
        if part and (show := getattr(self.screen, "show_part", None)) is not None:
            show(part)

    def open_project(self, root: str, memory: str = "") -> None:
        """Leave this project for the one at `root`, and show the page of today, or the memory with
        the id `memory`."""
        while len(self.screen_stack) > 1:
            self.pop_screen()
        self._where, self.stores = (root, self._where[1]), None
        self.configure(self._configured())
        base = cast("StoreScreen", self.screen_stack[0])
        for screen in {base, self._memories or base}:
            screen.forget_project()
        show = f"app.show_memory('{memory}')" if memory else "app.go('today')"
        self._waiting = [(show, None)]
        base.open_stores()
        self.hold_keys(False)  # the dialog that asked for it is over, and its screen may be gone

    def action_show_memory(self, id: str) -> None:
        """Show everything about the memory with the id `id`."""
        keys = {} if self.stores is None else self.stores.cortex.memories.keys_of([id])
        for key in keys.values():
            self.go("detail", key)

    def action_job(self, name: str) -> None:
        """Do something for the whole project: `name` is a method of `ProjectJobs`."""
        from cortex_tui.screens.base import StoreScreen
        from cortex_tui.screens.project_jobs import ProjectJobs

        if isinstance(self.screen, StoreScreen):
            getattr(ProjectJobs(self.screen), name)()

    def go(self, name: str, *arguments: object) -> None:
        """Show the screen called `name`, made with `arguments`, over what is shown; a main one that
        is below already is gone back to."""
        below = [getattr(screen, "NAME", "") for screen in self.screen_stack]
        if self._is_shut and name in screens.MAIN:
            name = self.first
        if name in screens.MAIN and name in below:
            while getattr(self.screen, "NAME", "") != name and len(self.screen_stack) > 1:
                self.pop_screen()
        elif name == "memories":
            if self._memories is None:
                self._memories = cast("StoreScreen", screens.make_screen(name))
                self.install_screen(self._memories, name)
            self.push_screen(self._memories)
        else:
            self.push_screen(screens.make_screen(name, *arguments))

    async def action_quit(self) -> None:
        """Quit; in a dialog close only the dialog, so that typed text is not lost by mistake."""
        if (dialog := getattr(self.screen, "leave_first", None)) is not None:
            dialog()
        elif (drafts := sum(map(len, self._drafts.values()))) > self._drafts_named:
            self._drafts_named = drafts
            lost = "You have a draft that is not saved. Press the key again to leave without it."
            self.notify(lost, severity="warning", markup=False)
        else:
            self.exit()

    def action_help(self) -> None:
        if getattr(self.screen, "NAME", "") != "help":
            self.go("help", self.keymap, getattr(self.screen, "PLACE", "memories"))


if TYPE_CHECKING:
    _KEEPS_ITS_PROMISE: AppContext = CortexApp()
