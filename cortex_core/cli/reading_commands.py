"""Commands that search and show: memories, their turns and links, and what is injected.

recall, list, show, why, surface, trust, anchors.
"""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from cortex_core import agents
from cortex_core.base import text
from cortex_core.base.errors import NotFound, UsageError
from cortex_core.base.project import archive_next_to
from cortex_core.cli import naming, output, prose
from cortex_core.cli.command import (
    ALL_PROJECTS,
    COUNT,
    NOTHING_FOUND,
    Run,
    command,
    filters,
    filters_of,
    limit_option,
    lines_of,
    pass_run,
    text_of,
)
from cortex_core.cli.writing_commands import print_all
from cortex_core.records.as_json import to_json
from cortex_core.records.conversation import Turn
from cortex_core.records.hits import Recall
from cortex_core.records.memory import (
    KEPT,
    RECALL_MODES,
    SORTS,
    InjectionPolicy,
    Memory,
    Sort,
)
from cortex_core.records.project_code import Anchor, AnchoredMemory


@command(
    "recall",
    examples=(
        'cortex recall "which package manager"',
        "cortex recall token refresh --kind decision --kind gotcha --since 30d",
        'cortex recall "login" --file src/auth/session.ts --json',
        'cortex recall "retry with backoff" --all-projects',
        "cortex recall --batch questions.txt --limit 5",
    ),
    typed=True,
)
@click.argument("words", metavar="QUERY", nargs=-1)
@limit_option(10)
@filters
@click.option(
    "--mode",
    type=click.Choice(RECALL_MODES),
    default="hybrid",
    show_default=True,
    help="Search by words, by meaning, or both.",
)
@click.option("--keyword", is_flag=True, help="Search by words alone, like --mode keyword.")
@ALL_PROJECTS
@click.option(
    "--batch",
    metavar="FILE",
    help="Read one query per line (- for stdin), print one JSON line each; counts no use.",
)
@click.option("--wide", is_flag=True, help="Search what has decayed as well.")
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@pass_run
def recall(
    run: Run,
    /,
    words: tuple[str, ...],
    batch: str | None,
    wide: bool,
    explain: bool,
    limit: int,
    mode: str,
    keyword: bool,
    all_projects: bool,
    **options: Any,
) -> None:
    """Search memories by words and by meaning.

    The best hits of both stores come first. Any text is a valid query. Misspelt words are
    corrected. If no active memory fits well, one that faded and does is active again, and undo
    takes that back. If none fits at all, the exit code is 3. With --all-projects, a hit of another
    project names its folder: its id is one of that project, as in cortex show ID --project DIR.
    To search what was said in sessions: cortex sessions QUERY. What a whole team has on its hub:
    cortex team search QUERY. Alias: search.
    """
    asked = {
        "limit": limit,
        "mode": "keyword" if keyword else mode,
        "all_projects": all_projects,
        **({"statuses": KEPT} if wide else {}),
        **filters_of(options),
    }
    if batch is not None:
        if words:
            raise UsageError("Use either a query or --batch, not both. Nothing was searched.")
        # Line by line: a script may wait for an answer before it writes its next query.
        with lines_of(batch) as lines:
            for line in lines:
                output.emit(
                    to_json(run.cortex.recall(line, count=False, **asked)) | {"query": line}
                )
        return
    # Without --batch a use is counted, which comes after the answer.
    query = text_of(words, what="query")
    result = run.cortex.recall(query, **asked)
    print_recall(result, as_json=run.json, explain=explain)
    _conclude(run, query, result, options)


