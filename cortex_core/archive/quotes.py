"""What a past conversation says about a prompt: the turns in which the matter was settled, quoted.

A conversation is quoted where it holds enough of what the prompt is about, and clearly more than
the next one does. A word counts by how rare it is in general English and in the archive; vectors
separate fitting conversations from others worse. The words and weights that choose the turn were
chosen on the bug reports of `benchmarks.sdebench`, of which no half was held back. Standard library
only: the prompt hook loads this.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import takewhile
from math import log

from cortex_core.base import hook_io
from cortex_core.base.text import is_hex, words as text_words
from cortex_core.embeddings.pieces import Pieces
from cortex_core.language.generic_words import GENERIC
from cortex_core.search import keyword

HEADER = (
    "Past conversations that may bear on this prompt, quoted as data: what was said then may have "
    "changed. `cortex sessions show ID -m N` opens there."
)

OWNER = "owner"
"""The key of the note which store the archive belongs to."""

MARKED = "deciding "
"""Begins the key of a note which messages decided a session, as JSON of their uuids."""

QUOTATION = "said:"
"""How the id of a turn begins that was quoted; the notes of a session hold ids of memories too."""

MOST = 2
"""Most quotations with one prompt."""

LONGEST_PROMPT = 1_500
"""Characters of a prompt above which it is a plan or a paste, which names too much."""

FEWEST_TALKS, FEWEST_WORDS, FEWEST_HELD, TELLING = 5, 3, 3, 0.25
"""Conversations that an archive must have: among fewer every word is rare, and none lies clearly
before the next; of six real prompts that quoted one of so few one was served. Content words that a
prompt must have; and those of such a weight that a conversation must hold: two names may stand
together by chance."""

MOST_TERMS = 24
"""The words of a prompt that are searched for: those that say most about its subject."""

MOST_ROWS, MOST_OF_A_TERM, MOST_COMMON = 3_000, 300, 4
"""Messages that are compared, and of one word: one in more of them finds no conversation, and is
looked for only near the turns that rarer words found, the most telling of them. With twice as many
messages the search takes twelve times as long as a bare start at 10,000 sessions."""

ENOUGH = 1.5
"""The least product of a conversation's score, its margin over the next one and the share of the
prompt that it covers, in an archive of `FEW` messages: many words by chance cover little, and a
short prompt has few to be certain by. Every second report of `benchmarks.sdebench` has 1.9 and more
for the right conversation and at most 0.7 for any other. Of 381 real prompts six are given a line:
two fit, three do no harm and one is wrong; with 1.1 three more are, of which two are wrong."""

LEAST_TOTAL, FEW = 1_000, 5_000
"""Messages that an archive is taken to hold at least; and those from which a word that so many in a
hundred hold is worth less, by the square of their logarithm."""

MOST_MARGIN = 2.0
"""Most that counts of how far the next conversation lies behind."""

NEAR, NEIGHBOURS = 4, 0.6
"""Messages before and after that belong to a turn, and what their further words count."""

MOST_COMPARED = 5
"""Turns that are compared: of a conversation with those near them, of later ones by their words;
and conversations in which common words are looked for."""

BEFORE, AFTER = 8, 20
"""Messages around the best one among which the quoted turn is chosen."""

LONG, LONGER = 100, 0.15
"""Tokens from which a message counts less, for it names more, and by how much."""

_COMMONNESS = ((2_500, 0.1), (4_000, 0.25), (7_000, 0.5), (12_000, 0.8))
"""Weights by the position of a word in the model's vocabulary, which is in the order of how common
it is in English; above the last one a word counts in full."""

_NO_NAME, _NAME, _UNKNOWN, _GENERIC = 0.1, 1.3, 1.2, 0.3
"""Weights of what names nothing, of names from code, of words that the vocabulary lacks; and the
factor of words that any prompt may hold."""

_SHELL = ("$ ", "❯")
"""How a pasted command begins."""

_SPOKEN = ("user", "agent", "summary")

TICKETS = ("issues", "pull", "merge_requests")
"""What is before the number of an issue or a pull request in its address."""

_NAMED = """
SELECT m.number, c.session, m.kind, m.text, coalesce(m.time, c.started, 0) FROM message_fts f
JOIN message m ON m.number = f.rowid JOIN conversation c ON c.number = m.conversation
WHERE message_fts MATCH ? AND m.kind IN ('agent', 'summary')
AND c.number NOT IN (SELECT value FROM json_each(?))
ORDER BY c.started DESC, m.number DESC LIMIT 1
"""
"""The last turn in which an agent named something: a user's that does asks for it, as the prompt
itself."""

_HOLDING = """
SELECT count(*), max(rowid), json_group_array(rowid)
FROM (SELECT rowid FROM message_fts WHERE message_fts MATCH ? LIMIT ?)
"""
"""The first messages that hold a word."""

_NEARBY = "SELECT 1 FROM message_fts WHERE message_fts MATCH ? AND rowid BETWEEN ? AND ?"
"""Whether a word is in any of the messages near a turn."""

MOST_QUOTED = 330
"""Characters of a quotation: holds the decision of 31 of 33 conversations; 220 held 25."""

DECIDED = 1.5
"""What counts that a model marked a turn among those that decided the session: as much as the most
telling of the words below and the next turn's assent. No real session has such marks to measure by.
"""

LEAST_SHARE, REPEATED = 0.15, 0.45
"""Share of the words that a quoted turn holds at least, of those that the best one holds; and the
share of its own words above which it repeats the prompt, or the output that both hold. What decides
in `benchmarks.sdebench` has at most 0.36, what repeats a real prompt 0.47 to 0.93."""

LEAST_WORTH = 0.7
"""What the prompt's words in a quotation are worth at least, in an archive of `FEW` messages: else
its conversation may be about the prompt, but it is not. Of 21 quotations given with 286 real
prompts five had less, and one of them fitted; each decision of `benchmarks.sdebench` has more."""

SECOND, COVERED = 0.6, 0.3
"""Share of the first turn's score that the other speaker's turn needs to be quoted too; and of a
settled turn's words that a later conversation must hold to be about the same."""

