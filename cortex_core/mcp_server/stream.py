"""Standard input that ends only when everything that was asked has been answered.

The SDK drops what it is working on when its input ends; a client that asks, closes its end and
reads on would wait in vain.

This module can go when that is fixed:
https://github.com/modelcontextprotocol/python-sdk/issues/2678
"""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

QUIET = 0.3
"""Seconds without a request at work after which nothing more is to be expected."""

PATIENCE = 60.0
"""Most seconds that the end of input is held back."""


class Pending:
    """Counts the requests that are being worked on, as middleware of the server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._last = time.monotonic()

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Pass a request on, and count it meanwhile."""
        self._add(1)
        try:
            return await call_next(ctx)
        finally:
            self._add(-1)

    def wait(self) -> None:
        """Come back when all is answered and has been for a moment."""
        until = time.monotonic() + PATIENCE
        self._add(0)
        while time.monotonic() < until:
            with self._lock:
                if not self._count and time.monotonic() - self._last > QUIET:
                    return
            time.sleep(QUIET / 10)

    def _add(self, number: int) -> None:
        with self._lock:
            self._count += number
            self._last = time.monotonic()


class _Input(io.RawIOBase):
    def __init__(self, descriptor: int, pending: Pending, heard: bytes) -> None:
        self._descriptor = descriptor
        self._pending = pending
        self._heard = heard

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def readinto(self, buffer: Any) -> int:
        data, self._heard = self._heard[: len(buffer)], self._heard[len(buffer) :]
        data = data or os.read(self._descriptor, len(buffer))
        if not data:
            self._pending.wait()
        buffer[: len(data)] = data
        return len(data)


def hold(pending: Pending, heard: bytes) -> None:
    """Put an input in place of this process's own that waits for `pending` at its end.

    Args:
        heard: what it begins with, having been read before.
    """
    own = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(_Input(own, pending, heard)), encoding="utf-8")
