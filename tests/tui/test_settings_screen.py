"""The settings: what each is and where it comes from, changed by one key, taken back by another."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input

from cortex_core import Cortex
from cortex_core.base.settings import SETTINGS
from cortex_core.doctor import examine
from cortex_core.records.upkeep import CheckResult
from cortex_tui import themes
from cortex_tui.application import CortexApp
from cortex_tui.keymap import TABLE
from cortex_tui.screens.settings_screen import SettingsScreen
from cortex_tui.widgets.preview import Preview
from tests.conftest import Clock, made
from tests.tui.capturing import do, go, told_about
from tests.tui.conftest import picture
from tests.tui.pages import page
from tests.tui.waiting import act, until

MINE = """
primary = "#ff8800"
background = "#101010"
foreground = "#eeeeee"
"""


@pytest.fixture
def settings(project: Path, clock: Clock) -> CortexApp:
    """The app on the settings."""
    return page(SettingsScreen, project, clock)


def shown(pilot: Pilot[None]) -> SettingsScreen:
    found = pilot.app.screen
    assert isinstance(found, SettingsScreen)
    return found


def stand_on(pilot: Pilot[None], name: str) -> None:
    """Put the cursor on the line known as `name`."""
    rows = shown(pilot).rows
    rows.cursor = [item.key for item in rows.items].index(name)


def written(project: Path, side: str = "project") -> dict[str, Any]:
    folder = project / ".memory" if side == "project" else Path(os.environ["CORTEX_HOME"])
    file = folder / "config.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


async def answer(pilot: Pilot[None], value: str) -> str:
    """Put `value` into the dialog's line and enter it."""
    pilot.app.screen.query_one(Input).value = value
    await pilot.press("enter")
    return await go(pilot)


async def test_every_setting_is_listed_with_its_origin(
    settings: CortexApp, project: Path, cortex: Cortex
) -> None:
    cortex.settings.set("surface.tokens", 300, "project")
    cortex.settings.set("surface.tokens", 200, "global")
    cortex.settings.set("rules.commit", "off", "global")
    async with settings.run_test(size=(120, 40)) as pilot:
        shown_text = await go(pilot)
        names = [item.key for item in shown(pilot).rows.items]
        assert set(names) >= {setting.name for setting in SETTINGS} | {"rules.commit"}
        assert "300" in shown_text
        assert "global file   200" in shown_text
        assert "has priority over the global one" in told_about(shown(pilot))


async def test_a_number_is_typed_checked_and_undone(settings: CortexApp, project: Path) -> None:
    async with settings.run_test(size=(80, 24)) as pilot:
        await go(pilot, "e")
        shown_text = await answer(pilot, "a lot")
        assert "a whole number from 0 to 3000" in shown_text
        assert isinstance(settings.screen, ModalScreen)
        shown_text = await answer(pilot, "400")
        assert "surface.tokens is 400, in the project file." in shown_text
        assert written(project) == {"surface": {"tokens": 400}}
        shown_text = await go(pilot, "u")
        assert "Undone: set surface.tokens to 400" in shown_text
        assert written(project) == {}
        assert "Done again: set surface.tokens to 400" in await go(pilot, "ctrl+r")
        assert written(project) == {"surface": {"tokens": 400}}


async def test_settings_and_memories_are_undone_in_one_order_on_any_screen(
    project: Path, clock: Clock
) -> None:
    Cortex.open(project, clock=clock).remember("Use pnpm, never npm.", title="Use pnpm")
    app = CortexApp(project, clock=clock, ascii_only=False)
    async with app.run_test(size=(100, 30)) as pilot:
        await go(pilot, "p", "8", "right")
        stand_on(pilot, "cortex-light")
        await go(pilot, "e", "2")
        await act(pilot, "set('tag')")
        await answer(pilot, "tools")
        assert app.theme == "cortex-light"
        assert "Undone: tag “Use pnpm”" in await go(pilot, "u")
        assert "Undone: set theme to cortex-light" in await go(pilot, "u")
        assert app.theme == "cortex-dark" and written(project, "global") == {}
        assert "Undone: pin “Use pnpm”" in await go(pilot, "8", "u")
        assert "Done again: pin" in await go(pilot, "ctrl+r")
        assert "Done again: set theme to cortex-light" in await go(pilot, "ctrl+r")
        assert app.theme == "cortex-light"


async def test_a_switch_and_a_choice(settings: CortexApp, project: Path) -> None:
    async with settings.run_test(size=(80, 24)) as pilot:
        await go(pilot)
        stand_on(pilot, "surface.receipt")
        assert "enter change" in await go(pilot)
        await go(pilot, "enter")
        stand_on(pilot, "consolidation.mode")
        await go(pilot, "enter")
        await pilot.press(*"auto", "enter")
        await go(pilot)
        assert written(project) == {"surface": {"receipt": True}, "consolidation": {"mode": "auto"}}


