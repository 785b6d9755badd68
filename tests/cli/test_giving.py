"""surface, receipts, trust, untrust."""

from __future__ import annotations

from cortex_core.records.as_json import to_json
from cortex_core.records.surfaces import Surface
from tests.cli.conftest import Cli
from tests.cli.test_json import LINE


def test_surface(filled: Cli) -> None:
    (surface,) = filled.json("surface")
    assert set(surface) == set(to_json(Surface(text="")))
    assert "pnpm" in surface["text"]
    assert all(set(line) == set(to_json(LINE)) for line in surface["lines"])
    assert 0 < surface["units"] <= 9_500
    assert filled.ok("surface").removesuffix("\n") == surface["text"].removesuffix("\n")
    assert filled.json("context") == [surface]


def test_surface_explained(filled: Cli) -> None:
    printed = filled.ok("surface", "--explain")
    assert printed.startswith("Injected: ")
    assert "preference · " in printed
    assert "priority 0.12" in printed


def test_surface_for_a_prompt_and_a_file(filled: Cli) -> None:
    assert (
        "race" in filled.json("surface", "--prompt", "token refresh races in two tabs")[0]["text"]
    )
    assert "race" in filled.json("surface", "--file", "src/auth/session.ts")[0]["text"]
    assert filled.json("surface", "--file", "README.md")[0]["text"] == ""


def test_surface_for_a_session_that_has_started(filled: Cli) -> None:
    asked = ("surface", "--prompt", "token refresh races in two tabs")
    (fresh,) = filled.json(*asked)
    (after,) = filled.json(*asked, "--started")
    held = {line["id"] for line in filled.json("surface")[0]["lines"]}
    assert held & {line["id"] for line in fresh["lines"]}
    assert not held & {line["id"] for line in after["lines"]}
    assert (after["budget"], after["most_units"]) == (800, 9_500)
    assert filled.json("surface", "--file", "src/auth/session.ts", "--started")[0]["lines"] == []


def test_surface_of_nothing(cortex: Cli) -> None:
    assert cortex.ok("surface") == ""


def test_receipts_of_nothing(filled: Cli) -> None:
    assert filled.json("receipts") == []
    assert filled.ok("receipts", "--session", "x") == ""


def test_trust_is_taken_and_given(filled: Cli) -> None:
    assert filled.json("untrust") == [{"trusted": False}]
    assert filled.json("status")[0]["trusted"] is False
    assert "are injected" in filled.ok("trust")
    assert filled.json("status")[0]["trusted"] is True
