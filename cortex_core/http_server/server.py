"""The server itself: one connection a request, a bounded number at a time, a clean end."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cortex_core import logbook
from cortex_core.capture.secrets import redact
from cortex_core.errors import CortexError, NotFound, UsageError
from cortex_core.http_server import guard
from cortex_core.http_server.endpoints import ENDPOINTS
from cortex_core.http_server.guard import Refused
from cortex_core.mcp_server.access import UNTRUSTED, Access

HOST = "127.0.0.1"
"""The only address there is: nothing of another machine arrives here."""

PATIENCE = 5.0
"""Seconds that a client may keep silent in the middle of a request."""

AT_ONCE = 16
"""Requests that are worked on at a time."""


class Server(ThreadingHTTPServer):
    """An HTTP server on the loopback address, for one project."""

    daemon_threads = False
    block_on_close = True
    allow_reuse_address = True

    def __init__(self, access: Access, token: str, port: int) -> None:
        """Open the port; 0 takes any that is free.

        Raises:
            CortexError: it cannot be opened.
        """
        self.access = access
        self.token = token
        self.free = threading.BoundedSemaphore(AT_ONCE)
        try:
            super().__init__((HOST, port), Handler)
        except (OSError, OverflowError) as error:
            raise CortexError(
                f"Port {port} cannot be opened: {error}. Nothing was started. "
                "End what uses it, or choose another with --port."
            ) from error

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://{HOST}:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is no fault."""

    def fault(self, error: Exception) -> None:
        """Note what nobody foresaw in the project's log, without secrets."""
        told = redact(f"http: {type(error).__name__}: {error}").text
        logbook.write(self.access.cortex.project, told)


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    server_version = "cortex"
    sys_version = ""
    timeout = PATIENCE

    def handle_one_request(self) -> None:
        """Answer one request, if there is room for it."""
        if not self.server.free.acquire(blocking=False):
            self.close_connection = True
            self.requestline, self.request_version, self.command = "", "HTTP/1.0", ""
            self._say(HTTPStatus.SERVICE_UNAVAILABLE, {"error": "Too many requests at once."})
            return
        try:
            super().handle_one_request()
        finally:
            self.server.free.release()

    def do_GET(self) -> None:
        """Answer a request that reads."""
        self._serve()

    def do_POST(self) -> None:
        """Answer a request that writes."""
        self._serve()

    do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = do_POST

    def _serve(self) -> None:
        try:
            self._say(HTTPStatus.OK, self._answer())
        except Refused as refused:
            self._say(refused.status, {"error": refused.message}, refused.headers)
        except UsageError as error:
            self._say(HTTPStatus.BAD_REQUEST, {"error": str(error)})
        except NotFound as error:
            self._say(HTTPStatus.NOT_FOUND, {"error": str(error)})
        except CortexError as error:
            forbidden = str(error) == UNTRUSTED
            status = HTTPStatus.FORBIDDEN if forbidden else HTTPStatus.INTERNAL_SERVER_ERROR
            self._say(status, {"error": str(error)})
        except (TimeoutError, ConnectionError):
            self.close_connection = True
        except Exception as error:
            self.server.fault(error)
            told = "Cortex has a fault. Its traces are in the project's log."
            self._say(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": told})

    def _answer(self) -> dict[str, Any]:
        guard.check(self.headers, self.server.server_port, self.server.token)
        if len(self.path) > guard.LONGEST_QUERY:
            raise Refused(HTTPStatus.REQUEST_URI_TOO_LONG, "The query is too long.")
        asked = urlsplit(self.path)
        endpoint = ENDPOINTS.get(asked.path)
        if endpoint is None:
            raise Refused(
                HTTPStatus.NOT_FOUND, f"There is nothing here. Endpoints: {', '.join(ENDPOINTS)}."
            )
        if self.command != endpoint.method:
            raise Refused(
                HTTPStatus.METHOD_NOT_ALLOWED, f"Use {endpoint.method}.", Allow=endpoint.method
            )
        body: dict[str, Any] = {}
        if endpoint.most:
            body = guard.body(self._read(guard.length(self.headers, endpoint.most)))
        try:
            return endpoint.answer(self.server.access, parse_qs(asked.query), body)
        finally:
            self.server.access.cortex.close()  # this thread's connections

    def _read(self, length: int) -> bytes:
        data = self.rfile.read(length)
        if len(data) < length:
            raise Refused(HTTPStatus.BAD_REQUEST, "The body is shorter than was said.")
        return data

    def _say(
        self, status: HTTPStatus, told: dict[str, Any], headers: dict[str, str] | None = None
    ) -> None:
        data = json.dumps(told, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"
        self.send_response(status)
        fixed = {
            "Content-Type": "application/json; charset=utf-8", "Content-Length": str(len(data)),
            "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            "Connection": "close",
        }  # fmt: skip
        for name, value in {**fixed, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the library refuses by itself is told as JSON too."""
        self.close_connection = True
        self.command = getattr(self, "command", None) or ""
        self._say(HTTPStatus(code), {"error": message or HTTPStatus(code).phrase})

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: a query may be private."""


@contextmanager
def listening(project: str | None, token: str, port: int) -> Iterator[Server]:
    """A server with its port open, closed again at the end."""
    server = Server(Access(project), token, port)
    try:
        yield server
    finally:
        server.server_close()


def serve(project: str | None, token: str, port: int, say: Callable[[Server], None]) -> None:
    """Serve until SIGTERM or SIGINT, then answer what has begun and end.

    Args:
        say: told once the port is open.

    Raises:
        CortexError: the port cannot be opened, or the configuration has a mistake.
    """
    with listening(project, token, port) as server:
        _ = server.access.cortex  # a mistake in the configuration is told now, not to a client

        def end(_number: int, _frame: object) -> None:
            threading.Thread(target=server.shutdown).start()

        before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            say(server)
            server.serve_forever(poll_interval=0.2)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
