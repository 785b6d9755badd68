"""Commands about conversations: list and search the archive, and read one of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from cortex_core.base import agent_names, excerpts, text
from cortex_core.base.errors import NotFound, UsageError
from cortex_core.cli import naming, output, prose
from cortex_core.cli.command import (
    FAILED,
    NOTHING_FOUND,
    YES,
    Run,
    confirm,
    group,
    limit_option,
    pass_run,
    text_of,
)
from cortex_core.records.as_json import to_json
from cortex_core.records.conversation import (
    PROSE,
    Conversation,
    ConversationHit,
    ConversationText,
    Message,
    MessageKind,
)

LONGEST_EXCERPT = 300
"""Characters of a message that are shown of a hit."""

LONGEST_TITLE = 110
"""Characters of the first words of a conversation that are shown."""

SPEAKERS: dict[MessageKind, str] = {
    "user": "you",
    "agent": "agent",
    "question": "agent asks",
    "answer": "you answer",
    "plan": "plan",
    "summary": "summary",
    "report": "sub-agent",
    "command": "command",
    "edit": "changed",
    "commit": "commit",
}
"""How a message is introduced, by its kind."""


@group(
    "sessions",
    examples=(
        "cortex sessions",
        'cortex sessions "why did the tunnel lose its lease"',
        "cortex sessions --file src/tunnel.py --since 30d",
    ),
    unnamed="list",
)
def sessions() -> None:
    """Search the conversations that were kept.

    cortex sessions WORDS is short for cortex sessions list WORDS. What you and the agent said in
    each session stays in an archive of its own (.memory/archive.db), without secrets, private text,
    code and output of tools, after the agent has deleted the transcript. The setting archive.keep
    says for how long; off keeps none.
    """


@sessions.command(
    "list",
    examples=(
        "cortex sessions list",
        "cortex sessions list flaky login test --branch main",
        "cortex sessions list --commit 1a2b3c4",
        'cortex sessions list "lease" --since 2026-10-01 --json',
    ),
)
@click.argument("words", metavar="QUERY", nargs=-1)
@click.option("--branch", metavar="NAME", help="Only sessions on this branch.")
@click.option(
    "-f",
    "--file",
    metavar="PATH",
    help="Only sessions that changed this file: a path, a name or a glob.",
)
@click.option("--commit", metavar="HASH", help="Only sessions that made the commit.")
@click.option(
    "--agent", type=click.Choice(list(agent_names.LABELS)), help="Only sessions of this agent."
)
@click.option(
    "--since", metavar="WHEN", help="Only what went on after this time: 2026-11-05, 3d, yesterday."
)
@click.option(
    "--until", metavar="WHEN", help="Only what began before this time; same formats as --since."
)
@limit_option(20)
@pass_run
def sessions_list(run: Run, /, words: tuple[str, ...], limit: int, **filters: Any) -> None:
    """List the sessions, newest first, or those that answer QUERY, best first.

    With a query, the message that fits best is shown of each, and its number, with which cortex
    sessions show ID --message N reads on from there. If there is no session, the exit code is 3.
    """
    times = ("since", "until")
    asked: dict[str, Any] = {
        name: value if name in times else value or "" for name, value in filters.items()
    }
    query = text_of(words, what="query") if any(words) else ""
    archive = run.cortex.sessions.archive
    # One more than is shown says whether there are more.
    found: Sequence[Conversation | ConversationHit] = (
        archive.search(query, limit=limit, **asked)
        if query
        else archive.list(limit=limit + 1, **asked)
    )
    for one in found[:limit]:
        if run.json:
            output.emit(to_json(one))
        else:
            _print_listed(one, excerpts.asked(query))
    if len(found) > limit and not run.json:
        output.note(f"There are more: cortex sessions --limit {limit * 5}")
    if not found:
        output.note(_nothing_found(run))
        raise click.exceptions.Exit(NOTHING_FOUND)


def _print_listed(one: Conversation | ConversationHit, asked: Sequence[str]) -> None:
    """Write a conversation; of one that a search found also the message that fits best."""
    about, said = (one, []) if isinstance(one, Conversation) else (one.conversation, [one.message])
    messages = [
        f"#{each.number} {SPEAKERS[each.kind]}: "
        + excerpts.excerpt(asked, each.text, LONGEST_EXCERPT)
        for each in said
    ]
    lines = [(_title(about), "bold"), (_facts(about), "dim"), *((line, "") for line in messages)]
    name = prose.short(about.session)
    output.item(name, *lines, width=len(name), marked=asked)


def _nothing_found(run: Run) -> str:
    """What is said where no conversation was found."""
    archive = run.cortex.sessions.archive
    if archive.list(limit=1):
        return (
            "No session matches. Try fewer words or filters; to list all: cortex sessions, and to "
            "open one by its id: cortex sessions show ID"
        )
    if not archive.recorder.is_kept:
        return (
            "No conversations are kept here (setting archive.keep). To keep them from now on: "
            "cortex config set archive.keep forever"
        )
    return (
        "No conversations yet. They are kept from the next session on; to read the sessions that "
        "your agents still have: cortex import transcripts"
    )


def _title(one: Conversation) -> str:
    return prose.cut(text.one_line(one.title), LONGEST_TITLE) or "(nothing was typed)"


def _facts(one: Conversation) -> str:
    """When and where a conversation was, and how much came of it, on one line."""
    counted = (
        (one.turns, "turn", "turns"),
        (one.memories, "memory", "memories"),
        (one.commits, "commit", "commits"),
    )
    parts = (
        prose.when(one.started),
        agent_names.shown(one.agent),
        one.branch,
        *(text.counted(number, *names) for number, *names in counted if number),
    )
    return " · ".join(part for part in parts if part)


@sessions.command(
    "show",
    examples=(
        "cortex sessions show 5f1c2d3e",
        "cortex sessions show 5f1c2d3e --message 128 --around 4",
        "cortex sessions show tunnel lease --json",
    ),
)
@click.argument(
    "name", metavar="ID", nargs=-1, required=True, shell_complete=naming.complete_session
)
@click.option(
    "-m",
    "--message",
    metavar="N",
    help="Only this message, by its number or uuid, and what is around it.",
)
@click.option(
    "-n",
    "--around",
    type=click.IntRange(0, 1_000),
    metavar="N",
    default=5,
    show_default=True,
    help="With --message: how many messages before and after it.",
)
@pass_run
def session_show(run: Run, name: tuple[str, ...], message: str | None, around: int) -> None:
    """Read what was said in a session.

    ID is its id, the beginning of it, or words that are searched for: the best hit is shown.
    Commands, changed files and commits are a line each; ✓ worked, ✗ failed. cortex show ID explains
    the memories that were learned.
    """
    found = naming.conversation(run, " ".join(name))
    shown = found if message is None else _around(found, message, around)
    run.show(shown, _print_text)


def _around(found: ConversationText, name: str, around: int) -> ConversationText:
    """The part of a conversation around one message.

    Raises:
        NotFound: it has no such message.
    """
    number = name.lstrip("#")
    for index, each in enumerate(found.messages):
        if number == str(each.number) or name == each.uuid:
            return replace(
                found, messages=found.messages[max(0, index - around) : index + around + 1]
            )
    raise NotFound(
        f"Session {prose.short(found.conversation.session)} has no message “{name[:40]}”. Nothing "
        f"was shown. For all with their numbers: cortex sessions show "
        f"{prose.short(found.conversation.session)}"
    )


def _print_text(found: ConversationText) -> None:
    one = found.conversation
    output.say(_title(one), "bold")
    output.say(f"session {one.session}", "dim")
    output.say(" · ".join(filter(None, (_facts(one), one.model, one.folder))), "dim")
    day, spoke = "", True
    learned = dict(found.learned)
    for message in found.messages:
        when = prose.when(message.time)
        if when[:10] != day:
            day = when[:10]
            output.say()
            output.say(day, "bold magenta")
        folded = message.kind not in PROSE
        if spoke or not folded:
            output.say()
        spoke = not folded
        _print_message(message, when[11:])
        if message.uuid in found.deciding and message.kind in PROSE:
            output.say("★ decided the session", "yellow")
        if taught := learned.pop(message.uuid, ()):  # several messages may be one record
            output.say(f"→ learned: {', '.join(map(prose.short, taught))}", "green")


def _print_message(message: Message, clock: str) -> None:
    if message.kind in PROSE:
        output.say(f"{clock}  {SPEAKERS[message.kind]}  #{message.number}", "bold")
        output.say(message.text, indent=output.INDENT)
        return
    line = text.one_line(message.text)
    if message.kind == "command":
        mark = "·" if message.succeeded is None else "✓" if message.succeeded else "✗"
        output.say(f"{mark} {line}", "red" if message.succeeded is False else "dim")
    else:
        output.say(f"{SPEAKERS[message.kind]} {line}", "dim")


@sessions.command(
    "forget",
    examples=(
        "cortex sessions forget 5f1c2d3e",
        "cortex sessions forget 5f1c2d3e --memories",
        "cortex sessions forget 5f1c2d3e --for-good --memories --yes",
    ),
)
@click.argument(
    "name", metavar="ID", nargs=-1, required=True, shell_complete=naming.complete_session
)
@click.option(
    "--memories", is_flag=True, help="Forget what was learned in it and in no other session, too."
)
@click.option("--for-good", is_flag=True, help="Remove every word of it: this cannot be undone.")
@click.option(
    "--remove-snapshots",
    is_flag=True,
    help="With --for-good: remove the snapshots that know the session.",
)
@YES
@pass_run
def session_forget(
    run: Run,
    name: tuple[str, ...],
    memories: bool,
    for_good: bool,
    remove_snapshots: bool,
    yes: bool,
) -> None:
    """Forget one conversation.

    It is hidden from every list and search until cortex undo or cortex sessions restore ID, and
    removed for good once it has been forgotten for lifecycle.prune_after_days. With --for-good no
    word of it is left now, and reading its transcript again does not bring it back. The transcript
    is the agent's and is not touched.
    """
    if remove_snapshots and not for_good:
        raise UsageError("--remove-snapshots needs --for-good. Nothing was changed.")
    # Erasing asks for confirmation and has a report of its own, because no undo takes it back.
    if for_good:
        _erase(run, " ".join(name), memories, remove_snapshots, yes)
        return
    one = naming.conversation(run, " ".join(name), looks=False).conversation
    count = run.cortex.sessions.archive.forget(one.session, memories=memories)
    too = f" and {prose.memories(count)}" if memories else ""
    run.say(
        {"session": one.session, "forgotten": True, "memories": count},
        f"Forgot session {prose.short(one.session)}{too}: {_title(one)}",
        "To undo: cortex undo",
    )


def _erase(run: Run, name: str, memories: bool, remove_snapshots: bool, yes: bool) -> None:
    """Remove a conversation for good, and say what is left of it."""
    confirm(f"Remove session {name} for good?", yes)
    done = run.cortex.sessions.archive.erase(
        name, memories=memories, remove_snapshots=remove_snapshots
    )
    if run.json:
        output.emit(to_json(done))
    else:
        too = f" and {prose.memories(done.memories)}" if memories else ""
        output.say(f"Removed session {prose.short(done.conversation.session)}{too} for good.")
        for path in done.removed:
            output.say(f"Removed {path}")
        for sentence in done.left:
            output.note(f"! {sentence}")
    click.get_current_context().exit(FAILED if done.left else 0)


@sessions.command("restore", examples=("cortex sessions restore 5f1c2d3e",))
@click.argument("name", metavar="ID", shell_complete=naming.complete_session)
@pass_run
def session_restore(run: Run, name: str) -> None:
    """Show a forgotten conversation again.

    The memories that were forgotten with it stay so; cortex undo brings back both.
    """
    one = run.cortex.sessions.archive.restore(name)
    run.say(
        {"session": one.session, "forgotten": False},
        f"Session {prose.short(one.session)} is shown again: {_title(one)}",
    )
