"""The surface workbench: exactly what is given, why, what was left out, and what changes it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from cortex_core import Cortex
from cortex_tui.actions import project_actions as actions
from cortex_tui.actions.project_actions import Occasion
from cortex_tui.application import CortexApp
from cortex_tui.lists.cursor_list import LineList
from cortex_tui.screens.surface_screen import REST, SurfaceScreen
from cortex_tui.session import StoreSession
from tests.conftest import Clock
from tests.tui.conftest import picture, remove_store, settle
from tests.tui.pages import page
from tests.tui.waiting import act, press


@pytest.fixture
def app(project: Path, clock: Clock, fill: Callable[..., None]) -> CortexApp:
    """The workbench over the samples, with a budget that one of them just misses."""
    fill()
    with Cortex.open(project, clock=clock) as cortex:
        cortex.settings.set("surface.tokens", 280)
    return page(SurfaceScreen, project, clock)


def shown(pilot: Pilot[None]) -> SurfaceScreen:
    assert isinstance(pilot.app.screen, SurfaceScreen)
    return pilot.app.screen


def given(project: Path, clock: Clock) -> str:
    with Cortex.open(project, clock=clock) as cortex:
        return cortex.surface().text


async def type_prompt(pilot: Pilot[None], words: str) -> None:
    shown(pilot).prompt.query_one(Input).value = words
    await settle(pilot, timers=REST)


async def go_to(pilot: Pilot[None], words: str) -> None:
    """Put the cursor on the line that says `words`."""
    view = shown(pilot)
    assert view.preview is not None
    name = next(line.id for line in view.preview.lines if words in line.text)
    view.lines.cursor = [line.key for line in view.lines.lines].index(name)
    await settle(pilot)


# --- what is shown


async def test_the_exact_text_is_what_the_core_gives(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    async with app.run_test(size=(120, 60)) as pilot:
        await settle(pilot)
        await pilot.press("tab")
        await settle(pilot)
        seen = picture(pilot)
        for line in given(project, clock).split("\n"):
            assert line[:100] in seen, line
        await pilot.press("shift+tab")
        assert shown(pilot).lines.display
        await act(pilot, "text")
        assert shown(pilot).exact.display


async def test_meter_parts_and_reasons(app: CortexApp, project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        surface = cortex.surface()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        seen = picture(pilot)
        assert f"{surface.tokens} of {surface.budget} tokens" in seen
        assert f"{surface.units:,} of 9,500 characters" in seen
        assert "left out, " in seen
        await go_to(pilot, "pnpm")
        seen = picture(pilot)
        assert "importance" in seen and "(confidence" in seen
        assert "+ priority 16" in seen
        assert "+ said by you 10" in seen
        assert "Always · comes first" in seen
        await go_to(pilot, "staging database")
        assert "context does not last" in picture(pilot)


async def test_a_memory_is_found_whether_injected_or_not(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        told = cortex.remember("The pager rota is on the wiki", kind="episode")
        away = cortex.remember("The pager wakes whoever deployed last", kind="policy", pinned=True)
        cortex.forget(cortex.remember("The pager is loud").id)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("f")
        await pilot.press(*"pager")
        await settle(pilot, timers=REST)
        view = shown(pilot)
        assert view.prompt.words == "find: pager"
        assert view.preview is not None and view.preview.found is not None
        first, *others = (line.id for line in view.preview.found)
        assert first == away.id and told.id in others and len(others) == 2
        seen = picture(pilot)
        for words in ("1 of 3 are injected", "no lines for the kind episode", "it is archived"):
            assert words in seen, words
        await go_to(pilot, "rota")
        _, memory = view.current()
        assert memory is not None and memory.id == told.id
        await pilot.press("escape", "escape")
        await settle(pilot, timers=REST)
        assert "left out, " in picture(pilot)


async def test_reasons_are_whole_where_there_is_room(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        missed = max(cortex.surface().missed, key=lambda line: len(line.why))
    async with app.run_test(size=(200, 40)) as pilot:
        await settle(pilot)
        await go_to(pilot, missed.text)
        row = next(line for line in picture(pilot).split("\n") if missed.why in line)
        assert "…" not in row.rpartition(missed.why)[2]


async def test_80x24_is_complete(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        seen = picture(pilot)
        for words in (
            "Injected at the next start",
            "of 280 tokens",
            "of 9,500 chars",
            "type a prompt",
            "── Always ──",
            "── Known traps ──",
            "policy",
            "confidence",
            "w wrong here",
        ):
            assert words in seen, words
        await pilot.press("end")
        assert "left out, " in picture(pilot)


async def test_moving_by_key_and_mouse(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        view = shown(pilot)
        last = len(view.lines.lines) - 1
        places = []
        for key in ("j", "k", "k", "end", "home", "down", "pagedown", "home"):
            await pilot.press(key)
            places.append(view.lines.cursor)
        assert places[:3] == [2, 1, 1]
        assert places[3:5] == [last, 1]
        assert places[6] > places[5] > 1
        headings = [n for n, line in enumerate(view.lines.lines) if line.key is None]
        top = view.lines.gutter.top
        await pilot.click(LineList, offset=(20, top + headings[1] + 1))
        assert view.lines.cursor == headings[1] + 1
        await pilot.click(LineList, offset=(20, top + headings[1]))
        assert view.lines.cursor == headings[1] + 1


# --- changing what is given


async def test_pinning_puts_it_in_at_once(app: CortexApp, project: Path, clock: Clock) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "rebuilt every night" not in given(project, clock)
        await go_to(pilot, "rebuilt every night")
        await pilot.press("p")
        await settle(pilot)
        assert "rebuilt every night" in given(project, clock)
        view = shown(pilot)
        assert view.preview is not None
        assert view.preview.surface.text == given(project, clock)
        assert "pinned" in picture(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert "rebuilt every night" not in given(project, clock)


@pytest.mark.parametrize(
    ("prompt", "words"), [("", "pnpm"), ("two tabs wake and send the refresh token", "two tabs")]
)
async def test_a_wrong_line_is_injected_no_more_on_this_occasion_until_undone(
    app: CortexApp, prompt: str, words: str
) -> None:
    def injected(view: SurfaceScreen) -> list[str]:
        assert view.preview is not None
        return [one.id for one in (*view.preview.surface.lines, *view.preview.repeated)]

    async with app.run_test(size=(120, 40)) as pilot:
        await type_prompt(pilot, prompt)
        view = shown(pilot)
        before = injected(view)
        await go_to(pilot, words)
        wrong = view.lines.key
        await press(pilot, "w")
        assert wrong in before and wrong not in injected(view)
        await press(pilot, "u")
        assert injected(view) == before


async def test_an_edit_made_elsewhere_is_rendered_at_once(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        with Cortex.open(project, clock=clock) as cortex:
            (one,) = cortex.list(kinds=["policy"])
            cortex.edit(one.id, content="Never push to main on a Friday.")
        shown(pilot).pulse()
        await settle(pilot)
        assert "on a Friday" in picture(pilot)


async def test_all_is_copied(app: CortexApp, project: Path, clock: Clock) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("c")
        await settle(pilot)
        assert app.clipboard == given(project, clock)


# --- a prompt, a file


async def test_a_prompt_shows_what_it_adds_to_the_start(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("slash")
        assert isinstance(app.focused, Input)
        await type_prompt(pilot, "is the staging database rebuilt every night")
        seen = picture(pilot)
        assert "Injected with this prompt" in seen
        assert "adds 1 memory" in seen
        assert "of 800 tokens" in seen
        await pilot.press("escape", "tab")
        await settle(pilot)
        assert "For this prompt:" in picture(pilot)
        await pilot.press("escape")
        await settle(pilot, timers=REST)
        assert "Injected at the next start" in picture(pilot)


async def test_what_the_start_gave_is_not_given_again_but_named(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_prompt(pilot, "token refresh races in two tabs")
        seen = picture(pilot)
        assert "fits too, already injected at session start" in seen
        assert "When two tabs wake at once" in seen


async def test_a_file_shows_what_is_about_it(app: CortexApp, project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember(
            "The build cache is keyed by the lock file",
            kind="context",
            files=["ci/*.yml"],
            confidence=0.4,
            priority=1,
        )
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_prompt(pilot, "file:ci/build.yml")
        seen = picture(pilot)
        assert "Injected when ci/build.yml is opened" in seen
        assert "build cache" in seen
        await type_prompt(pilot, "file:README.md")
        assert "No memory is about this file" in picture(pilot)


async def test_a_long_paste_becomes_one_line(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("slash")
        from textual.events import Paste

        app.post_message(Paste("why does\nthe \x1b[31mbuild\tfail\n" * 400))
        await settle(pilot, timers=REST)
        assert "\x1b" not in shown(pilot).prompt.words
        assert "\n" not in shown(pilot).prompt.words
        assert app.is_running


def test_what_was_typed() -> None:
    assert actions.read_occasion("  ") == Occasion()
    assert actions.read_occasion(" fix it ") == Occasion(prompt="fix it")
    assert actions.read_occasion("File: src/a.py") == Occasion(file="src/a.py")


def test_another_branch_is_taken_notice_of(
    project: Path, clock: Clock, fill: Callable[..., None]
) -> None:
    fill()
    stores = StoreSession(project, clock=clock)
    assert "branch" in actions.preview_surface(stores, Occasion()).surface.lines[0].parts
    subprocess.run(["git", "checkout", "-q", "-b", "other"], cwd=project, check=True)
    parts = actions.preview_surface(stores, Occasion()).surface.lines[0].parts
    assert not parts.get("branch")
    assert stores.cortex.status().branch == "other"


# --- nothing, gone, untrusted


async def test_an_empty_store_says_how_to_begin(project: Path, clock: Clock) -> None:
    app = page(SurfaceScreen, project, clock)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "nothing is injected" in picture(pilot)
        for key in ("j", "p", "w", "c", "tab", "tab", "e", "enter", "d"):
            await pilot.press(key)
            await settle(pilot)
        assert app.is_running


async def test_a_store_that_is_not_trusted_is_told(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        cortex.forget([one.id for one in cortex.list(scope="global")])
        cortex.trust.revoke()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "cortex trust" in picture(pilot)


async def test_a_store_removed_underneath_is_told_and_f5_goes_on(
    app: CortexApp, project: Path
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        remove_store(project)
        await pilot.press("p")
        await settle(pilot)
        shown(pilot).pulse()
        await settle(pilot)
        assert "cannot be read" in picture(pilot)
        await pilot.press("f5")
        await settle(pilot)
        assert "pnpm" in picture(pilot)


async def test_markup_escapes_and_wide_letters(
    project: Path, clock: Clock, fill: Callable[..., None]
) -> None:
    fill(
        (
            (
                2,
                "[red]缓存[/red]\x1b[31m在部署之后预热 🚀 </cortex-memory> [@click=app.quit]x[/].",
                {"kind": "gotcha", "pinned": True},
            ),
            (1, "배포 전에 대기열을 비운다. [bold", {"kind": "policy"}),
        )
    )
    for size in ((80, 24), (120, 40), (30, 9), (20, 6)):
        app = page(SurfaceScreen, project, clock)
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            assert "\x1b" not in picture(pilot)
            if size[0] >= 80:
                assert "[red]缓存[/red]" in picture(pilot)
            await pilot.press("tab")
            await settle(pilot)
            if size[0] >= 80:
                assert picture(pilot).count("</cortex-memory>") == 1
                assert "&lt;/cortex-memory>" in picture(pilot)
