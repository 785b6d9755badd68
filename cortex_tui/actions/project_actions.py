"""What the screens of capture, settings and surface ask of Cortex: what concerns a project."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from cortex_core import Cortex
from cortex_core.base import hook_words, text, trust
from cortex_core.base.project import Project
from cortex_core.records.captures import Progress, RuleRecord, unwatched
from cortex_core.records.hits import Hit
from cortex_core.records.kept_rules import Breach, RuleKept
from cortex_core.records.memory import InjectionPolicy, Key, Memory
from cortex_core.records.surfaces import Outlook, Surface, SurfaceLine
from cortex_core.records.upkeep import CheckResult, SettingRecord
from cortex_tui.actions.sharing_actions import FollowedTeam, Machines, sharing
from cortex_tui.keymap import PLACES, TABLE, Keymap
from cortex_tui.queries import Done, Revision
from cortex_tui.session import StoreSession

MOST_BREACHES = 20
"""Most breaches of a rule that the pane names."""


@dataclass(frozen=True, slots=True)
class CheckedRule:
    """A rule, how often it was kept, and its newest breaches."""

    key: Key
    kept: RuleKept
    breaches: tuple[Breach, ...]


def examine_project(
    cortex: Cortex, *, fix: bool = False, progress: Progress = unwatched
) -> tuple[CheckResult, ...]:
    """What the doctor finds in the project; with `fix` it repairs what it safely can."""
    from cortex_core.doctor import examine

    here = cortex.project
    return examine.run(
        here.root,
        here.home,
        cwd=here.cwd,
        clock=cortex.workspace.clock,
        fix=fix,
        progress=progress,
    )


def connection_preview(project: Project) -> str:
    """What connecting with Claude Code would change, to be read before it is done; "" where the
    hooks are in its settings already.

    Raises:
        CortexError: it cannot be done; the message says why.
    """
    from cortex_core.doctor import connection_checks

    preview = connection_checks.connection(project)
    if not preview.diff:
        return ""
    added = sum(line.startswith("+") for line in preview.diff.splitlines()[2:])
    return (
        f"Adds hooks to {preview.settings} ({added} lines), after a copy of the file; Claude Code "
        "then runs Cortex in all your projects.\n\n"
        f"Registers the MCP server:\n{preview.server}\n\n"
        f"To undo: cortex uninstall. It restores the file byte for byte.\n\n{preview.diff}"
    )


def connect(project: Project) -> str:
    """Connect with Claude Code; a sentence about what was done, and how it is undone.

    Raises:
        CortexError: nothing was changed; the message says why.
    """
    from cortex_core.doctor import connection_checks

    return connection_checks.connect(project)


def checked_rules(stores: StoreSession) -> tuple[CheckedRule, ...]:
    """The rules that tool calls can keep or break, by past sessions: those that were broken last
    first."""
    stores.check()
    keeping = stores.cortex.memories.triggers.keeping
    keeping.record()
    rules = sorted(keeping.list(), key=lambda one: -(one.last_breach or 0.0))
    keys = stores.cortex.memories.keys_of(one.memory.id for one in rules)
    return tuple(
        CheckedRule(
            keys[one.memory.id],
            one,
            tuple(keeping.breaches(one.memory.id, MOST_BREACHES))
            if one.broken or one.broken_before
            else (),
        )
        for one in rules
        if one.memory.id in keys
    )


@dataclass(frozen=True, slots=True)
class ThemeChoice:
    """A theme that can be chosen, or a file that holds none."""

    name: str
    kind: str
    """Where it comes from: Cortex, Textual, your own."""
    is_chosen: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class KeyChoice:
    """An action of the app and the keys it has."""

    id: str
    place: str
    tooltip: str
    keys: str
    default: str
    written: str = ""
    """The keys that the file gives it; empty where it names none."""
    problems: tuple[str, ...] = ()
    """What is wrong with how it is configured."""


@dataclass(frozen=True, slots=True)
class StoreFact:
    """A fact about a store: where it is, and whether its memories are injected."""

    name: Literal[
        "project store",
        "team store",
        "global store",
        "trust",
        "capture",
        "project settings",
        "global settings",
        "themes",
    ]
    value: str
    about: str
    is_well: bool = True


SettingsThing = (
    SettingRecord
    | ThemeChoice
    | KeyChoice
    | StoreFact
    | CheckResult
    | Machines
    | FollowedTeam
    | RuleRecord
)


def settings_key(thing: SettingsThing) -> str:
    """What a thing of these is known by."""
    if isinstance(thing, Machines | FollowedTeam):
        return type(thing).__name__
    return thing.id if isinstance(thing, KeyChoice) else thing.name


def described(thing: SettingsThing) -> tuple[str, str]:
    """What a thing is searched by: its name, and what is said about it."""
    match thing:
        case KeyChoice():
            return f"{thing.id} {thing.keys}", thing.tooltip
        case SettingRecord() | RuleRecord():
            return thing.name, thing.help
        case StoreFact():
            return thing.name, thing.about
        case CheckResult():
            return thing.name, thing.sentence
        case _:
            return settings_key(thing), ""


def options(stores: StoreSession) -> tuple[SettingsThing, ...]:
    """Every setting, but the keys, which have a section of their own."""
    settings = stores.cortex.settings.list()
    return tuple(setting for setting in settings if not setting.name.startswith("keys."))


def health(stores: StoreSession, themes: str, progress: Progress) -> tuple[SettingsThing, ...]:
    """With whom memories are shared, what the doctor finds, what is wrong first, and where the
    stores are; takes some seconds, because hooks are tested."""
    rank = ("failed", "warning", "ok", "skipped").index
    checks = examine_project(stores.cortex, progress=progress)
    used, unused = sharing(stores)
    found = sorted(checks, key=lambda check: rank(check.state))
    return (*used, *found, *store_facts(stores, themes), *unused)


def store_facts(stores: StoreSession, themes: str) -> tuple[SettingsThing, ...]:
    """Where the stores and settings are, and whether the project's store is trusted."""
    cortex = stores.cortex
    status, project = cortex.status(), cortex.project
    none = "none yet: it is made when something is remembered"
    facts = [
        StoreFact("project store", status.stores.get("project", none), "Memories of this project."),
        StoreFact(
            "trust",
            "trusted" if status.trusted else "not trusted",
            "Whether the memories of the project store may be injected. A store that came "
            "with a clone is not even read until you say so.",
            status.trusted,
        ),
        StoreFact(
            "team store",
            status.stores.get("team", ""),
            "What the project's team approved: a copy that only the team changes.",
        ),
        StoreFact(
            "global store",
            status.stores.get("global", none),
            "Memories that hold for every project.",
        ),
        StoreFact(
            "capture",
            "paused" if status.paused else "on",
            "Whether Cortex learns from the sessions of this project. Enter switches it.",
            not status.paused,
        ),
        StoreFact(
            "project settings",
            cortex.settings.path("project"),
            "Settings of this project alone; they override the global ones.",
        ),
        StoreFact("global settings", cortex.settings.path("global"), "Settings for all projects."),
        StoreFact("themes", themes, "Your own themes, a TOML file each."),
    ]
    # Outside a project only the global side exists; rows of files that cannot be there would
    # mislead.
    missing = {"project store", "project settings", "trust"} if project.root is None else set()
    missing |= set() if "team" in status.stores else {"team store"}
    return tuple(fact for fact in facts if fact.name not in missing)


