"""Which signs a terminal is given."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from cortex_core.base.kinds import BUILT_IN
from cortex_tui.glyphs import ASCII, UNICODE, Glyphs, SignSet, prefers_ascii


@pytest.mark.parametrize(
    ("environment", "encoding", "ascii_only"),
    [
        ({"TERM": "xterm-256color"}, "utf-8", False),
        ({"TERM": "xterm-256color"}, "UTF8", False),
        ({"TERM": "xterm"}, "ascii", True),
        ({"TERM": "xterm"}, "iso-8859-1", True),
        ({"TERM": "linux"}, "utf-8", True),
        ({"TERM": "dumb"}, "utf-8", True),
        ({"TERM": "linux", "CORTEX_GLYPHS": "unicode"}, "ascii", False),
        ({"TERM": "xterm", "CORTEX_GLYPHS": "ASCII"}, "utf-8", True),
    ],
)
def test_the_terminal_decides(environment: dict[str, str], encoding: str, ascii_only: bool) -> None:
    assert prefers_ascii(environment, encoding) is ascii_only


def signs(signs: SignSet) -> list[str]:
    named = [sign for sign in signs if isinstance(sign, str)]
    return [*named, *signs.status.values()]


def test_every_sign_is_one_cell_wide() -> None:
    kinds = [kind.glyph for kind in BUILT_IN] + [kind.ascii_glyph for kind in BUILT_IN]
    for sign in [*signs(UNICODE), *signs(ASCII), *kinds]:
        assert cell_len(sign) == 1, sign


def test_the_ascii_set_is_ascii() -> None:
    assert all(sign.isascii() for sign in signs(ASCII))
    assert all(Glyphs(ascii_only=True).kind(kind).isascii() for kind in BUILT_IN)


def test_a_block_keeps_its_lines() -> None:
    assert Glyphs().block("a\r\nb\x1b[2J\n\tc") == "a\nb\n\tc"
