"""The word lists of the gates: single words that change what a sentence says."""

_OPPOSITES = """
    add remove,add delete,insert delete,create delete,create destroy,enable disable,on off
    allow deny,allow block,allow forbid,permit forbid,accept reject,accept refuse,approve reject
    include exclude,open close,open shut,opened closed,lock unlock,start stop,start end,begin end
    begin finish,push pull,read write,load save,import export,encode decode,encrypt decrypt
    compress decompress,attach detach,connect disconnect,install uninstall,mount unmount
    register unregister,subscribe unsubscribe,increase decrease,raise lower,rise fall,rose fell
    rising falling,grow shrink,gain lose,gain loss,win lose,won lost,profit loss,buy sell
    bought sold,pass fail,passed failed,succeed fail,success failure,success error,true false
    yes no,first last,old new,up down,in out,top bottom,left right,upper lower,upstream downstream
    uppercase lowercase,ascending descending,min max,minimum maximum,least most,more less
    more fewer,many few,high low,higher lower,large small,big small,long short,longer shorter
    fast slow,faster slower,early late,earlier later,before after,local remote,client server
    frontend backend,public private,internal external,inner outer,input output,request response
    source target,source destination,sender receiver,parent child,sync async
    synchronous asynchronous,static dynamic,manual automatic,manually automatically
    required optional,mandatory optional,draft final,plan implementation,staging production
    development production,test production,dev prod,stage prod,main feature,major minor
    horizontal vertical,row column,soft hard,light dark,white black,hot cold,warm cold,dry wet
    full empty,odd even,even odd,positive negative,plus minus,multiply divide
    numerator denominator,primary secondary,primary replica,master slave,leader follower
    active inactive,active archived,valid invalid,visible hidden,show hide,expand collapse
    focus blur,mutable immutable,strict lenient,sequential parallel,serial parallel
    single multiple,unique duplicate,global project,global local,always never,all none
    everyone nobody,everything nothing,everywhere nowhere,with without,male female,man woman
    men women,boy girl,boys girls,he she,his her,him her,mother father,son daughter,brother sister
    husband wife,king queen,guy girl,dog cat,north south,east west,northern southern
    eastern western,day night,morning evening,today tomorrow,today yesterday,war peace,life death
    alive dead,born died,guilty innocent,legal illegal,attack defend,support oppose
    supported opposed,agree disagree,for against,better worse,best worst,good bad,strong weak
    stronger weaker,easy hard,easy difficult,safe dangerous,rich poor,young old,near far
    arrive leave,arrived left,enter exit,enter leave,come go,came went,ask answer,asked answered
    lend borrow,teach learn,hire fire,hired fired,pay receive,give take,gave took,send receive
    sent received,import require,npm pnpm,npm yarn,pnpm yarn,tabs spaces,tab space,merge rebase
    get set,get post,put delete,http https,tcp udp,json xml,json yaml,toml yaml,toml json
    sql nosql,postgres mysql,postgres sqlite,mysql sqlite,redis memcached,python javascript
    typescript javascript,unittest pytest,pip uv,docker podman,linux windows,windows macos
    linux macos,vim emacs,bash zsh,gb mb,mb kb,seconds minutes,minutes hours,hours days,days weeks
    weeks months,months years,january february,monday tuesday,ms s,lower bound,upper bound
    prefix suffix,head tail,front back,author reviewer,reader writer,producer consumer
    caller callee,user admin,admin guest,owner member,snake camel,kebab snake,singular plural
    eager lazy,push poll,hash sort,stack queue,list set,fail passed
    """


def _opposites() -> dict[str, frozenset[str]]:
    opposites: dict[str, frozenset[str]] = {}
    for family in _OPPOSITES.replace("\n", ",").split(","):
        words = frozenset(family.split())
        for word in words:
            opposites[word] = opposites.get(word, frozenset()) | (words - {word})
    return opposites


OPPOSITES = _opposites()
"""For a word those that exclude it: opposites, and siblings that are swapped for each other."""

SUBJECTLESS = frozenset("get gets got getting gotten".split())
"""Words that say no more than a stop word does: “gets rebuilt” and “is rebuilt”."""

SCOPES: dict[str, str] = {
    word: group
    for group, words in {
        "before": "before prior previously earlier beforehand ahead",
        "after": "after afterwards later following subsequently then once",
        "only": "only solely exclusively merely just alone",
        "until": "until till",
        "since": "since",
        "during": "during while",
        "unless": "unless otherwise",
        "always": "always every each everything everyone everywhere all whole entire both",
        "any": "any anything anyone either",
        "some": "some sometimes occasionally partly several few often usually normally mostly most",
        "must": "must need needs required shall",
        "should": "should ought recommended prefer prefers",
        "may": "may might can could possibly perhaps maybe optional optionally probably likely",
        "will": "will would",
        "if": "if whether when whenever",
        "instead": "instead rather",
        "first": "first initially",
        "last": "last finally latest",
        "again": "again still already yet anymore longer",
        "about": "about almost nearly approximately roughly around",
        "more": "more greater larger higher bigger above over exceed exceeds beyond",
        "less": "less fewer smaller lower below under beneath",
        "least": "least minimum min",
        "limit": "maximum max",
        "than": "than",
        "same": "same equal identical",
        "other": "other another different else",
        "too": "too also even",
        "but": "but however although though despite",
        "because": "because due therefore so thus hence",
        "and": "and",
        "or": "or",
    }.items()
    for word in words.split()
}
"""Words that say when, how much, how sure or under which condition, by what they say."""

STRICT_SCOPES = frozenset(
    """
    before after only until since unless always any some must should may if instead first last more
    less least limit about again same other or but
    """.split()
)
"""The groups of `SCOPES` whose difference alone makes another statement."""

