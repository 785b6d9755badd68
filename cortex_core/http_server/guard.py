"""The token that a client of the HTTP server has to know: a file that its user alone can read.

Who is let in: requests of this machine, that name it, know the token and are of sensible size.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from cortex_core.base import hook_io
from cortex_core.base.errors import CortexError

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