async def test_what_the_other_file_says_counts_and_is_said(
    settings: CortexApp, project: Path, cortex: Cortex
) -> None:
    cortex.settings.set("surface.tokens", 100, "global")
    async with settings.run_test(size=(100, 30)) as pilot:
        await go(pilot, "f5", "e")
        await answer(pilot, "50")
        assert written(project) == {"surface": {"tokens": 50}}
        await go(pilot, "r")
        assert written(project) == {}
        await go(pilot, "r")
        assert written(project, "global") == {}
        assert "has its default already" in " ".join((await go(pilot, "r")).split())


async def test_what_was_not_changed_here_is_named_before_it_is_undone(
    settings: CortexApp, cortex: Cortex
) -> None:
    memory = cortex.remember("Use pnpm, never npm.")
    async with settings.run_test(size=(80, 24)) as pilot:
        assert "was not done here: by you elsewhere" in await go(pilot, "u")
        assert cortex.workspace.get(memory.id).status == "active"
        assert "Undone: remember" in await go(pilot, "u")
        assert cortex.list() == []


async def test_themes_are_tried_on_and_kept_only_when_chosen(
    settings: CortexApp, project: Path
) -> None:
    async with settings.run_test(size=(80, 24)) as pilot:
        await do(pilot, "section('themes')", "j")
        assert settings.theme == "cortex-light"
        await do(pilot, "section('options')")
        assert settings.theme == "cortex-dark"
        await do(pilot, "section('themes')")
        stand_on(pilot, "cortex-contrast")
        await go(pilot, "enter")
        await go(pilot, "escape")
        assert settings.theme == "cortex-contrast"
        assert written(project, "global") == {"theme": "cortex-contrast"}


async def test_leaving_takes_a_theme_off_again(settings: CortexApp) -> None:
    async with settings.run_test(size=(80, 24)) as pilot:
        assert "The theme in use." in await do(pilot, "section('themes')")
        await do(pilot, "section('keys')")
        assert "The theme in use." in await do(pilot, "section('themes')")
        await go(pilot, "end")
        assert settings.theme != "cortex-dark"
        await go(pilot, "escape")
        assert settings.theme == "cortex-dark"


