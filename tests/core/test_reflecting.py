"""Reflection and core: themes, what several projects have learned, what stands highest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.base import text
from cortex_core.records.memory import Where
from tests.core.recall.test_looking import note_use

Opener = Callable[[str], Cortex]


@pytest.fixture
def opened(tmp_path: Path, clock: Callable[[], float]) -> Opener:
    """`opened(name)`: the memory of one of this person's projects."""

    def make(name: str) -> Cortex:
        root = tmp_path / name
        (root / ".git").mkdir(parents=True, exist_ok=True)
        (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        return Cortex.open(root, tmp_path / "home", clock=clock)

    return make


def test_themes_use_insights_and_merges(opened: Opener) -> None:
    cortex = opened("one")
    for number in range(3):
        cortex.remember(
            f"Redis note {number}: {'keys pool slots'.split()[number]}",
            tags=["redis", "cache", "ops"][: 3 - number // 2],
        )
    used = cortex.recall("redis pool").hits[0].memory
    note_use(cortex, used.id)
    cortex.remember("Small batches merge faster", kind="insight")
    seen = cortex.reflection.reflect()
    assert [(theme.tags, theme.count) for theme in seen.themes] == [
        (("cache", "redis"), 3),
        (("cache", "ops"), 2),
        (("ops", "redis"), 2),
    ]
    assert len(seen.themes[0].examples) == 3
    assert used.id in [one.id for one in seen.most_used]
    assert [one.title for one in seen.insights] == ["Small batches merge faster"]
    assert (seen.merges, seen.to_review, seen.last_consolidation) == (0, 0, None)
    assert cortex.log(1)[0].verb == "remember"


def test_what_recurs_is_suggested_once_and_never_moved(opened: Opener, clock: Any) -> None:
    for name, words in (("two", "Never use npm, use pnpm"), ("three", "use pnpm, never npm.")):
        other = opened(name)
        other.remember(words, kind="preference", tags=["tools"])
        other.remember(f"The port of {name} is 70{len(name)}", kind="gotcha")
        other.models.embed_pending()
    cortex = opened("one")
    own = cortex.remember("Use pnpm, never npm", kind="preference", tags=["tools"])
    cortex.remember("We chose Kafka for orders", kind="decision")
    cortex.models.embed_pending()
    clock.advance(hours=1)
    look = cortex.reflection.reflect(dry_run=True)
    assert cortex.suggestions.list() == [] and look.recurrences[0].suggestion == ""
    (found,) = cortex.reflection.reflect().recurrences
    assert found.memory.id == own.id and "three" in found.projects
    (waiting,) = cortex.suggestions.list()
    assert (waiting.scope, waiting.content, waiting.id) == ("global", own.content, found.suggestion)
    assert waiting.source.rule == "rule:recurs"
    assert cortex.show(own.id).scope == "project" and cortex.show(own.id).status == "active"
    assert cortex.reflection.reflect().recurrences[0].suggestion == waiting.id
    assert len(cortex.suggestions.list()) == 1
    clock.advance(hours=1)
    cortex.suggestions.discard(waiting.id)
    assert (
        cortex.reflection.reflect().recurrences[0].suggestion == ""
        and cortex.suggestions.list() == []
    )
    cortex.undo(2)
    assert cortex.suggestions.list() == []


def test_shared_tags_count_by_project(opened: Opener) -> None:
    for name in ("one", "two"):
        opened(name).remember(f"Words of {name} alone", tags=["api", name])
    seen = opened("one").reflection.reflect()
    assert seen.shared_tags == {"api": {"one": 1, "two": 1}} and seen.projects == ("two",)


def test_a_vault_of_one_store_names_no_other_project(opened: Opener, tmp_path: Path) -> None:
    for name in ("secret-client", "one"):
        opened(name).remember(f"The API of {name} has a key", tags=["api"])
    scopes: dict[Where, bool] = {"all": True, "project": False}
    for scope, is_named in scopes.items():
        folder = tmp_path / f"vault-{scope}"
        opened("one").exchange.export_markdown(folder, scope=scope)
        written = "".join(path.read_text() for path in folder.rglob("*.md"))
        assert ("secret-client" in written) is is_named


def test_a_store_that_is_not_trusted_is_not_looked_at(opened: Opener) -> None:
    other = opened("two")
    other.remember("Use pnpm, never npm", kind="preference", tags=["tools"])
    cortex = opened("one")
    cortex.remember("Use pnpm, never npm", kind="preference", tags=["tools"])
    other.trust.revoke()
    seen = cortex.reflection.reflect()
    assert (seen.recurrences, seen.projects, seen.shared_tags) == ((), (), {})


def test_an_empty_memory_reflects_on_nothing(opened: Opener) -> None:
    cortex = opened("one")
    seen = cortex.reflection.reflect()
    assert (seen.themes, seen.recurrences, seen.most_used) == ((), (), ())
    assert cortex.reflection.core().memories == () and cortex.workspace.stores == ()


def test_the_core_is_what_stands_highest(opened: Opener) -> None:
    cortex = opened("one")
    low = cortex.remember("A passing remark on naming", priority=1, confidence=0.3)
    high = cortex.remember("Never deploy on a Friday", kind="policy", priority=9)
    pinned = cortex.remember("A pinned remark <system-reminder>", priority=1, pinned=True)
    cortex.episodes.add("Something that happened")
    told = cortex.remember("Rules that the client gives already", kind="policy", priority=8)
    cortex.give(told.id, "demoted")
    cortex.give(cortex.remember("Not for any page", kind="policy", priority=9).id, "never")
    for number in range(200):
        cortex.remember(f"Service number {number} listens on its own port, {7000 + number}")
    page = cortex.reflection.core()
    assert page.active == 206 and page.tokens == text.tokens(page.text) <= 3000
    assert "any page" not in page.text
    assert {high.id, pinned.id, told.id} <= set(page.memories) and low.id not in page.memories
    assert page.text.startswith("# Memory core of one\n> 2026-09-17 | ")
    assert "## Policies\n- Never deploy on a Friday" in page.text
    assert "<system-reminder>" not in page.text and "happened" not in page.text
    assert 20 >= len(page.memories) > 10
    small = cortex.reflection.core(150)
    assert small.tokens <= 150 and 0 < len(small.memories) < len(page.memories)
    assert cortex.reflection.core().text == page.text
