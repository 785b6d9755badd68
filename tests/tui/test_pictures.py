"""The script that takes the README's pictures: it runs, and gives the same bytes each time."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_picture_is_made_and_is_the_same_each_time(
    tmp_path: Path, clean_env: Callable[..., dict[str, str]]
) -> None:
    drawn = []
    for run in ("one", "two"):
        subprocess.run(
            [
                sys.executable,
                "screenshots/make.py",
                "--svg",
                "--out",
                str(tmp_path / run),
                "rules",
            ],
            check=True,
            cwd=ROOT,
            env=clean_env(),
            capture_output=True,
            timeout=120,
        )
        drawn.append((tmp_path / run / "rules.svg").read_text(encoding="utf-8"))
    assert drawn[0] == drawn[1]
    assert "Rules" in drawn[0]
    assert str(tmp_path) not in drawn[0]


def test_every_picture_that_is_shown_is_made_and_there() -> None:
    made = set(re.findall(r'Picture\(\s*"(\w+)"', (ROOT / "screenshots/make.py").read_text()))
    shown: set[str] = set()
    for page in ("README.md", "docs/app.md"):
        found = re.findall(r"\]\(((?:\.\./)?screenshots/(\w+)\.png)\)", (ROOT / page).read_text())
        assert found
        for link, name in found:
            assert ((ROOT / page).parent / link).exists(), link
            shown.add(name)
    assert shown <= made
