"""The group `team`: join a team, propose memories to it, decide on proposals, and read what others
shared.
"""

import os
from collections.abc import Sequence
from functools import partial

import click

from cortex_core.base import text
from cortex_core.base.errors import UnlikeProject, UsageError
from cortex_core.cli import naming, output, prose
from cortex_core.cli.command import NOTHING_FOUND, YES, Run, at_terminal, confirm, group, pass_run
from cortex_core.cli.output import Column, View
from cortex_core.cli.sync_commands import SAME
from cortex_core.cli.writing_commands import IDS
from cortex_core.records.as_json import to_json
from cortex_core.records.memory import Memory
from cortex_core.records.teams import (
    HubHit,
    Item,
    Member,
    ProposalReport,
    Proposed,
    PullReport,
    Request,
    Rights,
    TeamStatus,
    Verdict,
)

HUB = "CORTEX_HUB"
"""The variable with the address of a hub: unlike an argument, other users cannot read it."""

NO_TEAM = "This project has no team. Join one with: cortex team join URL"

MEMBERS: View[Member] = View(
    (
        Column("login", "cyan"),
        Column("name", fills=True),
        Column("rights"),
        Column("joined"),
        Column("last seen"),
        Column("version"),
        Column("", "yellow"),
    ),
    lambda member: (
        member.role,
        member.display,
        member.rights,
        prose.day(member.joined),
        prose.when(member.seen),
        member.version,
        "" if member.departed is None else f"left on {prose.day(member.departed)}",
    ),
)

REQUESTS: View[Request] = View(
    (
        Column("id", "cyan"),
        Column("state", "magenta"),
        Column("by"),
        Column("age", right=True),
        Column("what"),
        Column("about", fills=True),
    ),
    lambda request: (
        prose.short(request.id),
        request.status,
        request.author,
        prose.age(request.created),
        _what(request),
        request.reason
        or next((str(item.memory.get("title", "")) for item in request.items if item.memory), ""),
    ),
)

HITS: View[HubHit] = View(
    (
        Column("id", "cyan"),
        Column("score", right=True),
        Column("kind", "magenta"),
        Column("by"),
        Column("age", right=True),
        Column("memory", fills=True),
    ),
    lambda hit: (
        prose.short(hit.id),
        f"{hit.score:.2f}",
        str(hit.memory.get("kind", "")),
        hit.author,
        prose.age(hit.updated),
        str(hit.memory.get("content", "")),
    ),
)

REASON = click.option("-r", "--reason", metavar="TEXT", default="", help="Why; the team reads it.")
NOTE = click.option("-n", "--note", metavar="TEXT", default="", help="A note for the author.")
PLAIN = click.option(
    "--plain", is_flag=True, help="Allow a connection to another machine that is not encrypted."
)
PROJECT_NAME = click.option(
    "--project-name",
    metavar="NAME",
    default="",
    help="For a project without git: its name, the same for all members.",
)
REQUEST = click.argument("request", metavar="REQUEST")


@group(
    "team",
    examples=(
        "cortex team",
        "cortex team join postgresql://ada@hub.example/cortex",
        'cortex team propose 1f3a9c20 --reason "It cost me an hour"',
        "cortex team requests",
        "cortex team approve 5d01c7e2",
    ),
    unnamed="status",
)
def team() -> None:
    """Share memories with a team, each after another member approved it.

    cortex team alone is cortex team status. A team lives on a hub, a PostgreSQL that you run. What
    was approved is copied to this machine and read from there. Nothing of yours is sent but what
    you propose. docs/team.md says how to set it up.
    """


# --- the hub, joining and leaving


@team.command("migrate", examples=("cortex team migrate postgresql://owner@hub.example/cortex",))
@click.argument("url", metavar="[URL]", required=False, default="")
@PLAIN
@pass_run
def team_migrate(run: Run, url: str, plain: bool) -> None:
    """Make or update the tables of a hub.

    The owner of the database runs it, once and after an update of Cortex. Nothing else changes the
    tables. Without URL, the address in CORTEX_HUB is used.
    """
    steps = run.cortex.team.migrate(_address(url), plain=plain)
    done = "The hub is ready." if steps else "The hub was up to date. Nothing was changed."
    run.say({"steps": list(steps)}, "\n".join([*(f"Made step {step}" for step in steps), done]))


