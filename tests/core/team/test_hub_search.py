"""Search on a hub: by words and by meaning, within one team, for any text."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence

import numpy as np
import psycopg
import pytest

from cortex_core.embeddings.local import NAME, shipped
from cortex_core.embeddings.protocol import Encoded, QueryEncoding
from cortex_core.records.teams import Item, Request
from cortex_core.team.hub import words
from cortex_core.team.hub.client import Hub
from cortex_core.team.hub.search import fill_vectors, fill_words, search
from tests.core.team.postgres import Server

OURS, THEIRS = (f"00000000-0000-4000-8000-00000000000{n}" for n in (1, 2))

TEXTS = (
    ("k", "gotcha", "The nightly backup hangs when the replica lags behind"),
    ("k", "decision", "We chose pnpm, because npm installs twice"),
    ("k", "fact", "Invoices are rounded half up, per line"),
    ("other", "decision", "The invoice service keeps its queue in Redis"),
    ("other", "code", "def invoice(queue): ..."),
    ("k", "fact", "支付回调超过三秒就会断开，改用Kafka"),
    ("k", "fact", "データベースの移行は毎晩止まる"),
    ("k", "fact", "ระบบสำรองข้อมูลทำงานทุกคืน"),
    ("k", "fact", "Der Zugang zum Prüfsystem läuft über Köln"),
)


def add(hub: Hub, team: str, memories: Sequence[tuple[str, str, str]]) -> None:
    for project in dict.fromkeys(project for project, _, _ in memories):
        items = tuple(
            Item(id=str(uuid.uuid4()), memory={"title": words, "content": words, "kind": kind})
            for at, kind, words in memories
            if at == project
        )
        request = Request(
            id=str(uuid.uuid4()), team=team, project=project, kind="add", reason="", items=items
        )
        hub.propose(request)
        hub.decide(request.id, "approved")


@pytest.fixture(scope="session")
def searched(server: Server) -> str:
    """A database with two teams, whose memories have vectors."""
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE searched TEMPLATE template STRATEGY file_copy")
    for role, team, texts in (
        ("ada", OURS, TEXTS),
        ("eve", THEIRS, [("k", "fact", "Invoices of Eve")]),
    ):
        with Hub(server.url("searched", role)) as hub:
            hub.create_team(team, "Lighthouse")
            add(hub, team, texts)
            assert fill_words(hub, team) == len(texts)
            assert fill_vectors(hub, team, shipped()) == sum(kind != "code" for _, kind, _ in texts)
            assert fill_vectors(hub, team, shipped()) == 0
    return "searched"


@pytest.fixture
def hub(server: Server, searched: str) -> Iterator[Hub]:
    with Hub(server.url(searched, "ada")) as opened:
        yield opened


def titles(hub: Hub, query: str, **more: object) -> list[str]:
    return [hit.memory["title"] for hit in search(hub, OURS, query, **more)]  # type: ignore[arg-type]


def test_words_and_meaning_find_the_memory(hub: Hub) -> None:
    assert titles(hub, "pnpm")[0] == TEXTS[1][2]
    assert titles(hub, "dump of the database at night gets stuck") == []
    by_meaning = titles(hub, "dump of the database at night gets stuck", embedder=shipped())
    assert by_meaning[0] == TEXTS[0][2]
    (hit, *_) = search(hub, OURS, "how are invoices rounded", embedder=shipped())
    assert (hit.memory["kind"], hit.project, hit.author, hit.approver) == (
        "fact",
        "k",
        "ada",
        "ada",
    )
    assert 0.3 < hit.score < 1.2
    assert hit.sequence == 1


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("backups", 0),
        ("hanging", 0),
        ("invoice lines", 2),
        ("koln", 8),
        ("PRUFSYSTEM", 8),
        ("回调超过", 5),
        ("断开", 5),
        ("kafka", 5),
        ("移行", 6),
        ("ベース", 6),
        ("สำรองข้อมูล", 7),
    ],
)
def test_words_are_found_in_every_form_and_script(hub: Hub, query: str, number: int) -> None:
    assert titles(hub, query)[0] == TEXTS[number][2]


def test_filters_and_the_limit_hold(hub: Hub) -> None:
    for embedder in (None, shipped()):
        assert titles(
            hub, "invoice queue", embedder=embedder, project="other", kinds=["decision"]
        ) == [TEXTS[3][2]]
        assert len(titles(hub, "the invoice queue replica", embedder=embedder, limit=2)) == 2
    assert titles(hub, "invoices", project="") == []


def test_nothing_of_another_team_is_found(hub: Hub) -> None:
    found = titles(hub, "Invoices of Eve", embedder=shipped())
    assert found
    assert "Invoices of Eve" not in found


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        "\0",
        "' OR 1=1 --",
        '"pnpm',
        "a & | ! <-> b:*",
        "(((",
        "-pnpm",
        "or",
        "%s %(team)s",
        "\ud800 pnpm",
        pytest.param("x" * 5000, id="long word"),
        "备份 が 止まる",
        "\\",
        pytest.param("pnpm " * 2_000, id="long"),
        "ﬁ﷽ 🙂 pnpm’s",
    ],
)
def test_any_text_is_a_query(hub: Hub, query: str) -> None:
    for embedder in (None, shipped()):
        found = titles(hub, query, embedder=embedder)
        assert "pnpm" not in query or found[0] == TEXTS[1][2]


def test_a_memory_of_very_many_words_fits_into_the_index() -> None:
    for text in (
        " ".join(f"слово{number:x}" for number in range(20_000)),
        "".join(chr(0x20000 + number % 42_000) for number in range(200_000)),
        "x" * 200_000,
    ):
        (made,) = words.vectors([text])
        assert len(made.encode()) < 1 << 20


def test_vectors_of_no_use_are_passed_over(
    server: Server, searched: str, hub: Hub, database: str
) -> None:
    """A member may send any bytes as token bits."""
    with Hub(server.url(database, "ben")) as ours:
        ours.create_team(OURS, "Lighthouse")
        assert search(ours, OURS, "pnpm", embedder=shipped()) == []
        add(ours, OURS, TEXTS[:3])
        first, second, third = ours.unsearchable(OURS)
        fill_words(ours, OURS)
        vector = shipped().query("pnpm").vector
        made = [
            (first.id, 1, vector, b"odd", b"x"),
            (second.id, 1, np.zeros(384, np.float32), bytes(480_000), None),
            (third.id, 1, vector, None, b"\xff\xff"),
        ]
        assert ours.set_vectors(OURS, NAME, made) == 3
        assert len(search(ours, OURS, "pnpm", embedder=shipped())) == 3


class Aimed:
    """A model that encodes every query as one vector."""

    name, dimension = NAME, 384

    def __init__(self, vector: np.ndarray) -> None:
        self._vector = vector

    def encode(self, text: str, before: str = "") -> Encoded:
        return Encoded(self._vector, b"", ())

    def query(self, text: str) -> QueryEncoding:
        return QueryEncoding(self._vector, np.zeros((0, 384), np.float32), ())


COPY = (
    "COPY cortex.memory (team, id, project, author, approver, sequence, created, updated, title, "
    "content, kind, tags, fields, embedding, model) FROM STDIN"
)


def test_few_that_pass_a_filter_are_found_among_many(server: Server, database: str) -> None:
    """The index of meaning goes on until enough pass: one memory in fifty does."""
    chance = np.random.default_rng(17)
    vectors = chance.standard_normal((1000, 384)).astype(np.float32)
    with Hub(server.url(database, "ada")) as hub:
        hub.create_team(OURS, "Lighthouse")
        with psycopg.connect(server.url(database), autocommit=True) as owner:
            with owner.cursor().copy(COPY) as copy:
                for number, vector in enumerate(vectors):
                    kind = "fact" if number % 50 else "gotcha"
                    copy.write_row(
                        (
                            OURS,
                            str(uuid.UUID(int=number)),
                            "k",
                            "ada",
                            "ada",
                            1,
                            "now",
                            "now",
                            "t",
                            f"c{number}",
                            kind,
                            "{}",
                            "{}",
                            str(vector.tolist()),
                            NAME,
                        )
                    )
            # So small a table would be sorted instead.
            owner.execute(f"ALTER DATABASE {database} SET enable_sort = off".encode())
        hub.close()
        found = search(hub, OURS, "x", embedder=Aimed(vectors[0]), kinds=["gotcha"], limit=20)
    assert len(found) == 20
    assert found[0].id == str(uuid.UUID(int=0))
