"""Facts of the environment that sessions say again in other words are kept once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex_core import Cortex
from cortex_core.agents.claude.samples import Sample
from cortex_core.duplicates.facts import clauses, contradiction, is_fuller, joined, says_already

NO_PODMAN = "You don't have access to podman here."
IN_A_CONTAINER = "You're in a container so do not have access to podman."
RESTING = "The queue service is reached at 10.1.2.3, not at localhost."


@pytest.fixture
def cortex(project: Path) -> Iterator[Cortex]:
    """Cortex in a fresh repository."""
    with Cortex.open(project) as made:
        yield made


def summary(*concepts: str, errors: tuple[str, ...] = ()) -> str:
    lines = ["2. Key Technical Concepts:", *(f"   - {each}" for each in concepts), ""]
    lines += ["4. Errors and fixes:", *(f"   - {each}" for each in errors)]
    return "This session is being continued.\n\nSummary:\n" + "\n".join(lines)


def session(number: int, *prompts: str, told: str = "", missing: bool = False) -> Sample:
    start = datetime(2026, 10, number, 9, 0, tzinfo=UTC)
    sample = Sample(f"session {number}", start=start)
    for prompt in prompts:
        asks = "Запомни" if "У тебя" in prompt or "Докер" in prompt else "Remember"
        sample.human(f"{asks}: {prompt}").assistant("I see.")
    if missing:
        error = "Exit code 127\nbash: podman: command not found"
        sample.human("Go on.").tool("Bash", {"command": "podman ps"}, error, failed=True)
    if told:
        sample.compaction(told)
    return sample.assistant("Done.")


def learn(cortex: Cortex, folder: Path, *samples: Sample) -> None:
    for sample in samples:
        path = folder / f"{sample.session}.jsonl"
        sample.write(path)
        cortex.exchange.import_transcripts([path])


def kept(cortex: Cortex) -> list[str]:
    return sorted(one.content for one in cortex.list() if one.kind != "episode")


# --- what says the same


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("`podman` is not found on this machine", NO_PODMAN),
        (NO_PODMAN, "The sandbox cannot run podman."),
        (RESTING, "You can reach the queue running on the host - 10.1.2.3"),
        ("У тебя нет доступа к докеру.", "Докер на этой машине не установлен."),
        ("Очередь и почта крутятся на 10.1.2.3", "Очередь доступна на хосте 10.1.2.3"),
    ],
)
def test_the_same_fact_in_other_words(known: str, new: str) -> None:
    assert says_already([known], new) == [0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The wiki runs at 10.1.2.3", "The mail relay runs at 10.1.2.3"),
        ("The staging wiki runs at 10.1.2.3", "The staging queue runs at 10.1.2.3"),
        ("The queue runs on 10.1.2.3:5672", "The queue runs on 10.1.2.3:5673"),
        ("podman is not installed on this machine", "podman is not installed on the build server"),
        ("You have no access to the logs", "You have access to the logs"),
        ("You can read the production logs", "You can write the production logs"),
        ("You don't have podman here", "You don't have buildah here"),
        ("У тебя нет доступа к докеру", "У тебя нет доступа к кластеру"),
        ("Очередь крутится на 10.1.2.3", "Почта крутится на 10.1.2.3"),
    ],
)
def test_what_is_distinct_stays_so(one: str, other: str) -> None:
    assert not says_already([one], other) and not says_already([other], one)
    assert not is_fuller(one, other) and not is_fuller(other, one)


def test_several_facts_together_say_what_one_sentence_says() -> None:
    both = "The container cannot run podman but can reach the queue at 10.1.2.3"
    assert says_already([RESTING, NO_PODMAN], both) == [1, 0]
    assert not says_already([NO_PODMAN], both)
    assert is_fuller(both, NO_PODMAN)


def test_what_is_told_otherwise_of_the_same_subject() -> None:
    assert "10.1.2.3, now 10.9.9.9" in contradiction(
        "The queue runs on 10.1.2.3", "The queue runs on 10.9.9.9"
    )
    assert contradiction("You have access to podman", NO_PODMAN)
    assert not contradiction("podman is running on your host", NO_PODMAN)
    assert not contradiction("The queue runs on 10.1.2.3", "The wiki runs on 10.9.9.9")


def test_what_commands_have_shown_is_added_to_what_was_said() -> None:
    shown = "Services are reached at 10.1.2.3 (`QUEUE_HOST`, `QUEUE_PORT` on port 5672)"
    both = f"{RESTING} {shown}."
    assert joined(RESTING, shown) == both
    assert joined(both, shown) == "" and says_already([both], shown) == [0]
    assert not joined("The wiki runs on 10.1.2.3", shown)
    assert not joined(RESTING, shown.replace("10.1.2.3", "10.9.9.9"))
    assert not joined(RESTING, "Services are reached at 10.1.2.3")


WORDS = st.sampled_from(
    "podman queue wiki not no here have access runs on 10.1.2.3 10.1.2.4:80 localhost `PORT_A` but "
    "docker, нет докера тут на хосте доступа к ; and".split()
)
TEXTS = st.lists(WORDS, max_size=14).map(" ".join) | st.text(max_size=60)


@given(TEXTS, TEXTS)
def test_no_value_is_lost_and_no_denial_taken_for_the_contrary(known: str, new: str) -> None:
    values = {value for clause in clauses(new) for value in clause.values}
    denied = {clause.denies for clause in clauses(new)}
    if says_already([known], new):
        assert values <= {value for clause in clauses(known) for value in clause.values}
        assert denied <= {clause.denies for clause in clauses(known)}
    if is_fuller(new, known):
        assert {value for clause in clauses(known) for value in clause.values} <= values


@given(TEXTS)
def test_a_text_says_what_it_says(text: str) -> None:
    assert says_already([text], text) or not clauses(text)


# --- what is kept of several sessions


def test_the_fuller_text_is_kept_and_both_are_sources(cortex: Cortex, tmp_path: Path) -> None:
    learn(cortex, tmp_path, session(1, NO_PODMAN))
    assert kept(cortex) == [NO_PODMAN]
    learn(cortex, tmp_path, session(2, IN_A_CONTAINER))
    assert kept(cortex) == [IN_A_CONTAINER]
    learn(cortex, tmp_path, session(3, NO_PODMAN))
    assert kept(cortex) == [IN_A_CONTAINER]
    (memory,) = [one for one in cortex.list() if one.kind != "episode"]
    assert len({one.session for one in cortex.show(memory.id).sources}) == 3
    cortex.undo()
    cortex.undo()
    assert kept(cortex) == [NO_PODMAN]


def test_a_second_import_and_a_replay_change_nothing(cortex: Cortex, tmp_path: Path) -> None:
    learn(cortex, tmp_path, session(1, NO_PODMAN, missing=True), session(2, IN_A_CONTAINER))
    revision = cortex.workspace.store().revision
    cortex.exchange.import_transcripts([tmp_path])
    assert cortex.workspace.store().revision == revision
    cortex.sessions.replay(session(1).session)
    assert kept(cortex) == [IN_A_CONTAINER]


@pytest.mark.parametrize("is_said_first", [True, False])
def test_a_program_that_is_missing_is_one_memory(
    cortex: Cortex, tmp_path: Path, is_said_first: bool
) -> None:
    found = [session(number, missing=True) for number in (2, 3)]
    learn(
        cortex,
        tmp_path,
        *([session(1, NO_PODMAN), *found] if is_said_first else [*found, session(4, NO_PODMAN)]),
    )
    assert kept(cortex) == [NO_PODMAN]
    (memory,) = [one for one in cortex.list() if one.kind != "episode"]
    assert {one.rule for one in cortex.show(memory.id).sources} == {
        "rule:prompt-remember",
        "rule:environment",
    }
    learn(cortex, tmp_path, session(5, missing=True))
    assert kept(cortex) == [NO_PODMAN]


def test_in_parts_it_is_the_same(project: Path, tmp_path: Path) -> None:
    sample = session(1, missing=True, told=summary(RESTING)).human(f"Remember: {IN_A_CONTAINER}")
    sample.human("Remember: You can reach the queue running on the host - 10.1.2.3").assistant(
        "Yes."
    )
    lines, path = sample.lines(), tmp_path / "parts.jsonl"
    found: list[list[tuple[str, str, str]]] = []
    for cuts in (range(1, len(lines)), ()):
        root = tmp_path / f"project-{len(found)}"
        (root / ".git").mkdir(parents=True)
        with Cortex.open(root) as cortex:
            for cut in cuts:
                path.write_bytes(b"".join(lines[:cut]))
                cortex.sessions.capture(path, event="Stop", final=False)
            path.write_bytes(b"".join(lines))
            cortex.sessions.capture(path, event="SessionEnd", final=True)
            found.append([(one.content, one.source.rule, one.kind) for one in cortex.list()])
    assert sorted(found[0]) == sorted(found[1])
    assert {IN_A_CONTAINER, RESTING} <= {content for content, *_ in found[0]}


@pytest.mark.parametrize("verb", ["edit", "forget"])
def test_what_the_user_changed_or_put_away_stays(cortex: Cortex, tmp_path: Path, verb: str) -> None:
    learn(cortex, tmp_path, session(1, NO_PODMAN))
    (memory,) = [one for one in cortex.list() if one.kind != "episode"]
    if verb == "edit":
        cortex.edit(memory.id, content="There is no access to podman, ask Kim for a runner")
    else:
        cortex.forget(memory.id)
    after = kept(cortex)
    learn(cortex, tmp_path, session(2, NO_PODMAN, missing=True))
    assert set(after) <= set(kept(cortex)) and IN_A_CONTAINER not in after
    assert verb == "edit" or kept(cortex) == []


def test_another_address_is_a_proposal_and_both_are_kept(cortex: Cortex, tmp_path: Path) -> None:
    moved = "The queue service is reached at 10.9.9.9, not at localhost."
    learn(cortex, tmp_path, session(1, told=summary(RESTING)), session(2, told=summary(moved)))
    assert kept(cortex) == sorted([RESTING, moved])
    ((_, proposal),) = cortex.review.proposals()
    assert proposal.type == "supersede" and "now 10.9.9.9" in " ".join(proposal.reasons)


def test_facts_in_russian(cortex: Cortex, tmp_path: Path) -> None:
    learn(cortex, tmp_path, session(1, "У тебя нет доступа к докеру."))
    learn(cortex, tmp_path, session(2, "Докер на этой машине не установлен."))
    assert len(kept(cortex)) == 1
    learn(cortex, tmp_path, session(3, "У тебя нет доступа к кластеру."))
    assert len(kept(cortex)) == 2


@pytest.mark.parametrize("is_said_first", [True, False])
def test_an_address_and_its_variables_are_one_memory(
    cortex: Cortex, tmp_path: Path, is_said_first: bool
) -> None:
    ran = [session(number) for number in (2, 3)]
    for sample in ran:
        sample.tool("Bash", {"command": "QUEUE_HOST=10.1.2.3 make test"}, "ok").assistant("Done.")
    said = [session(1 if is_said_first else 4, told=summary(RESTING))]
    learn(cortex, tmp_path, *(said + ran if is_said_first else ran + said))
    (about,) = [each for each in kept(cortex) if "10.1.2.3" in each]
    assert about == f"{RESTING} Services are reached at 10.1.2.3 (`QUEUE_HOST`)."


# --- a quote of the user in a summary
