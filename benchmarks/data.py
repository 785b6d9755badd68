"""Loaders of the public recall sets: each becomes stores of rows, as `import jsonl` reads
them, and questions with the rows that answer them.

The sets are not part of this repository: `--data` or CORTEX_DATA names their folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

Row = dict[str, Any]


class Question(NamedTuple):
    """A query and the ids of the rows that answer it."""

    text: str
    gold: frozenset[str]
    group: str
    """The set's own category."""


class Chat(NamedTuple):
    """The rows of one store, and the questions about them."""

    rows: list[Row]
    questions: list[Question]


def locomo(data: Path) -> list[Chat]:
    """LoCoMo: a store for each conversation, turns as rows; adversarial questions left out."""
    with (data / "locomo" / "locomo10.json").open(encoding="utf-8") as file:
        return [_locomo_chat(f"c{index}", chat) for index, chat in enumerate(json.load(file))]


def locomo_one(data: Path) -> list[Chat]:
    """LoCoMo with every conversation in one store."""
    return [_together(locomo(data))]


def beam(data: Path) -> list[Chat]:
    """BEAM-100K: a store for each chat, the user's messages as rows."""
    folders = sorted((data / "beam" / "100K").iterdir(), key=lambda folder: int(folder.name))
    return [_beam_chat(folder) for folder in folders]


def cosqa(data: Path) -> list[Chat]:
    """CoSQA's test part: functions as code descriptions."""
    with (data / "cosqa" / "code_idx_map.txt").open(encoding="utf-8") as file:
        rows = [
            {"id": f"f{index}", "content": code, "kind": "code_description"}
            for code, index in json.load(file).items()
        ]
    with (data / "cosqa" / "cosqa-retrieval-test-500.json").open(encoding="utf-8") as file:
        asked = [
            Question(query["doc"], frozenset({f"f{query['retrieval_idx']}"}), "test")
            for query in json.load(file)
        ]
    return [Chat(rows, asked)]


def longmemeval(path: Path) -> list[Chat]:
    """LongMemEval: a store for each question, the user's turns as rows, gold by session.

    Session ids are replaced by numbers: the set's own begin with `answer_` where they hold one.
    """
    with path.open(encoding="utf-8") as file:
        return [chat for entry in json.load(file) for chat in _longmemeval_entry(entry)]


def _together(chats: list[Chat]) -> Chat:
    return Chat(
        [row for chat in chats for row in chat.rows],
        [question for chat in chats for question in chat.questions],
    )


def _locomo_chat(name: str, chat: Row) -> Chat:
    talk = chat["conversation"]
    rows: list[Row] = []
    known: dict[str, str] = {}
    for number in sorted(int(key[8:]) for key in talk if re.fullmatch(r"session_\d+", key)):
        date = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        for turn in talk[f"session_{number}"]:
            known[turn["dia_id"]] = f"{name}/{turn['dia_id']}"
            caption = turn.get("blip_caption")
            rows.append(
                {
                    "id": known[turn["dia_id"]],
                    "author": turn["speaker"],
                    "content": turn["text"] + (f" [{caption}]" if caption else ""),
                    "created": date.replace(tzinfo=UTC).isoformat(),
                    "session": f"{name}-{number}",
                }
            )
    asked = [
        Question(one["question"], _known(known, " ".join(one["evidence"])), str(one["category"]))
        for one in chat["qa"]
        if one["category"] != 5
    ]
    return Chat(rows, [question for question in asked if question.gold])


def _known(known: dict[str, str], evidence: str) -> frozenset[str]:
    ids = (f"D{int(a)}:{int(b)}" for a, b in re.findall(r"D(\d+):(\d+)", evidence))
    return frozenset(known[one] for one in ids if one in known)


def _beam_chat(folder: Path) -> Chat:
    with (folder / "chat.json").open(encoding="utf-8") as file:
        batches = json.load(file)
    rows: list[Row] = []
    for batch in batches:
        for message in (one for turn in batch["turns"] for one in turn if one["role"] == "user"):
            rows.append(
                {
                    "id": str(message["id"]),
                    "session": str(batch["batch_number"]),
                    "content": re.sub(r"\s*->->\s*[\d,\s]+$", "", message["content"]),
                }
            )
    known = {row["id"] for row in rows}
    with (folder / "probing_questions.json").open(encoding="utf-8") as file:
        abilities = json.load(file)
    asked = [
        Question(one["question"], frozenset(_ids(one.get("source_chat_ids"))) & known, ability)
        for ability, questions in abilities.items()
        for one in questions
    ]
    return Chat(rows, [question for question in asked if question.gold])


def _ids(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _ids(each)
    elif value is not None:
        yield str(value)


def _longmemeval_entry(entry: Row) -> Iterator[Chat]:
    """The store of one haystack; published samples ask several questions of one."""
    rows: list[Row] = []
    sessions: dict[str, str] = {}
    listed = (entry["haystack_session_ids"], entry["haystack_dates"], entry["haystack_sessions"])
    for number, (name, date, turns) in enumerate(zip(*listed, strict=True)):
        sessions[name] = f"s{number}"
        rows += _longmemeval_session(f"s{number}", date, turns)
    if "questions" in entry:
        asked = list(zip(entry["questions"], entry["answer_session_ids"], strict=True))
    else:
        asked = [(entry["question"], entry["answer_session_ids"])]
    questions = [
        Question(text, frozenset(sessions[one] for one in gold if one in sessions), "")
        for text, gold in asked
    ]
    yield Chat(rows, [question for question in questions if question.gold])


def _longmemeval_session(session: str, date: str, turns: list[Row]) -> list[Row]:
    moment = datetime.strptime(re.sub(r" \(\w+\)", "", date), "%Y/%m/%d %H:%M")
    said = [turn["content"] for turn in turns if turn["role"] == "user"]
    return [
        {
            "id": f"{session}/{index}",
            "session": session,
            "content": content,
            "created": moment.replace(tzinfo=UTC).isoformat(),
        }
        for index, content in enumerate(said)
        if content.strip()
    ]
