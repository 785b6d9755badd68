"""What the model adds to curation: types of links, words of merges, code in prose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex, worker_run
from cortex_core.base.errors import ModelFailed
from cortex_core.code_index.outline import outline_text
from cortex_core.curation.model_merge import fault_of
from tests.core.model import stub_api
from tests.core.model.stub_api import Handler, Stub, answer

LINKED = (
    "The nightly export job runs on the replica database",
    "The nightly export job needs the replica database to be in step",
    "The nightly export job was slow on the primary database",
)
TYPING = "how the first relates"
MERGING = "one text that"


def edges(*found: dict[str, Any]) -> str:
    return json.dumps({"edges": list(found)})


def edge(pair: int, type: str, reversed: bool = False) -> dict[str, Any]:
    return {"pair": pair, "type": type, "reversed": reversed, "why": "the second names it"}


@pytest.fixture
def linked(asking: Path) -> Path:
    """Three memories that are near enough to be linked."""
    with Cortex.open(asking) as cortex:
        for content in LINKED:
            cortex.remember(content, kind="fact")
    return asking


def types(project: Path) -> list[tuple[str, bool, str]]:
    """Type, direction and context of every edge, in order."""
    with Cortex.open(project) as cortex:
        (store,) = (one for one in cortex.workspace.stores if one.scope == "project")
        return [
            (str(kind), bool(directed), str(context))
            for kind, directed, context in store.rows(
                "SELECT type, directed, context FROM edge ORDER BY id"
            )
        ]


def test_all_new_links_are_told_apart_in_one_question(linked: Path, stub: Stub) -> None:
    stub.act = answer(edges(edge(1, "REQUIRES", True), edge(2, "CAUSES"), edge(3, "supersedes")))
    with Cortex.open(linked) as cortex:
        worker_run.maintain(cortex)
        assert len(stub.asked(TYPING)) == 1
        before = len(types(linked))
        assert before == 3
    assert types(linked) == [
        ("REQUIRES", True, "the second names it"),
        ("CAUSES", True, "the second names it"),
        ("contradicts", False, "the second names it"),
    ]
    with Cortex.open(linked) as cortex:
        rows = [one for one in cortex.sessions.ledger() if one.event == "links"]
        assert rows[0].tokens == 2_100 and rows[0].cost > 0
        worker_run.maintain(cortex)
        assert len(stub.asked(TYPING)) == 1, "typed once"
        change = next(one for one in cortex.log() if "told" in one.label or "links" in one.label)
        cortex.undo(number=change.number)
    assert {kind for kind, _, _ in types(linked)} == {"relates_to"}


def test_what_is_no_verdict_leaves_a_link_as_it_is(linked: Path, stub: Stub) -> None:
    stub.act = answer(edges(edge(9, "CAUSES"), edge(1, "likes"), {"pair": "2"}, edge(3, "refines")))
    with Cortex.open(linked) as cortex:
        worker_run.maintain(cortex)
    assert [kind for kind, _, _ in types(linked)] == ["relates_to", "relates_to", "refines"]


def test_links_wait_for_a_model_that_does_not_answer(linked: Path, stub: Stub) -> None:
    stub.act = stub_api.error(403)
    with Cortex.open(linked) as cortex:
        worker_run.maintain(cortex)
        assert [one.error for one in cortex.sessions.ledger() if one.event == "links"] == [
            "model: the service answered with an error (HTTP 403, stub says 403)"
        ]
    assert {kind for kind, _, _ in types(linked)} == {"relates_to"}
    stub.act = answer(edges(edge(1, "CAUSES")))
    with Cortex.open(linked) as cortex:
        worker_run.maintain(cortex)
    assert types(linked)[0][0] == "CAUSES"


def test_three_useless_answers_pass_links_over(linked: Path, stub: Stub) -> None:
    stub.act = answer("not JSON")
    for _ in range(5):
        with Cortex.open(linked) as cortex:
            worker_run.maintain(cortex)
    assert len(stub.asked(TYPING)) == 3


PAIR = (
    "Rotate the deploy key of shop-api every 90 days",
    "The deploy key of shop-api has to be rotated every 90 days",
)
MERGED = "Every 90 days the deploy key of shop-api is rotated."


@pytest.mark.parametrize(
    ("words", "members", "fault"),
    [
        (MERGED, PAIR, ""),
        ("Every 90 days: shop-api deploy key.", PAIR, ""),
        ("Rotate the deploy key of shop-api every 30 days", PAIR, "lost: 90; added: 30"),
        ("Rotate the deploy key every 90 days", PAIR, "lost: shop-api"),
        ("Never rotate the deploy key of shop-api every 90 days", PAIR, "added: never"),
        ("Rotate shop-api every 90 days with bin/rotate", PAIR, "added: bin/rotate"),
        (f"{MERGED} " * 5, PAIR, "longer than the notes"),
        ("It is localhost:3000.", ("It is port 3000.", "Open localhost:3000"), ""),
        ("It is port 3000.", ("It is port 3000.", "Open localhost:3000"), "lost: localhost:3000"),
        ("Ada has no access.", ("You dont have access", "Ada cannot get access"), ""),
        ("Ada has access.", ("You dont have access", "Ada cannot get access"), "lost: not"),
        ("Only from main.", ("You must deploy from main only", "Only from main"), ""),
        ("From main.", ("You must deploy from main only", "Only from main"), "lost: must, only"),
        ("Kein Zugriff.", ("Niemand hat Zugriff, nicht einmal Ada", "Kein Zugriff"), "lost: ada"),
    ],
)
def test_what_is_wrong_with_the_text_of_a_merge(
    words: str, members: tuple[str, str], fault: str
) -> None:
    assert fault_of(words, members) == fault


def test_what_a_text_lost_is_asked_for_once_more(asking: Path, stub: Stub) -> None:
    """With what it lost; a second text that is no better leaves the union."""
    with Cortex.open(asking) as cortex:
        for content in PAIR:
            cortex.remember(content, kind="policy")
        texts = iter(["Rotate the deploy key.", MERGED])

        def act(served: Stub, handler: Handler) -> None:
            merges = (
                [{"group": 1, "text": next(texts)}] if MERGING in str(served.bodies[-1]) else []
            )
            answer(json.dumps({"merges": merges, "edges": []}))(served, handler)

        stub.act = act
        cortex.consolidate(0.3)
        (seen,) = cortex.review.list()
        assert seen.text == MERGED
        first, again = stub.asked(MERGING)
        assert "lost" not in first and "Rotate the deploy key. (lost: 90, shop-api)" in again


def test_a_proposed_merge_reads_as_the_model_words_it(asking: Path, stub: Stub) -> None:
    stub.act = answer(json.dumps({"merges": [{"group": 1, "text": MERGED}], "edges": []}))
    with Cortex.open(asking) as cortex:
        for content in PAIR:
            cortex.remember(content, kind="policy")
        cortex.consolidate(0.3)
        (seen,) = cortex.review.list()
        if not seen.proposal.conflicts:
            assert seen.text == MERGED
            assert len(stub.asked(MERGING)) == 1
            assert cortex.review.approve(seen.proposal.number).content == MERGED
        else:
            assert stub.asked(MERGING) == [], "flagged pairs are for the user"


SOURCE = '''\
"""Limits how often a client may log in."""

SECRET_DEFAULT = "hunter2-in-code"


class Limiter:
    """Counts attempts in a sliding window."""

    def allow(self, address: str, now: float = 12345.0) -> bool:
        """Whether another attempt is allowed."""
        window = self.window_of(address)
        return len(window) < 5
'''


def test_code_is_described_from_its_outline_and_never_sent(asking: Path, stub: Stub) -> None:
    stub.act = answer(json.dumps({"description": "  Limits log-ins by a sliding window. "}))
    with Cortex.open(asking) as cortex:
        model = cortex.llm.model()
        assert model is not None
        description = model.describe_code(outline_text(SOURCE, "src/limiter.py"), "src/limiter.py")
        assert description == "Limits log-ins by a sliding window."
        (sent,) = stub.asked("outline of a source file")
        for shown in ("src/limiter.py", "class Limiter", "allow(self, address: str", "sliding"):
            assert shown in sent
        for hidden in ("hunter2", "12345", "window_of", "return len", "SECRET_DEFAULT"):
            assert hidden not in sent
        stub.act = answer(json.dumps({"description": ""}))
        with pytest.raises(ModelFailed, match="no description"):
            model.describe_code(outline_text(SOURCE, "src/limiter.py"), "src/limiter.py")
        with pytest.raises(ModelFailed, match="no names or comments"):
            model.describe_code(outline_text("1, 2, 3\n", "numbers.csv"), "numbers.csv")


JAVASCRIPT = """\
// Keeps the cart in step with the server.
const token = "hunter2-in-code";
export class Cart extends Base {
  // total = compute(price);
  async add(item) { return fetch(url); }
}
function total(lines) { return lines.reduce((a, b) => a + b.price, 0); }
"""


def test_other_languages_are_outlined_by_their_looks(asking: Path, stub: Stub) -> None:
    stub.act = answer(json.dumps({"description": "Keeps the cart."}))
    with Cortex.open(asking) as cortex:
        model = cortex.llm.model()
        assert model is not None
        model.describe_code(outline_text(JAVASCRIPT, "cart.js"), "cart.js")
    (sent,) = stub.asked("outline of a source file")
    for shown in ("in step with the server", "class Cart extends Base", "function total(lines)"):
        assert shown in sent
    for hidden in ("hunter2", "compute", "fetch", "reduce"):
        assert hidden not in sent
