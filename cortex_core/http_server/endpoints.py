"""The four endpoints (search, context, store, extract), and the token of those who may call them.

Each endpoint calls one verb and shapes its result. The token is in a file that only the user can
read.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple, cast

from cortex_core import agents
from cortex_core.agent_access import HIGHEST_PRIORITY, VISIBLE, Access
from cortex_core.agents.transcripts import found
from cortex_core.base import hook_io
from cortex_core.base.errors import CortexError, UsageError
from cortex_core.records.as_json import to_json
from cortex_core.records.memory import OWN_SCOPES, RECALL_MODES, FilterOptions, Scope, Where
from cortex_core.store import leftovers

FILE = "http-token"
LEAST = 32
"""Minimum characters of a token; a shorter one is replaced."""


def path(home: str) -> Path:
    """The path of the token's file."""
    return Path(home, FILE)


def ensure(home: str, *, fresh: bool = False) -> str:
    """The token, created if there is none; with `fresh` always a new one.

    Raises:
        CortexError: the file cannot be used: it is another user's, a link, or cannot be written.
    """
    file = path(home)
    try:
        known = "" if fresh else _read(file)
        if known:
            return known
        hook_io.private_folder(home)
        token = secrets.token_urlsafe(32)
        hook_io.replace(str(file), f"{token}\n")
        return token
    except OSError as error:
        raise CortexError(
            f"{file} cannot be used: {error.strerror or error}. No port was opened. Make its "
            "folder writable, or choose another folder with CORTEX_HOME."
        ) from error


def _read(file: Path) -> str:
    """The token in the file; empty if there is none that is safe to use."""
    if file.is_symlink() or not file.exists():
        return ""
    state = file.stat()
    if os.name == "posix" and (state.st_uid != os.getuid() or state.st_mode & 0o077):
        return ""  # others may know it, so it is replaced
    token = file.read_text(encoding="ascii", errors="replace").strip()
    return token if len(token) >= LEAST else ""


