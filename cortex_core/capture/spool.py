"""The spool: one small file for each hook event, written by hooks, processed by one worker.

A record holds no word of conversation and is written atomically, so that nothing is lost while a
store is locked, migrating or broken. If it cannot be written to the project, a note is left on the
global side; the next hook that can write moves it into the spool, and so it reaches the ledger.
Why the last worker gave up is noted here as well, for those who cannot read it in the ledger.

Hooks load this module: nothing is imported here that they do not need.
"""

from __future__ import annotations

import os
import time

from cortex_core.base import hook_io, trust
from cortex_core.base.project import Project, folder, is_paused, prepare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from cortex_core.agents.hook_call import HookCall

FOLDER = "spool"
_BROKEN = ".broken"
_LOST = "lost"
_LOCK = "worker.lock"
_PROBLEM = "worker.problem"


class Record:
    """One hook event."""

    __slots__ = ("event", "fields", "path", "session", "time", "transcript")

    def __init__(self, path: str, fields: Mapping[str, Any]) -> None:
        """Read the fields of the file `path`.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: they are not a record.
        """
        self.path = path
        self.fields = fields
        self.event = str(fields["event"])
        self.session = str(fields.get("session") or "")
        self.transcript = str(fields.get("transcript") or "")
        f"{self.session}{self.transcript}".encode()  # a lone surrogate cannot be stored
        self.time = float(fields.get("time") or 0)


# --- the side of the hooks


def add(project: Project, call: HookCall) -> bool:
    """Record that a hook fired; False if capture is paused or the record could not be written.

    Nothing is recorded where the project's `.memory` is not believed.
    """
    if project.doubt or is_paused(project):
        return False
    fields: dict[str, Any] = {
        "event": call.event,
        "session": call.session,
        "transcript": call.transcript,
        "time": time.time(),
        "agent": call.agent,
        "reason": call.reason,
    }
    try:
        prepare(project)
        path = folder(project, FOLDER)
        fields["mark"] = trust.token(project.data, project.note)
        _put(path, call.event, fields)
    except Exception as error:
        _note_lost(project, call.event, fields, error)
        return False
    _recover_lost(project, path, fields["mark"])
    return True


def is_waiting(project: Project) -> bool:
    """Whether records wait for a worker."""
    try:
        with os.scandir(_folder(project)) as entries:
            return any(_is_record(entry.name) for entry in entries)
    except OSError:
        return False


def lost_notes(project: Project) -> list[str]:
    """The paths of notes of this project's events that could not be recorded, oldest first."""
    return _files(_lost(project), _is_record)


# --- the side of the worker


def waiting(project: Project) -> list[str]:
    """The paths of the records that wait, oldest first."""
    return _files(_folder(project), _is_record)


def broken(project: Project) -> list[str]:
    """The paths of the records that could not be read."""
    return _files(_folder(project), lambda name: name.endswith(_BROKEN))


def records(project: Project) -> list[Record]:
    """The waiting records, oldest first.

    One that cannot be read, or was written by no hook of this user, is renamed and left.
    """
    import json

    readable = []
    for path in waiting(project):
        try:
            with open(hook_io.opened(path), "rb") as file:
                record = Record(path, json.loads(file.read()))
            if project.root is not None and not trust.is_token(
                project.data, project.note, str(record.fields.get("mark"))
            ):
                raise ValueError("it may have come with the folder")
            readable.append(record)
        except FileNotFoundError:
            continue
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            os.rename(path, f"{path.removesuffix('.json')}{_BROKEN}")
    return readable


def done(record: Record) -> None:
    """Remove a record whose work is stored."""
    try:
        os.unlink(record.path)
    except FileNotFoundError:
        return


# --- the worker's lock


def lock_path(project: Project) -> str:
    """The lock's file; it need not exist."""
    return os.path.join(project.data, _LOCK)


