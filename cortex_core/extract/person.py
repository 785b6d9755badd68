"""Statements in the prompts of the user: few, and the most valuable of all.

`prepare` finds what the user wrote in a prompt, without pasted code, logs, diffs and reviews;
`take` files the statements in its sentences, and counts the orders.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from cortex_core.base.text import clean, content_hash
from cortex_core.extract import corrections, facts, kinds, orders, wording
from cortex_core.extract.grammar import Grammar, fold, grammar_of
from cortex_core.extract.instructions import read
from cortex_core.extract.multilingual import Statement, named
from cortex_core.extract.state import (
    ENVIRONMENT,
    EXCERPT,
    FROM_PROMPT,
    Findings,
    SessionState,
    source_of,
)
from cortex_core.language import verbs
from cortex_core.language.detect import language, spoken
from cortex_core.language.markdown_parts import without_fences
from cortex_core.language.sentences import Sentence, cut, sentences
from cortex_core.records.events import Event
from cortex_core.redaction import secrets
from cortex_core.redaction.secrets import strip_private
from cortex_core.triggers import corrected

LONGEST_PROMPT = 6000
"""Characters above which a prompt is taken to be pasted."""

_SHORT_PROMPT = 400
"""Characters above which what follows the first pasted line is taken to be pasted too."""
_LONGEST_REQUEST = 1500
"""Characters above which a prompt is the brief of one task, as are the rules in it."""
_MOST_LEFT_OUT = 40
"""Characters of a prompt that may be left out as a quote or a placeholder."""
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
    r"|^\W*(?:critical|high|medium|low|major|minor|info)\W{1,3}severity\b"
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
    """What the user wrote of a prompt."""

    prose: str
    """Empty if everything was pasted."""
    is_partial: bool = False
    """Whether something pasted was left out of it, and so something else may be left in."""
    is_brief: bool = False
    """Whether it describes one task at length, so that its rules hold for that task."""
    refusal: str = ""
    """Why there is no prose."""


def prepare(prompt: str) -> Prepared:
    """The prose of a human prompt, and whether it is a brief."""
    text = strip_private(clean(prompt)).strip()
    if len(text) > LONGEST_PROMPT:
        return Prepared("", refusal="pasted")
    whole = len(text)
    text = _ELEMENT.sub(" ", _PLACEHOLDER.sub(" ", text))
    review = _REVIEW.search(text)
    if review:
        text = text[: text.rfind("\n", 0, review.start()) + 1]
    prose = _own_lines(without_fences(text, tables=True))
    if not prose:
        return Prepared("", refusal="pasted")
    if text.startswith("/") and re.match(r"/[a-z][\w:-]*(?:\s|$)", text):
        return Prepared("", refusal="slash command")
    is_partial = len(prose) < whole - _MOST_LEFT_OUT
    return Prepared(prose, is_partial=is_partial, is_brief=_is_brief(prose))


def looks_pasted(line: str) -> bool:
    """Whether a line looks like code, a log, a diff or a table and not like prose."""
    return len(line) < 2000 and bool(_PASTED.search(line))


def _own_lines(text: str) -> str:
    """The lines before the first pasted one; of a short prompt, all that are not pasted."""
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

_HASHED = 6000
"""Characters of a prompt by which a repetition is recognised."""
_AGENT_FIRST = re.compile(r"\W*claude\s+\w", re.IGNORECASE)
"""The agent's name as what the sentence is about; a comma after it addresses the agent."""
_FEWEST_REPORTED = 3
_WORDS_REPORTED = 18
"""Sentences of a report, and words of each on average; few prompts have either."""
_OURS = re.compile(r"\b(?:we|our|us|please)\b", re.IGNORECASE)
"""What the table of English does not count among the words of one person."""
_MOST_QUEUED = 20
"""Texts that wait for a prompt at once; before one more they are read."""
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
_OF_ONE_TASK = re.compile(
    # Tickets and pull requests by number, plans, and what sub-agents do: no form of the sentence
    # says that it is about one task.
    r"#\d+|\b(?:i'll|i will|i'm going to)\b|^(?:but |really,? |and )*we (?:don'?t|do not) need to\b"
    r"|^(?:each|every|all)(?: of the)? sub-?agents?\b|^like\b"
    r"|^(?:for|in) the (?:first|second|third|last|other)\b",
    re.IGNORECASE,
)

