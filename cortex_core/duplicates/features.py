"""The features of a text in which two texts can differ: extracted once, compared many times."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from cortex_core.base.text import STOP_WORDS
from cortex_core.duplicates import lexicon
from cortex_core.language import negation
from cortex_core.language.stemming import is_cyrillic, stem


class Token(NamedTuple):
    """One word, number or piece of code."""

    text: str
    """As it was written."""
    key: str
    """Equal for tokens that say the same: the stem, the number, the code in lower case."""
    kind: Literal["word", "number", "code"]
    capital: bool
    """Whether it begins with a capital inside a sentence."""

    @property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.casefold()


class Features(NamedTuple):
    """A text taken apart into what is compared."""

    tokens: tuple[Token, ...]
    content: tuple[Token, ...]
    """Those that carry a subject: no stop words."""
    keys: frozenset[str]
    """The keys of `content`."""
    numbers: Counter[str]
    units: Counter[str]
    """Units with the number they belong to: `10 ms`."""
    operators: Counter[str]
    names: Counter[str]
    """The keys of names and identifiers, as often as they occur."""
    commands: frozenset[str]
    """What it quotes as code in several words: `npm run check`."""
    calendar: frozenset[str]
    negations: Counter[str]
    """How many words negate the statement, by what each of them denies."""
    scopes: Counter[str]
    persons: frozenset[str]
    asks: bool
    """Whether it is a question: its first line ends as one. What follows a statement may be one."""
    leads: tuple[str, ...]
    """For each of `content`: the preposition or conjunction that leads to it, or nothing."""
    directions: dict[tuple[str, str], frozenset[str]]
    """For an axis and the word that a preposition leads to: which sides of the axis are named."""


_CHUNK = re.compile(
    r"https?://[^\s<>\"'`)\]]*[\w/]"
    r"|(?<![\w)])-{1,2}[A-Za-z][\w\-]*"  # a flag
    r"|[$€£#@~.\\/]{0,2}(?<![\w)])-?\d+(?:[,.:/\-]\d+)*(?:[A-Za-z%°µ]{1,4}(?![\w]))?%?"
    r"|[@~.\\/]{0,2}\w+(?:[._/\\:@#+'&\-]+\w+)*[+#]{0,2}"
)
_NUMBER = re.compile(
    r"(?P<sign>[$€£#]?)(?P<value>-?\d+(?:[,.:/\-]\d+)*)(?P<unit>[A-Za-z%°µ]{0,4}%?)\Z"
)
_WORD = re.compile(r"[^\W\d_]+(?:['\-/][^\W\d_]+)*\Z")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_ORDINALS = ("st", "nd", "rd", "th")
_OPERATOR = re.compile(
    r"<=|>=|==|!=|=>|->|≤|≥|≠|(?<=[\s\w)])[<>=](?=[\s\w(])|(?<=\s)[+*/](?=\s)|(?<=\w)\^(?=\w)"
    r"|(?<!\w)!(?=\w)|(?<=/)\*+|(?<!\*)\*++(?=\.)"
)
_QUOTED = re.compile(r"`([^`\s]+[ \t][^`\n]{1,200})`")
_SHORTENED = {"can't": "can", "cannot": "can", "won't": "will", "shan't": "shall", "ain't": "is"}
# Whether a sentence begins at a token, judged by the few characters before it: splitting the whole
# text by `extract.sentences` would not say that of a token.
_SENTENCE_END = re.compile(r"[.!?:]['\")\]]*\s+\Z|\n\s*(?:[-*•]\s*)?\Z|\A\W*\Z")


@lru_cache(maxsize=4096)
def features(text: str) -> Features:
    """Analyse `text`; cached for the last 4,096 texts, since each is compared with many."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
    tokens = tuple(_tokens(plain))
    content, leads = _content(tokens)
    named = {token.key for token in content if token.kind == "code" or token.capital}
    lowers = [token.lower for token in tokens]
    return Features(
        tokens,
        content,
        frozenset(token.key for token in content),
        Counter(token.key for token in tokens if token.kind == "number"),
        _units(tokens),
        Counter(match.group() for match in _OPERATOR.finditer(plain)),
        Counter(token.key for token in content if token.key in named),
        frozenset(" ".join(span.split()) for span in _QUOTED.findall(plain)),
        frozenset(lexicon.CALENDAR[each.lower] for each in tokens if _is_calendar(each.text)),
        _negations(tokens),
        Counter(lexicon.SCOPES[word] for word in lowers if word in lexicon.SCOPES),
        frozenset(lexicon.PERSONS[word] for word in lowers if word in lexicon.PERSONS),
        plain.strip().partition("\n")[0].rstrip("\"') ").endswith(("?", "？")),
        leads,
        _directions(tokens),
    )


