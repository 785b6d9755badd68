"""History apart from memory: one entry for each event, found where it is asked for."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.records.memory import KEPT, Memory
from tests.conftest import Clock
from tests.transcript_samples import Sample

PAGE = "feat(invoices): add a page that lists invoices\n\nShows the number and total of each."
FIX = (
    "fix(mail): send reminders once\n\nThe cron job ran on every replica, so each customer got a "
    "reminder from each of them."
)
FIRST = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
LATER = datetime(2026, 11, 5, 9, 0, tzinfo=UTC)
URL = "https://github.com/dev/shop/pull/7"


def commit(session: Sample, message: str, name: str, path: str) -> Sample:
    """Edit a file and commit it."""
    full = f"{session.cwd}/{path}"
    session.tool("Edit", {"file_path": full, "old_string": "a", "new_string": "b"}, "updated")
    subject = message.split("\n", 1)[0]
    return session.tool(
        "Bash",
        {"command": f"git add -A && git commit -m \"$(cat <<'EOF'\n{message}\nEOF\n)\""},
        f"[main {name}] {subject}\n 1 file changed",
    )


def session(project: Path, name: str = "one", start: datetime = FIRST) -> Sample:
    """Two commits and an answer."""
    made = Sample(name, cwd=str(project), start=start).human("list the invoices")
    commit(made, PAGE, "1a2b3c4", "src/invoices.py").human("and send reminders once")
    return commit(made, FIX, "2b3c4d5", "src/mail.py").assistant("Each reminder goes out once now.")


@pytest.fixture
def cortex(project: Path, clock: Clock) -> Cortex:
    """Cortex in a fresh repository, some weeks after the session."""
    clock.advance(days=90)
    opened = Cortex.open(project, clock=clock)
    opened.rules.set("fix", "kept")
    return opened


def learn(cortex: Cortex, folder: Path, *sessions: Sample) -> None:
    folder.mkdir(exist_ok=True)
    for each in sessions:
        each.write(folder)
    cortex.exchange.import_transcripts([folder])


def entries(cortex: Cortex) -> dict[str, Memory]:
    return {str(one.details["event"]): one for one in cortex.episodes.list()}


def stop(made: Sample) -> str:
    return f"session:{made.session}"


def test_what_happened_is_history_and_only_the_cause_a_memory(
    cortex: Cortex, tmp_path: Path, project: Path
) -> None:
    made = session(project)
    learn(cortex, tmp_path / "t", made)
    assert entries(cortex).keys() == {"commit:1a2b3c4", "commit:2b3c4d5", stop(made)}
    (memory,) = cortex.list()
    assert (memory.kind, memory.source.rule) == ("solution", "rule:fix")
    assert memory.content.startswith("The cron job ran on every replica")


def test_one_entry_for_each_event_however_often_it_is_read(
    cortex: Cortex, tmp_path: Path, project: Path
) -> None:
    learn(cortex, tmp_path / "a", session(project))
    before = entries(cortex)
    again = session(project, "another", LATER)  # the same commits, cherry-picked or replayed
    learn(cortex, tmp_path / "b", again)
    after = entries(cortex)
    assert after.keys() == before.keys() | {stop(again)}
    assert {name: after[name].id for name in before} == {
        name: one.id for name, one in before.items()
    }
    assert len(cortex.list()) == 1
    assert cortex.review.list() == []


def test_a_session_that_goes_on_replaces_its_own_entry(
    cortex: Cortex, tmp_path: Path, project: Path
) -> None:
    made = session(project)
    learn(cortex, tmp_path / "t", made)
    first = entries(cortex)[stop(made)]
    assert first.title == "Stopped after “Send reminders once”"
    made.human("and page the invoices").assistant("The page shows fifty invoices at a time.")
    learn(cortex, tmp_path / "t", made)
    second = entries(cortex)[stop(made)]
    assert second.id == first.id and "fifty invoices" in second.content
    assert second.created > first.created
    assert [change.name for each in cortex.memories.revisions(first.id) for change in each.fields]
    cortex.undo()
    assert entries(cortex)[stop(made)].content == first.content


def test_an_edited_pull_request_is_the_same_entry(
    cortex: Cortex, tmp_path: Path, project: Path
) -> None:
    made = session(project).tool(
        "Bash", {"command": "gh pr create --title 'Send reminders once' --body 'x'"}, URL
    )
    learn(cortex, tmp_path / "t", made)
    later = Sample("later", cwd=str(project), start=LATER).human("make the pull request again")
    later.tool("Bash", {"command": "gh pr create --title 'Send each reminder once' --body x"}, URL)
    learn(cortex, tmp_path / "t", later)
    (entry,) = [one for name, one in entries(cortex).items() if name == "pr:7"]
    assert entry.title == "Opened pull request 7: Send each reminder once"


def test_what_the_user_changed_stays_as_it_is(
    cortex: Cortex, tmp_path: Path, project: Path
) -> None:
    made = session(project)
    learn(cortex, tmp_path / "t", made)
    entry = entries(cortex)[stop(made)]
    cortex.edit(entry.id, content="Waiting for the customer's answer on reminders.")
    made.human("and page the invoices").assistant("The page shows fifty invoices at a time.")
    learn(cortex, tmp_path / "t", made)
    assert "customer's answer" in cortex.show(entry.id).content


class TestFound:
    """Where history is found, and where it would be in the way."""

    @pytest.fixture(autouse=True)
    def learned(self, cortex: Cortex, tmp_path: Path, project: Path) -> None:
        learn(cortex, tmp_path / "t", session(project))

    def test_a_list_leaves_it_out_unless_it_is_asked_for(self, cortex: Cortex) -> None:
        assert {one.kind for one in cortex.list()} == {"solution"}
        assert {one.kind for one in cortex.memories.list(sort="created")} == {"solution"}
        assert len(cortex.list(kinds=("episode",))) == 3
        of_file = cortex.list(file="src/invoices.py")
        assert [one.title for one in of_file] == ["Add a page that lists invoices"]
        assert len(cortex.list(history=True)) == 4

    def test_a_search_finds_it(self, cortex: Cortex) -> None:
        assert "invoices" in cortex.recall("page that lists invoices").hits[0].memory.title
        (hit,) = cortex.recall("page", file="src/invoices.py").hits
        assert hit.memory.kind == "episode"

    def test_a_memory_that_matches_as_well_comes_first(self, cortex: Cortex) -> None:
        cortex.remember("Added a page that lists invoices", kind="fact", priority=1)
        entry = cortex.episodes.add("Added a page that lists invoices")
        hits = cortex.recall("added a page that lists invoices").hits
        order = [hit.memory.id for hit in hits]
        assert hits[0].memory.kind == "fact" and entry.id in order
        assert all(not hit.parts.importance for hit in hits if hit.memory.kind == "episode")

    def test_the_timeline_has_it(self, cortex: Cortex) -> None:
        (memory,) = cortex.list()
        assert {one.kind for one in cortex.memories.timeline(memory.id)} == {"solution", "episode"}

    def test_old_history_is_archived_by_itself_and_found_where_asked(
        self, cortex: Cortex, clock: Clock
    ) -> None:
        cortex.lifecycle.run()
        assert all(one.status == "active" for one in cortex.episodes.list())
        clock.advance(days=45)
        cortex.lifecycle.run()
        assert {one.status for one in cortex.episodes.list()} == {"archived"}
        assert not [hit for hit in cortex.recall("invoices").hits if hit.memory.kind == "episode"]
        assert (
            "invoices"
            in cortex.recall("page that lists invoices", statuses=KEPT).hits[0].memory.title
        )
        (memory,) = cortex.list(statuses=("active", "archived"))
        assert len(cortex.memories.timeline(memory.id)) == 4
