"""Texts in which the agent sums up: compaction summaries, approved plans, final answers.

Of a compaction summary the concepts, problems solved, errors and new files are read; pending and
current work is outdated at once. Of a plan its approach and decisions outlast the steps. A final
answer counts only if no commit says the same better.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cortex_core.base.languages import language
from cortex_core.base.text import clean, marked_identifiers
from cortex_core.extract import wording
from cortex_core.extract.grammar import grammar_of
from cortex_core.extract.kinds import Kind
from cortex_core.extract.sentences import (
    Item,
    Section,
    cut,
    is_item,
    items,
    mask,
    sections,
    sentences,
    unwrapped,
    without_fences,
)
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.extract.wording import is_generic, plain, without_opener
from cortex_core.transcripts.events import Event

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
_UNRESOLVED = re.compile(
    r"\b(?:unresolved|unsolved|current(?:ly)?|still|in progress|not yet|pending|blocking|todo"
    r"|attempted|issues? to fix|(?:compile|build|type) error|not committed|ongoing|investigating"
    r"|remaining)\b",
    re.IGNORECASE,
)
_AGENTS_OWN = re.compile(
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
_FILE_STATUS = re.compile(
    r"\s*\((?:new|created|modified|rewritten|committed)\b[^()\n]{0,60}\)", re.IGNORECASE
)


def on_summary(event: Event, state: SessionState, findings: Findings) -> None:
    """File what lasts in the sections of a compaction summary."""
    text = clean(event.text)
    marks = list(_SUMMARY.finditer(text))
    body = without_fences(text[marks[-1].end() :] if marks else text)
    if not language(body):
        findings.refuse("language")
        return
    for name, section in _sections(body):
        if "concept" in name:
            _concepts(section, event, findings)
        elif "error" in name:
            _errors(section, event, findings)
        elif "problem" in name:
            _problems(section, event, findings)
        elif "file" in name:
            _files(section, event, findings)


def _sections(body: str) -> Iterator[tuple[str, str]]:
    """Name (in lower case) and text of the numbered sections."""
    marks = list(_SECTION.finditer(body))
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(body)
        yield mark[2].strip().lower(), body[mark.end() : end]


def _file(
    rule: str, kind: Kind, content: str, event: Event, findings: Findings, about: str = ""
) -> None:
    text = wording.finished(cut(content, 600))
    findings.add(rule, kind, text, source_of(event), about=about)


def _concepts(section: str, event: Event, findings: Findings) -> None:
    """File concepts that state a rule; names of technologies alone do not."""
    for item in items(section):
        text = plain(item.whole())
        bare = mask(text).replace("\x01", "")
        grammar = grammar_of(language(text))
        is_modal = _MODAL.search(bare) or (grammar is not None and grammar.states_duty(text))
        states_rule = is_modal and len(text) >= 45 and not wording.is_thin(text, 5)
        if not states_rule or _UNRESOLVED.search(bare) or _AGENTS_OWN.search(bare):
            findings.refuse("concept without a rule")
        else:
            _file("concept", "fact", text, event, findings)


def _problems(section: str, event: Event, findings: Findings) -> None:
    """File problems solved: a short one needs its reason, a mere success does not count."""
    for item in items(section):
        text = plain(item.whole())
        bare = mask(text)
        if _BARE_SUCCESS.search(text) or _UNRESOLVED.search(bare) or _AGENTS_OWN.search(bare):
            findings.refuse("problem not solved, or no problem")
        elif len(text) < 60 or (len(text) < 160 and not _REASON.search(bare)):
            findings.refuse("problem without a reason")
        elif wording.starts_with_pronoun(text) or wording.is_hedged(bare):
            findings.refuse("unclear")
        else:
            _file("problem-solving", "decision", text, event, findings)


def _errors(section: str, event: Event, findings: Findings) -> None:
    """File errors with a symptom at run time, a mechanism and a fix."""
    for item in _flattened(items(section)):
        text = plain(item.whole(4))
        bare = mask(text)
        if _UNRESOLVED.search(bare) or _AGENTS_OWN.search(bare):
            findings.refuse("error unresolved, or the agent's own")
        elif _TOOLING.search(bare) and not _LIMIT.search(bare):
            findings.refuse("tooling noise")
        elif not (_FIX.search(bare) and _SYMPTOM.search(bare)) or len(text) < 70:
            findings.refuse("error without symptom and fix")
        elif not _MECHANISM.search(bare):
            findings.refuse("error without its mechanism")
        elif not marked_identifiers(text):
            findings.refuse("unclear")
        else:
            _file("error", "gotcha", text, event, findings)


def _flattened(listed: list[Item]) -> Iterator[Item]:
    """The items; the children take the place of an item that is only a generic heading."""
    for item in listed:
        if item.children and is_generic(item.text):
            yield from item.children
        else:
            yield item


def _files(section: str, event: Event, findings: Findings) -> None:
    """File the descriptions of new files."""
    for item in items(section):
        path = _PATH.match(plain(item.text).lstrip("`")) or _PATH.match(item.text.lstrip("*` "))
        if path is None or not _NEW_FILE.search(item.text.split("—")[0] + item.text[-200:]):
            continue
        text = plain(_FILE_STATUS.sub("", item.whole(4)))
        code = len(text) - len(mask(text).replace("\x01", ""))
        if _SKIPPED_FILE.search(path[1]) or len(text) - len(path[1]) < 70 or code * 2 > len(text):
            findings.refuse("file without a description")
        elif _UNRESOLVED.search(mask(text)):
            findings.refuse("file still in work")
        else:
            _file_description(path[1], text, event, findings)


def _file_description(path: str, text: str, event: Event, findings: Findings) -> None:
    said = text[text.find(path) + len(path) :].lstrip("` :—–-")
    name = f"{path.rsplit('/', 1)[-1]}: {said}"
    content = wording.finished(cut(text, 500))
    findings.add("file", "architecture", content, source_of(event), name=name, files=(path,))


LONGEST_PLAN = 900
"""Most characters of a plan's memory."""

