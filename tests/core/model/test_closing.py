"""The pass that closes a long session: what it is shown, and what it does with the finds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.capture import closing_pass
from cortex_core.records.memory import Memory
from tests.core.model import stub_api
from tests.core.model.conftest import capture, stored
from tests.core.model.stub_api import Stub, error, extraction, memory, said_in
from tests.transcript_samples import Sample

PORT = "The importer listens on port 4100 and is started with `make import JOBS=2`."
CACHE = "The importer fails on empty rows, because the cache keeps them."
AGAIN = "Empty rows make the importer fail: the cache holds on to them."
CLOSING = "You are given what was found"


def long_session(project: Path) -> Sample:
    """A session of two chunks, in whose second one a find of the first is told differently."""
    made = Sample("long", cwd=str(project))
    made.human("How is the importer started?").assistant(PORT)
    for turn in range(150):
        made.human(f"Question {turn}: how does part {turn} treat an empty row?")
        made.assistant(f"Part {turn} skips it and counts it under number {turn}. " * 8)
    made.human("Why does it fail?").assistant(f"{CACHE} So I emptied the cache.")
    return made.human("Commit that.").assistant("Committed. Now the importer reads empty rows.")


def is_first(sent: str) -> bool:
    """Whether the request is about the part in which the port is named."""
    return PORT in sent.partition("\nSession:")[2]


def finds(sent: str) -> dict[str, int]:
    """The number of each find that is decided on, by its content."""
    lines = sent.partition("Finds:\n")[2].partition("\n\n")[0].split("\n")
    return {
        content.strip(): int(line.strip()[1:].partition(")")[0])
        for line, content in zip(lines[::3], lines[1::3], strict=True)
    }


def answers(
    stub: Stub, *decisions: Mapping[str, Any], summary: Any = None, sure: float = 0.9
) -> None:
    """Two chunks with a find each, then what the closing pass decides, by the finds' contents."""

    def act(stub: Stub, handler: stub_api.Handler) -> None:
        sent = str(stub.bodies[-1]["messages"][0]["content"])
        if stub.asked(CLOSING):
            numbers = finds(sent)
            made = [
                {
                    "why": "the end",
                    "title": "",
                    "content": "",
                    "confidence": 0.9,
                    **each,
                    "find": numbers[each["find"]],
                    "into": numbers.get(each.get("into", ""), 0),
                }
                for each in decisions
            ]
            text = json.dumps({"decisions": made, "summary": summary})
        else:
            words = PORT if is_first(sent) else CACHE
            find = memory(words, said_in(sent, words), confidence=sure)
            text = stub_api.quoting(extraction(find), sent)
        stub_api.send(handler, 200, stub_api.message(text))

    stub.act = act


def by_model(project: Path) -> dict[str, Memory]:
    """What the model wrote and is not history, by its content."""
    found = stored(project, "active", "suggested", "archived")
    return {
        one.content: one
        for one in found
        if one.source.rule.startswith("model:") and one.kind != "episode"
    }


