"""What a language model's reading of a session leaves, by recorded answers and a reader's labels.

    CORTEX_DATA=DIR python -m benchmarks.reading [--show] [--record]
    CORTEX_DATA=DIR python -m benchmarks.reading --requests DIR     write what has no answer yet
    CORTEX_DATA=DIR python -m benchmarks.reading --ask api          ask a model, at the user's cost

Twelve sessions of real and made-up projects, four of them not in English, are imported as a user
would import them, with a model that answers from `reading_answers.json`. Four sessions of Codex are
a part of their own, and eight more that were set aside: nothing was changed after they were read.
The answers were written by readers who saw the requests alone, not by a small model: the figures
are theirs. Labels are filed by the hash of a memory's content, of a line of the note, or of a
reader's item, so that neither file holds text of other people; a quotation is recorded as the place
of its words.

The sessions are in two halves, so that a bound can be chosen on one and reported on the other. All
are labelled, by readers who saw the sessions and what was kept of them, but no rule; what a reader
would keep was listed before anything kept was seen. They were fresh for this: of the made-up
sessions alone the lists are by who made them up. Two of Codex's sessions were answered by a reader
who knew the rules; all four were labelled and listed by one who knew none.
"""

from __future__ import annotations

import json
import random
import re
import sqlite3
import sys
import tempfile
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from benchmarks import report
from benchmarks.report import Figure
from cortex_core import Cortex
from cortex_core.agents import transcripts
from cortex_core.base.errors import ModelFailed
from cortex_core.base.kinds import EPISODE
from cortex_core.base.text import content_hash, tokens
from cortex_core.llm import client, protocol, transports
from cortex_core.llm.protocol import ModelRequest
from cortex_core.records.memory import Memory
from cortex_core.records.model_replies import Reply, Usage
from tests.transcript_samples import Sample

REAL = (
    "git-sync/c6533991",
    "oh-my-posh/6b6f4218",
    "skills/415c4d06",
    "cipher-box/d110ba2f",
    "entireio-skills/4a07cdcd",
    "EntityProcess__agentv/f6b7329a",
    "entireio-cli/839b35f7",
    "entireio-cli/4555072a",
)
"""Project and the beginning of the session's id; those of one project share a store, in order."""

MADE_UP = ("ja-invoices", "zh-gateway", "ru-sensors", "de-kasse")

CODEX = (
    "codex/savekirk__session-bridge/019d7372",
    "codex/savekirk__session-bridge/019d7ecc",
    "codex/entireio__git-sync/019ddba6",
    "codex/entireio__skills/019d78fc",
)
"""Agent, project and the beginning of the thread's id."""

CODEX_ASIDE = (
    "codex/entireio__git-sync/019d7739",
    "codex/entireio__git-sync/019d7dbf",
    "codex/entireio__git-sync/019ddcb1",
    "codex/entireio__git-sync/019ddeed",
    "codex/entireio__git-sync/019df213",
    "codex/savekirk__session-bridge/019d683e",
    "codex/savekirk__session-bridge/019d6a5d",
    "codex/savekirk__session-bridge/019d6f23",
)
"""Set aside, each read into a store of its own. Another reader than those who answered, who saw the
sessions, judged all that was kept or suggested."""

HALVES = ((*REAL[::2], *MADE_UP[::2]), (*REAL[1::2], *MADE_UP[1::2]))

HERE = Path(__file__).parent
SESSIONS, ANSWERS, LABELS = (
    HERE / f"reading_{name}.json" for name in ("sessions", "answers", "labels")
)
LABEL_NAMES = ("good", "borderline", "bad")
_ID = re.compile(r" \[[0-9a-f]{8}\]$", re.MULTILINE)
"""The id at the end of a line of the note: another one in each run."""

DEFAULT_MODEL = "claude-haiku-5-5"
"""The model whose prices the cost is told in."""


