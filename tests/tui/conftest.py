"""Real stores to show, and how to wait for an app that works in threads."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual._compositor import Compositor
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot
from textual.widgets import Input

from cortex_core import Cortex
from cortex_core.base import project as projects
from cortex_tui.application import CortexApp
from cortex_tui.screens.memories_screen import MemoriesScreen
from tests.conftest import Clock
from tests.tui import portraits
from tests.tui.waiting import SHORT, handled, idle, settle

__all__ = ["settle"]

Once = Callable[[str, Callable[[], Any]], Any]
"""What makes stores once, by name, and copies them afterwards."""

NEVER = 3600.0
"""Seconds that no test takes."""

SAMPLES: tuple[tuple[float, str, dict[str, Any]], ...] = (
    (100, "Never push to main without a green build.", {"kind": "policy", "pinned": True}),
    (60, "Use pnpm, never npm.", {"kind": "preference", "scope": "global", "priority": 8}),
    (33, "The staging database is rebuilt every night at 02:00 UTC.", {"kind": "context"}),
    (
        21,
        "The 401 loop ends when the stale cookie is cleared before the retry.",
        {"kind": "solution", "confidence": 0.6},
    ),
    (20, "Staging gives its tokens a shorter life (2 minutes).", {"kind": "fact"}),
    (12, "Every route checks the token through `require_user`.", {"kind": "pattern"}),
    (
        9,
        "When two tabs wake at once both send the same refresh token.\n\nThe second one gets a 401 "
        "and logs the user out. `auth/session.ts` guards it with a lock.",
        {
            "kind": "gotcha",
            "title": "Token refresh races when two tabs wake together",
            "tags": ("auth", "mobile"),
            "files": ("auth/*.ts",),
        },
    ),
    (6, "Token rotation merged in 4f2c9a1.", {"kind": "progress", "confidence": 0.6}),
    (
        3,
        "Access tokens live 15 minutes, refresh tokens 30 days, because the mobile client can "
        "refresh in the background.",
        {"kind": "decision", "title": "Access tokens live 15 minutes, refresh tokens 30 days"},
    ),
)
"""Days ago, content, the other arguments of `remember`."""


@pytest.fixture
def ids(project: Path, clock: Clock, once: Once) -> dict[str, str]:
    """The memories of `portraits`."""
    return dict(once("portraits", lambda: portraits.fill(project, clock)))


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder for the stores that are made once and then copied, and what came of making them."""
    return tmp_path_factory.mktemp("kept"), {}


@pytest.fixture
def once(project: Path, clock: Clock, kept: tuple[Path, dict[str, Any]]) -> Once:
    """`once(name, make)`: the stores as `make` leaves them and what it returns, made for the first
    test that wants them at this time and copied for the others. Where a test has a store, it is
    made there."""
    stores = (project / ".memory", Path(projects.find(explicit=str(project)).home))

    def copied(name: str, make: Callable[[], Any]) -> Any:
        if any(store.exists() for store in stores):
            return make()
        folder, answers = kept[0] / f"{name} {clock.now}", kept[1]
        if folder.name not in answers:
            answers[folder.name] = make()
            for number, store in enumerate(stores):
                shutil.copytree(store, folder / str(number))
            return answers[folder.name]
        for number, store in enumerate(stores):
            shutil.copytree(folder / str(number), store)
        with Cortex.open(project, clock=clock) as cortex:
            cortex.trust.grant()
        return answers[folder.name]

    return copied


@pytest.fixture
def fill(project: Path, clock: Clock, once: Once) -> Callable[..., None]:
    """`fill(samples)`: remember them, each on its day; copied where others have made them, unless
    `own` ids are wanted."""

    def fill(
        samples: tuple[tuple[float, str, dict[str, Any]], ...] = SAMPLES, *, own: bool = False
    ) -> None:
        def make() -> None:
            now = clock.now
            with Cortex.open(project, clock=clock) as cortex:
                for days, content, values in samples:
                    clock.now = now - days * 86_400
                    cortex.remember(content, **{"kind": "fact", **values})
            clock.now = now

        if samples is SAMPLES and not own:
            once("samples", make)
        else:
            make()

    return fill


@pytest.fixture
def app(project: Path, clock: Clock, fill: Callable[..., None]) -> CortexApp:
    """The app over the samples."""
    fill()
    return CortexApp(project, clock=clock, ascii_only=False)


