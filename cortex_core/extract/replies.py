"""Replies to the agent's prose: numbered ones, and those that name an option.

A reply says little alone: “2. left” needs the second item of the agent's message. What a reply
states by itself is found by `person`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cortex_core.extract import claims, phrases, wording
from cortex_core.extract.grammar import Grammar, grammar_of
from cortex_core.extract.person import looks_pasted
from cortex_core.extract.questions import decides_nothing, is_about_the_agenda, subject
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.extract.wording import LONGEST_TITLE, plain, shorten
from cortex_core.language import statements
from cortex_core.language.detect import language
from cortex_core.language.sentences import cut, sentences, split
from cortex_core.records.events import Event

_NUMBERED = re.compile(r"(?:^|\n|(?<=[,;.] ))[ \t]*\(?([1-9]\d?|[a-hA-H])[.):][ \t]+(?=\S)")
"""What begins one of several answers: on a line of its own, or after a comma."""
_ITEM = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?(?:#{1,6}[ \t]+)?(?P<bold>\*{2})?(?:[^\W\d_]{3,12}[ \t]+)?#?"
    r"(?P<label>[1-9]\d?|[A-Ha-h])[.):](?P<end>\*{2})?[ \t]+(?P<text>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_NAMES_LABEL = re.compile(
    # The label opens the reply, or stands where English names a choice: after “option”, “go with”.
    r"^\W*(?:(?:yes|yeah|ok(?:ay)?|i think|let'?s|we)[,\s]+)*(?:(?:i like|i(?:'d| would) go with"
    r"|go (?:with|for)|do|use|take|prefer|pick)[ \t]+)?"
    r"(?:(?P<word>option|choice|number|variant)[ \t]+|#)?"
    r"\(?(?P<label>[1-9]|[a-hA-H])\b[.)]?(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_AFTER_LABEL = re.compile(
    # A digit before anything else counts things (“2 tests fail”).
    r"\W{0,3}(?:please|then|sounds (?:good|right)|it is|(?:does |do )?(?:seems?|looks?|sounds?)\b.*"
    r"|is (?:fine|good|better|best|the\b).*|,.*|[.!;—–-]+\s.*)?\W*",
    re.IGNORECASE | re.DOTALL,
)
_ASSENT = re.compile(
    # “yes” says nothing of what holds; “no” does.
    r"\W*(?:(?:yes|yeah|yup|yep|ok(?:ay)?|sure|agreed|please|exactly|lgtm|да|ага|угу)\b\W*)+",
    re.IGNORECASE,
)
_LONGEST_REPLY = 3000
_LONGEST_ANSWER = 500
_LONGEST_ITEM = 220
_SAID = 6000
"""Characters at the end of the agent's message in which options and items are looked for."""
_FEWEST_NUMBERED = 2
_SHORTEST_OPTION = 15


class _Listed(NamedTuple):
    label: str
    text: str


def on_reply(event: Event, reply: str, state: SessionState, findings: Findings) -> None:
    """File what a reply decides by naming items of the agent's last message."""
    said = str(state.said.get("text", ""))[-_SAID:]
    if not said or len(reply) > _LONGEST_REPLY:
        return
    grammar = grammar_of(language(f"{said[-600:]} {reply}"))
    answers = list(_numbered(reply))
    if len(answers) >= _FEWEST_NUMBERED:
        _file_numbered(answers, said, grammar, event, findings)
    else:
        _file_choice(reply, said, grammar, event, findings)


def _numbered(reply: str) -> Iterator[_Listed]:
    """The numbered parts of a reply that begins with one."""
    marks = list(_NUMBERED.finditer(reply))
    if not marks or reply[: marks[0].start()].strip():
        return
    ends = [mark.start() for mark in marks[1:]] + [len(reply)]
    for mark, end in zip(marks, ends, strict=True):
        yield _Listed(mark[1].lower(), " ".join(reply[mark.end() : end].split()).strip(" ,;"))


def _file_numbered(
    answers: list[_Listed], said: str, grammar: Grammar | None, event: Event, findings: Findings
) -> None:
    """File each part that says something with the item it answers."""
    items = _items_with({answer.label for answer in answers}, said)
    for label, answer in answers:
        item = items.get(label, "")
        answer = _stated(answer, grammar)
        if not item or not _says_something(answer, grammar):
            continue
        is_asked = wording.is_question(item)
        topic = subject(item) if is_asked else item
        if not topic:
            findings.refuse("question without a topic")
            continue
        asked = f"\nAsked: {item}?" if is_asked else ""
        findings.add(
            "reply",
            "decision",
            wording.finished(f"{topic}: {answer}") + asked,
            source_of(event),
            name=shorten(f"{topic}: {answer}", LONGEST_TITLE),
            excerpt=f"{item}\n\n{answer}",
        )


