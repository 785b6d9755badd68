"""The themes: our own, calm greys and three hues, dark, light and of high contrast; and the user's.

The hues are those of the families of memories: `$accent` rules, `$secondary` knowledge, `$history`.
The greys have no tint, so that terminals of 256 colours round them to greys again. Three variables
are ours, `$muted`, `$faint` and `$history`; `with_greys` adds them to every other theme.

The user's own are TOML files in the folder `themes` on the global side. A file names colours as
Textual's themes do: `primary` must be there, the others may. A mistake is a sentence, never an end:
the file's theme is left out, or the one line of it.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from textual.color import Color, ColorParseError
from textual.theme import Theme

_HERE = Path(__file__).parent
STYLES = next(path for path in (_HERE / "styles", _HERE.parent / "styles") if path.is_dir())
"""The style sheets: the wheel's copy, else the checkout's."""

DEFAULT = "cortex-dark"

COLOURS = (
    "primary",
    "secondary",
    "accent",
    "foreground",
    "background",
    "surface",
    "panel",
    "boost",
    "warning",
    "error",
    "success",
)
NUMBERS = ("luminosity_spread", "text_alpha")
LARGEST = 100_000
"""Bytes of a file that is looked at."""


def _quiet(muted: str, faint: str, row: str, text: str, track: str, history: str) -> dict[str, str]:
    return {
        "history": history,
        "muted": muted,
        "faint": faint,
        "block-cursor-background": row,
        "block-cursor-foreground": text,
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": row,
        "block-cursor-blurred-foreground": text,
        "scrollbar": faint,
        "scrollbar-hover": muted,
        "scrollbar-background": track,
        "scrollbar-background-hover": track,
        "scrollbar-background-active": track,
    }


THEMES: tuple[Theme, ...] = (
    Theme(
        name=DEFAULT,
        primary="#5fafaf",
        accent="#5fafaf",
        secondary="#87afd7",
        foreground="#d0d0d0",
        background="#121212",
        surface="#1c1c1c",
        panel="#262626",
        warning="#d7af5f",
        error="#d75f5f",
        success="#87af5f",
        variables=_quiet("#949494", "#6c6c6c", "#303030", "#eeeeee", "#121212", "#af87af"),
    ),
    Theme(
        name="cortex-light",
        dark=False,
        primary="#005f87",
        accent="#005f87",
        secondary="#3a5fa0",
        foreground="#262626",
        background="#f8f8f8",
        surface="#eeeeee",
        panel="#e4e4e4",
        warning="#875f00",
        error="#af0000",
        success="#3a6b00",
        variables=_quiet("#5f5f5f", "#808080", "#dadada", "#121212", "#f8f8f8", "#875f87"),
    ),
    Theme(
        name="cortex-contrast",
        primary="#ffff00",
        accent="#ffff00",
        secondary="#87d7ff",
        foreground="#ffffff",
        background="#000000",
        surface="#000000",
        panel="#303030",
        warning="#ffd700",
        error="#ff8787",
        success="#afff5f",
        variables=_quiet("#e4e4e4", "#b2b2b2", "#444444", "#ffffff", "#000000", "#ffafff"),
    ),
)


def with_greys(variables: dict[str, str]) -> dict[str, str]:
    """A theme's variables, the greys of ours, the colour of frames without the keyboard and the hue
    of the history among them."""
    text, ground, frame = (
        variables[name] for name in ("foreground", "background", "panel-lighten-2")
    )
    if text.startswith("ansi"):
        return {"muted": text, "faint": text, "history": text, "frame": frame, **variables}
    full, empty = Color.parse(text), Color.parse(ground)
    muted, faint = (empty.blend(full, share, 1.0).hex for share in (0.65, 0.45))
    # On a bright ground nothing lighter can be seen.
    seen = frame if full.brightness > empty.brightness else faint
    return {"muted": muted, "faint": faint, "history": muted, "frame": seen, **variables}


# --- the user's own


def read_themes(folder: Path, taken: Iterable[str]) -> tuple[list[Theme], list[str]]:
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
            why = error.strerror if isinstance(error, OSError) else str(error)
            said = (why or "it cannot be read").removesuffix(".").replace("\n", " ")
            problems.append(f"{file}: {said}. This theme is left out.")
            continue
        problems += [f"{file}: {mistake} The line is not used." for mistake in mistakes]
        if theme.name in {*taken, *themes}:
            problems.append(f"{file}: there is a theme “{theme.name}” already. It is left out.")
        else:
            themes[theme.name] = theme
    return list(themes.values()), problems


def _values(file: Path) -> dict[str, Any]:
    import tomllib

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
