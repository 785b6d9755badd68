"""What is taken out of, checked in and marked on a memory's words before they are stored.

Secrets go first, before anything is compared, hashed or written.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date

from cortex_core.base import text
from cortex_core.base.authorship import CITES_USER, IMPORTED, is_by_hand, is_typed
from cortex_core.base.config import Config
from cortex_core.base.errors import UsageError
from cortex_core.base.globs import LONGEST as LONGEST_GLOB
from cortex_core.base.kinds import CODE
from cortex_core.records.events import Candidate
from cortex_core.records.fields import FIELDS
from cortex_core.records.memory import LONGEST, Memory
from cortex_core.redaction import citations, cleaning, quarantine, secrets, stored_names

HIGHEST_EXTRACTED = 9
"""Highest priority that extraction may set; only the user sets 10."""


LONGEST_EXTRACTED = 4_000
"""Characters of an extracted memory's content."""


LONGEST_LINE = 4_000
"""Characters of a title, of one step of a procedure, and of all tags of a memory together."""


LONGEST_EXCERPT = 1_000
"""Characters of the stored words around it."""


_WORDS = dict.fromkeys([*(one.part or one.name for one in FIELDS if one.free_text), "sources"])
"""The attributes of a memory that contain words; sources and context as a whole."""


_OF_CHANGES = ("commit", "commit-decision", "fix")
"""The rules that hear what a change did, in the agent's commits. A subject is worded as an order is
(“Hide the token flags”): of eleven memories of real sessions that wording held back, nine were of
commits, and none gave an order. Wording that may steer an agent still keeps them from being
injected."""


def checked_candidate(candidate: Candidate, config: Config) -> Candidate | str:
    """The candidate as it may be written, or why it may not."""
    if secrets.is_ignored(candidate.cwd, stored_names.ignored(config)):
        return "ignored folder"
    content = cleaning.redacted(candidate.content, config)
    if len(text.units(content)) < 2:
        return "nothing left"
    return replace(
        candidate,
        content=content[:LONGEST_EXTRACTED],
        title=text.one_line(cleaning.redacted(candidate.title, config))
        or text.one_line(content)[:80],
        excerpt=cleaning.redacted(candidate.excerpt, config)[:LONGEST_EXCERPT],
        details=cleaning.redacted_all(candidate.details, config),
        priority=max(1, min(candidate.priority, HIGHEST_EXTRACTED)),
        confidence=max(0.0, min(candidate.confidence, 1.0)),
    )


def checked_memory(memory: Memory, config: Config) -> Memory:
    """The memory without secrets and private spans.

    Raises:
        UsageError: nothing is left of its content, it is too long, or its id is a secret.
    """
    if cleaning.redacted(memory.id, config) != memory.id.strip():
        raise UsageError("its id contains a secret")
    if len(memory.content) > LONGEST:
        raise UsageError(f"has {len(memory.content):,} characters; the maximum is {LONGEST:,}")
    keep = cleaning.redacted_all if memory.kind == CODE else cleaning.redacted
    content = keep(memory.content, config)  # the spaces around it are a part of code
    if not content.strip():
        raise UsageError("its whole content is private")
    rest = {name: cleaning.redacted_all(getattr(memory, name), config) for name in _WORDS}
    return replace(memory, **rest | {"content": content})


def reason_to_wait(candidate: Candidate) -> str:
    """Why `candidate` must be quarantined, in one sentence; empty if it may be stored."""
    if candidate.untrusted:
        return quarantine.UNTRUSTED
    texts = (candidate.title, candidate.content, *tags_as_read(candidate.tags))
    # A model has the user's words for what it cites the user for.
    by_user = candidate.rule.startswith("prompt") or candidate.rule.endswith(CITES_USER)
    return quarantine.reason_of(
        texts, by_user=by_user, by_wording=candidate.rule not in _OF_CHANGES
    )


def quarantined_if_needed(memory: Memory, *, by_user: bool = False, rule: str = "") -> Memory:
    """`memory`, quarantined if the user must look at it first, else withheld if it may steer.

    Args:
        by_user: whether it is the user's own words.
        rule: by which it counts as learned; empty: by that of its source.
    """
    reason = quarantine.reason_of(_all_words(memory), by_user=by_user)
    if not reason or memory.status != "active":
        # Whoever brought a file may claim what they like of who wrote it.
        rule = rule or (IMPORTED if memory.claimed else memory.source.rule)
        return replace(memory, withheld=not by_user and is_withheld(_all_words(memory), rule))
    return replace(memory, status="quarantined", details={**memory.details, "quarantine": reason})


def is_withheld(words: Iterable[str], rule: str) -> bool:
    """Whether these words, by `rule`, are found when they are asked for and not injected.

    What the user said is not, nor what a model cites it for, which was looked up: dangerous orders
    are quarantined whoever writes them. But nobody who is the user has work hidden from “the user”.
    """
    said = "\n".join(words)
    if is_typed(rule) or rule.endswith(CITES_USER):
        return not is_by_hand(rule) and citations.is_unsaid("", said, said)
    return quarantine.steers([said])


