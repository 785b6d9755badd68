"""Whatever bytes a file holds: nothing raises, nothing valid is lost, no offset lies in a line."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import given, settings, strategies as st

from benchmarks.broken_transcripts import batch
from benchmarks.transcript_damage import ALL, RARE, Damage, Plan, make, plans
from cortex_core.agents.claude import reader as transcripts, sessions
from tests.transcript_samples import Sample, noise, said, session

LINES = session().lines()
SOUND = b"".join(LINES)

scraps = st.sampled_from(
    [
        b'{"type":"user"',
        b'{"message":{"content":[',
        b'"uuid":"x"',
        b"}",
        b"]}",
        b'"',
        b"\\",
        b"\n",
        b"\0" * 40,
        b"\xff\xfe",
        b"\xed\xa0\xbd",
        b'{"parentUuid":null,',
        b"null\n",
        b'"type":"assistant"',
        b"\r",
        b'{"type":"text","text":"',
        b"[" * 50,
        "é😀\u2028".encode(),
    ]
    + [line[: len(line) // 2] for line in LINES[:4]]
    + [line[len(line) // 2 :] for line in LINES[:4]]
)
garbage = st.lists(scraps | st.binary(max_size=60), max_size=8).map(b"".join)
texts = st.text(st.characters(exclude_categories=()), max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "tool_result", "image"])},
    optional=dict.fromkeys(("text", "id", "name", "input", "content", "tool_use_id"), values),
)
contents = values | st.lists(blocks | values, max_size=3)
queued = st.fixed_dictionaries({"type": st.just("queued_command"), "prompt": contents})
records = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "assistant", "attachment", "queue-operation", "system"])},
    optional={
        "operation": st.sampled_from(["enqueue", "remove"]),
        "content": contents,
        "message": values | st.fixed_dictionaries({"content": contents}),
        "attachment": values | queued,
        **dict.fromkeys(
            ("uuid", "timestamp", "sessionId", "cwd", "origin", "toolUseResult"), values
        ),
    },
)


@contextmanager
def file_of(content: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sample.jsonl")
        path.write_bytes(content)
        yield path


@given(st.lists(garbage, min_size=len(LINES) + 1, max_size=len(LINES) + 1))
def test_garbage_between_lines_loses_none_of_them(between: list[bytes]) -> None:
    content = b"".join(piece for pair in zip(between, LINES, strict=False) for piece in pair)
    with file_of(content + between[-1]) as path, file_of(SOUND) as sound:
        found = {event.uuid: event for event in transcripts.read(path)}
        assert {event.uuid for event in transcripts.read(sound)} <= found.keys()


@given(garbage)
def test_nothing_but_garbage_never_raises(content: bytes) -> None:
    with file_of(content) as path:
        reader = transcripts.read(path)
        assert all(event.text is not None for event in reader)
        assert 0 <= reader.offset <= len(content)
        sessions.at(path.parent)


@given(st.integers(0, len(SOUND)))
def test_two_halves_read_as_one_and_no_offset_lies_inside_a_record(cut: int) -> None:
    ends = {0}
    for line in LINES:
        ends.add(max(ends) + len(line))
    with file_of(SOUND[:cut]) as path:
        first = transcripts.read(path)
        events = list(first)
        assert first.offset in ends | {end - 1 for end in ends}
        assert first.offset <= cut
        path.write_bytes(SOUND)
        second = transcripts.read(path, first.position)
        events += list(second)
        assert second.offset == len(SOUND)
        assert not second.problems
        whole = list(transcripts.read(path))
    assert said(events) == said(whole)
    assert [event.uuid for event in events] == [event.uuid for event in whole]


@given(st.lists(records, max_size=4))
@settings(max_examples=50)
def test_records_of_any_shape_are_survived_and_can_be_written(made: list[dict[str, Any]]) -> None:
    sample = Sample().human("before")
    for record in made:
        sample.raw(record)
    sample.human("after")
    content = b"".join(json.dumps(record).encode() + b"\n" for record in sample.records)
    with file_of(content) as path:
        events = list(transcripts.read(path))
        for event in events:
            json.dumps(dataclasses.asdict(event), ensure_ascii=False).encode()
    assert ("human", "before") in said(events)
    assert ("human", "after") in said(events)


@given(st.lists(st.integers(0, len(LINES)), max_size=12))
@settings(max_examples=30)
def test_noise_changes_nothing(places: list[int]) -> None:
    sample = session()
    extra = noise(sample)
    for number, place in enumerate(places):
        sample.records.insert(place, extra[number % len(extra)])
    with file_of(bytes(sample)) as path, file_of(SOUND) as sound:
        assert said(transcripts.read(path)) == said(transcripts.read(sound))


@given(st.text(max_size=300), st.integers(0, 120))
def test_a_cut_keeps_within_its_limit_and_both_ends(text: str, limit: int) -> None:
    from cortex_core.base.text import head_and_tail as cut

    short = cut(text, limit)
    assert short == text if len(text) <= limit else len(short) <= max(limit, 40)
    if len(text) > limit >= 80:
        assert text.startswith(short[:20]) and text.endswith(short[-5:])


@given(plans(rare=False))
@settings(max_examples=60)
def test_damage_of_one_line_loses_no_other_and_doubles_none(plan: Plan) -> None:
    broken = make(plan, 1, "/home/dev/project")
    with file_of(broken.stages[-1]) as path:
        events = list(transcripts.read(path))
    asked = [event for event in events if event.role == "human"]
    for name in broken.whole:
        assert any(f"`{name}`" in event.text for event in asked), name
    known = [event.uuid for event in asked if event.uuid]
    assert len(known) == len(set(known))


def test_a_worker_learns_what_is_whole_and_the_sound_session_next_to_it(tmp_path: Path) -> None:
    usual = [name for name in ALL if name not in RARE]
    broken = {at: Plan((Damage(name, 3 * at, at),)) for at, name in enumerate(usual)}
    row, _ = batch(tmp_path / "batch", broken)
    assert row.held, row.notes