def _conclude(run: Run, query: str, result: Recall, options: Mapping[str, Any]) -> None:
    """Say what conversations have that no memory answers; exit with 3 if there are no hits."""
    notes, cortex = list[str](), run.cortex
    if not result.hits:
        notes = ["Nothing found." if cortex.workspace.stores else prose.NO_MEMORIES]
    # Found out without loading what reads conversations.
    if any(Path(archive_next_to(str(store.path))).exists() for store in cortex.workspace.stores):
        # Those filters of memories that sessions have as well.
        branch, file = options["branch"] or "", options["file"] or ""
        answers = [f"{hit.memory.title} {hit.memory.content}" for hit in result]
        count = cortex.sessions.archive.mentioning(query, answers, branch=branch, file=file)
        notes += filter(None, [prose.mentions(count, query)])
    if notes:
        output.note(" ".join(notes))
    if not result.hits:
        raise click.exceptions.Exit(NOTHING_FOUND)


def print_recall(result: Recall, *, as_json: bool, explain: bool) -> None:
    """Write the hits, and notes to stderr."""
    for wrong, right in result.corrected.items():
        output.note(f"Searched for “{right}” instead of “{wrong}”.")
    if result.degraded:
        output.note(result.degraded)
    for hit in result:
        if as_json:
            more = {"project": hit.project} if hit.project else {}
            output.emit(to_json(hit) | more | ({"why": hit.why} if explain else {}))
        else:
            prose.hit(hit, explain=explain)
    if back := [hit.memory for hit in result if hit.revived]:
        which = f"“{back[0].title}”" if len(back) == 1 else prose.memories(len(back))
        output.note(
            f"Back from the archive, because no active memory fits as well: {which}. To take that "
            "back: cortex undo"
        )


@command(
    "list",
    examples=(
        "cortex list",
        "cortex list --kind decision --scope project --since 2026-10-01",
        "cortex list --tag auth --sort priority --limit 20 --json",
        "cortex list 10 --all-projects --kind gotcha --sort created",
    ),
)
@click.argument("number", metavar="[N]", type=COUNT, required=False)
@filters
@click.option(
    "--sort",
    type=click.Choice(SORTS),
    default="updated",
    show_default=True,
    help="Sort by this: latest or highest first, or alphabetically.",
)
@limit_option(None)
@ALL_PROJECTS
@pass_run
def listing(
    run: Run,
    /,
    number: int | None,
    sort: Sort,
    limit: int | None,
    all_projects: bool,
    **options: Any,
) -> None:
    """List memories.

    The history (commits, pull requests, where sessions stopped) is listed with --kind episode, and
    with --file what happened to a file; a plain list leaves it out. With --all-projects, a memory
    of another project comes with its folder.
    """
    limit = number or limit
    empty = "No memories match." if run.cortex.workspace.stores else prose.NO_MEMORIES
    if all_projects:
        filed = run.cortex.reflection.in_all_projects(sort=sort, limit=limit, **filters_of(options))
        run.rows(prose.FILED, filed, empty)
        return
    # The history alone is not “no memories”: what there is has to be named.
    filters = filters_of(options)
    found = run.cortex.list(sort=sort, limit=limit, **filters)
    is_filtered = any(value for value in filters.values() if value != "all")
    if not found and not is_filtered and (history := run.cortex.status().history):
        empty = (
            f"No memories yet, only {prose.entries(history)}. To list those: cortex list --kind "
            "episode"
        )
    run.rows(prose.MEMORIES, found, empty)


