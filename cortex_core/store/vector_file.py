"""The layout of the vector cache file, and the part of it that can be read without numpy: the
vectors' signs, by which the prompt hook finds what a prompt means.

Standard library only, and little of it: the hooks load this module.
"""

from __future__ import annotations

import os

from cortex_core.base import hook_io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAGIC = b"cortex-vectors-2"
HEAD = 1024
"""Bytes of the JSON header, the magic included."""
PIECES = 1 << 16
"""Wordpiece ids are uint16."""
NUMBERS_AT = HEAD + 4 * PIECES


def place(database: str, scope: str) -> str:
    """Where the cache file of the store at `database` is."""
    return os.path.join(os.path.dirname(database), "cache", f"vectors-{scope}.bin")


def signs_width(dimension: int) -> int:
    """Bytes that the signs of one vector take."""
    return -(-dimension // 8)


def header(found: bytes) -> dict[str, Any]:
    """What the first `HEAD` bytes say: `label`, `stamp` and `count`; empty when it is no cache."""
    if not found.startswith(MAGIC):
        return {}
    try:
        fields = hook_io.loads(found[len(MAGIC) :].decode())
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) and {"label", "stamp", "count"} <= set(fields) else {}


def read(path: str, identity: str, model: str, most: int) -> tuple[list[int], bytes]:
    """Memory numbers, ascending, and the signs of their vectors, one after the other.

    Args:
        identity: of the store; another's signs are not used.
        model: whose signs are wanted.
        most: how many memories there may be; a larger file is left unread.
    """
    try:
        with open(path, "rb") as file:
            head = header(file.read(HEAD))
            label, count = head.get("label", ()), head.get("count", 0)
            if list(label[:2]) != [identity, model] or not 0 < count <= most:
                return [], b""
            width = signs_width(label[2])
            file.seek(NUMBERS_AT)
            numbers = memoryview(file.read(8 * count)).cast("q").tolist()
            signs = file.read(width * count)
    except (OSError, ValueError, TypeError, IndexError):
        return [], b""
    if len(numbers) != count or len(signs) != width * count:
        return [], b""
    return numbers, signs


def stamp(path: str, identity: str, model: str) -> int:
    """The last stamp whose vectors the file at `path` holds; -1 where it is of no use."""
    try:
        with open(path, "rb") as file:
            head = header(file.read(HEAD))
            return int(head["stamp"]) if list(head["label"])[:2] == [identity, model] else -1
    except (OSError, KeyError):
        return -1


def signs(vector: bytes) -> bytes:
    """The signs of a vector (float32), one bit a dimension; the first one leads."""
    values = memoryview(vector).cast("f")
    bits = "".join("1" if value > 0 else "0" for value in values)
    return int(bits, 2).to_bytes(len(values) // 8, "big")
