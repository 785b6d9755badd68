"""remember, edit, tag, pin, unpin, give, move, link, unlink, forget, restore."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from cortex_core import Cortex
from cortex_core.cli import writing_commands
from cortex_core.cli.main import cli
from cortex_core.records.as_json import to_json
from tests.cli.conftest import Cli
from tests.cli.test_json import EDGE, MEMORY
from tests.transcript_samples import Sample

ODD_TEXTS = [
    "[bold]not bold[/] [link=https://example.org]x[/link]",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07",
    "nul\x00 bell\x07 back\x08",
    "rtl \u202e override",
    "🎉 漢字 e\u0301",
    "\ud800 lone",
    "'; DROP TABLE memory; --",
    "one\ntwo\n\nthree\ttab",
    "{json: [1]}",
    "%s %d {0} $HOME `id`",
]


def shown(cortex: Cli, id: str) -> dict[str, object]:
    return cortex.json("show", id)[0]


def test_what_is_known_takes_over_what_is_typed_and_says_so(cortex: Cli) -> None:
    id = cortex.remember("Deploys go out on Tuesdays", "-k", "fact", "-t", "release")
    done = cortex.ok(
        "remember", "Deploys go out on Tuesdays", "-k", "policy", "-p", "9", "--pin", "-t", "ci"
    )
    for change in ("kind: fact -> policy", "priority: 5 -> 9", "pinned: False -> True"):
        assert change in done
    known = shown(cortex, id)
    assert (known["kind"], known["priority"], known["pinned"]) == ("policy", 9, True)
    assert known["tags"] == ["release", "ci"]
    assert "Already known, reinforced" in cortex.ok("remember", "Deploys go out on Tuesdays")
    assert shown(cortex, id)["kind"] == "policy"
    cortex.ok("undo", "2")
    assert shown(cortex, id)["kind"] == "fact"


def test_a_rule_for_which_the_start_has_no_room_is_named(cortex: Cli) -> None:
    cortex.ok("config", "set", "surface.tokens", "60")
    cortex.ok("remember", "Never push to main", "-k", "policy", "-p", "9")
    done = cortex.run("remember", "Keep the log of every release tidy", "-k", "policy", "-p", "2")
    assert "Not injected at the next start: " in done.output


def test_what_says_nothing_by_itself_is_named_with_what_would(cortex: Cli) -> None:
    told = cortex.run("remember", "Why does the build fail on Windows?").output
    assert "Not injected at the next start: no complete statement: edit its title." in told
    assert "Not injected" not in cortex.run("remember", "The build fails on Windows").output


def test_remember_takes_every_field(cortex: Cli) -> None:
    (memory,) = cortex.json(
        "remember",
        "Deploy",
        "from main",
        "-k",
        "constraint",
        "--title",
        "Deploys",
        "-p",
        "9",
        "--tag",
        "Deploy",
        "--tag",
        "ci",
        "--file",
        "deploy/**",
        "--pin",
        "--confidence",
        "0.7",
    )
    assert set(memory) == {*to_json(MEMORY), "near"}
    expected = {
        "content": "Deploy from main",
        "kind": "policy",
        "title": "Deploys",
        "priority": 9,
        "globs": ["deploy/**"],
        "pinned": True,
        "initial_confidence": 0.7,
        "scope": "project",
        "status": "active",
    }
    assert {name: memory[name] for name in expected} == expected
    assert sorted(tag.lower() for tag in memory["tags"]) == ["ci", "deploy"]
    assert memory["source"]["rule"] == "person"


def test_remember_for_people_and_again(cortex: Cli) -> None:
    assert cortex.ok("remember", "Use tabs").startswith("Remembered ")
    assert "Use tabs" in cortex.ok("list")
    cortex.ok("remember", "use tabs.")
    assert len(cortex.json("list")) == 1


def test_remember_says_what_it_changes(cortex: Cli) -> None:
    cortex.ok("remember", "Use port 8080 for the API")
    done = cortex.run("remember", "Use port 9090 for the API")
    said = " ".join((done.stdout + done.stderr).split())
    assert "It was “Use port 8080 for the API”" in said
    assert "cortex review show 1" in said
    cortex.ok("review", "supersede", "1")
    done = cortex.run("remember", "Use port 8080 for the API")
    assert "It holds again" in " ".join((done.stdout + done.stderr).split())


def test_in_a_terminal_it_is_asked_what_a_new_memory_replaces(
    cortex: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = cortex.remember("We deploy the shop by hand on Tuesdays", "--kind", "policy")
    other = cortex.remember("Coffee beans are ordered by Anna", "--kind", "policy")
    monkeypatch.setattr(writing_commands, "at_terminal", lambda: True)
    new = "Deploy the shop whenever the main branch is green"
    done = cortex.run("remember", new, "--kind", "policy", input="y\n")
    assert done.stderr.count("Does it replace") == 1 and old[:8] in done.stderr
    listed = {memory["id"]: memory["content"] for memory in cortex.json("list")}
    assert old not in listed and other in listed and new in listed.values()
    cortex.ok("undo")
    assert {memory["id"] for memory in cortex.json("list")} == {old, other}


def test_in_a_terminal_it_is_asked_what_a_kept_suggestion_replaces(
    cortex: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = cortex.remember("We deploy the shop by hand on Tuesdays", "--kind", "policy")
    session = Sample("s", cwd=str(cortex.project))
    session.human("Always deploy the shop whenever the main branch is green.")
    cortex.ok("import", "transcripts", str(session.write(tmp_path / "s.jsonl")))
    (waiting,) = cortex.json("suggestions", "list")
    monkeypatch.setattr(writing_commands, "at_terminal", lambda: True)
    done = cortex.run("suggestions", "keep", waiting["id"], input="y\n")
    assert done.stderr.count("Does “Always deploy") == 1 and old[:8] in done.stderr
    assert [memory["id"] for memory in cortex.json("list")] == [waiting["id"]]
    cortex.ok("undo")
    cortex.ok("undo")
    (again,) = cortex.json("suggestions", "list")
    done = cortex.run("remember", again["content"], "--kind", again["kind"], input="y\n")
    assert old[:8] in done.stderr
    assert [memory["id"] for memory in cortex.json("list")] == [waiting["id"]]
    cortex.ok("undo")  # one step brings both back
    assert [memory["id"] for memory in cortex.json("list")] == [old]
    assert len(cortex.json("suggestions", "list")) == 1


def test_who_says_that_both_hold_is_not_asked_again(
    cortex: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cortex.ok("remember", "Use port 8080 for the API")
    monkeypatch.setattr(writing_commands, "at_terminal", lambda: True)
    done = cortex.run("remember", "Use port 9090 for the API", input="n\n")
    assert "Does it replace" in done.stderr and "To decide" not in done.stderr
    assert "nothing to review" in cortex.run("review", "list").stderr
    assert len(cortex.json("list")) == 2


def test_without_a_terminal_what_is_near_is_named(cortex: Cli) -> None:
    old = cortex.remember("We deploy the shop by hand on Tuesdays", "--kind", "policy")
    words = "Deploy the shop whenever the main branch is green"
    (made,) = cortex.json("remember", words, "--kind", "policy")
    assert [one["id"] for one in made["near"]] == [old]
    assert len(cortex.json("list")) == 2
    assert cortex.json("remember", words)[0]["near"] == []  # it is known
    cortex.ok("forget", made["id"])
    cortex.ok("remember", "Deploys of the shop need a green main branch", "--kind", "policy")
    said = cortex.run("remember", "The shop is deployed by the night crew", "-k", "policy").stderr
    assert "--type supersedes" in said and old[:8] in said


def test_remember_for_all_projects(cortex: Cli) -> None:
    cortex.ok("remember", "Answer in English", "--global")
    assert [memory["scope"] for memory in cortex.json("list")] == ["global"]


def test_what_is_said_in_no_project_is_said_to_be_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["remember", "Answer in English"])
    assert "the memory is for all projects" in done.stderr, done.output
    asked = CliRunner().invoke(cli, ["remember", "Answer shortly", "--global"])
    assert "for all projects" not in asked.output


def test_remember_from_stdin(cortex: Cli) -> None:
    cortex.ok(
        "remember", "-", input="\ufeffFirst line\r\nsecond line \xff\n".encode("latin-1", "replace")
    )
    assert "second line" in cortex.json("list")[0]["content"]
    cortex.fails(2, "remember", "-", input="")


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
def test_odd_text_is_kept_and_harmless(cortex: Cli, text: str) -> None:
    id = cortex.remember(f"start {text} end")
    content = str(shown(cortex, id)["content"])
    assert content.startswith("start ")
    assert content.endswith(" end")
    for words in (("show", id), ("list",), ("recall", "start", "end", "--mode", "keyword")):
        printed = cortex.ok(*words)
        assert not any(bad in printed for bad in "\x1b\x00\x07\x08\u202e")
    if "[bold]" in text:
        assert "[bold]not bold[/]" in cortex.ok("show", id)


def test_a_megabyte_is_refused_and_its_reason_told(cortex: Cli) -> None:
    said = cortex.fails(2, "remember", "-", input="word " * 210_000)
    assert "Nothing was changed" in said
    cortex.fails(3, "list")


def test_a_long_memory_prints_whole_on_request(cortex: Cli) -> None:
    text = "A very long note. " + "more words " * 5_000 + "the end"
    id = cortex.json("remember", "-", input=text)[0]["id"]
    assert "the end" in cortex.ok("show", id)
    assert "the end" not in cortex.ok("recall", "long note", "--mode", "keyword")


def test_secrets_are_not_stored(cortex: Cli) -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    id = cortex.remember(f"The deploy token is {token}")
    assert token not in str(shown(cortex, id))


def test_edit_by_options(filled: Cli) -> None:
    id = filled.json("list", "--kind", "preference")[0]["id"]
    (memory,) = filled.json(
        "edit",
        id,
        "--title",
        "Package manager",
        "-k",
        "policy",
        "-p",
        "10",
        "-t",
        "a",
        "-t",
        "b",
        "-f",
        "package.json",
        "--confidence",
        "0.5",
    )
    assert (memory["title"], memory["kind"], memory["priority"]) == (
        "Package manager",
        "policy",
        10,
    )
    assert (memory["tags"], memory["globs"]) == (["a", "b"], ["package.json"])
    assert memory["content"] == "Use pnpm, never npm"
    filled.ok("edit", id, "--content", "-", input="Use bun")
    assert shown(filled, id)["content"] == "Use bun"


def test_edit_without_options_and_terminal(filled: Cli) -> None:
    id = filled.json("recent", "1")[0]["id"]
    assert "Nothing was changed" in filled.fails(2, "edit", id)


def test_edit_in_the_editor(filled: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nprintf 'Edited by hand\\n' > \"$1\"\n", encoding="utf-8")
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr("cortex_core.cli.writing_commands.at_terminal", lambda: True)
    id = filled.json("recent", "1")[0]["id"]
    filled.ok("edit", id)
    assert shown(filled, id)["content"] == "Edited by hand"
    assert "Nothing was changed" in filled.run("edit", id).stderr


def test_tag(filled: Cli) -> None:
    id = filled.json("list", "--tag", "tools")[0]["id"]
    (memory,) = filled.json("tag", id, "+auth", "plain", "-tools", "-hot")
    assert sorted(memory["tags"]) == ["auth", "plain"]
    filled.fails(2, "tag", id, "+")


def test_what_is_so_already_is_said_to_be_unchanged(filled: Cli) -> None:
    id = filled.json("list")[0]["id"][:8]
    assert filled.ok("pin", id).startswith(f"Pinned {id}")
    for command in (("pin", id), ("restore", id)):
        assert filled.ok(*command).startswith(f"Nothing was changed of {id}")
    assert filled.ok("forget", id, "--dry-run").startswith("Would forget")


def test_values_that_cannot_work_are_refused_with_what_would(cortex: Cli) -> None:
    said = cortex.fails(2, "remember", "Routes check the token", "-f", "src/[ab.ts")
    assert "a bracket is not closed. Nothing was changed. Use src/auth/*.ts" in said
    said = cortex.fails(2, "config", "set", "theme", "nosuch")
    assert "There is no theme “nosuch”. Nothing was changed. Use one of: " in said
    assert "cortex-light" in said
    cortex.ok("config", "set", "theme", "cortex-light")
    cortex.ok("config", "set", "theme", "--default")


def test_a_secret_that_was_taken_out_is_told(cortex: Cli) -> None:
    told = cortex.run("remember", "The token of the demo tenant is ghp_" + "aB3dE6gH9j" * 4).output
    assert "A secret was taken out before it was stored, and is nowhere now." in told
    assert "A secret" not in cortex.run("remember", "The token is in the vault").output


def test_tags_are_found_as_they_were_typed(cortex: Cli) -> None:
    cortex.ok("remember", "Routes check the token", "-t", "Sign in,auth")
    for tag in ("Sign in", "sign-in", "auth"):
        assert len(cortex.json("list", "--tag", tag)) == 1


def test_pin_and_unpin_several(filled: Cli) -> None:
    ids = [memory["id"] for memory in filled.json("recent", "2")]
    assert [memory["pinned"] for memory in filled.json("pin", *ids)] == [True, True]
    assert "pinned" in filled.ok("list")
    assert "Unpinned 2 memories" in filled.ok("unpin", *ids)
    assert not any(memory["pinned"] for memory in filled.json("list"))


def test_give(filled: Cli) -> None:
    id = filled.json("recent", "1")[0]["id"]
    assert filled.json("inject", id, "demoted")[0]["inject"] == "demoted"
    assert filled.json("give", id, "never")[0]["inject"] == "never"
    assert "never" in filled.ok("list")


def test_move(filled: Cli) -> None:
    id = filled.json("recent", "1")[0]["id"]
    assert filled.json("move", id, "--to", "global")[0]["scope"] == "global"
    assert filled.json("list", "--scope", "global")[0]["id"] == id
    filled.ok("undo")
    assert shown(filled, id)["scope"] == "project"


def test_link_and_unlink(filled: Cli) -> None:
    first, second, _ = (memory["id"] for memory in filled.json("list"))
    (edge,) = filled.json(
        "link", first, second, "--type", "solves", "--strength", "0.5", "--context", "seen in May"
    )
    assert set(edge) == set(to_json(EDGE))
    assert (edge["type"], edge["strength"], edge["context"]) == ("SOLVES", 0.5, "seen in May")
    filled.fails(3, "unlink", first, second, "--type", "refines")
    assert filled.json("unlink", first, second) == [{"removed": 1}]
    filled.fails(2, "link", first, first)


def test_a_link_that_supersedes_retires_the_second(filled: Cli) -> None:
    first, second, _ = (memory["id"] for memory in filled.json("list"))
    assert f"{second[:8]} is superseded" in filled.ok("link", first, second, "--type", "supersedes")
    assert second not in [memory["id"] for memory in filled.json("list")]


def test_forget_by_id_and_restore(filled: Cli) -> None:
    ids = [memory["id"] for memory in filled.json("recent", "2")]
    assert [memory["status"] for memory in filled.json("forget", *ids)] == ["archived"] * 2
    assert len(filled.json("list")) == 1
    assert [memory["status"] for memory in filled.json("restore", *ids)] == ["active"] * 2
    assert len(filled.json("list")) == 3


def test_what_is_held_back_is_not_restored(filled: Cli) -> None:
    name = filled.json("recent", "1")[0]["id"]
    with Cortex.open(filled.project) as cortex:
        store = cortex.workspace.store("project")
        with store.change("arrange", "arrange", "worker") as change:
            change.update("memory", name, {"status": "quarantined"})
    before = filled.json("show", name)
    assert "cortex suggestions keep --quarantined" in filled.fails(2, "restore", name)
    assert filled.json("show", name) == before


def test_what_was_put_away_is_not_pinned(filled: Cli) -> None:
    name = filled.json("recent", "1")[0]["id"]
    filled.json("forget", name)
    before = filled.json("show", name)
    assert "Only active memories can be pinned" in filled.fails(2, "pin", name)
    assert filled.json("show", name) == before


def test_forget_by_words_that_fit_one(filled: Cli) -> None:
    assert filled.json("forget", "sqlite", "--dry-run")[0]["kind"] == "decision"
    assert len(filled.json("list")) == 3
    assert filled.ok("forget", "nothing installed").startswith("Forgot ")
    assert len(filled.json("list")) == 2


def test_forget_changes_nothing_when_several_fit(filled: Cli) -> None:
    filled.remember("Tokens are refreshed by the token service")
    done = filled.run("forget", "token", "--json")
    assert done.exit_code == 2
    assert "2 memories" in done.stderr
    assert len(done.stdout.splitlines()) == 2
    assert len(filled.json("list")) == 4


def test_forget_does_not_act_on_a_guess(filled: Cli) -> None:
    filled.fails(2, "forget", "sqlitte")
    assert len(filled.json("list")) == 3
    filled.fails(3, "forget", "unicorn")


TYPED = [
    (
        '--type decision --priority 9 --pin "Bills leave on Mondays"',
        "Bills leave on Mondays",
        {"kind": "decision", "priority": 9, "pinned": True},
    ),
    (
        '"Ship on Fridays" --type=policy --tag ship --file "src/a b/**"',
        "Ship on Fridays",
        {"kind": "policy", "tags": ["ship"], "globs": ["src/a b/**"]},
    ),
    (
        "--pin --title 'No force' Don't use --force on main",
        "Don't use --force on main",
        {"title": "No force", "pinned": True},
    ),
    ("Don't use --pin --force here", "Don't use --pin --force here", {"pinned": False}),
    ("--unknown is a word", "--unknown is a word", {"kind": "fact"}),
    ('"a" and "b" --pin', '"a" and "b" --pin', {"pinned": False}),
]


@pytest.mark.parametrize(("line", "content", "fields"), TYPED, ids=range(len(TYPED)))
def test_a_typed_line_has_options_and_a_text(
    cortex: Cli, line: str, content: str, fields: dict[str, object]
) -> None:
    (memory,) = cortex.json("remember", "--typed", input=f"{line}\n")
    assert memory["content"] == content
    assert {name: memory[name] for name in fields} == fields


def test_a_typed_line_with_a_wrong_value_stores_nothing(cortex: Cli) -> None:
    assert "1 to 10" in cortex.fails(2, "remember", "--typed", input="--priority 11 x\n")
    assert "The text is missing" in cortex.fails(2, "remember", "--typed", input="--pin\n")
    cortex.fails(3, "list")
