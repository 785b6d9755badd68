"""What is around every screen: status strip and tabs, key hints, the notice in the body's place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from rich.cells import cell_len
from textual import on
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from cortex_core.base import text
from cortex_core.base.errors import WORDS_ONLY
from cortex_tui.context import Fetched
from cortex_tui.glyphs import Glyphs
from cortex_tui.keymap import TABLE, Key, Keymap, around
from cortex_tui.widgets.lines import BAR_WIDTH, bar, fit

if TYPE_CHECKING:
    from cortex_core.records.captures import ProjectStatus
    from cortex_core.records.machines import SyncStatus
    from cortex_core.records.teams import TeamStatus

Steps = Sequence[tuple[str, str]]
"""What can be done: a command or a key, and what it is good for, each."""

SECONDS = 5.0
"""How long a sentence stays."""
MOST_AT_ONCE = 16
"""Memories without a vector that the app gives theirs at once; of more the strip speaks."""
KEPT = "app.help"
"""The key that is shown however narrow it is."""

NO_LABELS: Mapping[str, str] = MappingProxyType({})
WHILE_TYPING: Mapping[str, str] = MappingProxyType({"move.open": "done"})
"""What keys do to a search that is being typed."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z“/~])")

# --- the strip at the top: which project, when capture last ran, what waits for the user


class StripPart(NamedTuple):
    """Something that the strip says."""

    rank: int
    """The highest is left out first when room is short."""
    words: str
    style: str
    opens: str
    """The screen that a click goes to, and its section: `settings.health`; or `CONNECT`."""


CONNECT = "connect"
"""What a click on a warning does that says what the key to connect does."""


def needed(status: ProjectStatus | None) -> Literal["connect", "resume", "checks", "guards", ""]:
    """What is needed first before Cortex works in this project, which makes all else that is
    missing meaningless: to read the checks, to connect Claude Code (again), to resume capture, to
    switch the guards on; "" for nothing."""
    from cortex_core.records.captures import HOOKS_GONE  # loaded once there is a status

    if status is None:
        return "connect"
    if status.problem and not status.problem.startswith(HOOKS_GONE):
        return "checks"
    if status.problem or not status.connected:
        return "connect"
    return "resume" if status.paused else "guards" if triggers_off(status) else ""


def captured(status: ProjectStatus, glyphs: Glyphs, now: float, connect: str) -> StripPart:
    """Whether Claude Code reaches this project and when the last capture was, or why there is
    none.

    Args:
        connect: the key that connects; "" without one.
    """
    signs, last, need = glyphs.signs, status.last_reading, needed(status)
    how = f"{connect} connects" if connect else "cortex install"
    if not status.connected and need == "connect":
        return StripPart(0, f"{signs.warning} not connected: {how}", "$text-warning", CONNECT)
    missing = {
        "connect": f"{signs.warning} hooks cannot run: {how} again",
        "resume": f"{signs.waiting} capture paused: {connect} resumes",
        "checks": f"{signs.warning} capture does not work: {connect} says why",
    }
    if need in missing:
        return StripPart(0, missing[need], "$text-error reverse", CONNECT)
    if status.failures:
        failed = f"{signs.warning} {text.counted(status.failures, 'capture')} failed"
        return StripPart(1, failed, "$text-error", "sessions")
    if last is None:
        return StripPart(3, f"{signs.waiting} nothing captured yet", "$muted", "sessions")
    return StripPart(3, f"{signs.dot} captured {text.since(last, now)}", "$muted", "sessions")


