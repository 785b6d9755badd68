"""With whom memories are shared, in words: the user's other machines, and the project's team.

Values in, words out. Names, addresses and errors come from others and are cleaned of signs that a
terminal would obey.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.content import Content

from cortex_core.base import text
from cortex_tui.actions.sharing_actions import FollowedTeam, Machines, Sharing, is_used
from cortex_tui.glyphs import Glyphs
from cortex_tui.widgets.frame import last_exchange, last_read
from cortex_tui.widgets.lines import labelled, when_near

if TYPE_CHECKING:
    from cortex_core.records.machines import OtherMachine, RemoteState, SyncReport, SyncStatus
    from cortex_core.records.teams import PullReport, TeamStatus

ALONE = "Not shared. To begin: cortex sync add NAME TARGET"
NO_TEAM = "None. To join one: cortex team join URL"
STORES = {"project": "this project", "global": "the global store", "team": "the team's"}


def row(thing: Sharing, glyphs: Glyphs, now: float) -> tuple[str, str, str, str]:
    """The row of `thing`: its sign, the style of that, the name, and what matters most."""
    signs, found = glyphs.signs, glyphs.line(_found(thing, now))
    name = "your machines" if isinstance(thing, Machines) else "team"
    if _fault(thing):
        return (signs.status["quarantined"], "warning", name, found)
    if not is_used(thing):
        return (signs.waiting, "muted", name, found)
    return (signs.dot, "accent", name, found)


def about(thing: Sharing, glyphs: Glyphs, now: float) -> list[Content]:
    """All there is to read about the machines or the team."""
    if isinstance(thing, Machines):
        lines = _about_machines(thing, glyphs, now)
    else:
        lines = _about_team(thing, glyphs, now)
    return list(lines)


# --- one line


def _found(thing: Sharing, now: float) -> str:
    if isinstance(thing, Machines):
        if thing.status is None:
            return thing.problem
        return _machines_line(thing.status, now) if thing.status.is_used else ALONE
    status = thing.status
    return _team_line(thing, status, now) if status else thing.problem or NO_TEAM


def _fault(thing: Sharing) -> bool:
    if thing.problem or thing.status is None:
        return bool(thing.problem)
    if isinstance(thing, FollowedTeam):
        return bool(thing.status.problem)
    status = thing.status
    is_wrong = any(remote.error or remote.succeeded is None for remote in status.remotes_here)
    return is_wrong or any(machine.problem for machine in status.machines)


def _machines_line(status: SyncStatus, now: float) -> str:
    stuck = sum(bool(machine.problem) for machine in status.machines)
    parts = [f"{', '.join(status.failed)} failed"] if status.failed else []
    parts += [f"changes of {text.counted(stuck, 'machine')} wait"] if stuck else []
    parts += [f"{text.memories(status.versions)} written twice"] if status.versions else []
    parts.append(last_exchange(status, now))
    parts += [f"{waiting:,} to send"] if (waiting := sum(status.waiting.values())) else []
    names = list(dict.fromkeys(machine.name for machine in status.machines if machine.name))
    return ", ".join(parts) + (f"; with {', '.join(names)}" if names else "")


def _team_line(thing: FollowedTeam, team: TeamStatus, now: float) -> str:
    parts = [last_read(team, now)]
    if thing.problem or team.problem:
        parts.insert(0, "the hub does not answer")
    parts += [f"{text.counted(team.waiting, 'request')} to decide"] if team.waiting else []
    parts += [f"{text.counted(team.behind, 'entry', 'entries')} to read"] if team.behind else []
    parts += [f"{team.unseen:,} new"] if team.unseen else []
    return f"{team.team}: {', '.join(parts)}"


# --- all of it


def _about_machines(thing: Machines, glyphs: Glyphs, now: float) -> Iterator[Content]:
    status = thing.status
    yield Content.styled("Your machines", "bold")
    if status is None or not status.is_used:
        yield Content(glyphs.line(thing.problem or ALONE))
        yield Content.styled("What it does, and who can read it: docs/machines.md", "$muted")
        return
    waiting = [
        f"{text.counted(number, 'change')} of {STORES[scope]}"
        for scope, number in status.waiting.items()
        if number
    ]
    after = "after each session" if status.after_session else "no (sync.after_session)"
    # Problems come first: they say why the figures below do not change.
    for problem in _problems(status):
        yield Content.styled(glyphs.line(problem), "$text-warning")
    yield labelled("this machine", status.machine, glyphs)
    yield labelled("to send", ", ".join(waiting) or "nothing", glyphs)
    yield labelled("by itself", after, glyphs)
    if status.versions:
        words = f"{text.memories(status.versions)}; both texts wait in the review"
        yield labelled("written twice", words, glyphs, "$text-accent")
    for remote in status.remotes_here:
        yield from _about_remote(remote, glyphs, now)
    for machine in status.machines:
        yield from _about_machine(machine, glyphs, now)
    yield Content("")


def _problems(status: SyncStatus) -> Iterator[str]:
    """What keeps something from being exchanged, in sentences."""
    yield from (f"{remote.name}: {remote.error}" for remote in status.remotes_here if remote.error)
    yield from (machine.problem for machine in status.machines if machine.problem)


def _about_remote(remote: RemoteState, glyphs: Glyphs, now: float) -> Iterator[Content]:
    how = "encrypted" if remote.encrypted else "not encrypted"
    yield Content("")
    yield Content.assemble(("remote ", "$muted"), (glyphs.line(remote.name), "bold"))
    yield labelled("where", f"{remote.address} ({remote.kind}, {how})", glyphs)
    yield labelled("takes part", " and ".join(STORES[scope] for scope in remote.here), glyphs)
    last = when_near(remote.succeeded, now) if remote.succeeded else "never"
    yield labelled("last exchange", last, glyphs, "" if remote.succeeded else "$text-warning")


def _about_machine(machine: OtherMachine, glyphs: Glyphs, now: float) -> Iterator[Content]:
    yield Content("")
    name = machine.name or "of unknown name"
    yield Content.assemble(("machine ", "$muted"), (glyphs.line(name), "bold"))
    yield labelled("has", f"{STORES[machine.scope]}, Cortex {machine.version}".rstrip(), glyphs)
    if machine.heard:
        yield labelled("heard", when_near(machine.heard, now), glyphs)


def _about_team(thing: FollowedTeam, glyphs: Glyphs, now: float) -> Iterator[Content]:
    team = thing.status
    if team is None:
        yield Content.styled("Team", "bold")
        yield Content(glyphs.line(thing.problem or NO_TEAM))
        yield Content.styled("What it is, and who reads what: docs/team.md", "$muted")
        return
    yield Content.assemble(("team ", "$muted"), (glyphs.line(team.team), "bold"))
    if problem := thing.problem or team.problem:
        yield Content.styled(glyphs.line(problem), "$text-warning")
        yield Content.styled("What was read before is here all the same.", "$muted")
    when = when_near(team.read, now) if team.read else "never"
    behind = f", {text.counted(team.behind, 'entry', 'entries')} to read" if team.behind else ""
    new = f", {team.unseen:,} that you have not seen" if team.unseen else ""
    yield labelled("hub", f"{team.hub}, as {team.role}", glyphs)
    yield labelled("read", f"{when}, up to entry {team.sequence:,}{behind}", glyphs)
    yield labelled("memories", f"{team.memories:,}{new}", glyphs)
    if team.waiting is not None:
        waits = text.counted(team.waiting, "waits", "wait") if team.waiting else "none waits"
        yield labelled("requests", waits, glyphs, "$text-accent" if team.waiting else "")
    yield Content("")


# --- what was done


def exchanged(report: SyncReport) -> str:
    """What came of an exchange, and what kept it from more."""
    failed = [f"{remote.name}: {remote.error}" for remote in report.remotes if remote.error]
    held = list(dict.fromkeys(one for store in report.stores for one in store.problems))
    said = [] if failed and len(failed) == len(report.remotes) else [report.sentence]
    if report.versions:
        said.append(f"{text.memories(report.versions)} written twice: see the review.")
    return " ".join([*failed, *said, *held])


def pulled(report: PullReport) -> str:
    """What was read from the hub."""
    changed = f"{text.memories(report.changed)} changed" if report.changed else "nothing is new"
    return " ".join([f"Team {report.team}: {changed}.", *report.problems])
