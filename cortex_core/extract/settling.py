"""Settling: what becomes of a session's finds when it ends or has been quiet.

Until then they are pending, because later words decide about earlier ones: the same thing is said
better, a diagnosis turns out wrong, a choice turns out to be talk. Only what the user said outright
(rules of rank 0) does not wait.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from cortex_core.base.kinds import EPISODE
from cortex_core.base.text import marked_identifiers
from cortex_core.extract import claims
from cortex_core.extract.repetition import Mark, fingerprint, retells, says_no_more
from cortex_core.extract.state import (
    BY_NAME,
    FROM_PROMPT,
    OF_MODEL,
    Findings,
    Rule,
    SessionState,
    rank_of,
)
from cortex_core.records.events import Candidate
from cortex_core.redaction import secrets

MODEL = "model:"
"""How the rules of language models begin."""
MOST_PENDING = 400
"""Candidates of one session that wait, the newest."""
OFFERED_AGAIN = 2
"""Questions that offer a label, from which on choosing it says nothing of the project."""
_CARRIED_WORDS = 60
"""Words of a candidate that the next part of the session knows."""
_MODELS_RULE = Rule("model", "kept", "what a language model found", 0.8, 5, OF_MODEL)
"""Stands for the rules of language models."""
_QUOTED = re.compile(r"“([^“”]+)”\W*$")
"""The user's words at the end of what a summary says about them."""
_TELLS_OF_FIXES = frozenset({"fix", "solved", "commit"})
"""Rules whose finds may say that a fault is fixed."""
_SAME_SYMPTOM = 2
"""Names in the code that two diagnoses share if they are of one symptom."""


@dataclass(slots=True)
class _Kept:
    index: int
    candidate: Candidate
    mark: Mark


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
        if _is_talk(candidate, state):
            findings.refuse("a label that several questions offered")
        elif _is_replaced(candidate, pending[index + 1 :]):
            findings.refuse("a later diagnosis stands")
        elif _is_mended(candidate, [*pending, *history]):
            findings.refuse("a fault that the session fixed")
        else:
            standing.append(candidate)
    return [*_fold(standing, findings, state), *history]


def _is_outright(candidate: Candidate) -> bool:
    """Whether the user said it outright, so that it holds at once."""
    return _rank(candidate) == 0 and candidate.tier == "kept"


def _is_talk(candidate: Candidate, state: SessionState) -> bool:
    """Whether it is a choice like “next area” that the agent offered in several questions."""
    choice = candidate.details.get("choice")
    return isinstance(choice, str) and state.offered.get(choice, 0) >= OFFERED_AGAIN


def _is_replaced(candidate: Candidate, later: Iterable[Candidate]) -> bool:
    """Whether a later find of the same rule diagnoses the same symptom."""
    if not _rule(candidate).is_diagnosis:
        return False
    names = marked_identifiers(candidate.content)
    return any(
        other.rule == candidate.rule
        and len(names & marked_identifiers(other.content)) >= max(_SAME_SYMPTOM, len(names) // 2)
        for other in later
    )


def _is_mended(candidate: Candidate, others: Iterable[Candidate]) -> bool:
    """Whether a summary's statement calls a fault what a fix of the same session names."""
    if not (_rule(candidate).restates and claims.names_defect(candidate.content)):
        return False
    if candidate.rule in _TELLS_OF_FIXES:
        return False
    names = marked_identifiers(candidate.content)
    return any(
        other.rule in _TELLS_OF_FIXES
        and (other.offset or 0) >= (candidate.offset or 0)
        and "fix" in other.content.casefold()
        and (names & marked_identifiers(other.content) or {*candidate.files} & {*other.files})
        for other in others
    )


def _fold(
    candidates: Iterable[Candidate], findings: Findings, state: SessionState
) -> list[Candidate]:
    """The candidates without repetitions, in order; notes their words in `state`.

    Of two that say the same, the one whose rule ranks first is kept: the user's words before a
    paraphrase, a fix before a cause. It takes over files and tags of the other.
    """
    known = [Mark(frozenset(map(str, item["words"])), int(item["rank"])) for item in state.told]
    kept: list[_Kept] = []
    for index, candidate in sorted(enumerate(candidates), key=_precedence):
        mark = Mark(fingerprint(candidate.content), _rank(candidate))
        quoted = _quoted(candidate)
        is_retold = _rule(candidate).restates
        twin = next(
            (
                entry
                for entry in kept
                if says_no_more(mark, entry.mark) or (is_retold and retells(mark, entry.mark))
            ),
            None,
        )
        own = next((entry for entry in kept if _said_so(quoted, entry)), None)
        if found := own or twin:
            found.candidate = _enriched(found.candidate, candidate)
            if own is not None and own.candidate.kind == "fact":
                # A wish or a choice may be of one task; how things are was worth a correction.
                own.candidate = replace(own.candidate, tier=candidate.tier)
            findings.refuse("said already")
        elif any(
            (mark.rank >= earlier.rank and says_no_more(mark, earlier))
            or (earlier.rank == 0 and quoted and says_no_more(quoted, earlier))
            for earlier in known
        ):
            findings.refuse("said already")
        else:
            kept.append(_Kept(index, candidate, mark))
    kept.sort(key=lambda entry: entry.index)
    for entry in kept:
        words = fingerprint(secrets.redact(entry.candidate.content).text)
        state.told.append({"words": sorted(words)[:_CARRIED_WORDS], "rank": entry.mark.rank})
    return [entry.candidate for entry in kept]


def _quoted(candidate: Candidate) -> Mark | None:
    """What is compared of the user's words that a summary quotes; None where it quotes none."""
    match = _QUOTED.search(candidate.content) if candidate.rule == "feedback" else None
    return Mark(fingerprint(match[1]), _rank(candidate)) if match else None


def _said_so(quoted: Mark | None, entry: _Kept) -> bool:
    """Whether a sentence of the user's own was taken already that says what the quote says."""
    is_own = entry.candidate.rule.startswith(FROM_PROMPT)
    return quoted is not None and is_own and says_no_more(quoted, entry.mark)


def _precedence(pair: tuple[int, Candidate]) -> tuple[int, int]:
    """By rank, then by order; of what later summaries restate, the last comes first."""
    index, candidate = pair
    return _rank(candidate), -index if _rule(candidate).restates else index


def _rank(candidate: Candidate) -> int:
    return rank_of(candidate.rule)


def _rule(candidate: Candidate) -> Rule:
    return BY_NAME.get(candidate.rule, _MODELS_RULE)


def _enriched(winner: Candidate, other: Candidate) -> Candidate:
    return replace(
        winner,
        files=_united(winner.files, other.files)[:20],
        tags=_united(winner.tags, other.tags)[:5],
        commit=winner.commit or other.commit,
    )


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
        if isinstance(item, Mapping) and _is_known(item.get("rule")) and item.keys() <= _NAMES:
            values: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in item.items()
            }
            found.append(replace(_EMPTY, **values))
    return found


def _is_known(rule: object) -> bool:
    """Whether `rule` names a rule, or a language model."""
    return isinstance(rule, str) and (rule in BY_NAME or rule.startswith(MODEL))


_EMPTY = Candidate(content="", title="", kind="", rule="")
_DEFAULTS = asdict(_EMPTY)
_NAMES = frozenset(field.name for field in fields(Candidate))
