"""Actions that change both stores: both parts happen or neither, whatever fails or is killed.

SQLite commits two databases one after the other. So the part that is committed first carries an
intent, a row of `meta` that names the action, in the same transaction. It goes when the other part
is committed as well. Who finds one knows that a process ended in between, and takes the first part
back: its rows are as they were, and its entry leaves the journal.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from cortex_core.base.errors import StoreError, UndoConflict
from cortex_core.store import journal
from cortex_core.store.reader import Reader
from cortex_core.store.store import Store

INTENT = "intent "
"""Begins the key of an intent; the identity of the project's store, the action and its newest entry
follow. Its value is the action and the numbers of its entries in both stores, newest first."""


@contextmanager
def together(stores: Sequence[Store], action: str) -> Iterator[None]:
    """One transaction in each of one or two stores, committed in this order: all of them or none.

    Inside another such block on these stores it is a part of that. A store that an action adds to
    comes before the one that it removes from: at no moment a memory is in neither.

    Args:
        action: what the journal entries written inside are marked with.

    Raises:
        StoreError: a store cannot be written; the message says whether something was changed.
    """
    if not stores or all(store.connection.in_transaction for store in stores):
        yield
    elif len(stores) == 1:
        with stores[0].write():
            yield
    else:
        with _both(stores[0], stores[1], action):
            yield


@contextmanager
def _both(first: Store, second: Store, action: str) -> Iterator[None]:
    committed: list[Store] = []
    intent = ""
    with first.durable(), second.durable():
        try:
            with ExitStack() as late, ExitStack() as early:
                for store in _in_order(first, second):
                    (early if store is first else late).enter_context(store.write())
                late.push(lambda kind, *_: None if kind else committed.append(first))
                known = journal.newest(first), journal.newest(second)
                yield
                intent = _note(first, second, action, known)
        except BaseException as error:
            if committed and intent:
                _take_back_now(first, second, intent, error)
            raise
        with suppress(StoreError):  # both parts are there: who opens the stores next sees that
            if intent:
                _end(first, intent)


def _in_order(first: Store, second: Store) -> list[Store]:
    """The order in which everybody locks the two, so that none waits for another in a circle."""
    return sorted((first, second), key=lambda store: (store.scope, store.file), reverse=True)


def _note(first: Store, second: Store, action: str, known: tuple[int, int]) -> str:
    """Note the intent where both stores were changed, and return its key; one that was changed
    alone needs none.

    Args:
        known: the newest entries of both before this.
    """
    written = [
        journal.of_action(store, action, after)
        for store, after in zip((first, second), known, strict=True)
    ]
    if not all(written):
        return ""
    for store, numbers in zip((first, second), written, strict=True):
        journal.mark_spanning(store, numbers)
    # Of two projects the one that memories leave names it: that is known to neither as its own, and
    # what has arrived is never taken back by who finds it.
    project = second if second.scope == "project" else first
    key = f"{INTENT}{project.identity} {action} {written[0][0]}"
    first.set_meta(key, json.dumps([action, *written]))
    return key


def _take_back_now(first: Store, second: Store, key: str, error: BaseException) -> None:
    """Take back the first part, because the second could not be committed.

    Raises:
        StoreError: that is not possible now; says what is changed and what becomes of it.
    """
    try:
        _settle(first, second, key)
    except (StoreError, UndoConflict):
        raise StoreError(
            f"{second.path} could not be written. {first.path} was changed, and that cannot be "
            "taken back at the moment: the next command that can write both stores does it. Free "
            "some space, then run: cortex status"
        ) from error


def pending(store: Reader, project: str = "") -> list[str]:
    """The keys of the intents in a store.

    Args:
        project: only those of the project whose store has this identity.
    """
    return list(store.metas(f"{INTENT}{project} " if project else INTENT))


def settle(project: Store, shared: Store) -> None:
    """Take back what was done of actions that ended between the two stores.

    Raises:
        StoreError: a store cannot be written now; the intents stay.
        UndoConflict: what would be taken back has been changed since; its intent stays.
    """
    for first, second in ((project, shared), (shared, project)):
        for key in pending(first, project.identity):
            with first.durable():
                _settle(first, second, key)


def _settle(first: Store, second: Store, key: str) -> None:
    """End an intent: nothing is left to do where both parts are there, else the first is undone.

    Both stores are locked meanwhile: whoever is between its two commits still holds the second.
    """
    with ExitStack() as open_ones:
        for store in _in_order(first, second):
            open_ones.enter_context(store.write())
        action, written, others = json.loads(first.meta(key) or "[null, [], []]")
        if others and others[0] not in journal.of_action(second, action, others[-1] - 1):
            _take_back(first, written)
        _end(first, key)


def _end(first: Store, key: str) -> None:
    with first.write():
        first.execute("DELETE FROM meta WHERE key = ?", (key,))


def _take_back(store: Store, numbers: Sequence[int]) -> None:
    """Make what these entries changed undone and unknown."""
    for entry in map(store.entry, numbers):
        with store.change("undo", entry.label, "worker") as made:
            made.kept = True
            journal.invert(store, made, entry)
            journal.erase(made, entry)