@command(
    "show",
    examples=(
        "cortex show 1f3a9c20",
        "cortex show 1f3a9c20 --links 2 --json",
        "cortex show 1f3a9c20 --around 10",
        "cortex show 1f3a9c20 --turn --around 3",
        "cortex show 1f3a9c20 --breach 2",
    ),
)
@click.argument("id", shell_complete=naming.complete_memory)
@click.option(
    "--links",
    "--depth",
    type=click.IntRange(1, 4),
    metavar="N",
    help="Show the memories linked to it instead, over at most N links.",
)
@click.option("--turn", is_flag=True, help="Show the session turn that it came from instead.")
@click.option(
    "-n",
    "--around",
    type=click.IntRange(0, 1_000),
    metavar="N",
    help="Show what was learned before and after it instead, N memories each; with --turn or "
    "--breach, how many turns.",
)
@click.option(
    "--source",
    type=COUNT,
    metavar="N",
    default=1,
    show_default=True,
    help="With --turn: which of its sources, if several were merged.",
)
@click.option(
    "--breach",
    type=COUNT,
    metavar="N",
    help="Show where the rule was broken instead, as cortex rules kept ID numbers it.",
)
@pass_run
def show(
    run: Run,
    id: str,
    links: int | None,
    turn: bool,
    around: int | None,
    source: int,
    breach: int | None,
) -> None:
    """Show one memory in full.

    Its text, source, links, changes, when it was injected, and whether it is at the next session
    start. Looking at a memory changes neither its confidence nor its importance; looks are counted,
    but not with --json.

    A turn is read from the transcript, without secrets and private text; once that is gone, from
    the archive of conversations, which has no output of tools and no code.
    """
    name = naming.seen(run, id)
    memories = run.cortex.memories
    # Each option shows one thing in place of the whole memory; of several the first counts.
    if turn or breach:
        turns = 1 if around is None else around
        found = memories.turn_of(name, source - 1, turns, breach=breach or 0)
        what = "the rule was broken" if breach else "the memory came from"
        run.show(found, lambda said: _print_turn(said, what))
    elif links:
        linked = run.cortex.graph.neighbours(name, links)
        run.rows(prose.NEIGHBOURS, linked, f"It has no links. To add one: cortex link {id} ID")
    elif around:
        run.rows(prose.MEMORIES, memories.timeline(name, around), prose.NO_MEMORIES)
    else:
        _show_whole(run, name)


def _show_whole(run: Run, id: str) -> None:
    if not run.json:
        run.cortex.memories.record_view(id)
    detail = run.cortex.memories.details(id)
    (next_start,) = run.cortex.sessions.outlooks([detail.memory.id])
    if run.json:
        output.emit(to_json(detail) | {"next_start": to_json(next_start)})
    else:
        prose.detail(detail, next_start, _turns(run, detail.memory))


def _turns(run: Run, memory: Memory) -> list[int]:
    """Of each source of a memory the number of its turn; 0 where neither it nor the archive says
    so."""
    numbers: list[int] = []
    for index, source in enumerate(memory.sources or (memory.source,)):
        numbers.append(source.turn)
        if source.offset is not None:
            with suppress(NotFound):
                numbers[-1] = run.cortex.memories.turn_of(memory.id, index, 0).number
    return numbers


@command(
    "why",
    examples=(
        "cortex why 1f3a9c20",
        'cortex why 1f3a9c20 --prompt "fix the logout bug"',
        'cortex why "Releases are tagged on main" --json',
    ),
)
@click.argument("what", metavar="ID|TEXT", shell_complete=naming.complete_memory)
@click.option("--prompt", metavar="TEXT", help="Whether this prompt would get the memory instead.")
@click.option("--file", metavar="PATH", help="Whether opening this file would inject it instead.")
@click.option(
    "--started",
    is_flag=True,
    help="With --prompt or --file: leave out what session start already injected.",
)
@pass_run
def why(run: Run, what: str, prompt: str | None, file: str | None, started: bool) -> None:
    """Say why a memory is as it is, or what would become of a text.

    Of a memory: where it came from, what was merged into it, why it waits or is withheld, and
    whether the next session start injects it and why. Of a text: what Cortex would do with it now
    if an agent brought it, and which memories it would be compared with. Nothing is written.
    """
    run.show(
        run.cortex.suggestions.why(what, prompt=prompt, file=file, started=started), prose.answer
    )


WHO = {
    "person": "you",
    "assistant": "agent",
    "tool": "tool",
    "result": "result",
    "summary": "summary",
}


