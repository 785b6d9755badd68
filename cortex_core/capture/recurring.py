"""Memories of what comes back over sessions: commands that work, what is missing, repeated orders.

`derived` makes them from the table of observations and writes nothing; `update` brings the store in
line with them. Each is made once and its text then kept current, unless the user changed it or put
it away.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Literal, NamedTuple

from cortex_core.admission import apply, checks, lookup
from cortex_core.admission.apply import Admitted
from cortex_core.base import text
from cortex_core.base.errors import NotFound
from cortex_core.duplicates import again
from cortex_core.extract.commands import LEFT_OUT, shown, stem_of, task_of
from cortex_core.extract.sources import BY_NAME, FROM_PROMPT
from cortex_core.extract.wording import LONGEST_TITLE, title
from cortex_core.language import programs, signals
from cortex_core.language.detect import most_common
from cortex_core.records.captures import RuleTier
from cortex_core.records.events import Candidate, Topic
from cortex_core.records.memory import Memory
from cortex_core.store import memory_lookup, observations, rows
from cortex_core.store.journal import Change
from cortex_core.store.observations import Observed
from cortex_core.store.store import Store

SESSIONS = 60
"""Sessions that count, the newest: what was done before them may no longer be so."""

TRIED = 3
"""Sessions in which a command of the project's script runner worked, from which it is kept."""

TASK_SESSIONS = 10
"""Sessions in which a task was done that decide how it is done now."""

TIMES_IN_ONE = 3
"""Times in one session from which an address is worth a suggestion."""

MOST_FORMS = 3
"""Ways to do a task that one memory names."""

MOST_OTHERS = 5
"""Memories of commands that name no task, and of programs that are missing."""

_MADE = "recurring"
"""The key under which the ids of the memories made here are saved, by identity."""

_TASKS = (
    "test",
    "lint",
    "format",
    "typecheck",
    "check",
    "build",
    "run",
    "migrate",
    "deploy",
    "generate",
    "install",
)
"""Tasks that have a memory, each the name of the phrase that states how it is done."""


_RUNNERS = frozenset("gradlew hatch invoke mvnw nox rake tox".split())
"""Runners of scripts that have a default, so that the bare name is a command of the project."""

_DEFAULTS = frozenset(["./...", ".", LEFT_OUT, "run"])
"""Arguments that say nothing of a project."""


class Derived(NamedTuple):
    """A memory that observations of several sessions add up to."""

    identity: str
    """What it is about, such as `command:test`: the same while its text changes."""
    rule: str
    tier: Literal["kept", "suggested"]
    content: str
    title: str
    source: Observed
    """The first observation of it."""
    latest: float
    """When it was last seen to hold, Unix seconds."""


def update(
    store: Store, change: Change, tiers: Mapping[str, RuleTier], transcript: str
) -> Admitted:
    """Add the memories that the observations in `store` now allow, and keep the others current.

    Args:
        change: the open change to which the observations belong.
        tiers: the tier in effect of each rule.
        transcript: the file just read; it is the source of what is new.
    """
    admitted = Admitted()
    made: dict[str, str] = json.loads(store.meta(_MADE) or "{}")
    before = dict(made)
    current = derived(lambda topic: observations.newest(store, topic, SESSIONS))
    for each in current:
        # A rule that is off keeps its observations, so that it can be switched on again.
        tier = tiers.get(each.rule, BY_NAME[each.rule].tier)
        if tier == "off":
            continue
        if tier == "suggested":
            each = each._replace(tier="suggested")
        if each.identity not in made:
            made[each.identity] = _add(store, change, each, transcript, admitted)
        else:
            _keep_current(store, change, made[each.identity], each)
    _withdraw_fallen(store, change, made, {each.identity for each in current})
    _keep_what_was_said_again(store, change)
    if made != before:
        store.set_meta(_MADE, rows.dumps(made))
    return admitted


def _withdraw_fallen(
    store: Store, change: Change, made: Mapping[str, str], current: Set[str]
) -> None:
    """Archive the commands that no longer work, as far as they are still what was made here."""
    for identity, name in made.items():
        if identity in current or not identity.startswith("command:"):
            continue
        try:
            memory = store.memory(name)
        except NotFound:
            continue
        is_ours = memory.content_hash == memory.details.get("derived")
        if is_ours and memory.status in ("active", "suggested"):
            columns = {"status": "archived", "updated": store.clock()}
            change.update("memory", name, columns)


