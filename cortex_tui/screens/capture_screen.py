"""Capture and health: what was read, how rules were kept, and whether all is well.

The screen decides what a key does in each section; `CaptureJobs` does what takes its time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import cast

from textual import on
from textual.content import Content

from cortex_core.base import text
from cortex_core.records.captures import (
    ExportReport,
    ImportedProject,
    ImportReport,
    LedgerEntry,
    RuleRecord,
    RuleSetting,
)
from cortex_core.records.memory import Key, Memory
from cortex_core.records.upkeep import CheckResult, SecretsReport
from cortex_tui import keymap
from cortex_tui.actions import project_actions as actions
from cortex_tui.actions.project_actions import (
    CaptureThing,
    CheckedRule,
    Trend,
    examine_project,
)
from cortex_tui.actions.sharing_actions import FollowedTeam, Machines, is_used
from cortex_tui.lists.cursor_list import ItemList, ListItem
from cortex_tui.screens import capture_lines as lines
from cortex_tui.screens.dialogs import Ask, Choose, Confirm
from cortex_tui.screens.jobs import Progress
from cortex_tui.screens.sharing import SharingJobs
from cortex_tui.screens.tabbed import TabbedScreen
from cortex_tui.session import StoreSession
from cortex_tui.widgets.frame import Tab

SESSION = 8
"""Characters of a session's or import's id in the filter of the memories."""


class CaptureScreen(TabbedScreen[CaptureThing]):
    """What capture did and what it wants to know."""

    PLACE = NAME = "capture"
    BINDINGS = [*keymap.bindings("page"), *keymap.bindings("capture")]
    COLUMNS = lines.CAPTURE_COLUMNS
    TABS = tuple(
        Tab(name, name.capitalize(), f"capture.{name}")
        for name in (
            "ledger",
            "secrets",
            "rules",
            "kept",
            "health",
            "numbers",
        )
    )
    ACTS = {
        "ledger": frozenset({"capture.replay"}),
        "secrets": frozenset({"capture.scrub"}),
        "rules": frozenset({"capture.rule"}),
        "health": frozenset({"capture.fix", "capture.exchange", "capture.pull"}),
    }

    def __init__(self, section: str = "") -> None:
        super().__init__(section)
        self.work = CaptureJobs(self)
        self.sharing = SharingJobs(self, self.work.embed_all)

    # --- what is listed

    def read(self, stores: StoreSession, section: str) -> Sequence[CaptureThing]:
        return actions.read_capture(stores, section, self.job_line.report_progress)

    def keeps(self, section: str) -> bool:
        return section in ("health", "secrets")

    def key_of(self, thing: CaptureThing) -> str:
        return actions.capture_key(thing)

    def item(self, thing: CaptureThing, section: str) -> ListItem:
        cells = lines.cells(thing, self.glyphs, self.context.now)
        return ListItem(actions.capture_key(thing), cells)

    def about(self, thing: CaptureThing, section: str) -> list[Content]:
        shown = lines.about(thing, self.glyphs, self.context.now)
        if isinstance(thing, CheckResult) and thing.fixable:
            shown.append(self._key_that("capture.fix", "repairs this"))
        elif isinstance(thing, Machines) and is_used(thing):
            shown.append(self._key_that("capture.exchange", "exchanges now"))
            if thing.status is not None and thing.status.versions:
                shown.append(self._key_that("go.inbox", "shows both texts"))
        elif isinstance(thing, FollowedTeam) and thing.status is not None:
            shown.append(self._key_that("capture.pull", "reads what the team approved"))
            if thing.status.waiting:
                shown.append(self._key_that("go.inbox", "shows the requests"))
        elif isinstance(thing, CheckedRule) and thing.breaches:
            shown.append(Content.styled("enter opens the rule, which leads to each turn", "$muted"))
        return shown

    def _key_that(self, name: str, does: str) -> Content:
        key = self.context.keymap.first(name)
        return Content.assemble((f"{key} ", "$text-accent"), (does if key else "", "$muted"))

    def empty(self, section: str) -> Sequence[str]:
        key = self.context.keymap.first("capture.import")
        return [line.replace("{import}", key) for line in lines.EMPTY[section]]

    def counts(self) -> Mapping[str, str]:
        status, signs = self.strip.status, self.glyphs.signs.status
        return (
            {}
            if status is None
            else {
                "ledger": f"{signs['quarantined']}{status.failures}" if status.failures else "",
            }
        )

    # --- what takes its time

    def action_replay(self) -> None:
        self.work.replay()

    def action_rule(self) -> None:
        self.work.set_rule()

    def action_fix(self) -> None:
        self.work.fix()

    def action_exchange(self) -> None:
        self.sharing.exchange()

    def action_pull(self) -> None:
        self.sharing.pull()

    def action_scrub(self) -> None:
        self.work.scrub()

    def action_import(self) -> None:
        self.work.import_sessions()

    def action_import_all(self) -> None:
        self.work.import_sessions(everything=True)

    def action_export(self) -> None:
        self.work.export()

    def action_embed(self) -> None:
        self.work.embed()

    def action_pause(self) -> None:
        self.work.switch_pause()

    # --- enter: what fits the section

    @on(ItemList.Picked)
    def _enter(self) -> None:
        thing = self.current()
        match thing:
            case None:
                self.say("There is nothing under the cursor.", warns=True)
            case LedgerEntry():
                self._show_taught(thing)
            case RuleRecord():
                self.action_rule()
            case CheckResult():
                self.action_fix()
            case Machines():
                self.action_exchange()
            case FollowedTeam():
                self.action_pull()
            case Trend():
                self.say("The pane shows it week by week.", warns=True)
            case CheckedRule():
                self._open(thing.kept.memory)

    def _show_taught(self, entry: LedgerEntry) -> None:
        """Show the memories that a session taught, of whatever status."""
        if not entry.session:
            self.say("This row is about no session.", warns=True)
            return
        self.context.action_go("memories", f"session:{entry.session[:SESSION]} status:all")

    def _open(self, memory: Memory) -> None:
        self.fetch(
            lambda stores: stores.cortex.memories.keys_of([memory.id]).get(memory.id),
            self._located,
            group="open-memory",
            what="Opening the memory",
        )

    def _located(self, key: Key | None) -> None:
        if key is None:
            self.say("This memory is no longer there.", warns=True)
        elif self.is_current:  # else a dialog was opened meanwhile
            self.context.go("detail", key)


Imported = tuple[ImportReport, ImportReport | ImportedProject, int]
"""What an import of sessions brought, what of it came into this project, and how many memories that
part kept, without the history."""


class CaptureJobs:
    """What the capture screen does that is no verdict on a memory."""

    def __init__(self, screen: TabbedScreen[CaptureThing]) -> None:
        self.screen = screen

    def checks(self) -> list[CheckResult]:
        """What the doctor has found, as far as it was asked."""
        things = self.screen.things.get("health", {}).values()
        return [thing for thing in things if isinstance(thing, CheckResult)]

    # --- ledger, rules, health

    def replay(self) -> None:
        """Read the session under the cursor again."""
        thing = self.screen.current()
        if self.screen.refuses("capture.replay"):
            return
        if not isinstance(thing, LedgerEntry) or not thing.session:
            self.screen.say("This row has no session that could be read again.", warns=True)
            return
        session = thing.session

        def replay(stores: StoreSession, progress: Progress) -> LedgerEntry:
            return stores.cortex.sessions.replay(session)

        self.screen.jobs.run("Reading the session again", replay, self._replayed)

    def _replayed(self, entry: LedgerEntry) -> None:
        undo = self.screen.context.keymap.first("change.undo")
        takes_back = f" ({undo} takes it back)" if entry.stored or entry.suggested else ""
        self.screen.say(
            f"Read again, {lines.size(entry.bytes_read)}: {entry.stored} kept, "
            f"{entry.suggested} suggested, {entry.merged} known already.{takes_back}"
        )
        self.screen.load()
        self.screen.pulse()

    def set_rule(self) -> None:
        """Let the user set the rule under the cursor."""
        rule = self.screen.current()
        if self.screen.refuses("capture.rule"):
            return
        if not isinstance(rule, RuleRecord):
            self.screen.say("There is no rule under the cursor.", warns=True)
            return
        name = rule.name
        options = [
            ("auto", f"auto: as your verdicts say, else {rule.default}"),
            ("kept", "kept: its finds are kept at once"),
            ("suggested", "suggested: its finds wait for your verdict"),
            ("off", "off: it is not looked for"),
        ]
        dialog = Choose(f"Finds of {name}", options, rule.setting)

        def chosen(setting: str | None) -> None:
            if setting is not None:
                self._set_rule(name, cast("RuleSetting", setting))

        self.screen.app.push_screen(dialog, chosen)

    def _set_rule(self, name: str, setting: RuleSetting) -> None:
        def finished(rule: RuleRecord) -> None:
            undo = self.screen.context.keymap.first("change.undo")
            self.screen.say(f"{rule.name}: finds are {rule.tier}. ({undo} takes it back)")
            self.screen.load()

        self.screen.jobs.run(
            "Setting the rule",
            lambda stores, progress: stores.cortex.rules.set(name, setting),
            finished,
        )

    def fix(self) -> None:
        """Repair what can be repaired safely, after a confirmation; outside of health, connect
        with Claude Code where the strip says that it is not connected."""
        status = self.screen.strip.status
        if self.screen.shown != "health" and status is not None and not status.connected:
            self.screen.action_connect()
            return
        if self.screen.refuses("capture.fix"):
            return
        fixable = [check for check in self.checks() if check.fixable]
        if not fixable:
            self.screen.say("There is nothing that Cortex can repair.", warns=True)
            return
        problems = "\n".join(f"{check.name}: {check.sentence}" for check in fixable)
        question = f"Repair {len(fixable)} {'thing' if len(fixable) == 1 else 'things'}?"
        dialog = Confirm(question, f"{problems}\n\nThe stores are copied first.", "repair")
        self.screen.app.push_screen(dialog, self._fix_if)

    def _fix_if(self, sure: bool | None) -> None:
        if sure:
            self.screen.jobs.run(
                "Repairing",
                lambda stores, progress: examine_project(stores.cortex, fix=True),
                self._fixed,
            )

    def _fixed(self, checks: tuple[CheckResult, ...]) -> None:
        repaired = [check for check in checks if check.fixed]
        found = {check.name: check for check in checks}
        shown = self.screen.things.get("health", {})
        self.screen.things["health"] = {
            name: found.pop(name, thing) for name, thing in shown.items()
        } | found
        self.screen.fill()
        self.screen.say(" ".join(check.fixed for check in repaired) or "Nothing could be repaired.")
        self.screen.pulse()

    # --- secrets

    def scrub(self) -> None:
        """Remove secrets, after a confirmation."""
        if self.screen.refuses("capture.scrub"):
            return
        count = len(self.screen.things.get("secrets", {}))
        if not count:
            self.screen.say("There is no secret to remove.", warns=True)
            return
        options = [
            ("no", "leave them where they are"),
            ("scrub", "remove them permanently; snapshots that contain one stay"),
            ("all", "remove them permanently, and remove the snapshots that contain one"),
        ]
        title = f"Remove the secrets of {text.counted(count, 'location')}?"
        self.screen.app.push_screen(Choose(title, options, "no"), self._scrub_as)

    def _scrub_as(self, chosen: str | None) -> None:
        def scrub(stores: StoreSession, progress: Progress) -> SecretsReport:
            return stores.cortex.secrets.scrub(remove_snapshots=chosen == "all")

        if chosen in ("scrub", "all"):
            self.screen.jobs.run("Removing secrets", scrub, self._scrubbed)

    def _scrubbed(self, report: SecretsReport) -> None:
        self.screen.things.pop("secrets", None)
        locations = text.counted(len(report.found), "location")
        done = f"Removed from {locations}; this cannot be undone."
        self.screen.say(" ".join([done, *report.left[:2]]), warns=bool(report.left))
        self.screen.load()
        self.screen.pulse()

    # --- import, vectors, pause

    def import_sessions(self, *, everything: bool = False) -> None:
        """Learn from past sessions, with `everything` from those of all projects, each into its
        own project's store; a preview first."""

        def rehearse(stores: StoreSession, progress: Progress) -> ImportReport:
            return stores.cortex.exchange.import_transcripts(
                dry_run=True, everything=everything, progress=progress
            )

        self.screen.jobs.run(
            "Looking at past sessions",
            rehearse,
            lambda report: self._rehearsed(report, everything=everything),
            stopped="Stopped. Nothing was imported.",
        )

    def _rehearsed(self, report: ImportReport, *, everything: bool) -> None:
        if not report.files:
            again = self.screen.context.keymap.first("capture.replay")
            read = (
                f"{text.counted(report.skipped, 'session')} found, all read before; {again} in the "
                "ledger reads one again."
                if report.skipped
                else "No session was found."
            )
            why = " ".join(report.problems[:1]) or read
            self.screen.say(
                f"There is nothing new to learn from. {why}", warns=bool(report.problems)
            )
            return
        question = f"Learn from {report.files:,} past session{'s' if report.files != 1 else ''}?"
        self.screen.app.push_screen(
            Confirm(question, lines.preview(report, everything=everything), "import"),
            lambda sure: self._import_if(sure, everything=everything),
        )

    def _import_if(self, sure: bool | None, *, everything: bool) -> None:
        if not sure:
            self.screen.say("Nothing was imported.")
            return

        def learn(stores: StoreSession, progress: Progress) -> Imported:
            cortex = stores.cortex
            report = cortex.exchange.import_transcripts(everything=everything, progress=progress)
            part = lines.in_project(report, cortex.project.root)
            listed = len(cortex.list(imported=part.id)) if part.id else 0
            return report, part, listed

        undo = self.screen.context.keymap.first("change.undo")
        takes_back = f"{undo} takes it back{', in each project its own' if everything else ''}"
        self.screen.jobs.run(
            "Reading sessions",
            learn,
            lambda imported: self._imported(imported, takes_back),
            stopped=f"Stopped. What was read is kept ({takes_back}); the rest comes with the next "
            "import.",
        )

    def _imported(self, imported: Imported, takes_back: str) -> None:
        report, part, listed = imported
        said = lines.imported(report)
        self.screen.say(f"{said}. ({takes_back})")
        self.screen.load()
        self.screen.pulse()
        self.embed_all(lambda count: self.screen.load())
        steps = lines.next_steps(part, listed)
        if len(steps) > 1:
            action = part.id
            self.screen.app.push_screen(
                Choose(said, steps, "kept"), lambda chosen: self._look_at(chosen, action)
            )

    def _look_at(self, chosen: str | None, action: str) -> None:
        """Show what the import `action` brought: the kept memories, or the suggestions."""
        if chosen == "kept":
            words = f"import:{action[:SESSION]}"
            self.screen.context.action_go("memories", words)
        elif chosen == "suggestions":
            self.screen.context.go("inbox")

    def export(self) -> None:
        """Write all memories to a folder that the user names."""
        stores = self.screen.stores
        if stores is None:
            return
        here = stores.cortex.project
        hint = "A folder: one file for each memory. cortex import markdown reads it again."
        ask = Ask("Export all memories", str(Path(here.root or here.home, "memories")), hint)

        def write(stores: StoreSession, progress: Progress, folder: str) -> ExportReport:
            return stores.cortex.exchange.export_markdown(folder)

        def named(folder: str | None) -> None:
            if folder:
                task = partial(write, folder=folder)
                self.screen.jobs.run("Writing the memories", task, self._exported)

        self.screen.app.push_screen(ask, named)

    def _exported(self, report: ExportReport) -> None:
        self.screen.say(
            f"{text.counted(report.memories, 'memory', 'memories')} are in {report.folder}: "
            f"{report.written:,} files written, {report.unchanged:,} were up to date."
        )

    def embed(self) -> None:
        """Compute missing vectors."""
        status = self.screen.strip.status
        if status is not None and not status.pending_embeddings:
            self.screen.say("Every memory has its vector.", warns=True)
        else:
            self.embed_all(self._embedded)

    def embed_all(self, then: Callable[[int], None]) -> None:
        """Compute the vectors that are missing, then call `then` with their number."""
        self.screen.jobs.run(
            "Computing embeddings",
            lambda stores, progress: stores.cortex.models.embed_pending(progress),
            then,
            stopped="Stopped. The worker computes the rest later.",
        )

    def _embedded(self, count: int) -> None:
        problem = self.screen.stores.cortex.models.problem() if self.screen.stores else ""
        self.screen.say(
            problem or f"{text.memories(count)} can be found by meaning now.",
            warns=bool(problem),
        )
        self.screen.status_revision = None
        self.screen.pulse()

    def switch_pause(self) -> None:
        """Pause capture here, or go on with it."""

        def switch(stores: StoreSession, progress: Progress) -> bool:
            cortex = stores.cortex
            (cortex.sessions.resume if cortex.sessions.paused else cortex.sessions.pause)()
            return cortex.sessions.paused

        self.screen.jobs.run("Switching capture", switch, self._paused)

    def _paused(self, paused: bool) -> None:
        key = self.screen.context.keymap.first("capture.pause")
        self.screen.say(f"Capture is {'paused' if paused else 'on'} here. ({key} switches it back)")
        self.screen.status_revision = None
        self.screen.pulse()
