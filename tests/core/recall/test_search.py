"""Recall: what is found, in which order, and what is said about it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from cortex_core import Cortex
from cortex_core.base.errors import ModelUnavailable
from cortex_core.embeddings import stored
from cortex_core.embeddings.local import ShippedModel
from cortex_core.embeddings.protocol import Embedder, Encoded, QueryEncoding
from cortex_core.records.hits import Recall
from cortex_core.records.memory import Memory, RecallMode
from cortex_core.search.finder import Filters
from cortex_core.search.recall import search
from cortex_core.store.store import Store
from tests.conftest import NOON
from tests.core.recall.conftest import BAKERY, add, add_all

DAY = 86_400.0


def link(store: Store, source: Memory, target: Memory, type: str, strength: float = 1.0) -> None:
    with store.change("link", "link") as change:
        change.insert(
            "edge",
            {
                "source": source.id,
                "target": target.id,
                "type": type,
                "strength": strength,
                "created": NOON,
            },
        )


def said(found: Recall) -> list[str]:
    return [hit.memory.content for hit in found]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("which package manager should I use here", BAKERY[0]),
        ("live connection is lost after a minute", BAKERY[1]),
        ("how are prices stored", BAKERY[2]),
        ("login does not work on my iPhone", BAKERY[5]),
        ("can I correct this Danish text myself", BAKERY[7]),
        ("umlauts are broken after the import", BAKERY[8]),
    ],
)
def test_meaning_is_found_in_other_words(
    bakery: Store, model: ShippedModel, asked: str, answer: str
) -> None:
    assert answer in said(search([bakery], asked, embedder=model))[:3]


def test_words_are_found_without_a_model_and_it_says_so(bakery: Store) -> None:
    found = search([bakery], "oven websockets", embedder=None)
    assert said(found)[0] == BAKERY[1]
    assert found.degraded
    told = search([bakery], "oven websockets", embedder=None, unavailable="The model is gone.")
    assert told.degraded == "The model is gone."


class Failing:
    """A model that cannot be reached just now."""

    name = "failing"
    dimension = 8

    def encode(self, text: str, before: str = "") -> Encoded:
        raise ModelUnavailable("The line is dead.")

    def query(self, text: str) -> QueryEncoding:
        raise ModelUnavailable("The line is dead.")


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_a_model_that_fails_now_leaves_the_words(
    cortex: Cortex, monkeypatch: pytest.MonkeyPatch, mode: RecallMode
) -> None:
    cortex.remember("The oven talks over websockets")
    models: list[Embedder] = [Failing()]
    monkeypatch.setattr(cortex.models, "embedder", lambda: models[0] if models else None)
    monkeypatch.setattr(cortex.models, "embed_new", lambda *_: None)
    monkeypatch.setattr(cortex.models, "instead_of", lambda *_: models.clear())
    monkeypatch.setattr(cortex.models, "problem", "The line is dead.")
    found = cortex.recall("oven websockets", mode=mode)
    assert said(found) == ["The oven talks over websockets"]
    assert "The line is dead." in found.degraded


def test_the_next_search_embeds_what_one_has_left(cortex: Cortex) -> None:
    for number in range(20):
        cortex.remember(f"Fact {number} about server {number * 7}")
    assert "4 memories have no vector yet" in cortex.recall("deployment schedule").degraded
    assert "no vector yet" not in cortex.recall("deployment schedule").degraded


def test_keyword_mode_needs_no_model_and_is_not_degraded(bakery: Store) -> None:
    found = search([bakery], "oven websockets", mode="keyword")
    assert said(found) == [BAKERY[1]]
    assert (found.mode, found.degraded) == ("keyword", "")


def test_semantic_mode_gives_words_no_share(bakery: Store, model: ShippedModel) -> None:
    found = search([bakery], "oven websockets", mode="semantic", embedder=model)
    assert said(found)[0] == BAKERY[1]
    plain = [hit for hit in found if "always" not in hit.memory.content.lower()]
    assert all(hit.parts.keyword <= 0 for hit in plain)


def test_the_parts_sum_to_the_score(bakery: Store, model: ShippedModel) -> None:
    for hit in search([bakery], "postgres transaction", embedder=model):
        parts = hit.parts
        whole = parts.keyword + parts.semantic + parts.graph + parts.importance
        assert hit.score == pytest.approx(whole)
        assert hit.why


def test_scores_fall(bakery: Store, model: ShippedModel) -> None:
    scores = [hit.score for hit in search([bakery], "database", embedder=model)]
    assert scores == sorted(scores, reverse=True)


def test_no_more_than_the_limit(bakery: Store, model: ShippedModel) -> None:
    assert len(search([bakery], "the shop", embedder=model, limit=3)) == 3


def test_an_empty_store_answers_nothing(store: Store, model: ShippedModel) -> None:
    assert len(search([store], "anything", embedder=model)) == 0


def test_a_misspelt_word_is_read_as_meant(bakery: Store, model: ShippedModel) -> None:
    found = search([bakery], "websokets", embedder=model)
    assert found.corrected == {"websokets": "websockets"}
    assert said(found)[0] == BAKERY[1]


def test_common_words_that_the_store_lacks_are_no_slips(bakery: Store) -> None:
    found = search([bakery], "winter clock coven", mode="keyword")
    assert found.corrected == {}


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(max_size=80))
def test_any_text_can_be_asked(bakery: Store, model: ShippedModel, text: str) -> None:
    search([bakery], text, embedder=model)


def test_ten_thousand_words_can_be_asked(bakery: Store, model: ShippedModel) -> None:
    found = search([bakery], "oven " + "nonsense gibberish " * 5_000, embedder=model)
    assert "oven" in said(found)[0]


def test_a_fresh_memory_is_found_by_words_and_counted(bakery: Store, model: ShippedModel) -> None:
    add(bakery, "The sourdough starter is called Gerda and lives in fridge two.")
    found = search([bakery], "sourdough starter Gerda fridge", embedder=model)
    assert said(found)[0].startswith("The sourdough")
    assert "1 memory" in found.degraded


def test_the_project_leads_the_global_store(
    store: Store, global_store: Store, model: ShippedModel
) -> None:
    for one in (store, global_store):
        add(one, "Use ruff to format Python files.")
        stored.embed(one, model)
    found = search([store, global_store], "python formatting", embedder=model)
    assert [hit.memory.scope for hit in found] == ["project", "global"]


def test_a_clearly_better_global_memory_still_wins(
    store: Store, global_store: Store, model: ShippedModel
) -> None:
    add(store, "The till prints on 58 mm paper.")
    add(global_store, "Answer in German when the question is in German.")
    for one in (store, global_store):
        stored.embed(one, model)
    found = search([store, global_store], "which language do I get an answer in", embedder=model)
    assert found.hits[0].memory.scope == "global"


class TestFilters:
    @pytest.fixture
    def mixed(self, store: Store, model: ShippedModel) -> Store:
        add(
            store,
            "Deploy with the blue button.",
            kind="decision",
            tags=("ops", "web"),
            branch="main",
            created=NOON - 10 * DAY,
            session="a",
        )
        add(
            store,
            "Deploy with the red button.",
            kind="fact",
            tags=("ops",),
            branch="next",
            created=NOON - DAY,
            globs=("src/**/*.py", "web/*.ts"),
            files=("deploy/run.sh",),
        )
        add(store, "Deploy with no button.", status="archived", created=NOON)
        stored.embed(store, model)
        return store

    @pytest.mark.parametrize(
        ("filters", "colours"),
        [
            (Filters(), {"blue", "red"}),
            (Filters(kinds=("decision",)), {"blue"}),
            (Filters(kinds=("decision", "fact")), {"blue", "red"}),
            (Filters(tags=("ops",)), {"blue", "red"}),
            (Filters(tags=("ops", "web")), {"blue"}),
            (Filters(statuses=("archived",)), {"no"}),
            (Filters(statuses=("active", "archived")), {"blue", "red", "no"}),
            (Filters(branch="next"), {"red"}),
            (Filters(since=NOON - 2 * DAY), {"red"}),
            (Filters(until=NOON - 2 * DAY), {"blue"}),
            (Filters(file="src/web/app.py"), {"red"}),
            (Filters(file="src/app.py"), {"red"}),
            (Filters(file="deploy/run.sh"), {"red"}),
            (Filters(file="docs/app.md"), set()),
            (Filters(file="web/app.ts"), {"red"}),
            (Filters(file="web/parts/app.ts"), set()),
        ],
    )
    @pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
    def test_only_what_is_asked_for(
        self,
        mixed: Store,
        model: ShippedModel,
        filters: Filters,
        colours: set[str],
        mode: RecallMode,
    ) -> None:
        found = search([mixed], "deploy button", embedder=model, filters=filters, mode=mode)
        assert {content.split()[-2] for content in said(found)} == colours

    def test_a_rare_kind_is_found_behind_many_others(
        self, store: Store, model: ShippedModel
    ) -> None:
        add_all(store, [f"The oven number {number} is hot." for number in range(450)])
        wanted = add(store, "Ovens are switched off at night.", kind="policy")
        stored.embed(store, model, limit=1)
        modes: tuple[RecallMode, ...] = ("hybrid", "keyword")
        for mode in modes:
            found = search(
                [store], "oven", embedder=model, mode=mode, filters=Filters(kinds=("policy",))
            )
            assert [hit.memory.id for hit in found] == [wanted.id]


class TestGraph:
    def test_a_neighbour_joins_with_less_than_the_hit(
        self, bakery: Store, model: ShippedModel
    ) -> None:
        hit = add(bakery, "The dough rests for eighteen hours.")
        beside = add(bakery, "Gerda was bought in 2019.")
        stored.embed(bakery, model)

        def shares() -> dict[str, float]:
            found = search([bakery], "how long does dough rest", embedder=model, limit=40)
            return {h.memory.id: h.score for h in found}

        before = shares()
        link(bakery, hit, beside, "relates_to")
        after = shares()
        assert before.get(beside.id, 0.0) < after[beside.id] < after[hit.id]
        unlinked = set(after) - {beside.id}
        assert all(after[name] == pytest.approx(before[name]) for name in unlinked)

    def test_two_steps_weigh_less_than_one(self, store: Store, model: ShippedModel) -> None:
        hit = add(store, "The dough rests for eighteen hours.")
        near, far, beyond = (add(store, f"Unrelated number {n}.") for n in range(3))
        link(store, hit, near, "relates_to")
        link(store, far, near, "relates_to")
        link(store, far, beyond, "relates_to")
        found = search([store], "dough rests", mode="keyword")
        scores = {h.memory.id: h.parts.graph for h in found}
        assert scores[near.id] > scores[far.id] > 0
        assert beyond.id not in scores

    def test_neighbours_pass_the_filters_too(self, store: Store) -> None:
        hit = add(store, "The dough rests for eighteen hours.")
        gone = add(store, "An archived one.", status="archived")
        other = add(store, "Of another kind.", kind="policy")
        for one in (gone, other):
            link(store, hit, one, "relates_to")
        found = search([store], "dough", mode="keyword", filters=Filters(kinds=("fact",)))
        assert [h.memory.id for h in found] == [hit.id]


class TestCode:
    def test_prose_brings_its_code(self, store: Store, model: ShippedModel) -> None:
        prose = add(store, "Rounds a price up to ten cents.", kind="code_description")
        code = add(store, "def round_up(cents): return -(-cents // 10) * 10", kind="code")
        link(store, prose, code, "source_of")
        stored.embed(store, model)
        found = search([store], "round price", embedder=model)
        assert [h.memory.id for h in found] == [prose.id]
        assert found.hits[0].code is not None
        assert found.hits[0].code.id == code.id

    def test_code_by_itself_is_found_by_words(self, store: Store, model: ShippedModel) -> None:
        code = add(store, "def round_up(cents): return 1", kind="code")
        found = search([store], "round_up", embedder=model)
        assert [h.memory.id for h in found] == [code.id]


class TestStanding:
    def test_it_breaks_a_tie(self, store: Store, model: ShippedModel) -> None:
        low = add(store, "Bake at 220 degrees.", priority=1)
        high = add(store, "Bake at 220 degrees.", priority=10)
        newer = add(store, "Bake at 220 degrees.", priority=1)
        stored.embed(store, model)
        found = search([store], "baking temperature", embedder=model)
        assert found.hits[0].memory.id == high.id
        assert {h.memory.id for h in found} == {low.id, high.id, newer.id}

    def test_the_branch_at_hand_counts(self, store: Store, model: ShippedModel) -> None:
        here = add(store, "Bake at 220 degrees.", branch="sourdough")
        add(store, "Bake at 220 degrees.", branch="main")
        stored.embed(store, model)
        found = search(
            [store],
            "baking",
            embedder=model,
            around=lambda memory: memory.context.branch == "sourdough",
        )
        assert found.hits[0].memory.id == here.id

    def test_it_never_leads(self, bakery: Store, model: ShippedModel) -> None:
        add(bakery, "The radio plays jazz.", priority=10, initial_confidence=1.0)
        stored.embed(bakery, model)
        assert said(search([bakery], "package manager", embedder=model))[0] == BAKERY[0]


class TestConversations:
    TALK = (
        ("Ada", "Did you ever go hiking in Norway?"),
        ("Ben", "Yes, three summers ago, with my brother."),
        ("Ada", "Lucky you."),
        ("Ben", "My brother broke his ankle on the last day."),
    )

    @pytest.fixture
    def talk(self, store: Store, model: ShippedModel) -> Store:
        for at, (author, content) in enumerate(self.TALK):
            add(store, content, author=author, session="s1", position=at)
        for at in range(20):
            add(store, f"We had soup number {at} today.", author="Ada", session="s2", position=at)
        stored.embed(store, model)
        return store

    def test_an_answer_is_found_by_the_question_before_it(
        self, talk: Store, model: ShippedModel
    ) -> None:
        found = said(search([talk], "When did Ben hike in Norway?", embedder=model))
        assert found[0] == self.TALK[1][1]

    def test_the_one_author_named_is_preferred(self, talk: Store, model: ShippedModel) -> None:
        found = search([talk], "What happened to Ben's brother?", embedder=model)
        assert found.hits[0].memory.source.author == "Ben"
