"""What is found afterwards of secrets that were said in every place that Cortex reads.

    python -m benchmarks.atrest [--each N] [--seed N] [--show N] [--record]

Each place gets secrets of its own, so that what is found is known to come from there. Sessions go
through the real hooks, transcripts and worker, the rest through the facade, MCP, HTTP and the
importers. Then every byte that Cortex keeps is searched: stores with their logs and snapshots,
packed cells unpacked, archives of conversations, everything below `.memory`, the global side, the
surface, exports and logs.
"""

from __future__ import annotations

import base64
import io
import itertools
import json
import os
import random
import re
import shutil
import sqlite3
import sys
import tempfile
import time
import urllib.parse
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report, secret_corpus
from benchmarks.report import Figure
from benchmarks.secret_corpus import Secret
from benchmarks.secret_forms import KeyForm
from benchmarks.secret_places import BARE
from cortex_core.redaction import redactor, secrets
from cortex_core.redaction.secrets import redact

BATCH = 25
"""Sessions of one project; then a new one begins, so that no search is long."""

GRAM = 8
"""Bytes by which a secret is looked for; a shorter one is searched as it is."""

MOST_NAME = 120
"""Characters of a branch, a folder or a file with a secret in it."""

MOST_NAMED = 3
"""Texts of each named form from which those of one place are drawn."""


class Placed(NamedTuple):
    """A secret and where it was said."""

    place: str
    secret: Secret


