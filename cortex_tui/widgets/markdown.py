"""A memory's text as Markdown in lines, and code in colours. Safe whatever the text holds.

Links are shown with where they lead and lead nowhere; images are named and never fetched; HTML is
shown as it is written. Nothing here knows a widget, so that long texts are laid out in a thread.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from cortex_tui.glyphs import Glyphs

if TYPE_CHECKING:
    from markdown_it.token import Token
    from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderResult
    from rich.syntax import SyntaxTheme

LONGEST = 60_000
"""Characters that are laid out."""
LONGEST_CODE = 20_000
MOST_MARKS = 3_000
"""Marks of Markdown in a text from which on it is shown as it is written: laying out a hostile one
takes for ever."""

_MARKS = "[]`*_<>|!&\\"
_BOXES = str.maketrans(
    {
        "─": "-",
        "━": "-",
        "│": "|",
        "┃": "|",
        "▌": "|",
        "•": "*",
        "╸": "-",
        "╺": "-",
        "┄": "-",
        "╌": "-",
        "═": "=",
        "…": "~",
    }
)

Paint = Mapping[str, Style]
"""The styles of `STYLES`."""
STYLES: Mapping[str, str] = {
    "markdown.h1": "title",
    "markdown.h2": "title",
    "markdown.h3": "title",
    "markdown.h4": "title",
    "markdown.h5": "title",
    "markdown.h6": "title",
    "markdown.h7": "title",
    "markdown.code": "accent",
    "markdown.block_quote": "muted",
    "markdown.hr": "faint",
    "markdown.item.bullet": "accent",
    "markdown.item.number": "accent",
    "markdown.link": "accent",
    "markdown.link_url": "muted",
    "markdown.table.border": "faint",
    "markdown.table.header": "title",
    "markdown.paragraph": "text",
    "markdown.text": "text",
    "markdown.item": "text",
    "markdown.list": "text",
    "markdown.s": "faint",
}
"""What rich calls a part of Markdown, and the part that it is drawn as."""


def markdown(content: str, width: int, paint: Paint, glyphs: Glyphs) -> list[Strip]:
    """`content` laid out in `width` cells, and how much of it is not shown."""
    shown = glyphs.block(content[:LONGEST])
    rest = len(content) - LONGEST
    if sum(shown.count(mark) for mark in _MARKS) > MOST_MARKS:
        strips = plain(shown, width, paint["text"])
    else:
        strips = _render(_document(shown, paint), width, paint, glyphs)
    if rest > 0:
        notice = f"{glyphs.signs.ellipsis} {rest:,} more characters; copying takes all of them"
        strips += plain(notice, width, paint["muted"])
    return strips


def plain(content: str, width: int, style: Style) -> list[Strip]:
    """`content`, cleaned by the caller, as it is written, wrapped."""
    from textual.content import Content

    return [
        Strip([Segment(piece.plain, style)])
        for piece in Content(content.expandtabs(4)).wrap(max(1, width))
    ]


def code(
    content: str, path: str, first: int, width: int, paint: Paint, glyphs: Glyphs
) -> list[Strip]:
    """Stored code with its line numbers from `first` on, coloured by what `path` is called."""
    from rich.syntax import Syntax

    shown = glyphs.block(content[:LONGEST_CODE]).rstrip("\n")
    drawn = Syntax(
        shown,
        Syntax.guess_lexer(path, shown) if path else "text",
        theme=_code_theme(paint),
        line_numbers=True,
        start_line=first,
        word_wrap=True,
    )
    strips = _render(drawn, width, paint, glyphs)
    if (rest := len(content) - LONGEST_CODE) > 0:
        notice = f"{glyphs.signs.ellipsis} {rest:,} more characters; copying takes all of them"
        strips += plain(notice, width, paint["muted"])
    return strips


def _document(content: str, paint: Paint) -> ConsoleRenderable:
    from markdown_it import MarkdownIt
    from rich.markdown import CodeBlock, Heading, Markdown
    from rich.syntax import Syntax

    # These classes are made here because rich.markdown is imported with the first text: it takes 60
    # to 100 ms on the development machine, which the first paint does not have.
    class Plain(Heading):
        """A heading at the left, without a frame."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            self.text.justify = "left"
            yield self.text

    class Fence(CodeBlock):
        """Code in the colours of the theme."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            words = str(self.text).rstrip()
            yield Syntax(
                words, self.lexer_name, theme=_code_theme(paint), word_wrap=True, padding=1
            )

    class Document(Markdown):
        """Markdown drawn with these."""

        elements = Markdown.elements | {
            "heading_open": Plain,
            "fence": Fence,
            "code_block": Fence,
        }

    document = Document("", hyperlinks=False)
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    document.parsed = [_inert(token) for token in parser.parse(content)]
    return document


def _inert(token: Token) -> Token:
    """A token without images, its line ends kept."""
    token.children = token.children and [_inert(child) for child in token.children]
    if token.type == "softbreak":
        token.type = "hardbreak"
    elif token.type == "image":
        source = str(token.attrs.get("src", ""))
        token.type, token.tag, token.children = "text", "", None
        token.content = f"[image: {token.content or 'no name'}] ({source})"
    return token


def _render(drawn: ConsoleRenderable, width: int, paint: Paint, glyphs: Glyphs) -> list[Strip]:
    from rich.console import Console
    from rich.theme import Theme

    # Not the console of the terminal: what it renders are styles, which Textual draws later.
    console = Console(
        file=io.StringIO(),
        width=max(1, width),
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
        emoji=False,
        markup=False,
        theme=Theme({name: paint[part] for name, part in STYLES.items()}),
    )
    base = paint["text"]
    lines = console.render_lines(drawn, console.options.update(width=max(1, width)), pad=False)
    return [
        Strip(
            [
                Segment(_shown(words, glyphs), base + style if style else base)
                for words, style, control in row
                if not control
            ]
        )
        for row in _once_blank(lines)
    ]


def _once_blank(rows: Iterable[list[Segment]]) -> Iterator[list[Segment]]:
    """The lines, one blank one between blocks and none around them all."""
    follows_blank = True
    gap: list[Segment] | None = None
    for row in rows:
        is_blank = not "".join(segment.text for segment in row).strip()
        if is_blank and not follows_blank:
            gap = row
        elif not is_blank:
            if gap is not None:
                yield gap
            gap = None
            yield row
        follows_blank = is_blank


def _shown(words: str, glyphs: Glyphs) -> str:
    if glyphs.ascii_only and not words.isascii():
        return words.translate(_BOXES).encode("ascii", "replace").decode("ascii")
    return words


def _code_theme(paint: Paint) -> SyntaxTheme:
    """Code in the colours of the app's theme, so that it can be read on every one of them."""
    from rich.syntax import SyntaxTheme

    # Made here for the same reason as the classes of `_document`.
    class CodeTheme(SyntaxTheme):
        """Keywords, names, strings, numbers and comments; all else is text."""

        def __init__(self) -> None:
            bold, italic = Style(bold=True), Style(italic=True)
            self._text = paint["text"]
            self._styles: dict[tuple[str, ...], Style] = {
                ("Comment",): paint["muted"] + italic,
                ("Keyword",): paint["accent"] + bold,
                ("Operator", "Word"): paint["accent"] + bold,
                ("Name", "Decorator"): paint["accent"],
                ("Name", "Function"): paint["text"] + bold,
                ("Name", "Class"): paint["text"] + bold,
                ("Name", "Tag"): paint["accent"],
                ("Literal", "String"): paint["good"],
                ("Literal", "Number"): paint["warning"],
            }

        def get_style_for_token(self, token_type: tuple[str, ...]) -> Style:
            """The style of a token, or of the nearest one that it is a sort of."""
            sorts = (tuple(token_type[:size]) for size in range(len(token_type), 0, -1))
            return next((self._styles[sort] for sort in sorts if sort in self._styles), self._text)

        def get_background_style(self) -> Style:
            """The ground of the code."""
            return Style(bgcolor=self._text.bgcolor)

    return CodeTheme()
