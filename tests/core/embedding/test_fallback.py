"""A provider that goes and comes back: the next model stands in, and no vector is lost."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.embeddings import outages
from cortex_core.embeddings.names import SHIPPED, SHIPPED_TAG
from cortex_core.hook_events import worker_start
from cortex_core.store import vectors
from tests.cli.conftest import Cli
from tests.conftest import Clock
from tests.journals import unexplained

OLLAMA = "ollama:small"
CHAIN = f"{OLLAMA}, {SHIPPED}"
ABOUT = {"deploy": [1.0, 0.0, 0.0], "release": [1.0, 0.1, 0.0], "invoice": [0.0, 1.0, 0.0]}
"""What the provider makes of texts, by the first of these words in them."""


class Provider(HTTPServer):
    """An Ollama that answers while `up`, and counts what it was asked."""

    up = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []


class Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        self.server.asked.append(text)
        vector = next((ABOUT[word] for word in ABOUT if word in text.lower()), [0.0, 0.0, 1.0])
        sent = json.dumps({"embeddings": [vector]}).encode()
        self.send_response(200 if self.server.up else 503)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    made = Provider()
    monkeypatch.setenv("CORTEX_OLLAMA_URL", f"http://127.0.0.1:{made.server_port}/")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    thread = threading.Thread(target=made.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture
def cortex(project: Path, clock: Clock, provider: Provider) -> Iterator[Cortex]:
    """Two memories with vectors of the provider."""
    with Cortex.open(project, clock=clock) as made:
        made.settings.set("embedding.model", CHAIN, "global")
        made.remember("Deploys go out on Tuesday")
        made.remember("Invoices are rounded to whole cents")
        assert made.models.embed_pending() == 2
        yield made


def counted(cortex: Cortex) -> dict[str, int]:
    """How many vectors of each model are compared."""
    store = cortex.workspace.store("project")
    return {tag: vectors.count(store, tag) for tag in (OLLAMA, SHIPPED_TAG)}


def test_up_down_and_up_again(cortex: Cortex, provider: Provider, clock: Clock) -> None:
    assert counted(cortex) == {OLLAMA: 2, SHIPPED_TAG: 0}
    result = cortex.recall("release day")
    assert (result.hits[0].memory.title, result.degraded) == ("Deploys go out on Tuesday", "")

    provider.up = False
    result = cortex.recall("deployment schedule")
    assert result.degraded.startswith(
        "The embedding model ollama:small cannot be used (Ollama returned no embedding by small: "
        "it answered 503"
    )
    assert result.degraded.endswith(f"so {SHIPPED} is used instead.")
    assert result.hits[0].parts.semantic > 0, "the newest have their vectors at once"
    assert cortex.models.tag() == SHIPPED_TAG
    assert counted(cortex) == {OLLAMA: 0, SHIPPED_TAG: 2}
    asked = len(provider.asked)
    result = cortex.recall("deployment schedule")
    assert result.hits[0].memory.title == "Deploys go out on Tuesday"
    assert result.hits[0].parts.semantic > 0
    assert "no vector yet" not in result.degraded
    assert len(provider.asked) == asked, "it is left alone for a while"
    assert any("is used instead" in sentence for sentence in cortex.status().degraded)

    provider.up = True
    clock.advance(seconds=outages.RETRY + 1)
    assert cortex.models.embed_pending() == 2
    assert counted(cortex) == {OLLAMA: 2, SHIPPED_TAG: 0}
    assert len(provider.asked) == asked, "its vectors were put aside, and are used again"
    result = cortex.recall("release day")
    assert (result.hits[0].memory.title, result.degraded) == ("Deploys go out on Tuesday", "")
    assert unexplained(cortex) == []


def test_what_has_no_vector_of_the_model_in_force_is_counted(
    cortex: Cortex, provider: Provider
) -> None:
    for number in range(20):
        cortex.remember(f"Fact {number} about server {number * 7}")
    cortex.models.embed_pending()
    provider.up = False
    result = cortex.recall("deployment schedule")
    assert "is used instead. 6 memories have no vector yet" in result.degraded
    assert "cortex worker" in result.degraded


def test_what_changed_meanwhile_is_embedded_again(
    cortex: Cortex, provider: Provider, clock: Clock
) -> None:
    provider.up = False
    cortex.models.embed_pending()
    edited = cortex.recall("deploys").hits[0].memory
    cortex.edit(edited.id, content="Deploys go out on Friday")
    cortex.models.embed_pending()
    provider.up = True
    clock.advance(seconds=outages.RETRY + 1)
    provider.asked.clear()
    cortex.models.embed_pending()
    assert provider.asked == ["Deploys go out on Friday"]


def test_a_lone_provider_falls_back_to_the_shipped_model(
    cortex: Cortex, provider: Provider
) -> None:
    cortex.settings.set("embedding.model", OLLAMA, "global")
    provider.up = False
    cortex.models.embed_pending()
    assert cortex.recall("deployment schedule").hits[0].parts.semantic > 0


def test_vectors_of_models_that_are_not_configured_any_more_go(cortex: Cortex) -> None:
    cortex.settings.set("embedding.model", SHIPPED, "global")
    assert cortex.models.embed_pending() == 2
    assert cortex.workspace.store("project").value("SELECT count(*) FROM kept_vector") == 0


def test_models_use_says_what_is_in_force(
    project: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str | None] = []
    monkeypatch.setattr(worker_start, "start_worker", lambda project: started.append(project.root))
    cli = Cli(project)
    cli.remember("Deploys go out on Tuesday")
    assert f"Now using {OLLAMA}. 1 memory to embed." in cli.ok("models", "use", CHAIN)
    assert started == [str(project)]
    cli.ok("config", "set", "embedding.model", OLLAMA)
    assert started == [str(project)] * 2
    done = cli.run("models", "use", SHIPPED)
    assert "for all projects" in done.stdout
    assert f"In force here is {OLLAMA}, a setting of this project." in done.stderr
