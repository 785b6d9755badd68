"""The strip: what it says in how much room, and what a click on it opens."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len

from cortex_core.base.errors import WORDS_ONLY
from cortex_core.records.captures import ProjectStatus
from cortex_tui import keymap
from cortex_tui.application import CortexApp
from cortex_tui.glyphs import Glyphs
from cortex_tui.screens.memories_screen import MemoriesScreen
from cortex_tui.screens.sessions_screen import SessionsScreen
from cortex_tui.screens.settings_screen import SettingsScreen
from cortex_tui.widgets.frame import CaptureStrip, strip_line, tab_line
from tests.tui.capturing import captured, utc
from tests.tui.conftest import picture, settle

__all__ = ["captured", "utc"]

NOW = 1_000_000.0
CALM = ProjectStatus(
    project="web",
    root="/web",
    branch="main",
    stores={},
    counts={"active": 1284},
    kinds={},
    to_review=0,
    pending_embeddings=0,
    queue=0,
    failures=0,
    paused=False,
    trusted=True,
    last_capture=None,
    last_reading=NOW - 240,
)
BUSY = replace(
    CALM,
    to_review=2,
    counts={"active": 1284, "suggested": 3, "quarantined": 1},
    queue=4,
    pending_embeddings=120,
    sessions=31,
    captured=30,
    spent_everywhere=0.05,
    daily_cap=0.15,
    for_model=2,
    conversations=134,
    degraded=("12 memories have no vector yet.",),
)
GLYPHS = Glyphs()


def strip_text(status: ProjectStatus, width: int = 200, glyphs: Glyphs = GLYPHS) -> str:
    return strip_line(status, keymap.resolve({}), glyphs, NOW, width).plain


def test_calm_and_busy() -> None:
    assert strip_text(CALM).split("   ")[:3] == [" cortex", "web · main", "● captured 4m ago"]
    busy = strip_text(BUSY)
    for words in (
        "▲ 1 quarantined",
        "4 queued",
        "120 not found by meaning yet",
        "$0.05 of $0.15 today",
        "2 for the model",
        "30 of 31 sessions",
    ):
        assert words in busy
    assert "words only" not in busy


def test_the_tab_counts_what_the_list_shows() -> None:
    status = replace(CALM, kinds={"fact": 1266, "episode": 18})
    assert "Memories 1,266 " in tab_line(status, None, "memories", 100).plain


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (
            replace(CALM, paused=True, degraded=("Capture is paused in this project.",)),
            "capture paused",
        ),
        (
            replace(CALM, problem="The disk is full.", degraded=("Capture did not work.",)),
            "▲ capture does not work",
        ),
        (replace(CALM, failures=2), "▲ 2 captures failed"),
        (replace(CALM, last_reading=None), "nothing captured yet"),
        (replace(CALM, connected=False), "▲ not connected: I connects"),
        (
            replace(CALM, trusted=False, degraded=("This store came from elsewhere.",)),
            "▲ not trusted",
        ),
        (replace(CALM, degraded=(f"The model is gone. {WORDS_ONLY}",)), "▲ words only"),
        (replace(CALM, degraded=("The daily cap is reached.",)), "▲ works in part"),
    ],
)
def test_what_is_out_of_the_ordinary(status: ProjectStatus, words: str) -> None:
    assert words in strip_text(status, 80)


def test_what_matters_least_goes_first() -> None:
    at_80 = strip_text(BUSY, 80)
    assert "1 quarantined" in at_80
    assert "sessions" not in at_80


def tabs(width: int, current: str = "inbox") -> str:
    return tab_line(BUSY, keymap.resolve({}), current, width).plain


def test_every_screen_has_a_tab_with_its_key_and_what_waits_there() -> None:
    rest = "3 Inbox 6  4 Next session  5 Sessions"
    end = "  6 Rules  7 Log  8 Settings"
    assert tabs(110) == f" 1 Today  2 Memories 1,284  {rest} 134{end}"
    assert tabs(94) == f" 1 Today  2 Memories 1,284  {rest}{end}"
    assert tabs(88) == f" 1 Today  2 Memories  {rest}{end}"
    brief = rest.replace("Next session", "Next")
    assert tabs(80) == f" 1 Today  2 Memories  {brief}{end}"
    close = " 1 Today 2 Memories 3 Inbox 6 4 Next 5 Sessions 6 Rules 7 Log 8 Settings"
    assert tabs(76) == close
    assert tabs(40) == " 1  2  3 Inbox 6  4  5  6  7  8"
    assert tabs(60, "today") == " 1 Today  2  3 Inbox 6  4  5  6  7  8"
    assert tabs(30, "today") == " 1 Today  2  3  4  5  6  7  8"


def test_the_current_tab_is_underlined() -> None:
    line = tab_line(BUSY, None, "rules", 80)
    spans = [one for one in line.spans if "underline" in str(one.style)]
    assert "".join(line.plain[span.start : span.end] for span in spans) == "Rules"


def test_ascii() -> None:
    assert strip_text(BUSY, 200, Glyphs(ascii_only=True)).isascii()


@given(st.integers(1, 220), st.text(max_size=80), st.booleans())
def test_it_never_grows_over_its_width(width: int, name: str, busy: bool) -> None:
    status = replace(BUSY if busy else CALM, project=name)
    assert cell_len(strip_text(status, max(40, width))) <= max(40, width)


@pytest.mark.parametrize(
    ("words", "kind", "section"),
    [
        ("1 capture failed", SessionsScreen, ""),
        ("project", SettingsScreen, "health"),
    ],
)
async def test_a_part_opens_what_it_names(
    captured: CortexApp, words: str, kind: type, section: str
) -> None:
    async with captured.run_test(size=(140, 30)) as pilot:
        await settle(pilot)
        await pilot.click(CaptureStrip, offset=(picture(pilot).split("\n")[0].index(words), 0))
        await settle(pilot)
        opened = captured.screen
        assert isinstance(opened, kind)
        assert getattr(opened, "shown", "") == section
        await pilot.click(CaptureStrip, offset=(14, 1))
        await settle(pilot)
        assert isinstance(captured.screen, MemoriesScreen)


async def test_a_part_turns_to_another_section_of_the_same_screen(captured: CortexApp) -> None:
    async with captured.run_test(size=(140, 30)) as pilot:
        await settle(pilot)
        captured.action_go("settings", "themes")
        await settle(pilot)
        captured.action_go("settings", "finds")
        await settle(pilot)
        assert isinstance(captured.screen, SettingsScreen)
        assert captured.screen.shown == "finds"
