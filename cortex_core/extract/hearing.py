"""What the user's own sentences signal: each that is worth it becomes a suggestion, word for word.

Whose words they are comes first (`own_words`); then the listener says how likely a sentence says
what lasts (`language.listener`). Nothing is chosen here: what the user says again, or keeps, is
kept.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cortex_core.base.text import content_hash, content_words
from cortex_core.duplicates.last_word import (
    PERMITS,
    Claim,
    keys,
    later_word,
    sets_limit,
    takes_back,
)
from cortex_core.extract import claims, own_words, wording
from cortex_core.extract.sources import ENVIRONMENT, FROM_PROMPT, LATER, WITHDRAWS
from cortex_core.extract.state import EXCERPT, Findings, SessionState, source_of
from cortex_core.language import dates, listener, signals, verbs
from cortex_core.language.detect import LANGUAGES, language, spoken
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import Sentence, blocks, cut, sentences, split
from cortex_core.records.events import Event, Topic
from cortex_core.redaction import secrets
from cortex_core.triggers import corrected, finding

LONGEST_SENTENCE = 700
"""Most characters of one statement."""
LONGEST_OBSERVED = 300
"""Characters of a sentence by which it is recognised when it comes back."""
MOST_QUEUED = 20
"""Texts that wait for a prompt at once; before one more they are heard."""
MOST_LISTED = 50
"""Sentences after a request to remember by which a list within its line is recognised."""

LONGEST_LATER = 250
"""Characters of a prompt that is looked at as a whole for what it changes."""

_HASHED = 6000
"""Characters of a prompt by which a repetition is recognised."""
_LONGEST_SAID_TO = 200
"""Characters of the agent's sentence that a correction answers."""
_FEWEST_WORDS = 2
"""Content words of a statement: “use pnpm” has two."""
_LONGEST_ORDER = 200
"""Characters of an order that is short enough to come back."""
_SHORTEST_KEPT = 8
"""Characters of a “Remember: …” in one word that says something."""
_FEWEST_BEFORE_TAIL = 3
"""Words before a question at the end of a sentence that may be a statement of their own."""
_OWN_WILL = ("preference", "decision")
"""Kinds that a sentence about oneself gives as well: “I'm trying to …, so I prefer …”."""
_LIKELY = 0.35
"""How sure the listener is that words last where something else speaks for it: they say “I prefer”
or “we decided”, or follow a refused call."""
_PERHAPS = 0.2
"""The same for a prompt that may change what is in force, which the words of both decide. Of 157
later words that these find in 2,500 pairs 146 are as sure, 121 were with 0.35 and without what the
listener takes for another's opinion; of 23 that change nothing 22 and 16. None of 1,223 prompts of
real sessions ends one of 300 statements about something else."""
_FOR_NOW = 0.1
"""How sure the listener is at most that an order lasts which follows what is to be remembered, and
is for now. Of 18 orders 17 are less sure, of 20 rules that go on about another one two."""
_CONTRAST = frozenset(
    "but though however still aber allerdings jedoch dafür contre mais pourtant toutefois pero "
    "embargo mas porém però tuttavia но однако зато".split()
)
"""Words by which a sentence limits the one before it."""
_SOURCES = {"policy": "order", "preference": "wish", "decision": "decision"}
"""Under which source a sentence is filed by its kind, unless it corrects; the others are facts."""

_ENTRY = Pattern(
    "the number of an entry within a line",
    r"(?:^|(?<=[\s。；;]))[(（]?(\d{1,2})[.)、．）](?!\d)\s*",
    finds="Use it. 2. Test it",
    spares="at 1.5 GB",
    flags=0,
)

_AFTER_CAUSE = Pattern(
    "a short order after what went wrong: of a longer end the listener hears the whole better",
    r"^\S+(?: \S+){3,}?(?:[:;]| [-–—])\s+(?P<order>\S+(?: [^\s:;]+){1,5})$",
    finds="npm left the links broken: use pnpm",
    spares="error: cannot find module",
)


