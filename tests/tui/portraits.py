"""A project whose memories have a past: links, changes, a transcript, receipts, code."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from textual.screen import Screen

from cortex_core import Cortex
from cortex_core.records.memory import Key, Memory
from cortex_tui.application import CortexApp
from tests.conftest import Clock
from tests.transcript_samples import Sample
from tests.tui.pages import page

DAY = 86_400.0
# Looks like a key, opens nothing.
SECRET = "sk-ant-api03-" + "A1b2C3d4" * 11 + "AA"
TOKEN = (
    "When two tabs wake at once both send the same refresh token.\n\n# Why\n\n"
    "The second one gets a **401** and logs the user out. `auth/session.ts` guards it:\n\n"
    "```python\ndef refresh(token: str) -> str:\n    with LOCK:\n"
    "        return rotate(token)\n```\n\n"
    "- see [the incident](https://example.org/incident) and ![a chart](https://example.org/c.png)\n"
    "- a generic List<T> and <b>html</b>"
)
MEMORIES: dict[str, tuple[float, str, dict[str, Any]]] = {
    "token": (
        40,
        TOKEN,
        {
            "kind": "gotcha",
            "title": "Token refresh races when two tabs wake",
            "tags": ("auth", "mobile"),
            "files": ("auth/*.ts",),
        },
    ),
    "route": (12, "Every route checks the token through `require_user`.", {"kind": "pattern"}),
    "life": (
        11,
        "Access tokens live 15 minutes, because the mobile client can refresh.",
        {"kind": "decision"},
    ),
    "restart": (10, "Sessions survive a restart of the server.", {"kind": "fact"}),
    "loop": (9, "The 401 loop ends when the stale cookie is cleared.", {"kind": "solution"}),
    "incident": (8, "Incident of 12 October: mobile users were logged out.", {"kind": "summary"}),
    "cjk": (7, "デプロイの前に必ずマイグレーションを実行し、リリースノートを更新すること。", {}),
}
LINKS = (
    ("route", "token", "exemplifies"),
    ("life", "token", "relates_to"),
    ("restart", "token", "contradicts"),
    ("token", "loop", "relates_to"),
    ("token", "incident", "derived_from"),
    ("token", "cjk", "REQUIRES"),
    ("loop", "incident", "CAUSES"),
    ("incident", "restart", "refines"),
)


def fill(project: Path, clock: Clock) -> dict[str, str]:
    """Remember them, link them, change one; the id of each."""
    now = clock.now
    ids: dict[str, str] = {}
    with Cortex.open(project, clock=clock) as cortex:
        for name, (days, content, values) in MEMORIES.items():
            clock.now = now - days * DAY
            ids[name] = cortex.remember(content, **{"kind": "fact", **values}).id
        clock.now = now - 6 * DAY
        for source, target, type in LINKS:
            cortex.graph.link(ids[source], ids[target], type)  # type: ignore[arg-type]
        clock.now = now - 5 * DAY
        cortex.edit(ids["token"], priority=8)
        give(cortex, ids["token"], now - 2 * DAY, used=True)
        give(cortex, ids["token"], now - DAY, used=None)
    clock.now = now
    return ids


def give(cortex: Cortex, memory: str, time: float, *, used: bool | None) -> None:
    """Note that a memory was given to a session."""
    store = cortex.workspace.store("project")
    with store.write():
        store.execute(
            "INSERT INTO receipt (session, event, memory, time, tokens, used, evidence) "
            "VALUES (?, 'SessionStart', ?, ?, 20, ?, '')",
            (f"5e551011-{time:.0f}", memory, time, used),
        )


def converse(project: Path, clock: Clock, name: str = "talk") -> tuple[Path, Memory]:
    """A session of this project, imported: its transcript, and a memory that came from it."""
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"], "projects", "a-project")
    folder.mkdir(parents=True, exist_ok=True)
    start = datetime.fromtimestamp(clock.now - 3 * DAY, UTC)
    sample = Sample(name, cwd=str(project), start=start)
    sample.human(f"Fix the logout bug. The test key is {SECRET} by the way.")
    sample.assistant("The cookie is stale.")
    sample.human("Remember: always use pnpm, never npm, in this repository.").assistant(
        "Noted: pnpm only."
    )
    sample.human("Now run the tests again.").assistant("All are green.")
    path = sample.write(folder)
    with Cortex.open(project, clock=clock) as cortex:
        cortex.exchange.import_transcripts([path])
        (memory,) = [one for one in cortex.list() if "pnpm" in one.content]
        return path, cortex.show(memory.id)


def hub(cortex: Cortex, count: int) -> str:
    """The id of a memory that is linked with `count` others."""
    names = [f"{number:032x}" for number in range(count + 1)]
    cortex.exchange.import_jsonl(
        f'{{"id": "{name}", "content": "Build step {place} of the pipeline logs itself."}}'
        for place, name in enumerate(names)
    )
    for number, name in enumerate(names[1:]):
        ends = (names[0], name) if number % 3 else (name, names[0])
        cortex.graph.link(*ends, "relates_to")
    return names[0]


def key_of(project: Path, clock: Clock, name: str) -> Key:
    """Store and row number of a memory."""
    with Cortex.open(project, clock=clock) as cortex:
        return cortex.memories.keys_of([name])[name]


def on(
    screen: Callable[..., Screen[None]], key: Key, project: Path, clock: Clock, **how: Any
) -> CortexApp:
    """The app on a screen about one memory."""
    return page(partial(screen, key), project, clock, **how)
