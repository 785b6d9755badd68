"""Make the pictures of the README: `python screenshots/make.py [NAME]... [--svg] [--out DIR]`.

Textual draws each as SVG, always with the same bytes; resvg turns it into PNG, with fonts of
packages: `pip install resvg-py pillow fontpkg-fira-code cvttf-notosanscjk-regular manimgx-fonts`.
With --svg, the SVG is kept, and none of them is needed.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import importlib
import os
import re
import sys
import tempfile
import time
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len

HERE = Path(__file__).parent
FONTS = ("fontpkg_fira_code", "cvttf_NotoSansCJK_Regular", "manimgx_fonts")
"""The packages that bring the fonts."""
SCALE = 1.5
_WORDS = re.compile(
    r'(?P<head><text [^>]*textLength=")(?P<length>[0-9.]+)(?P<tail>"[^>]*>)(?P<words>[^<]*)</text>'
)
_PLACE = re.compile(r' x="([0-9.]+)"')
_PIECES = re.compile("‼|[^‼]+")
COLOURS = 256
"""A picture's colours: no difference to see, half of the bytes."""
NO_LIGATURES = "text { font-variant-ligatures: none }"
"""A terminal shows `==` and `...` letter by letter."""


class Picture(NamedTuple):
    """One picture: how to get there, and in which look."""

    name: str
    keys: tuple[str, ...]
    """Pressed one by one; `type:WORDS` types."""
    size: tuple[int, int] = (120, 34)
    theme: str = "cortex-dark"
    ascii_only: bool = False
    no_colour: bool = False


PICTURES = (
    Picture("today", ("1", "j"), (120, 32)),
    Picture("memories", ("j", "j", "j", "j")),
    Picture("search", ("slash", "type:token refersh", "down"), (100, 24)),
    Picture("detail", ("j", "j", "j", "j", "enter")),
    Picture("map", ("j", "j", "j", "j", "m"), (120, 30)),
    Picture("inbox", ("3", "j"), (120, 32)),
    Picture("surface", ("4",)),
    Picture("rules", ("6",), (120, 26)),
    Picture("settings", ("8", "right", "j"), (100, 26)),
    Picture("session", ("5", "slash", "type:refresh token tabs", "enter", "enter"), (100, 26)),
    Picture("light", ("j", "j"), (100, 26), "cortex-light"),
)

SHEETS = (
    Picture("all_small", (), (80, 24)),
    Picture("all_light", (), (120, 40), "cortex-light"),
    Picture("all_wide", (), (200, 50)),
    Picture("all_colourless", (), (80, 24), no_colour=True),
    Picture("all_ascii", (), (80, 24), ascii_only=True),
)
"""Every screen in one picture, for one size and look each."""
VIEWS = (*"12345678", "m")
"""The keys of the screens of a sheet."""
SHEET_SCALE, SHEET_COLOURS = 0.6, 40
"""The scale of a terminal in a sheet, and a sheet's colours."""
A_ROW = 3
"""Screens next to each other in a sheet."""


def main() -> int:
    """Make what was asked for; the exit code."""
    asked = _arguments()
    target = Path(asked.out)
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cortex-pictures-") as folder:
        _shield(Path(folder))
        for picture in PICTURES:
            if not asked.names or picture.name in asked.names:
                file = target / f"{picture.name}.svg"
                file.write_text(_drawn(picture, Path(folder)), encoding="utf-8")
                print(file if asked.svg else _as_png(file))
        for sheet in SHEETS:
            if sheet.name in asked.names or not (asked.names or asked.svg):
                print(_sheet(sheet, target, Path(folder)))
    return 0


