"""Who is let in: requests of this machine, that name it, know the token and are of sensible size.

The `Host` is checked because a web page can make a browser send requests here under another name
(DNS rebinding); an `Origin` is refused because no page is a client.
"""

from __future__ import annotations

import hmac
import json
from email.message import Message
from http import HTTPStatus
from typing import Any

Headers = Message
"""The headers of a request, as the library reads them."""

NAMES = ("127.0.0.1", "localhost", "[::1]")

ONCE = ("Host", "Authorization", "Content-Length", "Content-Type", "Origin")
"""Headers that no honest client sends twice."""

LONGEST_QUERY = 8_192
"""Characters of a path with its query."""


class Refused(Exception):
    """A request that is not answered, and why."""

    def __init__(self, status: HTTPStatus, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers


def check(headers: Headers, port: int, token: str) -> None:
    """Let a request pass.

    Raises:
        Refused: it is for another host, comes from a web page, or does not know the token.
    """
    if any(len(headers.get_all(name) or ()) > 1 for name in ONCE):
        raise Refused(HTTPStatus.BAD_REQUEST, "A header is there twice.")
    host = (headers.get("Host") or "").strip().lower()
    if host not in {f"{name}:{port}" for name in NAMES}:
        raise Refused(HTTPStatus.FORBIDDEN, f"The Host must be 127.0.0.1:{port}.")
    if headers.get("Origin") or headers.get("Sec-Fetch-Site", "none") not in ("none", ""):
        raise Refused(HTTPStatus.FORBIDDEN, "Web pages are not answered.")
    scheme, _, given = (headers.get("Authorization") or "").partition(" ")
    known = hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode())
    if scheme.lower() != "bearer" or not known:
        raise Refused(
            HTTPStatus.UNAUTHORIZED,
            "Give the token: Authorization: Bearer TOKEN. `cortex serve` says where it lies.",
            **{"WWW-Authenticate": "Bearer"},
        )


def length(headers: Headers, most: int) -> int:
    """How many bytes of body there are to read.

    Raises:
        Refused: that is not said, too much, or the body is not JSON.
    """
    if headers.get("Transfer-Encoding"):
        raise Refused(HTTPStatus.LENGTH_REQUIRED, "Say the Content-Length; chunks are not read.")
    told = headers.get("Content-Length") or ""
    if not told.isascii() or not told.isdigit():
        raise Refused(HTTPStatus.LENGTH_REQUIRED, "Say the Content-Length.")
    if int(told[:20]) > most:
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"At most {most:,} bytes are read.")
    kind = (headers.get("Content-Type") or "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send application/json.")
    return int(told)


def body(data: bytes) -> dict[str, Any]:
    """The JSON object that a request holds.

    Raises:
        Refused: it holds none.
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise Refused(HTTPStatus.BAD_REQUEST, "The body is no JSON.") from None
    if not isinstance(found, dict):
        raise Refused(HTTPStatus.BAD_REQUEST, "The body must be a JSON object.")
    return found