def _stated(answer: str, grammar: Grammar | None) -> str:
    """What `answer` settles: no question, no guess, not how things are for now; without the “yes”
    before it says something."""
    stated = " ".join(part for part in split(answer) if not _is_unsettled(part, grammar))
    return _ASSENT.sub("", stated, count=1) if _ASSENT.match(stated) else stated


def _is_unsettled(sentence: str, grammar: Grammar | None) -> bool:
    """Whether a sentence of a reply asks, guesses or says how far things are."""
    if grammar is None:
        return wording.is_question(sentence)
    is_passing = grammar.code == "en" and claims.is_passing(sentence)
    return grammar.is_question(sentence) or grammar.is_hedged(sentence) or is_passing


def _says_something(answer: str, grammar: Grammar | None) -> bool:
    """Whether part of a reply holds more than assent, another label or pasted lines."""
    named = _NAMES_LABEL.match(answer)
    if decides_nothing(answer, grammar) or (named and named["word"]):
        return False
    if len(answer) > _LONGEST_ANSWER or looks_pasted(answer):
        return False
    return not (grammar.is_thin(answer, 3) if grammar else wording.is_thin(answer, 3))


def _items_with(labels: set[str], said: str) -> dict[str, str]:
    """The last list of the message that has an item for each of `labels`, by label."""
    for items in reversed(list(_lists(said))):
        if labels <= items.keys():
            return items
    return {}


def _lists(said: str) -> Iterator[dict[str, str]]:
    """The numbered lists of a message: a label that comes again begins the next one."""
    items: dict[str, str] = {}
    for match in _ITEM.finditer(said):
        label = match["label"].lower()
        if label in items:
            yield items
            items = {}
        is_bold = match["bold"] and not match["end"]
        items[label] = _head(("**" if is_bold else "") + match["text"])
    if items:
        yield items


def _head(text: str) -> str:
    """The first clause of a list item: its bold head, or its first sentence."""
    bold = re.match(r"\*{2}([^*\n]{3,160})\*{2}", text)
    head = plain(bold[1] if bold else text).strip(" :—–-")
    first = split(head)[:1] if len(head) > _LONGEST_ITEM else [head]
    return "".join(first).rstrip(" .:;*?")


def _file_choice(
    reply: str, said: str, grammar: Grammar | None, event: Event, findings: Findings
) -> None:
    """File the option that a reply names, with those it was chosen from."""
    match = _NAMES_LABEL.match(reply.strip())
    if match is None or not (match["word"] or _AFTER_LABEL.fullmatch(match["rest"])):
        return
    if is_about_the_agenda(_last_question(said), grammar):
        return
    label = match["label"].lower()
    items = _items_with({label}, said)
    chosen = items.get(label, "")
    others = [text for other, text in items.items() if other != label and text]
    if not others or len(chosen) <= _SHORTEST_OPTION or "?" in chosen:
        return
    code = grammar.code if grammar else "en"
    over = phrases.said("over", code, items="; ".join(others[:4]))
    about = _topic(said, items, grammar)
    if not about and not statements.is_complete(chosen):
        return
    asked = f"\n{phrases.said('asked', code, text=cut(about, 300))}" if about else ""
    findings.add(
        "reply",
        "decision",
        cut(f"{wording.finished(chosen)} {over}", 600) + asked,
        source_of(event),
        name=chosen,
        about=about,
        excerpt=f"{said[-600:]}\n\n{reply}",
    )


def _topic(said: str, items: dict[str, str], grammar: Grammar | None) -> str:
    """What the options are about: the question after them, or the line before them."""
    question = _last_question(said)
    if question and not (grammar.is_thin(question, 4) if grammar else wording.is_thin(question)):
        return question
    first = next(iter(items.values()))
    before = said[: max(said.find(first[:20]), 0)].rsplit("\n", 1)[0].rstrip()
    line = plain(before.rsplit("\n", 1)[-1]).rstrip(" :")
    return line if len(line) <= _LONGEST_ITEM and not wording.is_thin(line, 3) else ""


def _last_question(said: str) -> str:
    """The question that a message ends with; empty without one."""
    last = [sentence.text for sentence in sentences(said[-2500:])][-4:]
    asked = [plain(text) for text in last if text.rstrip('*_ )"”').endswith("?")]
    return asked[-1] if asked and 20 <= len(asked[-1]) <= 300 else ""
