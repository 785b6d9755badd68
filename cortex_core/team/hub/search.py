"""Search on the hub, for what a replica does not hold: found by PostgreSQL, ranked as recall ranks.

The hub's indexes of words and of meaning give a few hundred candidates. Only the best of them, with
their token bits, come over the network, to be compared by MaxSim and scored by recall's own fusion.
Words and vectors are sent by the members: see `fill_words` and `fill_vectors`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, LiteralString, NamedTuple

from cortex_core.base import text
from cortex_core.embeddings import stored
from cortex_core.embeddings.names import SHIPPED_TAG
from cortex_core.records.teams import HubHit
from cortex_core.search import keyword, pool, recall
from cortex_core.search.candidates import MOST_COMPARED, SearchQuery, maxsim, piece_weights
from cortex_core.search.fusion import SearchCandidate, absolute, fuse
from cortex_core.team.hub import words

if TYPE_CHECKING:
    from psycopg import Connection

    from cortex_core.embeddings.protocol import Embedder
    from cortex_core.team.hub.client import Hub, Vectors

    Link = Connection[tuple[Any, ...]]

DIMENSION = 384
"""Of the vectors that a hub holds: those of the shipped model, and of others of its size."""

FROM_EACH = 2 * MOST_COMPARED
"""Candidates that words give, and meaning."""

SCANNED = 600
"""Nearest vectors that the index of meaning keeps in view: more find more, and take longer."""

COUNTED = 2_000
"""Memories with a word at which counting stops."""

SAMPLE, SURE = 1_000, 30
"""Memories, at random by their ids, from which the rarity of wordpieces is estimated, and of words
that so many of them hold; other words are counted."""

COMPARED_EXACTLY = 50_000
"""Memories of a project up to which all of them are compared: the index of meaning, which knows no
projects, would look at as many, and miss some."""

MOST_BITS = 200_000
"""Bytes of the token bits that are read of a memory; the shipped model makes no more."""


class _Asked(NamedTuple):
    """A query, and where it looks."""

    team: str
    project: str | None
    kinds: tuple[str, ...]
    query: SearchQuery
    words: dict[str, str]
    """Each word to look for, and the tsquery that finds it."""

    @property
    def filters(self) -> dict[str, Any]:
        """The parameters of every statement."""
        return {
            "team": self.team,
            "project": self.project,
            "kinds": list(self.kinds),
            "model": self.query.embedder.name if self.query.embedder else "",
        }


class _Found(NamedTuple):
    """A candidate, before it is compared."""

    id: str
    cosine: float | None
    keyword: float
    """Bm25."""


def search(
    hub: Hub,
    team: str,
    query: str,
    *,
    embedder: Embedder | None = None,
    project: str | None = None,
    kinds: Sequence[str] = (),
    limit: int = 10,
) -> list[HubHit]:
    """The `limit` memories of a team that answer `query` best, whatever the query holds.

    Args:
        embedder: compares with the vectors that its own model made; None: words alone.
        project: the key of the only project that counts; empty: what is for every project; None:
            all of them.
        kinds: the only kinds that count, if any.

    Raises:
        ModelUnavailable: the embedder failed.
        TeamError: the user is no member of the team, or the hub cannot be reached.
    """
    asked_text = text.storable(text.clean(query[: recall.LONGEST])).replace("\0", "")
    if embedder is not None and (
        embedder.dimension != DIMENSION
        or (embedder.name == SHIPPED_TAG and not keyword.is_legible(asked_text))
    ):
        embedder = None
    asked = _Asked(
        team,
        project,
        tuple(kinds),
        SearchQuery(asked_text, embedder),
        words.queries(keyword.terms(asked_text)),
    )
    if embedder is not None:
        asked.query.encoding(asked_text)  # no transaction is open while the model works
    return hub.reading(lambda link: _searched(link, asked, limit))


def _searched(link: Link, asked: _Asked, limit: int) -> list[HubHit]:
    link.execute(PREPARE)
    weights, length, shares = _sampled(link, asked)
    known = _counted(link, asked, shares)
    offered, rows = _compared(link, asked, _candidates(link, asked, known, length), known)
    scores = fuse(offered, weights)
    is_near = recall.similarity([scores]) >= recall.floor(asked.query)
    kept = [score for score in scores if is_near or score.candidate.keyword > 0][:limit]
    hits = []
    for score in kept:
        _, id_, _, _, memory, project, author, approver, sequence, updated = rows[score.number]
        hits.append(
            HubHit(
                id=id_,
                memory=memory,
                project=project,
                author=author,
                approver=approver,
                sequence=sequence,
                updated=updated,
                score=recall.SCALE * score.total,
            )
        )
    return hits


def _sampled(link: Link, asked: _Asked) -> tuple[list[float], float, dict[str, float]]:
    values = {**asked.filters, "most": SAMPLE, "terms": list(asked.words.values())}
    rows = link.execute(_SAMPLE, values).fetchall()
    length = sum(row[1] for row in rows) / len(rows) if rows else 1.0
    held = [sum(row[2][number] for row in rows) for number in range(len(asked.words))]
    shares = {
        word: count / len(rows)
        for word, count in zip(asked.words, held, strict=True)
        if 0 < min(SURE, len(rows)) <= count
    }
    if asked.query.embedder is None:
        return [], max(length, 1.0), shares
    import numpy as np

    # What each of the query's wordpieces counts follows from how many of these memories hold it.
    each = [np.unique(np.frombuffer(row[0], "<u2")) for row in rows if row[0]]
    counts = np.bincount(np.concatenate([*each, np.zeros(0, np.uint16)]), minlength=1 << 16)
    pieces = asked.query.encoding(asked.query.text).pieces
    weights = piece_weights([int(counts[piece]) for piece in pieces], len(each))
    return weights, max(length, 1.0), shares


def _counted(link: Link, asked: _Asked, shares: Mapping[str, float]) -> keyword.QueryWords:
    """Which words of the query are worth searching for, and how rare they are."""
    ((total,),) = link.execute(_TOTAL, asked.filters)
    rare = {word: query for word, query in asked.words.items() if word not in shares}
    rows = link.execute(
        "SELECT count_words(%s, %s::text[], %s)", [asked.team, list(rare.values()), COUNTED]
    ).fetchall()
    counts = {word: row[0] for word, row in zip(rare, rows, strict=True)}
    common = {word: round(share * total) for word, share in shares.items()}
    return keyword.counted(counts | common, total, COUNTED)


def _candidates(link: Link, asked: _Asked, known: keyword.QueryWords, usual: float) -> list[_Found]:
    """What words and meaning find, best first by a rough score."""
    values = {
        **asked.filters,
        "words": " | ".join(f"({asked.words[word]})" for word in known.terms),
        "terms": [asked.words[word] for word in known.rarity],
        "most": FROM_EACH,
    }
    statement = _BY_WORDS
    if asked.query.embedder is not None:
        from pgvector import HalfVector

        values["vector"] = HalfVector(asked.query.encoding(asked.query.text).vector).to_text()
        statement = _BY_BOTH
        # In one project alone, of few memories, all of them are compared.
        if asked.project is not None:
            ((count,),) = link.execute(_OF_PROJECT, {**asked.filters, "most": COMPARED_EXACTLY + 1})
            statement = _BY_BOTH_EXACTLY if count <= COMPARED_EXACTLY else _BY_BOTH
    rarity = list(known.rarity.values())
    found = {}
    for number, (id_, cosine, length, held) in enumerate(link.execute(statement, values)):
        is_known = cosine is not None and math.isfinite(cosine)
        # As if it held each word once.
        bm25 = (
            sum(r for r, is_held in zip(rarity, held, strict=True) if is_held)
            * 2.2
            / (1 + 1.2 * (0.25 + 0.75 * length / usual))
        )
        found[number] = _Found(id_, cosine if is_known else None, bm25)
    by_word = {number: one.keyword for number, one in found.items() if one.keyword > 0}
    best = pool.best_first(by_word, found, lambda number: found[number].cosine or 0.0)
    return [found[number] for number in best[:MOST_COMPARED]]


def _compared(
    link: Link, asked: _Asked, found: Sequence[_Found], looked_for: keyword.QueryWords
) -> tuple[list[SearchCandidate], list[tuple[Any, ...]]]:
    """The candidates with all that fusion scores them by, and the rows of their memories."""
    values = {
        **asked.filters,
        "ids": [one.id for one in found],
        "most": MOST_BITS,
        "width": DIMENSION // 8,
    }
    # Read now, for the few that were found.
    rows = link.execute(_ROWS, values).fetchall()
    bits = {number: row[0] for number, row in enumerate(rows) if row[0]}
    tokens = maxsim(asked.query.encoding(asked.query.text).tokens, bits) if bits else {}
    known = {one.id: one for one in found}
    offered = []
    for number, row in enumerate(rows):
        one, (asks, instructs) = known[row[1]], pool.manner(row[2], row[3])
        offered.append(
            SearchCandidate(
                number,
                keyword=absolute(one.keyword, looked_for.weight),
                cosine=one.cosine,
                tokens=tokens.get(number, ()),
                asks=asks,
                instructs=instructs,
            )
        )
    return offered, rows


def fill_words(hub: Hub, team: str, limit: int = 500) -> int:
    """Give memories of a team the words that they are found by, the newest first; how many took
    them.

    Raises:
        TeamError: the hub refuses, or cannot be reached.
    """
    waiting = [each for each in hub.unsearchable(team, limit) if not each.has_words]
    if not waiting:
        return 0
    cut = words.vectors([" ".join((each.title, *each.tags, each.content)) for each in waiting])
    made = ((each.id, each.sequence, vector) for each, vector in zip(waiting, cut, strict=True))
    return hub.set_words(team, made)


def fill_vectors(hub: Hub, team: str, embedder: Embedder, limit: int = 200) -> int:
    """Give memories of a team the vectors they lack, the newest first; how many took them.

    A member does so with the shipped model alone: all vectors of a hub have to be of one.

    Raises:
        ModelUnavailable: the model failed.
        TeamError: the hub refuses, or cannot be reached.
    """
    if embedder.name != SHIPPED_TAG:
        return 0
    waiting = [each for each in hub.unsearchable(team, limit) if not each.has_vectors]
    taken = 0
    for start in range(0, len(waiting), stored.BATCH):
        vectors: list[Vectors] = []
        for one in waiting[start : start + stored.BATCH]:
            words = stored.embedded_text(one.title, one.content, one.tags, one.kind, "", 0.0)
            made = embedder.encode(words)
            vectors.append((one.id, one.sequence, made.vector, made.bits, stored.piece_bytes(made)))
        taken += hub.set_vectors(team, embedder.name, vectors)
    return taken


# --- statements

PREPARE: LiteralString = f"""
    SELECT set_config('search_path', 'cortex, ' || quote_ident(nspname) || ', pg_temp', true),
        CASE WHEN string_to_array(extversion, '.')::int[] >= '{{0,8}}'
            THEN set_config('hnsw.iterative_scan', 'relaxed_order', true) END,
        set_config('hnsw.ef_search', '{SCANNED}', true)
    FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'
