"""Commits of a session as memories: the message, the files touched, and the cause a fix settles.

A commit counts only when a result shows that it was made. What the agent says about causes waits
for the commit that fixes them, and becomes a memory of its own if none does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from cortex_core.base.languages import language
from cortex_core.base.text import clean, content_hash, marked_identifiers
from cortex_core.duplicates.features import stem
from cortex_core.extract import wording
from cortex_core.extract.repetition import fingerprint
from cortex_core.extract.sentences import cut, mask, sentences, unwrapped
from cortex_core.extract.shell import ShellCommand, calls, files_written, option
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.extract.wording import is_thin, plain, without_opener
from cortex_core.transcripts.events import EDITS, Event

LONGEST = 900
"""Most characters of a commit's memory."""

_SHORTEST_BODY = 60
"""Characters; a shorter body explains nothing."""
_TYPES = (
    "feat|feature|fix|bugfix|hotfix|docs?|style|refactor|perf|tests?|build|ci|chore|revert|security"
    "|deps?|release|wip|improvement|enhancement|infra|ops|config|ui|ux|types?|i18n|data"
)
_PREFIX = re.compile(rf"^({_TYPES})(?:\(([^()\n]{{1,60}})\))?(!?):\s+", re.IGNORECASE)
_GITMOJI = re.compile(r"^(?::[a-z0-9_+-]{2,40}:|[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f])+\s*")
_TICKET_FIRST = re.compile(r"^(?:\[?[A-Z][A-Z0-9]{1,9}-\d+\]?|\[?#\d+\]?|GH-\d+)\s*[:\-–]?\s+")
_TICKET_LAST = re.compile(r"\s*[(\[](#?[\w./-]{2,40})[)\]]\s*$")
_TRAILER = re.compile(
    r"^(?:[A-Z][a-z]+(?:-[A-Za-z]+)*-[Bb]y|Change-Id|Claude-Session|Cc|Refs?|References|Related"
    r"|Issues?|Closes?|Fixes|Resolves|Ticket|Jira|Bead|See-also|Task|Session-Id|[A-Z][a-z]+-"
    r"(?:Session|Checkpoint|Agent|Id|Link|Url|Metadata)(?:-\w+)?)\b:?\s+\S.{0,200}$"
    r"|^\W*(?:Generated|Created|Written|Made) (?:with|by|using) \[?.{0,120}$|^https://claude\.\S+$"
)
_TRIVIAL = re.compile(
    r"^(?:wip\b|merge\b|revert\b|bump\b|fixup!|squash!|release\b|initial commit|init\b|first commit"
    r"|v?\d+\.\d+|sync\b|checkpoint\b|save\b|tmp\b|temp\b|test$|update$|changes$|\.+$)",
    re.IGNORECASE,
)
_SMALL = re.compile(
    r"\b(?:typos?|formatt?(?:ing|ed)?|prettier|whitespace|lint(?:ing|er)?|unused|comments?"
    r"|docstrings?|\.?gitignore|changelog|stray|dead code|spelling|wording|snapshots?|lock ?files?"
    r"|version bump|(?:restore|remove|rename|move|update|modify) (?:\w+ )?[\w.-]+\.(?:txt|md)\b"
    r"|review (?:feedback|comments)|nits?|clean ?up)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since|so that|so the|to avoid|avoids?|to prevent|prevent(?:s|ed|ing)?|instead of"
    r"|rather than|otherwise|without (?:this|it|which|the)|never|always|must|requires?|required"
    r"|needs?|needed|cannot|can't|only|not subject to|fails?|failed|broke|breaks?|due to|caused? by"
    r"|workaround|limit(?:ation|ed|s)?|unsupported|doesn't|does not|don't|do not|no longer"
    r"|until)\b",
    re.IGNORECASE,
)
_FIX = re.compile(
    r"^(?:fix|repair|resolve|correct|prevent|avoid|handle|stop|guard|unbreak|work around|restore)"
    r"(?:es|ed|s)?\b",
    re.IGNORECASE,
)
_MINOR = frozenset({"test", "tests", "docs", "doc", "style", "wip", "release", "revert"})


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """A commit message in its parts."""

    subject: str
    body: str
    """Unwrapped, without trailers; empty if it explains nothing."""
    type: str = ""
    """The type of a conventional commit, in lower case."""
    scope: str = ""

    def is_fix(self) -> bool:
        """Whether the commit solved something."""
        if self.type:
            return self.type in ("fix", "bugfix", "hotfix", "security")
        return bool(_FIX.match(self.subject))

    def refusal(self) -> str:
        """Why the commit is not worth a memory; empty when it is."""
        if _TRIVIAL.match(self.subject) or self.type in ("wip", "release", "revert"):
            return "trivial commit"
        if self.type not in ("feat", "feature", "perf") and _SMALL.search(self.subject):
            return "trivial commit"
        if is_thin(self.subject, 2):
            return "trivial commit"
        reasoned = _REASON.search(f"{self.subject} {self.body}")
        if self.type in _MINOR and not (self.body and reasoned):
            return "minor commit"
        if not self.body and not (reasoned or (self.type and not is_thin(self.subject, 4))):
            return "commit without a body"
        return ""

    def content(self) -> str:
        """The message as one text: the subject as a sentence, then the body."""
        subject = self.subject if self.subject.endswith((".", "!", "?")) else f"{self.subject}."
        return cut(f"{subject}\n{self.body}" if self.body else subject, LONGEST)