def parts(status: ProjectStatus, glyphs: Glyphs, now: float, connect: str) -> list[StripPart]:
    """What the strip says between the project's name and the number of memories."""
    signs = glyphs.signs.status
    quarantined = status.counts.get("quarantined", 0)
    by_words = any(WORDS_ONLY in sentence for sentence in status.degraded)
    part = "words only" if by_words else "works in part"
    # In the order of the line; the rank of each says which goes first where room is short.
    possible = (
        (True, captured(status, glyphs, now, connect)),
        (
            not status.trusted,
            StripPart(0, f"{signs['quarantined']} not trusted", "$text-warning", "settings.health"),
        ),
        (
            triggers_off(status),
            StripPart(
                0,
                f"{signs['quarantined']} guards off: {connect} switches them on",
                "$text-error reverse",
                CONNECT,
            ),
        ),
        (
            works_in_part(status),
            StripPart(1, f"{signs['quarantined']} {part}", "$text-warning", "settings.health"),
        ),
        (
            quarantined > 0,
            StripPart(
                2,
                f"{signs['quarantined']} {quarantined:,} quarantined",
                "$text-warning",
                "inbox",
            ),
        ),
        (status.queue > 0, StripPart(5, f"{status.queue:,} queued", "$muted", "sessions")),
        (
            status.pending_embeddings > MOST_AT_ONCE,
            StripPart(
                6,
                f"{status.pending_embeddings:,} not found by meaning yet",
                "$muted",
                "settings.health",
            ),
        ),
        (
            status.for_model > 0,
            StripPart(6, f"{status.for_model:,} for the model", "$muted", "sessions"),
        ),
        (status.spent_everywhere > 0 or status.extractor != "rules", _spent(status)),
        (
            status.sessions > 0,
            StripPart(
                8,
                f"{status.captured:,} of {text.counted(status.sessions, 'session')}",
                "$muted",
                "sessions",
            ),
        ),
    )
    return [part for is_so, part in possible if is_so]


def _spent(status: ProjectStatus) -> StripPart:
    """What language models have cost today; a warning where the day's cap is reached."""
    words = f"${status.spent_everywhere:.2f} of ${status.daily_cap:.2f} today"
    if status.unpriced_tokens:
        words = f"{status.unpriced_tokens:,} tokens today"
    style = "$text-warning" if status.spent_everywhere >= status.daily_cap else "$muted"
    return StripPart(7, words, style, "sessions")


def triggers_off(status: ProjectStatus) -> bool:
    """Whether no tool call recalls a rule, and no guard holds."""
    from cortex_core.records.captures import TRIGGERS_OFF  # loaded once there is a status

    return any(one.startswith(TRIGGERS_OFF) for one in status.degraded)


def works_in_part(status: ProjectStatus) -> bool:
    """Whether the status has a problem that no other part of the strip shows."""
    from cortex_core.records.captures import (
        NO_VECTORS_YET,  # Loaded once there is a status to show.
    )

    known = status.paused + (not status.trusted) + bool(status.problem) + triggers_off(status)
    waits = any(NO_VECTORS_YET in sentence for sentence in status.degraded)
    return len(status.degraded) > known + waits


def followed(team: TeamStatus, glyphs: Glyphs, now: float) -> list[StripPart]:
    """The team that the project follows: how many of its memories are new, and when the hub was
    asked last."""
    news = f", {team.unseen:,} new" if team.unseen else ""
    when = last_read(team, now)
    problem = f"{glyphs.signs.status['quarantined']} hub not reached, " if team.problem else ""
    style = "$text-warning" if problem else "$muted"
    return [
        StripPart(
            4,
            f"team {glyphs.line(team.team)}{news}",
            "$text-accent" if news else "$muted",
            "memories.new:team" if news else "memories",
        ),
        StripPart(4 if problem else 7, problem + when, style, "settings.health"),
    ]


def exchanged(sync: SyncStatus, glyphs: Glyphs, now: float) -> list[StripPart]:
    """The exchange with the user's other machines: what failed or waits, and when it was."""
    if not sync.is_used:
        return []
    sign, opens = glyphs.signs.status["quarantined"], "settings.health"
    problem = f"{sync.failed[0]} failed" if sync.failed else ""
    if not problem and any(machine.problem for machine in sync.machines):
        problem = "a machine waits"
    waiting = sum(sync.waiting.values())
    versions = f"{text.counted(sync.versions, 'text')} written twice"
    possible = (
        (bool(problem), StripPart(2, f"{sign} sync: {problem}", "$text-warning", opens)),
        (sync.versions > 0, StripPart(4, versions, "$text-accent", "inbox")),
        (waiting > 0, StripPart(6, f"{waiting:,} to send", "$muted", opens)),
        (True, StripPart(7, last_exchange(sync, now), "$muted", opens)),
    )
    return [part for is_so, part in possible if is_so]


def last_exchange(sync: SyncStatus, now: float) -> str:
    """How long ago everything was exchanged with the user's other machines."""
    return f"exchanged {text.since(sync.last, now)}" if sync.last else "never exchanged"


