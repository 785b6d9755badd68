"""What of a human prompt a user wrote: code, logs, diffs, reviews and briefs are left out.

Sentences of human prompts: few, and the most valuable of all.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cortex_core.base.text import clean, content_hash
from cortex_core.extract import questions, wording
from cortex_core.extract.instructions import Statement, kind_of, read, unfilled
from cortex_core.extract.sentences import Sentence, cut, is_english, sentences, without_fences
from cortex_core.extract.state import (
    EXCERPT,
    FROM_PROMPT,
    Findings,
    SessionState,
    candidate,
    source_of,
)
from cortex_core.redaction import secrets
from cortex_core.redaction.private import strip_private
from cortex_core.transcripts.events import Event

LONGEST_PROMPT = 6000
"""Prompts above this many characters are pastes."""

_SHORT_PROMPT = 400
"""Above this, what follows the first pasted line is taken to be pasted too."""
_LONGEST_REQUEST = 1500
"""Above this, a prompt is a brief for one task, and so are the rules in it."""
_PLACEHOLDER = re.compile(r"\[(?:Image|Pasted text|Screenshot)[^\]\n]{0,60}\]", re.IGNORECASE)
_ELEMENT = re.compile(r"<([a-zA-Z][\w-]{0,40})(?:\s[^<>\n]{0,200})?>.*?</\1>", re.DOTALL)
_PASTED = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\W{0,3}\d\d:\d\d:\d\d\b"  # time stamps
    r"|^\s*[$❯➜»]\s+\S|^[\w.-]+@[\w.-]+[:~ ].*[$#] |^\s*>>> "  # shell prompts
    r"|^PS [A-Z]:\\|^[A-Z]:\\.*>"
    r"|^(?:diff --git|index [0-9a-f]{6,}|@@ |\+\+\+ |--- [ab]/|[+-]{1}\s{3,}\S)"  # diffs
    r"|^\s*at \S+ ?\(|Traceback \(most|^\s*File \".*\", line \d|^\w*(?:Error|Exception|Warning): "
    r"|^\[?(?:INFO|DEBUG|WARN(?:ING)?|ERROR|TRACE|FATAL)\b|^(?:npm|yarn|pnpm) (?:ERR|WARN)"
    r"|^(?:error|warning|fatal|panic)(?:\[\w+\])?: |^\s*\d+ [|│]|^> \S+@\d|^Run (?:npm|yarn|pnpm"
    r"|cargo)\b"
    r"|^\s*[{}\[\]()<>;,]+\s*$|^\s*<\/?\w[^>]*>\s*$|^\s*\"[^\"]+\":|[─━│┃┌┐└┘├┤█╭╮╰╯]|^={4,}|^-{8,}"
    r"|^\*{8,}"
    r"|^\s*\|.*\|\s*$|^\s*(?:const|let|var|import|export|from|def|class|function|return|public"
    r"|private"
    r"|async|await|use|fn|pub|package|#include)\b.*[;{:)(]\s*$|[;{]\s*$|^\s{4,}\w+.*[({;]\s*$"
    r"|^\[\d+/\d+\]|^\[[A-Z ]{4,}\]|^\s*=> |^(?:PASS|FAIL) \S+|^(?:not )?ok \d+|✔|✖|⠋",
)
_REVIEW = re.compile(
    r"\b(?:code review for|pr feedback|review(?:er)?(?:'s)? (?:feedback|comments?)"
    r"|actionable comments|nitpick|coderabbit|copilot (?:review|suggest))\b"
    r"|^[^\w\n]{0,12}(?:strengths|issues & recommendations)\b|^[^\w\n]{0,12}\d+\.[ \t]+(?:critical"
    r"|security|performance|type safety|missing test|high|medium|low|major|minor)\b"
    r"|\bin `?[\w./-]+\.\w+`? (?:around|at|on|between) lines?\b|\(lines? \d+(?:-\d+)?\)"
    r"|^[^\w\n]{0,12}(?:suggested fix|severity|fix|recommendation|impact|evidence):",
    re.IGNORECASE | re.MULTILINE,
)
_ROLE_BRIEF = re.compile(
    r"^\W*(?:you are (?:an? |the |now )|act as |your (?:task|role|job) is|# (?:role|task|mission))",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S", re.MULTILINE)
_HEADING = re.compile(r"^#{1,5} \S|^\*\*[^*\n]{2,60}\*\*:?[ \t]*$", re.MULTILINE)


class Prepared(NamedTuple):
    """A prompt as far as a user wrote it."""

    prose: str
    """Empty when nothing of it is a user's."""
    is_brief: bool = False
    """Whether it sets out one task at length, so that its rules hold for that task."""
    refusal: str = ""