SETTLING = frozenset(
    "agreed always amended avoid confirmed decided decision exactly except final fixed got instead "
    "keep must never no not only root settled should understood unless".split()
)
"""Words of a turn in which something is settled."""

SETTLES = 0.45
"""What each of them counts."""

CHANGING = frozenset("amend amended amendment anymore changed longer overrides supersedes".split())
"""Words of a turn that changes what was settled before."""


class MatchingTurn:
    """A message of the archive that shares words with the prompt, alone or with those near it."""

    __slots__ = ("conversation", "held", "number", "score")

    def __init__(self, number: int, conversation: int, held: frozenset[str], score: float) -> None:
        self.number = number
        self.conversation = conversation
        self.held = held
        """The words of the prompt in it, or in it and in the turns near it."""
        self.score = score


class Quotation(hook_io.LightRecord):
    """What is quoted of a past conversation."""

    number: int
    session: str
    speaker: str
    text: str
    time: float

    @property
    def id(self) -> str:
        """By which a session's notes tell that it has been quoted."""
        return f"{QUOTATION}{self.session}:{self.number}"


def subject_words(prompt: str) -> list[str]:
    """The words of a prompt to search for, without quoted code, addresses and pasted output."""
    parts = prompt.split("```")
    # What is fenced within a line is a sentence that somebody quotes, such as a review's.
    prose = " ".join(part for n, part in enumerate(parts) if n % 2 == 0 or "\n" not in part)
    lines = (line.lstrip() for line in prose.splitlines())
    kept = (line for line in lines if not line.startswith((*_SHELL, "[", "<")))
    words = (word for line in kept for word in line.split() if "://" not in word)
    return keyword.terms(" ".join(words))


def tickets(prompt: str) -> list[tuple[str, str]]:
    """The issues and pull requests that a prompt names by their address: a query and the number.

    A repository numbers both in one row, so that the address of either is the same matter.
    """
    found = []
    for word in prompt.split():
        parts = [part for part in word.split("/") if part != "-"]  # GitLab's `/-/issues/7`
        for repository, kind, rest in zip(parts, parts[1:], parts[2:], strict=False):
            number = "".join(takewhile(str.isdigit, rest))
            if "://" in word and kind in TICKETS and number:
                found.append(
                    (keyword.match([f"{repository}/{one}/{number}" for one in TICKETS]), number)
                )
    return found


def weights(words: Sequence[str]) -> dict[str, float]:
    """How much each word says about a subject, by its form and how common it is in English."""
    with Pieces() as pieces:
        positions = pieces.positions(words)
    return {word: _weight(word, positions.get(word)) for word in words}


def _weight(word: str, position: int | None) -> float:
    digits = sum(map(str.isdigit, word))
    # Contractions, numbers, times and hashes are rare, and name nothing that is talked about.
    is_hash = len(word) > 6 and digits > 0 and is_hex(word)
    if "'" in word or "’" in word or 2 * digits >= len(word) or is_hash:
        return _NO_NAME
    weight = _NAME if not word.isalpha() else _UNKNOWN
    if word.isalpha() and position is not None:
        weight = next((share for end, share in _COMMONNESS if position < end), 1.0)
    return weight * (_GENERIC if word in GENERIC else 1.0)