def theme_choices(
    available: Mapping[str, str], chosen: str, problems: Iterable[str]
) -> tuple[SettingsThing, ...]:
    """The themes there are (name → whose it is), and the files that hold none."""
    choices = [ThemeChoice(name, kind, name == chosen) for name, kind in available.items()]
    return (
        *choices,
        *(ThemeChoice(problem.split(": ")[0], "a mistake", False, problem) for problem in problems),
    )


def key_choices(
    keymap: Keymap, default: Keymap, configured: Mapping[str, str]
) -> tuple[SettingsThing, ...]:
    """Every action with its keys, those with a problem first; and ids that name no action."""
    choices = [
        KeyChoice(
            key.id,
            ", ".join(PLACES[one].title for one in key.places.split()),
            key.tooltip,
            keymap.shown(key.id),
            default.shown(key.id),
            configured.get(key.id, ""),
            tuple(one for one in keymap.problems if key.id in one.replace(",", " ").split()),
        )
        for key in TABLE
    ]
    known = {key.id for key in TABLE}
    # A misspelt id in the configuration does nothing; only here does the user see that it is there.
    unknown = [
        KeyChoice(
            name,
            "nowhere",
            "There is no such action.",
            value,
            "",
            value,
            tuple(one for one in keymap.problems if f"“{name}”" in one),
        )
        for name, value in configured.items()
        if name not in known
    ]
    return tuple(sorted([*unknown, *choices], key=lambda one: not one.problems))


