"""The report of `cortex status`: counts, queues, failures, cost and degradations of a project."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from cortex_core.base import decay
from cortex_core.base import project as projects
from cortex_core.capture import spool
from cortex_core.reports import NO_VECTORS_YET, Status
from cortex_core.store import ledger, queries, vector_search
from cortex_core.store.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.capture.language_model import LanguageModels
    from cortex_core.maintenance.embedding_models import EmbeddingModels
    from cortex_core.store.trust import StoreTrust

WEEK = 7 * decay.DAY
MONTH = 30 * decay.DAY


def read(
    workspace: Workspace, models: EmbeddingModels, llm: LanguageModels, trust: StoreTrust
) -> Status:
    """The status of this project."""
    project, now = workspace.project, workspace.clock()
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    sessions: set[str] = set()
    captured: set[str] = set()
    spent = 0.0
    pending = to_review = failures = 0
    for store in workspace.stores:
        for status, kind, number in queries.counts(store):
            counts[status] += number
            kinds[kind] += number if status == "active" else 0
        pending += vector_search.waiting(store, models.tag())
        to_review += queries.waiting(store)
        failures += ledger.failures(store, now - WEEK)
        seen, read_ids = ledger.sessions(store, now - MONTH)
        sessions |= seen
        captured |= read_ids
        spent += ledger.cost(store, _midnight(now))
    captures = [entry for store in workspace.stores for entry in ledger.captures(store, 1)]
    return Status(
        project=project.name, root=project.root or "", branch=project.branch,
        stores={store.scope: str(store.path) for store in workspace.stores}, counts=dict(counts),
        kinds={kind: number for kind, number in kinds.items() if number}, to_review=to_review,
        pending_embeddings=pending, queue=len(spool.waiting(project)),
        last_capture=max(captures, key=lambda entry: entry.time, default=None),
        failures=failures, sessions=len(sessions), captured=len(captured), spent=spent,
        extractor=llm.settings().get("extractor"), daily_cap=llm.spending().cap,
        spent_everywhere=llm.spending().today(), for_model=len(llm.waiting()),
        paused=projects.is_paused(project), trusted=trust.granted,
        degraded=tuple(_degraded(pending, workspace, models, llm, trust)),
    )  # fmt: skip


def _degraded(
    pending: int, workspace: Workspace, models: EmbeddingModels, llm: LanguageModels,
    trust: StoreTrust,
) -> Iterable[str]:  # fmt: skip
    if trouble := llm.trouble():
        yield trouble
    if problem := models.problem():
        yield problem
    elif pending:
        yield (
            f"{pending:,} memories {NO_VECTORS_YET}; until then, only search by words finds them."
        )
    if not trust.granted:
        yield (
            "This store came from elsewhere, so its memories are not injected. Read it (cortex "
            "list), then run: cortex trust"
        )
    if projects.is_paused(workspace.project):
        yield "Capture is paused in this project. Resume it with: cortex resume"


def _midnight(now: float) -> float:
    """When the day of `now` began, where the user is."""
    day = time.localtime(now)
    return time.mktime((day.tm_year, day.tm_mon, day.tm_mday, 0, 0, 0, 0, 0, -1))
