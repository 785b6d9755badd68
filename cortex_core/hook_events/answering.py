"""What the hooks do at each event of Claude Code: inject memories, record events, start the worker.

The plugin and installed hooks may both be active; the second to fire for one event does nothing.
Every event runs this module, so it imports little before it knows what the event needs.
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
    from typing import Any, TextIO

    from cortex_core.base.project import Project
    from cortex_core.surface.given import Injection
    from cortex_core.triggers.guard import Answer

IDLE = 900.0
"""Seconds without a write after which a session counts as ended, as for the worker."""

UNTRUSTED = (
    "Cortex: this project's memory came with its folder (a clone, a copy or a move), so it is not "
    "injected. Read it with `cortex list`, then run `cortex trust`."
)

FIRINGS_FOLDER = "fired"
WINDOW = 60.0
"""Seconds within which two notes mean one event: its hooks start at the same time."""

NOTES_KEPT = 86_400.0
"""Seconds that the notes of a session are kept."""

LARGEST_NOTES = 1 << 16
"""Bytes of a session's notes that are read; the file is restarted at half of it."""


def answer(word: str, data: bytes) -> bytes:
    """Do what the event in `data` asks for; the output to print, or nothing."""
    payload = _payload(data)
    event = payload.get("hook_event_name") if payload else None
    handler = _HANDLERS.get(event) if isinstance(event, str) else None
    if payload is None or handler is None or not isinstance(event, str):
        return b""
    project = None
    try:
        project = _project(payload)
        if word and _folded(word) != _folded(event):
            known = {_folded(name): name for name in _HANDLERS if name}
            called = known.get(_folded(word), "an unknown event")  # what else it is, is not logged
            raise ValueError(f"called for {called}, but the payload is for {event}")
        return handler(project, event, payload)
    except Exception as error:
        _log(project, f"{event}: {type(error).__name__}: {error}{_location(error)}")
        return b""


def _payload(data: bytes) -> dict[str, Any] | None:
    try:
        payload = hook_io.loads(data.decode("utf-8", "replace").replace("\0", ""))
    except ValueError:
        return None
    return payload if isinstance(payload, dict) else None


def _project(payload: Mapping[str, Any]) -> Project:
    """The project of the session: of the folder it was started in, else of its current folder."""
    cwd = payload.get("cwd")
    here = cwd if isinstance(cwd, str) and cwd else None
    current = find(here)
    launch = os.environ.get("CLAUDE_PROJECT_DIR")
    if launch and launch != here and _is_of_session(launch, payload) and os.path.isdir(launch):
        started = find(launch)
        return started if started.root != current.root else current
    return current


def _is_of_session(launch: str, payload: Mapping[str, Any]) -> bool:
    """Whether the session's transcript is in the folder for sessions started in `launch`."""
    name = os.path.basename(os.path.dirname(str(payload.get("transcript_path"))))
    return any(project.is_slug_of(name, path) for path in (launch, os.path.realpath(launch)))


def _session_start(project: Project, event: str, payload: Mapping[str, Any]) -> bytes:
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
    surface, problem = cache.load(project, now), spool.problem(project, lasting=True)
    held = given.injected_ids(project, session) if source == "resume" else set()
    if surface is None or held:
        # Loaded only here: most starts need the cache alone.
        from cortex_core.surface import note as session_surface

        surface = surface or session_surface.current(project, now)
        problem = session_surface.settings_problem(project) or problem
        injection = surface
        if held:
            injection = session_surface.unseen(project, now, surface, held, session)
    else:
        injection = surface
    _write_surface_file(project, surface.text)
    _record_injection(project, session, event, injection, now)
    _wake_worker(project, payload)
    words = injection.text
    if source == "startup" and not surface.text:
        words = _onboarding(project)
    return _envelope(event, words, _message(project, problem))


def _onboarding(project: Project) -> str:
    """The offer to introduce Cortex, if this is the time for it; a failure is logged."""
    from cortex_core.surface import onboarding

    try:
        return onboarding.offer(project)
    except Exception as error:
        _log(project, f"onboarding: {type(error).__name__}: {error}")
        return ""


def _message(project: Project, problem: str) -> str:
    """What the user has to know at a session's start; mostly nothing."""
    silent = f"Cortex: nothing of this session will be remembered until this is repaired. {problem}"
    parts = [UNTRUSTED if _is_untrusted(project) else "", silent if problem else ""]
    return "\n".join(filter(None, parts))


