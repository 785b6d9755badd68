"""Code in the colours of the app's theme, so that it can be read on every one of them."""

from __future__ import annotations

from collections.abc import Mapping

from rich.style import Style
from rich.syntax import SyntaxTheme

TokenType = tuple[str, ...]
"""What a token is, the widest sort first: `("Name", "Function")`."""


class CodeTheme(SyntaxTheme):
    """Keywords, names, strings, numbers and comments; all else is text."""

    def __init__(self, paint: Mapping[str, Style]) -> None:
        bold, italic = Style(bold=True), Style(italic=True)
        self._text = paint["text"]
        self._styles: dict[TokenType, Style] = {
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

    def get_style_for_token(self, token_type: TokenType) -> Style:
        """The style of a token, or of the nearest one that it is a sort of."""
        sorts = (tuple(token_type[:size]) for size in range(len(token_type), 0, -1))
        return next((self._styles[sort] for sort in sorts if sort in self._styles), self._text)

    def get_background_style(self) -> Style:
        """The ground of the code."""
        return Style(bgcolor=self._text.bgcolor)
