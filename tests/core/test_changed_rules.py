"""What the user says later wins: over what a session taught at once, over what they wrote as a
proposal; the earlier one is injected no more."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import UsageError
from cortex_core.surface import call_table
from tests.conftest import Clock
from tests.transcript_samples import Sample

PORT, NEW_PORT = "Use port 8080 for the API.", "Use port 9090 for the API."


def hear(cortex: Cortex, clock: Clock, folder: Path, *prompts: str) -> None:
    """Let a session pass, an hour later, in which the user types these prompts."""
    moment = datetime.fromtimestamp(clock.advance(hours=1), UTC)
    session = Sample(f"s{clock.now:.0f}", cwd=str(cortex.workspace.project.root), start=moment)
    for prompt in prompts:
        session.human(prompt)
    cortex.exchange.import_transcripts([session.write(folder / f"{clock.now:.0f}.jsonl")])


def in_force(cortex: Cortex) -> list[str]:
    return [memory.content for memory in cortex.list()]


def test_another_value_replaces_what_a_session_taught(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    hear(cortex, clock, tmp_path, f"Remember: {PORT}")
    hear(cortex, clock, tmp_path, f"Remember: {NEW_PORT}")
    assert in_force(cortex) == [NEW_PORT]
    note = cortex.surface().text
    assert "8080" not in note
    assert f"{NEW_PORT} (changed on " in note
    (old,) = cortex.list(statuses=["superseded"])
    (edge,) = cortex.memories.details(old.id).edges
    assert edge.context.startswith("It was “Use port 8080 for the API” (2")
    cortex.restore(old.id)  # one verb: the earlier one holds again, and the later one does not
    assert in_force(cortex) == [PORT]
    cortex.undo()
    assert in_force(cortex) == [NEW_PORT]


def test_several_changes_leave_the_last(cortex: Cortex, clock: Clock, tmp_path: Path) -> None:
    hear(cortex, clock, tmp_path, *(f"Remember: use port {n} for the API." for n in (1, 2, 3)))
    assert in_force(cortex) == ["Use port 3 for the API."]


def test_what_is_known_is_changed_by_a_plain_sentence(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    hear(cortex, clock, tmp_path, "Remember: always squash commits in this repository.")
    hear(cortex, clock, tmp_path, "never squash commits in this repository")
    assert in_force(cortex) == ["Never squash commits in this repository."]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("每次改完样式都要截图存档", "截图那一套取消了，以后不用了"),
        ("部署前要跑完整的回归测试", "回归测试不需要了，以后不必跑"),
        ("コミットごとにスクショを添付すること", "スクショの添付はもう要りません"),
        ("빌드는 npm으로 한다", "이제 npm 말고 pnpm 쓰자"),
        ("перед коммитом гоняй полный набор тестов", "полные наборы тестов больше не нужны"),
    ],
)
def test_what_has_no_blanks_or_other_endings_is_changed_too(
    cortex: Cortex, clock: Clock, tmp_path: Path, earlier: str, later: str
) -> None:
    hear(cortex, clock, tmp_path, f"Remember: {earlier}")
    assert any(earlier in one.casefold() for one in in_force(cortex))
    hear(cortex, clock, tmp_path, later)
    assert not any(earlier in one.casefold() for one in in_force(cortex))


def test_a_withdrawal_leaves_nothing_in_force(cortex: Cortex, clock: Clock, tmp_path: Path) -> None:
    hear(cortex, clock, tmp_path, "Remember: we use Redux for state.")
    hear(cortex, clock, tmp_path, "we no longer use Redux")
    assert in_force(cortex) == []
    hear(cortex, clock, tmp_path, "Remember: we use Redux for state.")
    assert in_force(cortex) == ["We use Redux for state."]


def test_what_the_user_wrote_waits_for_a_verdict_and_is_not_injected(
    cortex: Cortex, clock: Clock
) -> None:
    old = cortex.remember(PORT, kind="policy")
    clock.advance(days=1)
    new = cortex.remember(NEW_PORT, kind="policy")
    (review,) = cortex.review.list()
    assert (review.proposal.type, review.advice) == ("supersede", "supersede")
    assert review.proposal.members == (new.id, old.id)
    note = cortex.surface().text
    assert PORT not in note
    assert "changed on" in note
    cortex.review.supersede(review.proposal.number)
    assert in_force(cortex) == [NEW_PORT]


def test_a_withdrawal_of_what_the_user_wrote_is_no_rule_after_the_verdict(
    cortex: Cortex, clock: Clock
) -> None:
    cortex.remember("We use Redux for state", kind="policy")
    clock.advance(days=1)
    cortex.remember("We no longer use Redux")
    note = cortex.surface().text
    assert "We no longer use Redux (changed on " in note and "for state" not in note
    (review,) = cortex.review.list()
    cortex.review.supersede(review.proposal.number)
    assert in_force(cortex) == []


@pytest.mark.parametrize(
    ("rule", "again"),
    [
        ("Log lines go to stderr, never to stdout.", "log lines to stderr please!"),
        ("Dates are stored in UTC, never in local time.", "dates in UTC, please"),
        (
            "Les migrations passent toujours par alembic, jamais par du SQL brut.",
            "les migrations avec alembic svp !",
        ),
    ],
)
def test_a_rule_that_is_said_again_in_short_stays_in_the_note(
    cortex: Cortex, clock: Clock, tmp_path: Path, rule: str, again: str
) -> None:
    hear(cortex, clock, tmp_path, f"Remember: {rule}")
    hear(cortex, clock, tmp_path, again)
    assert f"- {rule}" in cortex.surface().text


def test_what_cannot_stand_in_the_note_takes_nothing_out_of_it(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    cortex.remember("We use Redux for state", kind="policy")
    hear(cortex, clock, tmp_path, "forget about Redux")
    (review,) = cortex.review.list()
    assert review.members[0].content == "Forget about Redux."
    assert "- We use Redux for state" in cortex.surface().text


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("All new components go into src/legacy-ui.",
         "never mind the legacy-ui folder, new components live in packages/ui now"),
        ("Every pull request needs two approvals.",
         "forget about the two approvals, one review is enough now"),
        ("Zeitstempel speichern wir als Text.",
         "vergiss das mit den Zeitstempeln als Text, wir speichern sie jetzt als Unix-Sekunden"),
        ("Los mensajes de error van en inglés.",
         "olvida lo de los mensajes de error en inglés, ahora los escribimos en español"),
    ],
)  # fmt: skip
def test_what_holds_instead_of_what_is_taken_back_is_in_force(
    cortex: Cortex, clock: Clock, tmp_path: Path, earlier: str, later: str
) -> None:
    hear(cortex, clock, tmp_path, f"Remember: {earlier}")
    hear(cortex, clock, tmp_path, later)
    note = cortex.surface().text.casefold()
    assert later.casefold() in note and earlier.casefold() not in note


def test_what_is_changed_in_part_holds_for_the_rest(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    hear(cortex, clock, tmp_path, "Remember: tickets have at most 40 letters, with a verb first")
    for _ in range(2):  # who says it again is known to have said it
        hear(cortex, clock, tmp_path, "tickets may have 60 letters now, 40 is too short")
        note = cortex.surface().text
        assert "60 letters now, 40 is too short (as before: with a verb first)" in note
        assert "at most 40" not in note
        assert [one.id[:8] for one in cortex.list() if one.id[:8] not in note] == []


def test_a_withdrawal_of_what_is_only_suggested_is_asked_about(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    hear(cortex, clock, tmp_path, "We never deploy on Fridays, the support desk is empty then.")
    (waiting,) = cortex.suggestions.list()
    hear(cortex, clock, tmp_path, "forget what I said about Fridays")
    cortex.suggestions.keep(waiting.id)
    (review,) = cortex.review.list()
    assert review.members[0].content == "Forget what I said about Fridays."
    assert "on Fridays" in cortex.surface().text


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        ("Commit subjects in English, at most 60 characters.",
         "Actually, commit subjects can be up to 72 characters, 60 is too tight."),
        ("Commit subjects in English, at most 60 characters.",
         "commit subjects may be up to 72 characters now"),
        ("Functions have at most 40 lines, keep them small.",
         "function bodies can have up to 60 lines, 40 is too strict"),
        ("Die Sitzung läuft nach 15 Minuten ab, Tokens werden dann verworfen.",
         "die Sitzung darf jetzt 30 Minuten dauern, 15 waren zu kurz"),
        ("Les lignes font 80 caractères au plus.",
         "les lignes peuvent faire 100 caractères maintenant"),
    ],
)  # fmt: skip
def test_another_limit_is_asked_about_whatever_the_words(
    cortex: Cortex, clock: Clock, tmp_path: Path, rule: str, later: str
) -> None:
    old = cortex.remember(rule, kind="policy")
    hear(cortex, clock, tmp_path, later)
    (review,) = cortex.review.list()
    assert (review.proposal.type, review.members[-1].id) == ("supersede", old.id)


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        ("From now on run `pnpm lint` before every commit.", "Use yarn from now on, not pnpm."),
        ("Run pnpm lint before every commit.", "Use yarn from now on instead of pnpm."),
        ("Vor jedem Commit `npm test` ausführen.", "ab jetzt nehmen wir yarn statt npm"),
        ("Lance `pip install -e .` après chaque rebase.", "on utilise poetry au lieu de pip"),
        ("Commit subjects have at most 60 characters.", "branch names may have 40 characters now"),
    ],
)
def test_a_tool_in_a_command_and_the_limit_of_something_else_change_nothing(
    cortex: Cortex, clock: Clock, tmp_path: Path, rule: str, later: str
) -> None:
    cortex.remember(rule, kind="policy")
    hear(cortex, clock, tmp_path, later)
    assert cortex.review.list() == []
    assert f"- {rule}" in cortex.surface().text


def test_where_the_note_says_what_changed_the_earlier_rule_is_silent_at_the_call(
    project: Path, clock: Clock
) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        old = cortex.remember("We use pnpm in this repo, always", kind="policy")
        clock.advance(days=1)
        cortex.remember("Use yarn from now on instead of pnpm", kind="policy")
        assert "yarn from now on" in cortex.surface().text
        rules = call_table.read(cortex.project)["rules"]["project"]
        assert rules and old.id not in [rule[0] for rule in rules]


def test_what_the_user_says_of_what_is_near_counts_before_the_words(
    cortex: Cortex, clock: Clock
) -> None:
    old = cortex.remember("We use Redux for state", kind="policy")
    clock.advance(days=1)
    (near,) = cortex.graph.near("We no longer use Redux")
    assert near.id == old.id
    cortex.remember("We no longer use Redux", settled={old.id: True})
    assert in_force(cortex) == [] and not cortex.review.list()
    cortex.undo()
    cortex.remember("We no longer use Redux", settled={old.id: False})
    assert old.content in in_force(cortex) and not cortex.review.list()


def test_nothing_is_near_what_is_known_or_about_something_else(cortex: Cortex) -> None:
    cortex.remember("We use Redux for state", kind="policy")
    assert cortex.graph.near("we use Redux for state.") == []
    assert cortex.graph.near("The coffee machine is descaled on Fridays") == []
    assert cortex.graph.near("On this branch we use Zustand for state") == []
    assert len(cortex.graph.near("Keep the state in Zustand, not in React")) == 1
    assert len(cortex.list()) == 1


def test_a_session_that_is_read_late_changes_nothing(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    hear(cortex, clock, tmp_path, f"Remember: {NEW_PORT}")
    clock.advance(days=-2)
    hear(cortex, clock, tmp_path, f"Remember: {PORT}")
    assert NEW_PORT in in_force(cortex)


def rows_of(cortex: Cortex, content: str) -> list[str]:
    """The status of each row that says `content`."""
    every = cortex.list(statuses=["active", "suggested", "archived", "superseded"])
    return [memory.status for memory in every if memory.content == content]


def test_what_is_said_anew_comes_back_in_its_own_row(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    for said in (PORT, NEW_PORT, PORT):
        hear(cortex, clock, tmp_path, f"Remember: {said}")
    assert in_force(cortex) == [PORT]
    assert (rows_of(cortex, PORT), rows_of(cortex, NEW_PORT)) == (["active"], ["superseded"])
    cortex.undo()
    assert in_force(cortex) == [NEW_PORT]
    assert rows_of(cortex, PORT) == ["superseded"]


def test_a_session_that_is_read_late_brings_nothing_back(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    hear(cortex, clock, tmp_path, f"Remember: {PORT}")
    clock.advance(days=2)
    hear(cortex, clock, tmp_path, f"Remember: {NEW_PORT}")
    clock.advance(days=-1)
    hear(cortex, clock, tmp_path, f"Remember: {PORT}")
    assert in_force(cortex) == [NEW_PORT]
    assert rows_of(cortex, PORT) == ["superseded"]


def test_what_the_user_had_replaced_and_writes_anew_is_asked_about(
    cortex: Cortex, clock: Clock
) -> None:
    for said in (PORT, NEW_PORT):
        cortex.remember(said, kind="policy")
        clock.advance(days=1)
    cortex.review.supersede(cortex.review.list()[0].proposal.number)
    cortex.remember(PORT, kind="policy", tags=["ports"])
    assert rows_of(cortex, PORT) == ["active"]
    (review,) = cortex.review.list()
    assert review.proposal.type == "supersede"
    assert NEW_PORT not in cortex.surface().text
    cortex.review.supersede(review.proposal.number)
    assert in_force(cortex) == [PORT]


def test_an_import_of_what_was_replaced_brings_nothing_back(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({"content": PORT}) + "\n", "utf-8")
    hear(cortex, clock, tmp_path, f"Remember: {PORT}")
    hear(cortex, clock, tmp_path, f"Remember: {NEW_PORT}")
    cortex.exchange.import_jsonl(file)
    assert (in_force(cortex), rows_of(cortex, PORT)) == ([NEW_PORT], ["superseded"])


OLD = "The nightly export job of the billing service may run for 45 minutes on the staging cluster."
NEW = "On the staging cluster the nightly billing export job now takes up to 70 minutes."


def test_one_session_does_not_update_itself(project: Path, clock: Clock) -> None:
    rows = [
        {
            "id": f"row-{n}",
            "content": f"Uploads may have {n} MB at most per file and user",
            "created": clock.now - 90 * n,
            "rule": "rule:concept",
            "session": "one",
        }
        for n in (20, 30)
    ]
    with Cortex.open(project, clock=clock) as cortex:
        cortex.exchange.import_jsonl([json.dumps(row) for row in rows])
        assert len(cortex.list()) == 2
        assert cortex.consolidate().proposed == ()


def test_it_is_proposed_and_the_older_superseded(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        older = cortex.remember(OLD)
        cortex.remember("Invoices are rounded to whole cents before they are sent")
        for words in ("The wiki is rendered from the docs folder", "Releases are cut on Tuesdays"):
            cortex.remember(words)
        clock.advance(days=9)
        newer = cortex.remember(NEW)
        for _, made in cortex.review.proposals():
            cortex.review.reject(made.number)
        cortex.edit(newer.id, content=NEW.replace("On the", "By now, on the"))
        cortex.consolidate(1.0)
        (seen,) = cortex.review.list()
        assert seen.proposal.type == "supersede"
        assert seen.advice == "supersede"
        assert seen.proposal.reasons[0].startswith("It was “The nightly export job")
        given = cortex.surface().text
        assert "45 minutes" not in given and "70 minutes" in given
        cortex.review.supersede(seen.proposal.number)
        assert cortex.show(older.id).status == "superseded"
        cortex.undo()
        assert cortex.show(older.id).status == "active"


def test_a_changed_member_is_looked_at_again(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember(OLD)
        clock.advance(days=9)
        newer = cortex.remember(NEW)
        cortex.consolidate(1.0)
        (seen,) = cortex.review.list()
        cortex.edit(newer.id, content=NEW.replace("70", "90"))
        cortex.consolidate(1.0)
        (seen,) = cortex.review.list()
        assert seen.proposal.type == "supersede"
        assert "90 minutes" in seen.members[0].content


# --- how long it holds


def test_what_holds_for_a_time_ends_with_it(cortex: Cortex, clock: Clock, tmp_path: Path) -> None:
    hear(cortex, clock, tmp_path, "Remember: for this session, answer in one line.")
    hear(cortex, clock, tmp_path, "Remember: on this branch, skip the changelog.")
    (session, branch) = sorted(cortex.list(), key=lambda memory: memory.created)
    assert (session.until, branch.until) == ("session", "branch")
    assert [memory.id for memory in cortex.lifecycle.run().archived] == [session.id]
    cortex.edit(branch.id, until="2020-01-01")
    assert "changelog" not in cortex.surface().text
    cortex.edit(branch.id, until="good")
    assert "changelog" in cortex.surface().text
    with pytest.raises(UsageError, match="no term"):
        cortex.edit(branch.id, until="soon")


def test_a_day_is_read_from_the_words(cortex: Cortex, clock: Clock) -> None:
    made = cortex.remember("Until Friday use the mock payment gateway")
    assert made.until == "2026-09-18"
    clock.advance(days=1)
    assert not cortex.lifecycle.run().archived
    clock.advance(days=1)
    assert [memory.id for memory in cortex.lifecycle.run().archived] == [made.id]


def test_what_holds_for_a_time_retires_nothing(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    hear(cortex, clock, tmp_path, f"Remember: {PORT}", "until Friday use port 9090 for the API")
    assert PORT in in_force(cortex)
