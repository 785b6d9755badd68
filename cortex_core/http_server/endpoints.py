"""The four endpoints (search, context, store, extract), and the token of those who may call them.

Each endpoint calls one verb and shapes its result. The token is in a file that only the user can
read.
"""

import hashlib
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core import agents
from cortex_core.agent_access import HIGHEST_PRIORITY, VISIBLE, Access
from cortex_core.agents.transcripts import found
from cortex_core.base import hook_io
from cortex_core.base.errors import CortexError, UsageError
from cortex_core.exchange.typed_values import Values
from cortex_core.records.as_json import to_json
from cortex_core.records.memory import OWN_SCOPES, RECALL_MODES, SCOPES, FilterOptions, Scope, Where
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
    given = _first(query)
    words = given.text("q") or given.text("query")
    if not words.strip():
        raise UsageError("The query is missing: ?q=…")
    mode = given.one_of("mode", RECALL_MODES, "hybrid")
    scope: Where = given.one_of("scope", (*SCOPES, "all"), "all")
    # Names of parameters are those of the command line; a repeated one is a list.
    wanted: FilterOptions = {
        "kinds": [*query.get("kind", ()), *query.get("type", ())],
        "tags": query.get("tag", ()),
        "file": given.text("file") or None,
        "since": given.text("since") or None,
        "until": given.text("until") or None,
    }
    if given.flag("include_archived", False):
        wanted["statuses"] = VISIBLE
    found = access.within(scope).recall(
        words,
        limit=int(given.number("limit", 10, 1, MOST_HITS)),
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
    given = _first(query)
    surface = access.within("all").surface(
        prompt=given.text("prompt") or None, file=given.text("file") or None
    )
    return {
        "context": surface.text,
        "tokens": surface.tokens,
        "memories": [to_json(line) for line in surface.lines],
    }


FIELDS_STORED = frozenset(
    "content kind type title priority tags files confidence relevance scope".split()
)
"""What a caller may say of a memory."""


def store(access: Access, _query: Query, body: Payload) -> Payload:
    """`POST /api/memory/store`: store one memory.

    `content` is required; `kind` (or `type`), `title`, `priority` 1 to 9, `tags`, `files`,
    `confidence` (or `relevance`) 0 to 1 and `scope` are optional. Secrets are removed. `near` are
    the memories that it may take the place of.
    """
    # A misspelt optional field would be dropped in silence, and the memory stored with a default.
    if unknown := sorted(body.keys() - FIELDS_STORED):
        listed = ", ".join(sorted(FIELDS_STORED))
        raise UsageError(f"There is no field {unknown[0]!r}. Fields: {listed}.")
    given = Values(body)
    scope: Scope | None = given.one_of("scope", OWN_SCOPES, None)
    cortex = access.within("global" if scope == "global" else "all")
    near = cortex.graph.near(given.text("content"), scope)
    memory = cortex.remember(
        given.text("content"),
        title=given.text("title") or None,
        kind=given.text("kind") or given.text("type") or "fact",
        priority=int(given.number("priority", 0, 1, HIGHEST_PRIORITY)) or None,
        tags=given.texts("tags"),
        files=given.texts("files"),
        scope=scope,
        confidence=given.number("confidence", given.number("relevance", 0.9, 0, 1), 0, 1),
        actor="agent",
    )
    return {
        "memory": to_json(memory),
        "near": [{"id": one.id, "title": one.title} for one in near],
    }


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
            HTTPStatus.CONFLICT,
            "Capture is paused in this project. Resume it with: cortex pause --off",
        )
    if given == ["path"]:
        return _learn(access, _transcript(Values(body).text("path")))
    if given == ["transcript"]:
        # A text in JSON may hold half a character, which no file can.
        text = Values(body).text("transcript").encode("utf-8", "replace").decode()
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


def _first(query: Query) -> Values:
    """The first value of each parameter."""
    return Values({name: listed[0] for name, listed in query.items()})


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