def last_read(team: TeamStatus, now: float) -> str:
    """How long ago the hub of the team was asked for what is new."""
    return f"read {text.since(team.read, now)}" if team.read else "never read"


def strip_line(
    status: ProjectStatus | None,
    keymap: Keymap | None,
    glyphs: Glyphs,
    now: float,
    width: int,
    team: TeamStatus | None = None,
    sync: SyncStatus | None = None,
    trouble: str = "",
) -> Content:
    """The strip's line in `width` cells; what matters least is left out first, and `trouble` takes
    the place of all."""
    if status is None or trouble:
        head = Content.assemble((" cortex   ", "$text-accent bold"))
        return head + Content.styled(trouble, "$text-error reverse")
    name = glyphs.line(status.project or "global")
    where = f"{name} {glyphs.signs.between} {glyphs.line(status.branch)}" if status.branch else name
    middle = parts(status, glyphs, now, keymap.first("page.connect") if keymap else "")
    middle += followed(team, glyphs, now) if team is not None else []
    middle += exchanged(sync, glyphs, now) if sync is not None else []
    fixed = len(" cortex   ") + 1

    def used() -> int:
        return fixed + cell_len(where) + sum(cell_len(part.words) + 3 for part in middle)

    # The name of the project is cut last: everything else in the strip is about it.
    while middle and used() > width:
        middle.remove(max(reversed(middle), key=lambda part: part.rank))
    if used() > width:
        where = fit(where, max(1, cell_len(where) - (used() - width)), glyphs.signs.ellipsis)
    return Content("").join(
        [
            Content.assemble((" cortex   ", "$text-accent bold")),
            _opening(Content.assemble((where, "bold")), "settings.health"),
            *(
                _opening(Content.assemble((part.words, part.style)), part.opens, before="   ")
                for part in middle
            ),
        ]
    )


class Tab(NamedTuple):
    """A screen that one can go to, or a section of a page."""

    name: str
    """In `SCREENS`, or of the section."""
    title: str
    key: str = ""
    """The id of the key that goes there; empty for a section."""


TABS = (
    Tab("today", "Today", "go.today"),
    Tab("memories", "Memories", "go.memories"),
    Tab("inbox", "Inbox", "go.inbox"),
    Tab("surface", "Next session", "go.surface"),
    Tab("sessions", "Sessions", "go.sessions"),
    Tab("rules", "Rules", "go.rules"),
    Tab("log", "Log", "go.log"),
    Tab("settings", "Settings", "go.settings"),
)
"""The screens in the order of their keys."""
WAITING = frozenset({"inbox"})
"""The screens whose counts are of what waits for the user."""


def tab_line(
    status: ProjectStatus | None, keymap: Keymap | None, current: str, width: int
) -> Content:
    """The screens with their keys and what waits there, the current one underlined.

    Where room is short, the counts go first, those of what only is there before those of what
    waits, then the word *session* in a title and the space between the titles, then all titles but
    the current one and that of what waits, at last that one too.
    """
    # Memories without the history; only what the stores know at once waits in the inbox.
    counts = (
        {}
        if status is None
        else {
            "memories": status.listed,
            "inbox": status.to_review
            + status.counts.get("suggested", 0)
            + status.counts.get("quarantined", 0),
            "sessions": status.conversations,
        }
    )
    titles = [
        [
            f"{tab.title} {counts[tab.name]:,}"
            if counts.get(tab.name) and tab.name in counted
            else tab.title
            for tab in TABS
        ]
        for counted in (counts.keys(), WAITING | {"memories"}, WAITING, ())
    ]
    brief = [one.removesuffix(" session") for one in titles[2]]
    bare = [
        title if title != tab.title or tab.name == current else ""
        for tab, title in zip(TABS, titles[2], strict=True)
    ]
    keys = [keymap.first(tab.key) if keymap else "" for tab in TABS]

    def used(shown: Sequence[str], gap: int) -> int:
        words = zip(keys, shown, strict=True)
        return sum(cell_len(f"{key} {one}") + gap for key, one in words) + 1 - gap

    # Keys stay to the end: without them the other screens cannot be reached by who does not know
    # them.
    forms = [*((shown, 2) for shown in (*titles[:3], brief)), (titles[2], 1), (brief, 1)]
    forms += [(titles[3], 1), (bare, 2), ([tab.title * (tab.name == current) for tab in TABS], 2)]
    chosen, gap = next((form for form in forms if used(*form) <= width), forms[-1])
    pieces = []
    for tab, key, title in zip(TABS, keys, chosen, strict=True):
        style = "bold underline" if tab.name == current else "$muted"
        name, count = title[: len(tab.title)], title[len(tab.title) :]
        waits = "$text-warning" if tab.name in WAITING else style
        words = Content.assemble(
            (f"{key}", "$text-accent"), " " if title else "", (name, style), (count, waits)
        )
        pieces.append(_opening(words, tab.name))
    return Content(" ") + Content(" " * gap).join(pieces)