class Scene:
    """A scratch project with a home of its own."""

    def __init__(self, folder: Path, name: str = "shop") -> None:
        self.folder = folder
        self.root = folder / "work" / name
        self.home = folder / "memory"
        self.exports = folder / "exports"
        (self.root / ".git").mkdir(parents=True)
        (self.root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        (self.root / ".memory").mkdir()
        self.exports.mkdir()

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Everything that runs meanwhile knows no other home."""
        own = {
            "HOME": str(self.folder),
            "CORTEX_HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.folder / "claude"),
        }
        before = {name: os.environ.get(name) for name in (*own, "CORTEX_CHILD")}
        os.environ.update(own)
        try:
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


# --- places in a session


class Talk:
    """One session: what is said in it, with a secret of its own in each place."""

    def __init__(self, scene: Scene, number: int, said: Mapping[str, Secret]) -> None:
        from tests.transcript_samples import Sample

        self.said = said
        self.number = number
        cwd = f"{scene.root}/{self.name('working directory', 'src')}"
        branch = f"feature/{self.name('branch', f'topic-{number}')}"
        start = datetime.fromtimestamp(time.time() - 7200, UTC)
        self.sample = Sample(f"{scene.root}-{number}", cwd=cwd, branch=branch, start=start)
        self.sample.session = self.name("session id", self.sample.session)
        self.own = {"uuid": self.name("record id", "")} if "record id" in said else {}
        self._speak()

    def name(self, place: str, otherwise: str) -> str:
        """The secret of a place for names; `otherwise` where there is none."""
        secret = self.said.get(place)
        return secret.text if secret else otherwise

    def text(self, place: str, words: str = "{}") -> str:
        """What is said in a place; empty if nothing is."""
        secret = self.said.get(place)
        if secret and "\n" in secret.text:  # lines stay lines
            words = words.replace(" {}", "\n{}").replace(" {0}", "\n{0}")
        return words.format(secret.text) if secret else ""

    def _human(self, place: str, words: str) -> None:
        if place in self.said:
            self.sample.human(self.text(place, words)).assistant("Understood.")

    def _speak(self) -> None:
        sample, about = self.sample, f"the {secret_corpus.WORDS[self.number % 18]} {self.number}"
        self._human("remember", f"Remember that for {about} the access is: {{}}")
        self._human("instruction", f"Always start {about} with this setting: {{}}")
        if "answer" in self.said:
            label = self.text("question", "This: {}") or "Env"
            which = f"Which access does {about} use?"
            asked = {
                "question": self.text("question", f"{which} {{}}") or which,
                "header": "Access",
                "options": [{"label": "Vault"}, {"label": label}],
            }
            given = self.text("answer", "We use this one, since it is shared: {}")
            sample.tool(
                "AskUserQuestion",
                {"questions": [asked]},
                f'User has answered your questions: "{asked["question"]}"="{given}".',
                outcome={"questions": [asked], "answers": {str(asked["question"]): given}},
            )
        if "correction" in self.said:
            sample.assistant(f"I start {about} without any access.")
            sample.human(self.text("correction", f"No, {about} needs this: {{}}"))
        self._plan(about)
        self._files(about)
        self._commit(about)
        if "queue" in self.said:
            waiting = self.text("queue", f"Then start {about} with this: {{}}")
            sample.raw(
                {
                    "type": "queue-operation",
                    "operation": "enqueue",
                    "content": waiting,
                    "sessionId": sample.session,
                    "timestamp": "2026-11-02T09:01:00.000Z",
                }
            )
        if "summary" in self.said:
            sample.compaction(
                self.text(
                    "summary",
                    (
                        f"1. Primary request: set up {about}.\n2. Key "
                        f"technical concepts:\n- {about} reads "
                        "its access at start: {}\n7. Pending tasks:\n- document {}"
                    ).replace("{}", "{0}"),
                )
            )
        sample.assistant(self.text("reply", f"Done. For {about} I decided on: {{}}") or "Done.")
        if "model" in self.said:
            sample.records[-1]["message"]["model"] = self.name("model", "")
        if self.own:
            sample.human(f"Is {about} ready?", **self.own)
        if "session title" in self.said:  # what was asked last names the session in the history
            sample.human(self.text("session title", f"Next, set up {about} with this: {{}}"))

    def _plan(self, about: str) -> None:
        if "plan" in self.said:
            plan = self.text(
                "plan",
                (
                    f"# Plan for {about}\n\n## Decisions\n- We decided to give {about} this access "
                    "because it must start alone: {}\n\n## Steps\n1. Write it down"
                ),
            )
            self.sample.tool(
                "ExitPlanMode",
                {"plan": plan},
                "User has approved your plan. You can now start coding.",
                outcome={"plan": plan},
            )

    def _files(self, about: str) -> None:
        sample = self.sample
        if "file of a tool call" in self.said:
            path = f"{sample.cwd}/{self.name('file of a tool call', '')}.py"
            sample.tool("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}, "ok")
        if "tool" in self.said:
            sample.tool(f"mcp__hub__{self.name('tool', '')}", {"of": about}, "ok")
        if "command" in self.said:
            sample.tool("Bash", {"command": self.text("command"), "description": about}, "ok")
            sample.tool("Bash", {"command": self.text("command")}, "ok")

    def _commit(self, about: str) -> None:
        names = [f"src/{about.replace(' ', '_')}.py"]
        if "file name" in self.said:
            names.append(f"{self.name('file name', '')}.toml")
            self.sample.tool(
                "Write", {"file_path": f"{self.sample.cwd}/{names[-1]}", "content": "x = 1"}, "ok"
            )
        if "commit" in self.said or "file name" in self.said:
            body = self.text("commit", "It reads its access at start, because it runs alone: {}")
            message = f"fix(setup): start {about} alone\n\n{body}"
            listed = "".join(f"\n create mode 100644 {name}" for name in names)
            self.sample.tool(
                "Bash",
                {
                    "command": f"git add {' '.join(names)} && git commit -m \"$(cat <<'EOF'\n"
                    f'{message}\nEOF\n)"'
                },
                f"[main {self.number:07x}] {message.splitlines()[0]} {self.text('subject')}\n"
                f" 1 file changed{listed}",
            )
        if "pull request" in self.said:
            body = self.text("pull request", "It needs this access, because it runs alone: {}")
            self.sample.tool(
                "Bash",
                {
                    "command": f"gh pr create --title 'Start {about} alone' "
                    f"--body \"$(cat <<'EOF'\n"
                    f'{body}\nEOF\n)"'
                },
                f"https://github.com/acme/shop/pull/{self.number}",
                outcome={"gitOperation": {"pr": {"number": self.number, "action": "created"}}},
            )


IN_NAMES = (
    "branch",
    "working directory",
    "file name",
    "file of a tool call",
    "session id",
    "tool",
    "project folder",
    "model",
    "record id",
)
"""Places that take a name: no spaces, no slashes."""

NOT_KEPT = frozenset({"tool", "hook"})
"""Places of which nothing is stored at all; what is said there does not count in the shares."""

IN_TALK = (
    "branch",
    "working directory",
    "session id",
    "session title",
    "remember",
    "instruction",
    "answer",
    "correction",
    "plan",
    "file of a tool call",
    "tool",
    "command",
    "file name",
    "commit",
    "pull request",
    "summary",
    "reply",
    "hook",
    "question",
    "queue",
    "subject",
    "model",
    "record id",
)


def talk(scene: Scene, sessions: Sequence[Mapping[str, Secret]], first: int) -> None:
    """Play sessions through the hooks and the worker."""
    from cortex_core import worker
    from cortex_core.base import project as projects
    from cortex_core.capture import spool

    project = projects.find(explicit=str(scene.root), home=str(scene.home))
    projects.prepare(project)
    with spool.WorkerLock(project):  # so that no hook starts a worker of its own
        for number, said in enumerate(sessions, first):
            _fire(scene, Talk(scene, number, said), said.get("hook"))
    worker.main(["--project", str(scene.root)])
    os.environ.pop("CORTEX_CHILD", None)


def _fire(scene: Scene, each: Talk, secret: Secret | None) -> None:
    from cortex_core.agents.claude.places import slug
    from cortex_core.hook_events import answering

    sample = each.sample
    folder = scene.folder / "claude" / "projects" / slug(sample.cwd)
    folder.mkdir(parents=True, exist_ok=True)
    path = sample.write(folder)
    words = secret.text if secret else "Done."
    more: dict[str, dict[str, Any]] = {
        "SessionStart": {"source": "startup"},
        "UserPromptSubmit": {"prompt": f"How do I use this? {words}"},
        "PreToolUse": {"tool_name": "Read", "tool_input": {"file_path": f"{sample.cwd}/{words}"}},
        "Stop": {"last_assistant_message": words},
        "SubagentStop": {"agent_type": "Explore", "agent_id": words, "reason": words},
        "SessionEnd": {"reason": words},
    }
    for event, fields in more.items():
        payload = {
            "session_id": sample.session,
            "transcript_path": str(path),
            "cwd": str(scene.root),
            "hook_event_name": event,
            **fields,
        }
        answering.answer("", json.dumps(payload).encode())


# --- places outside of sessions

Say = Callable[[Scene, Sequence[Secret]], None]


def remember(scene: Scene, listed: Sequence[Secret]) -> None:
    """`cortex remember` and `cortex edit`, with the secret in the text, title, tags and files."""
    from cortex_core import Cortex

    with Cortex.open(scene.root) as cortex:
        for number, one in enumerate(listed):
            with suppress(_refused()):
                made = cortex.remember(
                    f"Entry {number}: {one.text}",
                    title=one.text,
                    tags=[one.text],
                    files=[one.text],
                )
                cortex.edit(made.id, content=f"Entry {number} again: {one.text}", title=one.text)
                cortex.tag(made.id, [one.text])
                other = cortex.remember(f"Note {number} on the rest of it")
                cortex.graph.link(made.id, other.id, context=one.text)
                cortex.forget(other.id)


def over_mcp(scene: Scene, listed: Sequence[Secret]) -> None:
    """The tools of the MCP server that write."""
    from cortex_core.agent_access import Access
    from cortex_core.mcp_server.memory_tools import WritingTools

    access = Access(str(scene.root))
    tools = WritingTools(access)
    for number, one in enumerate(listed):
        with suppress(_refused()):
            made = tools.remember(
                f"Tool note {number}: {one.text}", title=one.text, tags=[one.text], files=[one.text]
            )
            tools.update(made["id"], content=f"Better note {number}: {one.text}")
            tools.episode_add(f"Step {number}: {one.text}", outcome=one.text, tags=[one.text])
            done = tools.procedure_add(
                f"Task {number} {one.text}"[:300], [one.text], one.text, [one.text], [one.text]
            )
            tools.procedure_outcome(done["id"], "failure", one.text)
    access.cortex.close()


def over_http(scene: Scene, listed: Sequence[Secret]) -> None:
    """The endpoints of the HTTP server that write."""
    from cortex_core.agent_access import Access
    from cortex_core.http_server import endpoints

    access = Access(str(scene.root))
    for number, one in enumerate(listed):
        with suppress(_refused()):
            endpoints.store(
                access,
                {},
                {
                    "content": f"Sent {number}: {one.text}",
                    "title": one.text,
                    "tags": [one.text],
                    "files": [one.text],
                },
            )
            words = f"Remember that sender {number} has this: {one.text}"
            endpoints.extract(access, {}, {"messages": [{"role": "user", "content": words}]})
    access.cortex.close()


def import_jsonl(scene: Scene, listed: Sequence[Secret]) -> None:
    """`cortex import jsonl`: a line with the secret in every field that takes a text."""
    from cortex_core import Cortex
    from cortex_core.records.fields import FIELDS

    path = scene.folder / f"in-{len(listed)}.jsonl"
    with path.open("w", encoding="utf-8") as out:
        for number, one in enumerate(listed):
            texts = {each.name: one.text for each in FIELDS if each.form == "text"}
            lists = {each.name: [one.text] for each in FIELDS if each.form == "texts"}
            line = {
                **texts,
                **lists,
                "content": f"Line {number}: {one.text}",
                "kind": "fact",
                "origin": {"note": one.text, one.text: [one.text]},
                "custom": one.text,
                "details": {"of": one.text},
                "id": f"line-{number}-{one.value[:0]}",
                "sources": [{"rule": one.text, "session": one.text, "author": one.text}],
                "scope": "project",
                "status": "active",
                "inject": "normal",
            }
            out.write(json.dumps(line) + "\n")
            out.write(json.dumps({"content": f"Line {number} b", "id": one.text}) + "\n")
    with Cortex.open(scene.root) as cortex, suppress(_refused()):
        cortex.exchange.import_jsonl(path)


def import_markdown(scene: Scene, listed: Sequence[Secret]) -> None:
    """`cortex import markdown` of notes and of a vault, of Claude Code's memory and CLAUDE.md."""
    from cortex_core import Cortex

    notes, memory = scene.folder / "notes", scene.folder / "own"
    notes.mkdir(exist_ok=True)
    memory.mkdir(exist_ok=True)
    for number, one in enumerate(listed):
        front = f"---\nid: n{number}-4c1d-4a52-9f11-0a1b2c3d4e5f\ntitle: {json.dumps(one.text)}\n"
        front += f"tags: [{json.dumps(one.text)}]\nbranch: {json.dumps(one.text)}\n---\n"
        (notes / f"vault-{number}.md").write_text(f"{front}Kept {number}: {one.text}\n", "utf-8")
        (notes / f"plain-{number}.md").write_text(
            f"# {one.text}\n\n- It is so: {one.text}\n", "utf-8"
        )
        (memory / f"topic-{number}.md").write_text(f"# Topic {number}\n\n{one.text}\n", "utf-8")
    (memory / "MEMORY.md").write_text("".join(f"- {one.text}\n" for one in listed), "utf-8")
    rules = scene.root / "CLAUDE.md"
    rules.write_text("".join(f"- Always use this: {one.text}\n" for one in listed), "utf-8")
    with Cortex.open(scene.root) as cortex:
        with suppress(_refused()):
            cortex.exchange.import_markdown(notes)
        with suppress(_refused()):
            cortex.exchange.import_claude_memory(memory)
        with suppress(_refused()):
            cortex.exchange.import_claude_md([rules])


def broken_sessions(scene: Scene, listed: Sequence[Secret]) -> None:
    """Events whose files are gone or damaged, with the secret in their names."""
    from cortex_core import worker
    from cortex_core.base import project as projects
    from cortex_core.capture import spool
    from cortex_core.hook_events import answering

    project = projects.find(explicit=str(scene.root), home=str(scene.home))
    projects.prepare(project)
    with spool.WorkerLock(project):
        for one in listed:
            if "/" in one.text:
                continue
            payload = {
                "session_id": one.text,
                "hook_event_name": "Stop",
                "cwd": str(scene.root),
                "transcript_path": str(scene.folder / "claude" / one.text),
            }
            answering.answer("", json.dumps(payload).encode())
            answering.answer(one.text[:30], json.dumps(payload).encode())
    worker.main(["--project", str(scene.root)])
    os.environ.pop("CORTEX_CHILD", None)


OUTSIDE: Mapping[str, Say] = {
    "remember, edit, link": remember,
    "MCP": over_mcp,
    "HTTP": over_http,
    "import jsonl": import_jsonl,
    "import markdown, CLAUDE.md": import_markdown,
    "events without a file": broken_sessions,
}

PLACES = (*IN_TALK, "project folder", *OUTSIDE)


def _refused() -> type[Exception]:
    from cortex_core.base.errors import CortexError

    return CortexError


# --- afterwards


def use(scene: Scene) -> None:
    """What users do then: search, forget, undo, take snapshots, export, start the next session."""
    from cortex_core import Cortex
    from cortex_core.hook_events import answering

    with Cortex.open(scene.root) as cortex:
        cortex.recall("access service", limit=5)
        kept = cortex.list(limit=6)
        if len(kept) > 3:
            cortex.forget(kept[0].id)
            cortex.undo()
            cortex.forget(kept[1].id)
            cortex.pin(kept[2].id)
        cortex.snapshots.take()
        out = io.StringIO()
        cortex.exchange.export_jsonl(out)
        (scene.exports / "all.jsonl").write_text(out.getvalue(), encoding="utf-8")
        cortex.exchange.export_markdown(scene.exports / "vault")
    payload = {
        "session_id": "next",
        "cwd": str(scene.root),
        "source": "startup",
        "transcript_path": "",
        "hook_event_name": "SessionStart",
    }
    answering.answer("", json.dumps(payload).encode())


def kept_bytes(scene: Scene) -> Iterator[bytes]:
    """Everything that Cortex keeps: files, their names below its folders, and cells unpacked."""
    for top in (scene.root / ".memory", scene.root / ".claude", scene.home, scene.exports):
        for path in sorted(top.rglob("*")):
            yield str(path.relative_to(top)).encode()
            if path.is_file():
                yield path.read_bytes()
                yield from _unpacked(path)


def _unpacked(path: Path) -> Iterator[bytes]:
    """The texts and the packed cells of a database, each by itself."""
    if path.suffix != ".db":
        return
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        tables = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
            )
        ]
        for table in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                for cell in row:
                    if isinstance(cell, bytes):
                        with suppress(zlib.error):
                            yield zlib.decompress(cell)
                    elif isinstance(cell, str):
                        yield cell.encode("utf-8", "replace")


