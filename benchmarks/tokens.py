"""How near the product's estimate of tokens comes to the counts that the API reported.

    CORTEX_DATA=DIR python -m benchmarks.tokens [--record]

The counts are the `output_tokens` of replies that are text alone, in the development transcripts.
Left out are Claude Code's own test double; replies under 100 characters, where the fixed few tokens
of a reply weigh; and counts that cannot be of the text: the stream's first record, which tells a
handful, and replies whose thinking was counted but not kept. For both the text has outside of
`PLAUSIBLE` characters a token, which no text of ours comes near. The estimator's constants were
chosen on 16 replies of models up to Claude 4.6; later ones count the same text as more tokens.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.report import Figure
from cortex_core.agents.claude import sessions
from cortex_core.base import text

PLAUSIBLE = (2.0, 6.5)
SHORTEST = 100
_STUB = "client-"
_EARLIER = re.compile(r"claude-(?:[123]\b|\w+-(?:3|4(?:-[0-6])?)(?:-\d{8})?$)")
"""Models whose tokens are as large as those that the constants were chosen on."""


class Reply(NamedTuple):
    """A reply of text alone, and what the API counted."""

    project: str
    text: str
    tokens: int
    model: str


def replies(data: Path) -> list[Reply]:
    """Every reply that can be used, each once, in a fixed order."""
    found: dict[str, Reply] = {}
    for path in (one.path for one in sessions.at(data)):
        project = path.relative_to(data).parts[0]
        if project.startswith(_STUB):
            continue
        for reply in _of_file(path, project):
            found.setdefault(reply.text, reply)
    return [found[key] for key in sorted(found)]


def _of_file(path: Path, project: str) -> Iterator[Reply]:
    messages: dict[str, list[dict[str, Any]]] = {}
    for line in path.read_text("utf-8", errors="replace").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        message = record.get("message") if isinstance(record, dict) else None
        if isinstance(message, dict) and record.get("type") == "assistant":
            messages.setdefault(str(message.get("id")), []).append(message)
    for parts in messages.values():
        blocks = [block for part in parts for block in _blocks(part)]
        if blocks and all(block.get("type") == "text" for block in blocks):
            said = "\n".join(str(block["text"]) for block in blocks)
            counted = max(int((part.get("usage") or {}).get("output_tokens", 0)) for part in parts)
            if _is_plausible(said, counted):
                yield Reply(project, said, counted, str(parts[0].get("model", "")))


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []


def _is_plausible(said: str, counted: int) -> bool:
    low, high = PLAUSIBLE
    return len(said) >= SHORTEST and counted > 0 and low <= len(said) / counted <= high


def errors(found: Sequence[Reply]) -> list[float]:
    """The relative error of each estimate: above 0 where it is too high."""
    return [text.tokens(reply.text) / reply.tokens - 1 for reply in found]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where the bound is missed."""
    parser = report.options(__doc__, "tokens")
    chosen = parser.parse_args(arguments)
    found = replies(report.data_folder(chosen, "transcripts"))
    groups = {
        "up to Claude 4.6": [one for one in found if _EARLIER.match(one.model)],
        "later models": [one for one in found if not _EARLIER.match(one.model)],
    }
    told = []
    for name, group in groups.items():
        off = errors(group)
        whole = sum(text.tokens(one.text) for one in group) / sum(one.tokens for one in group) - 1
        told += [
            Figure(f"token estimate, {name}: mean error", 100 * mean(map(abs, off)), "%", 20, 10),
            Figure(f"token estimate, {name}: median signed error", 100 * median(off), "%"),
            Figure(f"token estimate, {name}: error of the sum", 100 * abs(whole), "%", 20, 10),
            Figure(f"replies compared, {name}", len(group)),
        ]
    details = [
        {
            "model": one.model,
            "characters": len(one.text),
            "counted": one.tokens,
            "estimated": text.tokens(one.text),
        }
        for one in found
    ]
    return report.finish("tokens", chosen, told, {"replies": details})


if __name__ == "__main__":
    sys.exit(main())
