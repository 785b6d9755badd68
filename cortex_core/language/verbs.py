"""English verbs: which word of a clause is its verb, and which begins an order.

English marks a verb by nothing but its position: “caches” is a noun in “the caches of a session”
and a verb in “the client caches tokens”. So the verbs of the trade are listed, and the words
around one decide. Other languages are not judged. Standard library only: hooks load it.
"""

from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import CODE_SPAN

COMMANDS = frozenset(
    """
    add adjust align allow annotate answer append apply ask assume attach avoid back base batch
    be begin branch break build bump call change check choose cite clean clear clone close
    combine comment commit compare compile configure confirm connect consider convert copy
    correct count cover create debug declare default define delete deploy describe design detect
    disable display document double download draft drop edit emit enable encode ensure escape
    exclude execute expand explain export expose extract fail fetch find fix flag focus fold
    follow force format generate get give go group guard handle hide highlight hook ignore
    implement import improve include indent inline insert inspect install integrate investigate
    isolate keep label launch leave limit link lint list load log look make mark match measure
    mention merge migrate mock modify move name nest normalize note offer omit open optimize
    order organize output parse pass pick pin place plan port prefer prefix prepare present
    preserve print prioritize provide prune pull push put quote read rebase recommend record
    reduce refactor refer reject release remind remove rename render replace report request
    require research respect respond restart restore retry return reuse revert review rewrite
    round route run save scan scope search select send separate serve set show simplify skip
    sort specify split squash stage standardize start state stay stick stop store structure
    style submit suffix suggest summarize support switch sync tag tailor tell test throw track
    translate treat trim truncate try turn type uninstall unpack update upgrade upload use
    validate verify version wait walk warn watch wire work wrap write
    """.split()
)
"""Verbs with which an order to a coding agent begins."""

_ALSO_NOUNS = frozenset(
    """
    answer back base batch branch build call change check comment commit copy count cover debug
    default design display document draft edit export fix flag focus force format go group guard
    hook import index label launch limit link list load log look mark match measure merge mock
    name note offer order output pass pin place plan port prefix present print pull push quote
    read record release report request research respect restart return review round route run
    scan scope search set show split stage start state stop store structure style suffix support
    switch sync tag test throw track trim turn type update upgrade upload version wait walk
    watch work wrap
    """.split()
)
"""Commands that are as often the first word of a heading: “commit message format”."""

VERBS = COMMANDS | frozenset(
    """
    abort accept access act address affect aggregate agree allocate amend analyze announce
    appear approve arise arrive assert assign authenticate authorize await become behave belong
    bind block boot bring broadcast buffer bundle bypass cache cancel capture carry cascade cast
    catch cause centralize chain clamp clarify clash coerce collapse collect collide come
    complete compute concatenate condense conflict consist consolidate consume contain continue
    contribute control corrupt cost crash cross customize cut deadlock decide decode decrypt
    deduplicate defer deliver demand deny depend deprecate derive deserialize destroy determine
    diff differ disappear discard dispatch distinguish divide drift duplicate embed encrypt
    enforce enlarge enqueue enrich enter equal evaluate evict exceed exist exit expect expire
    extend face fall feed fill filter finalize fire fit flush forget fork forward freeze fulfil
    gain grant grow hang happen harden hash help hit hold honor honour hydrate identify imply
    increase inform inherit initialize inject instrument intercept interpret introduce
    invalidate invoke join judge jump kill know lack last lead leak let lie listen live lock
    loosen lose lower mask matter mean miss modernize mount mutate need negotiate notify observe
    occur overflow overlap override overwrite own panic patch pause permit persist point polish
    poll populate pre-fill preempt prevent proceed process produce prompt propagate protect
    prove proxy publish purge query queue race raise randomize reach rebuild receive recognize
    recompute reconnect recover recreate refresh refuse regenerate register reinstall relate
    rely remain remember renew repeat rerun resemble reserve reset reside resolve restrict
    restructure resume retain retrieve reveal revise rewind rework rise rollback rotate sanitize
    satisfy say schedule scroll see seem shorten sign silence sit sleep solve span spawn spend
    spread stabilize stall stand stem step stream streamline strip subscribe succeed suffer
    supersede suppress surface survive suspend swallow swap take target terminate tidy tie
    tighten time tolerate touch transform transition travel trigger trip trust tune tweak
    unblock understand unify unlock unmount unset unwrap vanish vary violate visit want waste
    widen wipe yield
    """.split()
)
"""Verbs that say what software does, commands among them."""