def _keep_what_was_said_again(store: Store, change: Change) -> None:
    """Keep the suggestions in the user's own words that another session says again."""
    waiting = [
        memory
        for memory in memory_lookup.newest_of_status(store, "suggested")
        if memory.source.rule.startswith(f"rule:{FROM_PROMPT}")
    ]
    topics: tuple[Topic, ...] = ("instruction", "correction")
    said = [
        one for topic in topics if waiting for one in observations.newest(store, topic, SESSIONS)
    ]
    for memory in waiting:
        sessions = {memory.source.session, *(source.session for source in memory.sources)}
        is_again = len(sessions) > 1 or any(
            one.session not in sessions
            and (
                again.similarity(one.text, memory.content)
                or again.similarity(memory.content, one.text)
            )
            for one in said
        )
        if is_again:
            columns = {"status": "active", "reinforced": change.time, "updated": change.time}
            change.update("memory", memory.id, columns)


def derived(observed: Callable[[Topic], Sequence[Observed]]) -> list[Derived]:
    """What the observations of a store add up to, in the language of most prompts. Pure.

    Args:
        observed: the observations of a topic, the oldest first.
    """
    commands = observed("command")
    language = _language(observed("language"))
    return [
        *_of_tasks(commands, language),
        *_of_scripts(commands, language),
        *_of_failures(observed("failure"), commands, language),
        *_of_addresses(observed("address"), language),
        *_of_orders(observed("order")),
    ]


def _language(observed: Sequence[Observed]) -> str:
    """The language of most prompts."""
    prompts: Counter[str] = Counter()
    for one in observed:
        prompts[one.key] += one.succeeded
    return most_common(prompts)


# --- bringing the store in line


def _add(store: Store, change: Change, each: Derived, transcript: str, admitted: Admitted) -> str:
    """Store a new memory; the id of it or of the one that says the same, empty if refused."""
    found = apply.admit(store, change, [_candidate(each)], transcript)
    admitted.stored += found.stored
    admitted.suggested += found.suggested
    admitted.quarantined += found.quarantined
    admitted.merged += found.merged
    admitted.refused += found.refused
    return next(iter([*found.added, *found.merged]), "")


def _candidate(each: Derived) -> Candidate:
    rule, source = BY_NAME[each.rule], each.source
    return Candidate(
        content=each.content,
        title=each.title,
        kind="policy" if each.rule == "order" else "fact",
        rule=each.rule,
        tier=each.tier,
        confidence=rule.confidence,
        priority=rule.priority,
        tags=(each.rule,) if each.rule != "order" else (),
        session=source.session,
        message=source.message,
        offset=source.offset,
        time=source.time,
        branch=source.branch,
        details=_details(each),
    )


def _details(each: Derived) -> dict[str, str]:
    return {"recurring": each.identity, "derived": text.content_hash(each.content)}


def _keep_current(store: Store, change: Change, name: str, each: Derived) -> None:
    """Update the memory called `name` as far as it is still what was made here."""
    try:
        memory = store.memory(name)
    except NotFound:
        return  # the user undid its making, emptied the trash or moved it
    if not _is_ours(store, memory, each):
        return
    columns: rows.Row = {"reinforced": max(memory.reinforced, min(each.latest, store.clock()))}
    if memory.status == "archived" or (memory.status == "suggested" and each.tier == "kept"):
        columns["status"] = "active"
    if memory.content != each.content:
        details = {**memory.details, **_details(each)}
        columns |= {
            "content": each.content,
            "title": each.title,
            "updated": store.clock(),
            "content_hash": text.content_hash(each.content),
            "details": rows.dumps(details),
            "withheld": checks.is_withheld((each.title, each.content), memory.source.rule),
        }
    change.update("memory", name, columns)


def _is_ours(store: Store, memory: Memory, each: Derived) -> bool:
    """Whether the text is one derived, and nobody has put the memory away."""
    if memory.content_hash not in (memory.details.get("derived"), text.content_hash(each.content)):
        return False
    if memory.status == "archived":
        return not lookup.archived_by_hand(store, memory.id)
    return memory.status in ("active", "suggested")


# --- commands


class _Way(NamedTuple):
    """One way to do a task: the forms of a command that differ in their arguments."""

    form: str
    """The form to name."""
    worked: frozenset[str]
    """Sessions in which it worked."""
    times: int
    """How often it worked, and `failures` how often not."""
    failures: int
    failed: frozenset[str]
    """Sessions in which it did nothing but fail."""
    failed_lately: bool
    """Whether the last session that ran it is among them: what fails is not advised."""
    seen: tuple[Observed, ...]


def _of_tasks(observed: Sequence[Observed], language: str) -> Iterator[Derived]:
    """One memory a task, naming the ways that worked in the most sessions."""
    by_task: dict[str, list[Observed]] = defaultdict(list)
    for one in observed:
        by_task[task_of(one.key)].append(one)
    for task in _TASKS:
        ways = _ways(_newest(by_task.get(task, ()), TASK_SESSIONS))
        works = [way for way in ways if way.worked and not way.failed_lately]
        often = [way for way in works if len(way.worked) > 1 and not _is_obvious(way.form)]
        scripts = [way for way in often if _runs_script(way.form)]
        once = [way for way in works if way.times > 1 and way.times > 2 * way.failures]
        once = [way for way in once if not _is_obvious(way.form)]
        if chosen := scripts or often or once[:1]:
            fails = next((way for way in ways if _fails_beside(way, chosen[0])), None)
            is_kept = bool(scripts) and len(chosen[0].worked) >= TRIED
            yield _of_task(task, chosen, fails, language, is_kept=is_kept)


