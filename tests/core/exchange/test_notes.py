"""Plain notes, CLAUDE.md and Claude's own memory: pieces a reader would want, once each."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cortex_core import Cortex
from cortex_core.base import text
from cortex_core.base.errors import NotFound
from cortex_core.capture import notes

NOTE = """# Payments service

Handles card payments through Stripe. Webhooks are idempotent because Stripe retries them.

## Conventions

- Use pnpm, never npm, because the lockfile is pnpm's
- All handlers return Result types
  - errors never cross a module border
- [ ] Tests live beside the code they test

## Ports

- web 3000
- api 4000

## Releasing

Only from main.

1. Run `make test`
2. Build the image
3. Push it

## Package manager

pnpm

## Links

- [Board](https://example.org/board)

## Example

```sh
# no heading
- no item
```

## TODO

fix
"""


def told(text: str, name: str = "") -> list[tuple[str, str]]:
    return [(note.title, note.content) for note in notes.pieces(text, name)]


def test_sections_items_steps_and_no_fragments() -> None:
    assert told(NOTE) == [
        (
            "Handles card payments through Stripe",
            "Handles card payments through Stripe. Webhooks are idempotent because Stripe retries "
            "them.",
        ),
        (
            "Use pnpm, never npm, because the lockfile is pnpm's",
            "Use pnpm, never npm, because the lockfile is pnpm's",
        ),
        (
            "All handlers return Result types",
            "All handlers return Result types\n- errors never cross a module border",
        ),
        ("Tests live beside the code they test", "Tests live beside the code they test"),
        ("Payments service: Ports", "Payments service: Ports:\n- web 3000\n- api 4000"),
        (
            "Payments service: Releasing",
            "Only from main.\n1. Run `make test`\n2. Build the image\n3. Push it",
        ),
        ("Package manager: pnpm", "Package manager: pnpm"),
        ("Payments service: Example", "```sh\n# no heading\n- no item\n```"),
    ]


def test_each_item_below_a_heading_of_rules_is_a_rule_however_short() -> None:
    listed = "## Rules\n- Use pnpm\n- No emojis\n- Never push to main\n- Tests first\n"
    assert [content for _, content in told(listed)] == [
        "Use pnpm",
        "Rules: No emojis",
        "Never push to main",
        "Rules: Tests first",
    ]
    assert len(told("## Servers\n- staging\n- Use of disk\n- production\n")) == 1


def test_long_sections_are_divided_between_paragraphs() -> None:
    paragraph = "The ledger keeps every posting twice, once a side, and never deletes one. " * 12
    listed = told("# Ledger\n\n" + "\n\n".join([paragraph] * 8))
    assert len(listed) > 1 and all(len(content) <= 2 * notes.LONGEST for _, content in listed)
    assert "".join(content for _, content in listed).count("postings twice") == 0
    assert sum(content.count("every posting") for _, content in listed) == 96


@given(st.text(st.sampled_from(list("#-*`~=\n ab1.|>[]():")), max_size=300))
def test_any_text_is_read_without_failing_and_no_piece_is_empty(text: str) -> None:
    for note in notes.pieces(text):
        assert note.content.strip() and note.title.strip() and "\n" not in note.title


def test_a_folder_of_notes(cortex: Cortex, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "payments.md").write_text(NOTE)
    (folder / "stack.md").write_text(
        "---\ntags: [infra, '#db']\ndate: 2026-03-01\n---\n"
        "# Decisions\n\n- We chose Postgres over MySQL, as it has partial indexes\n"
        "- Never run migrations by hand in production\n"
    )
    (folder / "bad.md").write_text("---\n: : :\n---\nWords that are lost on nobody\n")
    told = cortex.exchange.import_markdown(folder, dry_run=True)
    assert cortex.list() == [] and told.stored == 10
    done = cortex.exchange.import_markdown(folder)
    assert (done.stored, done.files, len(done.problems)) == (10, 3, 1)
    assert done.problems[0].startswith("bad.md, line 2")
    found = {memory.title: memory for memory in cortex.list()}
    choice = found["We chose Postgres over MySQL, as it has partial indexes"]
    assert (choice.kind, choice.tags) == ("decision", ("infra", "db"))
    assert choice.created == 1_772_323_200.0 and choice.source.rule == "import:notes"
    assert found["Never run migrations by hand in production"].kind == "policy"
    release = found["Payments service: Releasing"]
    assert release.kind == "procedure" and release.details["steps"][2] == "Push it"
    again = cortex.exchange.import_markdown(folder)
    assert (again.stored, again.merged) == (0, 10)
    cortex.undo()
    assert cortex.list() == []
    assert cortex.exchange.import_markdown(folder / "stack.md", scope="global").stored == 2
    assert {memory.scope for memory in cortex.list()} == {"global"}


def client_memory(project: str) -> Path:
    slug = "".join(c if c.isalnum() else "-" for c in project)
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"], "projects", slug, "memory")
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text(
        "# Memory\n\n- [Testing](feedback_testing.md) — how tests are run here\n"
        "- The staging database is reset every Monday morning\n"
    )
    (folder / "feedback_testing.md").write_text(
        "---\nname: testing\ndescription: Integration tests over mocks\ntype: feedback\n---\n\n"
        "Integration tests hit a real database.\n\n**Why:** mocks hid a broken migration.\n"
    )
    (folder / "debugging.md").write_text(
        "# Debugging\n\n## Cache\n\nThe cache is keyed by user id, never by name.\n\n"
        "## Queue\n\nJobs are retried three times before they are parked.\n"
    )
    return folder


def test_what_claude_remembers_by_itself(cortex: Cortex) -> None:
    with pytest.raises(NotFound, match="keeps no memory"):
        cortex.exchange.import_claude_memory()
    folder = client_memory(cortex.project.root or "")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert cortex.exchange.import_claude_memory(dry_run=True).stored == 4
    done = cortex.exchange.import_claude_memory()
    assert (done.stored, done.files, done.problems) == (4, 3, ())
    found = {memory.title: memory for memory in cortex.list()}
    lesson = found["Integration tests over mocks"]
    assert lesson.kind == "preference" and lesson.content.endswith("hid a broken migration.")
    assert "how tests are run here" not in "".join(one.content for one in found.values())
    assert {one.source.rule for one in found.values()} == {"import:claude-memory"}
    assert (again := cortex.exchange.import_claude_memory()).stored == 0 and again.merged == 4
    assert [len(cortex.show(one.id).sources) for one in found.values()] == [1] * 4
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    cortex.undo()
    assert cortex.list() == []


def test_rules_of_claude_md(cortex: Cortex, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no CLAUDE\.md"):
        cortex.exchange.import_claude_md()
    root = Path(cortex.project.root or "")
    (root / "docs").mkdir()
    (root / ".claude" / "rules").mkdir(parents=True)
    (root / "CLAUDE.md").write_text(
        "# Rules\n\n- Use pnpm for all packages, never npm\n- Never push to main directly\n\n"
        "See @docs/style.md and @../outside.md, not `@docs/no.md`\n\n"
        "<cortex-memory>\n- What Cortex gave itself [1a2b3c4d]\n</cortex-memory>\n"
        "@.claude/cortex-memory.local.md\n"
    )
    (tmp_path / "outside.md").write_text("- Words from outside of the project\n")
    (root / "docs" / "style.md").write_text(
        "# Style\n\n- Write docstrings in the imperative mood\n"
        "- Use pnpm for all packages, never npm\n"
    )
    (root / ".claude" / "cortex-memory.local.md").write_text("- Given by Cortex before, in words\n")
    (root / ".claude" / "rules" / "api.md").write_text(
        '---\npaths: ["src/api/**"]\n---\n- Handlers always validate their input with zod\n'
        "- Responses carry a request id\n"
    )
    Path(os.environ["CLAUDE_CONFIG_DIR"]).mkdir(parents=True)
    Path(os.environ["CLAUDE_CONFIG_DIR"], "CLAUDE.md").write_text("Answer in English, briefly.\n")
    done = cortex.exchange.import_claude_md()
    found = {memory.content: memory for memory in cortex.list()}
    assert set(found) == {
        "Use pnpm for all packages, never npm",
        "Never push to main directly",
        "See @docs/style.md and @../outside.md, not `@docs/no.md`",
        "Write docstrings in the imperative mood",
        "Responses carry a request id",
        "Handlers always validate their input with zod",
        "Answer in English, briefly.",
    }
    assert done.problems == ("../outside.md is outside one and was skipped",)
    assert found["Use pnpm for all packages, never npm"].kind == "preference"
    assert found["Never push to main directly"].kind == "policy"
    assert found["Handlers always validate their input with zod"].globs == ("src/api/**",)
    assert found["Answer in English, briefly."].scope == "global"
    assert {one.inject for one in found.values()} == {"demoted"}
    assert "pnpm" not in cortex.surface().text
    assert cortex.exchange.import_claude_md().stored == 0
    cortex.undo()
    assert cortex.list() == []


def test_an_ignored_folder_and_private_words_stay_out(cortex: Cortex, tmp_path: Path) -> None:
    folder = tmp_path / "clients"
    folder.mkdir()
    (folder / "a.md").write_text("The client pays at the end of the quarter\n")
    cortex.settings.set("capture.ignore", [str(folder)])
    with pytest.raises(Exception, match="excluded from capture"):
        cortex.exchange.import_markdown(folder)
    open_ = tmp_path / "open"
    open_.mkdir()
    (open_ / "a.md").write_text("Ports begin at 7000 <private>but mine at 9</private>\n")
    cortex.exchange.import_markdown(open_)
    (found,) = cortex.list()
    assert found.content == "Ports begin at 7000"


def test_no_more_words_of_a_long_text_are_read_than_are_needed() -> None:
    assert text.content_words("The deploy of shops " * 9, 3) == ["deploy", "shops", "deploy"]
    assert text.content_words("of the 'shop'", 3) == text.content_words("of the 'shop'")
