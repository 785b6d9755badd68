"""A page on which memories are looked through for what says the same."""

from __future__ import annotations

from textual.app import ComposeResult

from cortex_core.reports.curation import ConsolidationReport
from cortex_tui.screens.working import WorkingPage
from cortex_tui.session import StoreSession
from cortex_tui.widgets.job_line import JobLine, Progress
from cortex_tui.widgets.key_hints import KeyHints


class ConsolidatingPage(WorkingPage):
    """The page; where the work is stopped nothing is proposed."""

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            if isinstance(widget, KeyHints):
                yield JobLine(self.glyphs)
            yield widget

    def action_consolidate(self) -> None:
        def compare(stores: StoreSession, progress: Progress) -> ConsolidationReport:
            stores.check()
            return stores.cortex.consolidate(progress=progress)

        self.job(
            "Looking for memories that say the same", compare, self._compared,
            stopped="Stopped. Nothing was proposed.",
        )  # fmt: skip

    def _compared(self, report: ConsolidationReport) -> None:
        count = len(report.proposed)
        self.say(f"Found {count or 'no'} new {'proposal' if count == 1 else 'proposals'}.")
        self.load()
        self.pulse()
