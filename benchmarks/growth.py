"""Whether anything that reads a text takes longer than in proportion to its length.

Every hook, and every function that reads what a user, an agent or a file says, gets forty kinds of
text in growing lengths. Whoever pastes a page of digits must not wait longer than for a page of
English, four times over where there are four pages.
"""

from __future__ import annotations

import base64
import json
import random
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from benchmarks.campaign import Done, Place, Row, Scale
from cortex_core import Cortex
from cortex_core.base import excerpts, fuzzy, globs, markup, scripts, text
from cortex_core.capture import notes
from cortex_core.duplicates import features, last_word, similarity
from cortex_core.extract import messages, own_words, rules, wording
from cortex_core.language import detect, markdown_parts, sentences, shell, statements, verbs
from cortex_core.llm import digest
from cortex_core.records.conversation import Message
from cortex_core.records.events import Event, Role
from cortex_core.redaction import orders, quarantine, secrets, stored_names
from cortex_core.search import keyword
from cortex_core.triggers import calls, finding, shell_runs
from cortex_core.triggers.matching import hits
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.conversation_view import WrappedMessages

SHORT, LONG = 50_000, 200_000
"""Characters of the two texts that are compared."""

MOST = 1.3
"""How many times as fast as the text the time may grow."""

LEAST = 0.005
"""Seconds too many for the long text that are not counted: clock and memory waver as much."""

SURE = 0.4
"""Seconds of processor time over which a time is taken that looked too long at a first look: some
machines count them by hundredths, and other processes disturb it."""

RUNS = 3
"""How often a hook runs whose time looked too long at a first look; the shortest counts."""

LIMIT = 20.0
"""Seconds after which one run is given up."""

PROMPT = 100_000
"""Characters at which the hook at a prompt must keep to its budget."""

BUDGET = 2.5
"""Seconds of processor time of that hook: half of what Claude Code lets it take."""

STALL = 1.5
"""How many times what it takes for English the hook may take for 20,000 hexadecimal digits."""

_SENTENCES = (
    "The parser reads each line and keeps what it needs, because the tests say so. Use pnpm for "
    "the packages of this project, and never run the migration before the backup is done. "
)


OPENING = "Always use pnpm, because the tests need it: "


def _random(letters: str) -> str:
    r = random.Random(7)
    return "".join(r.choice(letters) for _ in range(LONG))


