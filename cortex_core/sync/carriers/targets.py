"""Which carrier a target means, as a user writes it."""

from pathlib import Path
from typing import Literal, NamedTuple

from cortex_core.base.errors import UsageError
from cortex_core.base.identity import GIT_HOSTS, SCP, has_remote, normalised, without_secrets
from cortex_core.sync.carriers.folder import FolderCarrier
from cortex_core.sync.carriers.git import GitCarrier
from cortex_core.sync.carriers.protocol import Carrier
from cortex_core.sync.carriers.ssh import SshCarrier

Kind = Literal["git", "ssh", "folder"]

_PREFIXES: dict[str, Kind] = {"git+": "git", "ssh:": "ssh", "folder:": "folder"}


class Target(NamedTuple):
    """Where the files of machines are kept."""

    kind: Kind
    address: str
    """The repository's address, `host:folder`, or an absolute path."""

    @property
    def is_hosted(self) -> bool:
        """Whether it is a repository on a host, where others may read; so files are encrypted."""
        return self.kind == "git" and not Path(self.address).is_absolute()

    @property
    def shown(self) -> str:
        """The address without a password in it."""
        return without_secrets(self.address)


def target_of(text: str) -> Target:
    """What `text` means.

    An address (`https://…`, `ssh://…`, `git@host:path.git`) or a bare repository on this machine
    is git; `host:folder`, as scp and rsync write it, is a folder reached by ssh; any other path is
    a folder. A prefix decides where this is wrong: `git+host:path`, `ssh:git@host:folder`,
    `folder:notes.git`.

    Example:
        >>> target_of("git@example.org:me/memory.git").kind, target_of("box:cortex").kind
        ('git', 'ssh')

    Raises:
        UsageError: it means nothing, or would be taken for an option by git or ssh.
    """
    text = text.strip()
    for prefix, kind in _PREFIXES.items():
        if text.startswith(prefix) and not text.startswith("ssh://"):
            return _checked(kind, text.removeprefix(prefix))
    return _checked(_guessed(text), text)


def carrier_of(target: Target, cache: Path, machine: str) -> Carrier:
    """The carrier to `target`.

    Args:
        cache: a folder for what is fetched, which the carrier makes if it needs it.
        machine: the id of this machine.
    """
    if target.kind == "git":
        return GitCarrier(target.address, cache, machine)
    at = target.address
    return SshCarrier(*_ssh_parts(at)) if target.kind == "ssh" else FolderCarrier(Path(at))


def refuse_code_repository(target: Target, root: str | None) -> None:
    """Refuse the repository that the project at `root` pushes its code to: others read it.

    Raises:
        UsageError: `target` is that repository.
    """
    if root is not None and target.kind == "git" and has_remote(root, target.address):
        raise UsageError(
            f"{target.shown} is the repository of the project itself: everyone who can read the "
            "code would get your memories. Nothing was added. Make a private repository for them."
        )


def _guessed(text: str) -> Kind:
    if "://" in text:
        return "git"
    scp = SCP.fullmatch(text)
    if scp:
        login, host = scp["login"], normalised(f"{scp['login']}:x").partition("/")[0]
        is_git = login.startswith("git@") or scp["path"].endswith(".git") or host in GIT_HOSTS
        return "git" if is_git else "ssh"
    path = Path(text).expanduser()
    if (path / ".git").exists():
        raise UsageError(
            f"{text} is a project with a work tree. Nothing was added. Name a bare repository "
            f"(git init --bare), or write folder:{text} for files in a folder of it."
        )
    is_bare = all((path / name).exists() for name in ("HEAD", "objects", "refs"))
    return "git" if is_bare else "folder"


def _checked(kind: Kind, address: str) -> Target:
    """The target, if `address` can be one of its kind."""
    if not address or address.startswith("-") or not address.isprintable():
        raise _refused(address, "it is empty, begins with a hyphen, or cannot be printed")
    if kind == "ssh":
        host, folder = _ssh_parts(address)
        if not host or not folder or host.startswith("-"):
            raise _refused(address, "ssh needs host:folder")
        return Target(kind, address)
    if kind == "git" and ("://" in address or SCP.fullmatch(address)):
        return Target(kind, address)
    if "::" in address and address.partition("::")[0].isalnum():
        raise _refused(address, "helpers of git are not run")
    return Target(kind, str(Path(address).expanduser().absolute()))


def _ssh_parts(address: str) -> tuple[str, str]:
    """Host, as ssh takes it, and folder; both empty where it has not both."""
    found = SCP.fullmatch(address)
    host = found["login"].replace("[", "").replace("]", "") if found else ""
    return (host, found["path"]) if found else ("", "")


def _refused(address: str, why: str) -> UsageError:
    return UsageError(
        f"{without_secrets(address)!r} is no place for files: {why}. Nothing was added. Give the "
        "address of a git repository, host:folder for ssh, or the path of a folder."
    )
