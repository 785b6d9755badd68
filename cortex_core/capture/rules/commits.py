"""Commits made in the session: the richest source, with the reasons the agent gave itself.

A commit counts once its result, or a later log, shows that it was made. Amends are folded in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cortex_core.capture.events import EDITS, Event
from cortex_core.capture.rules import causes, touched
from cortex_core.capture.rules.messages import Message, parse
from cortex_core.capture.rules.shell import Call, calls, files_written, option
from cortex_core.capture.rules.state import Found, State, candidate, place
from cortex_core.text import clean, content_hash

_MADE = re.compile(r"\[([^\]\n]{1,160}?) (?:\(root-commit\) )?([0-9a-f]{7,40})\] ")
_CHANGED = re.compile(r"\b\d+ files? changed\b")
_REFUSED = re.compile(
    r"nothing to commit|nothing added to commit|no changes added|did not match any file|\bfatal:"
    r"|\berror:|\bfail(?:ed|ure)|\babort|\bblocked\b|\brejected\b|before committing|exit code [1-9]"
    r"|not a git repository|unable to|permission|hook declined|requested permissions",
    re.IGNORECASE,
)
_WRAPPED = re.compile(
    r"^\W{0,4}(?:ok|success(?:ful(?:ly)?)?|done|committed)\b.{0,60}?(\b[0-9a-f]{7,40}\b)?",
    re.IGNORECASE,
)
_NOT_YET = ("--dry-run", "--fixup", "--squash")
_LONGEST = 6000
"""Most characters kept of a message."""


def on_tool_use(event: Event, state: State) -> None:
    """Note a call that commits, stages, or writes what a later commit may take up."""
    if event.tool in EDITS:
        touched.note_edit(event, state)
        return
    command = event.input.get("command")
    if not isinstance(command, str):
        message = event.input.get("message")
        if event.tool.endswith("git_commit") and isinstance(message, str):
            _await(event, state, message, Call((), ""))
        return
    if "git" not in command and "<<" not in command:
        return
    state.written.update(
        (path, text) for path, text in files_written(command).items() if len(text) < _LONGEST
    )
    for verb in ("add", "rm", "mv"):
        for call in calls(command, "git", verb):
            state.added.extend(touched.paths(call.words[2:], event.cwd))
    for call in calls(command, "git", "commit"):
        if not any(word.startswith(_NOT_YET) for word in call.words):
            _await(event, state, message_of(call, state.written), call)


def message_of(call: Call, written: Mapping[str, str]) -> str:
    """The message a `git commit` call gives, from -m, -F, a here-document or a here-string."""
    words = call.words
    given = option(words, "-m", "--message")
    for number, word in enumerate(words):
        if re.fullmatch(r"-[a-zA-Z]*[a-zA-Z]m", word):
            given.extend(words[number + 1 : number + 2])
    if given:
        return "\n\n".join(given)
    source = option(words, "-F", "--file") + [word[2:] for word in words if word[:3] == "-F-"]
    if not source:
        return ""
    if source[0] == "-":
        return call.stdin
    return source[0] if "\n" in source[0] else written.get(source[0], "")


def _await(event: Event, state: State, message: str, call: Call) -> None:
    """Hold a commit until its result is seen; one call may make several."""
    made = {
        "text": message[:_LONGEST],
        "amend": "--amend" in call.words,
        "quiet": bool({"-q", "--quiet"}.intersection(call.words)),
        "prompt": state.prompt,
        **place(event),
    }
    held = state.waiting.setdefault(event.tool_id, {"kind": "commit", "commits": []})
    if held.get("kind") == "commit":
        held["commits"].append(made)


def on_tool_result(event: Event, state: State, found: Found) -> None:
    """Settle the commits that waited for this result, and those a log confirms."""
    held = state.waiting.get(event.tool_id)
    if held is not None and held.get("kind") == "commit":
        del state.waiting[event.tool_id]
        text = clean(event.text)
        for made in held["commits"]:
            outcome = _outcome(text, made, event.failed)
            if outcome is None:
                state.unconfirmed.append({**made, "refused": event.failed})
            else:
                _settle(made, outcome, text, state, found)
    elif state.unconfirmed:
        _confirm(event, state, found)


def _outcome(text: str, made: Mapping[str, Any], failed: bool) -> tuple[str, str] | None:
    """Branch and hash of the commit where the result shows it was made; None where it does not."""
    subject = str(made["text"]).strip().split("\n", 1)[0]
    made_lines = _MADE.finditer(text) if "] " in text else ()
    shown = [(match[1], match[2], match.end()) for match in made_lines]
    for branch, commit, end in shown:
        if not subject or text.startswith(subject[:40], end):
            return branch, commit
    if shown and len(shown) == 1:
        return shown[0][0], shown[0][1]
    if failed:
        return None
    if _CHANGED.search(text):
        return "", ""
    if logged := _logged(text, subject):
        return "", logged
    if _REFUSED.search(text):
        return None
    if wrapped := _WRAPPED.match(text.strip()):
        return "", wrapped[1] or ""
    return ("", "") if made["quiet"] and len(text.strip()) < 200 else None


def _logged(text: str, subject: str) -> str:
    """The hash before `subject` on a line of a log; empty where there is none."""
    if len(subject) < 8 or subject[:60] not in text:
        return ""
    line = next(line for line in text.split("\n") if subject[:60] in line)
    before = line[: line.index(subject[:60])]
    hashes = re.findall(r"\b[0-9a-f]{7,40}\b", before[-200:])
    return hashes[-1] if hashes else ""


def _confirm(event: Event, state: State, found: Found) -> None:
    """Take commits whose result was hidden, once a later output names hash and subject."""
    for made in list(state.unconfirmed):
        subject = str(made["text"]).strip().split("\n", 1)[0]
        if commit := _logged(event.text, subject):
            state.unconfirmed.remove(made)
            _settle(made, ("", commit), "", state, found)


def _settle(
    made: Mapping[str, Any], outcome: tuple[str, str], text: str, state: State, found: Found
) -> None:
    """File a commit that was made."""
    state.committed = state.turn_committed = True
    branch, commit = outcome
    message = parse(str(made["text"]), str(made["prompt"]), str(made["branch"]))
    files = touched.files(text, str(made["cwd"]), state)
    state.unconfirmed = [one for one in state.unconfirmed if one["text"] != made["text"]]
    if made["amend"]:
        _fold_amend(message, commit, files, state, found)
    if message is None or not message.subject:
        return
    if reason := message.refusal():
        found.refuse(reason)
        return
    mark = {"subject": message.subject, "hash": commit, "text": content_hash(message.content())}
    if any(one["text"] == mark["text"] for one in state.commits):
        return
    _withdraw_same_subject(message.subject, state, found)
    state.commits.append(mark)
    cause = causes.take(message, state)
    found.add(_candidate(message, cause, made, branch, commit, files))


def _candidate(
    message: Message, cause: str, made: Mapping[str, Any], branch: str, commit: str,
    files: tuple[str, ...],
) -> Any:  # fmt: skip
    where = {**made, "branch": branch or made["branch"]}
    content = message.content() + (f"\nCause: {cause}" if cause else "")
    return candidate(
        "commit" if message.body else "commit-subject",
        "solution" if message.is_fix() else "progress",
        content,
        where,
        name=message.subject,
        tags=(message.scope,) if message.scope else (),
        files=files,
        commit=commit,
        excerpt=made["prompt"],
    )


def _fold_amend(
    message: Message | None, commit: str, files: tuple[str, ...], state: State, found: Found
) -> None:
    """Give the commit amended its new hash and files; a new message replaces the old one."""
    if not state.commits:
        return
    last = state.commits[-1]
    for number in range(len(found.candidates) - 1, -1, -1):
        one = found.candidates[number]
        if one.rule in ("commit", "commit-subject") and one.commit == last["hash"]:
            if message is not None and message.subject and not message.refusal():
                del found.candidates[number]
                state.commits.pop()
            else:
                united = tuple(dict.fromkeys((*one.files, *files)))[: touched.MOST]
                found.candidates[number] = replace(one, commit=commit or one.commit, files=united)
            break
    last["hash"] = commit or last["hash"]


def _withdraw_same_subject(subject: str, state: State, found: Found) -> None:
    """The last success of a subject wins: a commit made again replaces the one before."""
    if not any(one["subject"] == subject for one in state.commits):
        return
    hashes = {one["hash"] for one in state.commits if one["subject"] == subject}
    state.commits = [one for one in state.commits if one["subject"] != subject]
    found.candidates = [
        one
        for one in found.candidates
        if not (one.rule in ("commit", "commit-subject") and one.commit in hashes)
    ]