def _content(tokens: tuple[Token, ...]) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    """The content words, without the units of numbers, and the word that leads to each."""
    content: list[Token] = []
    leads: list[str] = []
    lead = ""
    for index, token in enumerate(tokens):
        is_unit = index > 0 and tokens[index - 1].kind == "number" and token.lower in lexicon.UNITS
        if _has_content(token) and not is_unit:
            content.append(token)
            leads.append(lead)
            lead = ""
        elif token.lower in lexicon.LEADS:
            lead = token.lower
    return tuple(content), tuple(leads)


def _tokens(text: str) -> Iterator[Token]:
    for match in _CHUNK.finditer(text):
        chunk = match.group().strip("_")
        if not chunk:
            continue
        inside = not _SENTENCE_END.search(text[max(0, match.start() - 12) : match.start()])
        if number := _NUMBER.match(chunk):
            yield Token(chunk, _number(number), "number", False)
        elif _WORD.match(chunk) and not _CAMEL.search(chunk):
            yield from _words(chunk, inside)
        else:
            yield Token(chunk, chunk.casefold().lstrip("./~"), "code", inside)


def _words(chunk: str, inside: bool) -> Iterator[Token]:
    """The words of a chunk of letters: `don't` is do and not, `read-only` is read and only."""
    for part in chunk.replace("/", "-").split("-"):
        lower = part.casefold()
        if lower.endswith("n't") or lower == "cannot":
            verb = _SHORTENED.get(lower, part[:-3])
            yield from (_word(word, False) for word in (verb, "not") if word)
        else:
            word = part.partition("'")[0] or part
            yield _word(word, inside and word[:1].isupper())


def _word(word: str, capital: bool) -> Token:
    lower = word.casefold()
    if lower in lexicon.NUMERALS:
        return Token(word, lexicon.NUMERALS[lower], "number", False)
    is_calendar = _is_calendar(word)
    key = lexicon.CALENDAR[lower] if is_calendar else stem(lower)
    return Token(word, key, "word", capital and not is_calendar)


def _number(match: re.Match[str]) -> str:
    """The value in one spelling: `1,000` and `1000.0` are the same, `5` and `5%` are not."""
    value = match["value"].replace(",", "")
    whole, _, fraction = value.partition(".")
    if whole.removeprefix("-").isdecimal() and fraction and not fraction.strip("0"):
        value = whole
    unit = match["unit"].lower()
    if unit in ("m", "bn", "k") and match["sign"] in ("$", "€", "£"):
        value += unit
    return value


def _units(tokens: tuple[Token, ...]) -> Counter[str]:
    """The units of the numbers, written to them or as the next word."""
    units: Counter[str] = Counter()
    for index, token in enumerate(tokens):
        is_ordinal = token.text[:-2].isdigit() and token.text.lower().endswith(_ORDINALS)
        if token.kind != "number" or is_ordinal:
            continue
        match = _NUMBER.match(token.text)
        attached = (match["sign"], match["unit"].lower()) if match else ()
        words = (*attached, *(following.lower for following in tokens[index + 1 : index + 2]))
        units.update(
            f"{token.key} {lexicon.UNITS[word]}" for word in words if word in lexicon.UNITS
        )
    return units


def _is_calendar(word: str) -> bool:
    lower = word.casefold()
    return lower in lexicon.CALENDAR and (word[:1].isupper() or lower not in lexicon.CAPITAL_ONLY)


def _directions(tokens: tuple[Token, ...]) -> dict[tuple[str, str], frozenset[str]]:
    directions: dict[tuple[str, str], frozenset[str]] = {}
    for index, token in enumerate(tokens):
        if token.lower not in lexicon.DIRECTIONS:
            continue
        axis, side = lexicon.DIRECTIONS[token.lower]
        goal = next((t.key for t in tokens[index + 1 : index + 6] if _has_content(t)), "")
        if goal:
            directions[axis, goal] = directions.get((axis, goal), frozenset()) | {side}
    return directions


def _has_content(token: Token) -> bool:
    return token.kind != "word" or not any(
        token.lower in words for words in (STOP_WORDS, negation.NEGATIONS, lexicon.SUBJECTLESS)
    )


def _negations(tokens: tuple[Token, ...]) -> Counter[str]:
    negations: Counter[str] = Counter()
    for index, token in enumerate(tokens):
        if token.lower in negation.NEGATIONS or token.lower in negation.DENIALS:
            # No slice: in a text of negations it would copy the rest for each of them.
            rest = (tokens[at] for at in range(index + 1, len(tokens)))
            following = next((t for t in rest if t.lower not in negation.FILLERS), None)
            # Two words of a language that negates twice are one negation: “никогда не”.
            is_doubled = following and following.lower in negation.NEGATIONS
            if not (is_doubled and is_cyrillic(token.text)):
                negations[following.key if following else ""] += 1
    return negations
