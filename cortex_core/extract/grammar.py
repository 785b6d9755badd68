"""What the rules need to know of a language: a table of words, and predicates on sentences.

`extract/languages` has one table a language; `grammar_of` loads it. Structure, such as the mark of
a question, a list or a file's name, is the same in all of them and is not in the tables.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from cortex_core.base.text import units
from cortex_core.language.detect import LANGUAGES
from cortex_core.language.sentences import mask


def _plain_letters() -> dict[int, str]:
    """Letters and marks as they are compared, each one character for one.

    Users type `tambien` for `también` and `еще` for `ещё`, and full-width marks in Chinese.
    """
    table = {number: chr(number - 0xFEE0) for number in range(0xFF01, 0xFF5F)}
    for number in range(0xC0, 0x180):
        base = unicodedata.normalize("NFD", chr(number))[0]
        if base.isascii():
            table[number] = base
    return table | {ord("ё"): "е", ord("Ё"): "Е", ord("’"): "'", ord("。"): ".", ord("、"): ","}


_PLAIN = _plain_letters()


def fold(text: str) -> str:
    """`text` with plain letters and marks, code spans and URLs blotted out; of the same length."""
    return mask(text).translate(_PLAIN)


class Forms:
    """Words and phrases of a language as one regular expression, compiled when first used."""

    __slots__ = ("_pattern", "_source")

    def __init__(self, source: str | re.Pattern[str]) -> None:
        self._source = source if isinstance(source, str) else source.pattern
        self._pattern = None if isinstance(source, str) else source

    def search(self, text: str) -> re.Match[str] | None:
        """The first of the forms in folded `text`."""
        if self._pattern is None:
            self._pattern = re.compile(self._source.translate(_PLAIN), re.IGNORECASE)
        return self._pattern.search(text)


def within(*forms: str) -> Forms:
    """Forms that are whole words, anywhere in a sentence."""
    return Forms(rf"(?:(?<!\w)|(?=\W))(?:{'|'.join(forms)}){_END_OF_WORD}")


def parts(*forms: str) -> Forms:
    """Forms anywhere in a sentence, also within a word: for scripts without spaces."""
    return Forms(f"(?:{'|'.join(forms)})")


def start(*forms: str, spaced: bool = True) -> Forms:
    """Forms with which a sentence begins."""
    return Forms(rf"^\W*(?:{'|'.join(forms)}){_END_OF_WORD if spaced else ''}")


def whole(*forms: str) -> Forms:
    """Forms that are all a sentence says."""
    return Forms(rf"^\W*(?:{'|'.join(forms)})\W*$")


_END_OF_WORD = r"(?!\w)"
_MOST_FILLERS = 8
_SEPARATOR = re.compile(r"\s*(?:[,.:;!—–-]+(?=\s|[^\x00-\x7f]))?\s*")
"""What parts a filler from the sentence; `.env` and `--flag` begin one."""
_NONE = Forms(r"(?!)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """One language's words, by what they do in a sentence. An entry left out finds nothing."""

    code: str
    empty: Forms
    """Words without a subject, which do not count when a sentence is judged thin."""

    fillers: Forms = _NONE
    """What a sentence begins with before it says anything: “ok, also, please”."""
    remember: Forms = _NONE
    """“Remember”, “keep in mind”, at the start; what follows is what to remember."""
    verb_last: Forms = _NONE
    """What of “remember that” puts the verb last, so that the statement keeps it."""
    remember_last: Forms = _NONE
    """The same at the end, after what to remember: “…, remember that”."""
    remember_that: Forms = _NONE
    """A whole sentence that asks to remember the one before."""
    informs: Forms = _NONE
    """“For your information”, at the start."""
    standing: Forms = _NONE
    """“Always”, “never”, “under no circumstances”."""
    lasting: Forms = _NONE
    """“From now on”, “in future”, “before every commit”."""
    orders: Forms = _NONE
    """What tells someone to do something: forms of verbs, modal verbs."""
    reports: Forms = _NONE
    """Verbs of what goes wrong: with “always” they report, where form does not tell it."""
    habits: Forms = _NONE
    """Orders whose form alone says that they hold beyond the moment."""
    forbids: Forms = _NONE
    """“Don't”, “you must not”."""
    duty: Forms = _NONE
    """“Must”, “has to”, “only”: what a rule about a thing has."""
    universal: Forms = _NONE
    """“All”, “every”, “no”, at the start of a rule about things."""
    occasion: Forms = _NONE
    """“When you …”, “before committing”: when an order holds."""
    condition: Forms = _NONE
    """“Only after”, “not until”: a condition, by which an order holds beyond the moment."""
    passing: Forms = _NONE
    """“Yet”, “already”: a reason with them will not hold."""
    restates: Forms = _NONE
    """How a clause begins that goes on about the thing before, where that takes no pronoun."""
    names: Forms = _NONE
    """“It is called”, at the start of a sentence without a subject of its own."""
    conventions: Forms = _NONE
    """“We use”, “in this project”, “our convention”."""
    located: Forms = _NONE
    """Verbs that say where a thing is or runs; a fact if a path, port or name is with them."""
    described: Forms = _NONE
    """“We have … on”: what the project consists of."""
    reminds: Forms = _NONE
    """“I told you to”: an order that comes back, at the start of a clause."""
    replies_in: Forms = _NONE
    """“Answer in Russian”, “answer shortly”: asked for once, it holds for good."""
    no_longer: Forms = _NONE
    contrast: Forms = _NONE
    """“Not X but Y”, “instead of”."""
    chooses: Forms = _NONE
    """“Use”, “take”, “let's use”, at the start of a choice."""
    prefers: Forms = _NONE
    wishes: Forms = _NONE
    """“I don't want”, “I hate”."""
    decided: Forms = _NONE
    """“We decided”."""
    reason: Forms = _NONE
    """“Because”, “so that”, “instead of”."""
    causes: Forms = _NONE
    """“The cause is that”, “it turned out that”: how the agent names what was wrong."""
    explains: Forms = _NONE
    """How a sentence begins that gives the reason for the one before."""
    asks: Forms = _NONE
    """How a question begins, for those who type no question mark."""
    requests: Forms = _NONE
    """“Can you”: an order in the form of a question."""
    one_off: Forms = _NONE
    """“Now”, “today”, “for this task”."""
    hedges: Forms = _NONE
    """“Maybe”, “I think”."""
    pronouns: Forms = _NONE
    """Words for something in the sentence before, at the start of a sentence."""
    away: Forms = _NONE
    """Words for something outside the sentence: “the second option”."""
    objection: Forms = _NONE
    """“No”, “that's wrong”, “actually”, at the start."""
    assent: Forms = _NONE
    """A whole reply that only says yes."""
    agenda: Forms = _NONE
    """Questions of the agent about what to do next, not about the project."""
    undecided: Forms = _NONE
    """A whole reply that leaves it to the agent, or puts it off."""
    concedes: Forms = _NONE
    """How the agent admits that the user was right."""
    first_person: Forms = _NONE
    second_person: Forms = _NONE
    no_access: Forms = _NONE
    """“You don't have access to”, “is not installed here”."""
    everywhere: Forms = _NONE
    """“In all my projects”."""

    def unfilled(self, sentence: str) -> str:
        """`sentence` without the fillers at its beginning."""
        text = sentence.strip()
        for _ in range(_MOST_FILLERS):
            folded = fold(text)
            match = self.fillers.search(folded)
            if match is None:
                break
            mark = _SEPARATOR.match(folded, match.end())
            rest = text[mark.end() if mark else match.end() :]
            if not rest:
                break
            text = rest
        return text

    def is_question(self, sentence: str) -> bool:
        """Whether `sentence` asks something."""
        text = fold(sentence)
        return text.rstrip(" \"'”»)*_").endswith("?") or bool(self.asks.search(text))

    def is_one_off(self, sentence: str) -> bool:
        """Whether `sentence` is only about this moment or task."""
        return bool(self.one_off.search(fold(sentence)))

    def is_hedged(self, sentence: str) -> bool:
        """Whether `sentence` guesses."""
        return bool(self.hedges.search(fold(sentence)))

    def starts_with_pronoun(self, sentence: str) -> bool:
        """Whether `sentence` begins with a pronoun for something in the sentence before it."""
        return bool(self.pronouns.search(fold(sentence)))

    def points_away(self, sentence: str) -> bool:
        """Whether `sentence` refers to something outside it."""
        return bool(self.away.search(fold(sentence)))

    def is_thin(self, sentence: str, least: int = 3) -> bool:
        """Whether `sentence` has fewer than `least` different words with a subject."""
        own = {unit for unit in units(sentence) if not self.empty.search(fold(unit))}
        return len(own) < least

    def is_objection(self, sentence: str) -> bool:
        """Whether `sentence` is an objection and nothing else: “no.”."""
        text = fold(sentence)
        match = self.objection.search(text)
        return match is not None and not re.search(r"\w", text[match.end() :])

    def asks_to_remember(self, sentence: str) -> bool:
        """Whether `sentence` only asks to remember the one before."""
        return bool(self.remember_that.search(fold(self.unfilled(sentence))))

    def explains_before(self, sentence: str) -> bool:
        """Whether `sentence` gives the reason for the one before."""
        return bool(self.explains.search(fold(sentence)))

    def in_first_person(self, sentence: str) -> bool:
        """Whether the speakers talk about themselves or what they are doing."""
        return bool(self.first_person.search(fold(sentence)))

    def holds_everywhere(self, text: str) -> bool:
        """Whether `text` is about all of the user's projects."""
        return bool(self.everywhere.search(fold(text)))

    def decides_nothing(self, reply: str) -> bool:
        """Whether `reply` only agrees, or leaves it to the agent."""
        folded = fold(reply)
        return bool(self.assent.search(folded) or self.undecided.search(folded))

    def asks_agenda(self, question: str) -> bool:
        """Whether the agent asks what it is to do next."""
        return bool(self.agenda.search(fold(question)))

    def states_duty(self, text: str) -> bool:
        """Whether `text` has a word by which it is a rule: “must”, “never”, “instead of”."""
        folded = fold(text)
        entries = (self.duty, self.standing, self.forbids, self.prefers, self.contrast)
        return any(entry.search(folded) for entry in entries)

    def gives_reason(self, text: str) -> bool:
        """Whether `text` says why."""
        return bool(self.reason.search(fold(text)))

    def names_cause(self, text: str) -> bool:
        """Whether `text` says what was the cause of a failure."""
        return bool(self.causes.search(fold(text)))

    def concedes_in(self, text: str) -> bool:
        """Whether the agent admits in `text` that the user was right."""
        return bool(self.concedes.search(fold(text)))


@cache
def grammar_of(language: str) -> Grammar | None:
    """The grammar of `language`, as `language.detect.language` names it; None for any other."""
    if language not in LANGUAGES:
        return None
    table: Grammar = import_module(f"cortex_core.extract.languages.{language}").GRAMMAR
    return table
