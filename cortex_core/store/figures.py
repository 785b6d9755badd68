"""What a store counts by day, for the figures over time. Days are local ones, `YYYY-MM-DD`."""

from collections.abc import Mapping

from cortex_core.store.reader import Reader

_DAY = "date({}, 'unixepoch', 'localtime')"


def sessions_by_day(store: Reader, since: float) -> list[tuple[str, str, bool]]:
    """Day, session and whether it was read without an error then, of the sessions in the ledger."""
    found = store.rows(
        f"SELECT {_DAY.format('time')}, session, max(extractor <> '' AND error = '') FROM ledger "
        "WHERE time >= ? AND session <> '' GROUP BY 1, 2",
        (since,),
    )
    return [(day, session, bool(read)) for day, session, read in found]


def learned_by_day(store: Reader, since: float) -> Mapping[str, int]:
    """How many memories were learned each day, without history, code and what was not admitted."""
    return store.pairs(
        f"SELECT {_DAY.format('created')}, count(*) FROM memory WHERE created >= ? "
        "AND status IN ('active', 'superseded', 'archived') AND kind NOT IN ('episode', 'code') "
        "GROUP BY 1",
        (since,),
    )


def injected_by_day(store: Reader, since: float) -> list[tuple[str, int, int, int, int]]:
    """Each day with how often something was injected, in how many tokens, how much of it was used,
    and how much was not."""
    found = store.rows(
        f"SELECT {_DAY.format('time')}, count(*), coalesce(sum(tokens), 0), "
        "coalesce(sum(used = 1), 0), coalesce(sum(used = 0), 0) FROM receipt WHERE time >= ? "
        "GROUP BY 1",
        (since,),
    )
    return [(day, times, tokens, used, unused) for day, times, tokens, used, unused in found]