def prepare(prompt: str) -> Prepared:
    """The prose of a human prompt, and whether it is a brief."""
    text = strip_private(clean(prompt)).strip()
    if len(text) > LONGEST_PROMPT:
        return Prepared("", refusal="pasted")
    text = _ELEMENT.sub(" ", _PLACEHOLDER.sub(" ", text))
    review = _REVIEW.search(text)
    if review:
        text = text[: text.rfind("\n", 0, review.start()) + 1]
    prose = _own_lines(without_fences(text, tables=True))
    if not prose:
        return Prepared("", refusal="pasted")
    if text.startswith("/") and re.match(r"/[a-z][\w:-]*(?:\s|$)", text):
        return Prepared("", refusal="slash command")
    return Prepared(prose, is_brief=_is_brief(prose))


def looks_pasted(line: str) -> bool:
    """Whether a line looks like code, a log, a diff or a table and not like prose."""
    return len(line) < 2000 and bool(_PASTED.search(line))


def _own_lines(text: str) -> str:
    """The lines before the first pasted one, or, in a short prompt, the lines not pasted."""
    kept: list[str] = []
    is_long = len(text) > _SHORT_PROMPT
    for line in text.split("\n"):
        if line.lstrip().startswith(">"):
            continue
        if looks_pasted(line):
            if is_long:
                break
            continue
        kept.append(line)
    return "\n".join(kept).strip()


def _is_brief(prose: str) -> bool:
    if len(prose) > _LONGEST_REQUEST or (_ROLE_BRIEF.match(prose) and len(prose) > 200):
        return True
    return len(_BULLET.findall(prose)) >= 6 or len(_HEADING.findall(prose)) >= 2


LONGEST_SENTENCE = 700
"""Most characters of one statement."""

_REMEMBER_THAT = re.compile(
    r"^(?:please |and |so )*(?:remember|memori[sz]e|keep|save|store|note|don'?t forget)(?: (?:this"
    r"|that|it))(?: in mind| down| to (?:your |the )?memory| in (?:your |the )?memory)?(?: (?:for"
    r"|in) (?:later|next time|the future|future|all|good|every \w+)[\w ]{0,20})?\W*$",
    re.IGNORECASE,
)
_OBJECTION = re.compile(
    r"^\W*(?:no|nope|wrong|incorrect|not quite|that'?s (?:not (?:right|true|correct|it)|wrong"
    r"|incorrect))\W*$",
    re.IGNORECASE,
)
_HASHED = 6000
_MOST_STATEMENTS = 8
"""Statements taken from one prompt."""
_CHORE = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|yes|great|please|and|then|now|can you|let'?s|looks good"
    r"|lgtm)[\s,.!]+)*(?:commit|push|merge|make (?:a )?pr|open (?:a )?pr|create (?:a )?(?:pr"
    r"|pull request)|continue|go on|go ahead|proceed|yes|ok(?:ay)?)\b.{0,40}$",
    re.IGNORECASE | re.DOTALL,
)
_MOST_JOINED = 5
_WEAK = frozenset({"constraint", "decision", "wish"})
_EVERYWHERE = ("all my projects", "every project", "all projects", "all my repos", "globally")


class _Hit(NamedTuple):
    first: int
    """Where its sentences begin, and where they end, both included."""
    last: int
    statement: Statement
    name: str = ""
    """The words its title is made of, where they are not its first."""


def on_prompt(event: Event, state: SessionState, found: Findings) -> None:
    """File what a human prompt states, and note it as what the turn is about."""
    mark = content_hash(secrets.redact(event.text[:_HASHED]).text)
    is_repeat = mark in state.prompts
    prepared = prepare(event.text)
    state.prompt = cut(prepared.prose, EXCERPT) if prepared.prose else ""
    if is_repeat:
        found.refuse("prompt repeated")
        return
    state.prompts.append(mark)
    state.turn += not _CHORE.match(event.text)
    if not prepared.prose:
        found.refuse(prepared.refusal)
        return
    if not is_english(prepared.prose):
        found.refuse("language")
        return
    hits = _hits(sentences(prepared.prose))
    if not hits:
        questions.on_reply(event, prepared.prose, state, found)
    is_brief = prepared.is_brief or len(hits) > _MOST_STATEMENTS
    for hit in hits[:_MOST_STATEMENTS]:
        _file(hit, sentences(prepared.prose), is_brief, event, found)


