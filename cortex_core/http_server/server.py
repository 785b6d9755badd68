"""The server itself: the port, uvicorn on it, patience with slow clients, a clean end."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from cortex_core.agent_access import Access
from cortex_core.errors import CortexError
from cortex_core.http_server import app
from cortex_core.http_server.guard import Json

HOST = "127.0.0.1"
"""The only address there is: nothing of another machine arrives here."""

PATIENCE = 5.0
"""Seconds that a client may keep silent in the middle of a request."""

AT_ONCE = 16
"""Requests that are worked on at a time."""


class _Protocol(H11Protocol):
    """Uvicorn's protocol; it has no timeout for a request that stops halfway, and errs in text."""

    _silence: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._listen()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._listen()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._silence:
            self._silence.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP in JSON, like everything else."""
        error = sys.exception()
        status = HTTPStatus(getattr(error, "error_status_hint", HTTPStatus.BAD_REQUEST))
        if "Content-Length" in str(error):  # h11 says this in words only
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

    def _listen(self) -> None:
        """Close the connection if what is missing of the request does not arrive in time."""
        if self._silence:
            self._silence.cancel()
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._silence = self.loop.call_later(PATIENCE, self.transport.close)


class Server(uvicorn.Server):
    """An HTTP server on the loopback address, for one project."""

    def __init__(self, access: Access, token: str, port: int) -> None:
        """Open the port; 0 takes any that is free.

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
                app.make(access, token, self.server_port, self.free),
                http=_Protocol, ws="none", lifespan="off", interface="asgi3", proxy_headers=False,
                server_header=False, headers=[("Server", "cortex")],
                log_config=None, log_level="critical", access_log=False,
            )
        )  # fmt: skip

    @property
    def server_port(self) -> int:
        """The port it listens on."""
        return self.server_address[1]

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://{HOST}:{self.server_port}"

    def serve_forever(self) -> None:
        """Serve until `stop` or `handle_exit`, then answer what has begun."""
        self.run(sockets=[self.socket])

    def stop(self) -> None:
        """End `serve_forever`, from whichever thread."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `serve`: uvicorn's own method raises them once more at the end."""
        yield


@contextmanager
def listening(project: str | None, token: str, port: int) -> Iterator[Server]:
    """A server with its port open, closed again at the end."""
    server = Server(Access(project), token, port)
    try:
        yield server
    finally:
        server.socket.close()


def serve(project: str | None, token: str, port: int, say: Callable[[Server], None]) -> None:
    """Serve until SIGTERM or SIGINT, then answer what has begun and end.

    Args:
        say: called once the port is open.

    Raises:
        CortexError: the port cannot be opened, or the configuration has a mistake.
    """
    with listening(project, token, port) as server:
        _ = server.access.cortex  # a mistake in the configuration is told now, not to a client
        numbers = (signal.SIGTERM, signal.SIGINT)
        before = {number: signal.signal(number, server.handle_exit) for number in numbers}
        try:
            say(server)
            server.serve_forever()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