def quotations(
    archive: sqlite3.Connection,
    prompt: str,
    excluded: Iterable[str] = (),
    owner: str = "",
    named: Sequence[tuple[str, str]] = (),
) -> list[Quotation]:
    """At most two turns of the past conversation that fits the prompt; mostly none.

    Args:
        archive: open for reading.
        excluded: ids of sessions that are not quoted: the prompt's own, and those forgotten.
        owner: the identity of the store that it must belong to; empty where any will do.
        named: the `tickets` of the prompt: the last conversation about one fits whatever the words.

    Raises:
        sqlite3.Error: the archive cannot be read.
    """
    words = subject_words(prompt)
    is_paste = len(prompt) > LONGEST_PROMPT or prompt.lstrip().startswith(_SHELL)
    says_little = len(words) < FEWEST_WORDS or not keyword.is_legible(prompt)
    if is_paste or (says_little and not named):
        return []
    if (
        owner
        and not archive.execute(
            "SELECT 1 FROM meta WHERE key = ? AND value = ?", (OWNER, owner)
        ).fetchone()
    ):
        return []
    asked = "SELECT number FROM conversation WHERE session IN (SELECT value FROM json_each(?))"
    hidden = {number for (number,) in archive.execute(asked, (hook_io.dumps(list(excluded)),))}
    subject = weights(words)
    # An address names one matter and no other, however few words there are besides.
    for query, number in named:
        for row in archive.execute(_NAMED, (query, hook_io.dumps(list(hidden)))):
            last = Quotation(*row)
            start = last.text.rfind("\n", 0, last.text.find(number)) + 1
            # So many characters from the line of the name on are about what it names.
            part = last.text[start : start + 600]
            last.text = _passage(
                part if len(part) < 600 else f"{part.rpartition(' ')[0]} …", subject
            )
            return [last]
    return [] if says_little else _by_words(archive, subject, hidden)


def _by_words(
    archive: sqlite3.Connection, subject: Mapping[str, float], hidden: set[int]
) -> list[Quotation]:
    """The turns of the conversation that clearly holds more of what the prompt is about.

    Args:
        subject: its words and how much each says, as `weights` gives them.
    """
    total, talks = archive.execute(
        "SELECT coalesce(max(number), 0), (SELECT count(*) FROM conversation) FROM message"
    ).fetchone()
    turns, worth = _turns(archive, subject, total)
    ranked = _ranked([turn for turn in turns if turn.conversation not in hidden], worth)
    if not ranked or talks < FEWEST_TALKS:
        return []
    covered = sum(worth[word] for word in ranked[0].held) / sum(worth.values())
    margin = ranked[0].score / ranked[1].score if len(ranked) > 1 else MOST_MARGIN
    least = ENOUGH * log(FEW) / log(max(FEW, total))
    if covered * ranked[0].score * min(MOST_MARGIN, margin) < least:
        return []
    telling = [word for word in ranked[0].held if subject[word] >= TELLING]
    # The parts of a name from code say no more than the name.
    names = [word for word in telling if not word.isalpha()]
    whole = [one for one in telling if not any(one != name and one in name for name in names)]
    if len(whole) < FEWEST_HELD:
        return []
    found = _quoted(archive, ranked[0], worth, subject.keys(), total)
    later = _said_last(archive, ranked[0], hidden, total)
    if not found or later is None:
        return found
    # Both are dated, so that a reader sees what was changed by what.
    return [*found[-1:], *_quoted(archive, later, worth, subject.keys(), total)[-1:]]


