"""What is done for the whole project, from any screen: learn, repair, exchange, export, pause."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core.base import text
from cortex_core.records.captures import ImportedProject, ImportReport
from cortex_core.records.upkeep import CheckResult, SecretsReport
from cortex_tui.actions import sharing_actions
from cortex_tui.actions.project_actions import examine_project, others, search_projects
from cortex_tui.context import EDITOR
from cortex_tui.screens import capture_lines as lines
from cortex_tui.screens.base import Progress, StoreScreen
from cortex_tui.screens.dialogs import Ask, Choose, Confirm
from cortex_tui.session import StoreSession
from cortex_tui.widgets import sharing_lines
from cortex_tui.widgets.lines import project_choice

if TYPE_CHECKING:
    from cortex_core.records.machines import SyncReport
    from cortex_core.records.proofs import Proof
    from cortex_core.records.teams import PullReport

SESSION = 8
"""Characters of an import's id in the filter of the memories."""

Imported = tuple[ImportReport, ImportReport | ImportedProject, int]
"""What an import of sessions brought, what of it came into this project, and how many memories that
part kept, without the history."""


class ProjectJobs:
    """What is done for the whole project, on whatever screen it was asked for."""

    def __init__(self, screen: StoreScreen) -> None:
        self.screen = screen

    def _renew(self, sentence: str, *, warns: bool = False) -> None:
        """Say what was done, and show the state as it is now."""
        self.screen.say(sentence, warns=warns)
        self.screen.renew()

    # --- health, secrets, sharing

    def fix(self) -> None:
        """Repair what can be repaired safely, after a confirmation."""
        self.screen.jobs.run(
            "Running the checks",
            lambda stores, progress: examine_project(stores.cortex, progress=progress),
            self._examined,
        )

    def _examined(self, checks: tuple[CheckResult, ...]) -> None:
        fixable = [check for check in checks if check.fixable]
        if not fixable:
            self.screen.say("There is nothing that Cortex can repair.", warns=True)
            return
        problems = "\n".join(f"{check.name}: {check.sentence}" for check in fixable)
        question = f"Repair {text.counted(len(fixable), 'thing')}?"
        dialog = Confirm(question, f"{problems}\n\nThe stores are copied first.", "repair")
        self.screen.app.push_screen(dialog, self._fix_if)

    def _fix_if(self, sure: bool | None) -> None:
        if sure:
            self.screen.jobs.run(
                "Repairing",
                lambda stores, progress: examine_project(stores.cortex, fix=True),
                lambda checks: self._renew(
                    " ".join(check.fixed for check in checks if check.fixed)
                    or "Nothing could be repaired."
                ),
            )

    def scrub(self) -> None:
        """Search all that is kept for secrets, and remove them if the user wants it."""
        self.screen.jobs.run(
            "Searching for secrets",
            lambda stores, progress: stores.cortex.secrets.scan(),
            self._scanned,
        )

    def _scanned(self, report: SecretsReport) -> None:
        if not report.found:
            self.screen.say("No secret was found in stores, snapshots and files.")
            return
        options = [
            ("no", "leave them where they are"),
            ("scrub", "remove them permanently; snapshots that contain one stay"),
            ("all", "remove them permanently, and remove the snapshots that contain one"),
        ]
        title = f"Remove the secrets of {text.counted(len(report.found), 'location')}?"
        found = "\n".join(f"{', '.join(one.types)}: {one.location}" for one in report.found)
        dialog = Choose(title, options, "no", f"{found}\n\n{lines.SCRUB}")
        self.screen.app.push_screen(dialog, self._scrub_as)

    def _scrub_as(self, chosen: str | None) -> None:
        if chosen in ("scrub", "all"):
            self.screen.jobs.run(
                "Removing secrets",
                lambda stores, progress: stores.cortex.secrets.scrub(
                    remove_snapshots=chosen == "all"
                ),
                self._scrubbed,
            )

    def _scrubbed(self, report: SecretsReport) -> None:
        locations = text.counted(len(report.found), "location")
        done = f"Removed from {locations}; this cannot be undone."
        self._renew(" ".join([done, *report.left[:2]]), warns=bool(report.left))

    def exchange(self) -> None:
        """Exchange with the user's other machines now."""
        self.screen.jobs.run(
            "Exchanging",
            sharing_actions.exchange,
            self._exchanged,
            stopped="Stopped. The next exchange sends and reads the rest.",
        )

    def _exchanged(self, report: SyncReport) -> None:
        problems = any(store.problems for store in report.stores)
        self._renew(sharing_lines.exchanged(report), warns=report.failed or problems)
        if report.received:
            self.embed_all(lambda count: None)

    def pull(self) -> None:
        """Read what the team approved since."""
        self.screen.jobs.run(
            "Asking the hub of the team",
            lambda stores, progress: sharing_actions.pull(stores),
            self._pulled,
        )

    def _pulled(self, report: PullReport) -> None:
        self._renew(sharing_lines.pulled(report), warns=bool(report.problems))
        if report.changed:
            self.embed_all(lambda count: None)

    def prove(self) -> None:
        """Replay past sessions, and show what they came to need that they would have had."""

        def replay(stores: StoreSession, progress: Progress) -> Proof:
            from cortex_core.prove import prove

            return prove(stores.cortex, progress=progress)

        self.screen.jobs.run(
            "Replaying past sessions", replay, self._proved, stopped="Stopped. Nothing was changed."
        )

    def _proved(self, proof: Proof) -> None:
        if not proof.sessions:
            self.screen.say("There are no past sessions to replay.", warns=True)
            return
        page = lines.proved(proof, self.screen.glyphs)
        title = "What Cortex would have been worth"
        self.screen.app.push_screen(Choose(title, [("", "go back")], detail=page))

    # --- other projects

    def projects(self) -> None:
        """Let the user go to another project."""
        if (stores := self.screen.stores) is None:
            return
        there = list(map(project_choice, others(stores)))
        if there:
            dialog = Choose("Go to another project", there)
            self.screen.app.push_screen(dialog, lambda root: self._turn_to(root) if root else None)
        else:
            self.screen.say("No other project of yours has memories yet.", warns=True)

    def search_all(self) -> None:
        """Let the user search the memories of all projects, and go to one of them."""
        self.screen.converse(self._search_all(), "Searching all projects")

    async def _search_all(self) -> None:
        app, stores = self.screen.app, self.screen.stores
        words = await app.push_screen_wait(Ask("Search all projects", hint="Words, or a question."))
        if not words or stores is None:
            return
        found = await asyncio.to_thread(search_projects, stores, words)
        if not found:
            self.screen.say("No memory of any project fits.", warns=True)
            return
        lines = [
            (str(number), f"{Path(hit.project).name or 'here':<16}{hit.memory.title}")
            for number, hit in enumerate(found)
        ]
        chosen = await app.push_screen_wait(Choose(f"{len(found)} memories", lines))
        hit = found[int(chosen)] if chosen else None
        if hit is not None and hit.project:
            self._turn_to(hit.project, hit.memory.id)
        elif hit is not None:
            self.screen.context.action_show_memory(hit.memory.id)

    def _turn_to(self, root: str, memory: str = "") -> None:
        """Leave for another project, unless that would lose what is open in the user's editor."""
        if any(one.group == EDITOR and one.is_running for one in self.screen.app.workers):
            self.screen.say("Save and close the file in your editor first.", warns=True)
        else:
            self.screen.context.open_project(root, memory)

    # --- import, vectors, pause

    def learn(self, *, everything: bool = False) -> None:
        """Learn from past sessions, with `everything` from those of all projects, each into its
        own project's store; a preview first."""
        self.screen.jobs.run(
            "Looking at past sessions",
            lambda stores, progress: stores.cortex.exchange.import_transcripts(
                dry_run=True, everything=everything, progress=progress
            ),
            lambda report: self._rehearsed(report, everything=everything),
            stopped="Stopped. Nothing was imported.",
        )

    def learn_all(self) -> None:
        """Learn from the past sessions of all projects."""
        self.learn(everything=True)

    def _rehearsed(self, report: ImportReport, *, everything: bool) -> None:
        if not report.files:
            read = "No session was found."
            if report.skipped:
                read = f"{text.counted(report.skipped, 'session')} found, all read before."
            why = " ".join(report.problems[:1]) or read
            self.screen.say(
                f"There is nothing new to learn from. {why}", warns=bool(report.problems)
            )
            return
        question = f"Learn from {report.files:,} past session{'s' if report.files != 1 else ''}?"
        self.screen.app.push_screen(
            Confirm(question, lines.preview(report, everything=everything), "import"),
            lambda sure: (
                self._import(everything=everything)
                if sure
                else self.screen.say("Nothing was imported.")
            ),
        )

    def learn_first(self) -> None:
        """Learn from the past sessions of a project that has no memories; what was found is shown
        on the screen in front."""
        self._import(everything=False, then_asks=False)

    def _import(self, *, everything: bool, then_asks: bool = True) -> None:
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
            lambda imported: self._imported(imported, takes_back, then_asks=then_asks),
            stopped=f"Stopped. What was read is kept ({takes_back}); the rest comes with the next "
            "import.",
        )

    def _imported(self, imported: Imported, takes_back: str, *, then_asks: bool) -> None:
        report, part, listed = imported
        said = lines.imported(report, listed)
        self._renew(f"{said}. ({takes_back})")
        self.embed_all(lambda count: self.screen.load())
        steps = lines.next_steps(part, listed)
        if len(steps) > 1 and then_asks:
            self.screen.app.push_screen(
                Choose(said, steps, "kept"), lambda chosen: self._look_at(chosen, part.id)
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

        def named(folder: str | None) -> None:
            if folder:
                self.screen.jobs.run(
                    "Writing the memories",
                    lambda stores, progress: stores.cortex.exchange.export_markdown(folder),
                    lambda report: self.screen.say(
                        f"{text.counted(report.memories, 'memory', 'memories')} are in "
                        f"{report.folder}: {report.written:,} files written, "
                        f"{report.unchanged:,} were up to date."
                    ),
                )

        self.screen.app.push_screen(ask, named)

    def embed_all(self, then: Callable[[int], None]) -> None:
        """Compute the vectors that are missing, then call `then` with their number."""
        self.screen.jobs.run(
            "Computing embeddings",
            lambda stores, progress: stores.cortex.models.embed_pending(progress),
            then,
            stopped="Stopped. The worker computes the rest later.",
        )

    def pause(self) -> None:
        """Pause capture here, or go on with it."""

        def switch(stores: StoreSession, progress: Progress) -> bool:
            cortex = stores.cortex
            (cortex.sessions.resume if cortex.sessions.paused else cortex.sessions.pause)()
            return cortex.sessions.paused

        self.screen.jobs.run(
            "Switching capture",
            switch,
            lambda paused: self._renew(f"Capture is {'paused' if paused else 'on'} here."),
        )
