"""Whatever a session contains: no exception, no fragment, no delay, and the carry is JSON."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings, strategies as st

from cortex_core.extract.rules import extract
from cortex_core.extract.sources import BY_NAME, SOURCES
from cortex_core.extract.state import MOST_ASKED, Findings
from cortex_core.extract.wording import LONGEST_TITLE, is_fragment
from cortex_core.records.events import Candidate, Event
from tests.core.rules.session import Session

WORDS = st.sampled_from(
    """always never use prefer don't remember that we decided because the worker `npm ci` git
    commit -m "fix: it" no, not instead of . , ? ! \n - * # summary: 1. errors and fixes: i you
    session must only when from now on let's for now (x) src/a.py over — … <private> </private>
    ``` $( <<EOF EOF ' " \\ | && ; \x00 \u202e 🎉 ünïcode 你好""".split(" ")
)
TEXT = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=40).map(" ".join))
ROLES = ("human", "assistant", "compaction", "synthetic")
TOOLS = st.sampled_from(["shell", "edit", "write", "question", "plan"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=8), each),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["command", "questions", "plan", "content", "file_path", "message", "edits", "title", "body"]
)
PROSE = st.builds(lambda role, text: Event(role=role, text=text), st.sampled_from(ROLES), TEXT)
USE = st.builds(
    lambda tool, given, name: Event(role="tool_use", tool=tool, input=given, tool_id=name),
    TOOLS,
    st.dictionaries(KEYS, JSON, max_size=3),
    st.sampled_from("abc"),
)
RESULT = st.builds(
    lambda text, name, failed: Event(role="tool_result", text=text, tool_id=name, failed=failed),
    TEXT,
    st.sampled_from("abc"),
    st.booleans(),
)
EVENTS = st.lists(st.one_of(PROSE, USE, RESULT), max_size=12)


def check(found: Candidate) -> None:
    """What holds of every candidate."""
    rule = BY_NAME[found.rule]
    assert found.content.strip() == found.content != ""
    assert 0 < len(found.title) <= LONGEST_TITLE and "\n" not in found.title
    assert found.tier in ("kept", "suggested")
    assert 0 < found.confidence <= 1 and 1 <= found.priority <= 9 and rule.priority <= 9
    assert len(found.excerpt) <= 1000 and len(found.content) <= 1400
    if found.rule.startswith("prompt-"):
        assert not is_fragment(found.content)
        assert not re.match(r"(?:and|or|which|who|than)\b", found.content, re.IGNORECASE)
        first = found.content.split()[0]
        is_name = first.isascii() and not found.content.isascii()  # a Latin word in other letters
        assert is_name or not (first.isalpha() and first.islower())


@settings(max_examples=60, deadline=None)
@given(EVENTS, st.booleans())
def test_anything_may_stand_in_a_session(events: list[Event], final: bool) -> None:
    made = extract(events, final=final)
    for found in made.candidates:
        check(found)
    again = extract([], json.loads(json.dumps(made.carry)), final=True)
    assert all(count > 0 for count in again.refused.values())


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(["prompt", "said", "commits", "causes", "told", "x"]), JSON))
def test_a_carry_of_another_shape_starts_afresh(carry: dict[str, object]) -> None:
    kept = {key: value for key, value in carry.items() if not isinstance(value, list | dict)}
    assert extract(Session().human("Always use uv.").events, kept, final=True).candidates


LINE = 6_000
LINES = [
    "a" * LINE,
    " " * LINE + "x",
    "always " * (LINE // 7),
    "a." * (LINE // 2),
    "`" * LINE,
    "i prefer " * (LINE // 9),
    "not x, " * (LINE // 7),
    "-" * LINE,
    "*" * LINE,
    "(" * LINE,
    "aA" * (LINE // 2),
    "a_" * (LINE // 2),
    "a/" * (LINE // 2),
    "no, " * (LINE // 4),
    "git commit " * (LINE // 11),
    "\n- " * (LINE // 3),
    "**a** " * (LINE // 6),
    "[" * LINE,
    "because `x` " * (LINE // 12),
    "1. " * (LINE // 3),
    "\n" * LINE,
    "<a>" * (LINE // 3),
    "we use x " * (LINE // 9),
    "|" * LINE,
    ": " * (LINE // 2),
    "# " * (LINE // 2),
    "é" * LINE,
    "$(" * (LINE // 2),
    "<<A " * (LINE // 4),
    "'" * LINE,
    '"' * LINE,
    "\\" * LINE,
    "don't use " * (LINE // 10),
    "when adding " * (LINE // 12),
    "x must " * (LINE // 7),
]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[:10].strip())
def test_a_line_of_one_kind_gives_nothing_unsound(line: str) -> None:
    check_line(line)


def check_line(line: str) -> None:
    """Look at what is found in a session in which everybody says `line`."""
    session = Session().human(line).human(f"Always {line[:5000]}").says(line)
    session.says(line).runs(f"git commit -m 'fix: {line}'", f"[main 1a2b3c4] {line}")
    session.compacts(f"Summary:\n2. Concepts:\n   - {line}\n4. Errors:\n   - {line}\n")
    session.runs(f"git commit -m {line}\ngh pr create --title x --body {line}", line)
    session.uses("ExitPlanMode", {"plan": f"# Plan\n## Approach\n{line}"}, "User has approved")
    session.uses("save_memory", {"content": line}).uses("process_thoughts", {"thoughts": line})
    session.asks(line[:2000], line, "Header").human("B")
    for found in session.found():
        check(found)


def test_every_rule_has_a_line_of_help_and_no_rule_claims_top_priority() -> None:
    assert len(BY_NAME) == len(SOURCES)
    for rule in SOURCES:
        assert rule.help and "\n" not in rule.help and rule.tier in ("kept", "suggested")
        assert rule.priority < 10 and 0 < rule.confidence < 1 and rule.good <= rule.read


AT_ONCE_ANYWAY = {"prompt-remember", "environment", "command", "dead-end"}
"""What keeps at once without 20 finds that were read: the user's own request, programs that are
missing by 9 good of 11, what worked in three sessions, and what is injected at the same command
alone and falls when it works."""


def test_a_source_keeps_at_once_only_where_it_was_measured_to_be_good() -> None:
    for source in SOURCES:
        is_history = source.name in ("commit", "pull-request", "session-end")
        if source.tier == "kept" and not is_history and source.name not in AT_ONCE_ANYWAY:
            assert source.read >= 20 and source.good >= 0.8 * source.read, source.name


def test_what_the_user_says_is_compared_with_the_last_finds_alone() -> None:
    pending = [
        Candidate(kind="instruction", title="", content=f"Use tool {number}.", rule="order")
        for number in range(MOST_ASKED + 50)
    ]
    found, asked = Findings({}, pending), list[str]()

    def is_over(content: str) -> bool:
        asked.append(content)
        return content in ("Use tool 3.", f"Use tool {MOST_ASKED}.")

    found.withdraw(is_over)
    assert asked == [each.content for each in pending[50:]]
    assert len(found.candidates) == len(pending) - 1
    assert found.refused == {"withdrawn later": 1}
