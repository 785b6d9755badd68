"""The user's own themes: TOML files in the folder `themes` on the global side.

A file names colours as Textual's themes do: `primary` must be there, the others may. A mistake is a
sentence, never an end: the file's theme is left out, or the one line of it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from textual.color import Color, ColorParseError
from textual.theme import Theme

FOLDER = "themes"
COLOURS = (
    "primary", "secondary", "accent", "foreground", "background", "surface", "panel", "boost",
    "warning", "error", "success",
)  # fmt: skip
NUMBERS = ("luminosity_spread", "text_alpha")
LARGEST = 100_000
"""Bytes of a file that is looked at."""


def read(folder: Path, taken: Iterable[str]) -> tuple[list[Theme], list[str]]:
    """The themes of the files in `folder`, and what is wrong with some, a sentence each.

    Args:
        taken: names that no file may use.
    """
    themes: dict[str, Theme] = {}
    problems: list[str] = []
    for file in sorted(folder.glob("*.toml")):
        try:
            theme, mistakes = _theme(file.stem, _values(file))
        except (OSError, ValueError) as error:
            problems.append(f"{file}: {_told(error)} This theme is left out.")
            continue
        problems += [f"{file}: {mistake} The line is not used." for mistake in mistakes]
        if theme.name in {*taken, *themes}:
            problems.append(f"{file}: there is a theme “{theme.name}” already. It is left out.")
        else:
            themes[theme.name] = theme
    return list(themes.values()), problems


def _values(file: Path) -> dict[str, Any]:
    if file.stat().st_size > LARGEST:
        raise ValueError("it is too large for a theme.")
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"it is not valid TOML: {error}.") from error


def _theme(stem: str, values: Mapping[str, Any]) -> tuple[Theme, list[str]]:
    """The theme that a file's `values` make, and what of them could not be used.

    Raises:
        ValueError: there is no primary colour, or none that is one.
    """
    mistakes: list[str] = []
    used: dict[str, Any] = {"name": stem}
    for name, value in values.items():
        if name == "variables" and isinstance(value, dict):
            used[name] = {str(key): str(colour) for key, colour in value.items()}
        elif problem := _problem(name, value):
            mistakes.append(problem)
        else:
            used[name] = value
    if "primary" not in used:
        raise ValueError("\n".join([*mistakes, "it needs a colour called primary."]))
    theme = Theme(**used)
    try:
        theme.to_color_system().generate()
    except Exception as error:
        raise ValueError(f"its colours do not work together: {error}.") from error
    return theme, mistakes


def _problem(name: str, value: object) -> str:
    """What is wrong with one line; "" when nothing is."""
    if name in COLOURS:
        try:
            Color.parse(str(value))
        except ColorParseError:
            return f"{name} is {value!r}, which is no colour."
        return ""
    if name in NUMBERS:
        fine = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
        return "" if fine else f"{name} is {value!r}, but takes a number from 0 to 1."
    if name == "dark":
        return "" if isinstance(value, bool) else f"dark is {value!r}, but takes true or false."
    if name == "name":
        fine = isinstance(value, str) and bool(value.strip()) and value.isprintable()
        return "" if fine else "its name is no text."
    return f"there is nothing called {name} in a theme."


def _told(error: Exception) -> str:
    """An error as sentences."""
    told = error.strerror or "it cannot be read" if isinstance(error, OSError) else str(error)
    return " ".join(told.split("\n")) if told.endswith(".") else f"{told}."
