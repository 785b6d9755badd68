"""Waiting for an app until nothing is under way: states, never the time that passed.

Textual's pilot takes a process that uses little CPU time for an idle one. That costs 20 ms for each
key, and a busy machine makes it believe so too early.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

from textual._context import active_app
from textual._queue import Queue
from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen
from textual.worker import Worker

PATIENCE = 120.0
"""Seconds after which a wait is a failure; never waited for where all is well."""
TURNS = 5
"""Turns of the event loop without anything to do that make an app idle: a key passes from the
driver to the app in fewer."""
SHORT = 0.1
"""Timers of so many seconds or less are the app's own short rests, which `settle` waits for."""


async def until(condition: Callable[[], object], what: str = "what was waited for") -> None:
    """Wait until `condition` holds.

    Raises:
        AssertionError: `what` did not come within `PATIENCE`.
    """
    try:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await asyncio.sleep(0.002)
    except TimeoutError:
        raise AssertionError(f"{what} did not come") from None


async def settle(pilot: Pilot[Any], *, timers: float = SHORT) -> None:
    """Wait until no worker runs and everything that was posted is handled.

    A worker that waits for the answer to a dialog runs on.

    Args:
        timers: timers that run for so many seconds or less are waited for too.
    """
    app = pilot.app

    def under_way() -> bool:
        return _working(app) or _timed(app, timers) or is_busy(app)

    while True:
        await pilot.pause()
        if not under_way():
            return
        await until(lambda: not (_working(app) or _timed(app, timers)), "the end of all workers")


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press `keys` one by one, and settle after each."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


async def act(pilot: Pilot[Any], *actions: str) -> None:
    """Do what the palette offers on this screen, by the actions of the keymap, and settle."""
    for action in actions:
        await pilot.app.screen.run_action(action)
        await settle(pilot)


async def idle(_min_sleep: float = 0, _max_sleep: float = 0) -> None:
    """Wait until the active app has no message to handle and nothing to paint.

    Stands in for Textual's `wait_for_idle`, hence the arguments.
    """
    app = active_app.get()
    turns = quiet = 0
    async with asyncio.timeout(PATIENCE):
        while quiet < TURNS:
            await asyncio.sleep(0 if turns < 2 * TURNS else 0.0005)
            turns += 1
            if app._exit or (not (handling := _is_handling(app)) and not _unpainted(app)):
                quiet += 1
                continue
            quiet = 0
            for screen in () if handling else _unpainted(app):
                # What it does of itself at the next sixtieth of a second.
                screen._on_timer_update()


async def handled(pilot: Pilot[Any], _timeout: float = 0) -> bool:
    """Wait until everything that was posted is handled; in place of `Pilot._wait_for_screen`."""
    await idle()
    return pilot.app._exception is None


def is_busy(app: App[Any]) -> bool:
    """Whether a message waits or is being handled, or something has to be painted."""
    return not app._exit and (_is_handling(app) or bool(_unpainted(app)))


def _is_handling(app: App[Any]) -> bool:
    return any(map(_pump_is_busy, _pumps(app)))


def _pumps(app: App[Any]) -> Iterator[MessagePump]:
    yield app
    yield from list(app._registry)


def _pump_is_busy(pump: MessagePump) -> bool:
    """Whether `pump` does anything but wait for its next message."""
    if not pump._running and (pump._task is None or pump._task.done()):
        return False
    queue: Queue[Message | None] = pump._message_queue
    waits = any(not waiter.done() for waiter in queue.ready_event._waiters)
    return not (waits and queue.empty())


def _unpainted(app: App[Any]) -> list[Screen[Any]]:
    """The screens that have something to paint, or something to do after it."""
    return [screen for screen in app.screen_stack if screen.is_running and _wants_paint(screen)]


def _wants_paint(screen: Screen[Any]) -> bool:
    dirty = (
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
    )
    return bool(screen._callbacks or (dirty and screen.is_active))


def _working(app: App[Any]) -> bool:
    asked = any(
        callback.future is not None and not callback.future.done()
        for screen in app.screen_stack
        for callback in screen._result_callbacks
    )
    return any(not (worker.is_finished or (asked and _may_ask(worker))) for worker in app.workers)


def _may_ask(worker: Worker[Any]) -> bool:
    """Whether `worker` can be one that waits for an answer: these run in the app's own thread."""
    return not worker._thread_worker


def _timed(app: App[Any], longest: float) -> bool:
    """Whether a timer is under way that fires once, within `longest` seconds."""
    return any(
        timer._repeat == 0 and timer._interval <= longest and not timer._task.done()
        for pump in _pumps(app)
        for timer in list(pump._timers)
        if timer._task is not None
    )
