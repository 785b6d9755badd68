"""The dialog that sets at which tool calls a memory is recalled, and their guard."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import getters, on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static, TextArea

from cortex_core.base.kinds import RULE_KINDS
from cortex_core.base.text import clean
from cortex_core.records.memory import GUARDS, Guard, Key, Memory
from cortex_tui import keymap
from cortex_tui.actions.memories_actions import GUARD_MEANING, TriggerDraft, call_of, set_triggers
from cortex_tui.screens.dialogs import CleanText, Confirm, Dialog

if TYPE_CHECKING:
    from cortex_core import Cortex
    from cortex_tui.screens.base import StoreScreen

FORMS = (
    "One a line: Bash(git push --force)  Push(main)  Commit(.env)  Edit(src/**)  Read(docs/**)  "
    "Text(Co-Authored-By)  mcp__server__tool; ! in front: such a call breaks the rule."
)
MOST_SHOWN = 8
"""Lines whose meaning is shown."""

TRIED: dict[Guard, str] = {
    "remind": "recalls it",
    "ask": "recalls it, and Claude Code would ask you first",
    "deny": "would be refused",
}
"""What becomes of a call that is tried, by the guard."""


class EditTriggers(Dialog[TriggerDraft | None]):
    """The triggers of a memory, one a line, with what they mean; None when the user leaves."""

    BINDINGS = [*keymap.bindings("calls")]
    AUTO_FOCUS = "CleanText"

    area = getters.query_one(CleanText)
    meaning = getters.query_one("#meaning", Static)
    tried = getters.query_one("#tried", Static)

    def __init__(self, cortex: Cortex, memory: Memory) -> None:
        super().__init__(f"When is “{memory.title}” recalled?", default=None)
        self._cortex, self._memory = cortex, memory
        self._old = TriggerDraft(memory.triggers, memory.guard)
        self._guard: Guard = memory.guard
        self.add_class("-large")

    def fields(self) -> ComposeResult:
        yield CleanText("\n".join(self._old.lines), compact=True)
        yield Static(id="meaning")
        yield Input(placeholder="try a command, file: and a path, or mcp__… (tab)", compact=True)
        yield Static(id="tried")
        yield Static(id="guard")
        yield self.hint(
            ("write.save", "save"),
            ("tab", "try"),
            ("triggers.guard", "guard"),
            ("triggers.words", "from its words"),
            ("move.back", "cancel"),
        )

    def on_mount(self) -> None:
        self.area.move_cursor(self.area.document.end)
        self._show()

    def lines(self) -> tuple[str, ...]:
        """The lines that are written, without blank ones."""
        written = (" ".join(line.split()) for line in clean(self.area.text).splitlines())
        return tuple(dict.fromkeys(filter(None, written)))

    # --- what is shown

    @on(TextArea.Changed)
    @on(Input.Changed)
    def _show(self) -> None:
        glyphs, lines = self.context.glyphs, self.lines()
        explained = self._cortex.memories.triggers.explained(lines)
        parts = [
            Content.styled(
                glyphs.line(one.problem or one.meaning),
                "$text-warning" if one.problem else "$foreground",
            )
            for one in explained[:MOST_SHOWN]
        ]
        if not lines or any(one.problem for one in explained):
            parts.append(Content.styled(glyphs.line(f"{self._why_none(lines)}{FORMS}"), "$muted"))
        self.meaning.update(Content("\n").join(parts))
        self._show_tried(lines)
        self._show_guard()

    def _why_none(self, lines: tuple[str, ...]) -> str:
        if lines:
            return ""
        is_vague = self._memory.kind in RULE_KINDS and not self._words()
        return f"{'It names nothing concrete: no' if is_vague else 'No'} tool call recalls it. "

    def _words(self) -> tuple[str, ...]:
        return self._cortex.memories.triggers.of_words(self._memory)

    def _show_tried(self, lines: tuple[str, ...]) -> None:
        typed = self.query_one(Input).value
        if not typed.strip():
            self.tried.update("")
            return
        found = self._cortex.memories.triggers.tried(lines, *call_of(typed))
        # What an agent named only reminds, until the user writes the lines.
        new = replace(
            self._memory,
            triggers=lines,
            triggers_by=self._memory.triggers_by if lines == self._old.lines else "user",
            guard=self._guard,
        )
        words = (
            f"{TRIED[new.action(found)]}, by {', '.join(found)}" if found else "does not recall it"
        )
        style = "$text-accent" if found else "$text-warning"
        self.tried.update(Content.styled(self.context.glyphs.line(f"That {words}."), style))

    def _show_guard(self) -> None:
        off = "" if self._cortex.config.get("triggers.on") else "  All triggers are off."
        self.query_one("#guard", Static).update(
            Content.assemble(
                (f"guard: {self._guard}", "bold $text-accent"),
                (f"   {GUARD_MEANING[self._guard]}", "$muted"),
                (off, "$text-warning"),
            )
        )

    # --- keys

    def action_guard(self) -> None:
        self._guard = GUARDS[(GUARDS.index(self._guard) + 1) % len(GUARDS)]
        self._show_tried(self.lines())
        self._show_guard()

    def action_words(self) -> None:
        self.area.text = "\n".join(self._words())

    def action_save(self) -> None:
        """Save, unless a line is wrong: that is shown already."""
        draft = TriggerDraft(self.lines(), self._guard)
        wrong = next(
            (one for one in self._cortex.memories.triggers.explained(draft.lines) if one.problem),
            None,
        )
        if wrong is not None:
            self.tried.update(
                Content.styled(
                    self.context.glyphs.line(f"Not saved: {wrong.problem}"), "$text-warning"
                )
            )
        else:
            self.dismiss(None if draft == self._old else draft)

    def action_back(self) -> None:
        self._leave()

    @work
    async def _leave(self) -> None:
        changed = TriggerDraft(self.lines(), self._guard) != self._old
        if changed and not await self.app.push_screen_wait(
            Confirm("Leave without saving?", "The triggers stay as they were.", yes="leave")
        ):
            return
        self.dismiss(None)


async def edit_triggers(screen: StoreScreen, cortex: Cortex, key: Key, memory: Memory) -> None:
    """Let the user set the triggers and the guard of a memory. To be awaited in a worker."""
    draft = await screen.app.push_screen_wait(EditTriggers(cortex, memory))
    if draft is None:
        screen.say("Nothing was changed.")
    else:
        screen.changes.do(lambda stores: set_triggers(stores, key, draft))
