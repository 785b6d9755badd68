"""Which folder is the project, by real git repositories of every shape."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from cortex_core.base.errors import StoreError
from cortex_core.base.project import SURFACE_FILE, find, folder, prepare


def git(*arguments: str, cwd: Path) -> str:
    settings = (
        "-c",
        "user.name=T",
        "-c",
        "user.email=t@example.org",
        "-c",
        "protocol.file.allow=always",
    )
    done = subprocess.run(
        ["git", *settings, *arguments], cwd=cwd, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def root_of(path: Path) -> str | None:
    return find(str(path)).root


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder that does not lie below the temporary one, as far as Cortex can tell."""
    monkeypatch.setattr(
        "cortex_core.base.project._temporary", lambda: [str(tmp_path / "temporary")]
    )
    place = tmp_path / "elsewhere"
    place.mkdir()
    return place


def test_repository_and_its_subfolders_are_one_project(project: Path) -> None:
    deep = project / "src" / "deep"
    deep.mkdir(parents=True)
    found = find(str(deep))
    assert found.root == str(project)
    assert found.cwd == str(deep)
    assert found.branch == "main"
    assert found.name == "project"
    assert found.data == str(project / ".memory")
    assert found.project_db == str(project / ".memory" / "cortex.db")
    assert found.surface_file == str(project / ".claude" / "cortex-memory.local.md")


def test_worktree_shares_the_store_and_keeps_its_branch(project: Path, tmp_path: Path) -> None:
    git("worktree", "add", "-q", "-b", "feature/x", str(tmp_path / "tree"), cwd=project)
    (tmp_path / "tree" / "sub").mkdir()
    found = find(str(tmp_path / "tree" / "sub"))
    assert found.root == str(project)
    assert found.branch == "feature/x"
    assert find(str(project)).branch == "main"


