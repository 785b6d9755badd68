"""Notices that the world moved: finds what memories name, checks it again, and says what changed.

What is gone or contradicted marks a memory as out of date: it is not injected as it is, and a new
value becomes a proposal. Nothing is deleted, and nothing becomes true because a file is unchanged.
"""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from cortex_core.admission import apply
from cortex_core.base import git, project as projects, text
from cortex_core.base.authorship import STATED_BY_FILES
from cortex_core.base.errors import StoreError, UsageError
from cortex_core.base.kinds import CODE, CODE_DESCRIPTION, EPISODE
from cortex_core.code_index import anchors, tree as trees
from cortex_core.duplicates import similarity
from cortex_core.records.memory import Actor, Memory, Source
from cortex_core.records.project_code import Anchor, AnchoredMemory, AnchorReport
from cortex_core.store import anchor_rows as stored, memory_lookup
from cortex_core.store.journal import Change
from cortex_core.store.store import Store
from cortex_core.store.workspace import Ids, Workspace

WITHOUT = (EPISODE, CODE, CODE_DESCRIPTION)
"""Kinds without anchors: what happened stays true, and code is compared with its file itself."""

SECONDS = 5.0
"""Processor time that reading the project's files may take."""

BETWEEN = 3600.0
"""Seconds between two checks of a project without git, whose changes cannot be found cheaply."""

_ALARMING = ("gone", "contradicted")
_STATE = "anchors"
"""The name under which a store knows the files that it was checked against."""


Memories = list[Memory]


