"""Words that exclude each other, and forms that are one word."""

from __future__ import annotations

_IRREGULAR = """
    begin began begun,break broke broken,bring brought,build built,buy bought,catch caught
    choose chose chosen,come came,deal dealt,draw drew drawn,drive drove driven,eat ate eaten
    fall fell fallen,feel felt,fight fought,find found,fly flew flown,forget forgot forgotten
    freeze froze frozen,give gave given,go went gone,grow grew grown,hang hung,hear heard
    hide hid hidden,hold held,keep kept,know knew known,lead led,leave left,lend lent,lose lost
    make made,mean meant,meet met,pay paid,ride rode ridden,ring rang rung,rise rose risen,run ran
    say said,see saw seen,sell sold,send sent,shake shook shaken,shoot shot,show shown
    shrink shrank shrunk,sing sang sung,sit sat,sleep slept,speak spoke spoken,spend spent
    stand stood,steal stole stolen,stick stuck,strike struck,swim swam swum,take took taken
    teach taught,tell told,think thought,throw threw thrown,understand understood,wake woke woken
    wear wore worn,win won,write wrote written,child children,person people,man men,woman women
    foot feet,index indices indexes,grey gray,licence license
    """

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


def _families(lines: str) -> list[list[str]]:
    """Words that belong together; families are parted by commas and line ends."""
    return [family.split() for family in lines.replace("\n", ",").split(",") if family.strip()]


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for words in _families(_OPPOSITES):
        for word in words:
            found[word] = found.get(word, frozenset()) | (frozenset(words) - {word})
    return found


OPPOSITES = _opposites()
"""For a word those that exclude it: opposites, and siblings that are swapped for each other."""

LEMMAS = {word: family[0] for family in _families(_IRREGULAR) for word in family}
"""Irregular forms and double spellings, by the form that stands for all."""

PREFIXES = (
    "un",
    "in",
    "im",
    "ir",
    "il",
    "dis",
    "non",
    "de",
    "anti",
    "mis",
    "re",
    "pre",
    "post",
    "sub",
)
"""What in front of a word makes another, often opposite word."""
