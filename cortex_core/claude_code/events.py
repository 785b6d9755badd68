"""Starting the worker so that it outlives the hook, its process group and its terminal.

Whether the other way in has acted already: the plugin and installed hooks may both be active.
"""

from __future__ import annotations

import os
import sys
import time

from cortex_core import CHILD
from cortex_core.base import hook_io, project
from cortex_core.base.project import find, folder, is_paused, prepare
from cortex_core.capture import spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from cortex_core.base.project import Project
    from cortex_core.surface.given import Injection


def start_worker(project: Project) -> bool:
    """Start the project's worker unless one runs; whether it was started.

    Raises:
        OSError: no process can be started.
    """
    if spool.is_worker_running(project):
        return False
    command = [sys.executable, *inherited_flags(), "-m", "cortex_core.worker"]
    if project.root is not None:
        command += ["--project", project.root]
    environment = {**os.environ, CHILD: "1", "CORTEX_HOME": project.home}
    detached(command, environment)
    return True


def inherited_flags() -> list[str]:
    """This interpreter's flags that keep a project's own files from being imported."""
    if sys.flags.isolated:
        return ["-I"]
    return ["-E", "-P"] if sys.flags.ignore_environment else ["-P"]


def detached(command: list[str], environment: dict[str, str]) -> int:
    """Run `command` in a session of its own, with no descriptor of ours; its process id.

    Raises:
        OSError: it cannot be started.
    """
    if not hasattr(os, "posix_spawn"):
        return _spawned_by_subprocess(command, environment)
    _close_on_exec()
    nowhere = [
        (os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in (0, 1, 2)
    ]
    try:
        return os.posix_spawn(command[0], command, environment, file_actions=nowhere, setsid=True)
    except NotImplementedError:
        return _spawned_by_subprocess(command, environment)


def _close_on_exec() -> None:
    """Mark what Claude Code left open for us, so that the worker does not keep its pipes open."""
    try:
        names = os.listdir("/dev/fd")
    except OSError:
        names = [str(number) for number in range(3, 64)]
    for name in names:
        try:
            if int(name) > 2:
                os.set_inheritable(int(name), False)
        except (OSError, ValueError):
            continue


def _spawned_by_subprocess(command: list[str], environment: dict[str, str]) -> int:
    import subprocess

    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True, close_fds=True,
    )  # fmt: skip
    return process.pid


FIRINGS_FOLDER = "fired"
WINDOW = 60.0
"""Seconds in which two notes speak of one firing: hooks of one event start together."""

KEPT = 86_400.0
"""Seconds after which a session's notes are of no more use."""

LARGEST = 1 << 16
"""Bytes of notes after which a session's file is restarted."""


def is_duplicate(project: Project, event: str, payload: Mapping[str, Any]) -> bool:
    """Whether another way in has taken this firing; if not, it is ours from now on."""
    try:
        place = folder(project, FIRINGS_FOLDER)
    except Exception:
        return False
    session = str(payload.get("session_id"))
    path = os.path.join(place, hook_io.sha256(session)[:32])
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError:
        return False
    with os.fdopen(descriptor, "r+", encoding="utf-8", errors="replace") as notes:
        _lock(notes.fileno())
        if not os.fstat(notes.fileno()).st_size:
            _remove_old(place)
        return _note_firing(notes, _firing_key(event, payload), _entry())


def _note_firing(notes: Any, key: str, way: str) -> bool:
    now = time.time()
    known = notes.read(LARGEST)
    for line in known.splitlines():
        moment, _, rest = line.partition(" ")
        other, _, firing = rest.partition(" ")
        if firing == key and other != way and abs(now - _number(moment)) < WINDOW:
            return True
    if len(known) >= LARGEST // 2:
        notes.seek(0)
        notes.truncate()
    notes.write(f"{now:.3f} {way} {key}\n")
    return False


def _remove_old(place: str) -> None:
    """Remove the notes of sessions long past."""
    oldest = time.time() - KEPT
    with os.scandir(place) as found:
        for entry in found:
            if entry.stat().st_mtime < oldest:
                os.unlink(entry.path)


