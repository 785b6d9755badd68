"""Which project a folder belongs to, and where its files are.

No other module answers these questions. The hooks load it: standard library only.
"""

from __future__ import annotations

import os
import sys

from cortex_core.base import hook_io, trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from cortex_core.records.memory import Scope


def user_folder() -> str:
    """The folder of the user that the global side is in: the one of Claude Code's settings."""
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(user_home(), ".claude")


def user_home() -> str:
    """The home folder of the user."""
    return os.path.expanduser("~")


FOLDER = ".memory"
"""The folder of a project's own store, at its root."""

SURFACE_FILE = ".claude/cortex-memory.local.md"
"""The file that users and CLAUDE.md imports read, relative to the project's root."""

TEAMS = "teams"
"""The folder of the global side with a folder for each project that joined a team."""

REMOTES = os.path.join("sync", "remotes.json")
"""The file of the global side with the remotes through which one's machines exchange memories."""

PAUSED = "paused"
"""The file in the data folder that exists while capture is paused."""


OF_OTHERS = (
    "Cortex did not make it on this disk, so nothing of it was read or changed. If you know what "
    "is in it: cortex trust. If not, move it away."
)
"""What is said where a `.memory` is not believed."""


class Project:
    """The paths of one project. Read it, do not change it."""

    def __init__(self, root: str | None, home: str, cwd: str, branch: str = "") -> None:
        self.root = root
        """The project's folder; None where only the global side is used."""
        self.home = home
        """The global side's folder."""
        self.cwd = cwd
        """Where the work happens: the root, a folder below it, or a worktree of it."""
        self.branch = _readable(branch)
        """The branch checked out in `cwd`; empty without git or on no branch."""
        self.data = home
        """The folder of settings, spool and log: below the root, or the global side without one, or
        where that one is not believed."""
        self.note = self.doubt = ""
        """The file of the global side that says what of the root's `.memory` is this user's own,
        and why that is not believed, in words; nothing of it is read then."""
        self.project_db: str | None = None
        self.surface_file: str | None = None
        if root is not None:
            # What came with a clone is not this user's memory.
            own = os.path.join(root, FOLDER)
            self.note, self.doubt = trust.look(own, home)
            if not self.doubt:
                self.data, self.project_db = own, os.path.join(own, trust.DATABASE)
                self.surface_file = os.path.join(root, *SURFACE_FILE.split("/"))
        self.global_db = os.path.join(home, "cortex-global.db")
        self.name = _readable(os.path.basename(root)) if root else "global"

    @property
    def team_db(self) -> str | None:
        """The replica of what the project's team approved; there only where one was joined."""
        root = self.root
        return None if root is None else os.path.join(self.home, TEAMS, mark(root), "team.db")

    @property
    def remotes_file(self) -> str:
        """The list of this machine's remotes; there only where one was added."""
        return os.path.join(self.home, REMOTES)

    def store_file(self, scope: str) -> str | None:
        """The file of the store of `scope`; None where there can be none."""
        if scope == "team":
            return self.team_db
        return self.project_db if scope == "project" else self.global_db

    def store_files(self) -> Iterator[tuple[Scope, str]]:
        """Scope and file of each store that is read here, the one that wins first.

        The team's is among them only where it exists.
        """
        if self.project_db is not None:
            yield "project", self.project_db
        yield "global", self.global_db
        if (team := self.team_db) is not None and os.path.isfile(team):
            yield "team", team

    def __repr__(self) -> str:
        return f"Project(root={self.root!r}, home={self.home!r}, cwd={self.cwd!r})"


def mark(root: str | None) -> str:
    """By what the global side knows the project at `root`; "" without one.

    Its path could hold what should not be stored, and names the project no better.
    """
    return hook_io.sha256(root)[:16] if root else ""


def _readable(name: str) -> str:
    """`name` with `?` for bytes that are no UTF-8: it is shown and stored, not opened."""
    return name if name.isascii() else name.encode("utf-8", "replace").decode("utf-8")


def find(cwd: str | None = None, explicit: str | None = None, home: str | None = None) -> Project:
    """The project that `cwd` (default: the working directory) belongs to.

    Args:
        explicit: a folder named by the user, always honoured, before CORTEX_PROJECT. It is the
            root itself, or, where it is a worktree, the repository's.
        home: the global side, before CORTEX_HOME and CLAUDE_CONFIG_DIR.
    """
    here = _real(cwd) if cwd else _working_directory()
    user_side = global_side(home)
    named = explicit or os.environ.get("CORTEX_PROJECT")
    root, git = _discover(here)
    if not named:
        return Project(root, user_side, here, _branch(git))
    chosen = _real(named)
    if os.path.isfile(os.path.join(chosen, ".git")):
        chosen = _discover(chosen)[0] or chosen
    if root != chosen:
        git = _git_dir(_real(named)) or _discover(chosen)[1]
        here = here if _inside(here, chosen) else _real(named)
    return Project(chosen, user_side, here, _branch(git))


