"""Episodes, procedures, reflection and core from the command line."""

from __future__ import annotations

from .conftest import Cli


def test_episodes(cortex: Cli) -> None:
    assert "The history is empty" in cortex.run("episode", "list").stderr
    known = cortex.remember("We keep sessions in Redis")
    said = cortex.ok(
        "episode", "add", "Moved", "sessions", "--outcome", "shipped", "-t", "ops", "-m", known
    )
    assert said.startswith("Logged ") and said.endswith(": Moved sessions\n")
    (made,) = cortex.json("episode", "add", "-", input="From a pipe\n")
    assert made["kind"] == "episode" and made["content"] == "From a pipe"
    assert [one["title"] for one in cortex.json("episode", "list")] == [
        "From a pipe",
        "Moved sessions",
    ]
    listed = cortex.ok("episode", "list", "--tag", "ops")
    assert "shipped" in listed and "From a pipe" not in listed
    assert cortex.json("neighbours", known)[0]["memory"]["title"] == "Moved sessions"
    cortex.fails(3, "episode", "add", "About nothing", "-m", "ffffffff")


def test_procedures(cortex: Cli) -> None:
    assert "No procedures yet" in cortex.run("procedure", "list").stderr
    cortex.ok("procedure", "add", "Cut", "a", "release", "-s", "Bump the version", "-s", "Tag it")
    (made,) = cortex.json(
        "procedure",
        "add",
        "Rotate the database password",
        "--steps",
        "-",
        input="1. Make a new one\n- Restart the API\n\n3rd party: tell them\n",
    )
    assert made["details"]["steps"] == [
        "Make a new one",
        "Restart the API",
        "3rd party: tell them",
    ]
    said = cortex.ok("procedure", "match", "change the DB credentials")
    assert "Rotate the database password" in said and "2. Restart the API" in said
    assert "untried" in said and "release" not in said
    (found,) = cortex.json("procedure", "match", "publish a new version")
    assert found["memory"]["title"] == "Cut a release" and 0.3 < found["fit"] <= 1
    assert "No procedure fits" in cortex.fails(3, "procedure", "match", "make the button blue")
    said = cortex.ok("procedure", "outcome", made["id"][:8], "success", "--note", "Went well")
    assert said.startswith("Recorded a success of ")
    assert cortex.json("procedure", "list")[0]["successes"] == 1
    assert "1 of 1" in cortex.ok("procedure", "list")
    assert "Went well" in cortex.ok("episode", "list")
    assert "outcome" in cortex.fails(2, "procedure", "outcome", made["id"], "perhaps")
    assert "at least one step" in cortex.fails(2, "procedure", "add", "Nothing to do")
    assert "for stdin" in cortex.fails(2, "procedure", "add", "Both", "--steps", "-", "-s", "x")


def test_reflect_and_core(filled: Cli) -> None:
    for words in ("Tests run with vitest", "Formatting is done by biome"):
        filled.remember(words, "--tag", "tools", "--tag", "js")
    said = filled.ok("reflect", "--dry-run")
    assert "Themes" in said and "js + tools" in said and "2 memories" in said
    (seen,) = filled.json("reflect")
    assert seen["themes"][0]["tags"] == ["js", "tools"] and seen["dry_run"] is False
    page = filled.ok("core")
    assert page.startswith("# Memory core of project\n") and "- Use pnpm, never npm [" in page
    (core,) = filled.json("core", "--tokens", "200")
    assert core["tokens"] <= 200 and core["active"] == 5


def test_core_of_nothing(cortex: Cli) -> None:
    assert "No memories yet" in cortex.run("core").stderr