class _Statement(NamedTuple):
    """A sentence of the user that signals something."""

    signal: str
    kind: str
    text: str
    is_alone: bool
    """Whether it can be understood without the sentence that it goes on about."""


class _Hearing(NamedTuple):
    """What a text of the user is heard with."""

    code: str
    """Its language."""
    where: Mapping[str, Any]
    """The event it comes from, as `source_of` returns it, with the calls before it and whether the
    user had just stopped the agent."""
    state: SessionState
    findings: Findings


def on_prompt(event: Event, state: SessionState, findings: Findings) -> None:
    """Hear what a prompt says, and note the prompt as what the turn is about."""
    _settle_queue(event.text, state, findings)
    own = own_words.own_words(event.text)
    state.prompt = cut(own.prose, EXCERPT)
    if not _is_new(event.text, state, findings):
        return
    is_chore = signals.search("chore", own.prose, "en") is not None
    state.turn += not is_chore
    state.asked = state.asked if is_chore else state.prompt
    where = {
        **source_of(event),
        "prompt": state.prompt,
        "acted": state.acted,
        "stopped": state.stopped,
    }
    hear(own, event.text, where, state, findings)


def on_queued(event: Event, state: SessionState, findings: Findings) -> None:
    """Keep what the user typed while the agent worked until a prompt shows whether it repeats it.

    Some versions of Claude Code repeat it, with more about where it was said; others never do.
    """
    if len(state.queued) >= MOST_QUEUED:
        session_ended(state, findings)
    state.queued.append({"text": event.text, "acted": [*state.acted], **source_of(event)})


def session_ended(state: SessionState, findings: Findings) -> None:
    """Hear what the user typed while the agent worked, if no prompt has repeated it."""
    for queued in state.queued:
        text = str(queued["text"])
        if _is_new(text, state, findings):
            hear(own_words.own_words(text), text, queued, state, findings)
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


def hear(
    own: own_words.OwnWords,
    whole: str,
    where: Mapping[str, Any],
    state: SessionState,
    findings: Findings,
) -> None:
    """File what words of the user signal, and count what may come back.

    Args:
        whole: what they are a part of; a “Remember:” in the rest of it is told, not kept.
        where: the event they come from, as `source_of` returns it, with the calls before it and
            whether the user had just stopped the agent.
    """
    code = language(own.prose or whole)
    if not own.prose:
        # A request to remember is never dropped in silence: the ledger says why it was not kept.
        findings.refuse(
            f"“Remember” not kept: {own.refusal}"
            if any(signals.search("remember", line.strip(), code) for line in whole.split("\n"))
            else own.refusal
        )
        return
    if counted := spoken(own.prose):
        state.languages[counted] = state.languages.get(counted, 0) + 1
        findings.observe("language", counted, counted, where)
    hearing = _Hearing(code, where, state, findings)
    before, state.lasting = state.lasting, []
    prose = _remember(_take_back(own.prose, before, hearing), hearing)
    said = _with_objections(sentences(prose), code)
    if len(prose) <= LONGEST_LATER and not own_words.QUOTED.is_in(prose):
        _hear_as_later_word(prose, hearing)
    heard = dict(_statements(said, hearing))
    for number, sentence in enumerate(said):
        statement = heard.get(number)
        if statement is None:
            _count(sentence.text, number, hearing)
            continue
        topic: Topic = (
            "correction"
            if statement.signal == "correction" or is_complaint(statement.text, code)
            else "instruction"
        )
        _observe(topic, sentence.text, number, hearing)
        _file(statement, said, number, hearing)


