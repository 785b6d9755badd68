"""When two statements on the environment say the same: by what they are about, not by their words.

“You have no docker here” and “`docker` is not found on this machine” share one word, and say the
same. A statement is taken apart into clauses, each with the values that it names, its subject, and
whether it denies. Compared are only statements that rules have tagged as facts of the environment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from cortex_core.base.text import facts, units, words
from cortex_core.language import negation, sentences, signals
from cortex_core.language.detect import LANGUAGES, language
from cortex_core.language.stemming import stem

SHARED_FOR_ONE = 3
"""Words of the subject that two clauses with the same values share for each that one of them adds:
“the staging wiki” and “the staging queue” at one address are two things."""

# The words for having and reaching, and for the machine at hand, are what such statements have in
# common whatever they are about; nothing in their form sets them apart from the subject.
_ACCESS = frozenset(
    "access accessing accessed accessible available exist exists find found have has having install"
    " installed permission permissions reach reached reachable run running runs able currently"
    " located deployed acceso accès acesso disponible disponível instalado installé installiert"
    " verfügbar zugriff доступ доступен доступн ест имееш можеш найд найден недоступ недоступн"
    " работа установл установлен установлн запущ запущен".split()
)
"""Words for what is to be had; in Russian their stems."""
_AT_HAND = frozenset(
    "machine vm sandbox environment system box container here aquí ici hier aqui máquina maschine"
    " rechner виртуалк зде контейнер машин окружен песочниц сред тут эт".split()
)
"""The same for the machine on which the agent works."""
_ANY = frozenset("machine system environment here машин сред окружен тут зде".split())
"""Those of them that fit any machine."""
_ADDRESSED = frozenset(
    "host hosts os server address ip port ports url хост сервер адрес порт".split()
)
"""Words for the machine that an address names already."""
# Clauses that may be true apart. No mark but the word parts “A but B” from “A and B”, which may
# be two nouns.
_APART = re.compile(
    r";|,?\s+(?:but|so|since|because|aber|sondern|weil|pero|porque|mais|car|mas"
    r"|но|поэтому|так что|потому что|поскольку|так как)\s+|,\s+а\s+(?!не\b)|\s[—–]\s",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"(?:,\s*(?:and\s+)?(?:not|nicht|no|pas|não|не|а не)|\b(?:instead of|rather than|вместо))\s+"
    r"(?P<other>[^,;()]+)",
    re.IGNORECASE,
)
_HOST_AND_PORT = re.compile(r"(?P<host>[^/:]+):(?P<port>\d{1,5})\Z")
_LAST_BRACKETS = re.compile(r"\s\([^()]*\)\.?$")
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}\Z|localhost\Z|\w+://")


class Clause(NamedTuple):
    """One clause of a statement, as it is compared."""

    values: frozenset[str]
    """Addresses, ports, paths and identifiers; those that it contrasts begin with `≠`."""
    subject: frozenset[str]
    """Stems of what it is about."""
    denies: bool


def says_already(known: Sequence[str], new: str) -> list[int]:
    """Which of the `known` statements together say all that `new` says; empty if they do not."""
    read = [clauses(each) for each in known]
    saying: list[int] = []
    for clause in clauses(new):
        at = [i for i, others in enumerate(read) if any(_covers(each, clause) for each in others)]
        if not at:
            return []
        saying += [each for each in at if each not in saying]
    return saying


def is_fuller(new: str, known: str) -> bool:
    """Whether `new` says every word of the subject and every value of `known`."""
    read, added = clauses(known), clauses(new)
    return bool(read) and all(
        any(_covers(each, clause) and clause.subject <= each.subject for each in added)
        for clause in read
    )


def joined(statement: str, counted: str) -> str:
    """`statement` and after it `counted`, if all that this adds are the values in its brackets;
    empty if it adds nothing or something else.

    Args:
        counted: what commands have shown, such as the address of services and its variables.
    """
    head = _LAST_BRACKETS.sub("", counted)
    adds_values = head != counted and not says_already([statement], counted)
    if not adds_values or not says_already([statement], head):
        return ""
    return f"{statement.rstrip('. ')}. {counted.rstrip('. ')}."


def contradiction(known: str, new: str) -> str:
    """What `new` says differently of the same subject, a sentence; empty where nothing."""
    for old in clauses(known):
        for clause in clauses(new):
            if not old.subject or old.subject != clause.subject:
                continue
            if old.denies != clause.denies and old.values == clause.values:
                return f"What can be reached changed ({', '.join(sorted(old.subject))})."
            before, now = _addresses(old), _addresses(clause)
            if before and now and not before & now and not (old.denies or clause.denies):
                return f"The address changed: {_listed(before)}, now {_listed(now)}."
    return ""


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of `text` that say something; none where one of them cannot be judged."""
    code = language(text)
    found = []
    for part in (part for one in sentences.in_lines(text) for part in _APART.split(one)):
        negations = _negations(part, code)
        if negations > 1:
            return ()
        clause = _clause(part, code, denies=negations == 1)
        if clause.values or clause.subject:
            found.append(clause)
    return tuple(found)


