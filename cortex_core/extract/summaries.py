"""Compaction summaries: what lasts in the agent's own account of a session.

Claude Code asks for numbered sections. Read are statements among the concepts, causes among errors
and problems, values and traps of files, what the user corrected, the user's own sentences, and what
is pending. What was being done is outdated at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from cortex_core.base.text import clean, marked_identifiers
from cortex_core.extract import (
    claims,
    documents,
    instructions,
    kinds,
    open_ends,
    person,
    phrases,
    wording,
)
from cortex_core.extract.grammar import grammar_of
from cortex_core.extract.kinds import Kind
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.extract.wording import plain
from cortex_core.language import verbs
from cortex_core.language.detect import language
from cortex_core.language.markdown_parts import Item, items, without_fences
from cortex_core.language.sentences import cut, mask, split
from cortex_core.records.events import Event

LONGEST = 500
"""Most characters of a memory from a summary."""

_LONGEST_PASSAGE = 300
"""Characters from which the parts of an item are claims of their own."""
Topic = Literal["concepts", "files", "errors", "problems", "messages", "pending", "other"]

_TOPICS: tuple[Topic, ...] = (
    "other",
    "other",
    "concepts",
    "files",
    "errors",
    "problems",
    "messages",
    "pending",
)
"""What the sections are about, by number, in the order in which Claude Code asks for them."""
_NAMED: tuple[tuple[str, Topic], ...] = (
    ("concept", "concepts"),
    ("file", "files"),
    ("error", "errors"),
    ("problem", "problems"),
    ("user message", "messages"),
    ("intent", "other"),
    ("request", "other"),
    ("pending", "pending"),
    ("current", "other"),
    ("next", "other"),
)
"""The names that Claude Code gives the sections: a summary may leave one out."""
_SUMMARY = re.compile(r"^[ \t]*(?:<summary>|\**Summary:?\**:?[ \t]*$)", re.MULTILINE)
_SECTION = re.compile(
    r"^(?:#{1,4}[ \t]*)?\**(\d{1,2})\.[ \t]+\**([^\n*:]{3,60})\**:?\**:?[ \t]*$", re.MULTILINE
)
_SUBHEADING = re.compile(r"^(?:#{2,5}[ \t]+(\S.{0,120})|\*\*([^*\n]{2,120})\*\*:?)[ \t]*$")


def on_summary(event: Event, state: SessionState, findings: Findings) -> None:
    """File what lasts in the sections of a compaction summary."""
    text = clean(event.text)
    marks = list(_SUMMARY.finditer(text))
    body = without_fences(text[marks[-1].end() :] if marks else text)
    reader = _Reader(event, state, findings, language(body))
    pending: list[str] = []
    for topic, section in _sections(body):
        for item in items(_as_list(section)):
            if topic == "pending":
                pending.append(item.text)
            else:
                reader.read(topic, item)
    open_ends.on_pending(pending, state)


def _sections(body: str) -> Iterator[tuple[Topic, str]]:
    """Topic and text of the numbered sections."""
    marks = list(_SECTION.finditer(body))
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(body)
        yield _topic(int(mark[1]), mark[2].casefold()), body[mark.end() : end]


def _topic(number: int, name: str) -> Topic:
    """What a section is about: by its name, else by its number, as in other languages."""
    named = next((topic for word, topic in _NAMED if word in name), None)
    return named or (_TOPICS[number] if number < len(_TOPICS) else "other")


def _as_list(section: str) -> str:
    """`section` with its headings as list items, and what is below them nested."""
    lines, margin = [], ""
    for line in section.split("\n"):
        if heading := _SUBHEADING.match(line.strip()):
            lines.append(f"- {heading[1] or heading[2]}")
            margin = "      "
        else:
            lines.append(margin + line)
    return "\n".join(lines)


_NUMBERED = re.compile(r"^(?:error|problem|issue|bug)\s*#?\d+\s*[:.—-]+\s*", re.IGNORECASE)
_FINDING = re.compile(r"^[A-Z][a-z]+(?:ed|und) that\s+", re.IGNORECASE)
"""“Established that”: what follows is the claim."""
_CAUSE = re.compile(
    r"^(?:the )?(?:root |real |actual |underlying )?(?:cause|reason|issue)\s*(?::|was|is)\s*", re.I
)
_FIX_LABEL = re.compile(
    r"^(?:the )?(?:fix|solution|resolution|workaround)\b[^:]{0,20}:", re.IGNORECASE
)
_FIX = re.compile(rf"{_FIX_LABEL.pattern}|^(?:fixed|solved|resolved|worked)\b", re.IGNORECASE)
_PATH = re.compile(r"((?:[\w.@~-]+/)*[\w@-]*\.[\w.-]{1,40})`?(?![\w/])")
_LINES = re.compile(
    r"\s*\((?:L|lines? ?)\d[^()\n]{0,40}\)|\b(?:at|on) lines? \d[\d, -]*", re.IGNORECASE
)
_LABEL = re.compile(r"^[A-Z][a-z]+(?: [a-z]+)?: (?=\S)")
"""What an item of a file is headed with: “Gap:”, “Key detail:”."""
_FAILURE = re.compile(r"(?:[\w-]+ ){0,3}(?:error|bug|failure|crash|issue)s? ?:", re.IGNORECASE)
"""How a failure of the session is headed, which an edit of the file ends."""
_SYMBOL = re.compile(r"`[^`]+`|[\w.]+\([^()]*\)|[A-Z]?[a-z]+[A-Z]\w*")
_DOES = re.compile(r"[A-Z][a-z]+s,? ")
_CALL = re.compile(r"\w\(\)")
_STEP = re.compile(r"(?:when|if|on|after|before)\b", re.IGNORECASE)
_DEMANDS = re.compile(r"\b(?:always|never|must|not|only|don['’]t)\b", re.IGNORECASE)
"""What an order has that is for whoever changes the code. A list, because a step of the code and a
demand are both imperatives."""
_HOLDS = re.compile(r"[A-Z][a-z]+[^s\W]s (?=\w+ \w+ \w)")
"""“Contains all decisions …”: what is told of a document in the third person."""
# A product has users too: only these verbs are of the user who works with the agent.
_TELLS = (
    r"said|corrected|clarified|rejected|explained|informed|told|chose|decided|selected|insisted"
    r"|pointed out|noted|confirmed|agreed|disagreed|prefer\w*|feedback|correction|directive"
    r"|preference|requirement"
)
_USER = r"\b(?:the )?user (?:\w+ly |then |also )?"
_ACTS = re.compile(
    rf"{_USER}(?:{_TELLS}|asked|wants?|wanted|noticed|interrupted|identified|requested|stopped"
    r"|questioned|approved|ran|provided|reported|pointed|showed)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    rf"^(?:[^,:\"“]{{0,80}}, )?{_USER}(?P<verb>{_TELLS})\b"
    r"(?:[^—:\"“]{0,60}?(?:\bthat |— |: ))?\s*",
    re.IGNORECASE,
)
_DIRECTIVE = re.compile(
    r"\(user(?:'s)? (?:directive|instruction|requirement|rule)s?: ([^()]{12,200})\)", re.IGNORECASE
)
"""What the user demands, told in brackets after what it is about."""
_CHOOSES = frozenset({"chose", "selected", "prefers"})
_REFUSES = re.compile(
    r"(?:the )?user (?:rejected|refused|stopped) (?P<what>\S+ .+|\w+$)", re.IGNORECASE
)
"""A correction that the user gave by refusing a tool, often without words."""
_COMMAND = re.compile(r"`[^`\s]+ [^`]+`")
_GERUND = re.compile(r"(?:\w+ ){0,2}\w+ing\b", re.IGNORECASE)
_QUOTE = re.compile(r"[\"“]([^\"“”\n]{8,400})[\"”]")
_WHOLE_QUOTE = re.compile(
    r"^(?:\([^()]{0,80}\):? ?)?[\"“]([^\"“”]{12,4000})[\"”][\s.]*(?:\([^()]*\))?$"
)


class _Reader:
    """Reads the items of one summary, and files what is found."""

    def __init__(
        self, event: Event, state: SessionState, findings: Findings, language_code: str
    ) -> None:
        self._event = event
        self._state = state
        self._findings = findings
        self._begins = not state.prompts
        """Whether no prompt came before it: those it tells of may be lost."""
        self._in_english = language_code == "en"
        self._grammar = grammar_of(language_code)

    def read(self, topic: Topic, item: Item) -> None:
        """File what lasts of an item of a section on `topic`."""
        if topic == "messages":
            self._message(item)
        elif topic == "concepts":
            self._feedback(item)
            self._concept(item)
        elif topic in ("errors", "problems"):
            self._feedback(item)
            self._problem(item)
        elif topic == "files":
            self._file(item)

    def _message(self, item: Item) -> None:
        """Hear what the user said, if the session begins with the summary."""
        quote = _WHOLE_QUOTE.match(item.text) if self._begins else None
        if quote and not re.search(r"\.\.\.|…|\[", quote[1]):
            person.on_quoted(quote[1], self._event, self._state, self._findings)

    def _concept(self, item: Item) -> None:
        """File what an item states: kept if it is a rule or holds a value, else suggested."""
        for text in map(self._lasting, _passages(item)):
            signs, has_value = self._signs(text), claims.holds_value(text)
            if not self._lasts(text):
                self._findings.refuse("concept about the work")
            elif _describes_code(text):
                self._findings.refuse("what the code says")
            elif not claims.stands_alone(text):
                self._findings.refuse("unclear")
            elif signs + has_value > 1 and self._is_sentence(text):
                self._add("concept", kinds.kind_of(text), text)
            elif has_value or (claims.is_specific(text) and self._states(text)):
                self._add("statement", kinds.kind_of(text), text)
            else:
                self._findings.refuse("concept that states nothing")

    def _lasting(self, text: str) -> str:
        """A passage without the sentences that are about the work, if any other is left."""
        if not self._in_english or self._lasts(text):
            return text
        name, colon, rest = text.partition(": ")
        said = [_FIX_LABEL.sub("", each).strip() for each in split(rest if colon else text)]
        kept = [each for each in said if self._lasts(each) and claims.stands_alone(each)]
        told = " ".join(map(wording.finished, kept))
        if not told or not colon:
            return told or text
        if verbs.is_order(mask(told)):
            return f"{told.rstrip('.')} ({name})"
        return claims.labelled(name, told)

    def _signs(self, text: str) -> int:
        """How much `text` states: a verb and a rule count one each, a rule's own verb both."""
        if self._in_english:
            return claims.asserts(text) + claims.is_rule(text)
        return 2 if self._grammar and self._grammar.states_duty(text) else 0

    def _is_sentence(self, text: str) -> bool:
        """Whether `text` has a main verb: without one it lists or names things."""
        return not self._in_english or claims.asserts(text)

    def _states(self, text: str) -> bool:
        """Whether `text` says something of what it names, be it that there is none."""
        return self._signs(text) > 0 and (self._is_sentence(text) or claims.denies(text))

    def _lasts(self, text: str) -> bool:
        grammar = None if self._in_english else self._grammar
        if grammar and (grammar.is_one_off(text) or grammar.is_hedged(text)):
            return False
        return claims.lasts(text) and not (claims.is_mended(text) or _ACTS.search(mask(text)))

    def _problem(self, item: Item) -> None:
        """File the cause of a problem with its fix and what the user asked; without one nothing."""
        head, told_all = _headed(item)
        said = [_FINDING.sub("", each) for each in told_all if not _ACTS.search(mask(each))]
        fixes = [each for each in said if _FIX.match(each)]
        named = [_CAUSE.sub("", each) for each in said if _CAUSE.match(each)]
        causes = [each for each in named if claims.holds(each)]
        causes = causes or [each for each in said if each not in fixes and claims.is_trap(each)]
        was_set = [each for each in said if head and each not in fixes and claims.was_set(each)]
        causes = causes or was_set
        told = " ".join([*map(_stopped, causes[:2]), *map(_fixed, fixes[:1])])
        label = "" if claims.is_passing(head) or _ACTS.search(head) else head
        is_named = marked_identifiers(f"{head} {told}") or causes == was_set
        if not (causes and is_named and self._in_english) or wording.is_thin(told, 5):
            self._findings.refuse("problem without a cause that lasts")
        else:
            asked = next((one for each in told_all for one in _asked(each)), "")
            complaint = f" The user asked: “{asked}”" if asked else ""
            self._add("solved", "gotcha", claims.labelled(label, told) + complaint)

    def _file(self, item: Item) -> None:
        """File what of a file is a value or a trap, and what a document holds."""
        path = _PATH.match(item.text.lstrip("*` "))
        if path is None or not self._in_english:
            return
        said = [_LINES.sub("", plain(child.whole(3))) for child in item.children[:8]]
        held = next((each for each in said if _HOLDS.match(each) and claims.lasts(each)), "")
        if held and path[1].endswith(documents.ENDINGS):
            self._add_file(path[1], f"`{path[1]}` {held[0].lower()}{held[1:]}")
            return
        for text in said:
            told = _LABEL.sub("", text)
            if not claims.stands_alone(told) or _FAILURE.match(text):
                self._findings.refuse("unclear")
            elif claims.holds(told) and (claims.is_rule(told) or claims.names_place(told)):
                self._add_file(path[1], f"`{path[1]}`: {told}")
            else:
                self._findings.refuse("file without a value")

    def _add_file(self, path: str, text: str) -> None:
        self._add("file", kinds.kind_of(text), text, files=(path,))

    def _feedback(self, item: Item) -> None:
        """File what the user corrected or chose: in the user's words, or as it is told."""
        head, said = _headed(item)
        if refused := _REFUSES.match(head):
            self._refusal(refused["what"], said)
            return
        if directive := _DIRECTIVE.search(plain(item.text)):
            self._add("feedback", "policy", claims.labelled(head, directive[1]))
            return
        told = " ".join(wording.finished(text) for each in said for text in _told(each))
        if told:
            label = "" if _ACTS.search(head) else head
            self._add("feedback", kinds.kind_of(told), claims.labelled(label, told))

    def _refusal(self, what: str, said: list[str]) -> None:
        """File which command or way of working the user refused; that they interrupted is over."""
        commands = _COMMAND.findall(" ".join([what, *said]))
        if commands or _GERUND.match(what):
            refused = (commands or [what])[0]
            told = f"The user rejected {refused}"
            self._add("feedback", "decision", told, excerpt=" ".join(said))
        else:
            self._findings.refuse("interruption")

    def _add(self, rule: str, kind: Kind, text: str, **more: Any) -> None:
        content = wording.finished(cut(text, LONGEST))
        tags = ("environment",) if claims.names_place(text) else ()
        self._findings.add(rule, kind, content, source_of(self._event), tags=tags, **more)


