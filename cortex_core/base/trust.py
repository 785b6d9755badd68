"""Whether a project's `.memory` is this user's own, and whether its memories may be injected.

A repository can bring a `.memory` with anything in it, so that one is there says nothing. Whoever
makes the folder or a file that matters notes its device and inode on the global side, out of reach
of a repository, before the file gets its name. A folder also holds an empty file with a random name
(`mark-…`), because a disk gives the inode of a deleted folder to the next one.

A note has one line for each fact, and lines are only added, so that two processes lose none:
`identity ID`, `folder PATH`, and `NAME DEVICE INODE` of a file, with the random token for a folder.
A file next to the note names the logs of a database, which come and go with the connections. The
hooks load this module: standard library only.
"""

from __future__ import annotations

import os
import stat

from cortex_core.base import hook_io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Placed(Protocol):
        """What is asked about: a project, which knows this module and is not known here."""

        data: str
        home: str
        note: str
        project_db: str | None


FOLDER = "trust"
"""The folder of the global side with the notes, one for each project."""

DATABASE, ARCHIVE = "cortex.db", "archive.db"

NAMES = (DATABASE, ARCHIVE, "paused")
"""The files of a `.memory` that count only if they are noted."""

LOGS = ("-wal", "-journal")
"""What the names of the files end with whose content SQLite writes into a database that it opens,
whoever made them. The index of the first (`-shm`) is made again by whoever opens it first."""

MARK = "mark-"
"""What the name of the file begins with that marks a folder."""

PLACE = "at-"
"""What the name of a file begins with that says which note a place on the disk has."""

ROOT = "folder"
"""What a note calls the root of the project; `root` would be taken for a login before its password,
and cut out of the note with the secrets."""

NOBODY = "-"
"""The identity of no store: the user took the trust back."""

_LOOSE = "loose"
"""What a note says of a log that has no second name, because the disk knows no hard links."""

_DATA = "."
"""What a note calls the folder itself."""

_KNOWN = {
    DATABASE: "a database",
    ARCHIVE: "conversations",
    "config.toml": "settings",
    "spool": "records for the worker",
    "paused": "a pause",
}
"""How what was found is called in a message, which repeats no name that a stranger chose."""


def note_of(data: str, home: str) -> str:
    """Where the marks of the folder `data` are noted."""
    return os.path.join(home, FOLDER, hook_io.sha256(os.path.join(data, DATABASE))[:32])


def look(data: str, home: str) -> tuple[str, str]:
    """The note that holds for the folder `data`, and why it is not believed: empty where it is.

    A folder that was moved on its disk is known by its device and inode, and keeps its note.
    """
    note = note_of(data, home)
    try:
        state = os.lstat(data)
    except OSError:
        return note, ""
    if not stat.S_ISDIR(state.st_mode):
        return note, f"{data} is {'a link' if stat.S_ISLNK(state.st_mode) else 'no folder'}"
    lines = lines_of(note)
    # The number of a device may be another one after a restart, so it counts for moves alone.
    if not _is_made(data, state, lines, f"{_DATA} "):
        moved = hook_io.read(_place(home, state))
        there = lines_of(os.path.join(home, FOLDER, moved)) if moved else []
        if not _is_made(data, state, there, f"{_DATA} {state.st_dev} "):
            return note, _found(data)
        note = os.path.join(home, FOLDER, moved)
    return note, strange(data, note, DATABASE) or strange_log(note, os.path.join(data, ARCHIVE))


def strange(data: str, note: str, name: str) -> str:
    """Why the file `name` of the folder `data`, which is believed, is not; empty where it is, or
    where there is none. A folder in its place is none of the two: it says nothing."""
    path, lines = os.path.join(data, name), lines_of(note)
    try:
        state = os.lstat(path)
    except OSError:
        return ""
    ending, is_file = f" {state.st_ino}", stat.S_ISREG(state.st_mode)
    if stat.S_ISDIR(state.st_mode):
        return ""
    if is_file and any(line.startswith(f"{name} ") and line.endswith(ending) for line in lines):
        return strange_log(note, path)
    return f"{path} is a link, or was put in place of the file that Cortex made"


