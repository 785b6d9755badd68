"""The requests of a team in the review: on a real hub, and where the hub is not reached."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from textual.widgets import Input

from cortex_core import Cortex
from cortex_core.records.memory import Memory
from cortex_core.records.teams import Proposed, Request, RequestReview
from cortex_tui.actions.requests_actions import RequestKey
from cortex_tui.glyphs import Glyphs
from cortex_tui.screens.inbox_screen import InboxScreen
from cortex_tui.widgets import request
from tests.conftest import Clock
from tests.core.team import postgres
from tests.core.team.conftest import _numbers, database, server
from tests.tui.conftest import picture, settle
from tests.tui.pages import page
from tests.tui.similar import alike
from tests.tui.waiting import until

__all__ = ["_numbers", "alike", "database", "server"]


@pytest.fixture
def ada(
    project: Path, tmp_path: Path, clock: Clock, server: postgres.Server, database: str
) -> Cortex:
    """Who made a team with the user, ben, in it, in a clone and a home of her own."""
    subprocess.run(
        [
            "git",
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "first",
        ],
        cwd=project,
        check=True,
    )
    subprocess.run(["git", "clone", "-q", str(project), str(tmp_path / "clone")], check=True)
    hers = Cortex.open(tmp_path / "clone", tmp_path / "home", clock=clock)
    hers.team.init(server.url(database, "ada"), "payments")
    hers.team.set_member("ben")
    with Cortex.open(project, clock=clock) as his:
        his.team.join(server.url(database, "ben"))
    return hers


def test_several_memories_are_numbered_and_approved_as_they_are() -> None:
    one = Memory(id="1", content="Deploy at noon", title="Deploy", kind="policy", scope="team")
    asked = Request(id="r", team="t", project="p", kind="add", reason="", items=(), author="ada")

    def review(*memories: Memory) -> RequestReview:
        proposed = tuple(Proposed(before=None, after=each) for each in memories)
        return RequestReview(
            request=asked, team="payments", memories=proposed, reach="project", is_mine=False
        )

    for count, edits in ((1, True), (2, False)):
        shown = review(*[one] * count)
        assert ("memory.edit" in request.choices(shown)) is edits
        rules = [line.plain for line in request.lines(shown, 60, Glyphs(), 0.0, dim=False)]
        assert any(line.startswith("2 of 2, new") for line in rules) is not edits


async def test_requests_wait_with_the_proposals_and_are_decided(
    ada: Cortex, project: Path, clock: Clock, alike: list[Memory]
) -> None:
    sent = [
        RequestKey(ada.team.propose(ada.remember(f"{day}: [b]deploy[/b] at noon").id, why).request)
        for day, why in (("Monday", "It cost me an hour"), ("Tuesday", ""), ("Friday", ""))
    ]
    app = page(InboxScreen, project, clock)
    async with app.run_test(size=(120, 40)) as pilot:
        view = app.screen
        await until(lambda: isinstance(app.screen, InboxScreen) and app.screen.requests.items)
        view = app.screen
        assert isinstance(view, InboxScreen)
        await settle(pilot)
        await pilot.press("home")
        await until(
            lambda: "1 of 5" in picture(pilot) and "ada proposes a memory" in picture(pilot)
        )
        assert "It cost me an hour" in picture(pilot)
        assert "Monday: [b]deploy[/b] at noon" in picture(pilot)
        await pilot.press("less_than_sign")
        await until(lambda: "does nothing to what is under the cursor" in picture(pilot))
        await pilot.press("y")
        await until(lambda: view.requests.decided == {sent[0]: "approved"})
        await until(lambda: view.lines.key == sent[1])
        await pilot.press("e")
        await until(lambda: view.has_class("-writing"))
        view.area.text = "title: Tuesdays\n---\nDeploy on Tuesday alone"
        await pilot.press("ctrl+s", "y")
        await until(lambda: sent[1] in view.requests.decided)
        await until(lambda: view.lines.key == sent[2])
        await pilot.press("n")
        await until(lambda: app.screen.query(Input))
        await pilot.press("n", "o", "enter")
        await until(lambda: view.requests.decided.get(sent[2]) == "rejected")
        with Cortex.open(project, clock=clock) as his:
            shared = {one.title: one.content for one in his.list() if one.scope == "team"}
            assert "Tuesdays" not in shared  # ada has not read these words
            assert view.requests.decided[sent[1]] == "sent again"
            assert list(shared.values()) == ["Monday: [b]deploy[/b] at noon"]
            assert his.team.request(sent[2]).note == "no"
        await pilot.press("home", "u")
        await until(lambda: "Take it back for everyone in team payments?" in picture(pilot))
        await pilot.press("y")
        await until(lambda: view.requests.decided[sent[0]] == "taken back")
    with Cortex.open(project, clock=clock) as his:
        assert [one.title for one in his.list() if one.scope == "team"] == []
        his.team._save_address("postgresql://ben@127.0.0.1:1/nothing", True, "127.0.0.1")
    app = page(InboxScreen, project, clock)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: "requests of team payments are not shown" in picture(pilot))
        await until(lambda: "1 of 2" in picture(pilot))
