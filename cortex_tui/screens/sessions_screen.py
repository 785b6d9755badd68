"""The sessions: every conversation that is kept, found by its words, and one of them to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import ClassVar

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from cortex_core.base import agent_names, text
from cortex_core.records.captures import LedgerEntry
from cortex_core.records.conversation import Conversation, Message as Said
from cortex_tui import keymap
from cortex_tui.actions import sessions_actions as actions
from cortex_tui.actions.memories_actions import Draft
from cortex_tui.actions.sessions_actions import FoundConversations, ReadConversation
from cortex_tui.context import Failed
from cortex_tui.glyphs import Glyphs
from cortex_tui.keymap import Keymap
from cortex_tui.lists.conversation_list import ConversationList
from cortex_tui.lists.conversation_view import (
    ConversationView,
    WrappedMessages,
    matching,
    width_of_words,
)
from cortex_tui.queries import CONVERSATION_FIELDS, Done, ListQuery, Revision
from cortex_tui.screens import capture_lines
from cortex_tui.screens.base import StoreScreen
from cortex_tui.screens.dialogs import Ask, Choose
from cortex_tui.screens.list_query import FilteredScreen, ListFilters
from cortex_tui.screens.memory_screen import Copying
from cortex_tui.screens.panes import OriginPane
from cortex_tui.session import StoreSession
from cortex_tui.themes import STYLES
from cortex_tui.widgets.frame import NO_LABELS, Notice
from cortex_tui.widgets.lines import QUIET_DAYS, fit, heat, when
from cortex_tui.widgets.search_bar import FilterLine, SearchBar, SearchInput

NEED_A_SESSION = ("memory.forget", "memory.copy_id", "move.open")
"""The keys that act on the conversation under the cursor."""
ALONE, TOO = "alone", "too"
"""Whether only a conversation is forgotten, or what was learned in it too."""
SESSION = 8
"""Characters of a session's id in the filter of the memories."""
DAYS = ["", "", "Mon", "", "Wed", "", "Fri", "", "Sun"]
YEAR = 52
"""Weeks of which the days are shown at most."""
WHEN, TALL_WHEN = 17, 36
"""Lines besides the sessions where all fit over their days, and lines from which the days are
always shown."""
PLACEHOLDER = "search what was said; branch: file: commit: since: until:"


def why_empty(found: FoundConversations, keys: Keymap) -> Sequence[str]:
    """Why no conversation is listed, and what to do about it."""
    if found.total:
        steps = (
            (found.is_unfinished, f"{keys.first('move.open')} searches by meaning too"),
            (found.query.is_search, f"{keys.first('move.back')} clears the search"),
            (bool(found.query.chips), f"{keys.first('list.unfilter')} removes the last filter"),
        )
        return ("No conversation matches.", *(step for needed, step in steps if needed))
    return (
        "No conversation is kept yet.",
        "What is said is kept, without secrets, while Claude Code is connected "
        f"({keys.first('page.connect')}).",
        f"{keys.first('page.learn')}  learn from past sessions, or: cortex import transcripts",
        f"Whether and how long they are kept: archive.keep ({keys.first('go.settings')})",
    )


def summary(found: FoundConversations) -> str:
    """How many conversations are shown, of how many."""
    shown = f"{len(found.rows):,}{'+' if found.partial else ''}"
    if found.query.is_search or found.query.chips:
        return f"{shown} of {found.total:,}"
    return text.counted(found.total, "session")