class Refused(Exception):
    """The request is refused with a status, for the reason that the message says."""

    def __init__(self, status: HTTPStatus, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status, self.headers = status, headers


Payload = dict[str, Any]
Query = Mapping[str, Sequence[str]]

MOST_HITS = 100


def search(access: Access, query: Query, _body: Payload) -> Payload:
    """`GET /api/memory/search?q=…`: memories that answer a question, best first.

    Besides `q`: `kind` (or `type`) and `tag`, both repeatable, `scope`, `limit`, `mode`, `file`,
    `since`, `until`, `include_archived`.
    """
    words = _value(query, "q") or _value(query, "query")
    if not words.strip():
        raise UsageError("The query is missing: ?q=…")
    mode = _value(query, "mode") or "hybrid"
    if mode not in RECALL_MODES:
        raise UsageError(f"mode must be one of {', '.join(RECALL_MODES)}.")
    scope = cast(Where, _value(query, "scope") or "all")
    # Names of parameters are those of the command line; a repeated one is a list.
    wanted: FilterOptions = {
        "kinds": [*query.get("kind", ()), *query.get("type", ())],
        "tags": query.get("tag", ()),
        "file": _value(query, "file") or None,
        "since": _value(query, "since") or None,
        "until": _value(query, "until") or None,
    }
    if _value(query, "include_archived").lower() in ("1", "true", "yes"):
        wanted["statuses"] = VISIBLE
    found = access.within(scope).recall(
        words,
        limit=_number(query, "limit", 10, MOST_HITS),
        scope=scope,
        mode=mode,
        actor="agent",
        **wanted,
    )
    return {
        "query": words,
        "hits": [to_json(hit) for hit in found.hits],
        "degraded": found.degraded,
        "corrected": dict(found.corrected),
    }


def context(access: Access, query: Query, _body: Payload) -> Payload:
    """`GET /api/memory/context`: what would be injected at session start.

    With `prompt`, what this prompt would get; with `file`, what opening this file would inject.
    """
    surface = access.within("all").surface(
        prompt=_value(query, "prompt") or None, file=_value(query, "file") or None
    )
    return {
        "context": surface.text,
        "tokens": surface.tokens,
        "memories": [to_json(line) for line in surface.lines],
    }


def store(access: Access, _query: Query, body: Payload) -> Payload:
    """`POST /api/memory/store`: store one memory.

    `content` is required; `kind` (or `type`), `title`, `priority` 1 to 9, `tags`, `files`,
    `confidence` (or `relevance`) 0 to 1 and `scope` are optional. Secrets are removed.
    """
    known = {
        "content",
        "kind",
        "type",
        "title",
        "priority",
        "tags",
        "files",
        "confidence",
        "relevance",
        "scope",
    }
    # A misspelt optional field would be dropped in silence, and the memory stored with a default.
    if unknown := sorted(set(body) - known):
        raise UsageError(f"There is no field {unknown[0]!r}. Fields: {', '.join(sorted(known))}.")
    scope = body.get("scope")
    if scope is not None and scope not in OWN_SCOPES:
        raise UsageError(f"scope must be one of {', '.join(OWN_SCOPES)}.")
    priority = _typed(body, "priority", int, 0) if "priority" in body else None
    if priority is not None and not 1 <= priority <= HIGHEST_PRIORITY:
        raise UsageError(
            f"priority must be 1 to {HIGHEST_PRIORITY}; only the user can set a higher one."
        )
    confidence = _typed(body, "confidence", float, _typed(body, "relevance", float, 0.9))
    cortex = access.within("global" if scope == "global" else "all")
    memory = cortex.remember(
        _typed(body, "content", str, ""),
        title=_typed(body, "title", str, "") or None,
        kind=_typed(body, "kind", str, "") or _typed(body, "type", str, "") or "fact",
        priority=priority,
        tags=_texts(body, "tags"),
        files=_texts(body, "files"),
        scope=cast("Scope | None", scope),
        confidence=confidence,
        actor="agent",
    )
    return {"memory": to_json(memory)}


def extract(access: Access, _query: Query, body: Payload) -> Payload:
    """`POST /api/memory/extract`: learn from a session.

    Send one of `path` (a transcript in Claude Code's own folder), `transcript` (its lines as one
    text) and `messages` (`[{"role","content"}, …]`). Nothing is stored twice. What a transcript of
    Claude Code does not say is suggested, not kept: only the caller says that the user said it.
    """
    given = [name for name in ("path", "transcript", "messages") if body.get(name)]
    if len(given) != 1:
        raise UsageError("Send one of path, transcript and messages.")
    cortex = access.within("all")
    if cortex.sessions.paused:
        raise Refused(
            HTTPStatus.CONFLICT, "Capture is paused in this project. Resume it with: cortex resume"
        )
    if given == ["path"]:
        return _learn(access, _transcript(_typed(body, "path", str, "")))
    if given == ["transcript"]:
        # A text in JSON may hold half a character, which no file can.
        text = _typed(body, "transcript", str, "").encode("utf-8", "replace").decode()
    else:
        text = _lines(body["messages"], cortex.project.root or cortex.project.cwd)
    with leftovers.scratch() as folder:
        path = Path(folder, f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.jsonl")
        path.write_text(text, encoding="utf-8", newline="")
        return _learn(access, path, claimed=True)


def _learn(access: Access, path: Path, claimed: bool = False) -> Payload:
    entry, admitted = access.cortex.sessions.capture(
        path, event="http", final=True, actor="agent", claimed=claimed
    )
    return {
        "ledger": to_json(entry),
        "stored": list(admitted.stored),
        "suggested": list(admitted.suggested),
        "quarantined": len(admitted.quarantined),
        "merged": list(admitted.merged),
        "refused": dict(admitted.refused),
    }


def _transcript(name: str) -> Path:
    """The transcript at the path `name`, which must be one that an agent keeps."""
    try:
        path = Path(name).expanduser().resolve()
        if path in (kept.resolve() for kept in found(path.name)):
            return path
    except (OSError, RuntimeError, ValueError):  # a path that no file can have
        pass
    raise UsageError("The path must be a transcript in the folder where an agent keeps its own.")


def _lines(messages: Any, folder: str) -> str:
    """The lines of a transcript with these messages; the same messages give the same lines."""
    if not isinstance(messages, list):
        raise UsageError("messages must be a list of objects with role and content.")
    for index, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else None
        if role not in ("user", "assistant") or not isinstance(message.get("content"), str):
            raise UsageError(f"Message {index} needs a role, user or assistant, and a content.")
    return str(agents.of("claude").samples.lines_of(messages, folder))


def _value(query: Query, name: str) -> str:
    return next(iter(query.get(name, ())), "")


def _number(query: Query, name: str, default: int, most: int) -> int:
    value = _value(query, name)
    if not value:
        return default
    if not value.isascii() or not value.isdigit() or not 1 <= int(value[:9]) <= most:
        raise UsageError(f"{name} must be a whole number from 1 to {most}.")
    return int(value)


def _typed(body: Payload, name: str, kind: type, default: Any) -> Any:
    value = body.get(name, default)
    accepted = (kind, int) if kind is float else (kind,)
    if not isinstance(value, accepted) or isinstance(value, bool):
        raise UsageError(f"{name} has the wrong type.")
    return value


def _texts(body: Payload, name: str) -> list[str]:
    value = body.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise UsageError(f"{name} must be a list of texts.")
    return value


class Endpoint(NamedTuple):
    """One method of one path."""

    method: str
    answer: Callable[[Access, Query, Payload], Payload]
    most: int
    """Maximum bytes of its body; 0: it takes none."""


ENDPOINTS: Mapping[str, Endpoint] = {
    "/api/memory/search": Endpoint("GET", search, 0),
    "/api/memory/context": Endpoint("GET", context, 0),
    "/api/memory/store": Endpoint("POST", store, 1 << 20),
    "/api/memory/extract": Endpoint("POST", extract, 16 << 20),
}
"""Every endpoint, by its path."""
