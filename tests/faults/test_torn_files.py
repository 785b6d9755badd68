"""Files of Cortex's own that a killed process left half written."""

from __future__ import annotations

from pathlib import Path

from cortex_core.exchange.exported import EXPORTED, KnownTexts


def test_a_torn_hash_does_not_spoil_the_next_ones(tmp_path: Path) -> None:
    KnownTexts(str(tmp_path)).add(["We chose SQLite"])
    with (tmp_path / EXPORTED).open("ab") as file:
        file.write(b"torn")
    KnownTexts(str(tmp_path)).add(["Use pnpm", "Use uv"])
    exported = KnownTexts(str(tmp_path))
    assert [exported.has(words) for words in ("We chose SQLite", "Use pnpm", "Use uv")] == [
        True
    ] * 3
    assert not exported.has("Use npm")
