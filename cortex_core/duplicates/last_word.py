"""Whether a text is a later word on what an earlier one says: it changes that, or withdraws it.

Two statements are compared by their subject, their values and the words by which a speaker says
that something is otherwise now, in all languages at once. What is no clear change leaves both as
they are: a memory that is retired by mistake costs more than two that a reader has to weigh.
`benchmarks/reversals.py` measures it. Standard library only, since the hooks load this module.
"""

from __future__ import annotations

import re
from functools import lru_cache

from cortex_core.base import text
from cortex_core.language import negation
from cortex_core.language.detect import FUNCTION_WORDS
from cortex_core.language.patterns import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set
    from typing import Literal

FEWEST_WORDS = 2
"""Words of a subject from which two statements can be about the same."""

FEWEST_LETTERS = 5
"""Letters of a word for a choice above which its forms are recognised."""
MOST_NUMBERS = 3
"""Numbers of a statement up to which each can be distinguished."""
TURNED_SHARE = 0.6
"""Share of the words of what was forbidden that is said again where it is allowed."""
OWN_SHARE = 0.5
"""Share of the words, without those that take something back, above which they are its subject."""

_EMPHASIS = frozenset({"always", "only"})
"""Words without which a line says the same."""

_CHOOSING = frozenset("use uses using prefer with".split())
"""Words after which a line names what was chosen."""

_UNLIKE = negation.NEGATIONS | frozenset("after before instead into over than to".split())
"""Words of which one side cannot be exchanged for the other."""

_EMPTY = (
    FUNCTION_WORDS
    | negation.NEGATIONS
    | text.STOP_WORDS
    | frozenset(
        "everything each every time thing things name one two new old way went go goes going come "
        "use uses used using make makes made take takes put set get gets mich dich mir dir wir ihr "
        "nehmen brauchen schon mal mehr pon siempre tudo todo toda todos tout toute tous mets "
        "faire fait quella quello cosa era said don won didn doesn isn aren есть мне мы вы у нас "
        "все всё это так".split()
    )
)
"""Words that say nothing of a subject."""

_PARTICLES = re.compile("[的了都要到在是把被给和与用也就还很每个这那一次按]")
"""What comes between words in Chinese."""

_FAMILIES = """
npm pnpm yarn bun,jest vitest mocha jasmine,black ruff yapf autopep8,pip uv poetry pipenv conda pdm
mysql mariadb postgres postgresql sqlite oracle mssql mongodb,rabbitmq kafka nats sqs activemq
redux zustand mobx recoil jotai,webpack vite rollup esbuild parcel,gradle maven bazel sbt
docker podman,ansible terraform pulumi puppet chef,helm kustomize,flask django fastapi
react vue svelte angular solid,express fastify koa hono,merge squash rebase,tabs spaces
semver calver,camelcase snake_case kebab-case pascalcase,jenkins gitlab circleci travis
eslint biome oxlint tslint,unittest pytest nose,log4j logback slf4j,structlog loguru logging
aws gcp azure,winston pino,redis memcached valkey,junit testng,cypress playwright selenium
json yaml toml xml,jquery alpine htmx,less tailwind,nginx caddy apache traefik
english german french spanish portuguese russian chinese japanese korean italian
deutsch englisch französisch spanisch russisch,français anglais allemand espagnol
español inglés alemán francés,português inglês alemão francês,русск английск немецк французск
中文 英文 日文 韩文,日本語 英語 中国語 韓国語,한국어 영어 일본어
monday tuesday wednesday thursday friday saturday sunday
montag dienstag mittwoch donnerstag freitag samstag sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche,lunes martes miércoles jueves viernes sábado
понедельн вторник сред четверг пятниц суббот воскресен,周一 周二 周三 周四 周五 周六 周日
月曜 火曜 水曜 木曜 金曜 土曜 日曜
"""
_FAMILY = {
    word: number
    for number, family in enumerate(_FAMILIES.replace("\n", ",").split(","))
    for word in family.split()
}
"""What is chosen one instead of the other: each word, and the number of its family."""