def _opening(words: Content, opens: str, before: str = "") -> Content:
    screen, _, section = opens.partition(".")
    action = f"app.go('{screen}', '{section}')" if section else f"app.go('{screen}')"
    if opens == CONNECT:
        action = "screen.connect"
    return Content(before) + words.stylize(Style.from_meta({"@click": action}))


class CaptureStrip(Widget):
    """The status strip, and below it the tabs of the screens."""

    status: reactive[ProjectStatus | None] = reactive(None)
    team: reactive[TeamStatus | None] = reactive(None)
    sync: reactive[SyncStatus | None] = reactive(None)
    now: reactive[float] = reactive(0.0)
    trouble: reactive[str] = reactive("")
    """Why nothing can be read, in a few words."""
    keymap: reactive[Keymap | None] = reactive(None)
    auto_links = False

    def __init__(self, glyphs: Glyphs, current: str) -> None:
        """`current`: the screen that it is on, or that this one was opened from."""
        super().__init__()
        self.glyphs = glyphs
        self._current = current

    def render(self) -> Content:
        width, trouble = self.size.width, self.trouble
        shown = (self.status, self.keymap, self.glyphs, self.now, width, self.team, self.sync)
        return Content("\n").join(
            [
                strip_line(*shown, trouble),
                tab_line(self.status, self.keymap, self._current, width),
            ]
        )


# --- the keys at the bottom, or for a moment what just happened


def chosen(
    keymap: Keymap,
    places: frozenset[str],
    width: int,
    hidden: frozenset[str] = frozenset(),
    labels: Mapping[str, str] = NO_LABELS,
) -> list[Key]:
    """The keys that fit into `width` cells, the most useful ones, in their order."""
    possible = (
        key for key in TABLE if not places.isdisjoint(key.places.split()) and key.id not in hidden
    )
    shown = sorted(
        (key for key in possible if key.footer and keymap.first(key.id)),
        key=lambda key: key.footer,
    )

    def used() -> int:
        words = (f"{keymap.first(key.id)} {labels.get(key.id, key.label)}" for key in shown)
        return sum(cell_len(each) + 2 for each in words) - 2

    while used() > width and any(key.id != KEPT for key in shown):
        shown.remove([key for key in shown if key.id != KEPT][-1])
    return shown


