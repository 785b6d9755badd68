"""Which memories fit a prompt by meaning, and when none does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import UsageError
from cortex_core.surface import prompt
from cortex_core.surface.given import AGAIN

MEMORIES = (
    "Catalogue queries go to the replica; reads right after an order must use the primary.",
    "The label printer speaks ZPL over port 9100 and drops jobs longer than 64 kB.",
    "Postcodes are text: Dutch ones have letters, and German ones begin with a zero.",
    "Nightly sums are taken at 02:00 UTC, when no shop is open.",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose memories have their vectors."""
    root = tmp_path_factory.mktemp("meaning") / "project"
    (root / ".memory").mkdir(parents=True)
    with Cortex.open(root, root.parent / "home") as cortex:
        for content in MEMORIES:
            cortex.remember(content, kind="fact")
        cortex.models.embed_pending()
    return root


@pytest.fixture
def cortex(folder: Path) -> Iterator[Cortex]:
    with Cortex.open(folder, folder.parent / "home") as opened:
        yield opened


def given(
    cortex: Cortex, words: str, held: frozenset[str] = frozenset(), ago: int = 0
) -> list[str]:
    made = prompt.composed(cortex.project, words, time.time(), dict.fromkeys(held, ago))
    return [line.candidate.row.content for line in made.lines]


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("push the changes to main", "Never force-push to main"),
        ("merge the pull request", "Always squash-merge pull requests"),
        ("commit it with a good message", "No emojis in commit messages"),
        ("supprime les tests obsolètes du panier", "Ne supprime jamais de tests"),
        ("thanks, now push the branch", ""),
        ("see https://example.org/force-push/main", ""),
        ("is warehouse ready?", ""),
        ("do it", ""),
    ],
)
def test_a_rule_that_names_what_the_prompt_is_about_to_do_is_given(
    tmp_path: Path, words: str, rule: str
) -> None:
    (tmp_path / "warehouse" / ".memory").mkdir(parents=True)
    with Cortex.open(tmp_path / "warehouse", tmp_path / "home") as cortex:
        for one in ("Never force-push to main", "Always squash-merge pull requests"):
            cortex.remember(one, kind="policy")
        cortex.remember("Ne supprime jamais de tests", kind="policy")
        cortex.remember("No emojis in commit messages", kind="preference")
        cortex.remember("The warehouse has two docks", kind="preference")
        held = dict.fromkeys([one.id for one in cortex.list()], AGAIN)
        made = prompt.composed(cortex.project, words, time.time(), held)
    assert [line.candidate.row.content for line in made.lines] == ([rule] if rule else [])


def test_what_the_user_calls_wrong_is_not_given_with_such_prompts(tmp_path: Path) -> None:
    (tmp_path / "p" / ".memory").mkdir(parents=True)
    with Cortex.open(tmp_path / "p", tmp_path / "home") as cortex:
        memory = cortex.remember("Retries of the billing queue wait 90 seconds", kind="fact")
        asked = "rename the billing queue in the retries module"

        def given(words: str) -> bool:
            return bool(prompt.composed(cortex.project, words, time.time()).lines)

        assert given(asked)
        with pytest.raises(UsageError):
            cortex.give([memory.id], "never", prompt="do it")
        cortex.give([memory.id], "never", prompt=asked)
        assert not given(asked) and not given("please rename that billing queue")
        assert given("how long do billing retries wait?")
        assert given("why do retries of the billing queue wait?")
        assert "misfits" in cortex.show(memory.id).details
        cortex.undo()
        assert given(asked)


def test_what_no_more_fits_than_the_rest_of_its_store_is_not_given(tmp_path: Path) -> None:
    """Everything in a store of one matter is similar to a long prompt about that matter."""
    (tmp_path / "ferries" / ".memory").mkdir(parents=True)
    with Cortex.open(tmp_path / "ferries", tmp_path / "home") as cortex:
        for content in (
            "The ferry timetable of a harbour is parsed from its PDF, page by page.",
            "Departures of a ferry that is cancelled stay in the timetable, struck through.",
            "A harbour has at most nine piers, and a ferry keeps its pier for the season.",
            "Ferry departures after midnight belong to the day before in the timetable.",
            "The timetable of the winter ferry begins on the first Sunday of November.",
        ):
            cortex.remember(content, kind="fact")
        cortex.models.embed_pending()
        assert not given(
            cortex,
            "I think the departures page could do with a lighter look, compare it with the boards "
            "that other harbours and their ferries have, and tell me which of them you find the "
            "most pleasant to read.",
        )
        assert not given(
            cortex,
            "What would be the advantage of showing ferry departures in a separate window instead "
            "of the page that passengers open anyway when they wait at the harbour?",
        )
        asked = "how late can a boat go so that it still counts for yesterday"
        assert any("after midnight" in content for content in given(cortex, asked))


def test_a_long_memory_is_not_given_for_its_meaning_alone(tmp_path: Path) -> None:
    """The vector of a long text is near to whatever is asked."""
    more = (
        " The spooler keeps them in memory, retries twice and then writes a line to the journal of "
        "the warehouse, which the night shift reads before it orders new rolls, cleans the heads "
        "and prints a test page on each of the four stations next to the conveyor."
    )
    (tmp_path / "p" / ".memory").mkdir(parents=True)
    with Cortex.open(tmp_path / "p", tmp_path / "home") as cortex:
        for content in (MEMORIES[0], MEMORIES[1] + more, *MEMORIES[2:]):
            cortex.remember(content, kind="fact")
        cortex.models.embed_pending()
        asked = "stickers for big parcels come out empty, is there a size limit of the device?"
        assert not given(cortex, asked)
        assert MEMORIES[1] + more in given(cortex, "which port does the label printer listen on?")


def test_what_fits_in_other_words_is_given(cortex: Cortex) -> None:
    found = given(cortex, "customers see yesterday's stock just after they have bought something")
    assert MEMORIES[0] in found
    found = given(cortex, "the zip codes of customers in Leipzig lose their first digit")
    assert MEMORIES[2] in found


@pytest.mark.parametrize(
    "words",
    [
        "rename the helper to something shorter",
        "please commit all of it with a fitting message",
        "write a few unit tests for the new class",
        "make the button in the header a bit larger",
    ],
)
def test_generic_prompts_get_nothing(cortex: Cortex, words: str) -> None:
    assert given(cortex, words) == []


def test_what_is_held_or_put_away_is_not_given(cortex: Cortex) -> None:
    asked = "customers see yesterday's stock just after they have bought something"
    stock, printer = (
        next(memory for memory in cortex.list() if memory.content == content)
        for content in MEMORIES[:2]
    )
    for ago in (0, AGAIN):
        assert MEMORIES[0] not in given(cortex, asked, frozenset({stock.id}), ago)
    cortex.forget([printer.id])
    try:
        assert MEMORIES[1] not in given(cortex, "big parcels get no sticker from the device")
    finally:
        cortex.restore([printer.id])


def test_a_floor_beyond_reach_gives_nothing(cortex: Cortex) -> None:
    asked = "customers see yesterday's stock just after they have bought something"
    cortex.settings.set("prompt.floor", 2)
    try:
        assert given(cortex, asked) == []
    finally:
        cortex.settings.set("prompt.floor", 0.75)
