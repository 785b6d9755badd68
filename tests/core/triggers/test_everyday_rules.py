"""Rules as developers type them: recalled at the calls that break them, and nowhere else.

`everyday_rules.txt` has a rule behind `=`, the calls that break it behind `!`, and those that keep
it behind `-`: a command, on `main` where ` @main` follows it, or `Edit FILE :: OLD :: NEW`,
`Write FILE :: TEXT`, `Read FILE`, and an MCP tool with its arguments.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from cortex_core.base.tools import EDIT, READ, SHELL, WRITE
from cortex_core.triggers import calls, finding, matching

_TOOLS = {"Edit": EDIT, "Write": WRITE, "Read": READ}


def read(line: str) -> tuple[str, dict[str, Any], str]:
    """The tool, its arguments and the branch that a line of the file states."""
    line, _, branch = line.replace("\\n", "\n").partition(" @")
    first, _, rest = line.partition(" ")
    if first.startswith("mcp__"):
        return first, json.loads(rest), ""
    if first not in _TOOLS:
        return SHELL, {"command": line}, branch if branch == "main" else "topic"
    path, *texts = rest.split(" :: ")
    names = ("old_string", "new_string") if first == "Edit" else ("content",)
    return _TOOLS[first], {"file_path": path, **dict(zip(names, texts, strict=False))}, ""


def _always(branch: str, _: str) -> str:
    return branch


def said(folder: Path) -> Iterator[tuple[str, str, str]]:
    """`given` or `silent` for each call, with its mark and the line; files that a rule keeps out of
    commits lie in the project."""
    lines: tuple[str, ...] = ()
    for number, line in enumerate(
        Path(__file__).with_name("everyday_rules.txt").read_text("utf-8").splitlines()
    ):
        if line.startswith("= "):
            top = folder / str(number)
            lines = finding.find("policy", line[2:])
            for name in (each[len("!Commit(") : -1] for each in lines if "!Commit(" in each):
                (top / name.replace("*", "x")).parent.mkdir(parents=True, exist_ok=True)
                (top / name.replace("*", "x")).touch()
            continue
        tool, given, branch = read(line[2:].replace("/proj", str(top)))
        here = str(top)
        called = calls.read(tool, given, here, here, partial(_always, branch))
        yield "given" if any(matching.hits(lines, called)) else "silent", line[0], line


def test_everyday_rules_speak_where_they_are_broken_and_nowhere_else(tmp_path: Path) -> None:
    answers = list(said(tmp_path))
    missed = [line for answer, mark, line in answers if (answer, mark) == ("silent", "!")]
    wrong = [line for answer, mark, line in answers if (answer, mark) == ("given", "-")]
    broken = sum(mark == "!" for _, mark, _ in answers)
    assert len(missed) <= broken * 0.05, missed
    assert len(wrong) <= 3, wrong
