"""Editing a memory here or in the user's editor, a new one, tags, injection, moving."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from textual.pilot import Pilot
from textual.widgets import Input

from cortex_core import Cortex
from cortex_core.base import config
from cortex_core.base.errors import CortexError
from cortex_core.base.kinds import DEFAULT
from cortex_core.base.text import one_line
from cortex_core.records.memory import Memory
from cortex_tui.actions.memories_actions import Draft, Tags, tags_problem, tags_typed
from cortex_tui.application import CortexApp
from cortex_tui.screens import editing
from cortex_tui.screens.dialogs import Ask, Choose, CleanText, Confirm, Write
from cortex_tui.screens.trigger_dialog import EditTriggers
from tests.conftest import Clock
from tests.tui.conftest import picture, screen, settle, titles
from tests.tui.waiting import act, press, until

OLD = Draft("One line.\n---\nAnother.", "One line", "fact", 5, ("a", "b"))


@given(
    st.text(max_size=80),
    st.text(max_size=30),
    st.sampled_from([kind.name for kind in DEFAULT]),
    st.integers(1, 10),
    st.lists(st.from_regex(r"[a-z][a-z0-9-]{0,6}", fullmatch=True), max_size=3, unique=True),
)
def test_a_draft_written_and_read_is_the_same(
    content: str, title: str, kind: str, priority: int, tags: list[str]
) -> None:
    one = Draft(content, " ".join(title.split()), kind, priority, tuple(tags))
    one = one._replace(title=one_line(one.title))
    assert editing.read_draft(editing.write_draft(one), one, DEFAULT) == one


def test_what_is_changed_in_a_draft_is_what_is_edited() -> None:
    text = (
        editing.write_draft(OLD)
        .replace("kind: fact", "kind: pitfall")
        .replace("tags: a b", "tags: c, a")
    )
    new = editing.read_draft(text, OLD, DEFAULT)
    assert new.changes(OLD) == {"kind": "gotcha", "tags": ("c", "a")}
    assert editing.read_draft("just words", OLD, DEFAULT).changes(OLD) == {"content": "just words"}


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("kind: nonsense", "nonsense"),
        ("priority: 11", "1 to 10"),
        ("colour: red", "no field"),
        ("scope: all", "project or global"),
    ],
)
def test_a_wrong_field_is_reported(field: str, reason: str) -> None:
    assert reason in editing.draft_problem(f"{field}\n---\nx", OLD, DEFAULT)
    with pytest.raises(CortexError, match=reason):
        editing.read_draft(f"{field}\n---\nx", OLD, DEFAULT)


def test_an_empty_text_is_told() -> None:
    assert "empty" in editing.draft_problem("kind: fact\n---\n  ", OLD, DEFAULT)


@pytest.mark.parametrize(
    ("typed", "several", "add", "remove"),
    [
        ("a c", False, ("c",), ("b",)),
        ("+c", False, ("c",), ()),
        ("-a", False, (), ("a",)),
        ("", False, (), ("a", "b")),
        ("a b", False, (), ()),
        ("#C, +d -b", False, ("c", "d"), ("a", "b")),
        ("c +d -a", True, ("c", "d"), ("a",)),
        ("", True, (), ()),
    ],
)
def test_typed_tags(
    typed: str, several: bool, add: tuple[str, ...], remove: tuple[str, ...]
) -> None:
    assert tags_typed(typed, ("a", "b"), several=several) == Tags(add, remove)


async def opened(pilot: Pilot[None], kind: type[object]) -> None:
    """Wait for a dialog of this kind."""
    await until(lambda: isinstance(pilot.app.screen, kind), f"a {kind.__name__}")
    await settle(pilot)


def under_cursor(pilot: Pilot[None]) -> Memory:
    memory = screen(pilot).rows.memory
    assert memory is not None
    return memory


async def test_editing_here(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        name = under_cursor(pilot).id
        await pilot.press("e")
        await opened(pilot, Write)
        assert "kind: decision" in picture(pilot)
        area = app.screen.query_one(CleanText)
        area.text = area.text.replace("kind: decision", "kind: fact").replace("15", "20")
        area.text = area.text.replace("until:", "until: branch")
        await press(pilot, "ctrl+s")
        memory = cortex.show(name)
        assert (memory.kind, memory.until) == ("fact", "branch")
        assert "20 minutes" in memory.content
        assert "Access tokens live 20 minutes" in titles(pilot)[0]
        assert cortex.log(1)[0].verb == "edit"
        await press(pilot, "u")
        assert cortex.show(name).kind == "decision"
        assert "15 minutes" in picture(pilot)


async def test_triggers_are_set_tried_and_undone(app: CortexApp, cortex: Cortex) -> None:
    (rule,) = [one for one in cortex.list() if "pnpm" in one.content]
    async with app.run_test(size=(140, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "/", *"pnpm", "escape")
        await pilot.app.screen.run_action("set('triggers')")
        await opened(pilot, EditTriggers)
        dialog = app.screen
        assert isinstance(dialog, EditTriggers)
        await until(lambda: "runs npm breaks the rule" in str(dialog.meaning.render()), "meaning")
        dialog.query_one(Input).value = "cd app && npm i"
        await until(lambda: "by !Bash(npm)" in str(dialog.tried.render()), "what is tried")
        await press(pilot, "ctrl+g", "ctrl+g")
        assert "would be refused, by !Bash(npm)" in str(dialog.tried.render())
        await press(pilot, "ctrl+g")
        assert "That recalls it, by !Bash(npm)" in str(dialog.tried.render())
        dialog.area.text = "!Bash(npm)\nnonsense"
        await until(lambda: "is not a trigger" in str(dialog.meaning.render()), "the problem")
        await pilot.press("ctrl+s")
        await until(lambda: "Not saved" in str(dialog.tried.render()), "the refusal")
        dialog.area.text = "!Bash(npm)"
        await press(pilot, "ctrl+g", "ctrl+s")
        await until(lambda: cortex.show(rule.id).guard == "ask", "the guard")
        assert cortex.show(rule.id).triggers == ("!Bash(npm)",)
        await until(lambda: "ask at calls" in picture(pilot), "the guard in the list")
        await press(pilot, "u")
        await until(lambda: cortex.show(rule.id).guard == "remind", "the guard before")
        assert cortex.show(rule.id).triggers == rule.triggers


async def test_the_keys_of_a_dialog_are_in_sight_at_80_columns(
    app: CortexApp, cortex: Cortex
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.screen.run_action("set('triggers')")
        await opened(pilot, EditTriggers)
        dialog = app.screen
        assert isinstance(dialog, EditTriggers)
        dialog.area.text = "Bash(git push --force)\nBash(npm)\nPush(main)\nnonsense"
        await until(lambda: "is not a trigger" in str(dialog.meaning.render()), "the problem")
        await pilot.press("ctrl+s")
        await until(lambda: "Not saved" in picture(pilot), "the refusal")
        assert "^s save" in picture(pilot) and "guard: remind" in picture(pilot)


def test_the_choice_of_a_draft_fits_its_dialog() -> None:
    assert max(len(label) for _, label in editing.DRAFT_OR_NOT) <= 56


async def test_one_key_stops_all_triggers(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await act(pilot, "switch_triggers")
        await until(lambda: not config.load(cortex.project).get("triggers.on"), "the switch")
        await press(pilot, "u")
        await until(lambda: config.load(cortex.project).get("triggers.on"), "the switch back")


async def test_a_mistake_keeps_what_was_written(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        before = len(cortex.log(50))
        await pilot.press("e")
        await opened(pilot, Write)
        area = app.screen.query_one(CleanText)
        area.text = area.text.replace("kind: decision", "kind: wish") + " And more."
        await pilot.press("ctrl+s")
        await opened(pilot, Write)
        assert "wish" in picture(pilot).split("priority:")[0]
        assert "And more." in app.screen.query_one(CleanText).text
        await pilot.press("escape")
        await settle(pilot)
        assert len(cortex.log(50)) == before


async def test_what_somebody_else_changed_meanwhile_is_not_overwritten(
    app: CortexApp, cortex: Cortex
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        name = under_cursor(pilot).id
        await pilot.press("e")
        await opened(pilot, Write)
        cortex.edit(name, content="Access tokens live one hour.")
        await press(pilot, "x", "ctrl+s")
        assert "Somebody else changed this memory" in picture(pilot)
        assert cortex.show(name).content == "Access tokens live one hour."
        screen(pilot).action_refresh()
        await settle(pilot)
        await pilot.press("e")
        await opened(pilot, Choose)
        assert "continue with it" in picture(pilot)
        await pilot.press("enter")
        await opened(pilot, Write)
        assert app.screen.query_one(CleanText).text.endswith("in the background.x")
        await press(pilot, "ctrl+s")
        assert cortex.show(name).content.endswith("in the background.x")
        await pilot.press("e")
        await opened(pilot, Write)
        await press(pilot, "escape")


async def test_what_is_typed_when_the_user_leaves_is_kept_as_a_draft(
    app: CortexApp, cortex: Cortex
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        name, before = under_cursor(pilot).id, under_cursor(pilot).content
        await pilot.press("e")
        await opened(pilot, Write)
        await press(pilot, "x", "escape")
        assert "Nothing was changed. Your draft is kept: e goes on with it." in picture(pilot)
        await pilot.press("e")
        await opened(pilot, Choose)
        await pilot.press("down", "enter")
        await opened(pilot, Write)
        assert app.screen.query_one(CleanText).text.endswith(before)
        await press(pilot, "escape")
        assert "Nothing was changed." in picture(pilot) and "draft" not in picture(pilot)
        assert cortex.show(name).content == before


async def test_a_new_memory(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("j", "j", "a")
        await opened(pilot, Write)
        await pilot.press(*"Deploys", "space", *"wait", "full_stop")
        await press(pilot, "ctrl+s")
        await until(lambda: "Remembered: Deploys wait." in picture(pilot))
        await settle(pilot)
        assert titles(pilot)[0] == "Deploys wait"
        assert under_cursor(pilot).title == "Deploys wait"
        assert cortex.list()[0].scope == "project"
        await press(pilot, "u")
        assert len(titles(pilot)) == 9


@pytest.mark.parametrize(("answer", "status"), [("y", "superseded"), ("escape", "active")])
async def test_a_new_memory_near_another_may_take_its_place(
    app: CortexApp, cortex: Cortex, answer: str, status: str
) -> None:
    old = cortex.remember("We deploy on Friday evening", kind="policy")
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("a")
        await opened(pilot, Write)
        app.screen.query_one(CleanText).text = "kind: policy\n---\nWe deploy on Monday morning"
        await pilot.press("ctrl+s")
        await opened(pilot, Confirm)
        assert "We deploy on Friday evening" in picture(pilot)
        await press(pilot, answer)
        await until(lambda: "Remembered" in picture(pilot))
        await settle(pilot)
        assert ("in place of an earlier one" in picture(pilot)) is (answer == "y")
        assert cortex.show(old.id).status == status
        await press(pilot, "u")
        assert cortex.show(old.id).status == "active"


async def test_without_a_priority_a_new_memory_has_that_of_its_kind(
    app: CortexApp, cortex: Cortex
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("a")
        await opened(pilot, Write)
        app.screen.query_one(CleanText).text = "kind: policy\n---\nNever push to main"
        await pilot.press("ctrl+s")
        await opened(pilot, Confirm)
        await press(pilot, "n")
        await until(lambda: cortex.list()[0].title == "Never push to main")
        assert cortex.list()[0].priority == 8


async def test_leaving_a_new_memory_changes_nothing(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("a")
        await opened(pilot, Write)
        await press(pilot, "x", "escape")
        assert "Your draft is kept: a goes on with it." in picture(pilot)
        assert len(cortex.list()) == 9


def test_two_tags_without_a_blank_between_them_are_refused() -> None:
    assert "“security+infra” has a + inside" in tags_problem("tests security+infra")
    assert not tags_problem("security +infra -tests c++ ci-cd")


async def test_a_tag_that_is_typed_is_added_to_those_that_are_there(
    app: CortexApp, cortex: Cortex
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        name = under_cursor(pilot).id
        for typed in ("tokens", "+mobile"):
            await act(pilot, "set('tag')")
            await press(pilot, *("plus" if key == "+" else key for key in typed), "enter")
        assert set(cortex.show(name).tags) == {"tokens", "mobile"}


async def test_a_tag_that_exists_completes_the_word(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        name = under_cursor(pilot).id
        await act(pilot, "set('tag')")
        await opened(pilot, Ask)
        await pilot.press(*"mob")
        await until(lambda: "mobile" in picture(pilot), "the completion")
        await press(pilot, "right", "enter")
        assert cortex.show(name).tags == ("mobile",)


def test_the_files_of_a_memory_are_edited() -> None:
    text = editing.write_draft(OLD).replace("files:", "files: src/**/*.{ts,tsx} docs/*")
    new = editing.read_draft(text, OLD, DEFAULT)
    assert new.changes(OLD) == {"files": ("src/**/*.{ts,tsx}", "docs/*")}


async def test_tags_and_giving_of_one(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        name = under_cursor(pilot).id
        await act(pilot, "set('tag')")
        await settle(pilot)
        await press(pilot, *"auth", "enter")
        assert cortex.show(name).tags == ("auth",)
        await act(pilot, "set('inject')")
        await settle(pilot)
        await press(pilot, *"dem", "enter")
        assert cortex.show(name).inject == "demoted"
        await act(pilot, "set('inject')")
        await settle(pilot)
        await press(pilot, "enter")
        assert "Nothing was changed." in picture(pilot)


def script(folder: Path, name: str, does: str) -> Path:
    """An editor that does one thing to the file it is given."""
    made = folder / name
    made.write_text(f"#!/bin/sh\nfor file; do :; done\n{does}\n", encoding="utf-8")
    made.chmod(0o755)
    return made


async def test_an_editor_with_a_window_is_waited_for(
    app: CortexApp, cortex: Cortex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    does = f'ls -l "$file" > {seen}; echo "$@" >> {seen}; echo More. >> "$file"'
    monkeypatch.setenv("VISUAL", str(script(tmp_path, "gvim", does)))
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        name = under_cursor(pilot).id
        await press(pilot, "e")
        assert cortex.show(name).content.endswith("background.\nMore.")
        listed, arguments = seen.read_text(encoding="utf-8").splitlines()
        assert listed.startswith(stat.filemode(stat.S_IFREG | 0o600))
        assert arguments.split()[0] == "-f"
        assert not Path(arguments.split()[-1]).exists()
        assert not Path(arguments.split()[-1]).parent.exists()


async def test_a_draft_that_the_editor_saves_as_it_is_is_stored(
    app: CortexApp, cortex: Cortex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        name = under_cursor(pilot).id
        await pilot.press("e")
        await opened(pilot, Write)
        await press(pilot, "x", "escape")
        for does, ending in (("true", "background."), ('touch "$file"', "background.x")):
            monkeypatch.setenv("VISUAL", str(script(tmp_path, "gvim", does)))
            await pilot.press("e")
            await opened(pilot, Choose)
            await press(pilot, "enter")
            assert cortex.show(name).content.endswith(ending)


@pytest.mark.parametrize("set_to", ["", "no-such-editor-here", "vi 'unbalanced"])
async def test_without_an_editor_that_starts_the_dialog_takes_its_place(
    app: CortexApp, cortex: Cortex, monkeypatch: pytest.MonkeyPatch, set_to: str
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", set_to)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        name = under_cursor(pilot).id
        await pilot.press("e")
        await opened(pilot, Write)
        await press(pilot, "x", "ctrl+s")
        assert cortex.show(name).content.endswith("background.x")


async def test_what_was_saved_in_an_editor_that_fails_goes_on_in_the_dialog(
    app: CortexApp, cortex: Cortex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", str(script(tmp_path, "gvim", 'echo More. >> "$file"; exit 3')))
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        name = under_cursor(pilot).id
        await pilot.press("e")
        await opened(pilot, Write)
        assert any("ended with 3" in one.message for one in app._notifications)
        assert not cortex.show(name).content.endswith("More.")
        await press(pilot, "ctrl+s")
        assert cortex.show(name).content.endswith("background.\nMore.")


async def test_an_editor_that_fails_changes_nothing(
    app: CortexApp, cortex: Cortex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", str(script(tmp_path, "code", "exit 3")))
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        name = under_cursor(pilot).id
        await press(pilot, "e")
        assert cortex.show(name).content.endswith("background.")
        assert "Nothing was changed." in picture(pilot)


def test_the_visual_editor_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "ed")
    monkeypatch.setenv("VISUAL", "code -n")
    assert editing.chosen_editor() == ["code", "-n"]
    monkeypatch.setenv("VISUAL", "")
    assert editing.chosen_editor() == ["ed"]


async def test_the_file_that_a_memory_is_about_opens_at_the_line_that_it_names(
    project: Path, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "src").mkdir()
    (project / "src" / "times.py").write_text("import time\n\n\ndef parse_time():\n    pass\n")
    (project / "notes.txt").write_text("Notes.\n")
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember(
            "Dates are read by `parse_time()` alone", files=("notes.txt", "../x", "*.c")
        )
        cortex.code.anchors.check()
    seen = tmp_path / "seen"
    monkeypatch.setenv("VISUAL", str(script(tmp_path, "code", f'echo "$@" > {seen}')))
    app = CortexApp(project, clock=clock, ascii_only=False)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await app.screen.run_action("file")
        await opened(pilot, Choose)
        assert "src/times.py:4" in picture(pilot) and "notes.txt" in picture(pilot)
        assert "../x" not in picture(pilot)
        await press(pilot, *"times", "enter")
        assert seen.read_text().strip() == f"--wait --goto {project}/src/times.py:4"
        monkeypatch.delenv("VISUAL")
        monkeypatch.setenv("EDITOR", "")
        await app.screen.run_action("file")
        await opened(pilot, Choose)
        await press(pilot, *"notes", "enter")
        assert "Set $EDITOR to open notes.txt from here." in picture(pilot)


async def test_a_memory_that_names_no_file_says_so(app: CortexApp) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await act(pilot, "file")
        assert "It names no file of this project that is there." in picture(pilot)