def _firing_key(event: str, payload: Mapping[str, Any]) -> str:
    """What tells one firing of a session from the next."""
    names = (
        "source", "prompt_id", "tool_use_id", "agent_id", "reason", "trigger", "stop_hook_active",
        "last_assistant_message", "prompt",
    )  # fmt: skip
    told = "\0".join([event, *(str(payload.get(name)) for name in names)])
    return hook_io.sha256(told)[:32]


def _entry() -> str:
    """The way we came in: which plugin, or which interpreter of an installed hook."""
    root = os.environ.get("CLAUDE_PLUGIN_ROOT")
    return hook_io.sha256(f"plugin {root}" if root else f"installed {sys.executable}")[:16]


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return 0.0


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)


IDLE = 900.0
"""Seconds without a write after which a session counts as ended, as for the worker."""

UNTRUSTED = (
    "Cortex: this project's memory came with its folder (a clone, a copy or a move), so it is not "
    "injected. Read it with `cortex list`, then run `cortex trust`."
)


def answer(word: str, data: bytes) -> bytes:
    """Do what the event in `data` asks for; the envelope to print, or nothing."""
    payload = _payload(data)
    event = payload.get("hook_event_name") if payload else None
    handler = _HANDLERS.get(event) if isinstance(event, str) else None
    if payload is None or handler is None or not isinstance(event, str):
        return b""
    project = None
    try:
        project = _project(payload)
        if word and _folded(word) != _folded(event):
            raise ValueError(f"called for {word[:40]!r}, but the payload is for {event}")
        return handler(project, event, payload)
    except Exception as error:
        _log(project, f"{event}: {type(error).__name__}: {error}{_location(error)}")
        return b""


def _payload(data: bytes) -> dict[str, Any] | None:
    try:
        found = hook_io.loads(data.decode("utf-8", "replace").replace("\0", ""))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _project(payload: Mapping[str, Any]) -> Project:
    """The project of the session: of the folder that it was started in, else of its folder now."""
    cwd = payload.get("cwd")
    here = cwd if isinstance(cwd, str) and cwd else None
    found = find(here)
    launch = os.environ.get("CLAUDE_PROJECT_DIR")
    if launch and launch != here and _is_of_session(launch, payload) and os.path.isdir(launch):
        started = find(launch)
        return started if started.root != found.root else found
    return found


def _is_of_session(launch: str, payload: Mapping[str, Any]) -> bool:
    """Whether the session's transcript lies where sessions started in `launch` are written."""
    name = os.path.basename(os.path.dirname(str(payload.get("transcript_path"))))
    return any(project.is_slug_of(name, place) for place in (launch, os.path.realpath(launch)))


def _session_start(project: Project, event: str, payload: Mapping[str, Any]) -> bytes:
    import time

    from cortex_core.surface import cache, given

    if is_duplicate(project, event, payload):
        return b""
    now = time.time()
    session, source = _context_name(payload), _text(payload, "source")
    if source == "fork":
        given.inherit_from_fork(project, session, now)
        _wake_worker(project, payload)
        return b""
    if source != "resume":
        given.record_reset(project, session, now)
    surface = cache.load(project, now)
    if surface is None:
        from cortex_core.surface import session as starting

        surface = starting.current(project, now)
    made = surface
    held = given.injected_ids(project, session) if source == "resume" else set()
    if held:
        from cortex_core.surface import session as starting

        made = starting.unseen(project, now, surface, held)
    _write_surface_file(project, surface.text)
    _record_injection(project, session, event, made, now)
    _wake_worker(project, payload)
    return _envelope(event, made.text, UNTRUSTED if _is_untrusted(project) else "")


def _prompt(project: Project, event: str, payload: Mapping[str, Any]) -> bytes:
    import time

    from cortex_core.surface import prompt

    words = _text(payload, "prompt")
    if not prompt.is_for_memory(words):
        return b""
    from cortex_core.surface import given

    now = time.time()
    made = prompt.injection(
        project, words, now, given.injected_ids(project, _context_name(payload))
    )
    return _inject(project, event, payload, made, now)


