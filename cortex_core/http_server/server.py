"""The HTTP server: a loopback port, who is answered there, and how errors are said in JSON.

A caller is on this machine, names it in the Host header, and has the token. Concurrent and slow
requests are limited.
"""

from __future__ import annotations

import hmac
import json
import signal
import threading
from collections.abc import Callable
from email.message import Message
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cortex_core.agent_access import Access, Untrusted
from cortex_core.base import log
from cortex_core.base.errors import CortexError, NotFound, UsageError, of_reading
from cortex_core.http_server.endpoints import ENDPOINTS, Refused
from cortex_core.redaction.secrets import redact

HOST = "127.0.0.1"
"""The loopback address, which other machines cannot reach."""

HOST_NAMES = (HOST, "localhost", "[::1]")

ONCE = ("Host", "Authorization", "Content-Length", "Content-Type", "Origin")
"""Headers that may occur only once."""

LONGEST_QUERY = 8_192
"""Characters of a path with its query."""

AT_ONCE = 16
"""Maximum number of requests in progress."""

_STATUSES: dict[type[Exception], HTTPStatus] = {
    UsageError: HTTPStatus.BAD_REQUEST,
    NotFound: HTTPStatus.NOT_FOUND,
    Untrusted: HTTPStatus.FORBIDDEN,
    CortexError: HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""The HTTP status of each error; the most specific class counts."""


class Handler(BaseHTTPRequestHandler):
    """One request: checked, answered by its endpoint, and always in JSON."""

    server: Server
    server_version, sys_version = "cortex", ""
    protocol_version = "HTTP/1.1"
    timeout = 5.0
    """Seconds that a caller may pause in the middle of a request."""

    def do_GET(self) -> None:
        """Answer the request, or say why not."""
        access = self.server.access
        if not self.server.free.acquire(blocking=False):
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, "Too many requests at once.")
            return
        status, headers = HTTPStatus.OK, dict[str, str]()
        try:
            answer = self._answer(access)
        except Refused as refused:
            status, headers, answer = refused.status, refused.headers, {"error": str(refused)}
        except CortexError as error:
            status = next(_STATUSES[kind] for kind in type(error).__mro__ if kind in _STATUSES)
            answer = {
                "error": str(error) if self.command == "POST" else of_reading(str(error)),
            }
        except (TimeoutError, ConnectionError):
            raise  # the caller is gone
        except Exception as error:
            # What a caller sent may be in it, so it goes to the project's log, without secrets.
            log.write(access.cortex.project, redact(f"http: {type(error).__name__}: {error}").text)
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            answer = {"error": "Internal error. The traceback is in the project's log."}
        finally:
            access.cortex.close()  # this thread's connections
            self.server.free.release()
        self._send(status, answer, headers)

    # Every known method is answered by its endpoint, or with 405; any other one with 501.
    do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_GET

    def _answer(self, access: Access) -> dict[str, Any]:
        check(self.headers, self.server.port, self.server.token)
        if len(self.path) > LONGEST_QUERY:
            raise Refused(HTTPStatus.REQUEST_URI_TOO_LONG, "The query is too long.")
        url = urlsplit(self.path)
        endpoint = ENDPOINTS.get(url.path)
        if endpoint is None:
            raise Refused(
                HTTPStatus.NOT_FOUND, f"Unknown endpoint. Endpoints: {', '.join(ENDPOINTS)}."
            )
        if self.command != endpoint.method:
            raise Refused(
                HTTPStatus.METHOD_NOT_ALLOWED, f"Use {endpoint.method}.", Allow=endpoint.method
            )
        given: dict[str, Any] = {}
        if endpoint.most:
            given = self._body(endpoint.most)
        return endpoint.answer(access, parse_qs(url.query), given)

    def _body(self, most: int) -> dict[str, Any]:
        """The JSON object in the body of the request, of at most so many bytes.

        Raises:
            Refused: its length is not stated or more, or it is none.
        """
        length = self.headers.get("Content-Length", "")
        is_number = length.isascii() and length.isdigit()
        is_stated = is_number and not self.headers.get("Transfer-Encoding")
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        _refuse(
            (
                not is_stated,
                HTTPStatus.LENGTH_REQUIRED,
                "Send a Content-Length; chunked bodies are not accepted.",
            ),
            (
                # Twenty digits are more than any size; int() raises an error for thousands.
                is_stated and int(length[:20]) > most,
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"The body may have at most {most:,} bytes.",
            ),
            (
                kind != "application/json",
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                "Send application/json.",
            ),
        )
        try:
            content = json.loads(self.rfile.read(int(length)), parse_constant=int)  # no NaN
        except (ValueError, RecursionError):
            raise Refused(HTTPStatus.BAD_REQUEST, "The body is not valid JSON.") from None
        if not isinstance(content, dict):
            raise Refused(HTTPStatus.BAD_REQUEST, "The body must be a JSON object.")
        return content

    def _send(
        self, status: int, content: dict[str, Any], headers: dict[str, str] | None = None
    ) -> None:
        """One line of JSON in UTF-8, which is not cached; the connection is closed after it."""
        line = json.dumps(content, ensure_ascii=False, default=str)
        data = line.encode("utf-8", "replace") + b"\n"
        always = {
            "Content-Type": "application/json; charset=utf-8",
            "Content-Length": str(len(data)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Connection": "close",
        }
        self.send_response(status)
        for name, value in {**always, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else data)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a malformed request in JSON, like all others."""
        self._send(code, {"error": message or HTTPStatus(code).phrase})

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: a query may be private."""


def _refuse(*problems: tuple[object, HTTPStatus, str]) -> None:
    """Refuse a request for the first of these problems that it has."""
    for is_so, status, why in problems:
        if is_so:
            raise Refused(status, why)


def check(headers: Message, port: int, token: str) -> None:
    """Let only requests with the token pass that were sent to this port by name.

    Raises:
        Refused: any other.
    """
    named = headers.get("Host", "").strip().lower() in {f"{name}:{port}" for name in HOST_NAMES}
    is_page = headers.get("Origin") or headers.get("Sec-Fetch-Site", "none") not in ("none", "")
    is_twice = any(len(headers.get_all(name, ())) > 1 for name in ONCE)
    # The parser of the standard library passes over what is no header.
    is_malformed = headers.defects or any("\0" in value for value in headers.values())
    _refuse(
        (is_malformed, HTTPStatus.BAD_REQUEST, "A header is malformed."),
        (is_twice, HTTPStatus.BAD_REQUEST, "A header occurs twice."),
        (not named, HTTPStatus.FORBIDDEN, f"The Host must be {HOST}:{port}."),
        (is_page, HTTPStatus.FORBIDDEN, "Requests from web pages are refused."),
    )
    scheme, _, given = headers.get("Authorization", "").partition(" ")
    known = hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode())
    if scheme.lower() != "bearer" or not known:
        raise Refused(
            HTTPStatus.UNAUTHORIZED,
            "Send the token: Authorization: Bearer TOKEN. `cortex serve` prints its file.",
            **{"WWW-Authenticate": "Bearer"},
        )


class Server(ThreadingTCPServer):
    """An HTTP server on the loopback address, for one project."""

    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, access: Access, token: str, port: int) -> None:
        """Open the port; 0 chooses a free one.

        Raises:
            CortexError: it cannot be opened.
        """
        self.access, self.token = access, token
        self.free = threading.BoundedSemaphore(AT_ONCE)
        try:
            super().__init__((HOST, port), Handler)
        except (OSError, OverflowError) as error:
            raise CortexError(
                f"Port {port} cannot be opened: {error}. Nothing was started. End the program that "
                "uses it, or choose another port with --port."
            ) from error

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing is said of a caller that is gone: nobody reads it."""


def serve(project: str | None, token: str, port: int, say: Callable[[Server], None]) -> None:
    """Serve until SIGTERM or SIGINT, then finish the requests in progress.

    Args:
        say: called when the port is open.

    Raises:
        CortexError: the port cannot be opened, or the configuration has a mistake.
    """
    with Server(Access(project), token, port) as server:
        _ = server.access.cortex  # a mistake in the configuration is reported now, not to a caller
        numbers = (signal.SIGTERM, signal.SIGINT)
        for number in numbers:
            # From a thread: the loop that is to end runs in the one that gets the signal.
            signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
        say(server)
        server.serve_forever()
        for number in numbers:
            # A second signal ends the process although requests are in progress.
            signal.signal(number, signal.SIG_DFL)
