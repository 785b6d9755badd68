"""Editing, tagging and moving memories: a dialog or the user's own editor, then one step to undo.

A memory is edited as text with a few fields above a line. The editor is `$VISUAL` or `$EDITOR`;
without one that starts, a dialog of the app replaces it. Loaded when it is first used.
"""

import asyncio
import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from textual.app import App, SuspendNotSupported
from textual.worker import get_current_worker

from cortex_core.base.errors import CortexError, UsageError
from cortex_core.base.kinds import Kinds
from cortex_core.base.text import one_line
from cortex_core.records.memory import INJECTION_POLICIES, OWN_SCOPES, Key, Memory, Source
from cortex_tui.actions import memories_actions as actions, requests_actions
from cortex_tui.actions.memories_actions import Draft
from cortex_tui.actions.project_actions import others
from cortex_tui.context import EDITOR, context_of
from cortex_tui.queries import Done
from cortex_tui.screens.base import Change, StoreScreen
from cortex_tui.screens.dialogs import Ask, Choose, Confirm, Write
from cortex_tui.session import StoreSession, naming, refusal
from cortex_tui.widgets.lines import day, project_choice

WINDOWED = {
    "code": "--wait",
    "code-insiders": "--wait",
    "codium": "--wait",
    "cursor": "--wait",
    "windsurf": "--wait",
    "zed": "--wait",
    "subl": "--wait",
    "gedit": "--wait",
    "mate": "--wait",
    "gnome-text-editor": "--standalone",
    "kate": "--block",
    "gvim": "-f",
    "mvim": "-f",
    "idea": "--wait",
    "pycharm": "--wait",
    "xed": "--wait",
    "pluma": "--wait",
    "mousepad": "",
    "notepad": "",
    "leafpad": "",
}
"""Editors with a window of their own, and what makes each wait until the file is closed."""

_PLUS = ("vi", "vim", "nvim", "nano", "emacs", "emacsclient", "kak", "micro", "gvim", "mvim")
_GOTO = ("code", "code-insiders", "codium", "cursor", "windsurf")
AT_LINE: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(_PLUS, ("+{line}", "{file}")),
    **dict.fromkeys(_GOTO, ("--goto", "{file}:{line}")),
    **dict.fromkeys(("zed", "subl", "hx"), ("{file}:{line}",)),
    **dict.fromkeys(("idea", "pycharm"), ("--line", "{line}", "{file}")),
}
"""Arguments by which an editor opens a file at a line; every other opens it at its beginning."""

RULE = "---"
"""The line between the fields and the words."""
NAME = frozenset(ascii_lowercase)
"""The letters of a field's name."""


def draft_of(memory: Memory) -> Draft:
    """The draft for `memory` as it is."""
    return Draft(
        memory.content,
        memory.title,
        memory.kind,
        memory.priority,
        memory.tags,
        memory.globs,
        until=memory.until,
    )


def write_draft(draft: Draft) -> str:
    """`draft` as a text."""
    fields: dict[str, object] = {
        "title": one_line(draft.title),
        "kind": draft.kind,
        "priority": "" if draft.priority is None else draft.priority,
        "tags": " ".join(draft.tags),
        "files": " ".join(draft.files),
    }
    for name in ("scope", "until"):
        if (value := getattr(draft, name)) is not None:
            fields[name] = value
    head = [f"{name}: {value}".rstrip() for name, value in fields.items()]
    return "\n".join([*head, RULE, draft.content])


def read_draft(text: str, old: Draft, kinds: Kinds) -> Draft:
    """The draft that `text` says; `old` where it says nothing.

    A text without the line is content alone.

    Raises:
        UsageError: a field has no value that it can have.
    """
    head, rule, content = f"{text}\n".partition(f"\n{RULE}\n")
    lines = [line.strip() for line in head.splitlines() if line.strip()]
    named = [line for line in lines if set() < set(line.partition(":")[0]) <= NAME and ":" in line]
    wrong = [line for line in lines if line not in named]
    if not rule or wrong[:1] == lines[:1]:
        return old._replace(content=text)
    if wrong:
        raise UsageError(f"“{wrong[0][:40]}” is no field: write a name, a colon and the value.")
    fields = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return _checked(fields, old._replace(content=content.removesuffix("\n")), kinds)