@team.command(
    "init",
    examples=("cortex team init postgresql://ada@hub.example/cortex payments --display Ada",),
)
@click.argument("words", metavar="[URL] NAME", nargs=-1, required=True)
@click.option("--display", metavar="NAME", default="", help="Your own name, as the team reads it.")
@click.option(
    "--self-approval", is_flag=True, help="Let members approve what they propose themselves."
)
@PROJECT_NAME
@PLAIN
@pass_run
def team_init(
    run: Run,
    words: tuple[str, ...],
    display: str,
    self_approval: bool,
    project_name: str,
    plain: bool,
) -> None:
    """Make a team on a hub, and join it.

    You become its maintainer, who lets others in: cortex team members --add. Without URL, the
    address in CORTEX_HUB is used. A password in URL can be seen by other users of this machine
    while the command runs: put it into ~/.pgpass, or the address into CORTEX_HUB.
    """
    if len(words) > 2:
        raise UsageError("Name the address of the hub and the team. Nothing was changed.")
    # The name is the last word, so that the address in front of it can be left out.
    status = run.cortex.team.init(
        _address(*words[:-1]),
        words[-1],
        display=display,
        self_approval=self_approval,
        project=project_name,
        plain=plain,
    )
    run.show(status, lambda made: _print_joined(made, "Made team"))


@team.command(
    "join",
    examples=(
        "cortex team join postgresql://ben@hub.example/cortex",
        "cortex team join postgresql://ben@hub.example/cortex --team payments",
    ),
)
@click.argument("url", metavar="[URL]", required=False, default="")
@click.option(
    "--team",
    "name",
    metavar="NAME",
    default="",
    help="Which team, where you are in several of this hub.",
)
@PROJECT_NAME
@PLAIN
@pass_run
def team_join(run: Run, url: str, name: str, project_name: str, plain: bool) -> None:
    """Join a team for this project, and read its memories.

    A maintainer lets you in before. Without URL, the address in CORTEX_HUB is used. A password in
    URL can be seen by other users of this machine while the command runs: put it into ~/.pgpass, or
    the address into CORTEX_HUB.
    """
    join = partial(run.cortex.team.join, _address(url), name, project=project_name, plain=plain)
    try:
        status = join()
    except UnlikeProject:
        if not (at_terminal() and click.confirm(SAME, err=True)):
            raise
        status = join(same=True)
    run.show(status, lambda joined: _print_joined(joined, "Joined team"))


@team.command("leave", examples=("cortex team leave", "cortex team leave --membership"))
@click.option("--membership", is_flag=True, help="Leave the team itself too, on the hub.")
@pass_run
def team_leave(run: Run, membership: bool) -> None:
    """Stop reading the team's memories in this project.

    The copy on this machine is removed. What you proposed and the team approved stays with the
    team; cortex team revert takes it back.
    """
    name = run.cortex.team.leave(membership=membership)
    run.say(
        {"team": name, "membership": not membership},
        f"Left team {name}: its memories are no longer on this machine.",
        "You are no longer a member."
        if membership
        else "You are still a member; to come back: cortex team join URL",
    )


@team.command(
    "status",
    examples=("cortex team status", "cortex team status --ask", "cortex team status --pull"),
)
@click.option("--ask", is_flag=True, help="Ask the hub too: what waits, and what is new.")
@click.option(
    "--pull",
    is_flag=True,
    help="Read what the team approved since, which also happens after each session.",
)
@pass_run
def team_status(run: Run, ask: bool, pull: bool) -> None:
    """Show which team this project follows, and how far it was read."""
    if pull:
        _print_pulled(run, run.cortex.team.pull())
        return
    status = run.cortex.team.status(ask=ask)
    if status is None:
        output.note(NO_TEAM)
        raise click.exceptions.Exit(NOTHING_FOUND)
    run.show(status, _print_status)


