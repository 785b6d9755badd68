"""Stores with memories of our own writing, and the shipped model."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cortex_core.embeddings import stored
from cortex_core.embeddings.local import ShippedModel, shipped
from cortex_core.records.memory import Context, Memory, Source
from cortex_core.store import rows
from cortex_core.store.store import Store
from tests.conftest import NOON


def memory_of(content: str, **given: Any) -> Memory:
    """A memory that says `content`; the source's and the context's fields may be given by name."""
    source = {name: given.pop(name) for name in ("author", "session", "position") if name in given}
    context = {name: given.pop(name) for name in ("branch", "files") if name in given}
    made = {
        "title": content[:60],
        "kind": "fact",
        "created": NOON,
        "updated": NOON,
        "reinforced": NOON,
        "scope": "project",
        **given,
    }
    return Memory(
        id=str(uuid.uuid4()),
        content=content,
        source=Source(**source),
        context=Context(**context),
        **made,
    )


def add(store: Store, content: str, **given: Any) -> Memory:
    """Write a memory that says `content` into `store`."""
    memory = replace(memory_of(content, **given), scope=store.scope)
    with store.change("remember", "remember") as change:
        change.insert("memory", rows.to_row(memory))
    return memory


def add_all(store: Store, contents: Iterable[str]) -> None:
    """Write a memory for each of `contents` into `store`, as one change."""
    with store.change("import", "import") as change:
        for content in contents:
            change.insert("memory", rows.to_row(memory_of(content)))


def number_of(store: Store, memory: Memory) -> int:
    """The memory's row number."""
    return int(store.rows("SELECT number FROM memory WHERE id = ?", (memory.id,))[0][0])


@pytest.fixture(scope="session")
def model() -> ShippedModel:
    """The model of the package."""
    return shipped()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty project store."""
    opened = Store.open(
        tmp_path / "project" / ".memory" / "cortex.db", "project", clock=lambda: NOON
    )
    yield opened
    opened.close()


@pytest.fixture
def global_store(tmp_path: Path) -> Iterator[Store]:
    """An empty global store."""
    opened = Store.open(tmp_path / "home" / "cortex-global.db", "global", clock=lambda: NOON)
    yield opened
    opened.close()


BAKERY = (
    "Use pnpm for everything in this repository; npm breaks the lockfile.",
    "The oven service drops idle websockets after 55 seconds, so send a ping every 30.",
    "Money is kept as an integer number of cents with a currency code, never as a float.",
    "Orders live in Postgres because stock must be reserved in one transaction.",
    "The nightly report spends most of its time making PDF labels.",
    "Safari ignores the session cookie without the Secure attribute, so sign-in fails over http.",
    "Every handler returns Result[Order, Problem]; exceptions are for bugs.",
    "Translations are pulled from Weblate at night; do not edit the json files by hand.",
    "The flour supplier's CSV is Windows-1252 and not UTF-8.",
    "Search uses Postgres full text; Elasticsearch was one more thing to run.",
)
"""Ten memories of a made-up shop."""


@pytest.fixture(scope="session")
def baked(tmp_path_factory: pytest.TempPathFactory, model: ShippedModel) -> Path:
    """The folder of a store with `BAKERY`, embedded; to be copied and never changed."""
    folder = tmp_path_factory.mktemp("baked") / ".memory"
    opened = Store.open(folder / "cortex.db", "project", clock=lambda: NOON)
    add_all(opened, BAKERY)
    stored.embed(opened, model)
    opened.close()
    return folder


@pytest.fixture
def bakery(baked: Path, tmp_path: Path) -> Iterator[Store]:
    """A project store with `BAKERY`, embedded."""
    folder = shutil.copytree(baked, tmp_path / "project" / ".memory")
    opened = Store.open(folder / "cortex.db", "project", clock=lambda: NOON)
    yield opened
    opened.close()