def _prompt(project: Project, event: str, payload: Mapping[str, Any]) -> bytes:
    from cortex_core.surface import prompt

    words = _text(payload, "prompt")
    if not prompt.is_for_memory(words):
        return b""
    from cortex_core.surface import given

    now = time.time()
    held = given.injected_ids(project, _context_name(payload))
    return _inject(project, event, payload, prompt.injection(project, words, now, held), now)


def _tool(project: Project, event: str, payload: Mapping[str, Any]) -> bytes:
    """The rules for this very call, and what is known about the file that it is about."""
    from cortex_core.agents.claude import tools
    from cortex_core.base.tools import path_of
    from cortex_core.surface import call_table, given, opened_files
    from cortex_core.triggers import guard

    name, given_input = payload.get("tool_name"), payload.get("tool_input")
    if not isinstance(name, str) or not isinstance(given_input, dict):
        return b""
    tool, tool_input = tools.name_of(name), tools.arguments_of(name, given_input)
    now, context = time.time(), _context_name(payload)
    table = call_table.read(project)
    listed = [rule for of_scope in table["rules"].values() for rule in of_scope]
    rules = guard.answer(
        project,
        listed,
        tool,
        tool_input,
        now,
        lambda: given.times(project, context, guard.EVENT),
    )
    recalled, about = _recalled(rules), given.Injection()
    if path := path_of(tool, tool_input):
        held = given.injected_ids(project, context).union(rules.ids)
        about = opened_files.about(project, path, now, held, table)
    text = "\n".join(filter(None, (recalled.text, about.text)))
    if not (text or rules.decision) or is_duplicate(project, event, payload):
        return b""
    _record_injection(project, context, guard.EVENT, recalled, now)
    _record_injection(project, context, event, about, now)
    return _envelope(event, text, decision=rules.decision, reason=rules.reason)


def _recalled(rules: Answer) -> Injection:
    """The text of the rules that are recalled with a call."""
    from cortex_core.surface.given import Injection

    if not rules.lines:
        return Injection()
    from cortex_core.base import text
    from cortex_core.surface import wording
    from cortex_core.triggers.guard import HEADER

    words = wording.fenced("\n".join(rules.lines), HEADER)
    return Injection(words, rules.ids, text.tokens(words))


def _inject(
    project: Project, event: str, payload: Mapping[str, Any], injection: Injection, now: float
) -> bytes:
    """The output for `injection`, unless it is empty or the event was handled already."""
    if not injection.text or is_duplicate(project, event, payload):
        return b""
    _record_injection(project, _context_name(payload), event, injection, now)
    return _envelope(event, injection.text)


def _spool(project: Project, event: str, payload: Mapping[str, Any]) -> bytes:
    """Record the event and start the worker."""
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
    """Write the surface file; if that fails, log it: the surface is injected all the same."""
    from cortex_core.surface import cache

    try:
        if text:
            prepare(project)
        cache.write_surface_file(project, text)
    except Exception as error:
        _log(project, f"surface file: {type(error).__name__}: {error}")


def _record_injection(
    project: Project, session: str, event: str, injection: Injection, now: float
) -> None:
    from cortex_core.surface import given

    try:
        if injection.ids:
            given.record(project, session, event, injection, now, time.time() - now)
    except Exception as error:
        _log(project, f"receipt: {type(error).__name__}: {error}")


def _wake_worker(project: Project, payload: Mapping[str, Any]) -> None:
    """Start the worker if there may be something to capture."""
    try:
        if is_paused(project):
            return
        if spool.is_waiting(project) or _may_be_unread(project, payload):
            start_worker(project)
    except Exception as error:
        _log(project, f"worker: {type(error).__name__}: {error}")


def _may_be_unread(project: Project, payload: Mapping[str, Any]) -> bool:
    """Whether a transcript was written after, or not long before, the worker's last run."""
    lock = spool.lock_path(project)
    try:
        last = os.stat(lock).st_mtime if os.path.exists(lock) else 0.0
        with os.scandir(os.path.dirname(_text(payload, "transcript_path"))) as entries:
            return any(
                entry.name.endswith(".jsonl") and entry.stat().st_mtime > last - IDLE
                for entry in entries
            )
    except OSError:
        return False


def _is_untrusted(project: Project) -> bool:
    """Whether the project has a store that is not injected, because it came from elsewhere."""
    from cortex_core.store import trust

    store = project.project_db
    return store is not None and os.path.exists(store) and not trust.granted(project)


