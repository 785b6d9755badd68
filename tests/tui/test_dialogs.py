"""The dialogs: by keyboard and by mouse, in every size and look."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from textual import events
from textual.command import CommandList
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList

from cortex_tui.actions import memories_actions
from cortex_tui.application import CortexApp
from cortex_tui.screens.dialogs import Ask, Choose, Confirm, Dialog, Write
from tests.tui.conftest import picture, settle
from tests.tui.waiting import PATIENCE, press, until

OPTIONS = [
    ("kind:decision", "kind    decision"),
    ("kind:fact", "kind    fact"),
    ("tag:auth", "tag     auth"),
]


class FilterArguments:
    """A dialog over the app, and what it was answered."""

    def __init__(self, app: CortexApp, dialog: ModalScreen[Any]) -> None:
        self.answers: list[Any] = []
        app.push_screen(dialog, self.answers.append)


async def shown(pilot: Pilot[None], dialog: ModalScreen[Any]) -> FilterArguments:
    await settle(pilot)
    assert isinstance(pilot.app, CortexApp)
    asked = FilterArguments(pilot.app, dialog)
    await pilot.pause()
    return asked


@pytest.mark.parametrize(
    ("pressed", "answer"),
    [
        (["y"], True),
        (["n"], False),
        (["escape"], False),
        (["enter"], False),
        (["tab", "enter"], True),
        (["left", "enter"], True),
        (["right", "enter"], True),
    ],
)
async def test_a_question_by_keys(app: CortexApp, pressed: list[str], answer: bool) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await shown(pilot, Confirm("Empty the trash?", "3 memories go for good."))
        assert "3 memories go for good." in picture(pilot)
        await pilot.press(*pressed)
        await pilot.pause()
        assert asked.answers == [answer]


async def test_an_answer_that_comes_when_another_screen_covers_it_changes_nothing(
    app: CortexApp,
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        dialog = Ask("Tags", "auth")
        asked = await shown(pilot, dialog)
        app.action_command_palette()
        await pilot.pause()
        palette = app.screen
        assert palette is not dialog
        dialog.dismiss("late")
        await pilot.pause()
        assert (app.screen, asked.answers) == (palette, [])
        await pilot.press("escape", "enter")
        await pilot.pause()
        assert asked.answers == ["auth"]


async def test_a_second_enter_does_not_close_what_is_below_the_palette(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+p")
        palette = app.screen
        for _ in range(2):
            palette.dismiss()
        await pilot.pause()
        assert [type(one).__name__ for one in app.screen_stack] == ["MemoriesScreen"]
        assert app.is_running


async def test_paging_in_the_palette_before_its_list_is_laid_out(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+p")
        commands = app.screen.query_one(CommandList)
        commands.add_options(["one", "two"])
        commands._index_to_line.clear()
        commands.highlighted = 1
        await app.screen.run_action("command_list('page_up')")
        assert app.is_running


async def test_keys_that_come_after_the_answer_leave_the_screen_below(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        dialog = Ask("Tags", "auth")
        asked = await shown(pilot, dialog)
        for _ in range(3):
            dialog.query_one(Input).post_message(
                Input.Submitted(dialog.query_one(Input), "auth", None)
            )
        await settle(pilot)
        assert asked.answers == ["auth"]
        assert len(app.screen_stack) == 1


@pytest.mark.parametrize(("button", "answer"), [("#yes", True), ("#no", False)])
async def test_a_question_by_mouse(app: CortexApp, button: str, answer: bool) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await shown(pilot, Confirm("Empty the trash?", yes="empty"))
        await pilot.click(button)
        await pilot.pause()
        assert asked.answers == [answer]


async def test_a_click_beside_a_dialog_leaves_it(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await shown(pilot, Confirm("Empty the trash?"))
        await pilot.click(offset=(1, 1))
        await pilot.pause()
        assert asked.answers == [False]


async def test_a_line(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await shown(pilot, Ask("Tags", "auth", hint="+tag adds, -tag removes"))
        assert "+tag adds" in picture(pilot)
        await pilot.press("space", "x", "enter")
        await pilot.pause()
        assert asked.answers == ["auth x"]


async def test_a_line_that_is_not_right_is_told_and_kept(app: CortexApp) -> None:
    def check(value: str) -> str:
        return "" if value.isdigit() else "Give a number."

    async with app.run_test(size=(80, 24)) as pilot:
        asked = await shown(pilot, Ask("Priority", "x", hint="1 to 10", check=check))
        await pilot.press("enter")
        await pilot.pause()
        assert "▲ Give a number." in picture(pilot)
        await pilot.press("backspace", "7")
        await pilot.pause()
        assert "Give a number." not in picture(pilot)
        assert "1 to 10" in picture(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert asked.answers == ["7"]


async def test_leaving_a_line(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await shown(pilot, Ask("Tags"))
        await pilot.press("q", "escape")
        await pilot.pause()
        assert asked.answers == [None]


async def test_a_text_is_saved(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await shown(pilot, Write("Edit", "one\ntwo"))
        await pilot.press("enter", "q", "ctrl+s")
        await pilot.pause()
        assert asked.answers == ["one\ntwo\nq"]


async def test_an_unchanged_text_is_left_at_once(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await shown(pilot, Write("Edit", "one"))
        await pilot.press("escape")
        await settle(pilot)
        assert asked.answers == [None]


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_leaving_a_changed_text_asks(app: CortexApp, key: str) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await shown(pilot, Write("Edit", "one"))
        await pilot.press("x", key)
        await pilot.pause()
        assert "Leave without saving?" in picture(pilot)
        await pilot.press("n")
        await settle(pilot)
        assert asked.answers == []
        await pilot.press("y", "escape", "y")
        await settle(pilot)
        assert asked.answers == [None]
        assert app.is_running


async def test_what_is_pasted_or_given_loses_its_escapes(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await shown(pilot, Write("Edit \x1b[31m", "a\x1b[2Jb"))
        assert app.focused is not None
        app.focused.post_message(events.Paste("\x1b]0;x\x07c\r\nd"))
        await pilot.pause()
        await pilot.press("ctrl+s")
        await pilot.pause()
        (answer,) = asked.answers
        assert "\x1b" not in answer
        assert "\x07" not in answer
        assert answer.endswith("c\nd")


async def test_a_choice_by_typing_and_arrows(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await shown(pilot, Choose("Filter", OPTIONS, current="kind:fact"))
        assert app.screen.query_one(OptionList).highlighted == 1
        await pilot.press("up", "enter")
        await pilot.pause()
        assert asked.answers == ["kind:decision"]


async def test_a_choice_is_filtered(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await shown(pilot, Choose("Filter", OPTIONS))
        await pilot.press(*"zzz", "enter")
        await pilot.pause()
        assert "nothing matches" in picture(pilot)
        assert asked.answers == []
        app.screen.query_one(Input).value = "AUTH tag"
        await pilot.pause()
        assert "decision" not in picture(pilot).split("Filter")[1].split("choose")[0]
        await pilot.press("enter")
        await pilot.pause()
        assert asked.answers == ["tag:auth"]


async def test_a_choice_by_mouse(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await shown(pilot, Choose("Filter", OPTIONS))
        await pilot.click(OptionList, offset=(4, 2))
        await pilot.pause()
        assert asked.answers == ["tag:auth"]


async def test_markup_in_a_dialog_is_text(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, Confirm("[red]q[/]", "[@click=app.quit]d[/]", yes="[b]"))
        drawn = picture(pilot)
        assert "[red]q[/]" in drawn
        assert "[@click=app.quit]d[/]" in drawn
        assert "[b]" in drawn
        await pilot.press("escape")
        await shown(pilot, Choose("x", [("a", "[red]a[/]")]))
        assert "[red]a[/]" in picture(pilot)


@pytest.mark.parametrize(
    "dialog",
    [
        lambda: Confirm("Forget?", "x\n" * 60),
        lambda: Ask("T" * 90, "v" * 300, "h" * 90),
        lambda: Write("Edit", "line\n" * 90),
        lambda: Choose("c", [(str(n), "n" * 99) for n in range(99)]),
    ],
)
@pytest.mark.parametrize("size", [(80, 24), (20, 5)])
async def test_it_fits_into_small_terminals(
    app: CortexApp, dialog: Callable[[], ModalScreen[Any]], size: tuple[int, int]
) -> None:
    async with app.run_test(size=size) as pilot:
        await shown(pilot, dialog())
        sheet = app.screen.query_one("#sheet").region
        assert sheet.width <= size[0]
        assert sheet.height <= size[1]
        if size[1] >= 24:
            last = [*app.screen.query("#keys, #answers")][-1].region
            assert last.bottom <= sheet.bottom


async def test_what_is_typed_before_a_slow_dialog_opens_is_typed_into_it(
    app: CortexApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither lost nor done to the list below, as `d` would be."""
    read, asked = Event(), Event()

    def slow(stores: object) -> tuple[str, ...]:
        asked.set()
        read.wait(PATIENCE)
        return ("infra",)

    monkeypatch.setattr(memories_actions, "tags_known", slow)
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press("s", *"tags", "enter")
        await until(asked.is_set, "the dialog's words")
        await pilot.press(*"+added")
        assert not isinstance(app.screen, Ask)
        read.set()
        await until(lambda: isinstance(app.screen, Ask), "the dialog")
        await settle(pilot)
        assert app.screen.query_one(Input).value.endswith("+added")


async def test_a_choice_of_two_long_lines_shows_both_at_80_columns(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        long = "a line that is so long that it needs two of them in a dialog of this width"
        app.push_screen(Choose("Which?", [("1", f"first, {long}"), ("2", f"second, {long}")]))
        await settle(pilot)
        seen = picture(pilot)
        assert "first, a line" in seen and "second, a line" in seen


async def test_who_leaves_before_a_question_comes_is_not_asked(app: CortexApp) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "enter")
        await pilot.press("I", "escape")
        await settle(pilot)
        assert app.is_running and not isinstance(app.screen, Dialog)
