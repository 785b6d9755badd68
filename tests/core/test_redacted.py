"""Events as extractors see them: nothing can be read as it was written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cortex_core.records.events import Event
from cortex_core.redaction import secrets
from cortex_core.redaction.redacted_events import redacted

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
NESTED = {
    "command": f"export TOKEN={KEY}",
    "edits": [{"new_string": f"key = {KEY}", "lines": [KEY, 3, None]}],
    "deep": {"inner": {"text": KEY}, "count": 2},
}


def one(event: Event, *extra: str) -> Event:
    return next(iter(redacted([event], extra)))


def copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: copied(part) for name, part in value.items()}
    return [copied(part) for part in value] if isinstance(value, list) else value


def test_every_word_is_redacted_however_deep() -> None:
    event = one(Event(role="tool_use", text=f"It is {KEY}.", input=NESTED))
    assert KEY not in event.text
    assert KEY not in json.dumps(copied(event.input))
    assert event.input["edits"][0]["lines"][1:] == [3, None]
    assert type(event.input["deep"]) is dict
    assert event.input.get("missing", "none") == "none"
    assert list(event.input) == list(NESTED)
    assert KEY not in repr(event)


def test_what_is_not_said_passes_as_it_is() -> None:
    event = Event(role="human", uuid="u", session="s", time=3.0, offset=9, cwd="/a", tool_id="t")
    seen = one(event)
    for field in fields(Event):
        if field.name != "input":
            assert getattr(seen, field.name) == getattr(event, field.name), field.name
    with pytest.raises(AttributeError):
        _ = seen.nothing  # type: ignore[attr-defined]


def test_the_users_own_patterns_count() -> None:
    assert "case 4711" not in one(Event(role="human", text="See case 4711."), r"case \d+").text


def test_only_what_is_read_is_redacted(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []
    original = secrets.redact

    def counting(text: str, extra: Any = ()) -> secrets.Redaction:
        looked_at.append(text)
        return original(text, extra)

    monkeypatch.setattr(secrets, "redact", counting)
    event = one(
        Event(role="tool_use", text="prose", input={"path": "seen_once.py", "content": "x = 1"})
    )
    assert (event.input["path"], event.role) == ("seen_once.py", "tool_use")
    assert (event.input["path"], looked_at[0]) == ("seen_once.py", "seen_once.py")
    assert not {"prose", "x = 1"} & set(looked_at)


@given(st.text(max_size=300))
def test_it_reads_as_if_redacted_at_once(said: str) -> None:
    event = one(Event(role="assistant", text=said, input={"a": said, "b": [said]}))
    expected = secrets.redact(said).text
    assert (event.text, event.input["a"], event.input["b"]) == (expected, expected, [expected])
