"""A vault that is written by hand, and one that another program wrote."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import UsageError
from cortex_core.records.memory import Memory

from .conftest import Opener
from .test_vault_round_trip import files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "vault"


@pytest.fixture
def write(folder: Path, clock: Any) -> Any:
    """`write(path, text)`: write a file of the vault, at the time of the clock."""

    def put(path: str, words: str) -> Path:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(words, encoding="utf-8")
        os.utime(file, (clock(), clock()))
        return file

    return put


def named(cortex: Cortex, title: str) -> Memory:
    (found,) = (one for one in cortex.list(limit=100) if one.title == title)
    return found


def links(cortex: Cortex, title: str) -> set[tuple[str, str]]:
    """Type and title of what a memory links to."""
    titles = {one.id: one.title for one in cortex.list(limit=100)}
    mine = named(cortex, title).id
    edges = cortex.memories.details(mine).edges
    return {(one.type, titles[one.target]) for one in edges if one.source == mine}


POOL = """---
title: "Pool size: eight"
kind: decision
priority: 9
tags: [db, postgres]
pinned: yes
created: 2026-05-01
relations:
  - target: "[[timeouts|the timeouts]]"
    type: SOLVES
    context: "Fewer connections, fewer timeouts"
  - target: Fridays
  - "[[graph/facts/Read replicas.md]]"
---