"""
"""Wherever the extension is; its versions before 0.8 have no iterative scan, and find less where
few memories pass the filters."""

_FILTERS: LiteralString = """
    team = %(team)s AND (%(project)s::text IS NULL OR project = %(project)s)
    AND (%(kinds)s::text[] = '{}' OR kind = ANY (%(kinds)s::text[]))
"""

_TOTAL: LiteralString = "SELECT coalesce(max(memories), 0) FROM team WHERE id = %(team)s"

_HELD: LiteralString = """
    coalesce(length(words), 0), ARRAY(
        SELECT coalesce(words @@ word, false)
        FROM unnest(%(terms)s::text[]::tsquery[]) WITH ORDINALITY AS each (word, n) ORDER BY n)
"""

_SAMPLE: LiteralString = f"""
    SELECT CASE WHEN model = %(model)s AND length(pieces) %% 2 = 0 THEN pieces END, {_HELD}
    FROM memory
    WHERE team = %(team)s ORDER BY id LIMIT %(most)s
"""

_OF_PROJECT: LiteralString = """
    SELECT count(*) FROM (
        SELECT FROM memory WHERE team = %(team)s AND project = %(project)s LIMIT %(most)s
    ) AS counted
"""

_FOUND_BY_WORDS: LiteralString = """
    SELECT find_words(%(team)s, %(words)s, %(project)s, %(kinds)s::text[], %(most)s) AS id
