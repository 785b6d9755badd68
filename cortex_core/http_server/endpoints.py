"""The token that a client of the HTTP server has to know: a file that its user alone can read.

Who is let in: requests of this machine, that name it, know the token and are of sensible size.

The four endpoints: search, context, store, extract. Each calls one verb and shapes its answer.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import tempfile
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple, cast

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from cortex_core import shapes
from cortex_core.agent_access import SEEN, Access
from cortex_core.base import hook_io
from cortex_core.base.errors import CortexError, UsageError
from cortex_core.capture import sessions
from cortex_core.types import RECALL_MODES, SCOPES, Where
from cortex_core.types import Scope as types_Scope

FILE = "http-token"
LEAST = 32
"""Characters of a token that somebody has not shortened."""


def path(home: str) -> Path:
    """Where the token lies."""
    return Path(home, FILE)


def ensure(home: str, *, fresh: bool = False) -> str:
    """The token, made where there is none; with `fresh` always a new one.

    Raises:
        CortexError: the file cannot be used: it is another user's, a link, or cannot be written.
    """
    file = path(home)
    try:
        known = "" if fresh else _read(file)
        if known:
            return known
        os.makedirs(home, mode=0o700, exist_ok=True)  # noqa: PTH103
        made = secrets.token_urlsafe(32)
        hook_io.replace(str(file), f"{made}\n")
        return made
    except OSError as error:
        raise CortexError(
            f"{file} cannot be used: {error.strerror or error}. No port was opened. Make its "
            "folder writable, or choose another folder with CORTEX_HOME."
        ) from error


def _read(file: Path) -> str:
    """The token in the file; empty where there is none that may be relied on."""
    if file.is_symlink() or not file.exists():
        return ""
    state = file.stat()
    if os.name == "posix" and (state.st_uid != os.getuid() or state.st_mode & 0o077):
        return ""  # others may know it: a new one takes its place
    held = file.read_text(encoding="ascii", errors="replace").strip()
    return held if len(held) >= LEAST else ""


NAMES = ("127.0.0.1", "localhost", "[::1]")

ONCE = ("Host", "Authorization", "Content-Length", "Content-Type", "Origin")
"""Headers that no honest client sends twice."""

LONGEST_QUERY = 8_192
"""Characters of a path with its query."""


class Json(Response):
    """A JSON answer that nobody may cache and after which the connection ends."""

    media_type = "application/json; charset=utf-8"

    def __init__(
        self, content: Any, status_code: int = HTTPStatus.OK, headers: dict[str, str] | None = None
    ) -> None:
        fixed = {
            "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Connection": "close",
        }  # fmt: skip
        super().__init__(content, status_code, {**fixed, **(headers or {})})

    def render(self, content: Any) -> bytes:
        """One line of JSON in UTF-8."""
        words = json.dumps(content, ensure_ascii=False, default=str)
        return words.encode("utf-8", "replace") + b"\n"


class Refused(Exception):
    """A request that is not answered, and why."""

    def __init__(self, status: HTTPStatus, message: str, **headers: str) -> None:
        super().__init__(message)
        self.answer = Json({"error": message}, status, headers)


class Guard:
    """Middleware that passes on only what a client with the token sent to this very port."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app = app
        self._port = port
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with the reason why not."""
        try:
            self._check(Headers(scope=scope))
            if len(scope["raw_path"]) + 1 + len(scope["query_string"]) > LONGEST_QUERY:
                raise Refused(HTTPStatus.REQUEST_URI_TOO_LONG, "The query is too long.")
        except Refused as refused:
            await refused.answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _check(self, headers: Headers) -> None:
        # Starlette's TrustedHostMiddleware does not do: it ignores the port, and answers in text.
        if any(len(headers.getlist(name)) > 1 for name in ONCE):
            raise Refused(HTTPStatus.BAD_REQUEST, "A header occurs twice.")
        if headers.get("Host", "").strip().lower() not in {
            f"{name}:{self._port}" for name in NAMES
        }:
            raise Refused(HTTPStatus.FORBIDDEN, f"The Host must be 127.0.0.1:{self._port}.")
        if headers.get("Origin") or headers.get("Sec-Fetch-Site", "none") not in ("none", ""):
            raise Refused(HTTPStatus.FORBIDDEN, "Requests from web pages are refused.")
        scheme, _, given = headers.get("Authorization", "").partition(" ")
        known = hmac.compare_digest(given.strip().encode("utf-8", "replace"), self._token)
        if scheme.lower() != "bearer" or not known:
            raise Refused(
                HTTPStatus.UNAUTHORIZED,
                "Send the token: Authorization: Bearer TOKEN. `cortex serve` prints its file.",
                **{"WWW-Authenticate": "Bearer"},
            )


async def body(request: Request, most: int) -> dict[str, Any]:
    """The JSON object that a request holds, of at most `most` bytes.

    Raises:
        Refused: its length is not said or too large, or it is not a JSON object.
    """
    if request.headers.get("Transfer-Encoding"):
        raise Refused(
            HTTPStatus.LENGTH_REQUIRED, "Send a Content-Length; chunked bodies are not accepted."
        )
    length = request.headers.get("Content-Length", "")
    if not length.isascii() or not length.isdigit():
        raise Refused(HTTPStatus.LENGTH_REQUIRED, "Send a Content-Length.")
    if int(length[:20]) > most:
        raise Refused(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body may have at most {most:,} bytes."
        )
    kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send application/json.")
    try:
        found = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise Refused(HTTPStatus.BAD_REQUEST, "The body is not valid JSON.") from None
    if not isinstance(found, dict):
        raise Refused(HTTPStatus.BAD_REQUEST, "The body must be a JSON object.")
    return found


Answer = dict[str, Any]
Query = Mapping[str, Sequence[str]]

MOST_HITS = 100
HIGHEST = 9
"""Priority that a client may give; the top one is a user's."""