BASELINE = "baseline"
"""The score part of lines that are injected whatever the prompt is."""
FILE, FIND, ASOF = "file:", "find:", "asof:"
"""How a path, words that a memory holds, and a moment are distinguished from a prompt."""
MOST_RECEIPTS = 20_000
"""Receipts among which those of an earlier moment are looked for."""
MOST_FOUND = 200
"""Most memories that are found by words."""


class Occasion(NamedTuple):
    """When memories are injected: at session start, with a prompt, or when a file is opened."""

    prompt: str = ""
    file: str = ""
    find: str = ""
    """Words: only the memories that hold them are looked at, whether they are injected or not."""
    asof: str = ""
    """A moment: what the last session that had begun then was given at its start."""

    @property
    def is_start(self) -> bool:
        """Whether it is a session's start."""
        return not (self.prompt or self.file)


@dataclass(frozen=True, slots=True)
class SurfacePreview:
    """What the agent gets on an occasion."""

    occasion: Occasion
    surface: Surface
    repeated: tuple[SurfaceLine, ...]
    """What fits the occasion too, but was injected at session start already."""
    rows: Mapping[str, tuple[Key, Memory]]
    """The memories behind all lines, by id."""
    revision: Revision
    trusted: bool
    """False: the project's store came from elsewhere, and nothing of it is injected."""
    found: tuple[SurfaceLine, ...] | None = None
    """What holds the words that are looked for; None where none are."""

    @property
    def lines(self) -> tuple[SurfaceLine, ...]:
        """Every line that is listed."""
        every = (*self.surface.lines, *self.repeated, *self.surface.missed)
        return every if self.found is None else self.found


def read_occasion(typed: str) -> Occasion:
    """What was typed: nothing, a prompt, `file:` and a path, or `find:` and words."""
    words = typed.strip()
    for sign in (FILE, FIND, ASOF):
        if words.casefold().startswith(sign):
            return Occasion(**{sign.rstrip(":"): words[len(sign) :].strip()})
    return Occasion(prompt=words)


def preview_surface(stores: StoreSession, occasion: Occasion) -> SurfacePreview:
    """What a session gets: at its start, or on an occasion after it."""
    stores.check()
    cortex = stores.cortex
    revision = cortex.workspace.revision()
    at_start = occasion.is_start
    surface, repeated = (cortex.surface(), ()) if at_start else _after_start(cortex, occasion)
    found = _found(cortex, surface, occasion.find) if occasion.find else None
    if occasion.asof:
        found = _given_then(cortex, text.parse_time(occasion.asof, stores.clock()))
    lines = (*surface.lines, *surface.missed, *repeated, *(found or ()))
    return SurfacePreview(
        occasion,
        surface,
        tuple(repeated),
        _rows(cortex, lines),
        revision,
        cortex.trust.granted,
        found,
    )


