"""Every way in which the API can fail: the rules' finds stand, the ledger says what happened, the
transcript is read by the model later, and nothing is stored twice.
"""

from __future__ import annotations

import importlib
import time
from pathlib import Path

import pytest

from cortex_core import Cortex, worker
from cortex_core.capture import unread
from cortex_core.records.captures import LedgerEntry
from tests.core.model import stub_api
from tests.core.model.conftest import session
from tests.core.model.stub_api import TAKEN, Act, Stub, answer, error, extraction, memory
from tests.core.test_worker import contents, spool

FAILURES: dict[str, tuple[Act, str]] = {
    "refusal": (answer("", stop="refusal"), "refused"),
    "truncated": (answer('{"memories": [{"kind": "fa', stop="max_tokens"), "its answer broke off"),
    "invalid JSON": (answer('{"memories": ['), "not a JSON object"),
    "JSON of another form": (answer("[1, 2]"), "not a JSON object"),
    "junk": (stub_api.junk, "not in the API's form"),
    "400": (error(400, "invalid_request_error"), "HTTP 400, stub says 400"),
    "401": (error(401, "authentication_error"), "HTTP 401"),
    "403": (error(403, "permission_error"), "HTTP 403"),
    "413": (error(413, "request_too_large"), "HTTP 413"),
    "429": (error(429, "rate_limit_error", retry_after="60"), "takes no more requests for now"),
    "500": (error(500), "HTTP 500"),
    "529": (error(529, "overloaded_error"), "is overloaded (HTTP 529"),
    "hang": (stub_api.hang, "no complete answer within"),
    "drip": (stub_api.drip, "no complete answer within"),
    "drop": (stub_api.drop, "broke off"),
}


def run(project: Path, path: Path) -> None:
    """One run of the worker, after a hook has reported the session's end."""
    spool(project, path, "SessionEnd")
    assert worker.main(["--project", str(project)]) == 0


def read(project: Path, path: Path) -> None:
    """What a run of the worker does for one session, without the upkeep after it."""
    with Cortex.open(project) as cortex:
        cortex.sessions.capture(path, event="SessionEnd", final=True)


def rows(project: Path, extractor: str) -> list[LedgerEntry]:
    """The ledger's rows of one extractor, oldest first."""
    with Cortex.open(project) as cortex:
        return [one for one in reversed(cortex.sessions.ledger(50)) if one.extractor == extractor]


def success(text: str = TAKEN) -> Act:
    return answer(extraction(memory(text)))


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_costs_nothing_but_the_models_own_finds(
    name: str, asking: Path, sessions: Path, stub: Stub
) -> None:
    stub.act, reason = FAILURES[name]
    with Cortex.open(asking) as cortex:
        cortex.settings.set("model.deadline", 1.5 if name in ("hang", "drip") else 60)
    path = session(asking).write(sessions)
    once = run if name in ("529", "hang", "invalid JSON") else read
    importlib.import_module("anthropic")  # seconds, on a machine with much to do
    started = time.monotonic()
    once(asking, path)
    assert time.monotonic() - started < 60  # the client itself waits ten minutes
    kept = contents(asking)
    assert any("make ship" in content for content in kept)
    (rules,), (failed,) = rows(asking, "rules"), rows(asking, "api")
    assert rules.error == "" and rules.stored == len(kept)
    assert reason in failed.error and failed.stored == 0
    with Cortex.open(asking) as cortex:
        assert cortex.status().failures == 1
        cortex.settings.set("model.deadline", 60)

    stub.act = success()
    once(asking, path)
    assert sorted(contents(asking)) == sorted([*kept, TAKEN])
    last = rows(asking, "api")[-1]
    assert (last.error, last.stored, last.tokens) == ("", 1, 2_100)
    sent = len(stub.bodies)
    once(asking, path)
    assert sorted(contents(asking)) == sorted([*kept, TAKEN])
    assert len(stub.bodies) == sent, "what the model has read is not sent again"
    with Cortex.open(asking) as cortex:
        assert cortex.status().failures == 0


def test_without_a_key_nothing_is_sent_and_the_ledger_says_why(
    asking: Path, sessions: Path, stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    path = session(asking).write(sessions)
    for _ in range(3):
        run(asking, path)
    assert stub.bodies == []
    with Cortex.open(asking) as cortex:
        messages = [
            one for one in cortex.sessions.ledger(50) if "no key in ANTHROPIC_API_KEY" in one.error
        ]
        assert len(messages) == 1, "once, not with every run"
        assert any("ANTHROPIC_API_KEY" in reason for reason in cortex.status().degraded)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
    stub.act = success()
    run(asking, path)
    assert TAKEN in contents(asking)


def test_a_refused_connection_is_told(
    asking: Path, sessions: Path, stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    run(asking, session(asking).write(sessions))
    (failed,) = rows(asking, "api")
    assert "could not be made" in failed.error
    assert failed.cost == 0


def test_a_short_pause_that_the_api_asks_for_is_kept_within_the_deadline(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    stub.act = stub_api.then(error(429, retry_after="1"), error(529), success())
    started = time.monotonic()
    run(asking, session(asking).write(sessions))
    assert time.monotonic() - started >= 1.0
    assert TAKEN in contents(asking)
    assert len(stub.asked()) == 3


def test_the_third_useless_answer_leaves_the_session_to_the_rules(
    asking: Path, sessions: Path, stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unread, "PAUSES", (0.0,))
    stub.act = answer("", stop="refusal")
    path = session(asking).write(sessions)
    for _ in range(5):
        run(asking, path)
    calls = rows(asking, "api")
    assert len(calls) == 3
    assert "left to the rules permanently" in calls[-1].error
    assert all(row.cost > 0 for row in calls), "a refusal is paid for, and the ledger says so"


def test_the_second_failure_and_those_after_it_are_followed_by_a_pause(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    stub.act = error(500)
    path = session(asking).write(sessions)
    for _ in range(4):
        run(asking, path)
    assert len(rows(asking, "api")) == 2


def test_one_silence_is_enough_for_one_run(asking: Path, sessions: Path, stub: Stub) -> None:
    stub.act = error(401)
    for name in ("one", "two", "three"):
        session(asking, name).write(sessions)
    for path in sessions.glob("*.jsonl"):
        spool(asking, path, "SessionEnd")
    worker.main(["--project", str(asking)])
    assert len(stub.bodies) == 1
    stub.act = answer(extraction())
    worker.main(["--project", str(asking)])
    assert len(stub.bodies) == 4


def test_a_key_that_the_other_side_repeats_is_not_written_down(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    body = b'{"type":"error","error":{"type":"authentication_error","message":"bad key-of-a-test"}}'
    stub.act = lambda stub, handler: stub_api.send(handler, 401, body)
    run(asking, session(asking).write(sessions))
    (failed,) = rows(asking, "api")
    assert "bad [key]" in failed.error


@pytest.mark.parametrize(
    "act", [error(429, retry_after="60"), error(401), answer("", stop="refusal")]
)
def test_an_import_says_that_the_model_did_not_read(
    act: Act, asking: Path, sessions: Path, stub: Stub
) -> None:
    stub.act = act
    for name in ("one", "two"):
        session(asking, name).write(sessions)
    with Cortex.open(asking) as cortex:
        report = cortex.exchange.import_transcripts()
        (problem,) = report.problems
        assert "waits for the language model" in problem or "wait for the language model" in problem
        assert "The finds of the rules are kept" in problem
        assert problem in cortex.status().degraded
    stub.act = success()
    with Cortex.open(asking) as cortex:
        assert cortex.exchange.import_transcripts(dry_run=True).problems == ()