def _clause(part: str, code: str, *, denies: bool) -> Clause:
    others = {f"≠{word}" for each in _CONTRAST.finditer(part) for word in units(each["other"])}
    said = _CONTRAST.sub(" ", part)
    values = frozenset(_values(said)) | others
    is_addressed = any(map(_ADDRESS.match, values))
    left_out = _ACCESS | _AT_HAND | (_ADDRESSED if is_addressed else frozenset())
    stems = {word: stem(word) for word in _subject_words(said, code)}
    subject = {key for word, key in stems.items() if not {word, key} & left_out}
    if not subject and not values:  # “you are in a container”
        subject = {key for word, key in stems.items() if not {word, key} & (_ACCESS | _ANY)}
    return Clause(values, frozenset(subject), denies)


def _values(text: str) -> Iterator[str]:
    for word in facts(text):
        parts = _HOST_AND_PORT.match(word)
        yield from (parts["host"], parts["port"]) if parts else (word,)
    if "localhost" in words(text):
        yield "localhost"


def _subject_words(text: str, code: str) -> Iterator[str]:
    """The words of `text` that are no values and say what it is about."""
    text = _without_place(text, code)
    concrete = facts(text) | {"localhost"}
    empty = signals.table(code).empty if code in LANGUAGES else ()
    for word in units(text):
        plain = word.partition("'")[0].partition("’")[0]
        is_small = plain in negation.NEGATIONS or plain in negation.LACKING or word != plain
        if word not in concrete and not is_small and plain not in empty:
            yield plain


def _without_place(text: str, code: str) -> str:
    """`text` without the verbs that say where a thing is: “liegt”, “lebt”, “se trouve”."""
    while code != "en" and (match := signals.search("located", text, code)) and match[0].strip():
        text = f"{text[: match.start()]}{' ' * len(match[0])}{text[match.end() :]}"
    return text


def _negations(part: str, code: str) -> int:
    """How often a clause denies what it says; a contrast is no denial."""
    said = _CONTRAST.sub(" ", part)
    denying = sum(
        word in negation.NEGATIONS or word in negation.LACKING or word.endswith(("n't", "n’t"))
        for word in words(said)
    )
    if denying or code == "en":
        return denying
    return int(signals.search("lacking", said, code) is not None)


def _covers(known: Clause, new: Clause) -> bool:
    """Whether `known` says what `new` says."""
    if known.denies != new.denies or not new.values <= known.values:
        return False
    if not new.values or not new.subject:
        return new.subject == known.subject and new.values == known.values
    added, shared = new.subject - known.subject, new.subject & known.subject
    return bool(shared) and SHARED_FOR_ONE * len(added) <= len(shared)


def _addresses(clause: Clause) -> frozenset[str]:
    return frozenset(value for value in clause.values if _ADDRESS.match(value))


def _listed(values: Iterable[str]) -> str:
    return ", ".join(sorted(values))