class KeyHints(Widget):
    """The footer. A click on a key does what the key does."""

    keymap: reactive[Keymap | None] = reactive(None)
    disabled_keys: reactive[frozenset[str]] = reactive(frozenset())
    """Ids of keys that do nothing now; pressing one says why."""
    typing: reactive[str] = reactive("")
    """The place whose keys alone count, because letters are typed into what has the keyboard, as
    its `TYPES` says; empty: none."""
    hidden_keys: reactive[frozenset[str]] = reactive(frozenset())
    """Ids of keys that belong to another part of the screen."""
    labels: reactive[Mapping[str, str]] = reactive(NO_LABELS)
    """By the id of a key, what it does to what is at hand, where the table says something else."""
    said: reactive[str] = reactive("", layout=True)
    auto_links = False

    def __init__(self, glyphs: Glyphs, place: str) -> None:
        super().__init__()
        self.glyphs = glyphs
        self._around = frozenset((*around(place), "moving"))
        self._warns = False
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        self.watch(self.screen, "focused", self._keyboard_went)

    def _keyboard_went(self, to: Widget | None) -> None:
        self.typing = getattr(to, "TYPES", "")

    def say(self, sentence: str, *, warns: bool = False) -> None:
        """Show `sentence` in place of the keys, for a few seconds or until the next one."""
        self._warns = warns
        self.said = self.glyphs.line(sentence)
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(SECONDS, self._forget)

    def _forget(self) -> None:
        self.said = ""

    def render(self) -> Content:
        if self.said:
            return self._sentence()
        if self.keymap is None:
            return Content("")
        pieces: list[Content] = []
        width = self.app.size.width - 2
        places = frozenset({self.typing}) if self.typing else self._around
        labels = WHILE_TYPING if self.typing else self.labels
        disabled = frozenset[str]() if self.typing else self.disabled_keys
        hidden = self.hidden_keys
        if "move.open" in disabled:  # nothing is at hand, so nothing is offered for it
            hidden |= disabled
        for key in chosen(self.keymap, places, width, hidden, labels):
            off = key.id in disabled
            is_apps = key.works_in("app") or key.action.startswith("app.")
            action = f"{'app' if is_apps else 'screen'}.{key.action.removeprefix('app.')}"
            click = Style.from_meta({"@click": action})
            piece = Content.assemble(
                (f"{self.keymap.first(key.id)} ", "$faint" if off else "$text-accent"),
                (labels.get(key.id, key.label), "$faint" if off else "$muted"),
            )
            pieces.append(piece.stylize(click))
        return Content("  ").join(pieces)

    def _sentence(self) -> Content:
        sign = f"{self.glyphs.signs.status['quarantined']} " if self._warns else ""
        style = "$text-warning" if self._warns else "$foreground"
        return Content.assemble((f"{sign}{self.said}", style))


# --- what is in the body's place: nothing there yet, nothing found, an error


class Notice(Static):
    """A heading and a few sentences."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs

    def inform(self, heading: str, steps: Steps = ()) -> None:
        """Show `heading`, and under it what to do (a command or key, and what it is good for)."""
        width = max((len(command) for command, _ in steps), default=0)
        lines = [Content.assemble((self.glyphs.line(heading), "bold")), Content("")]
        lines += [
            Content.assemble((f"{command:<{width}}", "$text-accent"), (f"   {use}", "$muted"))
            for command, use in steps
        ]
        self.update(Content("\n").join(lines))

    def warn(self, heading: str, reason: str, steps: Steps) -> None:
        """Show what went wrong: `reason` a sentence a line, then the steps."""
        sentences = _SENTENCE.split(self.glyphs.line(reason))
        body = Content("\n").join(
            [
                Content.assemble(
                    (f"{self.glyphs.signs.status['quarantined']} {heading}", "$text-error bold")
                ),
                Content(""),
                *(Content(sentence) for sentence in sentences),
                Content(""),
                *(
                    Content.assemble((f"{key:<4}", "$text-accent"), (use, "$muted"))
                    for key, use in steps
                ),
            ]
        )
        self.update(body)


# --- how far something that takes long has come


class JobLine(Static):
    """The line that shows the progress of a job; hidden while there is none."""

    class Progressed(Message):
        """The job has come further."""

        def __init__(self, done: int, total: int, name: str) -> None:
            super().__init__()
            self.done, self.total, self.name = done, total, name

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, JobLine.Progressed)

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(markup=False)
        self.glyphs = glyphs
        self._what = self._hint = ""

    def begin(self, what: str, hint: str = "") -> None:
        """Show that `what` is going on, and what the user can do about it."""
        self._what, self._hint = what, hint
        self.display = True
        self.update(
            Content.assemble(
                (f"{what} {self.glyphs.signs.ellipsis}  ", "$text-accent"), (hint, "$muted")
            )
        )

    def end(self) -> None:
        """Show nothing."""
        self.display = False

    def report_progress(self, done: int, total: int, name: str = "") -> None:
        """Show how far it has come; from any thread."""
        self.post_message(self.Progressed(done, total, name))

    def on_job_line_progressed(self, event: Progressed) -> None:
        share = event.done / event.total if event.total else 0.0
        name = self.glyphs.line(event.name)[-30:]
        self.update(
            Content.assemble(
                (f"{self._what}  ", "$text-accent"),
                (f"{bar(share, self.glyphs):<{BAR_WIDTH}} {share:>4.0%}  ", "$foreground"),
                (f"{name}  {self._hint}" if name else self._hint, "$muted"),
            )
        )

    @on(Fetched)
    def _job_ended(self, event: Fetched) -> None:
        event.stop()
        self.end()
        event.show()
