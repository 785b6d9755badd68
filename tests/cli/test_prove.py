"""A replay of past sessions finds what they needed, and nothing where lines are exchanged."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cortex_core import Cortex, prove
from cortex_core.records.as_json import to_json
from tests.cli.conftest import Cli
from tests.transcript_samples import Sample

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
REFUSED = "Exit code 1\nerror: unknown option '--no-cache'"
BEFORE = (
    "use pnpm here, never npm",
    "the staging database is called heron-7",
    "answers to customers are reviewed by Wilhelmina",
)
AFTER = (
    "invoices are numbered by the sequence kestrel_seq",
    "pictures are shrunk with `tools/shrink.sh`",
    "the map of Ostrava is drawn by hand",
    "holidays are read from `data/feasts.csv`",
    "letters are printed in Garamond",
    "the warehouse in Tampere closes at noon",
)
USUAL = "See kestrel_seq, tools/shrink.sh, Ostrava, data/feasts.csv, Garamond and Tampere."
"""The names in all of `AFTER`, as the sessions of a project have names in common."""


@pytest.fixture
def transcripts(tmp_path: Path) -> Path:
    """Ten sessions, one a day. The fourth comes back to what the first three taught."""
    folder, shop = tmp_path / "transcripts", str(tmp_path / "shop")
    folder.mkdir()
    for day, words in enumerate((*BEFORE, "", *AFTER)):
        made = Sample(f"day {day}", cwd=shop, start=START + timedelta(days=day))
        if words:
            made.human(f"Remember: {words}.").assistant("Noted." if words in BEFORE else USUAL)
            if words in BEFORE:
                made.tool("Bash", {"command": "npx vitest --no-cache"}, REFUSED, failed=True)
                made.tool("Bash", {"command": "npx vitest --cache=false"}, "42 passed")
        else:
            made.human("Why does the checkout of the shop lose its session?")
            made.tool("Bash", {"command": "psql heron-7 -c 'select 1'"}, "1")
            made.tool("Bash", {"command": "npx vitest --no-cache"}, REFUSED, failed=True)
            made.human("No, use pnpm, never npm.").assistant("Right.")
            made.assistant(USUAL)
            # What is typed ahead is a prompt as well.
            made.add("queue-operation", operation="enqueue", content="And tell me why.")
        made.write(folder)
    return folder


def test_what_sessions_needed_is_found_and_chance_finds_nothing(
    transcripts: Path, project: Path
) -> None:
    with Cortex.open(project) as cortex:
        proof = prove.prove(cortex, [transcripts])
        assert not cortex.list()
    met = {one.name: one.met for one in proof.benefits}
    assert (proof.sessions, proof.prompts) == (10, 12)
    assert met["corrections"] == 1 and met["failures"] >= 1 and met["lines"] >= 1
    assert not any(one.shuffled for one in proof.benefits)
    assert [one.said for one in proof.spared] == ["No, use pnpm, never npm."]
    # It is the same each time, and by the command as well.
    assert Cli(project).json("prove", str(transcripts)) == [json.loads(json.dumps(to_json(proof)))]


def test_without_sessions_it_says_so(project: Path) -> None:
    done = Cli(project).run("prove")
    assert "cortex demo" in done.stderr and not done.stdout