_WITHDRAWN = Pattern(
    "words that take back what holds",
    r"(?:(?:\bnot|n['’]t|\bnever) (?:have to|need to|bother|needed)"
    r"|(?:\bnot|n['’]t) (?!work|open|clos|load|start|run\b|pass|show|build|compil"
    r"|fit).{1,60}any ?(?:more|longer))"
    r"|^(?:\S+ ){0,3}no longer\b|\b(?:(?:is|are|was) no longer|scratch (?:that|it|the)|never ?mind"
    r"|(?:forget|ignore|disregard) (?:about|that|it|what|the (?:rule|thing|bit|part))"
    r"|no need|you can (?:skip|drop|stop|forget|ignore)|no more\b|(?:is|are) off\b|can go\b"
    r"|(?:doesn['’]?t|does not) (?:hold|apply)|not (?:required|necessary)|only because"
    r"|off for good|called off|lifted|was (?:a )?(?:dumb|stupid|bad)"
    r"|nicht mehr|vergiss|hinfällig|entfällt|fällt weg|weglassen|nicht nötig"
    r"|brauchst? (?:du )?nicht"
    r"|hat sich erledigt|kannst du (?:sein )?lassen|gestrichen"
    r"|plus (?:besoin|la peine|nécessaire)|oublie|laisse tomber|n['’]est plus|ne .{1,20} plus\b"
    r"|ya no|olv[ií]da\w*|no hacen? falta|sin efecto|dejad? de|no es necesario"
    r"|n[aã]o (?:precisa|vale)|pode (?:esquecer|cortar|parar|tirar)|esquec\w+|deixa pra l[aá]"
    r"|non .{1,25} pi[uù]\b|non (?:vale|serve)|lascia perdere|dimentica\w*"
    r"|больше (?:не|нет)|забудь\w*|не (?:нужн\w+|надо)|отмен\w+|отбой|можно не|уже не"
    r"|необязательно)"
    r"|取消|不再|作废|不用了|不需要|不必|算了|要りません|不要(?:です|に)|なくて(?:も)?いい|忘れて|廃止|やめ"
    r"|더 이상|필요 ?없|취소|안 해도|그만",
    finds="you don't have to bother",
    spares="delete the images we no longer use",
)
_GONE = Pattern(
    "words that say of a thing that it is there no more, or will not do",
    r"\b(?:(?:is|are|'s|was) (?:dead|gone|out|history|obsolete|too (?:slow|expensive"
    r"|heavy|old))|got too \w+|died|left|quit"
    r"|(?:was|were|got|been|is|are) (?:removed|retired|deprecated|dropped|killed"
    r"|shut down|replaced)"
    r"|get (?:rid of|those)|on leave|no more|ditch\w*"
    r"|ist (?:tot|raus|weg|abgeschaltet|gekündigt)|fliegt raus|kann .{1,30} nicht"
    r"|keine? .{1,30} mehr"
    r"|me rend fou|est (?:mort|parti)e?|a disparu|ya ni|ya no|se (?:fue|muri[oó])"
    r"|morreu|saiu|acabou"
    r"|[eè] (?:mort[oa]|scadut\w+|sparit\w+|andat\w+)|умер\w*|уволил\w*|уш[её]л\w*|снесли"
    r"|отключ\w+|пуст\w+)\b(?! again| wieder| encore| opnieuw)"
    r"|下线|停用|废弃|不用了|没了|离职|廃止|やめ|なくな|退職|異動|終了|폐기|없어졌|말고",
    finds="the generator is dead",
    spares="the generator is dead again",
)
_CHANGED = Pattern(
    "words that say that something is otherwise than before",
    r"\b(?:now|instead|from now on|from .{1,20} on\b|as of|since (?:\w+day|yesterday"
    r"|last)|switch\w*"
    r"|mov(?:ed?|ing)|renam\w+|migrat\w+|replac\w+|actually|turns out|sorry|misread"
    r"|chang(?:ed?|ing)|bump(?:ed)?|rais(?:ed?|ing)|lower(?:ed)?|(?:set|make) .{1,40} \d|was wrong"
    r"|then\W*$|no more|jetzt|ab (?:sofort|heute)|seit (?:gestern|\w+tag)|umgestellt|gewechselt"
    r"|umgezogen|stattdessen|künftig|ach mist|nur noch|lieber"
    r"|désormais|maintenant|plutôt|pass[eé](?:e|er|é)? à|migr\w+|chang\w+|finalement|remplac\w+"
    r"|depuis|ahora|en vez|mejor|cambi\w+|pas(?:amos|ado|a) a|resulta|en realidad|sube|baja"
    r"|agora|mud(?:ou|amos|ei|a)|troc\w+|na verdade|consertei|aumenta|diminui|passou a"
    r"|adesso|d['’]ora in poi|invece|spostat\w+|passat\w+ a"
    r"|теперь|переехал\w*|переш\w+|вместо|смен\w+|поменя\w+|на самом деле|отныне|попросил\w*)\b"
    r"|改|换|现在|迁|变成|从现在|切了|変え|変更|移行|代わり|にして|切り替|実は|合わせ|ので"
    r"|이제|바꿨|변경|옮겼|대신|앞으로|사실",
    finds="it moved to the new host",
    spares="it is on the host",
)
_BESIDE = Pattern(
    "words that add to what holds, or leave it for something else",
    r"\b(?:also|too(?! \w)|as well|either|likewise|same (?:goes|for|applies|here)|still|and for"
    r"|for this (?:test|run|one)|just this once|auch|ebenfalls|genauso|aussi|également|pareil"
    r"|también|tampoco|igualmente|também|anche|neanche|тоже|также)\b|也|一样|同样|同じ|同様|마찬가지",
    finds="dev dependencies count too",
    spares="dev dependencies count",
)
_PERMITS = Pattern(
    "words that allow something",
    r"\b(?:fair game|(?:is|are) (?:fine|ok|okay|allowed)|feel free|go ahead|you (?:can|may)|darfst"
    r"|erlaubt|tu peux|puedes|pode|puoi|можно|можешь)\b"
    r"|可以|していい|して大丈夫|てよい|해도 (?:돼|된다)",
    finds="the legacy folder is fair game",
    spares="the legacy folder is old",
)
_BARS = Pattern(
    "words that forbid something and negate nothing",
    r"\b(?:instead of|rather than|hands off|off limits|leave .{1,40} alone|finger weg"
    r"|pas touche|tabou|запрещ\w+)\b|禁止",
    finds="hands off the headers",
    spares="give me a hand",
)
_ASKS = Pattern(
    "a question",
    r"[?？]\s*$|^\W*(?:why|what|how|where|which|who|does|do|is|are|can|could|should"
    r"|warum|wieso|was|wie"
    r"|pourquoi|est-ce|por ?qu[eé]|c[oó]mo|почему|зачем|как|perch[eé])\b|吗\W*$|か\W*$|까\W*$",
    finds="why does it return 502",
    spares="it returns 502",
)
_PART = re.compile(r"[.!;\n]+(?:\s|$)|[。！；，、]|,\s|(?<=[?？])\s*")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_QUANTITY = re.compile(
    r"(?<![A-Za-z0-9_.])(\d+(?:[.:,]\d+)*)\s?(小时|[分秒天年月日度点초분%]|[a-zß-ɏЀ-ӿ]+)?"
)
_NAME = re.compile(r"(?<![\w/])(?:[\w.@-]*[/@_]|\w+[.-])[\w./@-]*\w")
_CLOCK = frozenset({"am", "pm", "uhr", "h", "点"})


