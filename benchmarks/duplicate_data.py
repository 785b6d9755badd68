"""The pairs that the duplicate rules are measured on, read from the development data.

These sets are not part of the repository: an option or CORTEX_DATA names their folder.
"""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core.base.text import STOP_WORDS

SAME_SCORE = 4.0
"""The STS score, 0 to 5, from which two sentences count as saying the same."""


class Pair(NamedTuple):
    """Two texts, and whether people judged that they say the same."""

    first: str
    second: str
    same: bool


def msrp(data: Path, part: str) -> list[Pair]:
    """Microsoft's paraphrase corpus; `part` is `train`, `val` or `test`."""
    path = data / "duplicates" / "msrp" / f"msr-para-{part}.tsv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return [Pair(row[3], row[4], row[0] == "1") for row in rows if len(row) >= 5]


def sts(data: Path, part: str) -> list[Pair]:
    """The STS benchmark; `part` is `train`, `dev` or `test`."""
    path = data / "duplicates" / "sts" / f"stsb-en-{part}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Pair(first, second, float(score) >= SAME_SCORE)
            for first, second, score in csv.reader(file)
        ]


def updates(data: Path) -> list[Pair]:
    """BEAM's pairs of a message and the later one that states another value; never the same."""
    pairs = []
    for chat in sorted((data / "beam" / "100K").iterdir(), key=lambda path: int(path.name)):
        messages = {
            message["id"]: message["content"].split("->->")[0].strip()
            for message in _messages(json.loads((chat / "chat.json").read_text(encoding="utf-8")))
        }
        questions = json.loads((chat / "probing_questions.json").read_text(encoding="utf-8"))
        for question in questions["knowledge_update"]:
            ids = question["source_chat_ids"]
            for first in _ids(ids.get("original_info")):
                for second in _ids(ids.get("updated_info")):
                    if first != second and first in messages and second in messages:
                        pairs.append(Pair(messages[first], messages[second], False))
    return [pair for pair in pairs if pair.first != pair.second]


def chats(data: Path) -> Iterator[list[str]]:
    """What the user says in each of BEAM's chats, in its order."""
    for chat in sorted((data / "beam" / "100K").iterdir(), key=lambda path: int(path.name)):
        said = _messages(json.loads((chat / "chat.json").read_text(encoding="utf-8")))
        yield [
            message["content"].split("->->")[0].strip()
            for message in sorted(said, key=lambda message: int(message["id"]))
            if message["role"] == "user"
        ]


def _messages(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if "role" in node and "content" in node and "id" in node:
            yield node
        for value in node.values():
            yield from _messages(value)
    elif isinstance(node, list):
        for value in node:
            yield from _messages(value)


def _ids(value: Any) -> list[int]:
    if isinstance(value, int):
        return [value]
    return [one for entry in value or [] for one in _ids(entry)]


class Edit(NamedTuple):
    """A sentence and the same with one thing changed; the two never say the same."""

    sort: str
    """`number`, `name`, `negation`, `word` or `order`."""
    first: str
    second: str


_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?=[ ,.])")
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|will|can|could|should|must|may|has|have|had|would)\b"
)
_NEGATION = re.compile(r"\b(?:not|never) |n't\b")
_PLAIN = re.compile(r"(?<![\w'-])[a-z]{4,}(?![\w'-])")


def edits(sentences: Sequence[str], seed: int, most: int) -> list[Edit]:
    """Up to `most` edits of each sort, made of `sentences`."""
    r = random.Random(seed)
    found = {match.group() for text in sentences for match in _NAME.finditer(text)}
    names = sorted(name for name in found if name.lower() not in STOP_WORDS)
    words = sorted({word for text in sentences for word in _contents(text)})
    makers = {
        "number": _change_number,
        "name": lambda text, r: _replace(text, list(_NAME.finditer(text)), names, r),
        "negation": _change_negation,
        "word": lambda text, r: _replace(text, _content_matches(text), words, r),
        "order": _change_order,
    }
    made = []
    for sort, make in makers.items():
        count = 0
        for text in r.sample(list(sentences), len(sentences)):
            changed = make(text, r)
            if changed and changed != text and count < most:
                made.append(Edit(sort, text, changed))
                count += 1
    return made


def _contents(text: str) -> list[str]:
    return [match.group() for match in _content_matches(text)]


def _content_matches(text: str) -> list[re.Match[str]]:
    return [match for match in _PLAIN.finditer(text) if match.group() not in STOP_WORDS]


def _replace(
    text: str, places: list[re.Match[str]], choices: Sequence[str], r: random.Random
) -> str:
    if not places or not choices:
        return ""
    place, other = r.choice(places), r.choice(choices)
    old, new = place.group().lower(), other.lower()
    if new in text.lower() or old in new or old[:4] == new[:4]:
        return ""
    return text[: place.start()] + other + text[place.end() :]


def _change_number(text: str, r: random.Random) -> str:
    places = list(_NUMBER.finditer(text))
    if not places:
        return ""
    place = r.choice(places)
    digits = place.group()
    at = r.choice([i for i, char in enumerate(digits) if char.isdigit()])
    changed = digits[:at] + r.choice([d for d in "123456789" if d != digits[at]]) + digits[at + 1 :]
    return text[: place.start()] + changed + text[place.end() :]


def _change_negation(text: str, r: random.Random) -> str:
    if denied := _NEGATION.search(text):
        return text[: denied.start()] + text[denied.end() :]
    places = list(_AUXILIARY.finditer(text))
    if not places:
        return ""
    end = r.choice(places).end()
    return text[:end] + " not" + text[end:]


def _change_order(text: str, r: random.Random) -> str:
    places = _content_matches(text)
    if len(places) < 2:
        return ""
    first, second = sorted(r.sample(places, 2), key=lambda match: match.start())
    if first.group() == second.group():
        return ""
    return (
        text[: first.start()]
        + second.group()
        + text[first.end() : second.start()]
        + first.group()
        + text[second.end() :]
    )