def _take_back(prose: str, before: Sequence[str], hearing: _Hearing) -> str:
    """Take back what the user tells to forget; the rest of the prose is returned.

    Args:
        before: what “forget that” means; “the rule about X” names it.
    """
    bare = signals.without_lead(prose, hearing.code)
    # Of a few words the language is guessed wrongly now and then, so all of them are tried.
    codes = (hearing.code, *LANGUAGES)
    found = next(filter(None, (signals.search("forget", bare, code) for code in codes)), None)
    if not found or not (found.lastindex or before):
        return prose
    left = bare[found.end() :].lstrip(" ,;.:!—–-。、，")
    if found.lastindex and PERMITS.is_in(left):
        # “…, inline styles are fine for print.css” is an exception, beside which the rule stands.
        _add("correction", signals.kind_of(left, hearing.code), wording.finished(left), hearing)
        return ""
    subject = bare[slice(*found.span(found.lastindex or 0))]
    over = [f"forget about {subject}"] if found.lastindex else list(before)
    hearing.findings.withdraw(lambda earlier: takes_back(earlier, over) is not None)
    _add(
        "correction",
        "fact",
        wording.finished(": ".join([bare[: found.end()], *([] if found.lastindex else before)])),
        hearing,
        details={LATER: True, WITHDRAWS: over},
    )
    return left


def _hear_as_later_word(prose: str, hearing: _Hearing) -> None:
    """Let a prompt end what was heard before it, and try it on what is stored.

    Whoever changes a rule seldom says so in words that signal it, so admission decides by what is
    in force, and refuses a prompt that changes nothing.
    """
    text = wording.finished(" ".join(prose.split()))
    heard = listener.heard(prose)
    is_likely = heard.score >= _PERHAPS
    # What is of the moment, or holds until a day, ends nothing. Another limit is asked about.
    if (
        not (is_likely or sets_limit(text))
        or heard.label in ("now", "question")
        or dates.term(text, hearing.code, hearing.where.get("time"))
    ):
        return
    hearing.findings.withdraw(
        lambda earlier: is_likely and later_word(earlier, text, lasts=False) is not None
    )
    _add(
        "correction",
        signals.kind_of(text, hearing.code),
        text,
        hearing,
        details={LATER: is_likely},
    )


def _with_objections(said: list[Sentence], code: str) -> list[Sentence]:
    """The sentences with a bare “No.” put before the one that it introduces."""
    joined: list[Sentence] = []
    for sentence in said:
        objection = joined[-1].text.rstrip(" .!。！") if joined else ""
        whole = f"{objection}, {sentence.text}"
        if len(objection.split()) == 1 and signals.search("correction", whole, code):
            joined[-1] = Sentence(whole, sentence.block, sentence.bullet)
        else:
            joined.append(sentence)
    return joined


# --- “Remember: …”


def _remember(prose: str, hearing: _Hearing) -> str:
    """Keep what the user asks to remember, word for word; the rest of the prose is returned."""
    rest: list[str] = []
    before, listing = "", False
    for block in blocks(prose):
        parts = split(block.text)
        if listing and block.kind == "bullet":
            _keep(block.text, hearing)
            continue
        listing = False
        left: list[str] = []
        while parts:
            part = parts.pop(0)
            text = signals.without_lead(part, hearing.code)
            if signals.search("remember_before", text, hearing.code):
                _keep(before, hearing)
                left = left[:-1]
            elif found := _asked_to_remember(text, hearing.code):
                asked, code = found
                hearing = hearing._replace(code=code)
                # The rest is joined only where it is a list: of many requests each would join it.
                is_list = _numbered(" ".join([asked, *parts[:MOST_LISTED]]))
                listed = _numbered(" ".join([asked, *parts])) if is_list else []
                following = parts if listed else _following(parts, hearing)
                said = " ".join([asked, *following]).strip()
                # With nothing after it, the label stands over a list.
                listing = not said
                for entry in listed or filter(None, [said]):
                    _keep(entry, hearing)
                parts = parts[len(following) :]
            else:
                left.append(part)
                before = part
        mark = {"bullet": "- ", "heading": "# "}.get(block.kind, "")
        if left:
            rest.append(mark + " ".join(left))
    return "\n\n".join(rest)