def _passages(item: Item) -> Iterator[str]:
    """An item as one passage, or each of its parts after its name if that is too long."""
    whole = plain(item.whole(4))
    if len(whole) <= _LONGEST_PASSAGE or not item.children:
        yield whole
        return
    for child in item.children[:6]:
        yield claims.labelled(plain(item.text), plain(child.whole(4)))


def _headed(item: Item) -> tuple[str, list[str]]:
    """The name of an item, and its sentences."""
    head, _, rest = _NUMBERED.sub("", plain(item.text)).partition(": ")
    lines = [rest, *(plain(child.whole(4)) for child in item.children[:8])]
    if not rest and not item.children:
        head, lines = "", [head]
    return head, [sentence for line in lines for sentence in split(line)]


def _fixed(sentence: str) -> str:
    """A sentence that tells how a problem was solved, with the same label wherever it has one."""
    label = _FIX_LABEL.match(sentence)
    if label is None:
        return wording.finished(sentence)
    return phrases.said("fix", language(sentence), text=sentence[label.end() :].strip())


def _describes_code(text: str) -> bool:
    """Whether `text` says what a symbol does (“loadCart(): Reads …”), as reading it shows.

    What it denies, demands or contrasts is more; an order under a condition is a step of the code.
    """
    name, _, does = text.partition(": ")
    if _CALL.search(name) and _STEP.match(does):
        return not _DEMANDS.search(does)
    is_more = claims.is_rule(does) or " but " in does
    return bool(_SYMBOL.fullmatch(name) and _DOES.match(does)) and not is_more


def _stopped(sentence: str) -> str:
    """`sentence` with a full stop, also after code."""
    text = wording.finished(sentence)
    return f"{text}." if text.endswith("`") else text


def _asked(sentence: str) -> Iterator[str]:
    """The questions of the user that a sentence quotes."""
    if _LEAD.match(sentence):
        yield from (quote for quote in _QUOTE.findall(sentence) if wording.is_question(quote))


def _told(sentence: str) -> Iterator[str]:
    """What a sentence says that the user said: the words in quotes, else the clause."""
    lead = _LEAD.match(sentence)
    if lead is None:
        return
    quotes = _QUOTE.findall(sentence)
    yield from (f"“{quote}”" for quote in quotes if _tells(quote))
    told = sentence[lead.end() :]
    if not quotes and not wording.starts_with_pronoun(told):
        is_choice = lead["verb"].lower() in _CHOOSES and not wording.is_thin(told, 2)
        if is_choice or claims.holds(told):
            yield told


def _tells(quote: str) -> bool:
    """Whether words of the user say more than what to do next."""
    grammar = grammar_of("en")
    is_one_off = verbs.is_order(quote) and grammar and not instructions.read(quote, grammar)
    return not (is_one_off or wording.is_question(quote) or wording.is_thin(quote))