def strange_log(note: str, path: str) -> str:
    """Why a log of the database at `path` is not this user's own; empty where it is, or is empty.

    A log of an older version is not noted, and one that is left of making the first page of a
    database holds nothing.
    """
    for log in (path + ending for ending in LOGS):
        for _ in range(3):  # another process may have made a new log between the two looks
            noted = hook_io.read(_logs_of(note, path)).split()
            try:
                state = os.lstat(log)
                is_new = log.endswith(LOGS[1]) and os.stat(path).st_size <= 4096
            except OSError:
                break
            is_old = not noted and log.endswith(LOGS[0])
            is_noted = str(state.st_ino) in noted and (_LOOSE in noted or _is_kept(log))
            is_ours = is_new or is_old or is_noted or not state.st_size
            if stat.S_ISREG(state.st_mode) and is_ours:
                break
        else:
            return f"{log} was put next to the database, which would take over what it holds"
    return ""


def note_logs(note: str, path: str) -> None:
    """Note that the logs of the database at `path` are this user's own.

    To be called with a connection that has written nothing: a log stays the same file while there
    is one. A log that is noted gets a second name until the next one comes, because a disk gives
    the inode of a file that is gone, or that git replaces, to the one that comes.

    Raises:
        OSError: it cannot be noted.
    """
    kept, logs = _logs_of(note, path), [f"{path}{ending}" for ending in LOGS]
    there = list(filter(os.path.lexists, logs))
    found = [str(os.lstat(log).st_ino) for log in there]
    before = hook_io.read(kept).split()
    # One that is noted may have lost its second name, to `git clean` for example.
    is_loose = False in [_keep(log) for log in there]
    if set(found) <= set(before) and (_LOOSE in before or not is_loose):
        return
    # Whoever looks meanwhile finds either log with its note and its second name.
    hook_io.replace(kept, " ".join([*found, *[_LOOSE] * is_loose]))
    for inode in set(before) - set(found):
        for log in logs:
            hook_io.remove(f"{log}-{inode}")


def _keep(log: str) -> bool:
    """Give a log its second name, with its inode; False on a disk without hard links."""
    try:
        os.link(log, f"{log}-{os.lstat(log).st_ino}")
    except FileExistsError:
        return _is_kept(log)
    except OSError:
        return False
    return True


def _is_kept(log: str) -> bool:
    """Whether a log has its second name, which only a program that runs here can give."""
    try:
        inode = os.lstat(log).st_ino
        return os.lstat(f"{log}-{inode}").st_ino == inode
    except OSError:
        return False


def _logs_of(note: str, path: str) -> str:
    """The file that names the logs of a database."""
    return f"{note}-{os.path.basename(path)}-logs"


def lines_of(note: str) -> list[str]:
    """The facts of a note."""
    return [line for line in hook_io.read(note).split("\n") if line]


def last(note: str, fact: str) -> str:
    """The newest value of a fact of a note, empty for none."""
    found = [line for line in lines_of(note) if line.startswith(f"{fact} ")]
    return found[-1].partition(" ")[2] if found else ""


def add(note: str, line: str) -> None:
    """Add a fact to a note.

    Raises:
        OSError: it cannot be written.
    """
    hook_io.private_folder(os.path.dirname(note))
    # The line before may be torn by a process that was killed in the middle of it.
    hook_io.append(note, f"\n{line}\n")


def mark(data: str, note: str, home: str) -> None:
    """Note that the folder `data`, which exists, and what is in it is this user's own.

    Raises:
        OSError: it cannot be noted.
    """
    state, token = os.lstat(data), os.urandom(16).hex()
    add(note, f"{_DATA} {state.st_dev} {state.st_ino} {token}")
    hook_io.replace(_place(home, state), os.path.basename(note))
    for name in NAMES:
        path = os.path.join(data, name)
        if os.path.isfile(path) and not os.path.islink(path):
            note_file(note, name, path)
            note_logs(note, path)
    hook_io.create(os.path.join(data, f"{MARK}{token}"), "")


def note_file(note: str, name: str, path: str) -> None:
    """Note that the file at `path`, which is to be called `name`, is this user's own."""
    state = os.lstat(path)
    add(note, f"{name} {state.st_dev} {state.st_ino}")


