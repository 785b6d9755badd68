"""The user's answers: to the agent's question forms, and in short replies to its prose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cortex_core.base.languages import language
from cortex_core.base.text import marked_identifiers, one_line
from cortex_core.extract import wording
from cortex_core.extract.grammar import Grammar, grammar_of
from cortex_core.extract.sentences import cut, sentences
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.extract.wording import LONGEST_TITLE, is_generic, plain, shorten
from cortex_core.transcripts.events import Event

_AGENDA = re.compile(
    r"\b(?:how (?:should|would you like|do you want) (?:i|me|us|we)?\s*(?:to )?(?:proceed|continue"
    r"|handle (?:this|the remaining)|start)|what (?:would you like|do you want|should (?:i"
    r"|we)) (?:me )?(?:to )?(?:do|work on|focus on|tackle|start|address|see|know|fix)|which (?:task"
    r"|issue|bead|ticket|item|story|area|topic|file|pr|step|findings?|one)s? (?:should|would|do|are"
    r"|to)|(?:should|shall|can|may) i (?:proceed|continue|go ahead|start|commit|push|merge|create"
    r"|run|implement|begin|also|now|open|fix|apply)|would you like (?:me )?to|do you want me to"
    r"|ready to|next step|what'?s next|proceed|(?:should|shall) i (?!\w[^?]{0,200}\bor\b)"
    r"|where should (?:i|we) start|is this (?:ok|correct|right|what)|does this (?:look|sound|match)"
    r"|look(?:s)? good|approve|confirm|commit (?:this|these|now)|push|merge|review|pick up|resume"
    r"|which (?:fix(?:es)?|changes?|branch|version|of these)\b|how (?:deep|thorough|detailed"
    r"|much detail)|fail(?:ing|ed) tests?|level of detail|(?:is|are) (?:the|your) \w+ (?:running"
    r"|ready|installed)|already (?:exists?|running)|(?:this|the) (?:pr|branch|commit)\b|uncommitted"
    r"|clean up|what (?:happened|went wrong|did you)|can you (?:share|provide|tell|paste))\b",
    re.IGNORECASE,
)
_AGENDA_HEADER = re.compile(
    r"^(?:focus|depth|detail(?: level)?|effort|order|sequence|timing|execution|branch|version bump"
    r"|next(?: steps?| action| task)?|proceed|commit|push|merge|continue|action|approval|confirm\w*"
    r"|ready|start(?:ing)?|priority|tasks?|review|cleanup|status|plan|which task|how to proceed)$",
    re.IGNORECASE,
)
_NO_ANSWER = re.compile(
    r"^\W*(?:you (?:decide|choose|pick)|your (?:call|choice)|whatever|up to you|either|any"
    r"|no preference|don'?t (?:care|know)|not sure|i don'?t know|skip|other|none|n/?a|later|wait"
    r"|stop|cancel|chat about this|let'?s (?:discuss|talk)|yes|no|ok(?:ay)?|sure|y|n|go|do it"
    r"|proceed|continue|idk|(?:keep |leave )?(?:it )?as[- ]is|no changes?|all(?: of them)?)\W*$",
    re.IGNORECASE,
)
_ONE_OFF_ANSWER = re.compile(
    r"\b(?:commit|push|merge|rebase|stash|skip (?:it|this|hook)|do it|go ahead|all of (?:them"
    r"|the above)|start (?:with|over)|fix (?:it|them|both|all)|proceed|continue|come back|first"
    r"|later|run it|leave it|not now|move on)\b",
    re.IGNORECASE,
)
_RECOMMENDED = re.compile(r"\s*\((?:recommended|default|suggested)\)\s*", re.IGNORECASE)
_END = re.compile(
    r'"\.? ?(?:You can now|\Z)|"\s*(?:user notes?|selected|notes?)\s*:', re.IGNORECASE
)
_LABEL = re.compile(
    r"^\W*(?:let'?s (?:go with|do|use)\s+|go with\s+|option\s+|choice\s+|#)?([a-hA-H]"
    r"|[1-8])\b[.)]?\W{0,3}(?:please|then|sounds good)?\W*$",
    re.IGNORECASE,
)
_REACTION = re.compile(
    r"^\W*(?:a+h+|oh+|hm+|wow|huh|wait|sorry|thanks|great|perfect|nice|good|cool)\b", re.I
)
_SHORTEST_REPLY, _LONGEST_REPLY = 8, 240


def on_tool_use(event: Event, state: SessionState) -> None:
    """Keep the questions until they are answered."""
    if event.tool != "AskUserQuestion":
        return
    listed = event.input.get("questions")
    asked = [form for form in listed if isinstance(form, dict)] if isinstance(listed, list) else []
    state.await_result(event, "questions", asked=asked[:6])


def on_tool_result(event: Event, state: SessionState, findings: Findings) -> None:
    """File each answer with its question."""
    call = state.take_awaited(event, "questions")
    if call is None or event.failed:
        return
    asked = call["asked"]
    for index, form in enumerate(asked):
        following = asked[index + 1] if index + 1 < len(asked) else None
        if answer := _answer_in(event.text, form, following):
            _file(form, answer, {**call, **source_of(event)}, findings)


def _answer_in(text: str, asked: Mapping[str, Any], following: Mapping[str, Any] | None) -> str:
    """The answer to one question in the sentence that Claude Code writes about all of them.

    The sentence has the form `"question"="answer", "question"="answer"`; an answer ends where the
    next question begins.
    """
    question = str(asked.get("question", ""))
    start = text.find(f'"{question}"="') if question else -1
    if start < 0:
        return ""
    rest = text[start + len(question) + 4 :]
    if following and (end := rest.find(f'", "{following.get("question", "")}"=')) >= 0:
        return rest[:end].strip()
    end_mark = _END.search(rest)
    return (rest[: end_mark.start()] if end_mark else rest.rstrip('". ')).strip()


def _file(
    asked: Mapping[str, Any], answer: str, where: Mapping[str, Any], findings: Findings
) -> None:
    question = one_line(str(asked.get("question", "")))
    header = one_line(str(asked.get("header", "")))
    if reason := _refusal(asked, question, header, answer):
        findings.refuse(reason)
        return
    chosen = plain(_RECOMMENDED.sub(" ", one_line(answer)).strip())
    about = "" if is_generic(header) else header
    findings.add(
        "answer",
        "decision",
        cut(f"{question} {wording.finished(chosen + _described(asked, answer))}", 700),
        where,
        name=shorten(
            f"{about}: {chosen}" if about else f"{question.rstrip('?')}: {chosen}",
            LONGEST_TITLE,
        ),
    )


def _described(asked: Mapping[str, Any], answer: str) -> str:
    """The description of the chosen option, to be added to its label."""
    options = asked.get("options")
    for option in options if isinstance(options, list) else ():
        if isinstance(option, dict) and option.get("label") == answer:
            text = one_line(str(option.get("description", "")))
            return f" ({text.rstrip('.')})" if text and len(text) < 240 else ""
    return ""


def _refusal(asked: Mapping[str, Any], question: str, header: str, answer: str) -> str:
    """Why an answer is not a decision worth keeping; empty if it is."""
    options = asked.get("options") or ()
    labels = [option.get("label") for option in options if isinstance(option, dict)]
    is_free = answer not in labels and not asked.get("multiSelect")
    grammar = grammar_of(language(f"{question} {answer}"))
    if _NO_ANSWER.match(answer) or len(answer) < 2 or (grammar and grammar.decides_nothing(answer)):
        return "answer decides nothing"
    if _is_agenda(question, grammar) or _AGENDA_HEADER.match(header):
        return "question about the agenda"
    if asked.get("multiSelect") and answer.count(",") >= 1 and not marked_identifiers(answer):
        return "choice of topics"
    if is_free and (
        answer.rstrip().endswith(("?", "...", "…", ":")) or wording.is_question(answer)
    ):
        return "answer ends open"
    if _ONE_OFF_ANSWER.search(answer) or _is_one_off(f"{question} {answer}", grammar):
        return "one-off answer"
    return ""


def on_reply(event: Event, reply: str, state: SessionState, findings: Findings) -> None:
    """File a short reply with the agent's question that it answers."""
    said = str(state.said.get("text", ""))
    if not said or len(reply) > _LONGEST_REPLY:
        return
    question = _last_question(said)
    if not question:
        return
    label = _LABEL.match(reply)
    grammar = grammar_of(language(f"{said[-600:]} {reply}"))
    chosen = _option_named(said, label[1]) if label else _stated_reply(reply, grammar)
    if not chosen or _is_agenda(question, grammar) or _is_one_off(f"{question} {chosen}", grammar):
        return
    content = f"{question} {wording.finished(chosen)}"
    excerpt = f"{said[-600:]}\n\n{reply}"
    findings.add(
        "reply", "decision", cut(content, 600), source_of(event), name=chosen, excerpt=excerpt
    )


