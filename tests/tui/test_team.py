"""What the team approved, in the app: marked, shown with who approved it, and not to be changed."""

from __future__ import annotations

from cortex_core import Cortex
from cortex_tui.application import CortexApp
from tests.core.team.replica import approve
from tests.tui.conftest import picture, screen, settle, type_words
from tests.tui.waiting import until


async def test_a_row_of_the_team(app: CortexApp, cortex: Cortex) -> None:
    team = approve(cortex, "Deploy on weekdays alone", kind="policy")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "weekdays alone")
        await until(lambda: (row := screen(pilot).rows.memory) and row.id == team.id)
        await until(lambda: "new" in picture(pilot) and "written by ada" in picture(pilot))
        assert "team payments, by ada" in picture(pilot)
        await pilot.press("escape", "p")
        await until(lambda: f"cortex team change {team.id[:8]}" in picture(pilot))
        assert not cortex.show(team.id).pinned
        await pilot.press("enter")
        await until(lambda: not cortex.show(team.id).is_unseen)