_SHORTEST = 60
_APPROVED = re.compile(r"^\W*(?:user has approved|plan approved|the user approved)", re.IGNORECASE)
_IN_RESULT = re.compile(r"^#{1,6}[ \t]*Approved Plan.*$", re.IGNORECASE | re.MULTILINE)
_FIRST_CHOICE = re.compile(
    r"\b(?:approach|strategy|decisions?|design|architecture|solution|trade-?offs?|constraints?"
    r"|rationale|principles|why|non-goals|no-gos|out of scope|key (?:points|ideas?|insights?)"
    r"|recommend\w*)\b",
    re.IGNORECASE,
)
_SECOND_CHOICE = re.compile(
    r"\b(?:goal|summary|overview|what (?:to|we)|proposal|objective|implementation|components?"
    r"|changes)\b",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"\b(?:files?|verif\w+|test\w*|steps?|checklist|rollout|risks?|open questions|references"
    r"|critical files|background|context|problem|current state|execution order|tasks?|timeline"
    r"|estimate|phase)\b",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"^(?:implementation |the |my )?plan\s*(?:for|of|to)?\s*[:\-–—]*\s+", re.IGNORECASE
)
_TICKET = re.compile(r"\s*\([\w#./-]{2,40}\)\s*$")


def on_tool_use(event: Event, state: SessionState) -> None:
    """Keep a plan until the user approves it."""
    if event.tool != "ExitPlanMode":
        return
    plan = event.input.get("plan")
    text = plan[:30_000] if isinstance(plan, str) else ""
    state.await_result(event, "plan", text=text)


def on_tool_result(event: Event, state: SessionState, findings: Findings) -> None:
    """File the plan if this result approves it."""
    call = state.take_awaited(event, "plan")
    if call is None:
        return
    if event.failed or not _APPROVED.match(event.text):
        findings.refuse("plan not approved")
        return
    text = str(call["text"])
    if not text and (mark := _IN_RESULT.search(event.text)):
        text = event.text[mark.end() :]
    name, content = plan_digest(text)
    if len(content) < _SHORTEST:
        findings.refuse("plan without an approach")
        return
    findings.add("plan", "decision", content, call, name=name)


def plan_digest(plan: str) -> tuple[str, str]:
    """A plan's name, and its approach and decisions, else its goal; empty without them."""
    parts = list(sections(without_fences(clean(plan))))
    named = next((part.name for part in parts if part.level and part.level <= 2), "")
    name = _TICKET.sub("", _TITLE.sub("", plain(named)))
    for wanted in (_FIRST_CHOICE, _SECOND_CHOICE):
        text = "\n".join(filter(None, _passages(parts, wanted)))
        if len(text) >= _SHORTEST:
            lead = f"{name}.\n" if name else ""
            return name, cut(lead + text, LONGEST_PLAN)
    return name, ""


def _passages(parts: list[Section], wanted: re.Pattern[str]) -> Iterator[str]:
    """The text of the sections whose names match `wanted`, and of the sections below them."""
    inside = 0
    for part in parts:
        if inside and part.level > inside and not _NEVER.search(part.name):
            yield _passage(part, part.name)
            continue
        inside = 0
        if part.level >= 2 and wanted.search(part.name) and not _NEVER.search(part.name):
            inside = part.level
            yield _passage(part, "")