class Claim:
    """What a statement says of its subject."""

    __slots__ = ("denies", "said", "subject", "value", "words")

    def __init__(self, words: str) -> None:
        said = [word.replace("’", "'") for word in text.words(words) if word]
        self.said = said
        """Every word, in its order."""
        self.denies = not negation.NEGATIONS.isdisjoint(said)
        self.words = frozenset(said) - text.STOP_WORDS - negation.NEGATIONS
        """The words by which others say the same."""
        plain = [word for word in said if word not in negation.NEGATIONS | _EMPHASIS]
        # A number with words after it may name the subject: “cart 3 holds a book”.
        at = [place for place, word in enumerate(plain) if any(map(str.isdigit, word))]
        at = at if at and text.STOP_WORDS.issuperset(plain[at[-1] + 1 :]) else []
        choosing = [place for place, word in enumerate(plain) if word in _CHOOSING][-1:]
        for place in range(choosing[0] + 1, len(plain)) if choosing and not at else ():
            if plain[place] in text.STOP_WORDS:
                break
            at.append(place)
        self.value: Set[str] = frozenset(plain[place] for place in at)
        """The numbers at its end, or what it chooses where it has none."""
        self.subject: Set[str] = frozenset(
            word
            for place, word in enumerate(plain)
            if place not in at and (place in choosing or word not in text.STOP_WORDS)
        )

    def contradicts(self, other: Claim) -> bool:
        """Whether both cannot hold."""
        if self.words == other.words and self._is_turned_round(other):
            return True
        if len(self.subject) < FEWEST_WORDS or self.subject != other.subject:
            return False
        if self.denies is not other.denies:
            return self.value == other.value
        is_other = not (self.value <= other.value or other.value <= self.value)
        return is_other and not self.denies

    def _is_turned_round(self, other: Claim) -> bool:
        """Whether two words changed places around one that says which counts: “a, never b”."""
        pairs = list(zip(self.said, other.said, strict=False))
        apart = [place for place, (one, another) in enumerate(pairs) if one != another]
        if len(self.said) != len(other.said) or len(apart) != 2:
            return False
        first, last = apart
        between = self.said[first + 1 : last]
        return pairs[first] == pairs[last][::-1] and not _UNLIKE.isdisjoint(between)