def when_they_were(
    found: Sequence[Conversation], now: float, width: int, glyphs: Glyphs
) -> Content:
    """The days of conversations up to the newest, and of the memories that were kept of them, side
    by side."""
    days = [date.fromtimestamp(one.started or now).toordinal() for one in found]
    kept = Counter[int]()
    for day, one in zip(days, found, strict=True):
        kept[day] += one.memories
    newest = max(days, default=date.fromtimestamp(now).toordinal())
    maps, weeks = [DAYS], max(4, min(YEAR, (width - 14) // 2))
    last = range(newest - (newest - 1) % 7 - 7 * (weeks - 1), newest + 1)
    for name, counts in (("sessions", Counter(days)), ("kept", kept)):
        drawn, total = (f"{sum(counts[one] for one in some):,}" for some in (last, counts))
        title = f"{name} {drawn}" if drawn == total else f"{name} {drawn} of {total}"
        maps.append([f"{title:<{weeks}}", *heat(counts, last, glyphs)])
    styles = ["bold", "$muted", *["$text-accent"] * 7]
    return Content("\n").join(
        Content.assemble(
            (f"{day:<5}", "$muted"),
            *((one, "$faint" if one in QUIET_DAYS else style) for one in f"{left}   {right}"),
        )
        for style, day, left, right in zip(styles, *maps, strict=True)
    )


class Forgetting:
    """Forgets a conversation for a screen: asks first whether its memories are meant too."""

    def __init__(self, screen: StoreScreen) -> None:
        self.screen = screen

    def forget(self, one: Conversation) -> None:
        """Forget `one`; what becomes of its memories is asked, if there are any."""
        self.screen.converse(self._forget(one), "Forgetting a session")

    async def _forget(self, one: Conversation) -> None:
        answer: str | None = ALONE
        if one.memories:
            options = [
                (ALONE, f"only the conversation, without its {text.memories(one.memories)}"),
                (TOO, "its memories too, if no other session has them"),
            ]
            answer = await self.screen.app.push_screen_wait(Choose("Forget this session", options))
        if answer is None:
            self.screen.say("Nothing was changed.")
        else:
            self.screen.changes.do(
                lambda stores: actions.forget(stores, one, memories=answer == TOO)
            )


class SessionsScreen(FilteredScreen):
    """The list of conversations."""

    PLACE = NAME = "sessions"
    SUBJECT = "The sessions"
    BINDINGS = [*keymap.bindings("sessions")]
    CSS_PATH = STYLES / "sessions.tcss"
    AUTO_FOCUS = "ConversationList"

    search = getters.query_one(SearchBar)
    filter_line = getters.query_one(FilterLine)
    rows = getters.query_one(ConversationList)

    def __init__(self) -> None:
        super().__init__()
        self.filters = ListFilters(self, self.ask, CONVERSATION_FIELDS)
        self.copying, self.forgetting = Copying(self), Forgetting(self)
        self.found: FoundConversations | None = None

    def main(self) -> ComposeResult:
        yield SearchBar(PLACEHOLDER)
        yield FilterLine(self.glyphs)
        with Container(id="listed"):
            yield OriginPane()
            yield ConversationList(self.glyphs)
            yield Notice(self.glyphs)
            when = Static(id="when", markup=False)
            when.border_title = "When"
            yield when

    def on_resize(self) -> None:
        self._show_when()

    # --- queries and results

    def ask(self, query: ListQuery) -> None:
        """Find the conversations of `query`."""
        self.filters.query = query
        self.filter_line.chips = query.chips
        self.load()

    def load(self) -> None:
        self._find(whole=self.found is not None and self.found.query == self.filters.query)

    def _find(self, *, whole: bool) -> None:
        """Find them: while words are typed by these alone, which is quick, else by meaning too."""
        query, is_typing = self.filters.query, isinstance(self.focused, SearchInput)

        def task(stores: StoreSession) -> tuple[FoundConversations, Revision]:
            revision = stores.cortex.workspace.revision()
            return actions.find(stores, query, whole=whole, unfinished=is_typing), revision

        self.fetch(task, self._found, group="sessions", what="Finding sessions")

    def _found(self, read: tuple[FoundConversations, Revision]) -> None:
        (found, revision), before = read, self.found
        if found.query != self.filters.query:
            return
        self.show_notice(False)
        same = before is not None and before.query == found.query
        same = same and (self.rows.cursor > 0 or not found.query.is_search)
        keep = self.rows.row.conversation.session if self.rows.row and same else ""
        self.found, self.revision = found, revision
        self.rows.now = self.context.now
        self.rows.empty = why_empty(found, self.context.keymap)
        words = actions.words_to_mark(found.query)
        self.rows.show(found.rows, words, keep, with_branch=len(found.branches) > 1)
        self.rows.border_title = summary(found)
        self._show_when()
        if found.partial:
            self._find(whole=True)

    def _show_when(self) -> None:
        """Show on which days the listed sessions were, and what was kept of them, where there is
        room under the list."""
        rows, height = () if self.found is None else self.found.rows, self.size.height
        fits = len(rows) + WHEN <= height or height >= TALL_WHEN
        self.set_class(fits and bool(rows), "-when")
        self.query_one("#when", Static).update(
            when_they_were(
                [one.conversation for one in rows], self.context.now, self.size.width, self.glyphs
            )
        )

    # --- the conversation under the cursor

    @on(ConversationList.Highlighted)
    def _highlighted(self) -> None:
        nothing = self.rows.row is None
        self.hints.disabled_keys = frozenset(NEED_A_SESSION if nothing else ())
        self.query_one(OriginPane).follow(self.rows.row)

    @on(ConversationList.Picked)
    def _open(self) -> None:
        row = self.rows.row
        if row is None:
            self.say("There is no conversation under the cursor.", warns=True)
            return
        at = row.message.number if row.message is not None else 0
        self.context.go("conversation", row.conversation.session, at, "", self.filters.query.words)

    def action_forget(self) -> None:
        if (one := self._current()) is not None:
            self.forgetting.forget(one)

    def action_copy_id(self) -> None:
        if (one := self._current()) is not None:
            self.copying.copy(one.session, "the id")

    def _current(self) -> Conversation | None:
        """The conversation under the cursor; None after having said that there is none."""
        if self.rows.row is None:
            self.say("There is no conversation under the cursor.", warns=True)
            return None
        return self.rows.row.conversation

    # --- search and filters

    def action_search(self) -> None:
        self.filters.type()

    def action_filter(self) -> None:
        if self.found is None or not (self.found.rows or self.filters.query.chips):
            self.say("There is no conversation to filter.", warns=True)
        else:
            self.filters.choose(actions.choices(self.found))

    @on(SearchBar.SearchEnded)
    def _typed_to_the_end(self) -> None:
        self.set_focus(self.rows)
        self.filters.take(self.search.words, done=True)
        if self.filters.query.is_search:
            self.load()

    def action_taught(self) -> None:
        """Show the memories that the session taught, of whatever status."""
        if (one := self._current()) is not None:
            self.context.action_go("memories", f"session:{one.session[:SESSION]} status:all")

    def action_replay(self) -> None:
        """Read the session again from its start."""
        if (one := self._current()) is not None:
            self.jobs.run(
                "Reading the session again",
                lambda stores, progress: stores.cortex.sessions.replay(one.session),
                self._replayed,
            )

    def _replayed(self, entry: LedgerEntry) -> None:
        undo = self.context.keymap.first("change.undo")
        takes_back = f" ({undo} takes it back)" if entry.stored or entry.suggested else ""
        self.say(
            f"Read again, {capture_lines.size(entry.bytes_read)}: {entry.stored} kept, "
            f"{entry.suggested} suggested, {entry.merged} known already.{takes_back}"
        )
        self.renew()

    def action_back(self) -> None:
        """Leave the words and the filters first, then the screen."""
        if self.filters.query.is_search or self.filters.query.chips:
            self.filters.clear()
        else:
            super().action_back()


# --- one conversation


class ConversationScreen(StoreScreen):
    """One conversation as it reads."""

    PLACE = "conversation"
    SUBJECT = "The session"
    TAB: ClassVar[str] = "sessions"
    BINDINGS = [*keymap.bindings("conversation")]
    CSS_PATH = STYLES / "sessions.tcss"
    AUTO_FOCUS = "ConversationView"

    view = getters.query_one(ConversationView)

    def __init__(self, session: str, at: int = 0, uuid: str = "", words: str = "") -> None:
        """Show a conversation.

        Args:
            at: the number of the message that the cursor begins on; 0 for the first.
            uuid: its uuid, where the number is not known.
            words: what is marked and jumped between, as it was searched for.
        """
        super().__init__()
        self.session = session
        self.words = words
        self.read: ReadConversation | None = None
        self.copying, self.forgetting = Copying(self), Forgetting(self)
        self._at, self._uuid = at, uuid
        self._matching: Sequence[int] = ()

    def body(self) -> ComposeResult:
        yield Static(id="heading")
        yield ConversationView(self.glyphs)

    # --- reading

    def load(self) -> None:
        width = width_of_words(self.app.size.width)
        self.fetch(
            partial(self._asked, self.session, self.words, WrappedMessages(self.glyphs, width)),
            self._read,
            group="conversation",
            what="Reading the conversation",
        )

    @staticmethod
    def _asked(
        session: str, words: str, wrapped: WrappedMessages, stores: StoreSession
    ) -> tuple[ReadConversation, WrappedMessages, Sequence[int], Revision]:
        """A conversation, its lines cut for the width of the screen, and what matches."""
        revision = stores.cortex.workspace.revision()
        read = actions.read(stores, session)
        messages = read.text.messages
        for message in messages:
            wrapped(message)
        marked = actions.words_to_mark(ListQuery(words))
        return read, wrapped, matching(messages, marked), revision

    def _read(
        self, asked: tuple[ReadConversation, WrappedMessages, Sequence[int], Revision]
    ) -> None:
        self.show_notice(False)
        is_first = self.read is None
        self.read, wrapped, self._matching, self.revision = asked
        self.view.mark(actions.words_to_mark(ListQuery(self.words)))
        self.view.show(self.read, wrapped)
        if is_first:
            self._go_there(self.read)
        self._show_heading()

    def _go_there(self, read: ReadConversation) -> None:
        """Put the cursor on the message that is meant, as soon as the view has its size."""
        named = (one.number for one in read.text.messages if self._uuid and one.uuid == self._uuid)
        if at := self._at or next(named, 0):
            self.call_after_refresh(self.view.go_to, at)

    def failed(self, failed: Failed) -> None:
        super().failed(failed)
        if self.read is None and not failed.unusable:
            self.show_notice(True)
            first = self.context.keymap.first
            steps = [(first("move.back"), "go back"), (first("page.refresh"), "read again")]
            self.notice.warn("There is no conversation to show", failed.reason, steps)

    @on(ConversationView.Highlighted)
    def _show_heading(self) -> None:
        if self.read is None:
            return
        line, signs = self.glyphs.line, self.glyphs.signs
        between, width = f" {signs.between} ", max(1, self.app.size.width - 2)
        title = line(self.read.text.conversation.title) or f"session {self.session[:8]}"
        facts = between.join(line(fact) for fact in self._facts(self.read))
        heading = Content.assemble(
            (fit(title, width, signs.ellipsis), "bold"),
            "\n",
            (fit(facts, width, signs.ellipsis), "$muted"),
        )
        self.query_one("#heading", Static).update(heading)
        memories, block = self.view.memories(), self.view.block
        opens = memories or (block is not None and (block.is_fold or block.is_inside))
        self.hints.hidden_keys = frozenset(() if opens else ("move.open",))
        self.hints.labels = {"move.open": "memories"} if memories else NO_LABELS

    def _facts(self, read: ReadConversation) -> list[str]:
        """When and where it was, and what came of it; which match the cursor is on."""
        one = read.text.conversation
        facts = [
            when(one.started) if one.started is not None else "",
            text.counted(one.turns, "turn"),
            text.memories(one.memories) if one.memories else "",
            text.counted(one.commits, "commit") if one.commits else "",
            one.branch,
            agent_names.shown(one.agent),
        ]
        block = self.view.block
        if self._matching and block is not None and block.first.number in self._matching:
            index = self._matching.index(block.first.number) + 1
            facts.insert(0, f"match {index:,} of {len(self._matching):,}")
        elif self._matching:
            facts.insert(0, text.counted(len(self._matching), "match", "matches"))
        return [fact for fact in facts if fact]

    def on_resize(self) -> None:
        self._show_heading()

    # --- matches, turns and folds

    def action_search(self) -> None:
        hint = "Words that were said; empty marks nothing."
        self.app.push_screen(Ask("Find in this conversation", self.words, hint), self._search)

    def _search(self, words: str | None) -> None:
        if words is None or self.read is None:
            return
        self.words = words
        marked = actions.words_to_mark(ListQuery(words))
        self._matching = matching(self.read.text.messages, marked)
        self.view.mark(marked)
        if words and not self._matching:
            self.say("No message has these words.", warns=True)
        elif self._matching:
            self.action_step(1)
        self._show_heading()

    def action_step(self, step: int) -> None:
        """Go to the next or previous message that matches; where nothing is searched for, to what
        the user said next or before."""
        block = self.view.block
        if not self._matching or block is None or self.read is None:
            if not self.view.turn(step):
                self.say(f"You said nothing {'after' if step > 0 else 'before'} this.", warns=True)
            return
        order = {one.number: at for at, one in enumerate(self.read.text.messages)}
        here = order[block.first.number]
        after = [one for one in self._matching if (order[one] - here) * step > 0]
        if after:
            self.view.go_to(after[0] if step > 0 else after[-1])
        else:
            self.say(f"This is the {'last' if step > 0 else 'first'} match.", warns=True)

    @on(ConversationView.Picked)
    def _opened(self) -> None:
        if not self.view.toggle_fold():
            self.action_memories()

    # --- memories of a message

    def action_memories(self) -> None:
        """Open the memory that was learned from the message."""
        found = self.view.memories()
        if not found:
            key = self.context.keymap.first("memory.new")
            self.say(f"No memory came from this message. {key} makes one of it.", warns=True)
        elif len(found) == 1:
            self.context.go("detail", *found)
        else:
            keys = {one.id: key for key, one in found.items()}
            self.app.push_screen(
                Choose(
                    f"Open one of {len(found)} memories",
                    [(one.id, one.title) for one in found.values()],
                ),
                lambda chosen: self.context.go("detail", keys[chosen]) if chosen else None,
            )

    def message(self) -> Said | None:
        """The message under the cursor; None after having said that there is none."""
        block = self.view.block
        if block is None or block.is_fold:
            self.say("This is more than one message: open it first.", warns=True)
            return None
        return block.first

    def action_new(self) -> None:
        from cortex_tui.screens.editing import MemoryEditing  # with the dialogs and the editor

        message = self.message()
        if message is not None and self.read is not None:
            conversation = self.read.text.conversation
            source = actions.source_of(conversation, message)
            name = ("memory.new", (conversation.scope, message.number))
            writing = MemoryEditing(self).write(name, Draft(message.text), source)
            self.converse(writing, "Writing", exclusive=False)

    def action_copy(self) -> None:
        if (message := self.message()) is not None:
            self.copying.copy(text.clean(message.text), "the message")

    def action_copy_id(self) -> None:
        self.copying.copy(self.session, "the id")

    def action_forget(self) -> None:
        if self.read is not None:
            self.forgetting.forget(self.read.text.conversation)

    def changed(self, done: Done) -> None:
        """Show what has changed; a conversation that was forgotten is left."""
        if done.verb != actions.FORGET:
            super().changed(done)
            return
        said, below = self.hints.said, self.app.screen_stack[-2]
        self.action_back()
        if isinstance(below, StoreScreen):
            below.say(said)