def _passage(part: Section, name: str) -> str:
    """A section as prose and list items, without what is nested below the items."""
    lines: list[str] = []
    for line in unwrapped(part.body).split("\n"):
        if line.strip() and not line.startswith(("  ", "\t", "|")):
            lines.append(plain(line) if not is_item(line) else f"- {plain(line)}")
    text = "\n".join(lines).strip()
    label = plain(name).strip(" :")
    return f"{label}: {text}" if label and text else text


LONGEST_ANSWER = 700
"""Most characters of an answer's memory."""

_SHORTEST_ANSWER = 160
_MOST_ANSWERS = 4
"""Answers taken from one session."""
_BOAST = re.compile(
    r"\b(?:successfully|production[- ]ready|ready (?:to|for)|all (?:done|tests|checks)"
    r"|complete[d!]?|done[.!]|let me know|feel free|would you like|want me to|try (?:it|again"
    r"|running|restarting)|published|here'?s what|created the following|poem"
    r"|summary of (?:the )?(?:changes|work))\b|[🎉🚀🏆🎯✅]",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"\b(?:because|since|so that|due to|which is why|means|caused?|reason|instead of|rather than"
    r"|only|requires?|must|doesn't|does not|can't|cannot|isn't|never|always|by default|unless"
    r"|expects?|reserved|bypass\w*|resolves?|irrelevant|no built-in|not quite"
    r"|for future reference)\b",
    re.IGNORECASE,
)
_LOCATED = re.compile(
    r"\blines? \d|:\d+(?:-\d+)?\b|\b(?:rule|step|finding|item|option) \d", re.IGNORECASE
)
_DOING = re.compile(
    r"^(?:\W*(?:i(?:'ve|'ll| have| will| am|'m)?|let me|now|next|first|done|added|created|updated"
    r"|fixed|removed|changed|wrote|ran|verified|committed|pushed|gone|restored|step \d|to (?:test"
    r"|run|use|try) )\b)",
    re.IGNORECASE,
)


def turn_ended(state: SessionState, findings: Findings) -> None:
    """File the answer that ends a turn, if it explains something and nothing was committed."""
    said = state.said
    state.said = {}
    turn_committed, state.turn_committed = state.turn_committed, False
    # A commit says it better; later in the session only answers to a question still count.
    if state.committed and (turn_committed or not state.prompt.rstrip().endswith("?")):
        return
    if not said or state.finals >= _MOST_ANSWERS or not state.prompt:
        return
    text = clean(str(said["text"]))
    if len(text) < _SHORTEST_ANSWER or language(text) != "en":
        return
    name, content = answer_digest(text)
    if not content:
        findings.refuse("final answer explains nothing")
        return
    state.finals += 1
    about = name or state.prompt
    findings.add(
        "final",
        "summary",
        content,
        said,
        about=about,
        excerpt=state.prompt,
        untrusted=wording.quotes_document(content),
    )


def answer_digest(text: str) -> tuple[str, str]:
    """A heading, and the sentences of an answer that explain; empty if too few do."""
    prose = without_fences(text)
    if prose.rstrip().endswith("?") or len(_BOAST.findall(prose)) >= 2:
        return "", ""
    name = next(
        (part.name for part in sections(prose) if part.name and not is_generic(part.name)), ""
    )  # fmt: skip
    kept = [line for sentence in sentences(prose) if (line := _lasting(sentence.text))]
    explaining = [line for line in kept if _EXPLAINS.search(mask(line))]
    if len(explaining) < 2 and sum(map(len, explaining)) < _SHORTEST_ANSWER:
        return "", ""
    if not any(marked_identifiers(line) for line in explaining):
        return "", ""
    content = cut(" ".join(explaining), LONGEST_ANSWER)
    return plain(name), content if len(content) >= _SHORTEST_ANSWER else ""


def _lasting(sentence: str) -> str:
    """The sentence if it says how things are; empty if it reports work, asks or guesses."""
    text = without_opener(plain(sentence))
    bare = mask(text)
    if wording.is_question(text) or _DOING.match(text) or _BOAST.search(bare):
        return ""
    if wording.is_hedged(bare) or wording.is_status(bare) or wording.in_first_person(text):
        return ""
    if wording.is_fragment(text) or wording.is_thin(text, 4) or not wording.has_verb(bare):
        return ""
    if wording.starts_with_pronoun(text) or wording.points_away(bare) or _LOCATED.search(text):
        return ""
    return wording.finished(text)
