"""Everything about one memory: what is shown, how one moves in it, what survives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from cortex_core import Cortex
from cortex_tui.actions.detail_actions import portrait
from cortex_tui.application import CortexApp
from cortex_tui.screens.detail_screen import DetailScreen, TurnScreen
from cortex_tui.screens.map_screen import MapScreen
from cortex_tui.screens.memories_screen import MemoriesScreen
from cortex_tui.session import StoreSession
from cortex_tui.widgets.lines import line
from cortex_tui.widgets.memory_sections import PageSection
from tests.conftest import Clock
from tests.tui import portraits
from tests.tui.conftest import picture, settle
from tests.tui.portraits import SECRET, converse, key_of
from tests.tui.waiting import until

TALL = (100, 140)
"""A terminal that shows everything at once."""


@pytest.fixture
def detail(project: Path, clock: Clock) -> Callable[[str], CortexApp]:
    """`detail(id)`: the app on that memory."""

    def made(name: str) -> CortexApp:
        return portraits.on(DetailScreen, key_of(project, clock, name), project, clock)

    return made


def shown(pilot: Pilot[None]) -> DetailScreen:
    found = pilot.app.screen
    assert isinstance(found, DetailScreen)
    return found


def section(pilot: Pilot[None], name: str) -> PageSection:
    return shown(pilot).query_one(f"#{name}", PageSection)


def words(pilot: Pilot[None], name: str) -> str:
    """What a section says, its lines joined."""
    return " ".join(" ".join(strip.text for strip in section(pilot, name)._lines).split())


async def test_what_is_filled_while_a_layout_waits_is_shown(
    detail: Callable[[str], CortexApp], ids: dict[str, str]
) -> None:
    async with detail(ids["token"]).run_test(size=TALL) as pilot:
        await settle(pilot)
        section(pilot, "from")._layout_required = True  # an earlier request is not served yet
        section(pilot, "from").fill(lambda width: [line("a word", "text")] * 12)
        await settle(pilot)
        assert section(pilot, "from").size.height == 1 + 12


async def test_every_section_tells_its_part(
    ids: dict[str, str], detail: Callable[[str], CortexApp]
) -> None:
    async with detail(ids["token"]).run_test(size=TALL) as pilot:
        await settle(pilot)
        names = ("text", "importance", "from", "links", "history", "receipts")
        shown_text = {name: words(pilot, name) for name in names}
        whole = picture(pilot)
    assert "Token refresh races when two tabs wake" in whole
    assert "#auth #mobile" in whole
    assert "The second one gets a 401 and logs" in shown_text["text"]
    assert "(https://example.org/incident)" in shown_text["text"]
    assert "[image: a chart] (https://example.org/c.png)" in shown_text["text"]
    assert "List<T> and <b>html</b>" in shown_text["text"]
    assert "At the next start: " in shown_text["importance"]
    assert "16 of 20" in shown_text["importance"]
    assert "Its confidence falls below 30 on" in shown_text["importance"]
    assert "written by you" in shown_text["from"]
    assert "applies to auth/*.ts" in shown_text["from"]
    assert "≠ CONTRADICTS ← • Sessions survi" in shown_text["links"]
    assert shown_text["links"].count("→") == 2
    assert "- priority: 7" in shown_text["history"]
    assert "+ priority: 8" in shown_text["history"]
    assert "this derived_from “Incident of 12 October" in shown_text["history"]
    assert "injected 2 times, used once" in whole
    assert "12:00 not known yet 5e551011" in shown_text["receipts"]
    assert "12:00 used 5e551011" in shown_text["receipts"]


async def test_what_a_memory_replaced_is_said_with_both_days(
    ids: dict[str, str], project: Path, clock: Clock, detail: Callable[[str], CortexApp]
) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        new = cortex.remember("Token refreshes are locked across tabs.")
        cortex.graph.link(new.id, ids["token"], "supersedes")
        cortex.edit(new.id, until="2027-01-31")
    async with detail(new.id).run_test(size=TALL) as pilot:
        await settle(pilot)
        was, _, now = words(pilot, "from").partition(" is ")
        assert was.startswith("was ") and "Token refresh races" in was
        assert "Token refreshes are locked across tabs" in now
        assert "until 2027-01-31" in picture(pilot)


async def test_it_says_whether_the_next_start_injects_it(
    ids: dict[str, str], project: Path, clock: Clock, detail: Callable[[str], CortexApp]
) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        (outlook,) = cortex.sessions.outlooks([ids["token"]])
    async with detail(ids["token"]).run_test(size=TALL) as pilot:
        await settle(pilot)
        assert outlook.words in " ".join(words(pilot, "importance").split())
        with Cortex.open(project, clock=clock) as cortex:
            cortex.give(ids["token"], "never")
        await settle(pilot)
        await pilot.press("f5")
        await settle(pilot)
        assert "At the next start: no: never injected" in words(pilot, "importance")


async def test_what_is_known_agrees_with_the_store(
    ids: dict[str, str], project: Path, clock: Clock
) -> None:
    stores = StoreSession(project, clock=clock)
    key = key_of(project, clock, ids["token"])
    seen = portrait(stores, key, opens=False)
    assert seen is not None
    assert sum(seen.most.values()) == pytest.approx(1.1)
    assert all(part <= seen.most[name] + 1e-9 for name, part in seen.detail.importance.items())
    assert seen.detail.fades is not None


async def test_a_look_is_counted_and_changes_nothing(
    ids: dict[str, str], detail: Callable[[str], CortexApp], cortex: Cortex, clock: Clock
) -> None:
    before = cortex.show(ids["token"])
    async with detail(ids["token"]).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        opened = cortex.show(ids["token"])
        assert (opened, opened.looks) == (before, before.looks + 1)
        await pilot.press("p")
        await settle(pilot)
        assert cortex.show(ids["token"]).pinned
        assert "★ pinned" in picture(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert not cortex.show(ids["token"]).pinned
        assert "★ pinned" not in picture(pilot)


async def test_tab_goes_through_the_sections_and_j_scrolls(
    ids: dict[str, str], detail: Callable[[str], CortexApp]
) -> None:
    async with detail(ids["token"]).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        view = shown(pilot).sections
        await pilot.press("j", "j")
        assert view.scroll_offset.y == 2
        for name in ("importance", "from", "kept", "links", "history", "receipts", "text"):
            await pilot.press("tab")
            await pilot.pause()
            assert pilot.app.focused is section(pilot, name)
            region = section(pilot, name).region
            assert view.region.overlaps(region), name
        await pilot.press("end")
        await pilot.pause()
        assert view.scroll_offset.y == view.max_scroll_y
        await pilot.press("home", "tab")
        await pilot.pause()
        assert pilot.app.focused is section(pilot, "importance")


async def test_a_link_is_followed_and_back(
    ids: dict[str, str], detail: Callable[[str], CortexApp]
) -> None:
    async with detail(ids["token"]).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert "There is nothing to follow here" in picture(pilot)
        await pilot.press(*["tab"] * 4, "j", "enter")
        await settle(pilot)
        assert shown(pilot).current()[1].id == ids["life"]  # type: ignore[union-attr]
        await pilot.press("escape")
        await settle(pilot)
        assert shown(pilot).current()[1].id == ids["token"]  # type: ignore[union-attr]
        await pilot.press("m")
        await settle(pilot)
        assert isinstance(pilot.app.screen, MapScreen)


async def test_a_link_is_followed_by_mouse(
    ids: dict[str, str], detail: Callable[[str], CortexApp]
) -> None:
    async with detail(ids["token"]).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        lines = picture(pilot).split("\n")
        y = next(place for place, line in enumerate(lines) if "CONTRADICTS" in line)
        await pilot.click(offset=(lines[y].index("CONTRADICTS"), y))
        await pilot.pause()
        assert section(pilot, "links").target == 2
        await pilot.click(offset=(lines[y].index("CONTRADICTS"), y), times=2)
        await settle(pilot)
        assert shown(pilot).current()[1].id == ids["restart"]  # type: ignore[union-attr]


async def test_a_key_that_comes_before_it_is_composed_harms_nothing(
    detail: Callable[[str], CortexApp], ids: dict[str, str]
) -> None:
    async with detail(ids["token"]).run_test(size=TALL) as pilot:
        await settle(pilot)
        early = DetailScreen(shown(pilot).key)
        pilot.app.push_screen(early)
        early.action_step(1)
        await settle(pilot)
        assert shown(pilot) is early and early.hints.said == ""


async def test_next_and_previous_along_the_list(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        memories = app.screen_stack[0]
        assert isinstance(memories, MemoriesScreen)
        order = memories.rows.rows.order
        assert shown(pilot).key == order[0]
        assert f"1 of {len(order)}" in picture(pilot)
        await pilot.press("]", "]")
        await settle(pilot)
        await pilot.press("[")
        await settle(pilot)
        assert shown(pilot).key == order[1]
        assert f"2 of {len(order)}" in picture(pilot)
        await pilot.press("[", "[")
        await settle(pilot)
        assert "the end of the list" in picture(pilot)
        assert memories.rows.cursor == 0


# --- where it came from


async def test_the_turn_it_came_from_without_secrets(
    project: Path, clock: Clock, detail: Callable[[str], CortexApp]
) -> None:
    _, memory = converse(project, clock)
    async with detail(memory.id).run_test(size=(100, 40)) as pilot:
        await settle(pilot)
        await pilot.press("t")
        await settle(pilot)
        assert isinstance(pilot.app.screen, TurnScreen)
        shown_text = picture(pilot)
        assert SECRET[:20] not in shown_text
        assert "[redacted: anthropic-key]" in shown_text
        assert "you" in shown_text
        assert "← the memory came from here" in shown_text
        assert "Always use pnpm, never npm" in shown_text
        assert "Now run the tests again." in shown_text
        await pilot.press("escape")
        await settle(pilot)
        assert shown(pilot)


async def test_the_turn_of_a_transcript_that_is_gone_comes_from_the_archive(
    project: Path, clock: Clock, detail: Callable[[str], CortexApp]
) -> None:
    path, memory = converse(project, clock)
    path.unlink()
    async with detail(memory.id).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("t")
        await until(lambda: "the memory came from here" in picture(pilot), "the turn")


async def test_a_transcript_that_is_gone_without_an_archive_is_said(
    project: Path, clock: Clock, cortex: Cortex, detail: Callable[[str], CortexApp]
) -> None:
    path, memory = converse(project, clock)
    path.unlink()
    cortex.sessions.archive.forget(memory.source.session)
    async with detail(memory.id).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "words of the turn that were kept" in words(pilot, "from")
        await pilot.press("t")
        await settle(pilot)
        assert "There is no turn to show" in picture(pilot)
        assert "The archive does not have" in " ".join(picture(pilot).split())


async def test_what_a_person_wrote_has_no_turn(
    ids: dict[str, str], detail: Callable[[str], CortexApp]
) -> None:
    async with detail(ids["route"]).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("t")
        await settle(pilot)
        assert "There is no turn to show" in picture(pilot)
        assert "does not come from a session" in picture(pilot)
        assert "written by you" in picture(pilot)


# --- code


async def test_linked_code_with_its_place_and_stale_when_the_file_changed(
    project: Path, clock: Clock, detail: Callable[[str], CortexApp], cortex: Cortex
) -> None:
    source = project / "auth.py"
    source.write_text("def issue(user: str) -> str:\n    return user\n", encoding="utf-8")
    (shown_text,) = cortex.code.index([source]).indexed
    async with detail(shown_text.id).run_test(size=(80, 40)) as pilot:
        await settle(pilot)
        assert "auth.py:1-2" in words(pilot, "code")
        assert "1 def issue(user: str) -> str:" in words(pilot, "code")
        assert "stale" not in words(pilot, "code")
        source.write_text("def issue(user: str) -> str:\n    return user * 2\n", encoding="utf-8")
        await pilot.press("f5")
        await settle(pilot)
        assert "stale: the file has changed" in words(pilot, "code")


async def test_code_itself_is_shown_once(
    project: Path, detail: Callable[[str], CortexApp], cortex: Cortex
) -> None:
    source = project / "auth.py"
    source.write_text("def issue(user: str) -> str:\n    return user\n", encoding="utf-8")
    cortex.code.index([source])
    (code,) = cortex.list(kinds=["code"])
    async with detail(code.id).run_test(size=(80, 40)) as pilot:
        await settle(pilot)
        assert picture(pilot).count("return user") == 1
        assert pilot.app.focused is section(pilot, "code")
        assert not section(pilot, "text").display


# --- what tries to break it


@pytest.mark.parametrize(
    "content",
    [
        "[bold red]not markup[/] [@click=app.quit]press[/] [link=http://a.b]x[/link] \\[x]",
        "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b31m \x1b[2J bell\x07 end",
        "# " + "[" * 2500 + "\n\n" + "*a **b " * 900,
        "| a | b |\n|---|---|\n| [x](javascript:alert(1)) | `y` |\n\n<script>alert(1)</script>",
        "👩‍👩‍👧 family, é combining, ＦＵＬＬ width, \u202eright to left\u202c",
    ],
)
async def test_hostile_text_is_text(
    project: Path, clock: Clock, cortex: Cortex, detail: Callable[[str], CortexApp], content: str
) -> None:
    memory = cortex.remember(content, title="[bold]Hostile[/] \x1b[31mtitle")
    async with detail(memory.id).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        shown_text = words(pilot, "text")
        assert "[bold]Hostile[/]" in picture(pilot)
        assert "\x1b" not in shown_text
        assert "\x9b" not in shown_text
        for piece in ("[bold red]not markup[/]", "(javascript:alert(1))", "<script>"):
            assert piece not in content or piece in shown_text
        await pilot.press("end", "home")


async def test_fifty_kilobytes(
    project: Path, clock: Clock, cortex: Cortex, detail: Callable[[str], CortexApp]
) -> None:
    long = "".join(f"## Part {n}\n\nWords of *part* {n} about `x{n}`.\n\n" for n in range(1300))
    memory = cortex.remember(long[:50_000] + "\n\nthe end of it", title="Long")
    async with detail(memory.id).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await until(lambda: "the end of it" in words(pilot, "text"))
        await pilot.press("end")
        await pilot.pause()
        assert "Receipts" in picture(pilot)


async def test_forgotten_underneath(
    ids: dict[str, str], detail: Callable[[str], CortexApp], cortex: Cortex
) -> None:
    async with detail(ids["token"]).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        cortex.forget(ids["token"])
        await pilot.press("f5")
        await settle(pilot)
        assert "archived" in picture(pilot)
        await pilot.press("p")
        await settle(pilot)
        assert "Only active memories can be pinned" in picture(pilot)
        await pilot.press("r")
        await settle(pilot)
        assert cortex.show(ids["token"]).status == "active"
        assert "archived" not in "\n".join(picture(pilot).split("\n")[:4])


async def test_gone_underneath_and_undone(
    ids: dict[str, str], detail: Callable[[str], CortexApp], cortex: Cortex
) -> None:
    async with detail(ids["route"]).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        store = cortex.workspace.store("project")
        with store.change("discard", "discard it", "person") as change:
            change.delete("memory", ids["route"])
        await pilot.press("f5")
        await settle(pilot)
        assert "This memory is no longer there" in picture(pilot)
        await pilot.press("p")
        await settle(pilot)
        assert "There is no memory" in picture(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert "was not done here: by you elsewhere" in picture(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert "Every route checks the token" in picture(pilot)


async def test_a_memory_that_moved_to_the_other_store_is_followed(
    ids: dict[str, str], detail: Callable[[str], CortexApp], cortex: Cortex
) -> None:
    async with detail(ids["cjk"]).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        cortex.move(ids["cjk"], "global")
        await pilot.press("f5")
        await settle(pilot)
        assert shown(pilot).key[0] == "global"
        assert "global" in picture(pilot)


async def test_the_store_removed_underneath(
    ids: dict[str, str], detail: Callable[[str], CortexApp], project: Path
) -> None:
    async with detail(ids["token"]).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for file in (project / ".memory").glob("cortex.db*"):
            file.rename(file.with_name("away-" + file.name))
        await pilot.press("p")
        await settle(pilot)
        assert "was removed while it was open" in picture(pilot).replace("\n ", " ")
        await pilot.press("f5")
        await settle(pilot)
        assert "The memories cannot be read" in picture(pilot)
        for file in (project / ".memory").glob("away-cortex.db*"):
            file.rename(file.with_name(file.name.removeprefix("away-")))
        await pilot.press("f5")
        await settle(pilot)
        assert "Token refresh races" in picture(pilot)


async def test_every_source_of_a_memory_is_named(
    cortex: Cortex, detail: Callable[[str], CortexApp]
) -> None:
    cortex.remember("Use pnpm, never npm.")
    memory = cortex.remember("use pnpm, never npm", actor="agent")
    async with detail(memory.id).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "written by you" in words(pilot, "from")
        assert "written by an agent" in words(pilot, "from")
        assert section(pilot, "from").targets == [0, 1]
