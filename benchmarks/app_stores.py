"""Stores of any size for measuring the app: made-up memories of made-up words, as text is made of
few common words and many rare ones.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from itertools import accumulate, product
from pathlib import Path

from cortex_core import Cortex
from cortex_core.kinds import BUILT_IN
from cortex_core.memory import Memory
from cortex_core.storage import rows

NOW = 1_789_646_400.0
FIRST = "Zephyrine marks the newest memory"
"""The title that the list begins with."""
KINDS = [kind.name for kind in BUILT_IN if kind.name != "code"]


def vocabulary(size: int = 20_000) -> list[str]:
    """Words that can be spoken, the common ones first and short."""
    starts = "b br c ch d dr f fl g gr h j k l m n p pl qu r s sh st t tr v w".split()
    sounds = "a e i o u ai ea ou".split()
    ends = "l n r s t nd ck m".split()
    short = ["".join(parts) for parts in product(starts, sounds, ends)]
    chance = random.Random(7)
    chance.shuffle(short)
    words = dict.fromkeys(short)
    while len(words) < size:
        words["".join(chance.choices(short, k=chance.choice((2, 2, 3))))] = None
    return list(words)[:size]


def memories(count: int) -> Iterator[Memory]:
    """`count` memories, the newest first."""
    chance = random.Random(11)
    words = vocabulary()
    weights = list(accumulate(1 / (place + 8) for place in range(len(words))))

    def text(length: int) -> str:
        return " ".join(chance.choices(words, cum_weights=weights, k=length))

    for number in range(count):
        moment = NOW - number * 90
        yield Memory(
            id=str(uuid.UUID(int=chance.getrandbits(128))), content=text(45),
            title=FIRST if not number else text(7).capitalize(), kind=chance.choice(KINDS),
            scope="project", initial_confidence=0.4 + 0.6 * chance.random(), created=moment,
            updated=moment, reinforced=moment, pinned=chance.random() < 0.02,
        )  # fmt: skip


def build(folder: Path, count: int) -> tuple[Path, Path]:
    """A project with `count` memories below `folder`, made once; its root and its home."""
    root, home = folder / f"app-{count}", folder / "home"
    made = root / ".memory" / "made"
    if not made.exists():
        root.mkdir(parents=True, exist_ok=True)
        with Cortex.open(root, home) as cortex:
            store = cortex.store("project")
            with store.write():
                for memory in memories(count):
                    row = rows.to_row(memory)
                    names = ",".join(f'"{name}"' for name in row)
                    store.database.execute_sql(
                        f"INSERT INTO memory ({names}) VALUES ({','.join('?' * len(row))})",
                        list(row.values()),
                    )
        made.touch()
    return root, home