def _numbered(text: str) -> list[str]:
    """The entries of a list within a line, “1. … 2. …”; empty where `text` is none."""
    marks: list[re.Match[str]] = []
    for mark in _ENTRY.regex.finditer(text):
        if int(mark[1]) == len(marks) + 1:  # “Postgres 14.” may end an entry
            marks.append(mark)
    if len(marks) < 2 or marks[0].start():
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [text[mark.end() : end].strip(" ;；,，") for mark, end in zip(marks, ends, strict=True)]


def _asked_to_remember(text: str, code: str) -> tuple[str, str] | None:
    """What a sentence asks to remember, and its language; None where it asks for nothing.

    Of a few words the language is guessed wrongly now and then, so all of them are tried.
    """
    for each in (code, *LANGUAGES):
        if match := signals.search("remember", text, each):
            return (text[: match.start()] + text[match.end() :]).strip(), each
    return None


def _following(parts: list[str], hearing: _Hearing) -> list[str]:
    """The sentences after “Remember: …” that belong to it: up to a question, a new request, or an
    order for now, which the ledger tells."""
    following: list[str] = []
    for part in parts:
        is_order = hearing.code == "en" and verbs.is_order(part)
        if is_order and listener.heard(part).score < _FOR_NOW:
            hearing.findings.refuse("“Remember” kept up to an order for now")
            break
        is_another = _asked_to_remember(signals.without_lead(part, hearing.code), hearing.code)
        if is_another or signals.search("question", part, hearing.code):
            break
        following.append(part)
    return following


def _keep(text: str, hearing: _Hearing) -> None:
    """Keep what the user asked to remember, or say in the ledger why it was not."""
    text = cut(text.strip(), LONGEST_SENTENCE)
    if len(content_words(text)) < _FEWEST_WORDS and len(text) < _SHORTEST_KEPT:
        hearing.findings.refuse("“Remember” not kept: nothing follows it")
        return
    _observe("instruction", wording.finished(text), len(hearing.findings.observations), hearing)
    dated = wording.finished(dates.dated(text, hearing.code, hearing.where.get("time")))
    hearing.state.lasting.append(dated)
    _add("remember", finding.kind_of(text, signals.kind_of(text, hearing.code)), dated, hearing)


# --- other signals


def _statements(said: list[Sentence], hearing: _Hearing) -> list[tuple[int, _Statement]]:
    """The sentences that say something which lasts, by their number."""
    found: list[tuple[int, _Statement]] = []
    for number, sentence in enumerate(said):
        text = wording.plain(sentence.text)
        statement = _statement(text, hearing.code)
        if number == 0 and _was_refused(hearing.where):
            statement = _why_refused(text, hearing) or statement
        if statement is None:
            continue
        if found and found[-1][0] == number - 1 and _limits(statement.text, found[-1][1].text):
            first = found.pop()[1]
            statement = first._replace(
                text=f"{wording.finished(first.text)} {wording.finished(statement.text)}"
            )
        elif not statement.is_alone and number and not said[number - 1].text.endswith("?"):
            before = wording.finished(said[number - 1].text)
            whole = f"{before} {wording.finished(statement.text)}"
            statement = statement._replace(text=whole, is_alone=True)
            if found and found[-1][0] == number - 1:
                found.pop()
        found.append((number, statement))
    return found


def _limits(text: str, before: str) -> bool:
    """Whether a statement limits the one before it, so that the two are one: it allows of the same
    what that denies, or the other way round, or has a word for it."""
    is_turned = Claim(text).denies is not Claim(before).denies
    return (is_turned and not keys(text).isdisjoint(keys(before))) or not _CONTRAST.isdisjoint(
        Claim(text).said
    )


