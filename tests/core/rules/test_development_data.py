"""Checks against the development data, where CORTEX_DATA names it: chats and transcripts."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core.agents.claude import reader as transcripts
from cortex_core.extract.rules import extract
from cortex_core.records.events import Event

DATA = Path(os.environ.get("CORTEX_DATA", "/nonexistent"))
CHATS = DATA / "beam" / "100K"
TRANSCRIPTS = DATA / "transcripts"


def labels(folder: Path) -> dict[tuple[int, int], str]:
    """What a chat's plan calls each message: batch and bullet to label."""
    found: dict[tuple[int, int], str] = {}
    plan = (folder / "plan_new.txt").read_text(encoding="utf-8")
    for part in re.finditer(r"BATCH (\d+) PLAN(.*?)(?=BATCH \d+ PLAN|\Z)", plan, re.DOTALL):
        bullets = [line for line in part[2].splitlines() if line.strip().startswith("•")]
        for number, line in enumerate(bullets, 1):
            found[int(part[1]), number] = line.split(":**")[0]
    return found


def messages() -> Iterator[tuple[str, str]]:
    """Label and text of every user message."""
    for folder in sorted(CHATS.iterdir()):
        named = labels(folder)
        for batch in json.loads((folder / "chat.json").read_text(encoding="utf-8")):
            for said in (message for turn in batch["turns"] for message in turn):
                if said["role"] != "user":
                    continue
                place = re.findall(r"\d+", said.get("index") or "")[:2]
                is_main = said.get("question_type") == "main_question" and len(place) == 2
                label = named.get((int(place[0]), int(place[1])), "") if is_main else ""
                yield label, re.sub(r"\s*->->.*$", "", said["content"])


@pytest.mark.skipif(not CHATS.is_dir(), reason="CORTEX_DATA has no chats")
def test_instructions_and_preferences_in_chat() -> None:
    """Of instructions 93 % are heard, of preferences 47 %; of the rest 5 % are taken for either:
    the listener learned how developers talk to an agent, and these chats are about all of life.
    Decisions and facts in the rest are what they are, and no false alarms."""
    seen: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    claimed = {"prompt-remember", "prompt-order", "prompt-wish", "prompt-correction"}
    for label, text in messages():
        kind = next((word for word in ("Instruction", "Preference") if word in label), "other")
        seen[kind] += 1
        found = extract([Event(role="human", text=text)], final=True).candidates
        caught[kind] += any(kind != "other" or one.rule in claimed for one in found)
    shares = {kind: caught[kind] / seen[kind] for kind in seen}
    assert seen["other"] > 2000
    assert shares["Instruction"] >= 0.90 and shares["Preference"] >= 0.45, shares
    assert shares["other"] <= 0.06, shares


@pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="CORTEX_DATA has no transcripts")
def test_yield_over_real_transcripts() -> None:
    found: Counter[str] = Counter()
    for path in sorted(TRANSCRIPTS.rglob("*.jsonl")):
        if path.name.startswith("agent-acompact-"):
            continue
        with transcripts.read(path) as reader:
            made = extract(list(reader), final=True)
        found.update(one.tier for one in made.candidates)
        found.update(one.rule for one in made.candidates)
    assert found["kept"] >= 45 and found["suggested"] >= 30
    assert found["commit"] >= 35 and found["answer"] >= 2
