"""The verbs that tell how things are: status, ledger, receipts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from cortex_core import decay
from cortex_core.capture import spool
from cortex_core.curation import review
from cortex_core.records import LedgerEntry, Receipt
from cortex_core.reports.state import Status
from cortex_core.storage import ledger, vectors
from cortex_core.storage.store import Store
from cortex_core.surface import trust
from cortex_core.verbs.upkeep import Upkeep

WEEK = 7 * decay.DAY
MONTH = 30 * decay.DAY


class State(Upkeep):
    """What there is, what was captured, what was given."""

    def ledger(self, limit: int = 20) -> list[LedgerEntry]:
        """The newest hook firings and captures, newest first."""
        found = [entry for store in self.stores for entry in ledger.entries(store, limit)]
        return sorted(found, key=lambda entry: entry.time, reverse=True)[:limit]

    def status(self) -> Status:
        """How this project's memory is doing."""
        counts: Counter[str] = Counter()
        kinds: Counter[str] = Counter()
        sessions: set[str] = set()
        captured: set[str] = set()
        spent = 0.0
        pending = to_review = failures = 0
        for store in self.stores:
            for status, kind, number in store.rows(
                "SELECT status, kind, count(*) FROM memory GROUP BY status, kind"
            ):
                counts[status] += number
                kinds[kind] += number if status == "active" else 0
            pending += vectors.waiting(store, self.model_tag())
            to_review += review.waiting(store)
            failures += ledger.failures(store, self.clock() - WEEK)
            seen, read = ledger.sessions(store, self.clock() - MONTH)
            sessions |= seen
            captured |= read
            spent += ledger.cost(store, _midnight(self.clock()))
        captures = [entry for store in self.stores for entry in ledger.captures(store, 1)]
        return Status(
            project=self.project.name, root=self.project.root or "", branch=self.project.branch,
            stores={store.scope: str(store.path) for store in self.stores}, counts=dict(counts),
            kinds={kind: number for kind, number in kinds.items() if number}, to_review=to_review,
            pending_embeddings=pending, queue=spool.waiting(self.project),
            last_capture=max(captures, key=lambda entry: entry.time, default=None),
            failures=failures, sessions=len(sessions), captured=len(captured), spent=spent,
            extractor=self.model_settings().get("extractor"), daily_cap=self.spending().cap,
            spent_everywhere=self.spending().today(), for_model=len(self.waiting_for_model()),
            paused=self.paused, trusted=self.trusted,
            degraded=tuple(self._degraded(pending)),
        )  # fmt: skip

    @property
    def paused(self) -> bool:
        """Whether capture is paused here."""
        return Path(self.project.data, "paused").exists()

    @property
    def trusted(self) -> bool:
        """Whether this user's Cortex created the project's store, or a person trusted it."""
        store = self.existing("project")
        return store is None or trust.trusted(self.project, store.identity)

    def receipts(self, session: str | None = None, limit: int = 100) -> list[Receipt]:
        """What was given to Claude, newest first; of one session if `session` is given."""
        tail = ("", ()) if session is None else ("WHERE session = ?", (session,))
        found = [one for store in self.stores for one in self._receipts(store, *tail)]
        return sorted(found, key=lambda one: one.time, reverse=True)[:limit]

    def _receipts(self, store: Store, where: str, values: Sequence[object]) -> list[Receipt]:
        return [
            Receipt(
                session=session, event=event, memory=memory, time=time, tokens=tokens,
                used=None if used is None else bool(used), evidence=evidence,
            )
            for session, event, memory, time, tokens, used, evidence in store.rows(
                "SELECT session, event, memory, time, tokens, used, evidence FROM receipt "
                f"{where} ORDER BY time DESC LIMIT 1000",
                values,
            )
        ]  # fmt: skip

    def _degraded(self, pending: int) -> Iterable[str]:
        if trouble := self.language_model_trouble():
            yield trouble
        if problem := self.model_problem():
            yield problem
        elif pending:
            yield f"{pending:,} memories wait for their vector; they are found by words meanwhile."
        if not self.trusted:
            yield (
                "This store came from elsewhere and is not given to Claude. "
                "Look at it (cortex list), then: cortex trust."
            )
        if self.paused:
            yield "Capture is paused here. Go on with: cortex resume."


def _midnight(now: float) -> float:
    """When the day of `now` began, where the person is."""
    day = time.localtime(now)
    return time.mktime((day.tm_year, day.tm_mon, day.tm_mday, 0, 0, 0, 0, 0, -1))