ASKED = datetime(2026, 11, 26, 12, tzinfo=UTC).timestamp()
"""The present of the answers: a request says what day it is."""


@dataclass(slots=True)
class RecordedTransport:
    """A model that answers from a file, by session and by the number of the request in it."""

    answers: dict[str, dict[str, Any]]
    requests: Path | None = None
    """Where a request without an answer is written; None: it counts as a failure alone."""
    session: str = ""
    name: str = "api"
    model: str = DEFAULT_MODEL
    overhead: int = 300
    count: int = 0
    missing: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    """Answers whose request has changed since they were written."""

    def begin(self, session: str) -> None:
        """Answer from now on for `session`."""
        self.session, self.count = session, 0

    def send(self, request: ModelRequest, timeout: float) -> Reply:
        """The recorded answer to the next request of the session.

        Raises:
            ModelFailed: there is none.
        """
        del timeout
        self.count += 1
        key = f"{self.session} {self.count}"
        asked = sha256(f"{request.system}\0{request.text}".encode()).hexdigest()[:16]
        written = self._written(key, asked, request)
        if written is None:
            self.missing.append(key)
            raise ModelFailed("there is no recorded answer", cause="not asked", is_free=True)
        if written["request"] != asked:
            self.changed.append(key)
        text = json.dumps(unfolded(written["answer"], request.text), ensure_ascii=False)
        sizes = (request.system, request.text, json.dumps(request.schema))
        usage = Usage(input=sum(map(tokens, sizes)) + self.overhead, output=tokens(text))
        return Reply(text=text, stop="end", usage=usage)

    def _written(self, key: str, asked: str, request: ModelRequest) -> dict[str, Any] | None:
        """The answer on record, or the one that a reader has put beside the request's file."""
        if self.requests is None or key in self.answers:
            return self.answers.get(key)
        name = key.replace("/", "_").replace(" ", "_")
        beside = self.requests / f"{name}.answer.json"
        if beside.exists():
            answer = folded(json.loads(beside.read_text("utf-8")), request.text)
            self.answers[key] = {"request": asked, "answer": answer}
            return self.answers[key]
        schema = json.dumps(request.schema, ensure_ascii=False, indent=1)
        Path(self.requests, f"{name}.request.txt").write_text(
            f"{request.system}\n--- schema of the answer\n{schema}\n--- text\n{request.text}",
            "utf-8",
        )
        return None


def folded(answer: Any, text: str) -> Any:
    """An answer with the place of each quotation in place of its words."""
    return _mapped(answer, lambda quote: _place(quote, text))


def unfolded(answer: Any, text: str) -> Any:
    """The answer again, with the words that stand at the place now."""
    return _mapped(answer, lambda place: _words_at(place, text))


def _mapped(value: Any, change: Any) -> Any:
    """`value` with every `quote` in it changed."""
    if isinstance(value, list):
        return [_mapped(each, change) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: change(each) if name == "quote" else _mapped(each, change)
        for name, each in value.items()
    }


def _place(quote: object, text: str) -> list[int]:
    """Position and number of the words of `quote` in `text`; empty where they are not there."""
    words, said = str(quote).split(), text.split()
    for at in range(len(said) - len(words) + 1 if words else 0):
        if said[at : at + len(words)] == words:
            return [at, len(words)]
    # Languages without blanks: a part of a word, by characters counted from the end.
    at = text.find(str(quote)) if words else -1
    return [-1, at, len(str(quote))] if at >= 0 else []


def _words_at(place: Any, text: str) -> str:
    match place:
        case [-1, at, length]:
            return text[at : at + length]
        case [at, count]:
            return " ".join(text.split()[at : at + count])
    return "(not in the request)"


class Read(NamedTuple):
    """What one session left in its project's store, and what it cost."""

    session: str
    kept: list[Memory]
    suggested: list[Memory]
    barred: list[Memory]
    """Kept, but never given to the agent unasked."""
    summary: list[Memory]
    """What it says of where the session is, of the history."""
    lines: list[str]
    """Of the note that the next session is given, with the session's own memories."""
    requests: int
    cost: float
    refused: Counter[str]