def _statement(text: str, code: str) -> _Statement | None:
    """What a sentence says that lasts; None for what is of the moment, or somebody else's."""
    # “I prefer small commits, can you split this one?” prefers them whatever is asked.
    tail = signals.search("tail", text, code)
    if tail and len(text[: tail.start()].split()) >= _FEWEST_BEFORE_TAIL:
        text = text[: tail.start()].rstrip(" ,;—–-")
    bare, kind = signals.without_lead(text, code), signals.kind_of(text, code)
    # “Can you always run the tests first?” is an order, and its lead is off; others only ask.
    if bare == text and signals.search("question", text, code):
        return None
    if kind not in _OWN_WILL and signals.search("story", bare, code):
        return None
    # The listener knows “don't …”: of 20 wishes to stop a habit that it had not seen 16 so and 8 as
    # they are said, of 20 to stop for the moment 4 and 1.
    habit = signals.search("habit", bare, code)
    heard = _heard(f"don't {habit[1]}{bare[habit.end() :]}" if habit else text)
    if heard.score < listener.LASTS and (after := _AFTER_CAUSE.regex.match(text)):
        order = _heard(after["order"])
        if order.label in ("rule", "change"):
            heard, kind = order, signals.kind_of(after["order"], code)
    # A rule for one branch, or until a day, says itself how long it lasts.
    is_dated = dates.UNTIL.is_in(dates.dated(text, code, 0.0)) or dates.ON_BRANCH.is_in(text)
    has_term = is_dated and heard.label in ("now", "rule")
    names_project = signals.search("names_project", bare, code) is not None
    least = _LIKELY if kind in _OWN_WILL or names_project else listener.LASTS
    if not has_term and (heard.score < least or heard.label == "withdrawal"):
        return None
    if len(content_words(text)) < _FEWEST_WORDS and text.isascii():
        return None
    is_correction = signals.search("correction", text, code) is not None
    return _Statement(
        signal="correction" if is_correction else _SOURCES.get(kind, "fact"),
        kind=kind,
        text=text,
        is_alone=names_project or not signals.search("goes_on", bare, code),
    )


def _heard(text: str) -> listener.Heard:
    """How a sentence sounds without the words that it quotes."""
    return listener.heard(own_words.QUOTED.regex.sub("“…”", text))


def _was_refused(where: Mapping[str, Any]) -> bool:
    """Whether the user has just refused the agent's last call: what they say then is why."""
    acted: Sequence[Mapping[str, Any]] = where.get("acted", ())
    return bool(where.get("stopped") and acted and acted[-1]["refused"])


def _why_refused(text: str, hearing: _Hearing) -> _Statement | None:
    """What the user says right after refusing a call, if it says to do that call otherwise."""
    lasts = listener.heard(text).score >= _LIKELY
    if not lasts or not corrected.call_of(text, hearing.where.get("acted", ())):
        return None
    is_alone = not signals.search("goes_on", signals.without_lead(text, hearing.code), hearing.code)
    return _Statement("correction", signals.kind_of(text, hearing.code), text, is_alone)


def _file(statement: _Statement, said: list[Sentence], number: int, hearing: _Hearing) -> None:
    """File a statement, with what it answers where a few words mean something only with that."""
    dated = dates.dated(statement.text, hearing.code, hearing.where.get("time"), past=True)
    text = wording.finished(cut(dated, LONGEST_SENTENCE))
    if wording.is_fragment(text):
        hearing.findings.refuse("fragment")
        return
    if " [redacted: " in secrets.redact(text).text:
        hearing.findings.refuse("tells a secret")
        return
    # A correction that names a value is told with what it answers: “no, it's called billing-api”.
    names_value = statement.signal == "correction" and signals.search("named", text, hearing.code)
    is_named = names_value or signals.search("names_project", text, hearing.code)
    if not is_named and signals.search("pointing", split(text)[0], hearing.code):
        hearing.findings.refuse("points at what was said before")
        return
    # The agent's last sentence, which a correction answers; none after a refused call, whose
    # command is kept in the details: within the text it would be taken for what to do.
    last = sentences(str(hearing.state.said.get("text", "")))
    is_told = last and not _was_refused(hearing.where)
    answered = cut(wording.plain(last[-1].text), _LONGEST_SAID_TO) if is_told else ""
    if not statement.is_alone and not answered:
        hearing.findings.refuse("needs the sentence before it")
        return
    # A few words such as “no, port 8081” mean something only beside what they answer.
    content, is_short = text, statement.signal == "correction" and len(text.split()) <= 8
    if answered and (is_short or not statement.is_alone):
        content += "\n" + signals.said("said_to", hearing.code, text=answered)
    around = " ".join(each.text for each in said[max(0, number - 1) : number + 2])
    hearing.state.lasting += [text] if len(said) == 1 else []
    _add(
        statement.signal,
        statement.kind,
        content,
        hearing,
        name=text,
        excerpt=around,
    )


