"""What one machine scrubs is on no other one then, even where only that one knows the secret."""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.maintenance.scrub import SecretFinder, scrub
from cortex_core.records.memory import Source
from cortex_core.store.store import Store
from cortex_core.sync.exchange import StoreExchange

SECRET = "harbour-49152"
PATTERN = r"harb[o]ur-\d+"


class Machine:
    """One machine's project, exchanging files through `carried`."""

    def __init__(self, folder: Path, carried: dict[str, bytes]) -> None:
        self.folder = folder
        (folder / "project" / ".memory").mkdir(parents=True)
        self.cortex = Cortex.open(folder / "project", folder / "home")
        self.store = self.cortex.workspace.store("project")
        self._carried = carried

    def sync(self) -> None:
        one = StoreExchange(self.store, self.folder.name, scrub=self._scrub)
        one.settle_identity(self._carried, self._carried.__getitem__)
        one.write()
        one.merge({name: self._carried[name] for name in one.wanted(self._carried)})
        one.write()
        assert one.problems == []
        own = one.own_files()
        for name in [each for each in self._carried if each.startswith(one.state.writer)]:
            if name not in own:
                del self._carried[name]
        self._carried.update((name, path.read_bytes()) for name, path in own.items())

    def _scrub(self, store: Store, texts: Sequence[str]) -> object:
        patterns = self.cortex.config.get("redact.extra")
        return scrub(store, SecretFinder([*patterns, *map(re.escape, texts)]), "worker")

    def traces(self) -> Iterator[str]:
        """Where the secret is."""
        with closing(sqlite3.connect(self.store.path)) as connection:
            for (blob,) in connection.execute("SELECT rows FROM trash"):
                if SECRET.encode() in zlib.decompress(blob):
                    yield "trash"
        for path in self.folder.rglob("*"):
            if path.is_file() and path.name != "config.toml" and SECRET in _read(path):
                yield str(path)


def _read(path: Path) -> str:
    data = path.read_bytes()
    return (zlib.decompress(data) if data[:1] == b"\x78" else data).decode("utf-8", "replace")


@pytest.mark.parametrize("knowing", ["both", "one"])
def test_a_secret_is_on_no_machine_then(tmp_path: Path, knowing: str) -> None:
    carried: dict[str, bytes] = {}
    desk, laptop = (Machine(tmp_path / name, carried) for name in ("desk", "laptop"))
    leaked = desk.cortex.remember(f"The staging password is {SECRET} for all", title=SECRET)
    source = Source(rule="person", session=f"s-{SECRET}", author=SECRET)
    plain = desk.cortex.remember("The queue keeps jobs", source=source)
    binned = desk.cortex.remember(f"To the bin with {SECRET}")
    desk.cortex.graph.link(leaked.id, plain.id, "relates_to", context=f"see {SECRET}")
    exchange(desk, laptop, desk)
    laptop.cortex.edit(leaked.id, content=f"The password was {SECRET} until Monday")
    laptop.cortex.edit(plain.id, content=f"The queue keeps {SECRET}")
    laptop.cortex.edit(plain.id, content="The queue keeps jobs for a week")
    laptop.cortex.forget([binned.id])
    exchange(laptop, desk)
    for machine in (desk, laptop) if knowing == "both" else (desk,):
        machine.cortex.settings.set("redact.extra", [PATTERN], "global")
    desk.cortex.secrets.scrub()
    exchange(desk, laptop, desk, laptop)
    undo_still_works(laptop, plain.id)
    newcomer = Machine(tmp_path / "tower", carried)
    exchange(laptop, desk, newcomer, desk)
    for machine in (desk, laptop, newcomer):
        assert "[redacted" in machine.cortex.show(leaked.id).content
        assert len(machine.cortex.show(plain.id).sources) == 1
        machine.cortex.close()
        assert list(machine.traces()) == []
    assert not any(SECRET.encode() in zlib.decompress(data) for data in carried.values())


def exchange(*machines: Machine) -> None:
    for machine in machines:
        machine.sync()


def undo_still_works(machine: Machine, memory: str) -> None:
    edits = [each for each in machine.cortex.log(50, memory) if each.verb == "edit"]
    machine.cortex.undo(number=edits[0].number, scope="project")
    assert "[redacted" in machine.cortex.show(memory).content


def test_a_scrub_that_was_cut_off_is_done_by_the_next_exchange(tmp_path: Path) -> None:
    carried: dict[str, bytes] = {}
    desk, laptop = (Machine(tmp_path / name, carried) for name in ("desk", "laptop"))
    desk.cortex.remember(f"The staging password is {SECRET} for all")
    laptop.cortex.remember(f"Ours is {SECRET} as well")
    exchange(desk, laptop, desk)
    for machine in (desk, laptop):
        machine.cortex.settings.set("redact.extra", [PATTERN], "global")
    desk.cortex.secrets.scrub()
    exchange(desk)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(laptop, "_scrub", killed)
        with pytest.raises(KeyboardInterrupt):
            laptop.sync()
    exchange(laptop, desk, laptop)
    for machine in (desk, laptop):
        machine.cortex.close()
        assert list(machine.traces()) == []


def killed(*_: Any) -> None:
    raise KeyboardInterrupt
