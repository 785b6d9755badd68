"""Which language a text is written in.

Nine languages have a grammar (`extract/languages`). The hooks load this module: it uses the
standard library only.
"""

import re
from collections.abc import Mapping

from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import CODE_SPAN

LANGUAGES = ("en", "ru", "es", "de", "fr", "pt", "zh", "ja", "ko")
"""The languages that have a grammar."""

# Related languages share letters, so only their function words tell them apart: words that stand
# in nearly every sentence, and those with which an instruction begins.
_ENGLISH = frozenset(
    """
    the of and to in is that it for was on are with as at be this have from or had by but not what
    all were we when your can there an each which do how their if will up other about out then
    them these so some would make into has more two no could my than been who its now did get may
    only our don't doesn't it's i'm we're you're isn't can't won't never always before after should
    must please instead because without prefer every new using used avoid keep write run add over
    let's lets you i they he she where why also just like want need any does too here between
    """.split()
)
_LATIN = {
    "de": "der die das und ist nicht ein eine zu den mit auf für fuer von im dem des sich auch es "
    "wir ich bitte immer nie niemals kein keine keinen wenn aber oder wie werden nur noch bei nach "
    "sind mach nutze verwende benutze nein sondern statt weil damit dass muss müssen darf dürfen "
    "vor jedem jeder ab jetzt künftig hier unsere unser soll sollen statt merk dir vergiss lieber "
    "dieser dieses diesem diesen funktioniert wird unter zum zur du mir uns haben hat schreib "
    "verwenden",
    "fr": "le la les et est un une des du que qui dans pour pas sur avec ne ce il je nous vous au "
    "toujours jamais mais ou où sont être fait cette ces aux plus utilise utilisez non plutôt "
    "parce désormais avant chaque faut doit doivent notre nos ici c'est n'utilise n'est on sans "
    "souviens-toi rappelle-toi évite préfère réponds dorénavant tu te sont fais pense ton ta",
    "es": "el los las y es un una que en de del por para con no se lo al como más pero su siempre "
    "nunca usa este esta esto hay son está debe puede cuando sin también usar recuerda prefiero "
    "jamás porque antes cada aquí nuestro nuestra nuestros nuestras sino vez ahora adelante la "
    "hacemos usamos deben hagas toques uses responde escribe evita acuérdate ejecuta",
    "pt": "o os as e é um uma que em de do da dos das por para com não se ao como mais mas sempre "
    "nunca usa este esta isso são está deve pode quando sem também você use usar lembre lembra "
    "prefiro porque antes cada aqui nosso nossa nossos nossas vez agora jamais na no nas nos pelo "
    "pela neste nesta deste desta depois devem usamos a gente partir lembre-se "
    "responda escreva evite rode quero",
    "it": "il lo gli e è un una che di del della per con non si al come più ma sempre mai usa "
    "questo questa sono deve può quando senza anche nel alla nella",
    "nl": "de het een en is niet van te dat op voor met zijn er aan ook als maar om altijd nooit "
    "gebruik deze dit wij we je moet kan geen bij naar uit",
    "sv": "och det att som en på är av för med till den har inte om ett men alltid aldrig använd "
    "jag vi du ska kan när eller från",
    "pl": "i w na z do nie że się to jest jak o za od po ale zawsze nigdy używaj dla czy tak tym",
    "id": "yang dan di ini itu dengan untuk tidak dari dalam akan pada juga saya kita jangan "
    "selalu gunakan bisa ada",
    "tr": "ve bir bu için ile de da çok ama her zaman asla kullan olarak gibi daha değil var",
}
_FOREIGN = {
    code: frozenset(words.split())
    - _ENGLISH
    - {"de", "no", "do", "as", "is", "we", "to", "i", "a", "per", "die", "on", "use", "uses"}
    for code, words in _LATIN.items()
}
FUNCTION_WORDS = frozenset().union(_ENGLISH, *(words.split() for words in _LATIN.values()))
"""Words of all these languages that say nothing about a subject."""
_SURE = {
    "pt": frozenset("não você são é está do da dos das em um uma com".split()),
    "es": frozenset("el los las y una con del en más está hay".split()),
}
"""Words that Spanish and Portuguese do not share: they decide where both have as many."""

