"""recall, about, show, list, recent, decisions, timeline, neighbours."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from cortex_core import Cortex
from cortex_core.cli import prose
from cortex_core.cli.main import cli
from cortex_core.records.as_json import to_json
from cortex_core.records.hits import Hit, Parts
from cortex_core.records.memory import Memory
from tests.cli.conftest import Cli, lines
from tests.cli.test_json import HIT, MEMORY

ODD_QUERIES = [
    '"pnpm',
    "pnpm AND OR NOT",
    "pnpm*",
    "NEAR(pnpm npm)",
    "pnpm -npm",
    "pnpm: ^npm",
    "(pnpm",
    "'",
    "pnpm 🎉",
    "pnpm; DROP TABLE memory",
    "pnpm [bold]x[/]",
    "\x1b[31mpnpm\x00",
    "pnpm \ud800",
    "word " * 10_000 + "pnpm",
]


def test_recall_prints_hits_of_the_documented_shape(filled: Cli) -> None:
    hits = filled.json("recall", "which package manager: pnpm or npm?")
    assert hits[0]["content"] == "Use pnpm, never npm"
    for hit in hits:
        assert set(hit) == set(to_json(HIT))
        assert sum(hit["parts"].values()) == pytest.approx(hit["score"], abs=1e-4)
    scores = [hit["score"] for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_recall_for_people(filled: Cli) -> None:
    printed = filled.ok("recall", "tabs", "token", "refresh", "--explain")
    first, *rest = printed.splitlines()
    assert "Token refresh races" in first
    assert "gotcha · " in rest[0]
    assert any("keyword" in line and "importance" in line for line in rest)


def test_recall_by_meaning(filled: Cli) -> None:
    filled.ok("models", "reembed")
    hits = filled.json("recall", "several browser windows at once", "--mode", "semantic")
    assert hits[0]["kind"] == "gotcha"


@pytest.mark.parametrize("query", ODD_QUERIES, ids=range(len(ODD_QUERIES)))
def test_any_text_is_a_query(filled: Cli, query: str) -> None:
    done = filled.run("recall", "--mode", "keyword", "--json", "--", query)
    assert done.exit_code in (0, 3), done.stderr
    lines(done.stdout)
    if "pnpm" in query:
        assert "Use pnpm" in done.stdout


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        (("--kind", "preference"), {"preference"}),
        (("--type", "pitfall", "-k", "decision"), {"gotcha", "decision"}),
        (("--tag", "tools"), {"preference"}),
        (("--file", "src/auth/session.ts"), {"gotcha"}),
        (("--scope", "project"), {"preference", "decision", "gotcha"}),
        (("--since", "1d", "--branch", "main"), {"preference", "decision", "gotcha"}),
    ],
    ids=range(6),
)
def test_recall_filters(filled: Cli, options: tuple[str, ...], kinds: set[str]) -> None:
    query = "pnpm sqlite tabs token refresh races"
    hits = filled.json("recall", query, "--mode", "keyword", *options)
    assert {hit["kind"] for hit in hits} == kinds


@pytest.mark.parametrize(
    "options",
    [("--scope", "global"), ("--until", "2020-01-01"), ("--tag", "none"), ("--branch", "other")],
    ids=str,
)
def test_recall_finds_nothing_outside_its_filters(filled: Cli, options: tuple[str, ...]) -> None:
    assert "Nothing found." in filled.fails(3, "recall", "pnpm", *options)


def test_recall_of_archived_memories_is_asked_for(filled: Cli) -> None:
    filled.ok("forget", "pnpm")
    filled.fails(3, "recall", "pnpm", "--mode", "keyword")
    assert filled.json("recall", "pnpm", "--include-archived")[0]["kind"] == "preference"


def test_recall_reads_a_misspelt_word(filled: Cli) -> None:
    done = filled.run("recall", "refrehs", "--mode", "keyword")
    assert done.exit_code == 0
    assert "Searched for “refresh” instead of “refrehs”" in done.stderr


def test_a_recall_that_nothing_answers_says_so(filled: Cli) -> None:
    for options in ((), ("--json",), ("--mode", "semantic")):
        done = filled.run("recall", "xyzzy plugh quux", *options)
        assert (done.exit_code, done.stdout, done.stderr) == (3, "", "Nothing found.\n")


def test_what_faded_and_alone_answers_comes_back(cortex: Cli) -> None:
    month_ago = time.time() - 29 * 86_400
    with Cortex.open(cortex.project, clock=lambda: month_ago) as store:
        store.remember("Half of the billing import is done", kind="progress")
    cortex.ok("lifecycle")
    cortex.ok("remember", "We chose SQLite because nothing has to be installed")
    done = cortex.run("recall", "billing import", "--json")
    assert lines(done.stdout)[0]["revived"]
    assert "Back from the archive" in done.stderr
    assert "Undone: bring back" in cortex.ok("undo")


def test_batch_answers_line_by_line(filled: Cli, write: Callable[[str, str], str]) -> None:
    queries = ["pnpm", "", "sqlite\u2028install", "unicorn zebra"]
    file = write("queries.txt", "\ufeff" + "\r\n".join(queries))
    answers = lines(filled.ok("recall", "--batch", file, "--mode", "keyword", "--limit", "1"))
    assert [answer["query"] for answer in answers] == queries
    assert [len(answer["hits"]) for answer in answers] == [1, 0, 1, 0]
    assert set(answers[0]["hits"][0]) == set(to_json(HIT))


def test_batch_counts_nothing_and_reads_stdin(filled: Cli) -> None:
    printed = filled.ok("recall", "--batch", "-", input=b"pnpm\npn\xffpm\n")
    assert len(lines(printed)) == 2
    assert {memory["looks"] for memory in filled.json("list")} == {0}
    filled.ok("recall", "pnpm", "--limit", "1", "--mode", "keyword")
    assert sum(memory["looks"] for memory in filled.json("list")) == 1


def test_about(filled: Cli) -> None:
    assert filled.json("about", "sqlite")[0]["kind"] == "decision"
    assert "SQLite" in filled.ok("about", "database", "sqlite")


def test_show(filled: Cli) -> None:
    memory = filled.json("list", "--kind", "gotcha")[0]
    other = filled.json("list", "--kind", "decision")[0]
    filled.ok("link", memory["id"], other["id"], "--type", "causes")
    (shown,) = filled.json("show", memory["id"][:8])
    assert set(to_json(MEMORY)) < set(shown)
    assert shown["edges"][0]["type"] == "CAUSES"
    assert [change["verb"] for change in shown["history"]] == ["link", "remember"]
    printed = filled.ok("show", memory["id"])
    for text in (
        memory["id"],
        "Token refresh races",
        "src/auth/*.ts",
        "gotcha · project",
        f"CAUSES -> {other['id'][:8]}",
        "decays",
    ):
        assert text in printed


def test_list_by_status(filled: Cli) -> None:
    filled.ok("forget", "pnpm")
    assert [one["status"] for one in filled.json("list", "--status", "archived")] == ["archived"]
    assert len(filled.json("list", "--status", "archived", "--status", "active")) == 3
    filled.fails(3, "list", "--status", "suggested")


def test_list_names_how_far_memories_have_decayed(
    cortex: Cli, write: Callable[[str, str], str]
) -> None:
    found = {"Ships sail": 0.9, "Anchors hold": 0.3, "Ropes fray": 0.1}
    text = "".join(
        f'{{"content": "{said}", "initial_confidence": {value}}}\n' for said, value in found.items()
    )
    cortex.ok("import", "jsonl", write("ships.jsonl", text))
    listed = {one["content"]: one["band"] for one in cortex.json("list")}
    assert listed == {"Ships sail": "active", "Anchors hold": "fading", "Ropes fray": "dormant"}
    printed = cortex.ok("list")
    assert printed.count("fading") == printed.count("dormant") == 1
    cortex.ok("pin", "Anchors hold")
    assert "fading" not in cortex.ok("list")


def test_list(filled: Cli) -> None:
    listed = filled.json("list")
    assert [memory["kind"] for memory in listed] == ["gotcha", "decision", "preference"]
    assert all(set(memory) == set(to_json(MEMORY)) for memory in listed)
    assert len(filled.ok("list").splitlines()) == 3
    by_title = filled.json("list", "--sort", "title", "--limit", "2")
    assert [memory["title"][:5] for memory in by_title] == ["Token", "Use p"]
    assert "No memories match." in filled.fails(3, "list", "--tag", "none")


def test_recent(filled: Cli) -> None:
    assert [memory["kind"] for memory in filled.json("recent", "2")] == ["gotcha", "decision"]


def test_decisions(filled: Cli) -> None:
    assert [memory["kind"] for memory in filled.json("decisions")] == ["decision"]


def test_every_way_of_searching_takes_the_filters(filled: Cli) -> None:
    for words in (
        ("about", "tabs token sqlite pnpm"),
        ("recent",),
        ("recent", "5"),
        ("list",),
        ("search", "tabs token sqlite pnpm", "--keyword"),
    ):
        found = filled.json(*words, "--type", "pitfall", "--since", "1d", "--scope", "project")
        assert [memory["kind"] for memory in found] == ["gotcha"], words
    assert filled.json("decisions", "--type", "decision", "--branch", "main")
    assert "No memories match." in filled.fails(3, "decisions", "--tag", "none")
    assert "No memories match." in filled.fails(3, "recent", "--tag", "none")


def test_all_projects_are_searched_at_once(filled: Cli, tmp_path: Path) -> None:
    elsewhere, cloned = tmp_path / "elsewhere", tmp_path / "cloned"
    for root in (elsewhere, cloned):
        (root / ".git").mkdir(parents=True)
        with Cortex.open(root) as cortex:
            cortex.remember("Retry the invoice API with backoff", kind="pattern")
            if root == cloned:
                cortex.trust.revoke()
    query = ("recall", "retry the invoice API with backoff")
    assert filled.run(*query).exit_code == 3
    first, *others = filled.json(*query, "--all-projects")
    assert (first["kind"], first["project"]) == ("pattern", str(elsewhere))
    assert all("project" not in hit for hit in others)
    assert f"project: {elsewhere}" in filled.ok("about", "invoice", "--all-projects")
    assert filled.run("show", first["id"], "--project", str(elsewhere)).exit_code == 0
    assert all("project" not in hit for hit in filled.json("recall", "sqlite", "--all-projects"))
    for sort in ("created", "title", "standing", "priority"):
        listed = filled.json("list", "--all-projects", "--sort", sort)
        assert len(listed) == 4
        assert {one["project"] for one in listed if one["kind"] == "pattern"} == {str(elsewhere)}
        assert {one["project"] for one in listed if one["kind"] != "pattern"} == {""}
    titles = [
        one["title"].casefold() for one in filled.json("list", "--sort", "title", "--all-projects")
    ]
    assert titles == sorted(titles)
    assert len(filled.json("list", "--all-projects", "--limit", "2")) == 2
    assert str(elsewhere) in filled.ok("list", "--all-projects", "--kind", "pattern")
    filled.fails(3, "list", "--all-projects", "--tag", "none")


def test_timeline(filled: Cli) -> None:
    middle = filled.json("decisions")[0]["id"]
    kinds = [memory["kind"] for memory in filled.json("timeline", middle)]
    assert kinds == ["preference", "decision", "gotcha"]


def test_neighbours(filled: Cli) -> None:
    ids = [memory["id"] for memory in filled.json("list")]
    filled.ok("link", ids[0], ids[1], "--type", "refines")
    filled.ok("link", ids[1], ids[2], "--type", "contradicts")
    near = filled.json("neighbours", ids[0], "--depth", "2")
    assert [(each["depth"], each["edge"]["type"]) for each in near] == [
        (1, "refines"),
        (2, "contradicts"),
    ]
    assert "refines ->" in filled.ok("neighbours", ids[0])
    assert "<- refines" in filled.ok("neighbours", ids[1])


def test_recall_gives_no_more_than_asked_for(filled: Cli) -> None:
    query = "pnpm sqlite tabs token refresh races"
    assert len(filled.json("recall", query, "--mode", "keyword")) == 3
    assert len(filled.json("recall", query, "--mode", "keyword", "--limit", "1")) == 1


def test_no_score_below_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    memory = Memory(id="1f3a9c20", content="x", title="x", kind="fact", scope="project")
    prose.hit(Hit(memory=memory, score=-0.012, parts=Parts()))
    shown = capsys.readouterr().out
    assert "fact · 0.00" in shown


def test_recall_says_what_waits_for_vectors(cortex: Cli) -> None:
    lines = "".join(f'{{"content": "Fact {n} about a server"}}\n' for n in range(40))
    with Cortex.open(cortex.project) as opened:
        opened.exchange.import_jsonl(lines.splitlines())
    said = cortex.run("recall", "server").stderr
    assert "24 memories have no vector yet" in said
    assert "cortex worker" in said


def test_the_status_needs_no_global_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTEX_HOME", str(tmp_path / "none" / "memory"))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["status"])
    assert (done.exit_code, "Internal error" in done.stderr) == (0, False), done.stderr
    assert "none: global store only" in done.stdout
