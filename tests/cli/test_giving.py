"""surface, receipts, trust, untrust."""

from __future__ import annotations

import time

from cortex_core.base.project import find
from cortex_core.records.as_json import to_json
from cortex_core.records.surfaces import Surface
from cortex_core.surface import given
from cortex_core.surface.given import Injection
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


def test_surface_of_a_past_session(filled: Cli) -> None:
    (now,) = filled.json("surface")
    ids = [line["id"] for line in now["lines"]]
    project, moment = find(str(filled.project)), time.time()
    note = Injection(now["text"], ids, now["tokens"])
    given.record(project, "5f1c2d3e-8a4b", "SessionStart", note, moment)
    prompt = Injection("…", ids[:1], 9)
    given.record(project, "5f1c2d3e-8a4b", "UserPromptSubmit", prompt, moment + 60)
    filled.ok("forget", ids[0])
    printed = filled.ok("surface", "--at", "5f1c")
    assert now["text"] in printed
    assert f"{ids[0][:8]}  archived since" in printed
    assert "with a prompt, 1 memory, 9 tokens" in printed
    (past,) = filled.json("surface", "--at", "5f1c")
    assert (past["basis"], past["note"]["text"], past["limits"]) == (
        "handed over",
        now["text"],
        [],
    )
    assert [one["event"] for one in past["handed"]].count("UserPromptSubmit") == 1
    assert past["handed"][-1]["content"].startswith("Use pnpm")


def test_a_past_surface_takes_no_other_option(filled: Cli) -> None:
    assert "--at takes no other option" in filled.fails(2, "surface", "--at", "5f1c", "--explain")
    assert "There is no session" in filled.fails(3, "surface", "--at", "5f1c")


def test_receipts_of_nothing(filled: Cli) -> None:
    assert filled.json("receipts") == []
    assert filled.ok("receipts", "--session", "x") == ""


def test_trust_is_taken_and_given(filled: Cli) -> None:
    assert filled.json("untrust") == [{"trusted": False}]
    assert filled.json("status")[0]["trusted"] is False
    assert "are injected" in filled.ok("trust")
    assert filled.json("status")[0]["trusted"] is True