def parse(text: str, *names: str) -> CommitMessage | None:
    """The parts of the commit message `text`; None if it is empty.

    `names` are texts, such as the branch and the prompt: what they contain is taken for a ticket's
    name when it ends the subject in brackets.
    """
    lines = clean(text).strip().split("\n")
    subject = " ".join(_GITMOJI.sub("", lines[0].strip()).split())
    if not subject:
        return None
    prefix = _PREFIX.match(subject)
    kind, scope = (prefix[1].lower(), prefix[2] or "") if prefix else ("", "")
    subject = subject[prefix.end() :] if prefix else subject
    subject = _without_ticket(_GITMOJI.sub("", subject), names)
    body = _body(lines[1:])
    return CommitMessage(
        subject=_capital(subject),
        body=body if len(body) >= _SHORTEST_BODY else "",
        type=kind,
        scope=scope.strip().lower(),
    )


def _capital(subject: str) -> str:
    first = subject.split(None, 1)[0] if subject else ""
    return subject[:1].upper() + subject[1:] if first.isalpha() and first.islower() else subject


def _without_ticket(subject: str, names: tuple[str, ...]) -> str:
    subject = _TICKET_FIRST.sub("", subject)
    bracket = _TICKET_LAST.search(subject)
    if bracket is None:
        return subject
    word = bracket[1]
    is_ticket = word.startswith("#") or re.fullmatch(r"[A-Za-z]+-[\w.]*\d[\w.]*|\d+", word)
    is_named = "-" in word and any(word.split(".")[0] in name for name in names)
    return subject[: bracket.start()] if is_ticket or is_named else subject


def _body(lines: list[str]) -> str:
    """The body without trailers and signatures, wrapped lines joined."""
    kept = [line for line in lines if not _TRAILER.match(line.strip())]
    return unwrapped("\n".join(kept))


MOST_FILES = 20
"""Most files named with one commit."""

_SMALL_COMMIT = 3000
"""Characters of a file below which it can be a commit message, for `git commit -F`."""
_MOST_WRITTEN = 24
_FILE_LINE = re.compile(r"^ (?:create mode \d+|delete mode \d+) (.+)$", re.MULTILINE)


def touched_files(text: str, cwd: str, state: SessionState) -> tuple[str, ...]:
    """The files a commit touched: those staged, else edited, and those its output names."""
    named = [relative(path.strip('" '), cwd) for path in _FILE_LINE.findall(text)]
    paths = (*(state.added or state.edited), *named)
    state.added, state.edited = [], []
    return tuple(dict.fromkeys(path for path in paths if path))[:MOST_FILES]