IRREGULAR = tuple(
    tuple(forms.split())
    for forms in """
    become became,begin began begun,bind bound,break broke broken,bring brought,build built
    buy bought,catch caught,choose chose chosen,come came,cost cost,cut cut,deal dealt,do did
    draw drew drawn,drive drove driven,eat ate eaten,fall fell fallen,feed fed,feel felt
    fight fought,find found,fly flew flown,forget forgot forgotten,freeze froze frozen,get got
    give gave given,go went gone,grow grew grown,hang hung,have had,hear heard,hide hid hidden
    hit hit,hold held,keep kept,know knew known,lead led,leave left,lend lent,let let,lie lay
    lose lost,make made,mean meant,meet met,override overrode,overwrite overwrote,pay paid
    put put,read read,rebuild rebuilt,rerun reran,reset reset,rewrite rewrote,ride rode ridden
    ring rang rung,rise rose risen,run ran,say said,see saw seen,sell sold,send sent,set set
    shake shook shaken,shoot shot,show showed shown,shrink shrank shrunk,sing sang sung,sit sat
    sleep slept,speak spoke spoken,speed sped,spend spent,split split,spread spread,stand stood
    steal stole stolen,stick stuck,strike struck,swim swam swum,take took taken,teach taught
    tell told,think thought,throw threw thrown,understand understood,undo undid,unset unset
    upset upset,wake woke woken,wear wore worn,win won,withdraw withdrew,write wrote written
    """.replace("\n", ",").split(",")
    if forms.strip()
)
"""The forms of verbs that no rule makes: base, past, and participle where it is another one."""

_CERTAIN = frozenset(
    """
    is are was were am has have had does do did must should can could will would shall may might
    cannot isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't couldn't
    won't wouldn't shouldn't mustn't needn't it's that's there's he's she's here's what's i'm you're
    we're they're i've you've we've they've i'll you'll we'll they'll it'll i'd you'd we'd let's
    dont doesnt didnt cant wont isnt arent wasnt shouldnt thats
    """.split()
) | {past for _, past, *_ in IRREGULAR} - {
    "bound",
    "cut",
    "cost",
    "felt",
    "found",
    "hit",
    "left",
    "let",
    "lead",
    "led",
    "meant",
    "put",
    "read",
    "reset",
    "set",
    "split",
    "spread",
    "stuck",
    "unset",
    "upset",
    "built",
    "lay",
    "saw",
    "hung",
    "spent",
    "shot",
}
"""Words that are a finite verb wherever they are."""

_BEFORE_NOUN = frozenset(
    """
    a an the this that these those my your our his her its their some any no every each all both
    several many few more most other another of in on at by for with from into onto via per as to
    through over under between within without against across than about during like new old same
    and/or first last next
    """.split()
)
"""Words after which a noun or an adjective follows, and no finite verb."""

_AFTER_NOUN = frozenset("of is are was were has have had must should can will".split())
"""Words before which a noun stands rather than a verb."""

_OPENS_OBJECT = frozenset(
    """
    a an the this that these those my your our his her its their some any no not every each all
    both it them us me you only at by for with from into onto via per as to in on up out down off
    back over under between within without against across before after until when where if unless
    instead rather like through about and or whether how what which either new existing more less
    """.split()
)
"""Words that follow the verb of an order, and rarely a noun that begins a heading."""

_DETERMINERS = frozenset("a an the its their his her our my your no every each any".split())
"""Words that follow a verb and hardly ever a plural noun."""

_RELATIVE = frozenset("that which who whose where".split())
"""Words that begin a clause about the noun before them; its verb makes no sentence of it."""

_AFTER_IT_IS = frozenset("a an the not better best only just ok okay fine never always".split())
"""Words before which “its” is typed for “it's”."""