def is_worker_running(project: Project) -> bool:
    """Whether a worker holds the project's lock."""
    try:
        with open(hook_io.opened(lock_path(project), os.O_RDWR)) as file:
            return not hook_io.lock(file.fileno(), wait=False)
    except OSError:
        return False


class WorkerLock:
    """Holds the project's lock as a context; its value is False if another process holds it.

    The lock ends with its owner in any case. The file stays; its time of change is the start of the
    last run.
    """

    def __init__(self, project: Project) -> None:
        self._path = lock_path(project)

    def __enter__(self) -> bool:
        descriptor = hook_io.opened(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        self._file = open(descriptor, "a+", encoding="ascii")
        if not hook_io.lock(self._file.fileno(), wait=False):
            return False
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()
        return True

    def __exit__(self, *_error: object) -> None:
        self._file.close()


# --- why the worker gave up


def note_problem(project: Project, sentence: str, about: Sequence[str] = ()) -> bool:
    """Note why the worker gave up; whether that is another reason than the one noted before.

    Args:
        about: the files that have to be repaired. Once one of them is another, the note is out of
            date. Empty: the problem passes by itself.
    """
    is_new = problem(project) != sentence
    note = {"sentence": sentence, "about": [[path, hook_io.file_state(path)] for path in about]}
    for path in _problem_files(project):
        try:
            hook_io.private_folder(os.path.dirname(path))
            hook_io.replace(path, hook_io.dumps(note))
            break
        except OSError:
            continue
    return is_new


def problem(project: Project, *, lasting: bool = False) -> str:
    """Why the last worker gave up, in a sentence; empty where it did its work.

    Args:
        lasting: only what does not pass by itself.
    """
    for path in _problem_files(project):
        try:
            note = hook_io.loads(hook_io.read(path))
            about = note["about"]
            if (about or not lasting) and all(
                hook_io.file_state(at) == state for at, state in about
            ):
                return str(note["sentence"])
        except (ValueError, TypeError, KeyError):
            continue
    return ""


def forget_problem(project: Project) -> None:
    """A worker has done its work."""
    for path in _problem_files(project):
        hook_io.remove(path)


def _problem_files(project: Project) -> list[str]:
    """Where the note is, and where it is if that folder cannot be written."""
    return [os.path.join(folder, _PROBLEM) for folder in (project.data, _lost(project))]


# --- files


def _folder(project: Project) -> str:
    return os.path.join(project.data, FOLDER)


def _lost(project: Project) -> str:
    return os.path.join(project.home, _LOST, hook_io.sha256(project.root or "")[:32])


def _files(path: str, is_wanted: Callable[[str], bool]) -> list[str]:
    try:
        names = [] if os.path.islink(path) else sorted(os.listdir(path))
    except OSError:
        return []
    return [os.path.join(path, name) for name in names if is_wanted(name)]


def _is_record(name: str) -> bool:
    return name[:1].isdigit() and name.endswith(".json")


def _put(path: str, event: str, fields: Mapping[str, Any]) -> None:
    word = "".join(letter for letter in event if letter.isalnum())[:40]
    name = f"{time.time_ns():020d}-{os.getpid()}-{word}.json"
    hook_io.replace(os.path.join(path, name), hook_io.dumps(dict(fields)))


def _note_lost(project: Project, event: str, fields: Mapping[str, Any], error: Exception) -> None:
    """Write a note of an event that could not be recorded to where the next hook finds it."""
    path = _lost(project)
    reason = f"not recorded: {type(error).__name__}: {error}"[:500]
    try:
        hook_io.private_folder(path)
        _put(path, event, {**fields, "error": reason})
    except OSError:
        return


def _recover_lost(project: Project, path: str, mark: str) -> None:
    """Move the notes of this project's lost events into its spool."""
    for note in lost_notes(project):
        try:
            fields = hook_io.dumps({**hook_io.loads(hook_io.read(note)), "mark": mark})
            hook_io.replace(os.path.join(path, os.path.basename(note)), fields)
            os.unlink(note)
        except (OSError, ValueError, TypeError):
            continue
