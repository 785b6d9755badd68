"""What counts as a need of a session, when a line of the note is used, and what the shares say."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks import handover
from benchmarks.handover import (
    Outcome,
    Tally,
    combined,
    drawn,
    filled,
    recurring,
    recurs,
    shares,
    tally,
)
from benchmarks.needs import Line, Need, commands, met, needs
from cortex_core.base import text
from cortex_core.records.events import Candidate
from cortex_core.records.memory import Memory
from cortex_core.surface import wording
from tests.transcript_samples import Sample, events_of


def equal(first: str, second: str) -> bool:
    return first == second


# --- commands


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("mise run test:ci 2>&1 | tail -30", {"mise run test:ci"}),
        ("make fmt && make lint; ./run.sh --all", {"make fmt", "make lint", "run.sh"}),
        ("go test ./cmd/... -run TestParse -v", {"go test"}),
        ("cd /srv/shop && DB_HOST=10.0.0.1 pnpm --filter api dev &", {"pnpm api dev"}),
        ("mix ash.codegen add_column --yes", {"mix ash.codegen"}),
        ("sudo timeout 30s docker compose -f docker/stack.yml up -d", {"docker compose up"}),
        ("python -m pytest -q tests/test_a.py", {"pytest"}),
        ("node /srv/shop/tools/build.js --watch", {"build.js"}),
        ("bash scripts/release.sh 1.2.3", {"scripts/release.sh"}),
        ("gh api repos/a/b -X POST -f body='Two words'", {"gh api"}),
        ("alembic upgrade head # then\nflask run", {"alembic upgrade head", "flask run"}),
        ("# It's the last one\nflask run 'a", {"flask run"}),
        ("psql <<'SQL'\nselect 1; drop table a\nSQL\nflask run", {"psql", "flask run"}),
        ("sort <<< 'one two' && flask run", {"flask run"}),
        ("echo hello > out.txt", set()),
        ("git log --oneline | head -5", set()),
        ("git -C /srv/shop add -A && git commit -m 'Add the store'", set()),
        ("git rebase main", {"git rebase main"}),
        ("python3 -c 'print(1)'", set()),
        ("grep -rn 'unclosed", set()),
        ("", set()),
    ],
)
def test_commands_in_general_form(line: str, found: set[str]) -> None:
    assert commands(line) == found


# --- needs


def session() -> Sample:
    return (
        Sample("needs", cwd="/srv/shop")
        .human("Fix the price in prices.py, then run make check")
        .tool("Read", {"file_path": "/srv/shop/src/prices.py"})
        .tool("Read", {"file_path": "/srv/shop/src/carts.py"})
        .tool("Read", {"file_path": "/etc/hosts"})
        .tool("Grep", {"pattern": "total_price\\b", "path": "/srv/shop"})
        .tool(
            "Edit",
            {
                "file_path": "/srv/shop/src/prices.py",
                "old_string": "return roundUp(x)",
                "new_string": "return newName(x)",
            },
        )
        .tool("Write", {"file_path": "/srv/shop/docs/New.md", "content": "some_thing"})
        .tool("Bash", {"command": "make check && make lint | tail -3"})
        .human("Remember: never round before the tax.")
    )


def found_in(tmp_path: Path, *candidates: Candidate, known: tuple[str, ...] = ()) -> list[Need]:
    events = events_of(session().write(tmp_path))
    return needs(events, candidates, known, equal)


def test_needs_are_what_the_first_prompt_did_not_name(tmp_path: Path) -> None:
    assert found_in(tmp_path) == [
        Need("file", "src/carts.py"),
        Need("name", "total_price"),
        Need("name", "roundup"),
        Need("file", "docs/new.md"),
        Need("command", "make lint"),
    ]


def test_a_rule_is_needed_and_a_fact_only_where_it_was_known(tmp_path: Path) -> None:
    first = session().records[0]["uuid"]
    rule = Candidate(content="No rounding.", title="", kind="policy", rule="prompt-order")
    asked = Candidate(
        content="Fix it.", title="", kind="policy", rule="prompt-order", message=first
    )
    old = Candidate(content="Tax is 19 %.", title="", kind="fact", rule="commit")
    new = Candidate(content="Carts expire.", title="", kind="fact", rule="commit")
    found = found_in(tmp_path, rule, asked, old, new, old, known=("Tax is 19 %.",))
    assert found[-2:] == [Need("rule", "No rounding."), Need("fact", "Tax is 19 %.")]


# --- lines


NEEDED = [
    Need("command", "make lint"),
    Need("command", "pytest"),
    Need("file", "src/shop/carts.py"),
    Need("name", "total_price"),
    Need("rule", "Never round."),
    Need("fact", "Tax is 19 %."),
]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("- Run make lint before a commit. [0a]", {"make lint"}),
        ("- Run `make lint --fix` before a commit. [0a]", {"make lint"}),
        ("- Run make lint:all before a commit. [0a]", set()),
        ("- Every pytest plugin is pinned. [0a]", set()),
        ("- `pytest -q tests/unit` is enough. [0a]", {"pytest"}),
        ("- The cart is in `shop/carts.py`. [0a]", {"src/shop/carts.py"}),
        ("- Carts.py keeps it. [0a]", {"src/shop/carts.py"}),
        ("- Old_carts.py keeps it, as does b/carts.py. [0a]", set()),
        ("- `total_price` has the tax in it. [0a]", {"total_price"}),
        ("- The total price has the tax in it. [0a]", set()),
    ],
)
def test_what_a_line_says(line: str, said: set[str]) -> None:
    assert {need.text for need in met(Line(line, line), NEEDED, equal)} == said


@pytest.mark.parametrize("content", ["Never round.", "Tax is 19 %."])
def test_a_statement_is_compared_with_the_whole_memory(content: str) -> None:
    found = met(Line("- The beginning of… [0a]", content), NEEDED, equal)
    assert {need.text for need in found} == {content}


# --- choices


def memories(count: int) -> list[Memory]:
    return [
        Memory(
            id=f"{number:08x}",
            content=f"Shelf {number} holds the returned goods.",
            title="",
            kind="fact",
            scope="project",
            created=float(number),
        )
        for number in range(count)
    ]


def test_other_choices_keep_the_budget() -> None:
    found = memories(40)
    for chosen in (filled(found, 200), drawn(found, 200, "a")):
        words = wording.fenced("\n".join(map(handover.line_of, chosen)))
        assert 150 < text.tokens(words) <= 200
    assert filled(found, 200) == found[: len(filled(found, 200))]
    assert drawn(found, 200, "a") == drawn(found, 200, "a") != drawn(found, 200, "b")


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("- Run `make lint` before each push. [0a]", True),
        ("- The tax is half done. [0a]\n- The rates come next. [0a]", True),
        ("- The tax is half done. [0a]\n- What of the rates? [0a]", False),
        ("- The tax is half done, and the… [0a]", False),
        (f"- The tax is {'very ' * 60}high. [0a]", False),
    ],
)
def test_which_lines_are_complete_statements(text: str, whole: bool) -> None:
    assert handover.is_statement(text, "The tax is half done.") is whole


# --- figures


A, B, NAME = Need("command", "make a"), Need("file", "b.py"), Need("name", "c_d")


def test_a_tally_counts_lines_once_and_needs_once() -> None:
    found = tally([{A, NAME}, {A}, {NAME}, set()], 90)
    assert found == Tally(1, 4, 3, 2, 90, {"command": 1, "name": 1})


def test_a_mean_over_draws() -> None:
    found = combined([tally([{A}], 20), tally([set(), {NAME}, {B}], 40)], 1 / 2)
    assert found[:5] == (1, 2, 1.5, 1, 30)
    assert {name: count for name, count in found.met.items() if count} == {
        "command": 0.5,
        "file": 0.5,
        "name": 0.5,
    }


def test_shares_weigh_the_types_alike() -> None:
    needed = Counter(command=2, name=100)
    outcomes = [
        Outcome("a", needed, Counter(command=1), {"note": tally([{A}, set()], 60)}),
        Outcome("b", needed, Counter(name=50), {"note": tally([{NAME}], 20)}),
    ]
    found = shares("note", outcomes)
    assert found.used == pytest.approx(200 / 3)
    assert found.beyond_names == pytest.approx(100 / 3)
    assert found.tokens == 40
    assert found.by_type == {"command": 25, "name": 0.5}
    assert found.met == 12.75
    assert recurring(outcomes) == (25, {"command": 25, "name": 25})


def test_what_was_needed_before() -> None:
    earlier = {A, Need("rule", "Never round a price.")}
    needed = (
        A,
        B,
        Need("rule", "Never round a price"),
        Need("rule", "Ask first."),
        Need("fact", "Tax is 19 %."),
    )
    assert [recurs(need, earlier) for need in needed] == [True, False, True, False, True]


def test_nothing_to_divide_by() -> None:
    assert shares("note", [Outcome("a", {}, {}, {"note": tally([], 0)})])[:3] == (0, 0, 0)
    assert recurring([]) == (0, {})


# --- a replay


def written(folder: Path) -> Path:
    """Three sessions: the second begins while the first is running, the third after both."""
    folder.mkdir()
    first = Sample("one", cwd="/srv/shop", start=datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
    first.human("Remember this: always run `make lint` before you push a release.")
    first.tool("Bash", {"command": "make lint"})
    second = Sample("two", cwd="/srv/shop", start=datetime(2026, 3, 2, 9, 0, 30, tzinfo=UTC))
    second.human("Fix the tax.").tool("Bash", {"command": "make lint"})
    third = Sample("three", cwd="/srv/shop", start=datetime(2026, 3, 9, 9, 0, tzinfo=UTC))
    third.human("Fix the cart.").tool("Bash", {"command": "make lint && make docs"})
    for place, sample in enumerate((third, first, second)):
        sample.write(folder / f"{place}.jsonl")
    return folder


def test_a_session_is_compared_with_what_was_over_by_then(tmp_path: Path) -> None:
    folder = written(tmp_path / "shop")
    second, third = handover.replay(folder)
    assert (second.session, third.session) == ("2", "0")
    assert second.tallies["all"].lines == 0
    assert (second.needed, second.recurring) == ({"command": 1}, {})
    assert (third.needed, third.recurring) == ({"command": 2}, {"command": 1})
    for name in handover.CHOICES:  # the rule; a command that two sessions ran is a suggestion
        assert third.tallies[name].lines == third.tallies[name].used == 1
        assert third.tallies[name].met["command"] == 1
    assert list(handover.replay(folder)) == [second, third]
