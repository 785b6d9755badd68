"""What a language model is shown of a session: its redacted messages, in chunks of one request.

It is shown prose without longer code, pasted lines and private text; what tools were used on, but
for tools that only look; what the user answered and refused; and of a result the one line that
names the cause or the proof, as untrusted. Nothing is shown twice: a run of edits is one message, a
commit that was amended or tried again is shown as it was in the end.
"""

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal

from cortex_core.base import text
from cortex_core.base.tools import (
    CHANGING,
    ON_FILES,
    PLAN,
    QUESTION,
    SHELLS,
    SUBAGENT,
    WEB,
    objects,
)
from cortex_core.extract import commits as session_commits, summaries, telling
from cortex_core.extract.own_words import looks_pasted
from cortex_core.language import shell, shell_results
from cortex_core.language.markdown_parts import without_fences
from cortex_core.language.patterns import Pattern
from cortex_core.records.events import Event
from cortex_core.redaction import secrets

Speaker = Literal["user", "assistant", "subagent", "action", "outcome", "summary"]
"""subagent: the report of an agent that did a part of the work. It is a model's conclusion, as a
reply is, and nothing that a program or a page printed, so it is as trusted as a reply; it is named
apart because the user has not seen it, and cannot have agreed to it in silence."""

LARGEST_CHUNK = 65_000
"""Most characters of one chunk."""

MOST_TOKENS = 80_000
"""Most tokens of one chunk, as estimated: with the instructions it is below the price step."""

LONGEST_MESSAGE = 12_000
"""Most characters of one message; a longer one keeps its head and tail."""

LONGEST_PROMPT = 200
"""Most characters of a prompt where all of a session's prompts are listed."""

LAST_MESSAGES = 12
"""Messages that show how a session ended: as many as the closing pass was measured with."""

LONGEST_ACTION = 600
"""Most characters of a command, and of what another tool was used on."""

LONGEST_WORD = 100
"""Characters up to which a word is not cut; a longer one belongs to a script without blanks."""

LONGEST_NAME = 60
"""Most characters of a command where it is only named."""

LONGEST_COMMIT = 2_000
"""Most characters of a command whose message says what was done and why."""

LONGEST_REPORT = 3_000
"""Most characters of a sub-agent's report."""

LONGEST_CHOICE = 240
"""Most characters of an option's description, and of the preview of the chosen one."""

SHORT_CODE = 2
"""Lines up to which a code block is prose: it holds a command."""

SHORT_TABLE = 12
"""Rows, without the header and the rule below it, up to which a table is shown."""

LONGEST_RUN = 100
"""Edits in a row that are one message: each further one repeats it."""

MOST_NAMES = 12
"""Most files that a run of edits names."""

_WITH_MESSAGE = (
    ("git", "commit"),
    ("gh", "pr", "create"),
    ("gh", "pr", "edit"),
    ("gh", "issue", "create"),
    ("glab", "mr", "create"),
)
"""Commands whose long text is a message for people, and no code."""

_MISSING = ("no such file", "not a directory", "no matches", "does not exist", "cannot access")
"""What a look that found nothing prints: it says nothing that lasts."""

_REWRITING = ("cherry-pick", "rebase", "reset")
"""Subcommands of git after which a branch may hold other commits than before."""

_LIMITED = frozenset(("--", "--all", "--author", "--grep", "-G", "-S"))
"""Options of a log that leave commits of the branch out, or show those of others."""

_PASSING = ("wip", "fixup!", "squash!", "amend!")
"""How the titles begin of commits that become part of others."""

