"""What screens share with the app: a Protocol of what they use of it, and the messages of workers.

Screens, dialogs and their helpers know this Protocol, not the app, so that nothing a screen imports
imports it back. A worker posts one typed message for each result; screens decide what to do.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from textual.app import App
from textual.message import Message

from cortex_core.base.config import Config
from cortex_core.records.memory import Key, Memory
from cortex_tui.glyphs import Glyphs
from cortex_tui.keymap import Keymap
from cortex_tui.queries import ListResult, MeaningHits
from cortex_tui.session import Opening, StoreSession

ASKS = "dialog"
"""The group of the workers that open one dialog after the other."""
EDITOR = "editor"
"""The group of the workers that wait for an editor with a window of its own."""


class AppContext(Protocol):
    """The app as its screens see it."""

    glyphs: Glyphs
    keymap: Keymap
    """The keys in effect."""
    config: Config
    stores: StoreSession | None
    """The open stores; None until they are open."""
    themes_folder: Path
    """The folder of the user's own themes; it need not exist."""
    theme_problems: list[str]
    """What is wrong with theme files, one sentence each."""

    @property
    def now(self) -> float:
        """The present moment, Unix seconds."""

    def go(self, name: str, *arguments: object) -> None:
        """Show the screen called `name` in `SCREENS`, made with `arguments`."""

    def open_project(self, root: str, memory: str = "") -> None:
        """Leave this project for the one at `root`, and show today's page or a memory of it."""

    def action_show_memory(self, id: str) -> None:
        """Show everything about the memory with the id `id`."""

    def action_go(self, name: str, part: Hashable = "") -> None:
        """Show the screen called `name`, and of it the section or the line `part`."""

    def action_job(self, name: str) -> None:
        """Do something for the whole project on the screen in front: a method of `ProjectJobs`."""

    def hold_keys(self, hold: bool) -> None:
        """Let keys wait for the dialog that is being opened, or handle those that waited."""

    def configure(self, config: Config) -> None:
        """Use the keys and the theme of `config` from now on."""

    def theme_choices(self) -> dict[str, str]:
        """The themes that can be chosen, and where each comes from."""

    def open_stores(self) -> Opening:
        """Stores that are being opened, or opened again."""

    def stores_came(self, stores: StoreSession) -> None:
        """Let the screens read from `stores`, and run the actions that waited for them."""

    def stores_failed(self) -> None:
        """Drop the actions that wait for stores which cannot be read."""


def context_of(app: App[Any]) -> AppContext:
    """`app` as its screens see it; Textual types a node's app as any app."""
    return cast("AppContext", app)


@dataclass
class RowsFound(Message):
    """The rows of a query are known."""

    result: ListResult
    generation: int
    """The number of the query; the result of an older one is dropped."""
    kept: frozenset[Key]
    """The forgotten rows that were known when the query began."""
    rows: Mapping[Key, Memory]
    """The memories of the first page."""


@dataclass
class MeaningFound(Message):
    """The rows closest in meaning to the words of a query are known."""

    hits: MeaningHits
    generation: int


class Fetched(Message):
    """A worker has its result."""

    def __init__(self, show: Callable[[], None]) -> None:
        """`show` shows it, on the screen's own thread."""
        super().__init__()
        self.show = show


@dataclass
class Failed(Message):
    """Something was not done."""

    reason: str
    """What happened, what was left unchanged, what to do next."""
    unusable: bool = False
    """The stores cannot be read: there is nothing to show."""