def _turns(
    archive: sqlite3.Connection, subject: Mapping[str, float], total: int, most: int = MOST_TERMS
) -> tuple[list[MatchingTurn], Mapping[str, float]]:
    """The messages that hold words of the prompt, and what each word is worth in this archive.

    Args:
        most: the words that are searched for.
    """
    rows: dict[str, list[int]] = {}
    worth: dict[str, float] = {}
    common = []
    # In a young archive every word is rare: it is measured as if it were larger.
    whole = max(total, LEAST_TOTAL)
    for word in sorted(subject, key=subject.__getitem__, reverse=True)[:most]:
        found, last, numbers = archive.execute(
            _HOLDING, (keyword.quoted(word), MOST_OF_A_TERM + 1)
        ).fetchone()
        is_common = found > MOST_OF_A_TERM
        rows[word] = [] if is_common else hook_io.loads(numbers)
        # They come in the order of the archive: where the last one is tells how many there are.
        count = found * total / last if is_common else found
        worth[word] = subject[word] * (log((whole + 1) / (count + 0.5)) / log(whole + 1)) ** 2
        common += [word] if is_common else []
    held: dict[int, set[str]] = {}
    # The rarest come first.
    for word in sorted(rows, key=lambda word: len(rows[word])):
        for number in rows[word] if len(held) <= MOST_ROWS else ():
            held.setdefault(number, set()).add(word)
    asked = (
        "SELECT m.number, m.conversation, m.kind, d.sz FROM json_each(?) j "
        "JOIN message m ON m.number = j.value JOIN message_fts_docsize d ON d.id = m.number"
    )
    turns = []
    for number, conversation, kind, size in archive.execute(asked, (hook_io.dumps(list(held)),)):
        if kind in _SPOKEN:
            # The first number of SQLite's, of seven bits a byte: no message needs three for it.
            tokens = size[0] if size[0] < 128 else (size[0] & 127) << 7 | size[1] & 127
            score = sum(worth[word] for word in held[number]) / (
                1 + LONGER * log(max(LONG, tokens) / LONG)
            )
            turns.append(MatchingTurn(number, conversation, frozenset(held[number]), score))
    common = sorted(common, key=lambda word: -worth[word])[: MOST_COMMON * most // MOST_TERMS]
    for turn in _ranked(turns, worth)[:MOST_COMPARED]:
        more = {
            word
            for word in common
            if archive.execute(
                _NEARBY, (keyword.quoted(word), turn.number - NEAR, turn.number + NEAR)
            ).fetchone()
        }
        score = turn.score + NEIGHBOURS * sum(worth[word] for word in more)
        turns.append(MatchingTurn(turn.number, turn.conversation, turn.held | more, score))
    return turns, worth


def _ranked(turns: Sequence[MatchingTurn], worth: Mapping[str, float]) -> list[MatchingTurn]:
    """The best turn of each conversation, scored with those near it, best first."""
    groups: dict[int, list[MatchingTurn]] = {}
    for turn in turns:
        groups.setdefault(turn.conversation, []).append(turn)
    found = []
    for each in groups.values():
        seen = []
        for turn in sorted(each, key=lambda one: -one.score)[:MOST_COMPARED]:
            near = [one for one in each if 0 < abs(one.number - turn.number) <= NEAR]
            more = frozenset().union(*(one.held for one in near)) - turn.held
            score = turn.score + NEIGHBOURS * sum(worth[word] for word in more)
            seen.append(MatchingTurn(turn.number, turn.conversation, turn.held | more, score))
        found.append(max(seen, key=lambda match: match.score))
    return sorted(found, key=lambda match: -match.score)


def _said_last(
    archive: sqlite3.Connection, turn: MatchingTurn, excluded: set[int], total: int
) -> MatchingTurn | None:
    """The turn of a later conversation that changed what `turn` says, if there is one."""
    asked = (
        "SELECT m.text, c.started FROM message m "
        "JOIN conversation c ON c.number = m.conversation WHERE m.number = ?"
    )
    text, started = archive.execute(asked, (turn.number,)).fetchone()
    subject = weights(subject_words(text))
    turns, worth = _turns(archive, subject, total, MOST_TERMS // 2)
    whole = sum(worth.values())
    later = [
        one
        for one in sorted(turns, key=lambda one: -one.score)
        if one.conversation not in {*excluded, turn.conversation}
        and sum(worth[word] for word in one.held) >= COVERED * whole
    ]
    for one in later[:MOST_COMPARED]:
        text, time = archive.execute(asked, (one.number,)).fetchone()
        if (time or 0) > (started or 0) and CHANGING & set(text_words(text)):
            return one
    return None


def _quoted(
    archive: sqlite3.Connection,
    best: MatchingTurn,
    worth: Mapping[str, float],
    asked: Set[str],
    total: int,
) -> list[Quotation]:
    """The turns near `best` in which the matter was settled: one, or one of each speaker.

    Args:
        asked: all words of the prompt, of which `worth` has those that say most.
        total: messages of the archive.
    """
    rows = archive.execute(
        "SELECT m.number, m.kind, m.text, coalesce(m.time, c.started, 0), c.session, "
        "m.uuid <> '' AND instr(coalesce(k.value, ''), '\"' || m.uuid || '\"') > 0 AS decides "
        "FROM message m JOIN conversation c ON c.number = m.conversation "
        "LEFT JOIN meta k ON k.key = ? || c.session WHERE m.conversation = ? "
        "AND (m.number BETWEEN ? AND ? OR decides) ORDER BY m.number",
        (MARKED, best.conversation, best.number - BEFORE, best.number + AFTER),
    )
    near = [row for row in rows if row[1] in _SPOKEN]
    # What a user types asks, or shows what a program printed, unless something is settled in it.
    # Of a long one no more words count than its first characters hold.
    words = [set(keyword.terms(row[2][:4_000])) for row in near]
    shares = [
        _share(said, worth)
        if (decides or kind != "user" or _settles(text))
        and not (_repeats(said, asked) or text.lstrip().startswith(_SHELL))
        else 0.0
        for said, (_, kind, text, _, _, decides) in zip(words, near, strict=True)
    ]
    # The index also finds other forms of a word: such turns hold none of the prompt's own.
    if not any(shares):
        return []
    scored = []
    for at, (number, kind, text, time, session, decides) in enumerate(near):
        if shares[at] < LEAST_SHARE * max(shares):
            continue
        answer = near[at + 1][2] if at + 1 < len(near) else ""
        # What comes later in a conversation is what it came to; how it begins is the question.
        value = shares[at] / max(shares) + 0.7 * at / len(near) - 0.6 * (number == near[0][0])
        value += _decidedness(kind, text, answer) + DECIDED * decides
        scored.append((value, Quotation(number, session, kind, text, time)))
    scored.sort(key=lambda pair: -pair[0])
    best_value, first = scored[0]
    others = [
        one
        for value, one in scored
        if one.speaker != first.speaker and value >= SECOND * best_value
    ]
    chosen = [first, *others[:1]]
    for one in chosen:
        one.text = _passage(one.text, worth)
    least = LEAST_WORTH * (log(FEW) / log(max(FEW, total))) ** 2
    return sorted(
        (
            one
            for one in chosen
            for said in [set(keyword.terms(one.text))]
            if _share(said, worth) >= least and not _repeats(said, asked)
        ),
        key=lambda one: one.number,
    )


def _repeats(words: Set[str], asked: Set[str]) -> bool:
    """Whether most of what `words` say is what was asked."""
    return len(words & asked) > REPEATED * len(words)


def _share(words: Set[str], worth: Mapping[str, float]) -> float:
    """What those words of the prompt that are among `words` are worth."""
    return sum(weight for word, weight in worth.items() if word in words)


def _settles(text: str) -> int:
    """How many of the words that settle something are in `text`."""
    return len(SETTLING & set(text_words(text)))


def _decidedness(kind: str, text: str, answer: str) -> float:
    """How much a turn sounds as if something were settled in it, and the next one as if it was."""
    lowered, answer = text.lower(), answer.lower()
    value = SETTLES * min(3, _settles(text))
    value -= 0.6 * lowered.rstrip().endswith("?")
    if kind == "agent":
        # A turn that only sets out to work; one that says what was settled.
        value -= 0.8 * lowered.startswith(
            ("let me", "i'll start", "i'll begin", "i will start", "looking at")
        )
        value += 1.0 * lowered.startswith(
            ("recap", "final", "so the", "got it", "understood", "settled", "amended", "agreed")
        )
        # How the user answers what settles something, and what does not.
        value += 0.5 * answer.startswith(
            ("yes", "exactly", "right", "correct", "agreed", "perfect", "good")
        )
        value -= 1.5 * answer.startswith(
            ("no", "not ", "hold on", "careful", "wait", "that's only")
        )
    return value


def _passage(text: str, worth: Mapping[str, float]) -> str:
    """The run of sentences that says most, in at most `MOST_QUOTED` characters."""
    from cortex_core.language.sentences import sentences

    said = [one.text for one in sentences(text) if one.text[0] != "|"] or [text]
    values = [
        _share(set(keyword.terms(sentence)), worth) + SETTLES * _settles(sentence) + 0.1
        for sentence in said
    ]
    best, run = 0.0, (0, 1)
    for start in range(len(said)):
        length = value = 0.0
        for end in range(start, len(said)):
            length += len(said[end]) + 1
            value += values[end]
            if length > MOST_QUOTED and end > start:
                break
            if value > best:
                best, run = value, (start, end + 1)
    passage = " ".join(said[slice(*run)])
    if len(passage) > MOST_QUOTED:
        passage = passage[:MOST_QUOTED].rsplit(" ", 1)[0] + " …"
    return f"… {passage}" if run[0] else passage
