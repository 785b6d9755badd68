"""Lines that others wrote: each mistake is told with its line, and the others come in."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from cortex_core import Cortex
from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.exchange import jsonl
from tests.conftest import NOON, Clock

WRONG: list[tuple[str, Any]] = [
    ("id", ["n001"]),
    ("id", True),
    ("id", "two\nlines"),
    ("id", " n001"),
    ("title", {"en": "Title"}),
    ("kind", "hunch"),
    ("kind", ["fact"]),
    ("type", {}),
    ("scope", "planet"),
    ("scope", []),
    ("status", "lost"),
    ("status", 1),
    ("inject", "always"),
    ("inject", {}),
    ("giving", "always"),
    ("giving", {}),
    ("tags", {"a": 1}),
    ("tags", [1]),
    ("tags", [None]),
    ("files", [["a.py"]]),
    ("files", 7),
    ("globs", [{}]),
    ("confidence", "high"),
    ("confidence", 1.5),
    ("confidence", True),
    ("confidence", -1),
    ("initial_confidence", [0.5]),
    ("priority", 0),
    ("priority", 11),
    ("priority", True),
    ("priority", "five"),
    ("priority", 2**70),
    ("pinned", "perhaps"),
    ("pinned", 2),
    ("access_count", -1),
    ("access_count", 2**64),
    ("place", "third"),
    ("place", True),
    ("place", 2**63),
    ("offset", -1),
    ("offset", 10**400),
    ("author", []),
    ("session", {}),
    ("message", False),
    ("transcript", ["t"]),
    ("rule", {}),
    ("branch", ["main"]),
    ("commit", {}),
    ("folder", True),
    ("excerpt", []),
    ("context", [1]),
    ("context", {"branch": []}),
    ("context", {"files": 3}),
    ("created", [2026]),
    ("created", {"year": 2026}),
    ("created", True),
    ("created", "soon"),
    ("created", "nan"),
    ("created", "inf"),
    ("created", 1e18),
    ("created", 10**400),
    ("created", "9e99 days"),
    ("updated", []),
    ("updated", {}),
    ("reinforced", "infinity"),
    ("last_access", [1]),
    ("origin", "elsewhere"),
    ("details", [1]),
    ("sources", {}),
    ("sources", ["a"]),
    ("sources", [{"rule": []}]),
    ("sources", [{"place": 2**63}]),
    ("sources", [{"time": []}]),
    ("edges", 5),
    ("edges", {"type": "REQUIRES"}),
    ("edges", ["n001"]),
    ("edges", [None]),
    ("edges", [{"type": "REQUIRES", "strength": "strong"}]),
    ("edges", [{"type": "REQUIRES", "strength": [1]}]),
    ("edges", [{"type": "REQUIRES", "created": {}}]),
    ("edges", [{"type": "REQUIRES", "source": []}]),
]
"""Keys, each with something it cannot hold."""


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_value_costs_its_own_line_alone(cortex: Cortex, name: str, value: Any) -> None:
    report = cortex.exchange.import_jsonl(
        [
            json.dumps({"content": "The moon is far"}),
            json.dumps({"content": "The sun is farther", name: value}),
            json.dumps({"content": "Ships sail at noon"}),
        ]
    )
    (problem,) = report.problems
    assert problem.startswith("line 2: ")
    assert name in problem or isinstance(value, list | dict), problem
    assert report.stored == 2
    assert {one.content for one in cortex.list()} == {"The moon is far", "Ships sail at noon"}


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("name", ["confidence", "created", "mine", "details"])
def test_what_is_no_number_costs_its_own_line_alone(
    cortex: Cortex, name: str, literal: str
) -> None:
    held = f'{{"a": [{literal}]}}' if name == "details" else literal
    line = f'{{"content": "The sun is farther", "{name}": {held}}}'
    report = cortex.exchange.import_jsonl([line, json.dumps({"content": "Ships sail at noon"})])
    assert [problem.partition(":")[0] for problem in report.problems] == ["line 1"]
    assert report.stored == 1


def test_null_is_the_same_as_missing(cortex: Cortex) -> None:
    line = {"content": "The moon is far", **dict.fromkeys(jsonl.KNOWN - {"content"})}
    source = {"rule": None, "session": None, "place": None, "time": None}
    edge = {
        "source": "n001",
        "target": "n002",
        "type": "REQUIRES",
        "strength": None,
        "created": None,
    }
    rest = [
        {"id": "n001", "content": "Ships sail at noon", "sources": [source], "edges": [edge]},
        {"id": "n002", "content": "The harbour opens at nine"},
    ]
    report = cortex.exchange.import_jsonl(json.dumps(one) for one in (line, *rest))
    assert (report.problems, report.stored) == ((), 3)
    (drawn,) = cortex.memories.details("n001").edges
    assert (drawn.target, drawn.strength, drawn.created) == ("n002", 1.0, NOON)


def test_links_of_unknown_types_are_left_out(cortex: Cortex) -> None:
    edges = [{"type": "KNOWS", "source": "n001", "target": "n001", "strength": "strong"}, {}]
    line = json.dumps({"id": "n001", "content": "Ships sail at noon", "edges": edges})
    assert cortex.exchange.import_jsonl([line]).problems == ()
    assert cortex.memories.details("n001").edges == ()


def test_halves_of_characters_are_dropped(cortex: Cortex) -> None:
    line = json.dumps(
        {
            "content": "Ships sail",
            "author": "A\ud800da",
            "tags": ["\udfffnoon"],
            "details": {"\ud800a": ["b\udc00"]},
            "mine": "whole 🚢",
        }
    )
    assert cortex.exchange.import_jsonl([line]).problems == ()
    (found,) = cortex.list()
    assert (found.source.author, found.tags, found.details) == ("Ada", ("noon",), {"a": ["b"]})
    assert found.origin == {"mine": "whole 🚢"}


@pytest.mark.parametrize("levels", [100, 400, 10_000])
def test_objects_in_objects_in_objects(cortex: Cortex, levels: int) -> None:
    deep = '{"content": "deep", "details": ' + '{"a":' * levels + "1" + "}" * levels + "}"
    report = cortex.exchange.import_jsonl([deep, json.dumps({"content": "Ships sail at noon"})])
    assert report.problems == ("line 1: it is nested too deeply",)
    assert report.stored == 1


def test_fewer_levels_are_kept(cortex: Cortex) -> None:
    deep = '{"content": "deep", "details": ' + '{"a":' * 99 + "1" + "}" * 100
    assert cortex.exchange.import_jsonl([deep]).problems == ()
    (found,) = cortex.list()
    assert json.dumps(dict(found.details)).count("{") == 99


def test_numbers_stand_for_texts_and_for_flags(cortex: Cortex) -> None:
    line = {"id": 1007, "content": "Ships sail", "session": 12, "pinned": 1, "tags": "harbour"}
    rest = {"id": 0, "content": "The moon is far"}
    report = cortex.exchange.import_jsonl(json.dumps(one) for one in (line, rest, rest))
    assert (report.problems, report.stored) == ((), 2)
    (found,) = (one for one in cortex.list() if one.id == "1007")
    assert (found.source.session, found.pinned, found.tags) == ("12", True, ("harbour",))


KEYS = st.sampled_from(sorted(jsonl.KNOWN - {"content"}))
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.integers(2**62, 2**70),
    st.sampled_from(["fact", "project", "active", "REQUIRES", "n001"]),
)
INNER = st.sampled_from(["rule", "place", "time", "type", "source", "target", "strength", "files"])
VALUES = st.recursive(
    PLAIN, lambda held: st.lists(held, max_size=3) | st.dictionaries(INNER, held, max_size=4)
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)


@settings(max_examples=8)
@example(listed=[{"origin": {"rule": None, "type": []}}])
@given(listed=st.lists(OBJECTS, max_size=12))
def test_nothing_that_is_json_stops_an_import(
    tmp_path_factory: pytest.TempPathFactory, listed: list[dict[str, Any]]
) -> None:
    place: Path = tmp_path_factory.mktemp("project")
    (place / ".git").mkdir()
    lines = [json.dumps({"content": f"Ship {n}", **one}) for n, one in enumerate(listed)]
    with Cortex.open(place, place / "home", clock=lambda: NOON) as cortex:
        report = cortex.exchange.import_jsonl([*lines, json.dumps({"content": "The moon is far"})])
        whole = len(listed) + 1 - len(report.problems)
        kept = report.stored + report.merged + report.updated + report.quarantined
        assert kept + report.skipped == whole
        assert len(cortex.list(limit=100)) <= whole


@pytest.mark.parametrize(
    "value",
    [
        [1],
        {"a": 1},
        None,
        True,
        "",
        "soon",
        "nan",
        "-inf",
        "1e400",
        float("nan"),
        float("inf"),
        10**400,
        1e18,
        -1e18,
        "9" * 400 + "d",
    ],
)
def test_what_is_no_time(value: object) -> None:
    with pytest.raises(UsageError, match="is not a time"):
        text.parse_time(value, NOON)


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("0001-01-01", -62_135_596_800.0),
        ("9999-12-31T23:59:59Z", 253_402_300_799.0),
        (0, 0.0),
        (1.5, 1.5),
        (4.1e12, 4.1e12),
        ("1714953600", 1_714_953_600.0),
        ("2024-05-06", 1_714_953_600.0),
        ("2 days ago", NOON - 172_800),
        ("now", NOON),
    ],
)
def test_what_is_a_time(value: object, moment: float) -> None:
    assert text.parse_time(value, NOON) == moment


def test_what_changed_since_an_export_stays_unless_forced(cortex: Cortex, clock: Clock) -> None:
    made = cortex.remember("The cache is Redis 6")
    out = io.StringIO()
    cortex.exchange.export_jsonl(out)
    clock.advance(days=1)
    cortex.edit(made.id, content="The cache is Redis 7")
    told = cortex.exchange.import_jsonl(out.getvalue().splitlines())
    assert (told.newer_here, told.updated) == (1, 0)
    assert cortex.show(made.id).content == "The cache is Redis 7"
    undated = json.dumps({"id": made.id, "content": "The cache is Redis 8"})
    assert cortex.exchange.import_jsonl([undated]).updated == 1
    assert cortex.exchange.import_jsonl(out.getvalue().splitlines(), force=True).updated == 1
    assert cortex.show(made.id).content == "The cache is Redis 6"