def _runs_script(form: str) -> bool:
    """Whether a command is one that the project's files define: a script, a target, a task."""
    words = form.partition("\t")[0].split()
    base = words[0].rsplit("/", 1)[-1]
    return (base in programs.RUNS_SCRIPTS and len(words) > 1) or base in _RUNNERS


def _is_obvious(form: str) -> bool:
    """Whether who knows the tool would type it: `go test ./...`, `pytest`, `cargo build`."""
    words = form.partition("\t")[0].split()
    # The options of a tool that does one task anyway are no habit of a project: `gofmt -l .`.
    if words[0] in programs.TOOLS:
        words = [word for word in words if not word.startswith("-")]
    known = (_DEFAULTS, programs.TASKS, programs.LAST_TASKS, programs.TOOLS)
    return not _runs_script(form) and all(any(word in one for one in known) for word in words[1:])


def _of_task(
    task: str, ways: Sequence[_Way], fails: _Way | None, language: str, *, is_kept: bool
) -> Derived:
    first, *others = ways
    also = [
        _way_in(language, shown(way.form))
        for way in others
        if 4 * len(way.worked) >= len(first.worked) and LEFT_OUT not in way.form
    ]
    content = named = signals.said(task, language, way=_way_in(language, shown(first.form)))
    if also:
        ways_too = ", ".join(also[: MOST_FORMS - 1])
        named = signals.said("also", language, said=content, ways=ways_too)
    if fails:
        wrong = signals.said("fails", language, way=_way_in(language, shown(fails.form)))
        content = named = f"{content}; {wrong}"
    heading = named if len(named) <= LONGEST_TITLE else content
    seen = [one for one in first.seen if one.succeeded]
    made = _made("command", task, named, seen, is_kept=is_kept)
    return made._replace(identity=f"command:{task}", title=heading)


def _fails_beside(way: _Way, works: _Way) -> bool:
    """Whether one way failed lately where another, of another program, worked in its place."""
    is_other = way.form.split()[0] != works.form.split()[0]
    return is_other and way.failed_lately and len(way.failed & works.worked) > 1


def _newest(observed: Iterable[Observed], sessions: int) -> list[Observed]:
    """The observations of the newest sessions among them."""
    observed = list(observed)
    ends: dict[str, float] = {}
    for one in observed:
        ends[one.session] = max(ends.get(one.session, 0.0), one.time or 0.0)
    newest = sorted(ends, key=lambda session: (ends[session], session))[-sessions:]
    return [one for one in observed if one.session in newest]


def _ways(observed: Sequence[Observed]) -> list[_Way]:
    """The ways to do one task, the one that worked in the most sessions first."""
    groups: dict[str, list[Observed]] = defaultdict(list)
    for one in observed:
        # Without the scopes of packages: a filter takes a name with and without it.
        groups[re.sub(r"(?<=\s)@[\w.-]+/", "", stem_of(one.key))].append(one)
    for stem in [stem for stem in groups if "\t" in stem]:  # works in the project's folder too
        if (above := stem.partition("\t")[0]) in groups and any(
            one.succeeded for one in groups[above]
        ):
            groups[above] += groups.pop(stem)
    ways = [_way(group) for group in groups.values()]
    return sorted(ways, key=lambda way: (-len(way.worked), -way.times, way.form))


def _way(group: Sequence[Observed]) -> _Way:
    worked = frozenset(one.session for one in group if one.succeeded)
    last: dict[str, bool] = {}
    for one in sorted(group, key=lambda one: (one.time or 0.0, one.session)):
        last[one.session] = last.get(one.session, False) or bool(one.succeeded)
    failed = frozenset(session for session, has_worked in last.items() if not has_worked)
    return _Way(
        _best_form(group),
        worked,
        sum(one.succeeded for one in group),
        sum(one.failed for one in group),
        failed,
        not list(last.values())[-1],
        tuple(group),
    )


def _best_form(group: Sequence[Observed]) -> str:
    """The form to name: the shortest of those that are common, without arguments of its own."""
    sessions: dict[str, set[str]] = defaultdict(set)
    for one in group:
        if one.succeeded:
            sessions[one.key].add(one.session)
    if not sessions:
        return group[0].key
    most = max(map(len, sessions.values()))
    if most == 1 and len(set().union(*sessions.values())) > 1:
        return stem_of(next(iter(sessions)))  # each session has arguments of its own
    forms = [form for form, seen in sessions.items() if 2 * len(seen) >= most]
    return min(forms, key=lambda form: (LEFT_OUT in form, "\t" in form, len(form), form))