def _tool(project: Project, event: str, payload: Mapping[str, Any]) -> bytes:
    import time

    from cortex_core.surface import files, given

    path = files.path_of(payload.get("tool_name"), payload.get("tool_input"))
    if not path:
        return b""
    now = time.time()
    made = files.about(project, path, now, given.injected_ids(project, _context_name(payload)))
    return _inject(project, event, payload, made, now)


def _inject(
    project: Project, event: str, payload: Mapping[str, Any], made: Injection, now: float
) -> bytes:
    """Hand over what was made, unless it is nothing or the other way in has done so."""
    if not made.text or is_duplicate(project, event, payload):
        return b""
    _record_injection(project, _context_name(payload), event, made, now)
    return _envelope(event, made.text)


def _spool(project: Project, event: str, payload: Mapping[str, Any]) -> bytes:
    """Record the firing and have the worker look at it."""
    from cortex_core.capture import spool

    if event == "SubagentStop" and not _text(payload, "agent_type"):
        return b""  # Claude Code's own agent, which writes compaction summaries
    if is_duplicate(project, event, payload):
        return b""
    if spool.add(project, event, payload):
        start_worker(project)
    return b""


_HANDLERS: Mapping[str | None, Callable[[Project, str, Mapping[str, Any]], bytes]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _prompt,
    "PreToolUse": _tool,
    "Stop": _spool,
    "SubagentStop": _spool,
    "PreCompact": _spool,
    "SessionEnd": _spool,
}


def _write_surface_file(project: Project, text: str) -> None:
    """Write the surface file; that it cannot be written is no reason to give nothing."""
    from cortex_core.surface import cache

    try:
        if text:
            prepare(project)
        cache.write_surface_file(project, text)
    except Exception as error:
        _log(project, f"surface file: {type(error).__name__}: {error}")


def _record_injection(
    project: Project, session: str, event: str, made: Injection, now: float
) -> None:
    from cortex_core.surface import given

    try:
        if made.ids:
            given.record(project, session, event, made, now)
    except Exception as error:
        _log(project, f"receipt: {type(error).__name__}: {error}")


def _wake_worker(project: Project, payload: Mapping[str, Any]) -> None:
    """Start the worker where there may be something to capture."""
    from cortex_core.capture import spool

    try:
        if is_paused(project):
            return
        if spool.is_waiting(project) or _may_be_unread(project, payload):
            start_worker(project)
    except Exception as error:
        _log(project, f"worker: {type(error).__name__}: {error}")


def _may_be_unread(project: Project, payload: Mapping[str, Any]) -> bool:
    """Whether a transcript was written after, or not long before, the worker's last run."""
    from cortex_core.capture import spool

    lock = spool.lock_path(project)
    try:
        last = os.stat(lock).st_mtime if os.path.exists(lock) else 0.0
        with os.scandir(os.path.dirname(_text(payload, "transcript_path"))) as found:
            return any(
                entry.name.endswith(".jsonl") and entry.stat().st_mtime > last - IDLE
                for entry in found
            )
    except OSError:
        return False


def _is_untrusted(project: Project) -> bool:
    """Whether the project has a store that is not given, because it came from elsewhere."""
    from cortex_core.store import trust

    store = project.project_db
    return store is not None and os.path.exists(store) and not trust.granted(project)


def _envelope(event: str, text: str, message: str = "") -> bytes:
    parts = [f'"systemMessage":{hook_io.quote(message)}'] if message else []
    if text:
        parts.append(
            f'"hookSpecificOutput":{{"hookEventName":{hook_io.quote(event)},'
            f'"additionalContext":{hook_io.quote(text)}}}'
        )
    return f"{{{','.join(parts)}}}\n".encode() if parts else b""


def _context_name(payload: Mapping[str, Any]) -> str:
    """Whose context it is: the session's, or that of one of its sub-agents."""
    agent = _text(payload, "agent_id")
    return _text(payload, "session_id") + (f"/{agent}" if agent else "")


def _text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def _folded(word: str) -> str:
    return "".join(letter for letter in word.lower() if letter.isalpha())


def _location(error: Exception) -> str:
    """Where the error arose, as ` (file:line)`."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})"


def _log(project: Project | None, message: str) -> None:
    try:
        from cortex_core.base import log

        known = project or find("/")
        prepare(known)
        log.write(known, message)
    except Exception:
        return