def staged_files(words: tuple[str, ...], cwd: str) -> list[str]:
    """The files among the arguments of `git add`; a folder, `.` or `-A` names none."""
    return [
        relative(word, cwd)
        for word in words
        if not word.startswith(("-", "2>", ">", "$")) and re.search(r"\w\.\w+$|file$", word)
    ]


def note_edit(event: Event, state: SessionState) -> None:
    """Note an edited file, and keep the text of a small one that may be a commit's message."""
    path = event.input.get("file_path") or event.input.get("notebook_path")
    if not isinstance(path, str):
        return
    content = event.input.get("content")
    if event.tool == "Write" and isinstance(content, str) and len(content) < _SMALL_COMMIT:
        state.written[path] = content
        if len(state.written) > _MOST_WRITTEN:
            del state.written[next(iter(state.written))]
    below = relative(path, event.cwd)
    if below and below not in state.edited:
        state.edited.append(below)


def relative(path: str, cwd: str) -> str:
    """`path` relative to `cwd`; empty for a file elsewhere."""
    if cwd and path.startswith(cwd.rstrip("/") + "/"):
        return path[len(cwd.rstrip("/")) + 1 :]
    return (
        "" if path.startswith(("/", "~", "..")) or path[1:3] == ":\\" else path.removeprefix("./")
    )


_SIGNAL = re.compile(
    r"\b(?:(?:root |real |actual |underlying |fundamental )?(?:cause|problem|issue|bug|culprit"
    r"|reason)(?: here| there)? (?:is|was)\b|turn(?:s|ed) out\b|caused by\b|because\b|due to\b"
    r"|known (?:bug|issue|limitation|conflict)|(?:doesn't|does not|didn't|did not|don't|do not"
    r"|isn't|never) (?:support|expose|recogni[sz]e|accept|allow|track|handle|propagate|include"
    r"|render|persist|read|load|honou?r)|returns? [^.]{3,60}?(?:,? not |\(not |rather than"
    r"|instead of)|unsupported|(?:only|always) (?:works|fires|runs|loads|applies|reads)|gotcha\b)",
)
"""Searched in lower-case text: twice as fast as ignoring case, for every word the agent says."""
_MECHANISM = re.compile(
    r"\b(?:because|due to|no|no-op|doesn't|does not|don't|do not|isn't|can't|cannot|never|only"
    r"|always|requires?|expects?|returns?|treats?|ignores?|overrides?|resolves?|strips?|drops?"
    r"|reports?|blocks?|unsupported|known|reserved|by default|before|after|unless|instead of|when"
    r"|inside)\b",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:known (?:bug|issue|limitation|conflict)|doesn't support|does not support|unsupported"
    r"|reserved|by design|limitation|compiler bug|upstream|not exposed|isn't exposed|requires"
    r"|gotcha|doesn't (?:track|expose)|in (?:postgres|sqlite|windows|linux|macos|docker))\b",
    re.IGNORECASE,
)
_ACTIVITY = re.compile(
    r"\b(?:added|adding|i added|edit(?:s|ed)?|step \d|next|now|currently|again|pre-existing|old"
    r"|stale|intermediate|unused|unformatted|credo|eslint|rubocop|dialyzer|lint(?:er|ing)?"
    r"|false positive|the user|reviewer|feedback|pre-commit|commit (?:failed|hook))\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^the (?:root |real |actual |underlying |core )?(?:cause|issue|problem|bug|reason)"
    r" (?:(?:is|was|here is|here was) that |is (?:now )?(?:clear|simple)\W{1,4})",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^(?:problem|issue|cause|reason|bug|finding|error) ?#?\d*\s*:\s*", re.IGNORECASE
)
_ANNOUNCEMENT = re.compile(
    r"\s*(?:[—–;]|,? so|,? and)\s+(?:let me|i'll|i will|i need|i'm going|let's)\b.*$", re.I
)
_SPEAKERS = re.compile(r"\b(?:we|our|us|you|your)\b", re.IGNORECASE)
_LONGEST_TEXT = 20_000
_SHORTEST_CAUSE, _LONGEST_CAUSE = 70, 420
_SAID_SHARE = 0.7
"""Share of a cause's words, from which a commit message that has them says it already."""
_REPLACED_WITHIN = 14
"""Events within which a later diagnosis of the same names replaces an earlier one."""


