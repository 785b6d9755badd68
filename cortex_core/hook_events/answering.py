"""What is done at each event of a session: inject memories, record events, start the worker.

The plugin and installed hooks may both be active; the second to fire for one event does nothing.
Every event runs this module, so it imports little before it knows what the event needs.
"""

from __future__ import annotations

import importlib
import os
import time

from cortex_core.agents import AGENTS, sender
from cortex_core.agents.hook_call import HookAnswer, HookCall
from cortex_core.base import hook_io, hook_words
from cortex_core.base.project import Project, find, is_paused, prepare
from cortex_core.capture import spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from cortex_core.agents.protocol import Hooks
    from cortex_core.surface.given import Injection

ASKS = "capture.agent"
"""The setting that says whether the agent is asked to write down what it learned."""

IDLE = 900.0
"""Seconds without a write after which a session counts as ended, as for the worker."""

UNTRUSTED = (
    "Cortex: this project's memory is not trusted, so it is not injected. Read it with `cortex "
    "list`, then run `cortex trust`."
)

NOT_BELIEVED = (
    "Cortex: {}. Nothing of it is read, and nothing is remembered here. If you know what is in it, "
    "run `cortex trust`; if not, move it away."
)


def answer(word: str, data: bytes, agent: str = "claude") -> bytes:
    """Do what the event in `data` asks for; the output to print, or nothing.

    Args:
        word: the event's name as the command line gave it.
        agent: whose hook this is, by the name of its package in `cortex_core.agents`.
    """
    payload = _payload(data)
    agent = agent if payload is None else sender(agent, payload)
    if payload is None or "hooks" not in AGENTS.get(agent, ()):
        return b""
    hooks: Hooks = importlib.import_module(f"cortex_core.agents.{agent}.hooks")
    # What is no event of ours costs a session nothing more than this.
    call = hooks.call(word, payload, os.environ)
    if call is None:
        return b""
    project = None
    try:
        project = _project(call)
        if call.problem:
            raise ValueError(call.problem)
        switch = _said(project, f"agents.{agent}", "on")
        if switch == "off" or (switch == "recall" and call.event not in hook_words.ANSWERED):
            return b""
        call.is_learned_from = switch == "on"
        answered = _HANDLERS[call.event](project, call, hooks)
        return hooks.answer(call, answered) if answered else b""
    except Exception as error:
        _log(project, f"{call.event}: {type(error).__name__}: {error}{_location(error)}")
        return b""


def _said(project: Project, setting: str, default: str) -> str:
    """What a setting says: `agents.NAME` is `on`, `recall` or `off`."""
    files = [os.path.join(folder, "config.toml") for folder in (project.home, project.data)]
    # The settings are loaded only where a file may have this one: a hook is to be quick.
    if not any(setting.rpartition(".")[2] in hook_io.read(file) for file in files):
        return default
    from cortex_core.base import config

    return str(config.in_effect(project).get(setting))


def _payload(data: bytes) -> dict[str, Any] | None:
    try:
        payload = hook_io.loads(data.decode("utf-8", "replace").replace("\0", ""))
    except ValueError:
        return None
    return payload if isinstance(payload, dict) else None


def _project(call: HookCall) -> Project:
    """The project of the session: of the folder it was started in, else of its current folder."""
    current = find(call.folder or None)
    if call.started_in and os.path.isdir(call.started_in):
        started = find(call.started_in)
        return started if started.root != current.root else current
    return current


def _session_start(project: Project, call: HookCall, hooks: Hooks) -> HookAnswer | None:
    from cortex_core.surface import cache, given

    if _is_answered(project, call):
        return None
    now = time.time()
    session, source = call.context, call.source
    if source == "fork":
        given.inherit_from_fork(project, session, now)
        _wake_worker(project, call, hooks)
        return None
    if source != "resume":
        given.record_alone(project, session, given.RESET, now)
    surface = cache.load(project, now)
    problem = spool.problem(project, lasting=True)
    held = given.injected_ids(project, session).keys() if source == "resume" else set()
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
    _record_injection(project, session, call.event, injection, now)
    _wake_worker(project, call, hooks)
    # What a resumed session was asked is in its transcript.
    warning, new = cache.asides(project, now)
    asked = "" if source == "resume" else _asked(project, call, hooks, new)
    notes = (warning, "" if project.doubt else given.take_receipt(project))
    return HookAnswer(
        "\n\n".join(filter(None, (injection.text, asked))), _message(project, problem, notes)
    )


def _asked(project: Project, call: HookCall, hooks: Hooks, new: Sequence[str] = ()) -> str:
    """When the agent is to write down what it learned; empty if it is not asked to.

    Args:
        new: ids of the user's rules whose calls it is to name.
    """
    from cortex_core.hook_events import asking

    if _is_untrusted(project) or not call.is_learned_from:
        return ""
    return asking.paragraph(project, hooks, _said(project, ASKS, "ask"), new)


def _subagent_start(project: Project, call: HookCall, hooks: Hooks) -> HookAnswer | None:
    from cortex_core.surface import given

    asked, now = _asked(project, call, hooks), time.time()
    injection = given.Injection()
    if call.prompt:
        from cortex_core.surface import prompt

        injection = prompt.composed(project, call.prompt, now, is_task=True).injection
    words = "\n\n".join(filter(None, (injection.text, asked)))
    if not words or _is_answered(project, call):
        return None
    _record_injection(project, call.context, call.event, injection, now)
    return HookAnswer(words)