@pytest.fixture
def cortex(project: Path, clock: Clock) -> Cortex:
    """What somebody else has open over the same stores."""
    return Cortex.open(project, clock=clock)


@pytest.fixture(scope="session", autouse=True)
def styles_are_parsed_once() -> Iterator[None]:
    """The apps share the rules that a style sheet was parsed to: of a test of the app, parsing took
    a tenth of the processor time."""
    known: dict[tuple[Any, ...], list[RuleSet]] = {}
    parse = Stylesheet._parse_rules

    def parsed(self: Stylesheet, *given: Any, **named: Any) -> list[RuleSet]:
        key = (given, *named.items(), *self._variables.items())
        if key not in known:
            known[key] = parse(self, *given, **named)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parsed)
        yield


@pytest.fixture(autouse=True)
def waits_for_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pilot waits for the app to have nothing left to do, not for the processor to be idle, nor
    for an answer of every widget, which one that is removed meanwhile does not give."""
    monkeypatch.setattr("textual.pilot.wait_for_idle", idle)
    monkeypatch.setattr("textual.app.wait_for_idle", idle)
    monkeypatch.setattr(Pilot, "_wait_for_screen", handled)


@pytest.fixture(autouse=True)
def nothing_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """The app does nothing because time passes, however long a test takes: it does not look for
    what others wrote, compute vectors, search by meaning, take its sentences away or tidy up."""
    for name in (
        "application.START_SECONDS",
        "application.REST",
        "screens.base.PULSE",
        "screens.base.REST",
        "screens.list_query.MEANING_REST",
        "widgets.frame.SECONDS",
    ):
        monkeypatch.setattr(f"cortex_tui.{name}", NEVER)


@pytest.fixture
def painted() -> None:
    """All that changes is painted, seen or not: what fails while it is painted fails the test."""


@pytest.fixture(autouse=True)
def nothing_is_painted_unseen(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An app without a terminal throws away what it would write to one. That took two fifths of the
    processor time of its tests; those that look take a picture, which is painted when taken."""
    paint = Compositor.render_update

    def paint_if_whole(self: Compositor, full: bool = False, *given: Any, **named: Any) -> object:
        if full:
            return paint(self, full, *given, **named)
        self._dirty_regions.clear()
        return None

    if "painted" not in request.fixturenames:
        monkeypatch.setattr(Compositor, "render_update", paint_if_whole)


@pytest.fixture
def meaning(monkeypatch: pytest.MonkeyPatch, nothing_by_itself: None) -> None:
    """A search by meaning follows at once, and is waited for."""
    monkeypatch.setattr("cortex_tui.screens.list_query.MEANING_REST", SHORT / 10)


@pytest.fixture(scope="module", autouse=True)
def collected() -> Iterator[None]:
    """Close the files of a module's apps, which Python does when it collects garbage."""
    yield
    gc.collect()
    gc.freeze()


async def type_words(pilot: Pilot[None], words: str) -> None:
    """Put `words` into the search as one edit, and wait for the answer."""
    screen(pilot).search.query_one(Input).value = words
    await pilot.pause()
    await settle(pilot)


def screen(pilot: Pilot[None]) -> MemoriesScreen:
    """The memories screen."""
    found = pilot.app.screen_stack[0]
    assert isinstance(found, MemoriesScreen)
    return found


def remove_store(project: Path) -> None:
    """Take the project's store away while it is open."""
    for name in ("cortex.db", "cortex.db-wal", "cortex.db-shm"):
        (project / ".memory" / name).unlink(missing_ok=True)


def picture(pilot: Pilot[None]) -> str:
    """What the terminal shows, as text."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips)


def titles(pilot: Pilot[None]) -> list[str]:
    """The titles of the list, in its order."""
    rows = screen(pilot).rows.rows
    rows.load(0, len(rows))
    return [memory.title for place in range(len(rows)) if (memory := rows.at(place))]


@pytest.fixture
def many(project: Path, clock: Clock) -> int:
    """How many memories were put into the project's store: more than any screen holds."""
    lines = [
        f'{{"id": "{number:032x}", "content": "Build step {number} of the pipeline logs itself."}}'
        for number in range(400)
    ]
    with Cortex.open(project, clock=clock) as cortex:
        cortex.exchange.import_jsonl(lines)
    return len(lines)