def _hits(said: list[Sentence]) -> list[_Hit]:
    """The statements of a prompt, each with the sentences that belong to it."""
    hits: list[_Hit] = []
    for number, sentence in enumerate(said):
        previous = hits[-1] if hits and hits[-1].last == number - 1 else None
        before = said[number - 1] if number else None
        objected = before is not None and _OBJECTION.match(before.text)
        statement = read(f"no, {sentence.text}" if objected else sentence.text)
        if statement is None:
            if previous and before and _carries_on(sentence, before):
                hits[-1] = _joined(previous, number, sentence.text)
            elif before and _REMEMBER_THAT.match(unfilled(sentence.text)) and _explains(before):
                _replace_last(
                    hits, number, Statement("remember", kind_of(before.text), before.text)
                )
            continue
        is_thin = statement.rule in _WEAK and wording.is_thin(statement.text, 3)
        if is_thin or wording.starts_with_pronoun(unfilled(statement.text)):
            if previous is not None:
                hits[-1] = _joined(previous, number, statement.text)
            elif before is not None and _explains(before):
                whole = f"{wording.finished(before.text)} {wording.finished(statement.text)}"
                hits.append(
                    _Hit(number - 1, number, statement._replace(text=whole), statement.text)
                )
            elif is_thin and not wording.is_thin(statement.text, 2):
                hits.append(_Hit(number, number, statement))
        elif previous and _are_both_choices(previous.statement, statement):
            hits[-1] = _joined(previous, number, statement.text)
        else:
            hits.append(_Hit(number, number, statement))
    return hits


def _replace_last(hits: list[_Hit], number: int, statement: Statement) -> None:
    """Take the sentence before `number` as asked to be remembered, once."""
    if hits and hits[-1].last == number - 1:
        hits[-1] = hits[-1]._replace(last=number, statement=statement)
    else:
        hits.append(_Hit(number - 1, number, statement))


def _joined(hit: _Hit, last: int, text: str) -> _Hit:
    if last - hit.first >= _MOST_JOINED:
        return hit
    whole = f"{wording.finished(hit.statement.text)} {wording.finished(text)}"
    return hit._replace(last=last, statement=hit.statement._replace(text=whole))


def _carries_on(sentence: Sentence, before: Sentence) -> bool:
    """Whether a sentence that states nothing by itself explains the statement before it."""
    text = unfilled(sentence.text)
    if sentence.block != before.block or wording.is_question(text) or wording.is_one_off(text):
        return False
    if text.startswith(("/", "http")) and " " not in text:
        return True
    is_reason = text.lower().startswith(
        ("because", "otherwise", "that way", "the reason", "this way")
    )
    return is_reason or (wording.starts_with_pronoun(text) and not wording.in_first_person(text))


def _explains(before: Sentence) -> bool:
    """Whether the sentence before a pronoun can say what it refers to."""
    return (
        len(before.text) <= 240
        and not wording.is_question(before.text)
        and not wording.starts_with_pronoun(before.text)
        and not wording.is_fragment(before.text)
    )


def _are_both_choices(one: Statement, other: Statement) -> bool:
    """Whether neighbouring statements are better one memory: both are choices, neither a rule."""
    return one.rule in ("decision", "wish") and other.rule in ("decision", "wish")


def _file(hit: _Hit, said: list[Sentence], is_brief: bool, event: Event, found: Findings) -> None:
    statement = hit.statement
    text = wording.finished(cut(statement.text, LONGEST_SENTENCE))
    if wording.is_fragment(text):
        found.refuse("fragment")
        return
    rule = statement.rule
    if is_brief:
        if rule in _WEAK:
            found.refuse("rule of one task")
            return
        rule = "constraint" if rule != "remember" else rule
    is_global = any(words in text.lower() for words in _EVERYWHERE)
    around = said[max(0, hit.first - 1) : hit.last + 2]
    found.add(
        candidate(
            FROM_PROMPT + rule,
            statement.kind,
            text,
            source_of(event),
            name=wording.finished(hit.name),
            excerpt=" ".join(one.text for one in around),
            scope="global" if is_global else "project",
            scope_confidence=0.85 if is_global else 0.0,
        )
    )
