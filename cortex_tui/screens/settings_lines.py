"""How what the settings screen lists is said: its columns, and all there is to read about a thing.

Values in, words out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textual.content import Content

from cortex_core.memory import Scope
from cortex_core.reports.care import ModelRecord, SettingRecord
from cortex_tui.asks.settings import KeyChoice, StoreFact, ThemeChoice, Thing
from cortex_tui.glyphs import Look
from cortex_tui.widgets.item_list import Cell, Column

COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "options": (Column("setting", 28), Column("value"), Column("from", 8)),
    "themes": (Column("", 1), Column("theme"), Column("of", 10)),
    "keys": (Column("", 1), Column("action", 22), Column("keys", 14), Column("what it does")),
    "models": (Column("", 1), Column("model"), Column("embedded", 9, right=True),
               Column("to embed", 8, right=True, from_width=60)),
    "stores": (Column("", 1), Column("what", 17), Column("where, or how")),
}  # fmt: skip
"""The columns of each section."""

EMPTY: Sequence[str] = ("There is nothing here.",)


def typed(value: Any) -> str:
    """A setting's value as it would be typed."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(value) if isinstance(value, tuple | list) else str(value)


def cells(thing: Thing, look: Look) -> tuple[Cell, ...]:
    """The cells of one thing, one a column of its section."""
    glyphs = look.glyphs
    warning = Cell(glyphs.status["quarantined"], "warning")
    match thing:
        case SettingRecord():
            style = "muted" if thing.origin == "default" else "accent"
            value = typed(thing.value) or "nothing"
            return Cell(look.line(thing.name)), Cell(look.line(value), style), \
                Cell(thing.origin, style)  # fmt: skip
        case ThemeChoice():
            sign = Cell(glyphs.dot, "accent") if thing.is_chosen else Cell("")
            name = look.line(thing.name)
            return warning if thing.problem else sign, Cell(name), Cell(thing.kind, "muted")
        case KeyChoice():
            keys = look.line(thing.keys) or "none"
            style = "accent" if thing.is_yours else "row" if thing.keys else "warning"
            return (warning if thing.problems else Cell(""), Cell(look.line(thing.id)),
                    Cell(keys, style), Cell(look.line(thing.tooltip), "muted"))  # fmt: skip
        case ModelRecord():
            return (Cell(glyphs.dot if thing.active else "", "accent"), Cell(look.line(thing.name)),
                    Cell(_number(thing.embedded), "muted"),
                    Cell(_number(thing.pending) if thing.active else "", "muted"))  # fmt: skip
        case StoreFact():
            return (Cell("") if thing.is_well else warning, Cell(thing.name),
                    Cell(look.line(thing.value), "muted"))  # fmt: skip


def about(thing: Thing, look: Look, side: Scope, first: Mapping[str, str]) -> list[Content]:
    """All there is to read about one thing.

    Args:
        side: the file that is written to.
        first: the key of each action that is named here.
    """
    match thing:
        case SettingRecord():
            return _about_setting(thing, look, side, first)
        case ThemeChoice():
            return _about_theme(thing, look, side, first)
        case KeyChoice():
            return _about_key(thing, look, side, first)
        case ModelRecord():
            return _about_model(thing, look, first)
        case StoreFact():
            lines = [_bold(thing.name), Content(look.line(thing.about)), Content("")]
            lines.append(_plain(thing.value, look))
            if thing.name == "trust":
                act = "trust it no more" if thing.is_well else "trust it"
                lines.append(_keys([("settings.trust", act)], first))
            return lines


def _about_setting(
    thing: SettingRecord, look: Look, side: Scope, first: Mapping[str, str]
) -> list[Content]:
    says = {scope: typed(thing.written[scope]) for scope in thing.written}
    lines = [_bold(look.line(thing.name)), Content(look.line(thing.help)), Content("")]
    lines += [
        _label("now", typed(thing.value) or "nothing", look),
        _label("takes", thing.allowed, look),
        _label("by default", typed(thing.default) or "nothing", look),
    ]
    lines += [_label(f"{scope} file", value, look) for scope, value in says.items()]
    if len(says) == 2:
        lines.append(Content.assemble(("The project's file goes before the global one.", "$muted")))
    return [*lines, Content(""), _writes(side), _keys(_CHANGES, first)]


def _about_theme(
    thing: ThemeChoice, look: Look, side: Scope, first: Mapping[str, str]
) -> list[Content]:
    if thing.problem:
        return [_bold("This theme cannot be used"), Content(look.line(thing.problem))]
    words = "The theme in use." if thing.is_chosen else "You see it now; it is not kept yet."
    pairs = [("settings.change", "use it"), ("settings.side", "write to the other file")]
    return [
        _bold(look.line(thing.name)), Content(words), Content(""),
        Content.assemble(("accent ", "$text-accent"), ("warning ", "$text-warning"),
                         ("error ", "$text-error"), ("muted ", "$muted"), ("faint", "$faint")),
        Content(""), _writes(side), _keys(pairs, first),
    ]  # fmt: skip


def _about_key(
    thing: KeyChoice, look: Look, side: Scope, first: Mapping[str, str]
) -> list[Content]:
    lines = [_bold(look.line(thing.id)), Content(look.line(thing.tooltip))]
    lines += [Content.assemble((look.line(one), "$text-warning")) for one in thing.problems]
    lines += [Content(""), _label("counts", thing.place, look),
              _label("keys", thing.keys or "none", look),
              _label("by default", thing.default or "none", look), Content("")]  # fmt: skip
    as_written = f'[keys] "{thing.id}" = "{thing.default.split(" ")[0]}"'
    lines.append(_label("in the file", as_written, look))
    return [*lines, _writes(side), _keys(_CHANGES, first)]


def _about_model(thing: ModelRecord, look: Look, first: Mapping[str, str]) -> list[Content]:
    lines = [_bold(look.line(thing.name)), Content(look.line(thing.note)), Content("")]
    lines += [
        _label("dimensions", str(thing.dimension), look),
        _label("embedded", f"{thing.embedded:,} memories", look),
        _label("to embed", f"{thing.pending:,} memories", look),
    ]
    pairs = [("settings.reembed", "make every vector anew")]
    if not thing.active:
        pairs = [("settings.change", "use it; one that is not here is fetched first")]
    return [*lines, Content(""), _keys(pairs, first)]


_CHANGES = [
    ("settings.change", "change"), ("settings.reset", "reset"),
    ("settings.side", "write to the other file"),
]  # fmt: skip


def _keys(pairs: Sequence[tuple[str, str]], first: Mapping[str, str]) -> Content:
    pieces = [
        Content.assemble((f"{first.get(key) or '-'} ", "$text-accent"), (words, "$muted"))
        for key, words in pairs
    ]
    return Content("   ").join(pieces)


def _writes(side: Scope) -> Content:
    return Content.assemble(("changes are written to the ", "$muted"), (f"{side} file", ""))


def _bold(words: str) -> Content:
    return Content.assemble((words, "bold"))


def _plain(words: str, look: Look) -> Content:
    return Content(look.line(words))


def _label(name: str, value: str, look: Look) -> Content:
    return Content.assemble((f"{name:<14}", "$muted"), look.line(value))


def _number(count: int) -> str:
    return f"{count:,}" if count else ""
