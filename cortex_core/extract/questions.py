"""The user's answers to the agent's question forms: choices, and words the user typed instead.

A choice is a decision unless its question is about what to do next. What the user typed in place of
a choice, or beside it as a note, is read as a prompt as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from cortex_core.base.text import marked_identifiers, one_line
from cortex_core.base.tools import QUESTION
from cortex_core.extract import person, phrases, wording
from cortex_core.extract.grammar import Grammar, grammar_of
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.extract.wording import LONGEST_TITLE, plain, shorten
from cortex_core.language import verbs
from cortex_core.language.detect import language
from cortex_core.language.sentences import cut
from cortex_core.records.events import Event

_AGENDA = re.compile(
    # What the agent, or both, should do next. Nothing in its form tells such a question from one
    # about the project, so it is known by who acts in it, and by the “this” that is at hand. The
    # tables of other languages have their own.
    r"\b(?:how (?:should|would you like|do you want) (?:i|me|us|we)?\s*(?:to )?(?:proceed|continue"
    r"|handle (?:this|the remaining)|start)|what (?:would you like|do you want|should (?:i|we"
    r"|happen))\b|which (?:task|step|ticket|item)|which \w+ (?:should|would|do) (?:i|we|you"
    r"|the \w+) (?:(?:want|like) (?:me )?to )?(?:work|start|begin|discuss|cover|tackle|do|fix"
    r"|review|address|focus)\b"
    r"|(?:should|shall|can|may) i (?!\w[^?]{0,200}\bor\b)|would you like"
    r"|want me to (?!\w[^?]{0,200}\bor\b)"
    r"|ready to|next step|what'?s next|next (?:area|topic|question)|more questions"
    r"|where should (?:i|we) start|is this (?:ok|correct|right|what)|(?:does|do) (?:this|that|these"
    r"|it|the \w+) (?:look|sound|match)|looks? good|do you approve|(?:can|could|do|please)"
    r" (?:you )?(?:confirm|share|provide|tell|paste)|(?:commit|push|merge|review|fix) (?:this|these"
    r"|it|now)"
    r"|pick up|how (?:deep|thorough|detailed|much detail)|(?:is|are) (?:the|your) [\w ]+ (?:running"
    r"|ready|installed)|(?:this|these|the current) (?:prs?|commits?|changes?|sessions?|branch"
    r"|failures?)\b|uncommitted|clean up|what (?:happened|went wrong|did you))",
    re.IGNORECASE,
)
_AGENDA_HEADER = re.compile(
    # As the question, its header says only by its words that it is about the work at hand.
    r"^(?:focus|depth|detail(?: level)?|order|sequence|timing|execution|next(?: steps?| action"
    r"| task)?|proceed|commit|push|merge|continue|action|approval|confirm\w*|ready|start(?:ing)?"
    r"|tasks?|review|cleanup|status|which task|how to proceed)$",
    re.IGNORECASE,
)
_NO_ANSWER = re.compile(
    # Assent and evasion: they are whole answers, and as well formed as any other.
    r"^\W*(?:you (?:decide|choose|pick)|your (?:call|choice)|whatever|up to you|either|any"
    r"|no preference|don'?t (?:care|know)|not sure|i don'?t know|skip|other|none|n/?a|later|wait"
    r"|stop|cancel|chat about this|let'?s (?:discuss|talk)|yes|no|ok(?:ay)?|sure|y|n|go|do it"
    r"|proceed|continue|idk|(?:keep |leave )?(?:it )?as[- ]is|no changes?|all(?: of them)?"
    r"|something else|custom(?: \w+)?|next \w+)\W*$",
    re.IGNORECASE,
)
_ONE_OFF_ANSWER = re.compile(
    # An order for now opens the answer, or a moment ends it: the same words within it are its
    # subject (“one merge commit”, “not used currently”).
    r"^\W*(?:(?:yes|ok(?:ay)?|just|please|then|first)[,\s]+)*(?:(?:commit|push|merge|rebase|stash)"
    r"(?:\W*$|\s+(?:it|this|these|them|now|first|and|to|the|only|everything|all)\b)|skip\b|do it"
    r"|go ahead|start (?:with|over|now)|work on|fix (?:it|them|both|all|the)\b|proceed|continue"
    r"|come back|run it|leave it|not now|move on|done\b|wait\b|let'?s (?:discuss|talk))"
    r"|\b(?:for now|right now|just now|today|this time|at the moment|later|not yet)\W*$",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(r"^\W*(?:h+m+|u+h+m*|well|it depends)\b|\bdepends? on\b", re.IGNORECASE)
_OPTION = re.compile(r"^(?:option|choice|variant|вариант)\s+\w{1,2}\s*[:.)–—-]+\s*", re.IGNORECASE)
_RECOMMENDED = re.compile(r"\s*\((?:recommended|default|suggested)\)\s*", re.IGNORECASE)
_ASKED = re.compile(
    r"(?:so |and |or )?(?:(?:which|what)\s+|(?:should|shall|must|do|does|is|are|will)\s+"
    r"(?:the|our|an?)\s+)(?=\w)",
    re.IGNORECASE,
)
_AFTER_SUBJECT = re.compile(
    r"(?:should|shall|must|can|could|do|does|did|is|are|was|were|will|would|may|might|has|have|be"
    r"|always|never|only|also|to|you|we|i|\w+ly)"
)
_LONGEST_SUBJECT = 6
"""Words of what a question is about."""
_END = re.compile(
    r'"\.? ?(?:You can now|\Z)|"\s*(?:user notes?|selected|notes?)\s*:', re.IGNORECASE
)


def on_tool_use(event: Event, state: SessionState) -> None:
    """Keep the questions until they are answered, and count the labels that they offer."""
    if event.tool != QUESTION:
        return
    listed = event.input.get("questions")
    asked = [form for form in listed if isinstance(form, dict)] if isinstance(listed, list) else []
    for form in asked[:6]:
        for label in {_choice(name) for name in _labels(form)}:
            state.offered[label] = state.offered.pop(label, 0) + 1
    state.await_result(event, "questions", asked=asked[:6])


def on_tool_result(event: Event, state: SessionState, findings: Findings) -> None:
    """File each answer with its question; read what the user typed as a prompt."""
    call = state.take_awaited(event, "questions")
    if call is None or event.failed:
        return
    asked = call["asked"]
    where = {**call, **source_of(event)}
    for index, form in enumerate(asked):
        following = asked[index + 1] if index + 1 < len(asked) else None
        if answer := _answer_in(event.text, form, following):
            _file(form, answer, where, findings)
            if _is_free(form, answer):
                person.take(person.prepare(answer), where, state, findings)
    for note in dict.fromkeys(_notes(event.input.get("annotations"))):
        if note not in event.text.split("=", 1)[-1].split(" user notes")[0]:
            person.take(person.prepare(note), where, state, findings)


def _labels(asked: Mapping[str, Any]) -> list[str]:
    options = asked.get("options")
    return [
        str(option["label"])
        for option in (options if isinstance(options, list) else ())
        if isinstance(option, dict) and isinstance(option.get("label"), str)
    ]


def _is_free(asked: Mapping[str, Any], answer: str) -> bool:
    """Whether the user typed the answer: it is none of the labels, nor several of them."""
    rest = answer
    for label in sorted(_labels(asked), key=len, reverse=True):
        rest = rest.replace(label, "")
    return bool(re.search(r"\w", rest))


def _notes(annotations: object) -> Iterator[str]:
    """What the user wrote beside the answers."""
    for note in annotations.values() if isinstance(annotations, Mapping) else ():
        if isinstance(note, Mapping) and isinstance(note.get("notes"), str):
            yield note["notes"].strip()


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
        rest = rest[: end + 1]
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
    choice = _choice(answer)
    about = "" if wording.is_generic(header) else plain(header)
    about = about or subject(question) or question.rstrip("? ")
    findings.add(
        "answer",
        "decision",
        f"{wording.finished(cut(f'{about}: {choice}{_described(asked, answer)}', 700))}\n"
        f"{phrases.said('asked', language(question), text=cut(question, 300))}",
        where,
        name=shorten(f"{about}: {choice}", LONGEST_TITLE),
        details={"choice": choice},
    )


def subject(question: str) -> str:
    """What an English question is about: its words up to the verb, “Which X does …”.

    Empty where it begins otherwise.
    """
    asked = _ASKED.match(question)
    words = question[asked.end() :].split() if asked else []
    ends = (at for at, word in enumerate(words) if _ends_subject(word.lower().strip("?,"), at))
    end = next(ends, 0)
    return plain(" ".join(words[:end])).capitalize() if 0 < end <= _LONGEST_SUBJECT else ""


def _ends_subject(word: str, at: int) -> bool:
    """Whether the word at `at` of a question is the verb of its subject, or an adverb before it.

    The first words may be nouns that are also verbs: “the list view”.
    """
    if _AFTER_SUBJECT.fullmatch(word):
        return True
    is_third_person = word.endswith("s") and bool(verbs.base(word))
    return (at > 0 and is_third_person) or (at > 1 and verbs.is_verb(word))


def _choice(answer: str) -> str:
    """An answer without what only serves the form: “Option A:”, “(Recommended)”."""
    return _OPTION.sub("", plain(_RECOMMENDED.sub(" ", one_line(answer)).strip()))


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
    grammar = grammar_of(language(f"{question} {answer}"))
    if decides_nothing(answer, grammar) or len(answer) < 2:
        return "answer decides nothing"
    if is_about_the_agenda(question, grammar) or _AGENDA_HEADER.match(header):
        return "question about the agenda"
    if asked.get("multiSelect") and answer.count(",") >= 1 and not marked_identifiers(answer):
        return "choice of topics"
    if _is_free(asked, answer) and _is_open(answer, grammar):
        return "answer ends open"
    return "one-off answer" if _ONE_OFF_ANSWER.search(answer) else ""


def is_about_the_agenda(question: str, grammar: Grammar | None) -> bool:
    """Whether a question of the agent is about what to do next, not about the project."""
    return bool(_AGENDA.search(question)) or (grammar is not None and grammar.asks_agenda(question))


def decides_nothing(answer: str, grammar: Grammar | None) -> bool:
    """Whether an answer only agrees, or leaves it to the agent."""
    return bool(_NO_ANSWER.match(answer)) or (
        grammar is not None and grammar.decides_nothing(answer)
    )


def _is_open(answer: str, grammar: Grammar | None) -> bool:
    """Whether typed words ask back, hesitate or end in the middle."""
    if answer.rstrip().endswith(("?", "...", "…", ":")) or _UNDECIDED.search(answer):
        return True
    return grammar is not None and (
        grammar.is_question(answer)
        or grammar.is_hedged(answer)
        or grammar.in_first_person(answer)
        or grammar.is_one_off(answer)
    )
