"""Models behind an API, against a server on this machine: what is sent, and every way to fail."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cortex_core.base.errors import ModelUnavailable
from cortex_core.embeddings import models, names, remote
from cortex_core.embeddings.names import SHIPPED, SHIPPED_TAG
from cortex_core.embeddings.remote import RemoteModel

ANSWERS = {
    "voyage": {"data": [{"embedding": [3.0, 4.0]}]},
    "gemini": {"embedding": {"values": [3.0, 4.0]}},
    "openai": {"data": [{"embedding": [3.0, 4.0]}]},
    "ollama": {"embeddings": [[3.0, 4.0]]},
}


class Server(HTTPServer):
    """Answers every request with `answer`, and remembers what it was asked."""

    status = 200
    answer: Any = {}
    delay = 0.0

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, dict[str, str], Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/models/{{model}}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append((self.path, headers, json.loads(body)))
        time.sleep(self.server.delay)
        answer = self.server.answer
        sent = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
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


def test_every_provider_is_known_by_name() -> None:
    assert set(names.REMOTE_PROVIDERS) == set(remote.PROVIDERS)


@pytest.mark.parametrize("kind", list(ANSWERS))
def test_every_provider_is_spoken_to(server: Server, kind: str) -> None:
    server.answer = ANSWERS[kind]
    model = RemoteModel(f"{kind}:small")
    assert model.encode("a note", "before").vector == pytest.approx([0.6, 0.8])
    assert model.query("a question").vector == pytest.approx([0.6, 0.8])
    assert (model.name, model.dimension) == (f"{kind}:small", 2)
    assert len(server.asked) == 2
    path, headers, body = server.asked[0]
    assert path == "/models/small"
    assert "a note" in json.dumps(body)
    assert "before" not in json.dumps(body)
    sent = headers.get("authorization", headers.get("x-goog-api-key", ""))
    assert sent.endswith("made-up-key") is (kind != "ollama")


def test_questions_and_texts_are_told_apart(server: Server) -> None:
    server.answer = ANSWERS["voyage"]
    model = RemoteModel("voyage:small")
    model.encode("a")
    model.query("b")
    assert [body["input_type"] for _, _, body in server.asked] == ["document", "query"]


def test_the_dimension_is_asked_for_once(server: Server) -> None:
    server.answer = ANSWERS["ollama"]
    model = RemoteModel("ollama:small")
    assert model.dimension == model.dimension == 2
    assert len(server.asked) == 1


def test_long_texts_are_cut(server: Server) -> None:
    server.answer = ANSWERS["openai"]
    RemoteModel("openai:small").encode("x" * 1_000_000)
    assert len(server.asked[0][2]["input"]) == remote.LONGEST


@pytest.mark.parametrize(
    ("status", "answer", "reason"),
    [
        (401, {}, "401"),
        (429, {}, "429"),
        (500, b"", "500"),
        (200, b"not json", ""),
        (200, {}, "no vector"),
        (200, {"data": [{"embedding": ["a"]}]}, "no vector"),
        (200, {"data": [{"embedding": []}]}, "no vector"),
        (200, {"data": [{"embedding": [0.0, 0.0]}]}, "no vector"),
        (200, {"data": [{"embedding": [[1.0]]}]}, "no vector"),
    ],
)
def test_whatever_goes_wrong_is_told(server: Server, status: int, answer: Any, reason: str) -> None:
    server.status, server.answer = status, answer
    with pytest.raises(ModelUnavailable, match=rf"{reason}.*by words still works"):
        RemoteModel("openai:small").query("a question")


def test_a_hanging_provider_is_left(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "TIMEOUT", 0.2)
    server.delay = 1.0
    with pytest.raises(ModelUnavailable, match="timed out"):
        RemoteModel("ollama:small").query("a question")


def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("CORTEX_OLLAMA_URL", f"http://127.0.0.1:{port}/")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(ModelUnavailable, match="Ollama returned no embedding"):
        RemoteModel("ollama:small").query("a question")


@pytest.mark.parametrize("name", ["voyage:", "nobody:small", "voyage"])
def test_what_names_no_model(name: str) -> None:
    with pytest.raises(ModelUnavailable, match="names no model"):
        RemoteModel(name)


def test_a_missing_key_is_told_before_anything_is_sent(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VOYAGE_API_KEY")
    with pytest.raises(ModelUnavailable, match="VOYAGE_API_KEY"):
        RemoteModel("voyage:small")
    assert server.asked == []


def test_of_several_models_the_first_that_can_be_had(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names, home = f"voyage:chained, {SHIPPED}", str(tmp_path)
    assert models.tag(names) == models.tag_in_force(names, home, 0.0) == "voyage:chained"
    model, why = models.in_force(names, home, 0.0)
    assert (model.name, why) == ("voyage:chained", "")
    monkeypatch.delenv("OPENAI_API_KEY")
    for names in (f"openai:chained, {SHIPPED}", "openai:chained"):
        assert models.tag_in_force(names, home, 0.0) == SHIPPED_TAG
        model, why = models.in_force(names, home, 0.0)
        assert model.name == SHIPPED_TAG
        assert why.startswith("The embedding model openai:chained cannot be used (OpenAI needs a")
        assert why.endswith(f"so {SHIPPED} is used instead.")


def test_choosing_a_remote_model_asks_it_once(server: Server) -> None:
    server.answer = ANSWERS["gemini"]
    assert models.fetch("gemini:small").name == "gemini:small"
    assert len(server.asked) == 1
    server.status = 401
    with pytest.raises(ModelUnavailable, match="401"):
        models.fetch("gemini:small")


def test_vectors_are_float32_of_unit_length(server: Server) -> None:
    server.answer = ANSWERS["ollama"]
    vector = RemoteModel("ollama:small").encode("x").vector
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1)