def _last_question(said: str) -> str:
    """The question that a message ends with; empty without one."""
    last = [sentence.text for sentence in sentences(said[-2500:])][-4:]
    asked = [plain(text) for text in last if text.rstrip('*_ )"”').endswith("?")]
    return asked[-1] if asked and 20 <= len(asked[-1]) <= 300 else ""


def _option_named(said: str, label: str) -> str:
    """The option that the message lists under a letter or number; empty without one."""
    pattern = re.compile(
        rf"^[ \t]*(?:[-*][ \t]+)?\W{{0,3}}(?:Option )?{re.escape(label)}"
        r"\W{0,3}[.):]\W{0,3}(\S.*)$",
        re.IGNORECASE | re.MULTILINE,
    )
    named = [match[1] for match in pattern.finditer(said[-4000:])]
    return plain(named[-1])[:300] if named and len(plain(named[-1])) > 15 else ""


def _is_agenda(question: str, grammar: Grammar | None) -> bool:
    """Whether a question is about what the agent does next."""
    return bool(_AGENDA.search(question)) or (grammar is not None and grammar.asks_agenda(question))


def _is_one_off(text: str, grammar: Grammar | None) -> bool:
    return wording.is_one_off(text) or (grammar is not None and grammar.is_one_off(text))


def _stated_reply(reply: str, grammar: Grammar | None) -> str:
    """The reply if it says something; empty for assent, commands, questions, other languages."""
    text = one_line(reply)
    if grammar is None or grammar.decides_nothing(text) or grammar.is_question(text):
        return ""
    if grammar.is_hedged(text):
        return ""
    if (
        "?" in text
        or _NO_ANSWER.match(text)
        or wording.is_question(text)
        or len(text) < _SHORTEST_REPLY
    ):
        return ""
    if wording.is_thin(text, 3) or _ONE_OFF_ANSWER.search(text) or wording.is_hedged(text):
        return ""
    if wording.is_status(text) or wording.is_one_off(text) or _REACTION.match(text):
        return ""
    return text
