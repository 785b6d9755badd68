"""What the team approved, in the app: marked, shown with who approved it, and not to be changed."""

from __future__ import annotations

from cortex_core import Cortex
from cortex_core.team import replica
from cortex_tui.application import CortexApp
from cortex_tui.screens.dialogs import Ask
from tests.core.team.replica import approve
from tests.tui.conftest import picture, screen, settle, type_words
from tests.tui.waiting import act, until


async def test_the_key_that_proposes_says_how_to_join(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await act(pilot, "set('propose')")
        await until(lambda: "Join one with: cortex team join URL" in picture(pilot))


async def test_the_strip_says_what_is_new_and_a_proposal_asks_for_its_reason(
    app: CortexApp, cortex: Cortex
) -> None:
    team = approve(cortex, "Deploy on weekdays alone", kind="policy")
    approve(cortex, "Ask ada about the queue", origin={**team.origin, "mine": True})
    store = cortex.workspace.team_replica()
    replica.follow(
        store,
        replica.Followed(
            hub="h",
            epoch=1,
            team="t",
            name="payments",
            role="ben",
            project="p",
            read=cortex.workspace.clock() - 7200,
        ),
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: "team payments, 1 new   read 2h ago" in picture(pilot))
        await settle(pilot)
        await pilot.press("end")
        await act(pilot, "set('propose')")
        await until(lambda: isinstance(app.screen, Ask))
        await pilot.press("x", "escape")
        await until(lambda: "Nothing was sent." in picture(pilot))


async def test_a_row_of_the_team(app: CortexApp, cortex: Cortex) -> None:
    team = approve(cortex, "Deploy on weekdays alone", kind="policy")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "weekdays alone")
        await until(lambda: (row := screen(pilot).rows.memory) and row.id == team.id)
        await until(lambda: "new" in picture(pilot) and "written by ada" in picture(pilot))
        assert "team payments, by ada" in picture(pilot)
        await pilot.press("escape", "p")
        await until(lambda: f"cortex team propose {team.id[:8]}" in picture(pilot))
        assert not cortex.show(team.id).pinned
        await pilot.press("enter")
        await until(lambda: not cortex.show(team.id).is_unseen)


async def test_ones_own_that_the_team_has_in_other_words(app: CortexApp, cortex: Cortex) -> None:
    own = cortex.remember("Deploy on weekdays alone", kind="policy")
    approve(cortex, "Deploy on [b]Tuesdays[/b]", kind="policy", id=own.id)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: picture(pilot).count("Deploy on") == 3)
        assert "shared, reworded" in picture(pilot)
        assert "Deploy on [b]Tuesdays[/b]" in picture(pilot)
