"""What only one agent does to its sessions, and that all of them are found where the agents keep
them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex, agents
from cortex_core.agents.gemini import reader as gemini
from cortex_core.agents.opencode import reader as opencode
from cortex_core.base.errors import TranscriptError
from cortex_core.records.events import START, ReadPosition, uuid_key
from tests.agent_samples import FORMS, SESSION, Step, dumped

Message = dict[str, Any]


def user(name: str, text: str, **fields: Any) -> Message:
    own = {"id": name, "timestamp": f"2026-11-02T09:00:0{name[-1]}Z", "type": "user"}
    return {**own, "content": [{"text": text}], **fields}


HEADER = {"sessionId": "first", "projectHash": "f7", "startTime": "2026-11-02T09:00:00Z"}
REPLY = {**user("m2", ""), "type": "gemini", "content": "Done."}


def chat(folder: Path, *records: Message) -> Path:
    path = folder / "session-2026-11-02T09-00-first.jsonl"
    path.write_bytes(b"".join(dumped([HEADER, *records])))
    return path


def typed(path: Path, position: ReadPosition = START, known: set[int] | None = None) -> list[str]:
    seen = known if known is not None else set()
    with gemini.read(path, position, lambda mark: uuid_key(mark) in seen) as reader:
        found = [event.text for event in reader if event.role == "human"]
    seen |= reader.keys
    return found


class TestGemini:
    @pytest.mark.parametrize(
        ("change", "left"),
        [
            ({"$rewindTo": "m3"}, ["One"]),
            ({"$rewindTo": "m1"}, []),
            ({"$rewindTo": "unknown"}, []),
            ({"$set": {"summary": "x"}}, ["One", "Two"]),
            # What the model is sent after a compaction: nothing that was said is lost, and what it
            # repeats is not said twice.
            (
                {"$set": {"messages": [user("m3", "Two"), user("m9", "Four")]}},
                ["One", "Two", "Four"],
            ),
            (user("m3", "Two, in other words"), ["One", "Two, in other words"]),
            (HEADER, ["One", "Two"]),
        ],
    )
    def test_later_lines_change_what_was_said(
        self, tmp_path: Path, change: Message, left: list[str]
    ) -> None:
        path = chat(tmp_path, user("m1", "One"), REPLY, user("m3", "Two"), change)
        assert typed(path) == left

    def test_the_context_of_a_session_is_nobodys_words(self, tmp_path: Path) -> None:
        context = user("m0", "<session_context>\nThis is the Gemini CLI.\n</session_context>")
        files = [{"text": "See @a.md"}, {"text": "\n--- Content from referenced files ---"}]
        prompt = user("m1", "", content=[*files, {"text": "# Never use tabs"}])
        answer = user("m4", "", content=[{"functionResponse": {"name": "x"}}])
        assert typed(chat(tmp_path, context, prompt, REPLY, answer)) == ["See @a.md"]

    def test_a_document_that_goes_on_as_lines_is_read_once(self, tmp_path: Path) -> None:
        known: set[int] = set()
        document = tmp_path / "session-first.json"
        document.write_text(json.dumps({**HEADER, "messages": [user("m1", "One"), REPLY]}))
        assert typed(document, known=known) == ["One"]
        lines = chat(tmp_path, user("m1", "One"), REPLY, user("m3", "Two"))
        assert typed(lines, known=known) == ["Two"]

    def test_a_session_that_is_resumed_is_read_where_it_goes_on(
        self, scratch_home: Path, project: Path
    ) -> None:
        """Resuming writes a second file first, which never grows; its name is the later one."""
        folder = scratch_home / ".gemini/tmp/shop/chats"
        folder.mkdir(parents=True)
        (folder.parent / ".project_root").write_text(str(project), "utf-8")
        begun = chat(folder, user("m1", "One"), REPLY)
        context = user("m0", "<session_context>\nThis is the Gemini CLI.\n</session_context>")
        begun.with_name("session-2026-11-02T10-30-first.jsonl").write_bytes(
            b"".join(dumped([HEADER, {"$set": {"messages": [context]}}]))
        )
        with Cortex.open(project=project) as cortex:
            assert cortex.exchange.import_transcripts().files == 1
            more = [{"$set": {"sessionId": "first"}}, user("m3", "Two"), {**REPLY, "id": "m4"}]
            begun.write_bytes(begun.read_bytes() + b"".join(dumped(more)))
            assert [one.path for one in cortex.sessions.on_disk()] == [begun]
            assert agents.of("gemini").sessions.find("gemini:first") == [begun]
            assert cortex.exchange.import_transcripts().files == 1
            (kept,) = cortex.sessions.archive.list()
            assert kept.turns == 2


class TestOpenCode:
    def write(self, folder: Path, *steps: Step) -> Path:
        return FORMS["opencode"].write(folder, steps, "first", False)

    def change(self, path: Path, statement: str, *values: object) -> None:
        with closing(sqlite3.connect(path.parent)) as rows, rows:
            rows.execute(statement, values)

    def test_a_reply_is_read_when_it_is_written(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, *SESSION[:2])
        whole = "UPDATE message SET data = json_set(data, '$.time.completed', 1) WHERE id LIKE ?"
        cut = "UPDATE message SET data = json_remove(data, '$.time.completed') WHERE id LIKE ?"
        self.change(path, cut, "%0001")
        with opencode.read(path) as reader:
            assert [event.role for event in reader] == ["human"]
        self.change(path, whole, "%0001")
        with opencode.read(path, reader.position) as again:
            assert [event.role for event in again][-1] == "assistant"

    def test_nothing_but_its_three_tables_is_read_and_nothing_written(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, *SESSION)
        self.change(path, "CREATE TABLE account (access_token)")
        self.change(path, "INSERT INTO account VALUES ('sesame')")
        before = path.parent.read_bytes()
        assert "sesame" not in str(list(opencode.read(path)))
        assert path.parent.read_bytes() == before
        assert [one.name for one in tmp_path.iterdir()] == ["opencode.db"]

    @pytest.mark.parametrize(
        "change", ["ALTER TABLE part RENAME TO parts", "ALTER TABLE message RENAME data TO body"]
    )
    def test_other_tables_are_a_form_that_is_not_known(self, tmp_path: Path, change: str) -> None:
        path = self.write(tmp_path, *SESSION)
        self.change(path, change)
        with pytest.raises(TranscriptError, match="form that Cortex does not know"):
            opencode.read(path)

    def test_a_prompt_of_a_command_line_loses_its_quotation_marks(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, Step("prompt", '"Call it \\"store\\", please"\n'), SESSION[1])
        assert next(iter(opencode.read(path))).text == 'Call it "store", please'

    def test_a_session_that_is_gone_is_reported(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, *SESSION)
        assert opencode.extent(path.with_name("ses_other")) == -1
        with pytest.raises(TranscriptError, match="Nothing was read"):
            opencode.read(path.with_name("ses_other"))


KEPT = {
    "copilot": ".copilot/session-state",
    "gemini": ".gemini/tmp",
    "opencode": ".local/share/opencode",
}


@pytest.mark.parametrize("name", KEPT)
def test_past_sessions_are_found_where_the_agent_keeps_them(
    name: str, scratch_home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = scratch_home / KEPT[name]
    folder.mkdir(parents=True)
    if name != "gemini":  # whose folder says for all its sessions where they ran
        FORMS[name].write(folder, SESSION, "elsewhere", False)
    monkeypatch.setattr("tests.agent_samples.FOLDER", str(project))
    FORMS[name].write(folder, SESSION, "first", False)
    if name != "copilot":  # whose sub-agents have no files of their own
        FORMS[name].write(folder, SESSION, "helper", True)
    with Cortex.open(project=project) as cortex:
        (ref,) = cortex.sessions.on_disk()
        assert (ref.agent, ref.key) == (name, f"{name}:{ref.id}")
        assert agents.of(name).sessions.find(ref.key) == [ref.path]
        first = cortex.exchange.import_transcripts()
        assert (first.files, first.problems) == (1, ())
        again = cortex.exchange.import_transcripts()
        assert (again.files, again.skipped) == (0, 1)
        assert len(cortex.sessions.archive.list()) == 1
