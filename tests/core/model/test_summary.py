"""Where a session stopped in the words of a model, and the turns that decided it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cortex_core import Cortex
from cortex_core.records.memory import Memory
from tests.core.model import stub_api
from tests.core.model.conftest import capture
from tests.core.model.stub_api import Stub, answer, error, extraction
from tests.transcript_samples import Sample

TITLE = "The nightly export runs on db-ro-2; its alarm is not switched yet"
SUMMARY: dict[str, Any] = {
    "title": TITLE,
    "outcome": "partly",
    "decided": ["Exports run on the replica."],
    "open": [
        {"what": "Choose who is paged when the export fails.", "waits_for": "user"},
        {"what": "Switch the alarm of the export.", "waits_for": "agent"},
    ],
    "deciding": [1, 3, 99, "4"],
    "message": 4,
}


def worked(project: Path, name: str = "stop") -> Sample:
    """A session in which something was done, so that the rules say where it stopped."""
    return (
        Sample(name, cwd=str(project))
        .human("Where should the nightly export run?")
        .tool("Edit", {"file_path": str(project / "a.py")}, "ok")
        .tool("Edit", {"file_path": str(project / "b.py")}, "ok")
        .tool("Edit", {"file_path": str(project / "c.py")}, "ok")
        .human("Use the replica db-ro-2.")
        .assistant("The export runs on the replica db-ro-2. The alarm still watches the primary.")
    )


def stops(project: Path) -> list[Memory]:
    """The entries of the history that say where a session stopped."""
    with Cortex.open(project) as cortex:
        found = [cortex.show(one.id) for one in cortex.list(kinds=("episode",))]
    return [one for one in found if str(one.details.get("event", "")).startswith("session:")]


def test_it_takes_the_place_of_what_the_rules_say(asking: Path, sessions: Path, stub: Stub) -> None:
    path = worked(asking).write(sessions)
    stub.act = error(400)
    capture(asking, path)
    (by_rules,) = stops(asking)
    assert by_rules.source.rule == "rule:session-end"
    stub.act = answer(extraction(summary=SUMMARY))
    with Cortex.open(asking) as cortex:
        cortex.sessions.ask_model(path, "again")
        number = cortex.log(1)[0].number
    (stop,) = stops(asking)
    assert (stop.id, stop.title) == (by_rules.id, TITLE)
    assert stop.details["stopped"] == {
        name: SUMMARY[name] for name in ("outcome", "decided", "open")
    }
    assert "Exports run on the replica." in stop.content and "Switch the alarm" in stop.content
    with Cortex.open(asking) as cortex:
        assert TITLE in cortex.surface().text
        cortex.undo(number=number)
    assert stops(asking)[0].title == by_rules.title


def test_it_is_injected_where_the_rules_say_nothing_of_the_end(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    stub.act = answer(extraction(summary={**SUMMARY, "deciding": [1], "message": 1}))
    said = Sample("talk", cwd=str(asking)).human("Where should the nightly export run?")
    capture(asking, said.assistant("On the replica db-ro-2.").write(sessions))
    (stop,) = stops(asking)
    assert stop.source.rule.startswith("model:")
    with Cortex.open(asking) as cortex:
        note = cortex.surface().text
    assert TITLE in note and "Switch the alarm of the export" in note


def test_a_session_that_goes_on_says_it_anew(asking: Path, sessions: Path, stub: Stub) -> None:
    made = worked(asking)
    stub.act = answer(extraction(summary=SUMMARY))
    capture(asking, made.write(sessions))
    made.human("Page the person on call.").assistant("Whoever is on call is paged now.")
    later = {**SUMMARY, "title": "The export and its alarm are done", "open": [], "message": 6}
    stub.act = answer(extraction(summary=later))
    capture(asking, made.write(sessions))
    (stop,) = stops(asking)
    assert stop.title == later["title"] and stop.details["stopped"]["open"] == []


@pytest.mark.parametrize(
    "summary", [None, "done", [], {}, {**SUMMARY, "title": ""}, {**SUMMARY, "title": 7}]
)
def test_a_summary_that_is_none_leaves_that_of_the_rules(
    summary: Any, asking: Path, sessions: Path, stub: Stub
) -> None:
    stub.act = answer(extraction(summary=summary))
    capture(asking, worked(asking).write(sessions))
    (stop,) = stops(asking)
    assert stop.source.rule == "rule:session-end"


def test_what_is_odd_in_a_summary_is_left_out(asking: Path, sessions: Path, stub: Stub) -> None:
    odd = {
        **SUMMARY,
        "outcome": "great",
        "decided": [1, "Exports run on the replica."],
        "open": ["x", {"what": "Switch the alarm.", "waits_for": "whoever"}, {"what": 3}],
        "deciding": "all",
        "message": "last",
    }
    stub.act = answer(extraction(summary=odd))
    capture(asking, worked(asking).write(sessions))
    (stop,) = stops(asking)
    assert stop.details["stopped"] == {
        "outcome": "unclear",
        "decided": ["Exports run on the replica."],
        "open": [{"what": "Switch the alarm.", "waits_for": "other"}],
    }


def test_the_turns_that_decided_are_marked_in_the_archive(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    from cortex_core.cli.main import cli

    stub.act = answer(extraction(summary={**SUMMARY, "deciding": [1, 3, 99, "4"]}))
    made = worked(asking)
    capture(asking, made.write(sessions))
    sent = stub.asked()[0]
    marked = [words for n, words in stub_api.messages_in(sent).items() if n in (1, 3, 4)]
    with Cortex.open(asking) as cortex:
        found = cortex.sessions.archive.read(made.session)
        assert len(found.deciding) == len(marked)
        told = {one["text"] for one in found.read if one["deciding"]}
        assert "Where should the nightly export run?" in told
    printed = CliRunner().invoke(cli, ["--project", str(asking), "session", made.session]).output
    assert "★ decided the session" in printed
    with Cortex.open(asking) as cortex:
        cortex.sessions.archive.erase(made.session)
        archive = cortex.sessions.archive.files.archive("project")
        assert archive.deciding(made.session) == ()
