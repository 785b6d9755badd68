"""A new field of a memory is a change in three files: here it is made in a copy of the package."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import cortex_core
from cortex_core import Cortex
from cortex_core.store.reader import SCHEMA_VERSION
from tests.conftest import Clock

PACKAGE = Path(cortex_core.__file__).parent
NEXT = SCHEMA_VERSION + 1

CHANGES = {
    "records/memory.py": (
        '    excerpt: str = ""\n',
        '    mood: str = "calm"\n    weight: float = 0.5\n    seen_by: tuple[str, ...] = ()\n'
        "    loud: bool = False\n    due: Moment | None = None\n",
    ),
    "records/fields.py": (
        '    Field("excerpt", longest=1000, agent="whole"),\n',
        f'    Field("mood", since={NEXT}, agent="whole"),\n'
        f'    Field("weight", "number", high=1, since={NEXT}),\n'
        f'    Field("seen_by", "texts", since={NEXT}),\n'
        f'    Field("loud", "flag", since={NEXT}),\n'
        f'    Field("due", "time", since={NEXT}),\n',
    ),
    "store/reader.py": (f"SCHEMA_VERSION = {SCHEMA_VERSION}\n", ""),
}

SCRIPT = """
import json, sqlite3, sys
from peewee import SqliteDatabase
from cortex_core import Cortex
from cortex_core.base.project import find
from cortex_core.records.as_json import to_json
from cortex_core.mcp_server.memory_tools import whole
from cortex_core.base import trust
from cortex_core.store import table_models

project, folder = sys.argv[1:]
store = find(explicit=project).project_db
with Cortex.open(project) as cortex:
    trust.grant(cortex.project, cortex.workspace.store("project").identity)
    lines = [{"content": "The deploy goes through staging", "mood": "glad", "weight": 0.25,
              "seen_by": ["Ada"], "loud": True, "due": "2026-11-05T00:00:00Z"}]
    cortex.exchange.import_jsonl(map(json.dumps, lines))
    (made,) = [one for one in cortex.list() if one.content == lines[0]["content"]]
    kept, undone = cortex.workspace.store("project"), 0
    while entry := kept.last("undo"):
        kept.invert(entry.number, "undo")
        undone += 1
    for _ in range(undone):
        kept.invert(kept.last("redo").number, "redo")
    for item in cortex.trash.list():
        cortex.restore(item.id)
    cortex.exchange.export_markdown(folder)
    with open(f"{folder}.jsonl", "w") as out:
        cortex.exchange.export_jsonl(out)
    memories = cortex.list(statuses=())
    shown = cortex.show(made.id)
    print(json.dumps({
        "shown": to_json(shown), "agent": whole(shown).get("mood"),
        "defaults": sorted({(one.mood, one.weight, one.seen_by, one.loud, one.due)
                            for one in memories if one.id != made.id}),
        "count": len(memories),
    }))
asked = "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
fresh = SqliteDatabase(":memory:")
table_models.create(fresh)
with sqlite3.connect(store) as connection:
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert list(connection.execute(asked)) == list(fresh.execute_sql(asked))
    print(connection.execute("PRAGMA user_version").fetchone()[0])
"""


@pytest.fixture
def grown(tmp_path: Path) -> Path:
    """A folder with the package and three changed files of it; the model is linked to."""
    copy = tmp_path / "grown" / "cortex_core"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "minilm", "*.db"))
    for name in ("minilm", "pieces.db"):
        (copy / "embeddings" / name).symlink_to(PACKAGE / "embeddings" / name)
    for name, (line, more) in CHANGES.items():
        file = copy / name
        text = file.read_text(encoding="utf-8")
        assert text.count(line) == 1, name
        wanted = line + more if more else line.replace(str(SCHEMA_VERSION), str(NEXT))
        file.write_text(text.replace(line, wanted), encoding="utf-8")
    return copy.parent


@pytest.mark.parametrize("is_new", [True, False])
def test_a_field_is_a_change_in_three_files(
    is_new: bool,
    grown: Path,
    tmp_path: Path,
    project: Path,
    clock: Clock,
    clean_env: Callable[..., dict[str, str]],
) -> None:
    """In a new store and in one of the version before, and in everything that shows a memory."""
    path = project / ".memory" / "cortex.db"
    if not is_new:
        with Cortex.open(project, clock=clock) as cortex:
            for words in ("Lunch is at noon", "Tests run before a deploy", "Branches are short"):
                cortex.remember(words)
            cortex.edit(cortex.list()[0].id, priority=7)
            cortex.forget(cortex.list()[0].id)
            assert path == Path(cortex.project.project_db or "")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(project), str(tmp_path / "vault")],
        cwd=grown,
        env=clean_env(PYTHONPATH=str(grown)),
        capture_output=True,
        text=True,
    )
    assert not done.returncode, done.stderr
    answer, newest = done.stdout.splitlines()
    assert int(newest) == NEXT
    told = json.loads(answer)
    wanted = {
        "mood": "glad",
        "weight": 0.25,
        "seen_by": ["Ada"],
        "loud": True,
        "due": "2026-11-05T00:00:00Z",
    }
    assert {name: told["shown"][name] for name in wanted} == wanted
    assert told["agent"] == "glad"
    assert told["defaults"] == ([] if is_new else [["calm", 0.5, [], False, None]])
    assert told["count"] == (1 if is_new else 4)
    (line,) = [
        line
        for line in tmp_path.joinpath("vault.jsonl").read_text(encoding="utf-8").splitlines()
        if "through staging" in line
    ]
    exported = wanted | {"due": 1793836800.0}
    assert {name: json.loads(line)[name] for name in wanted} == exported
    notes = [
        note
        for file in tmp_path.joinpath("vault").rglob("*.md")
        if "through staging" in (note := file.read_text(encoding="utf-8"))
    ]
    assert any(all(f"\n{name}: " in note for name in wanted) for note in notes)
