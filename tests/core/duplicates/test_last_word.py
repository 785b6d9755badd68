"""Whether a text is a later word on what an earlier one says: two texts, no store."""

from __future__ import annotations

import pytest

from cortex_core.duplicates.last_word import later_word

CHANGED = (
    ("Use port 8080 for the API", "Use port 9090 for the API"),
    ("Always squash commits", "Never squash commits"),
    ("The billing cron runs at 02:00", "The billing cron runs at 03:00"),
)

BOTH_HOLD = (
    ("Use port 8080 for the API", "Use port 9090 for the admin page"),
    ("Never push to main", "Never push to release"),
    ("Run the linter before a commit", "Run the tests before a commit"),
    ("Use tabs", "Use tabs in Makefiles"),
)


@pytest.mark.parametrize(("earlier", "later"), CHANGED)
def test_another_value_of_the_same_subject_changes_it(earlier: str, later: str) -> None:
    said = later_word(earlier, later)
    assert said is not None
    assert said.verb == "change"


@pytest.mark.parametrize(("earlier", "later"), BOTH_HOLD)
def test_what_is_about_something_else_leaves_it(earlier: str, later: str) -> None:
    assert later_word(earlier, later) is None


def test_what_is_taken_back_is_withdrawn() -> None:
    said = later_word("We use Redux for state", "We no longer use Redux", withdraws=True)
    assert said is not None
    assert said.verb == "withdrawal"
    assert later_word("We use Redux for state", "We no longer use Webpack", withdraws=True) is None