_PLEASE = re.compile(r",? (?:please|pls)(?=\W*$| \()", re.IGNORECASE)
_LONGEST_WISH = 180
"""Characters above which a wish is the description of a task."""
_UNSURE = re.compile(r"\bor something\b|\bsomething like\b|\bnot sure\b|<-", re.IGNORECASE)
"""How a preference is put that looks for a word, not one that holds."""


class _Hit(NamedTuple):
    first: int
    """Index of its first sentence."""
    last: int
    """Index of its last sentence."""
    statement: Statement
    name: str = ""
    """The words of its title, if they are not its first."""


def on_prompt(event: Event, state: SessionState, findings: Findings) -> str:
    """File what a prompt states, and note the prompt as what the turn is about.

    Returns:
        The words of the user in it; empty where all is pasted, or was said before.
    """
    _settle_queue(event.text, state, findings)
    is_new = _is_new(event.text, state, findings)
    prepared = prepare(event.text)
    state.prompt = cut(prepared.prose, EXCERPT) if prepared.prose else ""
    if not is_new:
        return ""
    state.turn += not _CHORE.match(event.text)
    take(prepared, {**source_of(event), "acted": state.acted}, state, findings)
    return prepared.prose


def on_queued(event: Event, state: SessionState, findings: Findings) -> None:
    """Keep what the user typed while the agent worked until a prompt shows whether it repeats it.

    Some versions of Claude Code repeat it, with more about where it was said; others never do.
    """
    if len(state.queued) >= _MOST_QUEUED:
        session_ended(state, findings)
    state.queued.append({"text": event.text, "acted": [*state.acted], **source_of(event)})


def on_quoted(words: str, event: Event, state: SessionState, findings: Findings) -> None:
    """File what words of the user state that a compaction summary quotes."""
    if _is_new(words, state, findings):
        take(prepare(words), source_of(event), state, findings, is_quoted=True)


def session_ended(state: SessionState, findings: Findings) -> None:
    """File what the user typed while the agent worked, if no prompt has repeated it."""
    for queued in state.queued:
        if _is_new(str(queued["text"]), state, findings):
            take(prepare(str(queued["text"])), queued, state, findings)
    state.queued.clear()


def _settle_queue(prompt: str, state: SessionState, findings: Findings) -> None:
    """Forget what a prompt repeats of the queue; a prompt from elsewhere shows that it is empty."""
    words = " ".join(prompt.split())
    others = [one for one in state.queued if " ".join(str(one["text"]).split()) not in words]
    if len(others) < len(state.queued):
        state.queued = others
    else:
        session_ended(state, findings)


def _is_new(prompt: str, state: SessionState, findings: Findings) -> bool:
    """Whether this session had no such prompt before; notes it."""
    mark = content_hash(secrets.redact(prompt[:_HASHED]).text)
    if mark in state.prompts:
        findings.refuse("prompt repeated")
        return False
    state.prompts.append(mark)
    return True


def take(
    prepared: Prepared,
    where: Mapping[str, Any],
    state: SessionState,
    findings: Findings,
    *,
    is_quoted: bool = False,
) -> None:
    """File what words of the user state, and count the orders among the rest.

    Args:
        where: the event they come from, as `source_of` returns it, and the calls before it.
        is_quoted: whether somebody else repeats them, so that the user did not say them again.
    """
    if not prepared.prose:
        findings.refuse(prepared.refusal)
        return
    _note_language(prepared.prose, where, state, findings)
    grammar = grammar_of(language(prepared.prose))
    if grammar is None:
        findings.refuse("language")
        return
    said = sentences(facts.apart(prepared.prose))
    if _is_report(said, grammar):
        findings.refuse("pasted")
        return
    hits = _hits(said, grammar)
    if prepared.is_partial:
        hits = [hit for hit in hits if hit.statement.rule != "mention"]
    is_brief = prepared.is_brief or len(hits) > _MOST_STATEMENTS
    for hit in hits[:_MOST_STATEMENTS]:
        _file(hit, said, is_brief, grammar, where, findings)
    if not is_quoted and not prepared.is_partial and not is_brief:
        by_rule = {hit.first: hit.statement.rule for hit in hits}
        corrections.observe(said, by_rule, grammar, where, state, findings)
    stated = {number for hit in hits for number in range(hit.first, hit.last + 1)}
    for number, sentence in enumerate(said):
        if number not in stated and grammar.code == "en" and not _is_mixed(prepared):
            orders.observe(sentence.text, where, state, findings)