async def test_own_themes_and_their_mistakes(project: Path, clock: Clock) -> None:
    folder = Path(os.environ["CORTEX_HOME"], "themes")
    folder.mkdir(parents=True)
    (folder / "amber.toml").write_text(MINE, encoding="utf-8")
    (folder / "broken.toml").write_text('primary = "#zz"\n', encoding="utf-8")
    app = page(SettingsScreen, project, clock)
    async with app.run_test(size=(100, 30)) as pilot:
        shown_text = await do(pilot, "section('themes')")
        assert "Themes ▲1" in shown_text
        stand_on(pilot, "amber")
        await go(pilot, "enter")
        assert app.theme == "amber"
        await go(pilot, "end")
        assert "primary is '#zz', which is no colour" in told_about(shown(pilot))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("primary = [", "not valid TOML"),
        ('accent = "red"', "needs a colour called primary"),
        ('primary = "red"\ndark = "no"', "takes true or false"),
        ('primary = "red"\nmood = "calm"', "nothing called mood"),
        ('primary = "red"\ntext_alpha = 7', "from 0 to 1"),
        ('primary = "red"\nname = "nord"', "already"),
        ("", "needs a colour"),
        ("\x00", "not valid TOML"),
    ],
)
def test_a_mistake_in_a_theme_is_a_sentence(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    (shown_text,) = themes.read_themes(tmp_path, ["nord"])[1]
    assert problem in shown_text
    assert str(tmp_path / "mine.toml") in shown_text


async def test_a_key_is_changed_at_once_and_reset(settings: CortexApp, project: Path) -> None:
    async with settings.run_test(size=(100, 30)) as pilot:
        await do(pilot, "section('keys')")
        stand_on(pilot, "settings.trust")
        assert "is the key of memory.edit" in await go(pilot, "e", "e")
        await go(pilot, "f8")
        assert written(project, "global") == {"keys": {"settings.trust": "f8"}}
        assert settings.keymap.first("settings.trust") == "f8"
        await go(pilot, "r")
        assert written(project, "global") == {}


async def test_every_key_is_listed_and_problems_first(
    project: Path, clock: Clock, cortex: Cortex
) -> None:
    made(project)
    (project / ".memory" / "config.toml").write_text(
        '[keys]\n"memory.copy" = "d"\n"memory.explode" = "x"\n', encoding="utf-8"
    )
    app = page(SettingsScreen, project, clock)
    async with app.run_test(size=(100, 30)) as pilot:
        shown_text = await do(pilot, "section('keys')")
        items = shown(pilot).rows.items
        assert {key.id for key in TABLE} < {item.key for item in items}
        assert "memory.explode" in shown_text
        first = [item.key for item in items[:3]]
        assert {"memory.explode", "memory.forget"} <= set(first)
        stand_on(pilot, "memory.explode")
        await go(pilot, "r")
        assert "memory.explode" not in [item.key for item in shown(pilot).rows.items]
        assert written(project) == {"keys": {"memory.copy": "d"}}


async def test_a_model_is_chosen_among_the_options(settings: CortexApp, cortex: Cortex) -> None:
    cortex.remember("Use pnpm, never npm.")
    async with settings.run_test(size=(80, 24)) as pilot:
        await go(pilot)
        stand_on(pilot, "embedding.model")
        assert "all-MiniLM-L6-v2" in await go(pilot, "enter")
        assert isinstance(settings.screen, ModalScreen)
        await go(pilot, "enter")
        assert not isinstance(settings.screen, ModalScreen)


async def test_trust_is_given_and_taken(settings: CortexApp, cortex: Cortex) -> None:
    cortex.remember("Use pnpm, never npm.")
    async with settings.run_test(size=(80, 24)) as pilot:
        await do(pilot, "section('health')")
        stand_on(pilot, "trust")
        await go(pilot, "enter")
        seen = [cortex.trust.granted]
        assert "not trusted" in picture(pilot)
        await go(pilot, "u")
        seen.append(cortex.trust.granted)
        stand_on(pilot, "trust")
        await go(pilot, "enter")
        assert [*seen, cortex.trust.granted] == [False, True, False]


async def test_a_mistake_in_a_file_is_told(settings: CortexApp, project: Path) -> None:
    async with settings.run_test(size=(80, 24)) as pilot:
        await go(pilot)
        made(project)
        (project / ".memory" / "config.toml").write_text("theme = [", encoding="utf-8")
        shown_text = " ".join((await go(pilot, "f5")).split())
        assert "not valid TOML" in shown_text
        assert settings.is_running


async def test_the_checks_and_their_repair(
    settings: CortexApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    visits: list[bool] = []
    about: dict[str, Any] = {"name": "hooks", "group": "client"}

    def look(*where: object, fix: bool = False, **how: object) -> object:
        visits.append(fix)
        if fix:
            done = "Took one of the two out."
            return (CheckResult(**about, state="ok", sentence="Installed once.", fixed=done),)
        wrong = "The hooks are installed twice."
        return (CheckResult(**about, state="warning", fixable=True, sentence=wrong),)

    monkeypatch.setattr(examine, "run", look)
    async with settings.run_test(size=(100, 30)) as pilot:
        assert "installed twice" in await do(pilot, "section('health')")
        await go(pilot, "left", "right")
        assert visits == [False]
        assert "Repair 1 thing?" in await go(pilot, "enter")
        assert "Took one of the two out." in await go(pilot, "y")
        assert visits == [False, False, True, False]


async def test_where_the_finds_of_a_rule_go_is_set_and_undone(
    settings: CortexApp, cortex: Cortex
) -> None:
    async with settings.run_test(size=(100, 30)) as pilot:
        await do(pilot, "section('finds')", "enter")
        assert "finds are off" in await go(pilot, *"off", "enter")
        first = cortex.rules.list()[0].name
        with Cortex.open(cortex.project.root, clock=settings.clock) as other:
            assert (other.rules.list()[0].name, other.rules.list()[0].tier) == (first, "off")
        await go(pilot, "u")
        with Cortex.open(cortex.project.root, clock=settings.clock) as other:
            assert other.rules.list()[0].setting == "auto"


async def test_a_theme_chosen_here_reaches_the_preview_of_the_memories(
    app: CortexApp,
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await go(pilot, "8", "right", "j", "e", "2", "j")
        assert app.theme == "cortex-light"
        preview = app.screen.query_one(Preview)
        (style,) = {segment.style for segment in preview.render_line(1) if segment.text.strip()}
        assert style is not None and style.color is not None
        assert style.color.get_truecolor().hex == themes.THEMES[1].variables["muted"]


async def test_words_find_a_key_by_parts_and_by_what_it_does(settings: CortexApp) -> None:
    async with settings.run_test(size=(120, 40)) as pilot:
        await do(pilot, "section('keys')")
        view = shown(pilot)
        every = len(view.rows.items)
        await go(pilot, "slash", *"frgt")
        assert view.rows.items[0].key == "memory.forget"
        assert len(view.rows.items) < every
        await go(pilot, "escape")
        assert view.rows.has_focus
        await go(pilot, "escape")
        assert shown(pilot) is view
        assert len(view.rows.items) == every
        await go(pilot, "slash", *"frgt", "enter", "right")
        await until(lambda: len(view.rows.items) > 3, "every theme, without the words")


async def test_words_that_fit_no_setting_are_said_to(settings: CortexApp) -> None:
    async with settings.run_test(size=(100, 30)) as pilot:
        await go(pilot, "slash", *"xyzzy")
        assert "Nothing here fits these words." in picture(pilot)
        await go(pilot, *["backspace"] * 5, *"srfc tok")
        assert shown(pilot).rows.items[0].key == "surface.tokens"
