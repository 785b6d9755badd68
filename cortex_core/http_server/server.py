"""The HTTP server: uvicorn on a loopback port, and the Starlette application with its errors.

It limits concurrent and slow requests, and shuts down cleanly.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from cortex_core.agent_access import Access, Untrusted
from cortex_core.base import log
from cortex_core.base.errors import CortexError, NotFound, UsageError
from cortex_core.http_server.endpoints import ENDPOINTS, Endpoint, Guard, Json, Refused, body
from cortex_core.redaction.secrets import redact

_STATUSES: dict[type[CortexError], HTTPStatus] = {
    UsageError: HTTPStatus.BAD_REQUEST,
    NotFound: HTTPStatus.NOT_FOUND,
    Untrusted: HTTPStatus.FORBIDDEN,
    CortexError: HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""The HTTP status of each error; the most specific class counts."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Known methods; any other is answered with 501, whatever the path."""


class _Bounded:
    """Middleware that refuses a request while too many are in progress."""

    def __init__(self, app: ASGIApp, free: threading.Semaphore) -> None:
        self._app = app
        self._free = free

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._free.acquire(blocking=False):
            answer = {"error": "Too many requests at once."}
            await Json(answer, HTTPStatus.SERVICE_UNAVAILABLE)(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            self._free.release()


def make(access: Access, token: str, port: int, free: threading.Semaphore) -> Starlette:
    """The application that answers requests with `token` on `port`.

    Args:
        free: bounds the number of requests in progress.
    """

    async def fault(_request: Request, error: Exception) -> Response:
        """Write an unexpected error to the project's log, without secrets."""
        details = redact(f"http: {type(error).__name__}: {error}").text
        log.write(access.cortex.project, details)
        message = "Internal error. The traceback is in the project's log."
        return Json({"error": message}, HTTPStatus.INTERNAL_SERVER_ERROR)

    app = Starlette(
        routes=[_route(path, endpoint, access) for path, endpoint in ENDPOINTS.items()],
        middleware=[Middleware(_Bounded, free=free), Middleware(Guard, port=port, token=token)],
        exception_handlers={
            Refused: _refused,
            HTTPException: _unknown,
            ClientDisconnect: _gone,
            **dict.fromkeys(_STATUSES, _failed),
            Exception: fault,
        },
    )
    # Starlette would answer a path with one slash too many by a redirect; a script needs the error.
    app.router.redirect_slashes = False
    return app


def _route(path: str, endpoint: Endpoint, access: Access) -> Route:
    def answer(query: dict[str, list[str]], given: dict[str, Any]) -> dict[str, Any]:
        try:
            return endpoint.answer(access, query, given)
        finally:
            access.cortex.close()  # this thread's connections

    async def respond(request: Request) -> Response:
        given = await body(request, endpoint.most) if endpoint.most else {}
        return Json(await run_in_threadpool(answer, parse_qs(request.url.query), given))

    route = Route(path, respond, methods=[endpoint.method])
    route.methods = {endpoint.method}  # Starlette adds HEAD to GET by itself
    return route


async def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return error.answer


async def _failed(_request: Request, error: Exception) -> Response:
    status = next(_STATUSES[kind] for kind in type(error).__mro__ if kind in _STATUSES)
    return Json({"error": str(error)}, status)


async def _unknown(request: Request, error: Exception) -> Response:
    """No route matches: another path, another method of a path, or an unknown method."""
    endpoint = ENDPOINTS.get(request.url.path)
    if request.method not in _METHODS:
        message = f"Unsupported method ({request.method!r})"
        return Json({"error": message}, HTTPStatus.NOT_IMPLEMENTED)
    if endpoint is None:
        message = f"Unknown endpoint. Endpoints: {', '.join(ENDPOINTS)}."
        return Json({"error": message}, HTTPStatus.NOT_FOUND)
    allowed = {"Allow": endpoint.method}
    return Json({"error": f"Use {endpoint.method}."}, HTTPStatus.METHOD_NOT_ALLOWED, allowed)


async def _gone(_request: Request, _error: Exception) -> Response:
    return Response()  # nobody reads it


HOST = "127.0.0.1"
"""The loopback address, which other machines cannot reach."""

PATIENCE = 5.0
"""Seconds that a caller may pause in the middle of a request."""

AT_ONCE = 16
"""Maximum number of requests in progress."""


class _Protocol(H11Protocol):
    """Uvicorn's protocol with a timeout for incomplete requests, and with errors in JSON."""

    _timeout: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._restart_timeout()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._restart_timeout()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timeout:
            self._timeout.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer a malformed request in JSON, like all others."""
        error = sys.exception()
        status = HTTPStatus(getattr(error, "error_status_hint", HTTPStatus.BAD_REQUEST))
        if "Content-Length" in str(error):  # h11 gives no status for this
            status = HTTPStatus.LENGTH_REQUIRED
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            answer = Json({"error": msg}, status)
            head = h11.Response(
                status_code=status, headers=answer.raw_headers, reason=status.phrase
            )
            for event in (head, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        if self.cycle:
            self.cycle.disconnected = True
        self.transport.close()

    def _restart_timeout(self) -> None:
        """Close the connection if the rest of the request does not arrive in time."""
        if self._timeout:
            self._timeout.cancel()
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._timeout = self.loop.call_later(PATIENCE, self.transport.close)


class Server(uvicorn.Server):
    """An HTTP server on the loopback address, for one project."""

    def __init__(self, access: Access, token: str, port: int) -> None:
        """Open the port; 0 chooses a free one.

        Raises:
            CortexError: it cannot be opened.
        """
        self.access = access
        self.free = threading.BoundedSemaphore(AT_ONCE)
        try:
            self.socket = socket.create_server((HOST, port))
        except (OSError, OverflowError) as error:
            raise CortexError(
                f"Port {port} cannot be opened: {error}. Nothing was started. End the program that "
                "uses it, or choose another port with --port."
            ) from error
        self.server_address: tuple[str, int] = self.socket.getsockname()
        # Requests are not logged: a query may be private.
        super().__init__(
            uvicorn.Config(
                make(access, token, self.server_port, self.free),
                http=_Protocol,
                ws="none",
                lifespan="off",
                interface="asgi3",
                proxy_headers=False,
                server_header=False,
                headers=[("Server", "cortex")],
                log_config=None,
                log_level="critical",
                access_log=False,
            )
        )

    @property
    def server_port(self) -> int:
        """The port it listens on."""
        return self.server_address[1]

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://{HOST}:{self.server_port}"

    def serve_forever(self) -> None:
        """Serve until `stop` or `handle_exit`, then finish the requests in progress."""
        self.run(sockets=[self.socket])

    def stop(self) -> None:
        """End `serve_forever`; may be called from any thread."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `serve`: uvicorn's own method raises them again at the end."""
        yield


@contextmanager
def listening(project: str | None, token: str, port: int) -> Iterator[Server]:
    """A server with an open port, which is closed when the block ends."""
    server = Server(Access(project), token, port)
    try:
        yield server
    finally:
        server.socket.close()


def serve(project: str | None, token: str, port: int, say: Callable[[Server], None]) -> None:
    """Serve until SIGTERM or SIGINT, then finish the requests in progress.

    Args:
        say: called when the port is open.

    Raises:
        CortexError: the port cannot be opened, or the configuration has a mistake.
    """
    with listening(project, token, port) as server:
        _ = server.access.cortex  # a mistake in the configuration is reported now, not to a caller
        numbers = (signal.SIGTERM, signal.SIGINT)
        before = {number: signal.signal(number, server.handle_exit) for number in numbers}
        try:
            say(server)
            server.serve_forever()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
