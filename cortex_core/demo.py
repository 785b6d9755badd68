"""`cortex demo`: a made-up session is sent through the real hooks and worker, then recalled."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from cortex_core import agents
from cortex_core.api import Cortex
from cortex_core.base import hook_words, project as projects, text
from cortex_core.capture import spool
from cortex_core.store import leftovers

AGENT = agents.of("claude")
"""The agent whose session is made up."""

PAST = Path(__file__).with_name("demo.json")
"""What was remembered and said in the weeks before; of our own writing."""

DAY = 86_400

NEXT_SESSION = "0c0ffee0-0000-4000-8000-000000000002"

QUESTION = "which command publishes a new version?"
"""Uses other words than the memory that answers it."""

SECONDS = 120
"""Time limit for a hook and for the worker."""


class Demo:
    """A scratch home and project in which a session has been captured by the real hooks.

    Args:
        folder: where everything happens.
        python: the interpreter that runs the hooks, with its flags; this one if empty.
    """

    def __init__(self, folder: Path, python: Sequence[str] = ()) -> None:
        self.python = tuple(python) or (sys.executable, "-P")
        self.home = folder / "home"
        self.project = folder / "lighthouse"
        self._settings = AGENT.trial.settings_folder(self.home)
        self.given = ""
        """What was injected at the next session's start, as Claude Code would receive it."""

    def play(self) -> None:
        """Run the session's hooks, the worker, and the next session's start."""
        self._make_project()
        self._transcript = AGENT.trial.made_up_session(self._settings, self.project)
        session = self._transcript.stem
        self._hook(hook_words.START, session, source="startup")
        self._hook(hook_words.STOP, session, stop_hook_active=False)
        self._hook(hook_words.END, session, reason="prompt_input_exit")
        # With the worker's lock in hand: this start begins no worker that would outlive the demo.
        with spool.WorkerLock(self._await_worker()):
            output = self._hook(hook_words.START, NEXT_SESSION, source="startup")
        self.given = AGENT.trial.text_of(hook_words.START, output) or ""

    def remember_the_past(self) -> None:
        """Give the project what it would have after some weeks: memories, and two sessions."""
        self._make_project()
        past, now = json.loads(PAST.read_text("utf-8")), time.time()
        paths = []
        for one in past["sessions"]:
            began = datetime.fromtimestamp(now - one["days"] * DAY, UTC)
            lines = AGENT.samples.lines_of(one["messages"], str(self.project), began)
            session = str(json.loads(lines.partition("\n")[0])["sessionId"])
            paths.append(AGENT.trial.transcript(self._settings, self.project, session))
            paths[-1].parent.mkdir(parents=True, exist_ok=True)
            paths[-1].write_text(lines, "utf-8")
        memories = []
        for one in past["memories"]:
            moment = now - one.pop("days") * DAY
            memories.append({"created": moment, "updated": moment, "rule": "person", **one})
        with self.open() as cortex:
            cortex.exchange.import_jsonl(map(json.dumps, memories), own=True)
            cortex.exchange.import_transcripts(paths)
            cortex.models.embed_pending()
            if not cortex.models.problem:
                cortex.consolidate()

    def open(self) -> Cortex:
        """Open the project's memory."""
        return Cortex.open(self.project, self.home / "cortex")

    def _await_worker(self) -> projects.Project:
        """Wait for the worker that the hooks started; returns its project."""
        project = projects.find(explicit=str(self.project), home=str(self.home / "cortex"))
        until = time.monotonic() + SECONDS
        while time.monotonic() < until and (
            spool.is_waiting(project) or spool.is_worker_running(project)
        ):
            time.sleep(0.1)
        return project

    def remove(self) -> None:
        """Remove it with the worker's lock in hand: a worker that is slow to start finds the lock
        taken, or the project gone, and leaves no files behind."""
        if self.project.is_dir():
            with spool.WorkerLock(self._await_worker()):
                shutil.rmtree(self.project.parent, ignore_errors=True)

    def _make_project(self) -> None:
        (self.project / ".memory").mkdir(parents=True, exist_ok=True)
        (self.project / "README.md").write_text("# Lighthouse\n", encoding="utf-8")
        settings = self.home / "cortex" / "config.toml"  # so that the app does not ask
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text('extractor = "rules"\n', encoding="utf-8")

    def environment(self) -> dict[str, str]:
        """The environment of a program that is to know nothing of the user's own agents."""
        apart = AGENT.trial.environment(self._settings, self.home / "cortex")
        folders = ("CODEX_", "COPILOT_", "GEMINI_", "OPENCODE_", "XDG_")
        kept = {name: value for name, value in apart.items() if not name.startswith(folders)}
        return {**kept, "HOME": str(self.home)}

    def _hook(self, event: str, session: str, **fields: object) -> str:
        payload = AGENT.trial.payload(event, session, self._transcript, self.project, **fields)
        return subprocess.run(
            [*self.python, "-m", "cortex_core.hook"],
            input=json.dumps(payload),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
            env=self.environment(),
            cwd=self.project,
            check=False,
        ).stdout


@contextmanager
def scratch(python: Sequence[str] = ()) -> Iterator[Demo]:
    """A demo in a temporary folder that is gone afterwards; `python` runs its hooks."""
    with leftovers.scratch() as folder:
        demo = Demo(folder, python)
        try:
            yield demo
        finally:
            demo.remove()


def try_hooks(python: Sequence[str]) -> str:
    """Send a made-up session through the hooks that `python` runs.

    It runs in a folder of its own, apart from the user's sessions and memories.

    Returns:
        Why nothing was injected into the next session; empty if all went well.
    """
    try:
        with scratch(python) as demo:
            demo.play()
            with demo.open() as cortex:
                learned = len(cortex.list())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if learned and demo.given:
        return ""
    got = "got them" if demo.given else "got none"
    return f"the first session led to {text.memories(learned)}, and the next session {got}"


def run(say: Callable[[str], None], show: Callable[[Demo], None] | None = None) -> int:
    """Run the demo and print what happened; 0 if every step succeeded.

    Args:
        say: prints one line of plain text.
        show: opens the terminal app on what was captured; None without a terminal.
    """
    with scratch() as demo:
        say("Weeks of a made-up project, and a session of today through the real hooks …")
        demo.remember_the_past()
        before = time.time()
        demo.play()
        with demo.open() as cortex:
            memories = [one for one in cortex.list(sort="created") if one.updated >= before]
            found = cortex.recall(QUESTION, limit=3, count=False)
        # Whoever runs a checkout has no `cortex` on the path.
        name = "cortex" if shutil.which("cortex") else sys.argv[0]
        lines = [
            f"\nCaptured: {text.memories(len(memories))}",
            *(f"  {memory.kind:<12} {memory.title}" for memory in reversed(memories)),
            "\nWhat the agent gets when the next session starts:",
            *(
                f"  {line}"
                for line in demo.given.splitlines() or ["(nothing: the hook printed no text)"]
            ),
            f"\nRecall with other words than those of the memory: “{QUESTION}”",
            *(f"  {hit.score:.2f}  {hit.memory.title}" for hit in found),
            *([f"  ({found.degraded})"] if found.degraded else []),
            f"\nNext, with your own sessions:  {name} prove   {name} import transcripts   {name}",
        ]
        for line in lines:  # whoever prints takes one at a time
            say(line)
        if show is not None:
            show(demo)
        return 0 if memories and demo.given and (found.hits or found.degraded) else 1
