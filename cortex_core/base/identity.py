"""By what a project is known on every machine: its first commit and the address of its remote."""

import os
import re
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote, urlsplit

from cortex_core.base.git import output
from cortex_core.base.project import repository

PATIENCE = 10.0
"""Seconds that git may take to walk a history to its first commit."""

GLOBAL = "global"
"""The key of the global store."""

SCP = re.compile(
    r"(?P<login>(?:[^@/:\s\[\]]+@)?(?P<host>\[[^\]/\s]+\]|[^/:\s\[\]]{2,})):(?!:)(?P<path>.*)"
)
"""`user@host:path`: a host of one letter is a drive of Windows, an address of IPv6 is in brackets,
and `x::y` a helper of git."""

_SECRET = re.compile(r"(?<=://)[^/@\s]*@")

_SAME_HOST = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
"""Names under which a host offers ssh on the port of HTTPS."""

GIT_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
"""Hosts that everybody has access to, and where case makes no difference."""

_ONLY_HERE = frozenset({"", "localhost", "127.0.0.1", "::1"})


def project_keys(root: str) -> tuple[str, ...]:
    """All keys of the project at `root`, the best first; two projects with a common one are one.

    The first commit is best, because it stays when a remote is renamed; a fork has the same. A
    shallow clone does not have it and is known by its remote alone. No path is part of a key.
    """
    git = repository(root)
    if git is None:
        return ()
    first = _first_commit(git)
    remote = normalised(next(iter(_remotes(git)), ""))
    found = (f"root:{first}" if first else "", f"remote:{remote}" if remote else "")
    return tuple(_digest(text) for text in found if text)


def are_unlike(origins: Collection[str], others: Collection[str]) -> bool:
    """Whether two projects of one first commit are a fork, or made from one template: both have an
    origin, and none in common."""
    return bool(origins and others) and set(origins).isdisjoint(others)


def named_key(name: str) -> str:
    """The key of a project that a user named by hand; letters' case and outer space do not count.

    Example:
        >>> named_key("Notes ") == named_key("notes")
        True
    """
    return _digest(f"name:{name.strip().casefold()}")


def has_remote(root: str, address: str) -> bool:
    """Whether the repository at `address` is one of those that the project at `root` pushes to."""
    git = repository(root)
    if git is None:
        return False
    wanted = {_comparable(address)}
    return not wanted.isdisjoint(_comparable(known) for known in (*_remotes(git), git, root))


def normalised(address: str) -> str:
    """`host/path` of a remote's address; empty where it is known on this machine only.

    Scheme, port, user and password are left out: one repository has addresses of several kinds.

    Example:
        >>> normalised("https://user:token@GitHub.com/a/b/"), normalised("git@github.com:a/b.git")
        ('github.com/a/b', 'github.com/a/b')
    """
    host, path = _parted(address.strip())
    host = _SAME_HOST.get(host, host)
    path = "/".join(part for part in unquote(path).split("/") if part not in ("", "."))
    path = path.removesuffix(".git").rstrip("/")
    named = f"{host}/{path.lower() if host in GIT_HOSTS else path}"
    return "" if host in _ONLY_HERE or not path else named


def without_secrets(text: str) -> str:
    """`text` without the user and password in front of the host of any address in it."""
    return _SECRET.sub("", text)


def _parted(address: str) -> tuple[str, str]:
    """Host in small letters, and path, of an address; no host in that of a folder."""
    if "://" in address:
        try:
            found = urlsplit(address)
            host = found.hostname or ""
        except ValueError:
            return "", ""
        return ("", "") if found.scheme == "file" else (host.lower(), found.path)
    scp = SCP.fullmatch(address)
    return (scp["host"].strip("[]").lower(), scp["path"]) if scp else ("", "")


def _comparable(address: str) -> str:
    local = Path(address.removeprefix("file://"))
    return normalised(address) or os.path.realpath(local.expanduser())


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _first_commit(git: str) -> str:
    """The commit that the project began with, whichever branch is checked out.

    Of merged histories the own one counts, hence first parents only; of several branches the
    oldest beginning, so that an orphan branch (`gh-pages`) changes nothing.
    """
    if Path(git, "shallow").exists():
        return ""
    listed = _git(
        git,
        "log",
        "--first-parent",
        "--max-parents=0",
        "--no-show-signature",
        "--format=%ct %H",
        "--branches=mai[n]",
        "--branches=maste[r]",
        "--remotes=origin/HEA[D]",
        "HEAD",
    )
    begun = [line.split() for line in listed.splitlines()]
    return min(((int(time), commit) for time, commit in begun), default=(0, ""))[1]


def _remotes(git: str) -> list[str]:
    """The addresses of the remotes as git resolves them, `origin` first, then as configured."""
    listed = _git(git, "config", "-z", "--get-regexp", r"^(remote\..*\.url|url\..*\.insteadof)$")
    pairs = [entry.partition("\n")[::2] for entry in listed.split("\0") if entry]
    short = [
        (value, name[len("url.") : -len(".insteadof")])
        for name, value in pairs
        if name.startswith("url.")
    ]
    found = [
        (name != "remote.origin.url", _full(value, short))
        for name, value in pairs
        if name.startswith("remote.")
    ]
    return [address for _, address in sorted(found, key=lambda pair: pair[0])]


def _full(address: str, short: list[tuple[str, str]]) -> str:
    """`address` with its abbreviation (`url.….insteadOf`) written out, the longest that fits."""
    fitting = [(len(begin), begin, full) for begin, full in short if address.startswith(begin)]
    if not fitting:
        return address
    _, begin, full = max(fitting)
    return full + address[len(begin) :]


def _git(git: str, *words: str) -> str:
    """What git prints about the repository whose git folder is `git`; empty where it fails."""
    return os.fsdecode(output(git, f"--git-dir={git}", *words, patience=PATIENCE) or b"")
