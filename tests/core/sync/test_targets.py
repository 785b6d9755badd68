"""A target is recognised as its user means it, and no option or helper is smuggled in."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cortex_core.base.errors import UsageError
from cortex_core.sync.carriers.folder import FolderCarrier
from cortex_core.sync.carriers.git import GitCarrier
from cortex_core.sync.carriers.ssh import SshCarrier
from cortex_core.sync.carriers.targets import (
    Target,
    carrier_of,
    refuse_code_repository,
    target_of,
)


@pytest.mark.parametrize(
    ("text", "kind", "address"),
    [
        ("https://me:token@example.org/a", "git", "https://me:token@example.org/a"),
        ("ssh://git@example.org:22/a", "git", "ssh://git@example.org:22/a"),
        ("git@example.org:a/b", "git", "git@example.org:a/b"),
        ("me@example.org:a/b.git", "git", "me@example.org:a/b.git"),
        ("github.com:a/b", "git", "github.com:a/b"),
        (" box:cortex ", "ssh", "box:cortex"),
        ("me@box:~/it is", "ssh", "me@box:~/it is"),
        ("me@[::1]:/srv/cortex", "ssh", "me@[::1]:/srv/cortex"),
        ("git+box:cortex", "git", "box:cortex"),
        ("ssh:git@box:cortex", "ssh", "git@box:cortex"),
        ("/srv/cortex", "folder", "/srv/cortex"),
        ("folder:/srv/x.git", "folder", "/srv/x.git"),
        ("git+/srv/x", "git", "/srv/x"),
        ("./a:b", "folder", "{here}/a:b"),
        ("~/c", "folder", "{home}/c"),
    ],
)
def test_targets(text: str, kind: str, address: str, scratch_home: Path) -> None:
    address = address.format(here=Path.cwd(), home=scratch_home)
    assert target_of(text) == Target(kind, address)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "--upload-pack=id",
        "git+-x",
        "ssh:-oProxyCommand=id:x",
        "ssh:box",
        "box:",
        "a\nb",
        "git+ext::sh -c id",
        "folder:",
    ],
)
def test_what_means_nothing_or_something_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="Nothing was added"):
        target_of(text)


def test_each_kind_has_its_carrier(tmp_path: Path) -> None:
    made = {
        text: type(carrier_of(target_of(text), tmp_path / "cache", "one"))
        for text in ("https://example.org/a", "box:cortex", str(tmp_path))
    }
    assert list(made.values()) == [GitCarrier, SshCarrier, FolderCarrier]
    assert not (tmp_path / "cache").exists()


def test_what_others_may_read_is_known(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    assert target_of(str(bare)).kind == "git"
    assert not target_of(str(bare)).is_hosted
    hosted = target_of("https://me:token@example.org/a")
    assert hosted.is_hosted
    assert hosted.shown == "https://example.org/a"
    assert not target_of("box:cortex").is_hosted


def test_the_repository_of_the_code_is_refused(project: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="work tree"):
        target_of(str(project))
    address = "git@example.org:team/tool.git"
    subprocess.run(["git", "remote", "add", "origin", address], cwd=project, check=True)
    with pytest.raises(UsageError, match="everyone who can read the code"):
        refuse_code_repository(target_of("https://example.org/team/tool"), str(project))
    with pytest.raises(UsageError, match="everyone who can read the code"):
        refuse_code_repository(target_of(f"git+{project}"), str(project))
    refuse_code_repository(target_of("https://example.org/me/memory"), str(project))
    refuse_code_repository(target_of("box:tool"), str(project))
    refuse_code_repository(target_of(address), None)