def tags_as_read(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags as a reader has them before them: one list, and each of several words by itself.

    Two that are only neighbours are no sentence: “auth”, “credentials”.
    """
    return (", ".join(tags), *(tag for tag in tags if not tag.isalnum()))


def _all_words(memory: Memory) -> Iterator[str]:
    """Every text of a memory that an agent may be shown."""
    yield from (memory.title, memory.content, *tags_as_read(memory.tags))
    yield from (memory.excerpt, memory.source.author)
    yield from (*memory.globs, *memory.triggers, *memory.context.files, memory.context.branch)
    yield from text.texts_in(memory.details)


def refuse_orders(words: Iterable[str]) -> None:
    """Refuse a change by an agent whose words would have to wait for the user.

    Raises:
        UsageError: they give an order that only the user may give.
    """
    if reason := quarantine.reason_of(words, by_user=False):
        raise UsageError(
            f"This cannot be stored: {reason[0].lower()}{reason[1:]} Nothing was changed. The user "
            "can say it in a prompt, or store it with `cortex remember`."
        )


def checked(content: str, config: Config) -> str:
    """`content` without secrets and private text.

    Raises:
        UsageError: nothing is left of it, or it is too long.
    """
    kept = cleaning.redacted(content, config)
    if not kept:
        raise UsageError(
            "There is nothing to remember: the text is empty or private. Nothing was changed."
        )
    refuse_longer(
        "The text has", len(kept), LONGEST, "Store a summary, and where the full text is."
    )
    return kept


def refuse_longer(what: str, characters: int, most: int, instead: str) -> None:
    """Refuse a text that is too long.

    Args:
        what: the beginning of the sentence that says so: “The text has”.
        instead: what to do, in a sentence.

    Raises:
        UsageError: it has more than `most` characters.
    """
    if characters > most:
        raise UsageError(
            f"{what} {characters:,} characters; there can be {most:,}. Nothing was changed. "
            f"{instead}"
        )


def checked_values(
    content: str, kind: str, priority: int, confidence: float, config: Config
) -> str:
    """Check the values of a memory, and return its `content` as `checked` does.

    Raises:
        UsageError: a value is out of range, the kind is unknown, or the content cannot be stored.
    """
    config.kinds.get(kind)
    if not 1 <= priority <= 10:
        raise UsageError(f"The priority must be 1 to 10, not {priority}. Nothing was changed.")
    if not 0 <= confidence <= 1:
        raise UsageError(f"The confidence must be 0 to 1, not {confidence}. Nothing was changed.")
    return checked(content, config)


def line(value: str, config: Config) -> str:
    """`value`, a title or a step, redacted, as a single line.

    Raises:
        UsageError: it is longer than `LONGEST_LINE`.
    """
    kept = text.one_line(cleaning.redacted(value, config))
    refuse_longer(
        "The title or the step has", len(kept), LONGEST_LINE, "Put the details into the content."
    )
    return kept


def lines(values: Iterable[str], config: Config) -> tuple[str, ...]:
    """Each of `values` redacted as a single line; empty ones are left out."""
    return tuple(filter(None, (line(value, config) for value in values)))


def checked_tags(tags: Iterable[str], config: Config) -> tuple[str, ...]:
    """Tags redacted and in the form that is stored.

    Raises:
        UsageError: together they are longer than `LONGEST_LINE`.
    """
    kept = cleaned_tags(cleaning.redacted_all(tuple(tags), config))
    refuse_longer(
        "The tags have", sum(map(len, kept)), LONGEST_LINE, "Keep the few that you search by."
    )
    return kept


def until(value: str) -> str:
    """How long a memory holds, as it is stored.

    Raises:
        UsageError: it is no term.
    """
    if value in ("", "good", "for good"):
        return ""
    with suppress(ValueError):
        return value if value in ("session", "branch") else date.fromisoformat(value).isoformat()
    raise UsageError(
        f"“{text.one_line(value)}” is no term. Nothing was changed. Use good, session, branch or a "
        "date such as 2026-11-27."
    )


def globs(patterns: Iterable[str], config: Config) -> tuple[str, ...]:
    """File patterns, redacted.

    Raises:
        UsageError: one is longer than a pattern may be, or has a bracket that is not closed.
    """
    kept = tuple(cleaning.redacted_all(list(patterns), config))
    if open_ := [
        one for one in kept for pair in ("[]", "{}") if one.count(pair[0]) > one.count(pair[1])
    ]:
        raise UsageError(
            f"“{open_[0]}” matches no file: a bracket is not closed. Nothing was changed. Use "
            "src/auth/*.ts or *.{ts,tsx}, and ? for a bracket itself."
        )
    refuse_longer(
        "A file pattern has",
        max(map(len, kept), default=0),
        LONGEST_GLOB,
        "Name the folder, or put * for a part of the path.",
    )
    return kept


def cleaned_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags in the form that is stored: lower case, one word each, without repetition or comma."""
    words = (word for tag in tags for word in text.one_line(tag).split(","))
    cleaned = (word.strip().lstrip("+-#").replace(" ", "-").lower() for word in words)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))
