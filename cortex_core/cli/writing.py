"""Commands that write one memory or one link: remember, edit, link, unlink."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from cortex_core import shapes, text
from cortex_core.cli import output, views
from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.options import at_terminal, kind_option, text_of
from cortex_core.errors import UsageError
from cortex_core.memory import EDGE_TYPES, EdgeType, Memory

EDGE = click.Choice(EDGE_TYPES, case_sensitive=False)


def tell(memory: Memory, done: str, *, as_json: bool) -> None:
    """Print what was `done` to `memory`."""
    if as_json:
        output.emit(shapes.memory(memory))
    else:
        output.say(f"{done} {views.short(memory.id)}: {memory.title}")


@command(
    "remember",
    examples=(
        'cortex remember "Use pnpm, never npm" --kind preference --priority 8 --pin',
        'cortex remember "Routes check the token in require_user" -k pattern -f "src/routes/**"',
        "git log -1 --format=%B | cortex remember - --kind progress --tag release",
    ),
)
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@kind_option("The kind of the memory; default: fact.")
@click.option("--title", metavar="LINE", help="One line; default: made from the text.")
@click.option(
    "-p",
    "--priority",
    type=int,
    metavar="N",
    default=5,
    show_default=True,
    help="Priority, 1 to 10.",
)
@click.option("-t", "--tag", "tags", multiple=True, metavar="TAG", help="A tag; repeatable.")
@click.option(
    "-f",
    "--file",
    "files",
    multiple=True,
    metavar="GLOB",
    help="Files that it applies to; repeatable.",
)
@click.option(
    "--confidence",
    type=float,
    metavar="X",
    default=0.9,
    show_default=True,
    help="Confidence, 0 to 1.",
)
@click.option("--global", "everywhere", is_flag=True, help="Store it globally, for all projects.")
@click.option("--pin", "pinned", is_flag=True, help="Always inject it, and never let it decay.")
@pass_run
def remember(
    run: Run, /, words: tuple[str, ...], kind: str | None, everywhere: bool, **fields: Any
) -> None:
    """Store a memory.

    TEXT is one or more words, or - for stdin. Secrets are removed before anything is written. A
    known statement reinforces the existing memory.
    """
    content = text_of(words, what="text")
    with run.cortex() as cortex:
        memory = cortex.remember(
            content, kind=kind or "fact", scope="global" if everywhere else None, **fields
        )
    known = memory.reinforced > memory.created
    tell(memory, "Already known, reinforced" if known else "Remembered", as_json=run.json)


@command(
    "edit",
    examples=(
        "cortex edit 1f3a9c20",
        'cortex edit 1f3a9c20 --title "Tokens live 15 minutes" --priority 8',
        "cortex edit 1f3a9c20 --content - < note.txt",
    ),
)
@click.argument("id")
@click.option("--content", metavar="TEXT", help="The new text; - for stdin.")
@click.option("--title", metavar="LINE", help="The new title; if empty, made from the text.")
@kind_option("The new kind.")
@click.option("-p", "--priority", type=int, metavar="N", help="Priority, 1 to 10.")
@click.option(
    "-t",
    "--tag",
    "tags",
    multiple=True,
    metavar="TAG",
    help="Replace the tags; repeatable.",
)
@click.option(
    "-f",
    "--file",
    "files",
    multiple=True,
    metavar="GLOB",
    help="Replace the files; repeatable.",
)
@click.option("--confidence", type=float, metavar="X", help="Confidence, 0 to 1.")
@pass_run
def edit(run: Run, /, id: str, **fields: Any) -> None:
    """Change the text or fields of a memory.

    Without an option, the text opens in $EDITOR.
    """
    given = {name: value for name, value in fields.items() if value not in (None, ())}
    with run.cortex() as cortex:
        if not given:
            old = cortex.show(id)
            given["content"] = _edited(old.content)
            if given["content"] == old.content:
                output.note("Nothing was changed: the text is the same.")
                return
        elif "content" in given:
            given["content"] = text_of([given["content"]], what="text")
        memory = cortex.edit(id, **given)
    tell(memory, "Changed", as_json=run.json)


def _edited(content: str) -> str:
    """`content` as edited by the user, without the line end that editors add."""
    if not at_terminal():
        raise UsageError(
            "Nothing to change was given, and there is no terminal to edit in. Nothing was "
            "changed. Give --content, --title, --kind, --priority, --tag, --file or --confidence."
        )
    written = click.edit(content, extension=".md")
    return content if written is None else written.removesuffix("\n")


@command(
    "link",
    examples=(
        "cortex link 1f3a9c20 77b0e1d4 --type refines",
        'cortex link 1f3a9c20 77b0e1d4 --type CAUSES --context "seen in the outage of 12 Oct"',
    ),
)
@click.argument("source", metavar="ID")
@click.argument("target", metavar="ID")
@click.option(
    "--type",
    "type_",
    type=EDGE,
    default="relates_to",
    show_default=True,
    help="What the first memory is to the second.",
)
@click.option(
    "--strength", type=float, metavar="X", default=1.0, show_default=True, help="Strength, 0 to 1."
)
@click.option("--context", metavar="LINE", default="", help="A line that explains the link.")
@pass_run
def link(
    run: Run, source: str, target: str, type_: EdgeType, strength: float, context: str
) -> None:
    """Link two memories.

    Linking the same two with the same type again replaces the link.
    """
    with run.cortex() as cortex:
        edge = cortex.graph.link(source, target, type_, strength=strength, context=context)
    if run.json:
        output.emit(shapes.edge(edge))
    else:
        ends = (views.short(edge.source), views.short(edge.target))
        output.say(f"Linked {ends[0]} -> {ends[1]}: {edge.type}")


@command(
    "unlink",
    examples=(
        "cortex unlink 1f3a9c20 77b0e1d4",
        "cortex unlink 1f3a9c20 77b0e1d4 --type contradicts",
    ),
)
@click.argument("source", metavar="ID")
@click.argument("target", metavar="ID")
@click.option("--type", "type_", type=EDGE, help="Only links of this type.")
@click.option("--one-way", "directed", is_flag=True, help="Only from the first to the second.")
@pass_run
def unlink(run: Run, source: str, target: str, type_: EdgeType | None, directed: bool) -> None:
    """Remove a link.

    Without a type, it removes every link between the two, in both directions.
    """
    with run.cortex() as cortex:
        removed = cortex.graph.unlink(source, target, type_, directed=directed)
    if run.json:
        output.emit({"removed": removed})
    else:
        output.say(f"Removed {text.counted(removed, 'link')}. To undo: cortex undo")


def tell_all(memories: Sequence[Memory], done: str, *, as_json: bool) -> None:
    """Print what was `done` to `memories`."""
    if as_json or len(memories) == 1:
        for memory in memories:
            tell(memory, done, as_json=as_json)
    else:
        output.say(f"{done} {views.memories(len(memories))}:")
        output.show(views.MEMORIES, memories, as_json=False)