_WORD = Pattern(
    "word of prose",
    r"(?<![\w/\\.:@~-])[^\W\d_]+(?:['-][^\W\d_]+)*(?![\w/\\(-]|[.:@]\w)",
    finds="Use it",
    spares="src/a1",
    flags=0,
)
_CYRILLIC = Pattern("Cyrillic letters", r"[\u0400-\u04ff]+", finds="да", spares="yes", flags=0)
_HAN, _KANA = r"[\u3400-\u4dbf\u4e00-\u9fff]", r"[\u3041-\u30ff]"
"""Compiled by `re` for the first text that needs them: sets so large take it 5 ms."""
_FIRST_EASTERN = "\u3041"
_HANGUL = Pattern("Korean letters", r"[\uac00-\ud7a3]+", finds="예", spares="yes", flags=0)
_NOT_RUSSIAN = Pattern(
    "letters and function words of other languages in Cyrillic",
    r"[іїєґўђјљњћџқңғүұәөӣӯ]|\b(?:се|са|ще|че|съм|това|няма|трябва|винаги|никога не е)\b",
    finds="він є",
    spares="всегда",
    flags=0,
)

_SAMPLE = 3000
"""Characters by which the language is judged."""
_TELLING = 4
"""Letters of a function word that no name or abbreviation has by chance: `os` and `es` are both."""
_SCRIPT_SHARE = 0.3
"""Share of the words in another script from which it is the text's own: prose in these languages is
full of English terms, but an English sentence quotes no more than a label."""
_LETTERS_A_WORD = 1.7
"""Characters of a Chinese or Japanese word, about."""


def language(text: str) -> str:
    """The language of the prose in `text`, one of `LANGUAGES`; empty for any other.

    Code, paths and URLs do not count. A short text without function words of any language, such as
    a name or a command, is English if it is in Latin letters without accents.
    """
    prose = _prose(text)
    words = _WORD.regex.findall(prose)
    latin = [word for word in words if "a" <= word[0] <= "z" or "\u00df" <= word[0] <= "\u024f"]
    english = _count(latin, _ENGLISH)
    code = _by_script(prose, len(latin), english) or _by_words(latin, english, text)
    return code if code in LANGUAGES else ""


def spoken(text: str) -> str:
    """The language that `text` shows its writer to use; empty where it shows none.

    Unlike `language`, a text without English function words, such as a command, shows none.
    """
    code = language(text)
    is_shown = code != "en" or _count(_WORD.regex.findall(_prose(text)), _ENGLISH)
    return code if is_shown else ""


def most_common(counts: Mapping[str, int]) -> str:
    """The language with the highest of `counts`; English where none is, or two are."""
    most = max(counts.values(), default=0)
    leading = [code for code in LANGUAGES if most and counts.get(code) == most]
    return leading[0] if len(leading) == 1 else "en"


def _prose(text: str) -> str:
    text = text[:_SAMPLE].casefold().replace("’", "'")
    return CODE_SPAN.regex.sub(" ", text) if "`" in text else text


def _by_script(prose: str, latin: int, english: int) -> str:
    """The language by its letters; empty if they are Latin for the most part."""
    if prose.isascii():
        return ""
    is_eastern = max(prose) >= _FIRST_EASTERN
    han, kana = (len(re.findall(each, prose)) if is_eastern else 0 for each in (_HAN, _KANA))
    counts = {
        "ru": len(_CYRILLIC.regex.findall(prose)),
        "ko": len(_HANGUL.regex.findall(prose)),
        "ja" if kana * 20 >= han else "zh": round((han + kana) / _LETTERS_A_WORD),
    }
    code = max(counts, key=lambda each: counts[each])
    count = counts[code]
    if not count or count < english or count < _SCRIPT_SHARE * (count + latin):
        return ""
    # Of other languages in Cyrillic none is ours, and the search is over.
    is_foreign = code == "ru" and len(_NOT_RUSSIAN.regex.findall(prose)) >= max(1, count // 12)
    return "?" if is_foreign else code


def _by_words(words: list[str], english: int, text: str) -> str:
    """The language of the Latin `words` by its function words."""
    if not words:
        return "en" if text.isascii() else ""
    hits = {code: _count(words, own) for code, own in _FOREIGN.items()}
    code = max(hits, key=lambda each: (hits[each], _count(words, _SURE.get(each, frozenset()))))
    is_short_foreign = not english and any(
        len(word) >= _TELLING for word in _FOREIGN[code].intersection(words)
    )
    return (
        "en"
        if (not is_short_foreign and _is_english(words, english, hits[code]))
        else code
        if hits[code]
        else ""
    )


def _count(words: list[str], of: frozenset[str]) -> int:
    return sum(word in of for word in words)


def _is_english(words: list[str], english: int, foreign: int) -> bool:
    letters = "".join(words)
    if not letters.isascii() and len(letters.encode("ascii", "ignore")) < 0.9 * len(letters):
        return False
    if foreign >= 2 and foreign * 2 > english:
        return False
    return (
        foreign < 2 or foreign <= english
        if len(words) <= 5
        else english >= max(1, foreign, len(words) // 12)
    )