def _add(
    signal: str,
    kind: str,
    content: str,
    hearing: _Hearing,
    *,
    details: Mapping[str, Any] = {},
    **fields: Any,
) -> None:
    """Add a candidate with its scope and, unless it has `details`, the call that it corrects."""
    call = corrected.call_of(content.partition("\n")[0], hearing.where.get("acted", ()))
    # What holds in all projects says so: else it is about this one.
    is_global = signals.search("everywhere", content, hearing.code) is not None
    of_machine = kind == "fact" and (
        signals.search("lacking", content, hearing.code) is not None or claims.PLACE.is_in(content)
    )
    hearing.findings.add(
        FROM_PROMPT + signal,
        kind,
        content,
        hearing.where,
        scope="global" if is_global else "project",
        scope_confidence=0.85 if is_global else 0.0,
        until=dates.term(content, hearing.code, hearing.where.get("time")),
        details=dict(details) or ({corrected.CALL: call} if call else {}),
        tags=(ENVIRONMENT,) if of_machine else (),
        **fields,
    )


# --- what says little once


def _count(text: str, number: int, hearing: _Hearing) -> None:
    """Count a sentence that signals nothing to keep: a complaint, or a short order."""
    order = signals.without_lead(text, hearing.code).rstrip("?!. ")
    is_chore = signals.search("chore", order, hearing.code) is not None
    is_order = hearing.code == "en" and verbs.is_order(order) and not is_chore
    if is_complaint(text, hearing.code) or (hearing.where.get("stopped") and is_order):
        _observe("correction", text, number, hearing)
        return
    if is_order and len(order) <= _LONGEST_ORDER and len(content_words(order)) > 1:
        _observe("order", wording.finished(order), number, hearing)


def is_complaint(text: str, code: str) -> bool:
    """Whether a sentence of the user says that something was done wrong, or was said before."""
    return any(signals.search(name, text, code) for name in ("complaint", "correction"))


def _observe(topic: Topic, text: str, number: int, hearing: _Hearing) -> None:
    hearing.findings.observe(
        topic,
        f"{hearing.state.turn}.{hearing.where['offset']}.{number}",
        cut(text, LONGEST_OBSERVED),
        hearing.where,
    )


def rule_in(sentence: str, *, objects: bool = False) -> str:
    """The rule that a correction names, without the words that make it one; `sentence` itself where
    nothing else is left, or where it asks.

    Args:
        objects: leave the “no, …” before it, which says that something is corrected.
    """
    code = language(sentence) or "en"
    said = sentence.strip()
    if said.endswith("?"):
        return wording.finished(said)
    rest = signals.without_lead(said, code)
    objection = None if objects else signals.search("correction", rest, code)
    if objection and not objection.start():  # “no, …”
        rest = rest[objection.end() :] or rest
    rest = signals.without_lead(rest, code)
    if tail := signals.search("again", rest, code):
        rest = rest[: tail.start()] + rest[tail.end() :]
    if rest.startswith("not to "):  # “I told you not to …”
        rest = f"don't {rest.removeprefix('not to ')}"
    return wording.finished(rest or said)
