"""A session captured in pieces yields what it yields at once; tiers; one memory, not five."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cortex_core.extract.repetition import says_no_more
from cortex_core.extract.rules import extract
from cortex_core.records.events import Candidate, Event
from tests.core.rules.session import Session
from tests.core.rules.test_compaction import summary
from tests.core.rules.test_forge import opened


def long_session() -> Session:
    session = Session().human("Always use pnpm, never npm. Uploads log people out, look into it.")
    session.says("Let me look.").edits("a.ts").says("Found it!").edits("src/worker.ts")
    session.human("commit it").runs("git add src/worker.ts")
    session.commits(
        "fix: renew the session in the worker\n\nUploads outlive the page, so the worker renews it "
        "once a minute.",
        "aaaaaaa",
    ).says("Committed.")
    session.human("and now?").says(
        "Amounts can be:\n1. Integer cents per currency\n2. Decimals as text"
    )
    session.human("option 1").says("Fine.")
    session.asks("Which cache should the prices use?", "Redis with a TTL", "Cache", ("Redis",))
    session.human("why did nobody see it?").says("The old logs are gone.")
    session.compacts(summary(concepts="   - Workers must never read `document.cookie` directly"))
    session.runs(
        "git commit -m 'feat: hide\n\nThe command hides what git says of it here.' | cat", ""
    )
    session.human("go on").runs("git log --oneline -1", "bbbbbbb feat: hide")
    session.human("Always use pnpm, never npm. Uploads log people out, look into it.")
    session.events += opened().events
    return session


def in_pieces(events: list[Event], cuts: list[int]) -> list[Candidate]:
    carry: dict[str, Any] = {}
    found: list[Candidate] = []
    for start, end in zip([0, *cuts], [*cuts, len(events)], strict=True):
        made = extract(events[start:end], carry, final=False)
        carry = json.loads(json.dumps(made.carry))
        found += made.candidates
    return found + list(extract([], carry, final=True).candidates)


def marks(found: list[Candidate]) -> list[tuple[str, str, str, tuple[str, ...], str]]:
    return sorted((one.rule, one.content, one.title, one.files, one.excerpt) for one in found)


def test_turn_by_turn_is_the_same_as_at_once() -> None:
    events = long_session().events
    turns = [number for number, event in enumerate(events) if event.role == "human" and number]
    whole = long_session().found()
    assert len({one.rule for one in whole}) >= 5
    assert marks(in_pieces(events, turns)) == marks(whole)


@pytest.mark.parametrize("step", [1, 2, 3, 5, 7])
def test_so_is_any_other_cut(step: int) -> None:
    events = long_session().events
    assert marks(in_pieces(events, list(range(step, len(events), step)))) == marks(
        long_session().found()
    )


def test_the_carry_is_small_and_holds_no_secret() -> None:
    session = long_session()
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    for number in range(300):
        session.human(f"prompt {number}: the key is {key}").says("x" * 20_000)
        session.uses("Write", {"file_path": f"/tmp/{number}.txt", "content": "y" * 2000})
    dumped = json.dumps(session.extracted(final=False).carry)
    assert len(dumped) < 150_000 and key not in dumped and key.lower() not in dumped


def test_an_override_moves_or_silences_a_rule() -> None:
    session = Session().human("Always use uv.")
    (one,) = session.extracted(tiers={"prompt-order": "kept"}).candidates
    assert one.tier == "kept"
    off = session.extracted(tiers={"prompt-order": "off"})
    assert off.candidates == () and off.refused == {"rule is off": 1}


def test_the_users_words_beat_a_paraphrase() -> None:
    session = Session().human("Never log tokens in a worker process.")
    session.compacts(summary(concepts="   - Never log tokens in a worker process"))
    (one,) = session.found()
    assert one.rule == "prompt-order" and session.extracted().refused == {"said already": 1}


def test_what_an_earlier_stretch_said_is_not_said_again() -> None:
    first = extract(Session().human("Always use uv for scripts.").events, final=True)
    again = Session().compacts(summary(concepts="   - Always use uv for scripts")).events
    assert extract(again, first.carry, final=True).candidates == ()


def mark(*words: str) -> frozenset[str]:
    return frozenset(words)


def test_when_two_say_the_same() -> None:
    assert says_no_more(mark("a", "b", "c"), mark("a", "b", "c", "d"))
    assert not says_no_more(mark("a", "b", "c", "d", "e"), mark("a", "b", "x", "y", "z"))
    assert not says_no_more(mark("port", "api", "8080"), mark("port", "api", "9090", "x"))
    assert says_no_more(mark("a", "b", "c", "d"), mark(*"abcdefghijklmnop"))
    assert not says_no_more(mark(*"abcdefghijklmnop"), mark("a", "b", "c", "d"))
