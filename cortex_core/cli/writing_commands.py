"""Commands that write memories and links: remember, edit, tag, pin, reinforce, give, move, link,
forget, restore.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import click

from cortex_core.base import text
from cortex_core.base.errors import NotFound, StoreError, UsageError
from cortex_core.cli import naming, output, prose
from cortex_core.cli.command import Run, at_terminal, command, kind_option, pass_run, text_of
from cortex_core.records.as_json import to_json
from cortex_core.records.memory import (
    EDGE_TYPES,
    INJECTION_POLICIES,
    OWN_SCOPES,
    EdgeType,
    Memory,
    Scope,
    Status,
)

IDS = click.argument(
    "ids", metavar="ID...", nargs=-1, required=True, shell_complete=naming.complete_memory
)
ID_ARGUMENT = click.Argument(
    ["ids"], metavar="ID...", nargs=-1, required=True, shell_complete=naming.complete_memory
)


@command(
    "tag",
    examples=("cortex tag 1f3a9c20 +auth +mobile -draft", "cortex tag 1f3a9c20 auth"),
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
)
@click.argument("id", shell_complete=naming.complete_memory)
@click.argument("signed", metavar="+TAG|-TAG...", nargs=-1, required=True)
@pass_run
def tag(run: Run, id: str, signed: tuple[str, ...]) -> None:
    """Add and remove tags.

    +TAG (or TAG) adds, -TAG removes.
    """
    add = [word.removeprefix("+") for word in signed if not word.startswith("-")]
    remove = [word.removeprefix("-") for word in signed if word.startswith("-")]
    if not all((*add, *remove)):
        raise UsageError("A tag needs at least one character. Nothing was changed.")
    changed = run.cortex.tag(naming.ids(run, [id]), add=add, remove=remove)
    print_all(run, changed, f"Tagged ({', '.join(changed[0].tags) or 'no tags'})")


def verb(
    name: str,
    examples: Sequence[str],
    help: str,
    done: Callable[..., str],
    act: Callable[..., Sequence[Memory]],
    *options: click.Parameter,
    statuses: Sequence[Status] = ("active",),
) -> click.Command:
    """The command `name`, which does one thing to each memory that is named.

    Args:
        done: what is printed of them, by the options.
        act: the verb of `Cortex`: the stores, the ids, and the options by name.
        options: what the command takes next to the ids.
        statuses: of the memories that words may mean.
    """

    # One function for all of them: what differs is in the rows below.
    @command(name, examples=examples, help=help, params=[ID_ARGUMENT, *options])
    @pass_run
    def act_on(run: Run, /, ids: tuple[str, ...], **chosen: Any) -> None:
        print_all(run, act(run.cortex, naming.ids(run, ids, statuses), **chosen), done(**chosen))

    return act_on


pin = verb(
    "pin",
    ("cortex pin 1f3a9c20", "cortex pin 1f3a9c20 77b0e1d4", "cortex pin 1f3a9c20 --off"),
    "Pin memories: always inject them, never let them decay.",
    lambda off: "Unpinned" if off else "Pinned",
    lambda cortex, ids, off: cortex.unpin(ids) if off else cortex.pin(ids),
    click.Option(["--off"], is_flag=True, help="Unpin them instead."),
)
reinforce = verb(
    "reinforce",
    ("cortex reinforce 1f3a9c20", "cortex reinforce 1f3a9c20 77b0e1d4"),
    "Reset the decay of memories.\n\ncortex lifecycle --forecast shows which memories decay next.",
    lambda: "Reinforced",
    lambda cortex, ids: cortex.lifecycle.reinforce(ids),
)
give = verb(
    "give",
    ("cortex give 1f3a9c20 never", "cortex give 1f3a9c20 77b0e1d4 normal"),
    "Set the injection policy of memories.\n\nnormal: by rank; demoted: only if they match a "
    "prompt or file; never: only when searched for.\nAlias: inject.",
    lambda inject: f"Injection policy is now {inject} for",
    lambda cortex, ids, inject: cortex.give(ids, inject),
    click.Argument(
        ["inject"], metavar="|".join(INJECTION_POLICIES), type=click.Choice(INJECTION_POLICIES)
    ),
)
move = verb(
    "move",
    ("cortex move 1f3a9c20 --to global",),
    "Move memories between the project store, the global store and other projects.",
    lambda scope: f"Moved to {scope}:",
    lambda cortex, ids, scope: cortex.move(ids, scope),
    click.Option(
        ["--to", "scope"],
        metavar=f"{'|'.join(OWN_SCOPES)}|FOLDER",
        required=True,
        help="The target store, or the folder of another project of yours.",
    ),
)
restore = verb(
    "restore",
    ("cortex restore 1f3a9c20", "cortex restore 1f3a9c20 77b0e1d4"),
    "Restore archived or superseded memories.\n\nThis includes memories in the trash. Restoring "
    "resets their decay.",
    lambda: "Restored",
    lambda cortex, ids: cortex.restore(ids),
    statuses=naming.PUT_AWAY,
)


@command(
    "forget",
    examples=("cortex forget 1f3a9c20", 'cortex forget "staging token" --dry-run'),
)
@click.argument(
    "words", metavar="ID...|QUERY", nargs=-1, required=True, shell_complete=naming.complete_memory
)
@click.option(
    "--dry-run", is_flag=True, help="Show what would be forgotten, without changing anything."
)
@pass_run
def forget(run: Run, words: tuple[str, ...], dry_run: bool) -> None:
    """Archive memories, by id or by words.

    Words must match exactly one memory. If they match several, or one only by similar words, these
    are listed and nothing changes. cortex restore or cortex undo restores memories.
    """
    # Each word is a memory if all of them are ids, else all of them name one.
    try:
        ids = [run.cortex.show(word).id for word in words]
    except (NotFound, UsageError):
        ids = naming.ids(run, [" ".join(words)])
    memories = [run.cortex.show(id) for id in ids] if dry_run else run.cortex.forget(ids)
    print_all(run, memories, "Would forget" if dry_run else "Forgot")


EDGE = click.Choice(EDGE_TYPES, case_sensitive=False)


def print_one(run: Run, memory: Memory, done: str, note: str = "") -> None:
    """Print what was `done` to `memory`, and a note."""
    run.say(to_json(memory), f"{_done(run, done)} {prose.short(memory.id)}: {memory.title}", note)


def _done(run: Run, done: str) -> str:
    """`done`, unless it was so already and nothing was written."""
    is_so = run.cortex.workspace.own.done or done.startswith("Would")
    return done if is_so else "Nothing was changed of"


@command(
    "remember",
    examples=(
        'cortex remember "Use pnpm, never npm" --kind preference --priority 8 --pin',
        'cortex remember "Routes check the token in require_user" -k pattern -f "src/routes/**"',
        "git log -1 --format=%B | cortex remember - --kind progress --tag release",
    ),
    typed=True,
)
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@kind_option("The kind of the memory; default: a rule or wish by its words, else a fact.")
@click.option("--title", metavar="LINE", help="One line; default: made from the text.")
@click.option(
    "-p",
    "--priority",
    type=int,
    metavar="N",
    help="Priority, 1 to 10; default: that of the kind, 8 for a policy, 5 for a fact.",
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
    known statement reinforces the existing memory, which takes over the kind, priority, tags and
    pin that you give. In a terminal you are asked whether it replaces a memory that is near it.
    """
    content = text_of(words, what="text")
    scope: Scope | None = "global" if everywhere else None
    near = run.cortex.graph.near(content, scope)
    settled = asked_about(run, lambda: near)
    memory = run.cortex.remember(content, kind=kind, scope=scope, settled=settled, **fields)
    done, of_none = (
        "Remembered",
        "This folder belongs to no project, so the memory is for all projects.",
    )
    notes = [] if everywhere or memory.scope != "global" else [of_none]
    if "[redacted: " in memory.content and "[redacted: " not in content:
        notes.append(
            "A secret was taken out before it was stored, and is nowhere now. To say where it is "
            f"kept instead: cortex edit {prose.short(memory.id)}"
        )
    # It is stored by now: a store that fails here must not end in “Nothing was changed”.
    with suppress(StoreError):
        if memory.reinforced > memory.created:
            done = "Already known, reinforced"
            (latest,) = run.cortex.memories.revisions(memory.id, 1)
            values = tuple(each for each in latest.fields if each.name != "source")
            if changed := prose.changed_values(values):
                done = f"Already known, changed ({changed})"
        (next_start,) = run.cortex.sessions.outlooks([memory.id])
        if not next_start.line:
            notes.append(f"Not injected at the next start: {next_start.reason}.")
        notes += list(_changed_by(run, memory)) or [
            f"Near it: {prose.short(one.id)} “{one.title}”. If it replaces that: cortex link "
            f"{prose.short(memory.id)} {prose.short(one.id)} --type supersedes"
            for one in near
            if one.id not in settled
        ]
    run.say(
        {**to_json(memory), "near": [{"id": one.id, "title": one.title} for one in near]},
        f"{done} {prose.short(memory.id)}: {memory.title}",
        "\n".join(notes),
    )


