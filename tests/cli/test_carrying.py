"""Markdown and Claude's own memory from the command line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cortex_core.cli import exchange_commands

from .conftest import Cli


def test_out_edited_and_in_again(filled: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    said = filled.ok("export", "markdown", str(folder))
    assert said.startswith(f"3 memories in {folder}.") and "5 files" in said
    assert filled.json("export", "markdown", str(folder))[0] == {
        "folder": str(folder),
        "memories": 3,
        "written": 0,
        "unchanged": 5,
        "removed": [],
        "left": [],
    }
    page = next((folder / "graph/decisions").glob("*.md"))
    page.write_text(page.read_text().replace("has to be installed", "needs a server"))
    assert "with edits" in filled.fails(2, "export", "markdown", str(folder))
    (preview,) = filled.json("import", "markdown", str(folder), "--dry-run")
    assert preview["updated"] == 1 and preview["dry_run"] is True
    assert [one["what"] for one in preview["arrivals"]] == ["known", "edited", "known"] or any(
        one["what"] == "edited" for one in preview["arrivals"]
    )
    said = filled.ok("import", "markdown", str(folder))
    assert "Kept 0 memories." in said and "edited" in said and page.name in said
    assert "needs a server" in filled.ok("decisions", "--json")
    filled.ok("undo")
    assert "has to be installed" in filled.ok("decisions", "--json")


def test_a_person_is_shown_and_asked_first(
    filled: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes.md").write_text("- Staging runs Postgres 16 on port 5433\n")
    monkeypatch.setattr(exchange_commands, "at_terminal", lambda: True)
    monkeypatch.setattr("cortex_core.cli.command.at_terminal", lambda: True)
    words = ("import", "markdown", str(tmp_path / "notes.md"))
    said = filled.run(*words, input="n\n")
    assert said.exit_code == 1 and "Would keep 1 memory." in said.stdout
    assert "Import this?" in said.stderr and "Nothing was changed." in said.stderr
    assert len(filled.json("list")) == 3
    assert "Kept 1 memory." in filled.ok(*words, input="y\n")
    assert "There is nothing to import." in filled.ok(*words)
    assert len(filled.json("list")) == 4


def test_what_claude_keeps_itself(cortex: Cli) -> None:
    assert "keeps no memory" in cortex.fails(3, "import", "claude-memory")
    assert "no CLAUDE.md" in cortex.fails(3, "import", "claude-md")
    (cortex.project / "CLAUDE.md").write_text("- Never push to main directly\n")
    slug = "".join(c if c.isalnum() else "-" for c in str(cortex.project))
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"], "projects", slug, "memory")
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("- The staging database is reset every Monday\n")
    assert cortex.json("import", "claude-md")[0]["stored"] == 1
    assert cortex.json("import", "claude-memory", "--dry-run")[0]["stored"] == 1
    assert "Kept 1 memory." in cortex.ok("import", "claude-memory", "--yes")
    assert "already known" in cortex.ok("import", "claude-memory")
    assert len(cortex.json("list")) == 2
    assert "There is no" in cortex.fails(3, "import", "claude-md", "nowhere.md")
    assert "There is no" in cortex.fails(2, "import", "markdown", "nowhere")
