"""A carrier that is a git repository: a branch for each machine, in a bare cache without files."""

import os
import shlex
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha1
from pathlib import Path

from cortex_core.base import git, hook_io
from cortex_core.base.errors import DivergedIdentity, SyncError
from cortex_core.base.identity import without_secrets
from cortex_core.sync.carriers.processes import PATIENCE, SSH_OPTIONS, ProcessResult, run, running
from cortex_core.sync.carriers.protocol import (
    MOST_BYTES,
    checked,
    is_carried,
    is_entry,
    is_shared,
)

BRANCHES = "refs/heads/cortex/"
"""Where the branches are at the other end; no other one is read or written."""

SHARED = "key"
"""The branch of what all machines share."""

_SEEN = "refs/cortex/"
"""In the cache: the branches as they were at the last fetch."""

_OWN = "refs/own/"
"""In the cache: this machine's branch as it is to be, ahead of the other end until it is pushed."""

_KEPT = "refs/kept/key"
"""In the cache: the shared files, for a repository that was made again."""

_DROPPED = "refs/dropped/"
"""In the cache: what the own branch was before its past was forgotten, until that is pushed."""

_UNFINISHED = "refs/unfinished"

_AUTHOR = "cortex <cortex@localhost>"

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "push.gpgSign=false",
    "push.followTags=false",
    "push.recurseSubmodules=no",
    "protocol.ext.allow=never",
    "fastimport.unpackLimit=100",
)