def _print_turn(found: Turn, what: str) -> None:
    """Write a turn of a session, with a mark at what happened there."""
    output.say(f"session {found.session}", "dim")
    for said in found.said:
        output.say()
        here = f"  <- {what} here" if said.here else ""
        output.say(f"{WHO[said.by]}  {prose.when(said.time)}{here}", "bold")
        output.say(said.text)


@command(
    "surface",
    examples=(
        "cortex surface",
        "cortex surface --explain",
        'cortex surface --prompt "fix the logout bug"',
        'cortex surface --prompt "fix the logout bug" --started',
        "cortex surface --file src/auth/session.ts --json",
        "cortex surface --agent codex",
        'cortex surface --wrong 1f3a9c20 --prompt "fix the logout bug"',
    ),
)
@click.option(
    "--explain", is_flag=True, help="Show the parts of each score, what was left out, and why."
)
@click.option("--prompt", metavar="TEXT", help="Show what this prompt would get instead.")
@click.option("--file", metavar="PATH", help="Show what opening this file would inject instead.")
@click.option(
    "--started",
    is_flag=True,
    help="With --prompt or --file: leave out what session start already injected.",
)
@click.option(
    "--wrong",
    metavar="ID",
    help="Say that this memory does not fit: with --prompt, prompts like it; else the start.",
)
@click.option(
    "--agent",
    type=click.Choice([*(agent.name for agent in agents.having("hooks")), "other"]),
    help="Show what this agent's hook prints then; other: the block that --agents-md writes.",
)
@click.option(
    "--agents-md",
    type=click.Choice(["write", "remove"]),
    help="Write what always applies here into AGENTS.md and keep it up to date, or take it out.",
)
@pass_run
def surface(
    run: Run,
    explain: bool,
    prompt: str | None,
    file: str | None,
    started: bool,
    wrong: str | None,
    agent: str | None,
    agents_md: str | None,
) -> None:
    """Show what an agent gets at session start.

    The output is exact, byte for byte. Looking at it injects and counts nothing. Alias: context.

    With --agent: what the hook of that agent prints, in its form and within its limit.

    With --agents-md: for agents without hooks, a marked block of at most 1,500 bytes in the
    project's AGENTS.md holds what always applies here, of this project's memories alone. It is
    written only when you ask, renewed after sessions, and taken out without a trace.

    With --wrong: the memory is no longer given with prompts that hold half of the words of the one
    that you name. Without --prompt it is given only where it matches, like cortex give ID demoted.
    cortex undo takes either back.
    """
    from cortex_core.surface import agents_file

    # These two write; what is left only shows.
    if agents_md:
        here, now = run.cortex.project, run.cortex.workspace.clock()
        is_written = agents_md == "write"
        path = agents_file.write(here, now) if is_written else agents_file.remove(here)
        said = f"{'Wrote the block in' if is_written else 'No block is left in'} {path}"
        run.say({"file": path, "written": is_written}, said)
        return
    if agent == "other":
        block = agents_file.words(run.cortex.project, run.cortex.workspace.clock())
        run.say({"text": block}, block)
        return
    if wrong is not None:
        policy: InjectionPolicy = "never" if prompt else "demoted"
        [one] = run.cortex.give([wrong], policy, prompt=prompt or "")
        when = "with prompts like this" if prompt else "at a session's start"
        run.say(to_json(one), f"No longer given {when}: “{one.title}”")
        return
    injected = run.cortex.surface(prompt=prompt, file=file, started=started)
    if agent:
        # Imported here: every command of this module would load what hooks answer with.
        from cortex_core.agents.hook_call import HookAnswer, HookCall
        from cortex_core.base import hook_words

        asked = hook_words.PROMPT if prompt else hook_words.TOOL
        event = asked if prompt or file else hook_words.START
        given = HookAnswer(injected.text)
        printed = agents.of(agent).hooks.answer(HookCall(event), given).decode()
        run.say({"text": given.text, "printed": printed}, printed)
        return
    run.show(injected, lambda shown: prose.surface(shown, explain=explain))


