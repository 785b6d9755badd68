"""What a call of git does: which branches a push goes to, which paths a commit is made of."""

import os
import posixpath
from collections.abc import Iterator, Sequence

from cortex_core.base import globs, hook_io
from cortex_core.language import shell

UNKNOWN = "?"
"""A branch that the line does not show."""

EVERY = "*"
"""All branches, as `git push --all` sends them."""

_VALUED = frozenset("-C -c --git-dir --work-tree --namespace".split())
_VALUED_OF_PUSH = frozenset("-o --push-option --repo --receive-pack --exec --prefix -P".split())
_VALUED_OF_COMMIT = frozenset(
    "-m --message -F --file -C -c --author --date -t --template --fixup --squash --trailer".split()
)


def parts(words: Sequence[str]) -> tuple[str, list[str], str]:
    """The subcommand, what follows it, and the folder that `-C` names; empty for what is not there.

    Args:
        words: from `git` on.
    """
    folder, place = "", 1
    while place < len(words) and words[place].startswith("-"):
        folder = "".join(words[place + 1 : place + 2]) if words[place] == "-C" else folder
        place += 2 if words[place] in _VALUED else 1
    place += list(words[place : place + 2]) in (["lfs", "push"], ["subtree", "push"])
    return "".join(words[place : place + 1]), list(words[place + 1 :]), folder


def pushes(words: Sequence[str], checked_out: str) -> Iterator[str]:
    """The branches that a `git push` goes to, with `+` in front where it is forced.

    Args:
        words: what follows `push`.
        checked_out: the branch that a push without a branch goes to; empty if it is not known.
    """
    options, named = _sorted_out(words, _VALUED_OF_PUSH)
    if any(one in ("-n", "--dry-run", "-h", "--help") for one in options):
        return
    is_forced = "--mirror" in options or any(
        one.startswith("--force") or (one[1:2] != "-" and "f" in one) for one in options
    )
    forced = "+" if is_forced else ""
    refs = named[1:]
    if any(one in ("--all", "--branches", "--mirror") for one in options):
        yield forced + EVERY
        return
    if (not refs and "--tags" in options) or refs[:1] == ["tag"]:
        return
    # Without a ref the branch that is checked out goes; `a:b` goes to b, and `:b` removes it.
    for ref in refs or [""]:
        plus = "+" if ref.startswith("+") else forced
        name = ref.lstrip("+").rpartition(":")[2].removeprefix("refs/heads/")
        if ref.lstrip("+") == ":":
            yield plus + EVERY
        elif not name.startswith("refs/"):
            name = checked_out if name in ("", "HEAD", "@") else name
            yield plus + (UNKNOWN if not name or "$" in name or "`" in name else name)


def staged(subcommand: str, words: Sequence[str]) -> list[str]:
    """The paths that an `add` or a `commit` takes; `.` for all that has changed."""
    if subcommand not in ("add", "stage", "commit"):
        return []
    is_commit = subcommand == "commit"
    options, named = _sorted_out(words, _VALUED_OF_COMMIT if is_commit else frozenset())
    if any(one in ("-n", "--dry-run") for one in options) and not is_commit:
        return []
    takes_all = any(
        one in ("-A", "--all", "-a", "--no-ignore-removal")
        or (is_commit and one[1:2] != "-" and "a" in one.partition("m")[0])
        for one in options
    )
    return [*(["."] if takes_all else []), *named]


def _sorted_out(words: Sequence[str], valued: frozenset[str]) -> tuple[list[str], list[str]]:
    """The options among the words, without their values, and the other words."""
    options: list[str] = []
    named: list[str] = []
    is_value = is_behind = False
    for word in words:
        if is_value:
            is_value = False
        elif is_behind or not word.startswith("-") or word == "-":
            named.append(word)
        elif word == "--":
            is_behind = True
        else:
            options.append(word)
            # `-am x` takes the word behind it too.
            is_value = word in valued or (word[1:2] != "-" and f"-{word[-1:]}" in valued)
    return options, named


def moves_to(subcommand: str, words: Sequence[str]) -> str:
    """The branch that a `checkout` or a `switch` moves to; empty for none."""
    if subcommand not in ("checkout", "switch") or "--" in words:
        return ""
    made = shell.option(tuple(words), "-b", "-B", "-c", "-C")
    return next(iter((*made, *(word for word in words if not word.startswith("-")))), "")


def would_stage(top: str, folder: str, pattern: str) -> bool:
    """Whether a file that a glob means lies in a folder of which all is staged, and is not ignored.

    Args:
        top: the project's top, absolute.
        folder: relative to it, or absolute.
        pattern: looked for as it is, and among what lies in the folder itself.
    """
    full = posixpath.normpath(posixpath.join(top, folder))
    if not top or not os.path.isdir(full):
        return False
    names = [posixpath.join(full, name) for name in os.listdir(full)]
    named = posixpath.join(top, pattern)
    names += [named] if named.startswith(f"{full}/") and os.path.lexists(named) else []
    found = [one[len(top) :].lstrip("/") for one in names]
    ignored = hook_io.read(os.path.join(top, ".gitignore"), 1 << 16)
    return any(
        globs.matches(one, pattern)
        and not any(
            globs.matches(one, line) for line in ignored.splitlines() if line[:1] not in "#!"
        )
        for one in found
    )
