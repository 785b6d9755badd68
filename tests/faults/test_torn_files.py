"""Files of Cortex's own that a killed process left half written."""

from __future__ import annotations

from pathlib import Path

from cortex_core.exchange.exported import FILE, Exported


def test_a_torn_hash_does_not_spoil_the_next_ones(tmp_path: Path) -> None:
    Exported(str(tmp_path)).add(["We chose SQLite"])
    with (tmp_path / FILE).open("ab") as file:
        file.write(b"torn")
    Exported(str(tmp_path)).add(["Use pnpm", "Use uv"])
    exported = Exported(str(tmp_path))
    assert [exported.has(words) for words in ("We chose SQLite", "Use pnpm", "Use uv")] == [
        True
    ] * 3
    assert not exported.has("Use npm")