@team.command(
    "search",
    examples=("cortex team search rounding of invoices", "cortex team search redis -k gotcha"),
)
@click.argument("query", nargs=-1, required=True)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 100),
    default=10,
    show_default=True,
    metavar="NUMBER",
    help="How many at most.",
)
@click.option("-k", "--kind", "kinds", metavar="KIND", multiple=True, help="Only of this kind.")
@pass_run
def team_search(run: Run, query: tuple[str, ...], limit: int, kinds: tuple[str, ...]) -> None:
    """Search all memories of the team on its hub, those of its other projects too.

    cortex recall reads what was copied here, and needs no hub. The query is sent to the hub.
    """
    run.rows(
        HITS,
        run.cortex.team.search(" ".join(query), limit=limit, kinds=kinds),
        "The team has no such memory.",
    )


# --- members


@team.command(
    "members",
    examples=(
        "cortex team members",
        'cortex team members --add ben "Ben Ito" --maintainer',
        "cortex team members --remove ben",
    ),
)
@click.argument("login", required=False)
@click.argument("name", required=False, default="")
@click.option("--add", is_flag=True, help="Let a login of the hub into the team.")
@click.option("--maintainer", is_flag=True, help="With the rights to add, remove and erase.")
@click.option("--remove", is_flag=True, help="Take a member out of the team.")
@pass_run
def team_members(
    run: Run, login: str | None, name: str, add: bool, maintainer: bool, remove: bool
) -> None:
    """List the members of the team, those who left at the end, or let one in or out.

    Maintainers may add and remove. The owner of the database makes the login before, with the role
    cortex_member. For one who is a member already, name and rights are set. Who was removed reads
    and proposes nothing from then on; what they proposed before stays, with their name, and so does
    what was copied to their machine.
    """
    if login is None and not (add or remove or maintainer):
        output.show(MEMBERS, run.cortex.team.members(), as_json=run.json)
        return
    if login is None or add == remove:
        raise UsageError("Name a login, with --add or --remove. Nothing was changed.")
    rights: Rights = "maintainer" if maintainer else "member"
    run.cortex.team.set_member(login, rights if add else None, name)
    said = f"{login} is {'no longer a member' if remove else f'a {rights}'} of the team."
    note = "They join in their clone of the project: cortex team join URL" if add else ""
    run.say({"role": login, "member": add}, said, note)


# --- requests


@team.command(
    "propose",
    examples=(
        'cortex team propose 1f3a9c20 --reason "It cost me an hour"',
        'cortex team propose "migrations before the tests" 77b0e1d4 --everywhere',
        'cortex team propose 1f3a9c20 --remove --reason "We have left Redis"',
        'cortex team propose 1f3a9c20 --content "Deploys go out on Friday" -r "New rule"',
    ),
)
@IDS
@REASON
@click.option(
    "--everywhere", is_flag=True, help="For all projects of the team, and not for this one alone."
)
@click.option("--remove", is_flag=True, help="That the team removes these memories of its own.")
@click.option(
    "--content", metavar="TEXT", default="", help="Other words for one memory of the team."
)
@click.option("--title", metavar="LINE", default="", help="Another title for it.")
@pass_run
def team_propose(
    run: Run,
    ids: tuple[str, ...],
    reason: str,
    everywhere: bool,
    remove: bool,
    content: str,
    title: str,
) -> None:
    """Propose memories to the team.

    Their text, tags and files are sent to the hub, with the words that they were learned from;
    cortex show ID shows all of it. Members read the request, and one of them approves or rejects
    it. What holds a secret is not sent.
    """
    is_change = bool(content or title)
    if is_change and (len(ids) > 1 or remove or everywhere):
        raise UsageError("Other words are for one memory, with a reason alone. Nothing was sent.")
    of_team = remove or is_change
    names = naming.ids(run, ids, scope="team" if of_team else "all")
    if is_change:
        report = run.cortex.team.change(names[0], content, title, reason)
    else:
        report = run.cortex.team.propose(names, reason, everywhere=everywhere, remove=remove)
    run.show(report, _print_sent)


@team.command(
    "requests",
    examples=(
        "cortex team requests",
        "cortex team requests 5d01c7e2",
        "cortex team requests --all",
    ),
)
@click.argument("request", required=False)
@click.option("--all", "everything", is_flag=True, help="Those that were decided, too.")
@pass_run
def team_requests(run: Run, request: str | None, everything: bool) -> None:
    """List the requests that wait for a decision, the oldest first, or show one in full.

    In full: what is proposed, why, and the words that it comes from.
    """
    team = run.cortex.team
    if request is not None:
        run.show(team.request(request), lambda one: _print_request(one, team.proposed(one)))
        return
    empty = "No request was made yet." if everything else "No request waits for a decision."
    run.rows(REQUESTS, team.requests(None if everything else "open"), empty)


