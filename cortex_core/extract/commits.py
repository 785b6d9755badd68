"""Commits of a session: each becomes an entry of the history, and a memory where its message says
what was wrong and why, or why something was chosen.

A commit counts only when a result shows that it was made. An amended or repeated one replaces the
one before; one that is taken back takes its memory along.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from cortex_core.base.kinds import EPISODE
from cortex_core.base.text import clean, content_hash
from cortex_core.base.tools import CHANGING, WRITE
from cortex_core.extract.messages import CommitLesson, CommitMessage, cause, lesson, parse
from cortex_core.extract.repetition import fingerprint, say_the_same
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.language.patterns import Pattern
from cortex_core.language.shell import Simple, calls, option
from cortex_core.records.events import Candidate, Event

MOST_FILES = 20
"""Most files named with one commit."""

MOST_GLOBS = 5
"""Files up to which what a commit teaches is about these files."""

_SMALL_COMMIT = 3000
"""Characters of a file below which it can be a commit message, for `git commit -F`."""
_COMMIT_HASH = Pattern(
    "hash of a commit", r"\b[0-9a-f]{7,40}\b", finds="at 1a2b3c4", spares="at 1a2b3", flags=0
)


def touched_files(text: str, cwd: str, state: SessionState) -> tuple[str, ...]:
    """The files a commit touched: those staged, else edited, and those its output names."""
    # “ create mode 100644 a.py”
    made = (
        line for line in text.split("\n") if line.startswith((" create mode ", " delete mode "))
    )
    named = [relative(line.split(" ", 4)[-1].strip('" '), cwd) for line in made]
    paths = (*(state.added or state.edited), *named)
    state.added, state.edited = [], []
    return tuple(dict.fromkeys(path for path in paths if path))[:MOST_FILES]


def note_edit(event: Event, state: SessionState) -> None:
    """Note an edited file, and keep the text of a small one that may be a commit's message."""
    path = event.input.get("file_path")
    if not isinstance(path, str):
        return
    content = event.input.get("content")
    if event.tool == WRITE and isinstance(content, str) and len(content) < _SMALL_COMMIT:
        state.written[path] = content
    below = relative(path, event.cwd)
    if below and below not in state.edited:
        state.edited.append(below)


def relative(path: str, cwd: str) -> str:
    """`path` relative to `cwd`, with `/`; empty for a file elsewhere."""
    if path[1:3] == ":\\":  # Windows
        path, cwd = path.replace("\\", "/"), cwd.replace("\\", "/")
    if cwd and path.startswith(cwd.rstrip("/") + "/"):
        return path[len(cwd.rstrip("/")) + 1 :]
    return "" if path.startswith(("/", "~", "..")) or path[1:3] == ":/" else path.removeprefix("./")


_COMMITTED = Pattern(
    "what git says of a commit",
    r"\[([^\]\n]{1,160}?) (?:\(root-commit\) )?([0-9a-f]{7,40})\] ",
    finds="[main 1a2b3c4] Fix it",
    spares="[main] Fix it",
    flags=0,
)
_CHANGED = Pattern(
    "how many files a commit changed",
    r"\b\d+ files? changed\b",
    finds="2 files changed",
    spares="files changed",
    flags=0,
)
_REFUSED = Pattern(
    "a commit that was not made",
    r"nothing to commit|nothing added to commit|no changes added|did not match any file|\bfatal:"
    r"|\berror:|\bfail(?:ed|ure)|\babort|\bblocked\b|\brejected\b|before committing|exit code [1-9]"
    r"|not a git repository|unable to|permission|hook declined|requested permissions",
    finds="nothing to commit",
    spares="1 file changed",
)
_NOT_YET = ("--dry-run", "--fixup", "--squash")
LESSONS = ("fix", "commit-decision")
"""The rules of what a message is worth remembering for."""
SAME_LESSON = 0.5
"""Share of common words from which a commit and an answer say the same."""
COMMIT, PULL = "commit:", "pr:"
"""How the events of commits and of pull requests begin."""
_HASH = 7
"""Digits of a hash by which a commit is known: as many as git prints."""
_LONGEST_MESSAGE = 6000
"""Most characters kept of a message."""


def on_tool_use(event: Event, state: SessionState) -> None:
    """Note a call that commits or stages, or writes a file that may be a commit's message."""
    if event.tool in CHANGING:
        note_edit(event, state)
        return
    command = event.input.get("command")
    if not isinstance(command, str):
        message = event.input.get("message")
        if event.tool.endswith("git_commit") and isinstance(message, str):
            _await(event, state, message, Simple(()))
        return
    for verb in ("add", "rm", "mv"):
        for call in calls(command, "git", verb):
            # A folder, `.` or `-A` names no file.
            state.added.extend(
                relative(word, event.cwd)
                for word in call.words[2:]
                if not word.startswith(("-", "2>", ">", "$")) and re.search(r"\w\.\w+$|file$", word)
            )
    for call in calls(command, "git", "commit"):
        if not any(word.startswith(_NOT_YET) for word in call.words):
            _await(event, state, message_of(call, state.written), call)
    for call in calls(command, "git", "revert"):
        # The body that git writes; the subject is known from the output.
        hashes = filter(_COMMIT_HASH.regex.fullmatch, call.words)
        body = "\n".join(f"This reverts commit {each}." for each in hashes)
        _await(event, state, "", call, body=body)