def on_assistant(event: Event, state: SessionState) -> None:
    """Keep the causes that this prose names until a commit settles them."""
    if event.sidechain or len(event.text) > _LONGEST_TEXT:
        return
    if not _SIGNAL.search(event.text.lower()) or language(event.text) != "en":
        return
    for sentence in sentences(event.text):
        if cause := _cause(sentence.text):
            _hold_cause(cause, event, state)


def _cause(sentence: str) -> str:
    """The sentence as a cause that can be understood alone; empty if it is none."""
    if not (_SHORTEST_CAUSE - 20 <= len(sentence) <= _LONGEST_CAUSE) or not _SIGNAL.search(
        mask(sentence).lower()
    ):
        return ""
    text = without_opener(_ANNOUNCEMENT.sub("", plain(sentence)))
    text = _LEAD.sub("", _LABEL.sub("", text))
    bare = mask(text)
    if len(text) < _SHORTEST_CAUSE or not marked_identifiers(text):
        return ""
    if wording.is_question(text) or wording.is_hedged(bare) or wording.in_first_person(text):
        return ""
    if wording.is_status(bare) or wording.is_one_off(bare) or _ACTIVITY.search(bare):
        return ""
    if not wording.has_verb(bare) or _SPEAKERS.search(bare):
        return ""
    if wording.starts_with_pronoun(text) or wording.points_away(bare) or wording.is_fragment(text):
        return ""
    return wording.finished(text) if _MECHANISM.search(bare) else ""


def _hold_cause(text: str, event: Event, state: SessionState) -> None:
    names = marked_identifiers(text)
    for earlier in list(state.causes):
        is_recent = state.count - int(earlier["at"]) <= _REPLACED_WITHIN
        if (is_recent and names.intersection(earlier["names"])) or earlier["text"] == text:
            state.causes.remove(earlier)
    state.causes.append(
        {
            "text": text,
            "names": sorted(names),
            "at": state.count,
            "turn": state.turn,
            "touched": False,
            "prompt": state.prompt,
            **source_of(event),
        }
    )


def on_edit(event: Event, state: SessionState) -> None:
    """Mark the causes that name edited code: they may be outdated."""
    if not state.causes:
        return
    texts = [value for value in event.input.values() if isinstance(value, str)]
    for edit in event.input.get("edits") or ():
        if isinstance(edit, dict):
            texts.extend(value for value in edit.values() if isinstance(value, str))
    changed = "\n".join(texts).casefold()
    for cause in state.causes:
        if not cause["touched"] and any(name in changed for name in cause["names"]):
            cause["touched"] = True


def settled_cause(message: CommitMessage, state: SessionState) -> str:
    """The cause that a fix settles, to be stored with it; empty without one.

    It is the newest of this turn that shares two words with the message. Dropped are causes that
    the message says already, and those about names it touches, unless they are lasting limits.
    """
    text = f"{message.subject} {message.body}"
    words, names, settled = _stems(text), marked_identifiers(text), ""
    for cause in list(reversed(state.causes)):
        cause_words = _stems(cause["text"])
        shared = len(words & cause_words)
        is_lasting = bool(_LASTING.search(cause["text"]))
        if message.is_fix() and not settled and shared >= 2 and cause["turn"] == state.turn:
            settled = str(cause["text"]) if shared < _SAID_SHARE * len(cause_words) else ""
            state.causes.remove(cause)
        elif shared >= _SAID_SHARE * len(cause_words) or (
            not is_lasting and names.intersection(cause["names"])
        ):
            state.causes.remove(cause)
    return settled


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, fingerprint(text)))