def _envelope(
    event: str, text: str, message: str = "", *, decision: str = "", reason: str = ""
) -> bytes:
    """The JSON with `text` for Claude and `message` for the user; empty without any.

    Args:
        decision: what Claude Code is to do with a tool call, `ask` or `deny`, for this `reason`.
    """
    parts = [f'"systemMessage":{hook_io.quote(message)}'] if message else []
    output = [f'"hookEventName":{hook_io.quote(event)}']
    if decision:
        output.append(f'"permissionDecision":{hook_io.quote(decision)}')
        output.append(f'"permissionDecisionReason":{hook_io.quote(reason)}')
    if text:
        output.append(f'"additionalContext":{hook_io.quote(text)}')
    if len(output) > 1:
        parts.append(f'"hookSpecificOutput":{{{",".join(output)}}}')
    return f"{{{','.join(parts)}}}\n".encode() if parts else b""


def _context_name(payload: Mapping[str, Any]) -> str:
    """The name of the context: the session's id, for a sub-agent followed by `/` and its id."""
    agent = _text(payload, "agent_id")
    return _text(payload, "session_id") + (f"/{agent}" if agent else "")


def _text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def _folded(word: str) -> str:
    return "".join(letter for letter in word.lower() if letter.isalpha())


def _location(error: Exception) -> str:
    """Where the error was raised, as ` (file:line)`."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})"


def _log(project: Project | None, message: str) -> None:
    try:
        from cortex_core.base import log
        from cortex_core.redaction.secrets import redact

        known = project or find("/")
        prepare(known)
        log.write(known, redact(message).text)
    except Exception:
        return


# --- one event, fired twice


def is_duplicate(project: Project, event: str, payload: Mapping[str, Any]) -> bool:
    """Whether the plugin or other installed hooks handle this event; if not, this process does."""
    try:
        notes_folder = folder(project, FIRINGS_FOLDER)
    except Exception:
        return False
    session = str(payload.get("session_id"))
    path = os.path.join(notes_folder, hook_io.sha256(session)[:32])
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | hook_io.NOFOLLOW, 0o600)
    except OSError:
        return False
    with os.fdopen(descriptor, "r+", encoding="utf-8", errors="replace") as notes:
        hook_io.lock(notes.fileno(), wait=True)
        if event == "SessionStart" and not os.fstat(notes.fileno()).st_size:
            _remove_old(notes_folder)  # no other event makes the user wait for it
        return _note_firing(notes, _firing_key(event, payload), _entry())


def _note_firing(notes: TextIO, key: str, entry: str) -> bool:
    """Whether another entry has noted the event `key` just now; if not, note it for `entry`."""
    now = time.time()
    known = notes.read(LARGEST_NOTES)
    for line in known.splitlines():
        moment, _, rest = line.partition(" ")
        other, _, firing = rest.partition(" ")
        if firing == key and other != entry and abs(now - _number(moment)) < WINDOW:
            return True
    if len(known) >= LARGEST_NOTES // 2:
        notes.seek(0)
        notes.truncate()
    notes.write(f"{now:.3f} {entry} {key}\n")
    return False


def _remove_old(path: str) -> None:
    """Remove the notes of old sessions."""
    oldest = time.time() - NOTES_KEPT
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.stat().st_mtime < oldest:
                os.unlink(entry.path)


def _firing_key(event: str, payload: Mapping[str, Any]) -> str:
    """What distinguishes one event of a session from the next."""
    names = (
        "source",
        "prompt_id",
        "tool_use_id",
        "agent_id",
        "reason",
        "trigger",
        "stop_hook_active",
        "last_assistant_message",
        "prompt",
    )
    fields = "\0".join([event, *(str(payload.get(name)) for name in names)])
    return hook_io.sha256(fields)[:32]


def _entry() -> str:
    """What ran this process: which plugin, or which interpreter of an installed hook."""
    root = os.environ.get("CLAUDE_PLUGIN_ROOT")
    return hook_io.sha256(f"plugin {root}" if root else f"installed {sys.executable}")[:16]


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return 0.0


# --- the worker


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
    """Run `command` in a session of its own, without our descriptors, so that it outlives the hook.

    Returns:
        Its process id.


    Raises:
        OSError: it cannot be started.
    """
    if not hasattr(os, "posix_spawn"):
        return _spawned_by_subprocess(command, environment)
    _close_on_exec()
    # Measured: 1.9 times a bare interpreter start, against 2.4 to 3.3 with `subprocess`.
    nowhere = [
        (os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in (0, 1, 2)
    ]
    try:
        return os.posix_spawn(command[0], command, environment, file_actions=nowhere, setsid=True)
    except NotImplementedError:
        return _spawned_by_subprocess(command, environment)


def _close_on_exec() -> None:
    """Keep the worker from inheriting, and so keeping open, the pipes of Claude Code."""
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
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        close_fds=True,
    )
    return process.pid
