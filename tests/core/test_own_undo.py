"""Undo of what was done through one `Cortex`, in one order: memories, settings, trust, pause."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import NotFound, UndoConflict, UndoElsewhere
from tests.conftest import Clock, made


@pytest.fixture
def other(project: Path, clock: Clock) -> Iterator[Cortex]:
    """Another process with the same stores."""
    with Cortex.open(project, clock=clock) as opened:
        yield opened


def labels(cortex: Cortex) -> list[str]:
    """What each undo of everything done here takes back, in turn."""
    found = []
    with pytest.raises((NotFound, UndoElsewhere)):
        while True:
            found.append(cortex.undo(own=True)[0].label)
    return found


def test_memories_and_settings_are_taken_back_in_one_order(cortex: Cortex) -> None:
    file = Path(cortex.settings.path())
    made(file.parents[1])
    file.write_text("# mine\n[surface]\ntokens = 400  # enough\n")
    before = file.read_text()
    memory = cortex.remember("Use pnpm, never npm.", title="Use pnpm")
    cortex.settings.set("theme", "cortex-light")
    cortex.pin(memory.id)
    cortex.settings.set("surface.tokens", 300)
    cortex.rules.set("commit", "off")
    cortex.sessions.pause()
    cortex.trust.revoke()
    assert labels(cortex) == [
        "stop trusting the project store",
        "pause capture",
        "set rules.commit to off",
        "set surface.tokens to 300",
        "pin “Use pnpm”",
        "set theme to cortex-light",
        "remember “Use pnpm”",
    ]
    assert file.read_text() == before
    assert not Path(cortex.settings.path("global")).exists()
    assert cortex.trust.granted and not cortex.sessions.paused and not cortex.list()


def test_redo_does_all_of_it_again_in_order(cortex: Cortex) -> None:
    cortex.remember("Use pnpm, never npm.", title="Use pnpm")
    cortex.settings.set("theme", "cortex-light", "global")
    undone = labels(cortex)
    again = [cortex.redo(own=True)[0].label for _ in undone]
    assert again == undone[::-1]
    assert cortex.config.get("theme") == "cortex-light" and len(cortex.list()) == 1
    with pytest.raises(NotFound):
        cortex.redo(own=True)
    assert labels(cortex) == undone


def test_what_was_done_last_is_taken_back_even_where_it_was_redone(cortex: Cortex) -> None:
    cortex.remember("Use pnpm, never npm.", title="one")
    cortex.undo(own=True)
    cortex.remember("The queue is drained first.", title="two")
    cortex.redo(own=True)
    assert labels(cortex) == ["remember “one”", "remember “two”"]


def test_what_another_process_did_since_is_named_first(
    cortex: Cortex, other: Cortex, clock: Clock
) -> None:
    cortex.settings.set("theme", "cortex-light")
    other.remember("Use pnpm, never npm.", title="theirs")
    clock.advance(minutes=1)
    with pytest.raises(UndoElsewhere, match="remember “theirs” was not done here: by you"):
        cortex.undo(own=True)
    cortex.settings.set("theme", "cortex-dark")
    assert cortex.undo(own=True)[0].label == "set theme to cortex-dark"
    assert cortex.undo()[0].label == "remember “theirs”"
    assert cortex.undo(own=True)[0].label == "set theme to cortex-light"
    other.remember("The queue is drained first.")
    other.undo()
    with pytest.raises(UndoElsewhere, match="was not undone here"):
        cortex.redo(own=True)


def test_an_undo_can_be_undone_after_other_changes(cortex: Cortex) -> None:
    cortex.remember("Use pnpm, never npm.", title="one")
    number = cortex.undo()[0].number
    cortex.remember("The queue is drained first.", title="two")
    assert cortex.log()[1].sentence == "undo of 1 (remember “one”)"
    assert cortex.undo(number=number)[0].sentence == "redo of 1 (remember “one”)"
    assert {memory.title for memory in cortex.list()} == {"one", "two"}
    cortex.undo(number=1)
    assert cortex.redo(number=1)[0].verb == "redo"
    assert {memory.title for memory in cortex.list()} == {"one", "two"}
    assert labels(cortex) == ["remember “one”", "remember “two”"]


def test_one_action_of_the_log_is_undone_by_itself(cortex: Cortex, other: Cortex) -> None:
    other.remember("Use pnpm, never npm.", title="theirs")
    cortex.settings.set("theme", "cortex-light")
    cortex.remember("The queue is drained first.", title="mine")
    setting = next(one for one in cortex.log() if one.verb == "set")
    assert cortex.undo(action=setting.action)[0].label == "set theme to cortex-light"
    assert next(one for one in cortex.log() if one.verb == "set").is_undone
    theirs = next(one for one in cortex.log() if "theirs" in one.label)
    assert not theirs.here
    cortex.undo(action=theirs.action)
    assert [memory.title for memory in cortex.list()] == ["mine"]
    undone = ["remember “theirs”", "set theme to cortex-light", "remember “mine”"]
    assert labels(cortex) == undone
    assert [memory.title for memory in cortex.list()] == ["theirs"]


def test_what_was_picked_out_and_taken_back_is_the_next_to_be_undone_or_redone(
    cortex: Cortex,
) -> None:
    for title in ("one", "two"):
        cortex.remember(f"The {title} is drained first.", title=title)
    first = next(one for one in cortex.log() if "one" in one.label)
    for back in (cortex.undo, cortex.redo):
        cortex.undo(action=first.action)
        assert [memory.title for memory in cortex.list()] == ["two"]
        back(own=True)
        assert {memory.title for memory in cortex.list()} == {"one", "two"}
    cortex.undo(action=first.action)
    cortex.redo(action=first.action)
    assert labels(cortex) == ["remember “one”", "remember “two”"]


def test_a_setting_that_was_changed_since_is_left_and_no_more_in_the_way(cortex: Cortex) -> None:
    cortex.remember("Use pnpm, never npm.", title="one")
    cortex.settings.set("theme", "cortex-light")
    file = Path(cortex.settings.path())
    file.write_text('theme = "nord"\n')
    with pytest.raises(UndoConflict, match="says something else by now"):
        cortex.undo(own=True)
    assert file.read_text() == 'theme = "nord"\n'
    assert labels(cortex) == ["remember “one”"]


def test_what_else_was_written_to_the_file_since_stays(cortex: Cortex) -> None:
    cortex.settings.set("theme", "cortex-light")
    file = Path(cortex.settings.path())
    file.write_text(f"{file.read_text()}\n[surface]\ntokens = 400\n")
    cortex.undo(own=True)
    assert cortex.config.get("theme") != "cortex-light"
    assert cortex.config.get("surface.tokens") == 400


def test_the_log_is_searched_by_words_and_by_who_it_was(cortex: Cortex) -> None:
    cortex.remember("Use pnpm, never npm.", title="Use pnpm")
    cortex.remember("The queue is drained first.", title="The queue", actor="agent")
    cortex.settings.set("theme", "cortex-light")
    assert [one.label for one in cortex.log(words="QUEUE")] == ["remember “The queue”"]
    assert [one.label for one in cortex.log(words="theme set")] == ["set theme to cortex-light"]
    assert [one.label for one in cortex.log(actors=("agent",))] == ["remember “The queue”"]


def test_the_last_change_is_undone_although_the_clock_was_ahead_once(
    project: Path, clock: Clock
) -> None:
    ahead = Clock(clock.now + 10 * 365 * 86_400)
    for at, words in ((ahead, "Made in ten years"), (clock, "Made today")):
        with Cortex.open(project, clock=at) as cortex:
            cortex.remember(words)
    with Cortex.open(project, clock=clock) as cortex:
        assert [one.label for one in cortex.undo()] == ["remember “Made today”"]