def forms(value: str) -> set[bytes]:
    """A secret as it can be found: whole, its halves, escaped, quoted and encoded; lower case."""
    half = (len(value) + 1) // 2
    texts = {
        value,
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        urllib.parse.quote(value, safe=""),
    }
    if half >= GRAM:
        texts |= {value[:half], value[-half:]}
    data = value.encode()
    encoded = {base64.b64encode(b"\0" * skip + data)[4:-4] for skip in range(3)}
    found = {text.encode() for text in texts} | {value.encode("utf-16-le")}
    found |= {each for each in encoded if len(each) >= GRAM}
    return {each.lower() for each in found}


def found_in(parts: Iterable[bytes], placed: Sequence[Placed]) -> set[int]:
    """The numbers of those of `placed` whose secret is in one of the parts."""
    import numpy as np

    data = b"\0\n".join(parts).lower()
    wanted = [
        (number, form) for number, one in enumerate(placed) for form in forms(one.secret.value)
    ]
    found = {number for number, form in wanted if len(form) < GRAM and _is_word(data, form)}
    heads: dict[int, list[tuple[int, bytes]]] = {}
    for number, form in wanted:
        if len(form) >= GRAM:
            heads.setdefault(int.from_bytes(form[:GRAM], "little"), []).append((number, form))
    keys = np.array(sorted(heads), dtype=np.uint64)
    for shift in range(GRAM):
        size = (len(data) - shift) // GRAM * GRAM
        grams = np.frombuffer(data, dtype="<u8", count=size // GRAM, offset=shift)
        for index in np.flatnonzero(np.isin(grams, keys)):
            at = int(index) * GRAM + shift
            known = heads[int(grams[index])]
            found |= {number for number, form in known if data.startswith(form, at)}
    return found


def _is_word(data: bytes, form: bytes) -> bool:
    """Whether a short secret is there by itself, not as a part of a word."""
    return form in data and bool(
        re.search(rb"(?<![a-z0-9])" + re.escape(form) + rb"(?![a-z0-9])", data)
    )


# --- the campaign


def drawn(each: int, seed: int) -> dict[str, list[Secret]]:
    """By place, `each` secrets to say in it, in turn named and bare.

    The bare ones are dealt like cards, so that every shape is said equally often.
    """
    r = random.Random(seed)
    deck = _deck(r)
    return {
        place: _alternating(_named(place, (each + 1) // 2, seed), _dealt(place, each // 2, r, deck))
        for place in PLACES
    }


def _alternating(first: Sequence[Secret], second: Sequence[Secret]) -> list[Secret]:
    pairs = itertools.zip_longest(first, second)
    return [one for pair in pairs for one in pair if one is not None]


def _named(place: str, count: int, seed: int) -> list[Secret]:
    """Secrets that something names, of all forms by chance."""
    own = random.Random(f"{seed} {place}")
    listed = secret_corpus.secrets(seed * 100 + PLACES.index(place), MOST_NAMED)
    fitting = [one for one in listed if not one.bare and fits(place, one)]
    return own.sample(fitting, min(count, len(fitting)))


def _deck(r: random.Random) -> Iterator[KeyForm]:
    """The shapes of keys without end: all of them in one order by chance, then in another."""
    forms = secret_corpus.bare_forms()
    while True:
        yield from r.sample(forms, len(forms))


def _dealt(place: str, count: int, r: random.Random, deck: Iterator[KeyForm]) -> list[Secret]:
    """Bare secrets of the next shapes, in surroundings that the place can have.

    A shape that a name cannot have, such as one with a slash, is left out there.
    """
    dealt: list[Secret] = []
    while len(dealt) < count:
        form, first = next(deck), r.randrange(len(BARE))
        tried = (secret_corpus.bare(form, r, first + step) for step in range(len(BARE)))
        dealt += itertools.islice((one for one in tried if fits(place, one)), 1)
    return dealt


def fits(place: str, one: Secret) -> bool:
    """Whether a text can be said in a place: a name has neither spaces nor slashes."""
    return place not in IN_NAMES or _is_name(one.text)


def _is_name(text: str) -> bool:
    return len(text) <= MOST_NAME and not re.search(r"[\s/\\\0\"'<>|*?\x7f-\U0010ffff]", text)


class Outcome(NamedTuple):
    """What was said, and what of it was found."""

    placed: list[Placed]
    found: list[Placed]
    bytes_searched: int


def play(folder: Path, by_place: Mapping[str, Sequence[Secret]]) -> Outcome:
    """Say the secrets of every place in it, and look for them."""
    placed: list[Placed] = []
    found: list[Placed] = []
    searched = 0
    for first in range(0, max(map(len, by_place.values())), BATCH):
        part = {place: listed[first : first + BATCH] for place, listed in by_place.items()}
        here, gone, size = batch(folder / str(first), part, first)
        placed, found, searched = placed + here, found + gone, searched + size
    return Outcome(placed, found, searched)


def batch(
    folder: Path, part: Mapping[str, Sequence[Secret]], first: int
) -> tuple[list[Placed], list[Placed], int]:
    """One project: everything said in it, and what was found."""
    tops = part["project folder"][:1]
    scene = Scene(folder, tops[0].text if tops else "shop")
    placed = [
        Placed(place, one)
        for place, listed in part.items()
        for one in listed
        if place != "project folder"
    ]
    placed += [Placed("project folder", one) for one in tops]
    longest = max((len(part[place]) for place in IN_TALK), default=0)
    sessions = [
        {place: part[place][number] for place in IN_TALK if number < len(part[place])}
        for number in range(longest)
    ]
    with scene.entered():
        talk(scene, sessions, first)
        for place, say in OUTSIDE.items():
            if part[place]:
                say(scene, part[place])
        use(scene)
    parts = list(kept_bytes(scene))
    gone = [placed[number] for number in sorted(found_in(parts, placed))]
    shutil.rmtree(folder)
    return placed, gone, sum(map(len, parts))


def table(outcome: Outcome) -> str:
    """Place by place: said, found; named and bare."""
    said = Counter((one.place, one.secret.bare) for one in outcome.placed)
    found = Counter((one.place, one.secret.bare) for one in outcome.found)
    rows = [
        [place, *(f"{count[place, bare]:,}" for bare in (False, True) for count in (said, found))]
        for place in PLACES
    ]
    return report.table(("said in", "named", "found", "bare", "found"), rows)


def share(outcome: Outcome, *, bare: bool) -> float:
    """Percent of the secrets said with or without a name that were found."""
    kept = [one for one in outcome.placed if one.place not in NOT_KEPT]
    said = sum(one.secret.bare == bare for one in kept)
    return 100 * sum(one.secret.bare == bare for one in outcome.found) / max(said, 1)


def is_missed(one: Placed) -> bool:
    """Whether the filter does not see the secret, wherever it is said."""
    return secret_corpus.stays(one.secret, redact(one.secret.text).text)


@contextmanager
def unfiltered() -> Iterator[None]:
    """No secret is recognised meanwhile: whatever reaches a store stays there."""
    whole = secrets.redact
    secrets.redact = lambda text, extra=(): secrets.Redaction(text, ())
    redactor.shared.cache_clear()  # it remembers what it found clean
    try:
        yield
    finally:
        secrets.redact = whole
        redactor.shared.cache_clear()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "atrest")
    parser.add_argument("--each", type=int, default=140, help="secrets to say in each place")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--show", type=int, default=40, help="how many of the found to print")
    parser.add_argument(
        "--unfiltered", action="store_true", help="recognise no secret: what could be found"
    )
    chosen = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory(prefix="cortex-atrest-") as folder,
        unfiltered() if chosen.unfiltered else nullcontext(),
    ):
        outcome = play(Path(folder), drawn(chosen.each, chosen.seed))
    past = [one for one in outcome.found if not is_missed(one)]
    for one in (past + [one for one in outcome.found if one not in past])[: chosen.show]:
        why = "past the filter" if one in past else "not recognised"
        print(f"{why}: {one.place}: {one.secret.form}: {one.secret.text!r}")
    print(table(outcome))
    stays = Counter(one.secret.form for one in outcome.found)
    kinds = {one.secret.form for one in outcome.placed}
    print(f"{len(outcome.placed):,} secrets of {len(kinds):,} forms; forms that stay:")
    print(", ".join(f"{form} {count}" for form, count in stays.most_common()) or "none")
    figures = [
        Figure("secrets said", len(outcome.placed), "", 1_500, 1_500, more=True),
        Figure("forms of them", len(kinds), "", 250, 250, more=True),
        Figure("named secrets found at rest", share(outcome, bare=False), "%", 1.0, 1.0),
        Figure("secrets found at rest that the filter recognises", len(past)),
        Figure("bare secrets found at rest", share(outcome, bare=True), "%", 3.0, 3.0),
    ]
    details = {"bytes searched": outcome.bytes_searched, "forms that stay": dict(stays)}
    return report.finish("atrest", chosen, figures, details)


if __name__ == "__main__":
    sys.exit(main())
