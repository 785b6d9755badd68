"""What the snapshot tests of every screen share: what is done before the picture is taken."""

from __future__ import annotations

import random
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from cortex_tui.context import Failed
from tests.tui.conftest import Once
from tests.tui.waiting import press, settle

Compare = Callable[..., bool]
"""The `snap_compare` fixture."""
Before = Callable[[Pilot[None]], Awaitable[None]]
"""What `snap_compare` takes as `run_before`."""

SIZES = [(80, 24), (100, 30), (120, 40)]
"""Every width at which the layout changes."""
CJK = (
    (
        1,
        "デプロイの前に必ずマイグレーションを実行し、リリースノートを更新すること。",
        {"kind": "procedure", "tags": ("運用",)},
    ),
    (2, "缓存在部署之后预热 🚀 否则第一个请求会超时。", {"kind": "gotcha", "pinned": True}),
    (3, "배포 전에 대기열을 비운다. 그렇지 않으면 작업이 사라진다.", {"kind": "policy"}),
    (4, "👩‍👩‍👧 family emoji, é combining, and ＦＵＬＬ width", {"kind": "insight"}),
)
"""Days ago, content, the other arguments of `remember`: letters that are two cells wide."""
DAMAGED = "/home/ann/shop/.memory/cortex.db is damaged. Nothing was changed."


@pytest.fixture(autouse=True)
def same_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids repeat from run to run: they are shown, and how many tokens one takes decides what fits
    into a note. Holds in every module that imports it."""
    chance = random.Random(1)
    monkeypatch.setattr(uuid, "uuid4", lambda: uuid.UUID(int=chance.getrandbits(128), version=4))


@pytest.fixture
def once() -> Once:
    """Makes the stores of every test itself: copied ones would take no id from `same_ids`, and what
    is added to them would get theirs. Holds in every module that imports it."""
    return lambda name, make: make()


def keys(*pressed: str) -> Before:
    """Wait for the screen, press each key, and wait after each."""

    async def act(pilot: Pilot[None]) -> None:
        await settle(pilot)
        await press(pilot, *pressed)

    return act


def failing(reason: str = DAMAGED) -> Before:
    """Wait for the screen, then tell it that the store cannot be used, for `reason`."""

    async def fail(pilot: Pilot[None]) -> None:
        await settle(pilot)
        pilot.app.screen.post_message(Failed(reason, unusable=True))
        await settle(pilot)

    return fail


def choose_theme(project: Path, name: str) -> None:
    """Have `project` show the app in the theme `name`."""
    path = project / ".memory" / "config.toml"
    path.write_text(f'theme = "{name}"\n', encoding="utf-8")