def _note_language(
    prose: str, where: Mapping[str, Any], state: SessionState, findings: Findings
) -> None:
    """Count the language of a prompt: Cortex words in it what it says itself."""
    if code := spoken(prose):
        state.languages[code] = state.languages.get(code, 0) + 1
        findings.observe("language", code, code, where)


def _hits(said: list[Sentence], grammar: Grammar) -> list[_Hit]:
    """The statements of a prompt, each with the sentences that belong to it.

    A sentence that cannot stand alone is joined to the one before: an explanation, an “it must
    …”, a “remember that”. After an objection (“no.”) the next sentence is read as a correction.
    """
    hits: list[_Hit] = []
    for index, sentence in enumerate(said):
        previous = hits[-1] if hits and hits[-1].last == index - 1 else None
        before = said[index - 1] if index else None
        objected = before is not None and grammar.is_objection(before.text)
        if before and (correction := named(before.text, sentence.text, grammar)):
            _replace_last(hits, index, correction)
            continue
        objection = f"{before.text.rstrip('.!。！')}, " if before and objected else ""
        statement = read(objection + sentence.text, grammar) or _mentioned(sentence, grammar)
        if statement is None or _is_passing(statement, grammar):
            if previous and before and _carries_on(sentence, before, grammar):
                hits[-1] = _joined(previous, index, sentence.text)
            elif before and grammar.asks_to_remember(sentence.text) and _explains(before, grammar):
                kind = kinds.kind_of(before.text)
                _replace_last(hits, index, Statement("remember", kind, before.text))
            continue
        is_thin = statement.rule in _WEAK and grammar.is_thin(statement.text, 3)
        if is_thin or grammar.starts_with_pronoun(grammar.unfilled(statement.text)):
            if previous is not None:
                hits[-1] = _joined(previous, index, statement.text)
            elif before is not None and _explains(before, grammar):
                whole = f"{wording.finished(before.text)} {wording.finished(statement.text)}"
                hits.append(_Hit(index - 1, index, statement._replace(text=whole), statement.text))
            elif is_thin and not grammar.is_thin(statement.text, 2):
                hits.append(_Hit(index, index, statement))
        elif previous and _are_both_choices(previous.statement, statement):
            hits[-1] = _joined(previous, index, statement.text)
        else:
            hits.append(_Hit(index, index, statement))
    return hits


def _is_report(said: list[Sentence], grammar: Grammar) -> bool:
    """Whether a prompt is in the register of a report, not of a user: long sentences of no one.

    Reviews and tickets are pasted without a word to the agent. A user addresses it, or speaks of
    themselves, somewhere in several sentences.
    """
    if len(said) < _FEWEST_REPORTED or any(map(grammar.asks_to_remember, (s.text for s in said))):
        return False
    words = sum(len(sentence.text.split()) for sentence in said)
    if words < _WORDS_REPORTED * len(said):
        return False
    text = fold(" ".join(sentence.text for sentence in said))
    is_ours = grammar.code == "en" and _OURS.search(text)
    return not (is_ours or grammar.first_person.search(text) or grammar.second_person.search(text))


def _is_mixed(prepared: Prepared) -> bool:
    """Whether what looks like an order may be a line of something else."""
    return prepared.is_partial or prepared.is_brief


def _mentioned(sentence: Sentence, grammar: Grammar) -> Statement | None:
    """A fact that no signal announces."""
    is_subject = _AGENT_FIRST.match(sentence.text)
    text = sentence.text if is_subject else grammar.unfilled(sentence.text)
    return facts.mentioned(text) if grammar.code == "en" else facts.defines(text)


