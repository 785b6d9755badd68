"""JSON that others wrote, which may be anything: the objects in it, empty where there are none."""

import json
from contextlib import suppress
from typing import Any


def mapping(value: object) -> dict[str, Any]:
    """`value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def json_object(words: str | bytes) -> dict[str, Any]:
    """The object that a text is; an empty one where it is none."""
    with suppress(ValueError, RecursionError):
        return mapping(json.loads(words))
    return {}
