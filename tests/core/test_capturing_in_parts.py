"""A transcript read in parts, as it grows, gives the same memories as in one go."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings, strategies as st

from cortex_core import Cortex
from cortex_core.records.memory import Status
from tests.transcript_samples import Sample

SUMMARY = """This session is being continued from a previous conversation.

Summary:
2. Key Technical Concepts:
   - Workers must never read `document.cookie` directly, they ask the router instead
   - The export service listens on port 8091 and is restarted by systemd

4. Errors and fixes:
   - `npm ci` exits early: it failed because the cache was full; fixed by pruning the cache
"""
ASKED = {
    "questions": [
        {
            "question": "Which cache should the prices use?",
            "header": "Price cache",
            "options": [
                {"label": "Redis", "description": "one more service"},
                {"label": "Memory", "description": "lost at a restart"},
            ],
        }
    ]
}
ANSWER = 'User has answered your questions: "Which cache should the prices use?"="Redis".'
COMMITTED = "[main 4f2c9a1] fix(auth): renew the session in the worker\n 2 files changed"
MESSAGE = (
    "fix(auth): renew the session in the worker\n\nUploads outlive the page because the router "
    "renews the session only while a page is open, so the worker renews it once a minute."
)


def session() -> Sample:
    """A session in which something is said in every way that capture reads."""
    made = Sample("parts", cwd="/home/dev/shop")
    made.human("Remember: always use pnpm, never npm. Uploads log people out, look into it.")
    made.tool("Edit", {"file_path": "/home/dev/shop/src/worker.ts", "old_string": "a"}, "updated")
    made.assistant("The router renews `session_token` only because a page is open.")
    made.tool("Bash", {"command": "npm test"}, "sh: npm: command not found", failed=True)
    made.tool("Bash", {"command": "pnpm test"}, "12 passed")
    made.tool("AskUserQuestion", ASKED, ANSWER)
    made.tool("Bash", {"command": f"git commit -am '{MESSAGE}'"}, COMMITTED)
    made.compaction(SUMMARY)
    made.human("No, the importer is not in Go: it is written in Rust.")
    made.assistant("You're right, the importer is written in Rust.")
    made.human("Remember that releases go out through `make ship`, which tags first.")
    return made.assistant("Noted. Next I would move the importer's tests.")


LINES = session().lines()
WHOLE = b"".join(LINES)
STATUSES: tuple[Status, ...] = ("active", "suggested", "quarantined")


def learned(cuts: list[int]) -> list[tuple[object, ...]]:
    """What is learned of the transcript when it is captured at each of `cuts`, in bytes."""
    with tempfile.TemporaryDirectory(prefix="cortex-parts-") as folder:
        root, path = Path(folder, "shop"), Path(folder, "parts.jsonl")
        (root / ".memory").mkdir(parents=True)
        with Cortex.open(root, Path(folder, "home")) as cortex:
            for cut in cuts:
                path.write_bytes(WHOLE[:cut])
                cortex.sessions.capture(path, event="Stop", final=False)
            path.write_bytes(WHOLE)
            cortex.sessions.capture(path, event="SessionEnd", final=True)
            found = [one for status in STATUSES for one in cortex.list(statuses=(status,))]
            return sorted(
                (
                    one.content,
                    one.title,
                    one.kind,
                    one.status,
                    one.source.rule,
                    one.tags,
                    one.context.files,
                    one.source.offset,
                )
                for one in found
            )


IN_ONE_GO = learned([])


def test_it_is_a_session_of_many_sources() -> None:
    assert len({rule for _, _, _, _, rule, *_ in IN_ONE_GO}) >= 4


def test_line_by_line_is_the_same() -> None:
    ends = [sum(map(len, LINES[: number + 1])) for number in range(len(LINES) - 1)]
    assert learned(ends) == IN_ONE_GO


@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(1, len(WHOLE) - 1), max_size=6).map(sorted))
def test_any_bytes_are_the_same(cuts: list[int]) -> None:
    assert learned(cuts) == IN_ONE_GO