@team.command(
    "approve",
    examples=(
        "cortex team approve 5d01c7e2",
        'cortex team approve 5d01c7e2 --content "Deploys go out on Tuesday at noon"',
    ),
)
@REQUEST
@NOTE
@click.option(
    "--content",
    metavar="TEXT",
    default="",
    help="Propose this text instead, for a request about one memory.",
)
@click.option("--title", metavar="LINE", default="", help="Propose this title instead.")
@pass_run
def team_approve(run: Run, request: str, note: str, content: str, title: str) -> None:
    """Approve a request: its memories are the team's from now on.

    Your own requests need another member, unless the team allows it or has no other. With another
    text it becomes a request of your own, which closes this one.
    """
    _decide(run, request, "approved", note, content, title)


@team.command(
    "reject",
    examples=(
        'cortex team reject 5d01c7e2 --note "It is in the README"',
        "cortex team reject 5d01c7e2 --withdraw",
    ),
)
@REQUEST
@NOTE
@click.option(
    "--withdraw",
    is_flag=True,
    help="It is your own, and was not decided: its text is removed from the hub.",
)
@pass_run
def team_reject(run: Run, request: str, note: str, withdraw: bool) -> None:
    """Reject a request; the team's memories stay as they are."""
    _decide(run, request, "withdrawn" if withdraw else "rejected", note)


@team.command("revert", examples=('cortex team revert 5d01c7e2 --reason "It is out of date"',))
@REQUEST
@REASON
@pass_run
def team_revert(run: Run, request: str, reason: str) -> None:
    """Take an approved request back, for everyone.

    Its author, its approver and maintainers may. The team's memories are as they were before it.
    """
    _print_pulled(
        run, run.cortex.team.revert(request, reason), "Reverted the request for the whole team."
    )


@team.command("erase", examples=("cortex team erase 1f3a9c20 --yes",))
@IDS
@YES
@pass_run
def team_erase(run: Run, ids: tuple[str, ...], yes: bool) -> None:
    """Remove memories from the team for good, and every word of them from its past.

    Maintainers may. It is for what should never have been shared, such as a password: change that
    as well, because members may have read it. Their copies follow when they next read from the hub.
    """
    names = naming.ids(run, ids, scope="team")
    confirm(f"Remove {text.memories(len(names))} from the team for good?", yes)
    _print_pulled(
        run,
        run.cortex.team.erase(names),
        f"Removed {text.memories(len(names))} from the team for good.",
    )


# --- inside


def _address(given: str = "") -> str:
    """The address of a hub, from an argument or from the variable.

    Raises:
        UsageError: there is none.
    """
    if not (url := given or os.environ.get(HUB, "")):
        raise UsageError(
            "The address of the hub is missing. Nothing was changed. Name it, as "
            f"postgresql://USER@HOST/DATABASE, or put it into the variable {HUB}."
        )
    return url


def _print_joined(status: TeamStatus, done: str) -> None:
    output.say(f"{done} {status.team} as {status.role}.")
    _print_status(status)
    output.note(
        "Its memories are read here from now on. Nothing of yours is shared before you propose it: "
        "cortex team propose ID"
    )


def _print_sent(report: ProposalReport) -> None:
    named = text.memories(len(report.memories))
    output.say(
        f"Sent request {prose.short(report.request)} to team {report.team}: {report.kind} {named}."
    )
    for memory in report.memories:
        output.say(text.one_line(memory.title), indent=output.INDENT)
    output.note(
        "Another member approves it: cortex team approve "
        f"{prose.short(report.request)}. To take it back: cortex team reject "
        f"{prose.short(report.request)} --withdraw"
    )