def _sheet(sheet: Picture, target: Path, folder: Path) -> Path:
    """Every screen in the look of `sheet`, next to and below each other."""
    from PIL import Image

    project, home, now = _scene(sheet, folder)
    shown = []
    for number, key in enumerate(VIEWS):
        one = sheet._replace(keys=("2", key) if key == "m" else (key,))
        svg = folder / f"{sheet.name}-{number}.svg"
        svg.write_text(asyncio.run(_photographed(one, project, home, now)), encoding="utf-8")
        with Image.open(_as_png(svg, SHEET_SCALE)) as picture:
            shown.append(picture.convert("RGB"))
    width, height = shown[0].size
    page = Image.new("RGB", (A_ROW * width, -(-len(shown) // A_ROW) * height))
    for number, one_shown in enumerate(shown):
        page.paste(one_shown, (number % A_ROW * width, number // A_ROW * height))
    file = target / f"{sheet.name}.png"
    few = page.quantize(SHEET_COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(file, optimize=True)
    return file


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Make the pictures of the README.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these pictures")
    parser.add_argument("--svg", action="store_true", help="SVG alone, no PNG")
    parser.add_argument("--out", default=str(HERE), help="the folder; default: next to this file")
    asked = parser.parse_args()
    known = {picture.name for picture in (*PICTURES, *SHEETS)}
    if unknown := set(asked.names) - known:
        parser.error(f"there is no picture {', '.join(sorted(unknown))}")
    return asked


def _shield(folder: Path) -> None:
    """Let nothing of this machine into the pictures: neither its home, its zone nor its colours."""
    for name in ("NO_COLOR", "CORTEX_GLYPHS", "CORTEX_PROJECT", "EDITOR", "VISUAL"):
        os.environ.pop(name, None)
    home = folder / "user"
    os.environ.update(
        HOME=str(home),
        CLAUDE_CONFIG_DIR=str(home / ".claude"),
        CORTEX_HOME=str(home / "cortex"),
        TZ="UTC",
        COLORTERM="truecolor",
        TERM="xterm-256color",
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_NOSYSTEM="1",
    )
    time.tzset()
    sys.path.insert(0, str(HERE.parent))


def _drawn(picture: Picture, folder: Path) -> str:
    """One picture as SVG, over a scene of its own."""
    return asyncio.run(_photographed(picture, *_scene(picture, folder)))


def _scene(picture: Picture, folder: Path) -> tuple[Path, Path, float]:
    """A scene in the theme of `picture`: its project, its home and its present."""
    from screenshots import scene

    base = folder / picture.name
    base.mkdir()
    os.environ["HOME"] = str(base)  # so that a path begins with ~
    project, home = scene.lay_out(base)
    if picture.theme != "cortex-dark":
        config = project / ".memory" / "config.toml"
        config.write_text(f'theme = "{picture.theme}"\n', encoding="utf-8")
    return project, home, scene.NOW


async def _photographed(picture: Picture, project: Path, home: Path, now: float) -> str:
    from textual.widgets import Input

    from cortex_tui.application import CortexApp

    os.environ.pop("NO_COLOR", None)
    if picture.no_colour:
        os.environ["NO_COLOR"] = "1"
    app = CortexApp(project, home, clock=lambda: now, ascii_only=picture.ascii_only)
    async with app.run_test(size=picture.size) as pilot:
        await _settle(app)
        for key in picture.keys:
            if key.startswith("type:"):
                app.screen.query_one(Input).value = key.removeprefix("type:")
            else:
                await pilot.press(key)
            await _settle(app)
        for line in app.screen.query(Input):
            line.cursor_blink = False
        await _settle(app)
        return _in_cells(app.export_screenshot(title="cortex"))


def _in_cells(svg: str) -> str:
    """The picture with its words as wide as their cells, letter by letter; Rich counts letters."""

    def measured(match: re.Match[str]) -> str:
        words = html.unescape(match["words"])
        cell = float(match["length"]) / max(1, len(words))
        drawn, at = [], float(_PLACE.findall(match["head"])[0])
        # Whatever font has a sign that the first one lacks also draws what stands with it.
        for piece in _PIECES.findall(words):
            wide = cell * cell_len(piece)
            head = _PLACE.sub(f' x="{at:.6g}"', match["head"])
            said = html.escape(piece).replace("\xa0", "&#160;")
            drawn.append(f"{head}{wide:.6g}{match['tail']}{said}</text>")
            at += wide
        return "".join(drawn)

    return _WORDS.sub(measured, svg).replace("</style>", f"{NO_LIGATURES}</style>", 1)


async def _settle(app: object, rest: float = 0.4) -> None:
    """Wait until no worker runs and what they brought is shown."""
    from cortex_tui.application import CortexApp

    assert isinstance(app, CortexApp)
    calm = 0.0
    while calm < rest:
        await asyncio.sleep(0.05)
        calm = calm + 0.05 if all(one.is_finished for one in app.workers) else 0.0


def _as_png(svg: Path, scale: float = SCALE) -> Path:
    """The SVG as a PNG of few colours; the SVG is removed."""
    resvg = importlib.import_module("resvg_py")  # known to no type checker
    from PIL import Image

    homes = [spec.submodule_search_locations for spec in map(find_spec, FONTS) if spec]
    folders = [Path(folder) for found in homes for folder in found or ()]
    fonts = [str(file) for folder in folders for file in sorted(folder.rglob("*.[ot]tf"))]
    drawn = resvg.svg_to_bytes(
        svg_path=str(svg), zoom=scale, font_files=fonts, monospace_family="Fira Code"
    )
    png = svg.with_suffix(".png")
    with Image.open(BytesIO(bytes(drawn))) as picture:
        few = picture.convert("RGB").quantize(
            COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
        )
    few.save(png, optimize=True)
    svg.unlink()
    return png


if __name__ == "__main__":
    raise SystemExit(main())
