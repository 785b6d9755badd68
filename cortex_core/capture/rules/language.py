"""Whether a text is English: the one question behind every rule that reads words.

The rules know English grammar only, so prose in another language must yield nothing rather than
accidents. Told by function words, which no text of some length does without.
"""

from __future__ import annotations

import re
from collections import Counter

_ENGLISH = frozenset(
    """
    the of and to in is that it for was on are with as at be this have from or had by but not what
    all were we when your can there use an each which do how their if will up other about out then
    them these so some would make into has more two no could my than been who its now did get may
    only our don't doesn't it's i'm we're you're isn't can't won't never always before after should
    must please instead because without prefer every new using used avoid keep write run add over
    let's lets you i they he she where why also just like want need any does too here between
    """.split()
)
_OTHERS = {
    "de": "der die das und ist nicht ein eine zu den mit auf für von im dem des sich auch es wir "
    "ich bitte immer nie kein keine wenn aber oder wie werden nur noch bei nach sind mach nutze",
    "fr": "le la les et est un une des du que qui dans pour pas sur avec ne ce il je nous vous au "
    "toujours jamais mais ou où sont être fait cette ces aux plus utilise",
    "es": "el los las y es un una que en de del por para con no se lo al como más pero su siempre "
    "nunca usa este esta esto hay son está debe puede cuando sin también",
    "pt": "o os as e é um uma que em de do da dos das por para com não se ao como mais mas sempre "
    "nunca usa este esta isso são está deve pode quando sem também você",
    "it": "il lo gli e è un una che di del della per con non si al come più ma sempre mai usa "
    "questo questa sono deve può quando senza anche nel alla",
    "nl": "de het een en is niet van te dat op voor met zijn er aan ook als maar om altijd nooit "
    "gebruik deze dit wij we je moet kan geen bij naar uit",
    "sv": "och det att som en på är av för med till den har inte om ett men alltid aldrig använd "
    "jag vi du ska kan när eller från",
    "pl": "i w na z do nie że się to jest jak o za od po ale zawsze nigdy używaj dla czy tak tym",
    "id": "yang dan di ini itu dengan untuk tidak dari dalam akan pada juga saya kita jangan "
    "selalu gunakan bisa ada",
    "tr": "ve bir bu için ile de da çok ama her zaman asla kullan olarak gibi daha değil var",
}
_FOREIGN = tuple(
    frozenset(words.split()) - _ENGLISH - {"de", "no", "do", "as", "is", "we", "to", "i", "per"}
    for words in _OTHERS.values()
)
_WORD = re.compile(r"(?<![\w/\\.:@~-])[^\W\d_]+(?:'[^\W\d_]+)?(?![\w/\\(-]|[.:@]\w)")
_CODE = re.compile(r"`[^`\n]{1,400}`")
_SAMPLE = 3000
"""Characters looked at: enough to tell, whatever the length."""


def is_english(text: str) -> bool:
    """Whether `text` reads as English prose.

    Code, paths and URLs are left out of account. Text without any function word, such as a name
    or a bare command, passes when it is in Latin letters without accents.
    """
    words = _WORD.findall(_prose(text).casefold().replace("’", "'"))
    if not words:
        return text.isascii()
    letters = "".join(words)
    if not letters.isascii() and len(letters.encode("ascii", "ignore")) < 0.9 * len(letters):
        return False
    times = Counter(words)
    english = sum(times[word] for word in times.keys() & _ENGLISH)
    foreign = max(sum(times[word] for word in times.keys() & other) for other in _FOREIGN)
    if foreign >= 2 and foreign * 2 > english:
        return False
    if len(words) <= 5:
        return foreign < 2 or foreign <= english
    return english >= max(1, foreign, len(words) // 12)


def _prose(text: str) -> str:
    text = text[:_SAMPLE]
    return _CODE.sub(" ", text) if "`" in text else text
