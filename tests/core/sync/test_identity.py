"""One project has one key on every machine, and no path or password is part of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from cortex_core.base.identity import (
    has_remote,
    named_key,
    normalised,
    project_keys,
    without_secrets,
)


def project_key(root: str) -> str:
    """The first key of a project, empty without any."""
    return next(iter(project_keys(root)), "")


def git(folder: Path, *words: str, date: str = "") -> str:
    names = ("-c", "user.name=T", "-c", "user.email=t@example.org")
    done = subprocess.run(
        ["git", *names, "-C", str(folder), *words],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "GIT_COMMITTER_DATE": date},
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    "address",
    [
        "git@github.com:a/b.git",
        "https://user:token@github.com/a/b/",
        "ssh://git@github.com:22/a/b",
        "git://GitHub.com/A/b.git",
        "git+ssh://git@ssh.github.com:443/a/b.git",
        "github.com:/a/b",
        "https://github.com//a/b.git/",
        "  https://github.com/a/%62  ",
    ],
)
def test_all_addresses_of_a_repository_are_one(address: str) -> None:
    assert normalised(address) == "github.com/a/b"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "/srv/git/b.git",
        "../b",
        "file:///srv/b.git",
        "C:/code/b",
        "https://localhost:3000/a/b",
        "ssh://git@127.0.0.1/a",
        "http://[::1]/a",
        "https://[broken/a",
        "ext::sh -c id",
        "host:",
    ],
)
def test_what_only_this_machine_knows_is_no_address(address: str) -> None:
    assert normalised(address) == ""


def test_case_counts_where_the_host_may_tell_it_apart() -> None:
    assert normalised("git@Git.Example.org:Team/Tool.git") == "git.example.org/Team/Tool"
    assert normalised("me@[2001:DB8::1]:x") == "2001:db8::1/x"


def test_a_clone_elsewhere_has_the_same_keys(project: Path, tmp_path: Path) -> None:
    """Also through another kind of address, from a worktree, and on a branch of its own root."""
    git(project, "remote", "add", "upstream", "https://example.org/other/origin.git")
    git(project, "remote", "add", "origin", "https://me:secret@example.org/a/b.git")
    clone = Path(shutil.copytree(project, tmp_path / "clone"))
    git(clone, "config", "url.git@example.org:.insteadOf", "short:")
    git(clone, "config", "remote.origin.url", "short:a/b")
    git(clone, "worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    git(clone, "checkout", "-q", "--orphan", "gh-pages")
    git(clone, "commit", "-q", "-m", "Pages", date="2099-01-01T00:00:00Z")
    keys = project_keys(str(project))
    assert len(keys) == len(set(keys)) == 2
    assert all(len(key) == 32 and int(key, 16) for key in keys)
    assert project_keys(str(clone)) == project_keys(str(tmp_path / "tree")) == keys
    assert project_key(str(clone)) == keys[0]
    assert has_remote(str(clone), "ssh://git@example.org/a/b")
    assert not has_remote(str(clone), "git@example.org:a/c")


def test_a_shallow_clone_is_known_by_its_remote_alone(project: Path, tmp_path: Path) -> None:
    git(project, "commit", "-q", "--allow-empty", "-m", "Second")
    git(project, "config", "remote.origin.url", "git@example.org:a/b.git")
    git(project, "clone", "-q", "--bare", "--depth=1", project.as_uri(), str(tmp_path / "shallow"))
    shallow = tmp_path / "shallow"
    assert project_keys(str(shallow)) == ()
    git(shallow, "config", "remote.origin.url", "https://example.org/a/b")
    assert project_keys(str(shallow)) == project_keys(str(project))[1:]


def test_a_merged_history_does_not_change_the_key(project: Path) -> None:
    before = project_key(str(project))
    git(project, "checkout", "-q", "--orphan", "library")
    git(project, "commit", "-q", "-m", "Older", date="2001-01-01T00:00:00Z")
    git(project, "checkout", "-q", "main")
    git(project, "merge", "-q", "--allow-unrelated-histories", "-m", "Take it in", "library")
    assert project_keys(str(project)) == (before,)


def test_without_git_only_a_name_makes_a_key(tmp_path: Path, project: Path) -> None:
    inner = project / "packages"
    inner.mkdir()
    assert project_keys(str(tmp_path)) == project_keys(str(inner)) == ()
    assert project_key(str(tmp_path)) == ""
    assert named_key(" Notes") == named_key("notes") != named_key("note")


def test_an_address_is_shown_without_its_password() -> None:
    shown = without_secrets("fatal: 'https://me:s3cret@example.org/a' and ssh://git@example.org/b")
    assert shown == "fatal: 'https://example.org/a' and ssh://example.org/b"