def message_of(call: Simple, written: Mapping[str, str]) -> str:
    """The message of a `git commit` call, from -m, -F, a here-document or a here-string."""
    words = call.words
    messages = option(words, "-m", "--message")
    for number, word in enumerate(words):
        if word.startswith("-") and word.endswith("m") and word[1:-1].isalpha():
            messages.extend(words[number + 1 : number + 2])
    if messages:
        return "\n\n".join(messages)
    source = option(words, "-F", "--file") + [word[2:] for word in words if word[:3] == "-F-"]
    if not source:
        return ""
    return (
        call.reads[1]
        if source[0] == "-"
        else source[0]
        if "\n" in source[0]
        else written.get(source[0], "")
    )


def _await(
    event: Event, state: SessionState, message: str, call: Simple, *, body: str = ""
) -> None:
    """Keep a commit until its result is known; one call may make several.

    Args:
        body: what is known of a message whose subject git writes.
    """
    pending = {
        "text": message[:_LONGEST_MESSAGE],
        "body": body,
        "amend": "--amend" in call.words,
        "quiet": bool({"-q", "--quiet"}.intersection(call.words)),
        "prompt": state.prompt,
        **source_of(event),
    }
    waiting = state.waiting.setdefault(event.tool_id, {"kind": "commit", "commits": []})
    if waiting.get("kind") == "commit":
        waiting["commits"].append(pending)


def on_tool_result(event: Event, state: SessionState, findings: Findings) -> None:
    """File the commits that their own result confirms."""
    call = state.take_awaited(event, "commit")
    text = clean(event.text) if call else ""
    for pending in call["commits"] if call else ():
        if result := outcome(text, pending, event.failed):
            # Of a message that nobody typed, git's own line shows the subject.
            if not (pending["amend"] or pending["text"]):
                pending["text"] = f"{subject_shown(text)}\n\n{pending.get('body', '')}"
            _settle(pending, result, text, state, findings)


def subject_shown(text: str) -> str:
    """The subject that git's own line about a commit shows; empty without one."""
    shown = _COMMITTED.regex.search(text)
    return text[shown.end() :].partition("\n")[0].strip() if shown else ""


def titles_logged(text: str) -> list[str]:
    """The titles in the lines of a log that each begin with a hash, the newest first."""
    titles = []
    for line in text.split("\n"):
        commit, _, title = line.lstrip("*|\\/ ").partition(" ")
        if _COMMIT_HASH.regex.fullmatch(commit):
            # In brackets stand the branches and tags of the commit.
            titles.append(title.partition(") ")[2] if title.startswith("(") else title)
    return titles


def outcome(text: str, pending: Mapping[str, Any], failed: bool) -> tuple[str, str] | None:
    """Branch and hash of a commit that `text` shows to be made, empty where it does not say them;
    None where it shows none.

    Args:
        pending: the message as `text`, and whether git was told to be `quiet`.

    The surest sign comes first: git's own line, then a count of files, a log, and at last the
    silence of `--quiet`.
    """
    subject = str(pending["text"]).strip().split("\n", 1)[0]
    lines = _COMMITTED.regex.finditer(text) if "] " in text else ()  # an output may be long
    shown = [((match[1], match[2]), match.end()) for match in lines]
    for result, end in shown:
        if not subject or text.startswith(subject[:40], end) or len(shown) == 1:
            return result
    if failed:
        return None
    logged: list[str] = []
    if len(subject) >= 8:
        line = next((line for line in text.split("\n") if subject[:60] in line), "")
        logged = _COMMIT_HASH.regex.findall(line.partition(subject[:60])[0][-200:])
    is_counted = _CHANGED.is_in(text)
    is_silent = pending["quiet"] and len(text.strip()) < 200 and not _REFUSED.is_in(text)
    return ("", "".join(logged[-1:])) if logged or is_counted or is_silent else None