def archive_next_to(store: str) -> str:
    """The file of the conversations that belong to the store at `store`."""
    folder, name = os.path.split(store)
    return os.path.join(folder, "archive-global.db" if "global" in name else "archive.db")


def global_side(home: str | None = None) -> str:
    """The folder of what belongs to the user and to no project."""
    chosen = home or os.environ.get("CORTEX_HOME") or os.path.join(user_folder(), "memory")
    return os.path.abspath(os.path.expanduser(chosen))


def repository(root: str) -> str | None:
    """The git folder that all worktrees of the project at `root` share; None without git."""
    git = _git_dir(root) or _bare(root) or _bare(os.path.join(root, ".bare"))
    return _common(git) if git else None


def is_tracked(project: Project, name: str) -> bool:
    """Whether git tracks `name` below the project's root, so that a clone or a pull may bring it.

    Read from the index itself: a hook cannot wait for git.
    """
    git = next(filter(None, map(_git_dir, _upwards(project.root or ""))), None)
    try:
        with open(hook_io.opened(os.path.join(git or "", "index")), "rb") as file:
            index = file.read()
    except OSError:
        return False
    # The fourth version leaves out what a path shares with the one before it.
    ending = name.rpartition("/")[2] if index[4:8] == b"\0\0\0\4" else name
    return f"{ending}\0".encode() in index


def is_paused(project: Project) -> bool:
    """Whether capture is paused in `project`, by this user."""
    if project.project_db is None:
        return os.path.exists(os.path.join(project.data, PAUSED))
    is_there = os.path.lexists(os.path.join(project.data, PAUSED))
    return is_there and not trust.strange(project.data, project.note, PAUSED)


def prepare(project: Project) -> None:
    """Make sure that the data folder exists, is private and stays out of commits.

    Cheap if this was done before.

    Raises:
        StoreUnusable: the folder is not this user's own, or cannot be made.
    """
    from cortex_core.base.errors import StoreUnusable

    _private(project, project.data)
    if project.root is None or project.project_db is None:
        return
    # Asked again: a folder may have come with a pull since the project was found.
    if doubt := trust.look(project.data, project.home)[1]:
        raise StoreUnusable(f"{doubt}. {OF_OTHERS}")
    try:
        if not trust.token(project.data, project.note):
            trust.mark(project.data, project.note, project.home)
        hook_io.create(os.path.join(project.data, ".gitignore"), "*\n")
    except OSError:
        pass  # it is there, or the next write says in words why there can be none
    git = _git_dir(project.root) or _bare(project.root)
    if git:
        _exclude(git)


def folder(project: Project, name: str) -> str:
    """The private folder `name` of the project's data, made with mode 0700 where it is missing.

    Raises:
        StoreUnusable: a link leads out of the project (a cloned repository could aim it anywhere),
            or the folder cannot be made.
    """
    if not os.path.isfile(os.path.join(project.data, ".gitignore")):
        prepare(project)
    return _private(project, os.path.join(project.data, name))


def _private(project: Project, path: str) -> str:
    from cortex_core.base.errors import StoreUnusable

    if project.project_db is not None and os.path.islink(path):
        raise StoreUnusable(
            f"{path} is a link to {os.path.realpath(path)}. Nothing was written. Replace it by a "
            "folder."
        )
    try:
        hook_io.private_folder(path)
        if os.name == "posix" and os.stat(path).st_mode & 0o077:
            os.chmod(path, 0o700)
    except OSError as error:
        raise StoreUnusable(
            f"The folder {path} cannot be used: {error.strerror}. Nothing was stored. Make it "
            "writable, or choose another folder with CORTEX_HOME or --project."
        ) from error
    return path


def _working_directory() -> str:
    """The working directory, or its former path if it has been deleted."""
    try:
        return os.path.realpath(os.getcwd())
    except OSError:
        lost = os.environ.get("PWD", "")
        return lost if os.path.isabs(lost) and not os.path.exists(lost) else os.sep


def _real(path: str) -> str:
    return os.path.realpath(os.path.expanduser(path))


