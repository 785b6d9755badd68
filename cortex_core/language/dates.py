"""Days that a sentence names by their distance, with the day that is meant next to them."""

import re
from datetime import date, datetime, timedelta

from cortex_core.language import signals
from cortex_core.language.detect import LANGUAGES
from cortex_core.language.patterns import Pattern

UNTIL = Pattern(
    "until a day that is written out, in ten languages",
    r"\b(?:until|till|through|bis|jusqu['’](?:au|à)|hasta|até|fino a(?:l)?|до"
    r"|(?:for|over) the next|für (?:die nächsten?|den nächsten)|(?:pour|pendant) (?:les?|la)"
    r"|(?:durante|por|en) (?:las?|los?)|(?:pel[ao]s?|durante [ao]s?|n[ao]s) próxim[ao]s?"
    r"|per (?:le|i) prossim[ei]|(?:в|на) (?:ближайшие|следующие)"
    r"|(?:for|für|pour|por|para|per|на) (?=today|heute|aujourd|hoy|hoje|oggi|сегодня)"
    r"|(?:nur|just|only) (?=today|heute))"
    r"\b(?:[^.;\n]|(?<=\d)\.){0,30}?\b(\d{4}-\d\d-\d\d)\b"
    r"|(?:到|直到|在|接下来|未来|今天)[^。\n]{0,20}?(\d{4}-\d\d-\d\d)"
    r"|(\d{4}-\d\d-\d\d)\)?\s*(?:まで|까지|之前|以前|だけ|만|は|은|間|동안)",
    finds="until Friday (2026-11-27) use the mock",
    spares="since Friday (2026-11-27) we use the mock",
)
ON_BRANCH = Pattern(
    "for one branch, in ten languages",
    r"\b(?:(?:for|on|in) (?:this|the current) branch|(?:auf|für|in) diese[mns]? (?:branch|zweig)"
    r"|(?:sur|pour|dans) cette branche|(?:en|para) esta rama|(?:n|para )esta? branch"
    r"|(?:su|per|in) questo (?:branch|ramo)|(?:в|на|для) эт(?:ой|ом) (?:ветке|бранче))\b"
    r"|(?:这个|本|该)分支|このブランチ|이 브랜치",
    finds="for this branch only, skip the linter",
    spares="name the branch after the issue",
)
IN_SESSION = Pattern(
    "for one task or session, in ten languages",
    r"\b(?:(?:for|during) (?:this|the current) (?:task|session|conversation)"
    r"|(?:für|in|während) diese[rn]? (?:aufgabe|sitzung)|(?:pour|pendant) cette (?:tâche|session)"
    r"|(?:en|para|durante) esta (?:tarea|sesión)|(?:n|para |durante )esta (?:tarefa|sessão)"
    r"|(?:per|durante) quest[oa] (?:compito|sessione)|(?:на|во) время этой (?:задачи|сессии)"
    r"|для этой (?:задачи|сессии))\b"
    r"|这个任务|本次会话|このタスク|今回の(?:作業|セッション)|이번 (?:작업|세션)",
    finds="for this session answer briefly",
    spares="the session ends here",
)


def term(text: str, code: str, time: float | None) -> str:
    """How long a statement holds by its own words, as `Memory.until` says it; empty: for good.

    Args:
        code: the language of `text`.
        time: when it was said, Unix seconds, if that is known.
    """
    today = datetime.fromtimestamp(time).date().isoformat() if time is not None else ""
    # Of a few words the language is a guess, and a day has another name in each.
    found = next(
        filter(None, (UNTIL.regex.search(dated(text, one, time)) for one in (code, *LANGUAGES))),
        None,
    )
    day = str(found[found.lastindex or 0]) if found else ""
    return (
        day
        if (day and day >= today)
        else "branch"
        if ON_BRANCH.is_in(text)
        else "session"
        if IN_SESSION.is_in(text)
        else ""
    )


def dated(text: str, code: str, time: float | None, *, past: bool = False) -> str:
    """`text` with the date after each day that it names relative to when it was said; not after a
    weekday as it comes each week.

    Words stay as they are: “until Friday” becomes “until Friday (2026-11-27)”.

    Args:
        code: the language of `text`.
        time: when it was said, Unix seconds; None: not known, so that nothing is added.
        past: only days that were over then, of which a fact tells.
    """
    if time is None or code not in LANGUAGES:
        return text
    said, found = datetime.fromtimestamp(time).date(), dict[int, date]()
    plain, rows = signals.plain(text), signals.table(code).rows
    for row in (*rows.get("date", ()), *rows.get("weekdays", ()), *rows.get("months", ())):
        for match in row.pattern.regex.finditer(plain):
            if not past or _day(match, row.days, said) < said:
                found.setdefault(match.end(), _day(match, row.days, said))
    for end, day in sorted(found.items(), reverse=True):
        text = f"{text[:end]} ({day.isoformat()}){text[end:]}"
    return text


def _day(match: re.Match[str], days: int, said: date) -> date:
    """The day that a row means: so many days ahead, a weekday, or a day of a month.

    A weekday is the next one: who means the day of speaking says “today”.
    """
    groups = match.groups()
    if len(groups) in (0, 7):
        ahead = ((match.lastindex or 1) - 1 - said.weekday()) % 7 or 7
        return said + timedelta(days=ahead if groups else days)
    first, *names, last = groups
    month = next((number for number, name in enumerate(names, 1) if name), int(first or 1))
    day = int(last or first or 0)
    month += not day  # of a month with its year, the last day
    year = _year(match) or said.year + ((month, day) < (said.month, said.day))
    return date(year + month // 13, (month - 1) % 12 + 1, 1) + timedelta(days=day - 1)


def _year(match: re.Match[str]) -> int:
    """The year written after a day, or before it with its sign; 0 for none."""
    before = match.string[max(0, match.start() - 6) : match.start()].rstrip()
    named = (
        before[-5:-1]
        if before.endswith(("年", "년"))
        else match.string[match.end() : match.end() + 6].lstrip(" ,")[:4]
    )
    return int(named) if len(named) == 4 and named.isdecimal() and "2000" <= named < "2100" else 0
