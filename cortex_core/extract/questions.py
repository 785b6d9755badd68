"""The user's answers to the agent's question forms, with the question and the other options.

An answer about what to do next decides nothing that lasts. What the user wrote next to an answer as
a note is heard as a prompt, and so is an answer in the user's own words where it decides nothing.
"""

from collections.abc import Mapping
from typing import Any

from cortex_core.base.text import marked_identifiers, one_line
from cortex_core.base.tools import QUESTION, objects
from cortex_core.extract import hearing, own_words, wording
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.language import listener, signals
from cortex_core.language.detect import language
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import cut, split
from cortex_core.records.events import Event

MOST_QUESTIONS = 6
"""Questions of one form that are read."""
LONGEST_ANSWER = 700
LONGEST_TYPED = 200
"""Characters of an answer that the user typed: a longer one discusses, and is heard as a prompt."""
LONGEST_DESCRIPTION = 240
"""Characters of an option's description that are kept with it."""
MOST_OTHERS = 4
"""Options named that were not chosen."""

_OPTION = Pattern(
    "what numbers an option",
    r"^(?:option|choice|variant|вариант)\s+\w{1,2}\s*[:.)–—-]+\s*",
    finds="Option A: PostgreSQL",
    spares="Optional chaining",
)
_RECOMMENDED = Pattern(
    "what recommends an option",
    r"\s*\((?:recommended|default|suggested)\)\s*",
    finds="PostgreSQL (Recommended)",
    spares="PostgreSQL (16)",
)


def on_tool_use(event: Event, state: SessionState) -> None:
    """Keep the questions until they are answered."""
    if event.tool == QUESTION:
        state.await_result(
            event, "questions", asked=objects(event.input.get("questions"))[:MOST_QUESTIONS]
        )


def on_tool_result(event: Event, state: SessionState, findings: Findings) -> None:
    """File each answer with its question; hear as a prompt what else the user typed."""
    call = state.take_awaited(event, "questions")
    if call is None or event.failed:
        return
    where = {**call, **source_of(event)}
    answers = event.input.get("answers")
    given = answers if isinstance(answers, Mapping) else {}
    typed: list[str] = []
    for form in call["asked"]:
        if answer := str(given.get(str(form.get("question", "")), "")).strip():
            # One sentence of the user has one source, and the question says what it is about.
            is_filed = _file(form, answer, where, findings)
            typed += [answer] if _is_free(form, answer) and not is_filed else []
    annotations = event.input.get("annotations")
    notes = annotations.values() if isinstance(annotations, Mapping) else ()
    written = (note.get("notes") for note in notes if isinstance(note, Mapping))
    typed += [note.strip() for note in written if isinstance(note, str)]
    for words in dict.fromkeys(typed):
        hearing.hear(own_words.own_words(words), words, where, state, findings)


def _labels(asked: Mapping[str, Any]) -> list[str]:
    return [
        option["label"]
        for option in objects(asked.get("options"))
        if isinstance(option.get("label"), str)
    ]


def _is_free(asked: Mapping[str, Any], answer: str) -> bool:
    """Whether the user typed the answer: it is none of the labels, nor several of them."""
    rest = answer
    for label in sorted(_labels(asked), key=len, reverse=True):
        rest = rest.replace(label, "")
    return any(map(str.isalnum, rest))


def _file(
    asked: Mapping[str, Any], answer: str, where: Mapping[str, Any], findings: Findings
) -> bool:
    """File an answer as what was chosen, with the question and the options next to it; whether it
    decides something."""
    question = one_line(str(asked.get("question", "")))
    header = one_line(str(asked.get("header", "")))
    code = language(f"{question} {answer}")
    if reason := _refusal(asked, question, header, answer, code):
        findings.refuse(reason)
        return False
    # Without its question an answer such as “No” says nothing a week later.
    choice = _choice(answer)
    asking = [sentence for sentence in split(question) if sentence.endswith(("?", "？"))]
    about = asking[-1] if asking else f"{question.rstrip('.: ')}:"
    whole = f"{about} {choice}"
    # A long question is shown below; its heading is what the agent itself calls it.
    has_heading = bool(header) and not wording.is_generic(header)
    is_named = has_heading and (len(whole) > wording.LONGEST_TITLE or len(about.split()) < 3)
    name = f"{wording.plain(header) if is_named else about.rstrip('?？: ')}: {choice}"
    labels = {option: _choice(option) for option in _labels(asked)}
    others = [label for option, label in labels.items() if option not in answer]
    lines = [
        wording.finished(cut(f"{whole}{_described(asked, answer)}", LONGEST_ANSWER)),
    ]
    if about != question:
        lines.append(signals.said("asked", language(question), text=cut(question, 300)))
    if others:
        lines.append(
            signals.said("over", language(question), items="; ".join(others[:MOST_OTHERS]))
        )
    findings.add(
        "answer",
        "decision",
        "\n".join(lines),
        where,
        name=wording.shorten(name, wording.LONGEST_TITLE),
        details={"heading": header or question},
    )
    return True


def _choice(answer: str) -> str:
    """An answer without what only serves the form: “Option A:”, “(Recommended)”."""
    return _OPTION.regex.sub(
        "", wording.plain(_RECOMMENDED.regex.sub(" ", one_line(answer)).strip())
    )


def _described(asked: Mapping[str, Any], answer: str) -> str:
    """The description of the chosen option, to be added to its label."""
    options = objects(asked.get("options"))
    chosen = next((option for option in options if option.get("label") == answer), {})
    text = one_line(str(chosen.get("description", "")))
    return f" ({text.rstrip('.')})" if text and len(text) < LONGEST_DESCRIPTION else ""


def _refusal(asked: Mapping[str, Any], question: str, header: str, answer: str, code: str) -> str:
    """Why an answer is not a decision worth hearing; empty if it is."""
    spoken = {code, "en"}
    if len(answer) < 2 or any(signals.search("undecided", answer, one) for one in spoken):
        return "answer decides nothing"
    is_agenda = any(signals.search("agenda", question, one) for one in spoken)
    if is_agenda or signals.search("agenda_heading", header, "en"):
        return "question about what to do next"
    if asked.get("multiSelect") and "," in answer and not marked_identifiers(answer):
        return "choice of topics"
    if _is_free(asked, answer):
        if any(signals.search("remember", answer, one) for one in spoken):
            return "answer asks to be remembered"
        # Typed words that ask back, hesitate, are of the moment, or end in the middle.
        ends_open = len(answer) > LONGEST_TYPED or answer.endswith(("...", "…", ":"))
        if ends_open or listener.heard(answer).label in ("now", "question"):
            return "unfinished answer"
    return "one-off answer" if signals.search("one_task", answer, "en") else ""
