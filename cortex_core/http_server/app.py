"""The Starlette application: which endpoint answers a request, and what becomes of an error."""

from __future__ import annotations

import threading
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from cortex_core import logbook
from cortex_core.agent_access import Access, Untrusted
from cortex_core.capture.secrets import redact
from cortex_core.errors import CortexError, NotFound, UsageError
from cortex_core.http_server.endpoints import ENDPOINTS, Endpoint
from cortex_core.http_server.guard import Guard, Json, Refused, body

_STATUSES: dict[type[CortexError], HTTPStatus] = {
    UsageError: HTTPStatus.BAD_REQUEST,
    NotFound: HTTPStatus.NOT_FOUND,
    Untrusted: HTTPStatus.FORBIDDEN,
    CortexError: HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""What an error of Cortex is in HTTP; the nearest class counts."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Methods that a path may be asked with; others are unknown to the whole server."""


class _Bounded:
    """Middleware that turns a request away where too many are being worked on."""

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
    """The application that answers on `port` those who know `token`.

    Args:
        free: one place for each request that may be worked on at a time.
    """

    async def fault(_request: Request, error: Exception) -> Response:
        """Note what nobody foresaw in the project's log, without secrets."""
        words = redact(f"http: {type(error).__name__}: {error}").text
        logbook.write(access.cortex.project, words)
        message = "Internal error. The traceback is in the project's log."
        return Json({"error": message}, HTTPStatus.INTERNAL_SERVER_ERROR)

    app = Starlette(
        routes=[_route(path, endpoint, access) for path, endpoint in ENDPOINTS.items()],
        middleware=[Middleware(_Bounded, free=free), Middleware(Guard, port=port, token=token)],
        exception_handlers={
            Refused: _refused, HTTPException: _unknown, ClientDisconnect: _gone,
            **dict.fromkeys(_STATUSES, _failed), Exception: fault,
        },
    )  # fmt: skip
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
    """What no route takes: another path, another method of a path, or a method that is none."""
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
