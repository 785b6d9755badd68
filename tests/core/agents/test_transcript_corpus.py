"""Real transcripts, where they are at hand: every one is read whole, fast and without an error."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from cortex_core.agents.claude import reader as transcripts
from cortex_core.records.events import ReadPosition

DATA = Path(os.environ.get("CORTEX_DATA", "/nonexistent"), "transcripts")
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="CORTEX_DATA holds no transcripts")


def test_every_real_transcript_is_read_to_its_end() -> None:
    roles: Counter[str] = Counter()
    for path in DATA.rglob("*.jsonl"):
        reader = transcripts.read(path)
        for event in reader:
            roles[event.role] += 1
            assert event.session and event.time
            assert event.uuid or event.role == "queued"
        assert reader.offset == reader.size
        assert reader.problems.keys() <= {"invalid line", "glued line"}
    assert roles["human"] > 100 and roles["compaction"] >= 7
    assert not roles.keys() - {
        "human",
        "queued",
        "assistant",
        "tool_use",
        "tool_result",
        "compaction",
        "synthetic",
    }


def test_reading_in_pieces_equals_reading_at_once() -> None:
    for path in sorted(DATA.rglob("*.jsonl"), key=lambda path: path.stat().st_size)[:60]:
        whole = list(transcripts.read(path))
        for event in whole[:: max(1, len(whole) // 5)]:
            rest = {one.uuid for one in transcripts.read(path, ReadPosition(event.offset))}
            assert rest >= {one.uuid for one in whole if one.offset >= event.offset}