The pool has eight connections, see [[Read replicas]] and [[nothing at all]].
"""


@pytest.fixture
def written(write: Any) -> None:
    """A vault in which no file has an id."""
    write("graph/decisions/pool.md", POOL)
    write("graph/problems/timeouts.md", "# Timeouts under load\n\nQueries time out under load.\n")
    write("graph/facts/Read replicas.md", "Two replicas in Falkenstein serve reads.\n")
    write("vault/fridays.md", "---\ntitle: Fridays\nimportance: 0.8\n---\nNo deploys then.\n")


def test_a_file_without_an_id_keeps_all_that_it_states(
    cortex: Cortex, folder: Path, written: None
) -> None:
    report = cortex.exchange.import_markdown(folder)
    assert (report.stored, report.problems, report.linked) == (4, (), 3)
    pool = named(cortex, "Pool size: eight")
    assert (pool.kind, pool.priority, pool.tags, pool.pinned) == (
        "decision",
        9,
        ("db", "postgres"),
        True,
    )
    assert pool.created == 1_777_593_600.0
    assert pool.content.startswith("The pool has eight connections")
    assert named(cortex, "Timeouts under load").kind == "gotcha"
    assert named(cortex, "Read replicas").kind == "fact"
    assert links(cortex, "Pool size: eight") == {
        ("SOLVES", "Timeouts under load"),
        ("relates_to", "Fridays"),
        ("relates_to", "Read replicas"),
    }


def test_a_file_in_the_folder_vault_is_pinned(cortex: Cortex, folder: Path, written: None) -> None:
    cortex.exchange.import_markdown(folder)
    fridays = named(cortex, "Fridays")
    assert (fridays.pinned, fridays.priority, fridays.content) == (True, 8, "No deploys then.")


def test_what_is_imported_is_imported_once(cortex: Cortex, folder: Path, written: None) -> None:
    cortex.exchange.import_markdown(folder)
    again = cortex.exchange.import_markdown(folder)
    assert (again.stored, again.updated, again.linked, again.merged) == (0, 0, 0, 4)
    assert len(cortex.list()) == 4


def test_an_edit_before_the_next_export_is_an_edit(
    cortex: Cortex, folder: Path, written: None, write: Any, clock: Any
) -> None:
    cortex.exchange.import_markdown(folder)
    fridays = named(cortex, "Fridays")
    cortex.edit(fridays.id, tags=["ops"])
    clock.advance(hours=1)
    write("vault/fridays.md", "---\ntitle: Fridays\nimportance: 0.8\n---\nNever deploy then.\n")
    report = cortex.exchange.import_markdown(folder)
    assert (report.stored, report.updated) == (0, 1)
    edited = cortex.show(fridays.id)
    assert (edited.content, edited.tags, edited.pinned) == ("Never deploy then.", ("ops",), True)
    clock.advance(hours=1)
    cortex.edit(fridays.id, content="Never deploy on Fridays.")
    assert cortex.exchange.import_markdown(folder).newer_here == 1
    assert cortex.show(fridays.id).content == "Never deploy on Fridays."


def test_an_export_gives_each_file_its_id_and_leaves_it_its_name(
    cortex: Cortex, folder: Path, written: None
) -> None:
    cortex.exchange.import_markdown(folder)
    report = cortex.exchange.export_markdown(folder)
    assert (report.removed, report.left) == (("graph/decisions/pool.md",), ())  # it is pinned
    fridays = named(cortex, "Fridays")
    words = (folder / "vault/fridays.md").read_text()
    assert words.startswith(f'---\nid: {fridays.id}\ntype: fact\ntitle: "Fridays"\n')
    assert words.endswith("\nNo deploys then.\n")
    assert {"graph/problems/timeouts.md", "graph/facts/Read replicas.md"} < files(folder).keys()
    again = cortex.exchange.import_markdown(folder)
    assert (again.stored, again.updated, again.linked, again.problems) == (0, 0, 0, ())
    assert cortex.exchange.export_markdown(folder).written == 0
    cortex.unpin(fridays.id)
    moved = cortex.exchange.export_markdown(folder)
    assert moved.removed == ("vault/fridays.md",)
    assert (folder / f"graph/facts/fridays-{fridays.id[:6]}.md").exists()


def test_an_export_overwrites_no_file_that_was_not_imported(
    cortex: Cortex, folder: Path, written: None, write: Any, clock: Any
) -> None:
    cortex.exchange.import_markdown(folder)
    clock.advance(hours=1)
    edited = write("vault/fridays.md", "---\ntitle: Fridays\n---\nNever deploy then.\n")
    new = write("vault/mondays.md", "Deploy on Mondays.\n")
    with pytest.raises(UsageError, match=r"edits, such as vault/fridays\.md"):
        cortex.exchange.export_markdown(folder)
    assert edited.read_text().endswith("Never deploy then.\n")
    cortex.exchange.import_markdown(folder / "vault/fridays.md")
    assert cortex.exchange.export_markdown(folder).left == ("vault/mondays.md",)
    assert new.read_text() == "Deploy on Mondays.\n"


def test_a_link_that_leads_nowhere_is_reported(cortex: Cortex, folder: Path, write: Any) -> None:
    write(
        "vault/a.md", "---\nrelations:\n  - target: Nobody knows\n  - Ships\n---\nAnchors hold.\n"
    )
    cortex.remember("Ships sail at noon", title="Ships")
    report = cortex.exchange.import_markdown(folder)
    assert report.problems == ("vault/a.md: there is no memory “Nobody knows” to link to",)
    assert (report.stored, report.linked) == (1, 1)


def test_two_vaults_may_have_files_of_the_same_name(
    cortex: Cortex, tmp_path: Path, clock: Any
) -> None:
    for name in ("mine", "ours"):
        (tmp_path / name / "vault").mkdir(parents=True)
        (tmp_path / name / "vault/rule.md").write_text(f"The rule of {name} is a good one.\n")
    for name in ("mine", "ours"):
        assert cortex.exchange.import_markdown(tmp_path / name).stored == 1
    assert len(cortex.list()) == 2


def test_a_name_from_elsewhere_leads_out_of_no_vault(cortex: Cortex, folder: Path) -> None:
    for number, path in enumerate(
        (
            "../out.md",
            "/etc/out.md",
            "graph/../../out.md",
            "vault/x.md",
            "graph/edges/x.md",
            "graph/.git/x.md",
            "graph/a\nb.md",
            "graph/x.txt",
            "graph/con:x.md",
            7,
        )
    ):
        made = cortex.remember(f"Ship number {number} sails at noon")
        line = {"id": made.id, "content": made.content, "origin": {"vault_file": path}}
        cortex.exchange.import_jsonl([json.dumps(line)])
    cortex.exchange.export_markdown(folder)
    assert len(list((folder / "graph/facts").iterdir())) == 10
    assert not list(folder.parent.glob("*.md"))


E_FIX = """---
id: a1b2c3d4-e5f6-7890-abcd-ef1234567890
type: fix
title: "Fixed Redis connection timeouts"
tags: [redis, timeout]
importance: 0.8
confidence: 0.8
created: 2025-12-06T16:25:58+00:00
updated: 2025-12-06T16:25:58+00:00
relations:
  - target: def789ab-0000-4000-8000-000000000001
    type: SOLVES
    direction: outgoing
    strength: 0.8
    context: "Keepalive prevents idle disconnections"
    edge_id: 0e0e0e0e-1111-4222-8333-444444444444
---

