"""The base of every screen over the stores: its frame, and its work off the screen's thread.

A task runs in a worker, asks the stores one thing and posts one message with what shows its result.
Nothing it raises ends the app. The messages that every screen gets are handled here once; what a
screen does about them is its method `changed`, `failed` or `beat`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.events import Key as KeyPress
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker, WorkerState, get_current_worker

from cortex_core.base.errors import CortexError, StoreError, StoreLocked
from cortex_core.records.memory import Key
from cortex_tui import keymap
from cortex_tui.context import ASKS, AppContext, Failed, Fetched, context_of
from cortex_tui.glyphs import Glyphs
from cortex_tui.queries import Done, Pulse, Revision, Verb
from cortex_tui.session import StoreSession
from cortex_tui.widgets import frame
from cortex_tui.widgets.frame import MOST_AT_ONCE, CaptureStrip, JobLine, KeyHints, Notice

if TYPE_CHECKING:
    from cortex_core.records.captures import ProjectStatus

PULSE = 1.5
"""Seconds between two checks for what others wrote."""
SOON = 0.5
"""Seconds after which a change that is not done is said to be under way."""
REST = 1.0
"""Seconds without a change after which missing vectors are computed: loading the model slows keys
down, and a change is seldom the last."""
PULSING = "pulse"
"""The group of the workers that check for what others wrote."""
ENDED = (WorkerState.SUCCESS, WorkerState.ERROR, WorkerState.CANCELLED)
WIDE = 100
"""Columns from which there is room for a second column."""
TALL = 30
"""Lines from which there is room for more than the essentials."""
BROAD = 160
"""Columns from which there is room for a third pane."""
HIGH = 36
"""Lines from which it stands below the second where it has no room next to it."""

Change = Callable[[StoreSession], Done]
Progress = Callable[..., None]
"""Called with the finished and total amount, and optionally the current name."""
Value = TypeVar("Value")


class StoreScreen(Screen[None], inherit_bindings=False):
    """A screen that shows something of the stores: strip, body, a notice in its place, key hints.

    It reads what it shows when it comes to the front, and again whenever a store has changed.
    Subclasses define `PLACE`, `body` and `load`.
    """

    PLACE: ClassVar[str] = "store"
    """The place in the table of keys whose keys work here."""
    NAME: ClassVar[str] = ""
    """Its name in `SCREENS`; empty where it is made for one memory."""
    SUBJECT: ClassVar[str] = "The memories"
    """What it shows, where that cannot be read."""
    TAB: ClassVar[str] = "memories"
    """The main screen that it belongs to, where it is none itself."""
    BINDINGS = [*keymap.bindings("store")]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]

    strip = getters.query_one(CaptureStrip)
    notice = getters.query_one(Notice)
    hints = getters.query_one(KeyHints)

    def __init__(self) -> None:
        super().__init__()
        self.changes = ChangeRunner(self)
        self.vectors = NewVectors(self)
        self.jobs = JobRunner(self)
        self.revision: Revision | None = None
        """The stores' revision that is shown, own changes included."""
        self.status_revision: Revision | None = None
        """What the status in the strip is of, as `Pulse.seen` says it."""
        self._beating = self._beats_again = False
        self._unusable = False

    @property
    def context(self) -> AppContext:
        """The app."""
        return context_of(self.app)

    @property
    def glyphs(self) -> Glyphs:
        """The signs that this terminal can show."""
        return self.context.glyphs

    @property
    def stores(self) -> StoreSession | None:
        """The open stores, None until they are open."""
        return self.context.stores

    # --- what subclasses say

    def body(self) -> ComposeResult:
        """The widgets that the notice can take the place of."""
        yield from ()

    def foot(self) -> ComposeResult:
        """What is above the key hints, whether or not the notice is shown."""
        yield from ()

    def load(self) -> None:
        """Request what is shown with `fetch`; the handler of the result sets `revision`."""
        raise NotImplementedError

    def start(self) -> None:
        """Show something for the first time; called once, when the screen is mounted."""
        self.load()
        self.pulse()

    def open_stores(self) -> None:
        """Open the stores, or open them again, for all screens."""
        opening = self.context.open_stores()
        if opening.is_done:
            self.context.stores_came(opening.result())
        else:
            self.run_worker(
                partial(self._fetch, opening.result, self.context.stores_came),
                group="open",
                description="Opening the stores",
                thread=True,
                exclusive=True,
                exit_on_error=False,
            )

    def stores_came(self) -> None:
        """Begin to read, now that the stores are open; the status comes with the next pulse."""
        if self.revision is None:
            self.load()

    def forget_project(self) -> None:
        """Forget what is shown: the app turns to another project."""
        self.revision = self.status_revision = self.strip.status = None

    def resumed(self) -> None:
        """Continue after another screen was in front."""
        if self.revision is not None:
            self.load()

    def beats(self) -> bool:
        """Whether to check for what others wrote at this moment."""
        return self.is_current

    def changed(self, done: Done) -> None:
        """Show what a change that was made here has changed."""
        self.load()
        self.pulse()

    def failed(self, failed: Failed) -> None:
        """Say what was not done; where the stores cannot be read, in place of the body."""
        if failed.unusable:
            self._unusable = True
            self.context.stores_failed()
            self.show_notice(True)
            key, sign = self.context.keymap.first, self.glyphs.signs.warning
            self.strip.trouble = f"{sign} nothing can be read: {key('page.refresh')} tries again"
            self.notice.warn(
                f"{self.SUBJECT} cannot be read",
                failed.reason,
                [(key("page.refresh"), "try again"), (key("app.quit"), "quit")],
            )
        else:
            self.say(failed.reason, warns=True)

    def beat(self, pulse: Pulse) -> None:
        """Show what others wrote."""
        if self.revision is not None and pulse.revision != self.revision:
            self.load()

    # --- the frame

    def compose(self) -> ComposeResult:
        # Textual sets these classes too, but only after a first layout without them.
        for size, breakpoints in zip(
            self.app.size, (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS), strict=True
        ):
            self.add_class(max(one for one in breakpoints or () if size >= one[0])[1])
        self._make_room()
        yield CaptureStrip(self.glyphs, self.NAME or self.TAB)
        yield from self.main()
        yield JobLine(self.glyphs)
        yield KeyHints(self.glyphs, self.PLACE)

    def main(self) -> ComposeResult:
        """Everything between strip and key hints."""
        with Container(id="page"):
            yield from self.body()
        yield Notice(self.glyphs)
        yield from self.foot()

    def on_mount(self) -> None:
        self.hints.keymap = self.strip.keymap = self.context.keymap
        self.start()
        if self.app.screen_stack[0] is self:
            self.open_stores()
        self.set_interval(PULSE, self._beat)

    def on_resize(self) -> None:
        self._make_room()

    def _make_room(self) -> None:
        """Say to the style sheets whether there is room for a third pane."""
        width, height = self.app.size
        self.set_class(width >= BROAD, "-broad")
        self.set_class(width >= (WIDE if height >= HIGH else BROAD), "-third")

    def on_screen_resume(self) -> None:
        self.resumed()

    def say(self, sentence: str, *, warns: bool = False) -> None:
        """Show a sentence in place of the key hints for a few seconds.

        A key can come before the screen is composed: then there is nothing to say it in.
        """
        for hints in self.query(KeyHints):
            hints.say(sentence, warns=warns)

    def show_notice(self, shown: bool) -> None:
        """Show the notice in place of the body, or the body again."""
        self.set_class(shown, "-notice")
        self.strip.trouble = ""

    # --- reading, in workers

    def fetch(
        self,
        task: Callable[[StoreSession], Value],
        show: Callable[[Value], None],
        *,
        group: str,
        what: str,
    ) -> None:
        """Do `task` in a worker and `show` what it returns, unless a later task of its group was
        requested meanwhile.

        Args:
            what: what is being done, for a failure: “Reading the proposals”.
        """
        if self.stores is not None:
            work = partial(self._fetch, partial(task, self.stores), show)
            self.run_worker(
                work,
                group=group,
                description=what,
                thread=True,
                exclusive=True,
                exit_on_error=False,
            )

    def _fetch(self, task: Callable[[], Value], show: Callable[[Value], None]) -> None:
        if not get_current_worker().is_cancelled:
            self.report(lambda: Fetched(partial(show, task())), reading=True)

    def report(self, task: Callable[[], Message], *, reading: bool = False) -> Message:
        """Post what `task` returns, or why it failed; returns the message. Called in workers.

        Args:
            reading: whether there is nothing to show when it fails.
        """
        try:
            message = task()
        except CortexError as error:
            busy = isinstance(error, StoreLocked) and self.stores is not None
            lost = reading and not busy and (isinstance(error, StoreError) or not self.stores)
            message = Failed(str(error), unusable=lost)
        if not get_current_worker().is_cancelled:
            self.post_message(message)
        return message

    def pulse(self) -> None:
        """Check whether somebody else wrote, and if a check is running, once more after it: it may
        have looked before what there is to see."""
        if self._beating:
            self._beats_again = True
        elif self.stores is not None:
            self._beating = True
            self.run_worker(
                partial(self._pulse, self.stores, self.status_revision),
                group=PULSING,
                description="Looking for changes",
                thread=True,
                exit_on_error=False,
            )

    def _pulse(self, stores: StoreSession, known: Revision | None) -> None:
        self._fetch(partial(stores.pulse, known), self._beat_came)

    def _pulse_ended(self) -> None:
        self._beating = False
        if self._beats_again:
            self._beats_again = False
            self.renew_status()

    def renew(self) -> None:
        """Read everything again, the status too, after something that no revision tells of."""
        self.load()
        self.renew_status()

    def _beat(self) -> None:
        if self.beats() and not self._beating:
            self.pulse()

    def converse(
        self, dialogs: Coroutine[Any, Any, None], what: str, *, exclusive: bool = True
    ) -> None:
        """Run `dialogs`, which wait for the user; with `exclusive`, in place of others."""
        self.context.hold_keys(True)
        self.run_worker(
            dialogs, group=ASKS, description=what, exclusive=exclusive, exit_on_error=False
        )

    # --- what the workers report

    def show_change(self, done: Done) -> None:
        """Say and show what was changed here."""
        undo = self.context.keymap.first("change.undo")
        is_undoable = done.verb != "undo" and not done.lasting
        self.say(done.sentence + (f" ({undo} takes it back)" if undo and is_undoable else ""))
        if done.settings and self.stores is not None:
            self.context.configure(self.stores.cortex.config)
            self.status_revision = None
        self.changed(done)

    @on(Failed)
    def _failure_came(self, event: Failed) -> None:
        self.failed(event)

    @on(Fetched)
    def _fetched(self, event: Fetched) -> None:
        event.show()

    def _beat_came(self, pulse: Pulse) -> None:
        now = self.context.now
        self.strip.now = now // 60 * 60
        if pulse.status is not None:
            self.strip.status, self.status_revision = pulse.status, pulse.seen
            self.strip.team, self.strip.sync = pulse.team, pulse.sync
            self.vectors.follow(pulse.status)
        self.beat(pulse)

    def renew_status(self) -> None:
        """Read the status again: something has changed it that no revision tells of."""
        self.status_revision = None
        self.pulse()

    def _stores_reopened(self, _nothing: None) -> None:
        self.renew()
        self.say("Opened again.")

    @on(Worker.StateChanged)
    def _worker_ended(self, event: Worker.StateChanged) -> None:
        """Report an unexpected error, and check again where that was asked for meanwhile."""
        if event.worker.group == PULSING and event.state in ENDED:
            self._pulse_ended()
        if event.worker.group == ASKS and event.state in ENDED:
            self.context.hold_keys(False)
        if event.state is WorkerState.ERROR:
            what = event.worker.description or "Working"
            key = self.context.keymap.first("page.refresh")
            self.post_message(
                Failed(f"{what} failed: {event.worker.error!r}. Read again with {key}.")
            )

    # --- keys

    def on_key(self, event: KeyPress) -> None:
        """Say why a key does nothing here; keys that are typed into a field have meanings of its
        own."""
        is_typing = hasattr(self.focused, "action_delete_right")  # a field of one line, or of more
        why = "" if is_typing else self.context.keymap.nothing_here(event.key, self.PLACE)
        if why:
            self.say(why, warns=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a key is for an action: one that begins a search is a letter of words."""
        return not (action == "search" and self.hints.typing)

    def action_search(self) -> None:
        """Search the memories; a screen with a search of its own begins that instead."""
        self.context.action_go("memories", "/")

    def action_undo(self) -> None:
        self.changes.act("undo")

    def action_redo(self) -> None:
        self.changes.act("redo")

    def action_switch_triggers(self) -> None:
        from cortex_tui.actions import memories_actions as actions

        self.changes.do(actions.switch_triggers)

    def action_connect(self) -> None:
        """Do what the strip says is needed: resume capture, switch the guards on, show what does
        not work; else connect with Claude Code, after a question that shows what changes."""
        stores = self.stores
        if stores is None:
            return
        # The strip may be a minute old; what is on meanwhile is not switched off.
        match frame.needed(self.strip.status):
            case "resume" if stores.cortex.sessions.paused:
                self.context.action_job("pause")
            case "checks":
                self.context.action_go("settings", "health")
            case "guards" if not stores.guards_are_on:
                self.action_switch_triggers()
            case _:
                self.converse(self._connect(stores), "Connecting with Claude Code")

    async def _connect(self, stores: StoreSession) -> None:
        """Show what connecting changes, do it if the user wants it, and say what was done."""
        from cortex_tui.actions import project_actions as actions
        from cortex_tui.screens.dialogs import Confirm

        project = stores.cortex.project
        self.say("Reading the settings of Claude Code …")
        try:
            detail = await asyncio.to_thread(actions.connection_preview, project)
            if not detail:
                self.say("Claude Code is connected already: the hooks are in its settings.")
                return
            question = "Connect Cortex with Claude Code?"
            if not await self.app.push_screen_wait(Confirm(question, detail, "connect")):
                self.say("Nothing was changed.")
                return
            self.say("Connecting …")
            done = await asyncio.to_thread(actions.connect, project)
        except CortexError as error:
            self.post_message(Failed(str(error)))
            return
        self.say(done)
        self.renew_status()

    def action_refresh(self) -> None:
        """Read again; stores that could not be read or were not trusted are opened again first."""
        unusable = self._unusable or not (self.strip.status is None or self.strip.status.trusted)
        self._unusable = False
        if unusable and self.stores is None:
            self.open_stores()
        elif unusable:
            self.fetch(
                StoreSession.reopen,
                self._stores_reopened,
                group="reopen",
                what="Opening the stores",
            )
        else:
            self.load()
            self.say("Read again.")

    def action_back(self) -> None:
        """Stop what is going on, if that can be; else leave."""
        # A second press may come before the screen is gone.
        if not self.jobs.stop() and self.is_active and len(self.app.screen_stack) > 1:
            self.app.pop_screen()


class NewVectors:
    """Gives what was written, here or elsewhere, its vectors while the app is open."""

    def __init__(self, screen: StoreScreen) -> None:
        self.screen = screen
        self._timer: Timer | None = None

    def follow(self, status: ProjectStatus) -> None:
        """Compute the few vectors that are missing once nothing has changed for a moment.

        More are left to the worker, and to the key that shows the progress.
        """
        if self._timer is not None:
            self._timer.stop()
        if 0 < status.pending_embeddings <= MOST_AT_ONCE:
            self._timer = self.screen.set_timer(REST, self._compute)

    def _compute(self) -> None:
        screen = self.screen
        if screen.stores is not None:
            screen.run_worker(
                partial(self._embed, screen.stores),
                group="vectors",
                thread=True,
                description="Computing vectors",
                exit_on_error=False,
            )

    def _embed(self, stores: StoreSession) -> None:
        with suppress(CortexError):
            if stores.cortex.models.embed_few():
                self.screen.post_message(Fetched(self.screen.renew_status))


class ChangeRunner:
    """Makes a screen's changes off its thread, one after the other; each is shown after it."""

    def __init__(self, screen: StoreScreen) -> None:
        self.screen = screen
        self._changing = Lock()
        self._waiting: SimpleQueue[Change] = SimpleQueue()
        self._asked = self._made = 0
        """How many changes were asked for, and made or refused; the second is written under the
        lock."""

    def act(self, verb: Verb, *keys: Key) -> None:
        """Carry out `verb` after what was asked for before it."""
        self.do(lambda stores: stores.act(verb, *keys))

    def do(self, change: Change) -> None:
        """Change something, after what was asked for before it."""
        screen = self.screen
        if screen.stores is not None:
            self._waiting.put(change)
            self._asked += 1
            screen.run_worker(
                partial(self._do_next, screen.stores),
                group="act",
                thread=True,
                description="Changing something",
                exit_on_error=False,
            )
            screen.set_timer(SOON, self._say_under_way)

    def _do_next(self, stores: StoreSession) -> None:
        screen = self.screen
        with self._changing:
            change = self._waiting.get()
            screen.report(lambda: Fetched(partial(screen.show_change, self._make(change, stores))))

    def _make(self, change: Change, stores: StoreSession) -> Done:
        try:
            return change(stores)
        finally:
            self._made += 1  # before the result is posted, which nothing may be said over

    def _say_under_way(self) -> None:
        if self._made < self._asked:
            self.screen.say("Working. You can look around meanwhile.")


# --- long jobs: one at a time, off the screen's thread, with the progress in a line


class Stopped(Exception):
    """The user stopped a job, or left."""


class JobRunner:
    """Carries out the jobs of a screen, one at a time.

    Leaving the screen stops the job that is going on, if it can be stopped.
    """

    def __init__(self, screen: StoreScreen) -> None:
        self.screen = screen
        self.at_work = ""
        """What is being done; empty where nothing is."""
        self._stop = Event()
        self._stoppable = False

    @property
    def line(self) -> JobLine:
        """The line that shows how far it has come."""
        return self.screen.query_one(JobLine)

    def run(
        self,
        what: str,
        task: Callable[[StoreSession, Progress], Value],
        then: Callable[[Value], None],
        *,
        stopped: str = "",
    ) -> None:
        """Carry out `task` in a worker, its progress shown, and call `then` with its result.

        Args:
            what: what is being done: “Reading sessions”.
            task: reports its progress; the call raises `Stopped` to end it early.
            stopped: the message if the user stopped it; empty if that is impossible.
        """
        screen = self.screen
        if self.at_work:
            screen.say(f"{self.at_work} is still going on.", warns=True)
        elif screen.stores is not None:
            self.at_work, self._stoppable = what, bool(stopped)
            self._stop.clear()
            leave = screen.context.keymap.first("move.back") if stopped else ""
            self.line.begin(what, f"{leave} stops it" if leave else "")
            work = partial(self._carry_out, self.line, partial(task, screen.stores), then, stopped)
            screen.run_worker(work, group="job", description=what, thread=True, exit_on_error=False)

    def stop(self) -> bool:
        """Stop the job that is going on; False where there is none that can be stopped."""
        stops = bool(self.at_work) and self._stoppable and not self._stop.is_set()
        if stops:
            self._stop.set()
        return stops

    def _carry_out(
        self,
        line: JobLine,
        task: Callable[[Progress], Value],
        then: Callable[[Value], None],
        stopped: str,
    ) -> None:
        """Do it in a worker; the result is shown on the screen's own thread."""
        following: Callable[[], None] = _nothing
        worker = get_current_worker()

        def progress(done: int, total: int, name: str = "") -> None:
            if stopped and (worker.is_cancelled or self._stop.is_set()):
                raise Stopped
            line.report_progress(done, total, name)

        try:
            following = partial(then, task(progress))
        except CortexError as error:
            if not worker.is_cancelled:
                self.screen.post_message(Failed(str(error)))
        except Stopped:
            following = partial(self._stopped, stopped)
        # Whatever happened, the line must end, or the next job could not begin.
        finally:
            if not worker.is_cancelled:
                line.post_message(Fetched(partial(self._ended, following)))

    def _ended(self, following: Callable[[], None]) -> None:
        self.at_work = ""
        following()

    def _stopped(self, sentence: str) -> None:
        self.screen.say(sentence)
        self.screen.renew()


def _nothing() -> None:
    """What follows a job that failed."""
