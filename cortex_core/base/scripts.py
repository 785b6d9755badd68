"""Words of the scripts that put no blanks between them, as pairs of neighbouring letters.

SQLite's tokenizer takes a whole run of Chinese, Japanese, Korean or Thai letters for one word, with
the Latin letters that touch it. An index therefore gets `index_words` of a text as well, and a
query asks for `phrase` of each run that `apart` finds in it: that is any part of a run, to the
letter. A blank within a run means little, since not all writers put it in the same place: `데이터
베이스` is `데이터베이스`. The hooks load this module: it uses the standard library only.
"""

import re
from functools import cache

FIRST = "\u0e01"
"""The first letter of these scripts."""

_LETTERS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf"  # Thai, Lao
    "\u1000-\u1049\u1050-\u109d\u1780-\u17d3\u17d7\u17dc-\u17e9"  # Burmese, Khmer
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7a3"  # Hangul: spaced, but nouns and their particles are one word
)
_SOURCES = "\u1100-\u11ff\u3131-\u318e\uff66-\uffdc"
"""Parts of Hangul and letters of half width, which `_normal` makes such letters of."""
_ANY = f"[{_LETTERS}{_SOURCES}]"
"""Any letter of these scripts. This and the patterns below are compiled by `re` when first needed:
that takes 9 ms."""
_STRETCH = rf"[\w{_LETTERS}]+(?:(?<=[{_LETTERS}]) (?=[{_LETTERS}])[\w{_LETTERS}]+)*"
"""Letters and digits of any script that touch one another, and whole runs."""
_PIECE = f"[{_LETTERS} ]+|[^{_LETTERS} ]+"
"""A run, or letters of other scripts, within a stretch."""
_TO_PRIVATE_USE = 0xE000 - 0x0E00
_GLUED = "\uf000"
"""Before and behind a word that is written onto a run, which the stemmer leaves alone then."""
_MARKED = ((0x0E00, 0x0F00), (0x1000, 0x10A0), (0x1780, 0x1800))
"""Where the scripts are whose vowels and tones are marks, at which the tokenizer ends a word."""


def has_runs(text: str) -> bool:
    """Whether `text` has a letter of one of these scripts."""
    # The pattern takes 9 ms to compile, which no hook spends on curved quotes, dashes and arrows.
    return not text.isascii() and any(
        re.search(_ANY, one) for one in set(text) if one >= FIRST and not "\u1e00" <= one < "\u3005"
    )


def index_words(text: str) -> str:
    """The words that an index needs besides those of `text`, with blanks between them.

    Every two neighbouring letters of a run, its last letter, and what is written onto a run without
    a blank: of `使用pnpm` that is `使用 用 pnpm`, and `pnpm` in a form that `glued` finds. Empty
    for a text without such a script.
    """
    if not has_runs(text):
        return ""
    words = [word for each in re.findall(_STRETCH, _normal(text)) for word in _words_of(each)]
    return " ".join(words).translate(_tokens())


def _words_of(stretch: str) -> list[str]:
    """The words of the letters between two blanks or signs; none where no run is among them."""
    pieces = re.findall(_PIECE, stretch)
    if len(pieces) == 1 and not is_run(stretch):
        return []
    words: list[str] = []
    for piece in pieces:
        if is_run(piece):
            words += [*pairs(piece), piece[-1]]
        else:
            words += [piece, *(f"{_GLUED}{part}{_GLUED}" for part in piece.split("_") if part)]
    return words


def apart(text: str) -> tuple[list[str], str]:
    """The runs in `text`, each once, in order, and the rest with a blank in place of each run.

    A run may be words with a blank between them.
    """
    if not has_runs(text):
        return [], text
    normal = _normal(text)
    return list(dict.fromkeys(_run().findall(normal))), _run().sub(" ", normal)


def blanked(text: str) -> str:
    """`text` with a blank in place of each letter of a run, so as long as before."""
    return _run().sub(lambda run: " " * len(run[0]), text) if has_runs(text) else text


def is_run(word: str) -> bool:
    """Whether `word` is one run: nothing but letters of these scripts, with single blanks."""
    return not word.isascii() and word[0] >= FIRST and _run().fullmatch(word) is not None


def pairs(run: str) -> list[str]:
    """Every two neighbouring letters of `run`, in order; nothing for a single letter."""
    run = run.replace(" ", "")
    return [run[at : at + 2] for at in range(len(run) - 1)]


def tokens(run: str) -> str:
    """The words, with blanks between them, that an index has of a text with `run` in it."""
    return " ".join(pairs(run) or [run]).translate(_tokens())


def phrase(run: str) -> str:
    """The FTS5 expression for texts with `run` in them, in an index with their `index_words`.

    The words of a run with blanks may also be apart, in any order.
    """
    whole = tokens(run)
    if " " not in run:
        return f'"{whole}"' if len(run) > 1 else f'"{whole}"*'
    return f'("{whole}" OR ({" AND ".join(map(phrase, run.split(" ")))}))'


def glued(beginning: str) -> str:
    """The FTS5 expression for texts in which a word that begins so is written onto a run."""
    return f'"{_GLUED}{beginning}"*'


def _normal(text: str) -> str:
    """`text` with one way of writing each letter: of full or half width, in one code or several."""
    import unicodedata  # which a text without these scripts does not need

    return unicodedata.normalize("NFKC", text)


@cache
def _run() -> re.Pattern[str]:
    """Letters of these scripts, with single blanks between them."""
    return re.compile(f"[{_LETTERS}]+(?: [{_LETTERS}]+)*")


@cache
def single() -> re.Pattern[str]:
    """Matches a word in one script: of `使用pnpm` both halves."""
    return re.compile(rf"[{_LETTERS}]+|[^\W_{_LETTERS}]+")


@cache
def _tokens() -> dict[int, int]:
    """Marks as letters for private use, which the tokenizer keeps in a word."""
    import unicodedata

    codes = (code for first, end in _MARKED for code in range(first, end))
    return {
        code: code + _TO_PRIVATE_USE for code in codes if unicodedata.category(chr(code))[0] == "M"
    }
