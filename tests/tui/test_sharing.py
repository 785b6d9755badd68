"""With whom memories are shared, in the app: in the strip, and in Capture and health."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.doctor import examine
from cortex_core.records.machines import (
    OtherMachine,
    RemoteState,
    SyncedRemote,
    SyncedStore,
    SyncReport,
    SyncStatus,
)
from cortex_core.records.teams import PullReport, TeamStatus
from cortex_core.records.upkeep import CheckResult
from cortex_core.team import replica
from cortex_tui import keymap
from cortex_tui.actions.sharing_actions import FollowedTeam, Machines
from cortex_tui.application import CortexApp
from cortex_tui.glyphs import Glyphs
from cortex_tui.widgets import sharing_lines
from cortex_tui.widgets.frame import strip_line
from tests.conftest import Clock
from tests.core.team.replica import approve
from tests.tui.conftest import picture, settle
from tests.tui.test_strip import CALM, NOW
from tests.tui.waiting import until

GLYPHS = Glyphs()
HOME = RemoteState(
    name="home",
    kind="git",
    address="host:memory.git",
    encrypted=True,
    added=NOW - 9000,
    succeeded=NOW - 7200,
    error="",
    stores=("web",),
    here=("project",),
)
DESK = OtherMachine(name="desk", scope="project", heard=NOW - 86_400, version="1.2")
SYNC = SyncStatus(
    machine="laptop",
    remotes=(HOME,),
    waiting={"project": 0},
    machines=(DESK,),
    after_session=True,
)
TEAM = TeamStatus(
    team="payments",
    hub="ben@hub.example/cortex",
    role="ben",
    sequence=7,
    read=NOW - 7200,
    memories=12,
    unseen=0,
)
FAILED = replace(HOME, error="The remote home cannot be reached. Nothing was changed.")


def strip(sync: SyncStatus, width: int = 200) -> str:
    shown = strip_line(CALM, keymap.resolve({}), GLYPHS, NOW, width, None, sync)
    return shown.plain.partition("captured 4m ago")[2].strip()


@pytest.mark.parametrize(
    ("sync", "words"),
    [
        (SYNC, "exchanged 2h ago"),
        (replace(SYNC, waiting={"project": 3, "global": 2}), "5 to send   exchanged 2h ago"),
        (replace(SYNC, remotes=(FAILED,)), "▲ sync: home failed   exchanged 2h ago"),
        (replace(SYNC, remotes=(replace(HOME, succeeded=None),)), "never exchanged"),
        (
            replace(SYNC, machines=(replace(DESK, problem="It is ahead."),)),
            "▲ sync: a machine waits   exchanged 2h ago",
        ),
        (replace(SYNC, versions=1), "1 text written twice   exchanged 2h ago"),
        (replace(SYNC, remotes=(replace(HOME, here=()),)), ""),
    ],
)
def test_the_strip(sync: SyncStatus, words: str) -> None:
    assert strip(sync) == words


def test_what_failed_is_the_last_to_leave_the_strip() -> None:
    assert strip(replace(SYNC, remotes=(FAILED,), waiting={"project": 3}), 66).startswith("▲ sync")


@pytest.mark.parametrize(
    ("thing", "sign", "words"),
    [
        (
            Machines(replace(SYNC, waiting={"project": 3}, versions=2)),
            "●",
            "2 memories written twice, exchanged 2h ago, 3 to send; with desk",
        ),
        (Machines(replace(SYNC, remotes=(FAILED,))), "▲", "home failed, exchanged 2h ago; with"),
        (Machines(replace(SYNC, remotes=())), "·", "To begin: cortex sync add NAME TARGET"),
        (Machines(None, "The list of remotes is damaged."), "▲", "The list of remotes is damaged."),
        (FollowedTeam(None), "·", "None. To join one: cortex team join URL"),
        (
            FollowedTeam(replace(TEAM, waiting=2, behind=1, unseen=3)),
            "●",
            "payments: read 2h ago, 2 requests to decide, 1 entry to read, 3 new",
        ),
        (
            FollowedTeam(TEAM, "The hub cannot be reached."),
            "▲",
            "payments: the hub does not answer, read 2h ago",
        ),
    ],
)
def test_a_row_says_what_matters(thing: Machines | FollowedTeam, sign: str, words: str) -> None:
    shown, _, _, found = sharing_lines.row(thing, GLYPHS, NOW)
    assert shown == sign
    assert words in found


def test_the_pane_says_all_of_it_and_obeys_nobody() -> None:
    evil = replace(DESK, name="[bold]de\x1b[31msk", problem="Its clock is ahead.")
    sync = replace(SYNC, remotes=(FAILED,), machines=(evil,), versions=1, waiting={"global": 1})
    said = "\n".join(line.plain for line in sharing_lines.about(Machines(sync), GLYPHS, NOW))
    for words in (
        "laptop",
        "1 change of the global store",
        "memory.git (git, encrypted)",
        "cannot be reached",
        "[bold]de",
        "clock is ahead.",
        "both texts",
    ):
        assert words in said
    assert "\x1b" not in said
    team = FollowedTeam(replace(TEAM, unseen=3), "The hub cannot be reached.")
    theirs = "\n".join(line.plain for line in sharing_lines.about(team, GLYPHS, NOW))
    assert "What was read before is here all the same." in theirs
    assert "12, 3 that you have not seen" in theirs


def test_what_was_done_is_one_sentence() -> None:
    came = SyncedStore(scope="project", sent=2, received={"desk": 3}, versions=1)
    report = SyncReport(remotes=(SyncedRemote(name="home", stores=(came,)),))
    assert sharing_lines.exchanged(report) == (
        "Sent 2 changes, received 3 from desk. 1 memory written twice: see the review."
    )
    failed = SyncReport(remotes=(SyncedRemote(name="home", error="It is out of reach."),))
    assert sharing_lines.exchanged(failed) == "home: It is out of reach."
    assert sharing_lines.pulled(PullReport(team="payments", changed=0, sequence=1)) == (
        "Team payments: nothing is new."
    )


async def test_health_exchanges_and_says_what_is_out_of_reach(
    project: Path,
    cortex: Cortex,
    tmp_path: Path,
    app: CortexApp,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = CheckResult(name="sync-remotes", group="machines", state="warning", sentence="Failed.")
    monkeypatch.setattr(examine, "run", lambda *where, **how: (old,))
    (tmp_path / "stick").mkdir()
    cortex.sync.add("stick", str(tmp_path / "stick"), passphrase=lambda new: "", known_as="web")
    approve(cortex, "Deploy on weekdays alone", kind="policy")
    replica.follow(
        cortex.workspace.team_replica(),
        replica.Followed(
            hub="h",
            epoch=1,
            team="t",
            name="payments",
            role="ben",
            project="p",
            read=clock.now,
        ),
    )
    cortex.team._save_address("postgresql://ben@127.0.0.1:1/nothing", True, "127.0.0.1", "t", "p")
    async with app.run_test(size=(140, 40)) as pilot:
        await until(lambda: "never exchanged" in picture(pilot))
        await settle(pilot)
        await pilot.press("8", *["right"] * 3)
        await until(lambda: "payments: the hub does not answer" in picture(pilot))
        assert "sync-remotes" in picture(pilot)
        await pilot.press("home", "enter")
        await until(lambda: "Sent 8 changes" in picture(pilot))
        await until(lambda: picture(pilot).count("exchanged now") == 2)
        await settle(pilot)
        await pilot.press("j", "enter")
        await until(lambda: "nothing cannot be reached" in picture(pilot))