def _inside(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or is below it; both are real paths."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _temporary() -> list[str]:
    """The temporary folders of this machine, as `tempfile` would choose them."""
    named = [os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP")]
    if os.name == "posix":
        named += ["/tmp", "/var/tmp"]
    if sys.platform == "win32":
        named.append(os.path.expandvars(r"%SYSTEMROOT%\Temp"))
    folders = [os.path.realpath(name) for name in named if name]
    return [folder for folder in folders if folder != os.path.dirname(folder)]


def _discover(here: str) -> tuple[str | None, str | None]:
    """The root that `here` belongs to, and the git folder that `here` works with."""
    temporary = _temporary()
    never = {os.path.realpath(user_home()), *temporary}
    # A home or temporary folder is never a project, even if it is a repository (dotfiles).
    folders = [at for at in _upwards(here) if at not in never]
    for at in folders:
        git = _git_dir(at)
        # Inside a git folder, the root is that of a bare repository, or of `.git` itself.
        bare = _owner(_common(at)) if not git and _bare(at) else None
        if root := _root(git, at) if git else bare:
            return (at if root in never else root), git or at
    for at in folders:
        if os.path.isdir(os.path.join(at, FOLDER)):
            return at, None
    if here not in folders or not os.path.isdir(here):
        return None, None
    return (None if any(_inside(here, at) for at in temporary) else here), None


def _upwards(path: str) -> list[str]:
    """`path` and the folders above it, nearest first, without the top of the disk."""
    folders = []
    while os.path.dirname(path) != path:
        folders.append(path)
        path = os.path.dirname(path)
    return folders


def _git_dir(top: str) -> str | None:
    """The git folder that `top`, a worktree's top, works with; None when it is no worktree."""
    dot = os.path.join(top, ".git")
    if os.path.isdir(dot):
        return dot if os.path.isfile(os.path.join(dot, "HEAD")) else None
    pointer = _read(dot)
    if not pointer.startswith("gitdir:"):
        return None
    git = os.path.realpath(os.path.join(top, pointer[len("gitdir:") :].strip()))
    # A worktree's git folder names the worktree: another folder cannot pass for it.
    back = os.path.join(git, _read(os.path.join(git, "gitdir")) or dot)
    if os.path.exists(back) and os.path.realpath(back) != os.path.realpath(dot):
        return None
    return git if os.path.isdir(git) else None


def _bare(path: str) -> str | None:
    """`path` itself when it is a git folder: a bare repository, or what a `.git` names."""
    parts = [os.path.join(path, name) for name in ("HEAD", "objects", "refs")]
    return path if all(map(os.path.exists, parts)) else None


def _common(git: str) -> str:
    """The repository's own git folder, in which its worktrees' git folders are.

    Only there does `commondir` count: elsewhere it could name any other repository.
    """
    folder, common = os.path.dirname(git), os.path.dirname(os.path.dirname(git))
    is_worktree = os.path.basename(folder) == "worktrees" and _read(os.path.join(git, "commondir"))
    return common if is_worktree and os.path.isdir(common) else git


def _root(git: str, top: str) -> str:
    """The folder whose store the worktree `top` uses: the main worktree, or next to a bare one.

    Without a common folder of another place it is a project of its own: a main worktree or a
    submodule.
    """
    common = _common(git)
    return top if common == git else _owner(common)


def _owner(common: str) -> str:
    """The folder that keeps the store of the repository whose common folder this is.

    A name of its own (`repo.git`) makes the folder itself the owner, so that two bare repositories
    side by side never share a store; `.git` and `.bare` belong to the folder around them.
    """
    hidden = os.path.basename(common).startswith(".")
    return _checked_out(common) or (os.path.dirname(common) if hidden else common)


def _checked_out(git: str) -> str | None:
    """The `core.worktree` of a submodule's git folder: where it is checked out."""
    for line in _read(os.path.join(git, "config")).splitlines():
        key, _, value = line.strip().partition("=")
        if key.strip() == "worktree":
            return os.path.realpath(os.path.join(git, value.strip().strip('"')))
    return None


def _branch(git: str | None) -> str:
    head = _read(os.path.join(git, "HEAD")) if git else ""
    prefix = "ref: refs/heads/"
    name = head[len(prefix) :] if head.startswith(prefix) else ""
    return "" if name == ".invalid" else name  # what git writes with the reftable format


def _read(path: str) -> str:
    """The text of a small file without the space around it; empty if there is no file."""
    try:
        with open(hook_io.opened(path), encoding="utf-8", errors="surrogateescape") as file:
            return file.read(65_536).strip()
    except OSError:
        return ""


def _exclude(git: str) -> None:
    """Keep the surface file out of commits, through the repository's own `info/exclude`."""
    info = os.path.join(_common(git), "info")
    path = os.path.join(info, "exclude")
    if os.path.islink(info) or os.path.islink(path):
        return
    words = _read(path)
    if SURFACE_FILE in words.splitlines():
        return
    try:
        os.makedirs(info, exist_ok=True)
        hook_io.append(path, ("\n" if words else "") + SURFACE_FILE + "\n")
    except OSError:
        return
