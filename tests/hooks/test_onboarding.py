"""The introduction that is offered once, where nothing is remembered and somebody answers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.surface.onboarding import MOST_OFFERS, OFFER
from tests.hooks.conftest import Hooks


@pytest.fixture
def fresh(tmp_path: Path, hooks: Hooks) -> Callable[[str], Hooks]:
    """`fresh(name)`: hooks of another project of the same user, in which nothing is remembered."""

    def make(name: str) -> Hooks:
        root = tmp_path / name
        root.mkdir()
        subprocess.run(["git", "init", "-q", str(root)], check=True, env=hooks.environment)
        return Hooks(root, hooks.environment)

    return make


def test_it_is_offered_once_in_the_first_session(hooks: Hooks) -> None:
    assert hooks("SessionStart", source="startup").given == OFFER
    assert hooks("SessionStart", source="startup", session_id="2").out == b""
    assert not (hooks.project / ".memory" / "cortex.log").exists()


@pytest.mark.parametrize("source", ["resume", "clear", "compact", "fork"])
def test_only_a_session_that_begins_offers(hooks: Hooks, source: str) -> None:
    assert hooks("SessionStart", source=source).out == b""


@pytest.mark.parametrize(
    "env", [{"CLAUDE_CODE_SESSION_ATTENDED": "0"}, {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}], ids=str
)
def test_nothing_is_offered_where_nobody_answers(hooks: Hooks, env: dict[str, str]) -> None:
    assert hooks("SessionStart", source="startup", env=env).out == b""
    assert hooks("SessionStart", source="startup", session_id="2").given == OFFER


@pytest.mark.parametrize("scope", ["project", "global"])
def test_whoever_has_memories_is_not_asked(hooks: Hooks, cortex: Cortex, scope: str) -> None:
    memory = cortex.remember("Bills are rounded", scope="global" if scope == "global" else None)
    cortex.forget(memory.id)
    assert hooks("SessionStart", source="startup").out == b""


def test_it_can_be_switched_off_and_ends_by_itself(
    hooks: Hooks, cortex: Cortex, fresh: Callable[[str], Hooks]
) -> None:
    cortex.settings.set("onboarding", False, "project")
    assert hooks("SessionStart", source="startup").out == b""
    answers = [fresh(f"p{n}")("SessionStart", source="startup").given for n in range(4)]
    assert answers == [OFFER] * MOST_OFFERS + [""]