class GitCarrier:
    """Carries files through the branches `cortex/<machine>` of the repository at `url`.

    Nobody pushes to the branch of another machine. Commits have no name, address or message of the
    user; no hook, signature or filter of theirs runs.
    """

    def __init__(self, url: str, cache: Path, machine: str) -> None:
        """Use `cache`, a folder that is made at the first fetch, for what was fetched.

        Args:
            machine: the id of this machine, which names its branch.
        """
        self._url = url
        self._cache = cache
        self._machine = machine
        self._environment: dict[str, str] = {}

    def prepare(self) -> None:
        """See that the repository can be reached; branches come with the first files."""
        self.fetch()

    def fetch(self) -> None:
        """Fetch all machines' branches; what others made unreachable is removed here too."""
        self._make_cache()
        # The locks of a git that a power cut ended: none runs for so long.
        for lock in (*self._cache.glob("*.lock"), *(self._cache / "refs").rglob("*.lock")):
            with suppress(FileNotFoundError):
                if lock.stat().st_mtime < time.time() - 2 * PATIENCE:
                    lock.unlink()
        before = self._tips(_SEEN)
        self._must(
            "fetch",
            "--prune",
            "--no-tags",
            "--no-write-fetch-head",
            "--quiet",
            "--",
            self._url,
            f"+{BRANCHES}*:{_SEEN}*",
        )
        after = self._tips(_SEEN)
        if SHARED in after:
            self._set({_KEPT: after[SHARED]})
        moved = [name for name, tip in before.items() if after.get(name, tip) != tip]
        if any(not self._leads_to(before[name], after[name]) for name in moved):
            self._git("gc", "--prune=now", "--quiet")

    def other_branches(self) -> list[str]:
        """Branches at the other end that are none of Cortex's: it is used for something else."""
        listed = self._must("ls-remote", "--heads", "--", self._url).splitlines()
        names = [line.partition(b"\t")[2] for line in listed]
        return [
            os.fsdecode(name).removeprefix("refs/heads/")
            for name in names
            if not name.startswith(BRANCHES.encode())
        ]

    def names(self) -> list[str]:
        """Every file of every branch, sorted."""
        return sorted(self._all_files())

    def read(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The files of these names, by one process."""
        known = self._all_files()
        wanted = [(name, known[name]) for name in names if name in known]
        asked = "".join(f"{blob}\n" for _, blob in wanted).encode()
        with running(self._words("cat-file", "--batch"), asked, self._env()) as found:
            for name, _ in wanted:
                header = found.output.readline().split()
                if len(header) != 3:
                    raise self._failed("its cache is damaged", "Remove that folder, and run again")
                yield name, found.output.read(int(header[2]))
                found.output.read(1)

    def publish(self, put: Mapping[str, bytes], remove: Collection[str] = ()) -> None:
        """Commit to the branch of this machine, and push it."""
        checked(put, remove)
        self._make_cache()
        kept = self._tips(_KEPT, whole=True).get(_KEPT, "")
        # The repository was made again without the shared files.
        if kept and SHARED not in self._tips(_SEEN) and not self._send(SHARED, kept, "").status:
            self._set({_SEEN + SHARED: kept})
        own = {name: data for name, data in put.items() if is_entry(name)}
        self._commit(self._machine, own, [name for name in remove if is_entry(name)])
        self._push(self._machine)
        for name, data in put.items():
            if is_shared(name):
                self._replace_shared(name, data)

    def claim(self, name: str, data: bytes) -> bool:
        """Push the branch of shared files, which the other end refuses where there is one."""
        checked({name: data})
        self._make_cache()
        if SHARED in self._tips(_SEEN):
            return False
        commit = self._new_commit({name: data}, "")
        done = self._send(SHARED, commit, "")
        if _is_refused(done):
            return False
        self._demand(done, "Nothing was changed")
        self._set({_SEEN + SHARED: commit, _KEPT: commit})
        return True

    def forget_past(self) -> str:
        """Let the own branch be one commit, and remove the old ones from the cache."""
        self._make_cache()
        own, seen = self._own_and_seen(self._machine)
        if own:
            alone = os.fsdecode(
                self._must("commit-tree", "-m", "Cortex", f"{own}^{{tree}}")
            ).strip()
            self._set(
                {_DROPPED + self._machine: seen, _OWN + self._machine: alone, _UNFINISHED: ""}
            )
            self._push(self._machine)
        self._git("gc", "--prune=now", "--quiet")
        return (
            "The branch has no past any more, but a git host keeps unreachable commits for a "
            "time and shows them to whoever knows their hash. To remove them at once, delete the "
            "repository there, make it again and run: cortex sync"
        )

    # --- branches

    def _own_and_seen(self, branch: str) -> tuple[str, str]:
        """What the branch is to be here, and what it was at the other end at the last fetch.

        Without an own one, as in a new cache, that of the other end is taken over.

        Raises:
            DivergedIdentity: the other end has commits that were not made here.
        """
        tips = self._tips("refs/")
        own, seen = tips.get(f"own/{branch}", ""), tips.get(f"cortex/{branch}", "")
        if seen in ("", own, tips.get(f"dropped/{branch}")):
            return own, seen
        if own and not self._leads_to(seen, own):
            raise DivergedIdentity(
                f"Another machine writes to {without_secrets(self._url)} under the id of this one "
                f"({self._machine}): its folders were copied, or restored from a backup. Nothing "
                "was sent. It gets an id of its own when you run: cortex sync"
            )
        return own or seen, seen

    def _commit(self, branch: str, put: Mapping[str, bytes], remove: Iterable[str]) -> None:
        """Move the own branch on by one commit, unless it has all that already."""
        own, _ = self._own_and_seen(branch)
        there = self._files(own)
        named = {
            # The name that git gives to a file with this content.
            name: sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
            for name, data in put.items()
        }
        new = {
            name: put[name]
            for name, hash_ in named.items()
            if name not in there or there[name] != hash_
        }
        gone = [name for name in remove if name in there]
        if new or gone:
            own = self._new_commit(new, own, gone)
        if own:
            self._set({_OWN + branch: own})

    def _push(self, branch: str) -> None:
        """Let the other end have the own branch, unless it has."""
        own, seen = self._own_and_seen(branch)
        if own == seen:
            return
        done = self._send(branch, own, seen)
        if _is_refused(done):
            self.fetch()
            own, seen = self._own_and_seen(branch)
            done = self._send(branch, own, seen) if own != seen else done._replace(status=0)
        self._demand(done, "What is new here is sent next time")
        self._set({_SEEN + branch: own, _DROPPED + branch: ""})

    def _replace_shared(self, name: str, data: bytes) -> None:
        """Write a shared file; its branch has one commit, so that the old one is not kept."""
        seen = self._tips(_SEEN).get(SHARED, "")
        others = {other: blob for other, blob in self._files(seen).items() if other != name}
        kept = {other: data for other, data in self.read(others) if other in others}
        commit = self._new_commit({**kept, name: data}, "")
        done = self._send(SHARED, commit, seen)
        if _is_refused(done):
            raise self._failed(
                "another machine changed what all share at the same time",
                "Nothing was changed there. Run it again",
            )
        self._demand(done, "Nothing was changed there")
        self._set({_SEEN + SHARED: commit, _KEPT: commit})

    def _send(self, branch: str, commit: str, expected: str) -> ProcessResult:
        """Push `commit`, if the branch at the other end is `expected` (empty: not there)."""
        target = BRANCHES + branch
        lease = f"--force-with-lease={target}:{expected}"
        return self._git(
            "push", "--quiet", "--no-verify", lease, "--", self._url, f"{commit}:{target}"
        )

    # --- objects

    def _all_files(self) -> dict[str, str]:
        """The hashes of the files of all branches; the shared ones of their own branch only."""
        self._make_cache()
        found: dict[str, str] = {}
        for branch, tip in sorted(self._tips(_SEEN).items()):
            belongs = is_shared if branch == SHARED else is_entry
            files = self._files(tip).items()
            found |= {name: blob for name, blob in files if belongs(name) and name not in found}
        return found

    def _files(self, commit: str) -> dict[str, str]:
        """The hashes of a commit's files; links, programs' modes and foreign names are left out."""
        if not commit:
            return {}
        listed = self._must("ls-tree", "-r", "-l", "-z", "--full-tree", commit)
        found = {}
        for line in os.fsdecode(listed).split("\0"):
            about, _, name = line.partition("\t")
            mode, kind, blob, size = about.split() if name else ("", "", "", "0")
            if kind == "blob" and mode == "100644" and is_carried(name) and int(size) <= MOST_BYTES:
                found[name] = blob
        return found

    def _new_commit(self, put: Mapping[str, bytes], before: str, gone: Iterable[str] = ()) -> str:
        """A commit with these files after `before`, made by one process."""
        # Without the user's time zone, which is nobody's business at the other end.
        when = f"{int(time.time())} +0000"
        about = f"commit {_UNFINISHED}\ncommitter {_AUTHOR} {when}\ndata 6\nCortex\n"
        parts = [about.encode(), f"from {before}\n".encode() if before else b""]
        parts += [f"D {name}\n".encode() for name in gone]
        for name, data in sorted(put.items()):
            parts += [f"M 100644 inline {name}\ndata {len(data)}\n".encode(), data, b"\n"]
        self._set({_UNFINISHED: ""})
        self._must(
            "fast-import", "--quiet", "--force", "--done", data=b"".join([*parts, b"done\n"])
        )
        return self._tips(_UNFINISHED, whole=True)[_UNFINISHED]

    def _tips(self, prefix: str, *, whole: bool = False) -> dict[str, str]:
        """The commits of the references below `prefix`, by the rest of their names."""
        listed = self._must("for-each-ref", "--format=%(objectname) %(refname)", prefix)
        pairs = (line.split(" ", 1) for line in os.fsdecode(listed).splitlines())
        return {name if whole else name.removeprefix(prefix): tip for tip, name in pairs}

    def _set(self, tips: Mapping[str, str]) -> None:
        """Let references be these commits, or be gone where there is none, all at once."""
        lines = [
            f"update {name} {tip}\n" if tip else f"delete {name}\n" for name, tip in tips.items()
        ]
        self._must("update-ref", "--stdin", data="".join(lines).encode())

    def _leads_to(self, old: str, new: str) -> bool:
        return self._git("merge-base", "--is-ancestor", old, new).status == 0

    # --- running git

    def _make_cache(self) -> None:
        if (self._cache / "HEAD").exists():
            return
        try:
            hook_io.private_folder(str(self._cache))
        except OSError as error:
            raise self._failed(f"{self._cache}: {error.strerror}", "Nothing was changed") from error
        self._must("init", "--bare", "--quiet", "--template=", "--", str(self._cache))

    def _must(self, *words: str, data: bytes = b"") -> bytes:
        """What git prints, where it succeeds and nothing was changed if it does not."""
        done = self._git(*words, data=data)
        self._demand(done, "Nothing was changed")
        return done.output

    def _git(self, *words: str, data: bytes = b"") -> ProcessResult:
        try:
            return run(self._words(*words), data, self._env())
        except OSError as error:
            raise SyncError(
                f"git cannot be run: {error.strerror}. Nothing was changed. Install git, or let "
                "a folder or ssh carry the files."
            ) from error

    def _words(self, *words: str) -> list[str]:
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        return ["git", f"--git-dir={self._cache}", *settings, *words]

    def _env(self) -> Mapping[str, str]:
        """The environment of git: as the user's, but nothing may ask a question."""
        if not self._environment:
            clean = git.environment()
            asked = self._words("config", "--get", "core.sshCommand")
            # How the user lets git call ssh.
            ssh = (
                clean.get("GIT_SSH_COMMAND")
                or os.fsdecode(run(asked, env=clean).output).strip()
                or shlex.quote(clean.get("GIT_SSH") or "ssh")
            )
            self._environment = {
                **clean,
                "LC_ALL": "C",
                "GIT_TERMINAL_PROMPT": "0",
                "GIT_ASKPASS": "true",
                "SSH_ASKPASS": "true",
                "SSH_ASKPASS_REQUIRE": "never",
                "GIT_NO_REPLACE_OBJECTS": "1",
                # Commits have no name, address or time zone of the user.
                "GIT_AUTHOR_NAME": "cortex",
                "GIT_AUTHOR_EMAIL": "cortex@localhost",
                "GIT_COMMITTER_NAME": "cortex",
                "GIT_COMMITTER_EMAIL": "cortex@localhost",
                "GIT_AUTHOR_DATE": "",
                "GIT_COMMITTER_DATE": "",
                "TZ": "UTC",
                "GCM_INTERACTIVE": "never",
                "GIT_SSH_COMMAND": f"{ssh} {shlex.join(SSH_OPTIONS)}",
            }
        return self._environment

    # --- what went wrong

    def _demand(self, done: ProcessResult, unchanged: str) -> None:
        if done.status:
            raise self._failed(
                done.reason,
                f"{unchanged}. See that `git ls-remote` of it works "
                "without a question, then try again",
            )

    def _failed(self, reason: str, then: str) -> SyncError:
        shown, why = without_secrets(self._url), without_secrets(reason).rstrip(".")
        return SyncError(f"The repository {shown} cannot be used: {why}. {then}.")


def _is_refused(done: ProcessResult) -> bool:
    """Whether a push was refused because the branch is not what was expected."""
    words = ("stale info", "fetch first", "non-fast-forward", "already exists", "cannot lock ref")
    return done.status != 0 and any(word in done.errors for word in words)