@contextmanager
def transcript_of(session: str, data: Path) -> Iterator[Path]:
    """The transcript of a session, real or made up."""
    if "/" in session:
        project, _, name = session.rpartition("/")
        folder = "agents" if session.startswith("codex/") else "transcripts"
        yield next(Path(data, folder, project).rglob(f"*{name}*.jsonl"))
        return
    written = json.loads(SESSIONS.read_text("utf-8"))["sessions"][session]
    start = datetime(2026, 11, 6, 9, 0, tzinfo=UTC)
    sample = Sample(session, cwd=written["cwd"], branch=written["branch"], start=start)
    for turn in written["turns"]:
        match turn:
            case ["user", words]:
                sample.human(words)
            case ["assistant", words]:
                sample.assistant(words)
            case ["edit", path]:
                sample.tool("Edit", {"file_path": f"{written['cwd']}/{path}"}, "updated")
            case ["run", command, result, failed]:
                sample.tool("Bash", {"command": command}, result, failed=failed)
    with tempfile.TemporaryDirectory(prefix="cortex-reading-") as folder:
        path = Path(folder, f"{sample.session}.jsonl")
        path.write_bytes(b"".join(sample.lines()))
        yield path


@contextmanager
def reader(transport: RecordedTransport | None) -> Iterator[str]:
    """The extractor to set: the API, which `transport` stands in for; None asks the real one."""
    if transport is None:
        yield "api"
        return
    # A request without an answer must not keep the next one from being asked.
    with patch.object(transports, "connect", lambda *_: transport), patch.object(client, "REST", 0):
        yield "api"


def read(sessions: Sequence[str], data: Path, transport: RecordedTransport | None) -> list[Read]:
    """What the sessions of one project leave, read in their order into one store.

    Raises:
        SystemExit: the model cannot be used.
    """
    found = []
    # Ids cost more or fewer tokens, so that with others another line may just fit into the note.
    drawn = random.Random(0)
    ids = patch.object(uuid, "uuid4", lambda: uuid.UUID(int=drawn.getrandbits(128), version=4))
    with tempfile.TemporaryDirectory(prefix="cortex-reading-") as scratch, ids:
        root = Path(scratch, "project")
        (root / ".memory").mkdir(parents=True)
        home, clock = Path(scratch, "home"), lambda: ASKED
        with Cortex.open(root, home, clock=clock) as cortex, reader(transport) as extractor:
            cortex.settings.set("extractor", extractor)
            cortex.settings.set("model.daily_cap_usd", 5.0)
            if trouble := cortex.llm.trouble():
                raise SystemExit(trouble)
            for session in sessions:
                found.append(_read_one(cortex, session, data, transport))
    return found


def _read_one(
    cortex: Cortex, session: str, data: Path, transport: RecordedTransport | None
) -> Read:
    """Import one session, and look at what it left."""
    if transport is not None:
        transport.begin(session)
    before = _costs(cortex)
    with transcript_of(session, data) as path:
        cortex.exchange.import_transcripts([path])
        name = transcripts.reader_of(path).session_of(path)
    found = [
        memory
        for memory in cortex.list(statuses=("active", "suggested"))
        if any(one.session == name for one in (memory.source, *memory.sources))
    ]
    own = [memory for memory in found if memory.kind != EPISODE]
    surface, ids = cortex.surface(), {memory.id for memory in own}
    no_line = {line.id for line in surface.missed if "no complete statement" in line.why}
    made = _costs(cortex)[len(before) :]
    entries = [entry for entry in cortex.sessions.ledger() if entry.session == name]
    return Read(
        session=session,
        kept=[memory for memory in own if memory.status == "active"],
        suggested=[memory for memory in own if memory.status == "suggested"],
        barred=[
            one for one in own if one.status == "active" and (one.withheld or one.id in no_line)
        ],
        summary=[one for one in cortex.list(kinds=(EPISODE,)) if is_summary(one, name)],
        lines=[_ID.sub("", one.text) for one in surface.lines if one.id in ids],
        requests=len(made),
        cost=sum(made),
        refused=sum((Counter(entry.refused) for entry in entries), Counter()),
    )


