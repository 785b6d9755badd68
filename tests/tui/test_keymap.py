"""The table of keys, and what a user's own keys change."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cortex_tui.keymap import PLACES, TABLE, UNBOUND, around, bindings, display, resolve


def test_ids_are_unique_and_every_key_is_explained() -> None:
    assert len({key.id for key in TABLE}) == len(TABLE)
    for key in TABLE:
        assert key.tooltip.endswith("."), key.id
        assert key.label, key.id


def test_a_key_means_one_thing_wherever_it_works() -> None:
    assert resolve({}).problems == ()
    meanings: dict[str, str] = {}
    for key in TABLE:
        for one in filter(None, key.keys.split(",")):
            assert meanings.setdefault(one, key.id) == key.id
    assert len(TABLE) <= 120
    assert len(meanings) <= 60


def test_every_key_works_in_known_places() -> None:
    assert {place for key in TABLE for place in key.places.split()} == set(PLACES) - {"turn"}
    assert around("detail") == ("detail", "memory", "store", "app")


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
    assert keymap.keys["move.down"] == ("down",)
    assert "move.down lost it" in " ".join(keymap.problems)


def test_a_key_without_a_meaning_here_says_where_it_has_one() -> None:
    keymap = resolve({})
    assert keymap.nothing_here("less_than_sign", "memories") == (
        "“<” does nothing here. Inbox: keep A."
    )
    assert keymap.nothing_here("Z", "inbox") == "“Z” does nothing. ? shows every key."
    assert keymap.nothing_here("p", "memories") == keymap.nothing_here("left", "memories") == ""


def test_keys_are_shown_as_people_write_them() -> None:
    shown = [display(key) for key in ("ctrl+d", "question_mark", "pagedown", "shift+tab", "G")]
    assert shown == ["^d", "?", "pgdn", "shift+tab", "G"]


def test_bindings_carry_the_ids() -> None:
    assert {one.id: one.key for one in bindings("turn")} == {}
    assert {one.id: one.key for one in bindings("map")} == {
        "move.next": "]",
        "move.previous": "[",
        "list.filter": "f",
        "list.unfilter": "backspace",
        "map.closer": "+",
        "map.farther": "-",
        "map.link": UNBOUND,
        "map.unlink": UNBOUND,
        "map.way": UNBOUND,
    }


@given(
    st.dictionaries(
        st.sampled_from([key.id for key in TABLE]),
        st.text(alphabet="abdjkpuy?/,+ctrlshift12", max_size=12),
        max_size=6,
    )
)
def test_whatever_is_configured_no_key_means_two_things(configured: dict[str, str]) -> None:
    used: dict[str, str] = {}
    for name, keys in resolve(configured).keys.items():
        for one in keys:
            assert used.setdefault(one, name) == name
