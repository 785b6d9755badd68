"""Whether a text is a later word on what an earlier one says: it changes that, or withdraws it.

Two statements are compared by their subject, their values and the words by which a speaker says
that something is otherwise now, in all languages at once. What is no clear change leaves both as
they are: a memory that is retired by mistake costs more than two that a reader has to weigh.
`benchmarks/reversals.py` measures it. Standard library only, since the hooks load this module.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise, takewhile

from cortex_core.base import text
from cortex_core.language import negation
from cortex_core.language.detect import FUNCTION_WORDS
from cortex_core.language.patterns import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set
    from typing import Literal

    LaterWord = Literal["change", "withdrawal"]
    """What a later statement does to an earlier one."""

FEWEST_WORDS = 2
"""Words of a subject from which two statements can be about the same."""

FEWEST_LETTERS = 5
"""Letters of a word for a choice above which its forms are recognised."""
MOST_VALUES = 3
"""Numbers, or names, of a statement up to which each can be distinguished."""
MOST_ADDED = (0, 1, 0)
"""Words that a statement with another number, another choice or another name may add to the subject
without being about a part of it: “test functions may have 60 lines”."""
NAMED_WITHIN = 3
"""First words of a statement in which it names what it is about: “the shard db-1”."""
OWN_SHARE = 0.5
"""Share of the words, without those that take something back, above which they are its subject."""

_EMPHASIS = frozenset({"always", "only"})
"""Words without which a line says the same."""

_CHOOSING = frozenset("use uses using prefer with".split())
"""Words after which a line names what was chosen."""

_TOO = frozenset("too zu trop demasiado muy muito troppo слишком".split())
"""Words by which a value is called wrong: “60 is too tight”."""

_BOUNDING = frozenset(
    "can may should must limit max maximum most up darf dürfen soll sollen muss höchstens bis "
    "maximal peut peuvent doit maxi plus puede pueden debe máximo hasta pode podem deve até può "
    "possono massimo может можно максимум".split()
)
"""Words that a limit has."""

_UNLIKE = negation.NEGATIONS | frozenset("after before instead into over than to".split())
"""Words of which one side cannot be exchanged for the other."""

_EMPTY = (
    FUNCTION_WORDS
    | negation.NEGATIONS
    | text.STOP_WORDS
    | frozenset(
        "live lives lie lies liegt liegen vit vive viven fica "
        "everything each every time thing things name one two new old way went go goes going come "
        "use uses used using make makes made take takes put set get gets mich dich mir dir wir ihr "
        "doch deux trois zwei drei dos due now jetzt sofort künftig désormais maintenant partir "
        "ahora ya agora adesso теперь 今後 以后 现在 이제 run runs läuft startet "
        "nehmen brauchen schon mal mehr pon siempre tudo todo toda todos tout toute tous mets "
        "faire fait quella quello cosa era said don won didn doesn isn aren есть мне мы вы у нас "
        "rule rules regel règle regla regra regola правило sperre "
        "все всё это так".split()
    )
)
"""Words that say nothing of a subject."""

_PARTICLES = re.compile("[的了都要到在是把被给和与用也就还很每个这那一次按]")
"""What comes between words in Chinese."""

_LOOSE = frozenset(
    "is are ist sind heißt lautet est sont es son è sono é são in en dans em на в".split()
)
"""Words after which several things can be said of a subject at once."""
_RELATIONS = _LOOSE | frozenset(
    "on at to from with via by under auf bei mit von nach sur chez avec con por com su op met van"
    " у с".split()
)
"""Words between a subject and what is said of it."""
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
    r"|\b(?:^(?:we|you) no longer|(?:is|are|was) no longer|scratch (?:that|it|the)|never ?mind"
    r"|(?:forget|ignore|disregard) (?:about|that|it|what|the (?:\S+ ){0,3}(?:rule|thing|bit|part))"
    r"|no need|you can (?:skip|drop|stop|forget|ignore)|no more\b|(?:is|are) off\b|can go\b"
    r"|(?:doesn['’]?t|does not) (?:hold|apply)|not (?:required|necessary)|only because"
    r"|off for good|called off|lifted|was (?:a )?(?:dumb|stupid|bad)"
    r"|brauch\w* .{0,30}nicht mehr|vergiss|hinfällig|entfällt|fällt weg|weglassen|nicht nötig"
    r"|brauchst? (?:du )?nicht"
    r"|hat sich erledigt|kannst du (?:sein )?lassen|gestrichen|aufgehoben|take back|vergeten"
    r"|plus (?:besoin|la peine|nécessaire)|oublie|laisse tomber|n['’]est plus"
    r"|ne (?:l['’]|l[ae] |les ).{1,20} plus\b"
    r"|ya no|olv[ií]da\w*|no hacen? falta|sin efecto|dejad? de|no es necesario"
    r"|n[aã]o (?:precisa|vale)|pode (?:esquecer|cortar|parar|tirar)|esquec\w+|deixa pra l[aá]"
    r"|non .{1,25} pi[uù]\b|non (?:vale|serve)|lascia perdere|dimentica\w*"
    r"|больше (?:не|нет)|забудь\w*|не (?:нужн\w+|надо)|отмен\w+|отбой|можно не|уже не"
    r"|необязательно)"
    r"|取消|作废|不用了|不需要|不必|算了|要りません|不要(?:です|に)|なくて(?:も)?いい|忘れて|廃止|やめ"
    r"|더 이상|필요 ?없|취소|안 해도|그만",
    finds="you don't have to bother",
    spares="delete the images we no longer use",
)
_GONE = Pattern(
    "words that say of a thing that it is there no more, or will not do",
    r"\b(?:(?:is|are|'s|was) (?:dead|gone|out|history|obsolete|too (?:slow|expensive"
    r"|heavy|old))|got too \w+|died|left(?! behind| open| over| out)|quit"
    r"|(?:was|were|got|been|is|are) (?:removed|retired|deprecated|dropped|killed"
    r"|shut down|replaced)"
    r"|get (?:rid of|those)|on leave|no more|ditch\w*"
    r"|ist (?:tot|raus|weg|abgeschaltet|gekündigt)|fliegt raus|kann .{1,30} nicht"
    r"|me rend fou|est (?:mort|parti)e?|a disparu|ya ni|ya no|se (?:fue|muri[oó])"
    r"|morreu|saiu|acabou"
    r"|[eè] (?:mort[oa]|scadut\w+|sparit\w+)|умер\w*|уволил\w*|уш[её]л\w*|снесли"
    r"|отключ\w+)\b(?! again| wieder| encore| opnieuw)"
    r"|下线|停用|废弃|不用了|没了|离职|廃止|やめ|退職|異動|終了|폐기|없어졌|말고",
    finds="the generator is dead",
    spares="the generator is dead again",
)
_CHANGED = Pattern(
    "words that say that something is otherwise than before",
    # “To change the port: …” tells how it is done.
    r"\b(?!(?<=^to )chang)(?:now|these days|nowadays|instead|from now on|from .{1,20} on\b|as of"
    r"|since (?:\w+day|yesterday|last)|switch\w*"
    r"|mov(?:ed?|ing)|renam\w+|migrat\w+|replac\w+|actually|turns out|sorry|misread"
    r"|chang(?:ed?|ing)|bump(?:ed)?|rais(?:ed?|ing)|lower(?:ed)?|(?:set|make) .{1,40} \d|was wrong"
    r"|then\W*$|no more|jetzt|ab (?:sofort|heute|jetzt|morgen|mittwoch"
    r"|\w+(?:tag|woche|monat))|seit (?:gestern|\w+tag)|umgestellt|gewechselt"
    r"|umgezogen|stattdessen|künftig|doch|ach mist|nur noch|lieber"
    r"|désormais|maintenant|à partir d\w*|plutôt|pass[eé](?:e|er|é)? à|migr\w+|chang\w+|finalement"
    r"|remplac\w+"
    r"|depuis|ahora|a partir de|en vez|mejor|cambi\w+|pas(?:amos|ado|a) a|resulta"
    r"|en realidad|sube|baja"
    r"|a partir d\w+|agora|mud(?:ou|amos|ei|a)|troc\w+|na verdade|consertei|aumenta|diminui"
    r"|passou a"
    r"|adesso|da adesso|d['’]ora in poi|invece|spostat\w+|passat\w+ a"
    r"|теперь|переехал\w*|переш\w+|вместо|смен\w+|поменя\w+|на самом деле|отныне|попросил\w*)\b"
    r"|改|换|现在|以后|今后|迁|变成|从现在|切了|変え|変更|移行|代わり|今後|これから|にして|切り替|実は|合わせ|ので"
    r"|이제|바꿨|변경|옮겼|대신|앞으로|사실",
    finds="it moved to the new host",
    spares="it is on the host",
)
_LEAVES = Pattern(
    "words that add to what holds, leave it for something else, or ask",
    r"\b(?:also|too(?! (?!now)\w)|as well|either|likewise|same (?:goes|for|applies|here)|still"
    r"|and for"
    r"|for this (?:test|run|one)|just this once|auch(?! ohne)|ebenfalls|genauso|aussi|également"
    r"|pareil"
    r"|también|tampoco|igualmente|também|anche|neanche|тоже|также)\b|也|一样|同样|同じ|同様|마찬가지"
    r"|[?？]\s*$|^\W*(?:why|what|how|where|which|who|does|do|is|are|can|could|should"
    r"|warum|wieso|was|wie"
    r"|pourquoi|est-ce|por ?qu[eé]|c[oó]mo|почему|зачем|как|perch[eé])\b|吗\W*$|か\W*$|까\W*$",
    finds=("dev dependencies count too", "why does it return 502"),
    spares="dev dependencies count",
)
PERMITS = Pattern(
    "words that allow",
    r"\b(?:(?:you|we) (?:can|may)|(?:is|are) (?:fine|ok(?:ay)?|allowed)\b"
    r"|(?:darfst|dürf(?:en|t)|kannst|könn(?:en|t)|gehen|geht)\b|(?:peux|pouvez|pouvons|peut-on)\b"
    r"|(?:puedes|pod[eé]is|podemos|pueden?)(?: hacer)?\b|pode[ms]?\b|(?:puoi|potete|possiamo)\b"
    r"|можно|можешь|можете)"
    r"|可以|て(?:も)?(?:いい|良い|よい|構わない|かまわない)|[아어해]도 (?:돼|됩니다|된다|괜찮)",
    finds="you may touch the fixtures",
    spares="we touch the fixtures",
)
_PART = re.compile(r"[.!;\n]+(?:\s|$)|[。！；，、]|,\s|(?<=[?？])\s*")
_CONDITIONS = frozenset(
    "when whenever if unless while where whose which wenn falls sobald solange quand lorsque si "
    "cuando mientras quando se enquanto когда если пока".split()
)
"""Words after which a clause is a condition, and nothing is said of the subject."""
_HANGING = frozenset(
    "because since so as instead otherwise weil denn da damit sondern stattdessen sonst car parce "
    "puisque sinon porque pues pois perché altrimenti потому чтобы иначе".split()
)
"""Words with which a part of a statement begins that says nothing without the others."""
_QUANTITY = re.compile(
    r"(\b(?:at|um|à|las|alle|às|в) )?(?<![A-Za-z0-9_.])(\d+(?:[.:,]\d+)*)\s?"
    r"(小时|[分秒天年月日度点条个行件次页回個개건번초분%]|[a-zß-ɏЀ-ӿ]+)?"
)
_NAME = re.compile(r"(?<![\w/])(?:[\w.@-]*[/@_]|\w+[.-])[\w./@-]*\w")
LONGEST_NAME = 100
"""Characters of the longest path or name that is compared; the search takes their cube."""
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
        # So may a name with a digit in it: “the v1 API”, “service s3”.
        at = [
            place
            for place, word in enumerate(plain)
            if word[0].isdigit() or (any(map(str.isdigit, word)) and place == len(plain) - 1)
        ]
        at = at if at and text.STOP_WORDS.issuperset(plain[at[-1] + 1 :]) else []
        choosing = [place for place, word in enumerate(plain) if word in _CHOOSING][-1:]
        for place in range(choosing[0] + 1, len(plain)) if choosing and not at else ():
            if plain[place] in text.STOP_WORDS:
                break
            at.append(place)
        places = frozenset(at)
        self.value: Set[str] = frozenset(plain[place] for place in places)
        """The numbers at its end, or what it chooses where it has none."""
        self.subject: Set[str] = frozenset(
            word
            for place, word in enumerate(plain)
            if place not in places and (place in choosing or word not in text.STOP_WORDS)
        )

    def numbered(self, other: Claim) -> Set[str]:
        """What only this statement is about, of names with a number in them and without it: who
        says something of `node-1` says nothing of `node-2`."""
        begin = self.subject & {*self.said[:NAMED_WITHIN]}
        return frozenset(
            "".join(filter(str.isalpha, word))
            for word in begin - other.subject
            if _is_name(word) and not word.rpartition(".")[2].isdigit()  # a version is a value
        )

    def contradicts(self, other: Claim) -> bool:
        """Whether both cannot hold."""
        if self.words == other.words and self._is_turned_round(other):
            return True
        if len(self.subject) < FEWEST_WORDS or self.subject != other.subject:
            return False
        if self.denies is not other.denies:
            return self.value == other.value
        return not (self.denies or self.value <= other.value or other.value <= self.value)

    def _is_turned_round(self, other: Claim) -> bool:
        """Whether two words changed places around one that says which counts: “a, never b”."""
        pairs = zip(self.said, other.said, strict=False)
        apart = [place for place, (one, another) in enumerate(pairs) if one != another]
        return (
            len(self.said) == len(other.said)
            and len(apart) == 2
            and [self.said[place] for place in apart]
            == [other.said[place] for place in apart[::-1]]
            and not _UNLIKE.isdisjoint(self.said[apart[0] + 1 : apart[1]])
        )


_claim = lru_cache(maxsize=1024)(Claim)
"""A statement, read once: a new one is compared with all that share its words."""


@lru_cache(maxsize=1024)
def keys(words: str) -> frozenset[str]:
    """By what the words of a text are compared with those of another: forms of one word are alike,
    and a name in code has its parts as well."""
    found: set[str] = set()
    for unit in text.units(_PARTICLES.sub(" ", words)):
        plain = unit.rpartition("'")[2] if "'" in unit[:3] else unit.partition("'")[0]
        found.update(_key(part) for part in (plain, *re.split(r"[-/._@:]", plain)))
    return frozenset(found - {""})


def _key(word: str) -> str:
    """The key of a word, or of a name as a whole; empty where it says nothing of a subject."""
    if word in _EMPTY or len(word) < 2 or any("\u3041" <= letter <= "\u309f" for letter in word):
        return ""
    if _is_name(word) or word[:1] > "\u0500":
        return word[:2] if "가" <= word[:1] <= "힣" else word
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
    before, after = _claim(earlier), _claim(later)
    known, said = keys(earlier), keys(PERMITS.regex.sub(" ", later))
    is_changed, is_over, leaves_it = _signs(later)
    is_lasting = lasts or after.denies or is_changed
    bars = [_forbids(earlier), _forbids(later)]
    barred = _barred(earlier) if bars[0] else known
    # “Log to stderr, never to stdout” is not turned round by “log to stderr, please”.
    is_turned = (
        bars[0] is not bars[1]
        and not (bars[1] and is_over)
        and len(said & known) >= FEWEST_WORDS
        and not said.isdisjoint(barred)
        and (said <= known or (not bars[1] and _is_allowed(later, said, known, barred)))
    )
    is_contrary = after.contradicts(before) and (is_lasting or not before.denies)
    if is_contrary or (is_turned and is_lasting):
        return "change"
    if leaves_it or before.numbered(after) & after.numbered(before):
        return None
    if _has_other_value(earlier, later, is_changed=is_changed or is_over, forbids=all(bars)) or (
        is_changed and not any(bars) and _ends_otherwise(earlier, _CHANGED.regex.sub(" ", later))
    ):
        return "change"
    return _taken_back(known, _clauses(later))


def _ends_otherwise(earlier: str, later: str) -> bool:
    """Whether two statements relate the same subject to different things: “the docs are on the
    wiki”, “the docs live on Pages now”.

    Of a short subject, and after `is` or `in`, several things can be said at once: there only a
    name for a name is another answer to the same question.
    """
    was, now = (
        [word.strip("`'\"“”*.,;:!?") for word in said.casefold().split()]
        for said in (earlier, later)
    )
    for relation in _RELATIONS.intersection(was, now):
        (subject, old), (other, new) = (
            (keys(" ".join(said[:at])), keys(" ".join(said[at + 1 :])))
            for said in (was, now)
            for at in [len(said) - 1 - said[::-1].index(relation)]
        )
        # “Jonas is the release manager now” names the other one first.
        other, new = (new, other) if subject == new else (other, new)
        if (
            other == subject > frozenset()
            and all(0 < len(value) <= MOST_VALUES for value in (old, new))
            and old.isdisjoint(new)
        ):
            # What is written as a name is, but for a day: that answers no question about a place.
            named = keys(
                " ".join(
                    word
                    for word in (*earlier.split()[1:], *later.split())
                    if word.lstrip("`'\"“*")[:1].isupper()
                    or any(mark in word[:-1] for mark in "/_.")
                )
            ) - frozenset(map(_key, _FAMILY))
            if (len(subject) >= FEWEST_WORDS and relation not in _LOOSE) or (old | new) <= named:
                return True
    return False


def takes_back(earlier: str, words: Sequence[str]) -> LaterWord | None:
    """“withdrawal” where `words` are what a statement says, or take back what it is about."""
    return (
        "withdrawal"
        if earlier.partition("\n")[0] in words
        or any(later_word(earlier, each) == "withdrawal" for each in words)
        else None
    )


def rest(earlier: str, later: str) -> str:
    """What still holds of a statement of several parts when `later` changes some of them; empty
    where it takes the whole back, or allows what that forbids."""
    parts = [part.strip() for part in _PART.split(earlier) if keys(part)]
    # Another number is said of the part that has one, else the words say of which part it is.
    changed = [part for part in parts if _has_value_of(part, later)] or [
        part for part in parts if not keys(later).isdisjoint(keys(part))
    ]
    if _forbids(earlier) is not _forbids(later) and PERMITS.is_in(later):
        return ""
    if not changed or (_WITHDRAWN.is_in(later) and changed[0] == parts[0]):
        return ""
    return ", ".join(
        part for part in parts if part not in changed and text.words(part)[0] not in _HANGING
    )


def _has_value_of(part: str, later: str) -> bool:
    """Whether a part names a number, or a choice, for which `later` has another one."""
    return any(
        _are_alike(form, other)
        for was, now in list(zip(_values(part), _values(later), strict=True))[:2]
        for name, form in was.items()
        for new, other in now.items()
        if new != name
    )


def _clauses(words: str) -> list[str]:
    """The parts of a statement without the conditions in them."""
    parts = (
        " ".join(takewhile(lambda word: word.casefold() not in _CONDITIONS, part.split()))
        for part in _PART.split(words)
    )
    return [part for part in parts if part]


@lru_cache(maxsize=1024)
def _signs(words: str) -> tuple[bool, bool, bool]:
    """Whether a statement says that something is otherwise, that something is over, and whether it
    asks or leaves in force what was said before."""
    return (
        _CHANGED.is_in(words),
        _GONE.is_in(words) or _WITHDRAWN.is_in(words),
        _LEAVES.is_in(words),
    )


def _forbids(words: str) -> bool:
    """Whether a statement, or a part of one, says what shall not be."""
    is_denied = _claim(words).denies or negation.FORBIDS.is_in(words)
    return is_denied or any(map(words.count, negation.DENYING))


def _is_allowed(later: str, said: Set[str], known: Set[str], barred: Set[str]) -> bool:
    """Whether what was forbidden may be so now, in more words than it was forbidden in: the very
    deed is allowed, or is what stands in place of what was wanted, “in cents, never in euros”."""
    news, allows = said - known, PERMITS.regex.search(later)
    if allows is None:
        is_more = 2 * len(news) < len(said) and not said.isdisjoint(known - barred)
        return is_more and _CHANGED.is_in(later)
    # What is allowed follows the word for it at once, ends the sentence, or goes before.
    before, after = (
        [_key(unit) for unit in text.units(_PARTICLES.sub(" ", part))]
        for part in (later[: allows.start()], later[allows.end() :])
    )
    deed = next(filter(None, (*after[:1], *after[::-1], *before[::-1])), "")
    is_same = any(key.startswith(deed[:3]) for key in known)  # “mexa”, “mexer”
    return is_same and 2 * len(news) <= len(said) and not any(map(_is_name, news))


def _barred(words: str) -> Set[str]:
    """The keys of what a statement forbids: in each part that does, of what follows the words for
    it, or of all of it."""
    forbids = negation.FORBIDS.regex
    return frozenset().union(
        *(
            keys(forbids.split(part, maxsplit=1)[-1]) or keys(part)
            for part in _clauses(words)
            if _forbids(part)
        )
    )


def sets_limit(words: str) -> bool:
    """Whether a statement names a number with a word that a limit has."""
    return bool(_values(words)[0]) and not _BOUNDING.isdisjoint(_claim(words).said)


def _has_other_value(earlier: str, later: str, *, is_changed: bool, forbids: bool) -> bool:
    """Whether a number, tool, language, day or name stands for another one of its kind.

    Words for a change say so, a negation of the old value, or that nothing else is said. Who only
    names both values reports on them: “it is 20 where it should be 30”. Who forbids another one
    forbids both, and a name that comes first is what is spoken of: “a/b.py is generated”.

    Args:
        forbids: whether both statements forbid something.
    """
    both = keys(earlier), keys(later)
    begin = earlier.casefold().lstrip("`'\"“*- ")
    denied = {word for no, word in pairwise(_claim(later).said) if no in negation.NEGATIONS}
    # “Use yarn instead of pnpm” is about no `pnpm lint` that runs before a commit.
    spans = map(text.words, [*earlier.split("`")[1::2], *earlier.casefold().split("run ")[1:]])
    commands = {
        said[0] for said in spans if len(said) > 1 and said[1] not in text.STOP_WORDS | _UNLIKE
    }
    kinds = (*_values(earlier), *_values(later))
    values = frozenset(_key(name) for kind in kinds for name in kind)
    own = [{key for key in each - values if key.isalpha()} for each in both]
    subject = own[0] & own[1]
    is_near = (
        len(subject) >= FEWEST_WORDS
        or len(subject) > OWN_SHARE * len(own[0])
        or own[1] == subject > frozenset()
    )
    for was, now, most in zip(_values(earlier), _values(later), MOST_ADDED, strict=True):
        is_whole = FEWEST_WORDS < len(own[0]) == len(subject)
        # A value unlike all of these tells what the later one is about: “YAML files get spaces”.
        is_same = all(any(_are_alike(one, form) for one in was.values()) for form in now.values())
        is_restated = is_same and (is_whole or (bool(subject) and len(own[1] - subject) <= most))
        for new in now.keys() - was.keys() if max(len(was), len(now)) <= MOST_VALUES else ():
            old = {one for one in was if _are_alike(was[one], now[new])}
            # “30 rows are too many, make it 20” names no 30 days.
            is_named = any(
                one in now and one not in commands and _are_alike(was[one], now[one]) for one in old
            )
            # A denied value is over only for what it was said of: “rebase, don't merge”.
            is_over = is_changed or (subject and not denied.isdisjoint(old))
            # A number with a unit is a limit, of which the later one counts.
            is_besides = any(
                (forbids and not was[one][0].strip("0123456789"))
                or (_is_name(one) and begin.startswith(one))
                for one in old
            )
            is_about = (
                (is_over and (is_near or is_named))
                or (is_named and not _TOO.isdisjoint(_claim(later).said))
                or (is_restated and not (is_named or is_besides))
            )
            if old and is_about:
                return True
    return False


@lru_cache(maxsize=1024)
def _values(words: str) -> tuple[Mapping[str, tuple[str, int]], ...]:
    """The numbers of a text, what it chooses from a family, and its names: each with its form."""
    words = words.casefold()
    numbers = {
        number: ("clock", 0) if ":" in number or unit in _CLOCK else (unit, len(number))
        for hour, number, unit in _QUANTITY.findall(words)
        # One digit without a unit counts a step or names a choice: “start with 1 and 2”.
        if len(number) > 1 or hour or unit in _CLOCK or unit not in _EMPTY | {""}
    }
    said = re.findall(r"[a-z][a-z0-9_-]*|[^\W\d_a-z]+|[^\W\d_]+", words)
    said += [part for word in said for part in word.split("-")]  # “squash-merge” is a merge
    chosen = {
        name: (str(family), 0)
        for name, family in _FAMILY.items()
        if name in words
        for is_stem in [len(name) > FEWEST_LETTERS or not name.isascii()]
        if any(w == name or w == f"{name}s" or (is_stem and name in w) for w in said)
    }
    # Each run alone, and no long one: in a row of a thousand “@” every part of it might be a name.
    runs = (run for run in re.findall(r"[\w./@-]++", words) if len(run) <= LONGEST_NAME)
    return numbers, chosen, {name: ("", 0) for run in runs for name in _NAME.findall(run)}


def _are_alike(was: tuple[str, int], now: tuple[str, int]) -> bool:
    """Whether one value can stand for the other: it has its unit, or none, and is about as long."""
    units = {unit for unit, _ in (was, now) if unit not in _EMPTY} - {""}
    return len(units) < 2 and abs(was[1] - now[1]) <= 1


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
            about = near if len(near) > 1 or not said else names
            if about or len(known & said) > OWN_SHARE * len(said):
                from cortex_core.language import listener  # which hooks do not need

                rest = " ".join([*parts[:number], *parts[number + 1 :]])
                # “Forget the old port, we use 9090 now” says what holds.
                is_said = _CHANGED.is_in(rest) or listener.heard(rest).score >= listener.LASTS
                return "change" if is_said and not keys(rest) <= known else "withdrawal"
        if _GONE.is_in(part) and (names or 0 < len(known) <= 4 * len(known & keys(part))):
            return "change"
    return None