Added socket_keepalive=True.
"""
E_PROBLEM = """---
id: def789ab-0000-4000-8000-000000000001
type: problem
title: "Redis connection drops under load"
tags: []
importance: 0.6
created: 2025-12-05T10:00:00+00:00
updated: 2025-12-05T10:00:00+00:00
relations:
  - target: a1b2c3d4-e5f6-7890-abcd-ef1234567890
    type: SOLVES
    direction: incoming
    strength: 0.8
    edge_id: 0e0e0e0e-1111-4222-8333-444444444444
---

Connections drop.
"""
E_EDGE = """---
id: 0e0e0e0e-1111-4222-8333-444444444444
type: SOLVES
from_id: a1b2c3d4-e5f6-7890-abcd-ef1234567890
from_title: "Fixed Redis connection timeouts"
to_id: def789ab-0000-4000-8000-000000000001
to_title: "Redis connection drops under load"
strength: 0.8
created: 2025-12-06T16:26:00+00:00
updated: 2025-12-07T09:00:00+00:00
---

The keepalive fix directly resolves the idle disconnection problem, because
the load balancer drops what is idle.

It was measured on three hosts.
"""
EDGE = (
    "graph/edges/fixed-redis-connection-timeout--SOLVES--redis-connection-drops-under-l-0e0e0e.md"
)


@pytest.fixture
def foreign(write: Any) -> None:
    """A vault that another program wrote."""
    write("graph/fixes/fixed-redis-connection-timeouts-a1b2c3.md", E_FIX)
    write("graph/problems/redis-connection-drops-under-load-def789.md", E_PROBLEM)
    write(EDGE, E_EDGE)


def test_a_vault_of_another_program_is_the_same_after_its_first_export(
    opened: Opener, folder: Path, tmp_path: Path, foreign: None
) -> None:
    first, second = opened("one"), opened("two")
    assert first.exchange.import_markdown(folder).problems == ()
    first.exchange.export_markdown(folder)  # into the vault itself, whose links get Cortex's ids
    once = files(folder)
    (link,) = (name for name in once if name.startswith("graph/edges/"))
    assert E_EDGE[E_EDGE.index("---\n\n") :] in once[link].decode()
    second.exchange.import_markdown(folder)
    second.exchange.export_markdown(tmp_path / "again")
    again = files(tmp_path / "again")
    assert {path: again[path] for path in once if path != "_index.json"} == {
        path: once[path] for path in once if path != "_index.json"
    }


def test_a_link_with_two_files_is_reported(
    cortex: Cortex, folder: Path, foreign: None, write: Any
) -> None:
    write("graph/edges/second.md", E_EDGE.replace("0e0e0e0e", "0f0f0f0f"))
    (problem,) = cortex.exchange.import_markdown(folder).problems
    assert problem == f"graph/edges/second.md: is the same link as {EDGE} and was skipped"


def test_a_note_elsewhere_is_one_memory_if_its_frontmatter_says_so(
    cortex: Cortex, folder: Path, write: Any
) -> None:
    parts = "## One\n\nAnchors hold in mud and sand.\n\n## Two\n\nRopes fray in salt water.\n"
    write("notes/whole.md", f"---\nimportance: 0.9\n---\n{parts}")
    write("notes/parts.md", parts.replace("Anchors", "Hooks").replace("Ropes", "Chains"))
    assert cortex.exchange.import_markdown(folder).stored == 3
    whole = named(cortex, "One")
    assert (whole.priority, whole.content) == (9, parts.strip())


def test_what_a_file_does_not_say_is_made_from_its_name_or_its_text(
    cortex: Cortex, folder: Path, write: Any
) -> None:
    write("vault/x.md", "---\npriority: high\nmood: calm\n---\nRopes fray in salt water.\n")
    cortex.exchange.import_markdown(folder)
    (made,) = cortex.list()
    assert (made.title, made.kind, made.priority) == ("Ropes fray in salt water", "fact", 5)
    cortex.exchange.export_markdown(folder)
    words = (folder / "vault/x.md").read_text()
    assert "priority: high\n" in words and "mood: calm\n" in words


def test_a_name_of_several_memories_links_to_none(cortex: Cortex, folder: Path, write: Any) -> None:
    for number in (1, 2):
        write(f"vault/ship-{number}.md", f"---\ntitle: Ship\n---\nShip {number} sails at noon.\n")
    write("vault/a.md", "---\nrelations:\n  - Ship\n  - ship-2\n---\nAnchors hold in mud.\n")
    report = cortex.exchange.import_markdown(folder)
    assert report.problems == ("vault/a.md: there is no memory “Ship” to link to",)
    assert report.linked == 1
