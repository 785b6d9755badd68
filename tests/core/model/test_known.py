"""What the model is shown of what is stored, and what it may say of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from tests.core.model import stub_api
from tests.core.model.conftest import capture, session, stored
from tests.core.model.stub_api import Stub, answer, extraction, memory
from tests.transcript_samples import Sample

OLD = "The nightly export runs on the primary database."
NOW = "The nightly export runs on the replica db-ro-2, no longer on the primary."


def section(sent: str, name: str) -> list[str]:
    """The lines of one part of a request."""
    _, found, rest = sent.partition(f"{name}:\n")
    return [line.strip() for line in rest.partition("\n\n")[0].split("\n")] if found else []


def number_of(sent: str, name: str, words: str) -> int:
    """The number under which an entry is shown."""
    (line,) = [line for line in section(sent, name) if words in line]
    return int(line[1 : line.index(")")])


def says(stub: Stub, name: str, words: str, *memories: Any, **said: str) -> None:
    """Answer with one verdict or update on the entry that holds `words`."""

    def act(stub: Stub, handler: stub_api.Handler) -> None:
        sent = stub.asked()[-1]
        list_name, field = ("updates", "stored") if name == "Stored" else ("verdicts", "suggestion")
        entry = {field: number_of(sent, name, words), "message": 5, **said}
        text = extraction(*memories, **{list_name: [entry]})
        stub_api.send(handler, 200, stub_api.message(stub_api.quoting(text, sent)))

    stub.act = act


def remembered(project: Path, rule: str, content: str = OLD) -> str:
    """The id of a memory that an earlier session left."""
    with Cortex.open(project) as cortex:
        memory = cortex.remember(content)
        with cortex.workspace.store().change("capture", "learn", "worker") as change:
            change.update("memory", memory.id, {"rule": rule, "session": "earlier"})
        return memory.id


@pytest.mark.parametrize("vectors", [True, False])
def test_the_nearest_memories_are_shown_with_their_kind_and_whole_title(
    vectors: bool, asking: Path, sessions: Path, stub: Stub
) -> None:
    long = "The nightly export of invoices must never run on the primary, which cannot bear it"
    with Cortex.open(asking) as cortex:
        cortex.remember(f"{long}.", title=long, kind="policy")
        for topic in ("tea", "maps", "fonts", "trees", "wind", "boats", "sand", "salt", "ice"):
            cortex.remember(f"The page on {topic} has a blue header.")
            cortex.remember(f"The page on {topic} has a green footer.")
        if vectors:
            cortex.models.embed_pending()
    capture(asking, session(asking).write(sessions))
    (sent,) = stub.asked()
    shown = section(sent, "Stored")
    assert any(line.endswith(f"[policy] {long}") for line in shown[:2])
    assert len(shown) <= 17


def test_history_is_shown_apart_and_is_no_twin(asking: Path, sessions: Path, stub: Stub) -> None:
    body = "The validator accepts 130 hex digits while device keys have 64."
    made = (
        Sample("h", cwd=str(asking))
        .human("Fix the validator.")
        .tool(
            "Bash",
            {"command": f"git commit -m 'fix: validate keys' -m '{body}'"},
            "[main 1a2b3c4] fix: validate keys\n 1 file changed",
        )
        .assistant("The validator accepted keys that are too long.")
        .human("Thanks, that was it.")
    )
    stub.act = answer(extraction(memory(body, number=1)))
    entry = capture(asking, made.write(sessions))
    (sent,) = stub.asked()
    assert any("Validate keys" in line for line in section(sent, "History"))
    assert not any("alidate keys" in line for line in section(sent, "Stored"))
    assert [one.source.rule for one in stored(asking) if one.content == body] == [
        "model:claude-haiku-5-5@5:user"
    ]
    assert "known already" not in entry.refused


def test_what_an_earlier_session_left_is_brought_up_to_date_and_undone_as_one(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    id = remembered(asking, "model:claude-haiku-5-5@5")
    says(stub, "Stored", "nightly export", change="outdated", title="Runs on db-ro-2", content=NOW)
    capture(asking, session(asking).write(sessions))
    with Cortex.open(asking) as cortex:
        assert cortex.show(id).status == "superseded"
        (found,) = [one for one in cortex.list() if one.content == NOW]
        assert cortex.show(found.id).source.rule == "model:claude-haiku-5-5@5:user"
        cortex.undo(number=cortex.log(1)[0].number)
        assert cortex.show(id).status == "active"
        assert NOW not in [one.content for one in cortex.list()]


def test_what_the_user_said_becomes_a_proposal(asking: Path, sessions: Path, stub: Stub) -> None:
    with Cortex.open(asking) as cortex:
        id = cortex.remember(OLD).id
    says(stub, "Stored", "nightly export", change="wrong", title="Runs on db-ro-2", content=NOW)
    capture(asking, session(asking).write(sessions))
    with Cortex.open(asking) as cortex:
        assert cortex.show(id).status == "active"
        (review,) = cortex.review.list()
        assert [member.content for member in review.members] == [NOW, OLD]
        assert NOW not in [one.content for one in cortex.list()]


def test_what_a_model_reads_as_taken_back_is_given_until_the_user_decides(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    with Cortex.open(asking) as cortex:
        id = cortex.remember(OLD, kind="policy").id
        assert OLD in cortex.surface().text
    says(stub, "Stored", "nightly export", change="outdated", title="", content="")
    capture(asking, session(asking).write(sessions))
    with Cortex.open(asking) as cortex:
        (review,) = cortex.review.list()
        assert [member.id for member in review.members][1:] == [id]
        assert OLD in cortex.surface().text
        newer = cortex.review.supersede(review.proposal.number)
        assert (newer.status, cortex.show(id).status) == ("superseded", "superseded")
        cortex.undo()
        assert cortex.show(id).status == "active"


def suggesting(project: Path, sessions: Path) -> Path:
    """A session that left a suggestion which the model is asked about."""
    made = (
        Sample("s", cwd=str(project))
        .human("Remember that the queue retries three times on a lost lease.")
        .assistant("Noted.")
        .human("ok, go on with the invoices")
        .assistant("The list of invoices is paged by cursor.")
    )
    with Cortex.open(project) as cortex:
        cortex.rules.set("prompt-remember", "suggested")
    return made.write(sessions)


BETTER = "The queue retries a lost lease three times, then hands the job to the next worker."


def test_a_reworded_suggestion_is_one_memory_in_the_models_words(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    path = suggesting(asking, sessions)
    says(
        stub,
        "Suggestions",
        "lost lease",
        verdict="reword",
        title="The queue retries a lost lease",
        content=BETTER,
    )
    capture(asking, path)
    (found,) = stored(asking, "active", "suggested", "archived", "superseded")
    assert (found.content, found.status) == (BETTER, "active")
    assert found.title == "The queue retries a lost lease"
    assert found.source.rule == "model:claude-haiku-5-5@5:user"


@pytest.mark.parametrize("verdict", ["keep", "drop", ""])
def test_a_suggestion_that_the_model_also_writes_gets_its_words_kind_and_priority(
    verdict: str, asking: Path, sessions: Path, stub: Stub
) -> None:
    path = suggesting(asking, sessions)
    said = "The queue retries three times on a lost lease of a job."
    own = memory(said, kind="policy", priority=8, title="Retry three times")
    if verdict:
        says(stub, "Suggestions", "lost lease", own, verdict=verdict)
    else:
        stub.act = answer(extraction(own))
    capture(asking, path)
    (found,) = stored(asking, "active", "suggested", "archived", "superseded")
    assert (found.content, found.kind, found.priority) == (said, "policy", 8)


def test_what_the_project_says_itself_is_shown(asking: Path, sessions: Path, stub: Stub) -> None:
    (asking / "CLAUDE.md").write_text("# Rules\n- Use two spaces.\n```\ncode = 1\n```\n")
    (asking / "src" / "deep").mkdir(parents=True)
    (asking / "src" / "deep" / "a.py").write_text("")
    (asking / "clients").mkdir()
    (asking / "clients" / "secret.py").write_text("")
    with Cortex.open(asking) as cortex:
        cortex.settings.set("capture.ignore", "clients")
    capture(asking, session(asking).write(sessions))
    (sent,) = stub.asked()
    assert section(sent, "CLAUDE.md") == ["# Rules", "- Use two spaces."]
    assert section(sent, "Files") == ["CLAUDE.md README.md src/deep"]
    assert "clients" not in sent and "code = 1" not in sent
    assert section(sent, "Dates")[0].startswith("Today: 20")


def test_of_many_memories_of_a_session_the_closest_are_shown_with_what_they_say(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    path = session(asking).write(sessions)
    with Cortex.open(asking) as cortex:
        kept = [
            cortex.remember(
                f"The page on topic {n} has the header {n}." if n else f"{OLD} It takes an hour.",
                title=f"Page {n}" if n else "Exports",
            ).id
            for n in range(60)
        ]
        own = {"transcript": str(path), "session": "one", "rule": "rule:fix"}
        with cortex.workspace.store().change("capture", "learn", "worker") as change:
            for id in kept:
                change.update("memory", id, own)
    capture(asking, path)
    (sent,) = stub.asked()
    shown = section(sent, "Stored")
    assert any(line.endswith(f"] Exports: {OLD} It takes an hour.") for line in shown)
    assert 40 <= len(shown) <= 51