def asked_about(
    run: Run, near: Callable[[], Sequence[Memory]], what: str = "it"
) -> dict[str, bool]:
    """By id, whether the user says that `what` replaces each memory; empty outside a terminal."""
    return {
        one.id: click.confirm(
            f"Does {what} replace {prose.short(one.id)} of {prose.day(one.created)}, "
            f"“{one.title}”?",
            err=True,
        )
        for one in (near() if at_terminal() and not run.json else ())
    }


def _changed_by(run: Run, memory: Memory) -> Iterator[str]:
    """What a memory that was just written changes of earlier ones, or brings back."""
    details = run.cortex.memories.details(memory.id)
    # What is stored again comes back in the row that it had; another process may have reinforced a
    # new one by now.
    if memory.reinforced == memory.created and any(
        one.time < memory.created for one in details.history
    ):
        yield "It holds again: it had been changed or withdrawn."
    for edge in details.edges:
        if edge.type == "supersedes" and edge.source == memory.id:
            yield f"{edge.context} To turn it round: cortex restore {prose.short(edge.target)}"
    for _, proposal in run.cortex.review.proposals():
        if proposal.type == "supersede" and proposal.members[0] == memory.id:
            yield f"{proposal.reasons[0]} To decide: cortex review show {proposal.number}"


