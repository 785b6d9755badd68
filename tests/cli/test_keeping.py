"""rules kept, and turn --breach."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cortex_core import Cortex
from tests.cli.conftest import Cli
from tests.transcript_samples import Sample


def test_a_call_that_an_agent_named_is_tried_as_it_is_recalled(cortex: Cli) -> None:
    rule = cortex.remember("Use pnpm, never npm", "--kind", "preference")
    with Cortex.open(project=cortex.project) as opened:
        opened.memories.triggers.propose(opened.show(rule), ["!Bash(make vendor)"], "")
    cortex.ok("trigger", "guard", rule, "deny")
    for command, outcome in (("npm ci", "deny"), ("make vendor", "remind")):
        (tried,) = cortex.json("trigger", "try", rule, command)
        assert tried["outcome"] == outcome
    assert "deny; named in part by the agent, which only reminds" in cortex.ok("show", rule)
    plain = cortex.remember("The harbour office stamps each list.", "--kind", "policy")
    refused = cortex.fails(2, "trigger", "guard", plain, "deny")
    assert f"cortex trigger set {plain[:8]}" in refused


def test_how_a_rule_was_kept(cortex: Cli) -> None:
    assert "No memory has a trigger" in cortex.run("rules", "kept").stderr
    rule = cortex.remember("Use pnpm, never npm", "--kind", "preference")
    cortex.remember("Commits are written in English.", "--kind", "policy")
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"], "projects", "p")
    folder.mkdir(parents=True)
    start = datetime.now(UTC) + timedelta(hours=1)
    sample = Sample("s", cwd=str(cortex.project), start=start).human("Install it.")
    sample.tool("Bash", {"command": "pnpm install"}, "added")
    sample.tool("Bash", {"command": "npm install [b]left-pad[/b]"}, "added")
    path = sample.write(folder)
    cortex.ok("import", "transcripts", str(path))
    first, second = cortex.json("rules", "kept")
    assert (first["id"], first["state"]) == (rule, "kept and broken")
    assert [first[name] for name in ("kept", "broken", "kept_before", "broken_before")] == [
        1,
        1,
        0,
        0,
    ]
    assert second["state"] == "cannot be checked"
    printed = cortex.ok("rules", "kept")
    assert f"{rule[:8]}  1 of 2" in printed
    assert "cannot be checked" in printed

    (breach,) = cortex.json("rules", "kept", "pnpm")
    assert (breach["number"], breach["turn"]) == (1, 1)
    shown = cortex.ok("rules", "kept", rule[:8])
    assert "right way  pnpm" in shown
    assert "turn 1  npm install [b]left-pad[/b]" in shown
    turn = cortex.ok("turn", rule, "--breach", "1")
    assert "<- the rule was broken here\nnpm install [b]left-pad[/b]" in turn
    assert "no breach 2" in cortex.fails(3, "turn", rule, "--breach", "2")
    path.unlink()
    cortex.remember("Never force-push", "--kind", "policy")
    assert "1 transcript is gone" in cortex.run("rules", "kept").stderr
    assert f"{rule[:8]}  1 of 2" in cortex.ok("rules", "kept")
