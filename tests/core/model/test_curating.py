"""What the model adds to curation: types of links, words of merges, code in prose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex, worker_run
from cortex_core.base.errors import ModelFailed
from cortex_core.code_index.outline import outline_text
from cortex_core.curation.model_merge import is_faithful
from tests.core.model import stub_api
from tests.core.model.stub_api import Stub, answer

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
    ("words", "members", "faithful"),
    [
        (MERGED, PAIR, True),
        ("Every 90 days: shop-api deploy key.", PAIR, True),
        ("Rotate the deploy key of shop-api every 30 days", PAIR, False),
        ("Rotate the deploy key every 90 days", PAIR, False),
        ("Never rotate the deploy key of shop-api every 90 days", PAIR, False),
        ("Rotate shop-api every 90 days with bin/rotate", PAIR, False),
        (f"{MERGED} " * 5, PAIR, False),
        ("It is localhost:3000.", ("It is port 3000.", "Open localhost:3000"), True),
        ("It is port 3000.", ("It is port 3000.", "Open localhost:3000"), False),
        ("Ada has no access.", ("You dont have access", "Ada cannot get access"), True),
        ("Ada has access.", ("You dont have access", "Ada cannot get access"), False),
        ("Only from main.", ("You must deploy from main only", "Only from main"), True),
        ("From main.", ("You must deploy from main only", "Only from main"), False),
        ("Kein Zugriff.", ("Niemand hat Zugriff, nicht einmal Ada", "Kein Zugriff"), False),
    ],
)
def test_a_merged_text_that_loses_or_adds_is_unfaithful(
    words: str, members: tuple[str, str], faithful: bool
) -> None:
    assert is_faithful(words, members) == faithful


def test_a_text_that_loses_something_leaves_the_union(asking: Path, stub: Stub) -> None:
    merges = [{"group": 1, "text": "Rotate the deploy key."}]
    stub.act = answer(json.dumps({"merges": merges, "edges": []}))
    with Cortex.open(asking) as cortex:
        for content in PAIR:
            cortex.remember(content, kind="policy")
        cortex.consolidate(0.3)
        (seen,) = cortex.review.list()
        assert "90 days" in seen.text and "shop-api" in seen.text
        assert len(stub.asked(MERGING)) == 1


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