def _is_passing(statement: Statement, grammar: Grammar) -> bool:
    """Whether a rule or choice in passing is about one task, or a preference still open."""
    if grammar.code != "en":
        return False
    if statement.rule == "preference":
        return bool(_UNSURE.search(statement.text))
    if statement.rule == "wish" and _runs_on(statement.text):
        return True
    return statement.rule in _WEAK and bool(_OF_ONE_TASK.search(statement.text))


def _runs_on(wish: str) -> bool:
    """Whether a wish tells a task: at length, or with an order behind a dash."""
    _, dash, more = wish.partition(" - ")
    return len(wish) > _LONGEST_WISH or (bool(dash) and verbs.is_order(more))


def _replace_last(hits: list[_Hit], index: int, statement: Statement) -> None:
    """Let `statement` replace the one of the sentence before, or add it."""
    if hits and hits[-1].last == index - 1:
        hits[-1] = hits[-1]._replace(last=index, statement=statement)
    else:
        hits.append(_Hit(index - 1, index, statement))


def _joined(hit: _Hit, last: int, text: str) -> _Hit:
    if last - hit.first >= _MOST_JOINED:
        return hit
    whole = f"{wording.finished(hit.statement.text)} {wording.finished(text)}"
    return hit._replace(last=last, statement=hit.statement._replace(text=whole))


def _carries_on(sentence: Sentence, before: Sentence, grammar: Grammar) -> bool:
    """Whether a sentence that states nothing itself explains the statement before it."""
    text = grammar.unfilled(sentence.text)
    if sentence.block != before.block or grammar.is_question(text) or grammar.is_one_off(text):
        return False
    if text.startswith(("/", "http")) and " " not in text:
        return True
    is_about_it = grammar.starts_with_pronoun(text) and not grammar.in_first_person(text)
    return is_about_it or grammar.explains_before(text)


def _explains(before: Sentence, grammar: Grammar) -> bool:
    """Whether the sentence before a pronoun can say what the pronoun refers to."""
    return (
        len(before.text) <= 240
        and not grammar.is_question(before.text)
        and not grammar.starts_with_pronoun(before.text)
        and not wording.is_fragment(before.text)
    )


def _are_both_choices(first: Statement, second: Statement) -> bool:
    """Whether two neighbouring statements are one memory: both are choices, neither is a rule."""
    return first.rule in ("decision", "wish") and second.rule in ("decision", "wish")


def _file(
    hit: _Hit,
    said: list[Sentence],
    is_brief: bool,
    grammar: Grammar,
    where: Mapping[str, Any],
    findings: Findings,
) -> None:
    """File a statement; in a brief it is a suggestion, unless the user asks to remember it."""
    statement = hit.statement
    text = wording.finished(_PLEASE.sub("", cut(statement.text, LONGEST_SENTENCE)))
    if wording.is_fragment(text):
        findings.refuse("fragment")
        return
    rule = statement.rule
    if is_brief:
        if rule in _WEAK:
            findings.refuse("rule of one task")
            return
        rule = "constraint" if rule != "remember" else rule
    is_global = grammar.holds_everywhere(text)
    call = "" if is_brief else corrected.call_of(text, where.get("acted", ()))
    around = said[max(0, hit.first - 1) : hit.last + 2]
    of_machine = statement.kind == "fact" and _tells_of_the_machine(text, grammar)
    findings.add(
        FROM_PROMPT + rule,
        statement.kind,
        text,
        where,
        name=wording.finished(hit.name),
        excerpt=" ".join(sentence.text for sentence in around),
        scope="global" if is_global else "project",
        scope_confidence=0.85 if is_global else 0.0,
        tags=(ENVIRONMENT,) if of_machine else (),
        details={corrected.CALL: call} if call else {},
    )


def _tells_of_the_machine(text: str, grammar: Grammar) -> bool:
    """Whether `text` is on the machine: in other languages by what is not to be had on it."""
    is_missing = grammar.code != "en" and grammar.no_access.search(fold(text))
    return bool(is_missing or facts.tells_of_the_machine(text))
