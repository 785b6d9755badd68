"""The text that takes the place of several, without a model: one of them, and what only the others
say."""

import re
from collections.abc import Iterable, Sequence

from cortex_core.base.text import facts, units
from cortex_core.language.markdown_parts import ITEM
from cortex_core.language.negation import FILLERS
from cortex_core.language.sentences import split
from cortex_core.language.stemming import stem

_ARTICLES = frozenset("the a an der die das den dem ein eine le la les un une el los las".split())
"""Words with which no sentence goes on: what follows them belongs to the verb before."""


def union(texts: Sequence[str]) -> str:
    """One text that says all that `texts` say: the shortest one, with what only the others say.

    A sentence that says all of another one takes its place; of one that says the same and goes on,
    what it goes on with is added; any other that has a content word of its own follows.
    """
    first, *others = sorted(texts, key=len)
    merged = first.strip()
    for other in others:
        for sentence in _sentences(other):
            merged = _with(merged, sentence)
    return merged


def lost(texts: Iterable[str], merged: str) -> list[str]:
    """The numbers, paths and identifiers of `texts` that `merged` does not contain."""
    # A number is there within an address too: 3000 in localhost:3000.
    kept = facts(merged) | set(re.findall(r"\d+(?:[.,]\d+)*", merged))
    return sorted({fact for text in texts for fact in facts(text)} - kept)


def _with(merged: str, sentence: str) -> str:
    """`merged` with what only `sentence` says."""
    said = _subjects(sentence)
    if said <= _subjects(merged):
        return merged
    own = _sentences(merged)
    for each in own:
        if _subjects(each) <= said:
            return merged.replace(each, sentence, 1)
    nearest = max(own, key=lambda each: len(_subjects(each) & said), default="")
    if tail := _tail(sentence, nearest):
        joined = " and" if tail.split()[0].casefold() in FILLERS else ","  # “is kept and was read”
        longer = f"{nearest.rstrip('.!。')}{joined} {tail.rstrip('.!。')}"
        return merged.replace(nearest, longer + nearest[len(nearest.rstrip(".!。")) :], 1)
    if "\n" in merged or ITEM.is_in(sentence):
        return f"{merged}\n{sentence}"
    is_ended = merged.rstrip("\"'”’)")[-1:] in ".!?。！？…:;"
    return f"{merged}{'' if is_ended else '.'} {sentence}"


def _tail(sentence: str, known: str) -> str:
    """What `sentence` goes on with after all that `known` says too; empty where it says something
    else before, or goes on without a word or a mark that joins the two."""
    words = sentence.split()
    subjects = _subjects(known)
    shared = [n for n, word in enumerate(words, 1) if _subjects(word) & subjects]
    start = shared[-1] if shared else len(words)
    before, after = words[:start], words[start:]
    again = _subjects(" ".join(before))
    # Half of what is known: less, and it goes on about something else.
    if not after or not again <= subjects or 2 * len(again) < len(subjects):
        return ""
    goes_on = not _subjects(after[0]) and after[0].casefold() not in _ARTICLES
    return " ".join(after) if goes_on or before[-1][-1] in ",;:—–" else ""


def _sentences(text: str) -> list[str]:
    """The sentences of a text; a line is never joined with the next."""
    return [sentence for line in text.splitlines() for sentence in split(line.strip())]


def _subjects(text: str) -> set[str]:
    """The stems of what a text is about."""
    return set(map(stem, units(text)))
