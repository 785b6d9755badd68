"""Forgetting conversations: hidden at once and undoable, or erased for good.

The archive has no journal. That a session is forgotten is a row in the store, which is journalled
as memories are, so that it can be undone and redone with the memories that were forgotten with it.
"""

import secrets
from collections.abc import Iterable, Sequence

from cortex_core.archive.archive import Archive, damaged_copies
from cortex_core.base import decay
from cortex_core.base.errors import NotFound, StoreError
from cortex_core.base.settings import FOREVER, OFF
from cortex_core.records.conversation import Conversation, Erased
from cortex_core.records.memory import Actor
from cortex_core.redaction.secrets import is_ignored
from cortex_core.store import learned, scrubbing, snapshots, trash
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace


def hidden(stores: Iterable[Store]) -> frozenset[str]:
    """The sessions whose conversations are forgotten."""
    return frozenset(session for store in stores for session in learned.forgotten(store))


def forget(
    workspace: Workspace, conversation: Conversation, *, memories: bool, actor: Actor
) -> int:
    """Hide a conversation, as one undoable action; how many memories were forgotten with it.

    Args:
        memories: whether what was learned in no other session is forgotten too.
    """
    owner = workspace.store(conversation.scope)
    stores = dict.fromkeys((owner, *workspace.own_stores) if memories else (owner,))
    learned_here = {
        store: learned.only_from(store, conversation.session) if memories else []
        for store in stores
    }
    # The owner hides the conversation; another store has an entry only if it forgets something.
    changed = [store for store in stores if store is owner or learned_here[store]]
    title = conversation.title[:60] or conversation.session[:8]
    action, label = secrets.token_hex(8), f"forget session “{title}”"
    with workspace.together(changed, action):
        for store in changed:
            with store.change("forget", label, actor, action) as change:
                if store is owner and change.read("forgotten", conversation.session) is None:
                    change.insert(
                        "forgotten",
                        {
                            "session": conversation.session,
                            "title": conversation.title,
                            "time": change.time,
                        },
                    )
                for memory in learned_here[store]:
                    change.update("memory", memory, {"status": "archived", "updated": change.time})
    return sum(map(len, learned_here.values()))


def restore(workspace: Workspace, session: str, *, actor: Actor) -> None:
    """Show a forgotten conversation again; memories stay as they are.

    Raises:
        NotFound: it is not forgotten.
    """
    for store in workspace.own_stores:
        if session in learned.forgotten(store):
            with store.change("restore", f"restore session {session[:8]}", actor) as change:
                change.delete("forgotten", session)
            return
    raise NotFound(f"Session {session[:8]} is not forgotten. Nothing was changed.")


# --- for good

_HALF = "A part of it is removed already. The same command removes the rest."


def erase(
    workspace: Workspace,
    archive: Archive,
    conversation: Conversation,
    *,
    memories: bool,
    remove_snapshots: bool,
) -> Erased:
    """Remove a conversation for good, with what else the stores keep of its words.

    The archive is last: what a crash leaves is removed by the same call.

    Args:
        memories: whether what was learned in no other session is destroyed too.
        remove_snapshots: whether the snapshots that know the session are removed.
    """
    session = conversation.session
    count = done = 0
    try:
        for store in workspace.own_stores:
            gone = learned.only_from(store, session, any_status=True) if memories else []
            _erase_traces(store, session, gone)
            count, done = count + len(gone), done + 1
        archive.erase([session])
    except StoreError as error:
        raise (error.after(_HALF) if done else error) from error
    copies = [
        path
        for store in workspace.own_stores
        for path in snapshots.copies(store.path)
        if learned.copy_knows(path, session)
    ]
    copies += damaged_copies(archive.path)  # whatever they hold, nobody can say
    for path in copies if remove_snapshots else ():
        path.unlink(missing_ok=True)
    left = [scrubbing.old_pages(file) for file in (archive, *workspace.own_stores)]
    if not remove_snapshots:
        left += [f"{path} still knows the session. Remove the file yourself." for path in copies]
    return Erased(
        conversation=conversation,
        memories=count,
        left=tuple(filter(None, left)),
        removed=tuple(map(str, copies)) if remove_snapshots else (),
    )


def _erase_traces(store: Store, session: str, memories: Sequence[str]) -> None:
    """Remove from a store what it keeps of a session's words, and `memories`."""
    scrubbing.overwrite_freed_pages(store)
    label = f"erase session {session[:8]}"
    with store.change("erase", label, "person") as change:
        change.kept = True
        for memory in memories:
            trash.put(store, change, memory)
        change.delete("forgotten", session)
        trash.destroy(store, memories)
        learned.erase_words(store, session)
        if memories:
            scrubbing.rebuild_indexes(store)  # they would keep the words of what was deleted
    scrubbing.rewrite_file(store)


def expired(archive: Archive, keep: str, now: float) -> list[str]:
    """The sessions that are older than the setting `archive.keep` allows."""
    if keep in (FOREVER, OFF):
        return []
    oldest = now - int(keep) * decay.DAY
    return archive.column("SELECT session FROM conversation WHERE ended < ?", (oldest,))


def ignored(archive: Archive, patterns: Sequence[str]) -> list[str]:
    """The sessions that ran in a folder that is ignored by now."""
    if not patterns:
        return []
    folders = {each.session: each.folder for each in archive.conversations()}
    return [each for each, folder in folders.items() if is_ignored(folder, patterns)]