def _way_in(language: str, command: str) -> str:
    """A command as `shown` writes it, with its folder named in `language`."""
    program, below, folder = command.partition("` in `")
    if not below:
        return command
    return signals.said("below", language, command=f"{program}`", folder=f"`{folder}")


def _of_scripts(observed: Sequence[Observed], language: str) -> Iterator[Derived]:
    """Commands of the project that name no task and worked in three sessions."""
    groups: dict[str, list[Observed]] = defaultdict(list)
    for one in observed:
        if one.succeeded and not task_of(one.key) and _is_of_project(one.key):
            groups[one.key].append(one)
    often = sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    for form, group in often[:MOST_OTHERS]:
        if len({one.session for one in group}) >= TRIED and not group[-1].failed:
            works = signals.said("works", language, way=_way_in(language, shown(form)))
            yield _made("command", form, works, group, is_kept=_runs_script(form))


def _is_of_project(form: str) -> bool:
    """Whether a command is a script below the project's folder, or defined in its files."""
    program, _, rest = form.partition(" ")
    if program in programs.INTERPRETERS or program in programs.RUNS_SCRIPTS:
        return bool(rest)
    return "/" in program and not program.startswith(("/", "~"))


# --- what is missing


def _of_failures(
    observed: Sequence[Observed], commands: Sequence[Observed], language: str
) -> Iterator[Derived]:
    """Programs that were not found in two sessions, and in none since."""
    often = sorted(_by_key(observed).items(), key=lambda pair: (-len(pair[1]), pair[0]))
    missing = [
        (key, group)
        for key, group in often
        if len(group) > 1 and group[-1].text and not _works_since(key, group[-1], commands)
    ]
    for key, group in missing[:MOST_OTHERS]:
        content = signals.said("absent", language, name=key.partition(" ")[2])
        yield _made("environment", key, content, group, is_kept=True)


def _works_since(key: str, last: Observed, commands: Iterable[Observed]) -> bool:
    """Whether what was missing has worked in a later session."""
    name = key.partition(" ")[2]
    return any(
        one.succeeded and (one.time or 0.0) > (last.time or 0.0) and one.key.split()[0] == name
        for one in commands
    )


# --- addresses


def _of_addresses(observed: Sequence[Observed], language: str) -> Iterator[Derived]:
    """Machines that commands reached in two sessions, suggested from three times in one."""
    for key, group in _by_key(observed).items():
        if len(group) > 1 or group[0].succeeded >= TIMES_IN_ONE:
            say = _of_login if " " in key else _of_services
            content = say(key, group, language)
            yield _made("environment", key, content, group, is_kept=len(group) > 1)


def _of_login(command: str, _: Sequence[Observed], language: str) -> str:
    host = command.split()[-1].rpartition("@")[2]
    return signals.said("login", language, host=host, way=f"`{command}`")


def _of_services(host: str, group: Sequence[Observed], language: str) -> str:
    uses = list(dict.fromkeys(use for one in group for use in one.text.split()))
    reached = signals.said("services", language, host=host)
    named = [use.partition(":") for use in uses if not use.startswith(":")][:3]
    if named:
        names = [
            signals.said("port", language, name=f"`{name}`", port=port) if port else f"`{name}`"
            for name, _, port in named
        ]
        return f"{reached} ({', '.join(names)})"
    ports = ", ".join([use.removeprefix(":") for use in uses][:4])
    return signals.said("ports", language, said=reached, ports=ports) if ports else reached


# --- orders


def _of_orders(observed: Sequence[Observed]) -> Iterator[Derived]:
    """Suggest the orders that the user gave in three sessions."""
    for key, group in _by_key(observed).items():
        if len({one.session for one in group}) >= TRIED:
            shortest = min((one.text for one in group), key=lambda one: (len(one), one))
            yield _made("order", key, shortest, group, is_kept=False)


# --- what all of them share


def _by_key(observed: Iterable[Observed]) -> dict[str, list[Observed]]:
    groups: dict[str, list[Observed]] = defaultdict(list)
    for one in observed:
        groups[one.key].append(one)
    return groups


def _made(
    rule: str, key: str, content: str, group: Sequence[Observed], *, is_kept: bool = True
) -> Derived:
    """The memory that a group of observations makes.

    Its identity leaves out the words of `key`: it is saved where no secret is looked for.
    """
    return Derived(
        f"{rule}:{text.content_hash(key)[:16]}",
        rule,
        "kept" if is_kept else "suggested",
        content,
        title(content),
        group[0],
        max(one.time or 0.0 for one in group),
    )
