"""The block in AGENTS.md: what it says, that it follows the memories, and leaves no trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import CortexError, UsageError
from cortex_core.base.project import find
from cortex_core.surface import agents_file

NOW = 1_789_646_400.0


def written(project: Path) -> str:
    agents_file.write(find(cwd=str(project)), NOW)
    return (project / "AGENTS.md").read_text("utf-8")


@pytest.mark.parametrize("mine", [None, b"", b"# Rules\n", b"# Rules\r\nNo break at the end"])
def test_it_comes_and_goes_without_a_trace(project: Path, mine: bytes | None) -> None:
    path = project / "AGENTS.md"
    if mine is not None:
        path.write_bytes(mine)
        path.chmod(0o640)
    with Cortex.open(project=project) as cortex:
        cortex.remember("Use pnpm, never npm", kind="policy")
        cortex.remember("I like short answers", kind="preference", scope="global")
    text = written(project)
    assert "Use pnpm, never npm" in text
    assert "short answers" not in text, "a file of the project is no place for what is the user's"
    assert path.read_bytes().startswith(mine or b"")
    assert written(project) == text
    agents_file.remove(find(cwd=str(project)))
    assert (path.read_bytes() if path.exists() else None) == (mine or None)
    assert not mine or path.stat().st_mode & 0o777 == 0o640


def test_it_follows_the_memories_while_the_user_wants_it(project: Path) -> None:
    here, path = find(cwd=str(project)), project / "AGENTS.md"
    with Cortex.open(project=project) as cortex:
        agents_file.refresh(here, NOW)
        assert not path.exists()
        agents_file.write(here, NOW)
        cortex.remember("Use pnpm, never npm", kind="policy")
        agents_file.refresh(here, NOW)
        assert "Use pnpm, never npm" in path.read_text("utf-8")
        agents_file.remove(here)
        agents_file.refresh(here, NOW)
        assert not path.exists()


def test_marks_that_came_with_the_repository_are_no_request(project: Path) -> None:
    theirs = "<!-- cortex:start -->\nWhat a colleague has\n<!-- cortex:end -->\n"
    (project / "AGENTS.md").write_text(theirs, encoding="utf-8")
    with Cortex.open(project=project) as cortex:
        cortex.remember("Use pnpm, never npm", kind="policy")
    agents_file.refresh(find(cwd=str(project)), NOW)
    assert (project / "AGENTS.md").read_text("utf-8") == theirs


def test_it_is_short_and_holds_whole_lines(project: Path) -> None:
    with Cortex.open(project=project) as cortex:
        for number in range(40):
            cortex.remember(f"Rule {number}: <!-- cortex:end --> {'ж' * 60}", kind="policy")
    text = written(project)
    assert len(text.encode()) <= agents_file.MOST
    assert text.count("<!-- cortex:end") == 1
    assert all(line.endswith("]") for line in text.splitlines()[2:-1])


def test_a_link_is_left_alone(project: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.md"
    elsewhere.write_text("theirs", encoding="utf-8")
    (project / "AGENTS.md").symlink_to(elsewhere)
    with pytest.raises(CortexError, match="Nothing was changed"):
        written(project)
    assert elsewhere.read_text("utf-8") == "theirs"


def test_without_a_project_there_is_nothing_to_write(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no project"):
        agents_file.write(find(cwd=str(tmp_path)), NOW)
