"""Make the pictures of the README: `python screenshots/make.py [NAME]... [--svg] [--out DIR]`.

Textual draws each as SVG, always with the same bytes; headless Chromium turns it into PNG, with the
fonts Fira Code, Noto CJK and Noto Color Emoji. Without Chromium, or with --svg, the SVG is kept.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len

HERE = Path(__file__).parent
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
SCALE = 1.5
_WORDS = re.compile(
    r'(?P<head><text [^>]*textLength=")(?P<length>[0-9.]+)(?P<tail>"[^>]*>)(?P<words>[^<]*)</text>'
)
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
    Picture("ascii", ("j", "j"), (80, 24), ascii_only=True),
)


def main() -> int:
    """Make what was asked for; the exit code."""
    asked = _arguments()
    target = Path(asked.out)
    target.mkdir(parents=True, exist_ok=True)
    chromium = None if asked.svg else next(filter(None, map(shutil.which, CHROMIUM)), None)
    if chromium is None and not asked.svg:
        print("There is no Chromium here, so the pictures are left as SVG.", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="cortex-pictures-") as folder:
        _shield(Path(folder))
        for picture in PICTURES:
            if not asked.names or picture.name in asked.names:
                file = target / f"{picture.name}.svg"
                file.write_text(_drawn(picture, Path(folder)), encoding="utf-8")
                print(file if chromium is None else _as_png(chromium, file))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Make the pictures of the README.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these pictures")
    parser.add_argument("--svg", action="store_true", help="SVG alone, no PNG")
    parser.add_argument("--out", default=str(HERE), help="the folder; default: next to this file")
    asked = parser.parse_args()
    if unknown := set(asked.names).difference(picture.name for picture in PICTURES):
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
    from screenshots import scene

    base = folder / picture.name
    base.mkdir()
    project, home = scene.lay_out(base)
    if picture.theme != "cortex-dark":
        config = project / ".memory" / "config.toml"
        config.write_text(f'theme = "{picture.theme}"\n', encoding="utf-8")
    return asyncio.run(_photographed(picture, project, home, scene.NOW))


async def _photographed(picture: Picture, project: Path, home: Path, now: float) -> str:
    from textual.widgets import Input

    from cortex_tui.application import CortexApp

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
        wide = float(match["length"]) * cell_len(words) / max(1, len(words))
        return f"{match['head']}{wide:.6g}{match['tail']}{match['words']}</text>"

    return _WORDS.sub(measured, svg).replace("</style>", f"{NO_LIGATURES}</style>", 1)


async def _settle(app: object, rest: float = 0.4) -> None:
    """Wait until no worker runs and what they brought is shown."""
    from cortex_tui.application import CortexApp

    assert isinstance(app, CortexApp)
    calm = 0.0
    while calm < rest:
        await asyncio.sleep(0.05)
        calm = calm + 0.05 if all(one.is_finished for one in app.workers) else 0.0


def _as_png(chromium: str, svg: Path) -> Path:
    """The SVG as a PNG of few colours; the SVG is removed."""
    from PIL import Image

    png = svg.with_suffix(".png")
    width, height = _viewbox(svg.read_text(encoding="utf-8"))
    subprocess.run(
        [
            chromium,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--force-device-scale-factor={SCALE}",
            "--default-background-color=00000000",
            f"--window-size={width},{height}",
            f"--screenshot={png}",
            svg.resolve().as_uri(),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    with Image.open(png) as picture:
        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(png, optimize=True)
    svg.unlink()
    return png


def _viewbox(svg: str) -> tuple[int, int]:
    """The size of a picture, rounded up."""
    parts: Iterable[str] = svg.partition('viewBox="')[2].partition('"')[0].split()
    _, _, width, height = (int(float(part)) + 1 for part in parts)
    return width, height


if __name__ == "__main__":
    raise SystemExit(main())