def test_chunks_come_in_order_with_what_stands_and_one_pass_closes_the_session(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    answers(stub)
    entry = capture(asking, long_session(asking).write(sessions))
    first, second = stub.asked()
    (closing,) = stub.asked(CLOSING)
    assert "Part 1 of 2" in first and "Part 2 of 2" in second
    assert "Exports run on the replica" not in first
    assert "[decision] Exports run on the replica" in second.partition("\nSession:")[0]
    assert list(finds(closing)) == [PORT, CACHE]
    assert f"source: {PORT}" in closing
    assert "Question 7: how does part 7" in closing and "[306 assistant] Committed." in closing
    assert len(closing) < 65_000
    assert entry.stored >= 2 and len(stub.bodies) == 3


def test_a_session_of_one_chunk_is_one_request(asking: Path, sessions: Path, stub: Stub) -> None:
    made = Sample("short", cwd=str(asking)).human("How is it started?").assistant(PORT)
    answers(stub)
    capture(asking, made.write(sessions))
    assert len(stub.bodies) == 1


NOW = "The importer reads empty rows; `make import JOBS=2` listens on port 4100."


@pytest.mark.parametrize(
    ("decision", "left"),
    [
        ({"find": PORT, "action": "keep"}, {PORT: "active", CACHE: "active"}),
        (
            {"find": PORT, "action": "keep", "confidence": 0.55},
            {PORT: "suggested", CACHE: "active"},
        ),
        ({"find": CACHE, "action": "drop"}, {PORT: "active"}),
        ({"find": PORT, "action": "reword", "content": NOW}, {NOW: "active", CACHE: "active"}),
        (
            {"find": PORT, "action": "reword", "content": "It listens on port 4100 at the start."},
            {PORT: "active", CACHE: "active"},
        ),
        ({"find": CACHE, "action": "merge", "into": PORT, "content": NOW}, {NOW: "active"}),
        (
            {"find": CACHE, "action": "merge", "into": PORT, "content": "It reads empty rows now."},
            {PORT: "active", CACHE: "active"},
        ),
        ({"find": CACHE, "action": "merge", "into": CACHE}, {PORT: "active", CACHE: "active"}),
    ],
    ids=[
        "keep",
        "less sure",
        "drop",
        "reword",
        "a command lost",
        "merge",
        "a number lost",
        "itself",
    ],
)
def test_what_is_decided_on_a_find(
    decision: dict[str, Any],
    left: dict[str, str],
    asking: Path,
    sessions: Path,
    stub: Stub,
) -> None:
    answers(stub, decision)
    capture(asking, long_session(asking).write(sessions))
    assert {content: one.status for content, one in by_model(asking).items()} == left


def test_what_was_unsure_is_kept_where_the_end_bears_it_out(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    answers(stub, {"find": PORT, "action": "keep", "confidence": 0.7}, sure=0.6)
    capture(asking, long_session(asking).write(sessions))
    found = by_model(asking)
    assert (found[PORT].status, found[CACHE].status) == ("active", "suggested")
    assert found[PORT].initial_confidence == pytest.approx(0.7)


def test_a_closing_pass_that_fails_costs_nothing_but_itself(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    answers(stub, sure=0.6)
    answering = stub.act
    stub.act = lambda stub, handler: (error(400) if stub.asked(CLOSING) else answering)(
        stub, handler
    )
    path = long_session(asking).write(sessions)
    entry = capture(asking, path)
    assert "tries again later" in entry.error
    assert {one.status for one in by_model(asking).values()} == {"suggested"}
    answers(stub, {"find": PORT, "action": "keep"}, {"find": CACHE, "action": "drop"})
    with Cortex.open(asking) as cortex:
        assert len(cortex.llm.waiting()) == 1
        cortex.sessions.ask_model(path, "again")
        assert cortex.llm.waiting() == []
    assert {content: one.status for content, one in by_model(asking).items()} == {
        PORT: "active",
        CACHE: "archived",
    }
    assert len(stub.asked()) == 2, "no chunk is asked about twice"


def test_a_later_part_withdraws_what_an_earlier_one_found(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    def act(stub: Stub, handler: stub_api.Handler) -> None:
        sent = str(stub.bodies[-1]["messages"][0]["content"])
        update = {"stored": 1, "message": 304, "change": "wrong", "title": "", "content": ""}
        if is_first(sent):
            text = extraction(memory(PORT, said_in(sent, PORT)))
        elif stub.asked(CLOSING):
            text = json.dumps({"decisions": []})
        else:
            text = extraction(memory(CACHE, said_in(sent, CACHE)), updates=[update])
        stub_api.send(handler, 200, stub_api.message(stub_api.quoting(text, sent)))

    stub.act = act
    entry = capture(asking, long_session(asking).write(sessions))
    assert list(by_model(asking)) == [CACHE]
    assert entry.refused["model: withdrawn by a later part of the session"] == 1


def test_decisions_on_nothing_and_twice_are_left_out() -> None:
    made = [
        Memory(
            id=name,
            title=name,
            content=f"{name} listens on port 4100.",
            kind="fact",
            scope="project",
        )
        for name in ("one", "two")
    ]
    told = closing_pass.decisions(
        {
            "decisions": [
                "x",
                {"find": 9, "action": "drop"},
                {"find": 1, "action": "drop"},
                {"find": 1, "action": "keep"},
                {"find": 2, "action": "merge", "into": 1, "content": "Both listen on port 4100."},
            ]
        },
        made,
    )
    assert [(one.memory, one.verb) for one in told] == [("one", "drop"), ("two", "reword")]


BETTER = "The queue retries a lost lease three times, then hands the job on."


def test_a_reworded_suggestion_can_still_be_corrected(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    made = long_session(asking)
    first = Sample("long", cwd=str(asking)).human(
        "Remember that the queue retries three times on a lost lease."
    )
    first.records += made.records
    with Cortex.open(asking) as cortex:
        cortex.rules.set("prompt-remember", "suggested")

    def act(stub: Stub, handler: stub_api.Handler) -> None:
        sent = str(stub.bodies[-1]["messages"][0]["content"])
        verdict = {"suggestion": 1, "verdict": "reword", "title": "Retries", "content": BETTER}
        summary = {"title": "The lease is open", "decided": ["Retry thrice"], "message": 2}
        text = extraction(verdicts=[verdict], summary=summary) if is_first(sent) else extraction()
        if stub.asked(CLOSING):
            drop = {"find": finds(sent)[BETTER], "why": "the end", "action": "drop", "into": None}
            text = json.dumps({"decisions": [drop]})
        stub_api.send(handler, 200, stub_api.message(text))

    stub.act = act
    capture(asking, first.write(sessions))
    one, two = stub.asked()
    assert "So far:" not in one
    assert "So far:\n  The lease is open\n  Retry thrice\n" in two
    assert f"] Retries: {BETTER}" in two.partition("\nSession:")[0]
    assert BETTER not in {memory.content for memory in stored(asking, "active", "suggested")}


def test_a_later_part_brings_a_find_up_to_date_with_its_source(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    moved = "The importer is started with `make import JOBS=2` and reads empty rows."

    def act(stub: Stub, handler: stub_api.Handler) -> None:
        sent = str(stub.bodies[-1]["messages"][0]["content"])
        text = json.dumps({"decisions": []})
        if is_first(sent):
            text = extraction(memory(PORT, said_in(sent, PORT)))
        elif not stub.asked(CLOSING):
            last = said_in(sent, "Commit that.")
            update = {"stored": 1, "message": last, "change": "wrong", "content": moved}
            made_up = {**update, "quote": "nobody said this", "content": CACHE}
            text = extraction(updates=[made_up, update])
        stub_api.send(handler, 200, stub_api.message(stub_api.quoting(text, sent)))

    stub.act = act
    entry = capture(asking, long_session(asking).write(sessions))
    assert list(by_model(asking)) == [moved]
    (found,) = by_model(asking).values()
    assert found.source.rule.endswith(":user") and found.excerpt.startswith("Commit that.")
    assert PORT in found.excerpt
    assert entry.refused["model: update without a quotation that is there"] == 1