_ADVERBS = frozenset("always never only also just still already not often".split())
"""Words before a verb that do not end in “ly”."""
_WORD = Pattern(
    "word, code or mark of a sentence",
    r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[\x01\d`\"“]+|[,;:.()—–]",
    finds="don't",
    spares="!",
    flags=0,
)
_LEAD = frozenset("please always never only just also then instead don't do not".split())
_CLAUSE = frozenset(",;:—–(")


def _read(text: str) -> list[str]:
    """The words and marks of `text` in lower case; a code span is one mark."""
    return [
        word.lower().replace("’", "'")
        for word in _WORD.regex.findall(CODE_SPAN.regex.sub(" \x01 ", text[:1200]))
    ]


BRACKETS = Pattern("brackets", r"\([^()\n]*\)", finds="a (b) c", spares="a b c", flags=0)


def has_verb(text: str) -> bool:
    """Whether a word of the English `text` is its finite verb, an order's included.

    The verb of a relative clause is none: “tests that need a server” is the name of something.
    Brackets may stand between a verb and its subject: “Workers (mail, import) run on the host”.
    """
    return any(_has_verb(one) for one in {text, BRACKETS.regex.sub("", text)})


def _has_verb(text: str) -> bool:
    words = _read(text)
    finite = [at for at in range(len(words)) if _is_finite(words, at)]
    return any(not _is_relative(words, at, finite) for at in finite) or is_order(text)


def _is_relative(words: list[str], at: int, finite: list[int]) -> bool:
    """Whether the verb at `at` is the first one after a relative pronoun in its clause."""
    before = at - 1
    while before > 0 and before not in finite and words[before] not in _CLAUSE:
        if words[before] in _RELATIVE:
            return not words[before + 1].startswith("\x01")  # code may be the clause's verb
        before -= 1
    return False


def is_order(text: str) -> bool:
    """Whether `text`, or a clause in it after a comma, begins with the verb of an order."""
    words = _read(text)
    starts = [0] + [at + 1 for at, word in enumerate(words) if word in _CLAUSE]
    return any(_opens_order(words, start) for start in starts)


def _opens_order(words: list[str], at: int) -> bool:
    """Whether the verb of an order is at `at`, behind “please”, “never” and the like."""
    first = at
    while at < len(words) and words[at] in _LEAD:
        at += 1
    following = words[at + 1] if at + 1 < len(words) else ""
    if at >= len(words) or words[at] not in COMMANDS:
        return at < len(words) and words[at] in VERBS and following in _DETERMINERS
    return (
        following not in _AFTER_NOUN
        if (at > first or words[at] not in _ALSO_NOUNS)
        else following in _OPENS_OBJECT or following.startswith(("\x01", '"', "“"))
    )


def _is_finite(words: list[str], at: int) -> bool:
    word = words[at]
    before = words[at - 1] if at else ""
    after = words[at + 1] if at + 1 < len(words) else ""
    if word in _CERTAIN or (word == "its" and after in _AFTER_IT_IS):
        return True
    if before in _BEFORE_NOUN or after in _AFTER_NOUN:
        return False
    if before.endswith("ing") and word.endswith("ed"):  # “getting processed every time”
        return False
    if word in VERBS:  # “tests live in …”, “we use …”
        is_plural = before.endswith("s") and not before.endswith(("ss", "us", "is"))
        return (is_plural or before in ("i", "we", "you", "they")) and after not in ("", ",")
    if at and after in _DETERMINERS and word.endswith(("s", "ed")) and not word.endswith("ss"):
        return True
    stem = base(word)
    if not stem:
        return False
    is_noun = stem in _ALSO_NOUNS and word.endswith("s")
    if is_noun and (not at or before.endswith("ing")):  # “notes on …”
        return after in _DETERMINERS
    if word.endswith("s"):
        is_adverb = before in _ADVERBS or (len(before) > 3 and before.endswith("ly"))
        return is_adverb or after not in ("", "and", "or", ",")
    return True


def base(word: str) -> str:
    """The verb of which `word` is the third person or the regular past; empty if of none."""
    endings = (("ies", "y"), ("es", ""), ("s", ""), ("ied", "y"), ("ed", ""), ("d", ""))
    for ending, back in endings:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            stem = word[: -len(ending)] + back
            undoubled = stem[:-1] if ending == "ed" and stem[-1:] == stem[-2:-1] else stem
            if found := next((each for each in (stem, undoubled) if is_verb(each)), ""):
                return found
    return ""


def is_verb(word: str) -> bool:
    """Whether `word`, in lower case, is a verb of the tables, or made from one."""
    prefixes = ("re", "un", "de", "pre", "over", "auto-", "re-")
    return (
        word in VERBS
        or any(word.startswith(each) and word.removeprefix(each) in VERBS for each in prefixes)
        or (len(word) > 6 and word.endswith(("ize", "ise", "ify", "ate")))
    )