def session_ended(state: SessionState, findings: Findings) -> None:
    """File the causes that no commit settled, as gotchas."""
    for cause in state.causes:
        if cause["touched"] and not _LASTING.search(cause["text"]):
            findings.refuse("cause outdated by an edit")
        else:
            text = str(cause["text"])
            untrusted = wording.quotes_document(text)
            findings.add("cause", "gotcha", text, cause, untrusted=untrusted)
    state.causes = []


_COMMITTED = re.compile(r"\[([^\]\n]{1,160}?) (?:\(root-commit\) )?([0-9a-f]{7,40})\] ")
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
_COMMIT_RULES = ("commit", "commit-subject")
_LONGEST_MESSAGE = 6000
"""Most characters kept of a message."""


class CommitResult(NamedTuple):
    """Where a commit was made; empty where the output does not say."""

    branch: str
    hash: str


def on_tool_use(event: Event, state: SessionState) -> None:
    """Note a call that commits, stages, or writes a file that may be a commit's message."""
    if event.tool in EDITS:
        note_edit(event, state)
        return
    command = event.input.get("command")
    if not isinstance(command, str):
        message = event.input.get("message")
        if event.tool.endswith("git_commit") and isinstance(message, str):
            _await(event, state, message, ShellCommand((), ""))
        return
    if "git" not in command and "<<" not in command:
        return
    state.written.update(
        (path, text)
        for path, text in files_written(command).items()
        if len(text) < _LONGEST_MESSAGE
    )
    for verb in ("add", "rm", "mv"):
        for call in calls(command, "git", verb):
            state.added.extend(staged_files(call.words[2:], event.cwd))
    for call in calls(command, "git", "commit"):
        if not any(word.startswith(_NOT_YET) for word in call.words):
            _await(event, state, message_of(call, state.written), call)


def message_of(call: ShellCommand, written: Mapping[str, str]) -> str:
    """The message of a `git commit` call, from -m, -F, a here-document or a here-string."""
    words = call.words
    messages = option(words, "-m", "--message")
    for number, word in enumerate(words):
        if re.fullmatch(r"-[a-zA-Z]*[a-zA-Z]m", word):
            messages.extend(words[number + 1 : number + 2])
    if messages:
        return "\n\n".join(messages)
    source = option(words, "-F", "--file") + [word[2:] for word in words if word[:3] == "-F-"]
    if not source:
        return ""
    if source[0] == "-":
        return call.stdin
    return source[0] if "\n" in source[0] else written.get(source[0], "")


def _await(event: Event, state: SessionState, message: str, call: ShellCommand) -> None:
    """Keep a commit until its result is known; one call may make several."""
    pending = {
        "text": message[:_LONGEST_MESSAGE],
        "amend": "--amend" in call.words,
        "quiet": bool({"-q", "--quiet"}.intersection(call.words)),
        "prompt": state.prompt,
        **source_of(event),
    }
    waiting = state.waiting.setdefault(event.tool_id, {"kind": "commit", "commits": []})
    if waiting.get("kind") == "commit":
        waiting["commits"].append(pending)


def on_tool_result(event: Event, state: SessionState, findings: Findings) -> None:
    """File the commits that this result confirms, as their own result or as a log."""
    if call := state.take_awaited(event, "commit"):
        text = clean(event.text)
        for pending in call["commits"]:
            result = _outcome(text, pending, event.failed)
            if result is None:
                state.unconfirmed.append({**pending, "refused": event.failed})
            else:
                _settle(pending, result, text, state, findings)
    elif state.unconfirmed:
        _confirm(event, state, findings)


