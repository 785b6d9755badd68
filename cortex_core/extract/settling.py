"""Settling: what becomes of a session's finds when it ends or has been quiet.

Until then they are pending, because later words decide about earlier ones: the same thing is said
better, a diagnosis turns out wrong, a choice is made again, a commit replaces another one. Only
what the user asked to remember (rank 0) does not wait.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from cortex_core.base.kinds import EPISODE
from cortex_core.extract.commits import LESSONS
from cortex_core.extract.repetition import fingerprint, says_no_more
from cortex_core.extract.sources import BY_NAME, rank_of
from cortex_core.extract.state import Findings, SessionState
from cortex_core.records.events import Candidate
from cortex_core.redaction import secrets

MOST_PENDING = 400
"""Candidates of one session that wait, the newest."""
_CARRIED_WORDS = 60
"""Words of a candidate that the next part of the session knows."""
MOST_SUGGESTED = 12
"""Suggestions of one session: more are not looked through by anybody."""


def take_outright(findings: Findings, state: SessionState) -> list[Candidate]:
    """Remove from the findings what the user said outright and return it, without repetitions."""
    outright = [taken for taken in findings.candidates if _is_outright(taken)]
    findings.candidates = [taken for taken in findings.candidates if not _is_outright(taken)]
    return _fold(outright, findings, state)


def settle(findings: Findings, state: SessionState) -> list[Candidate]:
    """Take all findings and return those that hold at the end of the session, in order; after them
    the entries of the history, which neither repeat a memory nor are repeated by one."""
    history = [taken for taken in findings.candidates if taken.kind == EPISODE]
    pending = [taken for taken in findings.candidates if taken.kind != EPISODE]
    findings.candidates = []
    standing = []
    for index, candidate in enumerate(pending):
        heading = candidate.details.get("heading")
        later = (other.details.get("heading") for other in pending[index + 1 :])
        if heading and heading in later:
            findings.refuse("answered again later")
        elif _is_recommitted(candidate, history):
            findings.refuse("a later commit of the same files")
        else:
            standing.append(candidate)
    return [*_best(_fold(standing, findings, state), findings, state), *history]


def _best(candidates: list[Candidate], findings: Findings, state: SessionState) -> list[Candidate]:
    """The candidates in order, without the suggestions of the session beyond `MOST_SUGGESTED`.

    The sources that were measured best come first, and of one source what was said last: it had
    the least time to be overtaken.
    """
    suggested = [index for index, each in enumerate(candidates) if each.tier == "suggested"]
    by_worth = sorted(suggested, key=lambda index: (rank_of(candidates[index].rule), -index))
    dropped = set(by_worth[max(MOST_SUGGESTED - state.suggested, 0) :])
    state.suggested += len(suggested) - len(dropped)
    for _ in dropped:
        findings.refuse(f"more than {MOST_SUGGESTED} suggestions of a session")
    return [each for index, each in enumerate(candidates) if index not in dropped]


def _is_outright(candidate: Candidate) -> bool:
    """Whether the user said it outright, so that it holds at once."""
    return rank_of(candidate.rule) == 0 and candidate.tier == "kept"


def _is_recommitted(candidate: Candidate, history: Iterable[Candidate]) -> bool:
    """Whether a later commit changed all the files that what was learned from a commit is about."""
    if candidate.rule not in LESSONS or not candidate.files:
        return False
    files, own = set(candidate.files), candidate.details.get("of")
    return any(
        other.details.get("event") != own
        and (other.offset or 0) > (candidate.offset or 0)
        and files <= set(other.files)
        for other in history
    )


def _fold(
    candidates: Iterable[Candidate], findings: Findings, state: SessionState
) -> list[Candidate]:
    """The candidates without repetitions, in order; notes their words in `state`.

    Of two that say the same, the one whose rule ranks first is kept: the user's words before a
    paraphrase, a fix before a cause. It takes over files and tags of the other.
    """
    known = [(int(item["rank"]), frozenset(map(str, item["words"]))) for item in state.told]
    kept: dict[int, Candidate] = {}
    marks: dict[int, frozenset[str]] = {}
    # By rank, so that of two which say the same the better one is there when the other comes; of
    # what later summaries restate, the last comes first.
    order = sorted(
        enumerate(candidates),
        key=lambda each: (
            rank_of(each[1].rule),
            -each[0] if each[1].rule == "concept" else each[0],
        ),
    )
    for index, candidate in order:
        words, rank = fingerprint(candidate.content), rank_of(candidate.rule)
        twin = next((at for at, others in marks.items() if says_no_more(words, others)), None)
        if twin is not None:
            winner = kept[twin]
            kept[twin] = replace(
                winner,
                files=_united(winner.files, candidate.files)[:20],
                tags=_united(winner.tags, candidate.tags)[:5],
                commit=winner.commit or candidate.commit,
            )
            findings.refuse("said already")
        elif any(rank >= better and says_no_more(words, told) for better, told in known):
            findings.refuse("said already")
        else:
            kept[index], marks[index] = candidate, words
    standing = [kept[index] for index in sorted(kept)]
    for candidate in standing:
        told = sorted(fingerprint(secrets.redact(candidate.content).text))[:_CARRIED_WORDS]
        state.told.append({"words": told, "rank": rank_of(candidate.rule)})
    return standing


def _united(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


# --- pending candidates as JSON, to be carried to the next part of the session


def dumped(candidates: Iterable[Candidate]) -> list[dict[str, Any]]:
    """The candidates as JSON, without the fields that have their default."""
    return [
        {name: value for name, value in asdict(each).items() if value != _DEFAULTS[name]}
        for each in list(candidates)[-MOST_PENDING:]
    ]


def loaded(saved: object) -> list[Candidate]:
    """The candidates in `saved`; what is none, or of a rule that is gone, is left out."""
    found = []
    for item in saved if isinstance(saved, list) else ():
        if (
            isinstance(item, Mapping)
            and str(item.get("rule")) in BY_NAME
            and item.keys() <= _DEFAULTS.keys()
        ):
            values: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in item.items()
            }
            found.append(replace(_EMPTY, **values))
    return found


_EMPTY = Candidate(content="", title="", kind="", rule="")
_DEFAULTS = asdict(_EMPTY)