_INLINE = Pattern(
    "code in quotes that a program is given",
    r"(\b(?:python[\d.]*|node|perl|ruby|php)\b[^|;&\n]{0,60}?\s-[ce]\s+)"
    r"('[^']*'|\"(?:[^\"\\]|\\.)*\")",
    finds="python -c 'print(1)'",
    spares="python a.py 'b'",
    flags=0,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestLine:
    """One message of a session, as it is shown to the model."""

    number: int
    """From 1 through the session, so that a later chunk can cite what an earlier one said."""
    speaker: Speaker
    text: str
    event: Event
    """Where it comes from: the position only, without words or arguments."""
    commits: tuple[str, ...] = ()
    """The titles of the commits that it made."""

    @property
    def is_untrusted(self) -> bool:
        """Whether neither the user nor an agent said it."""
        return self.speaker == "outcome"

    def __str__(self) -> str:
        return f"[{self.number} {self.speaker}] " + self.text.replace("\n", "\n  ") + "\n"


@dataclass(frozen=True, slots=True)
class Chunk:
    """The messages that are sent in one request."""

    lines: tuple[DigestLine, ...]

    @property
    def text(self) -> str:
        """The messages, one below the other; indented lines inside one cannot begin another."""
        return "".join(map(str, self.lines))

    @property
    def span(self) -> tuple[int, int]:
        """Byte offsets of its first and last message in the transcript."""
        return self.lines[0].event.offset, self.lines[-1].event.offset


def lines(events: Iterable[Event], ignored: Sequence[str] = ()) -> list[DigestLine]:
    """The messages of redacted `events`, except those from `ignored` folders and files."""
    session = _Session(ignored)
    for event in events:
        if not event.sidechain and not secrets.is_ignored(event.cwd, ignored):
            session.add(event)
    return [replace(line, number=number) for number, line in enumerate(session.said, 1)]


def chunks(said: Iterable[DigestLine]) -> list[Chunk]:
    """The messages in chunks of at most `LARGEST_CHUNK` characters, cut before prompts."""
    full: list[Chunk] = []
    pending: list[DigestLine] = []
    size = tokens = 0
    for line in said:
        line_size, line_tokens = len(str(line)) + 8, text.tokens(line.text) + 6
        if pending and (size + line_size > LARGEST_CHUNK or tokens + line_tokens > MOST_TOKENS):
            cut = _break(pending)
            full.append(Chunk(tuple(pending[:cut])))
            pending = pending[cut:]
            size = sum(len(str(kept)) + 8 for kept in pending)
            tokens = sum(text.tokens(kept.text) + 6 for kept in pending)
        pending.append(line)
        size += line_size
        tokens += line_tokens
    return [*full, Chunk(tuple(pending))] if pending else full


def prompts(said: Sequence[DigestLine]) -> list[str]:
    """The user's prompts, each on one line of at most `LONGEST_PROMPT` characters."""
    return [
        f"[{line.number}] {_cut(text.one_line(line.text), LONGEST_PROMPT)}"
        for line in said
        if line.speaker == "user"
    ]


def commits(said: Sequence[DigestLine]) -> list[str]:
    """The titles of the session's commits, in their order; of one made again the last."""
    made: dict[str, int] = {}
    for line in said:
        for title in line.commits:
            made.pop(title, None)
            made[title] = line.number
    lasting = (title for title in made if not title.lower().startswith(_PASSING))
    return [f"[{made[title]}] {title}" for title in lasting]


def ending(said: Sequence[DigestLine], budget: int) -> list[str]:
    """The last `LAST_MESSAGES` messages, each cut to its share of `budget` characters."""
    last = said[-LAST_MESSAGES:]
    return [str(replace(line, text=_cut(line.text, budget // len(last)))) for line in last]


def prose(words: str) -> str:
    """`words` without private text, code of more than `SHORT_CODE` lines and pasted lines.

    Of pasted lines in a row, such as a log, the first one that names an error stays, and a table
    stays up to `SHORT_TABLE` rows.
    """
    plain = secrets.strip_private(text.clean(words))
    kept = without_fences(plain, tables=True, keep=SHORT_CODE, mark=True, quoted=True)
    own: list[str] = []
    for form, group in groupby(kept.split("\n"), _form):
        run = list(group)
        if form == "table" and len(run) > SHORT_TABLE + 2:
            own.append(f"[table, {len(run) - 2} rows]")
        elif form != "pasted":
            own += run
        elif error := telling.cause("\n".join(run)):
            own.append(error)
    return "\n".join(own).strip()


def _form(line: str) -> Literal["table", "pasted", "prose"]:
    row = line.strip()
    if len(row) > 1 and row[0] == row[-1] == "|":
        return "table"
    return "pasted" if looks_pasted(line) else "prose"


def _break(said: Sequence[DigestLine]) -> int:
    """Where to cut a full chunk: before the last prompt of its second half, else at its end."""
    for index in range(len(said) - 1, len(said) // 2, -1):
        if said[index].speaker == "user":
            return index
    return len(said)


class _Session:
    """The messages of a session as they come in, and what a later one may still change."""

    def __init__(self, ignored: Sequence[str]) -> None:
        self.said: list[DigestLine] = []
        self._ignored = ignored
        self._queued: set[str] = set()
        self._calls: dict[str, tuple[str, str, int]] = {}
        """What a call does, its command, and the index of its message (-1: none)."""
        self._edited: list[str] = []
        """The files of the last run of edits."""
        self._run = -1
        """The index of its message; -1 without one."""
        self._commit = -1
        """The index of the last message that commits; -1 without one."""
        self._branch: list[str] = []
        """The titles of the commits of the branch, the newest first, as far as a log shows them."""
        self._is_rewritten = False
        """Whether they may have been replaced since."""
        self._refusal = -1
        """The index of the last refusal, which the user's words about it may follow."""

    def add(self, event: Event) -> None:
        """Take in the next event."""
        if event.role == "tool_use":
            self._on_use(event)
        elif event.role == "tool_result":
            self._on_result(event)
        elif event.role == "synthetic":
            self._report(event)
            self._say("user", "[picture]" if event.input.get("picture") else "", event)
        elif event.role == "compaction":
            self._say("summary", prose(summaries.essence(text.clean(event.text))), event)
        elif event.role == "assistant":
            self._say("assistant", prose(event.text), event)
        elif event.role == "queued":
            self._queued.add(event.text)
            self._say("user", prose(event.text), event)
        # A prompt may repeat what was typed ahead.
        elif event.role == "human" and event.text not in self._queued:
            self._on_prompt(event)

    def _say(self, speaker: Speaker, words: str, event: Event) -> None:
        if not words:
            return
        # Without its words: a long session that waits for the model must fit in memory.
        place = Event(
            role=event.role,
            uuid=event.uuid,
            message=event.message,
            session=event.session,
            time=event.time,
            offset=event.offset,
            cwd=event.cwd,
            branch=event.branch,
        )
        self.said.append(
            DigestLine(number=0, speaker=speaker, text=_cut(words, LONGEST_MESSAGE), event=place)
        )

    def _on_prompt(self, event: Event) -> None:
        """The user's words; those to a refusal stand with it."""
        words = prose(event.text)
        if event.input.get("picture"):
            words = f"[picture] {words}"
        last = self.said[-1] if self._refusal == len(self.said) - 1 >= 0 else None
        if last is not None and last.event.offset == event.offset and words:
            self.said[self._refusal] = replace(last, text=f"{last.text}: {words}")
        else:
            self._say("user", words, event)

    def _report(self, event: Event) -> None:
        self._say(
            "subagent", _cut(prose(str(event.input.get("report") or "")), LONGEST_REPORT), event
        )

    # --- what the agent does

    def _on_use(self, event: Event) -> None:
        """Tell what a tool is used on, unless it only looks, and keep it for its result."""
        given, place, command = event.input, len(self.said), ""
        does = f"the call of {event.tool_name}"
        if event.tool in CHANGING:
            path = str(given.get("file_path") or "")
            if secrets.is_ignored(path, self._ignored):
                return
            path = session_commits.relative(path, event.cwd) or path
            does = f"the edit of {path}"
            self._on_edit(path, event)
        elif event.tool in SHELLS:
            # A look is kept too: where it fails, or shows the state of a release, it is shown.
            command = secrets.strip_private(text.clean(str(given.get("command", "")))).strip()
            does = f"the command `{_cut(text.one_line(command), LONGEST_NAME)}`"
            if any(map(shell_results.does_something, shell.simple_commands(command))):
                self._say("action", f"ran: {_command(command)}", event)
        elif event.tool == PLAN:
            does = "the plan"
            self._say("action", f"plan: {prose(str(given.get('plan', '')))}", event)
        elif event.tool == QUESTION:
            does = "the question"
            self._say("action", _questions(given), event)
        elif event.tool == WEB:
            about = given.get("url") or given.get("query") or ""
            self._say("action", f"{event.tool_name} {about}"[:LONGEST_ACTION], event)
        elif event.tool == SUBAGENT:
            self._say("action", f"gave a sub-agent: {given.get('description', '')}", event)
        self._calls[event.tool_id] = does, command, place if len(self.said) > place else -1

    def _on_edit(self, path: str, event: Event) -> None:
        """Tell an edit; edits in a row are one message."""
        if self._run == len(self.said) - 1 >= 0 and len(self._edited) < LONGEST_RUN:
            self._edited.append(path)
            self.said[self._run] = replace(self.said[self._run], text=_edits(self._edited))
        else:
            self._edited, self._run = [path], len(self.said)
            self._say("action", _edits(self._edited), event)

    # --- what came of it

    def _on_result(self, event: Event) -> None:
        """Tell what a result says: an answer, a report, a refusal, a cause or a proof."""
        does, command, index = self._calls.pop(event.tool_id, ("a call", "", -1))
        if event.tool == SUBAGENT and not event.failed:
            self._report(event)
        elif event.tool == QUESTION and not event.failed:
            self._say("user", _answers(event), event)
        elif event.tool == PLAN and not event.failed:
            is_approved = event.input.get("approved")
            self._say(
                "user", "approved the plan above" if is_approved else prose(event.text), event
            )
        elif event.interrupted:
            self._refusal = len(self.said)
            self._say("user", f"refused {does} above", event)
        elif event.tool not in ON_FILES:  # the client itself says how its own tools are used
            self._on_outcome(event, does, command, index)

    def _on_outcome(self, event: Event, does: str, command: str, index: int) -> None:
        output = secrets.strip_private(text.clean(event.text)).strip()
        is_look = event.tool in SHELLS and index < 0
        name = "" if 0 <= index == len(self.said) - 1 else f"{does} "
        if event.failed:
            found, how = telling.cause(output), "failed: "
            if is_look and any(words in output.lower() for words in _MISSING):
                found = ""
        else:
            found, how = telling.proof(command, output), "printed: "
        if command and index >= 0:
            self._on_commits(command, output, event.failed, index)
        logs = (
            [word.partition("=")[0] for word in call.words]
            for call in shell.calls(command, "git", "log")
        )
        if self.said and any(map(_LIMITED.isdisjoint, logs)):
            self._on_log(output)
        self._say("outcome", f"{name}{how}{found}" if found else "", event)

    def _on_commits(self, command: str, output: str, failed: bool, index: int) -> None:
        """Name the commits of a command, and show one that is made again only as it is then."""
        for call in shell.calls(command, "git", "commit"):
            message = session_commits.message_of(call, {}).strip()
            title = message.split("\n")[0]
            if not title or "$" in title:  # the shell makes it up
                title = session_commits.subject_shown(output)
            pending = {"text": title, "quiet": not {"-q", "--quiet"}.isdisjoint(call.words)}
            is_made = session_commits.outcome(output, pending, failed) is not None
            # In the middle of a rebase it is not the last commit that is amended.
            is_amend = is_made and "[detached HEAD" not in output and "--amend" in call.words
            line, earlier = self.said[index], self.said[self._commit]
            is_known = 0 <= self._commit < index
            is_same = is_known and is_amend and not message
            if is_same:
                title = title or "".join(earlier.commits[-1:])
            is_retried = not earlier.commits and title in earlier.text
            if is_known and message and (is_amend or is_retried):
                again = f"ran: git commit, made again by message {index + 1}"
                self.said[self._commit] = replace(earlier, text=again, commits=())
            whole = line.text if message or not title else f"{line.text}\ncommitted: {title}"
            titles = (title,) if title and is_made and not is_same else ()
            self.said[index] = replace(line, text=whole, commits=(*line.commits, *titles))
            self._branch = [*titles, *self._branch]
            self._commit = self._commit if is_same else index
        if any(True for verb in _REWRITING for _ in shell.calls(command, "git", verb)):
            self._is_rewritten = True

    def _on_log(self, output: str) -> None:
        """After a rebase or a reset, take the commits from the log that shows what is left."""
        listed = session_commits.titles_logged(output)
        shared = [title for title in self._branch if title in listed]
        if self._is_rewritten and shared:
            # What is newer than the oldest commit that both know was made by the session.
            after = listed[: listed.index(shared[-1])]
            gone = set(self._branch[: self._branch.index(shared[-1])]).difference(after)
            made = {title for line in self.said for title in line.commits}
            for index, line in enumerate(self.said):
                if line.commits:
                    self.said[index] = replace(
                        line, commits=tuple(title for title in line.commits if title not in gone)
                    )
            new = tuple(title for title in reversed(after) if title not in made)
            self.said[-1] = replace(self.said[-1], commits=(*self.said[-1].commits, *new))
            self._is_rewritten = False
        self._branch = listed or self._branch


def _edits(paths: Sequence[str]) -> str:
    """A run of edits by the folder that they share and the files below it."""
    names = list(dict.fromkeys(paths))
    if len(names) == 1:
        return f"edited {names[0]}" + (f" ({len(paths)} times)" if len(paths) > 1 else "")
    folder = posixpath.dirname(posixpath.commonprefix(names))
    below = [name.removeprefix(folder).removeprefix("/") for name in names]
    more = ", …" if len(below) > MOST_NAMES else ""
    shared = f" in {folder}" if folder else ""
    return f"{len(paths)} edits{shared}: {', '.join(below[:MOST_NAMES])}{more}"


def _command(command: str) -> str:
    """A shell command without the texts and code inside it, unless it has a message for people."""
    if any(True for words in _WITH_MESSAGE for _ in shell.calls(command, *words)):
        return _cut(command, LONGEST_COMMIT)
    bare = shell.HERE_DOCUMENT.regex.sub(r"<< …\3", f"{command}\n").rstrip()
    return _cut(_INLINE.regex.sub(r"\1…", bare), LONGEST_ACTION)


def _questions(given: Mapping[str, Any]) -> str:
    """The questions of a form with all their options."""
    asked: list[str] = []
    for form in objects(given.get("questions")):
        asked.append(f"asked: {form.get('question', '')}")
        for option in objects(form.get("options")):
            described = _cut(str(option.get("description", "")), LONGEST_CHOICE)
            asked.append(f"- {option.get('label', '')}: {described}")
    return secrets.strip_private(text.clean("\n".join(asked)))


def _answers(event: Event) -> str:
    """What the user chose, with the notes to it and the preview that was shown."""
    answers, more = event.input.get("answers"), event.input.get("annotations")
    if not isinstance(answers, Mapping) or not answers:
        return prose(event.text)
    parts: list[str] = []
    for question, answer in answers.items():
        parts.append(f"answered “{_cut(question, LONGEST_CHOICE)}”: {answer}")
        note = more.get(question) if isinstance(more, Mapping) else None
        for name in ("notes", "preview"):
            if isinstance(note, Mapping) and note.get(name):
                parts.append(f"{name}: {_cut(str(note[name]), LONGEST_CHOICE)}")
    return secrets.strip_private(text.clean("\n".join(parts)))


def _cut(words: str, longest: int) -> str:
    """The head and the tail of `words`, cut between words where the script has blanks."""
    if len(words) <= longest:
        return words
    head, tail = words[: longest * 2 // 3], words[longest * 2 // 3 - longest :]
    before, _, last = head.rpartition(" ")
    first, _, after = tail.partition(" ")
    head = before if before and len(last) < LONGEST_WORD else head
    tail = after if after and len(first) < LONGEST_WORD else tail
    return f"{head} […] {tail}"
