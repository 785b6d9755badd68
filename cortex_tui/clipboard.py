"""Copying: by the terminal itself (OSC 52) and by the machine's clipboard, whichever works."""

from __future__ import annotations

from textual.app import App

LIMIT = 74_000
"""Characters; many terminals refuse an OSC 52 of more than 100,000 bytes of base64."""


def by_terminal(app: App[None], text: str) -> str:
    """Hand `text` to the terminal; "" when done, else a sentence that says why not."""
    if len(text.encode("utf-8", "replace")) > LIMIT:
        return "It is too long for the terminal's clipboard."
    app.copy_to_clipboard(text)
    return ""


def by_machine(text: str) -> bool:
    """Hand `text` to the machine's clipboard; False where there is none. Starts a program: slow."""
    import pyperclip

    try:
        pyperclip.copy(text)
    except (pyperclip.PyperclipException, OSError, UnicodeError):
        return False
    return True