def _checked(fields: Mapping[str, str], old: Draft, kinds: Kinds) -> Draft:
    if unknown := sorted(fields.keys() - {*Draft._fields} - {"content"}):
        raise UsageError(f"There is no field “{unknown[0]}”: title, kind, priority, tags, files.")
    draft = old
    if "title" in fields:
        draft = draft._replace(title=fields["title"])
    if "kind" in fields:
        draft = draft._replace(kind=kinds.get(fields["kind"]).name)
    if "tags" in fields:
        draft = draft._replace(tags=tuple(fields["tags"].replace(",", " ").split()))
    if "files" in fields:
        draft = draft._replace(files=tuple(fields["files"].split()))
    if "priority" in fields and (fields["priority"] or old.priority is not None):
        draft = draft._replace(priority=_priority(fields["priority"]))
    if "until" in fields:
        draft = draft._replace(until=fields["until"])
    if (scope := fields.get("scope")) is not None:
        if scope not in OWN_SCOPES:
            raise UsageError(f"“{scope}” is no scope: project or global.")
        draft = draft._replace(scope="global" if scope == "global" else "project")
    return draft


def _priority(value: str) -> int:
    if value.isascii() and value.isdigit() and 1 <= int(value) <= 10:
        return int(value)
    raise UsageError(f"A priority is 1 to 10, not “{value[:20]}”.")


def draft_problem(text: str, old: Draft, kinds: Kinds) -> str:
    """What is wrong with `text`, in one sentence; "" when nothing is."""
    try:
        draft = read_draft(text, old, kinds)
    except CortexError as error:
        return str(error)
    return "" if draft.content.strip() else "There is nothing to remember: the text is empty."


# --- in an editor


async def edit_text(
    app: App[object], text: str, suffix: str = ".md", title: str = "Edit"
) -> str | None:
    """`text` as the user saved it, changed or not; None when it was not saved. To be awaited in a
    worker.

    Without an editor that starts, a dialog of the app takes its place, and goes on with what was
    saved in one that failed.

    Args:
        suffix: the ending of the file for the editor.
        title: what the dialog is called.
    """
    command = chosen_editor()
    if command:
        problem, edited = await _edit(app, command, text, suffix)
        if problem:
            app.notify(problem, severity="warning", markup=False)
        if edited is None or not problem:
            return edited
        text = edited
    return await app.push_screen_wait(Write(title, text))


def chosen_editor() -> list[str]:
    """The user's editor and its arguments; empty when none is set or it cannot be read."""
    for name in ("VISUAL", "EDITOR"):
        try:
            if command := shlex.split(os.environ.get(name, "")):
                return command
        except ValueError:
            continue
    return []


async def _edit(
    app: App[object], command: list[str], text: str, suffix: str
) -> tuple[str, str | None]:
    """What went wrong ("" for nothing), and the text as it was saved, or as it is where the editor
    did not start; None if it was not saved."""
    with TemporaryDirectory(prefix="cortex-") as folder:
        file = Path(folder, f"memory{suffix}")
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as opened:
            opened.write(text if text.endswith("\n") else f"{text}\n")
        written = file.stat().st_mtime_ns
        try:
            code = await _run(app, command, str(file))
        except (OSError, SuspendNotSupported) as error:
            why = getattr(error, "strerror", None) or "it cannot use this terminal"
            return f"{command[0]} did not start: {why}. Edit here instead.", text
        problem = f"{command[0]} ended with {code}. Nothing was changed." if code else ""
        return problem, _saved(file, text, written)


