"""Editing the client's settings at the text: nothing but the hooks of Cortex comes and goes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cortex_core.agents import hook_command, hook_install, settings_file
from cortex_core.agents.claude import hook_entries

PYTHON = ("/opt/cortex/bin/python", "-I")
GROUPS = hook_command.groups(hook_entries.EVENTS, PYTHON)
THEIRS = '{"hooks": [{"type": "command", "command": "lint.sh"}]}'

UGLY = {
    "blank": "",
    "white space": " \n\t\n",
    "empty object": "{}",
    "empty object with a space": "{ }",
    "empty object over two lines": "{\n}\n",
    "one line": '{"model":"opus","n":1}',
    "one line with spaces": '{"model": "opus", "n": [1, 2]}',
    "tabs": '{\n\t"model": "opus",\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n',
    "four spaces": '{\n    "model": "opus"\n}\n',
    "no indentation": '{\n"model": "opus"\n}',
    "no newline at the end": '{\n  "model": "opus"\n}',
    "windows line ends": '{\r\n  "model": "opus",\r\n  "x": {}\r\n}\r\n',
    "comma first": '{ "model": "opus"\n, "x": 1\n}',
    "big and odd numbers": '{\n  "a": 123456789012345678901234567890,\n  "b": 1.50e+10, "c": -0\n}',
    "escapes": '{\n  "\\u0061\\/b": "\\ud83d\\ude00 \\u00e9 '
    '\\"quoted\\" {[,:]}",\n  "é": "日本"\n}',
    "the same name twice": '{\n  "a": 1,\n  "a": 2\n}',
    "blank lines": '\n\n{\n\n  "a": 1\n\n}\n\n',
    "no hooks yet": '{\n  "hooks": {}\n}\n',
    "no hooks yet, spaced": '{\n  "hooks": {\n\n  },\n  "z": 1\n}\n',
    "an empty event": '{\n  "hooks": {\n    "Stop": []\n  }\n}\n',
    "hooks of others": f'{{\n  "hooks": {{\n    "Stop": [\n      {THEIRS}\n    ]\n  }}\n}}\n',
    "hooks of others in one line": f'{{"hooks":{{"Stop":[{THEIRS},{THEIRS}]}},"z":[]}}',
    "other events": f'{{\n  "hooks": {{\n    "Notification": [{THEIRS}]\n  }},\n  "z": null\n}}',
    "an event twice": f'{{"hooks": {{"Stop": [{THEIRS}], "Stop": []}}}}',
    "hooks twice": f'{{"hooks": {{"Stop": [{THEIRS}]}}, "a": 1, "hooks": {{"Stop": []}}}}',
}


def added(text: str) -> str:
    new = settings_file.add(text, GROUPS)
    assert hook_command.commands(json.loads(new)) == hook_command.commands(
        {"hooks": {name: [group] for name, group in GROUPS.items()}}
    )
    return new


@pytest.mark.parametrize("name", UGLY)
def test_out_again_is_as_before(name: str, tmp_path: Path) -> None:
    file, home = tmp_path / "settings.json", str(tmp_path / "home")
    file.write_bytes(UGLY[name].encode())
    for python in (("/gone/bin/python", "-I"), PYTHON):
        groups = hook_command.groups(hook_entries.EVENTS, python)
        hook_install.install(hook_install.plan("claude", file, "user", groups, home), home)
    (plan,), problems = hook_install.removals("claude", {file: "user"}, home)
    plan.take_out(home)
    assert not problems and file.read_bytes() == UGLY[name].encode()


@pytest.mark.parametrize("name", UGLY)
def test_nothing_else_changes(name: str) -> None:
    before = UGLY[name]
    new = added(before)
    kept = iter(new)
    assert all(letter in kept for letter in before)
    was = json.loads(before) if before.strip() else {}
    now = json.loads(new)
    was_hooks, now_hooks = was.pop("hooks", {}), now.pop("hooks")
    assert now == was and [*now] == [*was]
    for event, groups in was_hooks.items():
        assert now_hooks[event][: len(groups)] == groups


@pytest.mark.parametrize("name", UGLY)
def test_without_a_record_only_ours_go(name: str) -> None:
    new = added(UGLY[name])
    out = settings_file.remove(new)
    was = json.loads(UGLY[name]) if UGLY[name].strip() else {}
    assert filled(json.loads(out)) == filled(was)
    assert "cortex" not in out


def filled(settings: dict[str, Any]) -> dict[str, Any]:
    """`settings` without events that have no hooks: those cannot be told from ours any more."""
    hooks = {event: groups for event, groups in settings.pop("hooks", {}).items() if groups}
    return settings | ({"hooks": hooks} if hooks else {})


@pytest.mark.parametrize(
    "name",
    [
        "tabs",
        "four spaces",
        "windows line ends",
        "hooks of others",
    ],
)
def test_an_edit_elsewhere_survives_to_the_byte(name: str) -> None:
    def edited(text: str) -> str:
        return text.replace("{", '{"edited": [1,  2],', 1)

    new = added(UGLY[name])
    assert settings_file.remove(edited(new)) == edited(UGLY[name])


def test_hooks_added_beside_ours_stay() -> None:
    new = added("{}")
    told = json.loads(new)
    told["hooks"]["Stop"].append(json.loads(THEIRS))
    told["hooks"]["SessionEnd"][0]["hooks"].insert(0, {"type": "command", "command": "bye.sh"})
    left = json.loads(settings_file.remove(json.dumps(told, indent=1)))
    assert left == {
        "hooks": {
            "Stop": [json.loads(THEIRS)],
            "SessionEnd": [{"hooks": [{"type": "command", "command": "bye.sh"}]}],
        }
    }


def test_what_goes_in_looks_like_the_rest() -> None:
    tabbed = added(UGLY["tabs"])
    assert '\n\t"hooks": {\n\t\t"SessionStart": [\n\t\t\t{\n' in tabbed
    windows = added(UGLY["windows line ends"])
    assert windows.count("\n") == windows.count("\r\n")
    others = added(UGLY["hooks of others"])
    assert f'      {THEIRS},\n      {{\n        "hooks": [' in others


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{\n  // a comment\n  "a": 1\n}', "line 2"),
        ('{"a": 1,}', "line 1"),
        ('{"a": NaN}', "NaN"),
        ('{"a": 1', "line 1"),
        ('{"a": 1} {"b": 2}', "Extra data"),
        ("[]", "contains no JSON object"),
        ('"text"', "contains no JSON object"),
        ('{"hooks": []}', "not an object"),
        ('{"hooks": {"Stop": {}}}', "not a list"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "too deeply"),
    ],
)
def test_what_cannot_be_edited_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        settings_file.add(text, GROUPS)


SPACE = st.sampled_from(["", " ", "\n", "\t", "\r\n", "\n  ", "  \n\n "])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=12)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
HANDLERS = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=6)})
GROUP = st.fixed_dictionaries({"hooks": st.lists(HANDLERS, max_size=2)}) | st.just({"matcher": "x"})
EVENT_NAMES = st.sampled_from(["Stop", "SessionStart", "Notification", "PreToolUse"])
ALL_HOOKS = st.dictionaries(EVENT_NAMES, st.lists(GROUP, max_size=2), max_size=3)
SETTINGS = st.builds(
    lambda rest, hooks, place: _with_hooks(rest, hooks, place),
    st.dictionaries(st.text(max_size=5).filter(lambda name: name != "hooks"), VALUES, max_size=3),
    st.none() | ALL_HOOKS,
    st.integers(0, 3),
)


def _with_hooks(rest: dict[str, Any], hooks: dict[str, Any] | None, place: int) -> dict[str, Any]:
    items = [*rest.items()]
    if hooks is not None:
        items.insert(place, ("hooks", hooks))
    return dict(items)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """JSON text of settings, laid out at random."""
    ascii = draw(st.booleans())

    def told(value: Any) -> str:
        if isinstance(value, dict):
            members = [f"{told(name)}{gap()}:{gap()}{told(item)}" for name, item in value.items()]
            return "{" + (gap() + f"{gap()},{gap()}".join(members) + gap()) + "}"
        if isinstance(value, list):
            return "[" + (gap() + f"{gap()},{gap()}".join(map(told, value)) + gap()) + "]"
        return json.dumps(value, ensure_ascii=ascii)

    def gap() -> str:
        return draw(SPACE)

    return gap() + told(draw(SETTINGS)) + gap()


@given(texts())
def test_what_is_left_says_what_was_there_before(text: str) -> None:
    new = added(text)
    was = json.loads(text)
    assert filled(json.loads(settings_file.remove(new))) == filled(was)


@pytest.mark.parametrize(
    ("handler", "ours"),
    [
        ({"command": "/x/python", "args": ["-I", "-m", "cortex_core.hook", "stop"]}, True),
        ({"command": "/x/python -I -m cortex_core.hook stop"}, True),
        ({"command": "/usr/bin/cortex hook session-start"}, True),
        ({"command": "cortex hook stop"}, True),
        ({"command": "cortex", "args": ["recall", "hook"]}, False),
        ({"command": "mycortex_core.hook"}, False),
        ({"command": "/x/cortex-audit hook"}, False),
        ({"command": 3, "args": "cortex_core.hook"}, False),
        ("cortex_core.hook", False),
    ],
)
def test_ours_are_told_by_what_they_run(handler: object, ours: bool) -> None:
    assert hook_command.is_ours(handler) is ours