def search(access: Access, query: Query, _body: Answer) -> Answer:
    """`GET /api/memory/search?q=…`: memories that answer a question, best first.

    Besides `q`: `kind` (or `type`) and `tag`, both repeatable, `scope`, `limit`, `mode`, `file`,
    `since`, `until`, `include_archived`.
    """
    asked = _one(query, "q") or _one(query, "query")
    if not asked.strip():
        raise UsageError("The query is missing: ?q=…")
    mode = _one(query, "mode") or "hybrid"
    if mode not in RECALL_MODES:
        raise UsageError(f"mode must be one of {', '.join(RECALL_MODES)}.")
    scope = cast(Where, _one(query, "scope") or "all")
    found = access.within(scope).recall(
        asked, limit=_number(query, "limit", 10, MOST_HITS),
        kinds=[*query.get("kind", ()), *query.get("type", ())], scope=scope,
        tags=query.get("tag", ()), file=_one(query, "file") or None,
        since=_one(query, "since") or None, until=_one(query, "until") or None,
        mode=mode,
        statuses=SEEN if _is_true(query, "include_archived") else ("active",),
    )  # fmt: skip
    return {
        "query": asked, "hits": [shapes.hit(hit) for hit in found.hits],
        "degraded": found.degraded, "corrected": dict(found.corrected),
    }  # fmt: skip


def context(access: Access, query: Query, _body: Answer) -> Answer:
    """`GET /api/memory/context`: what a session would be given at its start.

    With `prompt` what would be given with that prompt, with `file` when that file is opened.
    """
    given = access.within("all").surface(
        prompt=_one(query, "prompt") or None, file=_one(query, "file") or None
    )
    return {
        "context": given.text, "tokens": given.tokens,
        "memories": [shapes.surface_line(line) for line in given.lines],
    }  # fmt: skip


def store(access: Access, _query: Query, body: Answer) -> Answer:
    """`POST /api/memory/store`: keep one memory.

    `content` is needed; `kind` (or `type`), `title`, `priority` 1 to 9, `tags`, `files`,
    `confidence` (or `relevance`) 0 to 1 and `scope` are not. Secrets are taken out.
    """
    known = {"content", "kind", "type", "title", "priority", "tags", "files", "confidence",
             "relevance", "scope"}  # fmt: skip
    if unknown := sorted(set(body) - known):
        raise UsageError(f"There is no field {unknown[0]!r}. Fields: {', '.join(sorted(known))}.")
    scope = body.get("scope")
    if scope is not None and scope not in SCOPES:
        raise UsageError(f"scope must be one of {', '.join(SCOPES)}.")
    priority = _typed(body, "priority", int, 5)
    if not 1 <= priority <= HIGHEST:
        raise UsageError(f"priority must be 1 to {HIGHEST}; only the user can set a higher one.")
    confidence = _typed(body, "confidence", float, _typed(body, "relevance", float, 0.9))
    cortex = access.within("global" if scope == "global" else "all")
    kept = cortex.remember(
        _typed(body, "content", str, ""), title=_typed(body, "title", str, "") or None,
        kind=_typed(body, "kind", str, "") or _typed(body, "type", str, "") or "fact",
        priority=priority, tags=_texts(body, "tags"), files=_texts(body, "files"),
        scope=cast("types_Scope | None", scope), confidence=confidence, actor="agent",
    )  # fmt: skip
    return {"memory": shapes.memory(kept)}