async def _run(app: App[object], command: list[str], *files: str) -> int:
    """Start the editor and wait for its end; its exit code.

    Args:
        files: the file, and what says at which line of it to begin.
    """
    if Path(command[0]).stem not in WINDOWED:
        failed: OSError | None = None
        # Textual takes the terminal back only where nothing is raised inside.
        with app.suspend():
            try:
                return subprocess.call([*command, *files])
            except OSError as error:
                failed = error
        if failed is not None:
            raise failed
    waits = WINDOWED[Path(command[0]).stem]
    if waits and waits not in command:
        command = [*command, waits]
    app.notify(f"Waiting for {command[0]} to close the file.", markup=False)
    get_current_worker().group = EDITOR  # its dialogs are over, so no key waits for the next
    context_of(app).hold_keys(False)
    nothing = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *command, *files, stdin=nothing, stdout=nothing, stderr=nothing
    )
    return await process.wait()


def _saved(file: Path, before: str, written: int) -> str | None:
    """What the editor saved, without the line end that it adds; None where it saved nothing.

    Args:
        written: when the file was written for the editor, nanoseconds. To save a text without a
            change, which is how a draft is stored as it is, makes the file newer.
    """
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
        is_newer = file.stat().st_mtime_ns != written
    except OSError:
        return None
    text = text if before.endswith("\n") else text.removesuffix("\n")
    return text if is_newer or text != before else None


STORES = (
    ("global", "global    it is known in all projects from then on"),
    ("project", "project   it is known in this one alone"),
)
"""Values and labels for the choice of a store."""

PROPERTIES = (
    ("inject", "inject     when it is injected"),
    ("tag", "tags       add and remove"),
    ("triggers", "calls      tool calls that recall it, and their guard"),
    ("kind", "kind       what sort of statement it is"),
    ("priority", "priority   how much it matters, 1 to 10"),
    ("move", "scope      in this project, in all, or in another"),
    ("propose", "propose    to the team"),
)
"""What can be set of a memory, and how it is said."""


DRAFT_OR_NOT = (
    ("draft", "draft     continue with it"),
    ("fresh", "fresh     begin with the memory; the draft is deleted"),
)
"""Values and labels for the choice of what to edit."""


DraftName = tuple[str, Key | None]
"""The id of the key that goes on with a draft, and the memory that it is about."""


class EditedText(NamedTuple):
    """What the user wrote: the text, and what it says."""

    text: str
    draft: Draft