"""

_BY_WORDS: LiteralString = f"""
    SELECT id::text, NULL::float8, {_HELD} FROM memory
    WHERE team = %(team)s AND id IN ({_FOUND_BY_WORDS})
"""

NEAREST: LiteralString = f"""
    SELECT id, embedding <=> %(vector)s::halfvec AS distance FROM memory
    WHERE {_FILTERS} AND model = %(model)s AND embedding IS NOT NULL
    ORDER BY embedding <=> %(vector)s::halfvec LIMIT %(most)s
"""
"""The memories nearest by meaning, nearly in order."""

NEAREST_EXACTLY: LiteralString = f"""
    SELECT id, distance FROM (
        SELECT id, embedding <=> %(vector)s::halfvec AS distance FROM memory
        WHERE {_FILTERS} AND model = %(model)s AND embedding IS NOT NULL OFFSET 0
    ) AS compared ORDER BY distance LIMIT %(most)s
"""
"""The same without the index of meaning: all that pass the filters are compared."""


_BOTH: LiteralString = f"""
        found AS MATERIALIZED (SELECT id FROM near UNION {_FOUND_BY_WORDS})
    SELECT id::text, CASE WHEN model = %(model)s THEN 1 - (embedding <=> %(vector)s::halfvec)
        END, {_HELD}
    FROM found JOIN memory USING (id) WHERE team = %(team)s
"""
"""What is found by words, and nearest by meaning."""

_BY_BOTH: LiteralString = f"WITH near AS MATERIALIZED ({NEAREST}), {_BOTH}"
_BY_BOTH_EXACTLY: LiteralString = f"WITH near AS MATERIALIZED ({NEAREST_EXACTLY}), {_BOTH}"


_ROWS: LiteralString = """
    SELECT CASE WHEN model = %(model)s AND length(bits) <= %(most)s
            AND length(bits) %% %(width)s = 0 THEN bits END,
        id::text, kind, content, fields, project, author, approver, sequence,
        extract(epoch FROM updated)::float8
    FROM memory WHERE team = %(team)s AND id = ANY (%(ids)s::uuid[])
    ORDER BY created, id
"""