class Anchors:
    """What memories name of the project, and what has become of it."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def list(self, ids: Ids | None = None) -> list[AnchoredMemory]:
        """Memories with what they name, those first that are out of date.

        Args:
            ids: only these, also those that name nothing; None: all that name something.
        """
        if ids is not None:
            return list(
                self._with_anchors(
                    [store.memory(name) for store, name in self._workspace.find(ids)]
                )
            )
        store = self._workspace.existing("project")
        if store is None:
            return []
        names = dict.fromkeys(each.memory for each in stored.of_memories_in_force(store))
        listed = self._with_anchors(store.memories(list(names)))
        return sorted(listed, key=lambda one: not one.memory.outdated)

    def _with_anchors(self, memories: Sequence[Memory]) -> Iterator[AnchoredMemory]:
        store = self._workspace.existing("project")
        found = stored.of(store, [memory.id for memory in memories]) if store else []
        grouped = anchors.by_memory(found)
        for memory in memories:
            held = (_as_marked(each, memory.outdated) for each in grouped.get(memory.id, ()))
            yield AnchoredMemory(memory=memory, anchors=tuple(held))

    def check(
        self,
        *,
        force: bool = True,
        actor: Actor = "worker",
        should_continue: Callable[[], bool] = lambda: True,
    ) -> AnchorReport:
        """Find what new memories name, and look up again what the others name.

        Args:
            force: check also where no file has changed since the last time.
            should_continue: asked while files are read; where they are not read whole, nothing in
                them is called gone.
        """
        store, root = self._workspace.existing("project"), self._workspace.project.root
        everywhere = self._workspace.existing("global")
        marked = stored.outdated(everywhere) if everywhere and everywhere.writable else {}
        if everywhere and marked:
            # No project's files say anything about what was moved to the global store.
            with everywhere.change("check", "compare with no project", actor) as change:
                for name in marked:
                    change.update("memory", name, {"outdated": ""})
        if store is None or root is None or not store.writable:
            return AnchorReport()
        return _Check(self._workspace, store, root, actor).run(
            force=force, should_continue=should_continue
        )

    def confirm(self, ids: Ids, *, actor: Actor = "person") -> Memories:
        """Say that memories hold although what they name is gone or reads otherwise.

        They are injected again; what they name is looked at again once it is back.

        Raises:
            UsageError: one of them is not out of date.
        """
        found = [store.memory(name) for store, name in self._workspace.find(ids)]
        if fine := [memory for memory in found if not memory.outdated]:
            raise UsageError(
                f"“{fine[0].title}” is not out of date as far as is known. Nothing was changed."
            )
        store = self._workspace.store("project")
        # Anchors in other states alarm nobody and stay as they are.
        wrong = [
            replace(each, state="confirmed", since=self._workspace.clock())
            for each in stored.of(store, [memory.id for memory in found])
            if each.state in _ALARMING
        ]

        def step(change: Change, memory: Memory) -> bool:
            stored.update(store, [each for each in wrong if each.memory == memory.id])
            return change.update("memory", memory.id, {"outdated": ""})

        return self._workspace.act(ids, "confirm", step, label="confirm", actor=actor)


class _Check:
    """One check of a project's store."""

    def __init__(self, workspace: Workspace, store: Store, root: str, actor: Actor) -> None:
        self._workspace = workspace
        self._store = store
        self._root = root
        self._actor = actor
        self._commit = git.head(root)
        self._elsewhere: dict[str, bool] = {}
        self._has_written = False

    def run(self, *, force: bool, should_continue: Callable[[], bool]) -> AnchorReport:
        """See `Anchors.check`.

        It is done in several transactions, so that no other process waits while files are read.
        """
        try:
            return self._run(force=force, should_continue=should_continue)
        except StoreError as error:
            done = "What was found before that is kept, and the next check goes on."
            raise (error.after(done) if self._has_written else error) from error

    def _run(self, *, force: bool, should_continue: Callable[[], bool]) -> AnchorReport:
        not_searched = self._store.memories(stored.not_searched(self._store, WITHOUT))
        new = [(memory, anchors.mentions(memory.title, memory.content)) for memory in not_searched]
        # Without git nothing says whether files changed: then they are looked at again in time.
        state = (
            git.state(self._root, projects.FOLDER) or f"at {self._workspace.clock() // BETWEEN:.0f}"
        )
        is_due = force or state != self._store.meta(_STATE)
        if not new and not is_due:
            return AnchorReport()
        fresh = {memory.id for memory, _ in new}
        self._settle()
        known = stored.of_memories_in_force(self._store) if is_due else []
        marked = stored.outdated(self._store)
        known = [each for each in known if each.memory not in fresh]
        names, settings = anchors.wanted(
            [
                *((each.kind, each.key) for each in known),
                *((each.kind, each.key) for _, mentions in new for each in mentions),
            ]
        )
        end = time.thread_time() + SECONDS
        tree = trees.read(
            self._root,
            names,
            settings,
            self._workspace.config.get("capture.ignore"),
            lambda: time.thread_time() < end and should_continue(),
        )
        found = {memory.id: self._found(memory, mentions, tree) for memory, mentions in new}
        changed = []
        for one in known:
            after = self._judged_once(_as_marked(one, marked.get(one.memory, "")), tree)
            changed += [after] if after != one else []
        self._write(found, changed, {memory.id: memory for memory, _ in new})
        outdated = self._mark(None if is_due else fresh)
        if is_due and tree.complete:
            self._store.set_meta(_STATE, state)
        return AnchorReport(
            looked_at=len(new),
            checked=len(known),
            changed=tuple(changed),
            outdated=tuple(outdated),
            complete=tree.complete,
        )

    def _settle(self) -> None:
        """Confirm the memories whose correction the user rejected, and let go of corrections that
        nobody needs any more."""
        waiting = stored.corrections(self._store, STATED_BY_FILES)
        rejected = [
            (suggestion, memory)
            for suggestion, memory, status, _ in waiting
            if status in ("rejected", "distinct")
        ]
        needless = [
            (suggestion, memory)
            for suggestion, memory, status, outdated in waiting
            if status == "open" and not outdated
        ]
        if not rejected and not needless:
            return
        # Whoever rejects a correction says that the memory is right, whatever the files state.
        wrong = stored.of(self._store, [memory for _, memory in rejected])
        label = f"settle {text.counted(len(rejected) + len(needless), 'correction')}"
        with self._store.change("check", label, self._actor) as change:
            for suggestion, _ in (*rejected, *needless):
                change.update("memory", suggestion, {"status": "archived"})
            for _, memory in rejected:
                change.update("memory", memory, {"outdated": ""})
            stored.update(
                self._store,
                [replace(each, state="confirmed") for each in wrong if each.state in _ALARMING],
            )
        self._has_written = True

    # --- finding

    def _found(
        self, memory: Memory, mentions: Sequence[anchors.Mention], tree: trees.Tree
    ) -> list[Anchor]:
        """What the project has, or had when the memory was made, of what it names."""
        found = anchors.anchors(memory.id, mentions, tree)
        now = self._workspace.clock()
        found = [replace(each, commit=self._commit, since=now) for each in found]
        held = {each.name for each in found}
        for each in mentions:
            if each.kind == "file" and each.name not in held and "." in each.key:
                left = self._departed(memory, each, tree)
                found += [left] if left else []
        return found

    def _departed(self, memory: Memory, named: anchors.Mention, tree: trees.Tree) -> Anchor | None:
        """A file that was there when the memory was made, as the commits since then say."""
        past = self._past
        age = next((n for n, time in enumerate(past.times) if time <= memory.created), None)
        if age is None:
            return None
        since = (one.old for one in past.changes if one.old and one.age < age)
        left = next((p for p in since if p == named.key or p.endswith(f"/{named.key}")), None)
        if left is None:
            return None
        anchor = Anchor(
            memory=memory.id,
            kind="file",
            name=named.name,
            key=named.key,
            path=left,
            commit=list(past.ages)[age],
            since=self._workspace.clock(),
        )
        return self._judged_once(anchor, tree)

    @cached_property
    def _past(self) -> git.PastCommits:
        return git.past(self._root)

    # --- checking

    def _judged_once(self, anchor: Anchor, tree: trees.Tree) -> Anchor:
        after = anchors.judged(anchor, tree)
        if after is not None and after.state != "fresh" and anchor.kind == "file":
            after = anchors.judged(anchor, tree, self._past)
        if after is None or (after.state != "fresh" and self._is_elsewhere(anchor)):
            return anchor
        # What the user confirmed stays so, and what was known is not new.
        is_confirmed = anchor.state == "confirmed" and after.state in _ALARMING
        if is_confirmed or replace(after, line=anchor.line) == anchor:
            return anchor
        is_new, now = after.state != anchor.state, self._workspace.clock()
        commit = self._commit if after.state == "fresh" else anchor.commit
        return replace(after, since=now if is_new else anchor.since, commit=commit)

    def _is_elsewhere(self, anchor: Anchor) -> bool:
        """Whether it was found on a branch that is not merged into what is checked out, so that its
        absence here says nothing."""
        commit = anchor.commit
        if not commit or not self._commit or commit == self._commit:
            return False
        if commit not in self._elsewhere:
            self._elsewhere[commit] = git.output(
                self._root, "merge-base", "--is-ancestor", commit, "HEAD"
            ) is None and git.is_on_a_branch(self._root, commit)
        return self._elsewhere[commit]

    # --- writing

    def _write(
        self,
        found: Mapping[str, list[Anchor]],
        changed: list[Anchor],
        memories: Mapping[str, Memory],
    ) -> None:
        if not found and not changed:
            return
        with self._store.write():
            stored.forget_orphans(self._store)
            for name, listed in found.items():
                stored.replace(self._store, name, memories[name].content_hash, listed)
            stored.update(self._store, changed)
        self._has_written = True

    def _mark(self, only: set[str] | None) -> list[Memory]:
        """Say of memories what is not so any more, or no longer say it; those that are marked now.

        Args:
            only: the memories that were looked at; None: all.
        """
        listed = stored.of_memories_in_force(self._store)
        grouped = anchors.by_memory(each for each in listed if only is None or each.memory in only)
        wanted = {name: anchors.outdated(found) for name, found in grouped.items()}
        before = stored.outdated(self._store)
        names = [name for name in before if name not in wanted and (only is None or name in only)]
        different = dict.fromkeys(names, "") | {
            name: words for name, words in wanted.items() if words != before.get(name, "")
        }
        if not different:
            return []
        memories = {memory.id: memory for memory in self._store.memories(list(different))}
        verb = "names" if len(memories) == 1 else "name"
        label = f"check what {text.memories(len(memories))} {verb}"
        with self._store.change("check", label, self._actor) as change:
            for name in memories:
                change.update("memory", name, {"outdated": different[name]})
                self._propose(change, memories[name], grouped.get(name, []))
        self._has_written = True
        return [memory for memory in self._store.memories(list(memories)) if memory.outdated]

    def _propose(self, change: Change, memory: Memory, found: Sequence[Anchor]) -> None:
        """Propose what the memory would say with the value that a file states now."""
        for anchor in found:
            if anchor.state != "contradicted":
                continue
            words = anchors.corrected(memory.content, anchor)
            if not words or text.content_hash(words) == memory.content_hash:
                continue
            known = memory_lookup.same_content(
                self._store, words, ("active", "suggested"), but_kind=CODE
            )
            newer = (
                self._store.memory(known) if known else self._suggest(change, memory, anchor, words)
            )
            compared = similarity.compare(newer.content, memory.content)
            where = anchor.now.rpartition(" (")[2].removesuffix(")")
            seen = f"{where} states {anchors.new_value(anchor)} now"
            apply.propose(
                change,
                (newer.id, memory.id),
                replace(compared, conflicts=()),
                (memory.content, newer.content),
                changed=f"{seen}; the memory says {anchor.name}.",
            )
            return

    def _suggest(self, change: Change, memory: Memory, anchor: Anchor, words: str) -> Memory:
        """Store the corrected statement as a suggestion; only the user makes a memory of it."""
        # Use, pins and triggers belong to the memory that the user has.
        made = replace(
            memory,
            id=str(uuid.uuid4()),
            content=words,
            status="suggested",
            pinned=False,
            title=anchors.corrected(memory.title, anchor) or memory.title,
            outdated="",
            source=Source(rule=STATED_BY_FILES, time=change.time),
            sources=(),
            excerpt="",
            access_count=0,
            last_access=None,
            looks=0,
            triggers=(),
            triggers_by="",
            guard="remind",
            created=max(change.time, memory.created + 1.0),
            updated=change.time,
            reinforced=change.time,
            origin={},
        )
        apply.insert(change, made)
        return made


def _as_marked(anchor: Anchor, outdated: str) -> Anchor:
    """The anchor of a memory that is marked so; one whose confirmation was undone as it was."""
    if anchor.state != "confirmed" or not outdated:
        return anchor
    return replace(anchor, state="contradicted" if anchor.now else "gone")