def place(data: str, note: str, name: str) -> None:
    """Put an empty file `name` into the folder `data`, unless something of that name is there.

    It is noted before it gets its name, so that a process that is killed leaves no file of its own
    that is not believed.

    Raises:
        OSError: it cannot be made.
    """
    path = os.path.join(data, name)
    if os.path.lexists(path):
        return
    unfinished = f"{path}.{os.getpid()}.new"
    hook_io.create(unfinished, "")
    try:
        note_file(note, name, unfinished)
        os.link(unfinished, path)
    except FileExistsError:
        return  # another process was quicker
    except OSError:
        os.rename(unfinished, path)  # on a disk without hard links
    finally:
        hook_io.remove(unfinished)


def token(data: str, note: str) -> str:
    """The random token of the folder `data`, by which records for the worker show that a hook of
    this user wrote them; empty while it has none."""
    known = (line.rpartition(" ")[2] for line in lines_of(note) if line.startswith(f"{_DATA} "))
    return next((one for one in known if is_token(data, note, one)), "")


def is_token(data: str, note: str, token: str) -> bool:
    """Whether the folder `data` is marked with `token`, by this user."""
    return any(
        line.startswith(f"{_DATA} ") and line.endswith(f" {token}") for line in lines_of(note)
    ) and os.path.lexists(os.path.join(data, f"{MARK}{token}"))


def _is_made(data: str, state: os.stat_result, lines: list[str], start: str) -> bool:
    """Whether one of the lines that begin so names the folder's inode and a file that marks it."""
    of_folder = [line.split(" ") for line in lines if line.startswith(start)]
    return any(
        os.path.lexists(os.path.join(data, f"{MARK}{parts[-1]}"))
        for parts in of_folder
        if len(parts) == 4 and parts[2] == str(state.st_ino)
    )


def _place(home: str, state: os.stat_result) -> str:
    """The file that names the note of a folder by the folder's place on the disk."""
    return os.path.join(home, FOLDER, f"{PLACE}{state.st_dev}-{state.st_ino}")


def _found(data: str) -> str:
    """What is in a folder that somebody else made, in words that no stranger chose; empty for
    nothing, which is as good as a folder of our own."""
    try:
        names = os.listdir(data)
    except OSError:
        return f"{data} cannot be read"
    known = [word for name, word in _KNOWN.items() if name in names]
    if rest := len(names) - len(known):
        known.append(f"{rest} other file{'s' * (rest > 1)}")
    return f"{data} came with its folder and holds {', '.join(known)}" if known else ""


# --- the store in it


def trusted(project: Placed, identity: str) -> bool:
    """Whether the project's store, which calls itself `identity`, may be injected."""
    return bool(identity) and granted(project) == identity


def granted(project: Placed) -> str:
    """The identity of the store that is trusted at this place, empty when none is.

    It is random, so a file that was copied over the store does not pass either.
    """
    return last(project.note, "identity").strip(NOBODY) if project.project_db is not None else ""


def grant(project: Placed, identity: str) -> None:
    """Trust the store that calls itself `identity` at this project's place.

    Raises:
        OSError: the note cannot be written.
    """
    if project.project_db is not None:
        add(project.note, f"identity {identity}")


def revoke(project: Placed) -> None:
    """Trust no store at this project's place.

    Raises:
        OSError: the note cannot be written.
    """
    grant(project, NOBODY)


def note_place(project: Placed, shown: str) -> None:
    """Note where the project is; one that was moved on its disk gets a note of its new place.

    Args:
        shown: the path of its root, without a secret.

    Raises:
        OSError: it cannot be noted.
    """
    if project.note != (own := note_of(project.data, project.home)):
        hook_io.replace(own, "\n".join(["", *lines_of(project.note), ""]))
        mark(project.data, own, project.home)
        os.unlink(project.note)
        project.note = own
    if last(own, ROOT) != shown:
        add(own, f"{ROOT} {shown}")


def roots(home: str) -> list[str]:
    """The folders of the projects whose stores were trusted, those gone meanwhile included.

    One whose path holds a secret is noted without it, so it cannot be found by this list.
    """
    folder = os.path.join(home, FOLDER)
    try:
        names = sorted(name for name in os.listdir(folder) if not name.startswith(PLACE))
    except OSError:
        return []
    notes = [os.path.join(folder, name) for name in names]
    # Notes that a development version wrote say `root`.
    found = (last(note, ROOT) or last(note, "root") for note in notes)
    return list(dict.fromkeys(filter(None, found)))