def test_worktree_whose_repository_is_gone_stands_alone(project: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    git("worktree", "add", "-q", str(tree), cwd=project)
    project.rename(tmp_path / "moved")
    (tree / ".memory").mkdir()
    assert root_of(tree) == str(tree)


def test_submodule_is_a_project_of_its_own(project: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    git("clone", "-q", str(project), str(library), cwd=tmp_path)
    git("submodule", "add", "-q", str(library), "vendor/library", cwd=project)
    inner = project / "vendor" / "library"
    assert (inner / ".git").is_file()
    assert root_of(inner) == str(inner)
    assert find(str(inner)).branch == "main"
    git("worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"), cwd=inner)
    assert root_of(tmp_path / "tree") == str(inner)


def test_hidden_bare_repository_keeps_its_store_beside_itself(
    project: Path, tmp_path: Path
) -> None:
    home = tmp_path / "work"
    home.mkdir()
    git("clone", "-q", "--bare", str(project), str(home / ".bare"), cwd=tmp_path)
    git("worktree", "add", "-q", "-b", "one", str(home / "one"), cwd=home / ".bare")
    git("worktree", "add", "-q", "-b", "two", str(home / "two"), cwd=home / ".bare")
    (home / ".git").write_text("gitdir: ./.bare\n")
    assert {root_of(home / name) for name in ("one", "two", ".bare", ".")} == {str(home)}


def test_bare_repositories_side_by_side_share_nothing(project: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        git("clone", "-q", "--bare", str(project), str(tmp_path / f"{name}.git"), cwd=tmp_path)
        tree = tmp_path / f"tree-{name}"
        git("worktree", "add", "-q", "-b", "side", str(tree), cwd=tmp_path / f"{name}.git")
        assert root_of(tree) == str(tmp_path / f"{name}.git")
        assert root_of(tmp_path / f"{name}.git") == str(tmp_path / f"{name}.git")


def test_git_agrees_about_the_branch(project: Path) -> None:
    git("checkout", "-q", "-b", "a/b", cwd=project)
    assert find(str(project)).branch == git("branch", "--show-current", cwd=project)
    git("checkout", "-q", "--detach", cwd=project)
    assert find(str(project)).branch == ""


def test_inside_the_git_folder_is_the_project(project: Path) -> None:
    assert root_of(project / ".git" / "hooks") == str(project)


def test_broken_pointer_is_no_repository(tmp_path: Path, elsewhere: Path) -> None:
    for words in ("", "gitdir: /nowhere/at/all\n", "\x00\x01"):
        (elsewhere / ".git").write_text(words)
        assert root_of(elsewhere) == str(elsewhere)
        assert find(str(elsewhere)).branch == ""


def test_without_git_the_nearest_memory_folder_counts(elsewhere: Path) -> None:
    deep = elsewhere / "a" / "b"
    deep.mkdir(parents=True)
    assert root_of(deep) == str(deep)
    (elsewhere / ".memory").mkdir()
    assert root_of(deep) == str(elsewhere)
    (elsewhere / "a" / ".memory").mkdir()
    assert root_of(deep) == str(elsewhere / "a")


def test_git_counts_before_a_memory_folder(project: Path) -> None:
    (project / "sub" / ".memory").mkdir(parents=True)
    assert root_of(project / "sub") == str(project)


def test_home_top_and_temporary_folder_are_no_projects(scratch_home: Path) -> None:
    (scratch_home / ".memory").mkdir()
    for place in (scratch_home, Path("/"), Path("/tmp")):
        found = find(str(place))
        assert found.root is None and found.project_db is None and found.surface_file is None
        assert found.data == found.home


def test_home_under_git_does_not_take_what_lies_below_it(
    scratch_home: Path, elsewhere: Path
) -> None:
    git("init", "-q", cwd=scratch_home)
    notes = scratch_home / "notes"
    notes.mkdir()
    assert root_of(scratch_home) is None
    assert root_of(notes) == str(notes)


def test_below_the_temporary_folder_only_what_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    assert root_of(tmp_path) is None
    assert root_of(scratch) is None
    (scratch / ".memory").mkdir()
    assert root_of(scratch) == str(scratch)
    repository = tmp_path / "repository"
    repository.mkdir()
    git("init", "-q", cwd=repository)
    assert root_of(repository) == str(repository)


def test_named_project_is_always_honoured(
    project: Path, scratch_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sub = project / "sub"
    sub.mkdir()
    for place in (scratch_home, Path("/tmp"), sub):
        assert find(str(project), explicit=str(place)).root == str(place)
    monkeypatch.setenv("CORTEX_PROJECT", str(sub))
    assert root_of(project) == str(sub)
    assert find(str(project), explicit=str(project)).root == str(project)
    assert find(str(sub), explicit=str(project)).cwd == str(sub)


def test_named_worktree_is_its_repository(project: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    git("worktree", "add", "-q", "-b", "side", str(tree), cwd=project)
    found = find("/", explicit=str(tree))
    assert (found.root, found.cwd, found.branch) == (str(project), str(tree), "side")
    assert find(str(tree), explicit=str(project)).branch == "side"


def test_symbolic_link_to_a_repository_is_the_same_project(project: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project)
    assert root_of(tmp_path / "link") == str(project)


def test_global_side(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert find("/", home=str(tmp_path)).home == str(tmp_path)
    monkeypatch.setenv("CORTEX_HOME", str(tmp_path / "cortex"))
    assert find("/").global_db == str(tmp_path / "cortex" / "cortex-global.db")
    monkeypatch.delenv("CORTEX_HOME")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    assert find("/").home == str(tmp_path / "config" / "memory")
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    assert find("/").home == str(Path.home() / ".claude" / "memory")


def test_deleted_folder_is_no_project(tmp_path: Path, elsewhere: Path) -> None:
    gone = elsewhere / "gone"
    assert root_of(gone) is None
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    assert find().root is None


def test_prepare_is_private_out_of_commits_and_idempotent(project: Path) -> None:
    found = find(str(project))
    for _ in range(2):
        prepare(found)
    memory = project / ".memory"
    assert memory.stat().st_mode & 0o777 == 0o700
    assert (memory / ".gitignore").read_text() == "*\n"
    assert (memory / ".gitignore").stat().st_mode & 0o777 == 0o600
    excluded = (project / ".git" / "info" / "exclude").read_text().splitlines()
    assert excluded.count(SURFACE_FILE) == 1
    (project / ".claude").mkdir()
    (project / SURFACE_FILE).write_text("given")
    assert git("status", "--porcelain", cwd=project) == ""


def test_prepare_in_a_worktree_excludes_through_the_common_folder(
    project: Path, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    git("worktree", "add", "-q", "-b", "side", str(tree), cwd=project)
    prepare(find(str(tree)))
    (tree / ".claude").mkdir()
    (tree / SURFACE_FILE).write_text("given")
    assert git("status", "--porcelain", cwd=tree) == ""


def test_prepare_tightens_a_folder_that_others_can_read(project: Path) -> None:
    (project / ".memory").mkdir(mode=0o755)
    prepare(find(str(project)))
    assert (project / ".memory").stat().st_mode & 0o777 == 0o700


def test_links_out_of_the_project_are_refused(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / ".memory").symlink_to(outside)
    found = find(str(project))
    assert "is a link" in found.doubt and (found.project_db, found.data) == (None, found.home)
    prepare(found)
    assert list(outside.iterdir()) == []
    (project / ".memory").unlink()
    prepare(find(str(project)))
    (project / ".memory" / "spool").symlink_to(outside)
    with pytest.raises(StoreError, match="is a link"):
        folder(find(str(project)), "spool")