def _costs(cortex: Cortex) -> list[float]:
    """What each call to the model has cost so far."""
    with closing(sqlite3.connect(Path(cortex.project.home, protocol.FILE))) as database:
        try:
            return [cost for (cost,) in database.execute("SELECT cost FROM call ORDER BY number")]
        except sqlite3.OperationalError:  # none was made yet
            return []


def is_summary(memory: Memory, session: str) -> bool:
    """Whether a model said in it where the session is: rules know of no outcome."""
    stopped = memory.details.get("stopped") or {}
    return memory.details.get("event") == f"session:{session}" and "outcome" in stopped


# --- figures


def figures(found: Sequence[Read], labels: Mapping[str, Any], half: str) -> Iterator[Figure]:
    """What the sessions of `half` left, against its bounds."""
    memories: Mapping[str, str] = labels["memories"]
    kept = [memory for each in found for memory in each.kept]
    counts = Counter(memories.get(content_hash(one.content), "not labelled") for one in kept)
    read = sum(counts[name] for name in LABEL_NAMES) or 1
    yield Figure(f"kept{half}: good", 100 * counts["good"] / read, "%", 80, 90, more=True)
    yield Figure(f"kept{half}: bad", 100 * counts["bad"] / read, "%", 3, 1)
    yield Figure(f"kept{half}: read", read)
    if counts["not labelled"]:
        yield Figure(f"kept{half}: not labelled", counts["not labelled"])
    good = barred = 0
    for each in found:
        out = {one.id for one in each.barred}  # ids are those of one store
        own = [one for one in each.kept if memories.get(content_hash(one.content)) == "good"]
        good, barred = good + len(own), barred + sum(one.id in out for one in own)
    share = 100 * barred / (good or 1)
    yield Figure(f"good, but barred from the note{half}", share, "%", 2, 0)
    twice = sum(content_hash(one.content) in labels["twice"] for one in kept)
    yield Figure(f"said twice{half}", 100 * twice / (len(kept) or 1), "%", 5, 2)
    lines = [labels["lines"].get(content_hash(line)) for each in found for line in each.lines]
    judged = [label for label in lines if label is not None]
    wanted = 100 * judged.count("wanted") / (len(judged) or 1)
    yield Figure(f"lines of the note, wanted{half}", wanted, "%", 85, 90, more=True)
    if len(judged) < len(lines):
        yield Figure(f"lines of the note, not labelled{half}", len(lines) - len(judged))
    items = [
        bool(
            {content_hash(one.content) for one in (*each.kept, *each.summary)}
            & set(item["memories"])
        )
        for each in found
        for item in labels["items"].get(each.session, ())
    ]
    share = 100 * sum(items) / (len(items) or 1)
    yield Figure(f"of what a reader would keep, kept{half}", share, "%", 65, 85, more=True)


def found_figures(
    found: Sequence[Read], labels: Mapping[str, Any], prompts: int
) -> Iterator[Figure]:
    """What the sessions set aside left: how much for their prompts, and how much of it is good."""
    kept = [memory for each in found for memory in each.kept]
    suggested = [memory for each in found for memory in each.suggested]
    name = "set aside, Codex"
    count = len(kept) + len(suggested)
    rate = 100 * count / (prompts or 1)
    yield Figure(f"found in a hundred prompts, {name}", rate, "", 10, 30, more=True)
    for part, memories, must in (
        ("kept or suggested", [*kept, *suggested], 75),
        ("kept", kept, 80),
    ):
        known = [labels["memories"].get(content_hash(one.content)) for one in memories]
        share = 100 * known.count("good") / (len(known) or 1)
        yield Figure(f"{part}, {name}: good", share, "%", must, 90, more=True)


