"""Vectors: what is pending, what is refused, and the cache file that may be lost or damaged."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import numpy as np
import pytest

from cortex_core.embeddings import stored
from cortex_core.embeddings.local import DIMENSION, NAME, ShippedModel
from cortex_core.embeddings.protocol import Encoded, QueryEncoding
from cortex_core.store import vector_file, vector_search, vectors
from cortex_core.store.store import Store
from cortex_core.store.vector_search import Label, cache_path, read_cache
from tests.core.recall.conftest import BAKERY, add, number_of


class Other:
    """A model of another dimension."""

    name = "made-up"
    dimension = 8

    def encode(self, text: str, before: str = "") -> Encoded:
        vector = np.zeros(8, np.float32)
        vector[len(text) % 8] = 1
        return Encoded(vector, b"", ())

    def query(self, text: str) -> QueryEncoding:
        return QueryEncoding(self.encode(text).vector, np.empty((0, 8), np.float32), ())


def nearest(store: Store, model: ShippedModel, text: str) -> int:
    found = vector_search.matrix(store, NAME, DIMENSION).search(model.query(text).vector).best(1)
    return found[0][0]


def cache(store: Store) -> Path:
    return cache_path(store.path, store.scope)


def test_everything_but_code_is_pending_once(store: Store, model: ShippedModel) -> None:
    prose = add(store, "Use pnpm, never npm.")
    add(store, "def f(): return 1", kind="code")
    add(store, "An old note.", status="pruned")
    assert vectors.pending(store, NAME) == [number_of(store, prose)]
    assert stored.embed(store, model) == 1
    assert vectors.pending(store, NAME) == []
    assert stored.embed(store, model) == 0


def test_the_newest_are_embedded_first(store: Store, model: ShippedModel) -> None:
    made = [number_of(store, add(store, content)) for content in BAKERY[:3]]
    assert vectors.pending(store, NAME, limit=2) == made[:0:-1]
    stored.embed(store, model, limit=1)
    assert vectors.pending(store, NAME) == made[1::-1]


def test_embedding_stops_when_asked(store: Store, model: ShippedModel) -> None:
    add(store, "One.")
    assert stored.embed(store, model, should_continue=lambda: False) == 0


def test_progress_is_told(bakery: Store) -> None:
    told: list[tuple[int, int]] = []
    stored.embed(bakery, Other(), progress=lambda done, of: told.append((done, of)))
    assert told[-1] == (len(BAKERY), len(BAKERY))


def test_a_changed_text_is_pending_again(bakery: Store, model: ShippedModel) -> None:
    memory = add(bakery, "The till prints on 58 mm paper.")
    stored.embed(bakery, model)
    with bakery.change("edit", "edit") as change:
        change.update("memory", memory.id, {"content": "The till prints on 80 mm paper."})
    assert vectors.pending(bakery, NAME) == [number_of(bakery, memory)]


def test_a_change_that_is_no_rewording_keeps_the_vector(bakery: Store) -> None:
    first = bakery.rows("SELECT id FROM memory ORDER BY number LIMIT 1")[0][0]
    with bakery.change("pin", "pin") as change:
        change.update("memory", first, {"pinned": True, "priority": 9})
    assert vectors.pending(bakery, NAME) == []


def test_undo_of_an_edit_is_pending_too(bakery: Store, model: ShippedModel) -> None:
    memory = add(bakery, "The till prints on 58 mm paper.")
    with bakery.change("edit", "edit") as change:
        change.update("memory", memory.id, {"content": "The till prints on 80 mm paper."})
        number = change.number
    stored.embed(bakery, model)
    bakery.invert(number, "undo")
    assert vectors.pending(bakery, NAME) == [number_of(bakery, memory)]


def test_a_vector_of_an_outdated_text_is_refused(store: Store, model: ShippedModel) -> None:
    memory = add(store, "The first wording.")
    text = stored.texts(store, [number_of(store, memory)])[0]
    made = model.encode(text.text)
    with store.change("edit", "edit") as change:
        change.update("memory", memory.id, {"content": "Something else entirely."})
    assert stored.save(store, [(text, made)], NAME, DIMENSION) == 0
    assert vectors.pending(store, NAME) == [number_of(store, memory)]


def test_a_vector_of_a_memory_that_is_gone_is_refused(store: Store, model: ShippedModel) -> None:
    memory = add(store, "Here today.")
    text = stored.texts(store, [number_of(store, memory)])[0]
    with store.change("trash", "trash") as change:
        change.delete("memory", memory.id)
    assert stored.save(store, [(text, model.encode(text.text))], NAME, DIMENSION) == 0


def test_what_was_said_before_goes_along_in_conversations_only(store: Store) -> None:
    for at, (author, said) in enumerate(
        [("Ada", "Shall we use Kafka?"), ("Ben", "No, it is too heavy."), ("Ada", "Fine.")]
    ):
        add(store, said, author=author, session="s", position=at)
    note = add(store, "A note of the agent's.", session="s", position=3)
    found = {text.number: text.before for text in stored.texts(store, [1, 2, 3, 4])}
    assert found[1] == ""
    assert found[3] == "Ada: Shall we use Kafka? Ben: No, it is too heavy."
    assert found[number_of(store, note)] == ""


def test_a_new_vector_is_seen_at_once(bakery: Store, model: ShippedModel) -> None:
    nearest(bakery, model, "anything")
    memory = add(bakery, "The dough rests for eighteen hours at four degrees.")
    stored.embed(bakery, model)
    assert nearest(bakery, model, "how long must the dough rest") == number_of(bakery, memory)


def test_a_removed_memory_is_not_counted_any_more(bakery: Store) -> None:
    before = len(vector_search.matrix(bakery, NAME, DIMENSION))
    first = bakery.rows("SELECT id FROM memory ORDER BY number LIMIT 1")[0][0]
    with bakery.change("trash", "trash") as change:
        change.delete("memory", first)
    assert len(vector_search.matrix(bakery, NAME, DIMENSION)) == before - 1


def test_the_cache_file_holds_the_same(bakery: Store, model: ShippedModel) -> None:
    query = model.query("which package manager").vector
    before = vector_search.matrix(bakery, NAME, DIMENSION).search(query).best(20)
    assert vector_search.refresh(bakery, NAME, DIMENSION)
    vector_search._held.clear()
    after = vector_search.matrix(bakery, NAME, DIMENSION)
    assert len(after.base.numbers) == len(BAKERY)
    assert len(after.recent.numbers) == 0
    found = after.search(query).best(20)
    assert [number for number, _ in found] == [number for number, _ in before]
    assert [c for _, c in found] == pytest.approx([c for _, c in before], abs=1e-6)
    assert stat.S_IMODE(cache(bakery).stat().st_mode) == 0o600


def test_what_came_after_the_cache_file_overrides_it(bakery: Store, model: ShippedModel) -> None:
    vector_search.refresh(bakery, NAME, DIMENSION)
    vector_search._held.clear()
    first = bakery.rows("SELECT id, number FROM memory ORDER BY number LIMIT 1")[0]
    with bakery.change("edit", "edit") as change:
        change.update(
            "memory", first[0], {"content": "Ovens are cleaned on Mondays.", "title": "Ovens"}
        )
    stored.embed(bakery, model)
    held = vector_search.matrix(bakery, NAME, DIMENSION)
    assert len(held.base.numbers) == len(BAKERY)
    assert len(held) == len(BAKERY)
    assert nearest(bakery, model, "when do we clean the ovens") == first[1]
    assert nearest(bakery, model, "Use pnpm, npm breaks the lockfile") != first[1]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:700],
        lambda data: data[:-100],
        lambda data: data + b"more",
        lambda data: b"not a cache" + data[11:],
        lambda data: data.replace(b'"count": 10', b'"count": 99'),
        lambda data: data.replace(b"MiniLM", b"MaxiLM"),
        lambda data: data.replace(b'"stamp": ', b'"stamp": 9'),
    ],
)
def test_a_damaged_or_foreign_cache_file_is_ignored(
    bakery: Store, model: ShippedModel, damage: object
) -> None:
    vector_search.refresh(bakery, NAME, DIMENSION)
    path = cache(bakery)
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    vector_search._held.clear()
    assert len(vector_search.matrix(bakery, NAME, DIMENSION)) == len(BAKERY)
    assert nearest(bakery, model, "which package manager do we use") == 1
    assert vector_search.refresh(bakery, NAME, DIMENSION)
    assert read_cache(path, Label(bakery.identity, NAME, DIMENSION)) is not None


def test_a_cache_file_of_another_store_is_ignored(
    bakery: Store, global_store: Store, model: ShippedModel
) -> None:
    vector_search.refresh(bakery, NAME, DIMENSION)
    cache(global_store).parent.mkdir(parents=True)
    cache(global_store).write_bytes(cache(bakery).read_bytes())
    assert len(vector_search.matrix(global_store, NAME, DIMENSION)) == 0


def test_without_the_cache_file_nothing_is_lost(bakery: Store, model: ShippedModel) -> None:
    vector_search.refresh(bakery, NAME, DIMENSION)
    cache(bakery).unlink()
    vector_search._held.clear()
    assert nearest(bakery, model, "which package manager do we use") == 1


def test_a_folder_that_cannot_be_written_costs_only_speed(
    bakery: Store, model: ShippedModel
) -> None:
    cache(bakery).parent.write_text("a file in the way", encoding="utf-8")
    assert not vector_search.refresh(bakery, NAME, DIMENSION)
    assert nearest(bakery, model, "which package manager do we use") == 1


def test_many_new_vectors_write_the_file_by_themselves(
    bakery: Store, model: ShippedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_search, "FEW", 5)
    assert len(vector_search.matrix(bakery, NAME, DIMENSION).base.numbers) == len(BAKERY)
    assert cache(bakery).exists()


def test_models_never_mix(bakery: Store, model: ShippedModel) -> None:
    other = Other()
    assert len(vectors.pending(bakery, other.name)) == len(BAKERY)
    stored.embed(bakery, other, limit=3)
    assert len(vector_search.matrix(bakery, other.name, 8)) == 3
    assert len(vector_search.matrix(bakery, NAME, DIMENSION)) == len(BAKERY) - 3


def test_readers_on_many_threads_agree(bakery: Store, model: ShippedModel) -> None:
    query = model.query("websockets").vector
    found: list[int] = []

    def look() -> None:
        for _ in range(5):
            found.append(vector_search.matrix(bakery, NAME, DIMENSION).search(query).best(1)[0][0])
        bakery.close()

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for content in BAKERY[:3]:
        add(bakery, content + " Again.")
        stored.embed(bakery, model)
    for thread in threads:
        thread.join()
    assert len(found) == 20
    assert set(found) <= {2, 12}


def test_many_are_searched_at_once_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_search, "CHUNK", 64)
    chance = np.random.default_rng(7)

    def block(numbers: range) -> vector_search.Block:
        made = chance.normal(size=(len(numbers), 16)).astype(np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        return vector_search.Block(np.array(numbers), made, np.zeros(1, np.int32))

    label = Label("", "made-up", 16)
    for base, recent in ((range(300), range(290, 320)), (range(0), range(5)), (range(0), range(0))):
        matrix = vector_search.Matrix(label, block(base), block(recent), 1, 320)
        queries = block(range(9)).vectors
        found = matrix.nearest(queries, 11)
        for query, row in zip(queries, found, strict=True):
            alone = matrix.search(query).best(11)
            assert [number for number, _ in row] == [number for number, _ in alone]
            assert [value for _, value in row] == pytest.approx(
                [value for _, value in alone], abs=1e-6
            )


def test_wordpieces_are_counted_by_memory(bakery: Store, model: ShippedModel) -> None:
    counts = vector_search.matrix(bakery, NAME, DIMENSION).counts
    (post, *_), (full, *_) = model.query("postgres").pieces, model.query("elastic").pieces
    assert counts[post] == 2
    assert counts[full] == 1
    vector_search.refresh(bakery, NAME, DIMENSION)
    vector_search._held.clear()
    assert (vector_search.matrix(bakery, NAME, DIMENSION).counts == counts).all()


def test_signs_are_read_without_numpy(bakery: Store) -> None:
    vector_search.refresh(bakery, NAME, DIMENSION)
    path = vector_file.place(str(bakery.path), bakery.scope)
    numbers, signs = vector_file.read(path, bakery.identity, NAME, 100)
    held = {number: signs[48 * at : 48 * at + 48] for at, number in enumerate(numbers)}
    assert len(held) == len(BAKERY)
    for number, vector in bakery.rows("SELECT number, vector FROM embedding"):
        expected = np.packbits(np.frombuffer(vector, np.float32) > 0).tobytes()
        assert held[number] == vector_file.signs(vector) == expected
    assert vector_file.read(path, "another store", NAME, 100) == ([], b"")
    assert vector_file.read(path, bakery.identity, NAME, 3) == ([], b"")
    assert vector_file.read(path + "x", bakery.identity, NAME, 100) == ([], b"")