PERSONS: dict[str, str] = {
    word: person
    for person, words in {
        "I": "i me my mine myself",
        "we": "we us our ours ourselves",
        "you": "you your yours yourself yourselves",
        "he": "he him his himself",
        "she": "she her hers herself",
        "they": "they them their theirs themselves",
    }.items()
    for word in words.split()
}
"""Pronouns by grammatical person. `it` is left out: it can refer to anything."""

DIRECTIONS: dict[str, tuple[str, str]] = {
    word: (axis, side)
    for axis, sides in {
        "from or to": ("from", "to into onto toward towards"),
        "in or out": ("in into inside within", "out outside"),
        "on or off": ("on onto", "off"),
        "up or down": ("up upward upwards", "down downward downwards"),
        "above or below": ("above over atop", "below under beneath underneath"),
        "with or without": ("with including plus", "without excluding"),
        "for or against": ("for", "against"),
        "before or after": ("before", "after"),
    }.items()
    for side, words in zip(("one", "other"), sides, strict=True)
    for word in words.split()
}
"""Prepositions that point one way or the other, by axis and side."""

LEADS = frozenset(
    """
    on in at during for with from to into by via within under over through as of after before
    without against about using per inside outside since until when if unless because while where
    between among toward towards than instead onto off out like despite except besides and but or
    then so nor
    """.split()
)
"""Words that lead a phrase; together with its own a phrase may move."""

CALENDAR: dict[str, str] = {
    word: day
    for day, words in {
        "Monday": "monday mon mondays",
        "Tuesday": "tuesday tue tues tuesdays",
        "Wednesday": "wednesday wed wednesdays",
        "Thursday": "thursday thu thurs thursdays",
        "Friday": "friday fri fridays",
        "Saturday": "saturday saturdays",
        "Sunday": "sunday sundays",
        "January": "january jan",
        "February": "february feb",
        "March": "march",
        "April": "april apr",
        "May": "may",
        "June": "june jun",
        "July": "july jul",
        "August": "august aug",
        "September": "september sep sept",
        "October": "october oct",
        "November": "november nov",
        "December": "december dec",
        "today": "today tonight",
        "yesterday": "yesterday",
        "tomorrow": "tomorrow",
        "weekend": "weekend weekends",
        "morning": "morning mornings",
        "evening": "evening evenings",
        "night": "night nights",
        "noon": "noon",
        "midnight": "midnight",
        "spring": "spring",
        "summer": "summer",
        "autumn": "autumn fall",
        "winter": "winter",
        "daily": "daily",
        "weekly": "weekly",
        "monthly": "monthly",
        "yearly": "yearly annual annually",
        "hourly": "hourly",
        "nightly": "nightly",
    }.items()
    for word in words.split()
}
"""Days, months and other names of times. March, May, spring and fall count in capitals only."""

CAPITAL_ONLY = frozenset(
    ("march", "may", "mon", "wed", "sat", "sun", "fall", "spring", "jan", "mar")
)

NUMERALS: dict[str, str] = {
    word: str(value)
    for value, word in enumerate(
        """
        zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
        fifteen sixteen seventeen eighteen nineteen twenty
        """.split()
    )
} | {
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "seventy": "70",
    "eighty": "80",
    "ninety": "90",
    "hundred": "100",
    "hundreds": "100",
    "thousand": "1000",
    "thousands": "1000",
    "million": "1e6",
    "millions": "1e6",
    "billion": "1e9",
    "billions": "1e9",
    "trillion": "1e12",
    "dozen": "12",
    "dozens": "12",
    "half": "1/2",
    "third": "3",
    "second": "2",
    "fourth": "4",
    "fifth": "5",
    "sixth": "6",
    "seventh": "7",
    "eighth": "8",
    "ninth": "9",
    "tenth": "10",
    "quarter": "1/4",
    "twice": "2",
    "double": "2",
    "doubled": "2",
    "triple": "3",
    "single": "1",
    "thrice": "3",
}
"""Numbers written as words."""

UNITS: dict[str, str] = {
    word: unit
    for unit, words in {
        "ms": "ms msec millisecond milliseconds",
        "s": "s sec secs seconds",
        "ns": "ns nanoseconds",
        "µs": "us µs microseconds",
        "min": "min mins minute minutes",
        "h": "h hr hrs hour hours",
        "day": "d day days",
        "week": "w week weeks",
        "month": "month months mo",
        "year": "y yr year years",
        "B": "b byte bytes",
        "KB": "k kb kib kilobyte kilobytes",
        "MB": "mb mib megabyte megabytes",
        "GB": "gb gib gigabyte gigabytes",
        "TB": "tb tib terabytes",
        "bit": "bit bits kbit mbit gbit",
        "%": "% percent pct percentage",
        "$": "$ usd dollar dollars",
        "€": "€ eur euro euros",
        "£": "£ gbp pound pounds",
        "cent": "cent cents",
        "px": "px pixel pixels",
        "em": "em rem",
        "pt": "pt point points",
        "mm": "mm",
        "cm": "cm",
        "m": "meter meters metre metres",
        "km": "km kilometer kilometers kilometre kilometres",
        "mile": "mile miles mi",
        "ft": "ft foot feet",
        "in": "inch inches",
        "kg": "kg kilogram kilograms",
        "g": "gram grams",
        "°": "° degree degrees",
        "Hz": "hz",
        "kHz": "khz",
        "MHz": "mhz",
        "GHz": "ghz",
        "token": "token tokens",
        "line": "line lines",
        "row": "row rows",
        "column": "column columns",
        "char": "char chars character characters",
        "x": "x times",
        "rps": "rps qps",
    }.items()
    for word in words.split()
}
"""Units, which count after a number."""