def _kinds() -> dict[str, str]:
    """What each kind of text is made of: it is repeated up to the length that is asked for."""
    r = random.Random(11)
    minified = "function(e,t){return e&&t?e.a(t):[1,2,3].map(n=>n*2)};var o={a:1,b:'c'};"
    return {
        "English": _SENTENCES,
        "lines of English": _SENTENCES + "\n",
        "hexadecimal": _random("0123456789abcdef"),
        "digits": _random("0123456789"),
        "letters": _random("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "base64": base64.b64encode(r.randbytes(150_000)).decode(),
        "one letter": "a",
        "one capital": "A",
        "one digit": "7",
        "Chinese": "管理数据库的连接方式是什么",
        "Japanese": "テストを実行する前にデータベースを準備してください",
        "Korean": "데이터베이스를 준비하고 ",
        "Thai": "ใช้ฐานข้อมูลก่อนทดสอบ",
        "Russian": "перед тестами нужно подготовить базу ",
        "hyphens": "ab-",
        "underscores": "ab_",
        "dots": "a.",
        "only dots": ".",
        "commas": "a,",
        "camel": "aB",
        "opening brackets": "[",
        "nested brackets": "([{",
        "closed brackets": "[a](b) ",
        "double quotes": '"',
        "single quotes": "a' ",
        "backticks": "`",
        "code spans": "`a` b ",
        "fences": "```\na\n",
        "addresses": "https://example.test/a?b=c ",
        "schemes": "://",
        "at signs": "@",
        "mail": "a@b.c ",
        "keys": "key=",
        "passwords": "password: ",
        "tokens": "token=a1 ",
        "Remember": "Remember: ",
        "orders": "never use ",
        "reasons": "because `x` must, ",
        "conditions": ", when adding x; a (",
        "minified": minified,
        "JSON": json.dumps({"name": "value", "list": [1, 2, {"a": None}]}) + ", ",
        "escaped JSON": '{\\"a\\": \\"b\\\\n\\"}, ',
        "a path": "part/",
        "a path of Windows": "C:\\part\\",
        "spaces": " ",
        "newlines": "\n",
        "tabs": "\t",
        "word and spaces": "a" + " " * 500,
        "indented lines": "    a\n",
        "substitutions": "$(",
        "closed substitutions": "$(a) ",
        "braces": "${",
        "pipes": "a | b && ",
        "here-documents": "cat <<A\n",
        "options": "--flag -x=",
        "escapes": "\x1b[31m",
        "unclosed escapes": "\x1b]",
        "direction": "\u202e",
        "emoji": "👩‍👩‍👧 🎉",
        "combining": "e\u0301\u0302",
        "stars": "*",
        "emphasis": "**a** ",
        "hashes": "# ",
        "list": "- a\n",
        "table": "| a ",
        "quoted lines": "> a\n",
        "tags": "<a>",
        "opening tags": "<private>",
        "angle": "<",
        "equals": "=",
        "minus": "-",
        "colons": "a: ",
        "slashes": "/",
        "backslashes": "\\",
        "percent": "%20",
        "questions": "why? ",
        "numbers": "1,234.5 ",
        "dates": "2026-11-05 ",
        "versions": "v1.2.3 ",
        "hash lines": "sha256=" + "0a" * 32 + "\n",
        "key block": "-----BEGIN PRIVATE KEY-----\n",
        "dialogue": "User: a\nAssistant: b\n",
        "commits": "fix: a\n\nBecause b.\n",
        "words of seeds": "abandon ability able ",
        "sentence ends": "a. B! c? ",
        "dashes": "a -- b — ",
    }


def of(kind: str, length: int) -> str:
    """About `length` characters of a kind of text, which ends where what it is made of ends.

    Before them is an order: without a sign of one some readers look no further.
    """
    unit = KINDS[kind]
    return OPENING + (unit[:length] if len(unit) > length else unit * (length // len(unit)))


KINDS: Mapping[str, str] = _kinds()


def _session(role: Role, words: str, **more: Any) -> object:
    """What the rules hear in a session in which this is said."""
    first = Event(role="human", text="Fix the parser of dates.", uuid="1", session="s", cwd="/a")
    said = Event(role=role, text=words, uuid="2", session="s", cwd="/a", time=1.0, **more)
    return rules.extract([first, said], final=True)


def _ran(words: str, output: str = "") -> object:
    """What the rules hear of a command and of what it printed."""
    common: dict[str, Any] = {
        "session": "s",
        "cwd": "/a",
        "tool": "Bash",
        "tool_name": "Bash",
        "tool_id": "t",
    }
    use = Event(role="tool_use", input={"command": words}, **common)
    result = Event(role="tool_result", text=output, failed=True, **common)
    return rules.extract([use, result], final=True)


_LINES = ("!Bash(npm install)", "Edit(src/**/*.sql)", "Text(Co-Authored-By)", "mcp__a__*c*d")
"""The triggers that calls are held against."""

OWN_PATTERNS = ("a(.*b)?", "[^x]+x?", "([0-9]+-)*[0-9]{40}$")
"""Expressions of the setting `redact.extra` that read on from each match to the end of the text."""


def _first_time(judge: Callable[..., object], texts: list[str], **how: bool) -> object:
    """Judge texts of which nothing is remembered: of a long one not all can be."""
    orders.shares.cache_clear()
    return judge(texts, **how)


READERS: Mapping[str, Callable[[str], object]] = {
    "clean": text.clean,
    "words": text.words,
    "units": text.units,
    "identifiers": text.identifiers,
    "marked identifiers": text.marked_identifiers,
    "facts": text.facts,
    "tokens": text.tokens,
    "content hash": text.content_hash,
    "scripts": lambda words: (scripts.index_words(words), scripts.apart(words)),
    "markup": lambda words: (markup.neutral(words), markup.folded(words)),
    "excerpt": lambda words: excerpts.excerpt(("parser", "tests"), words, 200),
    "fuzzy": lambda words: fuzzy.match("usezus", words),
    "path of a glob": lambda words: globs.matches(words, "src/**/a*/*.py"),
    "language": detect.language,
    "sentences": sentences.sentences,
    "sentence ends": sentences.in_lines,
    "cut": lambda words: sentences.cut(words, 300),
    "fences": markdown_parts.without_fences,
    "sections": notes.sections,
    "items": markdown_parts.items,
    "statements": lambda words: (statements.is_complete(words), statements.statement(words, words)),
    "verbs": lambda words: (verbs.has_verb(words), verbs.is_order(words)),
    "shell": lambda words: list(shell.simple_commands(words)),
    "shell runs": shell_runs.runs,
    "script that runs itself": lambda words: shell_runs.runs(
        f"cat > x <<E\n{words}\n./x\nE\n./x; sh x"
    ),
    "program of another language": lambda words: shell_runs.runs(f"python - <<'E'\n{words}\nE"),
    "call of a command": lambda words: list(hits(_LINES, calls.read("Bash", {"command": words}))),
    "call that writes": lambda words: list(hits(_LINES, calls.read("Write", {"content": words}))),
    "call of a file": lambda words: list(hits(_LINES, calls.read("Read", {"file_path": words}))),
    "call of a server": lambda words: list(hits(_LINES, calls.read("mcp__a__b", {"a": words}))),
    "triggers": lambda words: list(finding.occasions(words)),
    "private": secrets.strip_private,
    "secrets": secrets.redact,
    "secrets by patterns of one's own": lambda words: secrets.redact(words, OWN_PATTERNS),
    "stored name": stored_names.clean,
    "ignored": lambda words: secrets.is_ignored(words, ("~/clients", "legal/drafts", "secret-*")),
    "quarantine": lambda words: _first_time(quarantine.reason_of, [words], by_user=False),
    "quarantine of the user's": lambda words: _first_time(
        quarantine.reason_of, [words], by_user=True
    ),
    "steering": lambda words: _first_time(quarantine.steers, [words]),
    "title": wording.title,
    "shorten": wording.shorten,
    "headline": wording.headline,
    "query": keyword.terms,
    "digest": lambda words: digest.lines(
        [
            Event(role="tool_use", tool="edit", input={"file_path": words[at : at + 50]}, offset=at)
            for at in range(0, len(words), 50)
        ]
    ),
    "conversation": lambda words: list(
        map(
            WrappedMessages(Glyphs(), 63),
            (
                Message(number=at, kind="user", text=words[at : at + 300])
                for at in range(0, len(words), 300)
            ),
        )
    ),
    "plain": wording.plain,
    "own words": own_words.own_words,
    "commit message": messages.parse,
    "similarity features": features.features,
    "similarity": lambda words: similarity.compare(words, "Use pnpm for the packages."),
    "later word": lambda words: last_word.later_word(words, f"we no longer use it. {words}"),
    "hearing a prompt": lambda words: _session("human", words),
    "hearing a reply": lambda words: _session("assistant", words),
    "hearing a summary": lambda words: _session("compaction", words),
    "hearing a command": _ran,
    "hearing an output": lambda words: _ran("make test", words),
}
"""Every way in which a text is read, by its name."""


class TookTooLong(Exception):
    """One run was given up."""


@contextmanager
def _limited() -> Iterator[None]:
    def give_up(_number: int, _frame: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds(read: Callable[[str], object], words: str) -> float:
    """Processor time of one run of `read` on `words`; `LIMIT` if it is given up."""
    began = time.process_time()
    try:
        with _limited():
            read(words)
    except TookTooLong:
        return LIMIT
    return time.process_time() - began


def processor(read: Callable[[str], object], words: str) -> float:
    """Processor time of `read` on `words`, over so many runs that the clock is exact enough."""
    began, runs = time.process_time(), 0
    while (used := time.process_time() - began) < SURE:
        read(words + " " * runs)
        runs += 1
    return used / runs


def growth(read: Callable[[str], object], kind: str) -> tuple[float, float]:
    """How many times as fast as the text the time grows, 0 if that is not too much, and the seconds
    of the long text."""
    for early in (1_000, SHORT // 4):
        if seconds(read, of(kind, early)) > LIMIT / 20:
            return float("inf"), LIMIT
    short, long = seconds(read, of(kind, SHORT)), seconds(read, of(kind, LONG))
    for _ in range(2):  # what other processes disturbed is measured again
        if long < LIMIT and long - MOST * short * LONG / SHORT >= LEAST:
            short, long = processor(read, of(kind, SHORT)), processor(read, of(kind, LONG))
    if LIMIT in (short, long):
        return float("inf"), LIMIT
    is_too_much = long - MOST * short * LONG / SHORT >= LEAST
    return (long / short / (LONG / SHORT) if is_too_much else 0.0), long


def readers(names: Iterable[str], kinds: Iterable[str]) -> Iterator[Row]:
    """A row for each reader."""
    kinds = list(kinds)
    for name in names:
        notes, slowest = [], 0.0
        for kind in kinds:
            rate, long = growth(READERS[name], kind)
            slowest = max(slowest, long)
            if rate:
                notes.append(
                    f"{kind}: {rate:.1f} times as fast as the text, {long:.2f} s at {LONG:,}"
                )
        yield Row(
            name,
            f"{len(kinds)} kinds of text, up to {LONG:,} characters",
            len(kinds),
            broken=len(notes),
            said=f"slowest {slowest:.2f} s",
            notes=tuple(notes),
        )


def _hook(place: Place, event: str, **fields: Any) -> Done:
    """Run one hook as a process of its own."""
    payload = {
        "session_id": f"{random.getrandbits(64):x}",
        "cwd": str(place.root),
        "transcript_path": str(place.sessions / "none.jsonl"),
        "hook_event_name": event,
        **fields,
    }
    return place.run("cortex_core.hook", data=json.dumps(payload).encode(), seconds=60)


_EVENTS: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "UserPromptSubmit": lambda words: {"prompt": words},
    "PreToolUse": lambda words: {"tool_name": "Bash", "tool_input": {"command": words}},
    "PreToolUse of a file": lambda words: {
        "tool_name": "Write",
        "tool_input": {"file_path": words[:4000], "content": words},
    },
    "Stop": lambda words: {"last_assistant_message": words},
    "SessionStart": lambda words: {"source": words},
    "PreCompact": lambda words: {"custom_instructions": words},
    "SessionEnd": lambda words: {"reason": words},
}


def hooks(scale: Scale, kinds: Iterable[str]) -> Iterator[Row]:
    """Every hook on every kind of text, each a process; that of a prompt has a budget besides."""
    place = Place(scale.scratch / "growth")
    with Cortex.open(place.root, place.home) as cortex:
        ruled = cortex.remember("Use pnpm and never npm")
        cortex.memories.triggers.set(ruled.id, ["!Bash(npm install)", "mcp__*a*b*c"])
        cortex.remember("The parser of dates lives in dates.py", files=["**a" * 13])
    kinds = list(kinds)
    for event, fields in _EVENTS.items():
        word = event.split(" ")[0]

        def used(words: str, runs: int = RUNS, word: str = word, fields: Any = fields) -> float:
            return min(_hook(place, word, **fields(words)).processor for _ in range(runs))

        notes, slowest = [], 0.0
        for kind in kinds:
            for runs in (1, RUNS):
                short, long = used(of(kind, SHORT), runs), used(of(kind, PROMPT), runs)
                is_long = long > BUDGET or long > max(short, 0.1) * MOST * PROMPT / SHORT
                if not is_long:
                    break
            slowest = max(slowest, long)
            if is_long:
                notes.append(f"{kind}: {short:.2f} s at {SHORT:,}, {long:.2f} s at {PROMPT:,}")
        if word == "UserPromptSubmit":
            english, digits = used(of("English", 20_000)), used(of("hexadecimal", 20_000))
            if digits > STALL * english:
                notes.append(
                    f"20,000 characters: {digits:.2f} s for digits, {english:.2f} s English"
                )
        yield Row(
            f"hook {event}",
            f"{len(kinds)} kinds of text, {PROMPT:,} characters",
            len(kinds),
            hooks=len(notes),
            said=f"slowest {slowest:.2f} s",
            notes=tuple(notes),
        )
    place.wait()
    place.close()


def campaign(scale: Scale) -> Iterator[Row]:
    """Every reader and every hook on every kind of text."""
    kinds = scale.some(KINDS, 2)
    yield from readers(scale.some(READERS, 17), kinds)
    yield from hooks(scale, kinds)