@command(
    "edit",
    examples=(
        "cortex edit 1f3a9c20",
        'cortex edit 1f3a9c20 --title "Tokens live 15 minutes" --priority 8',
        "cortex edit 1f3a9c20 --content - < note.txt",
    ),
)
@click.argument("id", shell_complete=naming.complete_memory)
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
@click.option("--until", metavar="TERM", help="How long it holds: good, session, branch or a date.")
@pass_run
def edit(run: Run, /, id: str, **fields: Any) -> None:
    """Change the text or fields of a memory.

    Without an option, the text opens in $EDITOR.
    """
    given = {name: value for name, value in fields.items() if value not in (None, ())}
    (id,) = naming.ids(run, [id])
    if not given:
        if not at_terminal():
            raise UsageError(
                "There is no option, and no terminal to edit in. Nothing was changed. Use "
                "--content, --title, --kind, --priority, --tag, --file, --confidence or --until."
            )
        old = run.cortex.show(id)
        written = click.edit(old.content, extension=".md")
        # Editors add a line end; None means that nothing was written.
        if written is None or written.removesuffix("\n") == old.content:
            output.note("Nothing was changed: the text is the same.")
            return
        given["content"] = written.removesuffix("\n")
    elif "content" in given:
        given["content"] = text_of([given["content"]], what="text")
    print_one(run, run.cortex.edit(id, **given), "Changed")


@command(
    "link",
    examples=(
        "cortex link 1f3a9c20 77b0e1d4 --type refines",
        'cortex link 1f3a9c20 77b0e1d4 --type CAUSES --context "seen in the outage of 12 Oct"',
        "cortex link 1f3a9c20 77b0e1d4 --remove",
    ),
)
@click.argument("source", metavar="ID", shell_complete=naming.complete_memory)
@click.argument("target", metavar="ID", shell_complete=naming.complete_memory)
@click.option(
    "--type",
    "type_",
    type=EDGE,
    help="What the first memory is to the second; default: relates_to, with --remove all.",
)
@click.option(
    "--strength", type=float, metavar="X", default=1.0, show_default=True, help="Strength, 0 to 1."
)
@click.option("--context", metavar="LINE", default="", help="A line that explains the link.")
@click.option(
    "--remove", is_flag=True, help="Remove the links between the two, in both directions."
)
@click.option("--one-way", is_flag=True, help="With --remove: only from the first to the second.")
@pass_run
def link(
    run: Run,
    source: str,
    target: str,
    type_: EdgeType | None,
    strength: float,
    context: str,
    remove: bool,
    one_way: bool,
) -> None:
    """Link two memories, or remove the links between them.

    Linking the same two with the same type again replaces the link. With --type supersedes, the
    first replaces the second, which is superseded then.
    """
    source, target = naming.ids(run, [source, target])
    graph = run.cortex.graph
    # Without a type, all links between the two are removed, but a new one relates them.
    if remove:
        removed = graph.unlink(source, target, type_, directed=one_way)
        links = text.counted(removed, "link")
        run.say({"removed": removed}, f"Removed {links}. To undo: cortex undo")
        return
    edge = graph.link(source, target, type_ or "relates_to", strength=strength, context=context)
    gone = f"\n{prose.short(edge.target)} is superseded: it is not injected any more."
    done = f"Linked {prose.short(edge.source)} -> {prose.short(edge.target)}: {edge.type}"
    run.say(to_json(edge), done + (gone if edge.type == "supersedes" else ""))


def print_all(run: Run, memories: Sequence[Memory], done: str) -> None:
    """Print what was `done` to `memories`."""
    if run.json or len(memories) == 1:
        for memory in memories:
            print_one(run, memory, done)
    else:
        output.say(f"{_done(run, done)} {prose.memories(len(memories))}:")
        output.show(prose.MEMORIES, memories, as_json=False)
