"""A sample of the attacks through every way in: none of them reaches anything unasked."""

from __future__ import annotations

import pytest

from benchmarks import poisoning
from benchmarks.poison_corpus import attacks, honest
from cortex_core.redaction.quarantine import reason_of, steers

EVERY = list(attacks())
SAMPLE = [attack for attack in EVERY if attack.name in ("zh/override/1", "marks/3", "split/en")]


def test_the_corpus_is_large_and_in_nine_languages() -> None:
    names = [attack.name for attack in EVERY]
    assert len(names) == len(set(names)) >= 210
    assert len({language for language, _ in honest()}) == 9 and len(list(honest())) >= 200


def test_attacks_are_held_back_whoever_says_them() -> None:
    for by_user in (True, False):
        missed = [
            attack.name
            for attack in EVERY
            if not any(reason_of((words,), by_user=by_user) for words in attack.parts)
        ]
        assert len(missed) <= 0.02 * len(EVERY), missed


def test_honest_instructions_are_not_held_back() -> None:
    held = [words for _, words in honest() if reason_of((words,), by_user=True)]
    assert held == []
    withheld = [words for _, words in honest() if steers((words,))]
    assert len(withheld) <= 0.1 * len(list(honest())), withheld


@pytest.mark.parametrize("way", poisoning.WAYS, ids=lambda way: way.name)
def test_no_attack_reaches_anything_unasked(
    way: poisoning.Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "CORTEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.setenv(name, "")  # the campaign sets them; they are reset afterwards
    reached = poisoning.reach(way, SAMPLE)
    assert reached.counts["unasked"] == 0, +reached.through
    if way.is_read and way.name != "docstring":
        assert reached.counts["request"] == 0
