"""What the reader takes for conversation, how it holds together, and how much of it is kept."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from pathlib import Path

from cortex_core.agents.claude import reader as transcripts
from cortex_core.records import events as event_records
from cortex_core.records.events import START, ReadPosition
from tests.transcript_samples import Sample, events_of, noise, said, session


def test_a_session_reads_as_it_was_said(tmp_path: Path) -> None:
    path = session().write(tmp_path)
    events = events_of(path)
    assert said(events) == [
        ("human", "Let's use SQLite, not Postgres: nothing to install."),
        ("assistant", "I will set the store up with SQLite."),
        ("tool_use", ""),
        ("tool_result", "[trunk 1a2b3c4] Add the store"),
        ("tool_use", ""),
        ("tool_result", "No such file"),
        ("assistant", "Done: the store is in store.py."),
        ("compaction", events[7].text),
        ("human", "Thanks — from now on run the tests before every commit."),
        ("assistant", "I will."),
    ]
    assert events[7].text.endswith("Summary:\n1. Primary Request: a store in SQLite.")
    commit, result = events[2], events[3]
    assert commit.input == {"command": "git commit -m 'Add the store'"}
    assert (commit.tool, result.tool, commit.tool_id) == ("shell", "shell", result.tool_id)
    assert [event.failed for event in events if event.role == "tool_result"] == [False, True]


def test_every_event_knows_where_and_when_it_was_said(tmp_path: Path) -> None:
    sample = session()
    path = sample.write(tmp_path)
    content = path.read_bytes()
    for event in events_of(path):
        line = content[event.offset :].split(b"\n")[0]
        assert f'"uuid":"{event.uuid}"'.encode() in line
        assert event.offset == 0 or content[event.offset - 1 : event.offset] == b"\n"
        assert (event.session, event.cwd) == (sample.session, "/home/dev/project")
        assert (event.branch, event.sidechain) == ("trunk", False)
    assert events_of(path)[0].time == datetime(2026, 11, 2, 9, 0, 20, tzinfo=UTC).timestamp()


def test_a_sample_is_the_same_every_time(tmp_path: Path) -> None:
    assert bytes(session()) == bytes(session())
    assert session("other").session != session().session
    assert session().write(tmp_path).name == f"{session().session}.jsonl"


def test_the_clients_own_records_are_no_conversation(tmp_path: Path) -> None:
    sample = Sample().human("before")
    for record in noise(sample):
        sample.raw(record)
    sample.system("turn_duration", durationMs=5).system("local_command", content="noise")
    sample.attachment("hook_success", stdout="noise", content="noise")
    sample.attachment("hook_additional_context", content=["noise"])
    sample.attachment("edited_text_file", snippet="noise").human("after")
    assert said(events_of(sample.write(tmp_path))) == [("human", "before"), ("human", "after")]


def test_what_a_session_is_called_is_read_where_it_is_written(tmp_path: Path) -> None:
    sample = Sample().human("Why does the tunnel die?")
    sample.raw({"type": "ai-title", "aiTitle": " Leases of\nthe tunnel ", "sessionId": "s"})
    sample.raw({"type": "custom-title", "customTitle": "tunnel", "sessionId": "s"})
    sample.raw({"type": "ai-title", "aiTitle": 3, "sessionId": "s"})
    asked, *titles = events_of(sample.write(tmp_path / "s.jsonl"))
    assert [(each.role, each.text) for each in titles] == [
        ("title", "Leases of the tunnel"),
        ("title", "tunnel"),
    ]
    assert {each.cwd for each in titles} == {asked.cwd}


def test_blocks_of_a_reply_share_its_message_and_are_taken_once(tmp_path: Path) -> None:
    sample = Sample().assistant("I see.").tool("Read", {"file_path": "a.py"}, "text")
    first, use = sample.records[0]["message"], sample.records[1]["message"]
    use["id"] = first["id"]
    again = {**sample.records[0], "uuid": "another-uuid"}
    sample.records.insert(1, again)
    events = events_of(sample.write(tmp_path))
    assert [event.role for event in events] == ["assistant", "tool_use", "tool_result"]
    assert events[0].message == events[1].message == first["id"]


def test_a_history_repeated_under_new_uuids_is_read_once(tmp_path: Path) -> None:
    sample = session()
    again = [{**record, "uuid": f"new-{record['uuid']}"} for record in sample.records]
    sample.records += again
    sample.human("and on")
    path = sample.write(tmp_path)
    reader = transcripts.read(path)
    events = list(reader)
    assert len(events) == 11
    assert events[-1].text == "and on"
    known = reader.keys
    later = transcripts.read(path, START, lambda mark: event_records.uuid_key(mark) in known)
    assert list(later) == []


def test_the_same_words_in_two_replies_are_two_events(tmp_path: Path) -> None:
    sample = Sample().assistant("Done.").human("again").assistant("Done.")
    assert [event.text for event in events_of(sample.write(tmp_path))] == [
        "Done.",
        "again",
        "Done.",
    ]


def test_records_repeated_in_the_file_or_known_from_elsewhere_are_dropped(tmp_path: Path) -> None:
    sample = session()
    sample.records += sample.records[:3]
    reader = transcripts.read(sample.write(tmp_path))
    events = list(reader)
    assert len({event.uuid for event in events}) == len(events) == 10
    assert reader.keys >= {event_records.uuid_key(event.uuid) for event in events}

    fork = Sample("fork")
    fork.records = [{**record, "sessionId": fork.session} for record in sample.records[:5]]
    fork.human("a new way")
    known = reader.keys
    forked = transcripts.read(
        fork.write(tmp_path), START, lambda it: event_records.uuid_key(it) in known
    )
    assert said(forked) == [("human", "a new way")]


def test_uuid_keys_are_stable_numbers_of_63_bits() -> None:
    assert event_records.uuid_key("0f3d8b52-6c1e-4a77-9b0d-5e2f41c7a960") == 2903888422529316711
    keys = {event_records.uuid_key(f"u{number}") for number in range(2_000)}
    assert len(keys) == 2_000
    assert all(0 <= key < 1 << 63 for key in keys)
    assert event_records.uuid_key("\ud800") >= 0


def test_errors_of_the_api_and_thoughts_are_not_replies(tmp_path: Path) -> None:
    sample = Sample().assistant("API Error: 529 overloaded", isApiErrorMessage=True)
    sample.assistant("No response requested.").assistant("fine")
    sample.records[1]["message"]["model"] = "<synthetic>"
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    sample.records[2]["message"]["content"].insert(0, thought)
    assert said(events_of(sample.write(tmp_path))) == [("assistant", "fine")]


def test_the_compaction_agents_file_is_skipped_whole(tmp_path: Path) -> None:
    path = session().write(tmp_path / "agent-acompact-70d8e7.jsonl")
    reader = transcripts.read(path)
    assert list(reader) == []
    assert reader.offset == path.stat().st_size


def test_a_result_read_later_than_its_use_still_knows_its_tool(tmp_path: Path) -> None:
    sample = Sample().tool("mcp__cortex__recall", {}, "Use pnpm").tool("Grep", {}, "a.py:1")
    path = sample.write(tmp_path)
    sizes = [len(line) for line in sample.lines()]
    assert said(events_of(path, position=ReadPosition(sizes[0])))[0] == ("tool_use", "")
    late = events_of(path, position=ReadPosition(sum(sizes[:3])))
    assert [(event.tool, event.text) for event in late] == [("Grep", "a.py:1")]


def test_long_texts_are_cut_with_both_ends_kept(tmp_path: Path) -> None:
    output = "[main 1a2b3c4] Start\n" + "x" * 50_000 + "\nAll 12 tests passed"
    sample = (
        Sample()
        .tool("Bash", {"command": "c" * 50_000, "note": "n" * 50_000}, output)
        .tool("ExitPlanMode", {"plan": "p" * 20_000}, "ok")
        .human("h" * 100_000)
    )
    use, result, plan, _, human = events_of(sample.write(tmp_path))
    assert len(result.text) <= 8_000
    assert result.text.startswith("[main 1a2b3c4] Start\n")
    assert result.text.endswith("\nAll 12 tests passed")
    assert (len(use.input["command"]), len(use.input["note"])) == (8_000, 4_000)
    assert len(plan.input["plan"]) == 20_000
    assert len(human.text) == 32_000


def test_results_of_several_blocks_drop_their_images(tmp_path: Path) -> None:
    blocks = [
        {"type": "text", "text": "seen"},
        {"type": "image", "source": {"data": "A" * 99}},
        {"type": "tool_reference", "tool_name": "WebFetch"},
        {"type": "text", "text": "again"},
    ]
    path = Sample().tool("Screenshot", {}, blocks).write(tmp_path)
    assert events_of(path)[1].text == "seen\nagain"


def test_what_the_client_notes_of_a_tools_outcome_is_kept(tmp_path: Path) -> None:
    commit = {"commit": {"sha": "1a2b3c4", "kind": "amended", "branch": "main"}}
    outcome = {"stdout": "…", "gitOperation": commit, "interrupted": False}
    answers = {"answers": {"Which store?": "SQLite"}, "questions": [{"question": "Which store?"}]}
    sample = Sample().tool("Bash", {"command": "git commit --amend"}, "", outcome=outcome)
    sample.tool("AskUserQuestion", {}, "User has answered", outcome=answers)
    results = [event for event in events_of(sample.write(tmp_path)) if event.role == "tool_result"]
    assert [event.input for event in results] == [
        {"gitOperation": commit},
        {"answers": {"Which store?": "SQLite"}},
    ]


def test_the_session_of_a_file_with_another_name_is_what_its_records_say(tmp_path: Path) -> None:
    sample = session()
    events = events_of(sample.write(tmp_path / "copy.jsonl"))
    assert {event.session for event in events} == {sample.session}
    resumed = Sample("resumed").human("on").write(tmp_path / f"{sample.session}.jsonl")
    assert events_of(resumed)[0].session == transcripts.read(resumed).session == sample.session


JUNK: list[object] = [None, 7, 1.5, True, "text", [], {}, [None, 3, []], {"type": "text"}]


def test_fields_of_any_type_are_survived(tmp_path: Path) -> None:
    sample = Sample()
    keys = (
        "uuid",
        "timestamp",
        "cwd",
        "gitBranch",
        "sessionId",
        "isSidechain",
        "origin",
        "promptSource",
        "toolUseResult",
        "userFeedback",
        "isMeta",
    )
    for kind, junk in itertools.product(("user", "assistant", "attachment"), JUNK):
        for key in keys:
            sample.tool("Bash", {}, "x").records[-1][key] = junk
            sample.human("hello").records[-1][key] = junk
        sample.raw({"type": kind, "message": junk, "attachment": junk})
        sample.raw({"type": "queue-operation", "operation": "enqueue", "content": junk})
        sample.raw({"type": kind, "message": {"content": junk, "id": junk}})
        for block in ("text", "tool_use", "tool_result"):
            blocks = [
                {"type": block, **dict.fromkeys(("text", "id", "name", "input", "content"), junk)}
            ]
            sample.raw({"type": kind, "message": {"content": blocks}})
            sample.raw({"type": kind, "attachment": {"type": "queued_command", "prompt": blocks}})
    reader = transcripts.read(sample.write(tmp_path))
    assert all(isinstance(event.text, str) for event in reader)
    assert not reader.problems


def test_deep_and_wide_arguments_are_bounded(tmp_path: Path) -> None:
    deep: dict[str, object] = {}
    for _ in range(300):
        deep = {"deeper": deep}
    wide = {f"k{number}": list(range(500)) for number in range(500)}
    path = Sample().tool("Any", {"deep": deep, "wide": wide}, "ok").write(tmp_path)
    given = events_of(path)[0].input
    assert len(given["wide"]) == len(given["wide"]["k0"]) == 100
    assert str(given["deep"]).count("deeper") <= 7
