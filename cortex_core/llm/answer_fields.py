"""The fields of an answer of a model, which may be of another form than its schema asks for.

A gateway's model may write a number as text or alone in a list: what can be understood without
guessing is taken.
"""

from collections.abc import Iterator, Mapping
from typing import Any

_IN_WORDS = {"high": 0.9, "medium": 0.7, "low": 0.5}
"""What a model means that gives its confidence as a word."""


def items(answer: Mapping[str, Any], name: str) -> list[Any]:
    """A list of the answer; empty where it is none."""
    listed = answer.get(name)
    return listed if isinstance(listed, list) else []


def numbered(
    answer: Mapping[str, Any], name: str, field: str, count: int
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The entries of the list `name` that are about one of the things that were shown.

    Args:
        field: the field that numbers the thing, from 1 to `count`.

    Returns:
        The numbers with the entries; the others are left out.
    """
    for item in items(answer, name):
        number = whole(item.get(field)) if isinstance(item, Mapping) else None
        if number is not None and 1 <= number <= count:
            yield number, item


def whole(value: object) -> int | None:
    """A whole number, also as text or alone in a list; else None."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def fraction(value: object) -> float | None:
    """A number from 0 to 1, also in percent, as text or as a word; else None."""
    if isinstance(value, str):
        try:
            value = _IN_WORDS.get(value.strip().lower()) or float(value.strip().rstrip("%"))
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        return None
    # Nobody is sure by one or two in a hundred: above 1 it is a percentage.
    return float(value) if value <= 1 else value / 100
