"""How well typed words fit a text when letters are left out, swapped or joined, and where they fit.

Every typed word is compared with each word of the text, and with what runs across several of them:
`pymnt` fits “payment”, `ustand` and `zustnad` fit “zustand”, `usezus` fits “use zustand”. Lists of
every length, from the command palette to the titles of a store, use this one measure.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from cortex_core.base import scripts

WORD = re.compile(r"[^\W_]+")
"""What counts as a word: letters and digits without anything between them."""

LITERAL = 0.9
"""The similarity from which a typed word is the beginning of the word that it fits."""

CLEAR = 0.68
"""The similarity from which a typed word is read as another one: a slip or two, or letters left
out of a word that is not much longer."""

LEAST = 0.55
"""The similarity below which a typed word does not fit."""

ACROSS = 0.8
"""The highest similarity to letters that run across several words."""

SHORTEST = 3
"""Letters from which a word may be anything else than the beginning of another one, or a word of
up to `BRIEF` letters without some of these."""

BRIEF = 5

Span = tuple[int, int]
"""Where matched letters begin and end in a text."""


class Match(NamedTuple):
    """How a text fits what was typed."""

    score: float
    """0 to about 1.1, higher is better."""
    spans: tuple[Span, ...]
    """The matched letters, in their order."""


Ranked = tuple[int, Match]
"""The index of one of several texts that fits, and how."""


def fold(text: str) -> str:
    """`text` regardless of case and accents, as many characters as before."""
    return text.lower() if text.isascii() else "".join(map(_folded, text))


def _folded(letter: str) -> str:
    parts = unicodedata.normalize("NFKD", letter)
    plain = parts[0] if len(parts) == 1 or unicodedata.combining(parts[1]) else letter
    return plain.lower()[:1]


_SPACED = bytes(ord(chr(c).lower()) if chr(c).isalnum() else ord(" ") for c in range(128)) * 2
"""For each byte of an ASCII text the folded letter, or a blank; 256, as `bytes.translate` wants."""


def words(text: str) -> list[str]:
    """The folded words of `text`, in their order."""
    return spaced(text).split()


def spaced(text: str) -> str:
    """The folded words of `text`, in their order, with one blank or several between them."""
    if text.isascii():  # many times as fast
        return text.encode().translate(_SPACED).decode()
    folded = fold(text)
    return " ".join(_word(folded).findall(folded))


def _word(text: str) -> re.Pattern[str]:
    """What matches a word of `text`: letters that touch a run without blanks are another one."""
    return scripts.single() if scripts.has_runs(text) else WORD


def slack(letters: int) -> int:
    """How many letters of a typed word need not be in the word that is meant."""
    return 0 if letters < 4 else 1 if letters < 6 else 2


def similarity(typed: str, word: str) -> float:
    """How well a folded typed word fits one folded word, 0 to 1.

    The beginning of a word is best; then its inside, letters left out, and slips. What each of
    them counts was chosen by `benchmarks.fuzzy`; only their order matters much.
    """
    from rapidfuzz.distance import LCSseq

    letters = len(typed)
    share = letters / max(1, len(word))
    if word.startswith(typed):
        return 1.0 if share == 1 else LITERAL + 0.09 * share
    if letters < SHORTEST and typed.isascii():
        # Two letters of a short word, its first one and another.
        is_brief = (
            letters == 2 and len(word) <= BRIEF and typed[0] == word[0] and typed[1] in word[1:]
        )
        return _left_out(typed, word, 2, 2 / len(word)) if is_brief else 0.0
    if letters > 1 and typed in word:
        return 0.72 + 0.15 * share
    least = max(SHORTEST - 1, letters - slack(letters))
    common = LCSseq.similarity(typed, word, score_cutoff=least)
    if not common:
        return 0.0
    return max(_left_out(typed, word, int(common), share), _slipped(typed, word))


def nearest(typed: str, words: Iterable[str]) -> dict[str, float]:
    """Those of the folded, different `words` that a folded typed word may fit, and how well."""
    from rapidfuzz import process
    from rapidfuzz.distance import LCSseq

    rows = process.extract(
        typed,
        list(words),
        scorer=LCSseq.similarity,
        limit=None,
        score_cutoff=len(typed) - slack(len(typed)),
    )
    return {word: similarity(typed, word) for word, _, _ in rows}


def _left_out(typed: str, word: str, common: int, share: float) -> float:
    """For a word of which letters were left out; the first one is hardly ever."""
    letters, begins = len(typed), typed[0] == word[0]
    if common == letters:
        if begins:
            return 0.55 + 0.33 * share + 0.03 * (typed[-1] == word[-1])
        return 0.4 + 0.25 * share if letters >= 4 and share >= 0.5 else 0.0
    is_near = common == letters - 1 and begins and letters >= 5
    return 0.45 + 0.25 * min(1.0, share) if is_near else 0.0


def _slipped(typed: str, word: str) -> float:
    """For a word with letters swapped, added, missing or wrong, as far as it is typed."""
    from rapidfuzz.distance import OSA

    letters, begins = len(typed), typed[0] == word[0]
    if letters < 4:
        return 0.0
    slips = OSA.distance(typed, word, score_cutoff=2)
    if slips == 1:
        return 0.8 if begins else 0.74
    if letters >= 5 and len(word) > letters:
        ends = {letters - 1, letters, letters + 1}
        if any(OSA.distance(typed, word[:end], score_cutoff=1) == 1 for end in ends):
            return 0.62 + 0.1 * letters / len(word)
    return (CLEAR if begins else 0.6) if slips == 2 and letters >= 6 else 0.0


def across(typed: str, words: Sequence[str]) -> tuple[float, int]:
    """How well a typed word fits letters that run across several words, and where they begin in
    the words without what is between them."""
    at = "".join(words).find(typed)
    if at < 0:
        return 0.0, at
    return (ACROSS if at in accumulate(map(len, words), initial=0) else ACROSS - 0.1), at


def together(scores: Sequence[tuple[float, int]], order: Sequence[int], length: int) -> float:
    """The score of a text that fits every typed word.

    Args:
        scores: of each typed word its similarity and its length.
        order: of each typed word the position of what it fits.
        length: of the text, in letters; of equal texts the shorter one fits better.
    """
    letters = sum(size for _, size in scores)
    mean = sum(score * size for score, size in scores) / letters
    in_order = len(order) > 1 and list(order) == sorted(order)
    return mean + 0.02 * in_order + 0.05 * min(1.0, letters / max(1, length))


def match(typed: str, text: str) -> Match | None:
    """How `text` fits every word of `typed`, in any order; None where one does not fit."""
    asked = words(typed)
    return _match(asked, text) if asked else None


def _match(asked: Sequence[str], text: str, least: float = LEAST) -> Match | None:
    folded = fold(text)
    found = [(each.group(), each.start()) for each in _word(folded).finditer(folded)]
    scores: list[tuple[float, int]] = []
    order: list[int] = []
    matched: set[int] = set()
    for word in asked:
        score, indexes = _best_of(word, found)
        if score < least:
            return None
        scores.append((score, len(word)))
        order.append(indexes[0])
        matched.update(indexes)
    return Match(together(scores, order, sum(len(word) for word, _ in found)), spans(matched))


def _best_of(typed: str, found: Sequence[tuple[str, int]]) -> tuple[float, Sequence[int]]:
    """How well a typed word fits these words of a text, and the letters that it fits."""
    score, word, start = max(
        ((similarity(typed, word), word, start) for word, start in found),
        key=lambda one: one[0],
        default=(0.0, "", 0),
    )
    if score < LITERAL and len(typed) > SHORTEST and len(found) > 1:
        wider, begin = across(typed, [word for word, _ in found])
        if wider > score:
            places = [start + step for word, start in found for step in range(len(word))]
            return wider, places[begin : begin + len(typed)]
    return (score, [start + at for at in _letters(typed, word)]) if score else (0.0, ())


def _letters(typed: str, word: str) -> list[int]:
    """Where the letters of a typed word are in the word that it fits."""
    from rapidfuzz.distance import LCSseq

    at = word.find(typed)
    if at >= 0:
        return list(range(at, at + len(typed)))
    blocks = LCSseq.opcodes(typed, word)
    return [at for op in blocks if op.tag == "equal" for at in range(op.dest_start, op.dest_end)]


def spans(indexes: Iterable[int]) -> tuple[Span, ...]:
    """Stretches of neighbouring indexes, in order."""
    stretches: list[list[int]] = []
    for index in sorted(indexes):
        if stretches and stretches[-1][1] == index:
            stretches[-1][1] += 1
        else:
            stretches.append([index, index + 1])
    return tuple((start, end) for start, end in stretches)


CLOSE = 0.2
"""How much less than the best text another one may score."""

INSIDE = 0.72
"""The least similarity of a word to what is said about a name: one of its words has it inside."""

NAME = 0.25
"""What it counts that a name fits by itself, without what is said about it."""


def rank_named(typed: str, named: Sequence[tuple[str, str]]) -> list[Ranked]:
    """Those of a few names, with something said about each, that fit every word of `typed`, best
    first; all, if it is empty. A name that fits by itself comes first.

    Spans are those in the name. What holds the words just as they are typed, signs included,
    comes before all else; signs without a letter are looked for as they are.
    """
    asked, signs = words(typed), typed.strip()
    if not asked:
        return [
            (index, Match(0.0, ())) for index, pair in enumerate(named) if signs in " ".join(pair)
        ]
    matches = ((index, _named(asked, *pair)) for index, pair in enumerate(named))
    found = [(index, fits) for index, fits in matches if fits is not None]
    exact = signs.casefold()
    found.sort(key=lambda one: (exact not in " ".join(named[one[0]]).casefold(), -one[1].score))
    least = max((match.score for _, match in found), default=0.0) - CLOSE - NAME
    return [(index, match) for index, match in found if match.score >= least]


def _named(asked: Sequence[str], name: str, about: str) -> Match | None:
    fits = _match(asked, name)
    if fits is not None or not about:
        return fits and fits._replace(score=fits.score + NAME)
    whole = _match(asked, f"{name}\n{about}", INSIDE)
    if whole is None:
        return None
    return Match(whole.score, tuple((start, end) for start, end in whole.spans if end <= len(name)))
