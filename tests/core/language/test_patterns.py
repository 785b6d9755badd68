"""Every pattern finds the text it is for, and leaves the one that only looks like it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping

import pytest

import cortex_core
from cortex_core.language.patterns import Pattern


def held(value: object, depth: int = 0) -> Iterator[Pattern]:
    """The patterns in a value of a module, also those inside tuples, lists and dictionaries."""
    if isinstance(value, Pattern):
        yield value
    elif depth < 4 and isinstance(value, Mapping):
        for each in value.values():
            yield from held(each, depth + 1)
    elif depth < 4 and isinstance(value, tuple | list):
        for each in value:
            yield from held(each, depth + 1)


def patterns() -> Iterator[tuple[str, Pattern]]:
    """Every pattern of the package once, with the module that defines it."""
    seen: set[int] = set()
    for found in pkgutil.walk_packages(cortex_core.__path__, "cortex_core."):
        if found.name.rpartition(".")[2] == "__main__":
            continue
        for value in vars(importlib.import_module(found.name)).values():
            for pattern in held(value):
                if id(pattern) not in seen:
                    seen.add(id(pattern))
                    yield found.name.removeprefix("cortex_core."), pattern


ROWS = [pytest.param(pattern, id=f"{module}: {pattern.name}") for module, pattern in patterns()]


@pytest.mark.parametrize("pattern", ROWS)
def test_a_pattern_finds_its_text_and_spares_the_other(pattern: Pattern) -> None:
    for text in pattern.finds:
        assert pattern.regex.search(text), f"does not find {text!r}"
    for text in pattern.spares:
        assert not pattern.regex.search(text), f"finds {text!r}"


def test_patterns_in_tables_are_found_and_checked() -> None:
    row = Pattern("greeting", r"\bhello\b", finds="Hello there", spares="Othello")
    assert list(held({"table": [("a", row)]})) == [row]
    test_a_pattern_finds_its_text_and_spares_the_other(row)
    broken = Pattern("greeting", r"hello", finds="Hello there", spares="Othello")
    with pytest.raises(AssertionError, match="finds 'Othello'"):
        test_a_pattern_finds_its_text_and_spares_the_other(broken)
