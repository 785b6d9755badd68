"""How what the settings screen lists is said: its columns, and all there is to read about a thing.

Values in, words out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textual.content import Content

from cortex_core.reports import ModelRecord, SettingRecord
from cortex_core.types import Scope
from cortex_tui.actions.settings import KeyChoice, StoreFact, ThemeChoice, Thing
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.item_list import Cell, ListColumn

COLUMNS: Mapping[str, tuple[ListColumn, ...]] = {
    "options": (ListColumn("setting", 28), ListColumn("value"), ListColumn("from", 8)),
    "themes": (ListColumn("", 1), ListColumn("theme"), ListColumn("of", 10)),
    "keys": (ListColumn("", 1), ListColumn("action", 22), ListColumn("keys", 14),
             ListColumn("what it does")),
    "models": (ListColumn("", 1), ListColumn("model"), ListColumn("embedded", 9, right=True),
               ListColumn("to embed", 8, right=True, from_width=60)),
    "stores": (ListColumn("", 1), ListColumn("what", 17), ListColumn("where, or how")),
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


def cells(thing: Thing, glyphs: Glyphs) -> tuple[Cell, ...]:
    """The cells of one thing, one a column of its section."""
    signs = glyphs.signs
    warning = Cell(signs.status["quarantined"], "warning")
    match thing:
        case SettingRecord():
            style = "muted" if thing.origin == "default" else "accent"
            value = typed(thing.value) or "nothing"
            return Cell(glyphs.line(thing.name)), Cell(glyphs.line(value), style), \
                Cell(thing.origin, style)  # fmt: skip
        case ThemeChoice():
            sign = Cell(signs.dot, "accent") if thing.is_chosen else Cell("")
            name = glyphs.line(thing.name)
            return warning if thing.problem else sign, Cell(name), Cell(thing.kind, "muted")
        case KeyChoice():
            keys = glyphs.line(thing.keys) or "none"
            style = "accent" if thing.is_yours else "row" if thing.keys else "warning"
            return (warning if thing.problems else Cell(""), Cell(glyphs.line(thing.id)),
                    Cell(keys, style), Cell(glyphs.line(thing.tooltip), "muted"))  # fmt: skip
        case ModelRecord():
            return (Cell(signs.dot if thing.active else "", "accent"),
                    Cell(glyphs.line(thing.name)),
                    Cell(_number(thing.embedded), "muted"),
                    Cell(_number(thing.pending) if thing.active else "", "muted"))  # fmt: skip
        case StoreFact():
            return (Cell("") if thing.is_well else warning, Cell(thing.name),
                    Cell(glyphs.line(thing.value), "muted"))  # fmt: skip


def about(thing: Thing, glyphs: Glyphs, side: Scope, first: Mapping[str, str]) -> list[Content]:
    """All there is to read about one thing.

    Args:
        side: the file that is written to.
        first: the key of each action that is named here.
    """
    match thing:
        case SettingRecord():
            return _about_setting(thing, glyphs, side, first)
        case ThemeChoice():
            return _about_theme(thing, glyphs, side, first)
        case KeyChoice():
            return _about_key(thing, glyphs, side, first)
        case ModelRecord():
            return _about_model(thing, glyphs, first)
        case StoreFact():
            lines = [_bold(thing.name), Content(glyphs.line(thing.about)), Content("")]
            lines.append(_plain(thing.value, glyphs))
            if thing.name == "trust":
                act = "trust it no more" if thing.is_well else "trust it"
                lines.append(_keys([("settings.trust", act)], first))
            return lines


def _about_setting(
    thing: SettingRecord, glyphs: Glyphs, side: Scope, first: Mapping[str, str]
) -> list[Content]:
    says = {scope: typed(thing.written[scope]) for scope in thing.written}
    lines = [_bold(glyphs.line(thing.name)), Content(glyphs.line(thing.help)), Content("")]
    lines += [
        _label("now", typed(thing.value) or "nothing", glyphs),
        _label("takes", thing.allowed, glyphs),
        _label("by default", typed(thing.default) or "nothing", glyphs),
    ]
    lines += [_label(f"{scope} file", value, glyphs) for scope, value in says.items()]
    if len(says) == 2:
        lines.append(Content.assemble(("The project's file goes before the global one.", "$muted")))
    return [*lines, Content(""), _writes(side), _keys(_CHANGES, first)]


def _about_theme(
    thing: ThemeChoice, glyphs: Glyphs, side: Scope, first: Mapping[str, str]
) -> list[Content]:
    if thing.problem:
        return [_bold("This theme cannot be used"), Content(glyphs.line(thing.problem))]
    words = "The theme in use." if thing.is_chosen else "You see it now; it is not kept yet."
    pairs = [("settings.change", "use it"), ("settings.side", "write to the other file")]
    return [
        _bold(glyphs.line(thing.name)), Content(words), Content(""),
        Content.assemble(("accent ", "$text-accent"), ("warning ", "$text-warning"),
                         ("error ", "$text-error"), ("muted ", "$muted"), ("faint", "$faint")),
        Content(""), _writes(side), _keys(pairs, first),
    ]  # fmt: skip


def _about_key(
    thing: KeyChoice, glyphs: Glyphs, side: Scope, first: Mapping[str, str]
) -> list[Content]:
    lines = [_bold(glyphs.line(thing.id)), Content(glyphs.line(thing.tooltip))]
    lines += [Content.assemble((glyphs.line(one), "$text-warning")) for one in thing.problems]
    lines += [Content(""), _label("counts", thing.place, glyphs),
              _label("keys", thing.keys or "none", glyphs),
              _label("by default", thing.default or "none", glyphs), Content("")]  # fmt: skip
    as_written = f'[keys] "{thing.id}" = "{thing.default.split(" ")[0]}"'
    lines.append(_label("in the file", as_written, glyphs))
    return [*lines, _writes(side), _keys(_CHANGES, first)]


def _about_model(thing: ModelRecord, glyphs: Glyphs, first: Mapping[str, str]) -> list[Content]:
    lines = [_bold(glyphs.line(thing.name)), Content(glyphs.line(thing.note)), Content("")]
    lines += [
        _label("dimensions", str(thing.dimension), glyphs),
        _label("embedded", f"{thing.embedded:,} memories", glyphs),
        _label("to embed", f"{thing.pending:,} memories", glyphs),
    ]
    pairs = [("settings.reembed", "recompute all vectors")]
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


def _plain(words: str, glyphs: Glyphs) -> Content:
    return Content(glyphs.line(words))


def _label(name: str, value: str, glyphs: Glyphs) -> Content:
    return Content.assemble((f"{name:<14}", "$muted"), glyphs.line(value))


def _number(count: int) -> str:
    return f"{count:,}" if count else ""
