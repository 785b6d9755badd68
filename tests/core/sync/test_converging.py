"""Machines that do anything and exchange it in any order, interrupted anywhere, end with the same
rows. `CORTEX_EXCHANGES=1000` runs as many trials instead of the few of the suite.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cortex_core.base.errors import CortexError
from cortex_core.records.memory import Scope
from cortex_core.store import synced
from cortex_core.store.store import Store
from cortex_core.sync.exchange import StoreExchange
from tests.core.storage.test_histories import VERBS, Nothing, Trial

OWN_SCOPES: tuple[Scope, ...] = ("project", "global")
Carried = dict[str, bytes]
TRIALS = int(os.environ.get("CORTEX_EXCHANGES", "4"))


class Interrupted(Exception):
    """The process ends here."""


class Machine(Trial):
    """One machine's stores, and what it does with what is carried."""

    def __init__(self, folder: Path, random: Random, number: int) -> None:
        folder.mkdir()
        super().__init__(folder, random)
        self.name = f"machine-{number}"
        self.clock.advance(minutes=random.choice((0, -90, 45)))

    def exchange(self, carried: Carried, *, dies: bool = False) -> list[str]:
        """Exchange both stores; the problems that it names."""
        found: list[str] = []
        for scope in OWN_SCOPES:
            store = self.cortex.workspace.store(scope)
            mine = {
                name.removeprefix(f"{store.scope}/"): data
                for name, data in carried.items()
                if name.startswith(f"{store.scope}/")
            }
            one = StoreExchange(store, self.name)
            one.settle_identity(mine, mine.__getitem__)
            one.write()
            with self._dying(one, dies):
                one.merge({name: mine[name] for name in one.wanted(mine)})
                one.write()
            self._publish(store, one, carried)
            found += one.problems
        return found

    def _dying(self, one: StoreExchange, dies: bool) -> Any:
        if not dies:
            return nullcontext()
        save, left = one._save, self.random.randrange(4)

        def failing() -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Interrupted
            save()

        one._save = failing  # type: ignore[method-assign]
        return suppress(Interrupted)

    def _publish(self, store: Store, one: StoreExchange, carried: Carried) -> None:
        own = {
            f"{store.scope}/{name}": path
            for name, path in StoreExchange(store, self.name).own_files().items()
        }
        writer = f"{store.scope}/{one.state.writer}/"
        for name in [name for name in carried if name.startswith(writer) and name not in own]:
            del carried[name]
        carried.update((name, path.read_bytes()) for name, path in own.items())

    def shared(self) -> dict[str, Any]:
        """Every row that machines share, as text and in one order."""
        found: dict[str, Any] = {}
        for store in self.cortex.workspace.stores:
            for table in synced.TABLES:
                rows = (synced.shared(table, row) for row in synced.all_rows(store, table))
                found[f"{store.scope} {table}"] = sorted(
                    {repr(sorted(row.items())) for row in rows}
                )
        return found


def step(machine: Machine, carried: Carried) -> None:
    """Do something, take something back, or exchange."""
    machine.clock.advance(minutes=machine.choose((1, 3, 10)))
    chosen = machine.choose(("do", "do", "do", "back", "exchange", "die"))
    with suppress(Nothing, CortexError):
        if chosen == "do":
            machine.choose(VERBS)(machine)
        elif chosen == "back":
            entry = machine.choose(machine.entries())
            back: Callable[..., object] = getattr(
                machine.cortex, "redo" if entry.verb == "undo" else "undo"
            )
            back(number=entry.number, scope=entry.scope)
    if chosen in ("exchange", "die"):
        assert machine.exchange(carried, dies=chosen == "die") == []


@pytest.mark.parametrize("seed", range(TRIALS))
def test_three_machines_end_with_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    random, carried, ids = Random(seed), Carried(), Random(seed)
    monkeypatch.setattr(uuid, "uuid4", lambda: uuid.UUID(int=ids.getrandbits(128), version=4))
    machines = [Machine(tmp_path / str(number), random, number) for number in range(3)]
    try:
        machines[0].cortex.remember("The first of all")
        machines[1].cortex.remember("The first of all, everywhere", scope="global")
        for _ in range(60):
            acting = random.choice(machines)
            before = acting.clock()
            step(acting, carried)
            for other in machines:  # time passes everywhere
                if other is not acting:
                    other.clock.advance(seconds=acting.clock() - before)
        for machine in machines * 3:
            machine.exchange(carried)
        first, *others = [machine.shared() for machine in machines]
        assert others == [first, first]
        assert any(first.values())
    finally:
        for machine in machines:
            machine.cortex.close()
