"""Corrections: which sentences are one, when one comes again, and what had become of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.capture import repeats
from cortex_core.duplicates import again
from cortex_core.extract.hearing import is_complaint, rule_in
from cortex_core.records.kept_rules import Repeat
from cortex_core.records.surfaces import Receipt
from cortex_core.store import receipt_rows
from tests.conftest import Clock
from tests.core.rules.session import Session
from tests.transcript_samples import Sample

DENIED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you "
    "how to proceed, the user said:\nuse the script"
)


def handed(session: str, memory: str, time: float) -> Receipt:
    """A memory that a session was given at its start."""
    return Receipt(session=session, event="SessionStart", memory=memory, time=time, tokens=9)


def heard(session: Session) -> list[tuple[str, str]]:
    """What is noted of a session: corrections and rules."""
    found = session.extracted().observations
    return [(one.topic, one.text) for one in found if one.topic in ("correction", "instruction")]


def live(cortex: Cortex, clock: Clock, folder: Path, name: str, *prompts: str) -> str:
    """Have a session of today captured as it ends; its id."""
    at = datetime.fromtimestamp(clock(), UTC)
    sample = Sample(name, cwd=cortex.project.root or "", start=at)
    for prompt in prompts:
        sample.human(prompt).assistant("I see.")
    path = folder / f"{sample.session}.jsonl"
    sample.write(path)
    clock.advance(days=1)
    cortex.sessions.capture(path, event="SessionEnd", final=True)
    return sample.session


def cases(cortex: Cortex) -> list[tuple[str, str, str]]:
    """What was said again, the oldest first: the words, what came of it, and why."""
    found = cortex.sessions.report("90d").cases
    return [(one.said, one.outcome, one.why) for one in reversed(found)]


# --- which sentences are corrections


@pytest.mark.parametrize(
    "said",
    [
        "I told you to use pnpm",
        "no, use pnpm",
        "why did you run npm again?",
        "stop adding comments",
        "you forgot to run the tests",
        "again: use tabs",
        "use uv instead",
        "don't do that again",
        "that's not what I asked",
        "as I said, tests first",
        "you should have asked me first",
        "did we not go through this before, you dont have access to docker here",
    ],
)
def test_a_correction_is_one(said: str) -> None:
    assert is_complaint(said, "en")


@pytest.mark.parametrize(
    "said",
    [
        "add a test for the cart",
        "no",
        "no worries",
        "why is the staging server down?",
        "can you run it again?",
        "I said hi to the team",
        "is there another way?",
        "No idea.",
    ],
)
def test_another_sentence_is_none(said: str) -> None:
    assert not is_complaint(said, "en")


def test_other_languages_object_too() -> None:
    for language, said in (
        ("de", "Nein, nicht direkt auf main pushen"),
        ("ru", "я же говорил, используй pnpm"),
    ):
        assert is_complaint(said, language)


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("no, use pnpm", "Use pnpm."),
        ("I told you to run the tests", "Run the tests."),
        ("again: use tabs", "Use tabs."),
        ("don't edit out/ please, I told you they are generated", "Don't edit out/."),
        ("I asked for tabs, not blanks", "Tabs, not blanks."),
        ("halt, ich hab doch gesagt keine Emojis", "Keine Emojis."),
        ("wie oft noch: keine Emojis", "Keine Emojis."),
        ("je t'ai déjà dit que les tests passent d'abord", "Les tests passent d'abord."),
        ("ya te dije que usamos tabs en Go", "Usamos tabs en Go."),
        ("eu já disse: não use emojis nos logs", "Não use emojis nos logs."),
        ("я же говорил, не трогай папку out", "Не трогай папку out."),
        ("我说过了，不要改 out 目录", "不要改 out 目录。"),
        ("don't do that again", "Don't do that."),
        ("why did you run npm?", "Why did you run npm?"),
        ("no", "No."),
    ],
)
def test_the_rule_in_a_correction(said: str, rule: str) -> None:
    assert rule_in(said) == rule


def test_rules_and_corrections_are_noted() -> None:
    session = Session().human("Remember: always use pnpm, never npm. Then add the cart.").says("ok")
    assert heard(session.human("No. We use tabs for indentation.")) == [
        ("instruction", "Always use pnpm, never npm."),
        ("correction", "No, We use tabs for indentation."),
    ]


def test_what_follows_a_stop_is_a_correction() -> None:
    stopped = (
        Session()
        .says("I run it.")
        ._add("synthetic", "[Request interrupted by user]", interrupted=True)
    )
    assert heard(stopped.human("run it with make")) == [("correction", "run it with make")]
    refused = Session().runs("npm test", DENIED, failed=True).human("use the script")
    assert heard(refused) == [("correction", "use the script")]
    assert not heard(Session().says("I run it.").human("run it with make"))
    goes_on = (
        Session()
        .says("I run it.")
        ._add("synthetic", "[Request interrupted by user]", interrupted=True)
    )
    assert not heard(goes_on.human("push it and open a pull request"))


def test_two_texts_of_one_moment_are_both_noted() -> None:
    session = Session().queues("no, use pnpm").queues("I told you to run the linter").says("ok")
    assert len(heard(session)) == 2


# --- when one says the same


def similarity(said: str, before: str) -> float:
    vectors = [again.encode(rule_in(said, objects=True))]
    return again.Sentences([said], vectors).similarity(0, before)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("From now on use pnpm, never npm.", "no, use pnpm"),
        ("Always run the tests before committing.", "you forgot to run the tests before a commit"),
        ("A long memory. Never force-push.", "stop force-pushing"),
        ("The staging server is at 10.0.0.7.", "no, staging is at 10.0.0.7"),
        ("Run the linter first. See https://example.org/a", "Run the linter first."),
        ("never edit out/, it is generated", "don't edit out/ please, I told you it's generated"),
        (
            "Ne modifie jamais les fichiers dans out/",
            "encore une fois, ne modifie pas les fichiers dans out/",
        ),
        (
            "keine neuen Pakete ohne Rückfrage bei mir",
            "halt, ich hab doch gesagt keine neuen Pakete ohne Rückfrage",
        ),
        ("не трогай папку out", "я же говорил, не трогай out"),
        ("不要改 out 目录", "我说过了，不要改 out 目录"),
    ],
)
def test_the_same_in_other_words(before: str, said: str) -> None:
    assert similarity(said, before) > 0


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("Use pnpm in this repo, never npm.", "no, use npm here"),
        ("Use tabs for indentation.", "Don't use tabs for indentation."),
        ("The staging server is at 10.0.0.7.", "no, staging is at 10.0.0.9"),
        ("Ask before you delete files.", "no, delete the files"),
        ("Never commit directly to main.", "no, the main function is in app.py"),
    ],
)
def test_something_else_or_a_change_of_mind(before: str, said: str) -> None:
    assert similarity(said, before) == 0


@pytest.mark.parametrize(
    "prompts",
    [
        ("Write a short changelog entry.", "Show the cart.", *("Write a changelog entry.",) * 2),
        ("Give me a PR description.",) * 3,
        tuple(f"Take a look at https://forge.example/issues/{n}" for n in range(4)),
        ("fix the failing e2e tests in checkout",) * 3,
        ("run the tests and commit the result",) * 3,
        ("relance les tests encore une fois",) * 3,
        ("запусти тесты снова",) * 3,
        ("no, review this proposal with the other model",) * 3,
        ("ask the other model to do this analysis instead", "Analyse it with the other model."),
    ],
)
def test_a_task_is_no_rule_however_often_it_is_given(
    cortex: Cortex, clock: Clock, tmp_path: Path, prompts: tuple[str, ...]
) -> None:
    for number, prompt in enumerate(prompts):
        live(cortex, clock, tmp_path, f"{number}", prompt)
        repeats.update(cortex.workspace)
    assert not cortex.list(statuses=("active", "suggested"), kinds=["policy", "preference", "fact"])
    assert not cases(cortex)


def test_what_is_corrected_in_two_sessions_is_suggested_once(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    for name in ("one", "two", "three"):
        live(cortex, clock, tmp_path, name, "you forgot to run the linter")
    cortex.sessions.report("90d")
    found = [one.source.rule for one in cortex.list(statuses=("active", "suggested"))]
    cortex.sessions.report("90d")
    assert len(cortex.list(statuses=("active", "suggested"))) == len(found) == 1


def test_a_rule_that_is_off_suggests_nothing(cortex: Cortex, clock: Clock, tmp_path: Path) -> None:
    cortex.rules.set("order", "off")
    for number in range(3):
        live(cortex, clock, tmp_path, f"{number}", "you forgot to run the linter")
    cortex.sessions.report("90d")
    assert not cortex.suggestions.list()


# --- what had become of it


def test_what_came_of_what_was_said_again(cortex: Cortex, clock: Clock, tmp_path: Path) -> None:
    live(cortex, clock, tmp_path, "one", "Remember: from now on use pnpm, never npm.")
    (memory,) = cortex.list()
    live(cortex, clock, tmp_path, "two", "no, use pnpm")
    given = live(cortex, clock, tmp_path, "three", "I told you to use pnpm")
    store = cortex.workspace.store()
    said_at = cortex.sessions.report("90d").cases[0].time
    with store.write():
        receipt_rows.add(store, [handed(given, memory.id, said_at - 60)])
    cortex.forget(memory.id)
    assert cases(cortex) == [
        ("no, use pnpm", "not given", "it is archived"),
        ("I told you to use pnpm", "not followed", "injected at the session's start"),
    ]
    first, second = reversed(cortex.sessions.report("90d").cases)
    assert (first.memory, first.before) == (memory.id, "From now on use pnpm, never npm.")
    assert first.repairs[0] == "restore" and second.repairs[0] == "guard"
    cortex.undo()
    assert cases(cortex)[0][2] == "nothing in the session recalled it"


def test_an_import_knew_nothing_at_the_time(cortex: Cortex, clock: Clock, tmp_path: Path) -> None:
    at = datetime.fromtimestamp(clock() - 9 * 86_400, UTC)
    paths = [
        Sample(name, cwd=cortex.project.root or "", start=at)
        .human(said)
        .assistant("Fine.")
        .write(tmp_path / f"{name}.jsonl")
        for name, said in (
            ("one", "Remember: from now on use pnpm, never npm."),
            ("two", "no, use pnpm"),
        )
    ]
    cortex.exchange.import_transcripts(paths)
    assert cases(cortex) == [("no, use pnpm", "not learned", "learned since")]
    (month,) = cortex.sessions.report("90d").months
    assert (month.first, month.again, month.not_learned) == (0, 1, 1)
    assert cortex.status().again == 1


def test_the_same_session_counts_some_turns_later(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    between = ("Add the cart.", "Show the price.", "Round it.")
    live(cortex, clock, tmp_path, "near", "no, use biome", "again: use biome")
    assert cases(cortex) == []
    live(cortex, clock, tmp_path, "far", "no, use sqlite", *between, "I told you to use sqlite")
    assert cases(cortex) == [("I told you to use sqlite", "not followed", "said in this session")]


def test_what_was_followed_is_counted_where_calls_show_it(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    rule = cortex.remember("Never use npm, use pnpm.", kind="policy")
    clock.advance(days=1)
    at = datetime.fromtimestamp(clock(), UTC)
    sample = Sample("one", cwd=cortex.project.root or "", start=at).human("Add the cart.")
    for command in ("pnpm install", "pnpm add left-pad"):
        sample.tool("Bash", {"command": command}, "ok")
    path = sample.assistant("Done.").write(tmp_path / f"{sample.session}.jsonl")
    clock.advance(days=1)
    cortex.sessions.capture(path, event="SessionEnd", final=True)
    cortex.memories.triggers.keeping.record()
    assert not cortex.sessions.report("90d").months, "nothing shows that it was injected"
    store = cortex.workspace.store()
    with store.write():
        receipt_rows.add(store, [handed(sample.session, rule.id, at.timestamp() - 1)])
    (month,) = cortex.sessions.report("90d").months
    assert (month.followed, month.again) == (2, 0)


def test_what_a_later_word_replaces_is_not_made_stronger(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    cortex.remember("Use pnpm in this repo, never npm", kind="policy")
    clock.advance(days=1)
    live(cortex, clock, tmp_path, "one", "I told you to use pnpm in this repo, not npm")
    assert cortex.sessions.report("90d").cases[0].repairs
    cortex.remember("Use yarn from now on instead of pnpm", kind="policy")
    (case,) = cortex.sessions.report("90d").cases
    assert case.repairs == ()


def test_a_first_correction_is_counted_and_no_case(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    live(cortex, clock, tmp_path, "one", "no, use pnpm")
    found = cortex.sessions.report("90d")
    assert not found.cases and [month.first for month in found.months] == [1]


def test_a_rule_said_twice_is_no_case_where_only_the_agent_said_it(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    cortex.remember("Use pnpm, never npm.", actor="agent")
    live(cortex, clock, tmp_path, "one", "Remember: from now on use pnpm, never npm.")
    assert cases(cortex) == []


def test_a_memory_is_not_known_before_what_it_was_made_of(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    at = datetime.fromtimestamp(clock() + 3600, UTC)  # another machine's clock is ahead
    sample = Sample("one", cwd=cortex.project.root or "", start=at).human(
        "Remember: never use npm here."
    )
    path = sample.assistant("I see.").write(tmp_path / f"{sample.session}.jsonl")
    cortex.sessions.capture(path, event="SessionEnd", final=True)
    assert len(cortex.list()) == 1 and cases(cortex) == []


SAID_TWICE = ("Remember: from now on use pnpm, never npm.", "I told you to use pnpm")


def test_what_a_session_itself_taught_was_not_missed_in_it(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    at = datetime.fromtimestamp(clock(), UTC)
    sample = Sample("one", cwd=cortex.project.root or "", start=at)
    path = tmp_path / f"{sample.session}.jsonl"
    for number, said in enumerate(SAID_TWICE):
        sample.human(said).assistant("I see.").write(path)
        cortex.sessions.capture(path, event="Stop", final=bool(number))
        clock.advance(seconds=5)
    assert len(cortex.list()) == 1 and cases(cortex) == []


def test_a_report_makes_no_store(cortex: Cortex) -> None:
    assert not cortex.sessions.report("90d").months and not cortex.workspace.stores


def test_its_turn_is_shown(cortex: Cortex, clock: Clock, tmp_path: Path) -> None:
    live(cortex, clock, tmp_path, "one", "Remember: from now on use pnpm, never npm.")
    live(cortex, clock, tmp_path, "two", "no, use pnpm")
    (case,) = cortex.sessions.report("90d").cases
    assert isinstance(case, Repeat)
    (here,) = [said for said in cortex.sessions.turn(case.source).said if said.here]
    assert here.text == "no, use pnpm"


PAIRS = (
    ("no, use pnpm here, never npm", "I told you to use pnpm, never npm", "Use pnpm, never npm."),
    (
        "don't push to main, open a pull request instead",
        "I said: never push to main directly, always open a pull request",
        "Never push to main directly, always open a pull request.",
    ),
    (
        "please stop adding comments to the code",
        "I told you not to add comments to the code",
        "Don't add comments to the code.",
    ),
    ("Nein, Commits immer auf Englisch.", "Nein, Commits immer auf Englisch!", "Commits immer"),
)


@pytest.mark.parametrize(("before", "said", "kept"), PAIRS)
def test_a_correction_of_two_sessions_is_one_memory_with_both_sources(
    before: str, said: str, kept: str, cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    sessions = {live(cortex, clock, tmp_path, str(n), one) for n, one in enumerate((before, said))}
    repeats.update(cortex.workspace)
    (found,) = cortex.list(statuses=("active", "suggested"))
    assert found.status == "active" and found.content.startswith(kept)
    sources = [one.message for one in cortex.show(found.id).sources]
    assert len(sources) == len(set(sources)) == 2
    assert {one.session for one in cortex.show(found.id).sources} == sessions


def test_what_was_objected_to_makes_no_rule_the_fuller_one(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    at = datetime.fromtimestamp(clock(), UTC)
    sample = Sample("one", cwd=cortex.project.root or "", start=at).human("Go on.")
    sample.assistant("I install the packages of the cart with npm.").human("no, use pnpm")
    path = sample.assistant("I see.").write(tmp_path / f"{sample.session}.jsonl")
    cortex.sessions.capture(path, event="SessionEnd", final=True)
    clock.advance(days=1)
    live(cortex, clock, tmp_path, "two", "no, use pnpm for the cart")
    repeats.update(cortex.workspace)
    assert [one.content for one in cortex.list()] == ["Use pnpm for the cart."]


def test_what_the_user_asked_to_remember_stays_as_it_is(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    live(cortex, clock, tmp_path, "one", "Remember: from now on use pnpm, never npm.")
    for name in ("two", "three"):
        live(cortex, clock, tmp_path, name, f"no, use pnpm, never npm, in part {name}")
        repeats.update(cortex.workspace)
    (found,) = cortex.list(statuses=("active", "suggested"))
    assert found.content == "From now on use pnpm, never npm."


@pytest.mark.parametrize("said", ["you forgot to run the linter", "no, use the makefile targets"])
def test_a_complaint_or_what_may_be_a_task_is_only_suggested(
    said: str, cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        live(cortex, clock, tmp_path, name, said)
        repeats.update(cortex.workspace)
    assert [one.status for one in cortex.list(statuses=("active", "suggested"))] == ["suggested"]


@pytest.mark.parametrize(("sessions", "kept"), [(2, 0), (3, 1)])
def test_a_plain_wish_is_kept_when_three_sessions_say_it(
    cortex: Cortex, clock: Clock, tmp_path: Path, sessions: int, kept: int
) -> None:
    for number in range(sessions):
        live(cortex, clock, tmp_path, f"{number}", f"I prefer small pull requests{'.' * number}")
        repeats.update(cortex.workspace)
    assert len(cortex.list(kinds=["preference"])) == kept
