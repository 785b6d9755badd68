"""Outages of the model and its vectors, made and found."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.embeddings import local
from cortex_core.embeddings.names import MULTILINGUAL
from tests.core.doctor.conftest import Look
from tests.core.embedding.test_remote import Server, server

__all__ = ["server"]


@pytest.fixture
def embedded(store: Path, project: Path) -> Path:
    """The store with a vector for each memory."""
    with Cortex.open(project) as cortex:
        assert cortex.models.embed_pending() == 2
    return store


def run(store: Path, statement: str) -> None:
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize("name", ["model-files", "model", "vectors"])
def test_all_is_well(name: str, embedded: Path, look: Look) -> None:
    assert look(name).state == "ok", look(name)


def test_a_damaged_model_file(look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = shutil.copytree(local.SHIPPED_FOLDER, tmp_path / "minilm")
    with (copy / "tokenizer.json").open("ab") as file:
        file.write(b" ")
    monkeypatch.setattr(local, "SHIPPED_FOLDER", copy)
    found = look("model-files")
    assert (found.state, "tokenizer.json" in found.sentence) == ("failed", True)
    (copy / "model.onnx").unlink()
    assert "model.onnx" in look("model-files").sentence


def test_a_model_that_is_not_there(project: Path, look: Look) -> None:
    with Cortex.open(project) as cortex:
        cortex.settings.set("embedding.model", "nobody/knows-this", "global")
    found = look("model")
    assert (found.state, "is used instead" in found.sentence) == ("warning", True)


def test_a_model_that_a_clone_chose_is_not_asked(
    server: Server, store: Path, project: Path, look: Look
) -> None:
    server.answer = {"data": [{"embedding": [3.0, 4.0]}]}
    with Cortex.open(project) as cortex:
        cortex.settings.set("embedding.model", "openai:text-embedding-3-small")
    assert "openai:text-embedding-3-small loads" in look("model").sentence
    asked = len(server.asked)
    subprocess.run(["git", "add", "-f", ".memory/config.toml"], cwd=project, check=True)
    assert "in the package" in look("model").sentence
    assert len(server.asked) == asked


def test_memories_that_the_model_cannot_read(store: Path, project: Path, look: Look) -> None:
    assert look("language").state == "ok"
    with Cortex.open(project) as cortex:
        for number in range(5):
            cortex.remember(f"第{number}个环境的数据库迁移必须先在预发布环境运行")
    found = look("language")
    assert (found.state, "5 of 7 memories" in found.sentence) == ("warning", True)
    assert f"cortex models use {MULTILINGUAL}" in found.next_step
    with Cortex.open(project) as cortex:
        cortex.settings.set("embedding.model", "ollama:nomic-embed-text", "global")
    assert look("language").state == "ok"


def test_memories_without_a_vector(store: Path, look: Look) -> None:
    assert look("vectors").state == "ok", "new ones are the worker's"
    run(store, "UPDATE memory SET updated = updated - 7200")
    assert look("vectors").state == "warning"
    mended = look("vectors", fix=True)
    assert (mended.state, "2 vectors" in mended.fixed) == ("ok", True)


def test_vectors_of_another_model(embedded: Path, look: Look) -> None:
    run(embedded, "UPDATE embedding SET model = 'another'")
    assert look("vectors").state == "warning"
    assert look("vectors", fix=True).state == "ok"
