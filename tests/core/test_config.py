"""Settings: defaults, files, mistakes, and writing without losing a person's comments."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings as hypothesis_settings, strategies as st

from cortex_core import Cortex
from cortex_core.base import config
from cortex_core.base.errors import ConfigError, UsageError
from cortex_core.base.project import Project, find
from cortex_core.base.settings import BY_NAME, RULE_SETTINGS, SETTINGS
from cortex_core.records.captures import RuleSetting
from tests.conftest import made


@pytest.fixture
def here(project: Path) -> Project:
    return find(str(project))


def write(path: str, words: str) -> None:
    if "/.memory/" in path:
        made(Path(path).parents[1])
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(words, encoding="utf-8")


def test_defaults_stand_without_a_file(here: Project) -> None:
    loaded = config.load(here)
    assert loaded.get("consolidation.mode") == "review"
    assert loaded.get("surface.tokens") == 500
    assert loaded.changed == {}
    assert not Path(here.data).exists()


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_default_is_a_value_that_its_setting_takes(setting: object) -> None:
    assert isinstance(setting, type(SETTINGS[0]))
    assert setting.accepts(setting.default)
    assert setting.help.endswith(".")


def test_the_projects_file_wins_over_the_users(here: Project) -> None:
    write(config.path(here, "global"), "[surface]\ntokens = 300\n[prompt]\ntokens = 400\n")
    write(config.path(here, "project"), "surface.tokens = 350\n")
    loaded = config.load(here)
    assert loaded.get("surface.tokens") == 350
    assert loaded.get("prompt.tokens") == 400


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("surface = ", "not valid TOML"),
        ("[surface]\ntoken = 3\n", "surface.token"),
        ("surface.tokens = 'many'\n", "a whole number from 0 to 3000"),
        ("surface.tokens = 99999\n", "a whole number from 0 to 3000"),
        ("surface.tokens = true\n", "a whole number"),
        ("consolidation.mode = 'magic'\n", "one of review, auto, off"),
        ("redact.extra = [3]\n", "a list of texts"),
        ("surface = 3\n", "surface"),
        ("kinds.runbook.colour = 'red'\n", "kinds.runbook.colour"),
    ],
)
def test_mistakes_name_the_file_and_what_is_allowed(here: Project, words: str, named: str) -> None:
    write(config.path(here), words)
    with pytest.raises(ConfigError) as caught:
        config.load(here)
    assert named in str(caught.value) and config.path(here) in str(caught.value)


@pytest.mark.parametrize("expression", ["(", r"(a)\1", "(?=a)b", r"(?<!\w)a", "(?>a)"])
def test_an_expression_that_could_take_forever_is_refused(here: Project, expression: str) -> None:
    with pytest.raises(UsageError, match="Nothing was changed"):
        config.set(here, "redact.extra", [expression])
    write(config.path(here, "global"), f"redact.extra = ['{expression}']\n")
    assert config.load(here).get("redact.extra") == (expression,)  # which no hook compiles
    with pytest.raises(ConfigError, match=r"redact\.extra"):
        Cortex.open(here.root, here.home)


def test_values_nested_too_deeply_are_a_mistake(here: Project) -> None:
    write(config.path(here), "surface = " + "[" * 3000 + "]" * 3000)
    with pytest.raises(ConfigError, match="not valid TOML"):
        config.load(here)
    with pytest.raises(ConfigError, match="not valid TOML"):
        config.set(here, "surface.tokens", 300)


def test_bytes_that_are_no_text_are_a_mistake(here: Project) -> None:
    made(Path(here.root or ""))
    Path(config.path(here)).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError):
        config.load(here)


def test_kinds_can_be_added_and_changed(here: Project) -> None:
    write(
        config.path(here),
        "[kinds.runbook]\nhalf_life = 10\naliases = ['playbook']\nbaseline = true\n"
        "[kinds.progress]\nhalf_life = 3\n[kinds.fact]\nhalf_life = 0\n",
    )
    kinds = config.load(here).kinds
    assert kinds.get("playbook").name == "runbook" and kinds.get("runbook").baseline
    assert kinds.get("progress").half_life == 3
    assert kinds.get("progress").surface_lines == 30
    assert kinds.get("fact").half_life is None


def test_set_reads_text_as_the_settings_type(here: Project) -> None:
    assert config.set(here, "surface.tokens", "400") == 400
    assert config.set(here, "surface.receipt", "off") is False
    assert config.set(here, "lifecycle.archive_below", "0.25") == 0.25
    config.set(here, "capture.ignore", "secret, *.pem")
    config.set(here, "keys.pin", "ctrl+p", "global")
    config.set(here, "kinds.runbook.half_life", "12")
    loaded = config.load(here)
    assert loaded.get("surface.tokens") == 400
    assert loaded.get("capture.ignore") == ("secret", "*.pem")
    assert loaded.keys == {"pin": "ctrl+p"}
    assert loaded.kinds.get("runbook").half_life == 12
    assert Path(config.path(here)).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("surface.tokens", "lots"),
        ("extractor", "magic"),
        ("no.such", "1"),
        ("kinds.a", "1"),
        ("surface.receipt", "perhaps"),
        ("keys.", "x"),
    ],
)
def test_set_refuses_and_changes_nothing(here: Project, name: str, value: str) -> None:
    config.set(here, "theme", "mine")
    before = Path(config.path(here)).read_bytes()
    with pytest.raises(UsageError, match="Nothing was changed"):
        config.set(here, name, value)
    assert Path(config.path(here)).read_bytes() == before


def test_set_keeps_comments_and_none_removes(here: Project) -> None:
    write(
        config.path(here),
        "# mine\ntheme = 'dark' # for now\n\n[surface]\n# small\ntokens = 300\n",
    )
    config.set(here, "surface.tokens", 310)
    config.set(here, "prompt.tokens", 700)
    config.set(here, "suggestions.keep_days", 9)
    words = Path(config.path(here)).read_text()
    assert "# mine" in words and "# small" in words and "# for now" in words
    config.set(here, "surface.tokens", None)
    config.set(here, "prompt.tokens", None)
    assert config.load(here).changed == {"theme": "dark", "suggestions.keep_days": 9}


def test_every_layout_is_edited_in_place(here: Project) -> None:
    write(
        config.path(here),
        "surface = { tokens = 300 } # small\ncapture.ignore = [\n 'a',\n 'b',\n]\n"
        "kinds = { runbook = { weight = 1.0 } } # mine\n",
    )
    config.set(here, "surface.tokens", 310)
    config.set(here, "capture.ignore", ["c"])
    config.set(here, "kinds.note.weight", 2.0)
    loaded = config.load(here)
    assert loaded.get("surface.tokens") == 310
    assert loaded.get("capture.ignore") == ("c",)
    assert (loaded.get("kinds.runbook.weight"), loaded.get("kinds.note.weight")) == (1.0, 2.0)
    words = Path(config.path(here)).read_text()
    assert "# small" in words and "# mine" in words


def test_set_refuses_a_broken_file(here: Project) -> None:
    write(config.path(here), "surface = \n")
    with pytest.raises(ConfigError, match="Nothing was changed"):
        config.set(here, "suggestions.keep_days", 9)


_VALUES = st.one_of(
    st.tuples(st.just("surface.tokens"), st.integers(0, 3000)),
    st.tuples(st.just("theme"), st.text(st.characters(codec="utf-8"), max_size=20)),
    st.tuples(st.just("capture.ignore"), st.lists(st.text(max_size=5), max_size=3)),
    st.tuples(st.just("kinds.runbook.weight"), st.floats(0, 10)),
    st.tuples(st.sampled_from(sorted(BY_NAME)), st.none()),
)


@hypothesis_settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(_VALUES, max_size=6))
def test_what_is_set_is_what_is_read(here: Project, changes: list[tuple[str, object]]) -> None:
    Path(config.path(here)).unlink(missing_ok=True)
    expected: dict[str, object] = {}
    for name, value in changes:
        config.set(here, name, value)
        expected.pop(name, None)
        if value is not None:
            expected[name] = tuple(value) if isinstance(value, list) else value
    assert config.load(here).changed == expected
    if changes:
        tomllib.loads(Path(config.path(here)).read_text(encoding="utf-8"))


def test_an_actions_id_is_one_key(here: Project) -> None:
    file = Path(config.path(here))
    made(file.parents[1])
    file.write_text('[keys]\n"memory.pin" = "P"  # mine\n[keys.list]\ndown = "J"\n', "utf-8")
    for name in ("keys.memory.pin", "keys.list.down", "keys.go.memories"):
        config.set(here, name, "f9")
        assert config.load(here).get(name) == "f9"
    found = tomllib.loads(file.read_text(encoding="utf-8"))
    assert found["keys"] == {"memory.pin": "f9", "list": {"down": "f9"}, "go.memories": "f9"}
    config.set(here, "keys.memory.pin", None)
    assert "keys.memory.pin" not in config.load(here).changed


def test_what_each_file_says(here: Project) -> None:
    config.set(here, "theme", "nord", "global")
    config.set(here, "theme", "dracula", "project")
    config.set(here, "surface.receipt", False, "global")
    assert config.written(here) == {
        "project": {"theme": "dracula"},
        "global": {"theme": "nord", "surface.receipt": False},
    }


def test_a_rules_setting_is_one_type_and_one_list() -> None:
    assert get_args(RuleSetting) == RULE_SETTINGS