def _message(project: Project, problem: str, notes: Sequence[str]) -> str:
    """What the user has to know at a session's start; mostly nothing."""
    silent = f"Cortex: nothing of this session will be remembered until this is repaired. {problem}"
    stranger = NOT_BELIEVED.format(project.doubt) if project.doubt else ""
    untrusted = UNTRUSTED if _is_untrusted(project) else ""
    return "\n".join(filter(None, (stranger, untrusted, *notes, silent if problem else "")))


def _prompt(project: Project, call: HookCall, _hooks: Hooks) -> HookAnswer | None:
    if not call.prompt:
        return None
    from cortex_core.surface import given, prompt

    now = time.time()
    held = given.injected_ids(project, call.context)
    session = call.context.partition("/")[0]
    injection = prompt.composed(project, call.prompt, now, held, session=session).injection
    if injection.text and _is_answered(project, call):
        return None
    _record_injection(project, call.context, call.event, injection, now)
    return HookAnswer(injection.text) if injection.text else None


def _tool(project: Project, call: HookCall, _hooks: Hooks) -> HookAnswer | None:
    """The rules for this very call, and what is known about the file that it is about."""
    from cortex_core.base.tools import path_of
    from cortex_core.surface import call_table, given, opened_files
    from cortex_core.triggers import guard

    if not call.tool:
        return None
    if call.learn_call:
        from cortex_core.hook_events import asking

        asking.note_call(project, call)
    now, context = time.time(), call.context
    table = call_table.read(project)
    listed = [rule for of_scope in table["rules"].values() for rule in of_scope]
    for tool, tool_input in ((call.tool, call.tool_input), *call.also):
        lines, ids, decision, reason = guard.answer(
            project,
            listed,
            tool,
            tool_input,
            now,
            lambda: given.times(project, context, guard.EVENT),
        )
        if lines or decision:
            break
    if not (call.takes_text or decision):
        return None
    of_team = {rule[0] for rule in table["rules"].get("team", ())}
    header = guard.HEADER if of_team.isdisjoint(ids) else guard.TEAM_HEADER
    recalled, about = _recalled(lines, ids, header), given.Injection()
    if path := path_of(call.tool, call.tool_input):
        held = {*given.injected_ids(project, context), *ids}
        about = opened_files.about(project, path, now, held, table)
    text = "\n".join(filter(None, (recalled.text, about.text)))
    # Only an answer is worth a look at what was answered before.
    if not (text or decision) or _is_answered(project, call):
        return None
    _record_injection(project, context, guard.EVENT, recalled, now)
    _record_injection(project, context, call.event, about, now)
    return HookAnswer(text, decision=decision, reason=reason)


def _recalled(lines: list[str], ids: list[str], header: str) -> Injection:
    """The text of the rules that are recalled with a call."""
    from cortex_core.surface.given import Injection

    if not lines:
        return Injection()
    from cortex_core.base import text
    from cortex_core.surface import wording

    words = wording.fenced("\n".join(lines), header)
    return Injection(words, ids, text.tokens(words), list(map(text.tokens, lines)))


def _spool(project: Project, call: HookCall, hooks: Hooks) -> HookAnswer | None:
    """Record the event and start the worker; after an answer the agent may be asked to go on."""
    if _is_answered(project, call):
        return None
    if spool.add(project, call):
        from cortex_core.hook_events import worker_start

        worker_start.start_worker(project)
    if call.event != hook_words.STOP or _is_untrusted(project):
        return None
    from cortex_core.hook_events import asking

    words = asking.request(project, call, hooks, _said(project, ASKS, "ask"))
    return HookAnswer(words) if words else None


def _is_answered(project: Project, call: HookCall) -> bool:
    """Whether another way of installation handles this event; asked only where there is an answer,
    so that a call that gets none loads less."""
    from cortex_core.hook_events import firings

    return firings.is_duplicate(project, call)


_HANDLERS: Mapping[str, Callable[[Project, HookCall, Hooks], HookAnswer | None]] = {
    hook_words.START: _session_start,
    hook_words.PROMPT: _prompt,
    hook_words.TOOL: _tool,
    hook_words.STOP: _spool,
    hook_words.SUBAGENT_START: _subagent_start,
    hook_words.SUBAGENT_STOP: _spool,
    hook_words.COMPACTION: _spool,
    hook_words.END: _spool,
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
            given.record(project, session, event, injection, now)
        elif event == hook_words.PROMPT:
            given.record_alone(project, session, event, now)
    except Exception as error:
        _log(project, f"receipt: {type(error).__name__}: {error}")


def _wake_worker(project: Project, call: HookCall, hooks: Hooks) -> None:
    """Start the worker if there may be something to capture."""
    try:
        if project.doubt or is_paused(project):
            return
        if spool.is_waiting(project) or hooks.may_be_unread(call, _last_run(project) - IDLE):
            from cortex_core.hook_events import worker_start

            worker_start.start_worker(project)
    except Exception as error:
        _log(project, f"worker: {type(error).__name__}: {error}")


def _last_run(project: Project) -> float:
    """When the worker ran last, Unix seconds; 0 if it never did."""
    try:
        return os.stat(spool.lock_path(project)).st_mtime
    except OSError:
        return 0.0


def _is_untrusted(project: Project) -> bool:
    """Whether the project has a store that is not injected, because it came from elsewhere."""
    from cortex_core.base import trust

    store = project.project_db
    return store is not None and os.path.exists(store) and not trust.granted(project)


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
