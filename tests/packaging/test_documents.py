"""The documents match the product: every command and setting is described, none is invented."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest

from cortex_core.cli.command import ShortGroup
from cortex_core.cli.main import ALIASES, cli
from cortex_core.triggers import guard

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "benchmarks/README.md",
    *sorted(
        str(path.relative_to(ROOT))
        for folder in ("docs", "skills")
        for path in (ROOT / folder).rglob("*.md")
    ),
)
UNPLAIN = re.compile(r"\b(told|beside|anew|mend|stands|the person|the client)\b", re.IGNORECASE)
"""Words that the glossary replaces by plain ones."""
CALL = re.compile(r"(?:^|`|\$ )cortex( [^`\n]*)?", re.MULTILINE)
NAMED = re.compile(r"(?P<sure>[:`] ?)?\bcortex (?P<call>[a-z][a-z-]*(?: [a-z][a-z-]*| --[a-z-]+)*)")
"""A command as a message, a help text or a document names it; no word of prose after a
colon or a tick, nor after a group that does nothing by itself."""
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
"""A link to a file, to a heading of it, or to a heading of the same page."""


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    """The tool that writes the reference pages."""
    spec = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_holds_the_promises_is_there() -> None:
    """Every test that docs/security.md names."""
    text = (ROOT / "docs" / "security.md").read_text("utf-8")
    named = re.findall(r"`((?:cli|core|faults|hooks|http|tui)/[\w/]+\.py)`", text)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / "tests" / name).is_file()] == []


def below(context: click.Context) -> Iterator[str]:
    """The full names of all visible commands under a group."""
    if isinstance(group := context.command, click.Group):
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if command is not None and not command.hidden:
                inner = click.Context(command, parent=context, info_name=name)
                yield inner.command_path
                yield from below(inner)


def calls(document: str) -> list[str]:
    """Every call of `cortex` that a document shows, its comment cut off."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return [(match.group(1) or "").split(" #")[0].strip() for match in CALL.finditer(text)]


def problem(call: str) -> str:
    """What is wrong with a call as the documents show it, "" when every word of it exists."""
    context = click.Context(cli, info_name="cortex")
    words = shlex.split(call)
    while words and isinstance(group := context.command, click.Group):
        if words[0].startswith("-"):
            if not isinstance(group, ShortGroup):
                break
            words.insert(0, group.unnamed)
        command = group.get_command(context, words[0])
        if command is None:
            return f"no command {words[0]!r} in cortex {call}"
        context = click.Context(command, parent=context, info_name=words.pop(0))
    known = {
        name
        for each in context.command.get_params(context)
        for name in (*each.opts, *each.secondary_opts)
    }
    unknown = [word for word in words if word.startswith("--") and word.split("=")[0] not in known]
    return f"no option {unknown[0]!r} in cortex {call}" if unknown else ""


def test_reference_pages_are_up_to_date(reference: ModuleType) -> None:
    assert reference.stale() == [], "write them with: python tools/reference.py"


def test_every_command_is_documented() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    names = list(below(click.Context(cli, info_name="cortex")))
    assert len(names) > 30
    assert [name for name in names if f"### `{name}`" not in page] == []


@pytest.mark.parametrize("document", sorted({*DOCUMENTS} - {"CHANGELOG.md", "docs/commands.md"}))
def test_every_command_shown_exists(document: str) -> None:
    assert [found for call in calls(document) if (found := problem(call))] == []


def texts_of_the_product() -> Iterator[tuple[str, str]]:
    """Where it stands, and each text that the product can show: its strings, help and documents."""
    for document in {*DOCUMENTS} - {"CHANGELOG.md"}:
        yield document, (ROOT / document).read_text("utf-8")
    for folder in ("cortex_core", "cortex_tui"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.JoinedStr):
                    parts = (getattr(part, "value", "") for part in node.values)
                    yield (
                        path.name,
                        "".join(part if isinstance(part, str) else "X" for part in parts),
                    )
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield path.name, node.value


def wrong_name(named: re.Match[str]) -> str:
    """What is wrong with a command that a text names, "" if the table has it."""
    words = named["call"].split()
    if alias := {words[0], " ".join(words[:2])} & {*ALIASES}:
        return f"{alias.pop()!r} is an alias"
    group = cli.get_command(click.Context(cli), words[0])
    is_bare = isinstance(group, click.Group) and not isinstance(group, ShortGroup)
    return problem(named["call"]) if named["sure"] or (is_bare and len(words) == 2) else ""


def test_messages_help_and_documents_name_commands_of_the_table() -> None:
    """What `guard.py` lists is what an agent may type, and that may be an alias."""
    found = {
        (where, wrong)
        for where, text in texts_of_the_product()
        for named in NAMED.finditer(" ".join(text.split()))
        if (wrong := wrong_name(named))
    }
    assert found == {("guard.py", "'untrust' is an alias")}


