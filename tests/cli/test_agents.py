"""`cortex install` and `cortex uninstall` for several agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cortex_core.base import text
from tests.cli.conftest import Cli
from tests.core.agents.test_codex import THREAD, began, meta, rollout, said, typed, write


@pytest.fixture
def codex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "codex"
    home.mkdir()
    monkeypatch.setenv("CODEX_HOME", str(home))
    return home


def test_agents_are_connected_by_their_names_and_taken_out_together(
    cortex: Cli, codex: Path
) -> None:
    config = codex / "config.toml"
    config.write_text('model = "m"\n')
    said = cortex.json("install", "--agent", "codex", "--no-server")[0]
    assert (said["agent"], said["changed"], said["trial"]) == ("codex", True, "skipped")
    assert said["settings"] == str(codex / "hooks.json")
    cortex.ok("config", "set", "agents.codex", "off", "--global")
    both = cortex.json(
        "install", "--agent", "claude", "--agent", "codex", "--no-server", "--no-trial"
    )[0]
    assert [one["agent"] for one in both["agents"]] == ["claude", "codex"]
    assert cortex.json("config", "get", "agents.codex")
    assert "on" in cortex.ok("config", "get", "agents.codex")
    assert len(cortex.json("uninstall", "--dry-run")[0]["settings"]) == 2
    assert len(cortex.json("uninstall", "--agent", "claude")[0]["settings"]) == 1
    assert "hooks" in json.loads((codex / "hooks.json").read_text())
    cortex.ok("uninstall")
    assert sorted(path.name for path in codex.iterdir()) == ["config.toml"]


def test_without_a_terminal_claude_code_alone_is_connected(cortex: Cli, codex: Path) -> None:
    cortex.ok("install", "--no-server", "--no-trial")
    assert not (codex / "hooks.json").exists()


def test_the_scope_of_an_agent_without_it_is_refused(cortex: Cli, codex: Path) -> None:
    assert "Leave out --scope" in cortex.fails(2, "install", "--agent", "codex", "--scope", "local")


def test_what_each_agent_is_given_is_shown_in_its_form(cortex: Cli, codex: Path) -> None:
    cortex.ok("remember", "Use pnpm, never npm", "--kind", "policy")
    printed = json.loads(cortex.ok("surface", "--agent", "codex"))["hookSpecificOutput"]
    assert printed["hookEventName"] == "SessionStart"
    assert "Use pnpm" in printed["additionalContext"]
    assert "additionalContext" in json.loads(cortex.ok("surface", "--agent", "copilot"))
    (said,) = cortex.json("surface", "--agent", "codex", "--prompt", "Add a package with npm")
    assert json.loads(said["printed"])["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "Use pnpm" in cortex.ok("surface", "--agent", "other")


def test_a_memory_names_the_agent_and_the_turn_that_it_was_learned_from(
    cortex: Cli, codex: Path
) -> None:
    records = [meta(cwd=str(cortex.project))]
    for turn in ("Hello.", "And now?", "Remember: Deploy with make ship."):
        records += [began(turn), typed(turn), said("Done.")]
    cortex.ok("import", "transcripts", str(write(rollout(codex), records)))
    (memory,) = cortex.json("list")
    told = cortex.ok("show", memory["id"])
    assert f"from Codex, 2026-11-02, session {THREAD} turn 3" in told


def test_what_another_agent_said_is_not_ascribed_to_claude(cortex: Cli, codex: Path) -> None:
    records = [meta(cwd=str(cortex.project)), began("a"), typed("Hello."), said("Done.")]
    cortex.ok("import", "transcripts", str(write(rollout(codex), records)))
    shown = [cortex.ok("sessions", "show", THREAD), cortex.ok("sessions", "done")]
    assert all("Codex" in one and "agent" in one and "Claude" not in one for one in shown)


def test_sessions_of_one_minute_are_told_apart(cortex: Cli, codex: Path) -> None:
    """Ids of Codex and OpenCode begin with the time: eight characters are those of all of them."""
    ids = ("01a21f09-4db8-7ae3-9333-f65dcfcfaaba", "01a21f09-f3a7-7cf3-9b8c-ea4c3b019dbc")
    for thread, words in zip(ids, ("Paint it.", "Dig there."), strict=True):
        records = [meta(cwd=str(cortex.project), id=thread), began("a"), typed(words), said("Ok.")]
        cortex.ok("import", "transcripts", str(write(rollout(codex, thread), records)))
    listed = cortex.ok("sessions", "list")
    for one, words in zip(ids, ("Paint it.", "Dig there."), strict=True):
        assert f"{text.short(one)}  {words}" in listed
        assert words in cortex.ok("sessions", "show", text.short(one))
    refusal = cortex.fails(2, "sessions", "show", ids[0][:8])
    assert f"{ids[0]} (Paint it.)" in refusal and f"{ids[1]} (Dig there.)" in refusal


@pytest.mark.parametrize(
    ("id", "shown"),
    [
        ("d77ec769-d714-4520-b2d0-045d8cf05451", "d77ec769"),
        ("01a21f09-4db8-7ae3-9333-f65dcfcfaaba", "01a21f09-4db8"),
        ("ses_20b5413bcffeU9tjYsYXWYC3zL", "ses_20b5413bc"),
        ("lease", "lease"),
    ],
)
def test_an_id_is_shortened_to_what_tells_it_apart(id: str, shown: str) -> None:
    assert text.short(id) == shown