@command("trust", examples=("cortex trust", "cortex trust --off"))
@click.option("--off", is_flag=True, help="Stop injecting the memories of this project.")
@pass_run
def trust(run: Run, off: bool) -> None:
    """Trust a .memory folder that came with a clone, and inject its memories.

    Until then nothing in it is read, neither memories nor settings. Somebody else may have written
    them, and agents will read them: look at them with cortex list, and stop injecting them with
    --off; you can still read and search them. The same command takes a store or an archive as yours
    that was put in place of your own, from a backup for instance.
    """
    if off:
        run.cortex.trust.revoke()
        run.say({"trusted": False}, "The memories of this project are no longer injected.")
        return
    run.cortex.trust.grant()
    run.cortex.sessions.archive.files.adopt()
    run.say({"trusted": True}, "The memories of this project are injected.")


MOST_ANCHORED = 40
"""Memories that are listed where none is named."""


@command(
    "anchors",
    examples=("cortex anchors", "cortex anchors 1f3a9c20", "cortex anchors 1f3a9c20 --confirm"),
)
@click.argument("ids", metavar="[ID...]", nargs=-1, shell_complete=naming.complete_memory)
@click.option(
    "--confirm", is_flag=True, help="Say that memories hold although what they name is gone."
)
@pass_run
def anchors(run: Run, ids: tuple[str, ...], confirm: bool) -> None:
    """Show what memories name of the project, and what has become of it.

    Files, symbols, scripts, versions and settings that a memory names are looked up again after
    each session: fresh, moved (with where it is now), gone, or contradicted (with what is stated
    instead). Memories that name what is gone or contradicted are not injected, unless they are
    pinned. Fresh means only that the name is there, not that the memory is true. Without an ID,
    memories of which everything is fresh are counted alone.
    """
    if confirm:
        if not ids:
            raise UsageError("Name the memories to confirm. Nothing was changed.")
        print_all(run, run.cortex.code.anchors.confirm(ids), "Confirmed")
        return
    found = run.cortex.code.anchors.list(ids or None)
    if run.json:
        output.show(prose.ANCHORED, found, as_json=True)
    else:
        _print_anchors(found, everything=bool(ids))
    if not found:
        raise click.exceptions.Exit(NOTHING_FOUND)


def _print_anchors(found: list[AnchoredMemory], *, everything: bool) -> None:
    listed = [
        each
        for each in found
        if everything or each.memory.outdated or any(one.state != "fresh" for one in each.anchors)
    ]
    for each in listed[:MOST_ANCHORED]:
        mark = f"out of date: it {each.memory.outdated}" if each.memory.outdated else ""
        lines = [(text.one_line(each.memory.title), "bold"), (mark, "yellow")]
        lines += [(_anchor(anchor), "") for anchor in each.anchors]
        lines += [] if each.anchors else [("It names nothing that the project has.", "dim")]
        output.item(
            prose.short(each.memory.id), *(one for one in lines if one[0]), width=prose.SHORT_ID
        )
    if len(listed) > MOST_ANCHORED:
        output.say(
            f"… and {text.memories(len(listed) - MOST_ANCHORED)} more. See: cortex anchors --json"
        )
    if quiet := len(found) - len(listed):
        output.note(f"Not listed: {text.memories(quiet)} with names that are all found.")
    if not found:
        output.note("No memory names anything of this project that was looked up.")


def _anchor(anchor: Anchor) -> str:
    """What has become of an anchor, in a line."""
    where = f"{anchor.path}:{anchor.line}" if anchor.line else anchor.path
    words = {
        "fresh": where,
        "moved": f"moved to {anchor.now}",
        "gone": f"gone, was in {where}" if anchor.line else "gone",
        "contradicted": f"now {anchor.now}",
        "confirmed": "gone, and confirmed by you",
    }[anchor.state]
    return f"{anchor.kind} {anchor.name}" + (f": {words}" if words not in ("", anchor.name) else "")
