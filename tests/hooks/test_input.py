"""Input that no client should send, and output that nobody reads: always 0, soon, and quiet."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from cortex_core.hook_events import answering
from tests.hooks.conftest import Hooks

JUNK = [
    b"",
    b" \n",
    b"{",
    b"}",
    b"[]",
    b"null",
    b"3",
    b'"text"',
    b"\xff\xfe\x00",
    b"\0" * 1000,
    b"{}{}",
    b"[" * 200_000,
    b'{"hook_event_name": 3}',
    b'{"hook_event_name": []}',
    b'{"hook_event_name": "NoSuchEvent"}',
    b'{"hook_event_name": "Stop", "cwd": 5}',
    b'{"hook_event_name": "SessionStart", "session_id": null, "source": {}}',
    b'{"hook_event_name": "UserPromptSubmit", "prompt": ["x"]}',
    b'{"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": "x"}',
    b'{"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": 3}}',
    b'{"hook_event_name": "SessionStart", "cwd": "/no/such/folder"}',
    b'{"hook_event_name": "UserPromptSubmit", "prompt": "\\ud800 lone", "cwd": "/"}',
]


@pytest.mark.usefixtures("no_worker")
@pytest.mark.parametrize("data", JUNK, ids=lambda data: repr(data[:30]))
def test_junk(hooks: Hooks, data: bytes) -> None:
    fired = hooks.send(data)
    assert (fired.code, fired.out) == (0, b"")


def test_fifty_megabytes(hooks: Hooks) -> None:
    payload = json.dumps(hooks.payload("UserPromptSubmit", prompt="word " * 10_000_000)).encode()
    fired = hooks.send(payload)
    assert (fired.code, fired.out) == (0, b"")


@pytest.mark.usefixtures("no_worker")
def test_a_long_last_message_is_still_recorded(hooks: Hooks) -> None:
    message = "word " * 1_000_000
    hooks("Stop", last_assistant_message=message)
    assert [record["event"] for record in hooks.records()] == ["Stop"]


def test_an_endless_stream_is_not_read_for_ever(hooks: Hooks) -> None:
    source = subprocess.Popen(["yes", "{"], stdout=subprocess.PIPE)
    try:
        done = subprocess.run(
            hooks.command,
            stdin=source.stdout,
            env=hooks.environment,
            capture_output=True,
            timeout=120,
            check=False,
        )
    finally:
        source.kill()
        source.wait()
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.usefixtures("no_worker")
def test_a_pipe_that_stays_open_is_not_waited_for(hooks: Hooks) -> None:
    reader, writer = os.pipe()
    os.write(writer, json.dumps(hooks.payload("Stop")).encode())
    patient = "from cortex_core import hook; hook.INPUT_TIMEOUT = 600; hook.main()"
    try:
        done = subprocess.run(
            [*hooks.command[:2], "-c", patient],
            stdin=reader,
            env=hooks.environment,
            capture_output=True,
            timeout=120,
            check=False,
        )
    finally:
        os.close(reader)
        os.close(writer)
    assert (done.returncode, done.stdout) == (0, b"")
    assert len(hooks.records()) == 1


@pytest.mark.parametrize("redirection", ["<&-", ">&-", "<&- >&- 2>&-"])
def test_closed_descriptors(hooks: Hooks, redirection: str) -> None:
    data = json.dumps(hooks.payload("Stop", session_id="closed")).encode()
    words = " ".join(f"'{word}'" for word in hooks.command)
    done = subprocess.run(
        ["sh", "-c", f"{words} {redirection}"],
        input=data,
        env=hooks.environment,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")


def test_nobody_reads_the_answer(hooks: Hooks) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            hooks.command,
            input=json.dumps(hooks.payload("SessionStart")).encode(),
            stdout=writer,
            env=hooks.environment,
            timeout=120,
            check=False,
        )
    finally:
        os.close(writer)
    assert done.returncode == 0


@pytest.mark.usefixtures("no_worker")
def test_a_hundred_hooks_at_once_leave_a_hundred_records(hooks: Hooks) -> None:
    started = []
    for number in range(100):
        process = subprocess.Popen(
            hooks.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=hooks.environment
        )
        assert process.stdin is not None
        payload = hooks.payload("Stop", session_id=f"session-{number}")
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.close()
        started.append(process)
    for process in started:
        assert process.stdout is not None
        assert process.stdout.read() == b""
        process.stdout.close()
        assert process.wait(30) == 0
    assert {record["session"] for record in hooks.records()} == {
        f"session-{number}" for number in range(100)
    }


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
_FIELDS = st.fixed_dictionaries(
    {
        "hook_event_name": st.sampled_from(
            ["SessionStart", "UserPromptSubmit", "PreToolUse", "PreCompact", "Notification"]
        )
    },
    optional=dict.fromkeys(
        (
            "session_id",
            "transcript_path",
            "source",
            "prompt",
            "tool_name",
            "tool_input",
            "prompt_id",
            "trigger",
        ),
        _JSON,
    ),
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(fields=_FIELDS)
@pytest.mark.usefixtures("no_worker")
def test_fields_of_any_type(hooks: Hooks, fields: dict[str, object]) -> None:
    data = json.dumps({**fields, "cwd": str(hooks.project)}).encode()
    out = answering.answer("", data)
    assert out == b"" or json.loads(out)["hookSpecificOutput"]
    assert not (hooks.project / ".memory" / "cortex.log").exists()