def test_the_python_of_documents_runs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = ((ROOT / document).read_text("utf-8") for document in DOCUMENTS)
    for shown in re.findall(r"```python\n(.*?)```", "\n".join(texts), re.DOTALL):
        exec(shown.replace("path/to/project", str(project)), {})
    assert "Use pnpm, never npm" in capsys.readouterr().out


def test_the_toml_that_documents_show_is_valid() -> None:
    shown = [
        block
        for document in DOCUMENTS
        for block in re.findall(
            r"```toml\n(.*?)```", (ROOT / document).read_text("utf-8"), re.DOTALL
        )
    ]
    assert shown
    for block in shown:
        tomllib.loads(block)


def test_readme_shows_the_first_steps() -> None:
    shown = calls("README.md")
    assert {"install", "import transcripts", "undo", ""} <= set(shown)
    assert any(call.startswith("recall ") for call in shown)


def test_the_readme_shows_what_an_agent_gets_at_a_call() -> None:
    assert f"Cortex, at that call     {guard.HEADER}\n" in (ROOT / "README.md").read_text("utf-8")


def test_the_overview_names_every_command() -> None:
    """The table at the top of docs/commands.md, which the README links to."""
    assert "](docs/commands.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
    overview = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert [
        name for name in cli.list_commands(click.Context(cli)) if f"[`{name}`]" not in overview
    ] == []


def test_readme_is_short_and_begins_with_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 150
    assert "```sh\npython3 dev.py demo\npython3 dev.py test\n```" in readme


@pytest.mark.parametrize("document", DOCUMENTS)
def test_documents_use_plain_words(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    text = text.partition("### Words that we do not use")[0]
    found = [line for line in text.splitlines() if UNPLAIN.search(line)]
    assert found == [], "see the glossary in CONTRIBUTING.md"


def test_the_glossary_has_each_term_once() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    glossary = text.partition("## Glossary")[2].partition("\n###")[0]
    terms = re.findall(r"^\| ([^|]+?) \|", glossary, re.MULTILINE)[1:]
    assert len(terms) > 40
    assert sorted(set(terms)) == sorted(terms)


def test_a_wrong_call_would_be_noticed() -> None:
    assert problem("remember x --never") == "no option '--never' in cortex remember x --never"
    assert problem("forgte x") == "no command 'forgte' in cortex forgte x"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_between_documents_lead_somewhere(document: str) -> None:
    assert lost(ROOT / document) == []


def test_a_link_that_leads_nowhere_would_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# One's `own`\n[a](b.md) [b](#ones-own) [c](a.md#other)")
    assert lost(tmp_path / "a.md") == ["b.md", "a.md#other"]


def lost(document: Path) -> list[str]:
    """The links of a document to files or headings that are not there."""
    found = []
    for link in LINK.finditer(document.read_text("utf-8")):
        target = document.parent / link[1] if link[1] else document
        if not target.exists() or (link[2] and link[2] not in anchors(target)):
            found.append(link[0][2:-1])
    return found


def anchors(document: Path) -> set[str]:
    """The names by which a link reaches the headings of a document."""
    titles = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.casefold()).replace(" ", "-") for title in titles}


def test_ten_questions_are_answered_in_three_files_each() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    questions = re.split(r"^\*\*\d+\. ", page.partition("## Ten questions")[2], flags=re.MULTILINE)[
        1:
    ]
    assert len(questions) == 10
    for question in questions:
        commands = re.findall(r"^grep .+$", question, re.MULTILINE)
        assert 1 <= len(commands) <= 3, question
        for command in commands:
            words = shlex.split(command)
            source = (ROOT / words[-1]).read_text("utf-8")
            for pattern in (words[place + 1] for place, word in enumerate(words) if word == "-e"):
                assert re.search(_of_grep(pattern), source, re.MULTILINE), command


def _of_grep(pattern: str) -> str:
    """A basic regular expression of grep, in Python's syntax."""
    return re.sub(r"(?<!\\)([(){}+?|])", r"\\\1", pattern)


def test_owners_in_contributing_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## One owner")[2].partition("\n## ")[0]
    owners = re.findall(r"`([a-z_/]+(?:\.py|/)|[a-z_]+\.[A-Za-z_]+)`", table)
    assert len(owners) > 20
    assert [owner for owner in owners if not _exists(owner)] == []


def _exists(owner: str) -> bool:
    """Whether a path below the core or the checkout, or a name in a module of the core, exists."""
    if owner.endswith((".py", "/")):
        return (ROOT / "cortex_core" / owner).exists() or (ROOT / owner).exists()
    module, _, name = owner.partition(".")
    return hasattr(importlib.import_module(f"cortex_core.{module}"), name)
