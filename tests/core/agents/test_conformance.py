"""What the reader of every agent must pass, on made-up sessions in the agent's own form."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from cortex_core import agents
from cortex_core.base import agent_names, tools
from cortex_core.base.errors import TranscriptError
from cortex_core.records.events import START, Event, ReadPosition, uuid_key
from tests.agent_samples import FORMS, SESSION, Form, Step, dumped

TYPED = [step.text for step in SESSION if step.kind == "prompt"]


@pytest.fixture(params=FORMS.values(), ids=list(FORMS))
def form(request: pytest.FixtureRequest) -> Form:
    found: Form = request.param
    return found


@pytest.fixture(
    params=[form for form in FORMS.values() if form.lines],
    ids=[name for name, form in FORMS.items() if form.lines],
)
def line_form(request: pytest.FixtureRequest) -> Form:
    found: Form = request.param
    return found


class Seen:
    """What a store knows of the records that were read, by their keys."""

    def __init__(self) -> None:
        self.keys: set[int] = set()

    def __call__(self, mark: str) -> bool:
        return uuid_key(mark) in self.keys


def read(
    form: Form, path: Path, position: ReadPosition = START, seen: Seen | None = None
) -> tuple[list[Event], ReadPosition, dict[str, int]]:
    with form.reader.read(path, position, seen) as reader:
        events = list(reader)
    if seen is not None:
        seen.keys |= reader.keys
    return events, reader.position, dict(reader.problems)


def typed(events: Sequence[Event]) -> list[str]:
    return [event.text for event in events if event.role in ("human", "queued")]


def words(events: Sequence[Event]) -> list[tuple[str, str]]:
    return [(event.role, event.text) for event in events]


def test_all_that_was_said_and_done_is_read_in_order(form: Form, tmp_path: Path) -> None:
    events, position, problems = read(form, form.write(tmp_path, SESSION, "first", False))
    assert [event.role for event in events] == (
        ["human", "assistant"]
        + ["tool_use", "tool_result"] * 3
        + ["assistant", "human", "assistant"]
    )
    assert typed(events) == TYPED
    uses = [event for event in events if event.role == "tool_use"]
    assert [use.tool for use in uses] == [tools.SHELL, tools.SHELL, tools.EDIT]
    assert uses[0].input["command"] == "pnpm install"
    assert uses[2].input["file_path"] == "package.json"
    results = [event for event in events if event.role == "tool_result"]
    assert [result.failed for result in results] == [False, True, False]
    assert [result.tool_id for result in results] == [use.tool_id for use in uses]
    assert "no such file" in results[1].text
    assert all(event.cwd == "/home/dev/project" for event in events)
    assert len({event.session for event in events}) == 1
    assert all(event.time for event in events)
    assert [event.offset for event in events] == sorted(event.offset for event in events)
    assert position.offset >= events[-1].offset
    assert not problems


def test_a_second_reading_finds_nothing(form: Form, tmp_path: Path) -> None:
    path, seen = form.write(tmp_path, SESSION, "first", False), Seen()
    _, position, _ = read(form, path, seen=seen)
    assert read(form, path, position, seen)[0] == []
    assert read(form, path, START, seen)[0] == []


@pytest.mark.parametrize("count", range(1, len(SESSION)))
def test_a_session_that_goes_on_is_read_on(form: Form, tmp_path: Path, count: int) -> None:
    seen = Seen()
    path = form.write(tmp_path, SESSION[:count], "first", False)
    before, position, _ = read(form, path, seen=seen)
    form.write(tmp_path, SESSION, "first", False)
    after, _, problems = read(form, path, position, seen)
    assert words([*before, *after]) == words(read(form, path)[0])
    assert not problems


def test_a_fork_repeats_nothing(form: Form, tmp_path: Path) -> None:
    seen, more = Seen(), Step("prompt", "Use vitest for the tests.")
    read(form, form.write(tmp_path, SESSION, "first", False), seen=seen)
    fork = form.write(tmp_path, (*SESSION, more), "second", False)
    assert typed(read(form, fork, seen=seen)[0]) == [more.text]


def test_what_was_injected_is_nobodys_words(form: Form, tmp_path: Path) -> None:
    memory = "<cortex-memory>Never use tabs.</cortex-memory>"
    steps = (
        Step("notice", "Never use tabs."),
        Step("prompt", f"{memory}\n\nRename the module."),
        Step("own", "Never use tabs.", "tabs"),
        Step("reply", "Renamed."),
    )
    events = read(form, form.write(tmp_path, steps, "first", False))[0]
    assert typed(events) == ["Rename the module."]
    assert not any("tabs" in event.text for event in events if event.role != "synthetic")


def test_a_sub_agents_task_is_not_the_users(form: Form, tmp_path: Path) -> None:
    events = read(form, form.write(tmp_path, SESSION, "first", True))[0]
    assert events
    assert all(event.sidechain for event in events)
    assert typed(events) == []


def test_a_summary_is_the_agents(form: Form, tmp_path: Path) -> None:
    steps = (*SESSION[:2], Step("summary", "The user wants pnpm."), *SESSION[2:])
    events = read(form, form.write(tmp_path, steps, "first", False))[0]
    (summary,) = [event.text for event in events if event.role == "compaction"]
    assert "The user wants pnpm." in summary
    assert typed(events) == TYPED


def test_records_of_a_later_version_are_passed_over(form: Form, tmp_path: Path) -> None:
    steps = (*SESSION[:2], Step("future", "Use yarn instead."), *SESSION[2:])
    events = read(form, form.write(tmp_path, steps, "first", False))[0]
    assert words(events) == words(read(form, form.write(tmp_path, SESSION, "other", False))[0])


def test_a_form_without_prompts_is_a_problem_and_not_an_empty_session(
    form: Form, tmp_path: Path
) -> None:
    if form.agent == "claude":
        pytest.skip("a session without a prompt is no contradiction there")
    unknown = [step for step in SESSION if step.kind != "prompt"]
    path = form.write(tmp_path, unknown, "first", False)
    with pytest.raises(TranscriptError, match="form that Cortex does not know"):
        read(form, path)


def test_each_file_has_one_agent(form: Form, tmp_path: Path) -> None:
    path = form.write(tmp_path, SESSION, "first", False)
    own = {each.agent: each.reader for each in FORMS.values()}
    assert [name for name, reader in own.items() if reader.recognise(path)] == [form.agent]
    assert form.reader.session_of(path)
    assert form.reader.files_of_session(path)


def test_a_copy_elsewhere_is_filed_and_read_by_its_path(form: Form, tmp_path: Path) -> None:
    path = form.write(tmp_path, SESSION, "first", False)
    key = form.reader.key_of(path)
    assert (agent_names.of_key(key), agent_names.copied(key)) == (form.agent, str(path))
    assert form.reader.key_of(key) == key
    assert form.reader.extent(key) == form.reader.extent(path) > 0
    assert form.reader.session_of(key) == form.reader.session_of(path)
    assert form.reader.files_of_session(key)
    with form.reader.read(key) as reader:
        assert [event.offset for event in reader] == [one.offset for one in read(form, path)[0]]


# ---- files of lines


Damage = Callable[[list[bytes]], bytes]
LONG = 50 << 20

DAMAGES: dict[str, tuple[Damage, str]] = {
    "torn tail": (lambda lines: b"".join(lines)[:-9], "torn tail"),
    "NUL runs": (
        lambda lines: b"\0" * 4096 + lines[0] + b"\0" * 70_000 + b"".join(lines[1:]),
        "NUL bytes",
    ),
    "torn line": (
        lambda lines: b"".join([*lines[:3], lines[3][:30], b"\n", *lines[3:]]),
        "invalid line",
    ),
    "glued records": (
        lambda lines: b"".join([*lines[:3], lines[3][:30], *lines[3:]]),
        "glued line",
    ),
    "a line of 50 MB": (
        lambda lines: b"".join([*lines[:3], lines[3][:-2], b" " * LONG, b"}\n", *lines[3:]]),
        "long line",
    ),
    "no UTF-8": (
        lambda lines: b"".join([*lines[:3], lines[3][:-3], b"\xff\xfe", b'"}\n', *lines[3:]]),
        "",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_costs_only_itself(line_form: Form, tmp_path: Path, damage: str) -> None:
    assert line_form.lines is not None
    path = line_form.write(tmp_path, SESSION, "first", False)
    lines = dumped(line_form.lines(SESSION, "first", False))
    spoil, problem = DAMAGES[damage]
    path.write_bytes(spoil(lines))
    events, position, problems = read(line_form, path)
    assert typed(events) == TYPED
    if problem:
        assert problem in problems
    assert position.offset <= path.stat().st_size


def test_a_torn_tail_is_read_when_it_is_whole(line_form: Form, tmp_path: Path) -> None:
    path, seen = line_form.write(tmp_path, SESSION, "first", False), Seen()
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    before, position, _ = read(line_form, path, seen=seen)
    path.write_bytes(whole)
    after = read(line_form, path, position, seen)[0]
    assert typed(before) == TYPED
    assert [event.text for event in after] == ["I will."]


def test_a_file_that_was_replaced_is_read_from_its_start(line_form: Form, tmp_path: Path) -> None:
    path = line_form.write(tmp_path, SESSION, "first", False)
    _, position, _ = read(line_form, path)
    other = Step("prompt", "Everything is different here, and longer than before by far.")
    path.write_bytes(line_form.write(tmp_path, (other, *SESSION), "second", False).read_bytes())
    events, _, problems = read(line_form, path, position)
    assert typed(events)[0] == other.text
    assert problems == {"replaced file": 1}


def test_a_file_of_an_unknown_form_has_no_reader(tmp_path: Path) -> None:
    from cortex_core.agents.transcripts import reader_of

    path = tmp_path / "session.jsonl"
    path.write_text('{"kind": "turn", "who": "user", "said": "Use tabs."}\n', encoding="utf-8")
    assert not any(agent.reader.recognise(path) for agent in agents.having("reader"))
    with pytest.raises(TranscriptError, match="form that Cortex does not know"):
        reader_of(path)


# ---- values of other types


ODD: tuple[Any, ...] = (None, 7, [1], {"a": 1})


def changed(value: Any) -> Iterator[Any]:
    """The same JSON value with one value in it, however deep, of another type."""
    yield from ODD
    if not isinstance(value, dict | list):
        return
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        for other in changed(inner):
            copy = value.copy()
            copy[key] = other
            yield copy


@pytest.mark.parametrize("kind", ["prompt", "reply", "shell", "own", "summary", "notice"])
def test_values_of_other_types_are_passed_over(form: Form, tmp_path: Path, kind: str) -> None:
    if form.agent == "opencode" and form is not FORMS["opencode-export"]:
        pytest.skip("the file has the same values as an export")
    path = form.write(tmp_path, [Step("prompt", "Hello."), Step(kind, "x", "y")], "first", False)
    # Of lines the last ones, of a document the last message: what comes before is as it was.
    text = path.read_text("utf-8")
    lines = text.splitlines(keepends=True) if form.lines else [text]
    document = json.loads(lines[-1])
    for other in changed(document if form.lines else document["messages"][-1]):
        if form.lines:
            written = json.dumps(other)
        else:
            kept = document["messages"][:-1]
            written = json.dumps({**document, "messages": [*kept, other]})
        path.write_text("".join([*lines[:-1], written + "\n"]), encoding="utf-8")
        with contextlib.suppress(TranscriptError), form.reader.read(path) as reader:
            assert typed(list(reader))[:1] in (["Hello."], [])
