"""The age of imported memories: nothing that an import brings is archived at once."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base import decay
from cortex_core.records.memory import Memory
from cortex_core.store import memory_lookup
from tests.conftest import Clock
from tests.core.exchange.conftest import Opener

TEXT = "The gateway refuses uploads above 20 MB, which the mobile app has to split"
YEARS = 3 * 365 * decay.DAY

OldImport = Callable[[Cortex, Path, float], None]
"""Imports `TEXT` with a moment as its date; `Path` is a scratch folder."""


def jsonl(cortex: Cortex, folder: Path, moment: float) -> None:
    """A line with a date of creation."""
    line = {"content": TEXT, "kind": "gotcha", "created": moment, "confidence": 0.6}
    cortex.exchange.import_jsonl([json.dumps(line)])


def vault(cortex: Cortex, folder: Path, moment: float) -> None:
    """A memory of another program's vault."""
    day = f"{2026 - 3}-08-01"
    header = f"id: old-1\ntype: pitfall\ntitle: Uploads\ncreated: {day}\nupdated: {day}\n"
    (folder / "uploads.md").write_text(f"---\n{header}---\n\n{TEXT}.\n", encoding="utf-8")
    cortex.exchange.import_markdown(folder)


def notes(cortex: Cortex, folder: Path, moment: float) -> None:
    """An old file of notes."""
    file = folder / "notes.md"
    file.write_text(f"# Gotchas\n\n- {TEXT}.\n", encoding="utf-8")
    os.utime(file, (moment, moment))
    cortex.exchange.import_markdown(file)


def claude_md(cortex: Cortex, folder: Path, moment: float) -> None:
    """An old CLAUDE.md."""
    file = folder / "CLAUDE.md"
    file.write_text(f"# Gotchas\n\n- {TEXT}.\n", encoding="utf-8")
    os.utime(file, (moment, moment))
    cortex.exchange.import_claude_md([file])


def claude_memory(cortex: Cortex, folder: Path, moment: float) -> None:
    """What Claude Code itself remembered long ago."""
    file = folder / "uploads.md"
    file.write_text(f"---\nname: uploads\n---\n\n{TEXT}.\n", encoding="utf-8")
    os.utime(file, (moment, moment))
    cortex.exchange.import_claude_memory(folder)


IMPORTS = (jsonl, vault, notes, claude_md, claude_memory)


def only(cortex: Cortex) -> Memory:
    (memory,) = [one for store in cortex.workspace.stores for one in memory_lookup.in_order(store)]
    return memory


@pytest.mark.parametrize("bring", IMPORTS)
def test_an_old_memory_starts_at_most_one_half_life_old(
    cortex: Cortex, tmp_path: Path, clock: Clock, bring: OldImport
) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    bring(cortex, folder, clock.now - YEARS)
    memory = only(cortex)
    half_life = cortex.config.kinds.known(memory.kind).half_life or 0.0
    assert clock.now - half_life * decay.DAY <= memory.reinforced <= clock.now
    assert cortex.lifecycle.run().archived == ()


def exported(cortex: Cortex, folder: Path) -> list[str]:
    """A Cortex export of the only memory, as JSON lines and as a vault."""
    out = io.StringIO()
    cortex.exchange.export_jsonl(out)
    cortex.exchange.export_markdown(folder)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("form", ["lines", "vault"])
def test_an_export_keeps_its_own_date_and_is_not_archived_the_same_night(
    opened: Opener, tmp_path: Path, clock: Clock, form: str
) -> None:
    with opened("one") as cortex:
        made = cortex.remember(TEXT, kind="gotcha")
        clock.advance(days=5)
        cortex.edit(made.id, content=TEXT + " beforehand")
        before = only(cortex)
        lines = exported(cortex, tmp_path / "vault")
    clock.advance(days=500)
    with opened("two") as other:
        if form == "lines":
            other.exchange.import_jsonl(lines)
        else:
            other.exchange.import_markdown(tmp_path / "vault")
        after = only(other)
        assert (after.created, after.reinforced) == (before.created, before.reinforced)
        assert other.lifecycle.run().archived == ()
        (fading,) = other.lifecycle.forecast(30)
        assert fading.archives == pytest.approx(clock.now + 14 * decay.DAY)
        clock.advance(days=15)
        assert [one.id for one in other.lifecycle.run().archived] == [after.id]
