"""How capture is doing in a project, and what else is worth knowing about its memory."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from cortex_core.base import decay, project as projects, text
from cortex_core.capture import spool
from cortex_core.records.captures import (
    NO_VECTORS_YET,
    TRIGGERS_OFF,
    ProjectStatus,
)
from cortex_core.store import (
    correction_rows,
    cursors,
    ledger,
    memory_counts,
    proposals,
    twins,
    vector_search,
)
from cortex_core.store.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.capture.language_model import LanguageModels
    from cortex_core.maintenance.embedding_models import EmbeddingModels
    from cortex_core.store.store_trust import StoreTrust


WEEK = 7 * decay.DAY
MONTH = 30 * decay.DAY


def project_status(
    workspace: Workspace,
    models: EmbeddingModels,
    llm: LanguageModels,
    trust: StoreTrust,
    archive: tuple[int, int, str],
) -> ProjectStatus:
    """The status of this project and of its `archive`, as that says it of itself."""
    conversations, archive_bytes, problem = archive
    project, now = workspace.project, workspace.clock()
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    sessions: set[str] = set()
    captured: set[str] = set()
    spent = 0.0
    unembedded = to_review = failures = pending = repeated = 0
    # When the day began, where the user is.
    day = time.localtime(now)
    midnight = time.mktime((day.tm_year, day.tm_mon, day.tm_mday, 0, 0, 0, 0, 0, -1))
    for store in workspace.stores:
        # What the user has as well is counted once, as the user's own.
        twice = twins.hidden(store, workspace.own_stores) if store.scope == "team" else ()
        for status, kind, number in memory_counts.by_status_and_kind(store, twice):
            counts[status] += number
            kinds[kind] += number if status == "active" else 0
        unembedded += vector_search.waiting(store, models.tag())
        to_review += proposals.count_judgeable(store)
        pending += cursors.pending_finds(store)
        failures += len(ledger.failed(store, now - WEEK))
        repeated += len(correction_rows.repeated(store, now - MONTH)[1])
        seen, read_ids = ledger.sessions(store, now - MONTH)
        sessions |= seen
        captured |= read_ids
        spent += ledger.cost(store, midnight)
    captures = [entry for store in workspace.own_stores for entry in ledger.captures(store, 1)]
    readings = [ledger.last_capture(store) for store in workspace.own_stores]
    return ProjectStatus(
        project=project.name,
        root=text.storable(project.root or ""),
        branch=project.branch,
        stores={store.scope: text.storable(str(store.path)) for store in workspace.stores},
        counts=dict(counts),
        to_review=to_review,
        kinds={kind: number for kind, number in kinds.items() if number},
        pending_embeddings=unembedded,
        queue=len(spool.waiting(project)),
        pending=pending,
        last_capture=max(captures, key=lambda entry: entry.time, default=None),
        last_reading=max((time for time in readings if time is not None), default=None),
        connected=any(ledger.has_hook_reports(store) for store in workspace.own_stores),
        failures=failures,
        sessions=len(sessions),
        captured=len(captured),
        spent=spent,
        again=repeated,
        conversations=conversations,
        archive_bytes=archive_bytes,
        extractor=llm.settings().get("extractor"),
        daily_cap=llm.spending().cap,
        spent_everywhere=llm.spending().today(),
        unpriced_tokens=llm.spending().tokens_without_price(),
        for_model=len(llm.waiting()),
        paused=projects.is_paused(project),
        trusted=trust.granted,
        problem=spool.problem(project),
        degraded=(
            *_degraded(unembedded, workspace, models, llm, trust),
            *filter(None, (problem,)),
        ),
    )


def _degraded(
    unembedded: int,
    workspace: Workspace,
    models: EmbeddingModels,
    llm: LanguageModels,
    trust: StoreTrust,
) -> Iterable[str]:
    if trouble := spool.problem(workspace.project):
        yield f"Capture did not work when it last ran. {trouble}"
    yield from filter(None, (llm.trouble(), models.fallback))
    # A model that fails explains why vectors are missing, so that one sentence is enough.
    if problem := models.problem:
        yield problem
    elif unembedded:
        have, them = ("memory has", "it") if unembedded == 1 else ("memories have", "them")
        yield (
            f"{unembedded:,} {have} {NO_VECTORS_YET}; until then, only search by words finds "
            f"{them}."
        )
    if workspace.project.doubt:
        yield f"{workspace.project.doubt}. {projects.OF_OTHERS}"
    elif not trust.granted:
        yield (
            "This store is not trusted, so its memories are not injected. Read it (cortex list), "
            "then run: cortex trust"
        )
    if not workspace.config.get("triggers.on"):
        yield f"{TRIGGERS_OFF} Switch them on with: cortex trigger on --all"
    if projects.is_paused(workspace.project):
        yield "Capture is paused in this project. Resume it with: cortex pause --off"
