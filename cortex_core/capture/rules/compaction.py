"""The client's digest at a compaction: concepts, problems solved, errors, what new files are for.

A model's own summary, for nothing. What it says of pending and current work is stale at once and
is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cortex_core.capture.events import Event
from cortex_core.capture.rules import wording
from cortex_core.capture.rules.language import is_english
from cortex_core.capture.rules.markdown import Item, items, without_fences
from cortex_core.capture.rules.state import Found, Kind, State, candidate, place
from cortex_core.capture.sentences import cut, mask
from cortex_core.capture.titles import is_generic, plain
from cortex_core.identifiers import marked_identifiers
from cortex_core.text import clean

_SUMMARY = re.compile(r"^[ \t]*(?:<summary>|\**Summary:?\**:?[ \t]*$)", re.MULTILINE)
_SECTION = re.compile(
    r"^(?:#{1,4}[ \t]*)?\**(\d{1,2})\.[ \t]+\**([^\n*:]{3,60})\**:?\**:?[ \t]*$", re.MULTILINE
)
_MODAL = re.compile(
    r"\b(?:must|required?|requires|requiring|never|always|prefer(?:s|red)?|only|needs?|need to"
    r"|cannot|can't|should|enforc(?:es|ed|ing)|mandatory|not allowed|forbidden|has to|have to"
    r"|instead of|rather than|do(?:es)? not|don't|doesn't|gitignored|convention|source of truth)\b",
    re.IGNORECASE,
)
_TOOLING = re.compile(
    r"\b(?:unused|undefined|nesting|nested too|cyclomatic|complexity|format(?:ting|ted|ter)?|credo"
    r"|eslint|prettier|rubocop|clippy|biome|ruff|flake8|mypy|pylint|lint(?:ing|er)?|typo|syntax"
    r"|indent\w*|compile (?:error|warning)|compil(?:er|ation) (?:error|warning)|dialyzer|typecheck"
    r"|type error|TS\d{4}|missing import|import error|duplicate|unclosed|old_string|edit (?:tool"
    r"|failed)|not been read|string to replace|file has (?:not )?been|expected during|stale"
    r"|false positive)\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:doesn't support|does not support|unsupported|not supported|known issue|known bug"
    r"|limitation|hook runs|compiler bug|by design|upstream|doesn't (?:exist|track|work|return"
    r"|accept)|does not (?:exist|track|work|return|accept)|not picked up|requires?|only (?:works"
    r"|when|if)|never|silently)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:unresolved|unsolved|current(?:ly)?|still|in progress|not yet|pending|blocking|todo"
    r"|attempted|issues? to fix|(?:compile|build|type) error|not committed|ongoing|investigating"
    r"|remaining)\b",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:user (?:said|asked|corrected|pointed|wanted|clarified|rejected|feedback|noted"
    r"|interrupted)|i (?:had|initially|incorrectly|mistakenly|misread|misunder\w+|assumed|claimed"
    r"|forgot|was|did|used|tried)|before (?:defining|adding|creating|the|it)|my (?:plan|claim|first"
    r"|initial|mistake|brief|assumption|edit)|the (?:plan|brief|agent|sub-?agent|task spec)"
    r"|apolog\w+|permission|tool (?:call|use)|context window|worktree|rate limit|interrupted)\b",
    re.IGNORECASE,
)
_MECHANISM = re.compile(
    r"\b(?:because|since|so\b|due to|instead of|rather than|doesn't|does not|didn't|did not|can't"
    r"|cannot|couldn't|wasn't|isn't|aren't|not an?|only|requires?d?|needs?|expect\w*|return\w*"
    r"|pass(?:es|ed)|caus\w+|when|while|before|after|by default|conflict\w*|overr\w+|treat\w*"
    r"|same \w+ as|ignor\w+|outside|inside|race|each|unless)\b",
    re.IGNORECASE,
)
_FIX = re.compile(
    r"\b(?:fix(?:ed)?(?: by| with)?|resolved|solved|solution|changed|switched|replaced|rewrote"
    r"|rewritten|added|removed|used|using|worked around|workaround|converted|converting|configur\w+"
    r"|updated|moved|now)\b",
    re.IGNORECASE,
)
_SYMPTOM = re.compile(
    r"\b(?:error|fail(?:s|ed|ing|ure)?|crash\w*|exception|timeout|timed out|hang\w*|broke\w*"
    r"|missing|wrong|empty|blank|null|undefined|unsupported|rejected|refused|denied|lost"
    r"|conflict\w*|mismatch\w*|never|not (?:found|work\w*|render\w*|load\w*|fire\w*|visible"
    r"|persist\w*|supported|exist|picked)|couldn't|can't|cannot|duplicat\w+|leak\w*|race"
    r"|deadlock\w*|404|401|403|500|silent\w*|isn't|doesn't|didn't|cut off|truncat\w+|too (?:large"
    r"|many|long|small)|killed|dropped|stale|OOM|ignored|gitignored|non-idempotent|idempotency"
    r"|isolation|stuck|slow)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:to avoid|to prevent|to guarantee|to ensure|instead of|rather than|because|since|so that"
    r"|for safe|without|always|never|must|should|requires?|for (?:backward|idempoten)\w*|due to"
    r"|in favou?r of|caused by|only|established)\b",
    re.IGNORECASE,
)
_BARE_SUCCESS = re.compile(
    r"^\W*(?:success(?:fully)?|all \w+ (?:pass|done)|completed?|now\b|currently\b|solved\W|verified"
    r"|confirmed|finished|fixed all|working on)",
    re.IGNORECASE,
)
_NEW_FILE = re.compile(r"\b(?:new|created?|CREATED?|NEW|added)\b")
_SKIPPED_FILE = re.compile(
    r"(?:^|[/_.-])(?:tests?|specs?|__tests__|migrations?|fixtures?)(?:[/_.-]|$)|\.(?:lock|md"
    r"|json)`?\W*$",
    re.IGNORECASE,
)
_PATH = re.compile(r"^\W{0,4}`?((?:[\w.@~-]+/)*[\w.@-]+\.\w{1,8})`?")
_STANDING = re.compile(
    r"\s*\((?:new|created|modified|rewritten|committed)\b[^()\n]{0,60}\)", re.IGNORECASE
)


def on_summary(event: Event, state: State, found: Found) -> None:
    """File what the sections of a compaction summary say that lasts."""
    text = clean(event.text)
    marks = list(_SUMMARY.finditer(text))
    body = without_fences(text[marks[-1].end() :] if marks else text)
    if not is_english(body[:3000]):
        found.refuse("language")
        return
    for name, section in _sections(body):
        if "concept" in name:
            _concepts(section, event, found)
        elif "error" in name:
            _errors(section, event, found)
        elif "problem" in name:
            _problems(section, event, found)
        elif "file" in name:
            _files(section, event, found)


def _sections(body: str) -> Iterator[tuple[str, str]]:
    """Name (lower case) and text of the numbered sections."""
    marks = list(_SECTION.finditer(body))
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(body)
        yield mark[2].strip().lower(), body[mark.end() : end]


def _take(rule: str, kind: Kind, content: str, event: Event, found: Found, about: str = "") -> None:
    text = wording.finished(cut(content, 600))
    found.add(candidate(rule, kind, text, place(event), about=about))


def _concepts(section: str, event: Event, found: Found) -> None:
    """Concepts that state a rule; bare names of technologies are nothing."""
    for item in items(section):
        text = plain(item.whole())
        bare = mask(text).replace("\x01", "")
        if (
            not _MODAL.search(bare)
            or len(text) < 45
            or wording.is_thin(text, 5)
            or _OPEN.search(bare)
            or _OWN.search(bare)
        ):
            found.refuse("concept without a rule")
        else:
            _take("concept", "fact", text, event, found)


def _problems(section: str, event: Event, found: Found) -> None:
    """Problems solved; a short one needs its reason, a success by itself is nothing."""
    for item in items(section):
        text = plain(item.whole())
        bare = mask(text)
        if _BARE_SUCCESS.search(text) or _OPEN.search(bare) or _OWN.search(bare):
            found.refuse("problem not solved, or no problem")
        elif len(text) < 60 or (len(text) < 160 and not _REASON.search(bare)):
            found.refuse("problem without a reason")
        elif wording.starts_with_pronoun(text) or wording.is_hedged(bare):
            found.refuse("unclear")
        else:
            _take("problem-solving", "decision", text, event, found)


def _errors(section: str, event: Event, found: Found) -> None:
    """Errors with a symptom at run time, a mechanism and a fix."""
    for item in _flattened(items(section)):
        text = plain(item.whole(4))
        bare = mask(text)
        if _OPEN.search(bare) or _OWN.search(bare):
            found.refuse("error unresolved, or the agent's own")
        elif _TOOLING.search(bare) and not _LIMIT.search(bare):
            found.refuse("tooling noise")
        elif not (_FIX.search(bare) and _SYMPTOM.search(bare)) or len(text) < 70:
            found.refuse("error without symptom and fix")
        elif not _MECHANISM.search(bare):
            found.refuse("error without its mechanism")
        elif not marked_identifiers(text):
            found.refuse("unclear")
        else:
            _take("error", "gotcha", text, event, found)


def _flattened(listed: list[Item]) -> Iterator[Item]:
    """Items with their children; a bare generic heading gives way to its children."""
    for item in listed:
        if item.children and is_generic(item.text):
            yield from item.children
        else:
            yield item


def _files(section: str, event: Event, found: Found) -> None:
    """New files with a description worth the name."""
    for item in items(section):
        path = _PATH.match(plain(item.text).lstrip("`")) or _PATH.match(item.text.lstrip("*` "))
        if path is None or not _NEW_FILE.search(item.text.split("—")[0] + item.text[-200:]):
            continue
        text = plain(_STANDING.sub("", item.whole(4)))
        code = len(text) - len(mask(text).replace("\x01", ""))
        if _SKIPPED_FILE.search(path[1]) or len(text) - len(path[1]) < 70 or code * 2 > len(text):
            found.refuse("file without a description")
        elif _OPEN.search(mask(text)):
            found.refuse("file still in work")
        else:
            _take_file(path[1], text, event, found)


def _take_file(path: str, text: str, event: Event, found: Found) -> None:
    said = text[text.find(path) + len(path) :].lstrip("` :—–-")
    name = f"{path.rsplit('/', 1)[-1]}: {said}"
    content = wording.finished(cut(text, 500))
    found.add(
        candidate("file", "architecture", content, place(event), name=name, files=(path,))
    )  # fmt: skip