class LaterWord:
    """What a later statement does to an earlier one. No named tuple: hooks load this module."""

    __slots__ = ("now", "subject", "verb", "was")

    def __init__(
        self,
        verb: Literal["change", "withdrawal"],
        subject: Set[str],
        was: Set[str] = frozenset(),
        now: Set[str] = frozenset(),
    ) -> None:
        self.verb = verb
        self.subject = subject
        self.was = was
        """Its value before."""
        self.now = now
        """Its value after; empty where nothing is put in its place."""


@lru_cache(maxsize=1024)
def keys(words: str) -> frozenset[str]:
    """By what the words of a text are compared with those of another: forms of one word are alike,
    and a name in code has its parts as well."""
    found: set[str] = set()
    for unit in text.units(_PARTICLES.sub(" ", _CAMEL.sub(" ", words))):
        plain = unit.rpartition("'")[2] if "'" in unit[:3] else unit.partition("'")[0]
        found.update(_key(part) for part in (plain, *re.split(r"[-/._@:]", plain)))
    return frozenset(found - {""})


def _key(word: str) -> str:
    """The key of a word, or of a name as a whole; empty where it says nothing of a subject."""
    if word in _EMPTY or len(word) < 2 or any("\u3041" <= letter <= "\u309f" for letter in word):
        return ""
    if _is_name(word) or word[:1] > "\u0500":
        return word
    stem = word.removesuffix("s")
    return "" if len(stem) < 3 else stem[:4] if stem[:1] >= "\u0400" else stem[:5]


def _is_name(key: str) -> bool:
    """Whether a key is that of a path, a file or a setting."""
    return not key.isalpha() and any(map(str.isalpha, key))


def later_word(earlier: str, later: str, *, lasts: bool = True) -> LaterWord | None:
    """What `later` does to what `earlier` says; None where both hold.

    Args:
        lasts: whether `later` is a rule or a fact; else it may be an order of the moment, such as
            “push to main”, which leaves a rule that forbids it in force.
    """
    before, after = Claim(earlier), Claim(later)
    is_order = before.denies and not (lasts or after.denies or _PERMITS.is_in(later))
    if after.contradicts(before) and not (is_order and not _CHANGED.is_in(later)):
        return LaterWord("change", after.subject, before.value, after.value)
    parts = [part for part in _PART.split(later) if part]
    known, shared = keys(earlier), keys(earlier) & keys(later)
    about = [part for part in parts if not known.isdisjoint(keys(part))]
    if any(map(_BESIDE.is_in, {*parts[:1], *about})) or all(map(_ASKS.is_in, parts)):
        return None
    is_changed = _CHANGED.is_in(later) or _GONE.is_in(later)
    return (
        _quantity(earlier, later, is_changed=is_changed)
        or _choice(earlier, later, is_changed=is_changed or _WITHDRAWN.is_in(later))
        or _ruled_out(before, after, shared)
        or (_name(earlier, later, shared) if is_changed else None)
        or _permission(earlier, later, shared, lasts=lasts)
        or _taken_back(known, parts)
    )


def _quantity(earlier: str, later: str, *, is_changed: bool) -> LaterWord | None:
    """Another number of the same form: of the same unit, or next to the old one."""
    was, now = (dict(_QUANTITY.findall(one.casefold())) for one in (earlier, later))
    both = keys(earlier), keys(later)
    known = frozenset(key for key in both[0] if key.isalpha())
    subject = known & both[1]
    extra = {key for key in both[1] - both[0] if key.isalpha()}
    for number in now.keys() - was.keys() if max(len(was), len(now)) <= MOST_NUMBERS else ():
        old = frozenset(one for one in was if _are_alike(one, was[one], number, now[number]))
        # One digit without a unit counts a step or names a choice: “start with 1 and 2”.
        is_value = len(number) > 1 or now[number] not in _EMPTY | {""}
        if old and not old.isdisjoint(now):
            is_about = True  # “30 fails at the end of the month, make it 90”
        else:
            is_near = len(subject) >= min(FEWEST_WORDS, OWN_SHARE * len(known))
            is_restated = subject == known and len(subject) > FEWEST_WORDS
            is_about = is_near and (is_changed or is_restated or not extra)
        if old and is_value and is_about:
            return LaterWord("change", subject, old, frozenset({number}))
    return None