def _outcome(text: str, pending: Mapping[str, Any], failed: bool) -> CommitResult | None:
    """Branch and hash of a commit that `text` shows to be made; None if it does not.

    The surest sign comes first: git's own line, then a count of files, a log, and at last the
    words of a wrapper around git or the silence of `--quiet`.
    """
    subject = str(pending["text"]).strip().split("\n", 1)[0]
    lines = _COMMITTED.finditer(text) if "] " in text else ()
    shown = [(CommitResult(match[1], match[2]), match.end()) for match in lines]
    for result, end in shown:
        if not subject or text.startswith(subject[:40], end):
            return result
    if len(shown) == 1:
        return shown[0][0]
    if failed:
        return None
    if _CHANGED.search(text):
        return CommitResult("", "")
    if logged := _logged(text, subject):
        return CommitResult("", logged)
    if _REFUSED.search(text):
        return None
    if wrapped := _WRAPPED.match(text.strip()):
        return CommitResult("", wrapped[1] or "")
    return CommitResult("", "") if pending["quiet"] and len(text.strip()) < 200 else None


def _logged(text: str, subject: str) -> str:
    """The hash before `subject` on a line of a log; empty if there is none."""
    if len(subject) < 8 or subject[:60] not in text:
        return ""
    line = next(line for line in text.split("\n") if subject[:60] in line)
    before = line[: line.index(subject[:60])]
    hashes = re.findall(r"\b[0-9a-f]{7,40}\b", before[-200:])
    return hashes[-1] if hashes else ""


def _confirm(event: Event, state: SessionState, findings: Findings) -> None:
    """File commits whose result was hidden, once a later output names hash and subject."""
    for pending in list(state.unconfirmed):
        subject = str(pending["text"]).strip().split("\n", 1)[0]
        if commit := _logged(event.text, subject):
            state.unconfirmed.remove(pending)
            _settle(pending, CommitResult("", commit), "", state, findings)


def _settle(
    pending: Mapping[str, Any],
    result: CommitResult,
    text: str,
    state: SessionState,
    findings: Findings,
) -> None:
    """File a commit that was made, unless it is trivial or a repetition."""
    state.committed = state.turn_committed = True
    message = parse(str(pending["text"]), str(pending["prompt"]), str(pending["branch"]))
    names = touched_files(text, str(pending["cwd"]), state)
    state.unconfirmed = [other for other in state.unconfirmed if other["text"] != pending["text"]]
    if pending["amend"]:
        _fold_amend(message, result.hash, names, state, findings)
    if message is None or not message.subject:
        return
    if reason := message.refusal():
        findings.refuse(reason)
        return
    mark = {
        "subject": message.subject,
        "hash": result.hash,
        "text": content_hash(message.content()),
    }
    if any(earlier["text"] == mark["text"] for earlier in state.commits):
        return  # the same message again, perhaps under another hash
    _withdraw_same_subject(message.subject, state, findings)
    state.commits.append(mark)
    cause = settled_cause(message, state)
    findings.add(
        "commit" if message.body else "commit-subject",
        "solution" if message.is_fix() else "progress",
        message.content() + (f"\nCause: {cause}" if cause else ""),
        {**pending, "branch": result.branch or pending["branch"]},
        name=message.subject,
        tags=(message.scope,) if message.scope else (),
        files=names,
        commit=result.hash,
    )


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
    for index in reversed(range(len(findings.candidates))):
        taken = findings.candidates[index]
        if taken.rule in _COMMIT_RULES and taken.commit == last["hash"]:
            if message is not None and message.subject and not message.refusal():
                del findings.candidates[index]
                state.commits.pop()
            else:
                united = tuple(dict.fromkeys((*taken.files, *files)))[:MOST_FILES]
                findings.candidates[index] = replace(
                    taken, commit=commit or taken.commit, files=united
                )
            break
    last["hash"] = commit or last["hash"]


def _withdraw_same_subject(subject: str, state: SessionState, findings: Findings) -> None:
    """Drop earlier commits of this subject: one that is made again replaces the one before."""
    hashes = {earlier["hash"] for earlier in state.commits if earlier["subject"] == subject}
    state.commits = [earlier for earlier in state.commits if earlier["subject"] != subject]
    findings.candidates = [
        taken
        for taken in findings.candidates
        if not (taken.rule in _COMMIT_RULES and taken.commit in hashes)
    ]
