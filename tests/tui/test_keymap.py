"""The table of keys, and what a user's own keys change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex_tui.keymap import PLACES, TABLE, UNBOUND, bindings, display, resolve, together


def test_ids_are_unique_and_every_key_is_explained() -> None:
    assert len({key.id for key in TABLE}) == len(TABLE)
    for key in TABLE:
        assert key.tooltip.endswith("."), key.id
        assert key.label, key.id


def test_no_default_key_means_two_things_at_once() -> None:
    assert resolve({}).problems == ()


def test_every_key_counts_in_a_known_place() -> None:
    assert {key.place for key in TABLE} <= set(PLACES)
    assert all(place.title for place in PLACES.values())


def test_what_can_be_in_force_together() -> None:
    assert {"memory", "page", "store", "app"} <= together("detail")
    assert "list" not in together("detail")
    assert {"list", "detail"} <= together("memory")
    assert together("app") == frozenset(PLACES)


def test_a_configured_key_replaces_the_default() -> None:
    keymap = resolve({"memory.pin": "Z"})
    assert keymap.keys["memory.pin"] == ("Z",)
    assert keymap.overrides() == {"memory.pin": "Z"}
    assert keymap.problems == ()


def test_an_unknown_action_is_told() -> None:
    (problem,) = resolve({"memory.explode": "x"}).problems
    assert "memory.explode" in problem


@pytest.mark.parametrize("bad", ["ctrl+banana", "hyper", "pagedwn", "", "strg+x"])
def test_a_key_that_does_not_exist_is_told_and_the_default_kept(bad: str) -> None:
    keymap = resolve({"memory.pin": bad})
    assert keymap.keys["memory.pin"] == ("p",)
    assert any("memory.pin" in problem for problem in keymap.problems)


@pytest.mark.parametrize("good", ["ctrl+b", "f3", "shift+f3", "%", ",", "é", "alt+x", "delete"])
def test_keys_that_exist_are_taken(good: str) -> None:
    assert resolve({"memory.pin": good}).problems == ()


def test_a_default_that_is_shadowed_loses_its_key_and_is_told() -> None:
    keymap = resolve({"memory.copy": "d"})
    assert keymap.keys["memory.copy"] == ("d",)
    assert keymap.keys["memory.forget"] == ()
    assert keymap.overrides()["memory.forget"] == UNBOUND
    assert keymap.problems == ("keys: d is memory.copy, so memory.forget lost it.",)


def test_two_actions_wanting_one_key_the_first_wins_and_it_is_told() -> None:
    keymap = resolve({"memory.copy": "f9", "memory.pin": "f9"})
    assert {keymap.keys["memory.copy"], keymap.keys["memory.pin"]} == {("f9",), ()}
    assert len(keymap.problems) == 1


def test_a_key_of_the_list_cannot_be_taken_on_the_screen_unseen() -> None:
    keymap = resolve({"memory.pin": "j"})
    assert keymap.keys["list.down"] == ("down",)
    assert "preview.down" in " ".join(keymap.problems)


def test_a_key_without_a_meaning_here_says_where_it_has_one() -> None:
    keymap = resolve({})
    assert keymap.nothing_here("D", "memories") == ("“D” does nothing here. Neighbours: depth.")
    assert keymap.nothing_here("Z", "inbox") == "“Z” does nothing. ? shows every key."
    assert keymap.nothing_here("p", "memories") == keymap.nothing_here("h", "memories") == ""


def test_places_that_never_meet_share_keys() -> None:
    assert resolve({"help.leave": "f7", "memory.pin": "f7"}).problems == ()


def test_keys_are_shown_as_people_write_them() -> None:
    shown = [display(key) for key in ("ctrl+d", "question_mark", "pagedown", "shift+tab", "G")]
    assert shown == ["^d", "?", "pgdn", "shift+tab", "G"]


def test_bindings_carry_the_ids() -> None:
    assert {binding.id for binding in bindings("list")} == {
        key.id for key in TABLE if key.place == "list"
    }


@given(
    st.dictionaries(
        st.sampled_from([key.id for key in TABLE]),
        st.text(alphabet="abdjkpuy?/,+ctrlshift12", max_size=12),
        max_size=6,
    )
)
def test_whatever_is_configured_no_key_means_two_things(configured: dict[str, str]) -> None:
    keymap = resolve(configured)
    named = {key.id: key for key in TABLE}
    used: dict[tuple[str, str], str] = {}
    for name, keys in keymap.keys.items():
        for one in keys:
            for place in together(named[name].place):
                assert (place, one) not in used, (name, used[place, one])
            used[named[name].place, one] = name
