"""The campaign of hook input: every event with every wrong type of payload, and wrong pipes.

A hook must exit with 0, print nothing or the one envelope of its event, print no error, and leave
no process running once the worker is done.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.campaign import PYTHON, Done, Place, Row, Scale, most_frequent, unsound
from benchmarks.stores import sentences
from cortex_core.agents.claude.places import slug
from tests.transcript_samples import Sample

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "SessionEnd",
)
SPEAKING = EVENTS[:3]
"""The events that may print an envelope."""

OTHERS = ("Notification", "PostToolUse", "NoSuchEvent")
"""Events that Cortex does nothing at."""

SLOWEST = 30.0
"""Seconds after which a hook is ended: then it waits for something that does not come."""

MOST_PROCESSOR = 4.0
"""Seconds of processor time after which a hook counts as failed: one needs 0.02 to 2."""

KEPT = 12
"""Memories of the project, so that there is something to print."""

EVENT = "hook_event_name"

Fields = dict[str, Any]
Payload = Callable[[Fields], bytes]


def campaign(scale: Scale) -> Iterator[Row]:
    """Every event with every payload, then with every pipe, then paths that lead nowhere."""
    place = _place(scale.scratch / "hooks")
    payloads = _payloads(place, scale)
    events = (*EVENTS, *OTHERS)
    for name, make in scale.some(payloads.items(), 9):
        outcomes = [(event, _fire(place, make(_usual(place, event)))) for event in events]
        yield _row(f"hook payload: {name}", f"{len(events)} events", outcomes)
    for name, send in scale.some(_PIPES.items(), 2):
        outcomes = [(event, send(place, _usual(place, event))) for event in EVENTS]
        yield _row(f"hook pipe: {name}", f"{len(EVENTS)} events", outcomes)
    yield _ended(place)


def _place(folder: Path) -> Place:
    place = Place(folder)
    for kind, text in sentences(KEPT, seed=5):
        place.cortex("remember", text, "--kind", kind)
    sessions = place.sessions / slug(str(place.root))
    sessions.mkdir(parents=True)
    session = Sample("one", cwd=str(place.root)).human("Run the tests.").assistant("All is green.")
    session.write(sessions / "one.jsonl")
    return place


def _usual(place: Place, event: str) -> Fields:
    """A payload of `event`, as Claude Code sends it."""
    sessions = place.sessions / slug(str(place.root))
    fields: Fields = {
        "session_id": f"session-{event}",
        "transcript_path": str(sessions / "one.jsonl"),
        "cwd": str(place.root),
        "hook_event_name": event,
    }
    more: Mapping[str, Fields] = {
        "SessionStart": {"source": "startup"},
        "UserPromptSubmit": {"prompt": "why does the scheduler stop when the lock is stale"},
        "PreToolUse": {"tool_name": "Read", "tool_input": {"file_path": str(place.root / "a.py")}},
        "SubagentStart": {"agent_id": "a1", "agent_type": "general"},
        "SubagentStop": {"agent_id": "a1", "agent_type": "Explore"},
    }
    return {**fields, **more.get(event, {"last_assistant_message": "All is green."})}


# --- payloads


def _payloads(place: Place, scale: Scale) -> Mapping[str, Payload]:
    """Each wrong type of payload, made from the usual fields."""
    chance = random.Random(scale.seed)
    fixed = {
        "empty": b"",
        "blank": b" \n\t",
        "half an object": b"{",
        "a list": b"[]",
        "null": b"null",
        "a number": b"3",
        "a text": b'"text"',
        "binary": chance.randbytes(5000),
        "UTF-16": '{"hook_event_name": "Stop"}'.encode("utf-16"),
        "NUL": b"\0" * 10_000,
        "two objects": b"{}{}",
        "deep": b"[" * 200_000,
        "open object, deep": b'{"a":' * 100_000,
    }
    made: dict[str, Payload] = {name: partial(_constant, data) for name, data in fixed.items()}
    made |= {
        "valid, deep": _deep,
        "5 MB of everything": _much,
        "cut in the middle": _cut,
        "50 MB prompt": partial(_with, {"prompt": "word " * 10_000_000}),
        "invalid UTF-8": _not_utf8,
        "lone surrogates": _surrogates,
        "event in capitals": _capitals,
        "only the event": partial(_only, {}),
    }
    made |= {f"every field {name}": partial(_all, value) for name, value in _VALUES.items()}
    for number in range(30):
        made[f"random fields {number}"] = partial(_shuffled, chance.random())
    for name, path in _paths(place).items():
        made[f"folder {name}"] = partial(_with, {"cwd": path})
        named = {"transcript_path": path, "tool_input": {"file_path": path}}
        made[f"transcript {name}"] = partial(_with, named)
    return made


_VALUES: Mapping[str, Any] = {
    "null": None,
    "a number": 3,
    "a huge number": 10**300,
    "a list": ["x"],
    "an object": {"a": {}},
    "true": True,
    "an empty text": "",
    "not a number": float("nan"),
    "a control text": "\x1b[2J\0\r",
}


def _json(fields: Fields) -> bytes:
    return json.dumps(fields).encode()


def _constant(data: bytes, _fields: Fields) -> bytes:
    return data


def _with(more: Fields, fields: Fields) -> bytes:
    return _json({**fields, **more})


def _only(more: Fields, fields: Fields) -> bytes:
    return _json({EVENT: fields[EVENT], **more})


def _all(value: Any, fields: Fields) -> bytes:
    return _only(dict.fromkeys(fields.keys() - {EVENT}, value), fields)


def _much(fields: Fields) -> bytes:
    return _all("x" * 700_000, fields)


def _deep(fields: Fields) -> bytes:
    return _with({"x": 0}, fields).replace(b'"x": 0', b'"x": ' + b"[" * 50_000 + b"]" * 50_000)


def _cut(fields: Fields) -> bytes:
    return _json(fields)[:-20]


def _not_utf8(fields: Fields) -> bytes:
    return _json(fields).replace(b"session-", b"\xff\xfe\xed\xa0")


def _surrogates(fields: Fields) -> bytes:
    return _only({name: f"{fields[name]}\ud800" for name in fields.keys() - {EVENT}}, fields)


def _capitals(fields: Fields) -> bytes:
    return _with({EVENT: str(fields[EVENT]).upper()}, fields)


def _shuffled(draw: float, fields: Fields) -> bytes:
    """Some fields left out, and some of another type."""
    chance = random.Random(draw)
    kept = {name: fields[name] for name in sorted(fields.keys() - {EVENT}) if chance.random() < 0.8}
    values = list(_VALUES.values())
    return _only(
        {
            name: old if chance.random() < 0.5 else chance.choice(values)
            for name, old in kept.items()
        },
        fields,
    )


def _paths(place: Place) -> Mapping[str, str]:
    """Paths that a payload may name."""
    pipe, loop = place.folder / "pipe", place.folder / "loop"
    if not pipe.exists():
        os.mkfifo(pipe)
        loop.symlink_to(loop)
    return {
        "missing": "/no/such/folder",
        "of a file": str(place.root / ".memory" / "cortex.db"),
        "relative": "../..",
        "of a pipe": str(pipe),
        "of a link to itself": str(loop),
        "of a device": "/dev/zero",
        "of its own input": "/dev/stdin",
        "with NUL": "/tmp/a\0b",
        "with a newline": "/tmp/a\nb",
        "very long": "/" + "x" * 5000,
        "of the root": "/",
        "many levels": "/" + "a/" * 3000,
        "not UTF-8": "/tmp/\udcff\udcfe",
        "of a user": "~nobody",
    }


# --- pipes


def _fire(place: Place, data: bytes) -> Done:
    return place.run("cortex_core.hook", data=data, seconds=SLOWEST)


def _closed_input(place: Place, fields: Fields) -> Done:
    return _shell(place, "<&-", _json(fields))


def _closed_output(place: Place, fields: Fields) -> Done:
    return _shell(place, ">&-", _json(fields))


def _all_closed(place: Place, fields: Fields) -> Done:
    return _shell(place, "<&- >&- 2>&-", _json(fields))


def _full_output(place: Place, fields: Fields) -> Done:
    return _shell(place, ">/dev/full", _json(fields))


def _shell(place: Place, redirection: str, data: bytes) -> Done:
    words = " ".join(f"'{word}'" for word in (*PYTHON, "cortex_core.hook"))
    done = subprocess.run(
        ["sh", "-c", f"{words} {redirection}"],
        input=data,
        env=place.environment,
        cwd=place.root,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr, 0.0)


def _never_ending(place: Place, _fields: Fields) -> Done:
    """A pipe that stays open and silent."""
    return _with_writer(place, ["sleep", "60"])


def _endless(place: Place, _fields: Fields) -> Done:
    """A pipe that never stops."""
    return _with_writer(place, ["yes", '{"hook_event_name":'])


def _left_open(place: Place, fields: Fields) -> Done:
    """A payload whose pipe stays open."""
    return _with_writer(place, ["sh", "-c", 'printf %s "$0"; exec sleep 60', json.dumps(fields)])


def _drop_by_drop(place: Place, fields: Fields) -> Done:
    """A byte at a time, and slowly."""
    drip = 'for n in $(seq 200); do printf "{"; sleep 0.05; done'
    return _with_writer(place, ["sh", "-c", drip, json.dumps(fields)])


def _with_writer(place: Place, writer: list[str]) -> Done:
    source = subprocess.Popen(writer, stdout=subprocess.PIPE)
    try:
        done = subprocess.run(
            [*PYTHON, "cortex_core.hook"],
            stdin=source.stdout,
            env=place.environment,
            cwd=place.root,
            capture_output=True,
            timeout=60,
            check=False,
        )
    finally:
        source.kill()
        source.wait()
    return Done(done.returncode, done.stdout, done.stderr, 0.0)


_PIPES: Mapping[str, Callable[[Place, Fields], Done]] = {
    "input closed": _closed_input,
    "output closed": _closed_output,
    "all closed": _all_closed,
    "output full": _full_output,
    "input that says nothing": _never_ending,
    "input without end": _endless,
    "input left open": _left_open,
    "input byte by byte": _drop_by_drop,
}


# --- what came of it


def _row(fault: str, how: str, outcomes: list[tuple[str, Done]]) -> Row:
    wrong = [f"{event}: {why}" for event, done in outcomes if (why := _wrong(event, done))]
    said = most_frequent(done.out.decode("utf-8", "replace") for _, done in outcomes)
    return Row(fault, how, len(outcomes), hooks=len(wrong), said=said[:60], notes=tuple(wrong[:10]))


def _wrong(event: str, done: Done) -> str:
    """What a hook did that it must not; empty if nothing."""
    if done.code:
        return f"exit {done.code}"
    if done.err:
        return f"printed an error: {done.said[:120]}"
    if done.processor > MOST_PROCESSOR:
        return f"took {done.processor:.1f} s of processor time"
    return "" if not done.out or is_envelope(event, done.out) else f"printed {done.out[:80]!r}"


def is_envelope(event: str, out: bytes) -> bool:
    """Whether `out` is the one object that a hook of `event` may print."""
    try:
        answer = json.loads(out)
    except ValueError:
        return False
    if event not in SPEAKING or not isinstance(answer, dict):
        return False
    given = answer.get("hookSpecificOutput", {"hookEventName": event, "additionalContext": ""})
    return (
        answer.keys() <= {"hookSpecificOutput", "systemMessage"}
        and given.keys() == {"hookEventName", "additionalContext"}
        and given["hookEventName"] == event
        and isinstance(given["additionalContext"], str)
    )


def _ended(place: Place) -> Row:
    """What all of it left: processes, records in the spool, unsound stores, lost memories."""
    running = place.wait(120)
    last = place.run("cortex_core.worker", "--project", str(place.root))
    left = [path.name for path in (place.root / ".memory" / "spool").glob("*.json")]
    wrong = [
        *(f"process {number} is running" for number in running),
        *(f"in the spool: {name}" for name in left),
        *unsound(place),
        *([f"the worker ended with {last.code}: {last.said}"] if last.code else []),
    ]
    place.close()
    lost = sum(text not in place.contents() for _, text in sentences(KEPT, seed=5))
    return Row(
        "hook input: what it left",
        "after all of it",
        1,
        lost=lost,
        broken=len(wrong),
        notes=tuple(wrong[:10]),
    )
