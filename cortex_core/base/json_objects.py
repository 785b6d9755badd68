"""JSON that others wrote, which may be anything: the objects in it, empty where there are none.

Hooks load this module: it imports nothing at its top.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def mapping(value: object) -> dict[str, Any]:
    """`value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def json_object(words: str | bytes) -> dict[str, Any]:
    """The object that a text is; an empty one where it is none."""
    import json  # hooks need `mapping` alone

    try:
        return mapping(json.loads(words))
    except (ValueError, RecursionError):
        return {}
