"""The closing pass over a long session: a model that knows its end decides on all its finds.

The readers of the parts could not know what was repaired, refuted or said better later.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cortex_core.base.text import clean, facts, marked_identifiers, one_line
from cortex_core.llm import digest, model_answers, prompts
from cortex_core.llm.answer_fields import fraction, numbered, whole
from cortex_core.llm.protocol import ModelRequest
from cortex_core.records.events import Amendment
from cortex_core.records.memory import Memory

SURE_AT_END = 0.6
"""Confidence from which a find is kept after the closing pass. Measured on the blind reading of six
sessions: of 43 finds at it or above 36 were good, one bad."""

MOST_FINDS = 80
"""Finds that are decided on, the newest."""

MOST_PROMPTS = 20_000
"""Characters of the user's prompts, the last ones: with `MOST_ENDING` and the finds the request
stays smaller than that of a chunk."""

MOST_ENDING = 12_000
"""Characters of the last messages."""

WORDS_OF_A_TITLE = 12
"""Words of a title above which a shorter one is asked for."""


def request(lines: Sequence[digest.DigestLine], finds: Sequence[Memory], days: str) -> ModelRequest:
    """The question what becomes of `finds` at the end of a session.

    Args:
        lines: all messages of the session.
        days: today's date and the session's.
    """
    asked = "\n".join(digest.prompts(lines))[-MOST_PROMPTS:]
    parts = (
        ("Dates", [days]),
        ("Commits in order", digest.commits(lines)),
        ("Prompts in order", asked.split("\n")),
        ("Finds", [line for n, find in enumerate(finds, 1) for line in _shown(n, find)]),
    )
    ending = "".join(digest.ending(lines, MOST_ENDING))
    return ModelRequest(
        purpose="extract",
        system=prompts.CLOSE,
        text=f"{model_answers.sections(parts)}The end of the session:\n{ending}",
        schema=prompts.CLOSING,
        most_output=model_answers.MOST_OUTPUT,
    )


def _shown(number: int, find: Memory) -> Iterator[str]:
    is_long = len(find.title.split()) > WORDS_OF_A_TITLE
    yield f"({number}) [{find.kind}, {find.initial_confidence:g}] {find.title}" + (
        " (long)" if is_long else ""
    )
    yield f"  {one_line(find.content)}"
    yield f"  source: {one_line(find.excerpt)[:300]}"


def decisions(answer: Mapping[str, Any], finds: Sequence[Memory]) -> Iterator[Amendment]:
    """What becomes of the finds; one that the answer decides twice keeps its first decision."""
    decided: set[int] = set()
    gone: set[int] = set()
    for number, item in numbered(answer, "decisions", "find", len(finds)):
        if number in decided:
            continue
        decided.add(number)
        find, action, content = finds[number - 1], item.get("action"), item.get("content")
        words = clean(content).strip() if isinstance(content, str) else ""
        title = model_answers.titled(item.get("title"), words)
        sure = fraction(item.get("confidence")) or 0.0
        into = whole(item.get("into")) if action == "merge" else number
        is_there = into is not None and 1 <= into <= len(finds) and into not in gone
        replaced = [finds[into - 1], find] if is_there and into and into != number else [find]
        if action == "drop":
            gone.add(number)
            yield Amendment(memory=find.id, verb="drop")
        elif action in ("reword", "merge") and words and not _lost(replaced, f"{title} {words}"):
            yield Amendment(
                memory=replaced[0].id, verb="reword", content=words, title=title, confidence=sure
            )
            # What it is merged into is decided with it, whatever else is said of that.
            if len(replaced) > 1 and into:
                decided.add(into)
                gone.add(number)
                yield Amendment(memory=find.id, verb="drop")
        else:
            yield Amendment(memory=find.id, verb="keep", confidence=sure)


def _lost(finds: Sequence[Memory], words: str) -> set[str]:
    """The commands that the finds name and `words` lose; of a merge also numbers and paths.

    A value may have been corrected since; a command is what is looked for, and a merge corrects
    nothing.
    """
    said = " ".join(f"{find.title} {find.content}" for find in finds)
    lost = {name for name in marked_identifiers(said) - marked_identifiers(words) if " " in name}
    return lost | (facts(said) - facts(words) if len(finds) > 1 else set())