def _decide(
    run: Run, name: str, verdict: Verdict, note: str, content: str = "", title: str = ""
) -> None:
    report = run.cortex.team.decide(name, verdict, note=note, content=content, title=title)
    if not report.resent:
        _print_pulled(run, report, f"Request {name} is {verdict}.")
        return
    sent = prose.short(report.resent)
    _print_pulled(
        run,
        report,
        f"Sent request {sent} with your words, in place of {name}.",
        f"Another member approves it: cortex team approve {sent}",
    )


def _print_pulled(run: Run, report: PullReport, *done: str) -> None:
    """Print what was done, and what was read from the hub."""
    changed = f"{text.memories(report.changed)} changed here" if report.changed else "nothing new"
    run.say(
        to_json(report),
        "\n".join((*done, f"Read from team {report.team}: {changed}.")),
        "\n".join(f"! {problem}" for problem in report.problems),
    )


# --- what is shown: it comes from other people, and is never read as markup


def _what(request: Request) -> str:
    """What a request wants, as in `change 2 memories`."""
    if not request.items:  # it was withdrawn, and its texts are gone
        return request.kind
    return f"{request.kind} {text.memories(len(request.items))}"


def _print_status(status: TeamStatus) -> None:
    """Write which team a project follows."""
    read = f"{prose.when(status.read)}, up to entry {status.sequence}" if status.read else "never"
    held = f"{status.memories:,}"
    waits = text.counted(status.waiting or 0, "waits", "wait")
    behind = text.counted(status.behind or 0, "entry", "entries")
    requests = f"{waits} for a decision: cortex team requests" if status.waiting else "none waits"
    to_read = f"{behind}: cortex team status --pull" if status.behind else "nothing"
    prose.facts(
        (
            ("team", status.team),
            ("hub", f"{status.hub}, as {status.role}"),
            ("read", read),
            ("memories", f"{held}, {status.unseen} new" if status.unseen else held),
            ("requests", "" if status.waiting is None else requests),
            ("to read", "" if status.behind is None else to_read),
            ("problem", status.problem),
        )
    )


def _print_request(request: Request, proposed: Sequence[Proposed]) -> None:
    """Write a request in full.

    Args:
        proposed: what it would change here, memory by memory.
    """
    output.say(f"Request {prose.short(request.id)}: {_what(request)}", "bold")
    decided = f"{request.status} by {request.decided_by}, {prose.when(request.decided)}"
    scope = "one project" if request.project else "all projects of the team"
    prose.facts(
        (
            ("by", f"{request.author}, {prose.when(request.created)}"),
            ("reason", request.reason or "none was given"),
            ("for", scope),
            ("state", "waits for a decision" if request.status == "open" else decided),
            ("note", request.note),
        )
    )
    # A warning is of use only while the request can still be decided.
    for item, one in zip(request.items, proposed, strict=True):
        output.say()
        _print_item(item, one.before)
        if request.status == "open" and one.warning:
            output.warn(one.warning)
    if request.status == "open":
        short = prose.short(request.id)
        output.note(f"Decide: cortex team approve {short}, or cortex team reject {short}")


LISTS = (("tags", "tags"), ("for", "globs"), ("files", "files"), ("at", "triggers"))
"""What is said before each list of a memory, and the list's name."""


def _print_item(item: Item, now: Memory | None) -> None:
    if item.memory is None:
        title = now.title if now else f"memory {prose.short(item.id)}"
        output.say(f"Remove: {text.one_line(title)}", "bold")
        if now is not None:
            output.say(now.content, indent=output.INDENT)
        return
    shape = item.memory
    output.say(text.one_line(str(shape.get("title", ""))), "bold")
    parts = [str(shape.get("kind", "")), prose.short(item.id)]
    parts += [f"priority {shape['priority']}"] if "priority" in shape else []
    for label, name in LISTS:
        listed = shape.get(name)
        if isinstance(listed, list) and listed:
            parts.append(f"{label} {', '.join(map(str, listed))}")
    output.say(text.one_line(" · ".join(parts)), "dim")
    if now is not None and now.content != shape.get("content"):
        output.say("The team has now:", "dim")
        output.say(now.content, indent=output.INDENT)
        output.say("Proposed:", "dim")
    output.say(str(shape.get("content", "")), indent=output.INDENT)
    if excerpt := str(shape.get("excerpt", "")).strip():
        output.say("Learned from:", "dim")
        output.say(excerpt, indent=output.INDENT)