class MemoryEditing:
    """Edits, tags and moves memories and sets their injection: a dialog, then one step to undo."""

    def __init__(self, screen: StoreScreen) -> None:
        self.screen = screen

    # --- one

    async def edit(self, key: Key, memory: Memory) -> None:
        """Let the user edit a memory, in the editor where there is one, else in a dialog."""
        old, name = draft_of(memory), ("memory.edit", key)
        written = await self._drafted("Edit", name, old, by_editor=bool(chosen_editor()))
        if written is None or not written.draft.changes(old):
            self._say_nothing_changed(name)
        else:
            self._save(name, written, lambda stores: actions.edit(stores, key, old, written.draft))

    async def open_file(self, memory: Memory) -> None:
        """Open a file that a memory is about in the user's editor, at the line it names; the user
        chooses where it is about several."""
        screen, stores, command = self.screen, self.screen.stores, chosen_editor()
        found = {} if stores is None else await asyncio.to_thread(actions.files_of, stores, memory)
        name: str | None = next(iter(found), None)
        if len(found) > 1:
            options = [(one, one) for one in found]
            name = await screen.app.push_screen_wait(Choose("Open a file", options))
        if not found:
            screen.say("It names no file of this project that is there.", warns=True)
        elif name is not None and not command:
            screen.say(f"Set $EDITOR to open {name} from here.", warns=True)
        elif name is not None:
            file, line = found[name]
            words = AT_LINE.get(Path(command[0]).stem if line else "", ("{file}",))
            try:
                said = [word.format(file=file, line=line) for word in words]
                await _run(screen.app, command, *said)
            except (OSError, SuspendNotSupported):
                screen.say(f"{command[0]} did not start. It would open {name}.", warns=True)

    async def write(self, name: DraftName, draft: Draft, source: Source | None = None) -> None:
        """Let the user write a memory and store it.

        Args:
            name: what the draft is kept as.
            draft: the words to begin with.
            source: the message of a session of which it is made.
        """
        if (stores := self.screen.stores) is None:
            return
        old = draft._replace(scope=stores.cortex.workspace.default_scope())
        written = await self._drafted(
            "New memory" if source is None else "Make a memory of it", name, old, by_editor=False
        )
        if written is not None:
            new, settled = written.draft, await self._settled(stores, written.draft)
            self._save(name, written, lambda stores: actions.remember(stores, new, source, settled))
        elif source is not None or name in stores.drafts:
            self._say_nothing_changed(name)

    async def _settled(self, stores: StoreSession, new: Draft) -> dict[str, bool]:
        """Ask of each memory that a new one is near whether the new one takes its place; by id."""
        near = await asyncio.to_thread(stores.cortex.graph.near, new.content, new.scope)
        return {
            one.id: await self.screen.app.push_screen_wait(
                Confirm(
                    f"Does it replace this one of {day(one.created)}?",
                    one.content,
                    yes="replaces it",
                )
            )
            for one in near
        }

    async def _drafted(
        self, title: str, name: DraftName, old: Draft, *, by_editor: bool
    ) -> EditedText | None:
        """What the user makes of `old`, or of the draft that is kept of it; asked again while
        something is wrong with it. None: nothing, or a draft that is kept now."""
        screen, stores = self.screen, self.screen.stores
        if stores is None:
            return None
        kinds = stores.cortex.config.kinds
        text = await self._beginning(stores, name, write_draft(old))
        heading = title
        while text is not None:
            if by_editor:
                text = await edit_text(screen.app, text, title=heading)
            else:
                text = await screen.app.push_screen_wait(
                    Write(heading, text, lambda typed: stores.drafts.update({name: typed}))
                )
            if text is None:
                return None
            if not (problem := draft_problem(text, old, kinds)):
                return EditedText(text, read_draft(text, old, kinds))
            heading, by_editor = f"{title}: {problem}", False
        return None

    async def _beginning(self, stores: StoreSession, name: DraftName, text: str) -> str | None:
        """The text to begin with: `text`, or the draft that is kept if the user chooses it; None:
        neither."""
        draft = stores.drafts.get(name)
        if draft is None or draft == text:
            return text
        answer = await self.screen.app.push_screen_wait(
            Choose("You have a draft that was not saved", DRAFT_OR_NOT)
        )
        if answer == "fresh":
            del stores.drafts[name]
        return {"draft": draft, "fresh": text}.get(answer or "")

    def _save(self, name: DraftName, written: EditedText, change: Change) -> None:
        """Carry out `change`; what was written is kept as a draft until that is done."""

        def save(stores: StoreSession) -> Done:
            stores.drafts[name] = written.text
            done = change(stores)
            stores.drafts.pop(name, None)
            return done

        self.screen.changes.do(save)

    def _say_nothing_changed(self, name: DraftName) -> None:
        stores, again = self.screen.stores, self.screen.context.keymap.first(name[0])
        is_kept = stores is not None and name in stores.drafts
        self.screen.say(
            "Nothing was changed." + f" Your draft is kept: {again} goes on with it." * is_kept
        )

    # --- one or many

    def choose_property(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        """Let the user choose what of memories is to be set; of several, what all of them have."""
        several = len(keys) > 1
        options = [one for one in PROPERTIES if not (several and one[0] in actions.ALONE)]
        team = self.screen.stores is not None and self.screen.stores.has_team

        def chosen(what: str | None) -> None:
            # Of several, the change leaves those as they are that it is not possible for.
            why = "" if several else refusal(f"memory.{what}", known[0], team=team)
            if why:
                self.screen.say(why, warns=True)
            elif what is not None:
                self.set(what, keys, known)

        self.screen.app.push_screen(Choose(f"Set of {_named(keys, known)}", options), chosen)

    def set(self, what: str, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        """Set the property `what` of memories; one that only a single one has, of the first."""
        dialogs = {
            "inject": self._give,
            "tag": self._tag,
            "triggers": self._triggers,
            "kind": self._kind,
            "priority": self._priority,
            "move": self._move,
            "propose": self._propose,
        }
        self.screen.converse(dialogs[what](keys, known), "Setting it", exclusive=False)

    async def _kind(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        stores = self.screen.stores
        kinds = () if stores is None else tuple(stores.cortex.config.kinds)
        options = [(kind.name, kind.name.replace("_", " ")) for kind in kinds]
        chosen = await self.screen.app.push_screen_wait(
            Choose(f"Kind of {_named(keys, known)}", options, known[0].kind)
        )
        if chosen is not None:
            self._change(keys[0], {"kind": chosen})

    async def _priority(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        options = [(str(one), f"{one:>2}") for one in range(10, 0, -1)]
        chosen = await self.screen.app.push_screen_wait(
            Choose(f"Priority of {_named(keys, known)}", options, str(known[0].priority))
        )
        if chosen is not None:
            self._change(keys[0], {"priority": int(chosen)})

    def _change(self, key: Key, fields: Mapping[str, Any]) -> None:
        self.screen.changes.do(lambda stores: actions.change(stores, key, fields))

    async def _tag(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        several = len(keys) > 1
        old = () if several else known[0].tags
        hint = "+tag adds, -tag removes" if several else "all its tags; or +tag adds, -tag removes"
        stores = self.screen.stores
        tags_known = () if stores is None else await asyncio.to_thread(actions.tags_known, stores)
        typed = await self.screen.app.push_screen_wait(
            Ask(
                f"Tags of {_named(keys, known)}",
                "".join(f"{tag} " for tag in old),
                hint,
                actions.tags_problem,
                known=tags_known,
            )
        )
        tags = None if typed is None else actions.tags_typed(typed, old, several=several)
        if tags is None or not any(tags):
            self.screen.say("Nothing was changed.")
        else:
            self.screen.changes.do(lambda stores: actions.tag(stores, keys, tags))

    async def _give(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        current = known[0].inject if len(keys) == 1 else ""
        answer = await self.screen.app.push_screen_wait(
            Choose(f"Inject {_named(keys, known)}", actions.injection_policies(), current)
        )
        inject = next((one for one in INJECTION_POLICIES if one == answer), None)
        if inject is None or inject == current:
            self.screen.say("Nothing was changed.")
        else:
            self.screen.changes.do(lambda stores: actions.set_injection(stores, keys, inject))

    async def _propose(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        hint = "why; its members read it. Sent with the text and what it was learned from"
        title = f"Propose {_named(keys, known)} to the team"
        reason = await self.screen.app.push_screen_wait(Ask(title, hint=hint))
        if reason is None:
            self.screen.say("Nothing was sent.")
        else:
            self.screen.changes.do(lambda stores: requests_actions.propose(stores, keys, reason))

    async def _triggers(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        from cortex_tui.screens.trigger_dialog import edit_triggers

        if self.screen.stores is not None:
            await edit_triggers(self.screen, self.screen.stores.cortex, keys[0], known[0])

    async def _move(self, keys: Sequence[Key], known: Sequence[Memory]) -> None:
        title, stores = f"Move {_named(keys, known)}", self.screen.stores
        roots = () if stores is None else await asyncio.to_thread(others, stores)
        options = [*STORES, *map(project_choice, roots)]
        scope = await self.screen.app.push_screen_wait(Choose(title, options))
        if scope is not None:
            self.screen.changes.do(lambda stores: actions.move(stores, keys, scope))


def _named(keys: Sequence[Key], known: Sequence[Memory]) -> str:
    """What a title calls the memories behind `keys`."""
    return f"“{naming(known)}”" if len(keys) == 1 else f"{len(keys):,} memories"