def _are_alike(old: str, unit: str, new: str, other: str) -> bool:
    """Whether one number with its unit can stand for the other."""
    clocks = [":" in number or each in _CLOCK for number, each in ((old, unit), (new, other))]
    if any(clocks):
        return all(clocks)
    units = {each for each in (unit, other) if each not in _EMPTY} - {""}
    return len(units) < 2 and old.count(".") == new.count(".") and abs(len(old) - len(new)) <= 1


def _choice(earlier: str, later: str, *, is_changed: bool) -> LaterWord | None:
    """Another one of a family of tools, languages or days."""
    was, now = _chosen(earlier), _chosen(later)
    both = keys(earlier), keys(later)
    for family, old in was.items():
        new = now.get(family, frozenset()) - old
        subject = both[0] & both[1] - {_key(word) for word in old}
        if old & now.get(family, frozenset()):
            is_about = is_changed
        else:
            extra = both[1] - both[0] - {_key(word) for word in new}
            is_about = bool(subject) and (
                is_changed or len(extra) < FEWEST_WORDS or len(subject) > FEWEST_WORDS
            )
        if new and is_about:
            return LaterWord("change", subject, old, new)
    return None


@lru_cache(maxsize=1024)
def _chosen(words: str) -> Mapping[int, frozenset[str]]:
    """The words of a text that have a family, by its number."""
    said = re.findall(r"[a-z][a-z0-9_-]*|[^\W\d_a-z]+|[^\W\d_]+", words.casefold())
    said += [part for word in said for part in word.split("-")]  # “squash-merge” is a merge
    found: dict[int, frozenset[str]] = {}
    for name, family in _FAMILY.items():
        is_stem = len(name) > FEWEST_LETTERS or not name.isascii()
        if any(w == name or w == f"{name}s" or (is_stem and name in w) for w in said):
            found[family] = found.get(family, frozenset()) | {name}
    return found


def _ruled_out(before: Claim, after: Claim, shared: Set[str]) -> LaterWord | None:
    """What is stated is now denied by its name, for the same subject: “b for this, not a”."""
    if before.denies:
        return None
    pairs = zip(after.said, after.said[1:], strict=False)
    denied = {word for no, word in pairs if no in negation.NEGATIONS} & before.words
    subject = shared - {_key(word) for word in denied}
    is_about = bool(denied) and len(subject) >= FEWEST_WORDS
    now = after.words - before.words
    return LaterWord("change", subject, frozenset(denied), now) if is_about and now else None


def _name(earlier: str, later: str, shared: Set[str]) -> LaterWord | None:
    """A path, host or address in the place of another."""
    was, now = (frozenset(_NAME.findall(one.casefold())) for one in (earlier, later))
    is_one = max(len(was), len(now)) <= MOST_NUMBERS - 1
    if was and now - was and is_one and len(shared) >= FEWEST_WORDS:
        return LaterWord("change", shared, was, now - was)
    return None


def _permission(earlier: str, later: str, shared: Set[str], *, lasts: bool) -> LaterWord | None:
    """What was forbidden or denied is allowed or stated, or the other way round."""
    bars = [Claim(one).denies or _BARS.is_in(one) for one in (earlier, later)]
    allows = [_PERMITS.is_in(one) for one in (earlier, later)]
    if bars[0] is bars[1] or len(shared) < FEWEST_WORDS:
        return None
    is_allowed = (allows[1] if bars[0] else allows[0]) and (
        len(shared) >= TURNED_SHARE * len(keys(earlier))
    )
    is_said_again = (lasts or _CHANGED.is_in(later)) and shared == keys(later)
    return LaterWord("change", shared) if is_allowed or is_said_again else None


def _taken_back(known: Set[str], parts: Sequence[str]) -> LaterWord | None:
    """What is said to hold no longer, or to be there no more.

    A part of the sentence has the words for it; the subject is there, or next to it.
    """
    names = frozenset(key for key in known if _is_name(key)) & keys(" ".join(parts))
    for number, part in enumerate(parts):
        near = known & keys(" ".join(parts[max(0, number - 1) : number + 2]))
        cue = _WITHDRAWN.regex.search(part)
        if cue is not None:
            said = keys(f"{part[: cue.start()]} {part[cue.end() :]}")
            own = known & said
            is_near = len(near) > 1 or not said
            subject = own if len(own) > OWN_SHARE * len(said) else near if is_near else names
            if subject:
                return LaterWord("withdrawal", subject)
        if _GONE.is_in(part):
            own = known & keys(part)
            if names or 4 * len(own) >= len(known):
                return LaterWord("change", own or names)
    return None