def _settle(
    pending: Mapping[str, Any],
    result: tuple[str, str],
    text: str,
    state: SessionState,
    findings: Findings,
) -> None:
    """File a commit that was made, unless it is trivial or a repetition."""
    state.committed = True
    message = parse(str(pending["text"]))
    names = touched_files(text, str(pending["cwd"]), state)
    if pending["amend"]:
        _fold_amend(message, result[1], names, state, findings)
    if message is None or not message.subject:
        return
    said = content_hash(message.content())
    # A commit that is made again may have another hash, and knows more.
    repeated = [each for each in state.commits if each["subject"] == message.subject]
    _withdraw(repeated, findings)
    state.commits = [each for each in state.commits if each not in repeated]
    _withdraw_reverted(message, state, findings)
    if message.is_trivial():
        findings.refuse("trivial commit")
        return
    branch, commit = result
    event = f"{COMMIT}{(commit or said)[:_HASH]}"
    state.commits.append({"subject": message.subject, "hash": commit, "event": event})
    # What was under way then is what it holds: agents rarely check off a list before they stop.
    for task in state.tasks.values():
        task["state"] = "committed" if task["state"] == "in_progress" else task["state"]
    where = {**pending, "branch": branch or pending["branch"]}
    more: dict[str, Any] = {
        "tags": message.tags(),
        "files": names,
        "commit": commit,
    }
    findings.add(
        "commit",
        EPISODE,
        message.content(),
        where,
        name=message.subject,
        details={"event": event},
        **more,
    )
    is_plain = all(map(frozenset("*?[{").isdisjoint, names))
    globs = names if is_plain and len(names) <= MOST_GLOBS else ()
    file_lesson(lesson(message), event, where, findings, globs=globs, **more)


def file_lesson(
    found: CommitLesson | None,
    event: str,
    where: Mapping[str, Any],
    findings: Findings,
    **more: Any,
) -> None:
    """File what a message is worth remembering for.

    An answer says again what the commits said, so it adds nothing then; a later commit on the same
    matter replaces what an earlier one taught.

    Args:
        event: the entry of the history that it comes from, with which it is withdrawn; empty where
            there is none.
        more: fields of the candidate.
    """
    if found is None:
        return
    # Of two commits on one matter the later one knows more; others only repeat them.
    words = fingerprint(found.content)
    earlier = [
        taken
        for taken in findings.candidates
        for others in ([fingerprint(taken.content)] if taken.rule in LESSONS else ())
        if len(words & others) >= SAME_LESSON * min(len(words), len(others))
    ]
    if earlier and not event.startswith(COMMIT):
        findings.refuse("said already")
        return
    findings.candidates = [taken for taken in findings.candidates if taken not in earlier]
    rule = "fix" if found.kind == "solution" else "commit-decision"
    findings.add(
        rule, found.kind, found.content, where, name=found.title, details={"of": event}, **more
    )


def on_answer(state: SessionState, findings: Findings) -> None:
    """File what the answer that ended a turn says was wrong, if files were changed in it."""
    found = cause(str(state.said.get("text", ""))) if state.edits > state.edits_before else None
    state.edits_before = state.edits
    file_lesson(found, "", {**state.said, "prompt": state.prompt}, findings)


def _comes_from(taken: Candidate, event: str) -> bool:
    """Whether a candidate is this entry of the history, or was learned from it."""
    return bool(event) and event in (taken.details.get("event"), taken.details.get("of"))


def _fold_amend(
    message: CommitMessage | None,
    commit: str,
    files: tuple[str, ...],
    state: SessionState,
    findings: Findings,
) -> None:
    """Give the amended commit its new hash and files; a new message replaces the old one."""
    if not state.commits:
        return
    last = state.commits[-1]
    if message is not None and message.subject and not message.is_trivial():
        _withdraw([last], findings)
        del state.commits[-1]
        return
    event = f"{COMMIT}{commit[:_HASH]}" if commit else str(last.get("event", ""))
    for index, taken in enumerate(findings.candidates):
        if _comes_from(taken, str(last.get("event", ""))):
            united = tuple(dict.fromkeys((*taken.files, *files)))[:MOST_FILES]
            details = {**taken.details, "event" if "event" in taken.details else "of": event}
            findings.candidates[index] = replace(
                taken, commit=commit or taken.commit, files=united, details=details
            )
    last.update(hash=commit or last["hash"], event=event)


def _withdraw(commits: list[dict[str, Any]], findings: Findings, *, history: bool = True) -> None:
    """Drop what was learned from these commits, and with `history` their entries as well."""
    events = [str(each.get("event", "")) for each in commits]
    findings.candidates = [
        taken
        for taken in findings.candidates
        if (taken.kind == EPISODE and not history)
        or not any(_comes_from(taken, event) for event in events)
    ]


def _withdraw_reverted(message: CommitMessage, state: SessionState, findings: Findings) -> None:
    """Drop what was learned from the commits that this one takes back; they stay history."""
    subject, commit = message.reverted()
    reverted = [
        each
        for each in state.commits
        if (subject and each["subject"] == subject)
        or (commit and each["hash"] and commit.startswith(each["hash"][:_HASH]))
    ]
    _withdraw(reverted, findings, history=False)
    for each in reverted:
        findings.withdraw(partial(say_the_same, other=each["subject"]))