def say_wrong(stores: StoreSession, memory: Memory, prompt: str) -> Done:
    """Note that `memory` does not fit: with prompts like `prompt`, or at a session's start."""
    policy: InjectionPolicy = "never" if prompt else "demoted"
    when = "with prompts like this" if prompt else "at a session's start"
    return stores.change(
        "give",
        lambda cortex: cortex.give([memory.id], policy, prompt=prompt),
        f"No longer injected {when}: {memory.title}",
    )


def _after_start(cortex: Cortex, occasion: Occasion) -> tuple[Surface, tuple[SurfaceLine, ...]]:
    """What a started session gets, and what one without a hand-over note would get too."""
    prompt, file = occasion.prompt or None, occasion.file or None
    surface = cortex.surface(prompt=prompt, file=file, started=True)
    fresh = cortex.surface(prompt=prompt, file=file)
    known = {line.id for line in (*surface.lines, *surface.missed)}
    return surface, tuple(
        line for line in fresh.lines if line.id not in known and BASELINE not in line.parts
    )


def _found(cortex: Cortex, surface: Surface, words: str) -> tuple[SurfaceLine, ...]:
    """The lines of all memories that hold `words`: what is injected first, then the best hits."""
    listed = [line.id for line in surface.lines]
    known = {line.id: line for line in (*surface.missed, *surface.lines)}
    keys = cortex.memories.search_ids(words, MOST_FOUND).keys[:MOST_FOUND]
    memories = {memory.id: memory for memory in cortex.memories.rows(keys)}
    others = cortex.sessions.outlooks(name for name in memories if name not in known)
    known |= {other.memory: _outside(memories[other.memory], other) for other in others}
    hits = [known[name] for name in memories if name in known]
    first = sorted((line for line in hits if line.id in listed), key=lambda x: listed.index(x.id))
    return (*first, *(line for line in hits if line.id not in listed))


def _given_then(cortex: Cortex, moment: float) -> tuple[SurfaceLine, ...]:
    """What the last session that had begun at `moment` was given at its start."""
    receipts = [one for one in cortex.sessions.receipts(limit=MOST_RECEIPTS) if one.time <= moment]
    starts = [one for one in receipts if one.event == hook_words.START]
    given = {one.memory: one for one in starts if one.session == starts[0].session}
    memories = cortex.memories.rows(list(cortex.memories.keys_of(given).values()))
    return tuple(
        SurfaceLine(
            id=one.id,
            text=f"- {one.title}",
            kind=one.kind,
            score=0.0,
            parts={},
            tokens=given[one.id].tokens,
            why=f"given {time.strftime('%d %b %Y', time.localtime(given[one.id].time))}",
        )
        for one in memories
    )


def _outside(memory: Memory, outlook: Outlook) -> SurfaceLine:
    """The line of a memory that was not compared with others."""
    return SurfaceLine(
        id=memory.id,
        text=f"- {memory.title}",
        kind=memory.kind,
        score=outlook.score,
        parts={},
        tokens=0,
        why=outlook.reason,
    )


def _rows(cortex: Cortex, lines: Iterable[SurfaceLine]) -> dict[str, tuple[Key, Memory]]:
    keys = cortex.memories.keys_of(line.id for line in lines)
    return {
        memory.id: (keys[memory.id], memory) for memory in cortex.memories.rows(list(keys.values()))
    }


# --- other projects

MOST_ELSEWHERE = 30
"""Memories that a search of all projects lists."""


def others(stores: StoreSession) -> list[str]:
    """The folders of the user's other projects that have memories."""
    here = stores.cortex.project
    found = [root for root in trust.roots(here.home) if root != here.root]
    return [root for root in found if Path(root, ".memory", "cortex.db").is_file()]


def search_projects(stores: StoreSession, words: str) -> Sequence[Hit]:
    """The memories of all projects that fit `words`, the best first; looking counts as no use."""
    found = stores.cortex.recall(words, limit=MOST_ELSEWHERE, count=False, all_projects=True)
    return found.hits