def extract(access: Access, _query: Query, body: Answer) -> Answer:
    """`POST /api/memory/extract`: learn from a session.

    Of `path` (a transcript in the client's own folder), `transcript` (its lines as one text) and
    `messages` (`[{"role","content"}, …]`) one is needed. What was read before is not stored twice.
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
        text = _typed(body, "transcript", str, "")
    else:
        text = _lines(body["messages"], cortex.project.root or cortex.project.cwd)
    with tempfile.TemporaryDirectory(prefix="cortex-") as folder:
        path = Path(folder, f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.jsonl")
        path.write_text(text, encoding="utf-8", newline="")
        return _learn(access, path)


def _learn(access: Access, path: Path) -> Answer:
    entry, admitted = access.cortex.sessions.capture(path, event="http", final=True, actor="agent")
    return {
        "ledger": shapes.ledger_entry(entry), "stored": list(admitted.stored),
        "suggested": list(admitted.suggested), "quarantined": len(admitted.quarantined),
        "merged": list(admitted.merged), "refused": dict(admitted.refused),
    }  # fmt: skip


def _transcript(name: str) -> Path:
    """The transcript called `name`, which has to be one of the client's."""
    path, top = Path(name).expanduser().resolve(), sessions.root().resolve()
    if not path.is_relative_to(top) or path.suffix != ".jsonl" or not path.is_file():
        raise UsageError(f"The path must be a transcript below {top}.")
    return path


def _lines(messages: Any, folder: str) -> str:
    """A transcript's lines made of plain messages, the same for the same ones."""
    if not isinstance(messages, list):
        raise UsageError("messages must be a list of objects with role and content.")
    session = hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()[:32]
    told = []
    for place, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else None
        if role not in ("user", "assistant") or not isinstance(message.get("content"), str):
            raise UsageError(f"Message {place} needs a role, user or assistant, and a content.")
        record = {
            "type": role, "uuid": f"{session}-{place}", "sessionId": session, "cwd": folder,
            "isSidechain": False,
            "message": {"role": role, "content": _content(role, message["content"])}
            | ({"id": f"{session}-{place}"} if role == "assistant" else {}),
        }  # fmt: skip
        told.append(json.dumps(record))
    return "\n".join(told) + "\n"


def _content(role: str, text: str) -> str | list[dict[str, str]]:
    return text if role == "user" else [{"type": "text", "text": text}]


def _one(query: Query, name: str) -> str:
    return next(iter(query.get(name, ())), "")


def _is_true(query: Query, name: str) -> bool:
    return _one(query, name).lower() in ("1", "true", "yes")


def _number(query: Query, name: str, usual: int, most: int) -> int:
    told = _one(query, name)
    if not told:
        return usual
    if not told.isascii() or not told.isdigit() or not 1 <= int(told[:9]) <= most:
        raise UsageError(f"{name} must be a whole number from 1 to {most}.")
    return int(told)


def _typed(body: Answer, name: str, kind: type, usual: Any) -> Any:
    value = body.get(name, usual)
    right = (kind, int) if kind is float else (kind,)
    if not isinstance(value, right) or isinstance(value, bool):
        raise UsageError(f"{name} has the wrong type.")
    return value


def _texts(body: Answer, name: str) -> list[str]:
    value = body.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise UsageError(f"{name} must be a list of texts.")
    return value


class Endpoint(NamedTuple):
    """One method of one path."""

    method: str
    answer: Callable[[Access, Query, Answer], Answer]
    most: int
    """Bytes of its body."""


ENDPOINTS: Mapping[str, Endpoint] = {
    "/api/memory/search": Endpoint("GET", search, 0),
    "/api/memory/context": Endpoint("GET", context, 0),
    "/api/memory/store": Endpoint("POST", store, 1 << 20),
    "/api/memory/extract": Endpoint("POST", extract, 16 << 20),
}
"""Every endpoint there is."""
