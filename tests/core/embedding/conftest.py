"""A provider of embeddings on this machine, and what it was asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from cortex_core.embeddings import remote


class Server(HTTPServer):
    """Answers every request with `answer`, and remembers what it was asked."""

    status = 200
    answer: Any = {}
    """Bytes, a value for JSON, or a function that makes one of what was asked."""
    delay = 0.0
    """Seconds before it answers."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        """Path, headers with small names, and body of each request."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/models/{{model}}"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append((self.path, headers, body))
        time.sleep(self.server.delay)
        answer = self.server.answer
        answer = answer(body) if callable(answer) else answer
        sent = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """It stands in for every provider."""
    made = Server()
    for kind, provider in remote.PROVIDERS.items():
        monkeypatch.setenv(f"CORTEX_{kind.upper()}_URL", made.url)
        if provider.key:
            monkeypatch.setenv(provider.key, "made-up-key")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    thread = threading.Thread(target=made.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()