def prompts_in(session: str, data: Path) -> int:
    """How many prompts the user typed in a session."""
    with (
        transcript_of(session, data) as path,
        transcripts.reader_of(path).read(path) as events,
    ):
        return sum(event.role == "human" for event in events)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "reading")
    parser.add_argument("--requests", type=Path, help="write requests without an answer here")
    parser.add_argument("--only", nargs="+", metavar="SESSION", help="of these sessions alone")
    parser.add_argument("--ask", choices=("api",), help="ask a model in place of the record")
    parser.add_argument("--show", action="store_true", help="print what no label knows")
    chosen = parser.parse_args(arguments)
    data = report.data_folder(chosen, "transcripts").parent
    recorded = json.loads(ANSWERS.read_text("utf-8")) if ANSWERS.exists() else {}
    groups = [
        [session for session in group if not chosen.only or session in chosen.only]
        for group in _by_project()
    ]
    transport = None if chosen.ask else RecordedTransport(recorded, chosen.requests)
    found = [each for group in groups for each in read(group, data, transport)]
    wanted = [one for one in CODEX_ASIDE if not chosen.only or one in chosen.only]
    aside = [each for session in wanted for each in read([session], data, transport)]
    if transport is not None and transport.missing:
        print(f"No answer is recorded for: {', '.join(transport.missing)}")
    if chosen.requests:
        added = {**(json.loads(ANSWERS.read_text("utf-8")) if ANSWERS.exists() else {}), **recorded}
        rows = json.dumps(dict(sorted(added.items())), ensure_ascii=False, indent=1)
        ANSWERS.write_text(rows + "\n", "utf-8")
        return 0
    labels = json.loads(LABELS.read_text("utf-8"))
    if chosen.show:
        _show([*found, *aside], labels)
    parts = ("", (*REAL, *MADE_UP)), (", first half", HALVES[0]), (", second half", HALVES[1])
    measured: list[Figure] = []
    for name, half in (*parts, (", Codex", CODEX)):
        measured += figures([each for each in found if each.session in half], labels, name)
    measured += found_figures(aside, labels, sum(prompts_in(one, data) for one in wanted))
    dearest = max(each.cost for each in found if each.requests == 1)
    name = "a session of one request, at most, in thousandths"
    measured.append(Figure(name, 1000 * dearest, "$", 3))
    if transport is not None:
        measured.append(Figure("answers whose request has changed", len(transport.changed)))
    details = {
        each.session: {
            "kept": len(each.kept),
            "suggested": len(each.suggested),
            "requests": each.requests,
            "dollars": round(each.cost, 5),
            "refused": dict(each.refused),
        }
        for each in (*found, *aside)
    }
    return report.finish("reading", chosen, measured, details)


def _by_project() -> list[list[str]]:
    """The sessions, those of one project together."""
    groups: dict[str, list[str]] = {}
    for session in (*REAL, *MADE_UP, *CODEX):
        groups.setdefault(session.rpartition("/")[0] or session, []).append(session)
    return list(groups.values())


def _show(found: Sequence[Read], labels: Mapping[str, Any]) -> None:
    """Print what is to be labelled: memories and lines, each under its hash."""
    for each in found:
        for memory in (*each.kept, *each.suggested):
            if (name := content_hash(memory.content)) not in labels["memories"]:
                print(f"\n{name} {each.session} {memory.status} {memory.kind} p{memory.priority}")
                print(f"  {memory.confidence:.2f} {memory.source.rule}")
                print(f"  {memory.title}\n  {memory.content}")
        for line in each.lines:
            if (name := content_hash(line)) not in labels["lines"]:
                print(f"\n{name} {each.session} line\n  {line}")


if __name__ == "__main__":
    sys.exit(main())
